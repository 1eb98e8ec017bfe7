//! What the engine's work costs as a multiple of its floor, as a Markdown table.
//!
//! `cargo bench --bench ratios`. Work and floor take turns, so a slow moment hits both; times and
//! ratios are medians over the turns. It fails when one is over its bound. `-- --test` runs all of
//! it once.

#![expect(clippy::expect_used, reason = "a bench whose input is not as meant has to stop")]

mod work;

use std::time::{Duration, Instant};

use work::Run;

const TURNS: usize = 41;
const PER_TURN: Duration = Duration::from_millis(10);

/// What stands in one row.
struct Row {
    work: &'static str,
    against: Against,
}

enum Against {
    /// At most so many times the time of a floor.
    Floor { name: &'static str, most: f64 },
    /// At most this time in the best turn: there is no floor to compare it with.
    Time { most: Duration },
}

const ROWS: &[Row] = &[
    Row {
        work: "cut/10000_stubs_one_image_cap_2000",
        against: Against::Time { most: Duration::from_micros(500) },
    },
    Row {
        work: "store/text_10mb_cap_24000",
        against: Against::Floor { name: "floor/utf16_count_10mb", most: 2.0 },
    },
    Row {
        work: "store/text_10mb_mixed_cap_24000",
        against: Against::Floor { name: "floor/utf16_count_10mb_mixed", most: 2.0 },
    },
    Row {
        work: "store/image_5mb",
        against: Against::Floor { name: "floor/parse_image_5mb_borrowed", most: 1.3 },
    },
    Row {
        work: "store/image_5mb_full_ledger",
        // The image that goes is read once more, for its fingerprint.
        against: Against::Floor { name: "floor/parse_images_5mb_borrowed", most: 2.0 },
    },
    Row {
        work: "keep/text_10mb_mixed_in_memory",
        against: Against::Floor { name: "floor/sha256_10mb_mixed", most: 2.5 },
    },
    Row {
        work: "slots/plain_10mb",
        against: Against::Floor { name: "floor/find_two_openings_10mb", most: 1.3 },
    },
];

fn main() {
    if std::env::args().any(|argument| argument == "--test") {
        for work in work::ALL {
            (work.prepare)()();
        }
        return;
    }
    println!("| work | input | time | floor | its time | ratio | bound |");
    println!("|---|---:|---:|---|---:|---:|---:|");
    let over: Vec<&str> = ROWS.iter().filter(|row| !row.is_within()).map(|row| row.work).collect();
    assert!(over.is_empty(), "over the bound: {}", over.join(", "));
}

impl Row {
    /// Measures and prints this row, and returns whether it is within its bound.
    fn is_within(&self) -> bool {
        let mut work = Timed::new(self.work);
        match self.against {
            Against::Time { most } => {
                let time = (0..TURNS).map(|_| work.turn()).fold(f64::INFINITY, f64::min);
                let bound = human(most.as_secs_f64());
                println!("| {} | {} | | | | {bound} |", work.label, human(time));
                time <= most.as_secs_f64()
            }
            Against::Floor { name, most } => {
                let mut floor = Timed::new(name);
                let turns: Vec<(f64, f64)> =
                    (0..TURNS).map(|_| (work.turn(), floor.turn())).collect();
                let ratio = median(turns.iter().map(|(work, floor)| work / floor).collect());
                let label = work.label;
                let work = human(median(turns.iter().map(|turn| turn.0).collect()));
                let floor = human(median(turns.iter().map(|turn| turn.1).collect()));
                println!("| {label} | {work} | `{name}` | {floor} | {ratio:.2} | {most:.1} |");
                ratio <= most
            }
        }
    }
}

/// A piece of work, and how often it runs in a turn.
struct Timed {
    /// Its name and the size of its input, as two cells.
    label: String,
    run: Run,
    times: u32,
}

impl Timed {
    fn new(name: &str) -> Self {
        let work = work::named(name);
        let label = format!("`{name}` | {} MB", work.bytes / 1_000_000);
        let mut timed = Self { label, run: (work.prepare)(), times: 1 };
        timed.turn();
        let once = timed.turn();
        let fitting =
            (1..1_000).take_while(|&times| f64::from(times) * once < PER_TURN.as_secs_f64());
        timed.times = fitting.last().unwrap_or(1);
        timed
    }

    /// The seconds that one run takes, over a turn.
    fn turn(&mut self) -> f64 {
        let start = Instant::now();
        for _ in 0..self.times {
            (self.run)();
        }
        start.elapsed().as_secs_f64() / f64::from(self.times)
    }
}

fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    *numbers.get(numbers.len() / 2).expect("there are some")
}

fn human(seconds: f64) -> String {
    if seconds < 1e-3 {
        format!("{:.0} µs", seconds * 1e6)
    } else {
        format!("{:.2} ms", seconds * 1e3)
    }
}
