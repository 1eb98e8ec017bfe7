//! What kind of text a text is, by its first characters.
//!
//! The patterns are read by hand, one anchored reader each: they allocate nothing, and nothing has
//! to be compiled before the first result.

use super::json::{Fault, Tokens, trimmed_front};

/// How many characters are looked at, behind white space in front.
const WINDOW: usize = 200;

/// Says what kind of text `text` is (SPEC 21): `JSON`, `diff`, `git log`, `Go source`,
/// `Python source`, `JavaScript source`, `source code` or `text`.
///
/// Reads 200 characters, and the white space before and right behind them.
///
/// ```
/// use slotledger::record::content_type;
/// assert_eq!(content_type("{\"a\": 1}"), "JSON");
/// assert_eq!(content_type("package main\n"), "Go source");
/// assert_eq!(content_type("[12:30:01] started"), "text");
/// ```
pub fn content_type(text: &str) -> &'static str {
    let window = Window::of(text);
    if is_json(&window) {
        "JSON"
    } else if is_diff(window.text) {
        "diff"
    } else if window.whole_lines().next().is_some_and(is_commit) {
        "git log"
    } else if window.whole_lines().any(is_go_package) {
        "Go source"
    } else if window.lines().any(is_python_definition) {
        "Python source"
    } else if window.lines().any(is_javascript_function) {
        "JavaScript source"
    } else if window.whole_lines().any(is_import) {
        "source code"
    } else {
        "text"
    }
}

/// The characters that are looked at.
struct Window<'t> {
    text: &'t str,
    /// Whether the text ends in it.
    is_all: bool,
}

impl<'t> Window<'t> {
    fn of(text: &'t str) -> Self {
        let rest = trimmed_front(text);
        let end = rest.char_indices().nth(WINDOW).map_or(rest.len(), |(at, _)| at);
        let (window, behind) = rest.split_at(end);
        let is_all = behind.trim_start().is_empty();
        Self { text: if is_all { window.trim_end() } else { window }, is_all }
    }

    /// Its lines; the last may go on behind it.
    fn lines(&self) -> impl Iterator<Item = &'t str> {
        self.text.split_inclusive('\n').map(|line| {
            let Some(line) = line.strip_suffix('\n') else { return line };
            line.strip_suffix('\r').unwrap_or(line)
        })
    }

    /// Its lines that end in it: all, or all but the last.
    fn whole_lines(&self) -> impl Iterator<Item = &'t str> {
        let is_last_open = !self.is_all && !self.text.ends_with('\n');
        let lines = self.text.split_inclusive('\n').count();
        self.lines().take(lines - usize::from(is_last_open && lines > 0))
    }
}

/// Whether the window is the front of one or more JSON objects or arrays, each on a later line.
fn is_json(window: &Window<'_>) -> bool {
    let mut rest = window.text;
    loop {
        if !rest.starts_with(['{', '[']) {
            return false;
        }
        let mut tokens = Tokens::new(rest);
        loop {
            match tokens.next() {
                Ok(Some(_)) => {}
                Ok(None) => break,
                Err(fault) => return fault == Fault::End && !window.is_all,
            }
        }
        let behind = rest.get(tokens.at()..).unwrap_or_default();
        rest = behind.trim_start_matches([' ', '\t', '\n', '\r']);
        let between = behind.get(..behind.len() - rest.len()).unwrap_or_default();
        if rest.is_empty() {
            return true;
        }
        if !between.contains('\n') {
            return false;
        }
    }
}

fn is_diff(text: &str) -> bool {
    let is_unified = || {
        let mut lines = text.split('\n');
        lines.next().is_some_and(|line| line.starts_with("--- "))
            && lines.next().is_some_and(|line| line.starts_with("+++ "))
    };
    text.starts_with("diff -") || is_unified()
}

