//! How records end.

use std::time::{Duration, UNIX_EPOCH};

use slotledger::record::store::{By, EmittedView, Retention, Sessions, Store, StoreError};
use slotledger::record::{Gone, Record, RecordId};

use super::home::{Home, at, record, text_of};

const DAY: u64 = 24 * 3600;

fn gone_of(store: &dyn Store, call_id: &str) -> Option<Gone> {
    store.find(Sessions::All, By::CallId(call_id)).unwrap()[0].gone
}

/// A record of a session of its own.
fn of_session(session: usize, bytes: usize) -> Record {
    let text = format!("{session:08}").repeat(bytes / 8);
    Record::new(format!("s{session}"), format!("c{session}"), "bash", text)
}

pub(super) fn a_removed_text_leaves_its_row_and_returns(home: &Home) {
    let store = home.open();
    let kept = store.put(&record("c1", "hello"), at(1)).unwrap();
    store.remove(kept.id).unwrap();
    assert!(matches!(store.read(kept.id, 0, 1), Err(StoreError::Gone(Gone::Request))));
    assert_eq!(gone_of(&*store, "c1"), Some(Gone::Request));
    assert_eq!(store.places(kept.id).unwrap().slots, []);
    let usage = store.usage().unwrap();
    assert_eq!((usage.records, usage.gone, usage.bytes, usage.sessions), (0, 1, 0, 1));
    store.remove(kept.id).unwrap();
    let back = store.put(&record("c1", "hello"), at(9)).unwrap();
    assert_eq!((back.id, back.nth, back.gone, back.created), (kept.id, 1, None, at(9)));
    assert_eq!(text_of(&*store, kept.id), "hello");
    assert_eq!(store.find(Sessions::One("s1"), By::CallId("c1")).unwrap(), [back]);
    assert_eq!(store.check(&mut |_, _| ()).unwrap(), []);
}

pub(super) fn a_removed_session_leaves_nothing(home: &Home) {
    let store = home.open();
    store.put(&record("c1", "shared"), at(1)).unwrap();
    store.put(&record("c2", "own"), at(1)).unwrap();
    let other = store.put(&Record::new("s2", "c1", "bash", "shared"), at(1)).unwrap();
    assert_eq!(store.remove_session("s1").unwrap(), 2);
    assert_eq!(store.find(Sessions::One("s1"), By::CallId("c1")).unwrap(), []);
    assert_eq!(text_of(&*store, other.id), "shared");
    assert_eq!(store.usage().unwrap().bytes, 6);
    assert_eq!(store.put(&record("c1", "shared"), at(1)).unwrap().nth, 1);
}

pub(super) fn ids_are_never_used_again(home: &Home) {
    let store = home.open();
    let first = store.put(&record("c1", "x"), at(1)).unwrap().id;
    store.remove_session("s1").unwrap();
    let second = store.put(&record("c1", "x"), at(1)).unwrap().id;
    assert!(first < second);
}

pub(super) fn age_ends_a_text(home: &Home) {
    let retention =
        Retention { max_age: Some(Duration::from_secs(7 * DAY)), ..Retention::default() };
    let store = home.open();
    store.put(&of_session(1, 80), at(0)).unwrap();
    store.put(&of_session(2, 80), at(3 * DAY)).unwrap();
    let swept = store.sweep(&retention, at(7 * DAY)).unwrap();
    assert_eq!((swept.records, swept.bytes), (0, 0));
    let swept = store.sweep(&retention, at(8 * DAY)).unwrap();
    assert_eq!((swept.records, swept.bytes), (1, 80));
    assert_eq!((gone_of(&*store, "c1"), gone_of(&*store, "c2")), (Some(Gone::Age), None));
    assert_eq!(store.sweep(&retention, at(8 * DAY)).unwrap().records, 0);
}

