//! What the first bytes of a file say it is.

/// The image type that `bytes` start like, if it is one that models are shown.
///
/// ```
/// use slotledger::image::sniff;
/// assert_eq!(sniff(b"\x89PNG\r\n\x1a\n"), Some("image/png"));
/// assert_eq!(sniff(b"<html>"), None);
/// ```
pub fn sniff(bytes: &[u8]) -> Option<&'static str> {
    match bytes {
        [0x89, b'P', b'N', b'G', ..] => Some("image/png"),
        [0xFF, 0xD8, 0xFF, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}
