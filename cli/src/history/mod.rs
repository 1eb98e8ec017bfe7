//! `slotledger images` and `slotledger save`: what a stored session shows, and its images saved.

pub(crate) mod images;
pub(crate) mod save;

mod look;
mod reading;
mod refusal;
mod snapshot;
