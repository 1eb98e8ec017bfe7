//! The operations on a conversation: its messages, its batch, and its images.

use bytestring::ByteString;
use serde_json::value::RawValue;
use serde_json::{Map, Value};
use slotledger::Session;
use slotledger::content::{Attachment, Content, Image, Message, Part, wire};
use slotledger::history::SaveRequest;

use super::answer::{Answer, Refusal};
use super::fields::{self, whole_number};
use super::request::{Members, Request};
use crate::image_json::{ImageJson, SavedJson};
use crate::record_json::Refused;

/// `message`: adds a message at the end of the history.
pub(super) fn message<'l>(
    request: &Request<'l>,
    session: &mut Session,
) -> Result<Answer<'l>, Refusal> {
    let role = request.string("role")?;
    let content = request.required("content")?;
    let parts = if let Some(text) = fields::string(content) {
        vec![Part::Text(request.share_text(text))]
    } else {
        let blocks: Result<Vec<&RawValue>, _> = serde_json::from_str(content);
        let blocks = blocks
            .map_err(|_| Refusal::bad_field("content", "a string or an array of blocks"))?
            .into_iter();
        let parts: Result<Vec<Vec<Part>>, Refusal> =
            blocks.enumerate().map(|(at, block)| parts(request, at, block.get())).collect();
        parts?.into_iter().flatten().collect()
    };
    Ok(Answer::Message { index: session.push(&Message::new(&*role, parts)) })
}

/// `commit`: closes the batch.
pub(super) fn commit<'l>(session: &mut Session) -> Answer<'l> {
    Answer::Commit { results: session.commit() }
}

/// `inventory`: the images, the newest first.
pub(super) fn inventory<'l>(
    request: &Request<'l>,
    session: &Session,
) -> Result<Answer<'l>, Refusal> {
    let limit = match request.given("limit") {
        None => usize::MAX,
        Some(json) => whole_number(json)
            .ok_or_else(|| Refusal::bad_field("limit", "a whole number from 0, or null"))?,
    };
    let images = session.inventory().take(limit);
    let images = images.map(|image| ImageJson::new(&image, session.ledger())).collect();
    Ok(Answer::Images { images })
}

/// `save`: the images that are meant, or why they cannot be had.
pub(super) fn save<'l>(request: &Request<'l>, session: &Session) -> Result<Answer<'l>, Refusal> {
    let mut arguments = Map::new();
    arguments.insert("path".to_owned(), Value::String(request.string("path")?.into_owned()));
    for name in ["index", "count", "ref"] {
        if let Some(json) = request.given(name) {
            arguments.insert(name.to_owned(), argument(json));
        }
    }
    let selection =
        SaveRequest::parse(&Value::Object(arguments)).and_then(|request| session.select(&request));
    Ok(match selection {
        Ok(selection) => {
            let saved = selection.images.into_iter().map(SavedJson).collect();
            Answer::Saved { saved, note: selection.note }
        }
        Err(error) => {
            let refused = Refused { reason: error.reason(), message: error.notice() };
            Answer::Refused { refused }
        }
    })
}

/// An argument as a value. What no value holds, such as a nesting too deep, is `false`: no
/// argument either.
fn argument(json: &str) -> Value {
    if let Some(text) = fields::string(json) {
        return Value::String(text.into_owned());
    }
    match whole_number(json) {
        Some(number) => Value::from(number),
        None => serde_json::from_str(json).unwrap_or(Value::Bool(false)),
    }
}

/// The parts that a block is.
fn parts<'l>(request: &Request<'l>, at: usize, json: &'l str) -> Result<Vec<Part>, Refusal> {
    let Some(block) = Members::split(json).map(|members| Block { request, at, members }) else {
        return Ok(vec![Part::Other]);
    };
    let Some(kind) = block.string("type") else { return Ok(vec![Part::Other]) };
    let part = match kind.as_ref() {
        "text" => Part::Text(block.required("text")?),
        "image" if block.has("data") || !block.has("source") => block.image(),
        "tool_result" if block.has("toolCallId") || !block.has("tool_use_id") => block.result()?,
        "image" | "tool_result" | "tool_use" | "document" => {
            return Ok(as_anthropic_has_it(json));
        }
        _ => Part::Other,
    };
    Ok(vec![part])
}

/// The parts that a block of Anthropic's is: many hosts have nothing else at hand.
fn as_anthropic_has_it(json: &str) -> Vec<Part> {
    let messages = format!("[{{\"content\":[{json}]}}]").into_bytes();
    let messages = wire::anthropic::read(&messages.into()).unwrap_or_default();
    messages.into_iter().flat_map(|message| message.parts).collect()
}

/// One block of a message.
struct Block<'r, 'l> {
    request: &'r Request<'l>,
    /// Its place among the blocks.
    at: usize,
    members: Members<'l>,
}

impl Block<'_, '_> {
    fn has(&self, name: &str) -> bool {
        self.members.get(name).is_some()
    }

    /// The string `name`, shared with the line where it is most of it.
    fn string(&self, name: &str) -> Option<ByteString> {
        let text = fields::string(self.members.get(name)?.get())?;
        Some(self.request.share_text(text))
    }

    fn required(&self, name: &str) -> Result<ByteString, Refusal> {
        let field = format!("content[{}].{name}", self.at);
        match self.string(name) {
            Some(text) => Ok(text),
            None if self.has(name) => Err(Refusal::bad_field(&field, "a string")),
            None => Err(Refusal::missing(&field)),
        }
    }

    fn image(&self) -> Part {
        let mime_type = self.string("mimeType");
        Part::Attachment(match (self.string("data"), mime_type) {
            (Some(data), Some(mime_type)) => Attachment::Inline(Image::new(data, mime_type)),
            (Some(data), None) => Attachment::Inline(
                Image::from_data_url(data.clone()).unwrap_or_else(|| Image::new(data, "")),
            ),
            (None, mime_type) => Attachment::Elsewhere { mime_type },
        })
    }

    fn result(&self) -> Result<Part, Refusal> {
        let call_id = self.required("toolCallId")?;
        let tool = self.string("toolName");
        if tool.is_none() && self.members.get("toolName").is_some_and(|json| json.get() != "null") {
            return Err(Refusal::bad_field(&format!("content[{}].toolName", self.at), "a string"));
        }
        let content = match self.members.get("content").map(RawValue::get) {
            None | Some("null") => Content::Text(ByteString::new()),
            Some(json) => match fields::string(json) {
                Some(text) => Content::Text(self.request.share_text(text)),
                None => {
                    wire::mcp::read(&self.request.share(json))
                        .map_err(|error| Refusal::no_content(self.at, &error))?
                        .content
                }
            },
        };
        Ok(Part::Result { call_id, tool, content })
    }
}
