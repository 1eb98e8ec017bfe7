//! A ledger and what is asked of it.

use arbitrary::{Arbitrary, Result, Unstructured};

use super::draw::Draw;
use crate::oracle::Retention;

/// A ledger's limits and the operations on it, for the nonce `abc123`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct LedgerCase {
    /// How many images it holds.
    pub max_entries: u32,
    /// How many characters of base64 it holds.
    pub max_chars: u32,
    /// The operations, in order.
    pub ops: Vec<LedgerOp>,
}

/// One operation.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum LedgerOp {
    /// Retain an image.
    Retain(Retention),
    /// Look a ref up.
    Lookup(String),
}

impl<'a> Arbitrary<'a> for LedgerCase {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        let mut draw = Draw::new(bytes);
        let max_entries = [2, 0, 1, 3, 5, 64, 80][draw.number(0..=6)];
        let max_chars = [1000, 0, 4, 8, 12, 40, 100_663_296][draw.number(0..=6)];
        let mut ops = Vec::new();
        while ops.len() < 700 && !draw.is_spent() {
            op(&mut draw, &mut ops);
        }
        Ok(Self { max_entries, max_chars, ops })
    }
}

fn op(draw: &mut Draw<'_, '_>, ops: &mut Vec<LedgerOp>) {
    match draw.number(0..=11) {
        0..=4 => ops.push(LedgerOp::Retain(image(draw))),
        5..=9 => ops.push(LedgerOp::Lookup(format!("img_abc123_{}", draw.number(1..=12)))),
        10 => {
            let reference = draw.pick(&[
                "img_abc123_0",
                "img_abc123_01",
                "img_other_1",
                "img_abc123_",
                "img__1",
                "",
                "img_abc123_99999999999999999999",
                "IMG_abc123_1",
                "img_abc123_1 ",
                "img_abc123_257",
                "img_abc123_300",
            ]);
            ops.push(LedgerOp::Lookup(reference.to_owned()));
        }
        _ => {
            // So many at once that what was issued first is forgotten.
            let count = draw.number(1..=280);
            let base = image(draw);
            ops.extend(
                (0..count).map(|index| {
                    LedgerOp::Retain(Retention { block: 100 + index, ..base.clone() })
                }),
            );
        }
    }
}

fn image(draw: &mut Draw<'_, '_>) -> Retention {
    Retention {
        call_id: draw.pick(&["c1", "c2", "c1:0", ""]).to_owned(),
        tool: draw.pick(&["snap", "cam"]).to_owned(),
        block: draw.number(0..=3),
        payload: draw
            .pick(&["AAAA", "BBBB", "CCCCCCCC", "", "DDDDDDDDDDDD", "not base64!"])
            .to_owned(),
        claim: draw.pick(&["image/png", " IMAGE/GIF;x", "]"]).to_owned(),
    }
}
