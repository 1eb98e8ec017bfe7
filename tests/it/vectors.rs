//! Every vector of `tests/vectors`, answered by what the crate offers.

use std::collections::BTreeSet;

use slotledger::content::wire::{data, mcp, outcome};
use slotledger::content::{Block, Call, Content, Image, Loss, Reference, ToolResult};
use slotledger::copy::{
    BlockKind, BlockSpan, Cut, Keeping, LiveBlock, LiveCopy, StoredCopy, cut_at, cut_shown,
    serialize, truncate_history,
};
use slotledger::image::{Limits, Lookup, PayloadError, Provenance};
use slotledger::slot::{
    Grammar, Slot, SlotKind, StubParts, encoded_size_label, label, placeholder_size_label, slots,
    stub_size_label, write_stub,
};
use slotledger::text::{Offsets, Span, Spans};
use slotledger::{Cap, Config, Engine, Ledger, MediaType, Registry, Session, Unit};
use slotledger_kit::vectors::{self, Vector, difference, minted_ref_ids, with_plain_ref_ids};
use slotledger_kit::{Json, Unit as KitUnit};

use crate::support::{NONCE, registry};

/// The files that are answered here.
const FILES: [&str; 7] = [
    "caps.jsonl",
    "cut.jsonl",
    "labels.jsonl",
    "ledger.jsonl",
    "serializer.jsonl",
    "slots.jsonl",
    "stored.jsonl",
];

/// The files that are answered in other modules, where there are some.
const ELSEWHERE: [&str; 5] =
    ["content_type.jsonl", "reading.jsonl", "recall.jsonl", "recall_args.jsonl", "saving.jsonl"];

/// How many vectors the files here have at least; none may be lost.
const AT_LEAST: usize = 282;

/// Every operation that they have.
const OPERATIONS: [&str; 13] = [
    "cap",
    "cut",
    "cut_stored",
    "ingest",
    "label",
    "ledger",
    "media_type",
    "placeholder_size",
    "slots",
    "stored_text",
    "stub_size",
    "truncate_history",
    "write_stub",
];

#[test]
fn every_vector_is_answered_as_expected() {
    let failures: Vec<String> =
        FILES.into_iter().flat_map(vectors::file).filter_map(|vector| failure(&vector)).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn no_file_no_operation_and_no_vector_is_passed_over() {
    let known = [FILES.as_slice(), &ELSEWHERE].concat();
    let unknown: Vec<String> =
        vectors::files().into_iter().filter(|name| !known.contains(&name.as_str())).collect();
    assert_eq!(unknown, Vec::<String>::new());
    let all: Vec<Vector> = FILES.into_iter().flat_map(vectors::file).collect();
    let operations: BTreeSet<&str> = all.iter().map(|vector| vector.op.as_str()).collect();
    assert_eq!(operations, BTreeSet::from(OPERATIONS));
    assert!(all.len() >= AT_LEAST, "{} vectors", all.len());
}

fn failure(vector: &Vector) -> Option<String> {
    let found = difference(&vector.expected, &answer(vector))?;
    Some(format!("{} ({}), {}: {found}", vector.id, vector.source, vector.title))
}

/// The crate's answer, in the fields of the pipe protocol.
fn answer(vector: &Vector) -> Json {
    let input = Input(&vector.input);
    let grammar = Grammar::default();
    match vector.op.as_str() {
        "slots" => {
            let text = input.text("text");
            Json::object([("slots", slots_json(text, input.unit()))])
        }
        "cut" => {
            let (text, unit) = (input.text("text"), input.unit());
            let at = cut_at(text, input.cap(), &grammar);
            Json::object([("at", at.map(|at| unit.len_of(&text[..at])).into())])
        }
        "cut_stored" => {
            let (text, cap) = (input.text("text"), input.cap());
            match cut_shown(text, cap, &input.ranges(text), &grammar) {
                Some(Cut { at, kept, left_out, .. }) => {
                    kept_json(text, cap.unit().len_of(&text[..at]), &kept, left_out)
                }
                None => kept_json(text, cap.unit().len_of(text), &[], 0),
            }
        }
        "stored_text" => {
            let (text, cap) = (input.text("text"), input.cap());
            let shown = input.ranges(text);
            let stored = StoredCopy::of(&text.into(), cap, &shown, &grammar, input.keeping());
            Json::object([
                ("text", (&*stored.text).into()),
                ("length", cap.unit().len_of(&stored.text).into()),
                ("slots", slots_json(&stored.text, cap.unit())),
            ])
        }
        "truncate_history" => {
            let cut = truncate_history(input.text("text"), input.cap(), &grammar);
            let length = input.unit().len_of(&cut);
            Json::object([("text", (&*cut).into()), ("length", length.into())])
        }
        "media_type" => {
            let media_type = MediaType::from_testimony(input.text("value"));
            Json::object([("mediaType", media_type.as_str().into())])
        }
        "placeholder_size" => Json::object([("size", placeholder_size(input).into())]),
        "stub_size" => {
            Json::object([("size", stub_size_label(input.number("bytes") as u64).into())])
        }
        "label" => {
            let label = label(input.text("value"), input.number("max"));
            Json::object([("label", (&*label).into())])
        }
        "write_stub" => stub_json(input),
        "cap" => cap_json(input),
        "ingest" => {
            let mut session = session_of(input);
            let result = input.result();
            let ingested = session.ingest_at(&input.call(), &result, input.cap());
            let ingested = Ingested {
                text: &ingested.text,
                blocks: ingested.blocks.as_deref(),
                live: ingested.live.as_ref(),
                stored: &ingested.stored,
                losses: &ingested.losses,
            };
            ingested_json(ingested, input.unit())
        }
        "ledger" => ledger_json(input),
        other => panic!("{}: no operation is {other}", vector.source),
    }
}

/// The fields of a request.
#[derive(Clone, Copy)]
struct Input<'v>(&'v Json);

