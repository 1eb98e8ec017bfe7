//! Removing texts, some at a time, so that other processes get their turns.

use std::time::SystemTime;

use bytestring::ByteString;
use rusqlite::{OptionalExtension as _, Transaction};

use super::contract::{Retention, Swept};
use super::error::StoreError;
use super::measure::millis;
use super::rows::{Number, Wide};
use super::{Inner, Total};
use crate::record::record::{Gone, RecordId};

/// How many records one change removes.
const AT_ONCE: usize = 200;

/// Removes the text of a record, and says how long it was; 0 if it was gone.
pub(super) fn lose(change: &Transaction<'_>, id: RecordId, why: Gone) -> Result<u64, StoreError> {
    let sql = "UPDATE record SET gone = ?2 WHERE id = ?1 AND gone IS NULL RETURNING bytes";
    let mut update = change.prepare_cached(sql)?;
    let lost = update.query_row((id, why), |row| row.get::<_, Wide>(0)).optional()?;
    if lost.is_some() || why == Gone::Request {
        // What is damaged left its pieces.
        change.prepare_cached("DELETE FROM piece WHERE record_id = ?1")?.execute([id])?;
        let sql = "UPDATE record SET gone = ?2 WHERE id = ?1 AND gone = 'damage'";
        change.prepare_cached(sql)?.execute((id, why))?;
    }
    Ok(lost.map_or(0, |bytes| bytes.0))
}

/// Whose texts are removed.
struct Limits<'s> {
    now: Wide,
    /// What is older is removed.
    oldest: Wide,
    /// How much text may stay, if there is too much.
    target: Option<u64>,
    spared: Option<&'s ByteString>,
}

impl Limits<'_> {
    /// Removes some texts that are too old, or else over the quota.
    fn remove(
        &self,
        change: &Transaction<'_>,
        mut total: Total,
        why: Gone,
    ) -> Result<(Swept, Total), StoreError> {
        let sql = "SELECT r.id FROM record r JOIN session s ON s.id = r.session_id
            WHERE r.gone IS NULL AND r.created < ?1 AND s.live_until <= ?2 AND s.name IS NOT ?3
            ORDER BY r.created, r.id LIMIT ?4";
        let before = if why == Gone::Age { self.oldest } else { Wide(u64::MAX) };
        let spared = self.spared.map(|session| &**session);
        let mut query = change.prepare_cached(sql)?;
        let key = (before, self.now, spared, Number(AT_ONCE));
        let found = query.query_map(key, |row| row.get(0))?;
        let found: Vec<RecordId> = found.collect::<Result<_, _>>()?;
        let mut swept = Swept::default();
        for id in found {
            if why == Gone::Quota && self.target.is_none_or(|target| total.bytes <= target) {
                break;
            }
            let bytes = lose(change, id, why)?;
            total.bytes = total.bytes.saturating_sub(bytes);
            swept = Swept { records: swept.records + 1, bytes: swept.bytes + bytes };
        }
        Ok((swept, total))
    }
}

/// Whether there may be anything to remove but what is over the quota.
fn has_work(
    state: &Transaction<'_>,
    oldest: Wide,
    max_gone: usize,
    now: Wide,
) -> Result<bool, StoreError> {
    let sql = format!(
        "SELECT EXISTS(SELECT 1 FROM record WHERE gone IS NULL AND created < ?1) OR ?2 < \
         (SELECT count(gone) FROM record) OR EXISTS(SELECT 1 FROM session {NOTHING_LEFT})"
    );
    let key = (oldest, Number(max_gone), now);
    Ok(state.prepare_cached(&sql)?.query_one(key, |row| row.get(0))?)
}

/// Of sessions: what is not live at `?3`, and of which nothing is left.
const NOTHING_LEFT: &str = "WHERE live_until <= ?3 \
    AND NOT EXISTS (SELECT 1 FROM record WHERE session_id = session.id) \
    AND NOT EXISTS (SELECT 1 FROM emitted WHERE session_id = session.id)";

