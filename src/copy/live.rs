//! The live copy: what the model sees on arrival, and the ranges of the full text it showed.

use bytestring::ByteString;

use super::cut::cut_at;
use super::keeping::Keeping;
use super::serialize::{BlockSpan, Serialized};
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
        let (blocks, spans) = native(content, full)?;
        let shown = Self::shown_of(content, full, cap, grammar)?;
        let mut live = Vec::with_capacity(blocks.len());
        let ranges = shown.as_slice().iter();
        for ((block, &BlockSpan { span, .. }), range) in blocks.iter().zip(spans).zip(ranges) {
            live.push(if let Block::Image(image) = block {
                let mime_type = image.mime_type().into();
                LiveBlock::Image { mime_type, data: image.data().clone() }
            } else if range.end < span.end {
                let total = cap.unit().len_of(span.of(&full.text));
                let head = range.of(&full.text);
                LiveBlock::Text(format!("{head}{}", notice_of(total, keeping)).into())
            } else {
                LiveBlock::Text(full.text.slice_ref(span.of(&full.text)))
            });
        }
        Some(Self { blocks: live, shown })
    }

    /// The ranges of the full text that the live copy shows; `None` when there is none. They depend
    /// on no notice, so they are known before a record is kept.
    pub fn shown_of(
        content: &Content,
        full: &Serialized,
        cap: Cap,
        grammar: &Grammar,
    ) -> Option<Spans> {
        let (blocks, spans) = native(content, full)?;
        let mut shown = Spans::default();
        for (block, &BlockSpan { span, .. }) in blocks.iter().zip(spans) {
            shown.push(match block {
                Block::Text(_) | Block::Described(_) | Block::Unrecognized { .. } => {
                    let cut = cut_at(span.of(&full.text), cap, grammar);
                    cut.map_or(span, |cut| Span::new(span.start, span.start + cut))
                }
                Block::Image(_)
                | Block::Reference(_)
                | Block::UnusableReference { .. }
                | Block::Withheld => span,
            });
        }
        Some(shown)
    }
}

/// The blocks of a result with an inline image, and where they lie.
fn native<'c>(
    content: &'c Content,
    full: &'c Serialized,
) -> Option<(&'c [Block], &'c [BlockSpan])> {
    let (Content::Blocks(blocks), Some(spans)) = (content, &full.blocks) else {
        return None;
    };
    full.shows_image().then_some((blocks, spans))
}

fn notice_of(total: usize, keeping: Keeping<'_>) -> String {
    match keeping {
        Keeping::Kept { handle, .. } => notice::live_cut_and_recorded(total, handle),
        Keeping::NoStore | Keeping::Failed { .. } => notice::cut(total),
    }
}
