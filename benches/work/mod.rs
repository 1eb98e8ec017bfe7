//! The work that is measured: each piece with its input, its answer asserted on every run.
//!
//! Four programs measure it: `engine` (times, by criterion), `ratios` (times against floors, in one
//! run), `allocations`, and `meter` (one piece at a time, for a counter of instructions).

#![allow(dead_code, reason = "each of the programs uses its part")]

mod floor;
mod input;
mod keeping;
mod saving;

use std::hint::black_box;
use std::iter;

use bytes::Bytes;
use slotledger::content::wire::mcp;
use slotledger::content::{Block, Call, Content, Image, Reference, ToolResult};
use slotledger::copy::{MAX_KEPT, cut_shown, serialize};
use slotledger::image::{Ledger, Limits, RefIds, Registry};
use slotledger::slot::Grammar;
use slotledger::text::{Span, Spans};
use slotledger::{Cap, Config, Engine, Session, slots};

use input::{MB, PLACEHOLDER};

/// A piece of work, its input at hand.
pub(crate) type Run = Box<dyn FnMut()>;

/// A piece of work that is measured.
#[derive(Clone, Copy)]
pub(crate) struct Work {
    /// How benches and tables call it.
    pub(crate) name: &'static str,
    /// How many bytes it is given.
    pub(crate) bytes: u64,
    /// Makes its input.
    pub(crate) prepare: fn() -> Run,
}

/// Every piece of work. The floors are what the others are compared with.
pub(crate) const ALL: &[Work] = &[
    Work { name: "floor/utf16_count_10mb", bytes: 10 * MB, prepare: floor::utf16_count },
    Work {
        name: "floor/utf16_count_10mb_mixed",
        bytes: 10 * MB,
        prepare: floor::utf16_count_mixed,
    },
    Work { name: "floor/parse_image_5mb_borrowed", bytes: 5 * MB, prepare: floor::parse_image },
    Work { name: "floor/parse_images_5mb_borrowed", bytes: 5 * MB, prepare: floor::parse_images },
    Work {
        name: "floor/find_two_openings_10mb",
        bytes: 10 * MB,
        prepare: floor::find_two_openings,
    },
    Work { name: "cut/10000_stubs_one_image_cap_2000", bytes: MB, prepare: cut_stubs },
    Work { name: "store/text_10mb_cap_24000", bytes: 10 * MB, prepare: store_text },
    Work { name: "store/text_10mb_mixed_cap_24000", bytes: 10 * MB, prepare: store_text_mixed },
    Work { name: "store/image_5mb", bytes: 5 * MB, prepare: store_image },
    Work { name: "store/image_5mb_full_ledger", bytes: 5 * MB, prepare: store_image_full_ledger },
    Work { name: "slots/plain_10mb", bytes: 10 * MB, prepare: slots_plain },
    Work { name: "slots/10000_stubs", bytes: MB, prepare: slots_stubs },
    Work { name: "serialize/10000_blocks", bytes: MB, prepare: serialize_blocks },
    Work { name: "inventory/index_0_of_100_messages", bytes: 0, prepare: saving::newest_of_100 },
    Work {
        name: "inventory/index_0_of_10000_messages",
        bytes: 0,
        prepare: saving::newest_of_10000,
    },
    Work { name: "floor/sha256_10mb_mixed", bytes: 10 * MB, prepare: keeping::sha256 },
    Work { name: "keep/text_10mb_mixed_in_memory", bytes: 10 * MB, prepare: keeping::keep_text },
    Work { name: "page/50000_of_10mb_in_memory", bytes: 10 * MB, prepare: keeping::page },
    Work { name: "save/range_20", bytes: 20 * saving::IMAGE_BYTES, prepare: saving::range_20 },
];

/// The piece of this name.
///
/// # Panics
///
/// When there is none.
pub(crate) fn named(name: &str) -> Work {
    let found = ALL.iter().find(|work| work.name == name);
    *found.unwrap_or_else(|| panic!("no work is called {name}"))
}

