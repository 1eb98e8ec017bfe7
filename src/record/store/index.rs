//! What a store knows of its records without their texts, where that lies in memory.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::sync::Arc;
use std::time::SystemTime;

use bytestring::ByteString;

use super::contract::{
    By, EmittedView, LIVE, Listed, Places, Retention, Sessions, Usage, normalized,
};
use super::error::StoreError;
use super::measure::{Measured, millis};
use super::pieces::Marks;
use crate::record::key::ContentKey;
use crate::record::record::{Gone, Meta, Record, RecordId};

/// A change to what is known. Those of one call are applied together.
#[derive(Clone, Debug)]
pub(super) enum Change {
    /// A record was kept: a new one, or one that was gone.
    Kept(Box<Entry>),
    /// Texts were removed.
    Gone { ids: Vec<RecordId>, why: Gone },
    /// A session is live until then, in milliseconds.
    Live { session: ByteString, until: u64 },
    /// A view was emitted.
    View(EmittedView),
    /// Records are not remembered any more.
    Forgotten { ids: Vec<RecordId> },
    /// A session is not remembered any more.
    Removed { session: ByteString },
}

impl Change {
    pub(super) fn live(session: &str, until: SystemTime) -> Self {
        Self::Live { session: session.into(), until: millis(until) }
    }
}

/// What is known of one record.
#[derive(Clone, Debug)]
pub(super) struct Entry {
    pub(super) meta: Meta,
    pub(super) places: Places,
    pub(super) marks: Marks,
}

/// What has to happen for a record to be kept.
#[derive(Debug)]
pub(super) enum Plan {
    /// It is kept already; the changes keep its session live.
    Same(Meta, Vec<Change>),
    /// A sweep has to make room first.
    Sweep,
    /// The changes keep it.
    Keep(Meta, Vec<Change>),
}

#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Name {
    Call(ByteString),
    Normalized(String),
    Key(ContentKey),
    /// A call's result: its id, tool and error flag, and the SHA-256 of its text.
    Result(ByteString, ByteString, bool, [u8; 32]),
}

#[derive(Debug, Default)]
struct Session {
    live_until: u64,
    records: BTreeSet<RecordId>,
    views: HashSet<ViewKey>,
}

type ViewKey = (ByteString, ByteString, [u8; 32]);

/// Every look-up here is by a map.
#[derive(Debug, Default)]
pub(super) struct Index {
    /// The greatest id that was ever given.
    last_id: u64,
    entries: BTreeMap<RecordId, Arc<Entry>>,
    /// The records of a name, in one session and in all.
    named: HashMap<(Option<ByteString>, Name), BTreeSet<RecordId>>,
    sessions: HashMap<ByteString, Session>,
    /// The records that have their text, the oldest first.
    kept: BTreeSet<(u64, RecordId)>,
    gone: BTreeSet<RecordId>,
    /// How many records hold each text.
    holders: HashMap<[u8; 32], usize>,
    bytes: u64,
    views: HashMap<ViewKey, EmittedView>,
    views_of: HashMap<RecordId, HashSet<ViewKey>>,
}

fn names(meta: &Meta) -> [(Option<ByteString>, Name); 7] {
    let session = || Some(meta.session.clone());
    let call = Name::Call(meta.call_id.clone());
    let normalized = Name::Normalized(normalized(&meta.call_id));
    let key = Name::Key(meta.key());
    let (call_id, tool) = (meta.call_id.clone(), meta.tool.clone());
    let result = Name::Result(call_id, tool, meta.is_error, meta.sha256);
    [
        (session(), call.clone()),
        (None, call),
        (session(), normalized.clone()),
        (None, normalized),
        (session(), key.clone()),
        (None, key),
        (session(), result),
    ]
}

fn bytes_of(meta: &Meta) -> u64 {
    meta.sizes.bytes as u64
}

impl Index {
    pub(super) fn last_id(&self) -> u64 {
        self.last_id
    }

