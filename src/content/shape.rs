//! The shape of a JSON value: scalars as they are, arrays and objects as their reader wants them.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{self, Deserialize, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde_json::value::RawValue;

/// A JSON value read in one pass, its strings borrowed where they have no escapes.
///
/// Arrays are read as an `A` and objects as an `O`; by default both are passed over, whatever
/// their size and depth.
#[derive(Debug)]
pub(crate) enum Shape<'a, A = Skipped, O = Skipped> {
    Null,
    Bool(bool),
    Number,
    String(Cow<'a, str>),
    Array(A),
    Object(O),
}

impl<'a, A, O> Shape<'a, A, O> {
    /// The string, if it is one.
    pub(crate) fn string(self) -> Option<Cow<'a, str>> {
        if let Self::String(text) = self { Some(text) } else { None }
    }

    /// The string, if it is one, as it lies here.
    pub(crate) fn as_str(&self) -> Option<&str> {
        if let Self::String(text) = self { Some(text) } else { None }
    }

    /// The object, if it is one.
    pub(crate) fn object(self) -> Option<O> {
        if let Self::Object(object) = self { Some(object) } else { None }
    }

    /// Whether it is `null`.
    pub(crate) fn is_null(&self) -> bool {
        matches!(self, Self::Null)
    }
}

/// What can be read from the items of an array.
pub(crate) trait FromItems<'de>: Sized {
    /// Reads the items, to the last.
    fn from_items<S: SeqAccess<'de>>(items: S) -> Result<Self, S::Error>;
}

/// What can be read from the members of an object.
pub(crate) trait FromMembers<'de>: Sized {
    /// Reads the members, to the last.
    fn from_members<M: MapAccess<'de>>(members: M) -> Result<Self, M::Error>;
}

/// An array or an object that was passed over.
#[derive(Debug)]
pub(crate) struct Skipped;

impl<'de> FromItems<'de> for Skipped {
    fn from_items<S: SeqAccess<'de>>(mut items: S) -> Result<Self, S::Error> {
        while items.next_element::<IgnoredAny>()?.is_some() {}
        Ok(Self)
    }
}

impl<'de> FromMembers<'de> for Skipped {
    fn from_members<M: MapAccess<'de>>(mut members: M) -> Result<Self, M::Error> {
        while members.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
        Ok(Self)
    }
}

impl<'de, T: Deserialize<'de>> FromItems<'de> for Vec<T> {
    fn from_items<S: SeqAccess<'de>>(mut items: S) -> Result<Self, S::Error> {
        let mut read = Self::new();
        while let Some(item) = items.next_element()? {
            read.push(item);
        }
        Ok(read)
    }
}

impl<'de: 'a, 'a, A: FromItems<'de>, O: FromMembers<'de>> Deserialize<'de> for Shape<'a, A, O> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ShapeVisitor(PhantomData))
    }
}

struct ShapeVisitor<'a, A, O>(PhantomData<Shape<'a, A, O>>);

impl<'de: 'a, 'a, A: FromItems<'de>, O: FromMembers<'de>> Visitor<'de> for ShapeVisitor<'a, A, O> {
    type Value = Shape<'a, A, O>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any value")
    }

    fn visit_unit<E>(self) -> Result<Self::Value, E> {
        Ok(Shape::Null)
    }

    fn visit_bool<E>(self, value: bool) -> Result<Self::Value, E> {
        Ok(Shape::Bool(value))
    }

    fn visit_u64<E>(self, _: u64) -> Result<Self::Value, E> {
        Ok(Shape::Number)
    }

    fn visit_i64<E>(self, _: i64) -> Result<Self::Value, E> {
        Ok(Shape::Number)
    }

    fn visit_f64<E>(self, _: f64) -> Result<Self::Value, E> {
        Ok(Shape::Number)
    }

    fn visit_borrowed_str<E>(self, value: &'de str) -> Result<Self::Value, E> {
        Ok(Shape::String(Cow::Borrowed(value)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Self::Value, E> {
        Ok(Shape::String(Cow::Owned(value.to_owned())))
    }

    fn visit_seq<S: SeqAccess<'de>>(self, items: S) -> Result<Self::Value, S::Error> {
        A::from_items(items).map(Shape::Array)
    }

    fn visit_map<M: MapAccess<'de>>(self, members: M) -> Result<Self::Value, M::Error> {
        O::from_members(members).map(Shape::Object)
    }
}

/// The members of an object, each as it is spelled.
#[derive(Debug)]
pub(crate) struct Members<'a>(Vec<(Key<'a>, &'a RawValue)>);

impl<'a> Members<'a> {
    /// What the only member is, if there is just one, repeated or not.
    pub(crate) fn only(&self) -> Option<&'a str> {
        let ((key, last), others) = self.0.split_last()?;
        others.iter().all(|(other, _)| other == key).then(|| last.get())
    }

    /// What the last member `key` is.
    pub(crate) fn last(&self, key: &str) -> Option<&'a str> {
        self.0.iter().rev().find_map(|(name, raw)| (name.0 == key).then(|| raw.get()))
    }
}

impl<'de> FromMembers<'de> for Members<'de> {
    fn from_members<M: MapAccess<'de>>(mut members: M) -> Result<Self, M::Error> {
        let mut read = Vec::new();
        while let Some(member) = members.next_entry()? {
            read.push(member);
        }
        Ok(Self(read))
    }
}

/// A key of an object, borrowed where it has no escapes.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Key<'a>(pub(crate) Cow<'a, str>);

impl<'de: 'a, 'a> Deserialize<'de> for Key<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match <Shape<'de>>::deserialize(deserializer)?.string() {
            Some(key) => Ok(Self(key)),
            None => Err(de::Error::custom("expected a string as key")),
        }
    }
}
