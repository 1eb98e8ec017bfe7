//! Data as it is: an array is a content array, any other JSON value stands for itself.

use bytes::Bytes;

use super::mcp;
use crate::content::error::ParseError;
use crate::content::json::Source;
use crate::content::result::ToolResult;

/// Reads a value as data, whatever it looks like: an object is never a `CallToolResult` here.
///
/// ```
/// use slotledger::content::{Content, wire::data};
/// let result = data::read(&br#"{ "content": [], "n": 1.0 }"#.as_slice().into())?;
/// assert_eq!(result.content, Content::Text(r#"{"content":[],"n":1.0}"#.into()));
/// # Ok::<(), slotledger::content::ParseError>(())
/// ```
///
/// # Errors
///
/// When `bytes` are no JSON.
pub fn read(bytes: &Bytes) -> Result<ToolResult, ParseError> {
    Source::new(bytes)?.read::<mcp::Data>()
}
