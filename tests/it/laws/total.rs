//! Everything has an answer.

use slotledger::content::wire::{data, mcp, outcome};
use slotledger::content::{Call, Image, Reference, ToolResult, replace_lone_surrogates};
use slotledger::copy::{Keeping, StoredCopy, cut_at, cut_shown, truncate_history};
use slotledger::image::Payload;
use slotledger::slot::{
    Grammar, encoded_size_label, label, placeholder_at, placeholder_size_label, stub_at,
    stub_size_label,
};
use slotledger::text::{Offsets, Span, Spans};
use slotledger::{Cap, Config, Engine, MediaType, Unit};
use slotledger_kit::generate::{ContentCase, TextCase, from_bytes};

use crate::dialects::grammar;
use crate::support::{NONCE, for_all_bytes, in_time};

#[test]
fn l28_every_sequence_of_bytes_and_every_text_cap_unit_and_list_of_ranges_has_an_answer() {
    // In a time of its own, since an answer must not only not panic.
    in_time(|| {
        let grammars = [
            Grammar::default(),
            grammar([r"\[Image #[0-9]{1,9}\]", r"image/png", r"<.*>|\[[^\]]*\]"]),
        ];
        for_all_bytes(300, |bytes| {
            let numbers = Numbers(bytes);
            let grammar = &grammars[numbers.small(0) % 2];
            any_json(bytes, numbers, grammar);
            any_json(&broken(bytes, numbers), numbers, grammar);
            any_text(&String::from_utf8_lossy(bytes), numbers, grammar);
            any_text(&from_bytes::<TextCase>(bytes).text, numbers, grammar);
        });
    });
}

/// Numbers of any size, drawn from the bytes.
#[derive(Clone, Copy)]
struct Numbers<'b>(&'b [u8]);

impl Numbers<'_> {
    fn small(self, at: usize) -> usize {
        usize::from(*self.0.get(at % (self.0.len() + 1)).unwrap_or(&0))
    }

    fn any(self, at: usize) -> usize {
        match self.small(at) % 8 {
            0 => 0,
            1 => usize::MAX,
            2 => usize::MAX - self.small(at + 1),
            3 => self.small(at + 1) << (self.small(at + 2) % 56),
            _ => self.small(at + 1) * self.small(at + 2) % 2_000,
        }
    }
}

/// The JSON of a case, a byte of it cut out, doubled or changed.
fn broken(bytes: &[u8], numbers: Numbers<'_>) -> Vec<u8> {
    let mut json = from_bytes::<ContentCase>(bytes).to_json().into_bytes();
    let at = (numbers.small(3) * 256 + numbers.small(4)) % (json.len() + 1);
    match numbers.small(5) % 4 {
        0 => json.truncate(at),
        1 => json.extend_from_within(at..),
        2 if at < json.len() => json[at] = bytes.first().copied().unwrap_or_default(),
        _ => json.splice(at..at, *b"\\ud83d").for_each(drop),
    }
    json
}

fn any_json(bytes: &[u8], numbers: Numbers<'_>, grammar: &Grammar) {
    let input = bytes::Bytes::copy_from_slice(bytes);
    for read in [mcp::read, data::read, outcome::read] {
        match read(&input) {
            Ok(result) => any_result(&result, numbers, grammar),
            Err(error) => {
                assert!(error.offset() <= bytes.len(), "{error}");
                assert!(!error.to_string().is_empty());
            }
        }
    }
}

fn any_result(result: &ToolResult, numbers: Numbers<'_>, grammar: &Grammar) {
    let config = Config::default().with_nonce(NONCE.parse().unwrap()).with_grammar(grammar.clone());
    let mut session = Engine::new(config).session();
    for (unit, at) in [Unit::Utf16, Unit::Char, Unit::Byte].into_iter().zip(6..) {
        let cap = Cap::new(numbers.any(at), unit);
        let ingested = session.ingest_at(&Call::new("c", ""), result, cap);
        assert!(!ingested.text.is_empty() || ingested.stored.text.is_empty());
    }
}

