//! A text to read by pages.

use arbitrary::{Arbitrary, Result, Unstructured};

use super::draw::Draw;
use super::pieces::Pieces;
use crate::Unit;

/// A text, and the pages that are asked of it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct PagesCase {
    /// The text: of any length up to some 35,000 bytes.
    pub text: String,
    /// What its pages count.
    pub unit: Unit,
    /// Where a page starts; it may be past the end.
    pub start: usize,
    /// How long a page is.
    pub len: usize,
}

/// A store keeps texts in pieces of so many bytes.
const PIECE: usize = 8_192;

impl<'a> Arbitrary<'a> for PagesCase {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        let mut draw = Draw::new(bytes);
        let unit = draw.unit();
        let len = match draw.number(0..=5) {
            0..=2 => draw.number(0..=9),
            3 => draw.number(0..=700),
            4 => PIECE - 5 + draw.number(0..=9),
            _ => [100_000, 65_536, usize::MAX, usize::MAX / 2][draw.number(0..=3)],
        };
        let start = match draw.number(0..=4) {
            0..=1 => draw.number(0..=20_000),
            2 => draw.number(1..=2) * PIECE - draw.number(0..=12),
            3 => draw.number(0..=60),
            _ => usize::MAX - draw.number(0..=9),
        };
        // What comes before moves the ends of pieces into characters.
        let before = match draw.number(0..=3) {
            0 => String::new(),
            1 => "x".repeat(PIECE - 6 + draw.number(0..=12)),
            2 => "é😀".repeat(draw.number(1_360..=1_370)),
            _ => "漢".repeat(draw.number(1..=2) * 2_730 - draw.number(0..=4)),
        };
        let text = before + &Pieces::draw(&mut draw, 24).text;
        Ok(Self { text, unit, start, len })
    }
}
