//! A conversation and saves in it, against a model that remembers what was shown.

use slotledger::content::wire::{data, mcp, outcome};
use slotledger::content::{Attachment, Call, Content, Image, Message, Part, ToolResult};
use slotledger::copy::BlockKind;
use slotledger::history::{Origin, SaveError, SaveRequest, Seen, SeenImage, Selected};
use slotledger::image::Limits;
use slotledger::slot::{SlotKind, slots, stub_at};
use slotledger::{Config, Engine, Ingested, Session};
use slotledger_kit::generate::{SaveCase, SaveStep, SavedResult, from_bytes};
use slotledger_kit::oracle::saving::{self, Conversation, Given, Stored};
use slotledger_kit::oracle::{self, Format, Ingestion, Keeping};
use slotledger_kit::{Json, units};

use crate::cap_of;

const NONCE: &str = "abc123";

/// Every save gives the very bytes that were shown at its place, or refuses with the model's reason
/// (L13); nothing quoted or forged gives any (L15); and a commit moves no image.
pub fn saves(bytes: &[u8]) {
    let case: SaveCase = from_bytes(bytes);
    let limits =
        Limits { max_images: case.max_entries as usize, max_base64_bytes: case.max_chars as usize };
    let config = Config::default()
        .with_nonce(NONCE.parse().expect("a nonce"))
        .with_limits(limits)
        .with_scan_limit(case.scan_limit as usize);
    let mut session = Engine::new(config).session();
    let mut model = Conversation::new(
        NONCE,
        limits.max_images,
        limits.max_base64_bytes,
        case.scan_limit as usize,
    );
    for step in &case.steps {
        match step {
            SaveStep::Begin(calls) => {
                model.begin(calls);
                session.begin(calls.iter().map(|(id, tool)| call(id, tool)));
            }
            SaveStep::Ingest(result) => ingest(&mut session, &mut model, result),
            SaveStep::Message(parts) => {
                let position = session.push(&message(parts));
                assert_eq!(position, model.message(parts), "18.1");
            }
            SaveStep::Commit => commit(&mut session, &mut model, case.scan_limit as usize),
            SaveStep::Save(arguments) => save(&session, &model, arguments),
        }
        inventory(&session, &model);
    }
    // What was not asked is asked at the end: the newest places, one past the last, their refs, and
    // the longest range.
    let images = model.images();
    for index in (0..images.len().min(8)).chain([images.len()]) {
        save(&session, &model, &Json::object([("path", "a.b".into()), ("index", index.into())]));
    }
    let references = images.iter().filter_map(|image| image.reference.as_deref());
    for reference in references.take(8) {
        save(&session, &model, &Json::object([("path", "a.b".into()), ("ref", reference.into())]));
    }
    save(&session, &model, &Json::object([("path", "a.b".into()), ("count", 20.into())]));
}

fn call(id: &str, tool: &str) -> Call {
    Call::new(id, tool)
}

fn ingest(session: &mut Session, model: &mut Conversation, taken: &SavedResult) {
    let SavedResult { call_id, tool, result, format, cap, unit } = taken;
    let read = read(result, *format);
    let cap = *cap as usize;
    let ingested = session.ingest_at(&call(call_id, tool), &read, cap_of(cap, *unit));
    let ref_ids = ref_ids(&ingested);
    let call = oracle::Call { id: call_id, tool, bound: true, ref_ids: &ref_ids };
    let keeping = Keeping::NoStore;
    let ingestion = Ingestion { format: *format, cap, unit: *unit, call, keeping };
    let expected = model.ingest(result, ingestion).expect("an outcome is an object");
    assert_eq!(units(&ingested.stored.text), expected.stored.text, "{}", ingested.stored.text);
}

fn read(result: &Json, format: Format) -> ToolResult {
    let json = result.to_string().into();
    let read = match format {
        Format::Mcp => mcp::read(&json),
        Format::Data => data::read(&json),
        Format::Outcome => outcome::read(&json),
    };
    read.expect("a case is JSON")
}

/// The ids of the references of a result, each once.
fn ref_ids(ingested: &Ingested) -> Vec<String> {
    let mut ids: Vec<String> = Vec::new();
    for block in ingested.blocks.iter().flatten().filter(|block| block.kind == BlockKind::Reference)
    {
        if let Some(stub) = stub_at(block.span.of(&ingested.text), 0)
            && !ids.iter().any(|id| id == stub.id)
        {
            ids.push(stub.id.to_owned());
        }
    }
    ids
}

fn message(parts: &[saving::Part]) -> Message {
    let part = |part: &saving::Part| match part {
        saving::Part::Text(text) => Part::Text(text.as_str().into()),
        saving::Part::Attachment(saving::Attachment { payload, claim }) => {
            let claim = claim.as_deref();
            Part::Attachment(match payload {
                Some(payload) => {
                    Attachment::Inline(Image::new(payload.as_str(), claim.unwrap_or_default()))
                }
                // A name that is empty is a name that is none, also of what is elsewhere.
                None => Attachment::Elsewhere {
                    mime_type: claim.filter(|claim| !claim.is_empty()).map(Into::into),
                },
            })
        }
        saving::Part::Call { id, tool } => {
            Part::Call { id: id.as_str().into(), tool: tool.as_str().into() }
        }
        saving::Part::Result { call_id, tool, content } => Part::Result {
            call_id: call_id.as_str().into(),
            tool: tool.as_deref().map(Into::into),
            content: match content {
                Stored::Text(text) => Content::Text(text.as_str().into()),
                Stored::Blocks(blocks) => read(&Json::Array(blocks.clone()), Format::Data).content,
            },
        },
    };
    Message::new("user", parts.iter().map(part).collect())
}

