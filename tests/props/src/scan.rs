//! What slots a text has.

use slotledger::slot::{
    MAX_PLACEHOLDER_LEN, MAX_STUB_LEN, Slot, SlotKind, Slots, placeholder_at, slots, stub_at,
};
use slotledger_kit::generate::{TextCase, from_bytes};
use slotledger_kit::oracle::{self, SlotKind as Kind};
use slotledger_kit::pattern;

use crate::dialects;
use crate::places::Places;

/// The slots of a text are those that both oracles find, within their bounds, and print as they were
/// read (L1, L3, L4).
pub fn scan(bytes: &[u8]) {
    let case: TextCase = from_bytes(bytes);
    scan_text(&case.text);
    scan_text(&crate::text_of(bytes));
}

fn scan_text(text: &str) {
    let places = Places::new(text);
    let found = all(slots(text));
    let expected = oracle::slots(&places.wide);
    assert_eq!(found.iter().map(|slot| seen(&places, slot)).collect::<Vec<_>>(), expected);
    second_oracle(&places, &found);
    for slot in &found {
        bounds(&places, slot);
        prints(text, slot);
    }
    let with_dialects = all(dialects::ALL.slots(text));
    let own = with_dialects.iter().filter(|slot| !matches!(slot.kind, SlotKind::Dialect { .. }));
    assert_eq!(own.copied().collect::<Vec<_>>(), found, "dialects leave our own slots alone");
    assert_eq!(dialects::found(&with_dialects), dialects::naive(&places));
    assert!(with_dialects.is_sorted_by_key(order), "slots stand in text order (6.3)");
}

/// By start; where a stub and a dialect slot start together, the stub first.
fn order(slot: &Slot<'_>) -> (usize, bool) {
    (slot.span.start, matches!(slot.kind, SlotKind::Dialect { .. }))
}

/// All slots; and after the last there is none, however often one asks.
fn all(mut slots: Slots<'_>) -> Vec<Slot<'_>> {
    let found = slots.by_ref().collect();
    assert_eq!((slots.next(), slots.next()), (None, None));
    found
}

/// A slot in the words of the oracle.
pub(crate) fn seen(places: &Places<'_>, slot: &Slot<'_>) -> oracle::Slot {
    let (start, end) = places.wide(slot.span);
    let (kind, media_type, size, reference) = match slot.kind {
        SlotKind::Inline(found) => {
            let reference = found.image.map(|image| image.to_string());
            (Kind::Inline, found.media_type.to_owned(), Some(found.size.to_owned()), reference)
        }
        SlotKind::Reference { stub, image_type } => {
            (Kind::Reference, image_type.to_ascii_lowercase(), None, Some(stub.id.to_owned()))
        }
        other => panic!("not one of our own: {other:?}"),
    };
    oracle::Slot { kind, start, end, media_type, size, reference }
}

fn second_oracle(places: &Places<'_>, found: &[Slot<'_>]) {
    let of_kind = |inline: bool| {
        let is_kind = move |slot: &&Slot<'_>| matches!(slot.kind, SlotKind::Inline(_)) == inline;
        found.iter().filter(is_kind).map(|slot| slot.span.range()).collect::<Vec<_>>()
    };
    let placeholders = pattern::placeholders(places.text).into_iter();
    assert_eq!(of_kind(true), placeholders.map(|found| found.range).collect::<Vec<_>>());
    let is_slot = |found: &pattern::FoundStub<'_>| {
        let len = places.wide_at(found.range.end) - places.wide_at(found.range.start);
        found.image.is_some() && len <= MAX_STUB_LEN
    };
    let stubs = pattern::stub_shapes(places.text).into_iter().filter(is_slot);
    assert_eq!(of_kind(false), stubs.map(|found| found.range).collect::<Vec<_>>());
}

fn bounds(places: &Places<'_>, slot: &Slot<'_>) {
    let most = match slot.kind {
        SlotKind::Reference { .. } => MAX_STUB_LEN,
        _ => MAX_PLACEHOLDER_LEN,
    };
    assert!((1..=most).contains(&places.wide_len(slot.span)), "L3: {slot:?}");
}

fn prints(text: &str, slot: &Slot<'_>) {
    let written = slot.span.of(text);
    match slot.kind {
        SlotKind::Inline(found) => {
            let image = found.image.map(|image| format!(", ref {image}")).unwrap_or_default();
            let printed = format!("[image: {}, {}{image}]", found.media_type, found.size);
            assert_eq!((printed.as_str(), found.text), (written, written), "L4");
            assert_eq!(placeholder_at(text, slot.span.start), Some(found));
        }
        SlotKind::Reference { stub, image_type } => {
            assert_eq!(stub.text, written, "L4");
            assert!(written.starts_with(&format!("[{}] ", stub.id)), "L4");
            assert!(written.contains(image_type), "L4");
            assert_eq!(
                stub.id.parse().map(|id: slotledger::RefId| id.to_string()),
                Ok(stub.id.into())
            );
            assert_eq!(stub_at(text, slot.span.start), Some(stub));
        }
        _ => {}
    }
}
