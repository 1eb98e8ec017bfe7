//! Why the command did not do what it was asked, and what it then says and returns.

use std::error::Error as _;
use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use slotledger::ConfigError;
use slotledger::content::ParseError;
use slotledger::record::ReadRefusal;
use slotledger::record::store::StoreError;

use crate::words::{fit, harmless, of_number, one_line};

/// Why the command stopped.
#[derive(Debug)]
pub(crate) enum Failure {
    /// An input could not be read.
    Read { from: Source, wanted: Wanted, error: io::Error },
    /// An input is empty.
    Empty { from: Source, wanted: Wanted },
    /// An input is not what was wanted.
    Parse { from: Source, wanted: Wanted, error: ParseError },
    /// A folder to write to cannot be opened.
    Folder { path: PathBuf, error: io::Error },
    /// An archive of images cannot be opened.
    Ledger { path: PathBuf, error: io::Error },
    /// What was asked for was refused, for this reason.
    Refused { from: Source, why: String },
    /// A file was not written, for this reason.
    NotWritten { path: PathBuf, why: String },
    /// Standard output could not be written.
    Write(io::Error),
    /// A store of records cannot be opened, or read, or whatever `doing` says.
    Store { path: PathBuf, doing: &'static str, error: StoreError },
    /// There is no store of records.
    NoStore { path: PathBuf },
    /// No record was read, for this reason.
    NotRead(Box<ReadRefusal>),
    /// There are no records of a session.
    NoSession { path: PathBuf, session: String },
    /// Records of a store are damaged.
    Damaged { path: PathBuf, records: usize },
    /// The text of this record is not what was kept.
    NotAsKept { path: PathBuf, handle: String },
    /// What was to be removed is only like the id that was given.
    NotExact { path: PathBuf, handle: String },
    /// A setting cannot be.
    Config(ConfigError),
}

/// What an input is to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wanted {
    Result,
    Requests,
    History,
}

impl Wanted {
    /// What is awaited where nothing has come yet.
    pub(crate) fn awaited(self) -> &'static str {
        match self {
            Self::Result => "one tool result as JSON",
            Self::Requests => "one JSON request per line",
            Self::History => "a history, as Anthropic messages or a Claude Code session",
        }
    }

    /// What one file of it is called.
    fn in_one_file(self) -> &'static str {
        match self {
            Self::Result => "one file with a tool result",
            Self::Requests => "one file with requests",
            Self::History => "one file with a history",
        }
    }
}

/// Where an input comes from.
#[derive(Clone, Debug)]
pub(crate) enum Source {
    Stdin,
    File(PathBuf),
}

impl Failure {
    /// Says in one line what went wrong, and returns the exit code.
    ///
    /// A reader that went away is no failure: `… | head -c 1` has what it wanted.
    pub(crate) fn report(&self) -> ExitCode {
        match self {
            Self::Write(error) if error.kind() == io::ErrorKind::BrokenPipe => ExitCode::SUCCESS,
            Self::Config(_) => self.say(2),
            Self::Read { .. }
            | Self::Empty { .. }
            | Self::Parse { .. }
            | Self::Folder { .. }
            | Self::Ledger { .. }
            | Self::Store { .. }
            | Self::NoStore { .. }
            | Self::NotExact { .. }
            | Self::NotRead(_)
            | Self::NoSession { .. }
            | Self::Damaged { .. }
            | Self::NotAsKept { .. }
            | Self::Refused { .. }
            | Self::NotWritten { .. }
            | Self::Write(_) => self.say(1),
        }
    }

