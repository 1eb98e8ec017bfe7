//! Standard output, which may go away at any time.

use std::fmt;
use std::io::{self, IsTerminal as _, Write as _};

use owo_colors::OwoColorize as _;
use serde::Serialize;

use crate::failure::Failure;

/// The widest a line for people gets.
pub(crate) const COLUMNS: usize = 80;
/// The width of the names in front of the lines of a report.
pub(crate) const NAME: usize = 8;

/// Writes `bytes` as they are.
pub(crate) fn bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(Failure::Write)
}

/// Writes `parts`, one after the other and nothing else; on a terminal, a line break where the
/// last one ends without.
pub(crate) fn text<'t>(parts: impl IntoIterator<Item = &'t str>) -> Result<(), Failure> {
    parts_of_text(parts.into_iter().map(Ok))
}

/// The same for parts that are made one after the other, which can fail.
pub(crate) fn parts_of_text(
    parts: impl IntoIterator<Item = Result<impl AsRef<str>, Failure>>,
) -> Result<(), Failure> {
    let stdout = io::stdout();
    let is_terminal = stdout.is_terminal();
    let mut out = stdout.lock();
    let mut ends_line = true;
    let mut made = Ok(());
    for part in parts {
        let part = match part {
            Ok(part) => part,
            Err(failure) => {
                made = Err(failure);
                break;
            }
        };
        let part = part.as_ref();
        out.write_all(part.as_bytes()).map_err(Failure::Write)?;
        ends_line = if part.is_empty() { ends_line } else { part.ends_with('\n') };
    }
    if is_terminal && !ends_line {
        out.write_all(b"\n").map_err(Failure::Write)?;
    }
    out.flush().map_err(Failure::Write)?;
    made
}

/// Writes `value` as one line of JSON, piece by piece: it may hold many megabytes.
pub(crate) fn json(value: &impl Serialize) -> Result<(), Failure> {
    let mut out = io::BufWriter::new(io::stdout().lock());
    line_of_json(&mut out, value).and_then(|()| out.flush()).map_err(Failure::Write)
}

/// Writes `value` to `out` as one line of JSON.
pub(crate) fn line_of_json(mut out: impl io::Write, value: &impl Serialize) -> io::Result<()> {
    serde_json::to_writer(&mut out, value)?;
    out.write_all(b"\n")
}

/// Writes what `write` writes for people, in colour where standard output shows it.
pub(crate) fn people(
    write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>,
) -> Result<(), Failure> {
    let mut out = io::BufWriter::new(anstream::stdout().lock());
    write(&mut out).and_then(|()| out.flush()).map_err(Failure::Write)
}

/// Writes what `write` writes to standard error, for people, in colour on a terminal; below what
/// stands on standard output.
pub(crate) fn aside(write: impl FnOnce(&mut dyn io::Write) -> io::Result<()>) {
    let mut out = io::BufWriter::new(anstream::stderr().lock());
    let mut told = || {
        if io::stdout().is_terminal() && io::stderr().is_terminal() {
            // The text stands right above.
            writeln!(out)?;
        }
        Ok::<_, io::Error>(())
    };
    // Where nobody reads it, nothing is missing of what was asked for.
    let _ = told().and_then(|()| write(&mut out)).and_then(|()| out.flush());
}

/// Writes a line of a report: a name, or nothing, and what there is to say.
pub(crate) fn line(
    out: &mut dyn io::Write,
    name: &str,
    says: &impl fmt::Display,
) -> io::Result<()> {
    match name {
        "" => writeln!(out, "{name:NAME$}{says}"),
        name => writeln!(out, "{:NAME$}{says}", name.bold()),
    }
}