    /// Ids up to this one are never given again.
    pub(super) fn reserve(&mut self, id: u64) {
        self.last_id = self.last_id.max(id);
    }

    pub(super) fn entry(&self, id: RecordId) -> Result<&Arc<Entry>, StoreError> {
        self.entries.get(&id).ok_or(StoreError::NoSuchRecord)
    }

    /// The record, if it has its text.
    pub(super) fn kept(&self, id: RecordId) -> Result<&Arc<Entry>, StoreError> {
        let entry = self.entry(id)?;
        entry.meta.gone.map_or(Ok(entry), |why| Err(StoreError::Gone(why)))
    }

    /// All records that have their text, the first kept first.
    pub(super) fn all_kept(&self) -> Vec<RecordId> {
        let ids: BTreeSet<_> = self.kept.iter().map(|(_, id)| *id).collect();
        ids.into_iter().collect()
    }

    /// Whether any record holds the text.
    pub(super) fn holds(&self, sha256: &[u8; 32]) -> bool {
        self.holders.contains_key(sha256)
    }

    /// How many things are known.
    pub(super) fn len(&self) -> usize {
        self.entries.len() + self.sessions.len() + self.views.len()
    }

    /// The texts that `changes` take from a record each.
    pub(super) fn leaving(&self, changes: &[Change]) -> Vec<[u8; 32]> {
        let mut leaving = Vec::new();
        for change in changes {
            let ids: Vec<RecordId> = match change {
                Change::Gone { ids, .. } | Change::Forgotten { ids } => ids.clone(),
                Change::Removed { session } => {
                    let removed = self.sessions.get(session);
                    removed.into_iter().flat_map(|removed| &removed.records).copied().collect()
                }
                Change::Kept(_) | Change::Live { .. } | Change::View(_) => Vec::new(),
            };
            leaving.extend(ids.iter().filter_map(|id| Some(self.entries.get(id)?.meta.sha256)));
        }
        leaving
    }

    /// The texts that were found damaged.
    pub(super) fn damaged(&self) -> impl Iterator<Item = [u8; 32]> {
        let gone = self.gone.iter().filter_map(|id| self.entries.get(id));
        let is_damaged = |entry: &&Arc<Entry>| entry.meta.gone == Some(Gone::Damage);
        gone.filter(is_damaged).map(|entry| entry.meta.sha256)
    }

    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    fn is_live(&self, session: &ByteString, now: u64) -> bool {
        self.sessions.get(session).is_some_and(|session| session.live_until > now)
    }

    pub(super) fn plan_put(
        &self,
        record: &Record,
        measured: &Measured,
        retention: &Retention,
        now: SystemTime,
    ) -> Result<Plan, StoreError> {
        let bytes = measured.sizes.bytes as u64;
        if bytes > retention.max_record_bytes {
            return Err(StoreError::RecordTooLarge { max_bytes: retention.max_record_bytes });
        }
        let named = |name| self.of_name(Some(record.session.clone()), name);
        let (call_id, sha256) = (record.call_id.clone(), measured.sha256);
        // The newest has the greatest.
        let nth = named(Name::Call(call_id.clone())).next_back().map_or(0, |meta| meta.nth);
        let result = Name::Result(call_id, record.tool.clone(), record.is_error, sha256);
        let same = named(result).next();
        let until = millis(now.checked_add(LIVE).unwrap_or(now));
        let known_until = self.sessions.get(&record.session).map_or(0, |known| known.live_until);
        let live = Change::Live { session: record.session.clone(), until: until.max(known_until) };
        if let Some(meta) = same.filter(|meta| meta.gone.is_none()) {
            return Ok(Plan::Same(meta.clone(), vec![live]));
        }
        let now = millis(now);
        if self.bytes.saturating_add(bytes) > retention.quota_bytes {
            let spared =
                |meta: &&Meta| meta.session == record.session || self.is_live(&meta.session, now);
            let kept = self.kept.iter().filter_map(|(_, id)| self.entries.get(id));
            let live: u64 = kept.map(|entry| &entry.meta).filter(spared).map(bytes_of).sum();
            if live.saturating_add(bytes) > retention.quota_bytes {
                return Err(StoreError::QuotaFull { quota_bytes: retention.quota_bytes });
            }
            return Ok(Plan::Sweep);
        }
        let next = RecordId(self.last_id.saturating_add(1));
        let (id, nth) = same.map_or((next, nth.saturating_add(1)), |meta| (meta.id, meta.nth));
        // A text has one unit in a session: what was printed of it counts in that.
        let mut of_text = named(Name::Key(ContentKey::of_digest(&sha256)));
        let known = of_text.find(|known| known.sha256 == sha256);
        let unit = known.map_or(record.unit, |known| known.unit);
        let meta = Meta { unit, ..measured.meta(record, id, nth, now) };
        let entry = Entry {
            meta: meta.clone(),
            places: Places::of(record),
            marks: Marks::of(&record.text, unit),
        };
        Ok(Plan::Keep(meta, vec![live, Change::Kept(Box::new(entry))]))
    }

