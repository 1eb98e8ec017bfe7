//! What placeholders and stubs are written with: media types, sizes, labels (3).

use super::read::{Reader, is_token};
use crate::unit::{is_low_surrogate, text_of, units};

/// Returns a claimed media type as a placeholder can hold it (3.1).
pub fn media_type(claim: &str) -> String {
    let claim = claim.split_once(';').map_or(claim, |(before, _)| before);
    // Lower-casing is Unicode's and comes before the match: U+212A becomes `k` and is then valid.
    let claim = claim.trim_matches(is_javascript_space).to_lowercase();
    let wide = units(&claim);
    let mut reader = Reader::new(&wide, 0);
    let fits = reader
        .run(is_token, 127)
        .and_then(|()| reader.literal("/"))
        .and_then(|()| reader.run(is_token, 127))
        .is_some();
    if fits && reader.at == wide.len() { claim } else { "application/octet-stream".to_owned() }
}

/// White space as JavaScript trims it: U+FEFF belongs to it, U+0085 does not (3.1).
fn is_javascript_space(character: char) -> bool {
    matches!(
        character,
        '\u{9}'..='\u{D}' | ' ' | '\u{A0}' | '\u{1680}' | '\u{2000}'..='\u{200A}'
            | '\u{2028}' | '\u{2029}' | '\u{202F}' | '\u{205F}' | '\u{3000}' | '\u{FEFF}'
    )
}

/// Returns the size a placeholder shows for so many bytes: never more than MB (3.2).
pub fn placeholder_size(bytes: u64) -> String {
    match bytes {
        0..0x400 => format!("{bytes}B"),
        0x400..0x10_0000 => format!("~{}KB", (bytes + 0x200) / 0x400),
        _ => format!("~{}MB", with_tenth(bytes, 0x10_0000)),
    }
}

/// Returns the size a stub shows for so many bytes (3.2).
pub fn stub_size(bytes: u64) -> String {
    match bytes {
        0x4000_0000.. => format!("~{}GB", with_tenth(bytes, 0x4000_0000)),
        _ => placeholder_size(bytes),
    }
}

/// Divides to one decimal, exact ties up. In integers, because `{:.1}` rounds 1.25 to 1.2.
fn with_tenth(bytes: u64, unit: u64) -> String {
    let tenths = (u128::from(bytes) * 10 + u128::from(unit) / 2) / u128::from(unit);
    format!("{}.{}", tenths / 10, tenths % 10)
}

/// Writes a placeholder (4.4). Its size is an estimate from the base64 text's length (3.3).
pub fn placeholder(claim: &str, payload: &str, reference: Option<&str>) -> String {
    let bytes = payload.encode_utf16().count() as u64 * 3 / 4;
    let (media_type, size) = (media_type(claim), placeholder_size(bytes));
    reference.map_or_else(
        || format!("[image: {media_type}, {size}]"),
        |reference| format!("[image: {media_type}, {size}, ref {reference}]"),
    )
}

/// Returns `text` as a label of at most `max` UTF-16 code units (3.4).
pub fn label(text: &str, max: usize) -> String {
    let kept: String = text.chars().filter(|&character| !is_deleted(character)).collect();
    let wide = units(&kept);
    if wide.len() <= max {
        return kept;
    }
    format!("{}…", text_of(whole_prefix(&wide, max - 1)))
}

/// Returns the longest prefix of whole characters within `max` UTF-16 code units.
pub(crate) fn whole_prefix(text: &[u16], max: usize) -> &[u16] {
    let splits = text.get(max).copied().is_some_and(is_low_surrogate);
    &text[..text.len().min(max - usize::from(splits))]
}

/// Controls and the marks that turn the direction of text. U+2028 and U+2029 stay (3.4).
fn is_deleted(character: char) -> bool {
    matches!(
        character,
        '\0'..='\u{1F}' | '\u{7F}'..='\u{9F}' | '\u{200E}' | '\u{200F}'
            | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}'
    )
}
