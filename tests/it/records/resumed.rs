//! A conversation that another process goes on with, over the same records.

use std::sync::Arc;

use slotledger::content::{Call, Content, Message, Part};
use slotledger::history::{SaveRequest, Seen, Selector};
use slotledger::record::store::Store;
use slotledger::slot::SlotKind;

use super::{engine, memory, text};
use crate::support::{PNG, read};

/// A result with more slots past its cut than are kept: 100 links to images, then an image.
fn many_slots() -> String {
    let links: Vec<String> = (0..100)
        .map(|n| {
            format!(
                r#"{{"type":"resource_link","uri":"https://x/{n}.png","name":"{n}.png","mimeType":"image/png"}}"#
            )
        })
        .collect();
    format!(
        r#"{{"content":[{{"type":"text","text":"{}"}},{},{{"type":"image","data":"{PNG}","mimeType":"image/gif"}}]}}"#,
        "s".repeat(1_500),
        links.join(",")
    )
}

/// What an inventory says of its images, without sizes and names.
fn listed(session: &slotledger::Session) -> Vec<(usize, String, String)> {
    session
        .inventory()
        .map(|image| {
            let named = match image.seen {
                Seen::Slot { slot, text, .. } => {
                    assert_eq!(slot.span.of(text).len(), slot.span.len());
                    match slot.kind {
                        SlotKind::Inline(placeholder) => {
                            placeholder.image.map_or("none".to_owned(), |image| image.to_string())
                        }
                        SlotKind::Reference { stub, .. } => stub.id.to_owned(),
                        _ => "dialect".to_owned(),
                    }
                }
                _ => "attachment".to_owned(),
            };
            (image.index, image.media_type().to_string(), named)
        })
        .collect()
}

fn result_message(call_id: &str, text: &str) -> Message {
    let content = Content::Text(text.into());
    Message::new("user", vec![Part::Result { call_id: call_id.into(), tool: None, content }])
}

#[test]
fn slots_that_were_left_out_keep_their_index_also_in_another_process() {
    let store = memory();
    let mut session = engine(store.clone()).session_named("s1");
    let ingested = session.ingest(&Call::new("c1", "snap"), &read(many_slots()));
    assert_eq!(ingested.stored.left_out, 37);
    let note = "the 37 before them are left out here but still counted:]";
    assert!(ingested.stored.text.contains(note), "{}", ingested.stored.text);
    let before = listed(&session);
    assert_eq!(before.len(), 101);
    session.commit();
    assert_eq!(listed(&session), before);

    let resumed = |expected: &[(usize, String, String)]| {
        let mut session = engine(store.clone()).session_named("s1");
        session.push(&result_message("c1", &ingested.stored.text));
        assert_eq!(listed(&session), expected);
        session
    };
    let session = resumed(&before);
    let oldest = SaveRequest::new("a.png", Selector::Recent { index: 100, count: 1 });
    assert_eq!(session.select(&oldest).unwrap_err().reason(), "reference");
    // Also when the text is gone: what is known of its slots stays.
    store.remove(ingested.record.unwrap().id).unwrap();
    resumed(&before);
    // Another session knows nothing of it, and another call's text is another text.
    let mut other = engine(store.clone()).session_named("s2");
    other.push(&result_message("c1", &ingested.stored.text));
    assert_eq!(listed(&other).len(), 64);
    let mut other = engine(store).session_named("s1");
    other.push(&result_message("c2", &ingested.stored.text));
    assert_eq!(listed(&other).len(), 64);
}

