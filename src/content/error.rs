//! Input that is not what its format says.

use std::fmt;

/// Bytes that could not be read as a tool result.
///
/// ```
/// use slotledger::content::wire::mcp;
/// let error = mcp::read(&b"{\"content\": [}".as_slice().into()).unwrap_err();
/// assert_eq!(error.offset(), 13);
/// ```
#[derive(Debug)]
pub struct ParseError {
    offset: usize,
    expected: Expected,
}

#[derive(Debug)]
enum Expected {
    Utf8,
    Json(serde_json::Error),
    Outcome,
    Messages,
}

impl ParseError {
    /// Bytes that are no UTF-8 from `offset` on.
    pub(super) fn utf8(offset: usize) -> Self {
        Self { offset, expected: Expected::Utf8 }
    }

    /// `text` is no JSON, as `serde_json` says.
    pub(super) fn json(text: &str, error: serde_json::Error) -> Self {
        let line_start = match error.line() {
            0 | 1 => 0,
            line => memchr::memchr_iter(b'\n', text.as_bytes())
                .nth(line - 2)
                .map_or(text.len(), |newline| newline + 1),
        };
        // Columns count from 1; column 0 is the line break before the line.
        let offset = (line_start + error.column()).saturating_sub(1).min(text.len());
        Self { offset, expected: Expected::Json(error) }
    }

    /// The same in an input that has `skipped` bytes in front.
    pub(super) fn behind(self, skipped: usize) -> Self {
        Self { offset: self.offset + skipped, ..self }
    }

    /// An outcome that is no object.
    pub(super) fn outcome() -> Self {
        Self { offset: 0, expected: Expected::Outcome }
    }

    /// A history that is no list of messages.
    pub(super) fn messages() -> Self {
        Self { offset: 0, expected: Expected::Messages }
    }

    /// Where reading stopped, in bytes.
    pub fn offset(&self) -> usize {
        self.offset
    }
}

impl fmt::Display for ParseError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.expected {
            Expected::Utf8 => write!(f, "not UTF-8 at byte {}", self.offset),
            Expected::Json(error) => write!(f, "not JSON at byte {}: {error}", self.offset),
            Expected::Messages => f.write_str(
                "not a history: expected a list of messages, or an object with `messages`",
            ),
            Expected::Outcome => f.write_str("not an outcome: expected a JSON object"),
        }
    }
}

impl std::error::Error for ParseError {}
