//! Anthropic Messages: a list of messages, or a request that holds one.

use std::borrow::Cow;

use bytes::Bytes;
use bytestring::ByteString;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess};

use super::image_type::image_type_of;
use crate::content::block::{Block, Described, Image, Reference};
use crate::content::error::ParseError;
use crate::content::json::{Document, Source};
use crate::content::message::{Attachment, Message, Part};
use crate::content::result::Content;
use crate::content::shape::{FromItems, FromMembers, Key, Shape, Skipped};
use crate::slot::MediaType;

/// Reads a list of messages, or an object whose `messages` is one.
///
/// Images are found at any depth: attached to a message, in a result, in a document of a result.
/// An element that is no message is an empty one, so that positions stay.
///
/// ```
/// use slotledger::content::{Part, wire::anthropic};
/// let history = br#"[{"role":"user","content":[{"type":"image","source":
///     {"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}]}]"#;
/// let messages = anthropic::read(&history.as_slice().into())?;
/// assert!(matches!(messages[0].parts[0], Part::Attachment(_)));
/// # Ok::<(), slotledger::content::ParseError>(())
/// ```
///
/// # Errors
///
/// When `bytes` are no JSON, or neither a list nor an object with `messages`.
pub fn read(bytes: &Bytes) -> Result<Vec<Message>, ParseError> {
    Source::new(bytes)?.read::<Request<'_>>()?
}

impl Document for Request<'_> {
    type Raw<'a> = Shape<'a, Vec<RawMessage<'a>>, Request<'a>>;
    type Read = Result<Vec<Message>, ParseError>;

    fn read(raw: Self::Raw<'_>, source: &Source) -> Self::Read {
        let messages = match raw {
            Shape::Array(messages) => Some(messages),
            Shape::Object(Request(messages)) => messages,
            Shape::Null | Shape::Bool(_) | Shape::Number | Shape::String(_) => None,
        };
        let messages = messages.ok_or_else(ParseError::messages)?;
        Ok(messages.into_iter().map(|message| message.read(source)).collect())
    }
}

/// A request body.
struct Request<'a>(Option<Vec<RawMessage<'a>>>);

impl<'de> FromMembers<'de> for Request<'de> {
    fn from_members<M: MapAccess<'de>>(mut members: M) -> Result<Self, M::Error> {
        let mut messages = None;
        while let Some(key) = members.next_key::<Key<'de>>()? {
            if key.0 == "messages" {
                if let Shape::Array(read) = members.next_value::<Shape<'de, Vec<_>>>()? {
                    messages = Some(read);
                }
            } else {
                members.next_value::<IgnoredAny>()?;
            }
        }
        Ok(Self(messages))
    }
}

/// A message as it arrives; of an element that is none, nothing.
#[derive(Debug, Default)]
pub(super) struct RawMessage<'a> {
    pub(super) id: Option<Cow<'a, str>>,
    role: Option<Cow<'a, str>>,
    content: Option<Shape<'a, InMessage<'a>>>,
}

/// The blocks of a message, of a result in it, and of a document in that. What lies deeper holds
/// nothing that is sent.
pub(super) type InMessage<'a> = Vec<RawBlock<'a, InResult<'a>>>;
pub(super) type InResult<'a> = Vec<RawBlock<'a, InDocument<'a>>>;
pub(super) type InDocument<'a> = Vec<RawBlock<'a, Skipped>>;

impl<'de: 'a, 'a> Deserialize<'de> for RawMessage<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let shape = <Shape<'de, Skipped, RawMessage<'de>>>::deserialize(deserializer)?;
        Ok(shape.object().unwrap_or_default())
    }
}

