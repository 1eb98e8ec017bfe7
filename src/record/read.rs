//! Reading back: what the model's tools answer.

use bytestring::ByteString;
use serde_json::Value;

use super::arguments::{DEFAULT_PAGE, ListRequest, ReadRequest, Scope};
use super::find::Searcher;
use super::handle::{handle, is_printable};
use super::page::{MAX_PAGE, page_of};
use super::recall_args::RecallArgs;
use super::record::{Meta, RecordId};
use super::refusal::ReadRefusal;
use super::selection::{Part, part_of};
use super::store::{Listed, Store};
use crate::image::hex;
use crate::notice;

/// What is left of a host's bound or a turn's budget for the line in front of a page.
const ANSWER_MARGIN: usize = 600;
/// Less room than this is none.
const MIN_ROOM: usize = 400;

/// Reads records back for the model of one session.
///
/// Answers are never recorded: the calls of `get_full_tool_result` and `recall` are known by name.
///
/// ```
/// use std::sync::Arc;
/// use slotledger::content::{Call, wire::data};
/// use slotledger::record::store::{MemoryStore, Retention};
/// use slotledger::{Config, Engine};
///
/// let store = Arc::new(MemoryStore::new(Retention::default()));
/// let engine = Engine::new(Config::default().with_cap(1_000)?).with_store(store);
/// let mut session = engine.session_named("s1");
/// let text = format!("\"{}the end\"", "line\\n".repeat(1_000));
/// session.ingest(&Call::new("c1", "bash"), &data::read(&text.into_bytes().into())?);
///
/// let reader = session.reader().expect("a store");
/// let answer = reader.get_full_tool_result(r#"{"toolCallId":"c1","startChar":5000}"#)?;
/// assert_eq!(answer.text, "the end");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Reader<'s> {
    searcher: Searcher<'s>,
    room: Option<usize>,
}

/// An answer of `get_full_tool_result`: a line of JSON and a page.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ReadAnswer {
    /// What is said of the page, its keys in order.
    pub head: Vec<(&'static str, Value)>,
    /// The page, unescaped.
    pub text: ByteString,
    /// The record it is of.
    pub meta: Meta,
    /// Where it lies in the record's text, in the record's unit; `None` for what was made of it.
    pub range: Option<(usize, usize)>,
}

impl ReadAnswer {
    /// The answer as the model reads it: the line, a line break, the page.
    pub fn to_text(&self) -> String {
        format!("{}\n{}", object(&self.head), self.text)
    }
}

/// A list of `list_tool_results`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct ListAnswer {
    /// One object a record, the newest first.
    pub results: Vec<Vec<(&'static str, Value)>>,
    /// What to pass as `before` for the next, if there are more.
    pub next: Option<u64>,
}

impl ListAnswer {
    /// The list as the model reads it: a head line, then a line a record.
    pub fn to_text(&self) -> String {
        let next = self.next.map(|next| ("next", next.into()));
        let head: Vec<(&str, Value)> =
            [("count", self.results.len().into())].into_iter().chain(next).collect();
        let lines = self.results.iter().map(|result| object(result));
        [object(&head)].into_iter().chain(lines).collect::<Vec<_>>().join("\n")
    }
}

/// The fields of an object as compact JSON, in their order.
fn object(fields: &[(&str, Value)]) -> String {
    let fields = fields.iter().map(|(key, value)| format!("\"{key}\":{value}"));
    format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
}

impl<'s> Reader<'s> {
    /// Reads for `session`, which may read its own records only.
    pub fn new(store: &'s dyn Store, session: &'s str) -> Self {
        Self { searcher: Searcher { store, session, reads_others: false }, room: None }
    }

    /// The same, allowed to read the records of other sessions.
    #[must_use]
    pub fn reading_others(mut self) -> Self {
        self.searcher.reads_others = true;
        self
    }

    /// The same for a host that takes at most `bound` of one result, or whose turn has that much
    /// left.
    #[must_use]
    pub fn within(mut self, bound: usize) -> Self {
        let room = bound.saturating_sub(ANSWER_MARGIN);
        self.room = Some(self.room.map_or(room, |before| before.min(room)));
        self
    }

    /// Answers a call of `get_full_tool_result`; `arguments` is its object as JSON text.
    ///
    /// # Errors
    ///
    /// The reason why there is no page.
    pub fn get_full_tool_result(&self, arguments: &str) -> Result<ReadAnswer, ReadRefusal> {
        let request = ReadRequest::parse(arguments)?;
        let length = self.length(request.length)?;
        let meta = self.searcher.find(&request.id, &request.scope, request.tool.as_ref())?;
        self.answer(&meta, &request, length)
    }

