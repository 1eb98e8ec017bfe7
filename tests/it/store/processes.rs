//! Several processes at one store. A test starts its own binary again with [`worker`] alone.

use std::collections::HashSet;
use std::env;
use std::ffi::OsStr;
use std::io::Write as _;
use std::path::Path;
use std::process::{Command, Stdio};
use std::thread;
use std::time::SystemTime;

use slotledger::record::store::{By, EmittedView, Retention, Sessions, Store};
use slotledger::record::{Meta, Record, page_of};

use super::home::{Home, KINDS, Kind, at, open, text_of};

/// What a worker is to do: a kind, a task, a session, and the path of the store.
const TASK: &str = "SLOTLEDGER_STORE_TASK";

/// The kinds that outlive a process.
pub(super) fn lasting() -> impl Iterator<Item = Kind> {
    KINDS.iter().copied().filter(|kind| *kind != Kind::Memory)
}

/// Makes a process of `program` do a task.
pub(super) fn command(
    program: impl AsRef<OsStr>,
    kind: Kind,
    task: &str,
    session: &str,
    path: &Path,
) -> Command {
    let mut command = Command::new(program);
    command
        .args(["--exact", "store::processes::worker", "--nocapture", "--test-threads=1"])
        .env(TASK, format!("{kind:?} {task} {session} {}", path.display()))
        .stdout(Stdio::piped());
    command
}

/// The text of the record `n` of a session: some are longer than a piece, some than a buffer.
pub(super) fn text(session: &str, n: usize) -> String {
    let unit = format!("{session} {n} é😀\n");
    unit.repeat([1, 10, 300, 9_000][n % 4])
}

/// Not a test by itself: what a process that a test starts does.
#[test]
fn worker() {
    let Ok(task) = env::var(TASK) else { return };
    let mut words = task.splitn(4, ' ');
    let mut word = || words.next().expect("a word");
    let (kind, task, session, path) = (word(), word(), word(), word());
    let kind = *KINDS.iter().find(|known| format!("{known:?}") == kind).expect("a kind");
    let store = open(kind, Path::new(path), Retention::default());
    match task {
        "write" => write(&*store.expect("a store"), session, usize::MAX),
        "write_some" => write(&*store.expect("a store"), session, 80),
        "too_much" => too_much(&*store.expect("a store")),
        "read_only" => read_only(store, session),
        #[cfg(target_os = "linux")]
        "page" => page(&*store.expect("a store")),
        other => panic!("no task {other}"),
    }
}

fn tell(words: &str) {
    // A reader that has gone has seen enough.
    let _ = writeln!(std::io::stdout(), "\n: {words}");
}

/// The words that a worker told, as far as it got.
pub(super) fn told(output: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(output);
    let lines = text.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    lines.filter_map(|line| Some(line.trim_end().strip_prefix(": ")?.to_owned())).collect()
}

fn write(store: &dyn Store, session: &str, most: usize) {
    tell("ready");
    for n in 0..most {
        let record = Record::new(session, n.to_string(), "", text(session, n));
        let kept = store.put(&record, SystemTime::now()).expect("kept");
        tell(&n.to_string());
        let shared = Record::new("shared", (n % 5).to_string(), session, format!("{session} {n}"));
        store.put(&shared, SystemTime::now()).expect("kept");
        if n % 3 == 0 {
            store.remove(kept.id).expect("removed");
        }
        if n % 5 == 0 {
            let view = EmittedView {
                session: session.into(),
                call_id: n.to_string().into(),
                sha256: [1; 32],
                record: kept.id,
                kind: "stored".into(),
                range: None,
            };
            store.note_view(&view).expect("noted");
        }
    }
}

/// How many bytes this process has read so far.
#[cfg(target_os = "linux")]
fn bytes_read() -> usize {
    let counters = std::fs::read_to_string("/proc/self/io").expect("its counters");
    let read = counters.lines().find_map(|line| line.strip_prefix("rchar: "));
    read.and_then(|bytes| bytes.parse().ok()).expect("a number")
}

/// Tells how much is read for a page deep in a long record.
#[cfg(target_os = "linux")]
fn page(store: &dyn Store) {
    let found = store.find(Sessions::One("s1"), By::CallId("long")).expect("found");
    let before = bytes_read();
    let page =
        page_of(store, &found[0], 5_000_000, 50_000).expect("read").expect("not past the end");
    let read = bytes_read() - before;
    assert_eq!((page.start, page.text.len()), (5_000_000, 50_000));
    tell(&read.to_string());
}

