//! The one cut, for all copies, and which slots a stored copy keeps past it.

use std::collections::VecDeque;

use memchr::memmem;

use crate::image::Limits;
use crate::slot::{Grammar, MAX_STUB_LEN, stub_at};
use crate::text::{Cap, Span, Spans, is_longer_utf16, line};

/// The most slots kept past a cut: as many as a ledger holds images.
pub const MAX_KEPT: usize = Limits::MAX_IMAGES;

/// Returns where `text` is cut at `cap`, in bytes, or `None` when it fits (SPEC 11).
///
/// Always a char boundary, and never inside a placeholder or in the first 677 units of a
/// stub-shaped line, image or not: no part of a slot is left in the head (SPEC L5). It lies at
/// most 327 + 677 UTF-16 units before the cap (SPEC L6), and can be 0.
///
/// # Complexity
///
/// Reads what the cap allows and a few hundred bytes more; with dialects, the rest of the line.
///
/// ```
/// use slotledger::copy::cut_at;
/// use slotledger::{Cap, slot::Grammar};
/// let text = "k\n[image: image/png, 1B]";
/// assert_eq!(cut_at(text, Cap::utf16(3), &Grammar::default()), Some(2));
/// assert_eq!(cut_at(text, Cap::utf16(24), &Grammar::default()), None);
/// ```
pub fn cut_at(text: &str, cap: Cap, grammar: &Grammar) -> Option<usize> {
    let reached = cap.reached_in(text)?;
    // The order matters: a stub is left at its start only once the cut is off the placeholders.
    let cut = grammar.placeholder_over(text, reached).map_or(reached, |over| over.start);
    Some(stub_over(text, cut).unwrap_or(cut))
}

/// The start of the stub-shaped line that holds `cut` in its first 677 units.
fn stub_over(text: &str, cut: usize) -> Option<usize> {
    let bytes = text.as_bytes();
    if bytes.get(cut) == Some(&b'\n') {
        return None;
    }
    // Only the first stub-shaped start of a `\n`-line counts: it takes in what follows.
    let line_start = line::start_of(bytes, cut);
    let before = bytes.get(line_start..cut)?;
    let first = memmem::find_iter(before, "[")
        .map(|found| line_start + found)
        .find(|&start| stub_at(text, start).is_some())?;
    let inside = text.get(first..cut)?;
    (!is_longer_utf16(inside, MAX_STUB_LEN)).then_some(first)
}

/// A text cut, and the slots that its stored copy keeps.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Cut {
    /// Where the head ends, in bytes.
    pub at: usize,
    /// The kept slots in text order: the newest [`MAX_KEPT`] that were shown past the cut.
    pub kept: Vec<Span>,
    /// How many more were shown past the cut, before the kept ones.
    pub left_out: usize,
}

/// Cuts `text` at `cap` and finds the slots past the cut that lie whole in one `shown` range;
/// `None` when the text fits (SPEC 13.1).
///
/// ```
/// use slotledger::copy::cut_shown;
/// use slotledger::text::{Span, Spans};
/// use slotledger::{Cap, slot::Grammar};
/// let text = "some words\n[image: image/png, 1B]";
/// let mut shown = Spans::default();
/// shown.push(Span::new(0, text.len()));
/// let cut = cut_shown(text, Cap::utf16(5), &shown, &Grammar::default()).unwrap();
/// assert_eq!((cut.at, cut.kept, cut.left_out), (5, vec![Span::new(11, 33)], 0));
/// ```
pub fn cut_shown(text: &str, cap: Cap, shown: &Spans, grammar: &Grammar) -> Option<Cut> {
    let at = cut_at(text, cap, grammar)?;
    let mut kept = VecDeque::with_capacity(MAX_KEPT + 1);
    let mut left_out = 0;
    let mut slots = grammar.slots(text);
    let mut ranges = shown.as_slice();
    while let Some(&first) = ranges.first() {
        // Ranges mostly follow one another, a joiner apart: they are scanned in one go.
        let run = ranges
            .windows(2)
            .take_while(|pair| matches!(pair, [a, b] if b.start <= a.end.saturating_add(1)));
        let (run, rest) = ranges.split_at_checked(run.count() + 1).unwrap_or((ranges, &[]));
        ranges = rest;
        let end = run.last().map_or(first.end, |last| last.end);
        if end <= at {
            continue;
        }
        slots.enter(Span::new(first.start.max(at), end));
        let mut run = run.iter().peekable();
        for slot in slots.by_ref() {
            while run.next_if(|range| range.end <= slot.span.start).is_some() {}
            if run.peek().is_some_and(|range| range.holds(slot.span)) {
                kept.push_back(slot.span);
                if kept.len() > MAX_KEPT {
                    kept.pop_front();
                    left_out += 1;
                }
            }
        }
    }
    Some(Cut { at, kept: kept.into(), left_out })
}
