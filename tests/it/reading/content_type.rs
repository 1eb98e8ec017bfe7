//! What kind of text a text is: by vectors, and by the patterns of SPEC 21 as they are written.

use std::sync::LazyLock;

use proptest::prelude::{any, prop};
use proptest::{prop_assert_eq, proptest};
use regex_automata::meta::Regex;
use slotledger::record::content_type;
use slotledger_kit::vectors;

use super::{assert_linear, config, of_pieces};

#[test]
fn every_vector_gets_its_label() {
    let vectors = vectors::file("content_type.jsonl");
    assert!(vectors.len() >= 57, "none is lost");
    for vector in vectors {
        let label = content_type(vector.input.as_str().unwrap());
        assert_eq!(Some(label), vector.expected.as_str(), "{} {}", vector.id, vector.title);
    }
}

/// A pattern of the specification: at a line's start, `$` its end.
fn pattern(pattern: &str) -> Regex {
    const NAME: &str = "[A-Za-z_][A-Za-z0-9_]*";
    const QUOTED: &str = r#"(?:"[^"]*"|'[^']*')"#;
    let pattern = pattern
        .replace("JSNAME", "[A-Za-z_$][A-Za-z0-9_$]*")
        .replace("DOT", r"(?:NAME(?:\.NAME)*)")
        .replace("NAME", NAME)
        .replace("QUOTED", QUOTED);
    Regex::new(&format!(r"\A(?s-m:{})", pattern.replace('$', r"\z").replace("_\\z]", "_$]")))
        .unwrap()
}

struct Patterns {
    commit: Regex,
    go: Regex,
    python: Regex,
    javascript: Regex,
    imports: [Regex; 6],
}

static PATTERNS: LazyLock<Patterns> = LazyLock::new(|| Patterns {
    commit: pattern(r"commit [0-9a-f]{4,64}( \(.*\))?[ \t]*$"),
    go: pattern(r"package NAME[ \t]*(//.*)?$"),
    python: pattern(r"[ \t]*(async +)?def +NAME *\("),
    javascript: pattern(
        r"[ \t]*(export +)?(default +)?(async +)?function( *\* *(JSNAME)?| +JSNAME)? *\(",
    ),
    imports: [
        pattern(r"import (static )?DOT(\.\*)?( as NAME)?(, DOT( as NAME)?)*;?[ \t]*$"),
        pattern(r"from \.*(DOT)? import [^ \t].*$"),
        pattern(r"import .* from QUOTED;?[ \t]*$"),
        pattern(r"import QUOTED;?[ \t]*$"),
        pattern(r"import \([ \t]*$"),
        pattern(r"package DOT;[ \t]*$"),
    ],
});

/// The rule, slowly: all lines made, all patterns run, JSON read by trying every way to close it.
fn slow(text: &str) -> &'static str {
    let rest: Vec<char> =
        text.chars().skip_while(|ch| ch.is_whitespace() || *ch == '\u{FEFF}').collect();
    let rest: String = rest.into_iter().collect();
    let rest = rest.trim_end();
    let window: String = rest.chars().take(200).collect();
    let is_all = window == rest;
    let all: Vec<&str> = window.split('\n').collect();
    let lines: Vec<&str> = all
        .iter()
        .enumerate()
        .map(
            |(at, line)| {
                if at + 1 < all.len() { line.strip_suffix('\r').unwrap_or(line) } else { line }
            },
        )
        .collect();
    let whole = if is_all { &lines[..] } else { &lines[..lines.len() - 1] };
    let any = |lines: &[&str], regex: &Regex| lines.iter().any(|line| regex.is_match(*line));
    if is_json_front(&window, is_all) {
        "JSON"
    } else if window.starts_with("diff -")
        || (lines[0].starts_with("--- ")
            && lines.get(1).is_some_and(|line| line.starts_with("+++ ")))
    {
        "diff"
    } else if whole.first().is_some_and(|line| PATTERNS.commit.is_match(*line)) {
        "git log"
    } else if any(whole, &PATTERNS.go) {
        "Go source"
    } else if any(&lines, &PATTERNS.python) {
        "Python source"
    } else if any(&lines, &PATTERNS.javascript) {
        "JavaScript source"
    } else if PATTERNS.imports.iter().any(|regex| any(whole, regex)) {
        "source code"
    } else {
        "text"
    }
}

/// Whether documents stand one after another, each after the first on a later line, the last
/// whole or, if the text goes on, to be completed by one of a few endings.
fn is_json_front(window: &str, is_all: bool) -> bool {
    let is_blank = |text: &str| text.chars().all(|ch| " \t\r\n".contains(ch));
    let is_document = |text: &str| {
        text.trim_start_matches([' ', '\t', '\r', '\n']).starts_with(['{', '['])
            && serde_json::from_str::<serde_json::Value>(text).is_ok()
    };
    if !window.starts_with(['{', '[']) {
        return false;
    }
    for end in (1..=window.len()).filter(|end| window.is_char_boundary(*end)) {
        if is_document(&window[..end]) {
            let rest = &window[end..];
            let trimmed = rest.trim_start_matches([' ', '\t', '\r', '\n']);
            let goes_on =
                rest[..rest.len() - trimmed.len()].contains('\n') && is_json_front(trimmed, is_all);
            return is_blank(rest) || goes_on;
        }
    }
    !is_all && is_completed(window)
}

