//! JSON text: shared by what is read from it, freed of lone surrogates, and compact.

use std::borrow::Cow;
use std::ops::Range;

use bytes::Bytes;
use bytestring::ByteString;
use memchr::{memchr, memchr2};
use serde::de::Deserialize;
use serde_json::value::RawValue;

use super::error::ParseError;
use super::shape::{Members, Shape, Skipped};

/// A JSON text that what is read from it can share.
#[derive(Debug)]
pub(crate) struct Source {
    text: ByteString,
    /// The text before numbers out of range were blanked, of the same length.
    spelled: ByteString,
    /// How many lone surrogate escapes were replaced in it.
    pub(crate) lone_surrogates: usize,
    /// How many bytes of the input stand before the text.
    skipped: usize,
    /// The length of all that a shared part keeps in memory.
    shared_len: usize,
}

/// What a source can be read as.
pub(crate) trait Document {
    /// The form in which it lies in the source.
    type Raw<'a>: Deserialize<'a>;
    /// What is made of it.
    type Read;
    /// Makes it.
    fn read(raw: Self::Raw<'_>, source: &Source) -> Self::Read;
}

impl Source {
    /// Takes `bytes` as text; a byte order mark in front is skipped.
    pub(crate) fn new(bytes: &Bytes) -> Result<Self, ParseError> {
        let rest = bytes.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(bytes);
        let skipped = bytes.len() - rest.len();
        let text = ByteString::try_from(bytes.slice_ref(rest))
            .map_err(|error| ParseError::utf8(error.valid_up_to()).behind(skipped))?;
        Ok(Self { skipped, ..Self::of(text) })
    }

    fn of(text: ByteString) -> Self {
        let shared_len = text.len();
        Self { spelled: text.clone(), text, lone_surrogates: 0, skipped: 0, shared_len }
    }

    /// Takes a part of `whole`, a line of a file for example, as text.
    pub(crate) fn of_part(whole: &Bytes, part: &[u8]) -> Result<Self, ParseError> {
        let source = Self::new(&whole.slice_ref(part))?;
        Ok(Self { shared_len: whole.len(), ..source })
    }

    /// Reads the text as a `D`.
    ///
    /// What a strict parser refuses though it means no harm, lone surrogate escapes and numbers
    /// that no double holds, is taken out of its way first. Both are rare, so they are looked for
    /// only when the parser stumbled.
    pub(crate) fn read<D: Document>(self) -> Result<D::Read, ParseError> {
        let error = match serde_json::from_str::<D::Raw<'_>>(&self.text) {
            Ok(raw) => return Ok(D::read(raw, &self)),
            Err(error) => error,
        };
        let source = self.repaired(error)?;
        match serde_json::from_str::<D::Raw<'_>>(&source.text) {
            Ok(raw) => Ok(D::read(raw, &source)),
            Err(error) => Err(source.error(error)),
        }
    }

    fn error(&self, error: serde_json::Error) -> ParseError {
        ParseError::json(&self.text, error).behind(self.skipped)
    }

    fn repaired(self, error: serde_json::Error) -> Result<Self, ParseError> {
        let (spelled, lone_surrogates) = match replace_lone_surrogates(&self.text) {
            Some((text, count)) => (ByteString::from(text), count),
            None => (self.text.clone(), 0),
        };
        match blank_numbers_out_of_range(&spelled) {
            Some(text) => Ok(Self { text: text.into(), spelled, lone_surrogates, ..self }),
            None if lone_surrogates > 0 => {
                Ok(Self { text: spelled.clone(), spelled, lone_surrogates, ..self })
            }
            None => Err(self.error(error)),
        }
    }

    /// The text itself.
    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// A part of this source as it was spelled.
    pub(crate) fn spelled<'s>(&'s self, part: &'s str) -> &'s str {
        let place = self.place_of(part);
        place.and_then(|place| self.spelled.get(place)).unwrap_or(part)
    }

    /// Where `part` lies in the text, if it was borrowed from it.
    fn place_of(&self, part: &str) -> Option<Range<usize>> {
        let start = part.as_ptr().addr().checked_sub(self.text.as_ptr().addr())?;
        let end = start + part.len();
        (end <= self.text.len()).then_some(start..end)
    }

    /// A part of this source, which is JSON of its own, as a source.
    pub(crate) fn part(&self, json: &str) -> Self {
        match self.place_of(json).and_then(|place| self.spelled.get(place)) {
            Some(part) => Self::of(self.spelled.slice_ref(part)),
            None => Self::of(json.into()),
        }
    }

    /// The source of the last member `key` of the object that this source holds.
    pub(crate) fn member(&self, key: &'static str) -> Option<&str> {
        let object = serde_json::from_str::<Shape<'_, Skipped, Members<'_>>>(&self.text).ok()?;
        object.object()?.last(key)
    }

    /// A string read from this source, without a copy where it was borrowed.
    pub(crate) fn share(&self, text: Cow<'_, str>) -> ByteString {
        match text {
            Cow::Borrowed(text) if self.place_of(text).is_some() => self.text.slice_ref(text),
            Cow::Borrowed(text) => text.into(),
            Cow::Owned(text) => text.into(),
        }
    }

    /// A string that will be held for long: shared only where it is most of the source, so that
    /// a small image never keeps a large result in memory.
    pub(crate) fn keep(&self, text: Cow<'_, str>) -> ByteString {
        match text {
            Cow::Borrowed(text) if text.len() < self.shared_len / 2 => text.into(),
            Cow::Borrowed(_) | Cow::Owned(_) => self.share(text),
        }
    }
}

