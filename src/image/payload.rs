//! Base64 as tools send it: read leniently, measured without decoding, decoded when asked.

use std::borrow::Cow;
use std::fmt;

use base64::Engine as _;
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig};
use bytestring::ByteString;
use sha2::{Digest as _, Sha256};

/// The base64 text of an image as it was sent, without a `data:` prefix.
///
/// ASCII white space is passed over, the url-safe alphabet is read, padding may be missing and
/// stray trailing bits are dropped (SPEC 7.1). Making one costs nothing.
///
/// ```
/// use slotledger::image::Payload;
/// let payload = Payload::new("SGVs\nbG8");
/// assert_eq!(payload.decoded_len(), Ok(5));
/// assert_eq!(payload.decode().as_deref(), Ok(&b"Hello"[..]));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Payload(ByteString);

/// Why a payload has no bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PayloadError {
    /// There is nothing in it.
    Empty,
    /// The byte at this offset of the base64 text belongs to no base64.
    Byte {
        /// The offset, in bytes.
        at: usize,
    },
    /// It ends in the middle of a byte.
    Short {
        /// How many base64 characters it has.
        characters: usize,
    },
}

impl fmt::Display for PayloadError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the base64 text is empty"),
            Self::Byte { at } => write!(f, "byte {at} of the base64 text belongs to no base64"),
            Self::Short { characters } => {
                write!(f, "the base64 text of {characters} characters ends inside a byte")
            }
        }
    }
}

impl std::error::Error for PayloadError {}

impl Payload {
    /// Takes base64 text. Nothing is read.
    pub fn new(base64: impl Into<ByteString>) -> Self {
        Self(base64.into())
    }

    /// The base64 text, as sent.
    pub fn base64(&self) -> &ByteString {
        &self.0
    }

    /// The exact number of bytes it decodes to, without decoding it.
    ///
    /// # Errors
    ///
    /// When [`decode`](Self::decode) would fail, with the same error.
    pub fn decoded_len(&self) -> Result<usize, PayloadError> {
        let (_, characters) = self.body()?;
        Ok(characters / 4 * 3 + [0, 0, 1, 2].get(characters % 4).unwrap_or(&0))
    }

    /// Its bytes.
    ///
    /// # Errors
    ///
    /// When it is empty, holds what is no base64, or ends inside a byte.
    pub fn decode(&self) -> Result<Vec<u8>, PayloadError> {
        let (body, characters) = self.body()?;
        LENIENT.decode(canonical(body)).map_err(|_| PayloadError::Short { characters })
    }

    /// The SHA-256 of its bytes.
    ///
    /// # Errors
    ///
    /// As [`decode`](Self::decode).
    pub fn sha256(&self) -> Result<[u8; 32], PayloadError> {
        Ok(Self::digest(&self.decode()?))
    }

    /// The SHA-256 of bytes that were decoded already.
    pub fn digest(bytes: &[u8]) -> [u8; 32] {
        Sha256::digest(bytes).into()
    }

    /// What stands before the padding and how many characters it has, if it can be decoded.
    fn body(&self) -> Result<(&[u8], usize), PayloadError> {
        let bytes = self.0.as_bytes();
        let last = bytes.iter().rposition(|&byte| !byte.is_ascii_whitespace() && byte != b'=');
        let body = bytes.get(..last.map_or(0, |last| last + 1)).unwrap_or_default();
        let end = bytes.get(body.len()..).unwrap_or_default();
        if let Some((at, _)) = end.iter().enumerate().filter(|&(_, &byte)| byte == b'=').nth(2) {
            return Err(PayloadError::Byte { at: body.len() + at });
        }
        let Counts { characters, white_space } = count(body);
        if characters + white_space != body.len() {
            let is_known = |byte: &u8| is_base64(*byte) || byte.is_ascii_whitespace();
            let at = body.iter().position(|byte| !is_known(byte)).unwrap_or_default();
            return Err(PayloadError::Byte { at });
        }
        match characters {
            0 => Err(PayloadError::Empty),
            characters if characters % 4 == 1 => Err(PayloadError::Short { characters }),
            characters => Ok((body, characters)),
        }
    }
}

/// `body` in the standard alphabet, without white space.
fn canonical(body: &[u8]) -> Cow<'_, [u8]> {
    if !body.iter().any(|&byte| byte.is_ascii_whitespace() || matches!(byte, b'-' | b'_')) {
        return Cow::Borrowed(body);
    }
    let standard = body.iter().filter(|byte| !byte.is_ascii_whitespace()).map(|byte| match byte {
        b'-' => b'+',
        b'_' => b'/',
        other => *other,
    });
    Cow::Owned(standard.collect())
}

/// A digest in hex, lower case.
///
/// ```
/// use slotledger::image::{Payload, hex};
/// assert!(hex(&Payload::digest(b"hello")).starts_with("2cf24dba5fb0a30e"));
/// ```
pub fn hex(digest: &[u8; 32]) -> String {
    let digit = |half: u8| char::from_digit(u32::from(half), 16).unwrap_or('0');
    digest.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).collect()
}

const LENIENT: GeneralPurpose = GeneralPurpose::new(
    &base64::alphabet::STANDARD,
    GeneralPurposeConfig::new()
        .with_decode_allow_trailing_bits(true)
        .with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

struct Counts {
    characters: usize,
    white_space: usize,
}

/// Counts in runs short enough for a byte-wide sum, which the compiler makes vectors of.
fn count(bytes: &[u8]) -> Counts {
    let mut counts = Counts { characters: 0, white_space: 0 };
    for run in bytes.chunks(usize::from(u8::MAX)) {
        let (mut characters, mut white_space) = (0_u8, 0_u8);
        for &byte in run {
            characters += u8::from(is_base64(byte));
            white_space += u8::from(byte.is_ascii_whitespace());
        }
        counts.characters += usize::from(characters);
        counts.white_space += usize::from(white_space);
    }
    counts
}

/// Whether `byte` is a character of either base64 alphabet.
fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() | matches!(byte, b'+' | b'-' | b'/' | b'_')
}
