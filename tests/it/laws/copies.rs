//! What is made of a content array: the full text, the live copy and the stored copy.

use slotledger::content::{Block, Call, Content, Described, Image, Reference};
use slotledger::copy::{
    BlockKind, BlockSpan, Keeping, LiveBlock, LiveCopy, StoredCopy, serialize, truncate_history,
};
use slotledger::image::{Lookup, RefIds, Registry};
use slotledger::slot::{Grammar, SlotKind, placeholder_at, slots, stub_at};
use slotledger::text::Span;
use slotledger::{Cap, Config, Engine, Ingested, Session, Unit};
use slotledger_kit::generate::{ContentCase, Spelling, from_bytes};
use slotledger_kit::{Json, oracle};

use super::{Taken, slot_spans};
use crate::support::{for_all_bytes, ledger, read, units};

/// A content array with the caps of the case and some of their own, in every unit.
fn for_all_results(law: impl Fn(&ContentCase, usize, Unit)) {
    for_all_bytes(500, |bytes| {
        let case: ContentCase = from_bytes(bytes);
        let other = 10 + bytes.iter().fold(5, |sum, byte| (sum * 33 + usize::from(*byte)) % 1_191);
        for (unit, _) in units() {
            for limit in [case.cap as usize, other] {
                law(&case, limit, unit);
            }
        }
    });
}

#[test]
fn l07_the_spans_tile_the_full_text_and_each_holds_the_text_of_its_block() {
    for_all_results(|case, limit, unit| {
        let taken = Taken::of(case, limit, unit);
        let text = &taken.ingested.text;
        let Content::Blocks(blocks) = &taken.result.content else {
            assert_eq!(taken.ingested.blocks, None);
            return;
        };
        let spans = taken.ingested.blocks.as_deref().unwrap();
        assert_eq!(spans.len(), blocks.len());
        let mut start = 0;
        for (index, (block, found)) in blocks.iter().zip(spans).enumerate() {
            let BlockSpan { kind, span } = *found;
            assert_eq!(span.start, start, "they tile");
            assert_eq!((kind, &text[span.range()]), (kind_of(block), &*text_of(block, span, text)));
            if index + 1 < blocks.len() {
                assert_eq!(&text[span.end..=span.end], "\n");
                start = span.end + 1;
            } else {
                assert_eq!(span.end, text.len(), "to the end");
            }
        }
        assert!(!blocks.is_empty() || text.is_empty());
    });
}

fn kind_of(block: &Block) -> BlockKind {
    match block {
        Block::Image(_) => BlockKind::Image,
        Block::Reference(_) | Block::UnusableReference { .. } => BlockKind::Reference,
        Block::Text(_) | Block::Described(_) | Block::Withheld | Block::Unrecognized { .. } => {
            BlockKind::Text
        }
        other => panic!("no block is {other:?}"),
    }
}

/// What the oracle writes for a block. Only its ref or its ref id is taken from where it stands.
fn text_of(block: &Block, span: Span, text: &str) -> String {
    let there = span.of(text);
    match block {
        Block::Text(text) => text.to_string(),
        Block::Image(image) => {
            let reference = placeholder_at(there, 0).and_then(|found| found.image).unwrap();
            oracle::placeholder(image.mime_type(), &image.payload(), Some(reference.as_str()))
        }
        Block::Reference(reference) => {
            let id = stub_at(there, 0).unwrap().id;
            let Reference { name, mime_type, size_bytes, .. } = reference;
            let reference = oracle::Reference {
                name: name.as_deref().unwrap_or_default().to_owned(),
                media_type: mime_type.as_deref().unwrap_or_default().to_owned(),
                size: *size_bytes,
                ..oracle::Reference::default()
            };
            let bound = there.ends_with("fetch with fetch_reference");
            oracle::write_stub(id, &reference, "from tool result", bound, None)
        }
        Block::Described(Described { kind, media_type, encoded_len }) => {
            let size = oracle::placeholder_size(*encoded_len as u64 * 3 / 4);
            format!("[{kind}: {media_type}, {size}]")
        }
        Block::Withheld => oracle::WITHHELD.to_owned(),
        Block::Unrecognized { reason } | Block::UnusableReference { reason } => {
            format!("[unrecognized content block: {reason}]")
        }
        other => panic!("no block is {other:?}"),
    }
}

