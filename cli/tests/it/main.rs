//! The command as it is used: arguments and standard input in; whole outputs and exit codes out.

#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::string_slice,
    reason = "a test that cannot go on fails"
)]

mod cli;

mod errors;
mod gc;
mod get;
mod help;
mod images;
mod list;
mod memory;
mod pipe;
mod pipe_conversation;
mod pipe_hostile;
mod records;
mod save;
mod store;
mod store_report;
mod streams;
mod vectors;
