//! How a host embeds the engine: one session per conversation, every result taken in once.
//!
//! `cargo run --example embed`

use std::error::Error;
use std::sync::Arc;

use bytes::Bytes;
use slotledger::content::{Call, wire::mcp};
use slotledger::copy::LiveBlock;
use slotledger::image::Lookup;
use slotledger::record::store::{MemoryStore, Retention};
use slotledger::slot::SlotKind;
use slotledger::{Config, Engine, Session, Unit, slots};

/// What a tool answered: a page, its screenshot, a photograph in it, and a link to the original.
static ANSWER: &[u8] = include_bytes!("screenshot.json");

fn main() -> Result<(), Box<dyn Error>> {
    // One engine for the process, with the host's settings. The cap is near the least there can be,
    // so that this result is cut.
    let engine = Engine::new(Config::default().with_cap(1_200)?);
    // What is cut is first kept whole: here as long as the process lives.
    let engine = engine.with_store(Arc::new(MemoryStore::new(Retention::default())))?;
    // One session for each conversation: nothing crosses from one to another.
    let mut session = engine.session();
    let mut history: Vec<String> = Vec::new();

    // A tool answered. The payloads are shared with these bytes, neither copied nor decoded.
    let call = Call::new("call_1", "browser_screenshot");
    let result = mcp::read(&Bytes::from_static(ANSWER))?;
    let ingested = session.ingest(&call, &result);

    // Now: the model sees the live copy, its images whole. Where there is none, the stored copy.
    let live = ingested.live.as_ref().ok_or("a result with images has a live copy")?;
    let images = live.blocks.iter().filter(|block| matches!(block, LiveBlock::Image { .. }));
    assert_eq!((live.blocks.len(), images.count()), (6, 2));

    // From now on: the history keeps the stored copy, and sends it again on every turn.
    let stored = ingested.stored;
    assert!(stored.head_len <= 1_200 && stored.total_len > 3_000);
    assert_eq!((stored.kept.len(), stored.left_out), (2, 0));
    println!("{}\n", stored.text);
    history.push(stored.text.to_string());

    // Later: the model reads on where the notice says. Its arguments are handed over as they are.
    let arguments = format!(r#"{{"toolCallId":"call_1","startChar":{}}}"#, stored.head_len);
    assert!(stored.text.contains(&arguments));
    let reader = session.reader().ok_or("records are kept")?;
    let page = reader.get_full_tool_result(&arguments)?;
    assert!(page.text.ends_with("from tool result — fetch with fetch_reference"));

    // What the model saw is counted in the history's text, the newest last.
    let seen = seen(&session, &history);
    let expected = [
        "PNG, 426 bytes, of call_1",
        "JPEG, 1848 bytes, of call_1",
        "behind a link, to be fetched",
    ];
    assert_eq!(seen, expected);
    for (index, image) in seen.iter().rev().enumerate() {
        println!("{index}: {image}");
    }

    // The same result again, when a host reads its history anew: the same refs, the same bytes.
    let again = session.copies_of(&call, &result, engine.config().cap());
    assert_eq!(again.stored.text, stored.text);
    assert_eq!(session.ledger().len(), 2);

    // A text that has no live copy is cut by the same rule: at a character, never inside a slot.
    let note = "An 😀 and more";
    let cut =
        slotledger::truncate_history(note, slotledger::Cap::utf16(4), engine.config().grammar());
    assert!(cut.starts_with("An \n\n[truncated"));
    assert_eq!(Unit::Utf16.len_of(note), 14);
    Ok(())
}

/// What is known of each image of a history.
fn seen(session: &Session, history: &[String]) -> Vec<String> {
    let of_slot = |kind: SlotKind<'_>| match kind {
        // Any text can quote a ref: it proves nothing until the ledger answers for it, and says of
        // which call it is.
        SlotKind::Inline(placeholder) => {
            match placeholder.image.map(|image| session.ledger().lookup(image)) {
                Some(Lookup::Retained(held)) => match held.payload.decode() {
                    Ok(bytes) => {
                        let format = if bytes.starts_with(b"\x89PNG") { "PNG" } else { "JPEG" };
                        format!("{format}, {} bytes, of {}", bytes.len(), held.provenance.call_id())
                    }
                    Err(reason) => format!("no bytes: {reason}"),
                },
                Some(Lookup::Evicted(provenance)) => format!("gone, of {}", provenance.call_id()),
                Some(Lookup::Unknown) | None => "not ours".to_owned(),
            }
        }
        SlotKind::Reference { stub, .. } => {
            let known = stub.id.parse().is_ok_and(|id| session.registry().lookup(&id).is_some());
            if known { "behind a link, to be fetched".to_owned() } else { "not ours".to_owned() }
        }
        SlotKind::Dialect { .. } | _ => "a host's own placeholder".to_owned(),
    };
    history.iter().flat_map(|text| slots(text)).map(|slot| of_slot(slot.kind)).collect()
}
