//! The registry: what is known of references, for how long, and what their stubs say of it.

use std::time::{Duration, SystemTime};

use slotledger::content::{Call, Reference, Server};
use slotledger::image::{Entry, MAX_REFERENCES, RefIds, Registry};
use slotledger::slot::{slots, stub_at};
use slotledger::{RefId, content::Content};

use crate::support::{len_utf16, read, registry, session};

fn reference(uri: &str, name: &str) -> Reference {
    let mut reference = Reference::new(uri).unwrap();
    reference.name = Some(name.into());
    reference
}

fn call() -> Call {
    Call::new("c1", "list")
}

/// What the stub of `id` says behind the id.
fn stub(registry: &Registry, id: &RefId) -> String {
    let mut text = String::new();
    registry.write_stub(&mut text, id);
    let rest = text.strip_prefix(&format!("[{id}] "));
    rest.unwrap_or_else(|| panic!("a stub of {id}: {text}")).to_owned()
}

/// Whether the bytes of `id` can be had, by its stub.
fn is_bound(registry: &Registry, id: &RefId) -> bool {
    let stub = stub(registry, id);
    let (_, ending) = stub.rsplit_once(" — ").unwrap();
    match ending {
        "fetch with fetch_reference" => true,
        "cannot be fetched: its server is not known" => false,
        other => panic!("no ending is {other}"),
    }
}

#[test]
fn a_reference_that_comes_again_keeps_its_id_and_says_what_is_newer() {
    let mut registry = registry();
    let id = registry.register(&reference("mcp://cam/1", "old.png"), &call());
    assert_eq!(stub(&registry, &id), "old.png — from tool result — fetch with fetch_reference");
    let mut newer = reference("mcp://cam/1", "new.png");
    newer.mime_type = Some("Image/PNG; q=1".into());
    newer.size_bytes = Some(1_536);
    assert_eq!(registry.register(&newer, &Call::new("c2", "show")), id);
    let expected = "new.png — Image/PNG; q=1, ~2KB claimed — from tool result — \
                    fetch with fetch_reference";
    assert_eq!(stub(&registry, &id), expected);
    let entry = registry.lookup(&id).unwrap();
    assert_eq!((&*entry.call_id, &*entry.tool), ("c2", "show"));
    // What the newer one does not say is not known any more.
    registry.register(&Reference::new("mcp://cam/1").unwrap(), &call());
    assert_eq!(stub(&registry, &id), "from tool result — fetch with fetch_reference");
    assert_eq!(registry.len(), 1);
}

#[test]
fn testimony_is_frozen_once_the_bytes_are_saved() {
    let mut registry = registry();
    let id = registry.register(&reference("mcp://cam/1", "old.png"), &call());
    assert!(registry.mark_saved(&id, "files/cam.png"));
    let expected = "old.png — from tool result — saved: files/cam.png";
    assert_eq!(stub(&registry, &id), expected);
    let newer = reference("mcp://cam/1", "new.png");
    assert_eq!(registry.register(&newer, &Call::new("c2", "show")), id);
    assert_eq!(stub(&registry, &id), expected);
    let entry = registry.lookup(&id).unwrap();
    assert_eq!(entry.testimony.name.as_deref(), Some("old.png"));
    assert_eq!(entry.saved.as_deref(), Some("files/cam.png"));
    assert!(registry.mark_saved(&id, "files/elsewhere.png"));
    assert_eq!(stub(&registry, &id), "old.png — from tool result — saved: files/elsewhere.png");
}

#[test]
fn a_saved_path_is_shown_as_a_label_of_256() {
    let mut registry = registry();
    let id = registry.register(&reference("mcp://cam/1", "a"), &call());
    for (path, shown) in [
        ("p".repeat(256), "p".repeat(256)),
        ("p".repeat(257), format!("{}…", "p".repeat(255))),
        ("a\nb\u{202E}c\r".to_owned(), "abc".to_owned()),
    ] {
        registry.mark_saved(&id, &path);
        assert_eq!(stub(&registry, &id), format!("a — from tool result — saved: {shown}"));
        assert_eq!(registry.lookup(&id).unwrap().saved.as_deref(), Some(path.as_str()), "whole");
    }
}

#[test]
fn an_id_that_is_not_held_can_be_neither_saved_nor_fetched() {
    let mut registry = registry();
    let id: RefId = "ref_1_ab3d".parse().unwrap();
    assert!(!registry.mark_saved(&id, "files/cam.png"));
    assert!(registry.lookup(&id).is_none());
    assert_eq!(
        stub(&registry, &id),
        "from tool result — cannot be fetched: its server is not known"
    );
}

