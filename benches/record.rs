//! How long it takes to find a record and to read a page of it, in a large store.
//!
//! `cargo bench --features sqlite --bench record`: 10,000 records of 20 KB, and one of 100 MB. Work
//! and floor take turns; times and ratios are medians over the turns. It fails when one is over
//! its bound. `-- --test` runs all of it once, with a hundredth of the records.

#![expect(clippy::expect_used, reason = "a bench whose input is not as meant has to stop")]

use std::hint::black_box;
use std::path::PathBuf;
use std::time::{Duration, Instant, SystemTime};
use std::{env, fs, process};

use rusqlite::Connection;
use slotledger::record::store::{By, Retention, Sessions, SqliteStore, Store};
use slotledger::record::{Meta, Record, page_of};

const TURNS: usize = 41;
const PER_TURN: Duration = Duration::from_millis(10);
/// How long the page is.
const PAGE: usize = 50_000;
/// How long the longest record is.
const LONGEST: usize = 100_000_000;

/// A folder that is removed in the end.
struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A text that is not the same anywhere.
fn text(seed: usize, len: usize) -> String {
    let mut text = String::with_capacity(len + 20);
    let mut n = seed;
    while text.len() < len {
        text.push_str(&n.to_string());
        text.push(' ');
        n += 1;
    }
    text.truncate(len);
    text
}

struct Store100 {
    store: SqliteStore,
    longest: Meta,
    /// The page near the end of it.
    page: String,
}

impl Store100 {
    fn new(folder: &Folder, records: usize) -> Self {
        let store = SqliteStore::open(folder.0.join("records.db"), Retention::default());
        let store = store.expect("a store");
        let mut longest = None;
        let mut page = String::new();
        for n in 0..records {
            let record = Record::new("s1", format!("call_{n}"), "bash", text(n * 7_919, 20_000));
            store.put(&record, SystemTime::now()).expect("kept");
            if n == records / 2 {
                let long = text(1, LONGEST);
                page.push_str(long.get(LONGEST - 60_000..LONGEST - 10_000).expect("ASCII"));
                let record = Record::new("s1", "longest", "bash", long);
                longest = Some(store.put(&record, SystemTime::now()).expect("kept"));
            }
        }
        Self { store, longest: longest.expect("the longest"), page }
    }

    fn find(&self) {
        let found = self.store.find(Sessions::One("s1"), By::CallId(black_box("longest")));
        assert_eq!(found.expect("found").first().map(|meta| meta.id), Some(self.longest.id));
    }

    fn page(&self) {
        let page = page_of(&self.store, black_box(&self.longest), LONGEST - 60_000, PAGE);
        let page = page.expect("read").expect("not past the end");
        assert_eq!((page.start, page.end), (LONGEST - 60_000, LONGEST - 10_000));
        assert!(page.text == self.page.as_str());
    }
}

/// Copying as many bytes out of a blob of their own, by a prepared statement.
struct Floor(Connection);

impl Floor {
    fn new(folder: &Folder) -> Self {
        let connection = Connection::open(folder.0.join("floor.db")).expect("a file");
        let pragmas = "PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL;
            CREATE TABLE blob(id INTEGER PRIMARY KEY, data BLOB)";
        connection.execute_batch(pragmas).expect("a table");
        for n in 0..1_000_u16 {
            let row = (n, text(n.into(), PAGE).into_bytes());
            connection.execute("INSERT INTO blob VALUES(?1, ?2)", row).expect("a blob");
        }
        Self(connection)
    }

    fn copy(&self) {
        let query = self.0.prepare_cached("SELECT data FROM blob WHERE id = ?1");
        let copy = query
            .expect("a query")
            .query_one([black_box(777)], |row| Ok(row.get_ref(0)?.as_blob()?.to_vec()));
        assert_eq!(copy.expect("a blob").len(), PAGE);
    }
}

/// The seconds that one run takes, over `times` of them.
fn time(times: u32, run: &dyn Fn()) -> f64 {
    let start = Instant::now();
    for _ in 0..times {
        run();
    }
    start.elapsed().as_secs_f64() / f64::from(times)
}

fn times_per_turn(run: &dyn Fn()) -> u32 {
    run();
    let once = time(1, run);
    (1..1_000)
        .take_while(|&times| f64::from(times) * once < PER_TURN.as_secs_f64())
        .last()
        .unwrap_or(1)
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    *numbers.get(numbers.len() / 2).expect("there are some")
}

fn main() {
    let is_test = env::args().any(|argument| argument == "--test");
    let place = env::temp_dir().join(format!("slotledger-bench-{}", process::id()));
    let _ = fs::remove_dir_all(&place);
    fs::create_dir(&place).expect("a folder");
    let folder = Folder(place);
    let large = Store100::new(&folder, if is_test { 100 } else { 10_000 });
    let floor = Floor::new(&folder);
    let find = || large.find();
    let page = || large.page();
    let copy = || floor.copy();
    if is_test {
        find();
        page();
        copy();
        return;
    }
    let (finds, pages, copies) =
        (times_per_turn(&find), times_per_turn(&page), times_per_turn(&copy));
    let turns: Vec<[f64; 3]> =
        (0..TURNS).map(|_| [time(finds, &find), time(pages, &page), time(copies, &copy)]).collect();
    let medians =
        [0, 1, 2].map(|n| median(turns.iter().filter_map(|turn| turn.get(n)).copied().collect()));
    let [to_find, to_read, to_copy] = medians.map(|seconds| seconds * 1e6);
    let ratio = median(turns.iter().map(|[_, page, copy]| page / copy).collect());
    println!("| work | time | floor | its time | ratio | bound |");
    println!("|---|---:|---|---:|---:|---:|");
    println!("| `find/call_id_of_10001_sqlite` | {to_find:.1} µs | | | | 1 ms |");
    println!(
        "| `page/50000_of_100mb_sqlite` | {to_read:.1} µs | `floor/copy_50000_of_blob` | {to_copy:.1} µs \
         | {ratio:.2} | 3.0 |"
    );
    assert!(to_find < 1_000.0, "to find is over its bound");
    assert!(ratio <= 3.0, "a page is over its bound");
}
