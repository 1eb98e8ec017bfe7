//! The file of a `SQLite` store: how it is made, opened, told from others and brought up to date.

use std::fs::{DirBuilder, OpenOptions};
use std::io::ErrorKind;
#[cfg(unix)]
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use rusqlite::config::DbConfig;
use rusqlite::{Connection, ErrorCode, OpenFlags, TransactionBehavior};

use super::error::StoreError;

/// Says that a file is ours: the letters `slot`.
const APPLICATION_ID: i64 = 1_936_486_260;

/// The steps that bring a file to each version from the one before it; the first makes it.
const STEPS: &[&str] = &["
CREATE TABLE session(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE,
  live_until INTEGER NOT NULL);
CREATE TABLE record(id INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id INTEGER NOT NULL REFERENCES session ON DELETE CASCADE,
  call_id TEXT NOT NULL, norm_id TEXT NOT NULL, nth INTEGER NOT NULL, tool TEXT NOT NULL,
  is_error INTEGER NOT NULL, complete INTEGER NOT NULL, plain INTEGER NOT NULL,
  type TEXT NOT NULL, unit TEXT NOT NULL CHECK(unit IN ('utf16','char','byte')),
  bytes INTEGER NOT NULL, chars INTEGER NOT NULL, utf16 INTEGER NOT NULL,
  lines INTEGER NOT NULL, sha256 BLOB NOT NULL,
  key TEXT NOT NULL CHECK(key = lower(hex(substr(sha256, 1, 8)))), created INTEGER NOT NULL,
  gone TEXT CHECK(gone IN ('age','quota','request','damage')),
  UNIQUE(session_id, call_id, nth), UNIQUE(session_id, call_id, sha256, tool, is_error));
CREATE INDEX record_norm ON record(session_id, norm_id);
CREATE INDEX record_list ON record(session_id, id);
CREATE INDEX record_call_all ON record(call_id, id);
CREATE INDEX record_norm_all ON record(norm_id, id);
-- NULL comes first: of equal texts, a query by key finds one that is there.
CREATE INDEX record_key ON record(key, gone, id);
CREATE INDEX record_kept ON record(created, session_id, bytes) WHERE gone IS NULL;
CREATE TABLE piece(record_id INTEGER NOT NULL REFERENCES record ON DELETE CASCADE,
  at INTEGER NOT NULL, byte_at INTEGER NOT NULL, data BLOB NOT NULL,
  PRIMARY KEY(record_id, at));
CREATE TABLE place(record_id INTEGER NOT NULL REFERENCES record ON DELETE CASCADE,
  what TEXT NOT NULL CHECK(what IN ('span','shown','slot')), n INTEGER NOT NULL,
  start INTEGER NOT NULL, end INTEGER NOT NULL, kind TEXT, shown INTEGER, ref TEXT,
  media_type TEXT, PRIMARY KEY(record_id, what, n)) WITHOUT ROWID;
CREATE TABLE emitted(session_id INTEGER NOT NULL REFERENCES session ON DELETE CASCADE,
  call_id TEXT NOT NULL, sha256 BLOB NOT NULL,
  record_id INTEGER NOT NULL REFERENCES record ON DELETE CASCADE, kind TEXT NOT NULL,
  start INTEGER NOT NULL, end INTEGER NOT NULL,
  PRIMARY KEY(session_id, call_id, sha256)) WITHOUT ROWID;
CREATE INDEX emitted_record ON emitted(record_id);
CREATE VIEW tool_results AS SELECT s.name AS session, r.call_id, r.nth, r.tool, r.is_error, r.key,
  lower(hex(r.sha256)) AS sha256, r.type, r.unit, r.bytes, r.chars, r.utf16, r.lines, r.complete,
  r.plain, r.gone,
  (SELECT count(*) FROM place WHERE record_id = r.id AND what = 'slot') AS slots,
  strftime('%Y-%m-%dT%H:%M:%fZ', r.created / 1000.0, 'unixepoch') AS created_at,
  CASE WHEN r.gone IS NULL THEN coalesce((SELECT group_concat(t, '') FROM
    (SELECT CAST(data AS TEXT) AS t FROM piece WHERE record_id = r.id ORDER BY at)), '')
  END AS text
FROM record r JOIN session s ON s.id = r.session_id;
"];

/// How long another process may hold the file.
const PATIENCE: Duration = Duration::from_secs(5);

/// Opens the file at an absolute `path`, which is made if there is none.
pub(super) fn open(path: &Path) -> Result<Connection, StoreError> {
    let is_writable = make(path)?;
    let access = if is_writable {
        OpenFlags::SQLITE_OPEN_READ_WRITE
    } else {
        OpenFlags::SQLITE_OPEN_READ_ONLY
    };
    // No URI: a name is a name.
    let flags = access | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let mut connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(PATIENCE)?;
    let version = version_now(&mut connection)?;
    if is_writable {
        if version.is_none() {
            // Only before the first table, and before there is a journal.
            connection.pragma_update(None, "auto_vacuum", "INCREMENTAL")?;
        }
        use_wal(&connection)?;
        migrate(&mut connection)?;
    } else if version != Some(STEPS.len()) {
        return Err(StoreError::ReadOnly);
    }
    connection.pragma_update(None, "synchronous", "NORMAL")?;
    connection.pragma_update(None, "foreign_keys", true)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    // Else SQLite plans a prepared statement anew each time that other values are bound to it.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.set_prepared_statement_cache_capacity(64);
    Ok(connection)
}

/// Makes the file, readable by its owner alone, and says whether it can be written.
fn make(path: &Path) -> Result<bool, StoreError> {
    if let Some(folder) = path.parent() {
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        builder.mode(0o700);
        builder.recursive(true).create(folder)?;
    }
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    options.mode(0o600);
    match options.read(true).append(true).create(true).open(path) {
        // SQLite takes a file of one byte for an empty one.
        Ok(file) if file.metadata()?.len() == 1 => Err(StoreError::NotAStore),
        Ok(_) => Ok(true),
        Err(error) => {
            let kind = error.kind();
            let is_refused =
                matches!(kind, ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem);
            if is_refused && path.is_file() { Ok(false) } else { Err(error.into()) }
        }
    }
}

/// The version of the file, as of one moment: another process may be making it.
fn version_now(connection: &mut Connection) -> Result<Option<usize>, StoreError> {
    let state = connection.transaction()?;
    let version = version(&state)?;
    state.commit()?;
    Ok(version)
}

/// The version of the file, or `None` for one in which there is nothing yet.
fn version(connection: &Connection) -> Result<Option<usize>, StoreError> {
    let number = |sql| connection.query_one(sql, (), |row| row.get::<_, i64>(0));
    let application = number("PRAGMA application_id")?;
    let tables = number("SELECT count(*) FROM sqlite_schema")?;
    let found = number("PRAGMA user_version")?;
    if application != APPLICATION_ID {
        let is_new = application == 0 && tables == 0 && found == 0;
        return if is_new { Ok(None) } else { Err(StoreError::NotAStore) };
    }
    match usize::try_from(found) {
        // Ours has a version with its first table.
        Ok(0) => Err(StoreError::NotAStore),
        Ok(found) if found <= STEPS.len() => Ok(Some(found)),
        _ => {
            let known = i64::try_from(STEPS.len()).unwrap_or(i64::MAX);
            Err(StoreError::Version { found, known })
        }
    }
}

fn use_wal(connection: &Connection) -> Result<(), StoreError> {
    let started = Instant::now();
    loop {
        let mode = connection.query_one("PRAGMA journal_mode=WAL", (), |row| row.get(0));
        let mode: String = match mode {
            // SQLite does not wait here by itself while another process does the same.
            Err(error)
                if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                    && started.elapsed() < PATIENCE =>
            {
                thread::sleep(Duration::from_millis(5));
                continue;
            }
            mode => mode?,
        };
        if mode == "wal" {
            return Ok(());
        }
        return Err(StoreError::failed("the file system does not let processes share memory"));
    }
}

fn migrate(connection: &mut Connection) -> Result<(), StoreError> {
    if version_now(connection)? == Some(STEPS.len()) {
        return Ok(());
    }
    let change = connection.transaction_with_behavior(TransactionBehavior::Immediate)?;
    // Another process may have been here first.
    let done = version(&change)?.unwrap_or(0);
    for step in STEPS.iter().skip(done) {
        change.execute_batch(step)?;
    }
    change.pragma_update(None, "application_id", APPLICATION_ID)?;
    change.pragma_update(None, "user_version", i64::try_from(STEPS.len()).unwrap_or(i64::MAX))?;
    Ok(change.commit()?)
}
