//! A store of records as a plain list, in which everything is looked for from the front.

use sha2::{Digest as _, Sha256};

use super::content::Kind;
use super::page::{Page, Pages};
use crate::{Unit, length, units};

/// How long a session is spared once it was used, in milliseconds.
const LIVE: u64 = 24 * 3600 * 1000;
/// The latest time that is told from later ones, in milliseconds.
const LATEST: u64 = i64::MAX as u64 - 1;

/// What is done to a store, or asked of it. Times are in milliseconds since 1970.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Op {
    /// A record is put, at a time.
    Put(Given, u64),
    /// Records are looked for, in one session or in all.
    Find(Option<String>, Name),
    /// Records are listed.
    List {
        /// The session; `None` for all.
        session: Option<String>,
        /// The tool; `None` for all.
        tool: Option<String>,
        /// Only records older than this one.
        before: Option<u64>,
        /// At most so many.
        limit: usize,
    },
    /// A page of a record is read.
    Page {
        /// The record.
        id: u64,
        /// Where it starts, in the record's unit.
        start: usize,
        /// How long it is.
        len: usize,
    },
    /// What a record says of places is read.
    Places(u64),
    /// The text of a record is removed.
    Remove(u64),
    /// A session is removed.
    RemoveSession(String),
    /// A session is kept alive until a time.
    KeepAlive(String, u64),
    /// A sweep, at a time.
    Sweep(Limits, u64),
    /// A view was emitted.
    NoteView(View),
    /// A view is looked for: by session, call and SHA-256.
    View(String, String, [u8; 32]),
    /// What is held is counted.
    Usage,
    /// Everything is compared with what is known of it.
    Check,
    /// The store is opened anew.
    Reopen,
}

/// How a record is named.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Name {
    /// By the content key that this SHA-256 has.
    Key([u8; 32]),
    /// By its SHA-256.
    Sha256([u8; 32]),
    /// By its call id, as it is.
    CallId(String),
    /// By its call id, normalized.
    Normalized(String),
}

/// A record as it is put.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Given {
    /// Its session.
    pub session: String,
    /// Its call.
    pub call_id: String,
    /// The call's tool.
    pub tool: String,
    /// Whether it is an error.
    pub is_error: bool,
    /// Whether it is all there was.
    pub complete: bool,
    /// What its pages count.
    pub unit: Unit,
    /// Its full text.
    pub text: String,
    /// What it says of places in its text.
    pub places: Places,
}

/// Places in a text, in bytes.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Places {
    /// Its blocks.
    pub blocks: Vec<(Kind, usize, usize)>,
    /// What was shown of it.
    pub shown: Vec<(usize, usize)>,
    /// Its slots.
    pub slots: Vec<SlotPlace>,
}

/// A slot in a text.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SlotPlace {
    /// Where it starts and ends, in bytes.
    pub place: (usize, usize),
    /// Whether it was shown.
    pub shown: bool,
    /// Its ref.
    pub reference: Option<String>,
    /// Its media type.
    pub media_type: String,
}

/// A view that was emitted.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct View {
    /// The session that emitted it.
    pub session: String,
    /// The call it stands for.
    pub call_id: String,
    /// The SHA-256 of its text.
    pub sha256: [u8; 32],
    /// The record it was made from.
    pub record: u64,
    /// What it is.
    pub kind: String,
    /// Which part it shows.
    pub range: Option<(usize, usize)>,
}

/// How much is kept, and how long.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Limits {
    /// The most text of all records, in bytes.
    pub quota: u64,
    /// The longest text, in bytes.
    pub max_record: u64,
    /// The greatest age, in milliseconds.
    pub max_age: Option<u64>,
    /// The most records without text.
    pub max_gone: usize,
}

/// Why a text is gone.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Gone {
    /// It was too old.
    Age,
    /// There was too much.
    Quota,
    /// That was asked for.
    Request,
}

/// What is known of a record.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Row {
    /// Its place in the order of all.
    pub id: u64,
    /// Its session.
    pub session: String,
    /// Its call.
    pub call_id: String,
    /// Which of the call's records it is, from 1.
    pub nth: u32,
    /// The call's tool.
    pub tool: String,
    /// Whether it is an error.
    pub is_error: bool,
    /// Whether it is all there was.
    pub complete: bool,
    /// Whether it can be printed.
    pub plain: bool,
    /// What its pages count.
    pub unit: Unit,
    /// Its length in bytes, chars and UTF-16 units.
    pub lengths: [usize; 3],
    /// The number of its lines.
    pub lines: usize,
    /// Its SHA-256.
    pub sha256: [u8; 32],
    /// The number of its slots.
    pub slots: usize,
    /// When it was kept, in milliseconds.
    pub created: u64,
    /// Why its text is gone, if it is.
    pub gone: Option<Gone>,
}

