//! Searching: by trying every position, and hostile texts and patterns.

use proptest::prelude::any;
use proptest::{prop_assert, prop_assert_eq, proptest};
use regex_automata::meta::Regex;
use regex_automata::util::syntax;
use regex_automata::{Anchored, Input};
use slotledger::Unit;
use slotledger::record::{Grep, GrepBounds, GrepError, Grepped};

use super::{assert_linear, config, of_pieces, time};
use crate::support::{in_time, units};

fn bounds(context: usize, len: usize) -> GrepBounds {
    let mut bounds = GrepBounds::default();
    (bounds.context, bounds.len) = (context, len);
    bounds
}

fn width(unit: Unit, ch: char) -> usize {
    match unit {
        Unit::Byte => ch.len_utf8(),
        Unit::Char => 1,
        Unit::Utf16 => ch.len_utf16(),
    }
}

fn size(unit: Unit, text: &str) -> usize {
    text.chars().map(|ch| width(unit, ch)).sum()
}

/// As much of the front of `text` as `most` units hold.
fn front(unit: Unit, text: &str, most: usize) -> &str {
    let mut len = 0;
    let end = text.char_indices().find(|(_, ch)| {
        len += width(unit, *ch);
        len > most
    });
    end.map_or(text, |(at, _)| &text[..at])
}

/// As much of the end of `text` as `most` units hold.
fn back(unit: Unit, text: &str, most: usize) -> &str {
    let mut len = 0;
    let start = text.char_indices().rev().find(|(_, ch)| {
        len += width(unit, *ch);
        len > most
    });
    start.map_or(text, |(at, ch)| &text[at + ch.len_utf8()..])
}

/// A line of the text, and of a match what is shown and where the search goes on.
struct Shown {
    line: usize,
    start: usize,
    end: usize,
    next: usize,
}

/// Every position is tried; all lines are made; then lines are put out while they fit.
fn slow(
    pattern: &str,
    text: &str,
    from: usize,
    unit: Unit,
    bounds: GrepBounds,
) -> (String, usize, usize) {
    let regex =
        Regex::builder().syntax(syntax::Config::new().multi_line(true)).build(pattern).unwrap();
    let starts: Vec<usize> = (0..text.len())
        .filter(|at| text.is_char_boundary(*at))
        .filter(|at| regex.is_match(Input::new(text).range(*at..).anchored(Anchored::Yes)))
        .collect();
    let mut lines: Vec<(usize, usize)> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        lines.push((at, at + line.trim_end_matches('\n').len()));
        at += line.len();
    }
    let after = |line: usize| lines.get(line + 1).map_or(text.len(), |(start, _)| *start);
    let mut all: Vec<Shown> = Vec::new();
    let mut at = from;
    while let Some(start) = starts.iter().copied().find(|start| *start >= at) {
        let line = lines.iter().rposition(|(front, _)| *front <= start).unwrap();
        let (front_at, end) = lines[line];
        let shown = if size(unit, &text[front_at..end]) <= 300 {
            Shown { line, start: front_at, end, next: after(line) }
        } else {
            let head = back(unit, &text[front_at..start], 150);
            let tail = front(unit, &text[start..end], 150);
            let to = start + tail.len();
            let next = if to < end { to } else { after(line) };
            Shown { line, start: start - head.len(), end: to, next }
        };
        at = shown.next;
        all.push(shown);
    }
    let context = |line: usize| {
        let (start, end) = lines[line];
        let shown = front(unit, &text[start..end], 300);
        format!("{}-{}-{shown}\n", line + 1, size(unit, &text[..start]))
    };
    let mut out = String::new();
    let mut at = from;
    // The last line that was put out, counted from 1.
    let mut last = lines.iter().rposition(|(front, _)| *front <= from).unwrap_or(0);
    for index in 0..=all.len() {
        // What stands behind the match before, up to the next.
        if index > 0 {
            let limit = all.get(index).map_or(lines.len(), |shown| shown.line);
            let to = limit.min(all[index - 1].line + 1 + bounds.context);
            while last < to {
                let line = context(last);
                if size(unit, &out) + size(unit, &line) > bounds.len {
                    // It stops here, unless there was nothing more.
                    return (out, index, if index < all.len() { at } else { text.len() });
                }
                out += &line;
                last += 1;
            }
        }
        let Some(shown) = all.get(index) else { break };
        if index == 100 {
            return (out, index, at);
        }
        let first = shown.line.saturating_sub(bounds.context).max(last).min(shown.line);
        let mut block: Vec<String> = Vec::new();
        if index > 0 && first > last {
            block.push("--\n".to_owned());
        }
        block.extend((first..shown.line).map(context));
        block.push(format!(
            "{}:{}:{}\n",
            shown.line + 1,
            size(unit, &text[..shown.start]),
            &text[shown.start..shown.end]
        ));
        let fits = |block: &[String]| size(unit, &out) + size(unit, &block.concat()) <= bounds.len;
        if index > 0 && !fits(&block) {
            return (out, index, at);
        }
        while block.len() > 1 && !fits(&block) {
            block.remove(0);
        }
        out += &block.concat();
        last = last.max(shown.line + 1);
        at = shown.next;
    }
    (out, all.len(), text.len())
}

