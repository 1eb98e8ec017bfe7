//! `slotledger get`, `list` and `gc`: what a store of records holds, read, listed and removed.

pub(crate) mod gc;
pub(crate) mod get;
pub(crate) mod list;

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use slotledger::record::store::{Retention, SqliteStore, StoreError};
use slotledger::record::{Meta, Reader};

use crate::failure::Failure;
use crate::words::{count, fit, harmless};

/// Who asks where no session is named: none that has records, so those of all are alike.
const NOBODY: &str = "\0slotledger";

/// A store that exists, opened.
#[derive(Debug)]
struct Shelf {
    path: PathBuf,
    store: SqliteStore,
}

impl Shelf {
    fn open(path: &Path) -> Result<Self, Failure> {
        let path = path.to_owned();
        // An empty file would become a store. What else is wrong with it is told when it is opened.
        let is_there = match path.metadata() {
            Ok(metadata) => metadata.is_file() && metadata.len() > 0,
            Err(error) => !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory),
        };
        if !is_there {
            return Err(Failure::NoStore { path });
        }
        match SqliteStore::open_existing(&path, Retention::default()) {
            Ok(store) => Ok(Self { path, store }),
            Err(error) => Err(Failure::Store { path, doing: "opened", error }),
        }
    }

    /// What reads for `session`, or for all of them.
    fn reader<'s>(&'s self, session: Option<&'s str>) -> Reader<'s> {
        Reader::new(&self.store, session.unwrap_or(NOBODY)).reading_others()
    }

    /// The failure of what was done.
    fn failed(&self, doing: &'static str) -> impl FnOnce(StoreError) -> Failure {
        let path = self.path.clone();
        move |error| Failure::Store { path, doing, error }
    }
}

/// The scope of arguments where this session is named, or none.
fn scope(session: Option<&str>) -> Option<&'static str> {
    session.is_none().then_some("all_sessions")
}

/// A record in a few words: its id, tool, size, type and session.
fn described(meta: &Meta) -> String {
    let name = |name: &str| fit(&harmless(name), 24).into_owned();
    let tool = if meta.tool.is_empty() { String::new() } else { format!("{}, ", name(&meta.tool)) };
    let (handle, bytes) = (meta.handle(), count(meta.sizes.bytes));
    let (kind, session) = (name(&meta.content_type), name(&meta.session));
    format!("{handle}, {tool}{bytes} bytes, {kind}, session {session}")
}
