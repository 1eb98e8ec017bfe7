//! Lines of a folder's index: its head, and one line for each change.

use bytestring::ByteString;
use serde::{Deserialize, Serialize};

use super::contract::{EmittedView, Places};
use super::index::{Change, Entry};
use super::measure::{millis, time_of};
use super::pieces::{MAX_PIECE, Mark, Marks};
use crate::copy::{BlockKind, BlockSpan};
use crate::image::hex;
use crate::record::record::{Gone, Meta, RecordId, Sizes, SlotPlace};
use crate::text::{Span, Unit};

/// What the first line says that the file is.
const WHAT: &str = "records of slotledger";

/// The first line of an index.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Head {
    what: String,
    pub(super) version: i64,
    /// Another one each time that the index is written anew.
    pub(super) edition: String,
    /// Ids up to this one are never given again.
    pub(super) last_id: u64,
}

impl Head {
    pub(super) fn new(version: i64, edition: String, last_id: u64) -> Self {
        Self { what: WHAT.to_owned(), version, edition, last_id }
    }

    pub(super) fn read(line: &[u8]) -> Option<Self> {
        serde_json::from_slice(line).ok().filter(|head: &Self| head.what == WHAT)
    }
}

type Range = (usize, usize);

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
enum Line {
    Kept(Box<Kept>),
    Gone { ids: Vec<u64>, why: String },
    Live { session: String, until: u64 },
    View(View),
    Forgotten(Vec<u64>),
    Removed(String),
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Kept {
    id: u64,
    session: String,
    call_id: String,
    nth: u32,
    tool: String,
    is_error: bool,
    complete: bool,
    plain: bool,
    #[serde(rename = "type")]
    content_type: String,
    unit: Unit,
    bytes: usize,
    chars: usize,
    utf16: usize,
    lines: usize,
    sha256: String,
    created: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    blocks: Vec<(String, usize, usize)>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    shown: Vec<Range>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    slots: Vec<Slot>,
    /// Where its pieces start, in the unit and in bytes, unless that is known.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    marks: Vec<Range>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct Slot {
    span: Range,
    shown: bool,
    #[serde(rename = "ref", default, skip_serializing_if = "Option::is_none")]
    reference: Option<String>,
    media_type: String,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
struct View {
    session: String,
    call_id: String,
    sha256: String,
    record: u64,
    kind: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    range: Option<Range>,
}

/// Writes a change as one line.
pub(super) fn write(change: &Change, text: &mut Vec<u8>) -> serde_json::Result<()> {
    let numbers = |ids: &[RecordId]| ids.iter().map(|id| id.0).collect();
    let line = match change {
        Change::Kept(entry) => Line::Kept(Box::new(kept_of(entry))),
        Change::Gone { ids, why } => Line::Gone { ids: numbers(ids), why: why.as_str().to_owned() },
        Change::Live { session, until } => {
            Line::Live { session: session.to_string(), until: *until }
        }
        Change::View(view) => Line::View(View {
            session: view.session.to_string(),
            call_id: view.call_id.to_string(),
            sha256: hex(&view.sha256),
            record: view.record.0,
            kind: view.kind.to_string(),
            range: view.range,
        }),
        Change::Forgotten { ids } => Line::Forgotten(numbers(ids)),
        Change::Removed { session } => Line::Removed(session.to_string()),
    };
    serde_json::to_writer(&mut *text, &line)?;
    text.push(b'\n');
    Ok(())
}

/// Reads a line. One that is none was not written to its end.
pub(super) fn read(line: &[u8]) -> Option<Change> {
    let ids = |numbers: Vec<u64>| numbers.into_iter().map(RecordId).collect();
    Some(match serde_json::from_slice(line).ok()? {
        Line::Kept(kept) => Change::Kept(Box::new(entry_of(*kept)?)),
        Line::Gone { ids: numbers, why } => Change::Gone { ids: ids(numbers), why: why_of(&why)? },
        Line::Live { session, until } => Change::Live { session: session.into(), until },
        Line::View(view) => Change::View(EmittedView {
            session: view.session.into(),
            call_id: view.call_id.into(),
            sha256: digest_of_hex(&view.sha256)?,
            record: RecordId(view.record),
            kind: view.kind.into(),
            range: view.range,
        }),
        Line::Forgotten(numbers) => Change::Forgotten { ids: ids(numbers) },
        Line::Removed(session) => Change::Removed { session: session.into() },
    })
}

fn kept_of(Entry { meta, places, marks }: &Entry) -> Kept {
    let range = |span: Span| (span.start, span.end);
    let block =
        |block: &BlockSpan| (kind_word(block.kind).to_owned(), block.span.start, block.span.end);
    let slot = |slot: &SlotPlace| Slot {
        span: range(slot.span),
        shown: slot.shown,
        reference: slot.reference.as_ref().map(ToString::to_string),
        media_type: slot.media_type.to_string(),
    };
    let marks = if has_regular_marks(&meta.sizes) { &[] } else { marks.0.as_slice() };
    Kept {
        id: meta.id.0,
        session: meta.session.to_string(),
        call_id: meta.call_id.to_string(),
        nth: meta.nth,
        tool: meta.tool.to_string(),
        is_error: meta.is_error,
        complete: meta.complete,
        plain: meta.plain,
        content_type: meta.content_type.to_string(),
        unit: meta.unit,
        bytes: meta.sizes.bytes,
        chars: meta.sizes.chars,
        utf16: meta.sizes.utf16,
        lines: meta.sizes.lines,
        sha256: hex(&meta.sha256),
        created: millis(meta.created),
        blocks: places.blocks.iter().map(block).collect(),
        shown: places.shown.iter().copied().map(range).collect(),
        slots: places.slots.iter().map(slot).collect(),
        marks: marks.iter().map(|mark| (mark.at, mark.byte_at)).collect(),
    }
}

fn entry_of(kept: Kept) -> Option<Entry> {
    let span = |(start, end)| Span::new(start, end);
    let block = |(kind, start, end): (String, usize, usize)| {
        Some(BlockSpan { kind: kind_of(&kind)?, span: Span::new(start, end) })
    };
    let slot = |slot: Slot| SlotPlace {
        span: span(slot.span),
        shown: slot.shown,
        reference: slot.reference.map(ByteString::from),
        media_type: slot.media_type.into(),
    };
    let sizes =
        Sizes { bytes: kept.bytes, chars: kept.chars, utf16: kept.utf16, lines: kept.lines };
    let is_known = kept.id <= i64::MAX.unsigned_abs() && sizes.bytes <= LONGEST;
    if !is_known || !are_sizes(&sizes) {
        return None;
    }
    let marks: Vec<Mark> = if has_regular_marks(&sizes) {
        (0..sizes.bytes).step_by(MAX_PIECE).map(|at| Mark { at, byte_at: at }).collect()
    } else {
        kept.marks.into_iter().map(|(at, byte_at)| Mark { at, byte_at }).collect()
    };
    if !are_marks(&marks, sizes.bytes) {
        return None;
    }
    let places = Places {
        blocks: kept.blocks.into_iter().map(block).collect::<Option<_>>()?,
        shown: kept.shown.into_iter().map(span).collect(),
        slots: kept.slots.into_iter().map(slot).collect(),
    };
    let meta = Meta {
        id: RecordId(kept.id),
        session: kept.session.into(),
        call_id: kept.call_id.into(),
        nth: kept.nth,
        tool: kept.tool.into(),
        is_error: kept.is_error,
        complete: kept.complete,
        plain: kept.plain,
        content_type: kept.content_type.into(),
        unit: kept.unit,
        sizes,
        sha256: digest_of_hex(&kept.sha256)?,
        slots: places.slots.len(),
        created: time_of(kept.created),
        gone: None,
    };
    Some(Entry { meta, places, marks: Marks(marks) })
}

/// The longest text that a line may tell of, in bytes: more than any memory holds.
const LONGEST: usize = 1 << 36;

/// Whether a text can have these sizes.
fn are_sizes(sizes: &Sizes) -> bool {
    let Sizes { bytes, chars, utf16, lines } = *sizes;
    chars <= utf16 && utf16 <= bytes && bytes <= chars.saturating_mul(4) && lines <= chars
}

/// Whether the pieces of a text of `bytes` can start at these places.
fn are_marks(marks: &[Mark], bytes: usize) -> bool {
    let ends = marks.iter().skip(1).copied().map(Some).chain([None]);
    let is_piece = |(mark, next): (&Mark, Option<Mark>)| match next {
        Some(next) => {
            mark.at < next.at
                && mark.byte_at < next.byte_at
                && next.byte_at - mark.byte_at <= MAX_PIECE
        }
        None => mark.byte_at < bytes && bytes - mark.byte_at <= MAX_PIECE,
    };
    let first = marks.first().copied().unwrap_or_default();
    // A text that is gone has none.
    marks.is_empty() || first == Mark::default() && marks.iter().zip(ends).all(is_piece)
}

/// Whether every piece but the last is as long as may be: in ASCII, or if there is but one.
fn has_regular_marks(sizes: &Sizes) -> bool {
    sizes.bytes == sizes.chars || sizes.bytes <= MAX_PIECE
}

fn why_of(word: &str) -> Option<Gone> {
    [Gone::Age, Gone::Quota, Gone::Request, Gone::Damage]
        .into_iter()
        .find(|why| why.as_str() == word)
}

fn kind_word(kind: BlockKind) -> &'static str {
    match kind {
        BlockKind::Text => "text",
        BlockKind::Image => "image",
        BlockKind::Reference => "reference",
    }
}

fn kind_of(word: &str) -> Option<BlockKind> {
    let kinds = [BlockKind::Text, BlockKind::Image, BlockKind::Reference];
    kinds.into_iter().find(|kind| kind_word(*kind) == word)
}

/// The SHA-256 of 64 hex digits, lower case.
pub(super) fn digest_of_hex(digits: &str) -> Option<[u8; 32]> {
    let mut digest = [0; 32];
    let is_digit = |byte: u8| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
    if digits.len() != 2 * digest.len() || !digits.bytes().all(is_digit) {
        return None;
    }
    for (byte, pair) in digest.iter_mut().zip(digits.as_bytes().chunks_exact(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(digest)
}
