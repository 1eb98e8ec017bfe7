//! A host's dialects, as patterns and as readers written by hand.

use std::sync::LazyLock;

use slotledger::slot::{Dialect, Grammar, Slot, SlotKind};
use slotledger::text::Span;
use slotledger_kit::oracle;

use crate::places::Places;

/// Reads a match at the front of a text and returns its length in bytes.
type Read = fn(&str) -> Option<usize>;

/// In the order in which a host would list them.
const DIALECTS: [(&str, &str, Read); 4] = [
    ("numbered", r"\[Image #[0-9]{1,9}\]", numbered),
    // Where a stub may start, and as long.
    ("id", r"\[ref_1_a\]", |text| text.starts_with("[ref_1_a]").then_some(9)),
    // Inside placeholders and stubs.
    ("type", r"image/png", |text| text.starts_with("image/png").then_some(9)),
    // Longer than a slot may be, and over anything else on its line.
    ("tag", r"<m:[^>]{0,400}>", tag),
];

/// Every dialect.
pub(crate) static ALL: LazyLock<Grammar> = LazyLock::new(|| grammar(DIALECTS.len()));
/// Those whose matches are all short, so that no cut leaves a piece of one.
pub(crate) static SHORT: LazyLock<Grammar> = LazyLock::new(|| grammar(DIALECTS.len() - 1));

fn grammar(count: usize) -> Grammar {
    let dialects = DIALECTS[..count].iter().map(|(name, pattern, _)| Dialect::new(*name, *pattern));
    Grammar::new(dialects).expect("the patterns compile")
}

fn numbered(text: &str) -> Option<usize> {
    let rest = text.strip_prefix("[Image #")?;
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    let closes = rest[digits..].starts_with(']');
    ((1..=9).contains(&digits) && closes).then_some("[Image #".len() + digits + 1)
}

fn tag(text: &str) -> Option<usize> {
    let rest = text.strip_prefix("<m:")?;
    let end = rest.find('>')?;
    (rest[..end].chars().count() <= 400).then_some("<m:".len() + end + 1)
}

/// The dialect slots of a text by SPEC 6.4, every position tried.
pub(crate) fn naive(places: &Places<'_>) -> Vec<(Span, &'static str)> {
    let placeholders = oracle::placeholders(&places.wide);
    let mut found = Vec::new();
    let mut start = 0;
    for segment in places.text.split(['\n', '\r', '\u{2028}', '\u{2029}']) {
        let mut at = 0;
        while at < segment.len() {
            let matched = segment.get(at..).and_then(|rest| {
                DIALECTS.iter().find_map(|(name, _, read)| Some((read(rest)?, *name)))
            });
            let Some((len, name)) = matched else {
                at += 1;
                continue;
            };
            let span = Span::new(start + at, start + at + len);
            let (from, to) = places.wide(span);
            let yields = placeholders.iter().any(|other| from < other.end && other.start < to);
            if to - from <= 328 && !yields {
                found.push((span, name));
            }
            at += len;
        }
        start += segment.len();
        start += places.text[start..].chars().next().map_or(0, char::len_utf8);
    }
    found
}

/// The dialect slots of a text as the crate finds them.
pub(crate) fn found<'t>(slots: &[Slot<'t>]) -> Vec<(Span, &'t str)> {
    let dialect = |slot: &Slot<'t>| match slot.kind {
        SlotKind::Dialect { name } => Some((slot.span, name)),
        _ => None,
    };
    slots.iter().filter_map(dialect).collect()
}