pub(super) fn live_sessions_are_spared(home: &Home) {
    let retention = Retention { max_age: Some(Duration::ZERO), ..Retention::default() };
    let store = home.open();
    store.put(&of_session(1, 80), at(0)).unwrap();
    assert_eq!(store.sweep(&retention, at(DAY - 1)).unwrap().records, 0);
    store.keep_alive("s1", at(3 * DAY)).unwrap();
    assert_eq!(store.sweep(&retention, at(2 * DAY)).unwrap().records, 0);
    store.put(&of_session(1, 80), at(100)).unwrap();
    assert_eq!(store.sweep(&retention, at(2 * DAY)).unwrap().records, 0, "never shortened");
    store.keep_alive("s1", at(DAY)).unwrap();
    assert_eq!(store.sweep(&retention, at(2 * DAY)).unwrap().records, 1);
}

pub(super) fn a_small_quota_holds_for_ten_thousand_records(home: &Home) {
    let (records, bytes, quota) =
        if cfg!(debug_assertions) { (1_000, 2_000, 640_000) } else { (10_000, 20_000, 64_000_000) };
    let retention = Retention { quota_bytes: quota, ..Retention::default() };
    let store = home.open_with(retention);
    let mut live = Vec::new();
    for n in 0..records {
        // One session goes on all the time; the others were left behind long before.
        let now = at(n as u64 * 2 * DAY);
        store.keep_alive("live", at((n as u64 + 2) * 2 * DAY)).unwrap();
        if n % 100 == 0 {
            let text = format!("live {n} ").repeat(bytes / 10);
            live.push((store.put(&Record::new("live", n.to_string(), "", &*text), now), text));
        } else {
            store.put(&of_session(n, bytes), now).unwrap();
        }
        if n % 97 == 0 {
            assert!(store.usage().unwrap().bytes <= quota);
        }
    }
    for (kept, text) in live {
        assert_eq!(text_of(&*store, kept.unwrap().id), text);
    }
    assert!(store.usage().unwrap().bytes <= quota);
    assert_eq!(gone_of(&*store, "c1"), Some(Gone::Quota));
    assert_eq!(gone_of(&*store, &format!("c{}", records - 1)), None);
    assert_eq!(store.usage().unwrap().records + store.usage().unwrap().gone, records);
    assert_eq!(store.check(&mut |_, _| ()).unwrap(), []);
}

pub(super) fn live_sessions_alone_fill_the_quota(home: &Home) {
    let retention = Retention { quota_bytes: 1_000, ..Retention::default() };
    let store = home.open_with(retention);
    store.put(&of_session(1, 400), at(0)).unwrap();
    store.put(&of_session(2, 400), at(2 * DAY)).unwrap();
    store.put(&Record { session: "s2".into(), ..of_session(3, 200) }, at(2 * DAY)).unwrap();
    let before = store.usage().unwrap();
    let refused = store.put(&Record { session: "s2".into(), ..of_session(4, 800) }, at(2 * DAY));
    assert!(matches!(refused, Err(StoreError::QuotaFull { quota_bytes: 1_000 })), "{refused:?}");
    assert_eq!(store.usage().unwrap(), before, "a refusal removes nothing");
    assert_eq!(store.find(Sessions::All, By::CallId("c4")).unwrap(), []);
    store.put(&Record { session: "s2".into(), ..of_session(5, 400) }, at(2 * DAY)).unwrap();
    assert_eq!(gone_of(&*store, "c1"), Some(Gone::Quota));
    let same = store.put(&of_session(2, 400), at(2 * DAY)).unwrap();
    assert_eq!(same.gone, None, "what is kept already needs no room");
    // The session that puts is live, though nobody said so before.
    let refused = store.put(&Record { session: "s2".into(), ..of_session(6, 80) }, at(9 * DAY));
    assert!(matches!(refused, Err(StoreError::QuotaFull { .. })), "{refused:?}");
}

