//! Numbers and names as people read them.

use std::borrow::Cow;

use slotledger::MediaType;
use slotledger::content::Image;
use slotledger::copy::LiveBlock;
use unicode_width::{UnicodeWidthChar as _, UnicodeWidthStr as _};

/// A number with its thousands set apart: `25,980`.
pub(super) fn count(number: usize) -> String {
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
pub(super) fn fit(text: &str, columns: usize) -> Cow<'_, str> {
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

/// The line that stands for a live block where people read: an image without its bytes.
pub(super) fn live_line(block: &LiveBlock) -> Cow<'_, str> {
    match block {
        LiveBlock::Text(text) => Cow::Borrowed(text),
        LiveBlock::Image { mime_type, data } => {
            let payload = Image::new(data.clone(), mime_type.clone()).payload();
            let media_type = MediaType::from_testimony(mime_type);
            let len = count(payload.len());
            Cow::Owned(format!("<image: {media_type}, {len} base64 characters>"))
        }
        // A kind that came after this version.
        _ => Cow::Borrowed("<block>"),
    }
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
}
