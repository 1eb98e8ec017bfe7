//! Where the stores of a test live.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, SystemTime, UNIX_EPOCH};
use std::{env, fs, process};

use slotledger::record::Record;
#[cfg(feature = "sqlite")]
use slotledger::record::store::SqliteStore;
use slotledger::record::store::{DirStore, MemoryStore, Retention, Store};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Memory,
    Dir,
    #[cfg(feature = "sqlite")]
    Sqlite,
}

/// The stores.
pub(crate) const KINDS: &[Kind] = &[
    Kind::Memory,
    Kind::Dir,
    #[cfg(feature = "sqlite")]
    Kind::Sqlite,
];

/// A folder for a store, removed when dropped.
#[derive(Debug)]
pub(crate) struct Home {
    pub(crate) kind: Kind,
    folder: PathBuf,
}

impl Home {
    pub(crate) fn new(kind: Kind) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = env::temp_dir().join(format!("slotledger-it-{}-{count}", process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir(&folder).expect("a folder for the test");
        Self { kind, folder }
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    /// The folder or file of the store.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.join("store").join("records")
    }

    pub(crate) fn open(&self) -> Box<dyn Store> {
        self.open_with(Retention::default())
    }

    pub(crate) fn open_with(&self, retention: Retention) -> Box<dyn Store> {
        open(self.kind, &self.path(), retention).expect("a store")
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Opens the store of a kind.
pub(crate) fn open(
    kind: Kind,
    path: &Path,
    retention: Retention,
) -> Result<Box<dyn Store>, slotledger::record::store::StoreError> {
    Ok(match kind {
        Kind::Memory => Box::new(MemoryStore::new(retention)),
        Kind::Dir => Box::new(DirStore::open(path, retention)?),
        #[cfg(feature = "sqlite")]
        Kind::Sqlite => Box::new(SqliteStore::open(path, retention)?),
    })
}

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
