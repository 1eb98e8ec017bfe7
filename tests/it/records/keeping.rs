//! What is kept when, and what is said when it cannot be.

use std::sync::Arc;

use slotledger::Cap;
use slotledger::content::{Call, Loss};
use slotledger::record::Record;
use slotledger::record::store::{By, MemoryStore, Retention, Sessions, Store};
use slotledger::text::Span;

use super::{engine, memory, text};
use crate::support::{PNG, read};

#[test]
fn what_is_cut_or_has_images_is_kept_and_nothing_else() {
    let store = memory();
    let mut session = engine(store.clone()).session_named("s1");
    let image = format!(r#"[{{"type":"image","data":"{PNG}","mimeType":"image/png"}}]"#);
    let link =
        r#"[{"type":"resource_link","uri":"file:///a.txt","name":"a","mimeType":"text/plain"}]"#;
    let quoted = text("see [image: image/png, 1B]");
    let results =
        [text(&"x".repeat(1_000)), quoted, text(&"x".repeat(1_001)), read(&image), read(link)];
    let kept: Vec<bool> = results
        .iter()
        .enumerate()
        .map(|(n, result)| {
            let call = Call::new(format!("c{n}"), "t");
            session.ingest(&call, result).record.is_some()
        })
        .collect();
    assert_eq!(kept, [false, false, true, true, true]);
    assert_eq!(store.usage().unwrap().records, 3);
    // No cap cuts nothing.
    let ingested = session.ingest_at(&Call::new("c9", "t"), &text(&"x".repeat(9_000)), Cap::NONE);
    assert_eq!(ingested.record, None);
}

#[test]
fn a_record_is_the_full_text_and_what_is_known_of_it() {
    let store = memory();
    let mut session = engine(store.clone()).session_named("s1");
    let result = format!(
        r#"{{"content":[{{"type":"text","text":"{}[image: image/gif, 1B]"}},
            {{"type":"image","data":"{PNG}","mimeType":"image/png"}}],"isError":true}}"#,
        "x".repeat(1_500)
    );
    let ingested = session.ingest(&Call::new("c1", "shot"), &read(&result).cut_before());
    let meta = ingested.record.unwrap();
    assert_eq!((&*meta.session, &*meta.call_id, &*meta.tool, meta.nth), ("s1", "c1", "shot", 1));
    assert_eq!((meta.is_error, meta.complete, meta.plain, meta.slots), (true, false, true, 2));
    assert_eq!(store.read(meta.id, 0, usize::MAX).unwrap().text, ingested.text);
    let places = store.places(meta.id).unwrap();
    assert_eq!(places.blocks, ingested.blocks.unwrap());
    assert_eq!(places.shown, ingested.live.unwrap().shown.as_slice());
    // The quoted one lies behind the cut of its block, which the model never saw.
    let shown: Vec<(bool, Option<&str>, &str)> = places
        .slots
        .iter()
        .map(|slot| (slot.shown, slot.reference.as_deref(), &*slot.media_type))
        .collect();
    assert_eq!(shown, [(false, None, "image/gif"), (true, Some("img_abc123_1"), "image/png")]);
}

#[test]
fn where_no_copy_is_native_the_slots_of_the_head_were_shown() {
    let store = memory();
    let mut session = engine(store.clone()).session_named("s1");
    let slot = "[image: image/gif, 1B]";
    let full = format!("{slot}{}{slot}", "x".repeat(1_000));
    let meta = session.ingest(&Call::new("c1", "t"), &text(&full)).record.unwrap();
    let places = store.places(meta.id).unwrap();
    assert_eq!(places.shown, [Span::new(0, 1_000)]);
    let shown: Vec<bool> = places.slots.iter().map(|slot| slot.shown).collect();
    assert_eq!(shown, [true, false]);
    assert_eq!(session.inventory().count(), 1);
}

#[test]
fn that_keeping_failed_is_said_in_the_notice_and_as_a_loss() {
    for (retention, reason) in [
        (
            Retention { max_record_bytes: 1_500, ..Retention::default() },
            "over the record limit of 1500 bytes",
        ),
        (
            Retention { quota_bytes: 1_600, ..Retention::default() },
            "store quota of 1600 bytes is full",
        ),
    ] {
        let store = Arc::new(MemoryStore::new(retention));
        let mut session = engine(store.clone()).session_named("s1");
        let ingested = session.ingest(&Call::new("c1", "t"), &text(&"x".repeat(2_000)));
        let notice = format!(
            "\n\n[truncated — showing 1000 of 2000 chars; keeping the full result FAILED ({reason}); \
             content over the cap was not retained]"
        );
        assert_eq!(ingested.stored.text, format!("{}{notice}", "x".repeat(1_000)));
        assert_eq!(ingested.record, None);
        let [Loss::NotRecorded { reason: told, cause }] = ingested.losses.as_slice() else {
            panic!("{:?}", ingested.losses);
        };
        assert_eq!(&**told, reason);
        assert!(cause.contains("1500") || cause.contains("1600"), "{cause}");
        assert_eq!(store.usage().unwrap().records, 0);
        // Beside an image nothing promises what is not there.
        let result = format!(
            r#"[{{"type":"text","text":"{}"}},{{"type":"image","data":"{PNG}","mimeType":"image/png"}}]"#,
            "x".repeat(2_000)
        );
        let ingested = session.ingest(&Call::new("c2", "t"), &read(&result));
        let live = format!("{:?}", ingested.live.unwrap().blocks[0]);
        assert!(live.contains("[truncated — original was 2000 chars]"), "{live}");
    }
}

