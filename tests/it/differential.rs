//! The crate against the oracle, from end to end: what `slotledger-props` holds of any bytes.
//!
//! Its other two functions are L1 and L14.

use slotledger_kit::generate::{ContentCase, from_bytes};

use crate::support::for_all_bytes;

#[test]
fn a_cut_and_what_is_kept_past_it_are_the_oracles() {
    for_all_bytes(400, slotledger_props::cut);
}

#[test]
fn the_copies_of_a_content_array_are_the_oracles() {
    for_all_bytes(500, slotledger_props::copies);
}

#[test]
fn whatever_is_json_is_answered_as_the_oracle_answers_and_whatever_is_none_is_refused() {
    for_all_bytes(300, slotledger_props::ingest);
    // Bytes are rarely JSON, so some that are.
    for_all_bytes(200, |bytes| {
        let json = from_bytes::<ContentCase>(bytes).to_json();
        match bytes.len() % 2 {
            0 => slotledger_props::ingest(json.as_bytes()),
            _ => slotledger_props::ingest(format!("{{\"data\":{json}}}").as_bytes()),
        }
    });
}