/// A page of a long record that lies where others were removed (R43).
#[cfg(target_os = "linux")]
#[test]
fn a_page_of_90_mb_reads_little_of_it() {
    for kind in lasting() {
        let home = Home::new(kind);
        let store = home.open();
        let kept: Vec<Meta> = (0..40)
            .map(|n| {
                let text = format!("{n} {}", "y".repeat(1_000_000));
                store.put(&Record::new("s1", n.to_string(), "", text), at(1)).unwrap()
            })
            .collect();
        for meta in kept.iter().step_by(2) {
            store.remove(meta.id).unwrap();
        }
        let long = Record::new("s1", "long", "", "0123456789".repeat(9_000_000));
        store.put(&long, at(2)).unwrap();
        drop(store);
        let program = env::current_exe().unwrap();
        let worker = command(&program, kind, "page", "s1", &home.path()).output().unwrap();
        let told = told(&worker.stdout);
        let [read] = told.as_slice() else { panic!("{kind:?}: {worker:?}") };
        let read: usize = read.parse().unwrap();
        assert!((50_000..300_000).contains(&read), "{kind:?}: {read} bytes");
    }
}

/// Where no file may grow beyond 300 KB.
fn too_much(store: &dyn Store) {
    let put = |call_id: &str, bytes: usize| {
        let text = format!("{call_id:<10}").repeat(bytes / 10);
        store.put(&Record::new("s1", call_id, "", text), at(1))
    };
    put("small", 100).expect("kept");
    let error = put("large", 5_000_000).expect_err("too large for the disk");
    tell(&error.reason());
    assert!(store.find(Sessions::All, By::CallId("large")).expect("found").is_empty());
    let usage = store.usage().expect("counted");
    assert_eq!((usage.records, usage.bytes), (1, 100));
    put("small_too", 100).expect("kept");
    tell("done");
}

/// Where nothing may be written.
fn read_only(store: Result<Box<dyn Store>, slotledger::record::store::StoreError>, reads: &str) {
    match store {
        Ok(store) => {
            let found = store.find(Sessions::All, By::CallId("c1")).expect("found");
            assert_eq!(text_of(&*store, found[0].id), "hello");
            let record = Record::new("s1", "c2", "", "more");
            tell(&store.put(&record, at(1)).expect_err("read-only").reason());
        }
        Err(error) => {
            assert_eq!(reads, "never", "{error:?}");
            tell(&error.reason());
        }
    }
}

#[test]
fn two_processes_write_one_store() {
    for kind in lasting() {
        let home = Home::new(kind);
        let program = env::current_exe().unwrap();
        let workers: Vec<_> = ["a", "b"]
            .map(|session| {
                command(&program, kind, "write_some", session, &home.path()).spawn().unwrap()
            })
            .into_iter()
            .collect();
        for worker in workers {
            let output = worker.wait_with_output().unwrap();
            assert!(
                output.status.success(),
                "{kind:?}: {}",
                String::from_utf8_lossy(&output.stdout)
            );
        }
        let store = home.open();
        for session in ["a", "b"] {
            let listed = store.list(Sessions::One(session), None, None, 1_000).unwrap();
            assert_eq!(listed.len(), 80);
            for listed in listed {
                holds_its_text(&*store, &listed.meta);
            }
        }
        let mut ids = HashSet::new();
        for call in 0..5 {
            let call = call.to_string();
            let found = store.find(Sessions::One("shared"), By::CallId(&call)).unwrap();
            let mut numbers: Vec<u32> = found.iter().map(|meta| meta.nth).collect();
            numbers.sort_unstable();
            assert_eq!(numbers, (1..=32).collect::<Vec<_>>());
            ids.extend(found.iter().map(|meta| meta.id));
        }
        assert_eq!(ids.len(), 160);
        assert_eq!(store.check(&mut |_, _| ()).unwrap(), []);
    }
}

#[test]
fn a_new_store_is_made_by_many_at_once() {
    for kind in lasting() {
        for _ in 0..25 {
            let home = Home::new(kind);
            let put = |n: usize| {
                let store = open(kind, &home.path(), Retention::default()).unwrap();
                store.put(&Record::new("s", n.to_string(), "", "hello"), at(1)).unwrap();
            };
            thread::scope(|scope| (0..6).for_each(|n| drop(scope.spawn(move || put(n)))));
            assert_eq!(home.open().usage().unwrap().records, 6);
        }
    }
}

/// The record is as [`write`] made it, and whole.
pub(super) fn holds_its_text(store: &dyn Store, meta: &Meta) {
    if meta.gone.is_none() {
        let n = meta.call_id.parse().expect("a number");
        assert_eq!(text_of(store, meta.id), text(&meta.session, n));
    } else {
        assert_eq!(meta.call_id.parse::<usize>().expect("a number") % 3, 0, "removed");
    }
}

