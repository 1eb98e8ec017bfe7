//! A folder of records: its files, what is damaged in it, and whose files they are.

use std::fs;
use std::path::PathBuf;

use slotledger::record::store::{By, DirStore, Retention, Sessions, StoreError};
use slotledger::record::{Gone, Record, RecordId};

use super::home::{Home, Kind, at, record, text_of};

fn names(home: &Home) -> Vec<String> {
    let entries = fs::read_dir(home.path()).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

fn file_of(home: &Home, text: &str) -> PathBuf {
    let sha256 = slotledger::image::hex(&Record::new("", "", "", text).sha256());
    home.path().join(sha256 + ".text")
}

#[test]
fn texts_are_files_named_by_their_content() {
    let home = Home::new(Kind::Dir);
    let store = home.open();
    store.put(&record("../../x", "hello"), at(1)).unwrap();
    store.put(&Record::new("/s", "y", "/bin/sh", "hello"), at(1)).unwrap();
    let hello = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824.text";
    assert_eq!(names(&home), [hello, "index.jsonl", "lock"]);
    assert_eq!(fs::read_to_string(file_of(&home, "hello")).unwrap(), "hello");
    store.remove_session("s1").unwrap();
    assert_eq!(names(&home).len(), 3, "another record holds it");
    store.remove_session("/s").unwrap();
    assert_eq!(names(&home), ["index.jsonl", "lock"]);
}

#[cfg(unix)]
#[test]
fn all_is_readable_by_its_owner_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    for kind in super::processes::lasting() {
        let home = Home::new(kind);
        let store = home.open();
        store.put(&record("c1", "hello"), at(1)).unwrap();
        let mut paths = vec![home.path().parent().unwrap().to_owned()];
        let mut files = 0;
        while let Some(path) = paths.pop() {
            let mode = fs::metadata(&path).unwrap().permissions().mode() & 0o777;
            if path.is_dir() {
                assert_eq!(mode, 0o700, "{}", path.display());
                paths.extend(fs::read_dir(path).unwrap().map(|entry| entry.unwrap().path()));
            } else {
                assert_eq!(mode, 0o600, "{}", path.display());
                files += 1;
            }
        }
        assert_eq!(files, 3, "{kind:?}: with what stands beside");
        // What was there before keeps its permissions.
        let there = home.folder().join("there");
        fs::create_dir(&there).unwrap();
        fs::set_permissions(&there, fs::Permissions::from_mode(0o755)).unwrap();
        let path = if kind == Kind::Dir { there.clone() } else { there.join("records") };
        super::home::open(kind, &path, Retention::default()).unwrap();
        assert_eq!(fs::metadata(&there).unwrap().permissions().mode() & 0o777, 0o755);
    }
}

#[test]
fn files_of_others_are_left_alone() {
    let home = Home::new(Kind::Dir);
    fs::create_dir_all(home.path()).unwrap();
    let others = ["notes.txt", ".draft.tmp", "x.text", "abc.tmp", "0123.text"];
    for name in others {
        fs::write(home.path().join(name), name).unwrap();
    }
    let mine = [".0123456789abcdef.tmp".to_owned(), "a".repeat(64) + ".text"];
    for name in &mine {
        fs::write(home.path().join(name), name).unwrap();
    }
    let store = home.open();
    store.put(&record("c1", "hello"), at(1)).unwrap();
    store.remove_session("s1").unwrap();
    store.sweep(&Retention::default(), at(2)).unwrap();
    for name in others {
        assert_eq!(fs::read_to_string(home.path().join(name)).unwrap(), name);
    }
    assert!(mine.iter().all(|name| !home.path().join(name).exists()), "{:?}", names(&home));
}

