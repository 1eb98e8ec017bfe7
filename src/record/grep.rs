//! The lines of a text that hold a match, as `grep -n` prints them.

use std::fmt;

use memchr::{memchr, memchr_iter, memrchr};
use regex_automata::hybrid::dfa;
use regex_automata::hybrid::regex::{self as lazy, Cache};
use regex_automata::meta::{self, Regex};
use regex_automata::nfa::thompson;
use regex_automata::util::prefilter::Prefilter;
use regex_automata::util::syntax;
use regex_automata::{Input, MatchKind};

use crate::text::{Offsets, Span, Unit, is_longer_utf16};

/// The longest pattern, in UTF-16 units.
pub const MAX_PATTERN_UTF16: usize = 1_000;

/// The most matches of one answer.
pub const MAX_MATCHES: usize = 100;

/// The longest line that is shown whole.
const MAX_LINE: usize = 300;

/// How much of a longer line is shown on either side of a match.
const HALF: usize = MAX_LINE / 2;

/// The most memory that each automaton of a pattern may take, in bytes.
const MAX_COMPILED_BYTES: usize = 1 << 20;

/// The longest match that is sure to be found, in bytes.
const MAX_MATCH_BYTES: usize = 1 << 13;

/// How much is searched at once, in bytes: every match of an answer may cost as much.
const FAST_WINDOW: usize = 1 << 20;
/// The same where the fast automaton gave up.
const SLOW_WINDOW: usize = 1 << 14;
// A search goes on a longest match before the end of a window, and has to get on.
const _: () = assert!(SLOW_WINDOW > MAX_MATCH_BYTES + 4 && FAST_WINDOW > SLOW_WINDOW);

/// The most that one answer searches where the fast automaton gave up, in bytes times states of
/// the pattern: two or three seconds at worst, and one window at least.
const MAX_SLOW_WORK: usize = 1 << 28;

/// A pattern that is searched for in texts: the syntax of crate `regex`, `^` and `$` at lines.
///
/// ```
/// use slotledger::Unit;
/// use slotledger::record::{Grep, GrepBounds};
/// let grep = Grep::new("ERR")?;
/// let found = grep.search("a\nb ERR 1\nc\n", 0, Unit::Utf16, GrepBounds::default());
/// assert_eq!(found.text, "1-0-a\n2:2:b ERR 1\n3-10-c\n");
/// assert_eq!((found.matches, found.end, found.next()), (1, 12, None));
/// assert!(Grep::new("a*").is_err() && Grep::new("(").is_err());
/// # Ok::<(), slotledger::record::GrepError>(())
/// ```
#[derive(Debug)]
pub struct Grep {
    fast: lazy::Regex,
    /// For what the fast one does not do: `\b` beside letters that are not ASCII, and patterns
    /// with too many states.
    slow: Regex,
    states: usize,
}

/// A pattern that is not searched for.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum GrepError {
    /// It is longer than [`MAX_PATTERN_UTF16`].
    TooLong,
    /// It does not parse.
    Syntax {
        /// What the parser says, in a few words.
        reason: String,
    },
    /// It compiles to too much memory.
    TooLarge,
    /// It matches the empty text, and so everywhere.
    MatchesEmpty,
}

impl fmt::Display for GrepError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TooLong => write!(f, "it is longer than {MAX_PATTERN_UTF16} chars"),
            Self::Syntax { reason } => f.write_str(reason),
            Self::TooLarge => f.write_str("it is too large once its repetitions are written out"),
            Self::MatchesEmpty => f.write_str("it matches the empty text"),
        }
    }
}

impl std::error::Error for GrepError {}

/// How much is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GrepBounds {
    /// How many lines before and behind a match.
    pub context: usize,
    /// The most text, in the unit of the search. One line is always shown.
    pub len: usize,
    /// The most matches.
    pub matches: usize,
}

impl Default for GrepBounds {
    fn default() -> Self {
        Self { context: 2, len: 50_000, matches: MAX_MATCHES }
    }
}

/// What a search found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Grepped {
    /// The lines: `LINE:OFFSET:text` of a match, `LINE-OFFSET-text` around it, `--` between groups.
    pub text: String,
    /// How many matches are shown: a line, or a stretch of a long line, counts once.
    pub matches: usize,
    /// Where the search ended, in its unit.
    pub end: usize,
    /// Whether it ended before the text did.
    is_bounded: bool,
}