    /// Answers a call of `recall`; `arguments` is their raw text, of any form.
    ///
    /// # Errors
    ///
    /// When nothing is named; or of one that is named, the reason why there is no page. Of several
    /// each has its own section.
    pub fn recall(&self, arguments: &str) -> Result<String, ReadRefusal> {
        let RecallArgs { keys, call_ids } = RecallArgs::parse(arguments);
        let keys = keys.iter().map(|key| ByteString::from(key.to_string()));
        let asked: Vec<ByteString> = keys.chain(call_ids).collect();
        match asked.as_slice() {
            [] => Err(ReadRefusal::NothingToRecall),
            [id] => self.first_page(id, DEFAULT_PAGE).map(|answer| answer.to_text()),
            several => {
                let room = self.length(MAX_PAGE)? / several.len();
                let sections = several.iter().map(|id| {
                    let page = self.first_page(id, room.max(1));
                    let (name, said) = match page {
                        Ok(answer) => (answer.meta.key().marker(), answer.to_text()),
                        Err(refusal) => (notice::asked(id), refusal.notice()),
                    };
                    format!("{}\n{said}", notice::recall_section(&name))
                });
                Ok(sections.collect::<Vec<_>>().join("\n"))
            }
        }
    }

    /// Answers a call of `list_tool_results`; `arguments` is its object as JSON text.
    ///
    /// # Errors
    ///
    /// The reason why there is no list.
    pub fn list_tool_results(&self, arguments: &str) -> Result<ListAnswer, ReadRefusal> {
        let request = ListRequest::parse(arguments)?;
        let sessions = self.searcher.sessions(&request.scope)?;
        let before = request.before.map(RecordId);
        let listed = self
            .searcher
            .store
            .list(sessions, request.tool.as_deref(), before, request.limit + 1)
            .map_err(|error| ReadRefusal::of_store(&error))?;
        let has_more = listed.len() > request.limit;
        let shown: Vec<Listed> = listed.into_iter().take(request.limit).collect();
        let next = shown.last().filter(|_| has_more).map(|last| last.meta.id.0);
        Ok(ListAnswer { results: shown.iter().map(|listed| self.line(listed)).collect(), next })
    }

    fn line(&self, Listed { meta, age }: &Listed) -> Vec<(&'static str, Value)> {
        let mut line = Vec::new();
        let mut say = |key: &'static str, value: Value| line.push((key, value));
        say("toolCallId", handle(meta).into());
        if is_printable(&meta.tool) {
            say("toolName", meta.tool.as_ref().into());
        }
        if meta.session != self.searcher.session && is_printable(&meta.session) {
            say("sessionId", meta.session.as_ref().into());
        }
        say("size", meta.total_len().into());
        say("unit", meta.unit.name().into());
        say("type", meta.content_type.as_ref().into());
        say("age", (*age).into());
        say("slots", meta.slots.into());
        if meta.nth > 1 {
            say("nth", meta.nth.into());
        }
        if let Some(gone) = meta.gone {
            say("gone", gone.as_str().into());
        }
        line
    }

    /// The length of a page: what was asked for, as far as there is room.
    fn length(&self, asked: usize) -> Result<usize, ReadRefusal> {
        match self.room {
            Some(room) if room < MIN_ROOM => Err(ReadRefusal::NoRoom),
            Some(room) => Ok(asked.min(room)),
            None => Ok(asked),
        }
    }

    fn first_page(&self, id: &ByteString, length: usize) -> Result<ReadAnswer, ReadRefusal> {
        let meta = self.searcher.find(id, &Scope::Default, None)?;
        let request = ReadRequest::whole(id.clone());
        self.answer(&meta, &request, self.length(length)?)
    }

    fn answer(
        &self,
        meta: &Meta,
        request: &ReadRequest,
        length: usize,
    ) -> Result<ReadAnswer, ReadRefusal> {
        if request.item.is_none() && request.grep.is_none() {
            let page = page_of(self.searcher.store, meta, request.start, length)
                .map_err(|error| ReadRefusal::of_store(&error))?;
            let total = meta.total_len();
            let out_of_range = ReadRefusal::OutOfRange { start: request.start, total };
            let page = page.ok_or(out_of_range)?;
            let part = Part {
                total,
                start: page.start,
                end: page.end,
                item_start: None,
                matches: None,
                next: page.next(),
                text: page.text,
                is_verbatim: true,
            };
            return Ok(self.answered(meta, part));
        }
        let part = part_of(self.searcher.store, meta, request, length)?;
        Ok(self.answered(meta, part))
    }

    fn answered(&self, meta: &Meta, part: Part) -> ReadAnswer {
        let mut head = Vec::new();
        let mut say = |key: &'static str, value: Value| head.push((key, value));
        say("toolCallId", handle(meta).into());
        if is_printable(&meta.tool) {
            say("toolName", meta.tool.as_ref().into());
        }
        if meta.session != self.searcher.session && is_printable(&meta.session) {
            say("sessionId", meta.session.as_ref().into());
        }
        if let Some(start) = part.item_start {
            say("itemStart", start.into());
        }
        if let Some(matches) = part.matches {
            say("matches", matches.into());
        }
        say("unit", meta.unit.name().into());
        say("totalLength", part.total.into());
        say("startChar", part.start.into());
        say("endChar", part.end.into());
        say("hasMore", part.next.is_some().into());
        if let Some(next) = part.next {
            say("nextStartChar", next.into());
        }
        say("sha256", hex(&meta.sha256).into());
        say("complete", meta.complete.into());
        let range = part.is_verbatim.then(|| {
            let from = part.item_start.unwrap_or_default();
            (from + part.start, from + part.end)
        });
        ReadAnswer { head, text: part.text, meta: meta.clone(), range }
    }
}
