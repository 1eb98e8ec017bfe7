//! Writing a record, or that a view was emitted.

use std::time::SystemTime;

use rusqlite::{OptionalExtension as _, Transaction};

use super::contract::{EmittedView, LIVE, Retention, normalized};
use super::error::StoreError;
use super::lookup::select;
use super::measure::{Measured, millis};
use super::pieces::pieces;
use super::rows::{self, Number, Wide};
use super::{Total, lookup};
use crate::record::record::{Meta, Record, RecordId};

/// One change that keeps a record.
pub(super) struct Put<'c> {
    pub(super) change: &'c Transaction<'c>,
    pub(super) total: Total,
}

impl Put<'_> {
    /// Keeps `record`, or returns `None` if a sweep has to make room first.
    pub(super) fn put(
        mut self,
        record: &Record,
        measured: &Measured,
        retention: &Retention,
        now: SystemTime,
    ) -> Result<(Option<Meta>, Total), StoreError> {
        let bytes = measured.sizes.bytes as u64;
        if bytes > retention.max_record_bytes {
            return Err(StoreError::RecordTooLarge { max_bytes: retention.max_record_bytes });
        }
        let same = self.same(record, measured)?;
        let is_kept = same.as_ref().is_some_and(|meta| meta.gone.is_none());
        if !is_kept && self.total.bytes.saturating_add(bytes) > retention.quota_bytes {
            let live = self.live_bytes(record, now)?;
            if live.saturating_add(bytes) > retention.quota_bytes {
                return Err(StoreError::QuotaFull { quota_bytes: retention.quota_bytes });
            }
            return Ok((None, self.total));
        }
        let session = self.renew(record, now)?;
        let same = match same {
            Some(meta) if is_kept => return Ok((Some(meta), self.total)),
            same => same,
        };
        let created = millis(now);
        let meta = if let Some(gone) = same {
            self.restore(record, gone.id, created)?;
            Meta { unit: gone.unit, ..measured.meta(record, gone.id, gone.nth, created) }
        } else {
            self.insert(record, measured, session, created)?
        };
        self.insert_pieces(record, &meta)?;
        self.insert_places(record, meta.id)?;
        self.total.bytes = self.total.bytes.saturating_add(bytes);
        Ok((Some(meta), self.total))
    }

    /// The record of the same call, tool, error flag and text.
    fn same(&self, record: &Record, measured: &Measured) -> Result<Option<Meta>, StoreError> {
        let sql = select(lookup::SAME);
        let (session, call_id) = (&*record.session, &*record.call_id);
        let key = (session, call_id, measured.sha256, &*record.tool, record.is_error);
        Ok(self.change.prepare_cached(&sql)?.query_row(key, rows::meta).optional()?)
    }

    /// How much text no sweep may remove when the session of `record` is live.
    fn live_bytes(&self, record: &Record, now: SystemTime) -> Result<u64, StoreError> {
        let sql = "SELECT coalesce(sum(r.bytes), 0) FROM record r JOIN session s
            ON s.id = r.session_id WHERE r.gone IS NULL AND (s.live_until > ?1 OR s.name = ?2)";
        let mut query = self.change.prepare_cached(sql)?;
        let Wide(bytes) =
            query.query_one((Wide(millis(now)), &*record.session), |row| row.get(0))?;
        Ok(bytes)
    }

    fn renew(&self, record: &Record, now: SystemTime) -> Result<i64, StoreError> {
        let sql = "INSERT INTO session(name, live_until) VALUES(?1, ?2) ON CONFLICT(name)
            DO UPDATE SET live_until = max(live_until, excluded.live_until) RETURNING id";
        let until = millis(now.checked_add(LIVE).unwrap_or(now));
        let mut query = self.change.prepare_cached(sql)?;
        Ok(query.query_one((&*record.session, Wide(until)), |row| row.get(0))?)
    }

    fn insert(
        &self,
        record: &Record,
        measured: &Measured,
        session: i64,
        created: u64,
    ) -> Result<Meta, StoreError> {
        let key = (session, &*record.call_id);
        let nth = self.change.prepare_cached(lookup::NTH)?.query_one(key, |row| row.get(0))?;
        let meta = measured.meta(record, RecordId(0), nth, created);
        // A text has one unit in a session: what was printed of it counts in that.
        let mut unit = self.change.prepare_cached(lookup::UNIT)?;
        let text = (session, meta.key().to_string(), meta.sha256);
        let unit = unit.query_row(text, |row| row.get(0)).optional()?;
        let meta = Meta { unit: unit.unwrap_or(meta.unit), ..meta };
        let sql = "INSERT INTO record(session_id, call_id, norm_id, nth, tool, is_error, complete,
            plain, type, unit, bytes, chars, utf16, lines, sha256, key, created)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)";
        self.change.prepare_cached(sql)?.execute(rusqlite::params![
            session,
            &*meta.call_id,
            normalized(&meta.call_id),
            nth,
            &*meta.tool,
            meta.is_error,
            meta.complete,
            meta.plain,
            measured.content_type,
            meta.unit,
            Number(meta.sizes.bytes),
            Number(meta.sizes.chars),
            Number(meta.sizes.utf16),
            Number(meta.sizes.lines),
            meta.sha256,
            meta.key().to_string(),
            Wide(created),
        ])?;
        let id = self.change.last_insert_rowid().cast_unsigned();
        Ok(Meta { id: RecordId(id), ..meta })
    }

    /// Makes ready the row of a record whose text was gone.
    fn restore(&self, record: &Record, id: RecordId, created: u64) -> Result<(), StoreError> {
        let sql = "UPDATE record SET gone = NULL, created = ?2, complete = ?3 WHERE id = ?1";
        let change = self.change;
        change.prepare_cached(sql)?.execute((id, Wide(created), record.complete))?;
        // A damaged text left its pieces.
        for sql in
            ["DELETE FROM piece WHERE record_id = ?1", "DELETE FROM place WHERE record_id = ?1"]
        {
            change.prepare_cached(sql)?.execute([id])?;
        }
        Ok(())
    }

    fn insert_pieces(&self, record: &Record, meta: &Meta) -> Result<(), StoreError> {
        let sql = "INSERT INTO piece(record_id, at, byte_at, data) VALUES(?1, ?2, ?3, ?4)";
        let mut insert = self.change.prepare_cached(sql)?;
        for piece in pieces(&record.text, meta.unit) {
            let mark = piece.mark;
            insert.execute((
                meta.id,
                Number(mark.at),
                Number(mark.byte_at),
                piece.text.as_bytes(),
            ))?;
        }
        Ok(())
    }

    fn insert_places(&self, record: &Record, id: RecordId) -> Result<(), StoreError> {
        let sql = "INSERT INTO place(record_id, what, n, start, end, kind, shown, ref, media_type)
            VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
        let mut insert = self.change.prepare_cached(sql)?;
        let none = rusqlite::types::Null;
        for (n, block) in record.blocks.iter().enumerate() {
            let (start, end) = (Number(block.span.start), Number(block.span.end));
            insert.execute((id, "span", Number(n), start, end, block.kind, none, none, none))?;
        }
        for (n, span) in record.shown.iter().enumerate() {
            let (start, end) = (Number(span.start), Number(span.end));
            insert.execute((id, "shown", Number(n), start, end, none, none, none, none))?;
        }
        for (n, slot) in record.slots.iter().enumerate() {
            let (start, end) = (Number(slot.span.start), Number(slot.span.end));
            let (reference, media_type) = (slot.reference.as_deref(), &*slot.media_type);
            let place =
                (id, "slot", Number(n), start, end, none, slot.shown, reference, media_type);
            insert.execute(place)?;
        }
        Ok(())
    }
}

pub(super) fn note_view(change: &Transaction<'_>, view: &EmittedView) -> Result<(), StoreError> {
    let sql = "SELECT 1 FROM record WHERE id = ?1";
    if !change.prepare_cached(sql)?.exists([view.record])? {
        return Err(StoreError::NoSuchRecord);
    }
    let sql = "INSERT INTO session(name, live_until) VALUES(?1, 0) ON CONFLICT(name) DO NOTHING";
    change.prepare_cached(sql)?.execute([&*view.session])?;
    let sql = "INSERT OR REPLACE INTO emitted(session_id, call_id, sha256, record_id, kind, start,
        end) VALUES((SELECT id FROM session WHERE name = ?1), ?2, ?3, ?4, ?5, ?6, ?7)";
    let place = |at: usize| i64::try_from(at).unwrap_or(i64::MAX);
    let (start, end) = view.range.map_or((-1, -1), |(start, end)| (place(start), place(end)));
    let (session, call_id) = (&*view.session, &*view.call_id);
    let row = (session, call_id, view.sha256, view.record, &*view.kind, start, end);
    change.prepare_cached(sql)?.execute(row)?;
    Ok(())
}
