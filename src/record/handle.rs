//! Handles: the id that is printed for a record.

use super::record::Meta;

/// The longest text that is printed as an id or a name.
const MAX_PRINTED: usize = 64;

/// The id that is printed for a record: its call id, if it is the first record under it and can
/// be printed, else its content key.
///
/// So a notice has a bound, and a printed id reaches its record, or the list of all that its call
/// id names: never another text.
pub(crate) fn handle(meta: &Meta) -> String {
    let is_key =
        |len| meta.call_id.len() == len && meta.call_id.bytes().all(|b| b.is_ascii_hexdigit());
    if meta.nth == 1 && is_printable(&meta.call_id) && !is_key(16) && !is_key(64) {
        meta.call_id.to_string()
    } else {
        meta.key().to_string()
    }
}

/// Whether a name can be printed as it is: 1 to 64 of U+0021–007E without quotes, backslashes and
/// brackets.
pub(crate) fn is_printable(name: &str) -> bool {
    (1..=MAX_PRINTED).contains(&name.len())
        && name.bytes().all(|byte| {
            byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\' | b'[' | b']' | b'<' | b'>')
        })
}
