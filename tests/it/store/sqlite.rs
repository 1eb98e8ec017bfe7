//! The file of `SQLite`: what is in it, how it is asked, and what else may ask it.

use std::fs;
use std::process::Command;

use rusqlite::Connection;
use slotledger::Unit;
use slotledger::record::store::{By, Retention, Sessions, SqliteStore, Store, StoreError};
use slotledger::record::{Gone, Reader, Record, RecordId, Sizes, page_of};
use slotledger::text::Span;

use super::home::{Home, Kind, at, record, text_of};

const DAY: u64 = 24 * 3600;

fn open(home: &Home) -> SqliteStore {
    SqliteStore::open(home.path(), Retention::default()).unwrap()
}

fn number(connection: &Connection, sql: &str) -> i64 {
    connection.query_one(sql, (), |row| row.get(0)).unwrap()
}

#[test]
fn the_file_says_what_it_is() {
    let home = Home::new(Kind::Sqlite);
    let store = open(&home);
    let connection = Connection::open(store.path()).unwrap();
    assert_eq!(number(&connection, "PRAGMA application_id"), 1_936_486_260);
    assert_eq!(number(&connection, "PRAGMA user_version"), 1);
    assert_eq!(number(&connection, "PRAGMA auto_vacuum"), 2, "incremental");
    let mode: String = connection.query_one("PRAGMA journal_mode", (), |row| row.get(0)).unwrap();
    assert_eq!(mode, "wal");
}

#[test]
fn every_look_up_is_by_an_index() {
    let home = Home::new(Kind::Sqlite);
    let plans = open(&home).query_plans().unwrap();
    assert_eq!(plans.len(), 14);
    for (query, steps) in &plans {
        assert!(!steps.is_empty());
        for step in steps {
            let is_scan = step.starts_with("SCAN");
            // A list of all sessions walks the records in their order, which is the answer.
            assert!(!is_scan, "{query}\n{steps:#?}");
        }
    }
    let index_of = |part: &str| {
        let (_, steps) = plans.iter().find(|(query, _)| query.contains(part)).unwrap();
        steps.join("; ")
    };
    for (part, index) in [
        ("s.name = ?1 AND r.call_id = ?2", "(session_id=? AND call_id=?)"),
        ("WHERE r.call_id = ?2", "record_call_all (call_id=?)"),
        ("s.name = ?1 AND r.norm_id = ?2", "record_norm (session_id=? AND norm_id=?)"),
        ("WHERE r.norm_id = ?2", "record_norm_all (norm_id=?)"),
        ("s.name = ?1 AND r.key = ?2", "record_key (key=?)"),
        ("WHERE r.key = ?2", "record_key (key=?)"),
        (
            "AND r.is_error = ?5",
            "(session_id=? AND call_id=? AND sha256=? AND tool=? AND is_error=?)",
        ),
        ("max(nth)", "(session_id=? AND call_id=?)"),
        ("SELECT unit", "record_key (key=?)"),
        ("s.name = ?1 AND r.id < ?2", "record_list (session_id=? AND id<?)"),
        ("FROM piece", "(record_id=? AND at>? AND at<?)"),
    ] {
        assert!(index_of(part).contains(index), "{part}: {}", index_of(part));
    }
}

#[test]
fn a_later_version_is_refused() {
    let home = Home::new(Kind::Sqlite);
    drop(open(&home));
    Connection::open(home.path()).unwrap().pragma_update(None, "user_version", 2).unwrap();
    let refused = SqliteStore::open(home.path(), Retention::default());
    assert!(matches!(refused, Err(StoreError::Version { found: 2, known: 1 })), "{refused:?}");
    let connection = Connection::open(home.path()).unwrap();
    assert_eq!(number(&connection, "PRAGMA user_version"), 2);
}

