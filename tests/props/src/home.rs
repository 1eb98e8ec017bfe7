//! Where the stores of a test live.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, fs, process};

#[cfg(feature = "sqlite")]
use slotledger::record::store::SqliteStore;
use slotledger::record::store::{DirStore, MemoryStore, Retention, Store, StoreError};

/// A kind of store.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// In memory.
    Memory,
    /// In a folder.
    Dir,
    /// In a file of `SQLite`.
    #[cfg(feature = "sqlite")]
    Sqlite,
}

/// The kinds of stores.
pub const KINDS: &[Kind] = &[
    Kind::Memory,
    Kind::Dir,
    #[cfg(feature = "sqlite")]
    Kind::Sqlite,
];

/// Opens the store of a kind.
///
/// # Errors
///
/// As the store's own.
pub fn open(kind: Kind, path: &Path, retention: Retention) -> Result<Box<dyn Store>, StoreError> {
    Ok(match kind {
        Kind::Memory => Box::new(MemoryStore::new(retention)),
        Kind::Dir => Box::new(DirStore::open(path, retention)?),
        #[cfg(feature = "sqlite")]
        Kind::Sqlite => Box::new(SqliteStore::open(path, retention)?),
    })
}

/// A folder for a store, removed when dropped.
#[derive(Debug)]
pub struct Home {
    /// The kind of the store.
    pub kind: Kind,
    folder: PathBuf,
}

impl Home {
    /// A home on the disk.
    pub fn new(kind: Kind) -> Self {
        Self::within(&env::temp_dir(), kind)
    }

    /// A home in memory, where there is such a place, with an empty store: for many short lives.
    pub(crate) fn fast(kind: Kind) -> Self {
        let home = Self::in_memory(kind);
        #[cfg(feature = "sqlite")]
        if kind == Kind::Sqlite {
            home.furnish();
        }
        home
    }

    fn in_memory(kind: Kind) -> Self {
        let memory = Path::new("/dev/shm");
        if memory.is_dir() { Self::within(memory, kind) } else { Self::new(kind) }
    }

    fn within(place: &Path, kind: Kind) -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let folder = place.join(format!("slotledger-it-{}-{count}", process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir(&folder).expect("a folder for the test");
        Self { kind, folder }
    }

    /// The folder, in which nothing but the store writes.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The folder or file of the store.
    pub fn path(&self) -> PathBuf {
        self.folder.join("store").join("records")
    }

    /// Opens the store.
    pub fn open(&self) -> Box<dyn Store> {
        self.open_with(Retention::default())
    }

    /// Opens the store with other limits than the default.
    pub fn open_with(&self, retention: Retention) -> Box<dyn Store> {
        open(self.kind, &self.path(), retention).expect("a store")
    }

    /// The store, opened anew if it outlives a process.
    pub fn reopened(&self, store: Box<dyn Store>) -> Box<dyn Store> {
        if self.kind == Kind::Memory {
            return store;
        }
        drop(store);
        self.open()
    }

    /// Puts an empty store there: to make its tables takes longer than most of what is done to them.
    #[cfg(feature = "sqlite")]
    fn furnish(&self) {
        static EMPTY: std::sync::OnceLock<Vec<u8>> = std::sync::OnceLock::new();
        let empty = EMPTY.get_or_init(|| {
            let home = Self::in_memory(Kind::Sqlite);
            drop(home.open());
            fs::read(home.path()).expect("a file")
        });
        fs::create_dir(self.folder.join("store")).expect("a folder");
        fs::write(self.path(), empty).expect("a file");
    }
}

impl Drop for Home {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}
