//! A store in memory: for tests, and for hosts whose records may end with the process.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use bytestring::ByteString;

use super::contract::{
    By, EmittedView, Listed, Places, Retention, Sessions, Store, Stretch, Swept, Usage,
};
use super::error::StoreError;
use super::index::{Change, Entry, Index, Plan};
use super::measure::{Comparison, Measured, fits};
use super::pieces::pieces;
use crate::record::record::{Gone, Meta, Record, RecordId};

/// A store whose records end with it. Texts are shared with what was put, not copied.
///
/// ```
/// # fn main() -> Result<(), slotledger::record::store::StoreError> {
/// use std::time::SystemTime;
/// use slotledger::record::Record;
/// use slotledger::record::store::{MemoryStore, Retention, Store};
///
/// let store = MemoryStore::new(Retention::default());
/// let first = store.put(&Record::new("s1", "c1", "bash", "hello"), SystemTime::now())?;
/// let second = store.put(&Record::new("s1", "c1", "bash", "hello again"), SystemTime::now())?;
/// assert_eq!((first.nth, second.nth), (1, 2));
/// assert_eq!(store.usage()?.bytes, 16);
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct MemoryStore {
    retention: Retention,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    index: Index,
    texts: HashMap<[u8; 32], ByteString>,
}

impl Inner {
    fn apply(&mut self, changes: Vec<Change>) {
        for change in changes {
            self.index.apply(change);
        }
    }

    /// Removes what `changes` say, and the texts that nothing holds then.
    fn sweep(&mut self, changes: Vec<Change>) -> Swept {
        let before = self.index.usage();
        self.apply(changes);
        self.drop_texts();
        let after = self.index.usage();
        Swept { records: before.records - after.records, bytes: before.bytes - after.bytes }
    }

    /// Lets go of sessions of which nothing is left.
    fn tidy(&mut self, now: SystemTime) {
        let ended = self.index.ended(now);
        self.apply(ended);
    }

    fn drop_texts(&mut self) {
        let index = &self.index;
        self.texts.retain(|sha256, _| index.holds(sha256));
    }
}

impl MemoryStore {
    /// An empty store.
    pub fn new(retention: Retention) -> Self {
        Self { retention, inner: Mutex::default() }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Store for MemoryStore {
    fn put(&self, record: &Record, now: SystemTime) -> Result<Meta, StoreError> {
        let measured = Measured::of(record);
        let room = measured.sizes.bytes as u64;
        let mut inner = self.inner();
        loop {
            match inner.index.plan_put(record, &measured, &self.retention, now)? {
                Plan::Same(meta, changes) => {
                    inner.apply(changes);
                    return Ok(meta);
                }
                Plan::Sweep => {
                    let spared = Some(&record.session);
                    let changes = inner.index.plan_sweep(&self.retention, now, room, spared);
                    inner.sweep(changes);
                    inner.tidy(now);
                }
                Plan::Keep(meta, changes) => {
                    inner.texts.insert(meta.sha256, record.text.clone());
                    inner.apply(changes);
                    return Ok(meta);
                }
            }
        }
    }

    fn find(&self, sessions: Sessions<'_>, by: By<'_>) -> Result<Vec<Meta>, StoreError> {
        Ok(self.inner().index.find(sessions, by))
    }

    fn list(
        &self,
        sessions: Sessions<'_>,
        tool: Option<&str>,
        before: Option<RecordId>,
        limit: usize,
    ) -> Result<Vec<Listed>, StoreError> {
        Ok(self.inner().index.list(sessions, tool, before, limit))
    }

    fn read(&self, id: RecordId, start: usize, len: usize) -> Result<Stretch, StoreError> {
        let inner = self.inner();
        let entry = inner.index.kept(id)?;
        let damaged = || StoreError::Gone(Gone::Damage);
        let text = inner.texts.get(&entry.meta.sha256).ok_or_else(damaged)?;
        let (from, until) = entry.marks.around(start, len);
        let part = text.get(from.byte_at..until.unwrap_or(text.len())).ok_or_else(damaged)?;
        Ok(Stretch { text: text.slice_ref(part), start: from.at, start_bytes: from.byte_at })
    }

    fn places(&self, id: RecordId) -> Result<Places, StoreError> {
        Ok(self.inner().index.entry(id)?.places.clone())
    }

    fn note_view(&self, view: &EmittedView) -> Result<(), StoreError> {
        let mut inner = self.inner();
        inner.index.entry(view.record)?;
        inner.index.apply(Change::View(view.clone()));
        Ok(())
    }

    fn view(
        &self,
        session: &str,
        call_id: &str,
        sha256: &[u8; 32],
    ) -> Result<Option<EmittedView>, StoreError> {
        Ok(self.inner().index.view(session, call_id, sha256))
    }

    fn keep_alive(&self, session: &str, until: SystemTime) -> Result<(), StoreError> {
        self.inner().index.apply(Change::live(session, until));
        Ok(())
    }

    fn sweep(&self, retention: &Retention, now: SystemTime) -> Result<Swept, StoreError> {
        let mut inner = self.inner();
        let changes = inner.index.plan_sweep(retention, now, 0, None);
        let swept = inner.sweep(changes);
        inner.tidy(now);
        Ok(swept)
    }

    fn remove(&self, id: RecordId) -> Result<(), StoreError> {
        let mut inner = self.inner();
        inner.index.entry(id)?;
        inner.sweep(vec![Change::Gone { ids: vec![id], why: Gone::Request }]);
        Ok(())
    }

    fn remove_session(&self, session: &str) -> Result<usize, StoreError> {
        let mut inner = self.inner();
        let records = inner.index.records_of(session);
        inner.sweep(vec![Change::Removed { session: session.into() }]);
        Ok(records)
    }

    fn check(&self, progress: &mut dyn FnMut(u64, u64)) -> Result<Vec<RecordId>, StoreError> {
        let inner = &mut *self.inner();
        let (total, mut read) = (inner.index.bytes(), 0);
        let mut bad = Vec::new();
        for id in inner.index.all_kept() {
            let Entry { meta, places, .. } = &**inner.index.kept(id)?;
            let text = inner.texts.get(&meta.sha256).map_or("", |text| text);
            let mut comparison = Comparison::new(meta.unit);
            for piece in pieces(text, meta.unit) {
                comparison.piece(piece.mark.at, piece.mark.byte_at, piece.text.as_bytes());
            }
            if !(comparison.fits(meta) && fits(places, meta)) {
                bad.push(id);
            }
            read += meta.sizes.bytes as u64;
            progress(read, total);
        }
        inner.sweep(vec![Change::Gone { ids: bad.clone(), why: Gone::Damage }]);
        Ok(bad)
    }

    fn usage(&self) -> Result<Usage, StoreError> {
        Ok(self.inner().index.usage())
    }
}