#[test]
fn a_file_of_others_is_refused_and_left_as_it_is() {
    let home = Home::new(Kind::Sqlite);
    fs::create_dir_all(home.path().parent().unwrap()).unwrap();
    let makers: [fn(&Home); 3] = [
        |home| {
            let text = "not a database, but a text of some length\n".repeat(100);
            fs::write(home.path(), text).unwrap();
        },
        |home| Connection::open(home.path()).unwrap().execute_batch("CREATE TABLE t(x)").unwrap(),
        |home| {
            let other = Connection::open(home.path()).unwrap();
            other.execute_batch("PRAGMA application_id = 7; CREATE TABLE t(x)").unwrap();
        },
    ];
    for make in makers {
        let _ = fs::remove_file(home.path());
        make(&home);
        let before = fs::read(home.path()).unwrap();
        let refused = SqliteStore::open(home.path(), Retention::default());
        assert!(matches!(refused, Err(StoreError::NotAStore)), "{refused:?}");
        assert_eq!(fs::read(home.path()).unwrap(), before);
    }
}

#[test]
fn an_empty_file_becomes_a_store() {
    let home = Home::new(Kind::Sqlite);
    fs::create_dir_all(home.path().parent().unwrap()).unwrap();
    fs::write(home.path(), "").unwrap();
    open(&home).put(&record("c1", "hello"), at(1)).unwrap();
    // A process that ended between the journal and the tables left this.
    fs::remove_file(home.path()).unwrap();
    let halfway = Connection::open(home.path()).unwrap();
    halfway.execute_batch("PRAGMA auto_vacuum = 2; PRAGMA journal_mode = WAL").unwrap();
    drop(halfway);
    open(&home).put(&record("c1", "hello"), at(1)).unwrap();
}

#[test]
fn errors_of_sqlite_have_our_names() {
    let of = |code| {
        let error = rusqlite::Error::SqliteFailure(rusqlite::ffi::Error::new(code), None);
        StoreError::from(error).reason().into_owned()
    };
    assert_eq!(of(rusqlite::ffi::SQLITE_FULL), "disk full");
    assert_eq!(of(rusqlite::ffi::SQLITE_BUSY), "store busy");
    assert_eq!(of(rusqlite::ffi::SQLITE_READONLY), "store is read-only");
}

#[test]
fn names_are_names() {
    let home = Home::new(Kind::Sqlite);
    for name in [":memory:", "file:x?mode=memory", "with space", "quo'te", "é"] {
        let path = home.folder().join(name);
        SqliteStore::open(&path, Retention::default()).unwrap();
        assert!(fs::metadata(&path).unwrap().len() > 0, "{name}");
    }
}

#[test]
fn damage_is_found_told_and_mended() {
    for spoil in [
        "UPDATE piece SET data = CAST('hellO again' AS BLOB) WHERE record_id = 1",
        "UPDATE piece SET data = CAST('hello' AS BLOB) WHERE record_id = 1",
        "UPDATE piece SET data = x'ff' WHERE record_id = 1",
        "UPDATE piece SET at = 1 WHERE record_id = 1",
        "DELETE FROM piece WHERE record_id = 1",
        "UPDATE record SET lines = 2 WHERE id = 1",
        "UPDATE place SET end = 12 WHERE record_id = 1",
        "DELETE FROM place WHERE record_id = 1 AND what = 'slot' AND n = 0",
    ] {
        let home = Home::new(Kind::Sqlite);
        let store = open(&home);
        let slot = slotledger::record::SlotPlace {
            span: slotledger::text::Span::new(0, 5),
            shown: true,
            reference: None,
            media_type: "image/png".into(),
        };
        let placed = Record { slots: vec![slot], ..record("c1", "hello again") };
        let bad = store.put(&placed, at(1)).unwrap();
        let good = store.put(&record("c2", "good"), at(1)).unwrap();
        Connection::open(home.path()).unwrap().execute_batch(spoil).unwrap();
        if spoil.starts_with("DELETE FROM place") {
            // The number of slots is that of their places.
            assert_eq!(store.check(&mut |_, _| ()).unwrap(), []);
            continue;
        }
        assert_eq!(store.check(&mut |_, _| ()).unwrap(), [bad.id], "{spoil}");
        let read = store.read(bad.id, 0, 5);
        assert!(matches!(read, Err(StoreError::Gone(Gone::Damage))), "{read:?}");
        assert_eq!(store.check(&mut |_, _| ()).unwrap(), [], "told once");
        assert_eq!(text_of(&store, good.id), "good");
        assert_eq!(store.usage().unwrap().bytes, 4);
        if !spoil.contains("lines") {
            store.put(&placed, at(2)).unwrap();
            assert_eq!(text_of(&store, bad.id), "hello again");
            assert_eq!(store.check(&mut |_, _| ()).unwrap(), [], "{spoil}");
        }
    }
}

