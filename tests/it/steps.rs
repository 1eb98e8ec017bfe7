//! The requests of the vectors that are `steps`, answered by the crate in the pipe's fields.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::sync::Arc;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use slotledger::content::wire::{data, mcp, outcome};
use slotledger::content::{Attachment, Call, Content, Image, Message, Part};
use slotledger::copy::{BlockKind, BlockSpan, LiveBlock};
use slotledger::history::{Origin, SaveRequest, Seen, SeenImage, Selected};
use slotledger::image::Lookup;
use slotledger::record::store::{MemoryStore, Retention};
use slotledger::record::{ReadRefusal, Reader, extract_keys};
use slotledger::slot::SlotKind;
use slotledger::{Cap, Config, Engine, Ingested, Session, Unit};
use slotledger_kit::vectors::{self, Vector, difference, minted_ref_ids, with_plain_ref_ids};
use slotledger_kit::{Json, Unit as KitUnit};

use crate::support::NONCE;

/// The files, and how many vectors each has at least; none may be lost.
const FILES: [(&str, usize); 2] = [("saving.jsonl", 42), ("recall.jsonl", 43)];

#[test]
fn every_vector_of_steps_is_answered_as_expected() {
    for (file, at_least) in FILES {
        let cases = vectors::file(file);
        assert!(cases.len() >= at_least, "{} vectors", cases.len());
        let failures: Vec<String> = cases.iter().filter_map(failure).collect();
        assert!(failures.is_empty(), "{}", failures.join("\n"));
    }
}

fn failure(vector: &Vector) -> Option<String> {
    assert_eq!(vector.op, "steps", "{}", vector.source);
    let requests = vector.input.get("requests").and_then(Json::as_array).expect("requests");
    let mut pipe = Pipe::new(vector.input.get("store").is_some());
    let mut minted: Vec<String> = Vec::new();
    let mut answers = Vec::new();
    for request in requests {
        let answer = pipe.answer(request);
        for id in minted_ref_ids(&answer, KitUnit::Utf16) {
            if !minted.contains(&id) {
                minted.push(id);
            }
        }
        answers.push(answer);
    }
    let answers = with_plain_ref_ids(&Json::object([("answers", answers.into())]), &minted);
    let found = difference(&vector.expected, &answers)?;
    Some(format!("{} ({}), {}: {found}", vector.id, vector.source, vector.title))
}

/// The sessions of one case.
struct Pipe {
    engine: Engine,
    sessions: HashMap<String, Session>,
}

impl Pipe {
    fn new(has_store: bool) -> Self {
        let engine = Engine::new(Config::default().with_nonce(NONCE.parse().unwrap()));
        let store = || Arc::new(MemoryStore::new(Retention::default()));
        let engine = if has_store { engine.with_store(store()).unwrap() } else { engine };
        Self { engine, sessions: HashMap::new() }
    }

    fn answer(&mut self, request: &Json) -> Json {
        let name = request.get("session").and_then(Json::as_str).unwrap_or("default");
        let new = || self.engine.session_named(name);
        let session = self.sessions.entry(name.to_owned()).or_insert_with(new);
        match text(request, "op") {
            "get_full_tool_result" => read_back(session, request),
            "recall" => match session.reader().unwrap().recall(&arguments(request)) {
                Ok(text) => Json::object([("text", text.into())]),
                Err(refusal) => refused(&refusal),
            },
            "list_tool_results" => list(session, request),
            "extract_keys" => {
                let keys = extract_keys(text(request, "text")).into_iter();
                let keys: Vec<Json> = keys.map(|key| key.to_string().into()).collect();
                Json::object([("keys", keys.into())])
            }
            "ingest" => ingest(session, request),
            "message" => Json::object([("index", session.push(&message(request)).into())]),
            "commit" => Json::object([("results", session.commit().into())]),
            "inventory" => {
                let limit = request.get("limit").and_then(Json::as_usize).unwrap_or(usize::MAX);
                let images = session.inventory().take(limit).map(|image| listed(&image, session));
                Json::object([("images", Json::Array(images.collect()))])
            }
            "save" => save(session, request),
            other => panic!("no step is {other}"),
        }
    }
}

fn text<'j>(json: &'j Json, key: &str) -> &'j str {
    json.get(key).and_then(Json::as_str).unwrap_or_else(|| panic!("no `{key}` in {json}"))
}

