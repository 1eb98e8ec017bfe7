//! The oracle's answers to the operations of vectors, in the fields of the pipe protocol.

use crate::json::Json;
use crate::oracle::{
    self, BlockSpan, Call, Format, Ingested, Ingestion, Keeping, Kept, Ledger, LiveBlock, Lookup,
    Loss, Provenance, Reference, Retention, Slot, SlotKind,
};
use crate::{Unit, length, offset_from, offset_in, text_of, units};

/// The ledger's nonce in vectors that name none.
const NONCE: &str = "abc123";

/// Returns the oracle's answer to an operation, or `None` where it does not know the operation.
///
/// # Panics
///
/// When the input has not the fields of the operation.
pub fn answer(op: &str, input: &Json) -> Option<Json> {
    Some(match op {
        "slots" => {
            let (text, unit) = (text(input), unit(input));
            Json::object([("slots", slots_json(&text, unit))])
        }
        "cut" => {
            let (text, unit) = (text(input), unit(input));
            let at = oracle::cut(&text, cap(input), unit);
            Json::object([("at", at.map(|at| offset_in(&text, at, unit)).into())])
        }
        "cut_stored" => {
            let (text, unit) = (text(input), unit(input));
            let kept = oracle::cut_stored(&text, cap(input), unit, &ranges(input, &text));
            kept_json(&text, unit, &kept)
        }
        "stored_text" => {
            let (text, unit) = (text(input), unit(input));
            let (ranges, keeping) = (ranges(input, &text), keeping(input));
            let stored = oracle::stored_text(&text, cap(input), unit, &ranges, keeping);
            let slots = slots_json(&stored.text, unit);
            let length = length(&stored.text, unit);
            let text = text_of(&stored.text);
            Json::object([("text", text.into()), ("length", length.into()), ("slots", slots)])
        }
        "truncate_history" => {
            let stored = oracle::truncate_history(&text(input), cap(input), unit(input));
            let length = length(&stored, unit(input));
            Json::object([("text", text_of(&stored).into()), ("length", length.into())])
        }
        "media_type" => {
            Json::object([("mediaType", oracle::media_type(string(input, "value")).into())])
        }
        "placeholder_size" => sized(oracle::placeholder_size(bytes(input))),
        "stub_size" => sized(oracle::stub_size(bytes(input))),
        "label" => {
            let max = number(input, "max");
            Json::object([("label", oracle::label(string(input, "value"), max).into())])
        }
        "write_stub" => write_stub(input),
        "cap" => cap_answer(input),
        "ingest" => ingest(input, &mut new_ledger(input))?,
        "ledger" => ledger(input),
        _ => return None,
    })
}

fn member<'a>(input: &'a Json, key: &str) -> &'a Json {
    input.get(key).unwrap_or_else(|| panic!("no `{key}` in {input}"))
}

fn string<'a>(input: &'a Json, key: &str) -> &'a str {
    member(input, key).as_str().unwrap_or_else(|| panic!("`{key}` is no string in {input}"))
}

fn number(input: &Json, key: &str) -> usize {
    member(input, key).as_usize().unwrap_or_else(|| panic!("`{key}` is no size in {input}"))
}

fn text(input: &Json) -> Vec<u16> {
    units(string(input, "text"))
}

fn unit(input: &Json) -> Unit {
    let name = input.get("unit").and_then(Json::as_str);
    name.map_or(Unit::default(), |name| Unit::named(name).expect("a unit's name"))
}

/// Absent is the default, `null` is no cap.
fn cap(input: &Json) -> usize {
    match input.get("cap") {
        None => 24_000,
        Some(Json::Null) => 0,
        Some(_) => number(input, "cap"),
    }
}

fn bytes(input: &Json) -> u64 {
    match input.get("encodedLength") {
        Some(_) => number(input, "encodedLength") as u64 * 3 / 4,
        None => number(input, "bytes") as u64,
    }
}

fn sized(size: String) -> Json {
    Json::object([("size", size.into())])
}

