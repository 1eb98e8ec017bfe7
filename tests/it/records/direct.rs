//! The way past the tools: a file, or a command that runs as printed.

use std::sync::Arc;
use std::{fs, process};

use slotledger::content::Call;
use slotledger::record::store::{DirStore, Retention};

use super::{engine, memory, text};
use crate::store::home::{Home, Kind};

/// What stands behind the call in the notice of a stored copy.
fn behind_the_call(stored: &str) -> &str {
    let (_, rest) = stored.rsplit_once("\"startChar\":1000})").expect("a call");
    rest.strip_suffix(']').expect("the notice's end")
}

#[test]
fn a_file_that_is_printed_holds_the_full_text() {
    let home = Home::new(Kind::Dir);
    let store = Arc::new(DirStore::open(home.path(), Retention::default()).unwrap());
    let full = format!("{}\u{1b}[31m\0", "é😀\r".repeat(500));
    let stored = |engine: slotledger::Engine| {
        engine.session_named("s1").ingest(&Call::new("c1", "t"), &text(&full)).stored.text
    };
    assert_eq!(behind_the_call(&stored(engine(store.clone()))), "", "off by default");
    let printed = stored(engine(store).with_direct_path());
    let path = behind_the_call(&printed).strip_prefix("; or file ").expect("a file").to_owned();
    assert_eq!(fs::read_to_string(path).unwrap(), full);
}

#[test]
fn no_path_is_printed_that_would_not_work() {
    for name in ["it's", "a [b]", "a b", &"x".repeat(230)] {
        let home = Home::new(Kind::Dir);
        let folder = home.folder().join(name).join(name);
        let store = Arc::new(DirStore::open(folder, Retention::default()).unwrap());
        let mut session = engine(store).with_direct_path().session_named("s1");
        let ingested = session.ingest(&Call::new("c1", "t"), &text(&"x".repeat(2_000)));
        assert_eq!(behind_the_call(&ingested.stored.text), "", "{name}");
    }
}

#[test]
fn memory_has_no_other_way() {
    let mut session = engine(memory()).with_direct_path().session_named("s1");
    let ingested = session.ingest(&Call::new("c1", "t"), &text(&"x".repeat(2_000)));
    assert_eq!(behind_the_call(&ingested.stored.text), "");
}

#[cfg(feature = "sqlite")]
#[test]
fn a_query_that_is_printed_runs_in_a_shell_and_prints_the_full_text() {
    use slotledger::record::store::SqliteStore;
    let home = Home::new(Kind::Sqlite);
    for name in ["records.db", "my records.db"] {
        let path = home.folder().join(name);
        let store = Arc::new(SqliteStore::open(path, Retention::default()).unwrap());
        let engine = engine(store).with_direct_path();
        let mut session = engine.session_named("s1");
        let full = "a \"quoted\" 'line' é😀 $HOME `x` \\ %\r\n\t".repeat(90);
        let ingested = session.ingest(&Call::new("it's", "t"), &text(&full));
        let query = behind_the_call(&ingested.stored.text).strip_prefix("; or sql ").expect("sql");
        let ran = process::Command::new("sh").arg("-c").arg(query).output().expect("a shell");
        assert_eq!(String::from_utf8(ran.stderr).unwrap(), "");
        assert!(String::from_utf8(ran.stdout).unwrap() == format!("{full}\n"), "{query}");
        // A text that a terminal must not print has none.
        let ingested = session.ingest(&Call::new("c2", "t"), &text(&"\u{1b}[31m".repeat(900)));
        assert_eq!(behind_the_call(&ingested.stored.text), "");
    }
}
