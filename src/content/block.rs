//! Blocks: the parts of a result.

use bytestring::ByteString;

use crate::slot::{MediaType, label};
use crate::text::{Unit, is_longer_utf16};

/// The longest URI of a reference, in UTF-16 units.
pub const MAX_URI_UTF16: usize = 4096;

/// One part of a result. Payloads are shared with the bytes they were read from.
///
/// ```
/// use slotledger::content::{Block, Image};
/// let block = Block::Image(Image::new("iVBORw0KGgo=", "image/png"));
/// assert!(matches!(block, Block::Image(image) if image.payload() == "iVBORw0KGgo="));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Block {
    /// A text, verbatim.
    Text(ByteString),
    /// An image with its bytes.
    Image(Image),
    /// Bytes that live elsewhere.
    Reference(Reference),
    /// Bytes that came with the result and are told by type and size only.
    Described(Described),
    /// An image or audio block that contradicts itself: bytes, and a word that they are elsewhere.
    Withheld,
    /// A block whose type or fields are not known; `reason` says which.
    Unrecognized {
        /// What was not recognized, `type mystery` for example.
        reason: ByteString,
    },
    /// A reference without a usable URI.
    UnusableReference {
        /// What is wrong with it.
        reason: ByteString,
    },
}

impl Block {
    /// The most UTF-16 units of the reason why a block was not recognized.
    const MAX_REASON: usize = 120;

    /// A block that was not recognized for `reason`, of which 120 UTF-16 units are kept.
    pub(super) fn unrecognized(reason: &str) -> Self {
        Self::Unrecognized { reason: label(reason, Self::MAX_REASON).as_ref().into() }
    }

    /// A block of a type that is not known.
    pub(super) fn unrecognized_type(name: &str) -> Self {
        Self::unrecognized(&format!("type {}", without_slots(name)))
    }

    /// The line that stands for a reference to a tool.
    pub(super) fn tool(name: &str) -> Self {
        Self::Text(format!("[tool: {}]", label(&without_slots(name), Self::MAX_REASON)).into())
    }
}

/// `name` without the brackets and line starts that could make a slot of the line it stands in.
fn without_slots(name: &str) -> String {
    name.chars().filter(|ch| !matches!(ch, '[' | ']' | '\u{2028}' | '\u{2029}')).collect()
}

/// An image with its bytes, as a tool sent it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    data: ByteString,
    mime_type: ByteString,
    /// Where the base64 text starts in `data`: behind a `data:TYPE;base64,` prefix.
    payload_start: usize,
}

impl Image {
    /// An image of base64 `data`, which may start with `data:TYPE;base64,`.
    ///
    /// Nothing is decoded or checked: data that cannot be decoded has its slot all the same.
    pub fn new(data: impl Into<ByteString>, mime_type: impl Into<ByteString>) -> Self {
        let data = data.into();
        let payload_start = data_url_prefix(&data).map_or(0, |(_, len)| len);
        Self { data, mime_type: mime_type.into(), payload_start }
    }

    /// An image of `data` that names its own type in a `data:TYPE;base64,` prefix.
    ///
    /// ```
    /// use slotledger::content::Image;
    /// let image = Image::from_data_url("data:image/gif;base64,R0lG").unwrap();
    /// assert_eq!((image.mime_type(), image.payload().as_ref()), ("image/gif", "R0lG"));
    /// assert!(Image::from_data_url("R0lG").is_none());
    /// ```
    pub fn from_data_url(data: impl Into<ByteString>) -> Option<Self> {
        let data = data.into();
        let (mime_type, payload_start) = data_url_prefix(&data)?;
        let mime_type = data.slice_ref(mime_type);
        Some(Self { data, mime_type, payload_start })
    }

    /// The data as the tool sent it.
    pub fn data(&self) -> &ByteString {
        &self.data
    }

    /// The media type as the tool named it.
    pub fn mime_type(&self) -> &str {
        &self.mime_type
    }

    /// The base64 text, without a `data:` prefix. Shares the data's bytes.
    pub fn payload(&self) -> ByteString {
        self.data.slice_ref(self.data.get(self.payload_start..).unwrap_or_default())
    }

    /// The length of the base64 text, in UTF-16 units; what a placeholder's size is made of.
    pub fn payload_len_utf16(&self) -> usize {
        Unit::Utf16.len_of(self.data.get(self.payload_start..).unwrap_or_default())
    }

    /// The media type, normalized.
    pub fn media_type(&self) -> MediaType {
        MediaType::from_testimony(&self.mime_type)
    }
}

/// The type and the length of a `data:TYPE;base64,` prefix (RFC 2397), scheme and marker in any
/// case.
fn data_url_prefix(data: &str) -> Option<(&str, usize)> {
    // A type with its parameters is short; a payload without a comma is not read for one.
    const MAX_PREFIX: usize = 1024;
    let scheme = data.get(..5)?;
    if !scheme.eq_ignore_ascii_case("data:") {
        return None;
    }
    let window = data.get(..data.floor_char_boundary(MAX_PREFIX))?;
    let comma = window.find(',')?;
    let marker = comma.checked_sub(";base64".len())?;
    if marker < scheme.len() || !data.get(marker..comma)?.eq_ignore_ascii_case(";base64") {
        return None;
    }
    Some((data.get(scheme.len()..marker)?, comma + 1))
}

/// Bytes that live elsewhere: what a server says of them. Testimony, not facts.
///
/// ```
/// use slotledger::content::Reference;
/// let reference = Reference::new("file:///cam.png").unwrap();
/// assert_eq!(reference.uri, "file:///cam.png");
/// assert!(Reference::new("").is_none());
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Reference {
    /// Where the bytes are, 1 to [`MAX_URI_UTF16`] units. Never shown to a model.
    pub uri: ByteString,
    /// Its name, if it has one.
    pub name: Option<ByteString>,
    /// Its media type as claimed.
    pub mime_type: Option<ByteString>,
    /// Its size as claimed, in bytes, below 2^53.
    pub size_bytes: Option<u64>,
    /// Its digest as claimed, `sha256:` and 43 characters of url-safe base64.
    pub digest: Option<ByteString>,
    /// When the claim ends, as the server spelled it.
    pub expires_at: Option<ByteString>,
    /// What the server wants done with the bytes: `never` or `ref`.
    pub disposition: Option<ByteString>,
}

impl Reference {
    /// A reference to `uri`; `None` when it is empty or too long.
    pub fn new(uri: impl Into<ByteString>) -> Option<Self> {
        let uri = uri.into();
        if uri.is_empty() || is_longer_utf16(&uri, MAX_URI_UTF16) {
            return None;
        }
        Some(Self {
            uri,
            name: None,
            mime_type: None,
            size_bytes: None,
            digest: None,
            expires_at: None,
            disposition: None,
        })
    }
}

/// Bytes of a kind that is told by type and size only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Described {
    /// What it is: `audio`, `resource` or `document`.
    pub kind: &'static str,
    /// Its media type, normalized.
    pub media_type: MediaType,
    /// The length of its base64 text, in UTF-16 units.
    pub encoded_len: usize,
}
