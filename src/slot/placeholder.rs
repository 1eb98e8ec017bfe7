//! `[image: TYPE, SIZE, ref REF]`: what stands for an image whose bytes came with the result.

use std::fmt::{self, Write as _};
use std::str::FromStr;

use super::media_type::{MAX_NAME_LEN, MediaType, type_len};
use super::size::encoded_size_label;

/// The most digits of a size, and the most characters of each half of a ref.
const MAX_DIGITS: usize = 16;

/// The longest ref the grammar reads: `img_`, 16 characters, `_`, 16 digits.
const MAX_IMAGE_REF_LEN: usize = IMAGE_PREFIX.len() + MAX_DIGITS + "_".len() + MAX_DIGITS;

/// One more than the greatest sequence of 16 digits.
const MAX_SEQUENCE: u64 = 10_000_000_000_000_000;

/// The longest placeholder the grammar reads, in bytes (all of them ASCII).
pub const MAX_PLACEHOLDER_LEN: usize = OPEN.len()
    + 2 * MAX_NAME_LEN
    + "/".len()
    + ", ~".len()
    + MAX_DIGITS
    + "KB".len()
    + REF_LABEL.len()
    + MAX_IMAGE_REF_LEN
    + "]".len();
// A cut moves back off a placeholder by at most 327 (SPEC L6).
const _: () = assert!(MAX_PLACEHOLDER_LEN == 328);

/// How every placeholder starts.
pub(super) const OPEN: &str = "[image: ";
const REF_LABEL: &str = ", ref ";
const IMAGE_PREFIX: &str = "img_";

/// The ledger's handle of one image, `img_NONCE_SEQUENCE`.
///
/// A ref read in a text proves nothing until the ledger that issued it answers for it.
///
/// ```
/// use slotledger::ImageRef;
/// let image: ImageRef = "img_k7x3q2_7".parse()?;
/// assert_eq!(image.as_str(), "img_k7x3q2_7");
/// assert_eq!((image.nonce(), image.sequence()), ("k7x3q2", 7));
/// assert!("img_7".parse::<ImageRef>().is_err());
/// # Ok::<(), slotledger::slot::ImageRefError>(())
/// ```
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct ImageRef {
    // As it was spelled, zero-filled: `img_a_07` and `img_a_7` are two refs.
    spelled: [u8; MAX_IMAGE_REF_LEN],
    len: u8,
}

impl ImageRef {
    /// The ref of `sequence` under `nonce`, which must be what the grammar holds.
    ///
    /// Sequences of more than 16 digits would repeat; no process takes that many images.
    pub(crate) fn issue(nonce: &str, sequence: u64) -> Self {
        let text = format!("{IMAGE_PREFIX}{nonce}_{}", sequence % MAX_SEQUENCE);
        let mut spelled = [0; MAX_IMAGE_REF_LEN];
        let mut len = 0;
        for (place, byte) in spelled.iter_mut().zip(text.bytes()) {
            *place = byte;
            len += 1;
        }
        Self { spelled, len }
    }

    /// Reads the ref at the front of `bytes`, as far as the grammar goes.
    fn read(bytes: &[u8]) -> Option<Self> {
        let rest = bytes.strip_prefix(IMAGE_PREFIX.as_bytes())?;
        let nonce = run_len(rest, |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'z'))?;
        let (&separator, digits) = rest.get(nonce..)?.split_first()?;
        if separator != b'_' {
            return None;
        }
        let len = IMAGE_PREFIX.len() + nonce + 1 + run_len(digits, |byte| byte.is_ascii_digit())?;
        let mut spelled = [0; MAX_IMAGE_REF_LEN];
        spelled.get_mut(..len)?.copy_from_slice(bytes.get(..len)?);
        Some(Self { spelled, len: u8::try_from(len).ok()? })
    }

    /// The ref as it was spelled.
    pub fn as_str(&self) -> &str {
        let spelled = self.spelled.get(..usize::from(self.len)).unwrap_or_default();
        std::str::from_utf8(spelled).unwrap_or_default()
    }

    /// The nonce of the ledger that issued it.
    pub fn nonce(&self) -> &str {
        self.halves().0
    }

    /// Its place in the order of that ledger, from 1 in refs we issue.
    pub fn sequence(&self) -> u64 {
        self.halves().1.parse().unwrap_or_default()
    }

    fn halves(&self) -> (&str, &str) {
        let halves = self.as_str().strip_prefix(IMAGE_PREFIX).unwrap_or_default();
        halves.split_once('_').unwrap_or_default()
    }
}

impl FromStr for ImageRef {
    type Err = ImageRefError;

