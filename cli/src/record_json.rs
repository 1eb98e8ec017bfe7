//! Records and what is read of them, as JSON.

use std::time::SystemTime;

use serde::Serialize;
use serde::ser::{SerializeMap as _, Serializer};
use serde_json::Value;
use slotledger::record::store::Listed;
use slotledger::record::{Meta, ReadAnswer, ReadRefusal};

use crate::image_json::Hex;

/// Members in their order.
#[derive(Debug)]
pub(crate) struct Members(pub(crate) Vec<(&'static str, Value)>);

impl Serialize for Members {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(key, value)| (key, value)))
    }
}

/// A page: what is said of it, and its text.
#[derive(Debug)]
pub(crate) struct PageJson(pub(crate) Box<ReadAnswer>);

impl Serialize for PageJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut page = serializer.serialize_map(None)?;
        for (key, value) in &self.0.head {
            page.serialize_entry(key, value)?;
        }
        page.serialize_entry("text", &*self.0.text)?;
        page.end()
    }
}

/// Why an operation was refused: an answer, and no error.
#[derive(Debug, Serialize)]
pub(crate) struct Refused {
    pub(crate) reason: &'static str,
    pub(crate) message: String,
}

impl Refused {
    pub(crate) fn of_read(refusal: &ReadRefusal) -> Self {
        Self { reason: refusal.reason(), message: refusal.notice() }
    }
}

/// What is known of a record; its age where it is one of a list.
#[derive(Debug)]
pub(crate) struct RecordJson<'a> {
    meta: &'a Meta,
    age: Option<usize>,
}

impl<'a> From<&'a Meta> for RecordJson<'a> {
    fn from(meta: &'a Meta) -> Self {
        Self { meta, age: None }
    }
}

impl<'a> From<&'a Listed> for RecordJson<'a> {
    fn from(Listed { meta, age }: &'a Listed) -> Self {
        Self { meta, age: Some(*age) }
    }
}

impl Serialize for RecordJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { meta, age } = self;
        let mut record = serializer.serialize_map(None)?;
        record.serialize_entry("toolCallId", &meta.handle())?;
        if !meta.tool.is_empty() {
            record.serialize_entry("toolName", &*meta.tool)?;
        }
        record.serialize_entry("size", &meta.total_len())?;
        record.serialize_entry("unit", meta.unit.name())?;
        record.serialize_entry("bytes", &meta.sizes.bytes)?;
        record.serialize_entry("type", &*meta.content_type)?;
        if let Some(age) = age {
            record.serialize_entry("age", age)?;
        }
        record.serialize_entry("slots", &meta.slots)?;
        record.serialize_entry("nth", &meta.nth)?;
        record.serialize_entry("isError", &meta.is_error)?;
        record.serialize_entry("complete", &meta.complete)?;
        if let Some(gone) = meta.gone {
            record.serialize_entry("gone", gone.as_str())?;
        }
        record.serialize_entry("key", &meta.key().to_string())?;
        record.serialize_entry("sha256", &Hex(&meta.sha256).to_string())?;
        record.serialize_entry("createdAt", &time(meta.created))?;
        record.serialize_entry("session", &*meta.session)?;
        record.serialize_entry("callId", &*meta.call_id)?;
        record.end()
    }
}

/// A time in UTC: `2026-11-30T18:05:00.123Z`; nothing where no calendar goes that far.
fn time(time: SystemTime) -> Option<String> {
    jiff::Timestamp::try_from(time).ok().map(|time| format!("{time:.3}"))
}