fn cut_stubs() -> Run {
    let text = format!("{}\n{PLACEHOLDER}", input::stubs(10_000));
    let mut shown = Spans::default();
    shown.push(Span::new(0, text.len()));
    let grammar = Grammar::default();
    // The stubs are of one length. The cap falls into one, and the cut moves back to its start.
    let line = input::stubs(1).encode_utf16().count() + 1;
    let whole = 2_000 / line;
    let left_out = 10_000 - whole + 1 - MAX_KEPT;
    Box::new(move || {
        let cut = cut_shown(black_box(&text), Cap::utf16(2_000), &shown, &grammar);
        let cut = cut.expect("the text is over the cap");
        assert_eq!((cut.kept.len(), cut.left_out), (MAX_KEPT, left_out));
        assert_eq!(cut.kept.last().map(|slot| slot.of(&text)), Some(PLACEHOLDER));
    })
}

fn store_text() -> Run {
    store(input::ascii())
}

fn store_text_mixed() -> Run {
    store(input::mixed())
}

fn store(text: String) -> Run {
    let total = text.encode_utf16().count();
    let result = ToolResult::new(Content::Blocks(vec![Block::Text(text.into())]));
    let mut session = session();
    let call = Call::new("c1", "read");
    Box::new(move || {
        let ingested = session.ingest_at(&call, black_box(&result), Cap::utf16(24_000));
        let stored = ingested.stored;
        assert_eq!((stored.head_len, stored.total_len), (24_000, total));
    })
}

/// The first image of a session. Starting the session is part of it, and next to nothing.
fn store_image() -> Run {
    let json = Bytes::from(input::image_result());
    let engine = Engine::new(Config::default());
    Box::new(move || store_one(&mut engine.session(), &Call::new("c1", "snap"), &json))
}

/// An image that makes the oldest one go. The results lie in different places, as they would.
fn store_image_full_ledger() -> Run {
    let results = input::image_results();
    let mut turn = 0;
    let mut session = session();
    let mut next = move || {
        let json = results.get(turn % results.len()).expect("there are some");
        turn += 1;
        let call = Call::new(format!("c{turn}"), "snap");
        store_one(&mut session, &call, json);
        session.ledger().held_bytes()
    };
    let limit = Limits::default().max_base64_bytes;
    let is_full = move |held: usize| limit - 5_000_000 < held && held <= limit;
    iter::repeat_with(&mut next).find(|&held| is_full(held));
    Box::new(move || assert!(is_full(next())))
}

fn store_one(session: &mut Session, call: &Call, json: &Bytes) {
    let result = mcp::read(black_box(json)).expect("it is JSON");
    let ingested = session.ingest(call, &result);
    let [text, image] = ingested.blocks.as_deref().expect("its blocks were taken") else {
        panic!("it has a text and an image");
    };
    assert_eq!(text.span.len(), input::IMAGE_TEXT.len());
    let placeholder = image.span.of(&ingested.text);
    assert!(placeholder.starts_with("[image: image/png, ~3.6MB, ref img_"), "{placeholder}");
    assert_eq!(ingested.shown().len(), 2);
    assert_eq!(ingested.stored.text, ingested.text);
}

fn slots_plain() -> Run {
    let text = input::ascii();
    Box::new(move || assert_eq!(slots(black_box(&text)).count(), 0))
}

fn slots_stubs() -> Run {
    let text = input::stubs(10_000);
    Box::new(move || assert_eq!(slots(black_box(&text)).count(), 10_000))
}

/// Texts, images and references by turns.
fn serialize_blocks() -> Run {
    let blocks: Vec<Block> = (0..10_000)
        .map(|at| match at % 4 {
            0 | 1 => Block::Text(format!("{at} lines of output, none of them long").into()),
            2 => Block::Image(Image::new(format!("iVBORw0KGgo{at:05}"), "image/png")),
            _ => {
                let uri = format!("https://example.org/shots/{at}.png");
                let mut reference = Reference::new(uri).expect("the URI is short");
                reference.name = Some(format!("{at}.png").into());
                reference.mime_type = Some("image/png".into());
                reference.size_bytes = Some(48_000);
                Block::Reference(reference)
            }
        })
        .collect();
    let content = Content::Blocks(blocks);
    let call = Call::new("c1", "list");
    Box::new(move || {
        let mut ledger = Ledger::new("bench1".parse().expect("a nonce"), Limits::default());
        let mut registry = Registry::new(RefIds::process());
        let written = serialize(black_box(&content), &call, &mut ledger, &mut registry);
        assert_eq!(written.blocks.map(|spans| spans.len()), Some(10_000));
        assert_eq!((ledger.len(), written.losses.len()), (64, 2_436));
        assert_eq!(registry.len(), 2_000);
    })
}

fn session() -> Session {
    Engine::new(Config::default()).session()
}
