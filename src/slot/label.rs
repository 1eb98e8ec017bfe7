//! Labels: the short, harmless form of a name that a server gave.

use std::borrow::Cow;

use crate::text::{Unit, is_longer_utf16};

/// `name` without control and direction characters, at most `max` UTF-16 units long.
///
/// A longer one is cut at a character and ends in `…`, which counts as one unit.
///
/// ```
/// use slotledger::slot::label;
/// assert_eq!(label("a\nb\u{202E}c\u{85}d", 120), "abcd");
/// assert_eq!(label("abcdef", 4), "abc…");
/// ```
pub fn label(name: &str, max: usize) -> Cow<'_, str> {
    let clean: Cow<'_, str> = if name.contains(is_deleted) {
        Cow::Owned(name.chars().filter(|&ch| !is_deleted(ch)).collect())
    } else {
        Cow::Borrowed(name)
    };
    if !is_longer_utf16(&clean, max) {
        return clean;
    }
    let end = Unit::Utf16.offset_in(&clean, max.saturating_sub(1));
    let mut cut = clean.get(..end).unwrap_or_default().to_owned();
    if max > 0 {
        cut.push('…');
    }
    Cow::Owned(cut)
}

fn is_deleted(ch: char) -> bool {
    matches!(ch,
        '\0'..='\u{1F}' | '\u{7F}'..='\u{9F}' | '\u{200E}' | '\u{200F}'
        | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}