#[test]
fn swept_space_is_given_back() {
    let home = Home::new(Kind::Sqlite);
    let store = open(&home);
    for n in 0..300 {
        let text = format!("{n} ").repeat(2_000);
        store.put(&Record::new(format!("s{n}"), "c", "", text), at(0)).unwrap();
    }
    let connection = Connection::open(home.path()).unwrap();
    let pages = number(&connection, "PRAGMA page_count");
    let retention = Retention { quota_bytes: 100_000, ..Retention::default() };
    assert!(store.sweep(&retention, at(2 * DAY)).unwrap().records > 250);
    assert_eq!(number(&connection, "PRAGMA freelist_count"), 0);
    assert!(number(&connection, "PRAGMA page_count") < pages / 4);
    assert_eq!(store.check(&mut |_, _| ()).unwrap(), []);
}

/// Runs a command as a shell would that read it, and returns what it printed.
fn shell(command: &str) -> Result<String, String> {
    let output = Command::new("sh").args(["-c", command]).output().expect("sh");
    let text = |bytes| String::from_utf8(bytes).expect("UTF-8");
    if output.status.success() { Ok(text(output.stdout)) } else { Err(text(output.stderr)) }
}

#[test]
fn the_printed_query_prints_the_text() {
    // It stands in notices: here it has to run, so the `sqlite3` command must be installed.
    shell("command -v sqlite3").expect("the sqlite3 command is installed");
    let home = Home::new(Kind::Sqlite);
    for path in [home.path(), home.folder().join("with $space; and")] {
        let store = SqliteStore::open(&path, Retention::default()).unwrap();
        let texts = ["hello", "", "é😀 'quoted' \"text\"\r\n", &"long line\n".repeat(20_000)];
        for text in texts {
            let kept = store.put(&record("it's", text), at(1)).unwrap();
            let query = store.query_of(&kept).expect("a query");
            // A writer that is at work is no hindrance.
            let writer = Connection::open(&path).unwrap();
            writer.execute_batch("BEGIN IMMEDIATE").unwrap();
            assert_eq!(shell(&query).unwrap(), format!("{text}\n"));
            writer.execute_batch("ROLLBACK").unwrap();
        }
    }
}

#[test]
fn the_printed_query_reads_only() {
    let home = Home::new(Kind::Sqlite);
    let store = open(&home);
    let kept = store.put(&record("c1", "hello"), at(1)).unwrap();
    let query = store.query_of(&kept).unwrap();
    assert_eq!(
        query,
        format!(
            "sqlite3 -readonly {} \"SELECT text FROM tool_results WHERE key='2cf24dba5fb0a30e' LIMIT 1\"",
            home.path().display()
        )
    );
    let (open, _) = query.split_once('"').unwrap();
    let refused = shell(&format!("{open}\"DELETE FROM record\"")).unwrap_err();
    assert!(refused.contains("readonly"), "{refused}");
    assert_eq!(text_of(&store, kept.id), "hello");
}

#[test]
fn the_printed_query_finds_the_equal_text_that_is_there() {
    let home = Home::new(Kind::Sqlite);
    let store = open(&home);
    let text = "the same ".repeat(10);
    let kept: Vec<_> = ["a", "b", "c"]
        .map(|session| store.put(&Record::new(session, "c1", "", text.as_str()), at(1)).unwrap())
        .into_iter()
        .collect();
    store.remove(kept[0].id).unwrap();
    store.remove(kept[2].id).unwrap();
    let query = store.query_of(&kept[1]).unwrap();
    assert_eq!(shell(&query).unwrap(), format!("{text}\n"));
    let gone = &store.find(Sessions::One("a"), By::CallId("c1")).unwrap()[0];
    assert_eq!(store.query_of(gone), None);
}

