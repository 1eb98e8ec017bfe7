//! Putting, finding and listing.

use slotledger::copy::{BlockKind, BlockSpan};
use slotledger::record::store::{By, EmittedView, Sessions, Store, StoreError, normalized};
use slotledger::record::{Meta, Record, RecordId, Sizes, SlotPlace};
use slotledger::text::{Span, Unit};

use super::home::{Home, at, record, text_of};

const ONE: Sessions<'_> = Sessions::One("s1");

fn ids(found: &[Meta]) -> Vec<RecordId> {
    found.iter().map(|meta| meta.id).collect()
}

pub(super) fn what_is_put_is_found_whole(home: &Home) {
    let store = home.open();
    let whole =
        Record { is_error: true, complete: false, unit: Unit::Char, ..record("c1", "a😀\nb") };
    let kept = store.put(&whole, at(1)).unwrap();
    assert_eq!(kept.sizes, Sizes { bytes: 7, chars: 4, utf16: 5, lines: 2 });
    assert_eq!((kept.nth, kept.created, kept.gone), (1, at(1), None));
    assert_eq!((&*kept.session, &*kept.call_id, &*kept.tool), ("s1", "c1", "bash"));
    assert_eq!((kept.is_error, kept.complete, kept.plain), (true, false, true));
    assert_eq!((kept.unit, kept.sha256, kept.slots), (Unit::Char, whole.sha256(), 0));
    for by in
        [By::CallId("c1"), By::Normalized("c1"), By::Key(kept.key()), By::Sha256(&whole.sha256())]
    {
        for sessions in [ONE, Sessions::All] {
            let found = store.find(sessions, by).unwrap();
            assert_eq!(found, std::slice::from_ref(&kept), "{by:?} {sessions:?}");
        }
    }
    assert_eq!(text_of(&*store, kept.id), "a😀\nb");
    let empty = store.put(&record("c2", ""), at(1)).unwrap();
    assert_eq!((empty.sizes, text_of(&*store, empty.id)), (Sizes::default(), String::new()));
}

pub(super) fn the_same_text_again_is_the_same_record(home: &Home) {
    let store = home.open();
    let first = store.put(&record("c1", "hello"), at(1)).unwrap();
    let again = store.put(&record("c1", "hello"), at(9)).unwrap();
    assert_eq!(again, first);
    assert_eq!(store.usage().unwrap().records, 1);
    assert_eq!(store.usage().unwrap().bytes, 5);
}

