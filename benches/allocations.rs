//! What the engine's work allocates, compared with what is on record.
//!
//! `cargo bench --bench allocations` fails when a count or a peak is more than 3 % over
//! `benches/record/allocations.tsv`; with `-- --record` it writes that file anew.

#![expect(clippy::expect_used, reason = "a bench whose input is not as meant has to stop")]

mod work;

use std::collections::HashMap;
use std::fmt::Write as _;
use std::{env, fs};

use allocation_counter::measure;

const RECORD: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/benches/record/allocations.tsv");
const HEADER: &str = "work\tallocations\tpeak bytes\n";

/// How many allocations a piece of work makes, and how many bytes it holds at most.
#[derive(Clone, Copy, Debug)]
struct Allocated {
    count: u64,
    peak: u64,
}

fn main() {
    let measured: Vec<(&str, Allocated)> = work::ALL
        .iter()
        .filter(|work| !work.name.starts_with("floor/"))
        .map(|work| (work.name, allocated(work.prepare)))
        .collect();
    let mut table = HEADER.to_owned();
    for (name, Allocated { count, peak }) in &measured {
        // Writing to a string does not fail.
        let _ = writeln!(table, "{name}\t{count}\t{peak}");
    }
    print!("{table}");
    if env::args().any(|argument| argument == "--record") {
        fs::write(RECORD, table).expect("the record can be written");
        return;
    }
    let record = fs::read_to_string(RECORD).expect("there is a record");
    let record: HashMap<&str, Allocated> = record.lines().skip(1).map(entry).collect();
    for (name, now) in measured {
        let was = record.get(name).unwrap_or_else(|| panic!("{name} is not on record"));
        let is_within = |now, was| now <= was + was * 3 / 100;
        let holds = is_within(now.count, was.count) && is_within(now.peak, was.peak);
        assert!(holds, "{name}: {now:?}, on record {was:?}");
    }
}

/// The least of several runs: now and then a hash map grows in one of them.
fn allocated(prepare: fn() -> work::Run) -> Allocated {
    let mut run = prepare();
    run();
    let runs: Vec<Allocated> = (0..5)
        .map(|_| measure(&mut run))
        .map(|info| Allocated { count: info.count_total, peak: info.bytes_max })
        .collect();
    let least = |of: fn(&Allocated) -> u64| runs.iter().map(of).min().unwrap_or_default();
    Allocated { count: least(|run| run.count), peak: least(|run| run.peak) }
}

fn entry(line: &str) -> (&str, Allocated) {
    let mut fields = line.split('\t');
    let name = fields.next().expect("a name");
    let mut number = || fields.next().expect("a number").parse().expect("a number");
    (name, Allocated { count: number(), peak: number() })
}
