//! What is made of one result, held against the laws and against the oracle.

use slotledger::content::{Block, Call, Content, Loss, ToolResult};
use slotledger::copy::{BlockKind, BlockSpan, LiveBlock, MAX_KEPT};
use slotledger::image::{Lookup, Provenance};
use slotledger::slot::{MAX_STUB_LEN, placeholder_at, slots, stub_at};
use slotledger::{Config, Engine, ImageRef, Ingested, Session};
use slotledger_kit::oracle::{self, Ingestion, Keeping};
use slotledger_kit::{Json, Unit, units};

use crate::places::Places;
use crate::{cap_of, cut, unit_of};

const NONCE: &str = "abc123";

/// A session of its own, the same in every run.
pub(crate) fn session() -> Session {
    let nonce = NONCE.parse().expect("a nonce");
    Engine::new(Config::default().with_nonce(nonce)).session()
}

/// The oracle's ledger of such a session.
pub(crate) fn ledger() -> oracle::Ledger {
    oracle::Ledger::new(NONCE, 64, 100_663_296)
}

/// How a result is taken in.
#[derive(Clone, Copy)]
pub(crate) struct Asked<'a> {
    pub(crate) format: oracle::Format,
    pub(crate) tool: &'a str,
    pub(crate) cap: usize,
    pub(crate) unit: Unit,
}

impl Asked<'_> {
    fn call(&self) -> Call {
        Call::new("c1", self.tool)
    }
}

/// Takes a result in and asserts what holds of every answer: L7 to L12.
pub(crate) fn ingest(session: &mut Session, result: &ToolResult, asked: Asked<'_>) -> Ingested {
    let ingested = session.ingest_at(&asked.call(), result, cap_of(asked.cap, asked.unit));
    spans(result, &ingested, session);
    live(&ingested, asked);
    cut::assert_stored(&ingested.text, &ingested.stored, asked.cap, asked.unit);
    counts(&ingested, unit_of(asked.unit));
    assert_eq!(ingested.is_error, result.is_error);
    // More images than are known of have new refs when they come again (7.8).
    if images(&ingested).count() <= 64 {
        let again = session.ingest_at(&asked.call(), result, cap_of(asked.cap, asked.unit));
        assert_eq!(again, ingested, "twice is once");
    }
    ingested
}

/// L7: the spans tile the text, and each holds the text of its block.
fn spans(result: &ToolResult, ingested: &Ingested, session: &Session) {
    let text = &ingested.text;
    let Content::Blocks(blocks) = &result.content else {
        assert_eq!(ingested.blocks, None);
        return;
    };
    let spans = ingested.blocks.as_deref().expect("it was taken block by block");
    assert_eq!(spans.len(), blocks.len());
    let mut next = 0;
    for (index, (block, BlockSpan { kind, span })) in blocks.iter().zip(spans).enumerate() {
        assert_eq!(span.start, next, "L7");
        assert!(index == 0 || text.as_bytes()[span.start - 1] == b'\n', "L7");
        next = span.end + 1;
        let written = &text[span.range()];
        let (expected, line) = match block {
            Block::Text(text) => (BlockKind::Text, Some(text.to_string())),
            Block::Image(_) => {
                placeholder(written, index, session);
                (BlockKind::Image, None)
            }
            Block::Reference(_) => {
                stub(written, session);
                (BlockKind::Reference, None)
            }
            Block::UnusableReference { reason } => {
                (BlockKind::Reference, Some(format!("[unrecognized content block: {reason}]")))
            }
            Block::Unrecognized { reason } => {
                (BlockKind::Text, Some(format!("[unrecognized content block: {reason}]")))
            }
            Block::Withheld => (BlockKind::Text, Some(oracle::WITHHELD.to_owned())),
            _ => (BlockKind::Text, None),
        };
        assert_eq!(*kind, expected);
        if let Some(line) = line {
            assert_eq!(written, line, "L7");
        }
        if !matches!(block, Block::Text(_) | Block::Image(_) | Block::Reference(_)) {
            assert_eq!(
                slots(written).count(),
                0,
                "9.3: no line that stands for a block has a slot"
            );
        }
    }
    assert_eq!(next.saturating_sub(1), text.len(), "L7");
}

/// A placeholder is read back as the ref that was issued (L25), which names the block.
fn placeholder(written: &str, block: usize, session: &Session) {
    let found = placeholder_at(written, 0).expect("L4: a placeholder is read back");
    assert_eq!(found.text, written, "L4");
    let image = found.image.expect("L25: with its ref");
    if let Some(provenance) = provenance(session, image) {
        assert_eq!((provenance.call_id(), provenance.block()), ("c1", block));
        assert_eq!(provenance.media_type().as_str(), found.media_type);
    }
}

fn provenance(session: &Session, image: ImageRef) -> Option<&Provenance> {
    match session.ledger().lookup(image) {
        Lookup::Retained(held) => Some(held.provenance),
        Lookup::Evicted(provenance) => Some(provenance),
        Lookup::Unknown => None,
    }
}

