//! A content array: its elements as they arrive, and as blocks.

use std::borrow::Cow;

use bytestring::ByteString;
use serde::de::{Deserialize, Deserializer, IgnoredAny, MapAccess};
use serde_json::value::RawValue;

use super::image_type::image_type_of;
use crate::content::block::{Block, Described, Image, MAX_URI_UTF16, Reference};
use crate::content::json::Source;
use crate::content::number::whole_number;
use crate::content::result::Loss;
use crate::content::shape::{FromMembers, Key, Shape, Skipped};

/// One element of a content array: the fields we know, or nothing if it is no block.
#[derive(Debug)]
pub(super) struct Element<'a>(Option<Fields<'a>>);

#[derive(Debug)]
struct Fields<'a> {
    kind: Cow<'a, str>,
    text: Option<Shape<'a>>,
    data: Option<Shape<'a>>,
    resource: Option<Resource<'a>>,
    claims: Claims<'a>,
}

/// What a block says about bytes.
#[derive(Debug, Default)]
struct Claims<'a> {
    uri: Option<Shape<'a>>,
    name: Option<Shape<'a>>,
    mime_type: Option<Shape<'a>>,
    size: Option<&'a RawValue>,
    digest: Option<Shape<'a>>,
    expires_at: Option<Shape<'a>>,
    disposition: Option<Shape<'a>>,
}

/// The inner object of an embedded resource.
#[derive(Debug, Default)]
struct Resource<'a> {
    text: Option<Shape<'a>>,
    blob: Option<Shape<'a>>,
    mime_type: Option<Shape<'a>>,
}

impl<'de: 'a, 'a> Deserialize<'de> for Element<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let shape = Shape::<'de, Skipped, Members<'de>>::deserialize(deserializer)?;
        Ok(Self(shape.object().and_then(|members| members.0)))
    }
}

/// The members of an object, if they make a block.
struct Members<'a>(Option<Fields<'a>>);

impl<'de> FromMembers<'de> for Members<'de> {
    fn from_members<M: MapAccess<'de>>(mut members: M) -> Result<Self, M::Error> {
        let (mut kind, mut text, mut data) = (None, None, None);
        let mut resource = None;
        let mut claims = Claims::default();
        while let Some(key) = members.next_key::<Key<'de>>()? {
            let field = match key.0.as_ref() {
                "type" => &mut kind,
                "text" => &mut text,
                "data" => &mut data,
                "uri" => &mut claims.uri,
                "name" => &mut claims.name,
                "mimeType" => &mut claims.mime_type,
                "digest" => &mut claims.digest,
                "expiresAt" => &mut claims.expires_at,
                "disposition" => &mut claims.disposition,
                "size" => {
                    claims.size = Some(members.next_value()?);
                    continue;
                }
                "resource" => {
                    resource = members.next_value::<Shape<'de, Skipped, Resource<'de>>>()?.object();
                    continue;
                }
                _ => {
                    members.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            *field = Some(members.next_value::<Shape<'de>>()?);
        }
        let kind = kind.and_then(Shape::string);
        Ok(Self(kind.map(|kind| Fields { kind, text, data, resource, claims })))
    }
}

impl<'de> FromMembers<'de> for Resource<'de> {
    fn from_members<M: MapAccess<'de>>(mut members: M) -> Result<Self, M::Error> {
        let mut resource = Self::default();
        while let Some(key) = members.next_key::<Key<'de>>()? {
            let field = match key.0.as_ref() {
                "text" => &mut resource.text,
                "blob" => &mut resource.blob,
                "mimeType" => &mut resource.mime_type,
                _ => {
                    members.next_value::<IgnoredAny>()?;
                    continue;
                }
            };
            *field = Some(members.next_value::<Shape<'de>>()?);
        }
        Ok(resource)
    }
}

/// The blocks of a content array up to the first element that is none, and where that stands.
pub(super) struct Taken {
    pub(super) blocks: Vec<Block>,
    pub(super) gave_up_at: Option<usize>,
    /// The texts of all its text blocks, behind the first element that is no block too.
    pub(super) texts: Vec<ByteString>,
}

/// Makes blocks of elements; what does not come through whole is added to `losses`.
pub(super) fn blocks(elements: Vec<Element<'_>>, source: &Source, losses: &mut Vec<Loss>) -> Taken {
    let mut blocks = Vec::with_capacity(elements.len());
    let mut texts = Vec::new();
    let mut gave_up_at = None;
    for (at, Element(fields)) in elements.into_iter().enumerate() {
        let Some(fields) = fields else {
            gave_up_at = gave_up_at.or(Some(at));
            continue;
        };
        let mut reader = BlockReader { at, source, losses: Vec::new() };
        let is_text = fields.kind == "text";
        let block = reader.read(fields);
        if let (Block::Text(text), true) = (&block, is_text) {
            texts.push(text.clone());
        }
        if gave_up_at.is_none() {
            losses.append(&mut reader.losses);
            blocks.push(block);
        }
    }
    losses.extend(gave_up_at.map(|block| Loss::GaveUp { block }));
    Taken { blocks, gave_up_at, texts }
}

struct BlockReader<'s> {
    at: usize,
    source: &'s Source,
    losses: Vec<Loss>,
}