/// The slots that a live copy shows, as places in the full text: those of its texts, and one for
/// each of its images.
fn shown_slots(ingested: &Ingested) -> Vec<Span> {
    let (Some(live), Some(spans)) = (&ingested.live, &ingested.blocks) else {
        return Vec::new();
    };
    let mut shown = Vec::new();
    for (block, BlockSpan { span, .. }) in live.blocks.iter().zip(spans) {
        match block {
            LiveBlock::Text(text) => shown.extend(slot_spans(text, span.start)),
            LiveBlock::Image { .. } => shown.push(*span),
            other => panic!("no live block is {other:?}"),
        }
    }
    shown
}

#[test]
fn l08_the_slots_of_the_stored_copy_are_those_the_live_copy_shows_but_for_those_before_the_newest_64()
 {
    for_all_results(|case, limit, unit| {
        let taken = Taken::of(case, limit, unit);
        let Ingested { text, stored, .. } = &taken.ingested;
        let head = taken.head(unit);
        let in_head: Vec<Span> = slot_spans(head, 0).collect();
        let shown = shown_slots(&taken.ingested);
        if taken.ingested.live.is_none() {
            assert_eq!((stored.kept.as_slice(), stored.left_out), ([].as_slice(), 0));
        } else {
            let (before, past): (Vec<Span>, Vec<Span>) =
                shown.iter().partition(|slot| slot.end <= head.len());
            let left_out = past.len().saturating_sub(64);
            assert_eq!(in_head, before, "those of the head");
            assert_eq!((stored.kept.as_slice(), stored.left_out), (&past[left_out..], left_out));
        }
        // And so they are read from its text; what is nested in a kept stub once more (13.9).
        let kept = stored.kept.iter().map(|slot| slot.of(text));
        let kept = kept.flat_map(|kept| slots(kept).map(move |slot| slot.span.of(kept)));
        let expected: Vec<&str> = in_head.iter().map(|slot| slot.of(text)).chain(kept).collect();
        let found: Vec<&str> = slots(&stored.text).map(|slot| slot.span.of(&stored.text)).collect();
        assert_eq!(found, expected);
    });
}

#[test]
fn l09_where_new_images_of_a_result_are_kept_none_that_is_left_out_still_has_its_bytes() {
    for_all_bytes(200, |bytes| {
        // A block for each byte: an image, rarely a text.
        let block = |(index, byte): (usize, &u8)| {
            if byte % 16 == 0 {
                Block::Text("line\n".repeat(usize::from(byte / 16)).into())
            } else {
                let payload = format!("{index:04}{}", "A".repeat(usize::from(*byte % 8)));
                Block::Image(Image::new(payload, "image/png"))
            }
        };
        let content = Content::Blocks(bytes.iter().enumerate().map(block).collect());
        let seed = bytes.len();
        let limits = [(64, 100_663_296), (64, 300), (3, 100), (1, 4), (40, 1_000)];
        let (max_images, max_bytes) = limits[seed % limits.len()];
        let mut ledger = ledger(max_images, max_bytes);
        let mut registry = Registry::new(RefIds::process());
        // What came before, so that the oldest are others'.
        for block in 0..seed % 7 {
            ledger.retain(&Call::new("c0", "snap"), block, &Image::new("AAAA", "image/png"));
        }
        let full = serialize(&content, &Call::new("c1", "snap"), &mut ledger, &mut registry);
        assert!(ledger.len() <= max_images && ledger.held_bytes() <= max_bytes);
        for limit in [1, 10 + seed, 900] {
            for (unit, _) in units() {
                let (cap, grammar) = (Cap::new(limit, unit), Grammar::default());
                let Some(live) = LiveCopy::of(&content, &full, cap, &grammar, Keeping::NoStore)
                else {
                    continue;
                };
                let stored =
                    StoredCopy::of(&full.text, cap, &live.shown, &grammar, Keeping::NoStore);
                let Some(first) = stored.kept.first().filter(|_| stored.kept.len() == 64) else {
                    assert_eq!(stored.left_out, 0);
                    continue;
                };
                // One that is longer than all the room is evicted at once and pushes nothing out.
                let fits = |slot: &Span| {
                    let image = placeholder_at(&full.text, slot.start).unwrap().image.unwrap();
                    match ledger.lookup(image) {
                        Lookup::Evicted(provenance) => provenance.encoded_len() <= max_bytes,
                        Lookup::Retained(_) | Lookup::Unknown => true,
                    }
                };
                if !stored.kept.iter().all(fits) {
                    continue;
                }
                let head = unit.offset_in(&full.text, stored.head_len);
                let left_out: Vec<Span> = slot_spans(&full.text, 0)
                    .filter(|slot| (head..first.start).contains(&slot.start))
                    .collect();
                assert_eq!(left_out.len(), stored.left_out);
                for slot in left_out {
                    let image = placeholder_at(&full.text, slot.start).unwrap().image.unwrap();
                    assert!(!matches!(ledger.lookup(image), Lookup::Retained(_)), "{image}");
                }
            }
        }
    });
}