impl Grepped {
    /// Where to search on, if the search did not reach the end of the text.
    pub fn next(&self) -> Option<usize> {
        self.is_bounded.then_some(self.end)
    }
}

impl Grep {
    /// Compiles a pattern, within bounds.
    ///
    /// # Errors
    ///
    /// When it does not parse, or is too large, or matches the empty text.
    pub fn new(pattern: &str) -> Result<Self, GrepError> {
        if is_longer_utf16(pattern, MAX_PATTERN_UTF16) {
            return Err(GrepError::TooLong);
        }
        let hir = syntax::parse_with(pattern, &syntax::Config::new().multi_line(true))
            .map_err(|error| GrepError::Syntax { reason: last_words(&error.to_string()) })?;
        if hir.properties().minimum_len() == Some(0) {
            return Err(GrepError::MatchesEmpty);
        }
        let compiled = |is_reverse| {
            let config = thompson::Config::new()
                .nfa_size_limit(Some(MAX_COMPILED_BYTES))
                .which_captures(thompson::WhichCaptures::None)
                .reverse(is_reverse);
            let nfa = thompson::Compiler::new().configure(config).build_from_hir(&hir);
            nfa.map_err(|_| GrepError::TooLarge)
        };
        let (forward, reverse) = (compiled(false)?, compiled(true)?);
        let states = forward.states().len();
        let config = dfa::Config::new()
            .unicode_word_boundary(true)
            .skip_cache_capacity_check(true)
            .minimum_cache_clear_count(Some(3))
            .minimum_bytes_per_state(Some(10));
        let lazy = |config, nfa| {
            let dfa = dfa::Builder::new().configure(config).build_from_nfa(nfa);
            dfa.map_err(|_| GrepError::TooLarge)
        };
        let prefilter = Prefilter::from_hir_prefix(MatchKind::LeftmostFirst, &hir);
        let first =
            config.clone().specialize_start_states(prefilter.is_some()).prefilter(prefilter);
        let fast = lazy::Regex::builder().build_from_dfas(
            lazy(first, forward)?,
            lazy(config.match_kind(MatchKind::All), reverse)?,
        );
        let config = meta::Config::new()
            .hybrid(false)
            .dfa(false)
            .nfa_size_limit(Some(MAX_COMPILED_BYTES))
            .onepass_size_limit(Some(MAX_COMPILED_BYTES));
        let slow = Regex::builder().configure(config).build_from_hir(&hir);
        Ok(Self { fast, slow: slow.map_err(|_| GrepError::TooLarge)?, states })
    }

    /// Searches `text` from the byte `from` on, and counts offsets in `unit` (SPEC 22).
    ///
    /// A line of more than 300 shows 150 on either side of where a match starts. Ends after
    /// as many matches as are wanted, when the next line does not fit, or when the pattern is slow and enough was
    /// searched; searching on at [`Grepped::next`] finds the rest. A match longer than 8 KiB may be
    /// missed. Linear.
    pub fn search(&self, text: &str, from: usize, unit: Unit, bounds: GrepBounds) -> Grepped {
        let mut at = text.floor_char_boundary(from);
        let mut search =
            Search { grep: self, text, cache: self.fast.create_cache(), work: MAX_SLOW_WORK };
        let mut printer = Printer::new(text, at, unit, bounds);
        let is_bounded = loop {
            match search.first(at) {
                Found::Start(start) => match printer.show(start) {
                    Some(next) => at = next,
                    None => break true,
                },
                Found::Nothing => {
                    printer.show_behind(text.len());
                    at = text.len();
                    break false;
                }
                Found::TooSlow { searched } => {
                    printer.show_behind(searched);
                    at = searched;
                    break true;
                }
            }
        };
        let (text, matches) = (printer.out, printer.matches);
        Grepped { text, matches, end: printer.offsets.at(at), is_bounded }
    }
}

