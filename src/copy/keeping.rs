//! What became of the record of a result, which its notices must say.

use crate::notice;
use crate::text::Unit;

/// Whether the full text of a result is kept, and so can be read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Keeping<'a> {
    /// There is no store.
    NoStore,
    /// It is kept as a record.
    Kept {
        /// The id that reads it back.
        handle: &'a str,
        /// What its offsets count: the unit of the cap, unless the text was first kept at one of another.
        unit: Unit,
        /// Another way to read it, where the store has one and the host allows it.
        direct: Option<&'a Direct>,
    },
    /// Keeping it failed.
    Failed {
        /// Why, in a few words.
        reason: &'a str,
    },
}

/// A way to read a full text past the tools: with a reader of files or a shell.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Direct {
    /// A file that holds it, and nothing else. The path is fit to be printed.
    File(String),
    /// A command that prints it and a line break, and runs as printed.
    Query(String),
}

impl Direct {
    /// What a notice says of it.
    pub(super) fn said(&self) -> String {
        match self {
            Self::File(path) => notice::or_file(path),
            Self::Query(query) => notice::or_query(query),
        }
    }
}
