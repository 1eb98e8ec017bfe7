//! The differential test: what is stored of a content array counts what was shown of it.

use slotledger::content::wire::mcp;
use slotledger::content::{Content, ToolResult};
use slotledger::copy::BlockKind;
use slotledger::image::Lookup;
use slotledger::slot::placeholder_at;
use slotledger::{Ingested, Session};
use slotledger_kit::generate::{ContentCase, from_bytes};
use slotledger_kit::oracle::Format;
use slotledger_kit::{Json, Unit};

use crate::answer::{self, Asked};
use crate::ingest::assert_no_payload;
use crate::unit_of;

/// The slots of the stored copy are those of the live copy, in order, the newest 64 past the cut (L8);
/// and every text, span and loss is the oracle's (L7, L9 to L12, L26, L27).
pub fn copies(bytes: &[u8]) {
    let case: ContentCase = from_bytes(bytes);
    let json = case.to_json();
    let result = read(&json);
    let asked =
        Asked { format: Format::Mcp, tool: &case.tool, cap: case.cap as usize, unit: case.unit };
    let mut session = answer::session();
    let ingested = answer::ingest(&mut session, &result, asked);
    answer::assert_oracle(&case.result(), &result, &ingested, asked, &session);
    assert_no_payload(&case.result(), &result, &ingested);
    left_out_has_no_bytes(&ingested, case.unit, &session);
    let afresh = answer::ingest(&mut answer::session(), &read(&json), asked);
    assert_eq!(afresh, ingested, "L12: the same input, the same bytes");
    one_block_replaced(&case, &ingested, asked, crate::seed_of(bytes));
}

fn read(json: &str) -> ToolResult {
    mcp::read(&json.to_owned().into()).expect("a case is JSON")
}

/// L9.
fn left_out_has_no_bytes(ingested: &Ingested, unit: Unit, session: &Session) {
    let stored = &ingested.stored;
    let spans = ingested.blocks.as_deref().unwrap_or_default();
    let images: Vec<_> =
        spans.iter().filter(|span| span.kind == BlockKind::Image).map(|span| span.span).collect();
    if stored.left_out == 0 || !stored.kept.iter().all(|kept| images.contains(kept)) {
        return;
    }
    assert!(session.ledger().len() <= 64);
    let first = stored.kept[0].start;
    let head = unit_of(unit).offset_in(&ingested.text, stored.head_len);
    for image in images {
        if (head..first).contains(&image.start) {
            let placeholder = placeholder_at(&ingested.text, image.start).expect("L4");
            let lookup = session.ledger().lookup(placeholder.image.expect("L25"));
            assert!(!matches!(lookup, Lookup::Retained(_)), "L9: {}", placeholder.text);
        }
    }
}

/// L26: a bad block never costs its neighbours.
fn one_block_replaced(case: &ContentCase, before: &Ingested, asked: Asked<'_>, seed: usize) {
    let Some(spans) = before.blocks.as_deref().filter(|_| case.structured.is_none()) else {
        return;
    };
    if spans.is_empty() {
        return;
    }
    let at = seed % spans.len();
    let mut case = case.clone();
    let other = [r#"{"type":"mystery"}"#, r#"{"type":"text","text":7}"#, r#"{"type":"image"}"#];
    case.blocks[at] = Json::parse(other[seed / 7 % other.len()]).expect("JSON");
    let result = read(&case.to_json());
    assert!(matches!(result.content, Content::Blocks(_)), "L26");
    let after = answer::ingest(&mut answer::session(), &result, asked);
    let spans_after = after.blocks.as_deref().unwrap_or_default();
    assert_eq!(spans.len(), spans_after.len(), "L26");
    for (index, (one, two)) in spans.iter().zip(spans_after).enumerate() {
        if index == at {
            continue;
        }
        let (one_text, two_text) = (one.span.of(&before.text), two.span.of(&after.text));
        match one.kind {
            BlockKind::Text => assert_eq!(one_text, two_text, "L26"),
            BlockKind::Image | BlockKind::Reference => {
                assert_eq!(without_ref(one_text), without_ref(two_text), "L26");
            }
        }
        assert_eq!(one.kind, two.kind, "L26");
    }
}

/// A placeholder or a stub up to its ref, or from behind its ref id.
fn without_ref(line: &str) -> &str {
    match slotledger::slot::stub_at(line, 0) {
        Some(stub) => &line[1 + stub.id.len()..],
        None => line.rsplit_once(", ref ").map_or(line, |(before, _)| before),
    }
}
