//! Pages: stretches of a record's text, at characters, that join to the whole.

use bytestring::ByteString;

use super::record::Meta;
use super::store::{Store, StoreError};

/// The longest page, in the record's unit.
pub const MAX_PAGE: usize = 100_000;

/// A stretch of a record's text, and where to go on.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Page {
    /// The text.
    pub text: ByteString,
    /// Where it starts, in the record's unit.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// The length of the whole.
    pub total: usize,
}

impl Page {
    /// Where the next page starts, if there is one.
    pub fn next(&self) -> Option<usize> {
        (self.end < self.total).then_some(self.end)
    }
}

/// Reads the page of a record that starts at `start` and is `len` long, both in its unit.
///
/// Both ends are at characters, at or before the places asked for; before the end of the text a
/// page is never empty, so reading on at [`Page::next`] always arrives. Reads the page, not the
/// record (SPEC L16).
///
/// # Errors
///
/// When `start` is past the end ([`None`]), or the store cannot be read.
pub fn page_of(
    store: &dyn Store,
    meta: &Meta,
    start: usize,
    len: usize,
) -> Result<Option<Page>, StoreError> {
    let total = meta.total_len();
    if start > total {
        return Ok(None);
    }
    let end = start.saturating_add(len).min(total);
    // Two more units hold the rest of a character that an end falls into.
    let stretch = store.read(meta.id, start.saturating_sub(4), end - start + 8)?;
    let unit = meta.unit;
    let place = |at: usize| unit.offset_in(&stretch.text, at.saturating_sub(stretch.start));
    let (from, mut to) = (place(start), place(end));
    if from == to && start < total {
        // The one character there is longer than the page: a page must get on.
        to = stretch.text.ceil_char_boundary(from + 1);
    }
    let text = stretch.text.slice_ref(stretch.text.get(from..to).unwrap_or_default());
    let start = stretch.start + unit.len_of(stretch.text.get(..from).unwrap_or_default());
    let end = start + unit.len_of(&text);
    Ok(Some(Page { text, start, end, total }))
}