/// `commit [0-9a-f]{4,64}( \(.*\))?[ \t]*$`
fn is_commit(line: &str) -> bool {
    let Some(rest) = line.strip_prefix("commit ") else { return false };
    let digits = rest.bytes().take_while(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')).count();
    let names = rest.get(digits..).unwrap_or_default().trim_end_matches([' ', '\t']);
    let inner =
        |names: &str| names.strip_prefix(" (").and_then(|rest| rest.strip_suffix(')')).is_some();
    (4..=64).contains(&digits) && (names.is_empty() || inner(names))
}

/// `package NAME[ \t]*(//.*)?$`
fn is_go_package(line: &str) -> bool {
    line.strip_prefix("package ")
        .and_then(name)
        .map(|rest| rest.trim_start_matches([' ', '\t']))
        .is_some_and(|rest| rest.is_empty() || rest.starts_with("//"))
}

/// `[ \t]*(async +)?def +NAME *\(`
fn is_python_definition(line: &str) -> bool {
    let rest = line.trim_start_matches([' ', '\t']);
    word(rest, "async")
        .unwrap_or(rest)
        .strip_prefix("def")
        .and_then(spaces)
        .and_then(name)
        .is_some_and(opens_parenthesis)
}

/// `[ \t]*(export +)?(default +)?(async +)?function( *\* *(JSNAME)?| +JSNAME)? *\(`
fn is_javascript_function(line: &str) -> bool {
    let mut rest = line.trim_start_matches([' ', '\t']);
    for modifier in ["export", "default", "async"] {
        rest = word(rest, modifier).unwrap_or(rest);
    }
    let Some(rest) = rest.strip_prefix("function") else { return false };
    let spaced = rest.trim_start_matches(' ');
    let named = match spaced.strip_prefix('*') {
        Some(generator) => {
            let generator = generator.trim_start_matches(' ');
            javascript_name(generator).unwrap_or(generator)
        }
        None if spaced.len() < rest.len() => javascript_name(spaced).unwrap_or(spaced),
        None => rest,
    };
    opens_parenthesis(named)
}

/// Whether a whole line is an import, or a package line that is not Go's.
fn is_import(line: &str) -> bool {
    let line = line.trim_end_matches([' ', '\t']);
    let statement = line.strip_suffix(';').unwrap_or(line);
    if let Some(package) = line.strip_prefix("package ") {
        // `package DOT;`
        return dotted(package) == Some(";");
    }
    if let Some(source) = line.strip_prefix("from ") {
        return is_from_import(source);
    }
    // `import \(`, `import QUOTED;?`, `import .* from QUOTED;?`
    line == "import ("
        || statement.strip_prefix("import ").is_some_and(|rest| {
            let before = before_quoted(rest);
            is_module_list(rest)
                || before.is_some_and(|before| before.is_empty() || before.ends_with(" from "))
        })
}

/// `\.*(DOT)? import [^ \t].*$`, behind `from `. The line lost blanks at its end, so what is
/// imported is not blank.
fn is_from_import(source: &str) -> bool {
    let source = source.trim_start_matches('.');
    let rest = dotted(source).unwrap_or(source);
    rest.strip_prefix(" import ").is_some_and(|names| !names.starts_with([' ', '\t']))
}

/// `(static )?DOT(\.\*)?( as NAME)?(, DOT( as NAME)?)*`, behind `import `.
fn is_module_list(list: &str) -> bool {
    // A module may be called `static`.
    let without_static = list.strip_prefix("static ");
    [Some(list), without_static].into_iter().flatten().any(|list| {
        let Some(mut rest) = dotted(list) else { return false };
        rest = renamed(rest.strip_prefix(".*").unwrap_or(rest));
        while let Some(next) = rest.strip_prefix(", ").and_then(dotted) {
            rest = renamed(next);
        }
        rest.is_empty()
    })
}

/// What follows `( as NAME)?`.
fn renamed(rest: &str) -> &str {
    rest.strip_prefix(" as ").and_then(name).unwrap_or(rest)
}

/// What stands before the quoted text at the end of `text`.
fn before_quoted(text: &str) -> Option<&str> {
    let quote = text.chars().next_back().filter(|ch| matches!(ch, '"' | '\''))?;
    Some(text.strip_suffix(quote)?.rsplit_once(quote)?.0)
}

/// What follows `word +`.
fn word<'t>(text: &'t str, word: &str) -> Option<&'t str> {
    text.strip_prefix(word).and_then(spaces)
}

/// What follows ` +`.
fn spaces(text: &str) -> Option<&str> {
    text.strip_prefix(' ').map(|rest| rest.trim_start_matches(' '))
}

/// Whether ` *\(` follows.
fn opens_parenthesis(text: &str) -> bool {
    text.trim_start_matches(' ').starts_with('(')
}

/// What follows `[A-Za-z_][A-Za-z0-9_]*`.
fn name(text: &str) -> Option<&str> {
    behind_name(text, |ch| ch == '_')
}

/// What follows `[A-Za-z_$][A-Za-z0-9_$]*`.
fn javascript_name(text: &str) -> Option<&str> {
    behind_name(text, |ch| matches!(ch, '_' | '$'))
}

fn behind_name(text: &str, is_sign: impl Fn(char) -> bool) -> Option<&str> {
    let rest = text.strip_prefix(|ch: char| ch.is_ascii_alphabetic() || is_sign(ch))?;
    Some(rest.trim_start_matches(|ch: char| ch.is_ascii_alphanumeric() || is_sign(ch)))
}

/// What follows `NAME(\.NAME)*`.
fn dotted(text: &str) -> Option<&str> {
    let mut rest = name(text)?;
    while let Some(next) = rest.strip_prefix('.').and_then(name) {
        rest = next;
    }
    Some(rest)
}