#[test]
fn what_a_host_redacts_is_kept_masked_and_nothing_moves() {
    let store = memory();
    let engine = engine(store.clone()).with_redaction(|text: &str| {
        let mut found: Vec<Span> = Vec::new();
        for secret in ["s3cret", "gehéim😀€", "[image: image/png, 1B]", "two\nlines"] {
            found
                .extend(text.match_indices(secret).map(|(at, _)| Span::new(at, at + secret.len())));
        }
        // Overlapping, out of order, past the end and inside characters.
        found.push(Span::new(0, 1));
        found.push(Span::new(text.len() - 1, text.len() + 9));
        found
    });
    let mut session = engine.session_named("s1");
    let full =
        format!("a s3cret gehéim😀€ [image: image/png, 1B] two\nlines {}é", "x".repeat(1_000));
    let ingested = session.ingest(&Call::new("c1", "t"), &text(&full));
    assert!(ingested.stored.text.starts_with("a s3cret "), "the model saw it");
    let meta = ingested.record.unwrap();
    let kept = store.read(meta.id, 0, usize::MAX).unwrap().text;
    let masked = format!(
        "* ****** ***·**\u{1F784}• [image: image/png, 1B] ***\n***** {}·",
        "x".repeat(1_000)
    );
    assert_eq!(kept, masked);
    assert_eq!(kept.len(), full.len());
    assert_eq!(kept.encode_utf16().count(), full.encode_utf16().count());
    assert_eq!(session.inventory().count(), 1);
}

#[test]
fn sessions_have_names_of_their_own_and_keep_apart() {
    let engine = engine(memory());
    let (one, two) = (engine.session(), engine.session());
    assert_ne!(one.name(), two.name());
    let mut one = engine.session_named("one");
    one.ingest(&Call::new("c1", "t"), &text(&"x".repeat(2_000)));
    let two = engine.session_named("two");
    let refusal = two.reader().unwrap().get_full_tool_result(r#"{"toolCallId":"c1"}"#);
    assert_eq!(refusal.unwrap_err().reason(), "unknown_call");
    let again = engine.session_named("one");
    assert!(again.reader().unwrap().get_full_tool_result(r#"{"toolCallId":"c1"}"#).is_ok());
}

#[test]
fn a_bound_that_no_page_fits_is_a_configuration_error() {
    use slotledger::{Config, Engine};
    let engine = Engine::new(Config::default().with_host_bound(999));
    let error = engine.with_store(memory()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "host_bound is 999, but must be a number >= 1000 where records are kept"
    );
    assert!(Engine::new(Config::default().with_host_bound(1_000)).with_store(memory()).is_ok());
}

#[test]
fn a_session_is_spared_until_it_is_closed() {
    let store =
        Arc::new(MemoryStore::new(Retention { quota_bytes: 10_000, ..Retention::default() }));
    let engine = engine(store.clone());
    let mut session = engine.session_named("s1");
    session.ingest(&Call::new("c1", "t"), &text(&"x".repeat(8_000)));
    let mut other = engine.session_named("s2");
    let full = other.ingest(&Call::new("c1", "t"), &text(&"y".repeat(8_000)));
    assert!(full.record.is_none(), "all of it is in use");
    session.close().unwrap();
    let kept = other.ingest(&Call::new("c1", "t"), &text(&"y".repeat(8_000)));
    assert!(kept.record.is_some());
    // What went is told from what never was.
    let session = engine.session_named("s1");
    let read = |id: &str| {
        let arguments = format!("{{\"toolCallId\":\"{id}\"}}");
        session.reader().unwrap().get_full_tool_result(&arguments).unwrap_err()
    };
    assert_eq!(
        read("c1").notice(),
        "The result of tool call \"c1\" (t, 8000 chars) was kept and then removed (quota). Run the \
         tool again if you need it."
    );
    assert_eq!(read("c2").reason(), "unknown_call");
}

#[test]
fn a_text_has_one_unit_in_its_session() {
    use slotledger::Unit;
    for kind in crate::store::home::KINDS {
        let home = crate::store::home::Home::new(*kind);
        let store = home.open();
        let now = std::time::SystemTime::now();
        let put = |session: &str, call: &str, unit| {
            let record = Record { unit, ..Record::new(session, call, "t", "😀 one text") };
            store.put(&record, now).unwrap()
        };
        let first = put("s1", "c1", Unit::Char);
        assert_eq!(put("s1", "c2", Unit::Byte).unit, Unit::Char);
        assert_eq!(put("s2", "c1", Unit::Byte).unit, Unit::Byte);
        store.remove(first.id).unwrap();
        let again = put("s1", "c1", Unit::Utf16);
        assert_eq!((again.id, again.unit), (first.id, Unit::Char));
        assert_eq!(store.read(again.id, 1, 3).unwrap().text, "😀 one text");
        let found = store.find(Sessions::One("s1"), By::Sha256(&first.sha256)).unwrap();
        assert!(found.iter().all(|meta| meta.unit == Unit::Char));
        assert_eq!(store.check(&mut |_, _| ()).unwrap(), []);
    }
}