#[test]
fn an_answer_is_known_as_a_page_whatever_its_tool_is_called() {
    let store = memory();
    let mut session = engine(store.clone()).session_named("s1");
    let full = format!("[image: image/png, 1B]{}", "x".repeat(2_000));
    let meta = session.ingest(&Call::new("c1", "t"), &text(&full)).record.unwrap();
    let arguments = r#"{"toolCallId":"c1","startChar":0,"length":30}"#;
    let answer = session.reader().unwrap().get_full_tool_result(arguments).unwrap().to_text();
    let call = Call::new("r1", "get_full_tool_result");
    let taken = session.ingest_at(&call, &text(&answer), slotledger::Cap::utf16(10));
    assert_eq!((&*taken.stored.text, taken.record), (&*answer, None));
    assert_eq!(session.inventory().count(), 1, "of the result itself");

    let digest = |text: &str| {
        let record = slotledger::record::Record::new("", "", "", text);
        record.sha256()
    };
    let view = store.view("s1", "r1", &digest(&answer)).unwrap().unwrap();
    assert_eq!((view.record, &*view.kind, view.range), (meta.id, "page", Some((0, 30))));
    // A history that does not say which tool it was.
    let mut resumed = engine(store).session_named("s1");
    resumed.push(&result_message("r1", &answer));
    assert_eq!(resumed.inventory().count(), 0);
    resumed.push(&result_message("r2", &answer));
    assert_eq!(resumed.inventory().count(), 1, "any other call's is a text");
}

#[test]
fn the_same_results_give_the_same_bytes_over_any_store() {
    let texts = |store: Arc<dyn Store>| {
        let mut session = engine(store).session_named("s1");
        let calls = ["c1", "c1", "c2", "[x]"];
        let texts = ["x", "y", "x", "x"].map(|unit| unit.repeat(3_000));
        let ingested = calls.iter().zip(&texts).map(|(call, full)| {
            session.ingest(&Call::new(*call, "t"), &text(full)).stored.text.to_string()
        });
        ingested.collect::<Vec<String>>()
    };
    let expected = texts(memory());
    for kind in crate::store::home::KINDS {
        let home = crate::store::home::Home::new(*kind);
        assert_eq!(texts(home.open().into()), expected);
        // And again, by another process over the same records.
        assert_eq!(texts(home.open().into()), texts(home.open().into()));
    }
}

#[test]
fn a_slot_in_a_slot_is_counted_once_whatever_the_stored_text_shows() {
    let store = memory();
    let mut session = engine(store.clone()).session_named("s1");
    let images: Vec<String> = (0..63)
        .map(|_| format!(r#"{{"type":"image","data":"{PNG}","mimeType":"image/png"}}"#))
        .collect();
    let result = format!(
        r#"[{{"type":"text","text":"{}"}},{{"type":"resource_link","uri":"https://x/","name":"quotes [image: image/png, 1B]","mimeType":"image/webp"}},{}]"#,
        "s".repeat(1_500),
        images.join(",")
    );
    let ingested = session.ingest(&Call::new("c1", "snap"), &read(&result));
    assert_eq!((ingested.stored.kept.len(), ingested.stored.left_out), (64, 1));
    assert_eq!(slotledger::slots(&ingested.stored.text).count(), 64);
    let before = listed(&session);
    assert_eq!(before.len(), 65);
    let mut resumed = engine(store).session_named("s1");
    resumed.push(&result_message("c1", &ingested.stored.text));
    assert_eq!(listed(&resumed), before);
}

#[test]
fn an_image_that_another_server_s_recall_shows_is_counted() {
    let image = |ref_: u8| {
        format!(r#"[{{"type":"image","data":"iVBORw0KGgo{ref_}","mimeType":"image/png"}}]"#)
    };
    for (tool, counted) in [("recall", 2), ("mcp__photos__recall", 2), ("get_full_tool_result", 2)]
    {
        let mut session = engine(memory()).session_named("s1");
        session.ingest(&Call::new("c1", "screenshot"), &read(image(1)));
        let ingested = session.ingest(&Call::new("c2", tool), &read(image(2)));
        assert!(ingested.record.is_some());
        assert_eq!(session.inventory().count(), counted, "{tool}");
        let newest = SaveRequest::new("a.png", Selector::Recent { index: 0, count: 1 });
        let (_, bytes) = session.select(&newest).unwrap().images[0].open().unwrap();
        assert_eq!(bytes.last(), Some(&0x36), "the second picture");
    }
    // What only quotes is not, nor is it where no records are kept.
    let mut session = crate::support::session();
    session.ingest(&Call::new("c1", "screenshot"), &read(image(1)));
    session.ingest(&Call::new("c2", "recall"), &text("[image: image/png, 9B, ref img_abc123_1]"));
    assert_eq!(session.inventory().count(), 1);
}
