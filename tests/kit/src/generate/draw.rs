//! Choices drawn from bytes; where they run out, the first choice.

use std::ops::RangeInclusive;

use arbitrary::Unstructured;

use crate::Unit;

/// A source of choices that never fails.
pub(crate) struct Draw<'a, 'b> {
    bytes: &'a mut Unstructured<'b>,
}

impl<'a, 'b> Draw<'a, 'b> {
    pub(crate) fn new(bytes: &'a mut Unstructured<'b>) -> Self {
        Self { bytes }
    }

    /// Returns whether nothing is left to choose from.
    pub(crate) fn is_spent(&self) -> bool {
        self.bytes.is_empty()
    }

    /// Draws a number of the range; its start when the bytes have run out.
    pub(crate) fn number(&mut self, range: RangeInclusive<usize>) -> usize {
        let least = *range.start();
        self.bytes.int_in_range(range).unwrap_or(least)
    }

    /// Draws yes about once in `n`; no when the bytes have run out.
    pub(crate) fn one_in(&mut self, n: usize) -> bool {
        self.number(0..=n - 1) == n - 1
    }

    /// Draws one of several.
    pub(crate) fn pick<'t, T: ?Sized>(&mut self, several: &[&'t T]) -> &'t T {
        several[self.number(0..=several.len() - 1)]
    }

    /// Draws a unit, UTF-16 half of the time.
    pub(crate) fn unit(&mut self) -> Unit {
        [Unit::Utf16, Unit::Chars, Unit::Bytes, Unit::Utf16][self.number(0..=3)]
    }
}
