//! Pages of a full text, on its UTF-16 array.

use crate::{Unit, length, text_of};

/// A page of a text.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Page {
    /// Its text.
    pub text: String,
    /// Where it starts, in the unit asked.
    pub start: usize,
    /// Where it ends.
    pub end: usize,
    /// The length of the whole text.
    pub total: usize,
}

/// A text, and where its characters start, in the unit and in UTF-16; and where it ends.
#[derive(Clone, Debug)]
pub struct Pages {
    text: Vec<u16>,
    boundaries: Vec<(usize, usize)>,
}

impl Pages {
    /// The pages of a text.
    pub fn new(text: &[u16], unit: Unit) -> Self {
        let mut boundaries = vec![(0, 0)];
        let mut offset = 0;
        for (at, code_unit) in text.iter().enumerate() {
            offset += length(&[*code_unit], unit);
            // A pair ends with its second half.
            if !(0xD800..0xDC00).contains(code_unit) {
                boundaries.push((offset, at + 1));
            }
        }
        Self { text: text.to_vec(), boundaries }
    }

    /// Returns the page from `start` that is `len` long: both ends at the character boundary at or
    /// before them. Where that leaves nothing before the end, the page is the one character there.
    /// `None` where `start` is past the end.
    pub fn page(&self, start: usize, len: usize) -> Option<Page> {
        let last = self.boundaries.len() - 1;
        let (total, _) = self.boundaries[last];
        if start > total {
            return None;
        }
        let snap = |place| self.boundaries.partition_point(|&(offset, _)| offset <= place) - 1;
        let (from, mut to) = (snap(start), snap(start.saturating_add(len)));
        if from == to && to < last {
            to += 1;
        }
        let ((start, from), (end, to)) = (self.boundaries[from], self.boundaries[to]);
        Some(Page { text: text_of(&self.text[from..to]), start, end, total })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::units;

    fn ends(text: &str, unit: Unit, start: usize, len: usize) -> Option<(usize, usize)> {
        Pages::new(&units(text), unit).page(start, len).map(|page| (page.start, page.end))
    }

    #[test]
    fn ends_are_at_characters_and_a_page_gets_on() {
        let wide = "😀".repeat(5);
        assert_eq!(ends(&wide, Unit::Utf16, 1, 2), Some((0, 2)));
        assert_eq!(ends(&wide, Unit::Utf16, 4, 1), Some((4, 6)));
        assert_eq!(ends(&wide, Unit::Chars, 1, 2), Some((1, 3)));
        assert_eq!(ends(&wide, Unit::Bytes, 1, 4), Some((0, 4)));
        assert_eq!(ends(&wide, Unit::Bytes, 19, 0), Some((16, 20)));
        assert_eq!(ends("abcdefghij", Unit::Utf16, 6, usize::MAX), Some((6, 10)));
        assert_eq!(ends("abcdefghij", Unit::Utf16, 10, 4), Some((10, 10)));
        assert_eq!(ends("abcdefghij", Unit::Utf16, 11, 4), None);
        assert_eq!(ends("", Unit::Chars, 0, 1), Some((0, 0)));
    }
}