#[test]
fn the_view_is_as_the_store_says() {
    let home = Home::new(Kind::Sqlite);
    let store = open(&home);
    let kept = store.put(&record("it's", &"é😀\n".repeat(30_000)), at(1)).unwrap();
    let sql = "SELECT length(text), chars, utf16, bytes, lines, slots, nth, session, created_at \
        FROM tool_results WHERE session='s1' AND call_id='it''s'";
    let said = shell(&format!("sqlite3 -readonly {} \"{sql}\"", home.path().display())).unwrap();
    assert_eq!(said, "90000|90000|120000|210000|30000|0|1|s1|2096-10-02T07:06:41.000Z\n");
    assert_eq!((kept.sizes.chars, kept.sizes.utf16), (90_000, 120_000));
}

#[test]
fn no_query_is_printed_that_would_not_run() {
    let home = Home::new(Kind::Sqlite);
    let store = open(&home);
    let escape = store.put(&record("c1", "\u{1b}[31m"), at(1)).unwrap();
    assert_eq!(store.query_of(&escape), None);
    for name in ["quo'te", "a[b", "a]b", "new\nline"] {
        let store = SqliteStore::open(home.folder().join(name), Retention::default()).unwrap();
        let kept = store.put(&record("c1", "hello"), at(1)).unwrap();
        assert_eq!(store.query_of(&kept), None, "{name:?}");
    }
}

#[test]
fn a_writer_that_does_not_end_makes_it_busy() {
    let home = Home::new(Kind::Sqlite);
    let store = open(&home);
    let kept = store.put(&record("c1", "hello"), at(1)).unwrap();
    let writer = Connection::open(home.path()).unwrap();
    writer.execute_batch("BEGIN IMMEDIATE").unwrap();
    assert_eq!(text_of(&store, kept.id), "hello");
    assert_eq!(text_of(&open(&home), kept.id), "hello", "opening waits for nobody");
    let refused = store.put(&record("c2", "x"), at(1));
    assert!(matches!(refused, Err(StoreError::Busy)), "{refused:?}");
    writer.execute_batch("ROLLBACK").unwrap();
    store.put(&record("c2", "x"), at(1)).unwrap();
}

/// What every later version has to read: a file that version 1 made.
#[test]
fn a_file_of_version_1_is_read_as_it_was_written() {
    let home = Home::new(Kind::Sqlite);
    let path = home.folder().join("version_1.db");
    let made = include_str!("../../fixtures/records_v1.sql");
    Connection::open(&path).unwrap().execute_batch(made).unwrap();
    let store = SqliteStore::open(&path, Retention::default()).unwrap();

    let long = store.find(Sessions::One("s1"), By::CallId("call\0'1")).unwrap().remove(0);
    let text = format!(
        "{{\"l\":[{{\"id\":1}}]}}\n[image: image/png, 1B, ref img_abc123_1]\n{}",
        "é😀\n".repeat(1_500)
    );
    assert_eq!(text_of(&store, long.id), text);
    assert_eq!((long.unit, long.is_error, long.complete), (Unit::Char, true, false));
    assert_eq!(long.sizes, Sizes::of(&text));
    assert_eq!(
        (long.nth, long.slots, &*long.tool, &*long.content_type),
        (1, 1, "read_file", "text")
    );
    let page = page_of(&store, &long, 4_000, 5).unwrap().unwrap();
    assert_eq!(page.text, text.chars().skip(4_000).take(5).collect::<String>());
    let places = store.places(long.id).unwrap();
    assert_eq!(places.blocks.len(), 2);
    assert_eq!(places.shown, [Span::new(0, 57)]);
    assert_eq!(places.slots[0].reference.as_deref(), Some("img_abc123_1"));

    let twice = store.find(Sessions::One("s1"), By::CallId("c1")).unwrap();
    assert_eq!(twice.iter().map(|meta| meta.nth).collect::<Vec<_>>(), [2, 1]);
    let gone = store.find(Sessions::One("../s2"), By::CallId("c1")).unwrap().remove(0);
    assert_eq!(gone.gone, Some(Gone::Request));
    let view = store.view("s1", "r1", &[8; 32]).unwrap().unwrap();
    assert_eq!((view.record, &*view.kind, view.range), (long.id, "page", Some((3, 9))));
    assert!(store.view("s1", "call\0'1", &[7; 32]).unwrap().is_some());
    assert_eq!(store.check(&mut |_, _| ()).unwrap(), []);
    // It is written on, and ids go on where they were.
    let next = store.put(&record("c3", "new"), at(9)).unwrap();
    assert_eq!(next.id, RecordId(6));
}