fn ingest(session: &mut Session, request: &Json) -> Json {
    let call = request.get("call").expect("a call");
    let call = Call::new(text(call, "id"), text(call, "name"));
    let json = request.get("result").expect("a result").to_string().into();
    let result = match request.get("format").and_then(Json::as_str) {
        None | Some("mcp") => mcp::read(&json),
        Some("data") => data::read(&json),
        Some("outcome") => outcome::read(&json),
        Some(other) => panic!("no format is {other}"),
    };
    let cap = match request.get("cap") {
        None => 24_000,
        Some(Json::Null) => 0,
        Some(cap) => cap.as_usize().expect("a cap"),
    };
    let unit = unit(request);
    let Ingested { text, blocks, live, stored, record, .. } =
        session.ingest_at(&call, &result.expect("a result"), Cap::new(cap, unit));
    let place = |offset: usize| Json::from(unit.len_of(&text[..offset]));
    let block = |block: &BlockSpan| {
        let kind = if block.kind == BlockKind::Reference { "reference" } else { "other" };
        let (start, end) = (place(block.span.start), place(block.span.end));
        Json::object([("kind", kind.into()), ("start", start), ("end", end)])
    };
    let blocks = blocks.map(|blocks| blocks.iter().map(block).collect::<Vec<_>>());
    let kept: Vec<Json> = stored.kept.iter().map(|kept| Json::from(kept.of(&text))).collect();
    let mut said = vec![
        ("text", (&*stored.text).into()),
        ("head", stored.head_len.into()),
        ("total", stored.total_len.into()),
        ("kept", kept.into()),
        ("leftOut", stored.left_out.into()),
        ("recorded", record.is_some().into()),
    ];
    said.extend(record.map(|record| ("key", record.key().to_string().into())));
    let live = live.map(|live| live.blocks.iter().map(live_block).collect::<Vec<_>>());
    Json::object([
        ("text", (&*text).into()),
        ("blocks", blocks.into()),
        ("live", live.into()),
        ("stored", members(said)),
    ])
}

fn live_block(block: &LiveBlock) -> Json {
    match block {
        LiveBlock::Text(text) => {
            Json::object([("type", "text".into()), ("text", (&**text).into())])
        }
        _ => Json::object([("type", "image".into())]),
    }
}

fn unit(request: &Json) -> Unit {
    match request.get("unit").and_then(Json::as_str) {
        None | Some("utf16") => Unit::Utf16,
        Some("char") => Unit::Char,
        Some("byte") => Unit::Byte,
        Some(other) => panic!("no unit is {other}"),
    }
}

/// The arguments of a tool: as JSON text, or the text that a string is.
fn arguments(request: &Json) -> String {
    match request.get("args") {
        None => "{}".to_owned(),
        Some(Json::String(text)) => text.clone(),
        Some(json) => json.to_string(),
    }
}

/// What reads for a request.
fn reader<'s>(session: &'s Session, request: &Json) -> Reader<'s> {
    let mut reader = session.reader().expect("a store");
    if let Some(bound) = request.get("hostBound") {
        reader = reader.within(Cap::new(bound.as_usize().expect("a bound"), unit(request)));
    }
    let reads_others = request.get("allowSessions") == Some(&Json::Bool(true));
    if reads_others { reader.reading_others() } else { reader }
}

fn read_back(session: &Session, request: &Json) -> Json {
    match reader(session, request).get_full_tool_result(&arguments(request)) {
        Ok(answer) => {
            let line = answer.to_text();
            let (line, text) = line.split_once('\n').expect("a line");
            assert_eq!(text, &*answer.text);
            let Ok(Json::Object(mut page)) = Json::parse(line) else { panic!("no line: {line}") };
            page.push(("text".to_owned(), text.into()));
            Json::object([("page", Json::Object(page))])
        }
        Err(refusal) => refused(&refusal),
    }
}

fn list(session: &Session, request: &Json) -> Json {
    match reader(session, request).list_tool_results(&arguments(request)) {
        Ok(list) => {
            let text = list.to_text();
            let mut lines = text.lines().map(|line| Json::parse(line).expect("JSON"));
            let head = lines.next().expect("a head");
            let results: Vec<Json> = lines.collect();
            assert_eq!(head.get("count"), Some(&results.len().into()));
            let next = head.get("next").cloned().unwrap_or(Json::Null);
            members([("results", results.into()), ("next", next)])
        }
        Err(refusal) => refused(&refusal),
    }
}

fn refused(refusal: &ReadRefusal) -> Json {
    let (reason, message) = (refusal.reason().into(), refusal.notice().into());
    Json::object([("refused", Json::object([("reason", reason), ("message", message)]))])
}

fn message(request: &Json) -> Message {
    let parts = match request.get("content").expect("content") {
        Json::String(text) => vec![Part::Text(text.as_str().into())],
        Json::Array(blocks) => blocks.iter().map(part).collect(),
        other => panic!("no content is {other}"),
    };
    Message::new(text(request, "role"), parts)
}