impl BlockReader<'_> {
    /// The first row of SPEC 9.3 that fits.
    fn read(&mut self, fields: Fields<'_>) -> Block {
        let Fields { kind, text, data, resource, claims } = fields;
        let data = data.and_then(Shape::string);
        match (kind.as_ref(), data, resource) {
            ("text", ..) => match text.and_then(Shape::string) {
                Some(text) => Block::Text(self.source.share(text)),
                None => self.unrecognized("text block without string text"),
            },
            ("image" | "audio", Some(_), _)
                if claims.disposition.is_some() || claims.has_string_uri() =>
            {
                self.losses.push(Loss::Withheld { block: self.at });
                Block::Withheld
            }
            ("image", Some(data), _) => {
                let image = self.bytes(data, claims.mime_type);
                image.map_or_else(|_| self.unknown(&kind), Block::Image)
            }
            ("audio", Some(data), _) => {
                let audio = self.bytes(data, claims.mime_type).unwrap_or_else(|untyped| untyped);
                self.described("audio", &audio)
            }
            ("resource", _, Some(resource)) => self.resource(resource),
            ("resource" | "resource_link", ..) => self.reference(claims),
            ("image", None, _) if claims.has_string_uri() => {
                let untyped = !matches!(claims.mime_type, Some(Shape::String(_)));
                let mut block = self.reference(claims);
                if let (Block::Reference(reference), true) = (&mut block, untyped) {
                    reference.mime_type = Some(image_type_of(&reference.uri).into());
                }
                block
            }
            ("audio", None, _) if claims.has_string_uri() => self.reference(claims),
            _ => self.unknown(&kind),
        }
    }

    fn resource(&mut self, resource: Resource<'_>) -> Block {
        if let Some(text) = resource.text.and_then(Shape::string) {
            return Block::Text(self.source.share(text));
        }
        match resource.blob.and_then(Shape::string) {
            Some(blob) => {
                let bytes = self.bytes(blob, resource.mime_type).unwrap_or_else(|untyped| untyped);
                if bytes.media_type().is_image() {
                    Block::Image(bytes)
                } else {
                    self.described("resource", &bytes)
                }
            }
            None => self.unrecognized("resource without text or blob"),
        }
    }

    /// Bytes and their type, which a `data:` prefix can name; an error when nothing names it.
    fn bytes(&self, data: Cow<'_, str>, mime_type: Option<Shape<'_>>) -> Result<Image, Image> {
        let data = self.source.keep(data);
        match mime_type.and_then(Shape::string) {
            Some(mime_type) => Ok(Image::new(data, mime_type.as_ref())),
            None => Image::from_data_url(data.clone()).ok_or_else(|| Image::new(data, "")),
        }
    }

    fn described(&mut self, kind: &'static str, bytes: &Image) -> Block {
        let (media_type, encoded_len) = (bytes.media_type(), bytes.payload_len_utf16());
        self.losses.push(Loss::Described {
            block: self.at,
            media_type: media_type.as_str().into(),
            encoded_len,
        });
        Block::Described(Described { kind, media_type, encoded_len })
    }

    fn reference(&mut self, claims: Claims<'_>) -> Block {
        let Some(uri) = claims.uri.and_then(Shape::string).filter(|uri| !uri.is_empty()) else {
            return self.unusable("reference without string uri");
        };
        let Some(mut reference) = Reference::new(self.source.share(uri)) else {
            return self.unusable(&format!("reference uri longer than {MAX_URI_UTF16}"));
        };
        reference.name = self.string("name", claims.name, |_| true);
        reference.mime_type = self.string("mimeType", claims.mime_type, |_| true);
        if let Some(size) = claims.size.filter(|size| size.get() != "null") {
            reference.size_bytes = whole_number(self.source.spelled(size.get()));
            self.note_dropped("size", reference.size_bytes.is_none());
        }
        reference.digest = self.string("digest", claims.digest, is_digest);
        reference.expires_at = self.string("expiresAt", claims.expires_at, |_| true);
        reference.disposition = self
            .string("disposition", claims.disposition, |value| matches!(value, "never" | "ref"));
        Block::Reference(reference)
    }

    /// An optional string field; one that does not fit is dropped, and the block survives.
    fn string(
        &mut self,
        field: &'static str,
        value: Option<Shape<'_>>,
        fits: impl Fn(&str) -> bool,
    ) -> Option<ByteString> {
        let value = value.filter(|value| !value.is_null())?;
        let text = value.string().filter(|text| fits(text));
        self.note_dropped(field, text.is_none());
        text.map(|text| self.source.share(text))
    }

    fn note_dropped(&mut self, field: &'static str, dropped: bool) {
        if dropped {
            self.losses.push(Loss::DroppedField { block: self.at, field });
        }
    }

    fn unknown(&mut self, kind: &str) -> Block {
        self.noted(Block::unrecognized_type(kind))
    }

    fn unrecognized(&mut self, reason: &str) -> Block {
        self.noted(Block::unrecognized(reason))
    }

    fn unusable(&mut self, reason: &str) -> Block {
        self.noted(Block::UnusableReference { reason: reason.into() })
    }

    fn noted(&mut self, block: Block) -> Block {
        if let Block::Unrecognized { reason } | Block::UnusableReference { reason } = &block {
            self.losses.push(Loss::Unrecognized { block: self.at, reason: reason.clone() });
        }
        block
    }
}

impl Claims<'_> {
    fn has_string_uri(&self) -> bool {
        matches!(self.uri, Some(Shape::String(_)))
    }
}

/// Whether `value` is `sha256:` and 43 characters of url-safe base64.
fn is_digest(value: &str) -> bool {
    value.strip_prefix("sha256:").is_some_and(|digest| {
        digest.len() == 43
            && digest
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_'))
    })
}
