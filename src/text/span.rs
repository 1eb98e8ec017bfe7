//! Half-open byte ranges of a text, and ascending sets of them.

use std::ops::Range;

/// A stretch of a text: bytes `start..end`, both at char boundaries.
///
/// ```
/// use slotledger::text::Span;
/// let span = Span::new(6, 11);
/// assert_eq!(span.of("hello there"), "there");
/// assert_eq!(span.len(), 5);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Span {
    /// Where it starts, in bytes.
    pub start: usize,
    /// Where it ends, in bytes; this byte is not part of it.
    pub end: usize,
}

impl Span {
    /// Makes the span `start..end`. An `end` before `start` makes it empty at `start`.
    pub fn new(start: usize, end: usize) -> Self {
        Self { start, end: end.max(start) }
    }

    /// Its length in bytes.
    pub fn len(self) -> usize {
        self.end.saturating_sub(self.start)
    }

    /// Whether it holds no byte.
    pub fn is_empty(self) -> bool {
        self.start >= self.end
    }

    /// Whether `other` lies in this span as a whole.
    pub fn holds(self, other: Self) -> bool {
        self.start <= other.start && other.end <= self.end
    }

    /// The part of `text` that this span covers; empty where the span does not fit the text.
    pub fn of(self, text: &str) -> &str {
        text.get(self.range()).unwrap_or_default()
    }

    /// The same as a range.
    pub fn range(self) -> Range<usize> {
        self.start..self.end
    }
}

/// Spans that ascend and do not overlap, as the ranges a live copy showed.
///
/// Neighbours may touch; they stay two spans, since a slot must lie whole in *one* of them.
///
/// ```
/// use slotledger::text::{Span, Spans};
/// let mut shown = Spans::default();
/// assert!(shown.push(Span::new(0, 10)));
/// assert!(!shown.push(Span::new(5, 12)), "overlaps what is there");
/// assert_eq!(shown.as_slice(), [Span::new(0, 10)]);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Spans(Vec<Span>);

impl Spans {
    /// Adds `span` at the end and says so; a span that starts before the last one ends is refused.
    pub fn push(&mut self, span: Span) -> bool {
        let fits = self.0.last().is_none_or(|last| last.end <= span.start);
        if fits {
            self.0.push(span);
        }
        fits
    }

    /// The spans, in text order.
    pub fn as_slice(&self) -> &[Span] {
        &self.0
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