    /// What a sweep removes so that `room` more bytes fit, sparing live sessions and `spared`.
    pub(super) fn plan_sweep(
        &self,
        retention: &Retention,
        now: SystemTime,
        room: u64,
        spared: Option<&ByteString>,
    ) -> Vec<Change> {
        let now = millis(now);
        let max_age =
            retention.max_age.map(|age| u64::try_from(age.as_millis()).unwrap_or(u64::MAX));
        let oldest = max_age.map_or(0, |age| now.saturating_sub(age));
        let over = self.bytes.saturating_add(room) > retention.quota_bytes;
        let target =
            (retention.quota_bytes / 10 * 9).min(retention.quota_bytes.saturating_sub(room));
        let (mut aged, mut crowded) = (Vec::new(), Vec::new());
        let mut left = self.bytes;
        let removable: Vec<_> = self
            .kept
            .iter()
            .filter_map(|(created, id)| Some((*created, &self.entries.get(id)?.meta)))
            .filter(|(_, meta)| Some(&meta.session) != spared && !self.is_live(&meta.session, now))
            .collect();
        for (created, meta) in &removable {
            if *created < oldest {
                aged.push(meta.id);
                left = left.saturating_sub(bytes_of(meta));
            }
        }
        for (created, meta) in &removable {
            if over && *created >= oldest && left > target {
                crowded.push(meta.id);
                left = left.saturating_sub(bytes_of(meta));
            }
        }
        let remembered = self.gone.len() + aged.len() + crowded.len();
        let mut forgotten = Vec::new();
        if remembered > retention.max_gone {
            forgotten.extend(self.gone.iter().chain(&aged).chain(&crowded).copied());
            forgotten.sort_unstable();
            forgotten.truncate(remembered - retention.max_gone);
        }
        let mut changes = Vec::new();
        for (ids, why) in [(aged, Gone::Age), (crowded, Gone::Quota)] {
            if !ids.is_empty() {
                changes.push(Change::Gone { ids, why });
            }
        }
        if !forgotten.is_empty() {
            changes.push(Change::Forgotten { ids: forgotten });
        }
        changes
    }

    pub(super) fn apply(&mut self, change: Change) {
        match change {
            Change::Kept(entry) => self.keep(*entry),
            Change::Gone { ids, why } => {
                for id in ids {
                    self.lose(id, why);
                }
            }
            Change::Live { session, until } => {
                self.sessions.entry(session).or_default().live_until = until;
            }
            Change::View(view) => self.add_view(view),
            Change::Forgotten { ids } => {
                for id in ids {
                    self.forget(id);
                }
            }
            Change::Removed { session } => {
                let Some(removed) = self.sessions.remove(&session) else { return };
                for id in removed.records {
                    self.forget(id);
                }
                for key in removed.views {
                    self.forget_view(&key);
                }
            }
        }
    }

