//! The live copy: what the model sees on arrival, and the ranges of the full text it showed.

use bytestring::ByteString;

use super::cut::cut_at;
use super::keeping::Keeping;
use super::serialize::{BlockKind, BlockSpan, Serialized};
use crate::content::{Block, Content};
use crate::notice;
use crate::slot::Grammar;
use crate::text::{Cap, Span, Spans};

/// One block of a live copy.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LiveBlock {
    /// A text.
    Text(ByteString),
    /// An image, with the tool's own data and type.
    Image {
        /// The media type as the tool named it.
        mime_type: ByteString,
        /// The data as the tool sent it.
        data: ByteString,
    },
}

/// What the model sees of a result with images: its blocks, images in place and whole.
///
/// A result without an inline image has none: the model sees its stored copy.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct LiveCopy {
    /// One block for each of the result's.
    pub blocks: Vec<LiveBlock>,
    /// The ranges of the full text that these blocks showed.
    pub shown: Spans,
}

impl LiveCopy {
    /// Makes the live copy of `content`, which was written as `full`; `None` when it has none.
    ///
    /// Each text is cut on its own at `cap`; stubs and images stay whole at any cap, so the whole
    /// may be longer than the cap (SPEC 12).
    ///
    /// ```
    /// use slotledger::content::{Block, Call, Content, Image};
    /// use slotledger::copy::{Keeping, LiveCopy, serialize};
    /// use slotledger::image::{Ledger, Limits, RefIds, Registry};
    /// use slotledger::{Cap, slot::Grammar};
    ///
    /// let mut ledger = Ledger::new("abc123".parse()?, Limits::default());
    /// let mut registry = Registry::new(RefIds::process());
    /// let image = Image::new("iVBORw0KGgo=", "image/png");
    /// let content = Content::Blocks(vec![Block::Text("some words".into()), Block::Image(image)]);
    /// let full = serialize(&content, &Call::new("c1", "snap"), &mut ledger, &mut registry);
    /// let (cap, grammar) = (Cap::utf16(4), Grammar::default());
    /// let live = LiveCopy::of(&content, &full, cap, &grammar, Keeping::NoStore).unwrap();
    /// assert_eq!(live.blocks.len(), 2);
    /// assert_eq!(live.shown.as_slice()[0].of(&full.text), "some");
    /// # Ok::<(), slotledger::image::NonceError>(())
    /// ```
    pub fn of(
        content: &Content,
        full: &Serialized,
        cap: Cap,
        grammar: &Grammar,
        keeping: Keeping<'_>,
    ) -> Option<Self> {
        let (Content::Blocks(blocks), Some(spans)) = (content, &full.blocks) else {
            return None;
        };
        if !spans.iter().any(|block| block.kind == BlockKind::Image) {
            return None;
        }
        let mut live = Self { blocks: Vec::with_capacity(blocks.len()), shown: Spans::default() };
        for (block, &BlockSpan { span, .. }) in blocks.iter().zip(spans) {
            let text = full.text.slice_ref(span.of(&full.text));
            let (shown, block) = match block {
                Block::Image(image) => {
                    let mime_type = image.mime_type().into();
                    (span, LiveBlock::Image { mime_type, data: image.data().clone() })
                }
                Block::Text(_) | Block::Described(_) | Block::Unrecognized { .. } => {
                    match cut_at(&text, cap, grammar) {
                        Some(cut) => {
                            let total = cap.unit().len_of(&text);
                            let head = text.get(..cut).unwrap_or_default();
                            let cut_text = format!("{head}{}", notice_of(total, keeping));
                            let shown = Span::new(span.start, span.start + cut);
                            (shown, LiveBlock::Text(cut_text.into()))
                        }
                        None => (span, LiveBlock::Text(text)),
                    }
                }
                Block::Reference(_) | Block::UnusableReference { .. } | Block::Withheld => {
                    (span, LiveBlock::Text(text))
                }
            };
            live.shown.push(shown);
            live.blocks.push(block);
        }
        Some(live)
    }
}

fn notice_of(total: usize, keeping: Keeping<'_>) -> String {
    match keeping {
        Keeping::Kept { call_id } => notice::live_cut_and_recorded(total, call_id),
        Keeping::NoStore | Keeping::Failed { .. } => notice::cut(total),
    }
}
