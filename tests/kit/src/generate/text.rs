//! A text and a cap.

use arbitrary::{Arbitrary, Result, Unstructured};

use super::draw::Draw;
use super::pieces::Pieces;
use crate::{Unit, length, units};

/// A text to find slots in and to cut.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct TextCase {
    /// The text.
    pub text: String,
    /// The cap, 0 for none; often near a place that matters.
    pub cap: u32,
    /// The cap's unit.
    pub unit: Unit,
}

impl<'a> Arbitrary<'a> for TextCase {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        let mut draw = Draw::new(bytes);
        let unit = draw.unit();
        let place = Place::draw(&mut draw);
        let pieces = Pieces::draw(&mut draw, 24);
        let cap = place.cap(&pieces, unit);
        Ok(Self { text: pieces.text, cap, unit })
    }
}

/// Where a cap falls. Drawn before the text, so that a long text cannot use up its bytes.
pub(crate) struct Place {
    mark: usize,
    offset: usize,
    share: Option<usize>,
}

impl Place {
    pub(crate) fn draw(draw: &mut Draw<'_, '_>) -> Self {
        let share = draw.one_in(3).then(|| draw.number(0..=100));
        let (mark, offset) = (draw.number(0..=0xFFFF), draw.number(0..=47));
        Self { mark, offset, share }
    }

    /// Returns the cap: a share of the text, or near one of its marks.
    pub(crate) fn cap(&self, pieces: &Pieces, unit: Unit) -> u32 {
        let wide = units(&pieces.text);
        let cap = if let Some(percent) = self.share {
            length(&wide, unit) * percent / 100
        } else {
            let mark = pieces.marks[self.mark % pieces.marks.len()];
            let at = length(&units(&pieces.text[..mark]), unit);
            // Before it, at it, and most often a little way past it: inside what starts there.
            (at + self.offset).saturating_sub(3)
        };
        u32::try_from(cap).expect("texts are short")
    }
}
