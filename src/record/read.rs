//! Reading back: what the model's tools answer.

use bytestring::ByteString;
use serde_json::Value;

use super::answers::Answers;
use super::arguments::{ListRequest, ReadRequest, Scope};
use super::find::Searcher;
use super::handle::is_printable;
use super::page::MAX_PAGE;
use super::recall_args::RecallArgs;
use super::record::{Meta, RecordId};
use super::refusal::ReadRefusal;
use super::selection::{Part, part_of};
use super::store::{By, Listed, Sessions, Store};
use crate::image::hex;
use crate::notice;
use crate::text::{Cap, Unit};

/// How much of the room is for the line in front of a page.
const MARGIN: usize = 600;
/// Less room for a page than this is none.
const MIN_ROOM: usize = 400;
/// The least that an answer with a page takes.
const LEAST: usize = MARGIN + MIN_ROOM;
/// The longest answer, in the record's unit: a page and its line.
pub(crate) const MAX_ANSWER: usize = MAX_PAGE + MARGIN;

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
/// let engine = Engine::new(Config::default().with_cap(1_000)?).with_store(store)?;
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
    /// The longest answer that the host takes, its line included, in each unit.
    bounds: [Cap; 3],
    answers: Option<&'s Answers>,
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
    /// Where the page lies in the record's text, in the record's unit; `None` for a search or an
    /// outline, which are made of it.
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

/// One of several results that are recalled.
fn section(name: &str, said: &str) -> String {
    format!("{}\n{said}", notice::recall_section(name))
}

/// The fields of an object as compact JSON, in their order.
fn object(fields: &[(&str, Value)]) -> String {
    let fields = fields.iter().map(|(key, value)| format!("\"{key}\":{value}"));
    format!("{{{}}}", fields.collect::<Vec<_>>().join(","))
}

impl<'s> Reader<'s> {
    /// Reads for `session`, which may read its own records only.
    pub fn new(store: &'s dyn Store, session: &'s str) -> Self {
        let searcher = Searcher { store, session, reads_others: false };
        Self { searcher, bounds: [Cap::NONE; 3], answers: None }
    }

    /// The same, which remembers in `answers` what it has answered.
    pub(crate) fn remembering(self, answers: &'s Answers) -> Self {
        Self { answers: Some(answers), ..self }
    }

    /// The same, allowed to read the records of other sessions.
    #[must_use]
    pub fn reading_others(mut self) -> Self {
        self.searcher.reads_others = true;
        self
    }

    /// The same for a host that takes at most this much of one result uncut, or whose turn has that
    /// much left. Of several the least counts, in each unit.
    ///
    /// No answer is longer. Where less than 1,000 is left, there is no room for a page.
    #[must_use]
    pub fn within(mut self, bound: Cap) -> Self {
        let least = |known: Cap| known.limit().is_none_or(|known| bound.limit() < Some(known));
        if bound.limit().is_some()
            && let Some(known) = self.bounds.get_mut(bound.unit() as usize)
            && least(*known)
        {
            *known = bound;
        }
        self
    }

    /// The host's bounds; where it has none, that of every answer.
    fn limits(&self) -> Vec<(usize, Unit)> {
        let bounds = self.bounds.iter();
        let limits = bounds.filter_map(|bound| Some((bound.limit()?, bound.unit())));
        let limits: Vec<(usize, Unit)> = limits.collect();
        if limits.is_empty() { vec![(MAX_ANSWER, Unit::Utf16)] } else { limits }
    }

    /// The longest answer in `unit`, by the host's bounds.
    fn room_in(&self, unit: Unit) -> usize {
        let bounds = self.bounds.iter().filter_map(|bound| {
            // As many as fit, whatever they are.
            bound.limit().map(|limit| limit / unit.most_in(bound.unit()))
        });
        bounds.fold(MAX_ANSWER, usize::min)
    }

    /// Answers a call of `get_full_tool_result`; `arguments` is its object as JSON text.
    ///
    /// # Errors
    ///
    /// The reason why there is no page.
    pub fn get_full_tool_result(&self, arguments: &str) -> Result<ReadAnswer, ReadRefusal> {
        let request = ReadRequest::parse(arguments)?;
        let meta = self.searcher.find(&request.id, &request.scope, request.tool.as_ref())?;
        let answer = self.answer(&meta, &request)?;
        self.remember(&answer);
        Ok(answer)
    }

    /// Answers a call of `recall`; `arguments` is their raw text, of any form.
    ///
    /// One record is answered as [`get_full_tool_result`](Self::get_full_tool_result) does. Of
    /// several each has a section: its first page, or why there is none.
    ///
    /// # Errors
    ///
    /// When nothing is named; or of one that is named, the reason why there is no page.
    pub fn recall(&self, arguments: &str) -> Result<String, ReadRefusal> {
        let RecallArgs { keys, call_ids } = RecallArgs::parse(arguments);
        let keys = keys.iter().map(|key| ByteString::from(key.marker()));
        let asked: Vec<ByteString> = keys.chain(call_ids).collect();
        match asked.as_slice() {
            [] => Err(ReadRefusal::NothingToRecall),
            [id] => {
                let answer = self.first_page(id)?;
                self.remember(&answer);
                Ok(answer.to_text())
            }
            several => self.sections(several),
        }
    }

