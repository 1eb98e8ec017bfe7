//! How long the engine's work takes, beside the floors it is compared with.
//!
//! `cargo bench --bench engine`; with a name, or a part of one, only what it names.

#![expect(clippy::expect_used, reason = "a bench whose input is not as meant has to stop")]

mod work;

use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};

fn engine(criterion: &mut Criterion) {
    for work in work::ALL {
        let (group, name) = work.name.split_once('/').expect("a group and a name");
        let mut group = criterion.benchmark_group(group);
        group.throughput(Throughput::Bytes(work.bytes));
        let mut run = None;
        group.bench_function(name, |bencher| {
            bencher.iter(run.get_or_insert_with(work.prepare));
        });
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(20)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2))
        .without_plots();
    targets = engine
}
criterion_main!(benches);