pub(super) fn a_sweep_goes_to_nine_tenths(home: &Home) {
    let store = home.open();
    for n in 0..100 {
        store.put(&of_session(n, 80), at(0)).unwrap();
    }
    let retention = Retention { quota_bytes: 5_000, ..Retention::default() };
    assert_eq!(store.sweep(&retention, at(0)).unwrap().records, 0, "all are live");
    let swept = store.sweep(&retention, at(2 * DAY)).unwrap();
    assert_eq!((swept.records, swept.bytes), (44, 3_520));
    assert_eq!(store.usage().unwrap().bytes, 4_480);
    assert_eq!((gone_of(&*store, "c43"), gone_of(&*store, "c44")), (Some(Gone::Quota), None));
}

pub(super) fn a_record_from_the_end_of_time_is_swept(home: &Home) {
    let retention = Retention { quota_bytes: 1_000, ..Retention::default() };
    let store = home.open_with(retention);
    // Later than a store counts.
    let end = UNIX_EPOCH + Duration::from_millis(u64::MAX);
    store.put(&of_session(1, 400), end).unwrap();
    store.keep_alive("s1", at(0)).unwrap();
    store.put(&of_session(2, 800), at(DAY)).unwrap();
    assert_eq!((gone_of(&*store, "c1"), gone_of(&*store, "c2")), (Some(Gone::Quota), None));
    assert_eq!(store.usage().unwrap().bytes, 800);
}

pub(super) fn a_session_that_ended_is_not_live_again(home: &Home) {
    let store = home.open();
    store.keep_alive("s1", at(100 * DAY)).unwrap();
    // One process has a clock that is ahead; to it the session, of which nothing is kept, has ended.
    store.sweep(&Retention::default(), at(200 * DAY)).unwrap();
    let store = home.reopened(store);
    store.put(&of_session(1, 80), at(0)).unwrap();
    let nothing = Retention { quota_bytes: 0, ..Retention::default() };
    assert_eq!(store.sweep(&nothing, at(2 * DAY)).unwrap().records, 1);
}

pub(super) fn records_over_the_limit_are_refused(home: &Home) {
    let store = home.open_with(Retention { max_record_bytes: 5, ..Retention::default() });
    store.put(&record("c1", "hello"), at(1)).unwrap();
    let refused = store.put(&record("c1", "hello!"), at(1)).unwrap_err();
    assert_eq!(refused.reason(), "over the record limit of 5 bytes");
    assert_eq!(store.find(Sessions::One("s1"), By::CallId("c1")).unwrap().len(), 1);
}

pub(super) fn few_are_remembered_without_text(home: &Home) {
    let store = home.open();
    let kept: Vec<RecordId> =
        (0..500).map(|n| store.put(&of_session(n, 8), at(0)).unwrap().id).collect();
    let view = EmittedView {
        session: "s0".into(),
        call_id: "c0".into(),
        sha256: [1; 32],
        record: kept[0],
        kind: "stored".into(),
        range: None,
    };
    store.note_view(&view).unwrap();
    let retention = Retention { quota_bytes: 800, max_gone: 50, ..Retention::default() };
    let swept = store.sweep(&retention, at(2 * DAY)).unwrap();
    assert_eq!(swept.records, 410);
    let usage = store.usage().unwrap();
    assert_eq!((usage.records, usage.gone, usage.sessions), (90, 50, 140));
    assert_eq!(store.find(Sessions::All, By::CallId("c359")).unwrap(), []);
    assert_eq!(gone_of(&*store, "c360"), Some(Gone::Quota));
    assert_eq!(store.view("s0", "c0", &[1; 32]).unwrap(), None);
}

pub(super) fn a_fresh_store_checks_clean(home: &Home) {
    let store = home.open();
    assert_eq!(store.check(&mut |_, _| ()).unwrap(), []);
    store.put(&record("c1", &"é😀x\n".repeat(40_000)), at(1)).unwrap();
    store.put(&record("c2", ""), at(1)).unwrap();
    let mut told = Vec::new();
    assert_eq!(store.check(&mut |read, total| told.push((read, total))).unwrap(), []);
    assert_eq!(told.last(), Some(&(320_000, 320_000)));
}
