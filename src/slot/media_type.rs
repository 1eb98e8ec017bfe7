//! A claim about bytes, made into a media type that a placeholder can hold.

use std::fmt;

use bytestring::ByteString;

/// The longest type and the longest subtype (RFC 6838, 4.2), in bytes.
pub const MAX_NAME_LEN: usize = 127;

/// Whether `byte` may stand in the lower-case names of a media type (RFC 6838, 4.2).
pub(super) fn is_token(byte: u8) -> bool {
    class_of(byte) & TOKEN != 0
}

/// The same in either case.
pub(super) fn is_token_in_any_case(byte: u8) -> bool {
    class_of(byte) & (TOKEN | UPPER) != 0
}

/// Whether `byte` is a digit of base 36, lower case.
pub(super) fn is_base36(byte: u8) -> bool {
    class_of(byte) & BASE36 != 0
}

const TOKEN: u8 = 1;
const UPPER: u8 = 2;
const BASE36: u8 = 4;

/// A table, since a text of thousands of stubs asks for every byte of each.
static CLASSES: [u8; 256] = {
    let mut classes = [0; 256];
    let mut byte = 0_u8;
    loop {
        #[expect(clippy::indexing_slicing, reason = "a byte is below 256, and this is a const")]
        {
            classes[byte as usize] = match byte {
                b'a'..=b'z' | b'0'..=b'9' => TOKEN | BASE36,
                b'!' | b'#' | b'$' | b'&' | b'^' | b'_' | b'.' | b'+' | b'-' => TOKEN,
                b'A'..=b'Z' => UPPER,
                _ => 0,
            };
        }
        if byte == u8::MAX {
            break classes;
        }
        byte += 1;
    }
};

fn class_of(byte: u8) -> u8 {
    CLASSES.get(usize::from(byte)).copied().unwrap_or_default()
}

/// Reads `TOK{1,127}/TOK{1,127}` at the front of `bytes` and returns its length.
pub(super) fn type_len(bytes: &[u8]) -> Option<usize> {
    let main = token_len(bytes)?;
    let (&slash, rest) = bytes.get(main..)?.split_first()?;
    (slash == b'/').then_some(main + 1 + token_len(rest)?)
}

fn token_len(bytes: &[u8]) -> Option<usize> {
    let len = bytes.iter().take(MAX_NAME_LEN + 1).take_while(|&&byte| is_token(byte)).count();
    (1..=MAX_NAME_LEN).contains(&len).then_some(len)
}

/// A normalized media type: lower-case `type/subtype`, without parameters.
///
/// What it holds can be written into a placeholder and is read back (SPEC L4).
///
/// ```
/// use slotledger::MediaType;
/// assert_eq!(MediaType::from_testimony(" IMAGE/JPEG ").as_str(), "image/jpeg");
/// assert_eq!(MediaType::from_testimony("image/png; charset=binary").as_str(), "image/png");
/// assert_eq!(MediaType::from_testimony("no type").as_str(), "application/octet-stream");
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct MediaType(ByteString);

impl MediaType {
    /// What a claim becomes that names no media type.
    pub const UNKNOWN: &str = "application/octet-stream";

    /// Reads a server's claim about its bytes: testimony, not a fact.
    ///
    /// The part before the first `;`, trimmed and lower-cased. What a placeholder could not hold
    /// becomes `application/octet-stream` (RFC 6838, SPEC 3.1).
    pub fn from_testimony(claim: &str) -> Self {
        let essence = claim.split(';').next().unwrap_or_default().trim_matches(is_trimmed);
        if type_len(essence.as_bytes()) == Some(essence.len()) {
            return Self(essence.into());
        }
        // A longer claim cannot fit: lower-casing shortens a character to a third at most.
        if essence.len() > 3 * (2 * MAX_NAME_LEN + 1) {
            return Self(ByteString::from_static(Self::UNKNOWN));
        }
        let lower = essence.to_lowercase();
        if type_len(lower.as_bytes()) == Some(lower.len()) {
            Self(lower.into())
        } else {
            Self(ByteString::from_static(Self::UNKNOWN))
        }
    }

    /// The type as text, `image/png` for example.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it names an image.
    pub fn is_image(&self) -> bool {
        self.0.starts_with("image/")
    }
}

impl fmt::Display for MediaType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// White space as JavaScript trims it: with U+FEFF, without U+0085.
fn is_trimmed(ch: char) -> bool {
    (ch.is_whitespace() && ch != '\u{85}') || ch == '\u{FEFF}'
}