#[test]
fn the_first_in_are_the_first_out_and_nothing_renews() {
    let mut registry = Registry::with_max(RefIds::fixed("abc123".parse().unwrap()), 2);
    let id = |registry: &mut Registry, uri: &str| registry.register(&reference(uri, "n"), &call());
    let first = id(&mut registry, "mcp://1");
    let second = id(&mut registry, "mcp://2");
    assert_eq!(id(&mut registry, "mcp://1"), first, "again");
    let third = id(&mut registry, "mcp://3");
    let held = |registry: &Registry, id: &RefId| registry.lookup(id).is_some();
    assert_eq!([&first, &second, &third].map(|id| held(&registry, id)), [false, true, true]);
    assert_eq!(registry.len(), 2);
    let again = id(&mut registry, "mcp://1");
    assert!([&first, &second, &third].into_iter().all(|known| *known != again), "a new id");
    assert_eq!([&second, &third, &again].map(|id| held(&registry, id)), [false, true, true]);
}

#[test]
fn two_thousand_references_are_held() {
    let mut registry = registry();
    let ids: Vec<RefId> = (0..=MAX_REFERENCES)
        .map(|index| registry.register(&reference(&format!("mcp://{index}"), "n"), &call()))
        .collect();
    assert_eq!((MAX_REFERENCES, registry.len()), (2_000, 2_000));
    assert!(registry.lookup(&ids[0]).is_none());
    assert!(ids[1..].iter().all(|id| registry.lookup(id).is_some()));
    // Its URI went with it.
    let again = registry.register(&reference("mcp://0", "n"), &call());
    assert!(!ids.contains(&again));
    assert_eq!(registry.register(&reference("mcp://2000", "n"), &call()), ids[2_000]);
}

#[test]
fn a_registry_that_is_full_grows_no_more() {
    let mut registry = registry();
    let mut enter = |turns: std::ops::Range<usize>| {
        for turn in turns {
            registry.register(&reference(&format!("mcp://{turn:06}"), "n"), &call());
        }
    };
    let fill = allocation_counter::measure(|| enter(0..4_000));
    let more = allocation_counter::measure(|| enter(4_000..60_000));
    // A table may have doubled, and no more.
    assert!(more.bytes_current <= fill.bytes_current, "{fill:?} {more:?}");
}

#[test]
fn a_registry_has_room_for_one_at_least() {
    let mut registry = Registry::with_max(RefIds::process(), 0);
    assert!(registry.is_empty());
    let id = registry.register(&reference("mcp://1", "n"), &call());
    assert!(registry.lookup(&id).is_some());
    assert_eq!(registry.len(), 1);
}

#[test]
fn a_reference_is_bound_by_a_tool_or_a_server() {
    for (call, bound) in [
        (Call::new("c1", "list"), true),
        (Call::new("c1", ""), false),
        (Call::new("c1", "").with_server(Server::Named("cams".into())), true),
        (Call::new("c1", "").with_server(Server::OfTool), true),
        (Call::new("c1", "list").with_server(Server::Unknown), false),
    ] {
        let mut registry = registry();
        let id = registry.register(&reference("mcp://1", "n"), &call);
        assert_eq!(is_bound(&registry, &id), bound, "{call:?}");
    }
}

#[test]
fn what_was_bound_stays_bound_and_what_was_not_becomes_so() {
    let mut registry = registry();
    let [known, unknown] = ["list", ""].map(|tool| Call::new("c", tool));
    let id = registry.register(&reference("mcp://1", "n"), &known);
    registry.register(&reference("mcp://1", "newer"), &unknown);
    assert_eq!(stub(&registry, &id), "newer — from tool result — fetch with fetch_reference");
    let id = registry.register(&reference("mcp://2", "n"), &unknown);
    assert!(!is_bound(&registry, &id));
    assert_eq!(registry.register(&reference("mcp://2", "n"), &known), id);
    assert!(is_bound(&registry, &id));
}

#[test]
fn the_same_uri_of_another_named_server_is_another_reference() {
    let mut registry = registry();
    let named = |name: &str| call().with_server(Server::Named(name.to_owned().into()));
    let calls = [named("a"), named("b"), named(""), call(), Call::new("c1", "")];
    let ids: Vec<RefId> =
        calls.iter().map(|call| registry.register(&reference("mcp://1", "n"), call)).collect();
    // Calls that name none share one.
    assert_eq!(ids[3], ids[4]);
    let distinct = [&ids[0], &ids[1], &ids[2], &ids[3]];
    for (at, id) in distinct.iter().enumerate() {
        assert!(distinct[..at].iter().all(|other| other != id));
        let again = registry.register(&reference("mcp://1", "n"), &calls[at]);
        assert_eq!(again, **id);
    }
    let server = |id| registry.lookup(id).map(|entry| entry.server.clone());
    assert_eq!(server(&ids[0]), Some(Server::Named("a".into())));
    assert_eq!(server(&ids[1]), Some(Server::Named("b".into())));
    assert_eq!(registry.len(), 4);
}

