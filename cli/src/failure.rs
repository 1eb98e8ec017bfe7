//! Why the command did not do what it was asked, and what it then says and returns.

use std::fmt;
use std::io;
use std::path::PathBuf;
use std::process::ExitCode;

use slotledger::content::ParseError;

/// Why the command stopped.
#[derive(Debug)]
pub(crate) enum Failure {
    /// An input could not be read.
    Read { from: Source, error: io::Error },
    /// An input is empty.
    Empty { from: Source },
    /// An input is no tool result.
    Parse { from: Source, error: ParseError },
    /// Standard output could not be written.
    Write(io::Error),
    /// `--store` was asked for.
    NoRecordsYet,
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
            Self::NoRecordsYet => self.say(2),
            Self::Read { .. } | Self::Empty { .. } | Self::Parse { .. } | Self::Write(_) => {
                self.say(1)
            }
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
            Self::Read { from, error } if error.kind() == io::ErrorKind::NotFound => {
                write!(f, "{from}: no such file; give a file, or - for standard input")
            }
            Self::Read { from, error } if error.kind() == io::ErrorKind::IsADirectory => {
                write!(f, "{from}: this is a folder; give one file with a tool result")
            }
            Self::Read { from, error } => write!(f, "{from}: cannot be read: {error}"),
            Self::Empty { from } => write!(f, "{from}: empty; give one tool result as JSON"),
            Self::Parse { from, error } => {
                write!(f, "{from}: {error}; give one tool result as JSON (see --format)")
            }
            Self::Write(error) => write!(f, "standard output: cannot be written: {error}"),
            Self::NoRecordsYet => f.write_str(
                "--store: records are not kept in this version; leave it out, or use --no-store",
            ),
        }
    }
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Stdin => f.write_str("standard input"),
            // A name can hold a line break or an escape sequence: an error stays one harmless line.
            Self::File(path) if path.to_string_lossy().contains(char::is_control) => {
                write!(f, "{:?}", path.to_string_lossy())
            }
            Self::File(path) => write!(f, "{}", path.display()),
        }
    }
}