fn ranges(input: &Json, text: &[u16]) -> Vec<(usize, usize)> {
    let unit = unit(input);
    let place = |offset: &Json| {
        let offset = offset.as_usize().expect("an offset");
        // A range may reach past the end.
        let offset = offset.min(length(text, unit));
        offset_from(text, offset, unit).expect("a place in the text")
    };
    let range = |range: &Json| match range.as_array() {
        Some([start, end]) => (place(start), place(end)),
        _ => panic!("no range: {range}"),
    };
    member(input, "ranges").as_array().expect("ranges").iter().map(range).collect()
}

fn keeping(input: &Json) -> Keeping<'_> {
    let keeping = |key| input.get("keeping").and_then(|keeping| keeping.get(key)?.as_str());
    match (keeping("callId"), keeping("failed")) {
        (Some(call_id), _) => Keeping::Recorded { call_id },
        (None, Some(reason)) => Keeping::Failed { reason },
        (None, None) => Keeping::NoStore,
    }
}

fn slots_json(text: &[u16], unit: Unit) -> Json {
    oracle::slots(text).iter().map(|slot| slot_json(text, unit, slot)).collect::<Vec<_>>().into()
}

fn slot_json(text: &[u16], unit: Unit, slot: &Slot) -> Json {
    let place = |at| Json::from(offset_in(text, at, unit));
    let mut members = vec![
        ("start".to_owned(), place(slot.start)),
        ("end".to_owned(), place(slot.end)),
        ("text".to_owned(), text_of(&text[slot.start..slot.end]).into()),
        ("mediaType".to_owned(), slot.media_type.as_str().into()),
    ];
    let mut push = |key: &str, value| members.push((key.to_owned(), value));
    match slot.kind {
        SlotKind::Inline => {
            push("kind", "inline".into());
            push("size", slot.size.clone().into());
            push("ref", slot.reference.clone().into());
        }
        SlotKind::Reference => {
            push("kind", "reference".into());
            push("refId", slot.reference.clone().into());
        }
    }
    Json::Object(members)
}

fn kept_json(text: &[u16], unit: Unit, kept: &Kept) -> Json {
    let slots: Vec<Json> =
        kept.kept.iter().map(|&(start, end)| text_of(&text[start..end]).into()).collect();
    Json::object([
        ("head", offset_in(text, kept.head, unit).into()),
        ("kept", slots.into()),
        ("leftOut", kept.left_out.into()),
    ])
}

fn write_stub(input: &Json) -> Json {
    let block = Json::object([
        ("type", "resource_link".into()),
        ("uri", "mcp://any".into()),
        ("name", input.get("name").cloned().into()),
        ("mimeType", input.get("mediaType").cloned().into()),
        ("size", input.get("size").cloned().into()),
    ]);
    let read: Reference = oracle::reference(&block).expect("a reference");
    let provenance = input.get("provenance").and_then(Json::as_str).unwrap_or("from tool result");
    let bound = input.get("bound") != Some(&Json::Bool(false));
    let saved = input.get("saved").and_then(Json::as_str);
    let text = oracle::write_stub(string(input, "refId"), &read, provenance, bound, saved);
    Json::object([("length", units(&text).len().into()), ("text", text.into())])
}

fn cap_answer(input: &Json) -> Json {
    let number = |key| {
        let value = input.get(key).filter(|value| !value.is_null())?;
        let Json::Number(spelling) = value else {
            return Some(f64::NAN);
        };
        Some(spelling.parse().expect("a number of JSON"))
    };
    let cap =
        oracle::effective_cap(number("setting"), number("configuration"), number("hostBound"));
    match cap {
        Ok(cap) => Json::object([("effective", Json::Number(cap.to_string()))]),
        Err(_) => Json::object([("error", oracle::BadCap::MESSAGE.into())]),
    }
}

fn new_ledger(input: &Json) -> Ledger {
    let limit = |key, default| input.get(key).and_then(Json::as_usize).unwrap_or(default);
    let nonce = input.get("nonce").and_then(Json::as_str).unwrap_or(NONCE);
    Ledger::new(nonce, limit("maxEntries", 64), limit("maxChars", 100_663_296))
}

