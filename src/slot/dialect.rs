//! Placeholder grammars that a host brings, as patterns.

use std::fmt;

use regex_automata::Input;
use regex_automata::meta::{self, Regex};
use regex_automata::util::syntax;

use super::placeholder::{MAX_PLACEHOLDER_LEN, OPEN, placeholder_at};
use crate::text::{Span, is_longer_utf16, line};

/// The longest match of a host's pattern that counts as a slot, in UTF-16 units: as for our own
/// placeholders, so that a cut moves back no farther.
pub const MAX_DIALECT_SLOT_LEN: usize = MAX_PLACEHOLDER_LEN;

/// The most memory a compiled set of dialects may take, in bytes.
const MAX_COMPILED_BYTES: usize = 1 << 20;

/// A placeholder grammar of a host: a name, and a pattern in the syntax of crate `regex`.
///
/// Its matches count as slots and are never split. A pattern is matched within one line segment,
/// never across `\n`, `\r`, U+2028 or U+2029; a match longer than [`MAX_DIALECT_SLOT_LEN`] is no
/// slot, and one that overlaps one of our own placeholders yields to it (SPEC 6.4).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dialect {
    name: String,
    pattern: String,
}

impl Dialect {
    /// Names a pattern. It is compiled, and checked, by [`Grammar::new`](super::Grammar::new).
    pub fn new(name: impl Into<String>, pattern: impl Into<String>) -> Self {
        Self { name: name.into(), pattern: pattern.into() }
    }

    /// Its name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Its pattern.
    pub fn pattern(&self) -> &str {
        &self.pattern
    }
}

/// A pattern that cannot serve as a dialect.
#[derive(Debug)]
#[non_exhaustive]
pub enum DialectError {
    /// The pattern of dialect `name` does not parse.
    Pattern {
        /// The dialect.
        name: String,
        /// What the parser says.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
    /// The pattern of dialect `name` matches the empty text.
    MatchesEmpty {
        /// The dialect.
        name: String,
    },
    /// The patterns compile to more than `max_bytes` of memory.
    TooLarge {
        /// The limit.
        max_bytes: usize,
        /// What the compiler says.
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl fmt::Display for DialectError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Pattern { name, .. } => write!(f, "the pattern of dialect {name:?} is not valid"),
            Self::MatchesEmpty { name } => {
                write!(f, "the pattern of dialect {name:?} matches the empty text")
            }
            Self::TooLarge { max_bytes, .. } => {
                write!(f, "the dialects compile to more than {max_bytes} bytes")
            }
        }
    }
}

impl std::error::Error for DialectError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Pattern { source, .. } | Self::TooLarge { source, .. } => Some(source.as_ref()),
            Self::MatchesEmpty { .. } => None,
        }
    }
}

/// The dialects of a grammar, compiled into one leftmost-first search.
#[derive(Debug)]
pub(super) struct DialectSet {
    regex: Regex,
    names: Vec<String>,
}

impl DialectSet {
    pub(super) fn new(dialects: Vec<Dialect>) -> Result<Self, DialectError> {
        let mut parsed = Vec::with_capacity(dialects.len());
        let mut names = Vec::with_capacity(dialects.len());
        for Dialect { name, pattern } in dialects {
            match syntax::parse(&pattern) {
                Ok(hir) if hir.properties().minimum_len() == Some(0) => {
                    return Err(DialectError::MatchesEmpty { name });
                }
                Ok(hir) => parsed.push(hir),
                Err(error) => {
                    return Err(DialectError::Pattern { name, source: error.into() });
                }
            }
            names.push(name);
        }
        let config = meta::Config::new()
            .nfa_size_limit(Some(MAX_COMPILED_BYTES))
            .onepass_size_limit(Some(MAX_COMPILED_BYTES))
            .hybrid_cache_capacity(MAX_COMPILED_BYTES);
        let regex =
            Regex::builder().configure(config).build_many_from_hir(&parsed).map_err(|error| {
                DialectError::TooLarge { max_bytes: MAX_COMPILED_BYTES, source: error.into() }
            })?;
        Ok(Self { regex, names })
    }

    /// The first match at or after `from` in a line segment of `text`, with its dialect's name.
    pub(super) fn find(&self, text: &str, segment: Span, from: usize) -> Option<(Span, &str)> {
        let input = Input::new(segment.of(text)).range(from.saturating_sub(segment.start)..);
        let found = self.regex.search(&input)?;
        let span = Span::new(segment.start + found.start(), segment.start + found.end());
        Some((span, self.names.get(found.pattern().as_usize())?))
    }

    /// The dialect slot that starts before `at` and ends after it, if one does.
    ///
    /// Reads the whole line segment that holds `at`: what matches first on it decides.
    pub(super) fn over(&self, text: &str, at: usize) -> Option<Span> {
        let segment = Span::new(line::segment_start(text, at), line::segment_end(text, at));
        let mut from = segment.start;
        while let Some((span, _)) = self.find(text, segment, from) {
            if span.start >= at {
                return None;
            }
            if span.end > at && is_slot(text, span) {
                return Some(span);
            }
            from = span.end;
        }
        None
    }
}

/// Whether a match counts: not empty, not too long, not over one of our own placeholders.
pub(super) fn is_slot(text: &str, span: Span) -> bool {
    if span.is_empty() || is_longer_utf16(span.of(text), MAX_DIALECT_SLOT_LEN) {
        return false;
    }
    let from = text.floor_char_boundary(span.start.saturating_sub(MAX_PLACEHOLDER_LEN - 1));
    let to = text.ceil_char_boundary(span.end + OPEN.len() - 1);
    let window = Span::new(from, to).of(text).as_bytes();
    !memchr::memmem::find_iter(window, OPEN).any(|found| {
        let start = from + found;
        start < span.end
            && placeholder_at(text, start).is_some_and(|p| start + p.text.len() > span.start)
    })
}