impl<'v> Input<'v> {
    fn field(self, key: &str) -> Option<&'v Json> {
        self.0.get(key)
    }

    fn text_if(self, key: &str) -> Option<&'v str> {
        self.field(key)?.as_str()
    }

    fn text(self, key: &str) -> &'v str {
        self.text_if(key).unwrap_or_else(|| panic!("no `{key}` in {}", self.0))
    }

    fn number_if(self, key: &str) -> Option<usize> {
        self.field(key)?.as_usize()
    }

    fn number(self, key: &str) -> usize {
        self.number_if(key).unwrap_or_else(|| panic!("no `{key}` in {}", self.0))
    }

    fn unit(self) -> Unit {
        match self.text_if("unit") {
            None | Some("utf16") => Unit::Utf16,
            Some("char") => Unit::Char,
            Some("byte") => Unit::Byte,
            Some(other) => panic!("no unit is {other}"),
        }
    }

    /// Absent: the default; `null` or 0: none.
    fn cap(self) -> Cap {
        let limit = match self.field("cap") {
            None => Config::DEFAULT_CAP,
            Some(Json::Null) => 0,
            Some(_) => self.number("cap"),
        };
        Cap::new(limit, self.unit())
    }

    fn ranges(self, text: &str) -> Spans {
        let mut spans = Spans::default();
        let place = |offset: &Json| self.unit().offset_in(text, offset.as_usize().unwrap());
        for range in self.field("ranges").and_then(Json::as_array).unwrap() {
            let [start, end] = range.as_array().unwrap() else { panic!("no range: {range}") };
            assert!(spans.push(Span::new(place(start), place(end))), "ranges ascend");
        }
        spans
    }

    fn keeping(self) -> Keeping<'v> {
        let Some(keeping) = self.field("keeping").map(Input) else {
            return Keeping::NoStore;
        };
        match keeping.text_if("callId") {
            Some(handle) => Keeping::Kept { handle, unit: Unit::Utf16, direct: None },
            None => Keeping::Failed { reason: keeping.text("failed") },
        }
    }

    fn call(self) -> Call {
        let call = Input(self.field("call").unwrap());
        Call::new(call.text("id"), call.text("name"))
    }

    fn result(self) -> ToolResult {
        let json = match self.text_if("resultJson") {
            Some(spelled) => spelled.to_owned(),
            None => self.field("result").unwrap().to_string(),
        };
        let bytes = json.into_bytes().into();
        let result = match self.text_if("format") {
            None | Some("mcp") => mcp::read(&bytes),
            Some("data") => data::read(&bytes),
            Some("outcome") => outcome::read(&bytes),
            Some(other) => panic!("no format is {other}"),
        };
        result.expect("a result")
    }

    fn limits(self) -> Limits {
        let default = Limits::default();
        Limits {
            max_images: self.number_if("maxEntries").unwrap_or(default.max_images),
            max_base64_bytes: self.number_if("maxChars").unwrap_or(default.max_base64_bytes),
        }
    }

    fn nonce(self) -> &'v str {
        self.text_if("nonce").unwrap_or(NONCE)
    }
}

