//! Finds the slots of a text: candidates by substring search, confirmed by the anchored readers.

use std::sync::Arc;

use memchr::{memchr, memmem, memrchr};

use super::dialect::{self, Dialect, DialectError, DialectSet};
use super::placeholder::{MAX_PLACEHOLDER_LEN, OPEN, Placeholder, placeholder_at};
use super::stub::{MAX_STUB_LEN, Stub, stub_prefix_len};
use crate::text::{Span, line};

/// How every stub starts.
const STUB_OPEN: &str = "[ref_";

/// The most bytes a stub that is a slot can have: three for each UTF-16 unit.
const MAX_STUB_BYTES: usize = 3 * MAX_STUB_LEN;

/// How far the search for a placeholder goes at least: a call for each of many short windows costs
/// more than reading on.
const LOOK_AHEAD: usize = 4096;

/// Where one image stands in a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot<'t> {
    /// Where it stands, in bytes.
    pub span: Span,
    /// What it is.
    pub kind: SlotKind<'t>,
}

/// What a slot is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SlotKind<'t> {
    /// An image whose bytes came with the result.
    Inline(Placeholder<'t>),
    /// An image that lives elsewhere.
    Reference {
        /// The stub.
        stub: Stub<'t>,
        /// The image type it shows, as spelled; the slot's type is its lower-case form.
        image_type: &'t str,
    },
    /// A match of a host's own pattern.
    Dialect {
        /// The dialect's name.
        name: &'t str,
    },
}

/// Returns the image slots of `text`, in text order. Lazy, allocates nothing, one pass (SPEC L1).
///
/// ```
/// use slotledger::slots;
/// let text = "x[image: image/png, 1B]y[image: image/gif, 2B]";
/// let starts: Vec<usize> = slots(text).map(|slot| slot.span.start).collect();
/// assert_eq!(starts, [1, 24]);
/// ```
pub fn slots(text: &str) -> Slots<'_> {
    Slots::new(text, None)
}

/// What counts as a slot: our two grammars, and the dialects a host adds.
///
/// ```
/// use slotledger::slot::{Dialect, Grammar};
/// let grammar = Grammar::new([Dialect::new("numbered", r"\[Image #[0-9]{1,9}\]")])?;
/// assert_eq!(grammar.slots("see [Image #2] here").count(), 1);
/// assert_eq!(Grammar::default().slots("see [Image #2] here").count(), 0);
/// # Ok::<(), slotledger::slot::DialectError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Grammar {
    dialects: Option<Arc<DialectSet>>,
}

impl Grammar {
    /// Compiles the dialects of a host; they are tried in the order given.
    ///
    /// # Errors
    ///
    /// When a pattern does not parse, matches the empty text, or all compile to more than 1 MiB.
    pub fn new(dialects: impl IntoIterator<Item = Dialect>) -> Result<Self, DialectError> {
        let dialects: Vec<Dialect> = dialects.into_iter().collect();
        if dialects.is_empty() {
            return Ok(Self::default());
        }
        Ok(Self { dialects: Some(Arc::new(DialectSet::new(dialects)?)) })
    }

    /// The slots of `text`, in text order.
    pub fn slots<'t>(&'t self, text: &'t str) -> Slots<'t> {
        Slots::new(text, self.dialects.as_deref())
    }

    /// The placeholder, ours or a dialect's, that starts before `at` and ends after it.
    pub(crate) fn placeholder_over(&self, text: &str, at: usize) -> Option<Span> {
        let bytes = text.as_bytes();
        let from = at.saturating_sub(MAX_PLACEHOLDER_LEN - 1);
        let to = bytes.len().min(at + OPEN.len() - 1);
        let own = memmem::find_iter(bytes.get(from..to)?, OPEN).find_map(|found| {
            let placeholder = placeholder_at(text, from + found)?;
            let span = Span::new(from + found, from + found + placeholder.text.len());
            (span.start < at && at < span.end).then_some(span)
        });
        own.or_else(|| self.dialects.as_ref()?.over(text, at))
    }
}

/// The slots of a text, in text order. Made by [`slots`] and [`Grammar::slots`].
#[derive(Debug)]
pub struct Slots<'t> {
    text: &'t str,
    /// Slots that start here or later are not given out.
    until: usize,
    placeholders: Placeholders<'t>,
    stubs: Stubs<'t>,
    dialects: Option<Dialects<'t>>,
}

