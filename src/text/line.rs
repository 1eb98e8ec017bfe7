//! The `\n` line around an offset, and the four places where a grammar's line may start.
//!
//! A slot's line *starts* after `\n`, `\r`, U+2028 and U+2029, as `^` does in JavaScript, and
//! *ends* only at `\n`.

use memchr::memrchr;

use super::Span;

/// Where the `\n`-delimited line that holds `at` starts, in bytes.
pub(crate) fn start_of(text: &[u8], at: usize) -> usize {
    text.get(..at).and_then(|before| memrchr(b'\n', before)).map_or(0, |found| found + 1)
}

/// Whether a line may start at `at`: at the front, or after one of the four line separators.
pub(crate) fn starts_at(text: &[u8], at: usize) -> bool {
    match text.get(..at) {
        Some([] | [.., b'\n' | b'\r'] | [.., 0xE2, 0x80, 0xA8 | 0xA9]) => true,
        Some(_) | None => false,
    }
}

/// Where the segment that holds `at` starts: after the nearest of the four separators before it.
pub(crate) fn segment_start(text: &str, at: usize) -> usize {
    last_segment_start(text, Span::new(0, at)).unwrap_or(0)
}

/// Where the last segment starts that starts in `window`, its front excluded.
pub(crate) fn last_segment_start(text: &str, window: Span) -> Option<usize> {
    let found = window.of(text).rfind(is_break)?;
    Some(after_break(text, window.start + found))
}

/// Where the segment that holds `at` ends: at the next of the four separators, or the end.
pub(crate) fn segment_end(text: &str, at: usize) -> usize {
    text.get(at..).and_then(|rest| rest.find(is_break)).map_or(text.len(), |found| at + found)
}

/// The offset behind the separator that stands at `at`.
pub(crate) fn after_break(text: &str, at: usize) -> usize {
    text.get(at..).and_then(|rest| rest.chars().next()).map_or(text.len(), |ch| at + ch.len_utf8())
}

fn is_break(ch: char) -> bool {
    matches!(ch, '\n' | '\r' | '\u{2028}' | '\u{2029}')
}