fn assert_as_slow(pattern: &str, text: &str, from: usize, bounds: GrepBounds) {
    let from = text.floor_char_boundary(from);
    let grep = Grep::new(pattern).unwrap();
    for (unit, _) in units() {
        let found = grep.search(text, from, unit, bounds);
        let (out, matches, end) = slow(pattern, text, from, unit, bounds);
        let what = format!("{pattern:?} {bounds:?} from {from} in {text:?}");
        assert_eq!(found.text, out, "{what}");
        assert_eq!((found.matches, found.end), (matches, size(unit, &text[..end])), "{what}");
        assert_eq!(found.next(), (end < text.len()).then_some(found.end), "{what}");
    }
}

const PIECES: &[&str] = &[
    "a",
    "a",
    "b",
    "ab",
    "ERR",
    " ",
    "\n",
    "\n",
    "\n",
    "\r\n",
    "é",
    "😀",
    "\u{0}",
    "0",
    "\n\n\n\n",
    "二",
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
    "😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀😀",
];

const PATTERNS: &[&str] = &[
    "a", "ERR", "^a", "a$", "(?i)err", r"\ba\b", r"\w+", ".", r"(?s).", r"a\nb", "\n", r"[^a]b",
    "😀", r"^.+$", "a|ab", "(?s)a.*b", r"\d", r"\x00", "x{3,}", r"\Aa", r"a\z", r"\Bb", "é|二",
    "a+?",
];

