//! Content written as one text, with the span of each block in it.

use bytestring::ByteString;

use crate::content::{Block, Call, Content, Image, Loss};
use crate::image::{Ledger, Lookup, Registry};
use crate::notice;
use crate::slot::{ImageRef, encoded_size_label, write_placeholder};
use crate::text::Span;

/// The kind of a block's text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlockKind {
    /// A text, cut like one.
    Text,
    /// A placeholder.
    Image,
    /// A stub, or the line of a reference that could not be read.
    Reference,
}

/// Where a block lies in the full text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlockSpan {
    /// What it is.
    pub kind: BlockKind,
    /// Where it lies, in bytes.
    pub span: Span,
}

/// A result written as text, and where its blocks lie in it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Serialized {
    /// The full text.
    pub text: ByteString,
    /// One span per block, in order; with the one-byte joiners they tile the text (SPEC L7).
    /// `None` when the content was not taken block by block.
    pub blocks: Option<Vec<BlockSpan>>,
    /// Images that have a ref but whose bytes are not held.
    pub losses: Vec<Loss>,
}

impl Serialized {
    /// Whether an inline image is among its blocks, so that a model is shown one.
    pub(crate) fn shows_image(&self) -> bool {
        self.blocks.iter().flatten().any(|block| block.kind == BlockKind::Image)
    }
}

/// Writes `content` as one text. Images are retained in block order, each before its placeholder
/// is written, so a result's refs ascend in it.
///
/// A text that is the only block is shared, not copied.
///
/// ```
/// use slotledger::content::{Block, Call, Content, Image};
/// use slotledger::copy::serialize;
/// use slotledger::image::{Ledger, Limits, RefIds, Registry};
///
/// let mut ledger = Ledger::new("abc123".parse()?, Limits::default());
/// let mut registry = Registry::new(RefIds::process());
/// let content = Content::Blocks(vec![
///     Block::Text("hi".into()),
///     Block::Image(Image::new("iVBORw0KGgo=", "image/png")),
/// ]);
/// let written = serialize(&content, &Call::new("c1", "snap"), &mut ledger, &mut registry);
/// assert_eq!(written.text, "hi\n[image: image/png, 9B, ref img_abc123_1]");
/// # Ok::<(), slotledger::image::NonceError>(())
/// ```
pub fn serialize(
    content: &Content,
    call: &Call,
    ledger: &mut Ledger,
    registry: &mut Registry,
) -> Serialized {
    let mut writer = Writer { call, ledger, registry, text: String::new(), issued: Vec::new() };
    let (text, blocks) = match content {
        Content::Text(text) => (text.clone(), None),
        Content::GivenUp { text, before } => {
            for (at, block) in before.iter().enumerate() {
                if let Block::Image(image) = block {
                    writer.retain(at, image);
                }
            }
            (text.clone(), None)
        }
        Content::Blocks(blocks) => {
            if let [Block::Text(text)] = blocks.as_slice() {
                let whole = BlockSpan { kind: BlockKind::Text, span: Span::new(0, text.len()) };
                (text.clone(), Some(vec![whole]))
            } else {
                let spans = writer.blocks(blocks);
                (std::mem::take(&mut writer.text).into(), Some(spans))
            }
        }
    };
    let Writer { ledger, issued, .. } = writer;
    let not_held = issued
        .into_iter()
        .filter(|&(_, image)| !matches!(ledger.lookup(image), Lookup::Retained(_)));
    let losses = not_held.map(|(block, image)| Loss::NotHeld { block, image }).collect();
    Serialized { text, blocks, losses }
}

struct Writer<'w> {
    call: &'w Call,
    ledger: &'w mut Ledger,
    registry: &'w mut Registry,
    text: String,
    issued: Vec<(usize, ImageRef)>,
}

impl Writer<'_> {
    fn blocks(&mut self, blocks: &[Block]) -> Vec<BlockSpan> {
        const GUESSED_LINE: usize = 96;
        let texts = blocks
            .iter()
            .map(|block| if let Block::Text(text) = block { text.len() + 1 } else { GUESSED_LINE });
        self.text.reserve(texts.sum());
        let mut spans = Vec::with_capacity(blocks.len());
        for (at, block) in blocks.iter().enumerate() {
            if at > 0 {
                self.text.push('\n');
            }
            let start = self.text.len();
            let kind = self.block(at, block);
            spans.push(BlockSpan { kind, span: Span::new(start, self.text.len()) });
        }
        spans
    }

    fn block(&mut self, at: usize, block: &Block) -> BlockKind {
        match block {
            Block::Text(text) => self.text.push_str(text),
            Block::Image(image) => {
                let issued = self.retain(at, image);
                let encoded_len = image.payload_len_utf16();
                write_placeholder(&mut self.text, &image.media_type(), encoded_len, Some(issued));
                return BlockKind::Image;
            }
            Block::Reference(reference) => {
                let id = self.registry.register(reference, self.call);
                self.registry.write_stub(&mut self.text, &id);
                return BlockKind::Reference;
            }
            Block::Described(described) => self.text.push_str(&notice::described(
                described.kind,
                described.media_type.as_str(),
                &encoded_size_label(described.encoded_len),
            )),
            Block::Withheld => self.text.push_str(notice::WITHHELD),
            Block::Unrecognized { reason } => self.text.push_str(&notice::unrecognized(reason)),
            Block::UnusableReference { reason } => {
                self.text.push_str(&notice::unrecognized(reason));
                return BlockKind::Reference;
            }
        }
        BlockKind::Text
    }

    fn retain(&mut self, at: usize, image: &Image) -> ImageRef {
        let issued = self.ledger.retain(self.call, at, image);
        self.issued.push((at, issued));
        issued
    }
}
