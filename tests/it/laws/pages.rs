//! What is read back of a record.

use crate::support::for_all_bytes;

#[test]
fn l16_pages_join_to_the_text_and_are_the_oracles() {
    for_all_bytes(300, slotledger_props::pages);
}
