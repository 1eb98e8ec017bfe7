//! The operations on records: reading back, and what a key or a text says.

use std::borrow::Cow;

use slotledger::record::store::MemoryStore;
use slotledger::record::{ContentKey, ReadRefusal, Reader, RecallArgs};
use slotledger::{Cap, Config, Session, record};

use super::answer::{Answer, Refusal};
use super::fields::{self, flag, unit, whole_number};
use super::request::Request;
use crate::record_json::{Members, PageJson, Refused};

/// What reads for a session; where no records are kept, there is nothing to be found.
pub(super) struct Desk<'s> {
    pub(super) session: &'s Session,
    pub(super) none: &'s MemoryStore,
}

impl Desk<'_> {
    fn reader(&self) -> Reader<'_> {
        self.session.reader().unwrap_or_else(|| Reader::new(self.none, ""))
    }

    /// `get_full_tool_result`: a page of a record.
    pub(super) fn get_full_tool_result<'l>(
        &self,
        request: &Request<'l>,
    ) -> Result<Answer<'l>, Refusal> {
        let arguments = arguments(request.required("args")?);
        let mut reader = self.reader();
        if let Some(json) = request.given("hostBound") {
            let bound = whole_number(json).filter(|&bound| bound >= Config::MIN_CAP);
            let expected = "a whole number from 1000, or null";
            let bound = bound.ok_or_else(|| Refusal::bad_field("hostBound", expected))?;
            reader = reader.within(Cap::new(bound, unit(request)?));
        }
        if flag(request, "allowSessions")? {
            reader = reader.reading_others();
        }
        Ok(match reader.get_full_tool_result(&arguments) {
            Ok(page) => Answer::Page { page: PageJson(Box::new(page)) },
            Err(refusal) => refused(&refusal),
        })
    }

    /// `recall`: records by key, marker or call id.
    pub(super) fn recall<'l>(&self, request: &Request<'l>) -> Result<Answer<'l>, Refusal> {
        Ok(match self.reader().recall(&arguments(request.required("args")?)) {
            Ok(text) => Answer::Text { text: Cow::Owned(text) },
            Err(refusal) => refused(&refusal),
        })
    }

    /// `list_tool_results`: what can be read back, the newest first.
    pub(super) fn list_tool_results<'l>(
        &self,
        request: &Request<'l>,
    ) -> Result<Answer<'l>, Refusal> {
        let arguments = request.given("args").map_or(Cow::Borrowed("{}"), arguments);
        let mut reader = self.reader();
        if flag(request, "allowSessions")? {
            reader = reader.reading_others();
        }
        Ok(match reader.list_tool_results(&arguments) {
            Ok(list) => Answer::List {
                results: list.results.into_iter().map(Members).collect(),
                next: list.next,
            },
            Err(refusal) => refused(&refusal),
        })
    }
}

/// Arguments as JSON text: some hosts have them as a string that holds it.
fn arguments(json: &str) -> Cow<'_, str> {
    fields::string(json).unwrap_or(Cow::Borrowed(json))
}

fn refused<'l>(refusal: &ReadRefusal) -> Answer<'l> {
    Answer::Refused { refused: Refused::of_read(refusal) }
}

/// `extract_keys`: the keys of the markers in a text.
pub(super) fn extract_keys<'l>(request: &Request<'l>) -> Result<Answer<'l>, Refusal> {
    let keys = record::extract_keys(&request.string("text")?);
    Ok(Answer::Keys { keys: words(&keys) })
}

/// `recall_args`: what raw arguments of `recall` name.
pub(super) fn recall_args<'l>(request: &Request<'l>) -> Result<Answer<'l>, Refusal> {
    let arguments = RecallArgs::parse(&request.string("text")?);
    let call_ids = arguments.call_ids.iter().map(ToString::to_string).collect();
    Ok(Answer::RecallArgs { keys: words(&arguments.keys), call_ids })
}

fn words(keys: &[ContentKey]) -> Vec<String> {
    keys.iter().map(ToString::to_string).collect()
}

/// `content_key`: the key of a full text.
pub(super) fn content_key<'l>(request: &Request<'l>) -> Result<Answer<'l>, Refusal> {
    Ok(Answer::Key { key: ContentKey::of(&request.string("text")?).to_string() })
}

/// `content_type`: what kind of text it is.
pub(super) fn content_type<'l>(request: &Request<'l>) -> Result<Answer<'l>, Refusal> {
    Ok(Answer::Type { r#type: record::content_type(&request.string("text")?) })
}