proptest! {
    #![proptest_config(config())]

    #[test]
    fn lines_are_those_of_the_slow_search(
        text in of_pieces(PIECES, 24),
        pattern in 0..PATTERNS.len(),
        from in 0_usize..200,
        context in 0_usize..4,
        len in 0_usize..600,
    ) {
        assert_as_slow(PATTERNS[pattern], &text, from.min(text.len()), bounds(context, len));
        assert_as_slow(PATTERNS[pattern], &text, 0, bounds(context, 50_000));
    }

    #[test]
    fn long_lines_are_shown_in_stretches(
        text in of_pieces(&["xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "a", "😀😀😀😀😀😀😀😀😀😀", "é", "\n", "0"], 60),
        context in 0_usize..3,
    ) {
        for pattern in ["a", "é", "x", "0\n", "😀"] {
            assert_as_slow(pattern, &text, 0, bounds(context, 50_000));
            assert_as_slow(pattern, &text, text.len() / 2, bounds(context, 400));
        }
    }

    #[test]
    fn searching_on_finds_what_one_search_finds(
        text in of_pieces(PIECES, 40),
        pattern in 0..PATTERNS.len(),
        context in 0_usize..4,
        len in 0_usize..500,
    ) {
        let grep = Grep::new(PATTERNS[pattern]).unwrap();
        for (unit, _) in units() {
            let all = lines_of_matches(&grep, &text, unit, bounds(0, 1_000_000));
            let some = lines_of_matches(&grep, &text, unit, bounds(context, len));
            prop_assert_eq!(all, some, "{:?} in {:?}", PATTERNS[pattern], text);
        }
    }

    #[test]
    fn any_pattern_and_text_are_answered(pattern in any::<String>(), text in any::<String>(), from in any::<usize>()) {
        if let Ok(grep) = Grep::new(&pattern) {
            let found = grep.search(&text, from, Unit::Utf16, bounds(2, 1_000));
            prop_assert!(found.end <= size(Unit::Utf16, &text));
        }
    }

    #[test]
    fn patterns_of_signs_are_answered(
        pattern in of_pieces(&["a", "b", "(", ")", "|", "*", "+", "?", "{2}", "{1,3}", "{9999}", "[", "]", "^", "$",
            ".", "\\", "\\b", "\\w", "\\pL", "(?i)", "(?-u)", "(?R)", "\\n", "é", "[^a]", "(?:"], 9),
        text in of_pieces(PIECES, 12),
    ) {
        match Grep::new(&pattern) {
            Ok(_) => assert_as_slow(&pattern, &text, 0, bounds(1, 2_000)),
            Err(GrepError::Syntax { reason }) => {
                prop_assert!(!reason.is_empty() && !reason.contains('\n') && reason.len() < 200, "{reason}");
            }
            Err(_) => {}
        }
    }
}

/// The lines of matches of all searches, one after another. Each search is within its bounds.
fn lines_of_matches(grep: &Grep, text: &str, unit: Unit, bounds: GrepBounds) -> Vec<String> {
    let mut from = 0;
    let mut lines = Vec::new();
    loop {
        let found = grep.search(text, from, unit, bounds);
        // What is always shown is one line of 300 and two numbers.
        assert!(size(unit, &found.text) <= bounds.len.max(343), "{found:?}");
        assert!(found.matches <= 100);
        let mut matches = 0;
        for line in found.text.split_inclusive('\n') {
            let digits = line.bytes().take_while(u8::is_ascii_digit).count();
            if digits > 0 && line[digits..].starts_with(':') {
                matches += 1;
                lines.push(line.to_owned());
            }
        }
        assert_eq!(matches, found.matches);
        let Some(next) = found.next() else { return lines };
        let next = unit.offset_in(text, next);
        assert!(next > from && text.is_char_boundary(next), "it gets on");
        from = next;
    }
}

fn search(pattern: &str, text: &str) -> Grepped {
    Grep::new(pattern).unwrap().search(text, 0, Unit::Utf16, GrepBounds::default())
}

#[test]
fn patterns_are_bounded() {
    let error = |pattern: &str| Grep::new(pattern).unwrap_err();
    for pattern in [
        "a{1000000}",
        "(a{1000}){1000}",
        r"\w{1000}",
        r"(?:\pL{50}){50}",
        "((a{9}){9}){9}{9}{9}{9}{9}",
        "(?i)(?:[^x]{300}){300}",
    ] {
        assert_eq!(error(pattern), GrepError::TooLarge, "{pattern}");
    }
    for pattern in ["", "a*", "^", "$", r"\b", "(|a)", "x?", "(?:){1000000}", "(?m)^$", "a{0}"] {
        assert_eq!(error(pattern), GrepError::MatchesEmpty, "{pattern}");
    }
    for (pattern, reason) in [
        ("(", "unclosed group"),
        ("[b-a]", "invalid character class range, the start must be <= the end"),
        ("a{5,2}", "invalid repetition count range, the start must be <= the end"),
        (r"\q", "unrecognized escape sequence"),
        (r"(?-u)\xFF", "pattern can match invalid UTF-8"),
        ("a\nerror: (", "unclosed group"),
    ] {
        assert_eq!(error(pattern), GrepError::Syntax { reason: reason.to_owned() }, "{pattern}");
    }
    assert!(matches!(error(&"(".repeat(1_000)), GrepError::Syntax { .. }));
    assert!(Grep::new(&"a".repeat(1_000)).is_ok());
    assert_eq!(error(&"a".repeat(1_001)), GrepError::TooLong);
    assert_eq!(error(&"😀".repeat(501)), GrepError::TooLong);
    for pattern in [
        r"\w+",
        r"\pL{2,10}",
        r"(?i)\berror\b.{0,40}timeout",
        r"[\p{Greek}\p{Han}]+",
        "x(?:){999999999}",
    ] {
        assert!(Grep::new(pattern).is_ok(), "{pattern}");
    }
}

#[test]
fn a_line_of_ten_megabytes_is_searched() {
    in_time(|| {
        let text = format!("{}NEEDLE{}", "x".repeat(5_000_000), "y".repeat(4_999_994));
        let found = search("NEEDLE", &text);
        assert_eq!(
            (found.matches, found.end, found.text.len()),
            (1, 10_000_000, "1:4999850:\n".len() + 300)
        );
        // Every letter matches: a stretch after another, a hundred of them.
        let found = search("x", &text);
        assert_eq!((found.matches, found.next()), (100, Some(15_000)));
        let nul = "\0".repeat(1_000_000);
        assert_eq!(search(r"\x00$", &nul).matches, 1);
    });
}

#[test]
fn patterns_that_look_on_to_the_end_are_bounded() {
    in_time(|| {
        // Each match is a letter, and the first way to match looks for something else to the end.
        let text = "A".repeat(8_000_000);
        let mut runs = Vec::new();
        let is_bounded = || {
            let once = time(|| assert_eq!(search(".*[^A-Z]", &text).matches, 0));
            let hundred = time(|| {
                let found = search(".*[^A-Z]|[A-Z]", &text);
                assert_eq!((found.matches, found.next()), (100, Some(15_000)));
            });
            runs.push((once, hundred));
            hundred < 40 * once
        };
        let tried = std::iter::repeat_with(is_bounded).take(5).any(|is_bounded| is_bounded);
        assert!(tried, "{runs:?}");
        let lines = "A\n".repeat(500_000);
        let found = search("(?s).*[^A-Z\n]|[A-Z]", &lines);
        assert_eq!((found.matches, found.next()), (100, Some(200)));
    });
}

#[test]
fn patterns_that_the_fast_automaton_cannot_do_stop_early_and_go_on() {
    in_time(|| {
        let text = format!("{}\n{}ends here\n", "é ".repeat(20_000), "y\n".repeat(1_000));
        assert_eq!(search(r"\bends\b", &text).matches, 1, "within what is searched slowly");
        // Word boundaries beside letters that are not ASCII, and some thousand states.
        let grep = Grep::new(r"\bende\b|\w{15}z").unwrap();
        let text = format!("{}\n{}\nende\n", "é ".repeat(60_000), "ы ".repeat(60_000));
        let (mut from, mut ends) = (0, Vec::new());
        let found = loop {
            let found = grep.search(&text, from, Unit::Byte, bounds(1, 50_000));
            let Some(next) = found.next() else { break found };
            assert!(next > from && found.matches == 0, "it gets on");
            from = next;
            ends.push(next);
        };
        assert!((2..40).contains(&ends.len()), "{ends:?}");
        assert_eq!(found.matches, 1);
        assert!(found.text.ends_with("3:360002:ende\n"), "{:?}", found.text);
        let again = grep.search(&text, 0, Unit::Byte, bounds(1, 50_000));
        assert_eq!(again.next(), ends.first().copied(), "the same whenever it is asked");
    });
}

#[test]
fn a_match_of_8_kib_is_found_wherever_a_window_ends() {
    in_time(|| {
        for pad in [0, 1, 1_040_383, 1_040_384, 1_040_385, 1_048_575, 1_048_576, 1_100_000] {
            let text = format!("{}<{}>{}", " ".repeat(pad), "m".repeat(8_190), " ".repeat(70_000));
            let found = search("<[^>]*>", &text);
            assert_eq!(found.matches, 1, "{pad}");
            assert!(found.text.contains(&format!(":{}:", pad.saturating_sub(150))), "{pad}");
        }
    });
}

#[test]
fn a_match_that_goes_on_behind_a_window_comes_before_a_later_one_in_it() {
    in_time(|| {
        for before in [1, 50, 100, 500] {
            let pad = (1 << 20) - before;
            let text = format!("{}A{}B{}Z", " ".repeat(pad), "x".repeat(10), "x".repeat(700));
            let found = search("A[^Z]*Z|B", &text);
            assert_eq!(found.matches, 1, "B stands in the stretch that shows A");
            assert!(found.text.starts_with(&format!("1:{}:", pad - 150)), "{before}: {found:?}");
        }
    });
}

#[test]
fn cost_is_linear() {
    let lines = |len: usize| "2026-01-05 INFO é started\n".repeat(len);
    assert_linear(lines, 5_000, |text| assert_eq!(search("NEEDLE$", text).matches, 0));
    assert_linear(lines, 5_000, |text| assert_eq!(search(r"(?s)IN.*NEEDLE", text).matches, 0));
    assert_linear(lines, 5_000, |text| {
        let grep = Grep::new("INFO").unwrap();
        assert_eq!(
            lines_of_matches(&grep, &text[..27 * 150], Unit::Utf16, bounds(10, 400)).len(),
            150
        );
    });
    assert_linear(
        |len| "x".repeat(len),
        200_000,
        |text| {
            assert_eq!(search("x{40}", text).matches, 100);
        },
    );
}