fn part(block: &Json) -> Part {
    let string = |key: &str| block.get(key).and_then(Json::as_str);
    match text(block, "type") {
        "text" => Part::Text(text(block, "text").into()),
        "image" => Part::Attachment(match (string("data"), string("mimeType")) {
            (Some(data), Some(mime_type)) => Attachment::Inline(Image::new(data, mime_type)),
            (Some(data), None) => Attachment::Inline(
                Image::from_data_url(data).unwrap_or_else(|| Image::new(data, "")),
            ),
            (None, mime_type) => Attachment::Elsewhere { mime_type: mime_type.map(Into::into) },
        }),
        "tool_result" => Part::Result {
            call_id: text(block, "toolCallId").into(),
            tool: string("toolName").map(Into::into),
            content: match block.get("content").expect("content") {
                Json::String(text) => Content::Text(text.as_str().into()),
                blocks => data::read(&blocks.to_string().into()).expect("data").content,
            },
        },
        _ => Part::Other,
    }
}

/// Members with a value.
fn members(members: impl IntoIterator<Item = (&'static str, Json)>) -> Json {
    let members = members.into_iter().filter(|(_, value)| !value.is_null());
    Json::Object(members.map(|(key, value)| (key.to_owned(), value)).collect())
}

/// B.10.
fn listed(image: &SeenImage<'_>, session: &Session) -> Json {
    let (mut source, mut reference, mut ref_id) = ("attachment", None, None);
    let (mut tool, mut call_id, mut block) = (None, None, None);
    let problem = image.check(session.ledger()).err();
    if let Seen::Slot { call, slot, .. } = image.seen {
        (tool, call_id) = (Some(call.tool.to_string()), Some(call.id.to_string()));
        source = "tool-result";
        match slot.kind {
            SlotKind::Inline(placeholder) => {
                reference = placeholder.image.map(|image| image.to_string());
                let held = placeholder.image.map(|image| session.ledger().lookup(image));
                if let (Some(Lookup::Retained(held)), None) = (held, &problem) {
                    block = Some(held.provenance.block());
                }
            }
            SlotKind::Reference { stub, .. } => {
                (source, ref_id) = ("reference", Some(stub.id.to_owned()));
            }
            _ => {}
        }
    }
    members([
        ("index", image.index.into()),
        ("source", source.into()),
        ("mediaType", (&*image.media_type()).into()),
        ("messagesBack", image.messages_back.into()),
        ("savable", problem.is_none().into()),
        ("reason", problem.map(|problem| problem.reason()).into()),
        ("ref", reference.into()),
        ("refId", ref_id.into()),
        ("toolName", tool.into()),
        ("toolCallId", call_id.into()),
        ("blockIndex", block.into()),
    ])
}

fn save(session: &Session, request: &Json) -> Json {
    let arguments = serde_json::from_str(&request.to_string()).expect("JSON");
    match SaveRequest::parse(&arguments).and_then(|request| session.select(&request)) {
        Ok(selection) => {
            let saved: Vec<Json> = selection.images.iter().map(receipt).collect();
            members([("saved", saved.into()), ("note", selection.note.into())])
        }
        Err(error) => {
            let (reason, message) = (error.reason().into(), error.notice().into());
            Json::object([("refused", Json::object([("reason", reason), ("message", message)]))])
        }
    }
}

/// B.11.
fn receipt(selected: &Selected) -> Json {
    let (receipt, bytes) = selected.open().expect("it was selected");
    let origin = match &selected.origin {
        Origin::Attachment => None,
        Origin::ToolResult { image, tool, call_id, block } => Some((image, tool, call_id, block)),
        other => panic!("no origin is {other:?}"),
    };
    let mut digest = String::new();
    for byte in receipt.sha256 {
        write!(digest, "{byte:02x}").unwrap();
    }
    members([
        ("path", selected.path.as_str().into()),
        ("imageIndex", selected.image_index.into()),
        ("source", if origin.is_some() { "tool-result" } else { "attachment" }.into()),
        ("mediaType", (&*selected.media_type).into()),
        ("actualMediaType", receipt.actual_media_type.into()),
        ("byteSize", receipt.byte_size.into()),
        ("sha256", digest.into()),
        ("messagesBack", selected.messages_back.into()),
        ("data", STANDARD.encode(bytes).into()),
        ("ref", origin.map(|origin| origin.0.to_string()).into()),
        ("toolName", origin.map(|origin| &**origin.1).into()),
        ("toolCallId", origin.map(|origin| &**origin.2).into()),
        ("blockIndex", origin.map(|origin| *origin.3).into()),
    ])
}