    fn from_str(text: &str) -> Result<Self, ImageRefError> {
        Self::read(text.as_bytes())
            .filter(|image| usize::from(image.len) == text.len())
            .ok_or(ImageRefError(()))
    }
}

impl fmt::Display for ImageRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(self.as_str())
    }
}

impl fmt::Debug for ImageRef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ImageRef({self})")
    }
}

/// A text that is no ref: not `img_[0-9a-z]{1,16}_[0-9]{1,16}`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ImageRefError(());

impl fmt::Display for ImageRefError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not an image ref, which looks like img_k7x3q2_7")
    }
}

impl std::error::Error for ImageRefError {}

/// A placeholder read from a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Placeholder<'t> {
    /// The whole of it, `[` to `]`.
    pub text: &'t str,
    /// The media type; any counts, not only images.
    pub media_type: &'t str,
    /// The size label, as it stands.
    pub size: &'t str,
    /// The ref, if it has one. Untrusted: text can quote it.
    pub image: Option<ImageRef>,
}

/// Reads the placeholder, `[image: TYPE, SIZE, ref REF]`, that starts at byte `at`, if one does.
///
/// Looks no further than its first mismatch, 328 bytes at most: calling it at every `[` stays
/// linear (SPEC L1, L3). The text is untrusted: a ref read here proves nothing until the ledger
/// answers for it. An `at` that is no char boundary reads nothing.
///
/// ```
/// use slotledger::slot::placeholder_at;
/// let found = placeholder_at("see [image: image/png, ~12KB]", 4).unwrap();
/// assert_eq!((found.media_type, found.size), ("image/png", "~12KB"));
/// assert!(placeholder_at("see [image: image/png, ~12KB]", 3).is_none());
/// ```
pub fn placeholder_at(text: &str, at: usize) -> Option<Placeholder<'_>> {
    let tail = text.get(at..)?;
    let bytes = tail.as_bytes().strip_prefix(OPEN.as_bytes())?;
    let type_end = OPEN.len() + type_len(bytes)?;
    let bytes = tail.as_bytes().get(type_end..)?.strip_prefix(b", ")?;
    let size_start = type_end + 2;
    let size_end = size_start + size_len(bytes)?;
    let bytes = tail.as_bytes().get(size_end..)?;
    let (image, end) = match bytes.strip_prefix(REF_LABEL.as_bytes()) {
        Some(bytes) => {
            let image = ImageRef::read(bytes)?;
            (Some(image), size_end + REF_LABEL.len() + usize::from(image.len))
        }
        None => (None, size_end),
    };
    (tail.as_bytes().get(end) == Some(&b']')).then_some(())?;
    Some(Placeholder {
        text: tail.get(..=end)?,
        media_type: tail.get(OPEN.len()..type_end)?,
        size: tail.get(size_start..size_end)?,
        image,
    })
}

/// Reads `~?[0-9.]{1,16}(?:B|KB|MB)` at the front of `bytes` and returns its length.
fn size_len(bytes: &[u8]) -> Option<usize> {
    let tilde = usize::from(bytes.first() == Some(&b'~'));
    let digits = run_len(bytes.get(tilde..)?, |byte| byte.is_ascii_digit() || byte == b'.')?;
    let unit = match bytes.get(tilde + digits..)? {
        [b'B', ..] => 1,
        [b'K' | b'M', b'B', ..] => 2,
        _ => return None,
    };
    Some(tilde + digits + unit)
}

/// The length of the run that `holds` accepts at the front of `bytes`, if it has 1 to 16 bytes.
fn run_len(bytes: &[u8], holds: impl Fn(u8) -> bool) -> Option<usize> {
    let len = bytes.iter().take(MAX_DIGITS + 1).take_while(|&&byte| holds(byte)).count();
    (1..=MAX_DIGITS).contains(&len).then_some(len)
}

/// Writes the placeholder of an image whose base64 text has `encoded_len` characters.
///
/// What it writes parses back as one placeholder (SPEC L4).
///
/// ```
/// use slotledger::{MediaType, slot::write_placeholder};
/// let mut out = String::new();
/// write_placeholder(&mut out, &MediaType::from_testimony("image/gif"), 48, None);
/// assert_eq!(out, "[image: image/gif, 36B]");
/// ```
pub fn write_placeholder(
    out: &mut String,
    media_type: &MediaType,
    encoded_len: usize,
    image: Option<ImageRef>,
) {
    let size = encoded_size_label(encoded_len);
    // Writing to a string does not fail.
    let _ = write!(out, "{OPEN}{media_type}, {size}");
    if let Some(image) = image {
        let _ = write!(out, "{REF_LABEL}{image}");
    }
    out.push(']');
}
