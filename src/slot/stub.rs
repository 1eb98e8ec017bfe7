//! `[ref_ID] name — type, size claimed — …`: the one line that stands for a reference.

use std::fmt;

use memchr::{memchr, memchr_iter};

use super::label::label;
use super::media_type::{is_base36, is_token_in_any_case};
use super::size::stub_size_label;
use crate::text::{is_longer_utf16, line};

/// The most UTF-16 units of a name, a media type and a provenance in a stub.
const MAX_STUB_LABEL: usize = 120;
/// The most UTF-16 units of a saved path in a stub.
const MAX_STUB_PATH: usize = 256;

/// The longest stub the writer makes and the longest that counts as a slot, in UTF-16 units.
pub const MAX_STUB_LEN: usize = "[".len()
    + MAX_REF_ID_LEN
    + "] ".len()
    + MAX_STUB_LABEL
    + SEPARATOR_UTF16
    + MAX_STUB_LABEL
    + ", ".len()
    + "~8388608.0GB".len()
    + CLAIMED.len()
    + SEPARATOR_UTF16
    + MAX_STUB_LABEL
    + SEPARATOR_UTF16
    + SAVED.len()
    + MAX_STUB_PATH;
const _: () = assert!(MAX_STUB_LEN == 677);

/// The longest ref id we mint: the counter's greatest value is 2^53 - 1, `2gosa7pa2gv`.
const MAX_REF_ID_LEN: usize = "ref_2gosa7pa2gv_zzzz".len();

/// How every reference id starts.
pub(crate) const REF_PREFIX: &str = "ref_";
const SEPARATOR: &str = " — ";
const SEPARATOR_UTF16: usize = 3;
const CLAIMED: &str = " claimed";
const SAVED: &str = "saved: ";

/// The id of a reference, `ref_N_XXXX`, as a stub shows it.
///
/// ```
/// use slotledger::RefId;
/// let id: RefId = "ref_1_ab3d".parse()?;
/// assert_eq!(id.as_str(), "ref_1_ab3d");
/// assert!("ref_1_a_b".parse::<RefId>().is_err());
/// # Ok::<(), slotledger::slot::RefIdError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct RefId(Box<str>);

impl RefId {
    /// Makes the id of the `counter`th reference with the four characters `tag`.
    pub(crate) fn new(counter: &str, tag: &str) -> Self {
        Self(format!("{REF_PREFIX}{counter}_{tag}").into())
    }

    /// The id as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::str::FromStr for RefId {
    type Err = RefIdError;

    fn from_str(text: &str) -> Result<Self, RefIdError> {
        match id_len(text.as_bytes()) {
            Some(len) if len == text.len() => Ok(Self(text.into())),
            Some(_) | None => Err(RefIdError(())),
        }
    }
}

impl fmt::Display for RefId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// A text that is no reference id: not `ref_[0-9a-z]+_[0-9a-z]+`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RefIdError(());

impl fmt::Display for RefIdError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("not a reference id, which looks like ref_1_ab3d")
    }
}

impl std::error::Error for RefIdError {}

/// A line of the stub shape, read from a text; an image or not, however long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stub<'t> {
    /// The whole of it: from `[` to the next `\n` or the end of the text, a trailing `\r` included.
    pub text: &'t str,
    /// The reference id.
    pub id: &'t str,
}

impl<'t> Stub<'t> {
    /// The stub that is `text`, whose `[ref_N_XXXX] ` is `prefix` bytes long.
    pub(super) fn of(text: &'t str, prefix: usize) -> Option<Self> {
        Some(Self { text, id: text.get("[".len()..prefix - "] ".len())? })
    }

    /// The image type it shows, if it is a slot: at most [`MAX_STUB_LEN`] units long, with an
    /// `image/` token behind its id. As it is spelled; a slot's type is its lower-case form.
    ///
    /// ```
    /// use slotledger::slot::stub_at;
    /// let stub = stub_at("[ref_1_a] shot — IMAGE/PNG;x", 0).unwrap();
    /// assert_eq!(stub.image_type(), Some("IMAGE/PNG"));
    /// assert_eq!(stub_at("[ref_1_a] notes — text/plain", 0).unwrap().image_type(), None);
    /// ```
    pub fn image_type(&self) -> Option<&'t str> {
        if is_longer_utf16(self.text, MAX_STUB_LEN) {
            return None;
        }
        image_token(self.text.get("[".len() + self.id.len() + "] ".len()..)?)
    }
}

/// Finds `\bimage/TOK+` in `text`, ASCII case folded.
fn image_token(text: &str) -> Option<&str> {
    const IMAGE: &[u8; 5] = b"image";
    let bytes = text.as_bytes();
    memchr_iter(b'/', bytes).find_map(|slash| {
        let start = slash.checked_sub(IMAGE.len())?;
        // Setting one bit folds the case of letters, and makes no letter of anything else.
        let folded = bytes.get(start..slash)?.first_chunk::<5>()?.map(|byte| byte | 0x20);
        if folded != *IMAGE {
            return None;
        }
        let before = start.checked_sub(1).and_then(|at| bytes.get(at));
        if before.is_some_and(|&byte| byte.is_ascii_alphanumeric() || byte == b'_') {
            return None;
        }
        let rest = bytes.get(slash + 1..)?;
        let len = rest.iter().position(|&byte| !is_token_in_any_case(byte)).unwrap_or(rest.len());
        if len == 0 {
            return None;
        }
        text.get(start..slash + 1 + len)
    })
}

