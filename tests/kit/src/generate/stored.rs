//! A text, a cap, and what was shown of it.

use arbitrary::{Arbitrary, Result, Unstructured};

use super::draw::Draw;
use super::pieces::Pieces;
use super::text::Place;
use crate::{Unit, length, units};

/// A text to cut for storing.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct CutStoredCase {
    /// The text.
    pub text: String,
    /// The cap, 0 for none.
    pub cap: u32,
    /// The cap's unit.
    pub unit: Unit,
    /// The shown ranges in UTF-8 bytes: at character boundaries, ascending, disjoint. They may be
    /// empty and may touch.
    pub ranges: Vec<(usize, usize)>,
}

impl CutStoredCase {
    /// Returns the ranges in a unit.
    pub fn ranges_in(&self, unit: Unit) -> Vec<(usize, usize)> {
        let place = |byte: usize| length(&units(&self.text[..byte]), unit);
        self.ranges.iter().map(|&(start, end)| (place(start), place(end))).collect()
    }
}

impl<'a> Arbitrary<'a> for CutStoredCase {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        let mut draw = Draw::new(bytes);
        let unit = draw.unit();
        let place = Place::draw(&mut draw);
        let shown = draw.number(0..=3);
        let skips: Vec<usize> = (0..12).map(|_| draw.number(0..=4)).collect();
        let pieces = Pieces::draw(&mut draw, 24);
        let cap = place.cap(&pieces, unit);
        let ranges = match shown {
            0 if pieces.text.is_empty() => Vec::new(),
            0 => vec![(0, pieces.text.len())],
            1 => Vec::new(),
            _ => ranges(&pieces, &skips),
        };
        Ok(Self { text: pieces.text, cap, unit, ranges })
    }
}

/// Ranges from mark to mark, by turns skipping and taking so many of them.
fn ranges(pieces: &Pieces, skips: &[usize]) -> Vec<(usize, usize)> {
    let last = pieces.marks.len() - 1;
    let mut marks = Vec::new();
    let mut mark = 0;
    for &skip in skips {
        mark = last.min(mark + skip);
        marks.push(pieces.marks[mark]);
    }
    marks.sort_unstable();
    marks.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect()
}