pub(super) fn another_text_of_a_call_is_its_next_record(home: &Home) {
    let store = home.open();
    let texts = ["hello", "hello again", "third"];
    let kept: Vec<Meta> =
        texts.iter().map(|text| store.put(&record("c1", text), at(1)).unwrap()).collect();
    assert_eq!(kept.iter().map(|meta| meta.nth).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(store.put(&record("c1", "hello"), at(1)).unwrap().nth, 1);
    let found = store.find(ONE, By::CallId("c1")).unwrap();
    assert_eq!(ids(&found), [kept[2].id, kept[1].id, kept[0].id]);
    for (meta, text) in kept.iter().zip(texts) {
        assert_eq!(text_of(&*store, meta.id), text);
        assert_eq!(ids(&store.find(ONE, By::Key(meta.key())).unwrap()), [meta.id]);
    }
    assert_eq!(kept[0].key().to_string(), "2cf24dba5fb0a30e");
    assert_eq!(kept[1].key().to_string(), "3908c567feda72bc");
}

pub(super) fn another_tool_or_error_flag_is_another_record(home: &Home) {
    let store = home.open();
    let plain = record("c1", "hello");
    store.put(&plain, at(1)).unwrap();
    let failed = store.put(&Record { is_error: true, ..plain.clone() }, at(1)).unwrap();
    let other = store.put(&Record { tool: "read".into(), ..plain }, at(1)).unwrap();
    assert_eq!((failed.nth, other.nth), (2, 3));
    assert_eq!(store.find(ONE, By::Key(other.key())).unwrap().len(), 3);
    store.remove(failed.id).unwrap();
    assert_eq!(text_of(&*store, other.id), "hello", "an equal text of another record stays");
}

pub(super) fn sessions_are_apart(home: &Home) {
    let store = home.open();
    let first = store.put(&record("c1", "one"), at(1)).unwrap();
    let second = store.put(&Record::new("s2", "c1", "bash", "one"), at(1)).unwrap();
    assert_eq!(second.nth, 1);
    assert_eq!(ids(&store.find(ONE, By::CallId("c1")).unwrap()), [first.id]);
    assert_eq!(ids(&store.find(Sessions::All, By::CallId("c1")).unwrap()), [second.id, first.id]);
    assert_eq!(store.find(Sessions::One("s3"), By::CallId("c1")).unwrap(), []);
    assert_eq!(store.usage().unwrap().sessions, 2);
}

pub(super) fn hostile_ids_are_kept_as_they_are(home: &Home) {
    let long = "x".repeat(300);
    let names = [
        "../x",
        "/etc/passwd",
        "",
        "a\0b",
        "a",
        "A",
        "toolu@abc#1",
        "toolu_abc_1",
        "0123",
        "123",
        "it's",
        "'; DROP TABLE record; --",
        "%",
        "é",
        "e\u{301}",
        "\u{202e}x",
        &long,
        &long[1..],
    ];
    let store = home.open();
    for (n, name) in names.iter().enumerate() {
        let kept = Record::new(*name, *name, *name, n.to_string());
        store.put(&kept, at(1)).unwrap();
    }
    let store = home.reopened(store);
    for (n, name) in names.iter().enumerate() {
        let found = store.find(Sessions::All, By::CallId(name)).unwrap();
        let [meta] = found.as_slice() else { panic!("{name:?}: {found:?}") };
        assert_eq!((&*meta.session, &*meta.call_id, &*meta.tool), (*name, *name, *name));
        assert_eq!(text_of(&*store, meta.id), n.to_string());
        assert_eq!(store.find(Sessions::One(name), By::CallId(name)).unwrap(), found);
    }
    let mut outside: Vec<_> =
        std::fs::read_dir(home.folder()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    outside.retain(|name| name != "store");
    assert!(outside.is_empty(), "written outside the store: {outside:?}");
}

pub(super) fn ids_are_found_by_their_normalized_form(home: &Home) {
    let store = home.open();
    store.put(&record("call@abc#1", "x"), at(1)).unwrap();
    let found = store.find(ONE, By::Normalized("call_abc_1")).unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!(store.find(ONE, By::Normalized("call.abc.1")).unwrap(), found);
    assert_eq!(store.find(ONE, By::CallId("call_abc_1")).unwrap(), []);
    store.put(&record("call:abc:1", "y"), at(1)).unwrap();
    assert_eq!(store.find(Sessions::All, By::Normalized("call_abc_1")).unwrap().len(), 2);
    let long = "é".repeat(100);
    assert_eq!(normalized(&long).len(), 64);
    store.put(&record(&long, "z"), at(1)).unwrap();
    assert_eq!(store.find(ONE, By::Normalized(&"_".repeat(64))).unwrap().len(), 1);
}

pub(super) fn the_newest_comes_first(home: &Home) {
    let store = home.open();
    // The clock goes back; the order is that of keeping.
    let kept: Vec<RecordId> =
        (0..20).map(|n| store.put(&record("c", &n.to_string()), at(100 - n)).unwrap().id).collect();
    assert!(kept.is_sorted_by(|a, b| a < b));
    let mut found = ids(&store.find(ONE, By::CallId("c")).unwrap());
    found.reverse();
    assert_eq!(found, kept);
}

pub(super) fn lists_are_read_on(home: &Home) {
    let store = home.open();
    for n in 0..7 {
        store.put(&record(&format!("c{n}"), "x"), at(n)).unwrap();
        store.put(&Record::new("s2", format!("d{n}"), "bash", "x"), at(n)).unwrap();
    }
    let mut before = None;
    let mut seen = Vec::new();
    loop {
        let listed = store.list(ONE, None, before, 3).unwrap();
        let Some(last) = listed.last() else { break };
        before = Some(last.meta.id);
        seen.extend(listed.into_iter().map(|listed| (listed.meta.call_id.to_string(), listed.age)));
    }
    let all: Vec<_> = (0..7).map(|age| (format!("c{}", 6 - age), age)).collect();
    assert_eq!(seen, all);
    let all = store.list(Sessions::All, None, None, 100).unwrap();
    assert_eq!(all.len(), 14);
    assert!(all.iter().enumerate().all(|(n, listed)| listed.age == n / 2));
    assert_eq!(store.list(ONE, None, None, 0).unwrap(), []);
    assert_eq!(store.list(Sessions::One("nobody"), None, None, 9).unwrap(), []);
}

pub(super) fn lists_go_by_tool(home: &Home) {
    let store = home.open();
    for (n, tool) in ["a.b", "bash", "a:b", ""].into_iter().enumerate() {
        store.put(&Record::new("s1", n.to_string(), tool, "x"), at(1)).unwrap();
    }
    let tools = |tool| {
        let listed = store.list(ONE, Some(tool), None, 9).unwrap();
        listed.into_iter().map(|one| (one.meta.tool.to_string(), one.age)).collect::<Vec<_>>()
    };
    assert_eq!(tools("bash"), [("bash".to_owned(), 2)]);
    assert_eq!(tools("a_b"), [("a:b".to_owned(), 1), ("a.b".to_owned(), 3)]);
    assert_eq!(tools("nothing"), []);
}

pub(super) fn places_come_back(home: &Home) {
    let store = home.open();
    let block = |kind, start, end| BlockSpan { kind, span: Span::new(start, end) };
    let slot = |start, end, shown, reference: Option<&str>| SlotPlace {
        span: Span::new(start, end),
        shown,
        reference: reference.map(Into::into),
        media_type: "image/png".into(),
    };
    let placed = Record {
        blocks: vec![
            block(BlockKind::Text, 0, 5),
            block(BlockKind::Image, 6, 8),
            block(BlockKind::Reference, 8, 11),
        ],
        shown: vec![Span::new(0, 4), Span::new(4, 8)],
        slots: (0..12)
            .map(|n| slot(n, n, n % 2 == 0, (n == 3).then_some("img_abc123_1")))
            .collect(),
        ..record("c1", "hello again")
    };
    let kept = store.put(&placed, at(1)).unwrap();
    assert_eq!(kept.slots, 12);
    let store = home.reopened(store);
    let back = store.places(kept.id).unwrap();
    assert_eq!(back.blocks, placed.blocks);
    assert_eq!(back.shown, placed.shown);
    assert_eq!(back.slots, placed.slots);
    assert_eq!(store.find(ONE, By::CallId("c1")).unwrap(), [kept]);
    assert_eq!(store.check(&mut |_, _| ()).unwrap(), []);
}

pub(super) fn views_are_known(home: &Home) {
    let store = home.open();
    let kept = store.put(&record("c1", "hello"), at(1)).unwrap();
    let page = EmittedView {
        session: "s2".into(),
        call_id: "c9".into(),
        sha256: [7; 32],
        record: kept.id,
        kind: "page".into(),
        range: Some((0, 3)),
    };
    store.note_view(&page).unwrap();
    assert_eq!(store.view("s2", "c9", &[7; 32]).unwrap(), Some(page.clone()));
    assert_eq!(store.view("s1", "c9", &[7; 32]).unwrap(), None);
    assert_eq!(store.view("s2", "c9", &[8; 32]).unwrap(), None);
    let stored = EmittedView { kind: "stored".into(), range: None, ..page.clone() };
    store.note_view(&stored).unwrap();
    let store = home.reopened(store);
    assert_eq!(store.view("s2", "c9", &[7; 32]).unwrap(), Some(stored));
    let other = EmittedView { call_id: "c8".into(), ..page.clone() };
    store.note_view(&other).unwrap();
    assert_eq!(store.remove_session("s2").unwrap(), 0);
    assert_eq!(store.view("s2", "c9", &[7; 32]).unwrap(), None);
    store.note_view(&page).unwrap();
    assert_eq!(store.remove_session("s1").unwrap(), 1);
    assert_eq!(store.view("s2", "c9", &[7; 32]).unwrap(), None, "its record is not known");
    let lost = store.note_view(&page);
    assert!(matches!(lost, Err(StoreError::NoSuchRecord)), "{lost:?}");
}

pub(super) fn what_is_not_there_is_said(home: &Home) {
    let store = home.open();
    let id = RecordId(7);
    assert!(matches!(store.read(id, 0, 1), Err(StoreError::NoSuchRecord)));
    assert!(matches!(store.places(id), Err(StoreError::NoSuchRecord)));
    assert!(matches!(store.remove(id), Err(StoreError::NoSuchRecord)));
    assert_eq!(store.remove_session("s1").unwrap(), 0);
    assert_eq!(store.find(Sessions::All, By::CallId("c")).unwrap(), []);
    assert_eq!(store.usage().unwrap(), slotledger::record::store::Usage::default());
}

pub(super) fn plain_is_what_a_terminal_may_print(home: &Home) {
    let store: &dyn Store = &*home.open();
    let plain = |text: &str| store.put(&record("c", text), at(1)).unwrap().plain;
    for text in ["x\0yyyy", "a\rb", "\u{1b}[31m", "\u{7f}", "\u{9b}x", "\r"] {
        assert!(!plain(text), "{text:?}");
    }
    for text in ["a\r\nb", "\u{fffd}", "tab\tand é 😀\n", ""] {
        assert!(plain(text), "{text:?}");
    }
    // Wherever it stands, however the text is walked through.
    for ch in (0..=0x100).filter_map(char::from_u32) {
        for before in [0, 254, 255, 256, 511] {
            for behind in ["", "\n", "x"] {
                let text = format!("{}{ch}{behind}", "a".repeat(before));
                let is_break = ch == '\r' && behind == "\n";
                let expected = !ch.is_control() || matches!(ch, '\t' | '\n') || is_break;
                assert_eq!(Record::new("", "", "", text.as_str()).is_plain(), expected, "{text:?}");
            }
        }
    }
}
