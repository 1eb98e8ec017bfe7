//! Reading a whole input, with a sign of life where it takes long.

use std::fs::File;
use std::io::{self, IsTerminal as _, Read, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use bytes::Bytes;
use indicatif::{ProgressBar, ProgressStyle};

use crate::failure::{Failure, Source, Wanted};

/// From how many bytes on progress is shown.
const LONG: u64 = 8 << 20;
/// How long reading goes on in silence.
const PATIENCE: Duration = Duration::from_millis(400);
/// How much is read at once.
const CHUNK: u64 = 1 << 20;

/// Reads the file at `path`, or standard input where that is `-`.
///
/// Unless it is to be `quiet`, says on a terminal what is awaited, and how far it has come.
pub(crate) fn read(path: &Path, wanted: Wanted, quiet: bool) -> Result<(Source, Bytes), Failure> {
    let from = if path == Path::new("-") { Source::Stdin } else { Source::File(path.to_owned()) };
    match read_source(&from, wanted, quiet) {
        Ok(bytes) if bytes.trim_ascii().is_empty() => Err(Failure::Empty { from, wanted }),
        Ok(bytes) => Ok((from, bytes.into())),
        Err(error) => Err(Failure::Read { from, wanted, error }),
    }
}

/// Says what is awaited on standard input, where a person may be wondering.
pub(crate) fn say_awaited(wanted: Wanted) {
    if io::stdin().is_terminal() && io::stderr().is_terminal() {
        // Where nobody reads it, nothing is missing.
        let _ =
            writeln!(io::stderr(), "slotledger: awaiting {}; end it with Ctrl-D", wanted.awaited());
    }
}

fn read_source(from: &Source, wanted: Wanted, quiet: bool) -> io::Result<Vec<u8>> {
    let show = !quiet && io::stderr().is_terminal();
    match from {
        Source::Stdin => {
            let stdin = io::stdin();
            if !quiet {
                say_awaited(wanted);
            }
            read_all(stdin.lock(), None, show)
        }
        Source::File(path) => {
            let file = File::open(path)?;
            let len = file.metadata().ok().filter(std::fs::Metadata::is_file);
            read_all(file, len.map(|metadata| metadata.len()), show)
        }
    }
}

/// Reads to the end. `len` is what is expected, if anything is: a file can grow meanwhile.
fn read_all(mut reader: impl Read, len: Option<u64>, show: bool) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    // Room for the end, too, so that a whole file is never moved to be found complete.
    let expected = len.and_then(|len| usize::try_from(len).ok()).unwrap_or_default();
    bytes.try_reserve_exact(expected.saturating_add(1))?;
    let mut progress = Progress::new("reading", len, show);
    while reader.by_ref().take(CHUNK).read_to_end(&mut bytes)? > 0 {
        progress.at(bytes.len());
    }
    progress.end();
    Ok(bytes)
}

/// A bar that shows only on a terminal, and only once the work has taken long.
#[derive(Debug)]
pub(crate) struct Progress {
    doing: &'static str,
    since: Instant,
    len: Option<u64>,
    show: bool,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// The bar of work on `len` bytes already at hand.
    pub(crate) fn through(doing: &'static str, len: usize) -> Self {
        let show = io::stderr().is_terminal();
        Self::new(doing, Some(u64::try_from(len).unwrap_or(u64::MAX)), show)
    }

    fn new(doing: &'static str, len: Option<u64>, show: bool) -> Self {
        let show = show && len.is_none_or(|len| len > LONG);
        Self { doing, since: Instant::now(), len, show, bar: None }
    }

    pub(crate) fn at(&mut self, read: usize) {
        let read = u64::try_from(read).unwrap_or(u64::MAX);
        if !self.show || read <= LONG || self.since.elapsed() < PATIENCE {
            return;
        }
        let (doing, len) = (self.doing, self.len);
        self.bar.get_or_insert_with(|| bar(doing, len)).set_position(read);
    }

    pub(crate) fn end(self) {
        if let Some(bar) = self.bar {
            bar.finish_and_clear();
        }
    }
}

fn bar(doing: &'static str, len: Option<u64>) -> ProgressBar {
    let (bar, template) = match len {
        Some(len) => (ProgressBar::new(len), "{prefix} {wide_bar} {bytes} of {total_bytes}"),
        None => (ProgressBar::new_spinner(), "{prefix} {spinner} {bytes}"),
    };
    let bar = bar.with_prefix(doing);
    match ProgressStyle::with_template(template) {
        Ok(style) => bar.with_style(style),
        Err(_) => bar,
    }
}