/// `json` with what a strict parser refuses though it means no harm taken out of its way; `None`
/// when there is nothing of that kind.
pub(crate) fn mended(json: &str) -> Option<String> {
    let replaced = replace_lone_surrogates(json).map(|(text, _)| text);
    let numbers = blank_numbers_out_of_range(replaced.as_deref().unwrap_or(json));
    numbers.or(replaced)
}

/// Writes the greatest number we tell apart in place of each that no double holds, as long as that
/// is spelled; `None` if there is none.
fn blank_numbers_out_of_range(json: &str) -> Option<String> {
    const TOO_LARGE: f64 = 1e308;
    let mut out = String::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(&byte) = json.as_bytes().get(at) {
        if byte == b'"' {
            at += string_len(json.get(at..)?);
        } else if byte == b'-' || byte.is_ascii_digit() {
            let rest = json.as_bytes().get(at..)?;
            let is_part =
                |byte: &u8| matches!(byte, b'+' | b'-' | b'.' | b'e' | b'E' | b'0'..=b'9');
            let len = rest.iter().take_while(|byte| is_part(byte)).count();
            let spelled = json.get(at..at + len)?;
            // What is no number by the grammar must stay, to be refused.
            let is_number = serde_json::from_str::<&RawValue>(spelled).is_ok();
            let number = spelled.parse::<f64>().ok().filter(|_| is_number);
            if let Some(number) = number.filter(|number| number.abs() >= TOO_LARGE) {
                let sign = if number > 0.0 { "9e" } else { "-9e" };
                out.push_str(json.get(copied..at)?);
                out.push_str(sign);
                out.extend(std::iter::repeat_n('0', len - sign.len() - "307".len()));
                out.push_str("307");
                copied = at + len;
            }
            at += len;
        } else {
            at += 1;
        }
    }
    if copied == 0 {
        return None;
    }
    out.push_str(json.get(copied..)?);
    Some(out)
}

/// Writes JSON text that is known to parse without white space, and counts the lone surrogate
/// escapes that became U+FFFD.
///
/// Keys keep their order, numbers their spelling; strings are escaped no more than they must be.
/// Not recursive: any depth will do.
pub(crate) fn compact(json: &str) -> (String, usize) {
    let mut out = String::with_capacity(json.len());
    let mut lone_surrogates = 0;
    let mut rest = json;
    while let Some(quote) = memchr(b'"', rest.as_bytes()) {
        let (before, string) = rest.split_at(quote);
        push_without_white_space(&mut out, before);
        let (string, after) = string.split_at(string_len(string));
        lone_surrogates += push_string(&mut out, string);
        rest = after;
    }
    push_without_white_space(&mut out, rest);
    (out, lone_surrogates)
}

fn push_without_white_space(out: &mut String, json: &str) {
    for part in json.split([' ', '\t', '\n', '\r']) {
        out.push_str(part);
    }
}

/// The length of the JSON string at the front of `json`, its quotes included.
fn string_len(json: &str) -> usize {
    let bytes = json.as_bytes();
    let mut at = 1;
    while let Some(found) = bytes.get(at..).and_then(|rest| memchr2(b'"', b'\\', rest)) {
        at += found + 1;
        if bytes.get(at - 1) == Some(&b'"') {
            return at;
        }
        at += 1;
    }
    json.len()
}

/// Writes a JSON string, quotes included, with the fewest escapes.
fn push_string(out: &mut String, string: &str) -> usize {
    if memchr(b'\\', string.as_bytes()).is_none() {
        out.push_str(string);
        return 0;
    }
    let repaired = replace_lone_surrogates(string);
    let (string, lone_surrogates) = match &repaired {
        Some((string, count)) => (string.as_str(), *count),
        None => (string, 0),
    };
    let written =
        serde_json::from_str::<String>(string).and_then(|decoded| serde_json::to_string(&decoded));
    // It was parsed before; if it were not JSON, its own spelling would still be.
    out.push_str(written.as_deref().unwrap_or(string));
    lone_surrogates
}

/// Writes U+FFFD in place of each lone surrogate escape of a JSON text, one UTF-16 unit for one,
/// and counts them; `None` when it has none.
///
/// JavaScript hosts send such escapes, and a strict parser refuses the whole document for one.
///
/// ```
/// use slotledger::content::replace_lone_surrogates;
/// let (json, count) = replace_lone_surrogates(r#"["\ud83d", "\ud83d\ude00"]"#).unwrap();
/// assert_eq!((json.as_str(), count), (r#"["\ufffd", "\ud83d\ude00"]"#, 1));
/// ```
pub fn replace_lone_surrogates(json: &str) -> Option<(String, usize)> {
    let mut out = String::new();
    let (mut copied, mut at, mut count) = (0, 0, 0);
    while let Some(found) = json.as_bytes().get(at..).and_then(|rest| memchr(b'\\', rest)) {
        at += found;
        at += match surrogate_at(json, at) {
            None => 2,
            Some(0xD800..=0xDBFF) if matches!(surrogate_at(json, at + 6), Some(0xDC00..)) => 12,
            Some(_) => {
                out.push_str(json.get(copied..at)?);
                out.push_str("\\ufffd");
                count += 1;
                copied = at + 6;
                6
            }
        };
    }
    if count == 0 {
        return None;
    }
    out.push_str(json.get(copied..)?);
    Some((out, count))
}

/// The surrogate that the escape at `at` stands for, if one does.
fn surrogate_at(json: &str, at: usize) -> Option<u32> {
    let digits = json.get(at..at + 6)?.strip_prefix("\\u")?;
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    u32::from_str_radix(digits, 16).ok().filter(|code| (0xD800..0xE000).contains(code))
}
