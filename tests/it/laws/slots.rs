//! What is read from a text, and what is written into one.

use slotledger::slot::{
    Grammar, MAX_PLACEHOLDER_LEN, MAX_STUB_LEN, Slot, SlotKind, StubParts, placeholder_at, slots,
    stub_at, write_placeholder, write_stub,
};
use slotledger::{ImageRef, MediaType, RefId};
use slotledger_kit::generate::{TextCase, from_bytes};
use slotledger_kit::oracle;

use crate::dialects::grammar;
use crate::support::{for_all_bytes, len_utf16};

/// What tells a slot from what is none.
const PIECES: [&str; 24] = [
    "[ref_1_a] ",
    "[ref_",
    "1_a",
    "] ",
    "\n",
    "\r",
    "\u{2028}",
    "\u{2029}",
    "image/",
    "IMAGE/",
    "png",
    "PNG",
    "_",
    "-",
    "x",
    "é",
    "/",
    ".",
    " ",
    "\u{17F}",
    "[image: ",
    "image/png, 1B",
    ", ref img_a_1",
    "]",
];

#[test]
fn l01_the_slots_found_are_those_that_the_grammars_applied_at_every_position_find() {
    for_all_bytes(400, slotledger_props::scan);
    // And those of what tells the grammars apart, close together.
    for_all_bytes(24, |bytes| {
        let text: String =
            bytes.iter().map(|byte| PIECES[usize::from(*byte) % PIECES.len()]).collect();
        slotledger_props::scan(text.as_bytes());
    });
}

#[test]
fn l03_no_slot_is_longer_than_its_bound() {
    assert_eq!((MAX_PLACEHOLDER_LEN, MAX_STUB_LEN), (328, 677));
    let grammar = grammar([r"x{1,1000}", r"\[[^\]]*\]", r"n.*g"]);
    for_all_bytes(400, |bytes| {
        let text = from_bytes::<TextCase>(bytes).text;
        for slot in grammar.slots(&text).chain(Grammar::default().slots(&text)) {
            let most = match slot.kind {
                SlotKind::Reference { .. } => 677,
                _ => 328,
            };
            assert!((1..=most).contains(&len_utf16(slot.span.of(&text))), "{slot:?}");
        }
    });
}

#[test]
fn l04_what_is_written_is_read_back_and_what_is_read_prints_as_it_was_read() {
    for_all_bytes(400, |bytes| {
        let text = from_bytes::<TextCase>(bytes).text;
        for slot in slots(&text) {
            prints(&text, slot);
        }
        // Any stretch of the text will do for a name, a type, a path or what stands around.
        let number = |at: usize| usize::from(*bytes.get(at).unwrap_or(&0));
        let stretch = |at: usize| {
            let [from, to] = [number(at), number(at) + number(at + 1) * 3]
                .map(|at| text.floor_char_boundary(at.min(text.len())));
            &text[from..to]
        };
        let encoded_len = 1_usize << (number(0) % 32) | number(1);
        let image: Option<ImageRef> = match number(2) % 4 {
            0 => None,
            1 => Some("img_abc123_1".parse().unwrap()),
            2 => Some("img_zzzzzzzzzzzzzzzz_9999999999999999".parse().unwrap()),
            _ => Some("img_0_07".parse().unwrap()),
        };
        for claim in ["image/png", " IMAGE/x.y+z ;q", "", stretch(0), &"9/".repeat(number(3))] {
            placeholder(claim, encoded_len, image, stretch(1));
        }
        let id = ["ref_1_ab3d", "ref_2gosa7pa2gv_zzzz", "ref_z_0"][number(4) % 3];
        let parts = StubParts {
            id: &id.parse().unwrap(),
            name: stretch(2),
            mime: [stretch(4), "image/png", "image/gif", "text/plain"][number(5) % 4],
            size_bytes: (number(6) % 3 > 0).then_some((1 << (number(7) % 54)) - 1),
            provenance: "from tool result",
            saved: (number(8) % 2 > 0).then(|| stretch(9)),
            fetch: "fetch with fetch_reference",
        };
        stub(parts, stretch(3));
    });
}

fn prints(text: &str, slot: Slot<'_>) {
    let written = slot.span.of(text);
    match slot.kind {
        SlotKind::Inline(found) => {
            let image = found.image.map(|image| format!(", ref {image}")).unwrap_or_default();
            assert_eq!(format!("[image: {}, {}{image}]", found.media_type, found.size), written);
            assert_eq!(found.text, written);
        }
        SlotKind::Reference { stub, .. } => {
            let id: RefId = stub.id.parse().unwrap();
            assert_eq!(
                written.strip_prefix(&format!("[{id}] ")),
                written.split_once(' ').map(|parts| parts.1)
            );
            assert_eq!(stub.text, written);
        }
        other => panic!("not one of ours: {other:?}"),
    }
}

/// A placeholder behind `before` is read back as one placeholder, with what was written.
fn placeholder(claim: &str, encoded_len: usize, image: Option<ImageRef>, before: &str) {
    let media_type = MediaType::from_testimony(claim);
    assert_eq!(media_type.as_str(), oracle::media_type(claim));
    let mut text = before.to_owned();
    write_placeholder(&mut text, &media_type, encoded_len, image);
    let found = placeholder_at(&text, before.len()).expect("a placeholder");
    assert_eq!(found.text, &text[before.len()..]);
    assert_eq!((found.media_type, found.image), (media_type.as_str(), image));
    let bytes = encoded_len as u64 * 3 / 4;
    assert_eq!(found.size, oracle::placeholder_size(bytes));
    let after = format!("{}{before}", &text[before.len()..]);
    let first = slots(&after).next().unwrap();
    assert_eq!((first.span.start, first.span.end), (0, found.text.len()));
}

/// A stub is read back as one stub-shaped line, with what was written.
fn stub(parts: StubParts<'_>, before: &str) {
    let mut line = String::new();
    write_stub(&mut line, &parts);
    assert!(!line.contains(['\n', '\r']));
    assert!(len_utf16(&line) <= MAX_STUB_LEN);
    let text = format!("{before}\n{line}\n{before}");
    let start = before.len() + 1;
    let found = stub_at(&text, start).expect("a stub");
    assert_eq!((found.text, found.id), (line.as_str(), parts.id.as_str()));
    let shapes = oracle::stub_shapes(&slotledger_kit::units(&line));
    assert_eq!(shapes.len(), 1, "one line, one shape");
    // What it shows is what was written.
    let reference = oracle::Reference {
        name: parts.name.to_owned(),
        media_type: parts.mime.to_owned(),
        size: parts.size_bytes,
        ..oracle::Reference::default()
    };
    let expected = oracle::write_stub(found.id, &reference, parts.provenance, true, parts.saved);
    assert_eq!(line, expected);
    let image = slots(&line).find(|slot| matches!(slot.kind, SlotKind::Reference { .. }));
    assert_eq!(image.map(|slot| slot.span.of(&line)), found.image_type().map(|_| line.as_str()));
}
