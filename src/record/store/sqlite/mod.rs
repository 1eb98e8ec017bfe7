//! A store in one `SQLite` file, which several processes may use.

mod rows;
mod schema;

mod lookup;

mod sweep;
mod write;

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use bytestring::ByteString;
use rusqlite::{Connection, OptionalExtension as _, Params, Transaction, TransactionBehavior};

use super::contract::{
    By, EmittedView, Listed, Places, Retention, Sessions, Store, Stretch, Swept, Usage, normalized,
};
use super::error::StoreError;
use super::measure::{Comparison, Measured, fits, millis};
use super::pieces::MAX_PIECE;
use super::printed::printed;
use super::{contract, error, measure, pieces};
use crate::copy::Direct;
use crate::record::key::ContentKey;
use crate::record::record::{Gone, Meta, Record, RecordId};
use lookup::{listed, named, select};
use rows::{Number, Wide};
use write::Put;

/// A store in one file of `SQLite`, the best one for hosts whose records outlive the process.
///
/// The file is readable by its owner alone, and so is its folder if it is made here. Several
/// processes may use it: many read while one writes. A process may end at any moment: a record is
/// whole or absent. The last records before a power failure may be lost, but nothing before them.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::time::SystemTime;
/// use slotledger::record::Record;
/// use slotledger::record::store::{By, Retention, Sessions, SqliteStore, Store};
/// let folder = std::env::temp_dir().join(format!("slotledger-sqlite-{}", std::process::id()));
///
/// let store = SqliteStore::open(folder.join("records.db"), Retention::default())?;
/// store.put(&Record::new("s1", "c1", "bash", "hello"), SystemTime::now())?;
/// drop(store);
///
/// let store = SqliteStore::open(folder.join("records.db"), Retention::default())?;
/// let found = store.find(Sessions::One("s1"), By::CallId("c1"))?;
/// assert_eq!(store.read(found[0].id, 0, 5)?.text, "hello");
/// # drop(store);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct SqliteStore {
    path: PathBuf,
    retention: Retention,
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    connection: Connection,
    /// How much text there was, as of a state of the file.
    total: Option<Total>,
}

/// How much text is kept, as long as no other connection has changed the file.
#[derive(Clone, Copy, Debug)]
struct Total {
    data_version: i64,
    bytes: u64,
}

impl Total {
    /// Counts, or takes what was counted before.
    fn of(change: &Transaction<'_>, known: Option<Self>) -> rusqlite::Result<Self> {
        let sql = "PRAGMA data_version";
        let data_version = change.prepare_cached(sql)?.query_one((), |row| row.get(0))?;
        match known {
            Some(known) if known.data_version == data_version => Ok(known),
            _ => {
                let sql = "SELECT coalesce(sum(bytes), 0) FROM record WHERE gone IS NULL";
                let Wide(bytes) = change.prepare_cached(sql)?.query_one((), |row| row.get(0))?;
                Ok(Self { data_version, bytes })
            }
        }
    }
}