#[test]
fn damage_is_found_told_and_mended() {
    let spoil: [fn(&PathBuf); 4] = [
        |file| fs::write(file, "hellO again").unwrap(),
        |file| fs::write(file, "hello").unwrap(),
        |file| fs::write(file, b"hello \xffgain").unwrap(),
        |file| fs::remove_file(file).unwrap(),
    ];
    for spoil in spoil {
        let home = Home::new(Kind::Dir);
        let store = home.open();
        let bad = store.put(&record("c1", "hello again"), at(1)).unwrap();
        let good = store.put(&record("c2", "good"), at(1)).unwrap();
        spoil(&file_of(&home, "hello again"));
        assert_eq!(store.check(&mut |_, _| ()).unwrap(), [bad.id]);
        let read = store.read(bad.id, 0, 5);
        assert!(matches!(read, Err(StoreError::Gone(Gone::Damage))), "{read:?}");
        assert_eq!(store.check(&mut |_, _| ()).unwrap(), [], "told once");
        assert_eq!(text_of(&*store, good.id), "good");
        let store = home.open();
        let back = store.put(&record("c1", "hello again"), at(2)).unwrap();
        assert_eq!((back.id, back.gone), (bad.id, None));
        assert_eq!(text_of(&*store, bad.id), "hello again");
        assert_eq!(store.check(&mut |_, _| ()).unwrap(), []);
    }
}

#[test]
fn a_line_that_was_not_written_to_its_end_is_none() {
    let home = Home::new(Kind::Dir);
    let store = home.open();
    store.put(&record("c1", "hello"), at(1)).unwrap();
    store.put(&record("c2", "hello again"), at(1)).unwrap();
    let index = home.path().join("index.jsonl");
    let whole = fs::read(&index).unwrap();
    let last = whole[..whole.len() - 1].iter().rposition(|byte| *byte == b'\n').unwrap();
    for cut in last + 1..whole.len() {
        fs::write(&index, &whole[..cut]).unwrap();
        let store = home.open();
        assert_eq!(store.find(Sessions::All, By::CallId("c2")).unwrap(), [], "cut at {cut}");
        let next = store.put(&record("c3", "third"), at(1)).unwrap();
        assert_eq!(next.id, RecordId(2));
        assert_eq!(text_of(&*store, next.id), "third");
        assert_eq!(text_of(&*home.open(), next.id), "third");
        assert_eq!(store.find(Sessions::All, By::CallId("c2")).unwrap(), []);
        assert_eq!(store.usage().unwrap().records, 2);
    }
}

#[test]
fn an_index_that_is_written_anew_is_followed() {
    let home = Home::new(Kind::Dir);
    let (writer, reader) = (home.open(), home.open());
    let first = writer.put(&record("c1", "hello"), at(1)).unwrap();
    let gone = writer.put(&record("c2", "gone"), at(1)).unwrap();
    writer.remove(gone.id).unwrap();
    let index = home.path().join("index.jsonl");
    let head = |path| fs::read_to_string(path).unwrap().lines().next().map(str::to_owned);
    let before = head(&index);
    for n in 0..6_000 {
        writer.keep_alive("s1", at(n)).unwrap();
    }
    assert_ne!(head(&index), before, "it would grow for ever");
    assert!(fs::metadata(&index).unwrap().len() < 500_000);
    assert_eq!(text_of(&*reader, first.id), "hello");
    assert_eq!(reader.find(Sessions::All, By::CallId("c2")).unwrap()[0].gone, Some(Gone::Request));
    let kept = reader.put(&record("c3", "third"), at(1)).unwrap();
    assert_eq!(writer.find(Sessions::All, By::CallId("c3")).unwrap(), std::slice::from_ref(&kept));
    writer.remove_session("s1").unwrap();
    for n in 0..6_000 {
        writer.keep_alive("s2", at(n)).unwrap();
    }
    drop((writer, reader));
    assert!(home.open().put(&record("c4", "x"), at(1)).unwrap().id > kept.id);
}

#[test]
fn an_index_of_others_or_of_a_later_version_is_refused() {
    let later = r#"{"what":"records of slotledger","version":2,"edition":"0","lastId":0}"#;
    let long = "x".repeat(1_000);
    for (text, version) in
        [(later, Some(2)), ("{\"name\":1}\n", None), ("hi", None), (&*long, None)]
    {
        let home = Home::new(Kind::Dir);
        fs::create_dir_all(home.path()).unwrap();
        let index = home.path().join("index.jsonl");
        let text = if version.is_some() { format!("{text}\n") } else { text.to_owned() };
        fs::write(&index, &text).unwrap();
        match DirStore::open(home.path(), Retention::default()) {
            Err(StoreError::Version { found, known: 1 }) => assert_eq!(Some(found), version),
            Err(StoreError::NotAStore) => assert_eq!(version, None),
            other => panic!("{other:?}"),
        }
        assert_eq!(fs::read_to_string(&index).unwrap(), text, "left as it is");
    }
}

