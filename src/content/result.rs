//! A tool's whole answer, the call it answers, and what was lost on the way in.

use bytestring::ByteString;

use super::block::Block;
use crate::slot::ImageRef;

/// A tool's whole answer.
///
/// ```
/// use slotledger::content::{Block, Content, ToolResult};
/// let result = ToolResult::new(Content::Blocks(vec![Block::Text("hi".into())]));
/// assert!(!result.is_error);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ToolResult {
    /// What it says.
    pub content: Content,
    /// Whether the tool says that it failed.
    pub is_error: bool,
    /// Whether the host knows that it was cut before it came: its record then says that it is not
    /// complete.
    pub is_cut: bool,
    /// What was lost while it was read.
    pub losses: Vec<Loss>,
}

impl ToolResult {
    /// A result that is no error and lost nothing.
    pub fn new(content: Content) -> Self {
        Self { content, is_error: false, is_cut: false, losses: Vec::new() }
    }

    /// The same, cut before it came.
    #[must_use]
    pub fn cut_before(self) -> Self {
        Self { is_cut: true, ..self }
    }

    /// Adds lone surrogates to what was lost.
    pub(super) fn note_lone_surrogates(&mut self, more: usize) {
        if more == 0 {
            return;
        }
        for loss in &mut self.losses {
            if let Loss::LoneSurrogates { count } = loss {
                *count += more;
                return;
            }
        }
        self.losses.insert(0, Loss::LoneSurrogates { count: more });
    }
}

/// What a result says.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Content {
    /// A content array, block by block.
    Blocks(Vec<Block>),
    /// A text: a string, the compact JSON of a value, or an error text.
    Text(ByteString),
    /// A content array that could not be taken block by block.
    GivenUp {
        /// The compact JSON of the whole.
        text: ByteString,
        /// The blocks before the first that is none; their images are retained.
        before: Vec<Block>,
    },
}

/// The call that a result answers.
///
/// ```
/// use slotledger::content::{Call, Server};
/// let call = Call::new("c1", "snap");
/// assert_eq!(call.server, Server::OfTool);
/// assert_eq!(Call::new("c1", "").server, Server::Unknown);
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Call {
    /// Its id, as the provider gave it. Untrusted.
    pub id: ByteString,
    /// The tool it calls.
    pub tool: ByteString,
    /// The server that answers, which alone can fetch what the result refers to.
    pub server: Server,
}

impl Call {
    /// A call of `tool`, answered by the server that the tool belongs to.
    pub fn new(id: impl Into<ByteString>, tool: impl Into<ByteString>) -> Self {
        let tool = tool.into();
        let server = if tool.is_empty() { Server::Unknown } else { Server::OfTool };
        Self { id: id.into(), tool, server }
    }

    /// The same call, answered by `server`.
    #[must_use]
    pub fn with_server(self, server: Server) -> Self {
        Self { server, ..self }
    }
}

/// Which server a reference is bound to.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum Server {
    /// The one that the call's tool belongs to; the host knows it by the tool's name.
    OfTool,
    /// The one of this name.
    Named(ByteString),
    /// None is known: the reference cannot be fetched.
    Unknown,
}

/// What did not come through whole. `block` counts the content's blocks from 0.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Loss {
    /// Lone surrogate escapes were read as U+FFFD.
    LoneSurrogates {
        /// How many.
        count: usize,
    },
    /// A block contradicted itself; its bytes were not taken.
    Withheld {
        /// The block.
        block: usize,
    },
    /// A block was not recognized; a line stands for it.
    Unrecognized {
        /// The block.
        block: usize,
        /// What was not recognized.
        reason: ByteString,
    },
    /// A block is none, so the whole content became JSON.
    GaveUp {
        /// The block.
        block: usize,
    },
    /// Bytes that are told by type and size only.
    Described {
        /// The block.
        block: usize,
        /// Their normalized media type.
        media_type: ByteString,
        /// The length of their base64 text, in UTF-16 units.
        encoded_len: usize,
    },
    /// An optional field of a reference was not usable.
    DroppedField {
        /// The block.
        block: usize,
        /// The field.
        field: &'static str,
    },
    /// The archive could not be written, so images from here on do not outlive the process.
    NotArchived,
    /// The full text could not be kept as a record.
    NotRecorded {
        /// Why, in the few words of the notice.
        reason: ByteString,
        /// All that is known of it, for people.
        cause: ByteString,
    },
    /// An image has a ref, but its bytes are not held: it is over the ledger's limits, or one of
    /// too many.
    NotHeld {
        /// The block.
        block: usize,
        /// Its ref.
        image: ImageRef,
    },
}