#[test]
fn what_is_removed_on_request_is_nowhere_in_the_file() {
    let home = Home::new(Kind::Sqlite);
    let store = open(&home);
    let secret = "hunter2 ".repeat(5_000);
    let kept = store.put(&record("c1", &secret), at(1)).unwrap();
    store.put(&record("c2", &"kept ".repeat(10_000)), at(2)).unwrap();
    let other = Record::new("s2", "c1", "t", format!("{secret} too"));
    store.put(&other, at(3)).unwrap();
    store.remove(kept.id).unwrap();
    store.remove_session("s2").unwrap();
    for entry in fs::read_dir(home.path().parent().unwrap()).unwrap() {
        let path = entry.unwrap().path();
        let bytes = fs::read(&path).unwrap();
        assert!(!holds(&bytes, b"hunter2"), "{}", path.display());
    }
}

fn holds(bytes: &[u8], word: &[u8]) -> bool {
    bytes.windows(word.len()).any(|window| window == word)
}

#[test]
fn what_only_looks_like_a_store_is_left_as_it_is() {
    let home = Home::new(Kind::Sqlite);
    let tiny = home.folder().join("tiny.db");
    fs::write(&tiny, "x").unwrap();
    let error = SqliteStore::open(&tiny, Retention::default()).unwrap_err();
    assert!(matches!(error, StoreError::NotAStore), "{error:?}");
    assert_eq!(fs::read(&tiny).unwrap(), b"x");
    // Ours, but for its version.
    drop(open(&home));
    Connection::open(home.path()).unwrap().execute_batch("PRAGMA user_version = 0").unwrap();
    let error = SqliteStore::open(home.path(), Retention::default()).unwrap_err();
    assert!(matches!(error, StoreError::NotAStore), "{error:?}");
}

#[test]
fn nothing_is_said_of_a_text_of_which_a_part_is_missing() {
    let home = Home::new(Kind::Sqlite);
    let store = open(&home);
    let text = "{\"a\":[{\"id\":1}]}\n".to_owned() + &"word ".repeat(5_000);
    for (n, condition) in ["at = 0", "at = (SELECT max(at) FROM piece)"].iter().enumerate() {
        let call_id = format!("c{n}");
        let kept = store.put(&record(&call_id, &text), at(1)).unwrap();
        let sql = format!("DELETE FROM piece WHERE record_id = {} AND {condition}", kept.id.0);
        Connection::open(store.path()).unwrap().execute(&sql, ()).unwrap();
        let reader = Reader::new(&store, "s1");
        for more in
            ["\"startChar\":0", "\"grep\":\"word\"", "\"grep\":\"nothing\"", "\"item\":\"*\""]
        {
            let arguments = format!("{{\"toolCallId\":\"{call_id}\",{more}}}");
            let refusal = reader.get_full_tool_result(&arguments).unwrap_err();
            assert_eq!(refusal.reason(), "expired", "{more}");
            assert!(refusal.notice().contains("(damage)"), "{}", refusal.notice());
        }
        // What is left of it can be removed, found damaged or not.
        if n == 0 {
            assert_eq!(store.check(&mut |_, _| ()).unwrap(), [kept.id]);
        }
        store.remove(kept.id).unwrap();
        let connection = Connection::open(store.path()).unwrap();
        assert_eq!(number(&connection, "SELECT count(*) FROM piece"), 0);
        let gone = store.find(Sessions::One("s1"), By::CallId(&call_id)).unwrap()[0].gone;
        assert_eq!(gone, Some(Gone::Request));
    }
}