fn session_of(input: Input<'_>) -> Session {
    let nonce = input.nonce().parse().unwrap();
    Engine::new(Config::default().with_nonce(nonce).with_limits(input.limits())).session()
}

fn placeholder_size(input: Input<'_>) -> String {
    match input.number_if("encodedLength") {
        Some(encoded_len) => encoded_size_label(encoded_len),
        None => placeholder_size_label(input.number("bytes") as u64),
    }
}

/// A stub of what a block would say, since that is where fields are dropped (9.4).
fn stub_json(input: Input<'_>) -> Json {
    let field = |key| input.field(key).cloned().unwrap_or(Json::Null);
    let block = Json::object([
        ("type", "resource_link".into()),
        ("uri", "mcp://any".into()),
        ("name", field("name")),
        ("mimeType", field("mediaType")),
        ("size", field("size")),
    ]);
    let result = mcp::read(&format!("[{block}]").into_bytes().into()).unwrap();
    let Content::Blocks(blocks) = result.content else { panic!("blocks") };
    let [Block::Reference(Reference { name, mime_type, size_bytes, .. })] = blocks.as_slice()
    else {
        panic!("one reference: {blocks:?}")
    };
    let is_bound = input.field("bound") != Some(&Json::Bool(false));
    let fetch = if is_bound {
        "fetch with fetch_reference"
    } else {
        "cannot be fetched: its server is not known"
    };
    let mut text = String::new();
    write_stub(
        &mut text,
        &StubParts {
            id: &input.text("refId").parse().unwrap(),
            name: name.as_deref().unwrap_or_default(),
            mime: mime_type.as_deref().unwrap_or_default(),
            size_bytes: *size_bytes,
            provenance: input.text_if("provenance").unwrap_or("from tool result"),
            saved: input.text_if("saved"),
            fetch,
        },
    );
    Json::object([("length", Unit::Utf16.len_of(&text).into()), ("text", text.into())])
}

/// The effective cap. That a session's setting comes first is its host's doing (14.2).
fn cap_json(input: Input<'_>) -> Json {
    // A fraction is dropped, and what is no number is no cap.
    let whole = |key| match input.field(key)? {
        Json::Number(spelling) => spelling.split('.').next()?.parse::<usize>().ok(),
        _ => Some(0),
    };
    let setting = whole("setting").filter(|&cap| cap >= Config::MIN_CAP);
    let config = match setting.or(whole("configuration")) {
        Some(cap) => Config::default().with_cap(cap),
        None => Ok(Config::default()),
    };
    match config.map(|config| config.with_host_bound(whole("hostBound").unwrap_or(0))) {
        Ok(config) => Json::object([("effective", config.cap().limit().into())]),
        Err(error) => Json::object([("error", format!("must be {}", error.expected).into())]),
    }
}

/// What was made of a result.
#[derive(Clone, Copy)]
struct Ingested<'i> {
    text: &'i str,
    blocks: Option<&'i [BlockSpan]>,
    live: Option<&'i LiveCopy>,
    stored: &'i StoredCopy,
    losses: &'i [Loss],
}