/// Whether some ending makes a document of `front`: what is unfinished at its end is tried in all
/// ways, and what is open then is closed in order.
fn is_completed(front: &str) -> bool {
    let mut open = Vec::new();
    let (mut is_in_string, mut is_escaped) = (false, false);
    for ch in front.chars() {
        match ch {
            _ if is_escaped => is_escaped = false,
            '\\' if is_in_string => is_escaped = true,
            '"' => is_in_string = !is_in_string,
            '{' | '[' if !is_in_string => open.push(ch),
            '}' | ']' if !is_in_string => drop(open.pop()),
            _ => {}
        }
    }
    let closing: String = open.iter().rev().map(|ch| if *ch == '{' { '}' } else { ']' }).collect();
    let endings = [
        "", "\"", "\":0", ":0", "0", "\"\":0", "\\\"", "\\\":0", "n\"", "n\":0", "0\"", "00\"",
        "000\"", "0000\"", "0\":0", "00\":0", "000\":0", "0000\":0", "rue", "ue", "e", "alse",
        "lse", "se", "ull", "ll", "l", ".0", "e0",
    ];
    endings.iter().any(|ending| {
        serde_json::from_str::<serde_json::Value>(&format!("{front}{ending}{closing}")).is_ok()
    })
}

const PIECES: &[&str] = &[
    "package",
    "import",
    "from",
    "function",
    "def",
    "async",
    "export",
    "default",
    "static",
    "as",
    "commit",
    "diff -",
    "--- ",
    "+++ ",
    " ",
    " ",
    " ",
    "  ",
    "\t",
    "\n",
    "\n",
    "\r\n",
    "\r",
    "(",
    ")",
    "*",
    ";",
    ",",
    ", ",
    ".",
    ".*",
    "//",
    "$",
    "_",
    "a",
    "main",
    "x1",
    "0",
    "abcd1234",
    "é",
    "\u{feff}",
    "\u{3000}",
    "'",
    "\"",
    "'x'",
    "\"y\"",
    "{",
    "}",
    "[",
    "]",
    ":",
    "\"k\":",
    "1",
    "-",
    "1.5",
    "tru",
    "true",
    "null",
    "\\",
    "\\u00",
    " import ",
    " from ",
    " as b",
    "import a",
    "from . import b",
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx",
];

const JSON_PIECES: &[&str] = &[
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "\"a\"",
    "\"",
    "\\",
    "\\u12",
    "u",
    "true",
    "fal",
    "se",
    "nu",
    "ll",
    "0",
    "1",
    "-",
    ".",
    "e",
    "E+",
    " ",
    "\n",
    "\t",
    "{\"a\":",
    "[[",
    "]]",
    "\"\":",
    "é",
    "\u{1}",
    "[1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16,17,18,19,20,21,22,23,24,25,26,27,28,29,30,31,32,33,34,35]",
];

proptest! {
    #![proptest_config(config())]

    #[test]
    fn labels_are_those_of_the_patterns(text in of_pieces(PIECES, 14)) {
        prop_assert_eq!(content_type(&text), slow(&text), "{:?}", text);
    }

    #[test]
    fn json_is_known_by_its_front(text in of_pieces(JSON_PIECES, 12)) {
        prop_assert_eq!(content_type(&text), slow(&text), "{:?}", text);
    }

    #[test]
    fn json_is_known_wherever_the_window_ends(
        pad in 150_usize..200,
        text in of_pieces(JSON_PIECES, 8),
        more in prop::bool::ANY,
    ) {
        let behind = if more { "x".repeat(300) } else { String::new() };
        let text = format!("[\"{}\",{text}{behind}", "p".repeat(pad));
        prop_assert_eq!(content_type(&text), slow(&text), "{:?}", text);
    }

    #[test]
    fn every_text_has_a_label(text in any::<String>()) {
        prop_assert_eq!(content_type(&text), slow(&text), "{:?}", text);
    }
}

#[test]
fn the_window_ends_after_200_characters() {
    // The line that would decide ends with the window, one character behind it, one before it.
    for (pad, label) in [(187, "Go source"), (188, "text"), (186, "Go source")] {
        let text = format!("{}\npackage main\nx", "é".repeat(pad - 1));
        assert_eq!(content_type(&text), label, "{pad}");
    }
}

#[test]
fn what_is_rarely_drawn_has_its_label() {
    let ends_with_window = format!("{}\npackage main", "x".repeat(187));
    for (text, label) in [
        ("{\"a\":1} {\"b\":2}", "text"),
        ("{\"a\":1} \t\n {\"b\":2}", "JSON"),
        ("import static a.b.C;", "source code"),
        ("import static as x", "source code"),
        ("import static as as x, static as y", "source code"),
        ("import static a b", "text"),
        ("import from 'x'", "text"),
        ("import a from 'x' ;", "text"),
        ("import {a, b} from \"x\";  ", "source code"),
        ("from .. import *", "source code"),
        ("from ..a.b import (", "source code"),
        ("from a. import b", "text"),
        (&format!("{ends_with_window} \n\t\n"), "Go source"),
        (&format!("{ends_with_window} \n\t\nx"), "text"),
        (&format!("{ends_with_window}{}", "\u{3000}".repeat(500)), "Go source"),
    ] {
        assert_eq!(content_type(text), label, "{text:?}");
        assert_eq!(slow(text), label, "{text:?}");
    }
}

#[test]
fn only_the_window_and_white_space_are_read() {
    let huge = "[".repeat(10_000_000);
    assert_eq!(content_type(&huge), "JSON");
    let blank = " \u{feff}".repeat(1_000_000);
    assert_eq!(content_type(&format!("{blank}{{}}{}", "\n".repeat(1_000_000))), "JSON");
    assert_eq!(content_type(&blank), "text");
    assert_linear(
        |len| "import a, ".repeat(len),
        100_000,
        |text| {
            assert_eq!(content_type(text), "text");
        },
    );
}