impl Inner {
    /// Does `work` as one change: all of it or nothing.
    fn change<T>(
        &mut self,
        work: impl FnOnce(&Transaction<'_>, Total) -> Result<(T, Total), StoreError>,
    ) -> Result<T, StoreError> {
        let known = self.total.take();
        let behavior = TransactionBehavior::Immediate;
        let change = self.connection.transaction_with_behavior(behavior)?;
        let total = Total::of(&change, known)?;
        let (done, total) = work(&change, total)?;
        change.commit()?;
        self.total = Some(total);
        Ok(done)
    }

    /// Does `work`, which removes what somebody wants to be gone, as one change; and leaves no word
    /// of it in the file or beside it, as far as no other process still reads what was.
    fn erase<T>(
        &mut self,
        work: impl FnOnce(&Transaction<'_>, Total) -> Result<(T, Total), StoreError>,
    ) -> Result<T, StoreError> {
        self.connection.pragma_update(None, "secure_delete", true)?;
        let done = self.change(work);
        self.connection.pragma_update(None, "secure_delete", false)?;
        let done = done?;
        self.vacuum();
        let sql = "PRAGMA wal_checkpoint(TRUNCATE)";
        let _the_next_one_does_it = self.connection.query_one(sql, (), |_| Ok(()));
        Ok(done)
    }

    /// Does `work` on one state of the file.
    fn look<T>(
        &self,
        work: impl FnOnce(&Transaction<'_>) -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        let state = self.connection.unchecked_transaction()?;
        let seen = work(&state)?;
        state.commit()?;
        Ok(seen)
    }
}

impl SqliteStore {
    /// Opens the store in the file `path`, which is made if it does not exist, and sweeps it.
    ///
    /// # Errors
    ///
    /// [`StoreError::NotAStore`] or [`StoreError::Version`] for a file that is not ours or of a
    /// later version, which is left as it is; or when the file cannot be made or read.
    pub fn open(path: impl AsRef<Path>, retention: Retention) -> Result<Self, StoreError> {
        let path = std::path::absolute(path)?;
        let connection = schema::open(&path)?;
        let inner = Mutex::new(Inner { connection, total: None });
        let store = Self { path, retention, inner };
        match store.sweep(&retention, SystemTime::now()) {
            // What cannot be swept now can be read all the same.
            Ok(_) | Err(StoreError::Busy | StoreError::ReadOnly | StoreError::DiskFull) => {
                Ok(store)
            }
            Err(error) => Err(error),
        }
    }

    /// Opens the store in the file `path`, which must exist. Nothing is swept: the limits of who
    /// only reads are not those of the host that keeps records there.
    ///
    /// # Errors
    ///
    /// As [`open`](Self::open); and when there is no such file.
    pub fn open_existing(path: impl AsRef<Path>, retention: Retention) -> Result<Self, StoreError> {
        let path = std::path::absolute(path)?;
        std::fs::metadata(&path)?;
        let connection = schema::open(&path)?;
        let inner = Mutex::new(Inner { connection, total: None });
        Ok(Self { path, retention, inner })
    }

    /// The file.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// A command that prints the full text of a record, and a line break.
    ///
    /// Only where it works as it stands, in any shell: for a text that is there and is plain
    /// ([`Meta::plain`]), in a file whose path needs no more than single quotes. The command sees
    /// every session of the file.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// # use std::time::SystemTime;
    /// # use slotledger::record::Record;
    /// # use slotledger::record::store::{Retention, SqliteStore, Store};
    /// # let folder = std::env::temp_dir().join(format!("slotledger-query-{}", std::process::id()));
    /// let store = SqliteStore::open(folder.join("records.db"), Retention::default())?;
    /// let kept = store.put(&Record::new("s1", "c1", "bash", "hello"), SystemTime::now())?;
    /// let query = store.query_of(&kept).expect("a path without quotes");
    /// assert!(query.starts_with("sqlite3 -readonly "));
    /// assert!(query.ends_with(
    ///     r#" "SELECT text FROM tool_results WHERE key='2cf24dba5fb0a30e' LIMIT 1""#
    /// ));
    /// # drop(store);
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok(())
    /// # }
    /// ```
    pub fn query_of(&self, meta: &Meta) -> Option<String> {
        if !meta.plain || meta.gone.is_some() {
            return None;
        }
        let path = printed(&self.path)?;
        let key = meta.key();
        Some(format!(
            "sqlite3 -readonly {path} \"SELECT text FROM tool_results WHERE key='{key}' LIMIT 1\""
        ))
    }

    /// How `SQLite` answers each look-up and a page, as `EXPLAIN QUERY PLAN` tells it: for a test.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    #[doc(hidden)]
    pub fn query_plans(&self) -> Result<Vec<(String, Vec<String>)>, StoreError> {
        use lookup::{
            BY_CALL, BY_CALL_ALL, BY_KEY, BY_KEY_ALL, BY_NORMALIZED, BY_NORMALIZED_ALL, HEAD, LIST,
            LIST_ALL, NTH, SAME, STRETCH, UNIT, VIEW,
        };
        let conditions =
            [BY_CALL, BY_CALL_ALL, BY_NORMALIZED, BY_NORMALIZED_ALL, BY_KEY, BY_KEY_ALL];
        let queries = conditions.iter().map(|condition| named(condition));
        let lists = [LIST, LIST_ALL].iter().map(|condition| listed(condition));
        let inner = self.inner();
        queries
            .chain(lists)
            .chain([select(SAME)])
            .chain([NTH, UNIT, HEAD, STRETCH, VIEW].map(str::to_owned))
            .map(|query| {
                let mut plan = inner.connection.prepare(&format!("EXPLAIN QUERY PLAN {query}"))?;
                for parameter in 1..=plan.parameter_count() {
                    plan.raw_bind_parameter(parameter, 0)?;
                }
                let steps = plan.raw_query().mapped(|row| row.get("detail"));
                Ok((query, steps.collect::<Result<_, _>>()?))
            })
            .collect()
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn metas(&self, condition: &str, parameters: impl Params) -> Result<Vec<Meta>, StoreError> {
        let inner = self.inner();
        let mut query = inner.connection.prepare_cached(&named(condition))?;
        let metas = query.query_map(parameters, rows::meta)?;
        Ok(metas.collect::<Result<_, _>>()?)
    }
}

impl Store for SqliteStore {
    fn put(&self, record: &Record, now: SystemTime) -> Result<Meta, StoreError> {
        let measured = Measured::of(record);
        let mut inner = self.inner();
        loop {
            let put = inner.change(|change, total| {
                Put { change, total }.put(record, &measured, &self.retention, now)
            });
            if let Some(meta) = put? {
                return Ok(meta);
            }
            let room = measured.sizes.bytes as u64;
            inner.sweep(&self.retention, now, room, Some(&record.session))?;
        }
    }

    fn find(&self, sessions: Sessions<'_>, by: By<'_>) -> Result<Vec<Meta>, StoreError> {
        let (one, all, name) = match by {
            By::CallId(id) => (lookup::BY_CALL, lookup::BY_CALL_ALL, id.to_owned()),
            By::Normalized(id) => {
                (lookup::BY_NORMALIZED, lookup::BY_NORMALIZED_ALL, normalized(id))
            }
            By::Key(key) => (lookup::BY_KEY, lookup::BY_KEY_ALL, key.to_string()),
            By::Sha256(sha256) => {
                let key = ContentKey::of_digest(sha256);
                (lookup::BY_KEY, lookup::BY_KEY_ALL, key.to_string())
            }
        };
        let mut found = match sessions {
            Sessions::One(session) => self.metas(one, (session, name)),
            Sessions::All => self.metas(all, (rusqlite::types::Null, name)),
        }?;
        if let By::Sha256(sha256) = by {
            found.retain(|meta| meta.sha256 == *sha256);
        }
        Ok(found)
    }

    fn list(
        &self,
        sessions: Sessions<'_>,
        tool: Option<&str>,
        before: Option<RecordId>,
        limit: usize,
    ) -> Result<Vec<Listed>, StoreError> {
        let before = before.unwrap_or(RecordId(u64::MAX));
        self.inner().look(|state| {
            let (condition, session) = match sessions {
                Sessions::One(session) => (lookup::LIST, session),
                Sessions::All => (lookup::LIST_ALL, ""),
            };
            let mut query = state.prepare_cached(&listed(condition))?;
            let metas = query.query_map((session, before), rows::meta)?;
            Lister { state, ages: HashMap::new() }.list(metas, tool, limit)
        })
    }

    fn read(&self, id: RecordId, start: usize, len: usize) -> Result<Stretch, StoreError> {
        let inner = self.inner();
        // One statement sees one state of the file.
        if let Some(stretch) = stretch(&inner.connection, id, start, len)? {
            return Ok(stretch);
        }
        // There is nothing to read, and seldom a reason to ask why.
        inner.look(|state| {
            let mut head = state.prepare_cached(lookup::HEAD)?;
            let gone: Option<Option<Gone>> = head.query_row([id], |row| row.get(0)).optional()?;
            match gone.ok_or(StoreError::NoSuchRecord)? {
                Some(why) => Err(StoreError::Gone(why)),
                // The text is empty, or another process has just restored it.
                None => Ok(stretch(state, id, start, len)?.unwrap_or_default()),
            }
        })
    }

    fn places(&self, id: RecordId) -> Result<Places, StoreError> {
        self.inner().look(|state| places(state, id))
    }

    fn note_view(&self, view: &EmittedView) -> Result<(), StoreError> {
        self.inner().change(|change, total| {
            write::note_view(change, view)?;
            Ok(((), total))
        })
    }

    fn view(
        &self,
        session: &str,
        call_id: &str,
        sha256: &[u8; 32],
    ) -> Result<Option<EmittedView>, StoreError> {
        let inner = self.inner();
        let mut query = inner.connection.prepare_cached(lookup::VIEW)?;
        Ok(query.query_row((session, call_id, sha256), rows::view).optional()?)
    }

    fn keep_alive(&self, session: &str, until: SystemTime) -> Result<(), StoreError> {
        self.inner().change(|change, total| {
            let sql = "INSERT INTO session(name, live_until) VALUES(?1, ?2)
                ON CONFLICT(name) DO UPDATE SET live_until = excluded.live_until";
            change.prepare_cached(sql)?.execute((session, Wide(millis(until))))?;
            Ok(((), total))
        })
    }

    fn sweep(&self, retention: &Retention, now: SystemTime) -> Result<Swept, StoreError> {
        self.inner().sweep(retention, now, 0, None)
    }

    fn remove(&self, id: RecordId) -> Result<(), StoreError> {
        let mut inner = self.inner();
        inner.erase(|change, total| {
            let mut head = change.prepare_cached(lookup::HEAD)?;
            let known: Option<Option<Gone>> = head.query_row([id], |row| row.get(0)).optional()?;
            known.ok_or(StoreError::NoSuchRecord)?;
            let removed = sweep::lose(change, id, Gone::Request)?;
            Ok(((), Total { bytes: total.bytes.saturating_sub(removed), ..total }))
        })
    }

    fn remove_session(&self, session: &str) -> Result<usize, StoreError> {
        let mut inner = self.inner();
        inner.erase(|change, total| {
            let sql = "SELECT count(*), coalesce(sum(bytes) FILTER (WHERE gone IS NULL), 0)
                FROM record WHERE session_id = (SELECT id FROM session WHERE name = ?1)";
            let (Number(records), Wide(bytes)) =
                change.query_one(sql, [session], |row| Ok((row.get(0)?, row.get(1)?)))?;
            change.execute("DELETE FROM session WHERE name = ?1", [session])?;
            Ok((records, Total { bytes: total.bytes.saturating_sub(bytes), ..total }))
        })
    }

    fn check(&self, progress: &mut dyn FnMut(u64, u64)) -> Result<Vec<RecordId>, StoreError> {
        let mut inner = self.inner();
        let state: String =
            inner.connection.query_one("PRAGMA quick_check", (), |row| row.get(0))?;
        if state != "ok" {
            return Err(StoreError::failed(state));
        }
        if inner.connection.prepare("PRAGMA foreign_key_check")?.exists(())? {
            return Err(StoreError::failed("a row belongs to no other"));
        }
        let sql = "SELECT id FROM record WHERE gone IS NULL ORDER BY id";
        let ids: Vec<RecordId> = inner
            .connection
            .prepare(sql)?
            .query_map((), |row| row.get(0))?
            .collect::<Result<_, _>>()?;
        let sql = "SELECT coalesce(sum(bytes), 0) FROM record WHERE gone IS NULL";
        let Wide(total) = inner.connection.query_one(sql, (), |row| row.get(0))?;
        let mut read = 0;
        let mut bad = Vec::new();
        for id in ids {
            // A record may have gone meanwhile: another process may be at work.
            if let Some((bytes, is_whole)) = inner.look(|state| check_one(state, id))? {
                if !is_whole {
                    bad.push(id);
                }
                read += bytes;
                progress(read, total);
            }
        }
        if !bad.is_empty() {
            let marked = inner.change(|change, total| {
                let sql = "UPDATE record SET gone = ?2 WHERE id = ?1 AND gone IS NULL";
                for id in &bad {
                    change.prepare_cached(sql)?.execute((id, Gone::Damage))?;
                }
                Ok(((), Total { data_version: -1, ..total }))
            });
            // They are told also where they cannot be marked.
            if let Err(error) = marked
                && !matches!(error, StoreError::ReadOnly)
            {
                return Err(error);
            }
        }
        Ok(bad)
    }

    fn direct(&self, meta: &Meta) -> Option<Direct> {
        self.query_of(meta).map(Direct::Query)
    }

    fn usage(&self) -> Result<Usage, StoreError> {
        let sql = "SELECT count(*) FILTER (WHERE gone IS NULL), count(gone),
            coalesce(sum(bytes) FILTER (WHERE gone IS NULL), 0), count(DISTINCT session_id)
            FROM record";
        let inner = self.inner();
        let usage = inner.connection.prepare_cached(sql)?.query_one((), |row| {
            Ok(Usage {
                records: row.get::<_, Number>(0)?.0,
                gone: row.get::<_, Number>(1)?.0,
                bytes: row.get::<_, Wide>(2)?.0,
                sessions: row.get::<_, Number>(3)?.0,
            })
        })?;
        Ok(usage)
    }
}

/// Walks the records of a list.
struct Lister<'c> {
    state: &'c Connection,
    /// By session: how many records were kept after the one at hand.
    ages: HashMap<ByteString, usize>,
}

impl Lister<'_> {
    fn list(
        mut self,
        metas: impl Iterator<Item = rusqlite::Result<Meta>>,
        tool: Option<&str>,
        limit: usize,
    ) -> Result<Vec<Listed>, StoreError> {
        let tool = tool.map(normalized);
        let mut listed = Vec::new();
        if limit == 0 {
            return Ok(listed);
        }
        for meta in metas {
            let meta = meta?;
            let age = match self.ages.get(&meta.session) {
                Some(age) => *age,
                None => self.age(&meta)?,
            };
            self.ages.insert(meta.session.clone(), age + 1);
            if tool.as_ref().is_none_or(|tool| normalized(&meta.tool) == *tool) {
                listed.push(Listed { meta, age });
                if listed.len() == limit {
                    break;
                }
            }
        }
        Ok(listed)
    }

    fn age(&self, meta: &Meta) -> Result<usize, StoreError> {
        let sql = "SELECT count(*) FROM record WHERE id > ?2
            AND session_id = (SELECT id FROM session WHERE name = ?1)";
        let key = (&*meta.session, meta.id);
        let Number(age) = self.state.prepare_cached(sql)?.query_one(key, |row| row.get(0))?;
        Ok(age)
    }
}

/// How much is made room for before it is known how much there is.
const LONGEST_AT_ONCE: usize = 1 << 17;

/// The pieces of a text that hold a stretch of it, if there are any.
fn stretch(
    state: &Connection,
    id: RecordId,
    start: usize,
    len: usize,
) -> Result<Option<Stretch>, StoreError> {
    let end = start.saturating_add(len.max(1));
    let mut query = state.prepare_cached(lookup::STRETCH)?;
    let mut found = query.query((id, Number(start), Number(end)))?;
    let mut bytes = Vec::with_capacity(len.min(LONGEST_AT_ONCE) + 2 * MAX_PIECE);
    let mut first = None;
    while let Some(row) = found.next()? {
        let (Number(at), Number(byte_at)) = (row.get(0)?, row.get(1)?);
        let (_, start_bytes) = *first.get_or_insert((at, byte_at));
        if start_bytes + bytes.len() != byte_at {
            return Err(StoreError::Gone(Gone::Damage));
        }
        bytes.extend_from_slice(row.get_ref(2)?.as_blob().map_err(StoreError::failed)?);
    }
    let Some((start, start_bytes)) = first else { return Ok(None) };
    let text = ByteString::try_from(bytes).map_err(|_| StoreError::Gone(Gone::Damage))?;
    Ok(Some(Stretch { text, start, start_bytes }))
}

fn places(state: &Connection, id: RecordId) -> Result<Places, StoreError> {
    if !state.prepare_cached(lookup::HEAD)?.exists([id])? {
        return Err(StoreError::NoSuchRecord);
    }
    let sql = "SELECT * FROM place WHERE record_id = ?1 ORDER BY what, n";
    let mut query = state.prepare_cached(sql)?;
    let mut found = query.query([id])?;
    let mut places = Places::default();
    while let Some(row) = found.next()? {
        match row.get_ref("what")?.as_str().map_err(StoreError::failed)? {
            "span" => places.blocks.push(rows::block(row)?),
            "shown" => places.shown.push(rows::span(row)?),
            _ => places.slots.push(rows::slot(row)?),
        }
    }
    Ok(places)
}

/// How long the text of a record is, and whether all is as it should be.
fn check_one(state: &Connection, id: RecordId) -> Result<Option<(u64, bool)>, StoreError> {
    let sql = select(lookup::BY_ID);
    let meta = state.prepare_cached(&sql)?.query_row([id], rows::meta).optional()?;
    let Some(meta) = meta else { return Ok(None) };
    let mut comparison = Comparison::new(meta.unit);
    let sql = "SELECT at, byte_at, data FROM piece WHERE record_id = ?1 ORDER BY at";
    let mut query = state.prepare_cached(sql)?;
    let mut found = query.query([id])?;
    while let Some(row) = found.next()? {
        let (Number(at), Number(byte_at)) = (row.get(0)?, row.get(1)?);
        comparison.piece(at, byte_at, row.get_ref(2)?.as_blob().map_err(StoreError::failed)?);
    }
    let is_whole = comparison.fits(&meta) && fits(&places(state, id)?, &meta);
    Ok(Some((meta.sizes.bytes as u64, is_whole)))
}