fn ingested_json(ingested: Ingested<'_>, unit: Unit) -> Json {
    let Ingested { text, blocks, live, stored, losses } = ingested;
    let mut offsets = Offsets::new(text, unit);
    let mut range = |span: Span| [offsets.at(span.start), offsets.at(span.end)].map(Json::from);
    let blocks: Option<Vec<Json>> = blocks.map(|blocks| {
        let block = |block: &BlockSpan| {
            let [start, end] = range(block.span);
            Json::object([("kind", kind(block.kind).into()), ("start", start), ("end", end)])
        };
        blocks.iter().map(block).collect()
    });
    let shown: Vec<Json> = live.map_or_else(Vec::new, |live| {
        live.shown.as_slice().iter().map(|&span| range(span).to_vec().into()).collect()
    });
    let live: Option<Vec<Json>> = live.map(|live| live.blocks.iter().map(live_json).collect());
    let Json::Object(mut parts) = kept_json(text, stored.head_len, &stored.kept, stored.left_out)
    else {
        panic!("an object")
    };
    parts.push(("text".to_owned(), (&*stored.text).into()));
    parts.push(("total".to_owned(), stored.total_len.into()));
    parts.push(("recorded".to_owned(), false.into()));
    let answer = Json::object([
        ("text", text.into()),
        ("blocks", blocks.into()),
        ("live", live.into()),
        ("shown", shown.into()),
        ("stored", Json::Object(parts)),
        ("slots", slots_json(&stored.text, unit)),
        ("losses", losses.iter().map(loss_json).collect::<Vec<_>>().into()),
    ]);
    plain(&answer, unit)
}

fn object(members: Vec<(&str, Json)>) -> Json {
    Json::Object(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}

fn kind(kind: BlockKind) -> &'static str {
    match kind {
        BlockKind::Text => "text",
        BlockKind::Image => "image",
        BlockKind::Reference => "reference",
    }
}

fn live_json(block: &LiveBlock) -> Json {
    match block {
        LiveBlock::Text(text) => {
            Json::object([("type", "text".into()), ("text", (&**text).into())])
        }
        LiveBlock::Image { mime_type, data } => Json::object([
            ("type", "image".into()),
            ("mimeType", (&**mime_type).into()),
            ("data", (&**data).into()),
        ]),
        other => panic!("no live block is {other:?}"),
    }
}

fn kept_json(text: &str, head: usize, kept: &[Span], left_out: usize) -> Json {
    let kept: Vec<Json> = kept.iter().map(|slot| slot.of(text).into()).collect();
    Json::object([("head", head.into()), ("kept", kept.into()), ("leftOut", left_out.into())])
}

fn slots_json(text: &str, unit: Unit) -> Json {
    let mut offsets = Offsets::new(text, unit);
    let slot = |slot: Slot<'_>| {
        let (kind, media_type, fields) = match slot.kind {
            SlotKind::Inline(found) => {
                let reference = found.image.map(|image| image.to_string());
                let fields = vec![("size", found.size.into()), ("ref", reference.into())];
                ("inline", found.media_type.to_owned(), fields)
            }
            SlotKind::Reference { stub, image_type } => {
                ("reference", image_type.to_ascii_lowercase(), vec![("refId", stub.id.into())])
            }
            other => panic!("no slot of ours is {other:?}"),
        };
        let mut members: Vec<(&str, Json)> = vec![
            ("kind", kind.into()),
            ("start", offsets.at(slot.span.start).into()),
            ("end", offsets.at(slot.span.end).into()),
            ("text", slot.span.of(text).into()),
            ("mediaType", media_type.into()),
        ];
        members.extend(fields);
        object(members)
    };
    slots(text).map(slot).collect::<Vec<_>>().into()
}