/// Reads the stub-shaped line that starts at byte `at`, if one does (SPEC 5.1).
///
/// `at` must be where a line may start: the front of the text, or after `\n`, `\r`, U+2028 or
/// U+2029. Cost: the id and the rest of the line.
///
/// ```
/// use slotledger::slot::stub_at;
/// let stub = stub_at("[ref_1_ab3d] cam.png — image/jpeg\nrest", 0).unwrap();
/// assert_eq!(stub.id, "ref_1_ab3d");
/// assert_eq!(stub.text, "[ref_1_ab3d] cam.png — image/jpeg");
/// assert!(stub_at(" [ref_1_ab3d] x", 1).is_none(), "no line starts there");
/// ```
pub fn stub_at(text: &str, at: usize) -> Option<Stub<'_>> {
    if !line::starts_at(text.as_bytes(), at) {
        return None;
    }
    let tail = text.get(at..)?;
    let prefix = stub_prefix_len(tail.as_bytes())?;
    let rest = tail.as_bytes().get(prefix..)?;
    let end = memchr(b'\n', rest).map_or(tail.len(), |found| prefix + found);
    Stub::of(tail.get(..end)?, prefix)
}

/// The length of `[ref_N_XXXX] ` at the front of `bytes`.
pub(super) fn stub_prefix_len(bytes: &[u8]) -> Option<usize> {
    let id = id_len(bytes.strip_prefix(b"[")?)?;
    bytes.get(1 + id..)?.starts_with(b"] ").then_some(1 + id + 2)
}

fn id_len(bytes: &[u8]) -> Option<usize> {
    let rest = bytes.strip_prefix(REF_PREFIX.as_bytes())?;
    let counter = base36_len(rest)?;
    let (&separator, tag) = rest.get(counter..)?.split_first()?;
    (separator == b'_').then_some(REF_PREFIX.len() + counter + 1 + base36_len(tag)?)
}

fn base36_len(bytes: &[u8]) -> Option<usize> {
    let len = bytes.iter().position(|&byte| !is_base36(byte)).unwrap_or(bytes.len());
    (len > 0).then_some(len)
}

/// What a stub says of its reference. Claims, shortened when written.
#[derive(Clone, Copy, Debug)]
pub struct StubParts<'a> {
    /// The reference id.
    pub id: &'a RefId,
    /// Its name; empty for none.
    pub name: &'a str,
    /// Its media type as claimed; empty for none.
    pub mime: &'a str,
    /// Its size as claimed, in bytes.
    pub size_bytes: Option<u64>,
    /// Where it came from, `from tool result` for example.
    pub provenance: &'a str,
    /// Where it was saved, if it was fetched.
    pub saved: Option<&'a str>,
    /// What to do for the bytes, when it was not fetched.
    pub fetch: &'a str,
}

/// Writes the stub of a reference, without a line break and at most [`MAX_STUB_LEN`] units long.
///
/// ```
/// use slotledger::slot::{StubParts, write_stub};
/// let id = "ref_1_ab3d".parse()?;
/// let mut out = String::new();
/// write_stub(&mut out, &StubParts {
///     id: &id, name: "cam.png", mime: "image/jpeg", size_bytes: Some(1_258_291),
///     provenance: "from tool result", saved: None, fetch: "fetch with fetch_reference",
/// });
/// assert_eq!(out, "[ref_1_ab3d] cam.png — image/jpeg, ~1.2MB claimed \
///     — from tool result — fetch with fetch_reference");
/// # Ok::<(), slotledger::slot::RefIdError>(())
/// ```
pub fn write_stub(out: &mut String, parts: &StubParts<'_>) {
    out.push('[');
    out.push_str(parts.id.as_str());
    out.push_str("] ");
    let name = label(parts.name, MAX_STUB_LABEL);
    if !name.is_empty() {
        out.push_str(&name);
        out.push_str(SEPARATOR);
    }
    let mime = label(parts.mime, MAX_STUB_LABEL);
    out.push_str(&mime);
    if let Some(size) = parts.size_bytes {
        if !mime.is_empty() {
            out.push_str(", ");
        }
        out.push_str(&stub_size_label(size));
        out.push_str(CLAIMED);
    }
    if !mime.is_empty() || parts.size_bytes.is_some() {
        out.push_str(SEPARATOR);
    }
    out.push_str(&label(parts.provenance, MAX_STUB_LABEL));
    out.push_str(SEPARATOR);
    match parts.saved {
        Some(path) => {
            out.push_str(SAVED);
            out.push_str(&label(path, MAX_STUB_PATH));
        }
        None => out.push_str(&label(parts.fetch, SAVED.len() + MAX_STUB_PATH)),
    }
}