/// What a store answers.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Answer {
    /// It was done.
    Done,
    /// A record.
    Row(Row),
    /// Records, the newest first.
    Rows(Vec<Row>),
    /// Records with their ages.
    Listed(Vec<(Row, usize)>),
    /// A page, unless it is past the end.
    Page(Option<Page>),
    /// Places.
    Places(Places),
    /// A view, if it is known.
    View(Option<View>),
    /// So many records were removed.
    Removed(usize),
    /// So many texts were swept, and so many bytes.
    Swept(usize, u64),
    /// What is held.
    Usage {
        /// Records with their text.
        records: usize,
        /// Records without.
        gone: usize,
        /// Bytes of text.
        bytes: u64,
        /// Sessions that have records.
        sessions: usize,
    },
    /// It was refused.
    Refused(Refusal),
}

/// Why something was refused.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Refusal {
    /// The text is over the limit of one record.
    TooLarge,
    /// What is live fills the quota.
    QuotaFull,
    /// There is no such record.
    NoSuchRecord,
    /// The text is gone.
    Gone(Gone),
}

/// Returns the SHA-256 of a text.
pub fn sha256(text: &str) -> [u8; 32] {
    Sha256::digest(text).into()
}

/// Returns an id as it is compared when no exact one fits.
pub fn normalized(id: &str) -> String {
    let kept = |unit: u16| match u8::try_from(unit) {
        Ok(byte) if byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-' => byte.into(),
        _ => '_',
    };
    units(id).into_iter().map(kept).take(64).collect()
}

/// The model of a store.
#[derive(Clone, Debug)]
pub struct Model {
    limits: Limits,
    last_id: u64,
    records: Vec<Kept>,
    /// Until when each session is live.
    sessions: Vec<(String, u64)>,
    views: Vec<View>,
}

#[derive(Clone, Debug)]
struct Kept {
    row: Row,
    given: Given,
}

impl Kept {
    fn bytes(&self) -> u64 {
        let [bytes, ..] = self.row.lengths;
        if self.row.gone.is_none() { bytes as u64 } else { 0 }
    }
}

impl Model {
    /// Nothing is kept yet.
    pub fn new(limits: Limits) -> Self {
        Self { limits, last_id: 0, records: Vec::new(), sessions: Vec::new(), views: Vec::new() }
    }

    /// The texts that are kept, each once.
    pub fn texts(&self) -> Vec<&str> {
        let kept = self.records.iter().filter(|kept| kept.row.gone.is_none());
        let mut texts: Vec<&str> = kept.map(|kept| kept.given.text.as_str()).collect();
        texts.sort_unstable();
        texts.dedup();
        texts
    }

    /// Does what is asked. A store is opened at a time `opened`.
    pub fn answer(&mut self, op: &Op, opened: u64) -> Answer {
        let answer = match op {
            Op::Put(given, at) => self.put(given, (*at).min(LATEST)).map(Answer::Row),
            Op::Find(session, name) => Ok(Answer::Rows(self.find(session.as_deref(), name))),
            Op::List { session, tool, before, limit } => {
                let mut listed = self.list(session.as_deref(), tool.as_deref());
                listed.retain(|(row, _)| before.is_none_or(|before| row.id < before));
                listed.truncate(*limit);
                Ok(Answer::Listed(listed))
            }
            Op::Page { id, start, len } => self.page(*id, *start, *len).map(Answer::Page),
            Op::Places(id) => self.known(*id).map(|at| {
                let Kept { given, .. } = &self.records[at];
                Answer::Places(given.places.clone())
            }),
            Op::Remove(id) => self.known(*id).map(|at| {
                let row = &mut self.records[at].row;
                row.gone = row.gone.or(Some(Gone::Request));
                Answer::Done
            }),
            Op::RemoveSession(session) => Ok(Answer::Removed(self.remove_session(session))),
            Op::KeepAlive(session, until) => {
                *self.live_until(session) = (*until).min(LATEST);
                Ok(Answer::Done)
            }
            Op::Sweep(limits, at) => {
                let (records, bytes) = self.sweep(limits, (*at).min(LATEST), 0, None);
                Ok(Answer::Swept(records, bytes))
            }
            Op::NoteView(view) => self.known(view.record).map(|_| {
                self.forget_views(|known| is_of(known, &view.session, &view.call_id, &view.sha256));
                self.live_until(&view.session);
                self.views.push(view.clone());
                Answer::Done
            }),
            Op::View(session, call_id, sha256) => {
                let mut views = self.views.iter();
                Ok(Answer::View(views.find(|view| is_of(view, session, call_id, sha256)).cloned()))
            }
            Op::Usage => Ok(self.usage()),
            // Nothing damages a list.
            Op::Check => Ok(Answer::Rows(Vec::new())),
            Op::Reopen => {
                let limits = self.limits.clone();
                self.sweep(&limits, opened, 0, None);
                Ok(Answer::Done)
            }
        };
        answer.unwrap_or_else(Answer::Refused)
    }