/// A session whose refs are as long as those of any other here.
fn session_of(nonce: &str) -> Session {
    Engine::new(Config::default().with_nonce(nonce.parse().unwrap())).session()
}

/// `text` with the refs of `nonce` and the ids of its references written as those of nobody.
fn anonymous(text: &str, nonce: &str, ids: &[String]) -> String {
    let mut text = text.replace(&format!("img_{nonce}_"), "img_000000_");
    for id in ids {
        text = text.replace(id, "ref_0_0000");
    }
    text
}

/// The ids of the references of a result.
fn ref_ids(ingested: &Ingested) -> Vec<String> {
    let spans = ingested.blocks.as_deref().unwrap_or_default();
    let references = spans.iter().filter(|block| block.kind == BlockKind::Reference);
    let id = |block: &BlockSpan| {
        stub_at(block.span.of(&ingested.text), 0).map(|stub| stub.id.to_owned())
    };
    references.filter_map(id).collect()
}

/// Every text a model reads of a result.
fn texts(ingested: &Ingested) -> Vec<&str> {
    let live = ingested.live.iter().flat_map(|live| &live.blocks);
    let live = live.filter_map(|block| match block {
        LiveBlock::Text(text) => Some(&**text),
        _ => None,
    });
    [&*ingested.text, &*ingested.stored.text].into_iter().chain(live).collect()
}

