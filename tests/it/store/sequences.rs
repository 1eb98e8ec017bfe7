//! The same operations on every store have the same answers, and they are the model's.

use crate::support::{for_all_bytes, in_time};

#[test]
fn the_stores_answer_alike() {
    // A store that cannot make room must say so, and not try for ever.
    in_time(|| for_all_bytes(500, slotledger_props::stores));
}
