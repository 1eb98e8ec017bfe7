//! Where the stores of a test live, and what is put in them.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use slotledger::record::Record;
use slotledger::record::store::Store;
pub(crate) use slotledger_props::home::{Home, KINDS, Kind, open};

/// A time, in seconds after one that is always the same, and later than the clock says.
pub(crate) fn at(seconds: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_secs(4_000_000_000 + seconds)
}

/// A record of session `s1` and tool `bash`.
pub(crate) fn record(call_id: &str, text: &str) -> Record {
    Record::new("s1", call_id, "bash", text)
}

/// The text of a record, read whole.
pub(crate) fn text_of(store: &dyn Store, id: slotledger::record::RecordId) -> String {
    let stretch = store.read(id, 0, usize::MAX).expect("a text");
    assert_eq!((stretch.start, stretch.start_bytes), (0, 0));
    stretch.text.to_string()
}
