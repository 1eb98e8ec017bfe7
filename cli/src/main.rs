//! The `slotledger` command: the engine for people, scripts and other languages.
//!
//! Exit codes: 0 done; 1 found problems, refused, or an input that cannot be read; 2 misused.

mod args;
mod failure;
mod history;
mod image_json;
mod input;
mod json;
mod output;
mod pipe;
mod record_json;
mod records;
mod store;
mod table;
mod words;

use std::process::ExitCode;

use clap::{CommandFactory as _, Parser as _};

use args::{Args, Command};
use failure::Failure;

fn main() -> ExitCode {
    let done = match Args::parse().command {
        Command::Store(args) => store::run(args),
        Command::Images(args) => history::images::run(args),
        Command::Save(args) => history::save::run(args),
        Command::Get(args) => records::get::run(&args),
        Command::List(args) => records::list::run(&args),
        Command::Gc(args) => records::gc::run(&args),
        Command::Pipe(args) => pipe::run(args),
        Command::Completions { shell } => completions(shell),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

/// Prints the completion script of a shell.
fn completions(shell: clap_complete::Shell) -> Result<(), Failure> {
    let mut script = Vec::new();
    // Not straight to standard output: clap panics where it cannot write.
    clap_complete::generate(shell, &mut Args::command(), "slotledger", &mut script);
    output::bytes(&script)
}
