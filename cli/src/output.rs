//! Standard output, which may go away at any time.

use std::io::{self, IsTerminal as _, Write as _};

use serde::Serialize;

use crate::failure::Failure;

/// Writes `bytes` as they are.
pub(crate) fn bytes(bytes: &[u8]) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    out.write_all(bytes).and_then(|()| out.flush()).map_err(Failure::Write)
}

/// Writes `parts`, one after the other and nothing else; on a terminal, a line break where the
/// last one ends without.
pub(crate) fn text<'t>(parts: impl IntoIterator<Item = &'t str>) -> Result<(), Failure> {
    let stdout = io::stdout();
    let is_terminal = stdout.is_terminal();
    let write = || {
        let mut out = stdout.lock();
        let mut ends_line = true;
        for part in parts {
            out.write_all(part.as_bytes())?;
            ends_line = if part.is_empty() { ends_line } else { part.ends_with('\n') };
        }
        if is_terminal && !ends_line {
            out.write_all(b"\n")?;
        }
        out.flush()
    };
    write().map_err(Failure::Write)
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