/// A stub is read back as the id that was issued (L25).
fn stub(written: &str, session: &Session) {
    let found = stub_at(written, 0).expect("L4: a stub is read back");
    assert_eq!(found.text, written, "L4");
    assert!(units(written).len() <= MAX_STUB_LEN, "L3");
    let id = found.id.parse().expect("L25: its id");
    assert!(session.registry().lookup(&id).is_some(), "L25");
}

/// The live copy shows what it says it shows (12), each of its texts within its bound (L11).
fn live(ingested: &Ingested, asked: Asked<'_>) {
    let is_native = images(ingested).next().is_some();
    let Some(live) = &ingested.live else {
        assert!(!is_native && ingested.shown().is_empty());
        return;
    };
    assert!(is_native);
    let spans = ingested.blocks.as_deref().expect("it was taken block by block");
    assert_eq!((live.blocks.len(), ingested.shown().len()), (spans.len(), spans.len()));
    for ((block, shown), span) in live.blocks.iter().zip(ingested.shown()).zip(spans) {
        let (shown, BlockSpan { kind, span }) = (*shown, *span);
        assert!(shown.start == span.start && span.holds(shown), "12.5");
        match block {
            LiveBlock::Image { .. } => {
                assert_eq!((kind, shown), (BlockKind::Image, span));
            }
            LiveBlock::Text(text) => {
                let head = shown.of(&ingested.text);
                let rest = text.strip_prefix(head).expect("it starts with what it shows");
                assert_ne!(kind, BlockKind::Image);
                assert_eq!(rest.is_empty(), shown == span);
                if !rest.is_empty() {
                    assert_eq!(kind, BlockKind::Text);
                    let total = unit_of(asked.unit).len_of(span.of(&ingested.text));
                    let notice = format!("\n\n[truncated — original was {total} chars]");
                    assert_eq!(rest, notice);
                    assert!(unit_of(asked.unit).len_of(head) <= asked.cap, "L11");
                }
            }
            other => panic!("no live block is {other:?}"),
        }
    }
}

/// L8: what is stored counts exactly what was shown; and L9: what is left out has no bytes.
fn counts(ingested: &Ingested, unit: slotledger::Unit) {
    let Some(live) = &ingested.live else {
        // What was not shown is not counted (13.10).
        assert_eq!((ingested.stored.kept.len(), ingested.stored.left_out), (0, 0));
        return;
    };
    let full = &ingested.text;
    let spans = ingested.blocks.as_deref().unwrap_or_default();
    let mut shown: Vec<&str> = Vec::new();
    for (block, span) in live.blocks.iter().zip(spans) {
        match block {
            LiveBlock::Text(text) => shown.extend(slots(text).map(|slot| slot.span.of(text))),
            _ => shown.push(span.span.of(full)),
        }
    }
    let stored = &ingested.stored;
    let head = &full[..unit.offset_in(full, stored.head_len)];
    let in_head = slots(head).count();
    let past = stored.kept.len() + stored.left_out;
    assert_eq!(in_head + past, shown.len(), "L8");
    assert!(stored.left_out == 0 || stored.kept.len() == MAX_KEPT, "L8");
    let mut counted: Vec<&str> = slots(head).map(|slot| slot.span.of(head)).collect();
    counted.extend(stored.kept.iter().map(|slot| slot.of(full)));
    shown.drain(in_head..in_head + stored.left_out);
    assert_eq!(counted, shown, "L8");
}

/// The spans of inline images.
fn images(ingested: &Ingested) -> impl Iterator<Item = &BlockSpan> {
    let spans = ingested.blocks.as_deref().unwrap_or_default();
    spans.iter().filter(|span| span.kind == BlockKind::Image)
}

/// Asserts that an answer is the oracle's, in texts, spans, live copy, slots kept, losses and ledger.
pub(crate) fn assert_oracle(
    value: &Json,
    result: &ToolResult,
    ingested: &Ingested,
    asked: Asked<'_>,
    session: &Session,
) {
    let ref_ids = ref_ids(result, ingested);
    let bound = !asked.tool.is_empty();
    let call = oracle::Call { id: "c1", tool: asked.tool, bound, ref_ids: &ref_ids };
    let Asked { format, cap, unit, .. } = asked;
    let ingestion = Ingestion { format, cap, unit, call, keeping: Keeping::NoStore };
    let mut ledger = ledger();
    let expected = oracle::ingest(value, ingestion, &mut ledger).expect("it was read");
    let places = Places::new(&ingested.text);
    assert_eq!(places.wide, expected.text, "{}", ingested.text);
    let blocks = ingested.blocks.as_deref().map(|spans| {
        spans.iter().map(|block| (kind(block.kind), places.wide(block.span))).collect::<Vec<_>>()
    });
    let their_blocks = expected.blocks.map(|spans| {
        spans.iter().map(|block| (block.kind, (block.start, block.end))).collect::<Vec<_>>()
    });
    assert_eq!(blocks, their_blocks);
    let shown: Vec<_> = ingested.shown().iter().map(|&span| places.wide(span)).collect();
    assert_eq!(shown, expected.shown);
    let live = ingested.live.as_ref().map(|live| live.blocks.iter().map(live_block).collect());
    assert_eq!(live, expected.live);
    assert_eq!(units(&ingested.stored.text), expected.stored.text, "{}", ingested.stored.text);
    let losses: Vec<oracle::Loss> = ingested.losses.iter().filter_map(loss).collect();
    assert_eq!(losses, expected.losses);
    for image in &expected.images {
        let held = match ledger.lookup(&image.reference) {
            oracle::Lookup::Retained(known) => Some(Some(known.image.payload.as_str())),
            oracle::Lookup::Evicted(_) => Some(None),
            oracle::Lookup::Unknown => None,
        };
        let ours = match session.ledger().lookup(image.reference.parse().expect("a ref")) {
            Lookup::Retained(held) => Some(Some(&**held.payload.base64())),
            Lookup::Evicted(_) => Some(None),
            Lookup::Unknown => None,
        };
        assert_eq!(ours, held, "{}", image.reference);
    }
}