#[test]
fn a_store_that_is_locked_is_busy() {
    let home = Home::new(Kind::Dir);
    let store = home.open();
    let kept = store.put(&record("c1", "hello"), at(1)).unwrap();
    let lock = fs::File::open(home.path().join("lock")).unwrap();
    lock.lock().unwrap();
    let refused = store.put(&record("c2", "x"), at(1));
    assert!(matches!(refused, Err(StoreError::Busy)), "{refused:?}");
    assert_eq!(text_of(&*store, kept.id), "hello", "it can be read all the time");
    assert_eq!(text_of(&*home.open(), kept.id), "hello");
    drop(lock);
    store.put(&record("c2", "x"), at(1)).unwrap();
}

#[test]
fn texts_beside_no_index_are_left_alone() {
    let home = Home::new(Kind::Dir);
    home.open().put(&record("c1", "hello"), at(1)).unwrap();
    for index in [None, Some("")] {
        match index {
            None => fs::remove_file(home.path().join("index.jsonl")).unwrap(),
            Some(text) => fs::write(home.path().join("index.jsonl"), text).unwrap(),
        }
        let store = home.open();
        assert_eq!(fs::read_to_string(file_of(&home, "hello")).unwrap(), "hello");
        assert_eq!(store.usage().unwrap().records, 0);
    }
}

#[test]
fn a_removed_session_leaves_no_word_in_the_index() {
    let home = Home::new(Kind::Dir);
    let store = home.open();
    store.put(&Record::new("secret", "call", "t", "hello"), at(1)).unwrap();
    store.put(&record("c1", "hello again"), at(1)).unwrap();
    store.remove_session("secret").unwrap();
    let index = fs::read_to_string(home.path().join("index.jsonl")).unwrap();
    assert!(!index.contains("secret") && index.contains("\"c1\""), "{index}");
}

#[test]
fn lines_of_the_index_that_cannot_be_are_passed_over() {
    let home = Home::new(Kind::Dir);
    let store = home.open();
    let kept = store.put(&record("c1", "é hello"), at(1)).unwrap();
    let path = home.path().join("index.jsonl");
    let index = fs::read_to_string(&path).unwrap();
    let line = index.lines().find(|line| line.contains("\"kept\"")).unwrap().to_owned();
    assert!(line.contains("\"id\":1,") && line.contains("\"bytes\":8,"), "{line}");
    let id = line.replace("\"id\":1,", "\"id\":2,");
    let hostile = [
        id.replace("\"bytes\":8,", "\"bytes\":100000000000000,"),
        id.replace("\"bytes\":8,", "\"bytes\":18446744073709551615,"),
        id.replace("\"chars\":7,", "\"chars\":9,"),
        line.replace("\"id\":1,", "\"id\":18446744073709551615,"),
        line.replace("\"session\":\"s1\"", "\"session\":\"s2\"").replace("\"c1\"", "\"c2\""),
    ];
    fs::write(&path, format!("{index}{}\n", hostile.join("\n"))).unwrap();
    let store = home.open();
    // The last one takes the place of the first, and of all its names.
    assert_eq!(store.find(Sessions::One("s1"), By::CallId("c1")).unwrap(), []);
    let found = store.find(Sessions::One("s2"), By::CallId("c2")).unwrap();
    assert_eq!((found.len(), found[0].id), (1, kept.id));
    assert_eq!(store.usage().unwrap().records, 1);
    assert_eq!(store.check(&mut |_, _| ()).unwrap(), []);
    assert_eq!(store.put(&record("c3", "new"), at(2)).unwrap().id, RecordId(2));
}
