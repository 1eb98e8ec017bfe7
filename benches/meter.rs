//! Runs one piece of work in a function of its own, for a profiler or a counter of instructions.
//!
//! `cargo bench --bench meter -- NAME TIMES`. `meter.sh` beside it counts the instructions of each.

#![expect(clippy::expect_used, reason = "a bench whose input is not as meant has to stop")]

mod work;

use std::env;
use std::process::ExitCode;

use work::Run;

fn main() -> ExitCode {
    let arguments: Vec<String> =
        env::args().skip(1).filter(|argument| !argument.starts_with("--")).collect();
    match arguments.as_slice() {
        [] => {
            for work in work::ALL {
                println!("{}\t{} bytes", work.name, work.bytes);
            }
            ExitCode::SUCCESS
        }
        [name] => measure(name, 1),
        [name, times] => match times.parse() {
            Ok(times) => measure(name, times),
            Err(error) => {
                eprintln!("TIMES is a number, and {times} is none: {error}");
                ExitCode::from(2)
            }
        },
        _ => {
            eprintln!("usage: meter [NAME [TIMES]]");
            ExitCode::from(2)
        }
    }
}

fn measure(name: &str, times: u32) -> ExitCode {
    let mut run = (work::named(name).prepare)();
    // Once before, so that what is made on first use is not counted.
    run();
    for _ in 0..times {
        measured(&mut run);
    }
    ExitCode::SUCCESS
}

/// What is counted. A function of its own, so that a profiler can tell it from the rest.
#[inline(never)]
fn measured(run: &mut Run) {
    run();
}