#[test]
fn threads_and_handles_share_a_store() {
    for kind in KINDS {
        let home = Home::new(*kind);
        let handles = [home.open(), home.open()];
        let stores: Vec<&dyn Store> = match kind {
            Kind::Memory => vec![&*handles[0]; 2],
            _ => handles.iter().map(|store| &**store).collect(),
        };
        thread::scope(|scope| {
            for (n, store) in stores.iter().enumerate() {
                scope.spawn(move || {
                    for call in 0..30 {
                        let record = Record::new("s", call.to_string(), "", format!("{n} {call}"));
                        let kept = store.put(&record, at(1)).unwrap();
                        assert_eq!(text_of(*store, kept.id), format!("{n} {call}"));
                    }
                });
            }
        });
        for store in &stores {
            assert_eq!(store.usage().unwrap().records, 60);
            for call in 0..30 {
                let call = call.to_string();
                let found = store.find(Sessions::One("s"), By::CallId(&call)).unwrap();
                assert_eq!((found[0].nth, found[1].nth), (2, 1));
            }
        }
    }
}

#[cfg(unix)]
#[test]
fn a_full_disk_leaves_the_store_as_it_was() {
    for kind in lasting() {
        let home = Home::new(kind);
        let program = env::current_exe().unwrap();
        let mut worker = command("sh", kind, "too_much", "s", &home.path());
        let arguments: Vec<_> = worker.get_args().map(OsStr::to_owned).collect();
        // A file that grows beyond 600 blocks is refused, as by a disk that is full.
        let shell = "trap '' XFSZ; ulimit -f 600; exec \"$@\"";
        let environment: Vec<_> = worker
            .get_envs()
            .filter_map(|(name, value)| Some((name.to_owned(), value?.to_owned())))
            .collect();
        worker = Command::new("sh");
        worker.args(["-c", shell, "sh"]).arg(&program).args(arguments).envs(environment);
        let output = worker.output().unwrap();
        let told = told(&output.stdout);
        assert!(
            output.status.success(),
            "{kind:?} {told:?} {}",
            String::from_utf8_lossy(&output.stderr)
        );
        assert_eq!(told.last().map(String::as_str), Some("done"));
        let store = home.open();
        assert_eq!(store.check(&mut |_, _| ()).unwrap(), []);
        let usage = store.usage().unwrap();
        assert_eq!((usage.records, usage.bytes), (2, 200));
        for call_id in ["small", "small_too"] {
            let found = store.find(Sessions::All, By::CallId(call_id)).unwrap();
            assert_eq!(text_of(&*store, found[0].id), format!("{call_id:<10}").repeat(10));
        }
        let large = Record::new("s1", "large", "", "x".repeat(1_000_000));
        store.put(&large, at(1)).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn a_read_only_folder_is_read() {
    use std::fs::{self, Permissions};
    use std::os::unix::fs::PermissionsExt as _;
    use std::os::unix::process::CommandExt as _;

    let permit =
        |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    for kind in lasting() {
        let home = Home::new(kind);
        let store = home.open();
        store.put(&Record::new("s1", "c1", "bash", "hello"), at(1)).unwrap();
        drop(store);
        let program = home.folder().join("program");
        fs::copy(env::current_exe().unwrap(), &program).unwrap();
        permit(home.folder(), 0o755);
        permit(&program, 0o755);
        let inside = fs::read_dir(home.path().parent().unwrap()).unwrap();
        let deeper = fs::read_dir(home.path()).into_iter().flatten();
        for entry in inside.chain(deeper).map(|entry| entry.unwrap().path()) {
            permit(&entry, if entry.is_dir() { 0o555 } else { 0o444 });
        }
        permit(home.path().parent().unwrap(), 0o555);
        // SQLite needs files beside its own, which it may not make here.
        let reads = if kind == Kind::Dir { "always" } else { "never" };
        let mut worker = command(&program, kind, "read_only", reads, &home.path());
        if fs::write(home.path().parent().unwrap().join("probe"), "").is_ok() {
            // To the superuser no folder is read-only.
            fs::remove_file(home.path().parent().unwrap().join("probe")).unwrap();
            worker.uid(65_534).gid(65_534);
        }
        let output = worker.output().unwrap();
        let told = told(&output.stdout);
        permit(home.path().parent().unwrap(), 0o755);
        if kind == Kind::Dir {
            permit(&home.path(), 0o755);
        }
        assert!(
            output.status.success(),
            "{kind:?} {told:?} {}",
            String::from_utf8_lossy(&output.stderr)
        );
        assert_eq!(told, ["store is read-only"], "{kind:?}");
    }
}
