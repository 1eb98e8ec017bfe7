//! Content keys, and the markers that show them.

use std::fmt;
use std::str::FromStr;

use memchr::memmem;
use sha2::{Digest as _, Sha256};

/// How a marker starts and ends.
const OPEN: &str = "<<ccr:";
const CLOSE: &str = ">>";
/// The hex digits of a key.
const DIGITS: usize = 16;

/// The SHA-256 of a text's UTF-8.
pub(super) fn sha256_of(text: &str) -> [u8; 32] {
    Sha256::digest(text).into()
}

/// The first 16 hex digits, lower case, of the SHA-256 of a full text's UTF-8.
///
/// ```
/// use slotledger::record::ContentKey;
/// let key = ContentKey::of("hello");
/// assert_eq!(key.to_string(), "2cf24dba5fb0a30e");
/// assert_eq!(key.marker(), "<<ccr:2cf24dba5fb0a30e>>");
/// assert_eq!("2cf24dba5fb0a30e".parse(), Ok(key));
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ContentKey([u8; 8]);

impl ContentKey {
    /// The key of a full text.
    pub fn of(text: &str) -> Self {
        Self::of_digest(&sha256_of(text))
    }

    /// The key of a full text of this SHA-256.
    pub fn of_digest(sha256: &[u8; 32]) -> Self {
        Self(*sha256.first_chunk().unwrap_or(&[0; 8]))
    }

    /// The marker that shows it: `<<ccr:KEY>>`.
    pub fn marker(self) -> String {
        format!("{OPEN}{self}{CLOSE}")
    }
}

impl FromStr for ContentKey {
    type Err = ContentKeyError;

    /// Reads 16 lower-case hex digits.
    fn from_str(text: &str) -> Result<Self, ContentKeyError> {
        let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        if text.len() != DIGITS || !text.bytes().all(is_digit) {
            return Err(ContentKeyError(()));
        }
        let key = u64::from_str_radix(text, 16).map_err(|_| ContentKeyError(()))?;
        Ok(Self(key.to_be_bytes()))
    }
}

impl fmt::Display for ContentKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:016x}", u64::from_be_bytes(self.0))
    }
}

impl fmt::Debug for ContentKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentKey({self})")
    }
}

/// A text that is no content key: not 16 lower-case hex digits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContentKeyError(());

impl fmt::Display for ContentKeyError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a content key is 16 hex digits, lower case")
    }
}

impl std::error::Error for ContentKeyError {}

/// The keys of the markers in `text`, each once, in order of first sight.
///
/// For hosts and tools: a marker never decides what is recorded, or what a text is. Linear.
///
/// ```
/// use slotledger::record::extract_keys;
/// let keys = extract_keys("[cleared <<ccr:2cf24dba5fb0a30e>>] <<ccr:nothing>>");
/// assert_eq!(keys.len(), 1);
/// ```
pub fn extract_keys(text: &str) -> Vec<ContentKey> {
    let mut seen = std::collections::HashSet::new();
    memmem::find_iter(text.as_bytes(), OPEN)
        .filter_map(|open| {
            let start = open + OPEN.len();
            let key = text.get(start..start + DIGITS)?.parse().ok()?;
            text.get(start + DIGITS..)?.starts_with(CLOSE).then_some(key)
        })
        .filter(|key| seen.insert(*key))
        .collect()
}