    fn put(&mut self, given: &Given, now: u64) -> Result<Row, Refusal> {
        let bytes = given.text.len() as u64;
        if bytes > self.limits.max_record {
            return Err(Refusal::TooLarge);
        }
        let known = self.same(given).map(|at| self.records[at].row.clone());
        let is_kept = known.as_ref().is_some_and(|row| row.gone.is_none());
        if !is_kept && self.bytes() + bytes > self.limits.quota {
            let is_live = |kept: &&Kept| {
                kept.row.session == given.session || self.is_live(&kept.row.session, now)
            };
            let live: u64 = self.records.iter().filter(is_live).map(Kept::bytes).sum();
            if live + bytes > self.limits.quota {
                return Err(Refusal::QuotaFull);
            }
            let limits = self.limits.clone();
            self.sweep(&limits, now, bytes, Some(&given.session));
        }
        let until = self.live_until(&given.session);
        *until = (*until).max(now.saturating_add(LIVE).min(LATEST));
        if let (Some(row), true) = (known, is_kept) {
            return Ok(row);
        }
        // A text has one unit in a session.
        let mut given = given.clone();
        let of_text =
            |kept: &&Kept| kept.given.session == given.session && kept.given.text == given.text;
        given.unit = self.records.iter().find(of_text).map_or(given.unit, |kept| kept.row.unit);
        let given = &given;
        // The sweep may have forgotten it.
        if let Some(at) = self.same(given) {
            let (id, nth) = (self.records[at].row.id, self.records[at].row.nth);
            self.records[at] = Kept { row: row(given, id, nth, now), given: given.clone() };
            return Ok(self.records[at].row.clone());
        }
        let of_call = self.records.iter().map(|kept| &kept.row);
        let of_call =
            of_call.filter(|row| row.session == given.session && row.call_id == given.call_id);
        let nth = of_call.map(|row| row.nth).max().unwrap_or(0) + 1;
        self.last_id += 1;
        let row = row(given, self.last_id, nth, now);
        self.records.push(Kept { row: row.clone(), given: given.clone() });
        Ok(row)
    }

    /// The record of the same session, call, tool, error flag and text.
    fn same(&self, given: &Given) -> Option<usize> {
        let name = |given: &Given| {
            let Given { session, call_id, tool, is_error, text, .. } = given.clone();
            (session, call_id, tool, is_error, text)
        };
        self.records.iter().position(|kept| name(&kept.given) == name(given))
    }

    fn known(&self, id: u64) -> Result<usize, Refusal> {
        self.records.iter().position(|kept| kept.row.id == id).ok_or(Refusal::NoSuchRecord)
    }

    fn find(&self, session: Option<&str>, name: &Name) -> Vec<Row> {
        let is_named = |row: &Row| match name {
            Name::Key(sha256) => row.sha256[..8] == sha256[..8],
            Name::Sha256(sha256) => row.sha256 == *sha256,
            Name::CallId(call_id) => row.call_id == *call_id,
            Name::Normalized(call_id) => normalized(&row.call_id) == normalized(call_id),
        };
        let listed = self.list(session, None).into_iter().map(|(row, _)| row);
        listed.filter(is_named).collect()
    }

    /// All records of a session or of all, the newest first, with their ages.
    fn list(&self, session: Option<&str>, tool: Option<&str>) -> Vec<(Row, usize)> {
        let mut rows: Vec<Row> = self.records.iter().map(|kept| kept.row.clone()).collect();
        rows.sort_by_key(|row| std::cmp::Reverse(row.id));
        let age = |row: &Row| {
            rows.iter().filter(|later| later.session == row.session && later.id > row.id).count()
        };
        let is_meant = |row: &&Row| {
            session.is_none_or(|session| row.session == session)
                && tool.is_none_or(|tool| normalized(&row.tool) == normalized(tool))
        };
        rows.iter().filter(is_meant).map(|row| (row.clone(), age(row))).collect()
    }

    fn page(&self, id: u64, start: usize, len: usize) -> Result<Option<Page>, Refusal> {
        let Kept { row, given } = &self.records[self.known(id)?];
        let page = Pages::new(&units(&given.text), given.unit).page(start, len);
        match (page, row.gone) {
            (Some(_), Some(why)) => Err(Refusal::Gone(why)),
            (page, _) => Ok(page),
        }
    }

    fn remove_session(&mut self, session: &str) -> usize {
        let of_session = self.records.iter().filter(|kept| kept.row.session == session);
        let ids: Vec<u64> = of_session.map(|kept| kept.row.id).collect();
        self.forget(&ids);
        self.forget_views(|view| view.session == session);
        self.sessions.retain(|(name, _)| name != session);
        ids.len()
    }