impl<'de> FromMembers<'de> for RawMessage<'de> {
    fn from_members<M: MapAccess<'de>>(mut members: M) -> Result<Self, M::Error> {
        let mut read = Self::default();
        while let Some(key) = members.next_key::<Key<'de>>()? {
            match key.0.as_ref() {
                "id" => read.id = members.next_value::<Shape<'de>>()?.string(),
                "role" => read.role = members.next_value::<Shape<'de>>()?.string(),
                "content" => read.content = Some(members.next_value()?),
                _ => {
                    members.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(read)
    }
}

impl<'a> RawMessage<'a> {
    /// The message of a user that says `content`.
    pub(super) fn of_user(content: Shape<'a, InMessage<'a>>) -> Self {
        Self { id: None, role: Some(Cow::Borrowed("user")), content: Some(content) }
    }
}

impl RawMessage<'_> {
    pub(super) fn read(self, source: &Source) -> Message {
        let role = self.role.map(|role| source.keep(role)).unwrap_or_default();
        let parts = match self.content {
            Some(Shape::String(text)) => vec![Part::Text(source.keep(text))],
            Some(Shape::Array(blocks)) => {
                blocks.into_iter().flat_map(|block| parts(block, source)).collect()
            }
            Some(_) | None => Vec::new(),
        };
        Message::new(role, parts)
    }
}

/// A block as it arrives; `C` is what its own content is read as.
#[derive(Debug)]
pub(super) struct RawBlock<'a, C> {
    fields: Option<Fields<'a, C>>,
}

#[derive(Debug)]
struct Fields<'a, C> {
    kind: Cow<'a, str>,
    text: Option<Shape<'a>>,
    id: Option<Shape<'a>>,
    name: Option<Shape<'a>>,
    tool_use_id: Option<Shape<'a>>,
    tool_name: Option<Shape<'a>>,
    title: Option<Shape<'a>>,
    content: Option<Shape<'a, C>>,
    source: Option<Shape<'a, Skipped, RawSource<'a, C>>>,
}

/// Where the bytes of an image or a document are.
#[derive(Debug)]
struct RawSource<'a, C> {
    kind: Option<Shape<'a>>,
    media_type: Option<Shape<'a>>,
    data: Option<Shape<'a>>,
    url: Option<Shape<'a>>,
    file_id: Option<Shape<'a>>,
    content: Option<Shape<'a, C>>,
}

impl<'de: 'a, 'a, C: FromItems<'de>> Deserialize<'de> for RawBlock<'a, C> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let shape = <Shape<'de, Skipped, RawBlock<'de, C>>>::deserialize(deserializer)?;
        Ok(shape.object().unwrap_or(Self { fields: None }))
    }
}

