//! Texts that a terminal may print.

/// How many bytes are looked at in one go.
const CHUNK: usize = 256;

/// Whether a text holds no control character but tab, LF, and CR before LF.
pub(super) fn is_plain(text: &str) -> bool {
    let bytes = text.as_bytes();
    let mut starts = (0..bytes.len()).step_by(CHUNK);
    starts.all(|start| {
        let chunk = bytes.iter().skip(start).take(CHUNK);
        // Without a branch, since few chunks have any.
        let any = chunk.fold(false, |any, &byte| any | is_suspect(byte));
        !any || (start..bytes.len().min(start + CHUNK)).all(|at| is_plain_at(bytes, at))
    })
}

/// Whether a control character that is not plain may start with this byte.
fn is_suspect(byte: u8) -> bool {
    matches!(byte, 0x00..=0x08 | 0x0B..=0x1F | 0x7F | 0xC2)
}

fn is_plain_at(bytes: &[u8], at: usize) -> bool {
    let next = || bytes.get(at + 1).copied().unwrap_or_default();
    match bytes.get(at) {
        Some(b'\r') => next() == b'\n',
        // U+0080 to U+009F.
        Some(0xC2) => next() >= 0xA0,
        Some(&byte) => !is_suspect(byte),
        None => true,
    }
}
