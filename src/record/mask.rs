//! Words that must not be kept, each character masked by one of the same length.

use bytestring::ByteString;

use super::record::SlotPlace;
use crate::text::Span;

/// The text with the characters of `spans` masked, so that every length and every place in it stays,
/// in each unit. Line breaks stay, and slots as well: they must count.
pub(super) fn masked(text: &ByteString, mut spans: Vec<Span>, slots: &[SlotPlace]) -> ByteString {
    spans.sort_unstable();
    let (mut spans, mut slots) = (spans.iter().peekable(), slots.iter().peekable());
    if spans.peek().is_none() {
        return text.clone();
    }
    let mut masked = String::with_capacity(text.len());
    let mut in_slots_until = 0;
    let mut in_spans_until = 0;
    for (at, ch) in text.char_indices() {
        let end = at + ch.len_utf8();
        while let Some(slot) = slots.next_if(|slot| slot.span.start <= at) {
            in_slots_until = in_slots_until.max(slot.span.end);
        }
        while let Some(span) = spans.next_if(|span| span.start < end) {
            in_spans_until = in_spans_until.max(span.end);
        }
        let is_masked = at < in_spans_until && at >= in_slots_until && ch != '\n';
        masked.push(if is_masked { mask_of(ch) } else { ch });
    }
    masked.into()
}

/// A character as long as `ch` in UTF-8 and in UTF-16.
fn mask_of(ch: char) -> char {
    match ch.len_utf8() {
        1 => '*',
        2 => '\u{B7}',
        3 => '\u{2022}',
        _ => '\u{1F784}',
    }
}