    fn keep(&mut self, entry: Entry) {
        let meta = &entry.meta;
        let is_another = |known: &Entry| {
            (&known.meta.session, &known.meta.call_id) != (&meta.session, &meta.call_id)
        };
        if self.entries.get(&meta.id).is_some_and(|known| is_another(known)) {
            self.forget(meta.id);
        }
        self.lose(meta.id, Gone::Request);
        self.reserve(meta.id.0);
        self.gone.remove(&meta.id);
        self.kept.insert((millis(meta.created), meta.id));
        self.bytes = self.bytes.saturating_add(bytes_of(meta));
        *self.holders.entry(meta.sha256).or_default() += 1;
        for name in names(meta) {
            self.named.entry(name).or_default().insert(meta.id);
        }
        self.sessions.entry(meta.session.clone()).or_default().records.insert(meta.id);
        self.entries.insert(meta.id, Arc::new(entry));
    }

    fn lose(&mut self, id: RecordId, why: Gone) {
        let Some(entry) = self.entries.get_mut(&id).map(Arc::make_mut) else { return };
        let meta = &mut entry.meta;
        if meta.gone == Some(Gone::Damage) && why == Gone::Request {
            meta.gone = Some(why);
        }
        if meta.gone.is_some() {
            return;
        }
        meta.gone = Some(why);
        entry.marks = Marks::default();
        self.kept.remove(&(millis(meta.created), id));
        self.gone.insert(id);
        self.bytes = self.bytes.saturating_sub(bytes_of(meta));
        if let Some(holders) = self.holders.get_mut(&meta.sha256) {
            *holders -= 1;
            if *holders == 0 {
                self.holders.remove(&meta.sha256);
            }
        }
    }

    fn forget(&mut self, id: RecordId) {
        self.lose(id, Gone::Request);
        self.gone.remove(&id);
        let Some(entry) = self.entries.remove(&id) else { return };
        let meta = &entry.meta;
        for name in names(meta) {
            if let Some(ids) = self.named.get_mut(&name) {
                ids.remove(&id);
                if ids.is_empty() {
                    self.named.remove(&name);
                }
            }
        }
        if let Some(session) = self.sessions.get_mut(&meta.session) {
            session.records.remove(&id);
        }
        for key in self.views_of.remove(&id).unwrap_or_default() {
            self.forget_view(&key);
        }
    }

    fn add_view(&mut self, view: EmittedView) {
        let key = (view.session.clone(), view.call_id.clone(), view.sha256);
        self.forget_view(&key);
        self.sessions.entry(view.session.clone()).or_default().views.insert(key.clone());
        self.views_of.entry(view.record).or_default().insert(key.clone());
        self.views.insert(key, view);
    }

    fn forget_view(&mut self, key: &ViewKey) {
        let Some(view) = self.views.remove(key) else { return };
        if let Some(keys) = self.views_of.get_mut(&view.record) {
            keys.remove(key);
        }
        if let Some(session) = self.sessions.get_mut(&view.session) {
            session.views.remove(key);
        }
    }

    /// The changes that let go of sessions of which nothing is left.
    pub(super) fn ended(&self, now: SystemTime) -> Vec<Change> {
        let now = millis(now);
        let is_ended = |(_, session): &(&ByteString, &Session)| {
            session.live_until <= now && session.records.is_empty() && session.views.is_empty()
        };
        let ended = self.sessions.iter().filter(is_ended);
        ended.map(|(session, _)| Change::Removed { session: session.clone() }).collect()
    }

    /// The records of a name, the oldest first.
    fn of_name(
        &self,
        session: Option<ByteString>,
        name: Name,
    ) -> impl DoubleEndedIterator<Item = &Meta> {
        let ids = self.named.get(&(session, name)).into_iter().flatten();
        ids.filter_map(|id| Some(&self.entries.get(id)?.meta))
    }