impl<'de, C: FromItems<'de>> FromMembers<'de> for RawBlock<'de, C> {
    fn from_members<M: MapAccess<'de>>(mut members: M) -> Result<Self, M::Error> {
        let mut kind = None;
        let (mut text, mut id, mut name) = (None, None, None);
        let (mut tool_use_id, mut tool_name, mut title) = (None, None, None);
        let (mut content, mut source) = (None, None);
        while let Some(key) = members.next_key::<Key<'de>>()? {
            let field = match key.0.as_ref() {
                "type" => &mut kind,
                "text" => &mut text,
                "id" => &mut id,
                "name" => &mut name,
                "tool_use_id" => &mut tool_use_id,
                "tool_name" => &mut tool_name,
                "title" => &mut title,
                "content" => {
                    content = Some(members.next_value()?);
                    continue;
                }
                "source" => {
                    source = Some(members.next_value()?);
                    continue;
                }
                _ => {
                    members.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            *field = Some(members.next_value::<Shape<'de>>()?);
        }
        let fields = kind.and_then(Shape::string).map(|kind| Fields {
            kind,
            text,
            id,
            name,
            tool_use_id,
            tool_name,
            title,
            content,
            source,
        });
        Ok(Self { fields })
    }
}

impl<'de, C: FromItems<'de>> FromMembers<'de> for RawSource<'de, C> {
    fn from_members<M: MapAccess<'de>>(mut members: M) -> Result<Self, M::Error> {
        let (mut kind, mut media_type, mut data) = (None, None, None);
        let (mut url, mut file_id, mut content) = (None, None, None);
        while let Some(key) = members.next_key::<Key<'de>>()? {
            let field = match key.0.as_ref() {
                "type" => &mut kind,
                "media_type" => &mut media_type,
                "data" => &mut data,
                "url" => &mut url,
                "file_id" => &mut file_id,
                "content" => {
                    content = Some(members.next_value()?);
                    continue;
                }
                _ => {
                    members.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            *field = Some(members.next_value::<Shape<'de>>()?);
        }
        Ok(Self { kind, media_type, data, url, file_id, content })
    }
}

/// The parts of a message that a block is: one, or the images of a document of blocks.
fn parts(block: RawBlock<'_, InResult<'_>>, source: &Source) -> Vec<Part> {
    let Some(fields) = block.fields else { return vec![Part::Other] };
    let part = match fields.kind.as_ref() {
        "document" => {
            let blocks = fields.source.and_then(Shape::object).and_then(|raw| raw.content);
            let Some(Shape::Array(blocks)) = blocks else { return vec![Part::Other] };
            return blocks.read(source).into_iter().filter_map(attached).collect();
        }
        "text" => match fields.text.and_then(Shape::string) {
            Some(text) => Part::Text(source.keep(text)),
            None => Part::Other,
        },
        "image" => match fields.source.and_then(Shape::object).map(|raw| raw.bytes(source)) {
            Some(Where::Here(image)) => Part::Attachment(Attachment::Inline(image)),
            Some(Where::Elsewhere { mime_type, .. }) => {
                Part::Attachment(Attachment::Elsewhere { mime_type })
            }
            Some(Where::Text(_) | Where::Nowhere) | None => {
                Part::Attachment(Attachment::Elsewhere { mime_type: None })
            }
        },
        "tool_use" => match (string(fields.id, source), string(fields.name, source)) {
            (Some(id), Some(tool)) => Part::Call { id, tool },
            _ => Part::Other,
        },
        "tool_result" => match string(fields.tool_use_id, source) {
            Some(call_id) => {
                let content = match fields.content {
                    Some(Shape::String(text)) => Content::Text(source.keep(text)),
                    Some(Shape::Array(blocks)) => Content::Blocks(
                        blocks.into_iter().flat_map(|block| block.read(source)).collect(),
                    ),
                    Some(_) | None => Content::Text(ByteString::new()),
                };
                Part::Result { call_id, tool: None, content }
            }
            None => Part::Other,
        },
        _ => Part::Other,
    };
    vec![part]
}

/// The attachment that a block of an attached document is, if it is an image.
fn attached(block: Block) -> Option<Part> {
    let attachment = match block {
        Block::Image(image) => Attachment::Inline(image),
        Block::Reference(Reference { mime_type, .. })
            if mime_type
                .as_deref()
                .is_some_and(|claim| MediaType::from_testimony(claim).is_image()) =>
        {
            Attachment::Elsewhere { mime_type }
        }
        Block::Reference(_)
        | Block::Text(_)
        | Block::Described(_)
        | Block::Withheld
        | Block::Unrecognized { .. }
        | Block::UnusableReference { .. } => return None,
    };
    Some(Part::Attachment(attachment))
}

fn string(value: Option<Shape<'_>>, source: &Source) -> Option<ByteString> {
    value.and_then(Shape::string).map(|text| source.keep(text))
}

/// What can be read as blocks.
pub(super) trait ReadBlocks {
    fn read(self, source: &Source) -> Vec<Block>;
}

impl ReadBlocks for Skipped {
    fn read(self, _: &Source) -> Vec<Block> {
        Vec::new()
    }
}

impl<C: ReadBlocks> ReadBlocks for Vec<RawBlock<'_, C>> {
    fn read(self, source: &Source) -> Vec<Block> {
        self.into_iter().flat_map(|block| block.read(source)).collect()
    }
}

impl<C: ReadBlocks> RawBlock<'_, C> {
    /// The blocks that a block of a result stands for: one, or those of a document of blocks.
    fn read(self, source: &Source) -> Vec<Block> {
        let Some(fields) = self.fields else {
            return vec![Block::unrecognized("no block")];
        };
        let kind = fields.kind;
        let block = match kind.as_ref() {
            "text" => string(fields.text, source).map(Block::Text),
            "image" => match fields.source.and_then(Shape::object).map(|raw| raw.bytes(source)) {
                Some(Where::Here(image)) => Some(Block::Image(image)),
                Some(Where::Elsewhere { uri, mime_type }) => Some(image_elsewhere(uri, mime_type)),
                Some(Where::Text(_) | Where::Nowhere) | None => None,
            },
            "document" => match fields.source.and_then(Shape::object) {
                Some(RawSource { content: Some(Shape::Array(blocks)), .. }) => {
                    return blocks.read(source);
                }
                Some(raw) => match raw.bytes(source) {
                    Where::Here(document) => Some(Block::Described(Described {
                        kind: "document",
                        media_type: document.media_type(),
                        encoded_len: document.payload_len_utf16(),
                    })),
                    Where::Text(text) => Some(Block::Text(text)),
                    Where::Elsewhere { uri, mime_type } => Reference::new(uri)
                        .map(|reference| Block::Reference(Reference { mime_type, ..reference })),
                    Where::Nowhere => None,
                },
                None => None,
            },
            "search_result" => {
                let title = string(fields.title, source);
                let named = fields.source.and_then(Shape::string).map(|text| source.keep(text));
                let texts = match fields.content {
                    Some(Shape::Array(blocks)) => blocks.read(source),
                    Some(_) | None => Vec::new(),
                };
                let texts = texts.into_iter().filter_map(|block| {
                    if let Block::Text(text) = block { Some(text) } else { None }
                });
                let lines: Vec<ByteString> = title.into_iter().chain(named).chain(texts).collect();
                Some(Block::Text(lines.join("\n").into()))
            }
            "tool_reference" => string(fields.tool_name, source).map(|tool| Block::tool(&tool)),
            _ => None,
        };
        vec![block.unwrap_or_else(|| Block::unrecognized_type(&kind))]
    }
}

