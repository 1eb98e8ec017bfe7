//! Words of others, fit to be quoted in a notice.

use std::borrow::Cow;

use crate::text::Unit;

/// The most UTF-16 units of a reason quoted in a notice.
const MAX_REASON: usize = 200;

/// A tool and the id of its call, as both were given by others.
pub(super) fn call(tool: &str, call_id: &str) -> String {
    let tool = if tool.is_empty() { Cow::Borrowed("an unknown tool") } else { quoted(tool) };
    format!("{tool} (call {})", json_string(&quoted(call_id)))
}

/// A name from others, fit to be quoted: short, without control characters and without the
/// brackets that could make a slot of it.
pub(super) fn quoted(name: &str) -> Cow<'_, str> {
    let clean = quoted_reason(name);
    if !clean.contains(char::is_control) {
        return clean;
    }
    Cow::Owned(clean.chars().filter(|ch| !ch.is_control()).collect())
}

/// A reason fit to be quoted: without brackets and line breaks, which could make a slot of it.
pub(super) fn quoted_reason(reason: &str) -> Cow<'_, str> {
    let is_removed = |ch| matches!(ch, '[' | ']' | '\n' | '\r' | '\u{2028}' | '\u{2029}');
    let clean: Cow<'_, str> = if reason.contains(is_removed) {
        Cow::Owned(reason.chars().filter(|&ch| !is_removed(ch)).collect())
    } else {
        Cow::Borrowed(reason)
    };
    let end = Unit::Utf16.offset_in(&clean, MAX_REASON);
    if end == clean.len() { clean } else { Cow::Owned(clean.get(..end).unwrap_or_default().into()) }
}

/// `text` as a JSON string.
pub(super) fn json_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// At most 64 UTF-16 units of a text of others, and `…` where that is not all.
pub(super) fn short(text: &str) -> Cow<'_, str> {
    let end = Unit::Utf16.offset_in(text, 64);
    match text.get(..end) {
        Some(head) if end < text.len() => Cow::Owned(format!("{head}…")),
        Some(_) | None => Cow::Borrowed(text),
    }
}
