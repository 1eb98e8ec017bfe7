//! A process that ends at any moment leaves records that are whole, or none.

use std::env;
use std::io::{BufRead as _, BufReader, Read as _};
use std::process::Child;
use std::thread;
use std::time::Duration;

use slotledger::record::store::{By, Sessions, Store};

use super::home::{Home, Kind};
use super::processes::{command, holds_its_text, lasting, told};

/// How many processes are killed, of each kind of store.
const TIMES: u64 = 60;

/// Lets a process write for a while, kills it, and returns what it said it had kept.
fn written_before(mut worker: Child, wait: Duration) -> Vec<usize> {
    let mut output = BufReader::new(worker.stdout.take().expect("its output"));
    let mut line = String::new();
    while !line.starts_with(": ready") {
        line.clear();
        assert_ne!(output.read_line(&mut line).expect("a line"), 0, "it could not begin");
    }
    // It must not wait for a reader.
    let reader = thread::spawn(move || {
        let mut rest = Vec::new();
        output.read_to_end(&mut rest).expect("its output");
        rest
    });
    thread::sleep(wait);
    worker.kill().expect("it runs");
    worker.wait().expect("it ends");
    let told = told(&reader.join().expect("its output"));
    told.iter().map(|word| word.parse().expect("a number")).collect()
}

fn holds(store: &dyn Store, session: &str, kept: &[usize]) -> usize {
    let listed = store.list(Sessions::One(session), None, None, 100_000).unwrap();
    for one in &listed {
        holds_its_text(store, &one.meta);
    }
    assert!((kept.len()..=kept.len() + 1).contains(&listed.len()), "{} kept", kept.len());
    for n in kept {
        let found = store.find(Sessions::One(session), By::CallId(&n.to_string())).unwrap();
        assert_eq!(found.len(), 1, "{n} was kept");
    }
    listed.len()
}

fn kill_many(kind: Kind) {
    let home = Home::new(kind);
    let program = env::current_exe().unwrap();
    let mut whole = 0;
    for n in 0..TIMES {
        let session = format!("w{n}");
        let worker = command(&program, kind, "write", &session, &home.path()).spawn().unwrap();
        // From at once to long enough for some dozens of records.
        let wait = Duration::from_micros((n * 7_919 * 1_013) % 40_000);
        let kept = written_before(worker, wait);
        let store = home.open();
        whole += holds(&*store, &session, &kept);
        assert_eq!(store.check(&mut |_, _| ()).unwrap(), []);
        store.remove_session(&session).unwrap();
        store.remove_session("shared").unwrap();
    }
    assert!(whole as u64 > TIMES, "they wrote: {whole}");
    let store = home.open();
    assert_eq!(store.usage().unwrap().records, 0);
    if kind == Kind::Dir {
        let left = std::fs::read_dir(home.path()).unwrap().map(|entry| entry.unwrap().file_name());
        let mut left: Vec<_> = left.collect();
        left.sort();
        assert_eq!(left, ["index.jsonl", "lock"], "nothing is left over");
    }
}

#[test]
fn writers_are_killed_sixty_times() {
    for kind in lasting() {
        kill_many(kind);
    }
}