impl<'t> Slots<'t> {
    fn new(text: &'t str, dialects: Option<&'t DialectSet>) -> Self {
        Self {
            text,
            until: text.len(),
            placeholders: Placeholders::new(),
            stubs: Stubs::new(),
            dialects: dialects.map(|set| Dialects::new(set, text)),
        }
    }

    /// Goes on to the slots that start in `window`, which must not start before an earlier one.
    ///
    /// Reads the window, the line it starts in, the slots that start in it, and a few thousand
    /// bytes at most behind it.
    pub(crate) fn enter(&mut self, window: Span) {
        // A range may reach, and start, past the end of the text.
        let start = window.start.min(self.text.len());
        self.until = window.end.min(self.text.len());
        self.placeholders.skip_to(start);
        self.stubs.skip_to(self.text, start);
        if let Some(dialects) = &mut self.dialects {
            dialects.skip_to(self.text, start);
        }
    }
}

impl<'t> Iterator for Slots<'t> {
    type Item = Slot<'t>;

    fn next(&mut self) -> Option<Slot<'t>> {
        let placeholder = self.placeholders.fill(self.text, self.until);
        let stub = self.stubs.fill(self.text, self.until);
        let dialects = self.dialects.as_mut();
        let dialect = dialects.map_or(usize::MAX, |dialects| dialects.fill(self.text, self.until));
        let first = placeholder.min(stub).min(dialect);
        if first >= self.until {
            None
        } else if first == placeholder {
            self.placeholders.found.take()
        } else if first == stub {
            self.stubs.found.take()
        } else {
            self.dialects.as_mut()?.found.take()
        }
    }
}

/// Our placeholders. They cannot overlap: `[` stands only at their front.
#[derive(Debug)]
struct Placeholders<'t> {
    open: memmem::Finder<'static>,
    at: usize,
    found: Option<Slot<'t>>,
}

impl<'t> Placeholders<'t> {
    fn new() -> Self {
        Self { open: memmem::Finder::new(OPEN), at: 0, found: None }
    }

    fn skip_to(&mut self, start: usize) {
        self.at = self.at.max(start);
        self.found = self.found.filter(|slot| slot.span.start >= start);
    }

    /// Where the next one starts, if it starts before `until`; else a place behind.
    fn fill(&mut self, text: &'t str, until: usize) -> usize {
        while self.found.is_none() {
            if self.at >= until {
                return usize::MAX;
            }
            let ahead = until.max(self.at.saturating_add(LOOK_AHEAD));
            let Some(start) = find(&self.open, text, self.at, ahead) else {
                self.at = ahead;
                return usize::MAX;
            };
            let placeholder = placeholder_at(text, start);
            let len = placeholder.map_or(1, |found| found.text.len());
            self.at = start + len;
            self.found = placeholder.map(|found| Slot {
                span: Span::new(start, start + len),
                kind: SlotKind::Inline(found),
            });
        }
        start_of(self.found.as_ref())
    }
}

/// Stubs. Only the first stub-shaped start of a `\n`-line counts, image or not.
#[derive(Debug)]
struct Stubs<'t> {
    open: memmem::Finder<'static>,
    at: usize,
    /// Whether a stub started on the line that `at` is in.
    in_stub: bool,
    found: Option<Slot<'t>>,
}

impl<'t> Stubs<'t> {
    fn new() -> Self {
        Self { open: memmem::Finder::new(STUB_OPEN), at: 0, in_stub: false, found: None }
    }

    /// Skips to the line that holds `start`: what starts on it earlier decides what counts.
    fn skip_to(&mut self, text: &'t str, start: usize) {
        self.found = self.found.filter(|slot| slot.span.start >= start);
        if self.found.is_some() {
            return;
        }
        if let Some(newline) =
            text.as_bytes().get(self.at..start).and_then(|skipped| memrchr(b'\n', skipped))
        {
            self.at += newline + 1;
            self.in_stub = false;
        }
        // Stubs that start on this line before the window are read past, not given out.
        while self.fill(text, start) < start {
            self.found = None;
        }
    }

