//! The laws of SPEC.md as functions of any bytes: each panics when a law is broken.
//!
//! The tests draw the bytes by proptest and replay every crash file with them; the fuzz targets hand
//! over their input. Bytes become a case by the generators of `slotledger-kit`, and the answers are
//! held against its oracle.
//!
//! | function | bytes are | against |
//! |---|---|---|
//! | [`scan`] | a text | L1, L3, L4 |
//! | [`cut`] | a text, a cap, shown ranges | L2, L5, L6, L10, L11, L12 |
//! | [`copies`] | a content array, a cap | L7, L8, L9, L10, L11, L12, L26, L27 |
//! | [`ingest`] | JSON as it arrives | L7, L8, L10, L11, L12, L27, L28 |
//! | [`ledger`] | operations on a ledger, a payload | L14, L25 |
//! | [`saves`] | a conversation, and saves in it | L13, L15 |
//! | [`pages`] | a text, and pages of it | L16 |
//! | [`stores`] | operations on a store of records | L17 |

#![allow(clippy::missing_panics_doc, reason = "to panic is what these functions are for")]
#![allow(clippy::must_use_candidate)]

mod answer;
mod copies;
mod cut;
mod dialects;
mod ingest;
mod ledger;
mod pages;
mod places;
mod saves;
mod scan;
mod stores;

pub mod home;

pub use copies::copies;
pub use cut::cut;
pub use ingest::ingest;
pub use ledger::ledger;
pub use pages::pages;
pub use saves::saves;
pub use scan::scan;
pub use stores::stores;

use std::borrow::Cow;

/// The bytes as a text: what a fuzzer makes up itself, beside what the generators make of it.
fn text_of(bytes: &[u8]) -> Cow<'_, str> {
    // The oracle tries every position, so a text has to be short.
    const MOST: usize = 1_500;
    String::from_utf8_lossy(bytes.get(..MOST).unwrap_or(bytes))
}

/// A number that any change of the bytes changes.
fn seed_of(bytes: &[u8]) -> usize {
    let mix = |seed: u32, &byte: &u8| (seed ^ u32::from(byte)).wrapping_mul(0x0100_0193);
    let seed = bytes.iter().fold(0x811C_9DC5, mix);
    (seed ^ (seed >> 15)) as usize
}

fn unit_of(unit: slotledger_kit::Unit) -> slotledger::Unit {
    match unit {
        slotledger_kit::Unit::Utf16 => slotledger::Unit::Utf16,
        slotledger_kit::Unit::Chars => slotledger::Unit::Char,
        slotledger_kit::Unit::Bytes => slotledger::Unit::Byte,
    }
}

fn cap_of(cap: usize, unit: slotledger_kit::Unit) -> slotledger::Cap {
    slotledger::Cap::new(cap, unit_of(unit))
}