/// The words behind the drawing of where a pattern is wrong.
fn last_words(message: &str) -> String {
    let words = message.rsplit_once("error: ").map_or(message, |(_, words)| words);
    words.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What a search for the first match came to.
enum Found {
    Start(usize),
    Nothing,
    /// Up to here there is none.
    TooSlow {
        searched: usize,
    },
}

/// A search through one text.
struct Search<'t> {
    grep: &'t Grep,
    text: &'t str,
    cache: Cache,
    /// How much may still be searched slowly.
    work: usize,
}

impl Search<'_> {
    /// Where the first match at or after `at` starts.
    ///
    /// Window by window: an automaton that looks for the end of a match to the end of the text
    /// would do so again for every match.
    fn first(&mut self, mut at: usize) -> Found {
        while at < self.text.len() {
            let (found, end) = match self.fast(at) {
                Some(answer) => answer,
                None if self.work == 0 => return Found::TooSlow { searched: at },
                None => self.slow(at),
            };
            let is_last = end == self.text.len();
            // Whatever match starts before this is no longer than what is left of the window.
            let sure = self.text.floor_char_boundary(end.saturating_sub(MAX_MATCH_BYTES));
            match found {
                Some(start) if is_last || start < sure => return Found::Start(start),
                None if is_last => break,
                Some(_) | None => at = sure,
            }
        }
        Found::Nothing
    }

    /// The end of the window of `len` that starts at `at`.
    fn window(&self, at: usize, len: usize) -> usize {
        self.text.floor_char_boundary(at.saturating_add(len))
    }

    /// The start of the first match in a window, and the window's end; nothing if it gave up.
    fn fast(&mut self, at: usize) -> Option<(Option<usize>, usize)> {
        let end = self.window(at, FAST_WINDOW);
        let input = Input::new(self.text).range(at..end);
        let found = self.grep.fast.try_search(&mut self.cache, &input).ok()?;
        Some((found.map(|found| found.start()), end))
    }

    fn slow(&mut self, at: usize) -> (Option<usize>, usize) {
        let end = self.window(at, SLOW_WINDOW);
        self.work = self.work.saturating_sub((end - at).saturating_mul(self.grep.states));
        let found = self.grep.slow.find(Input::new(self.text).range(at..end));
        (found.map(|found| found.start()), end)
    }
}

/// Writes lines, within bounds.
struct Printer<'t> {
    text: &'t str,
    unit: Unit,
    bounds: GrepBounds,
    offsets: Offsets<'t>,
    out: String,
    /// The length of `out`, in the unit.
    len: usize,
    matches: usize,
    /// The line that holds the last match.
    line: Span,
    /// Where the first line starts that was not yet shown.
    unseen: usize,
    /// How many more lines may be shown behind the last match.
    behind: usize,
    /// The number of the line that starts, or goes on, at `.1`.
    number: (usize, usize),
}

impl<'t> Printer<'t> {
    fn new(text: &'t str, from: usize, unit: Unit, bounds: GrepBounds) -> Self {
        let offsets = Offsets::new(text, unit);
        let unseen = line_start(text, 0, from);
        let (out, line) = (String::new(), Span::new(0, 0));
        let (len, matches, behind, number) = (0, 0, 0, (1, 0));
        Self { text, unit, bounds, offsets, out, len, matches, line, unseen, behind, number }
    }

    /// Shows the match that starts at `start`, with what stands around it, and returns where to
    /// search on; `None` if there is no room for it.
    fn show(&mut self, start: usize) -> Option<usize> {
        let is_same_line = self.matches > 0 && start < self.unseen;
        if !is_same_line {
            let front = line_start(self.text, self.unseen, start);
            self.line = Span::new(front, line_end(self.text, start));
        }
        let line = self.line;
        let has_room = self.show_behind(line.start);
        if !has_room || self.matches >= self.bounds.matches {
            return None;
        }
        let before = if is_same_line { Vec::new() } else { self.lines_before(line.start) };
        let shown = self.around(line, start);
        let mut block = Block::default();
        let first = before.first().map_or(line.start, |first| first.start);
        if self.matches > 0 && first > self.unseen {
            block.push(self.unit, "--\n".to_owned());
        }
        for line in before {
            let line = self.written(self.context(line), '-');
            block.push(self.unit, line);
        }
        let line_shown = self.written(shown, ':');
        block.push(self.unit, line_shown);
        let room = self.bounds.len.saturating_sub(self.len);
        if block.len > room {
            if self.matches > 0 {
                return None;
            }
            block.drop_front(self.unit, room);
        }
        self.out.extend(block.lines);
        self.len += block.len;
        self.matches += 1;
        self.behind = self.bounds.context;
        self.unseen = self.text.len().min(line.end + 1);
        Some(if shown.end < line.end { shown.end } else { self.unseen })
    }