/// The ids that were issued, one for each URI, in the order the URIs are first met.
fn ref_ids(result: &ToolResult, ingested: &Ingested) -> Vec<String> {
    let Content::Blocks(blocks) = &result.content else {
        return Vec::new();
    };
    let mut known: Vec<(&str, String)> = Vec::new();
    for (block, span) in blocks.iter().zip(ingested.blocks.as_deref().unwrap_or_default()) {
        if let Block::Reference(reference) = block
            && let Some(stub) = stub_at(span.span.of(&ingested.text), 0)
        {
            match known.iter().find(|(uri, _)| *uri == &*reference.uri) {
                Some((_, id)) => assert_eq!(stub.id, id, "8.3: one URI, one id"),
                None => known.push((&reference.uri, stub.id.to_owned())),
            }
        }
    }
    known.into_iter().map(|(_, id)| id).collect()
}

fn kind(kind: BlockKind) -> oracle::Kind {
    match kind {
        BlockKind::Text => oracle::Kind::Text,
        BlockKind::Image => oracle::Kind::Image,
        BlockKind::Reference => oracle::Kind::Reference,
    }
}

fn live_block(block: &LiveBlock) -> oracle::LiveBlock {
    match block {
        LiveBlock::Text(text) => oracle::LiveBlock::Text(text.to_string()),
        LiveBlock::Image { mime_type, data } => {
            let (media_type, data) = (mime_type.to_string(), data.to_string());
            oracle::LiveBlock::Image { media_type, data }
        }
        other => panic!("no live block is {other:?}"),
    }
}

/// A loss as the oracle says it; what reading the JSON replaced is not its business.
fn loss(loss: &Loss) -> Option<oracle::Loss> {
    Some(match loss {
        Loss::LoneSurrogates { .. } => return None,
        Loss::Withheld { block } => oracle::Loss::Withheld { block: *block },
        Loss::Unrecognized { block, reason } => {
            oracle::Loss::Unrecognized { block: *block, reason: reason.to_string() }
        }
        Loss::GaveUp { block } => oracle::Loss::GaveUp { block: *block },
        Loss::Described { block, media_type, encoded_len } => oracle::Loss::Described {
            block: *block,
            media_type: media_type.to_string(),
            encoded_length: *encoded_len,
        },
        Loss::DroppedField { block, field } => oracle::Loss::DroppedField { block: *block, field },
        Loss::NotHeld { block, image } => {
            oracle::Loss::NotHeld { block: *block, reference: image.to_string() }
        }
        other => panic!("no loss is {other:?}"),
    })
}

/// The texts a model reads of an answer, and what its losses quote.
pub(crate) fn texts(ingested: &Ingested) -> Vec<&str> {
    let mut texts: Vec<&str> = vec![&ingested.text, &ingested.stored.text];
    for block in ingested.live.iter().flat_map(|live| &live.blocks) {
        if let LiveBlock::Text(text) = block {
            texts.push(text);
        }
    }
    for loss in &ingested.losses {
        match loss {
            Loss::Unrecognized { reason, .. } => texts.push(reason),
            Loss::Described { media_type, .. } => texts.push(media_type),
            _ => {}
        }
    }
    texts
}

/// Asserts that a result says how many lone surrogates were replaced, and says so first (9.10); those
/// in members that no rule reads may go uncounted.
pub(crate) fn assert_lone_surrogates(result: &ToolResult, text: &str, replaced: usize) {
    let first = match result.losses.first() {
        Some(Loss::LoneSurrogates { count }) => *count,
        _ => 0,
    };
    assert!(first <= replaced, "9.10: {first} of {replaced}");
    assert!(first > 0 || replaced == 0 || !text.contains('\u{FFFD}'), "9.10: {text}");
    let more = result.losses.iter().skip(1);
    assert!(more.filter(|loss| matches!(loss, Loss::LoneSurrogates { .. })).count() == 0, "9.10");
}