    /// Where the next one starts, if it starts before `until`; else a place behind.
    fn fill(&mut self, text: &'t str, until: usize) -> usize {
        let bytes = text.as_bytes();
        while self.found.is_none() {
            let Some(start) = self.candidate(text, until) else {
                self.in_stub = self.in_stub && !has_newline(bytes, self.at, until);
                self.at = self.at.max(until);
                return usize::MAX;
            };
            self.in_stub = self.in_stub && !has_newline(bytes, self.at, start);
            self.at = start + 1;
            if !self.in_stub && line::starts_at(bytes, start) {
                self.read(text, start);
            }
        }
        start_of(self.found.as_ref())
    }

    fn candidate(&self, text: &str, until: usize) -> Option<usize> {
        // Stubs mostly follow one another, line by line: look there before searching.
        let rest = text.as_bytes().get(self.at..)?;
        if rest.strip_prefix(b"\n").is_some_and(|line| line.starts_with(STUB_OPEN.as_bytes())) {
            return Some(self.at + 1).filter(|&start| start < until);
        }
        find(&self.open, text, self.at, until)
    }

    /// Reads the stub-shaped line at `start`, no farther than a slot can reach.
    fn read(&mut self, text: &'t str, start: usize) {
        let Some(tail) = text.as_bytes().get(start..) else { return };
        let Some(prefix) = stub_prefix_len(tail) else { return };
        self.in_stub = true;
        self.at = start + prefix;
        let reach = tail.len().min(MAX_STUB_BYTES + 1);
        let rest = tail.get(prefix..reach).unwrap_or_default();
        let len = match memchr(b'\n', rest) {
            Some(newline) => prefix + newline,
            None if reach == tail.len() => reach,
            None => return,
        };
        self.at = start + len;
        let span = Span::new(start, start + len);
        self.found = Stub::of(span.of(text), prefix).and_then(|stub| {
            let image_type = stub.image_type()?;
            Some(Slot { span, kind: SlotKind::Reference { stub, image_type } })
        });
    }
}

/// The slots of a host's dialects, segment by segment.
#[derive(Debug)]
struct Dialects<'t> {
    set: &'t DialectSet,
    segment: Span,
    at: usize,
    found: Option<Slot<'t>>,
}

impl<'t> Dialects<'t> {
    fn new(set: &'t DialectSet, text: &str) -> Self {
        Self { set, segment: Span::new(0, line::segment_end(text, 0)), at: 0, found: None }
    }

    fn skip_to(&mut self, text: &'t str, start: usize) {
        self.found = self.found.filter(|slot| slot.span.start >= start);
        if self.found.is_some() {
            return;
        }
        if let Some(segment_start) = line::last_segment_start(text, Span::new(self.at, start)) {
            self.segment = Span::new(segment_start, line::segment_end(text, segment_start));
            self.at = segment_start;
        }
        while self.fill(text, start) < start {
            self.found = None;
        }
    }

    /// Where the next one starts, if it starts before `until`; else a place behind.
    fn fill(&mut self, text: &'t str, until: usize) -> usize {
        while self.found.is_none() && self.at < until {
            if let Some((span, name)) = self.set.find(text, self.segment, self.at) {
                self.at = span.end;
                if dialect::is_slot(text, span) {
                    self.found = Some(Slot { span, kind: SlotKind::Dialect { name } });
                }
            } else {
                self.at = line::after_break(text, self.segment.end);
                self.segment = Span::new(self.at, line::segment_end(text, self.at));
            }
        }
        start_of(self.found.as_ref())
    }
}

fn start_of(slot: Option<&Slot<'_>>) -> usize {
    slot.map_or(usize::MAX, |slot| slot.span.start)
}

fn has_newline(bytes: &[u8], from: usize, to: usize) -> bool {
    match bytes.get(from..to) {
        None | Some([]) => false,
        Some([b'\n', ..]) => true,
        Some(between) => memchr(b'\n', between).is_some(),
    }
}

/// The first `open` of `text` that starts in `at..until`.
fn find(open: &memmem::Finder<'_>, text: &str, at: usize, until: usize) -> Option<usize> {
    let to = text.len().min(until.saturating_add(open.needle().len() - 1));
    open.find(text.as_bytes().get(at..to)?).map(|found| at + found)
}