    pub(super) fn find(&self, sessions: Sessions<'_>, by: By<'_>) -> Vec<Meta> {
        let name = match by {
            By::Key(key) => Name::Key(key),
            By::Sha256(sha256) => Name::Key(ContentKey::of_digest(sha256)),
            By::CallId(call_id) => Name::Call(call_id.into()),
            By::Normalized(call_id) => Name::Normalized(normalized(call_id)),
        };
        let session = match sessions {
            Sessions::One(session) => Some(session.into()),
            Sessions::All => None,
        };
        let metas = self.of_name(session, name).rev();
        let is_meant = |meta: &&Meta| match by {
            By::Sha256(sha256) => meta.sha256 == *sha256,
            By::Key(_) | By::CallId(_) | By::Normalized(_) => true,
        };
        metas.filter(is_meant).cloned().collect()
    }

    pub(super) fn list(
        &self,
        sessions: Sessions<'_>,
        tool: Option<&str>,
        before: Option<RecordId>,
        limit: usize,
    ) -> Vec<Listed> {
        let tool = tool.map(normalized);
        let is_meant =
            |meta: &Meta| tool.as_ref().is_none_or(|tool| normalized(&meta.tool) == *tool);
        let end = before.unwrap_or(RecordId(u64::MAX));
        let ids: Box<dyn Iterator<Item = &RecordId>> = match sessions {
            Sessions::All => Box::new(self.entries.range(..end).rev().map(|(id, _)| id)),
            Sessions::One(session) => {
                let session = self.sessions.get(session);
                let ids = session.into_iter().flat_map(move |one| one.records.range(..end).rev());
                Box::new(ids)
            }
        };
        let mut ages: HashMap<&ByteString, usize> = HashMap::new();
        let mut listed = Vec::new();
        for meta in ids.filter_map(|id| self.entries.get(id)).map(|entry| &entry.meta) {
            if listed.len() >= limit {
                break;
            }
            let age = ages.entry(&meta.session).or_insert_with(|| {
                let session = self.sessions.get(&meta.session);
                session.map_or(0, |one| one.records.range(meta.id..).count().saturating_sub(1))
            });
            if is_meant(meta) {
                listed.push(Listed { meta: meta.clone(), age: *age });
            }
            *age += 1;
        }
        listed
    }

    pub(super) fn view(
        &self,
        session: &str,
        call_id: &str,
        sha256: &[u8; 32],
    ) -> Option<EmittedView> {
        self.views.get(&(session.into(), call_id.into(), *sha256)).cloned()
    }

    /// How many records are remembered of a session.
    pub(super) fn records_of(&self, session: &str) -> usize {
        self.sessions.get(session).map_or(0, |session| session.records.len())
    }

    pub(super) fn usage(&self) -> Usage {
        let used = |session: &&Session| !session.records.is_empty();
        Usage {
            records: self.kept.len(),
            gone: self.gone.len(),
            bytes: self.bytes,
            sessions: self.sessions.values().filter(used).count(),
        }
    }

    /// The changes that make an empty index this one.
    pub(super) fn changes(&self) -> impl Iterator<Item = Change> {
        let entries = self.entries.values().flat_map(|entry| {
            let why = entry.meta.gone.map(|why| Change::Gone { ids: vec![entry.meta.id], why });
            std::iter::once(Change::Kept(Box::new(Entry::clone(entry)))).chain(why)
        });
        let live = self.sessions.iter().map(|(session, known)| Change::Live {
            session: session.clone(),
            until: known.live_until,
        });
        entries.chain(live).chain(self.views.values().cloned().map(Change::View))
    }
}

impl Places {
    /// Those of a record.
    pub(super) fn of(record: &Record) -> Self {
        Self {
            blocks: record.blocks.clone(),
            shown: record.shown.clone(),
            slots: record.slots.clone(),
        }
    }
}
