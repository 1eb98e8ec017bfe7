//! MCP: a `CallToolResult` of any revision, a bare content array, or any JSON value.

use bytes::Bytes;
use bytestring::ByteString;
use serde::de::{IgnoredAny, MapAccess};
use serde_json::value::RawValue;

use super::array::{self, Element, Taken};
use super::structured;
use crate::content::block::Block;
use crate::content::error::ParseError;
use crate::content::json::{Document, Source, compact};
use crate::content::result::{Content, Loss, ToolResult};
use crate::content::shape::{FromMembers, Key, Shape};

/// Reads a tool result: a `CallToolResult` object, a content array, or any other JSON value.
///
/// An object is a `CallToolResult` if its `content` is an array; or if it has no `content` and
/// a `structuredContent`, a boolean `isError`, or `resultType` `complete` (SPEC 9.2). Payloads
/// are shared with `bytes`; nothing is decoded.
///
/// ```
/// use slotledger::content::{Content, wire::mcp};
/// let result = mcp::read(&br#"{"content":[{"type":"text","text":"hi"}]}"#.as_slice().into())?;
/// assert!(matches!(result.content, Content::Blocks(blocks) if blocks.len() == 1));
/// # Ok::<(), slotledger::content::ParseError>(())
/// ```
///
/// # Errors
///
/// When `bytes` are no JSON. Any JSON value is a result.
pub fn read(bytes: &Bytes) -> Result<ToolResult, ParseError> {
    Source::new(bytes)?.read::<Mcp>()
}

/// A document whose objects can be results.
struct Mcp;

impl Document for Mcp {
    type Raw<'a> = Top<'a>;
    type Read = ToolResult;

    fn read(top: Top<'_>, source: &Source) -> ToolResult {
        if let Shape::Object(object) = top { object.read(source) } else { Data::read(top, source) }
    }
}

/// A document whose arrays are content, and nothing else is.
pub(super) struct Data;

impl Document for Data {
    type Raw<'a> = Top<'a>;
    type Read = ToolResult;

    fn read(top: Top<'_>, source: &Source) -> ToolResult {
        let mut reader = Reader::new(source);
        let content = match top {
            Shape::Array(elements) => reader.content(elements, None, || Some(source.text())),
            Shape::String(text) => Content::Text(source.share(text)),
            Shape::Null | Shape::Bool(_) | Shape::Number | Shape::Object(_) => {
                Content::Text(reader.compact(source.text()))
            }
        };
        reader.result(content, false)
    }
}

/// The whole document.
pub(super) type Top<'a> = Shape<'a, Vec<Element<'a>>, CallToolResult<'a>>;

/// The members of a `CallToolResult` that we read.
#[derive(Debug, Default)]
pub(super) struct CallToolResult<'a> {
    content: Option<Shape<'a, Vec<Element<'a>>>>,
    structured: Option<&'a RawValue>,
    is_error: Option<Shape<'a>>,
    result_type: Option<Shape<'a>>,
}

impl<'de> FromMembers<'de> for CallToolResult<'de> {
    fn from_members<M: MapAccess<'de>>(mut members: M) -> Result<Self, M::Error> {
        let mut read = Self::default();
        while let Some(key) = members.next_key::<Key<'de>>()? {
            match key.0.as_ref() {
                "content" => read.content = Some(members.next_value()?),
                "structuredContent" => {
                    let raw = members.next_value::<&RawValue>()?;
                    read.structured = (raw.get() != "null").then_some(raw);
                }
                "isError" => read.is_error = Some(members.next_value()?),
                "resultType" => read.result_type = Some(members.next_value()?),
                _ => {
                    members.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(read)
    }
}

impl<'a> CallToolResult<'a> {
    /// Its content array, empty if it has none; `None` when the object is no result at all.
    fn take_content(&mut self) -> Option<Vec<Element<'a>>> {
        match self.content.take() {
            Some(Shape::Array(elements)) => Some(elements),
            None | Some(Shape::Null) => {
                let is_result = self.structured.is_some()
                    || matches!(self.is_error, Some(Shape::Bool(_)))
                    || self.result_type.as_ref().and_then(Shape::as_str) == Some("complete");
                is_result.then(Vec::new)
            }
            Some(_) => None,
        }
    }

    fn read(mut self, source: &Source) -> ToolResult {
        let mut reader = Reader::new(source);
        let Some(elements) = self.take_content() else {
            let content = Content::Text(reader.compact(source.text()));
            return reader.result(content, false);
        };
        let is_error = matches!(self.is_error, Some(Shape::Bool(true)));
        let content = reader.content(elements, self.structured, || source.member("content"));
        reader.result(content, is_error)
    }
}

struct Reader<'s> {
    source: &'s Source,
    losses: Vec<Loss>,
    lone_surrogates: usize,
}

impl<'s> Reader<'s> {
    fn new(source: &'s Source) -> Self {
        Self { source, losses: Vec::new(), lone_surrogates: source.lone_surrogates }
    }

    fn result(self, content: Content, is_error: bool) -> ToolResult {
        let mut result = ToolResult { is_error, losses: self.losses, ..ToolResult::new(content) };
        result.note_lone_surrogates(self.lone_surrogates);
        result
    }

    /// The content of an array, with the structured value behind it where it says more.
    fn content(
        &mut self,
        elements: Vec<Element<'_>>,
        structured: Option<&RawValue>,
        array: impl Fn() -> Option<&'s str>,
    ) -> Content {
        let Taken { mut blocks, gave_up_at, texts } =
            array::blocks(elements, self.source, &mut self.losses);
        let structured = structured
            .and_then(|raw| structured::unless_said(self.source.spelled(raw.get()), &texts))
            .map(|(text, lone_surrogates)| {
                self.lone_surrogates += lone_surrogates;
                text
            });
        if gave_up_at.is_none() {
            blocks.extend(structured.map(|text| Block::Text(text.into())));
            return Content::Blocks(blocks);
        }
        let mut text = self.compact(array().unwrap_or_default());
        if let Some(structured) = structured {
            text = format!("{text}\n{structured}").into();
        }
        Content::GivenUp { text, before: blocks }
    }

    fn compact(&mut self, json: &str) -> ByteString {
        let (text, lone_surrogates) = compact(self.source.spelled(json));
        self.lone_surrogates += lone_surrogates;
        text.into()
    }
}
