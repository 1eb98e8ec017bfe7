//! What became of the record of a result, which its notices must say.

/// Whether the full text of a result is kept, and so can be read back.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Keeping<'a> {
    /// There is no store.
    NoStore,
    /// It is kept as a record, reached under this call id.
    Kept {
        /// The id that reads it back.
        call_id: &'a str,
    },
    /// Keeping it failed.
    Failed {
        /// Why, in a few words.
        reason: &'a str,
    },
}
