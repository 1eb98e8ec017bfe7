//! What a JSON text says, in a form in which two that say the same are equal.

use std::borrow::Cow;
use std::fmt;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

use super::json::compact;
use super::shape::Key;

/// How deep a value is read to be compared; what lies deeper is compared as it is spelled. Far
/// below `serde_json`'s own limit of 128.
const MAX_DEPTH: usize = 64;

/// A value in a form in which two that say the same are equal: keys sorted, of equal keys the last.
#[derive(Debug)]
pub(crate) enum Canonical<'a> {
    Null,
    Bool(bool),
    Int(i128),
    Float(f64),
    String(Cow<'a, str>),
    Array(Vec<Canonical<'a>>),
    Object(Vec<(Key<'a>, Canonical<'a>)>),
    /// A value below [`MAX_DEPTH`], compact.
    Deep(String),
}

impl<'a> Canonical<'a> {
    /// Reads `json`; `None` when it is no JSON.
    pub(crate) fn parse(json: &'a str) -> Option<Self> {
        let mut deserializer = serde_json::Deserializer::from_str(json);
        let value = AtDepth(0).deserialize(&mut deserializer).ok()?;
        deserializer.end().ok()?;
        Some(value)
    }
}

impl PartialEq for Canonical<'_> {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Null, Self::Null) => true,
            (Self::Bool(one), Self::Bool(two)) => one == two,
            (Self::Int(one), Self::Int(two)) => one == two,
            (Self::Float(one), Self::Float(two)) => one == two,
            #[expect(clippy::cast_precision_loss, reason = "compared with a number read as one")]
            (Self::Int(int), Self::Float(float)) | (Self::Float(float), Self::Int(int)) => {
                *int as f64 == *float
            }
            (Self::String(one), Self::String(two)) => one == two,
            (Self::Array(one), Self::Array(two)) => one == two,
            (Self::Object(one), Self::Object(two)) => one == two,
            (Self::Deep(one), Self::Deep(two)) => one == two,
            _ => false,
        }
    }
}

/// Reads a [`Canonical`] that lies this deep.
#[derive(Clone, Copy)]
struct AtDepth(usize);

impl<'de> DeserializeSeed<'de> for AtDepth {
    type Value = Canonical<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        if self.0 < MAX_DEPTH {
            return deserializer.deserialize_any(self);
        }
        let raw = <&RawValue>::deserialize(deserializer)?;
        Ok(Canonical::Deep(compact(raw.get()).0))
    }
}

impl<'de> Visitor<'de> for AtDepth {
    type Value = Canonical<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Canonical::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Canonical::Bool(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Self::Value, E> {
        Ok(Canonical::Int(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Self::Value, E> {
        Ok(Canonical::Int(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Self::Value, E> {
        Ok(Canonical::Float(value))
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Self::Value, E> {
        Ok(Canonical::String(Cow::Borrowed(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
        Ok(Canonical::String(Cow::Owned(value.to_owned())))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut array = Vec::new();
        while let Some(item) = items.next_element_seed(AtDepth(self.0 + 1))? {
            array.push(item);
        }
        Ok(Canonical::Array(array))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut object = Vec::new();
        while let Some(key) = members.next_key::<Key<'de>>()? {
            object.push((key, members.next_value_seed(AtDepth(self.0 + 1))?));
        }
        // The sort is stable: of equal keys the last of the source comes first once reversed.
        object.reverse();
        object.sort_by(|one, two| one.0.cmp(&two.0));
        object.dedup_by(|later, first| later.0 == first.0);
        Ok(Canonical::Object(object))
    }
}