fn loss_json(loss: &Loss) -> Json {
    let of = |kind: &str, fields: &[(&'static str, Json)]| {
        object([&[("kind", kind.into())], fields].concat())
    };
    let at = |block: &usize| ("block", Json::from(*block));
    match loss {
        Loss::LoneSurrogates { count } => of("lone_surrogates", &[("count", (*count).into())]),
        Loss::Withheld { block } => of("withheld", &[at(block)]),
        Loss::Unrecognized { block, reason } => {
            of("unrecognized", &[at(block), ("reason", (&**reason).into())])
        }
        Loss::GaveUp { block } => of("gave_up", &[at(block)]),
        Loss::Described { block, media_type, encoded_len } => {
            let fields = [
                at(block),
                ("mediaType", (&**media_type).into()),
                ("encodedLength", (*encoded_len).into()),
            ];
            of("described", &fields)
        }
        Loss::DroppedField { block, field } => {
            of("dropped_field", &[at(block), ("field", (*field).into())])
        }
        Loss::NotHeld { block, image } => {
            of("not_held", &[at(block), ("ref", image.as_str().into())])
        }
        other => panic!("no loss is {other:?}"),
    }
}

/// An answer with its ref ids as the vectors write them.
fn plain(answer: &Json, unit: Unit) -> Json {
    let unit = match unit {
        Unit::Utf16 => KitUnit::Utf16,
        Unit::Char => KitUnit::Chars,
        Unit::Byte => KitUnit::Bytes,
    };
    with_plain_ref_ids(answer, &minted_ref_ids(answer, unit))
}

fn ledger_json(input: Input<'_>) -> Json {
    let mut ledger = Ledger::new(input.nonce().parse().unwrap(), input.limits());
    let mut registry = registry();
    let mut step = |step: &Json| {
        let step = Input(step);
        if let Some(image) = step.field("retain").map(Input) {
            let call = Call::new(image.text("toolCallId"), image.text("toolName"));
            let block = image.number("blockIndex");
            let image = Image::new(image.text("data"), image.text("mediaType"));
            Json::object([("ref", ledger.retain(&call, block, &image).as_str().into())])
        } else if let Some(request) = step.field("ingest").map(Input) {
            ingested_by_hand(request, &mut ledger, &mut registry)
        } else {
            lookup_json(&ledger, step.text("lookup"))
        }
    };
    let steps: Vec<Json> =
        input.field("steps").and_then(Json::as_array).unwrap().iter().map(&mut step).collect();
    Json::object([("steps", steps.into())])
}

/// What a session does, step by step, with a ledger of one's own.
fn ingested_by_hand(input: Input<'_>, ledger: &mut Ledger, registry: &mut Registry) -> Json {
    let (result, cap, grammar) = (input.result(), input.cap(), Grammar::default());
    let full = serialize(&result.content, &input.call(), ledger, registry);
    let live = LiveCopy::of(&result.content, &full, cap, &grammar, Keeping::NoStore);
    let shown = live.as_ref().map_or_else(Spans::default, |live| live.shown.clone());
    let stored = StoredCopy::of(&full.text, cap, &shown, &grammar, Keeping::NoStore);
    let losses = [result.losses, full.losses].concat();
    let ingested = Ingested {
        text: &full.text,
        blocks: full.blocks.as_deref(),
        live: live.as_ref(),
        stored: &stored,
        losses: &losses,
    };
    ingested_json(ingested, cap.unit())
}

fn lookup_json(ledger: &Ledger, reference: &str) -> Json {
    let unknown = || Json::object([("state", "unknown".into())]);
    let known = |state: &str, provenance: &Provenance, byte_size: Option<usize>| {
        Json::object([
            ("state", state.into()),
            ("ref", provenance.image().as_str().into()),
            ("toolCallId", provenance.call_id().into()),
            ("toolName", provenance.tool().into()),
            ("blockIndex", provenance.block().into()),
            ("mediaType", provenance.media_type().as_str().into()),
            ("byteSize", byte_size.into()),
        ])
    };
    let Ok(image) = reference.parse() else {
        return unknown();
    };
    match ledger.lookup(image) {
        Lookup::Retained(held) => {
            let byte_size = match held.payload.decoded_len() {
                // No bytes are given for it, but it has a size (7.3).
                Err(PayloadError::Empty) => Some(0),
                exact => exact.ok(),
            };
            known("retained", held.provenance, byte_size)
        }
        Lookup::Evicted(provenance) => known("evicted", provenance, None),
        Lookup::Unknown => unknown(),
    }
}