fn any_text(text: &str, numbers: Numbers<'_>, grammar: &Grammar) {
    let mut shown = Spans::default();
    for at in 0..20 {
        // Past the end, inside characters, out of order: those are refused.
        let start = numbers.any(2 * at);
        shown.push(Span::new(start, numbers.any(2 * at + 1).max(start)));
    }
    assert!(grammar.slots(text).all(|slot| slot.span.of(text).len() == slot.span.len()));
    let lossy = text.get(..text.floor_char_boundary(300)).unwrap_or_default();
    let keepings = [
        Keeping::NoStore,
        Keeping::Kept { handle: lossy, unit: Unit::Utf16, direct: None },
        Keeping::Failed { reason: lossy },
    ];
    for (unit, at) in [Unit::Utf16, Unit::Char, Unit::Byte].into_iter().zip(3..) {
        let cap = Cap::new(numbers.any(at), unit);
        let cut = cut_at(text, cap, grammar);
        assert!(cut.is_none_or(|at| text.is_char_boundary(at)));
        assert_eq!(cut_shown(text, cap, &shown, grammar).map(|cut| cut.at), cut);
        let keeping = keepings[numbers.small(at) % 3];
        let stored = StoredCopy::of(&text.into(), cap, &shown, grammar, keeping);
        assert_eq!(stored.text == text, cut.is_none());
        assert_eq!(truncate_history(text, cap, grammar) == text, cut.is_none());
        assert!(unit.offset_in(text, numbers.any(at)) <= text.len());
        let mut offsets = Offsets::new(text, unit);
        for turn in 0..4 {
            assert!(offsets.at(numbers.any(turn)) <= text.len());
        }
    }
    for at in (0..text.len() + 3).chain([usize::MAX]) {
        placeholder_at(text, at);
        if let Some(stub) = stub_at(text, at) {
            assert!(stub.image_type().is_none_or(|image| stub.text.contains(image)));
        }
    }
    let max = numbers.any(1);
    assert!(label(text, max).len() <= text.len() + '…'.len_utf8());
    assert!(MediaType::from_testimony(text).as_str().contains('/'));
    for size in [placeholder_size_label, stub_size_label] {
        assert!(size(max as u64).ends_with('B'));
    }
    assert!(encoded_size_label(max).ends_with('B'));
    let payload = Payload::new(text);
    assert_eq!(payload.decoded_len().is_ok(), payload.decode().is_ok());
    assert!(Image::new(text, text).payload().len() <= text.len());
    Image::from_data_url(text);
    Reference::new(text);
    replace_lone_surrogates(text);
    // These must be nothing but an answer.
    let _ = (text.parse::<slotledger::ImageRef>(), text.parse::<slotledger::RefId>());
    let _ = text.parse::<slotledger::image::Nonce>();
}

#[test]
fn ranges_of_any_size_are_ranges() {
    let text = "some words [image: image/png, 1B]";
    let most = usize::MAX;
    for ranges in [
        vec![(0, most), (most, most)],
        vec![(most, most)],
        vec![(0, 5), (5, most - 1), (most - 1, most)],
        vec![(most - 1, most - 1), (most - 1, most)],
    ] {
        let mut shown = Spans::default();
        for &(start, end) in &ranges {
            assert!(shown.push(Span::new(start, end)));
        }
        for limit in [1, 5, 20, text.len() - 1] {
            let cut = cut_shown(text, Cap::utf16(limit), &shown, &Grammar::default()).unwrap();
            assert!(cut.kept.len() <= 1, "{ranges:?}");
        }
    }
    // A span whose fields were set by hand can be upside down; it holds nothing.
    let span = Span { start: 5, end: 2 };
    assert_eq!((span.len(), span.of(text)), (0, ""));
}
