//! What tools answer: blocks, whole results, and the formats they come in.

mod block;
mod error;
mod message;
mod result;

mod canonical;
mod json;
mod number;
mod shape;

mod definition;

pub mod wire;

pub use block::{Block, Described, Image, MAX_URI_UTF16, Reference};
pub use definition::ToolFormat;
pub use error::ParseError;
pub use json::replace_lone_surrogates;
pub use message::{Attachment, Message, Part};
pub use result::{Call, Content, Loss, Server, ToolResult};

pub(crate) use definition::{definition, is_tool};
pub(crate) use number::whole_number;