    /// Shows lines behind the last match, up to `limit`; whether there was room for them.
    fn show_behind(&mut self, limit: usize) -> bool {
        while self.behind > 0 && self.unseen < limit {
            let line = Span::new(self.unseen, line_end(self.text, self.unseen));
            let written = self.written(self.context(line), '-');
            let len = self.unit.len_of(&written);
            if self.len + len > self.bounds.len {
                self.behind = 0;
                return false;
            }
            self.out.push_str(&written);
            self.len += len;
            self.behind -= 1;
            self.unseen = self.text.len().min(line.end + 1);
        }
        true
    }

    /// The lines before the one at `start` that are shown with it.
    fn lines_before(&self, start: usize) -> Vec<Span> {
        let mut lines = Vec::new();
        let mut end = start;
        while lines.len() < self.bounds.context && end > self.unseen {
            let front = line_start(self.text, self.unseen, end - 1);
            lines.push(Span::new(front, end - 1));
            end = front;
        }
        lines.reverse();
        lines
    }

    /// What is shown of a line that holds no match.
    fn context(&self, line: Span) -> Span {
        Span::new(line.start, line.start + self.unit.offset_in(line.of(self.text), MAX_LINE))
    }

    /// What is shown of a line for the match that starts at `at`.
    fn around(&self, line: Span, at: usize) -> Span {
        let whole = self.context(line);
        if whole == line {
            return line;
        }
        // No unit is wider than four bytes.
        let from = self.text.floor_char_boundary(at.saturating_sub(4 * HALF)).max(line.start);
        let before = Span::new(from, at).of(self.text);
        let over = self.unit.len_of(before).saturating_sub(HALF);
        let mut skipped = self.unit.offset_in(before, over);
        if self.unit.len_of(before.get(..skipped).unwrap_or_default()) < over {
            skipped = before.ceil_char_boundary(skipped + 1);
        }
        let behind = Span::new(at, line.end).of(self.text);
        Span::new(from + skipped, at + self.unit.offset_in(behind, HALF))
    }

    fn written(&mut self, shown: Span, sign: char) -> String {
        let (number, at) = self.number;
        let between = Span::new(at, shown.start.max(at)).of(self.text);
        let number = number + memchr_iter(b'\n', between.as_bytes()).count();
        self.number = (number, shown.start.max(at));
        let offset = self.offsets.at(shown.start);
        format!("{number}{sign}{offset}{sign}{}\n", shown.of(self.text))
    }
}

/// Lines that are shown together or not at all.
#[derive(Debug, Default)]
struct Block {
    lines: Vec<String>,
    len: usize,
}

impl Block {
    fn push(&mut self, unit: Unit, line: String) {
        self.len += unit.len_of(&line);
        self.lines.push(line);
    }

    /// Drops lines from the front, but not the last, until the rest fits.
    fn drop_front(&mut self, unit: Unit, room: usize) {
        let mut dropped = 0;
        for line in self.lines.iter().rev().skip(1).rev() {
            if self.len <= room {
                break;
            }
            self.len -= unit.len_of(line);
            dropped += 1;
        }
        self.lines.drain(..dropped);
    }
}

/// Where the line that holds `at` starts, not before `floor`.
fn line_start(text: &str, floor: usize, at: usize) -> usize {
    let before = text.as_bytes().get(floor..at).unwrap_or_default();
    memrchr(b'\n', before).map_or(floor, |found| floor + found + 1)
}

/// Where the line that holds `at` ends, its `\n` not included.
fn line_end(text: &str, at: usize) -> usize {
    let behind = text.as_bytes().get(at..).unwrap_or_default();
    memchr(b'\n', behind).map_or(text.len(), |found| at + found)
}
