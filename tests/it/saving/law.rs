//! L13 and L15, over conversations of every kind.

use crate::support::for_all_bytes;

#[test]
fn l13_l15_a_save_gives_what_was_shown_or_refuses() {
    for_all_bytes(1_500, slotledger_props::saves);
}
