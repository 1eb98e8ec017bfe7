//! Messages of a conversation, as far as images and results go.

use bytestring::ByteString;

use super::block::Image;
use super::result::Content;

/// One message of a conversation.
///
/// ```
/// use slotledger::content::{Message, Part};
/// let message = Message::new("user", vec![Part::Text("hello".into())]);
/// assert_eq!(message.parts.len(), 1);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Message {
    /// Who speaks, as the provider spells it.
    pub role: ByteString,
    /// What it holds, in order.
    pub parts: Vec<Part>,
}

impl Message {
    /// A message of `role`.
    pub fn new(role: impl Into<ByteString>, parts: Vec<Part>) -> Self {
        Self { role: role.into(), parts }
    }
}

/// One part of a message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Part {
    /// A text. Placeholders in it are words of a person or a model, no slots.
    Text(ByteString),
    /// An image attached to the message.
    Attachment(Attachment),
    /// A call of a tool.
    Call {
        /// Its id.
        id: ByteString,
        /// The tool.
        tool: ByteString,
    },
    /// The result of a call.
    Result {
        /// The id of the call it answers.
        call_id: ByteString,
        /// The tool, if the history names it here; else the call does.
        tool: Option<ByteString>,
        /// What it says: a text that was stored, or blocks as they were sent.
        content: Content,
    },
    /// Anything else, which holds no image of ours.
    Other,
}

/// An image attached to a message.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Attachment {
    /// Its bytes are here.
    Inline(Image),
    /// Its bytes are elsewhere: behind a URL, or a file id of the provider.
    Elsewhere {
        /// Its media type, if it is named.
        mime_type: Option<ByteString>,
    },
}