fn ingest(input: &Json, ledger: &mut Ledger) -> Option<Json> {
    let call = member(input, "call");
    let format = input.get("format").and_then(Json::as_str);
    let format = format.map_or(Format::Mcp, |name| Format::named(name).expect("a format's name"));
    let spelled = input.get("resultJson").and_then(Json::as_str);
    let spelled = spelled.map(|json| Json::parse_counting(json).expect("a result in JSON"));
    let unit = unit(input);
    let (id, tool) = (string(call, "id"), string(call, "name"));
    let ingestion = Ingestion {
        format,
        cap: cap(input),
        unit,
        call: Call { id, tool, bound: !tool.is_empty(), ref_ids: &[] },
        keeping: Keeping::NoStore,
    };
    let (result, replaced) = match &spelled {
        Some((result, replaced)) => (result, *replaced),
        None => (member(input, "result"), 0),
    };
    let mut ingested = oracle::ingest(result, ingestion, ledger)?;
    if replaced > 0 {
        ingested.losses.insert(0, Loss::LoneSurrogates { count: replaced });
    }
    Some(ingested_json(&ingested, unit))
}

fn ingested_json(ingested: &Ingested, unit: Unit) -> Json {
    let text = &ingested.text;
    let place = |at| Json::from(offset_in(text, at, unit));
    let block = |block: &BlockSpan| {
        let (start, end) = (place(block.start), place(block.end));
        Json::object([("kind", block.kind.name().into()), ("start", start), ("end", end)])
    };
    let blocks =
        ingested.blocks.as_ref().map(|blocks| blocks.iter().map(block).collect::<Vec<_>>());
    let live = |block: &LiveBlock| match block {
        LiveBlock::Text(text) => {
            Json::object([("type", "text".into()), ("text", text.as_str().into())])
        }
        LiveBlock::Image { media_type, data } => Json::object([
            ("type", "image".into()),
            ("mimeType", media_type.as_str().into()),
            ("data", data.as_str().into()),
        ]),
    };
    let live = ingested.live.as_ref().map(|blocks| blocks.iter().map(live).collect::<Vec<_>>());
    let shown = ingested.shown.iter().map(|&(start, end)| vec![place(start), place(end)].into());
    let stored = &ingested.stored;
    let mut parts = match kept_json(text, unit, &stored.cut) {
        Json::Object(members) => members,
        _ => Vec::new(),
    };
    parts.push(("text".to_owned(), text_of(&stored.text).into()));
    parts.push(("total".to_owned(), length(text, unit).into()));
    parts.push(("recorded".to_owned(), false.into()));
    Json::object([
        ("text", text_of(text).into()),
        ("blocks", blocks.into()),
        ("live", live.into()),
        ("shown", shown.collect::<Vec<Json>>().into()),
        ("stored", Json::Object(parts)),
        ("slots", slots_json(&stored.text, unit)),
        ("losses", ingested.losses.iter().map(Loss::to_json).collect::<Vec<_>>().into()),
    ])
}

fn ledger(input: &Json) -> Json {
    let mut ledger = new_ledger(input);
    let mut answers = Vec::new();
    for step in member(input, "steps").as_array().expect("steps") {
        answers.push(if let Some(image) = step.get("retain") {
            let reference = ledger.retain(Retention {
                call_id: string(image, "toolCallId").to_owned(),
                tool: string(image, "toolName").to_owned(),
                block: number(image, "blockIndex"),
                payload: string(image, "data").to_owned(),
                claim: string(image, "mediaType").to_owned(),
            });
            Json::object([("ref", reference.into())])
        } else if let Some(result) = step.get("ingest") {
            ingest(result, &mut ledger).expect("a result")
        } else {
            lookup_json(ledger.lookup(string(step, "lookup")))
        });
    }
    Json::object([("steps", answers.into())])
}

fn lookup_json(lookup: Lookup<'_>) -> Json {
    let known = |state: &str, known: &Provenance| {
        Json::object([
            ("state", state.into()),
            ("ref", known.reference.as_str().into()),
            ("toolCallId", known.image.call_id.as_str().into()),
            ("toolName", known.image.tool.as_str().into()),
            ("blockIndex", known.image.block.into()),
            ("mediaType", known.media_type.as_str().into()),
            ("byteSize", known.byte_size.into()),
        ])
    };
    match lookup {
        Lookup::Retained(provenance) => known("retained", provenance),
        Lookup::Evicted(provenance) => known("evicted", provenance),
        Lookup::Unknown => Json::object([("state", "unknown".into())]),
    }
}
