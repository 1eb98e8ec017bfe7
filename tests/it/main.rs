//! The one integration-test binary.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    clippy::wildcard_enum_match_arm,
    reason = "to panic is how a test fails"
)]

mod support;

mod api;
mod archive;
mod dialects;
mod differential;
mod floors;
mod hostile;
mod laws;
mod ledger;
mod memory;
mod reading;
mod recipes;
mod records;
mod registry;
mod regressions;
mod saving;
mod steps;
mod store;
mod vectors;