#[test]
fn l12_the_copies_depend_on_content_cap_keeping_and_refs_alone() {
    for_all_results(|case, limit, unit| {
        let taken = Taken::by(session_of("qqqqqq"), case, limit, unit);
        // The same once more, a session later: the same bytes.
        let again = Taken::by(session_of("qqqqqq"), case, limit, unit);
        assert_eq!(again.ingested, taken.ingested);
        // Another spelling, call, error flag and nonce, and a past that left no references.
        let mut other = case.clone();
        other.spelling = match case.spelling {
            Spelling::Compact => Spelling::Escaped,
            Spelling::Escaped => Spelling::Spaced,
            Spelling::Spaced => Spelling::Compact,
        };
        other.is_error = case.is_error.map(|flag| !flag);
        let mut session = session_of("wwwwww");
        let past = read(r#"[{"type":"text","text":"what came before"}]"#);
        session.ingest_at(&Call::new("c0", "snap"), &past, Cap::utf16(3));
        let call = Call::new("another \"call\"", case.tool.as_str());
        let result = read(other.to_json());
        let one = &taken.ingested;
        let two = session.ingest_at(&call, &result, Cap::new(limit, unit));
        let anonymous_texts = |ingested: &Ingested, nonce: &str| -> Vec<String> {
            let ids = ref_ids(ingested);
            texts(ingested).iter().map(|text| anonymous(text, nonce, &ids)).collect()
        };
        assert_eq!(anonymous_texts(one, "qqqqqq"), anonymous_texts(&two, "wwwwww"));
        assert_eq!((&one.blocks, one.shown()), (&two.blocks, two.shown()));
        let numbers = |ingested: &Ingested| {
            let StoredCopy { head_len, total_len, kept, left_out, .. } = ingested.stored.clone();
            (head_len, total_len, kept, left_out)
        };
        assert_eq!(numbers(one), numbers(&two));
        let cap = Cap::new(limit, unit);
        let shortened = truncate_history(&one.text, cap, &Grammar::default());
        assert_eq!(shortened, truncate_history(&one.text, cap, &Grammar::default()));
    });
}

/// A line without its ref or ref id.
fn without_ref(line: &str) -> String {
    if let Some(stub) = stub_at(line, 0) {
        return line.replacen(stub.id, "ref_0_0000", 1);
    }
    match placeholder_at(line, 0).and_then(|found| found.image) {
        Some(image) => line.replacen(image.as_str(), "img_000000_0", 1),
        None => line.to_owned(),
    }
}

#[test]
fn l26_a_block_that_is_replaced_costs_its_neighbours_nothing() {
    for_all_bytes(500, |bytes| {
        let case: ContentCase = from_bytes(bytes);
        let Content::Blocks(_) = read(case.to_json()).content else {
            return;
        };
        // Blocks of another case, and some that only just are one.
        let reversed: Vec<u8> = bytes.iter().rev().copied().collect();
        let mut others = from_bytes::<ContentCase>(&reversed).blocks;
        others.truncate(5);
        for json in [
            r#"{"type":"mystery","data":"AAAA"}"#,
            r#"{"type":"text","text":null}"#,
            r#"{"type":"image","data":"AAAA","mimeType":"image/png"}"#,
            r#"{"type":"resource_link","uri":"mcp://elsewhere","name":[1e999]}"#,
            r#"{"type":"text","text":"\ud83d"}"#,
        ] {
            others.push(Json::parse(json).unwrap());
        }
        let before = Taken::of(&case, 0, Unit::Utf16).ingested;
        let spans_before = before.blocks.as_deref().unwrap();
        for (turn, other) in others.into_iter().enumerate() {
            let mut case = case.clone();
            if case.blocks.is_empty() {
                return;
            }
            let at = (bytes.len() + turn) % case.blocks.len();
            let gives_up = other.get("type").and_then(Json::as_str).is_none();
            case.blocks[at] = other;
            let after = Taken::of(&case, 0, Unit::Utf16).ingested;
            assert_eq!(after.blocks.is_none(), gives_up, "{:?}", after.losses);
            let Some(spans_after) = after.blocks.as_deref() else {
                continue;
            };
            for index in (0..case.blocks.len()).filter(|index| *index != at) {
                let [one, two] =
                    [(spans_before, &before), (spans_after, &after)].map(|(spans, ingested)| {
                        (spans[index].kind, without_ref(spans[index].span.of(&ingested.text)))
                    });
                assert_eq!(one, two, "block {index}, where {at} was replaced");
            }
            // Structured content may become, or cease to be, said already.
            let structured = usize::from(case.structured.is_some());
            let lengths = case.blocks.len()..=case.blocks.len() + structured;
            assert!(lengths.contains(&spans_after.len()));
        }
    });
}

/// A payload that no generator has, whatever is made lower case or taken out of it.
const MARK: &str = "7gJ2xQf9MarkedPayloadThatNobodyElseHas4kZ0vB8sT1nY6wC3rHpLdEuAiOo5Mm";

/// Blocks with [`MARK`] for every payload; and how many there are.
fn marked(blocks: &mut [Json]) -> usize {
    let mut count = 0;
    let mut mark = |data: &mut String| {
        // Behind its prefix, if it has one.
        let prefix = if data.get(..5).is_some_and(|start| start.eq_ignore_ascii_case("data:")) {
            data.find(',').map_or("", |comma| &data[..=comma])
        } else {
            ""
        };
        *data = format!("{prefix}{MARK}");
        count += 1;
    };
    for block in blocks {
        let Json::Object(members) = block else { continue };
        for (key, member) in members {
            match (key.as_str(), member) {
                ("data", Json::String(data)) => mark(data),
                ("resource", Json::Object(inner)) => {
                    for (key, member) in inner {
                        if let ("blob", Json::String(data)) = (key.as_str(), member) {
                            mark(data);
                        }
                    }
                }
                _ => {}
            }
        }
    }
    count
}

#[test]
fn l27_no_payload_is_written_into_any_text_but_the_json_of_a_give_up() {
    for_all_results(|case, limit, unit| {
        let mut case = case.clone();
        let count = marked(&mut case.blocks);
        let taken = Taken::of(&case, limit, unit);
        let ingested = &taken.ingested;
        if let Content::GivenUp { text, .. } = &taken.result.content {
            assert_eq!(text.matches(MARK).count(), count, "the whole array, payloads included");
            return;
        }
        for text in texts(ingested) {
            assert!(!text.contains(&MARK[..16]) && !text.contains(&MARK[20..40]), "{text}");
        }
        for loss in &ingested.losses {
            assert!(!format!("{loss:?}").contains(&MARK[..16]), "{loss:?}");
        }
        for loss in &taken.result.losses {
            assert!(!format!("{loss:?}").contains(&MARK[..16]), "{loss:?}");
        }
        let shortened =
            truncate_history(&ingested.text, Cap::new(limit, unit), &Grammar::default());
        assert!(!shortened.contains(&MARK[..16]));
        // It is where it belongs.
        for block in ingested.live.iter().flat_map(|live| &live.blocks) {
            if let LiveBlock::Image { data, .. } = block {
                assert!(data.ends_with(MARK));
            }
        }
        for slot in slots(&ingested.text) {
            if let SlotKind::Inline(found) = slot.kind
                && let Some(image) = found.image
                && let Lookup::Retained(held) = taken.session.ledger().lookup(image)
            {
                assert!(held.payload.base64().ends_with(MARK));
            }
        }
    });
}
