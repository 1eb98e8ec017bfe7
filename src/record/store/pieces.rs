//! A text in pieces, so that a page deep in it is read without the rest.

use crate::text::{Offsets, Unit};

/// The longest piece, in bytes: two pages of a file, so that a page of a record, some 50,000 bytes,
/// reads little that it does not show.
pub(super) const MAX_PIECE: usize = 8_192;

/// A piece of a text, and where it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Piece<'t> {
    /// Where it starts.
    pub(super) mark: Mark,
    /// Its text.
    pub(super) text: &'t str,
}

/// The same place of a text in the record's unit and in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Mark {
    pub(super) at: usize,
    pub(super) byte_at: usize,
}

/// Cuts `text` into pieces at characters. An empty text has none.
pub(super) fn pieces(text: &str, unit: Unit) -> impl Iterator<Item = Piece<'_>> {
    let mut offsets = Offsets::new(text, unit);
    let mut byte_at = 0;
    std::iter::from_fn(move || {
        let rest = text.get(byte_at..)?;
        if rest.is_empty() {
            return None;
        }
        let piece = rest.get(..rest.floor_char_boundary(MAX_PIECE))?;
        let mark = Mark { at: offsets.at(byte_at), byte_at };
        byte_at += piece.len();
        Some(Piece { mark, text: piece })
    })
}

/// Where the pieces of a text start, for a text that lies in one stretch.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Marks(pub(super) Vec<Mark>);

impl Marks {
    pub(super) fn of(text: &str, unit: Unit) -> Self {
        Self(pieces(text, unit).map(|piece| piece.mark).collect())
    }

    /// The pieces that hold `len` of the unit from `start` on: where they start, and the byte where
    /// they end unless that is the end of the text.
    pub(super) fn around(&self, start: usize, len: usize) -> (Mark, Option<usize>) {
        let first = self.0.partition_point(|mark| mark.at <= start).saturating_sub(1);
        let end = start.saturating_add(len.max(1));
        let last = self.0.partition_point(|mark| mark.at < end);
        let until = self.0.get(last.max(first + 1)).map(|mark| mark.byte_at);
        (self.0.get(first).copied().unwrap_or_default(), until)
    }
}
