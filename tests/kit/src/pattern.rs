//! The grammars of SPEC.md (4.1, 5.1, 5.3) as regular expressions: a second oracle, in UTF-8 bytes.

use std::ops::Range;
use std::sync::LazyLock;

use regex_automata::meta::Regex;
use regex_automata::util::captures::Captures;
use regex_automata::util::syntax;

/// The placeholder (4.1). ASCII throughout: Unicode classes would let U+017F into a token.
pub const PLACEHOLDER: &str = concat!(
    r"(?-u)\[image: ([a-z0-9!#$&^_.+-]{1,127}/[a-z0-9!#$&^_.+-]{1,127}), ",
    r"(~?[0-9.]{1,16}(?:B|KB|MB))(?:, ref (img_[0-9a-z]{1,16}_[0-9]{1,16}))?\]",
);

/// The stub shape (5.1), with the line's start before it spelled out.
///
/// The format's `^` (2.8) also holds after `\r`, U+2028 and U+2029, which no flag of these patterns says.
pub const STUB_SHAPE: &str =
    r"(?-u)(?:\A|[\n\r]|\xE2\x80[\xA8\xA9])(\[(ref_[0-9a-z]+_[0-9a-z]+)\] ([^\n]*))";

/// An image's media type in a stub (5.3).
pub const IMAGE_TOKEN: &str = r"(?i-u)\bimage/[a-z0-9!#$&^_.+-]+";

/// The longest stub that is a slot, in UTF-16 code units (5.2).
const MAX_STUB: usize = 677;

/// A placeholder the pattern found, in UTF-8 bytes.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct FoundPlaceholder<'t> {
    /// Where it stands.
    pub range: Range<usize>,
    /// Its media type.
    pub media_type: &'t str,
    /// Its size.
    pub size: &'t str,
    /// Its ref.
    pub reference: Option<&'t str>,
}

/// A stub-shaped line the pattern found, in UTF-8 bytes.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct FoundStub<'t> {
    /// Where it stands.
    pub range: Range<usize>,
    /// Its ref id.
    pub id: &'t str,
    /// The image token it shows, as spelled there.
    pub image: Option<&'t str>,
}

/// A slot the patterns found, in UTF-8 bytes.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct FoundSlot {
    /// Where it stands.
    pub range: Range<usize>,
    /// The media type it shows, in lower case.
    pub media_type: String,
    /// The size a placeholder shows; a stub has none.
    pub size: Option<String>,
    /// The ref of a placeholder, if it has one, or the ref id of a stub.
    pub reference: Option<String>,
}

/// Returns the slots of `text`, in text order (6.1, 6.3).
pub fn slots(text: &str) -> Vec<FoundSlot> {
    let inline = placeholders(text).into_iter().map(|found| FoundSlot {
        range: found.range,
        media_type: found.media_type.to_owned(),
        size: Some(found.size.to_owned()),
        reference: found.reference.map(ToOwned::to_owned),
    });
    let stubs = stub_shapes(text).into_iter().filter_map(|found| {
        let is_short = text[found.range.clone()].encode_utf16().count() <= MAX_STUB;
        let media_type = found.image.filter(|_| is_short)?.to_ascii_lowercase();
        let reference = Some(found.id.to_owned());
        Some(FoundSlot { range: found.range, media_type, size: None, reference })
    });
    let mut slots: Vec<FoundSlot> = inline.chain(stubs).collect();
    slots.sort_by_key(|slot| slot.range.start);
    slots
}

/// Returns the placeholders of `text`.
pub fn placeholders(text: &str) -> Vec<FoundPlaceholder<'_>> {
    static PATTERN: LazyLock<Regex> = LazyLock::new(|| compile(PLACEHOLDER));
    let found = |captures: Captures| FoundPlaceholder {
        range: range(&captures, 0),
        media_type: &text[range(&captures, 1)],
        size: &text[range(&captures, 2)],
        reference: captures.get_group(3).map(|span| &text[span.range()]),
    };
    PATTERN.captures_iter(text).map(found).collect()
}

/// Returns the stub-shaped lines of `text`, of any length, image or not.
pub fn stub_shapes(text: &str) -> Vec<FoundStub<'_>> {
    static SHAPE: LazyLock<Regex> = LazyLock::new(|| compile(STUB_SHAPE));
    static TOKEN: LazyLock<Regex> = LazyLock::new(|| compile(IMAGE_TOKEN));
    let found = |captures: Captures| {
        let shows = &text[range(&captures, 3)];
        FoundStub {
            range: range(&captures, 1),
            id: &text[range(&captures, 2)],
            image: TOKEN.find(shows).map(|token| &shows[token.range()]),
        }
    };
    SHAPE.captures_iter(text).map(found).collect()
}

fn range(captures: &Captures, group: usize) -> Range<usize> {
    captures.get_group(group).expect("a group of every match").range()
}

fn compile(pattern: &str) -> Regex {
    // The patterns match bytes; that they never match inside a character is the grammars' doing.
    let bytes = syntax::Config::new().utf8(false);
    Regex::builder().syntax(bytes).build(pattern).expect("the grammar compiles")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_starts_in_four_ways() {
        for start in ["", "a\n", "a\r", "a\u{2028}", "a\u{2029}"] {
            let text = format!("{start}[ref_1_a] é IMAGE/PNG;x\r[ref_2_a] image/gif\n");
            let found = stub_shapes(&text);
            assert_eq!(found.len(), 1, "{start:?}");
            assert_eq!(found[0].range, start.len()..text.len() - 1);
            assert_eq!(found[0].image, Some("IMAGE/PNG"));
        }
        assert_eq!(stub_shapes("a\u{85}[ref_1_a] image/png"), []);
    }

    #[test]
    fn only_ascii_folds() {
        assert_eq!(stub_shapes("[ref_1_a] image/\u{212A}")[0].image, None);
        assert_eq!(stub_shapes("[ref_1_a] éimage/png")[0].image, Some("image/png"));
        assert_eq!(placeholders("[image: image/\u{17F}, 1B]"), []);
    }
}
