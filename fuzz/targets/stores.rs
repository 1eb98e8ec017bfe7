#![no_main]

libfuzzer_sys::fuzz_target!(|bytes: &[u8]| slotledger_props::stores(bytes));