fn image_elsewhere(uri: ByteString, mime_type: Option<ByteString>) -> Block {
    let guessed = image_type_of(&uri);
    match Reference::new(uri) {
        Some(reference) => Block::Reference(Reference {
            mime_type: mime_type.or_else(|| Some(guessed.into())),
            ..reference
        }),
        None => Block::UnusableReference { reason: "reference without string uri".into() },
    }
}

/// Where bytes are.
enum Where {
    Here(Image),
    Text(ByteString),
    Elsewhere { uri: ByteString, mime_type: Option<ByteString> },
    Nowhere,
}

impl<C> RawSource<'_, C> {
    fn bytes(self, source: &Source) -> Where {
        let mime_type = string(self.media_type, source);
        let kind = self.kind.as_ref().and_then(Shape::as_str).unwrap_or_default();
        match (kind, self.data.and_then(Shape::string)) {
            ("text", Some(text)) => Where::Text(source.keep(text)),
            // A stored image may lack its type, and even the word that it is base64.
            ("base64" | "", Some(data)) => {
                let data = source.keep(data);
                Where::Here(match mime_type {
                    Some(mime_type) => Image::new(data, mime_type.as_ref()),
                    None => {
                        Image::from_data_url(data.clone()).unwrap_or_else(|| Image::new(data, ""))
                    }
                })
            }
            _ => match string(self.url, source).or_else(|| string(self.file_id, source)) {
                Some(uri) => Where::Elsewhere { uri, mime_type },
                None => Where::Nowhere,
            },
        }
    }
}
