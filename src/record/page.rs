//! Pages: stretches of a record's text, at characters, that join to the whole.

use bytestring::ByteString;

use super::record::{Gone, Meta};
use super::store::{Store, StoreError};
use crate::text::{Span, Unit};

/// The longest page, in the record's unit.
pub const MAX_PAGE: usize = 100_000;

/// The most units of a character: a page ends less than that before where it was asked to.
const WIDEST: usize = 4;

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
    // Some more units hold the rest of a character that an end falls into.
    let stretch = store.read(meta.id, start.saturating_sub(WIDEST), end - start + 2 * WIDEST)?;
    // What is not all there is not given out.
    if stretch.start > start.saturating_sub(WIDEST) {
        return Err(StoreError::Gone(Gone::Damage));
    }
    let text = &*stretch.text;
    let unit = if text.is_ascii() { Unit::Byte } else { meta.unit };
    let from = stretch.start;
    let (span, before) = snapped(text, unit, start.saturating_sub(from), end.saturating_sub(from));
    let page = span.of(text);
    if page.is_empty() && start < total {
        // Reading on must not stay where it is when a text ends before it should.
        return Err(StoreError::Gone(Gone::Damage));
    }
    let start = from + before;
    let asked = end;
    let end = start + unit.len_of(page);
    if asked.saturating_sub(end) >= WIDEST {
        return Err(StoreError::Gone(Gone::Damage));
    }
    let text = stretch.text.slice_ref(page);
    Ok(Some(Page { text, start, end, total }))
}

/// The stretch of `text` from `start` to `end`, both in `unit` and moved back to a character: where
/// that is nothing, the one character there. And where it starts, in `unit`.
pub(super) fn snapped(text: &str, unit: Unit, start: usize, end: usize) -> (Span, usize) {
    let from = unit.offset_in(text, start);
    let (before, rest) = text.split_at_checked(from).unwrap_or((text, ""));
    let before = unit.len_of(before);
    let to = unit.offset_in(rest, end.saturating_sub(before));
    // A page must get on, also where its one character is longer than it.
    let to = if to == 0 { rest.ceil_char_boundary(1) } else { to };
    (Span::new(from, from + to), before)
}