#[test]
fn another_tool_of_an_unnamed_server_is_the_same_reference() {
    let mut registry = registry();
    let id = registry.register(&reference("mcp://1", "n"), &Call::new("c1", "list"));
    assert_eq!(registry.register(&reference("mcp://1", "n"), &Call::new("c2", "show")), id);
}

/// The entry of a reference that expires at `expires_at`.
fn expiring(expires_at: &str) -> Entry {
    let mut registry = registry();
    let mut reference = reference("mcp://1", "n");
    reference.expires_at = Some(expires_at.into());
    let id = registry.register(&reference, &call());
    registry.lookup(&id).unwrap().clone()
}

#[test]
fn testimony_ends_at_its_time_whatever_the_offset() {
    // 2030-01-01T00:00:00Z
    let end = SystemTime::UNIX_EPOCH + Duration::from_hours(525_960);
    let second = Duration::from_secs(1);
    for expires_at in [
        "2030-01-01T00:00:00Z",
        "2030-01-01t00:00:00z",
        "2030-01-01T00:00:00.000Z",
        "2030-01-01T00:00:00-00:00",
        "2030-01-01T02:00:00+02:00",
        "2029-12-31T18:30:00-05:30",
        "2030-01-01T14:00:00+14:00",
    ] {
        let entry = expiring(expires_at);
        assert_eq!(entry.testimony.expires_at.as_deref(), Some(expires_at));
        assert!(!entry.is_expired(end - second), "{expires_at}");
        assert!(entry.is_expired(end + second), "{expires_at}");
        assert!(!entry.is_expired(SystemTime::UNIX_EPOCH), "{expires_at}");
    }
    let entry = expiring("2030-01-01T00:00:00.500Z");
    assert!(!entry.is_expired(end + Duration::from_millis(499)));
    assert!(entry.is_expired(end + Duration::from_millis(501)));
}

#[test]
fn what_is_no_time_never_ends() {
    let far = SystemTime::UNIX_EPOCH + Duration::from_secs(200_000_000_000);
    for expires_at in [
        "",
        "soon",
        "2030-01-01",
        "2030-01-01T00:00:00",
        "2030-13-01T00:00:00Z",
        "1893456000",
        "2030-01-01T00:00:00Z or so",
    ] {
        assert!(!expiring(expires_at).is_expired(far), "{expires_at}");
    }
    let mut registry = registry();
    let id = registry.register(&reference("mcp://1", "n"), &call());
    assert!(!registry.lookup(&id).unwrap().is_expired(far));
}

#[test]
fn nothing_is_dropped_because_it_expired() {
    let mut registry = registry();
    let mut reference = reference("mcp://1", "n");
    reference.expires_at = Some("1970-01-01T00:00:00Z".into());
    let id = registry.register(&reference, &call());
    assert_eq!(registry.register(&reference, &call()), id);
    assert_eq!(stub(&registry, &id), "n — from tool result — fetch with fetch_reference");
}

#[test]
fn testimony_is_held_within_its_bounds() {
    let mut registry = registry();
    let long = |len: usize| format!("{}😀", "x".repeat(len));
    let mut reference = reference("mcp://1", &long(254));
    reference.mime_type = Some(long(253).into());
    reference.expires_at = Some(long(63).into());
    let id = registry.register(&reference, &call());
    let held = &registry.lookup(&id).unwrap().testimony;
    assert_eq!(held.name.as_deref(), Some("x".repeat(254).as_str()), "no half of a pair");
    assert_eq!(held.mime_type.as_deref(), Some(long(253).as_str()));
    assert_eq!(held.expires_at.as_deref(), Some("x".repeat(63).as_str()));
    let uri = "u".repeat(4_096);
    let id = registry.register(&Reference::new(uri.as_str()).unwrap(), &call());
    assert_eq!(registry.lookup(&id).unwrap().testimony.uri, uri);
    assert!(Reference::new("u".repeat(4_097)).is_none());
    assert!(Reference::new("😀".repeat(2_048)).is_some());
    assert!(Reference::new(format!("{}u", "😀".repeat(2_048))).is_none());
}