    fn say(&self, code: u8) -> ExitCode {
        use std::io::Write as _;

        // Where even standard error is gone, the code still tells.
        let _ = writeln!(io::stderr(), "slotledger: {self}");
        ExitCode::from(code)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read { from, error, .. } if error.kind() == io::ErrorKind::NotFound => {
                write!(f, "{from}: no such file; give a file, or - for standard input")
            }
            Self::Read { from, wanted, error } if error.kind() == io::ErrorKind::IsADirectory => {
                write!(f, "{from}: this is a folder; give {}", wanted.in_one_file())
            }
            Self::Read { from, error, .. } => write!(f, "{from}: cannot be read: {error}"),
            Self::Empty { from, wanted } => write!(f, "{from}: empty; give {}", wanted.awaited()),
            Self::Parse { from, wanted, error } => {
                write!(f, "{from}: {error}; give {} (see --format)", wanted.awaited())
            }
            Self::Folder { path, error } if error.kind() == io::ErrorKind::NotFound => {
                write!(f, "{}: no such folder; make it first, or leave --into out", named(path))
            }
            Self::Folder { path, error } => {
                write!(f, "{}: cannot be written to: {error}", named(path))
            }
            Self::Ledger { path, error } if error.kind() == io::ErrorKind::NotFound => {
                write!(f, "{}: no archive of images is there; see --ledger", named(path))
            }
            Self::Ledger { path, error } if error.kind() == io::ErrorKind::WouldBlock => {
                write!(f, "{}: another process has this archive of images open", named(path))
            }
            Self::Ledger { path, error } => {
                write!(f, "{}: the archive of images cannot be opened: {error}", named(path))
            }
            Self::Refused { from, why } => write!(f, "{from}: {why}; nothing was written"),
            Self::NotWritten { path, why } => write!(f, "{}: {why}", named(path)),
            Self::Write(error) => write!(f, "standard output: cannot be written: {error}"),
            Self::NotExact { path, handle } => write!(
                f,
                "{}: only an id like it is kept; to remove that one, name {handle}",
                named(path)
            ),
            Self::NoStore { path } => {
                write!(f, "{}: no store of records is there; see --store", named(path))
            }
            Self::Store { path, error: StoreError::NotAStore, .. } => write!(
                f,
                "{}: not a store of slotledger; it was left as it is; name another file",
                named(path)
            ),
            Self::Store { path, doing, error } => {
                let why = match error.source() {
                    Some(why) => format!(": {}", fit(&one_line(&why.to_string()), 200)),
                    None if *doing == "opened" && matches!(error, StoreError::ReadOnly) => {
                        ", and SQLite writes beside it also to read".to_owned()
                    }
                    None => String::new(),
                };
                write!(f, "{}: the store cannot be {doing}: {error}{why}", named(path))
            }
            Self::NotRead(refusal) => {
                let advice = advice(refusal);
                write!(f, "{}{advice}", harmless(&refusal.notice()))
            }
            Self::NoSession { path, session } => {
                let session = fit(&harmless(session), 64).into_owned();
                write!(
                    f,
                    "{}: no record is of session {session:?}; see slotledger list",
                    named(path)
                )
            }
            Self::Damaged { path, records } => {
                let records = of_number(*records, "record");
                write!(
                    f,
                    "{}: damaged: {records}; run the tools again if you need them",
                    named(path)
                )
            }
            Self::NotAsKept { path, handle } => write!(
                f,
                "{}: the text of {handle} is not what was kept; see slotledger gc --check",
                named(path)
            ),
            Self::Config(error) => write!(f, "{error}"),
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdin => f.write_str("standard input"),
            Self::File(path) => f.write_str(&named(path)),
        }
    }
}

/// What a person can do about a refusal, where its sentence is for a model.
fn advice(refusal: &ReadRefusal) -> &'static str {
    match refusal.reason() {
        "unknown_call" => " See slotledger list.",
        "wrong_session" => " Here: leave out --session.",
        "busy" => " If it goes on, see slotledger gc --check.",
        _ => "",
    }
}

/// A path as it is shown. It can hold a line break or an escape sequence: an error stays one
/// harmless line.
pub(crate) fn named(path: &Path) -> String {
    let name = path.to_string_lossy();
    if name.contains(char::is_control) { format!("{name:?}") } else { name.into_owned() }
}
