//! Reading back: what is looked for inside a record's text (SPEC 21 to 23).

mod content_type;
mod grep;
mod item;
mod outline;
mod recall_args;
mod steps;
mod tree;

use std::time::{Duration, Instant};

use proptest::prelude::ProptestConfig;
use proptest::strategy::{Just, Strategy, Union};

/// Pieces of which texts are made, so that the grammar's own words meet.
fn of_pieces(pieces: &'static [&'static str], most: usize) -> impl Strategy<Value = String> {
    let any_piece = Union::new(pieces.iter().copied().map(Just));
    proptest::collection::vec(any_piece, 0..=most).prop_map(|pieces| pieces.concat())
}

fn config() -> ProptestConfig {
    // The cases are pieces that stand in the tests; a failure is kept by adding it to them.
    ProptestConfig { failure_persistence: None, ..ProptestConfig::default() }
}

/// How long `work` takes.
fn time(work: impl FnOnce()) -> Duration {
    let start = Instant::now();
    work();
    start.elapsed()
}

/// Fails when ten times the input takes much more than ten times the time, however often it is
/// tried: a machine may be busy with other things.
pub(crate) fn assert_linear<T>(make: impl Fn(usize) -> T, len: usize, work: impl Fn(&T)) {
    let [small, large] = [len, 10 * len].map(&make);
    let mut runs = Vec::new();
    let is_linear = || {
        let one = time(|| work(&small)).max(Duration::from_micros(200));
        let ten = time(|| work(&large));
        runs.push((one, ten));
        ten < 40 * one
    };
    let tried = std::iter::repeat_with(is_linear).take(10).any(|is_linear| is_linear);
    assert!(tried, "{runs:?}");
}