#[test]
fn a_uri_stands_in_no_stub() {
    let uri = "mcp://secret-bearer-token/1";
    let result = read(format!(r#"[{{"type":"image","uri":"{uri}","name":"cam"}}]"#));
    let ingested = session().ingest(&call(), &result);
    let id = stub_at(&ingested.text, 0).unwrap().id;
    let expected =
        format!("[{id}] cam — image/x-unknown — from tool result — fetch with fetch_reference");
    assert_eq!(ingested.text, expected);
    assert!(matches!(result.content, Content::Blocks(blocks) if blocks.len() == 1));
}

#[test]
fn ids_count_in_base_36_and_are_never_used_again() {
    let mut registry = Registry::with_max(RefIds::fixed("abc123".parse().unwrap()), 1);
    let ids: Vec<String> = (0..1_300)
        .map(|index| registry.register(&reference(&format!("mcp://{index}"), ""), &call()))
        .map(|id| id.to_string())
        .collect();
    let counter = |at: usize| ids[at - 1].split('_').nth(1).unwrap();
    for (at, expected) in [(1, "1"), (10, "a"), (35, "z"), (36, "10"), (1_296, "100")] {
        assert_eq!(counter(at), expected);
    }
    assert!(ids.iter().all(|id| id.split('_').nth(2).unwrap().len() == 4));
    assert!(ids.iter().all(|id| id.parse::<RefId>().is_ok_and(|parsed| parsed.as_str() == id)));
    // Registries of one source share it, and another source of the same nonce repeats it.
    let source = RefIds::fixed("abc123".parse().unwrap());
    let mut one = Registry::new(source.clone());
    let mut two = Registry::new(source);
    let minted = [
        one.register(&reference("mcp://1", ""), &call()),
        two.register(&reference("mcp://1", ""), &call()),
        one.register(&reference("mcp://2", ""), &call()),
    ];
    assert_eq!(minted.map(|id| id.to_string()), ids[..3]);
}

#[test]
fn the_ids_of_a_process_cannot_be_told_from_their_counter() {
    let mut registry = Registry::new(RefIds::process());
    let ids: Vec<String> = (0..100)
        .map(|index| registry.register(&reference(&format!("mcp://{index}"), ""), &call()))
        .map(|id| id.to_string())
        .collect();
    let counters = ids.iter().map(|id| u64::from_str_radix(id.split('_').nth(1).unwrap(), 36));
    let counters: Vec<u64> = counters.map(Result::unwrap).collect();
    assert!(counters.is_sorted_by(|one, two| one < two), "other tests may mint between");
    let mut tags: Vec<&str> = ids.iter().map(|id| id.split('_').nth(2).unwrap()).collect();
    assert!(tags.iter().all(|tag| tag.len() == 4));
    tags.sort_unstable();
    tags.dedup();
    assert!(tags.len() > 90, "{} tags of 100", tags.len());
}

#[test]
fn a_stub_that_was_shown_stays_a_slot_whatever_its_server_says_later() {
    let mut session = session();
    let json =
        |mime: &str| format!(r#"[{{"type":"resource_link","uri":"mcp://1","mimeType":"{mime}"}}]"#);
    let shown = session.ingest(&call(), &read(json("image/png")));
    let later = session.ingest(&Call::new("c2", "list"), &read(json("text/plain")));
    let ids = [&shown, &later].map(|ingested| stub_at(&ingested.text, 0).unwrap().id.to_owned());
    assert_eq!(ids[0], ids[1]);
    assert_eq!(slots(&shown.text).count(), 1);
    assert_eq!(slots(&later.text).count(), 0);
}

#[test]
fn the_longest_stub_has_677_units() {
    let mut registry = registry();
    let mut reference = reference("mcp://1", &"n".repeat(300));
    reference.mime_type = Some(format!("image/{}", "m".repeat(300)).into());
    reference.size_bytes = Some((1 << 53) - 1);
    let id = registry.register(&reference, &call());
    registry.mark_saved(&id, &"p".repeat(300));
    let stub = stub(&registry, &id);
    let expected = format!(
        "{}… — image/{}…, ~8388608.0GB claimed — from tool result — saved: {}…",
        "n".repeat(119),
        "m".repeat(113),
        "p".repeat(255)
    );
    assert_eq!(stub, expected);
    // A counter of 11 and a provenance of 120 make it 677.
    let shorter = (11 - 1) + (120 - "from tool result".len());
    assert_eq!(len_utf16(&stub) + "[] ".len() + id.as_str().len() + shorter, 677);
}