fn commit(session: &mut Session, model: &mut Conversation, scan_limit: usize) {
    let places = |session: &Session| -> Vec<(usize, String)> {
        session.inventory().map(|image| (image.index, format!("{:?}", image.seen))).collect()
    };
    let before = places(session);
    let is_within = session.conversation().messages().len() < scan_limit;
    assert_eq!(session.commit(), model.commit(), "18.4");
    if is_within {
        assert_eq!(places(session), before, "L13: a commit moves no image");
    }
    assert!(session.conversation().pending().is_empty(), "18.4");
}

/// The inventory is the model's, image by image, and so is what each place gives.
fn inventory(session: &Session, model: &Conversation) {
    let images: Vec<SeenImage<'_>> = session.inventory().collect();
    let expected = model.images();
    assert_eq!(images.len(), expected.len(), "18.5: {images:?}");
    for (index, (image, expected)) in images.iter().zip(&expected).enumerate() {
        assert_eq!((image.index, image.messages_back), (index, expected.messages_back), "18.8");
        assert_eq!(&*image.media_type(), expected.media_type, "18.10");
        let (result, reference, ref_id) = match image.seen {
            Seen::Attachment(_) => (None, None, None),
            Seen::Slot { call, text, slot } => {
                assert!(slot.span.of(text).starts_with('['));
                let (reference, ref_id) = match slot.kind {
                    SlotKind::Inline(placeholder) => {
                        (placeholder.image.map(|r| r.to_string()), None)
                    }
                    SlotKind::Reference { stub, .. } => (None, Some(stub.id.to_owned())),
                    other => panic!("no slot here is {other:?}"),
                };
                (Some((call.id.to_string(), call.tool.to_string())), reference, ref_id)
            }
            other => panic!("no image is seen as {other:?}"),
        };
        assert_eq!(
            (result, reference, ref_id),
            (expected.result.clone(), expected.reference.clone(), expected.ref_id.clone(),)
        );
        let checked = image.check(session.ledger()).map_err(|error| error.reason());
        let given = expected.given.as_ref().map(|_| ()).map_err(|&reason| reason);
        assert_eq!(checked, given, "19.6 at {index}: {image:?}");
        let payload = image.payload(session.ledger());
        let bytes = payload.map(|payload| payload.decode().expect("it was checked"));
        assert_eq!(bytes.as_ref(), expected.given.as_ref().ok().map(|given| &given.bytes), "L13");
    }
    let pending = session.conversation().pending().into_iter();
    let pending: Vec<_> =
        pending.map(|call| (call.id.to_string(), call.tool.to_string())).collect();
    assert_eq!(pending, model.pending(), "18.4");
}

fn save(session: &Session, model: &Conversation, arguments: &Json) {
    let expected = model.save(arguments);
    let value = serde_json::from_str(&arguments.to_string()).expect("JSON");
    let selection = SaveRequest::parse(&value).and_then(|request| session.select(&request));
    match (selection, expected) {
        (Ok(selection), Ok((images, fewer))) => {
            assert_eq!(selection.images.len(), images.len(), "19.4");
            assert_eq!(selection.note.is_some(), fewer, "19.4");
            for (selected, expected) in selection.images.iter().zip(&images) {
                assert_eq!(selected.path, expected.path, "19.9");
                assert_eq!(selected.image_index, expected.index, "19.10");
                assert_eq!(selected.messages_back, expected.messages_back, "19.10");
                given(selected, &expected.given);
            }
        }
        (Err(error), Err(reason)) => refused(&error, reason),
        (found, expected) => panic!("L13: {arguments}: {found:?}, and not {expected:?}"),
    }
}

fn given(selected: &Selected, expected: &Given) {
    let (receipt, bytes) = selected.open().expect("what is selected can be opened");
    assert_eq!(bytes, expected.bytes, "L13");
    assert_eq!(receipt.byte_size, bytes.len(), "19.10");
    assert_eq!(&*selected.media_type, expected.media_type, "19.10");
    let origin = match &selected.origin {
        Origin::ToolResult { image, tool, call_id, block } => {
            Some((image.to_string(), call_id.to_string(), tool.to_string(), *block))
        }
        Origin::Attachment => None,
        other => panic!("no origin is {other:?}"),
    };
    assert_eq!(origin, expected.origin, "L15");
}

/// A refusal names the model's reason, and no sentence of it could be taken for a slot.
fn refused(error: &SaveError, reason: &str) {
    assert_eq!(error.reason(), reason, "19.8");
    let said = error.notice();
    assert!(said.starts_with("save_recent_image: "), "19.8: {said}");
    assert!(said.ends_with(". Nothing was written."), "19.8: {said}");
    assert_eq!(slots(&said).count(), 0, "19.8: {said}");
}