impl Inner {
    /// Sweeps so that `room` more bytes fit, sparing live sessions and `spared`.
    pub(super) fn sweep(
        &mut self,
        retention: &Retention,
        now: SystemTime,
        room: u64,
        spared: Option<&ByteString>,
    ) -> Result<Swept, StoreError> {
        let quota = retention.quota_bytes;
        let max_age =
            retention.max_age.map(|age| u64::try_from(age.as_millis()).unwrap_or(u64::MAX));
        let now = millis(now);
        let oldest = Wide(max_age.map_or(0, |age| now.saturating_sub(age)));
        let known = self.total;
        let (total, has_work) = self.look(|state| {
            let bytes = Total::of(state, known)?.bytes;
            Ok((bytes, has_work(state, oldest, retention.max_gone, Wide(now))?))
        })?;
        let is_over = total.saturating_add(room) > quota;
        if !is_over && !has_work {
            // Nobody has to wait for a sweep that does nothing.
            return Ok(Swept::default());
        }
        let limits = Limits {
            now: Wide(now),
            oldest,
            target: is_over.then(|| (quota / 10 * 9).min(quota.saturating_sub(room))),
            spared,
        };
        let mut all = Swept::default();
        let reasons = [max_age.map(|_| Gone::Age), is_over.then_some(Gone::Quota)];
        for why in reasons.into_iter().flatten() {
            loop {
                let swept = self.change(|change, total| limits.remove(change, total, why))?;
                all.records += swept.records;
                all.bytes += swept.bytes;
                if swept.records < AT_ONCE {
                    break;
                }
            }
        }
        let forgotten = self.forget(retention.max_gone)?;
        self.forget_sessions(limits.now)?;
        if all.records > 0 || forgotten {
            self.vacuum();
        }
        Ok(all)
    }

    /// Lets go of the oldest records without text past `max`.
    fn forget(&mut self, max: usize) -> Result<bool, StoreError> {
        let mut any = false;
        loop {
            let forgotten = self.change(|change, total| {
                let sql = "SELECT count(gone) FROM record";
                let Number(gone) = change.prepare_cached(sql)?.query_one((), |row| row.get(0))?;
                let over = gone.saturating_sub(max).min(AT_ONCE);
                let sql = "DELETE FROM record WHERE id IN
                    (SELECT id FROM record WHERE gone IS NOT NULL ORDER BY id LIMIT ?1)";
                let forgotten = match over {
                    0 => 0,
                    _ => change.prepare_cached(sql)?.execute([Number(over)])?,
                };
                Ok((forgotten, total))
            })?;
            any |= forgotten > 0;
            if forgotten < AT_ONCE {
                return Ok(any);
            }
        }
    }

    /// Lets go of sessions of which nothing is left.
    fn forget_sessions(&mut self, now: Wide) -> Result<(), StoreError> {
        self.change(|change, total| {
            let sql = format!("DELETE FROM session {NOTHING_LEFT}");
            let none = rusqlite::types::Null;
            change.prepare_cached(&sql)?.execute((none, none, now))?;
            Ok(((), total))
        })
    }

    /// Gives freed pages back to the file system, as far as that can be done now: the next change
    /// that frees some tries again.
    pub(super) fn vacuum(&self) {
        let _left_for_later = self.free_pages();
    }

    fn free_pages(&self) -> rusqlite::Result<()> {
        let mut before = i64::MAX;
        loop {
            // Every row that it answers with is a page, and the work of one step.
            let mut vacuum = self.connection.prepare_cached("PRAGMA incremental_vacuum(1000)")?;
            let mut pages = vacuum.query(())?;
            while pages.next()?.is_some() {}
            let sql = "PRAGMA freelist_count";
            let left: i64 = self.connection.prepare_cached(sql)?.query_one((), |row| row.get(0))?;
            // A file that was not made here may have no incremental vacuum.
            if left == 0 || left >= before {
                return Ok(());
            }
            before = left;
        }
    }
}