    /// The first page of each of several, the room shared among those that are left.
    fn sections(&self, asked: &[ByteString]) -> Result<String, ReadRefusal> {
        // What says that there are more has room in any case.
        let mut left = self.limits();
        for (limit, _) in &mut left {
            *limit = limit.saturating_sub(MIN_ROOM);
        }
        let is_small = |left: &[(usize, Unit)]| left.iter().any(|(len, _)| *len < LEAST);
        if is_small(&left) {
            return Err(ReadRefusal::NoRoom);
        }
        let mut sections: Vec<String> = Vec::new();
        for (at, id) in asked.iter().enumerate() {
            let unanswered = asked.len() - at;
            // Before a page is read for which there is no room.
            if is_small(&left) {
                sections.push(notice::not_recalled(unanswered));
                break;
            }
            let share = |reader: Self, (len, unit): &(usize, Unit)| {
                reader.within(Cap::new((len / unanswered).max(LEAST), *unit))
            };
            let section = match left.iter().fold(*self, share).first_page(id) {
                // The line of a page has room for that of its section.
                Ok(answer) => section(&answer.meta.key().marker(), &answer.to_text()),
                Err(refusal) => {
                    let is_marker = id.starts_with("<<");
                    let name = if is_marker { id.to_string() } else { notice::asked_id(id) };
                    section(&name, &refusal.notice())
                }
            };
            let fits = |(len, unit): &(usize, Unit)| unit.len_of(&section) < *len;
            if !left.iter().all(fits) {
                sections.push(notice::not_recalled(unanswered));
                break;
            }
            for (len, unit) in &mut left {
                *len -= unit.len_of(&section) + 1;
            }
            sections.push(section);
        }
        Ok(sections.join("\n"))
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
        let mut results = Vec::new();
        let mut left = self.room_in(Unit::Byte).saturating_sub(MIN_ROOM);
        let mut last = None;
        for listed in listed.iter().take(request.limit) {
            let line = self.line(listed);
            match left.checked_sub(object(&line).len() + 1) {
                Some(rest) => left = rest,
                None if results.is_empty() => return Err(ReadRefusal::NoRoom),
                None => break,
            }
            last = Some(listed.meta.id.0);
            results.push(line);
        }
        let next = last.filter(|_| results.len() < listed.len());
        Ok(ListAnswer { results, next })
    }

    fn line(&self, Listed { meta, age }: &Listed) -> Vec<(&'static str, Value)> {
        let mut line = self.names(meta);
        let mut say = |key: &'static str, value: Value| line.push((key, value));
        say("size", meta.total_len().into());
        say("unit", meta.unit.name().into());
        say("type", (&*meta.content_type).into());
        say("age", (*age).into());
        say("slots", meta.slots.into());
        if meta.nth > 1 {
            say("nth", meta.nth.into());
        }
        if let Some(gone) = meta.gone {
            say("gone", gone.as_str().into());
        }
        if self.is_shared(meta) {
            say("key", meta.key().to_string().into());
        }
        line
    }

    /// Whether the handle of a record is a call id that a later record has too: it then reaches a
    /// list of them, and only the key reaches the record.
    fn is_shared(&self, meta: &Meta) -> bool {
        let by = By::CallId(&meta.call_id);
        let is_other = |other: &Meta| other.id != meta.id;
        meta.nth == 1
            && meta.handle() == *meta.call_id
            && self
                .searcher
                .store
                .find(Sessions::One(&meta.session), by)
                .is_ok_and(|found| found.iter().any(is_other))
    }

    /// How a record is called: its handle, its tool, and its session where that is another one.
    fn names(&self, meta: &Meta) -> Vec<(&'static str, Value)> {
        let mut names = vec![("toolCallId", meta.handle().into())];
        if is_printable(&meta.tool) {
            names.push(("toolName", (&*meta.tool).into()));
        }
        if meta.session != self.searcher.session && is_printable(&meta.session) {
            names.push(("sessionId", (&*meta.session).into()));
        }
        names
    }

    fn first_page(&self, id: &ByteString) -> Result<ReadAnswer, ReadRefusal> {
        let meta = self.searcher.of_own().find(id, &Scope::Default, None)?;
        self.answer(&meta, &ReadRequest::whole(id.clone()))
    }

    fn answer(&self, meta: &Meta, request: &ReadRequest) -> Result<ReadAnswer, ReadRefusal> {
        let room = self.room_in(meta.unit).saturating_sub(MARGIN);
        if room < MIN_ROOM {
            return Err(ReadRefusal::NoRoom);
        }
        let length = request.length.min(room);
        let part = part_of(self.searcher.store, meta, request, length)?;
        Ok(self.answered(meta, part))
    }

    fn answered(&self, meta: &Meta, part: Part) -> ReadAnswer {
        let mut head = self.names(meta);
        let mut say = |key: &'static str, value: Value| head.push((key, value));
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
        ReadAnswer { head, text: part.text, meta: meta.clone(), range: part.range }
    }

    fn remember(&self, answer: &ReadAnswer) {
        if let Some(answers) = self.answers {
            answers.remember(&answer.to_text(), answer.meta.id, answer.range);
        }
    }
}
