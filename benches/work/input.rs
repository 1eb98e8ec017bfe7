//! Inputs, the same in every run.

use std::iter;

use bytes::Bytes;
use slotledger::slot::{StubParts, write_stub};

/// A million bytes.
pub(super) const MB: u64 = 1_000_000;

/// The one image behind the stubs.
pub(super) const PLACEHOLDER: &str = "[image: image/png, ~12KB, ref img_abc123_1]";

/// The text beside an image.
pub(super) const IMAGE_TEXT: &str = "Navigated to https://example.org/ and took a screenshot.";

/// So many lines, each the stub of an image, all of one length.
pub(super) fn stubs(count: usize) -> String {
    let mut text = String::new();
    for at in 0..count {
        if at > 0 {
            text.push('\n');
        }
        let id = format!("ref_{:05}_ab3d", 10_000 + at).parse().expect("a ref id");
        let parts = StubParts {
            id: &id,
            name: "cam.png",
            mime: "image/jpeg",
            size_bytes: Some(1_258_291),
            provenance: "from tool result",
            saved: None,
            fetch: "fetch with fetch_reference",
        };
        write_stub(&mut text, &parts);
    }
    text
}

/// A log of 10 MB in ASCII.
pub(super) fn ascii() -> String {
    log("INFO  worker-7: job [42] done in 318 ms, 3 retries; next at 12:04:59\n")
}

/// A log of 10 MB in which every line has characters of two, three and four bytes.
pub(super) fn mixed() -> String {
    log("INFO  arbeiter-7: Auftrag [42] nach 318 ms erledigt – Größe 3 漢字 😀\n")
}

fn log(line: &str) -> String {
    let lines = 10_000_000 / line.len();
    let text = line.repeat(lines);
    let rest = "x".repeat(10_000_000 - text.len());
    text + &rest
}

/// A `CallToolResult` of a short text and an image of 5 MB of base64.
pub(super) fn image_result() -> String {
    const DIGITS: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut state = 1_u32;
    let noise = iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        char::from(DIGITS.get((state >> 26) as usize).copied().unwrap_or(b'A'))
    });
    let data: String = noise.take(5_000_000).collect();
    format!(
        "{{\"content\":[{{\"type\":\"text\",\"text\":\"{IMAGE_TEXT}\"}},\
         {{\"type\":\"image\",\"data\":\"{data}\",\"mimeType\":\"image/png\"}}],\
         \"isError\":false}}"
    )
}

/// More such results than a ledger has room for, each in a place of its own.
pub(super) fn image_results() -> Vec<Bytes> {
    let json = image_result();
    iter::repeat_with(|| Bytes::from(json.clone())).take(24).collect()
}
