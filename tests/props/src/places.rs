//! Byte offsets, which the crate counts in, as UTF-16 offsets, which the oracle counts in.

use slotledger::text::Span;

/// A text, and where each of its characters stands in UTF-16.
pub(crate) struct Places<'t> {
    pub(crate) text: &'t str,
    pub(crate) wide: Vec<u16>,
    /// The UTF-16 offset of each byte that starts a character, and of the end.
    at: Vec<Option<usize>>,
}

impl<'t> Places<'t> {
    pub(crate) fn new(text: &'t str) -> Self {
        let mut at = vec![None; text.len() + 1];
        let mut counted = 0;
        for (byte, character) in text.char_indices() {
            at[byte] = Some(counted);
            counted += character.len_utf16();
        }
        at[text.len()] = Some(counted);
        Self { text, wide: slotledger_kit::units(text), at }
    }

    /// The UTF-16 offset of the byte offset `byte`.
    pub(crate) fn wide_at(&self, byte: usize) -> usize {
        self.at[byte].unwrap_or_else(|| panic!("byte {byte} is inside a character"))
    }

    pub(crate) fn wide(&self, span: Span) -> (usize, usize) {
        (self.wide_at(span.start), self.wide_at(span.end))
    }

    /// The length of a span in UTF-16 code units.
    pub(crate) fn wide_len(&self, span: Span) -> usize {
        self.wide_at(span.end) - self.wide_at(span.start)
    }
}
