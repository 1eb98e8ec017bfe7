//! Numbers and names as people read them.

use std::borrow::Cow;
use std::path::Path;

use slotledger::Unit;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// A number with its thousands set apart: `25,980`.
pub(crate) fn count(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// A text in at most `columns`; a longer one ends in `…`.
pub(crate) fn fit(text: &str, columns: usize) -> Cow<'_, str> {
    if text.width() <= columns {
        return Cow::Borrowed(text);
    }
    let mut left = columns.saturating_sub(1);
    let mut out = String::new();
    for character in text.chars() {
        match left.checked_sub(character.width().unwrap_or_default()) {
            Some(rest) => left = rest,
            None => break,
        }
        out.push(character);
    }
    out.push('…');
    Cow::Owned(out)
}

/// The same, but what is left out of a longer one is its start: ids differ at their end.
pub(crate) fn fit_end(text: &str, columns: usize) -> Cow<'_, str> {
    if text.width() <= columns {
        return Cow::Borrowed(text);
    }
    let mut left = columns.saturating_sub(1);
    let mut start = text.len();
    for (at, character) in text.char_indices().rev() {
        match left.checked_sub(character.width().unwrap_or_default()) {
            Some(rest) => left = rest,
            None => break,
        }
        start = at;
    }
    Cow::Owned(format!("…{}", text.get(start..).unwrap_or_default()))
}

/// `text` filled with spaces up to `columns`.
pub(crate) fn pad(text: &str, columns: usize) -> String {
    format!("{text}{}", " ".repeat(columns.saturating_sub(text.width())))
}

/// A name from outside, without what would act on a terminal or turn the text around it.
pub(crate) fn harmless(name: &str) -> Cow<'_, str> {
    let acts = |character: char| {
        character.is_control()
            || matches!(character, '\u{200E}'..='\u{200F}' | '\u{2028}'..='\u{202E}')
            || matches!(character, '\u{061C}' | '\u{2066}'..='\u{2069}' | '\u{FEFF}')
    };
    if name.contains(acts) { name.replace(acts, "\u{FFFD}").into() } else { name.into() }
}

/// A text of others in one harmless line.
pub(crate) fn one_line(text: &str) -> String {
    harmless(&text.split_whitespace().collect::<Vec<_>>().join(" ")).into_owned()
}

/// A path as an argument that works in a POSIX shell as it is printed; `None` where it cannot be
/// printed.
pub(crate) fn argument(path: &Path) -> Option<Cow<'_, str>> {
    let path = path.to_str().filter(|path| harmless(path) == **path)?;
    let is_bare = |ch: char| ch.is_alphanumeric() || "_./:-+,@%".contains(ch);
    if path.chars().all(is_bare) && !path.starts_with('-') && !path.is_empty() {
        return Some(Cow::Borrowed(path));
    }
    Some(format!("'{}'", path.replace('\'', r"'\''")).into())
}

/// What lengths and offsets count.
pub(crate) fn units(unit: Unit) -> &'static str {
    match unit {
        Unit::Utf16 => "UTF-16 units",
        Unit::Char => "characters",
        Unit::Byte => "bytes",
    }
}

/// `1 image`, `2 images`.
pub(crate) fn of_number(number: usize, name: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{} {name}{plural}", count(number))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn thousands_are_set_apart() {
        let counts = [0, 7, 999, 1_000, 25_980, 100_000, 1_234_567].map(count);
        assert_eq!(counts, ["0", "7", "999", "1,000", "25,980", "100,000", "1,234,567"]);
    }

    #[test]
    fn a_text_is_shortened_by_the_columns_it_takes() {
        assert_eq!(fit("image/png", 9), "image/png");
        assert_eq!(fit("image/png", 8), "image/p…");
        assert_eq!(fit("画像画像", 8), "画像画像");
        assert_eq!(fit("画像画像", 7), "画像画…");
        assert_eq!(fit("画像画像", 6), "画像…");
    }

    #[test]
    fn an_id_is_shortened_at_its_start() {
        assert_eq!(fit_end("toolu_01abc", 11), "toolu_01abc");
        assert_eq!(fit_end("toolu_01abc", 5), "…1abc");
        assert_eq!(fit_end("画像画像", 6), "…画像");
        assert_eq!(fit_end("abc", 0), "…");
    }

    #[test]
    fn names_from_outside_do_nothing() {
        assert_eq!(harmless("snap"), "snap");
        assert_eq!(harmless("\u{1b}[2J\na\u{202e}b"), "\u{FFFD}[2J\u{FFFD}a\u{FFFD}b");
    }

    #[test]
    fn a_text_of_others_stays_one_line() {
        assert_eq!(one_line("a\r\n  b\u{1b}c\n"), "a b\u{FFFD}c");
    }

    #[test]
    fn a_path_is_printed_as_a_shell_takes_it() {
        for (path, printed) in [
            ("records.db", Some("records.db")),
            ("/tmp/a b.db", Some("'/tmp/a b.db'")),
            ("it's $HOME", Some(r"'it'\''s $HOME'")),
            ("записи.db", Some("записи.db")),
            ("-x", Some("'-x'")),
            ("a\nb", None),
            ("a\u{202e}b", None),
        ] {
            assert_eq!(argument(Path::new(path)).as_deref(), printed);
        }
    }

    #[test]
    fn columns_are_filled_by_the_width_of_what_stands_in_them() {
        assert_eq!(pad("画", 4), "画  ");
        assert_eq!(pad("png", 2), "png");
    }
}
