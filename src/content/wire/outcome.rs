//! The outcome of a call as agent frameworks keep it: `{data?, error?, isError?}`.

use bytes::Bytes;
use bytestring::ByteString;
use serde::de::{IgnoredAny, MapAccess};
use serde_json::value::RawValue;

use super::mcp;
use crate::content::error::ParseError;
use crate::content::json::{Document, Source, compact};
use crate::content::result::{Content, ToolResult};
use crate::content::shape::{FromMembers, Key, Shape, Skipped};

/// The text of an error that says nothing.
const UNKNOWN_ERROR: &str = "Unknown error";

/// Reads an outcome. With `isError` true it is its error text, even if data is present; else its
/// data; and without data its error text, or nothing (SPEC 9.7).
///
/// ```
/// use slotledger::content::{Content, wire::outcome};
/// let result = outcome::read(&br#"{"isError":true,"data":[]}"#.as_slice().into())?;
/// assert_eq!(result.content, Content::Text("Unknown error".into()));
/// assert!(result.is_error);
/// # Ok::<(), slotledger::content::ParseError>(())
/// ```
///
/// # Errors
///
/// When `bytes` are no JSON object.
pub fn read(bytes: &Bytes) -> Result<ToolResult, ParseError> {
    Source::new(bytes)?.read::<Outcome<'_>>()?
}

type Top<'a> = Shape<'a, Skipped, Outcome<'a>>;

#[derive(Debug, Default)]
struct Outcome<'a> {
    data: Option<&'a RawValue>,
    error: Option<&'a RawValue>,
    is_error: Option<Shape<'a>>,
}

impl<'de> FromMembers<'de> for Outcome<'de> {
    fn from_members<M: MapAccess<'de>>(mut members: M) -> Result<Self, M::Error> {
        let mut read = Self::default();
        while let Some(key) = members.next_key::<Key<'de>>()? {
            match key.0.as_ref() {
                "data" => read.data = Some(members.next_value()?),
                "error" => read.error = Some(members.next_value()?),
                "isError" => read.is_error = Some(members.next_value()?),
                _ => {
                    members.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(read)
    }
}

impl Document for Outcome<'_> {
    type Raw<'a> = Top<'a>;
    type Read = Result<ToolResult, ParseError>;

    fn read(top: Top<'_>, source: &Source) -> Self::Read {
        let Some(outcome) = top.object() else { return Err(ParseError::outcome()) };
        let is_error = matches!(outcome.is_error, Some(Shape::Bool(true)));
        let mut result = match not_null(outcome.data) {
            Some(data) if !is_error => source.part(data.get()).read::<mcp::Data>()?,
            Some(_) | None => {
                let silent = if is_error { UNKNOWN_ERROR } else { "" };
                let error = not_null(outcome.error).map(|raw| source.spelled(raw.get()));
                let (text, lone_surrogates) =
                    error.map_or((ByteString::from_static(silent), 0), error_text);
                let mut result = ToolResult::new(Content::Text(text));
                result.note_lone_surrogates(lone_surrogates);
                result
            }
        };
        result.is_error = is_error;
        result.note_lone_surrogates(source.lone_surrogates);
        Ok(result)
    }
}

/// An error text as it is, any other value as compact JSON; and its lone surrogates.
fn error_text(error: &str) -> (ByteString, usize) {
    let (json, lone_surrogates) = compact(error);
    let text = serde_json::from_str::<String>(&json).unwrap_or(json);
    (text.into(), lone_surrogates)
}

fn not_null(raw: Option<&RawValue>) -> Option<&RawValue> {
    raw.filter(|raw| raw.get() != "null")
}