    /// Sweeps so that `room` more bytes fit, and says how many texts and bytes went.
    fn sweep(
        &mut self,
        limits: &Limits,
        now: u64,
        room: u64,
        spared: Option<&str>,
    ) -> (usize, u64) {
        let before = self.bytes();
        let is_over = before + room > limits.quota;
        let target = (limits.quota / 10 * 9).min(limits.quota.saturating_sub(room));
        let mut ids: Vec<(u64, u64)> =
            self.records.iter().map(|kept| (kept.row.created, kept.row.id)).collect();
        ids.sort_unstable();
        let mut swept = 0;
        for why in [Gone::Age, Gone::Quota] {
            for (created, id) in &ids {
                let at = self.known(*id).expect("a record");
                let row = &self.records[at].row;
                let is_meant = match why {
                    Gone::Age => {
                        limits.max_age.is_some_and(|age| *created < now.saturating_sub(age))
                    }
                    _ => is_over && self.bytes() > target,
                };
                let is_spared = self.is_live(&row.session, now) || spared == Some(&row.session);
                if row.gone.is_none() && is_meant && !is_spared {
                    self.records[at].row.gone = Some(why);
                    swept += 1;
                }
            }
        }
        let bytes = before - self.bytes();
        let gone = self.records.iter().filter(|kept| kept.row.gone.is_some());
        let mut gone: Vec<u64> = gone.map(|kept| kept.row.id).collect();
        gone.sort_unstable();
        gone.truncate(gone.len().saturating_sub(limits.max_gone));
        self.forget(&gone);
        self.forget_sessions(now);
        (swept, bytes)
    }

    fn forget(&mut self, ids: &[u64]) {
        self.records.retain(|kept| !ids.contains(&kept.row.id));
        self.forget_views(|view| ids.contains(&view.record));
    }

    fn forget_views(&mut self, is_meant: impl Fn(&View) -> bool) {
        self.views.retain(|view| !is_meant(view));
    }

    /// What is not live, and of which nothing is left, is not known any more.
    fn forget_sessions(&mut self, now: u64) {
        let (records, views) = (&self.records, &self.views);
        self.sessions.retain(|(name, until)| {
            let has_records = records.iter().any(|kept| kept.row.session == *name);
            *until > now || has_records || views.iter().any(|view| view.session == *name)
        });
    }

    /// Until when a session is live; one that is not known becomes so.
    fn live_until(&mut self, session: &str) -> &mut u64 {
        let known = self.sessions.iter().position(|(name, _)| name == session);
        let at = known.unwrap_or_else(|| {
            self.sessions.push((session.to_owned(), 0));
            self.sessions.len() - 1
        });
        &mut self.sessions[at].1
    }

    fn is_live(&self, session: &str, now: u64) -> bool {
        self.sessions.iter().any(|(name, until)| name == session && *until > now)
    }

    fn bytes(&self) -> u64 {
        self.records.iter().map(Kept::bytes).sum()
    }

    fn usage(&self) -> Answer {
        let gone = self.records.iter().filter(|kept| kept.row.gone.is_some()).count();
        let mut sessions: Vec<&str> =
            self.records.iter().map(|kept| kept.row.session.as_str()).collect();
        sessions.sort_unstable();
        sessions.dedup();
        let (records, bytes) = (self.records.len() - gone, self.bytes());
        Answer::Usage { records, gone, bytes, sessions: sessions.len() }
    }
}

fn is_of(view: &View, session: &str, call_id: &str, sha256: &[u8; 32]) -> bool {
    view.session == session && view.call_id == call_id && view.sha256 == *sha256
}

fn row(given: &Given, id: u64, nth: u32, created: u64) -> Row {
    let text = units(&given.text);
    Row {
        id,
        session: given.session.clone(),
        call_id: given.call_id.clone(),
        nth,
        tool: given.tool.clone(),
        is_error: given.is_error,
        complete: given.complete,
        plain: is_plain(&text),
        unit: given.unit,
        lengths: [Unit::Bytes, Unit::Chars, Unit::Utf16].map(|unit| length(&text, unit)),
        lines: lines(&text),
        sha256: sha256(&given.text),
        slots: given.places.slots.len(),
        created,
        gone: None,
    }
}

const LF: u16 = 0x0A;

fn lines(text: &[u16]) -> usize {
    let ended = text.iter().filter(|&&unit| unit == LF).count();
    ended + usize::from(text.last().is_some_and(|&unit| unit != LF))
}

/// Whether a text has no control character but tab, LF, and CR before LF.
fn is_plain(text: &[u16]) -> bool {
    (0..text.len()).all(|at| match text[at] {
        0x09 | LF => true,
        0x0D => text.get(at + 1) == Some(&LF),
        0..0x20 | 0x7F..0xA0 => false,
        _ => true,
    })
}
