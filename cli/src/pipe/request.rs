//! A line as a request: an object split into its members, none of them read.

use std::borrow::Cow;
use std::fmt;

use bytes::Bytes;
use bytestring::ByteString;
use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

use super::answer::Refusal;
use super::fields;

/// One request.
#[derive(Debug)]
pub(super) struct Request<'l> {
    line: &'l Bytes,
    members: Members<'l>,
}

impl<'l> Request<'l> {
    /// Reads a line.
    pub(super) fn read(line: &'l Bytes) -> Result<Self, Refusal> {
        let text = std::str::from_utf8(line).map_err(|error| Refusal::not_utf8(&error))?;
        if !text.trim_ascii_start().starts_with('{') {
            return Err(Refusal::no_object());
        }
        match serde_json::from_str(text) {
            Ok(members) => Ok(Self { line, members }),
            Err(error) => Err(Refusal::not_json(&error)),
        }
    }

    /// The id as it is spelled, `null` without one.
    pub(super) fn id(&self) -> &'l RawValue {
        self.members.get("id").unwrap_or(RawValue::NULL)
    }

    /// The name of the operation.
    pub(super) fn op(&self) -> Result<Cow<'l, str>, Refusal> {
        self.string("op")
    }

    /// The member `name`, as it is spelled.
    pub(super) fn member(&self, name: &'static str) -> Option<&'l str> {
        self.members.get(name).map(RawValue::get)
    }

    /// The same, which must be there.
    pub(super) fn required(&self, name: &'static str) -> Result<&'l str, Refusal> {
        self.member(name).ok_or_else(|| Refusal::missing(name))
    }

    /// The same, unless it is absent or `null`.
    pub(super) fn given(&self, name: &'static str) -> Option<&'l str> {
        self.member(name).filter(|&json| json != "null")
    }

    /// The string `name`.
    pub(super) fn string(&self, name: &'static str) -> Result<Cow<'l, str>, Refusal> {
        fields::string(self.required(name)?).ok_or_else(|| Refusal::bad_field(name, "a string"))
    }

    /// The string `name`, or `absent` where it is not given.
    pub(super) fn string_or(
        &self,
        name: &'static str,
        absent: &'static str,
    ) -> Result<Cow<'l, str>, Refusal> {
        match self.given(name) {
            Some(_) => self.string(name),
            None => Ok(Cow::Borrowed(absent)),
        }
    }

    /// A text of the line, shared as [`share`](Self::share) does.
    pub(super) fn share_text(&self, text: Cow<'l, str>) -> ByteString {
        match text {
            Cow::Borrowed(text) => match ByteString::try_from(self.share(text)) {
                Ok(shared) => shared,
                // It is a text; if it were none, a copy of it would still be.
                Err(_) => text.into(),
            },
            Cow::Owned(text) => text.into(),
        }
    }

    /// A part of the line as bytes that share it, unless most of the line is something else: what
    /// is read from them may be held for long.
    pub(super) fn share(&self, part: &'l str) -> Bytes {
        if part.len() >= self.line.len() / 2 {
            self.line.slice_ref(part.as_bytes())
        } else {
            Bytes::copy_from_slice(part.as_bytes())
        }
    }
}

/// An object's members as they are spelled. Of members of one name the last counts.
#[derive(Debug)]
pub(super) struct Members<'l>(Vec<(&'l RawValue, &'l RawValue)>);

impl<'l> Members<'l> {
    /// Splits an object; `None` where `json` is none.
    pub(super) fn split(json: &'l str) -> Option<Self> {
        serde_json::from_str(json).ok()
    }

    /// The member `name`.
    pub(super) fn get(&self, name: &str) -> Option<&'l RawValue> {
        self.0.iter().rev().find(|(key, _)| is_named(key.get(), name)).map(|&(_, value)| value)
    }
}

/// Whether `key`, a JSON string, reads `name`, which is ASCII.
fn is_named(key: &str, name: &str) -> bool {
    let longest = "\"\"".len() + name.len() * "\\u0000".len();
    key.len() <= longest && fields::string(key).is_some_and(|key| key == name)
}

impl<'de> Deserialize<'de> for Members<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Splitter)
    }
}

struct Splitter;

impl<'de> Visitor<'de> for Splitter {
    type Value = Members<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON object")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut members: M) -> Result<Self::Value, M::Error> {
        let mut split = Vec::new();
        // The keys as they are spelled, too: a lone surrogate in one costs no more than that key.
        while let Some(member) = members.next_entry()? {
            split.push(member);
        }
        Ok(Members(split))
    }
}
