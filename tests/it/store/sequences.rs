//! The same operations on every store have the same answers.

use std::time::SystemTime;

use proptest::collection::vec;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use slotledger::Unit;
use slotledger::record::store::{By, EmittedView, Retention, Sessions, Store};
use slotledger::record::{ContentKey, Record, RecordId, SlotPlace, page_of};
use slotledger::text::Span;

use super::home::{Home, KINDS, Kind, at, open};

/// What is done, as small numbers.
type Step = (u8, u8, u8, u8, u8);

const SESSIONS: [&str; 3] = ["s1", "s2", "../s"];
const CALLS: [&str; 4] = ["c1", "c@1", "c_1", ""];
const TOOLS: [&str; 3] = ["bash", "", "a.b"];
const UNITS: [Unit; 3] = [Unit::Utf16, Unit::Char, Unit::Byte];

fn pick<T: Copy>(list: &[T], n: u8) -> T {
    list[usize::from(n) % list.len()]
}

fn texts() -> [String; 6] {
    [
        String::new(),
        "hello".to_owned(),
        "a😀é\n".repeat(30),
        "x".repeat(700),
        "😀".repeat(17_000),
        "y".repeat(70_001),
    ]
}

fn retention() -> Retention {
    Retention {
        quota_bytes: 150_000,
        max_record_bytes: 70_000,
        max_gone: 4,
        ..Retention::default()
    }
}

/// Does one step at one store, and says what it answered.
fn step(store: &dyn Store, (what, a, b, c, d): Step, seconds: u64) -> String {
    let (session, call_id) = (pick(&SESSIONS, a), pick(&CALLS, b));
    let sessions = if c % 2 == 0 { Sessions::One(session) } else { Sessions::All };
    let id = RecordId(u64::from(d % 12));
    let now = at(seconds);
    let day = u64::from(c % 4) * 24 * 3600;
    let text = pick(&texts().each_ref(), d).clone();
    match what % 16 {
        0..5 => {
            let slot = SlotPlace {
                span: Span::new(0, 0),
                shown: b.is_multiple_of(2),
                reference: c.is_multiple_of(3).then(|| "r".into()),
                media_type: "image/png".into(),
            };
            let record = Record {
                is_error: c % 5 == 0,
                complete: c % 7 != 0,
                unit: pick(&UNITS, c),
                slots: vec![slot; usize::from(a % 3)],
                ..Record::new(session, call_id, pick(&TOOLS, c), text)
            };
            said(store.put(&record, now))
        }
        5 => said(store.find(sessions, By::CallId(call_id))),
        6 => said(store.find(sessions, By::Normalized(call_id))),
        7 => said(store.find(sessions, By::Key(ContentKey::of(&text)))),
        8 => {
            let tool = (d % 4 != 0).then(|| pick(&TOOLS, d));
            let before = (b % 3 != 0).then_some(id);
            said(store.list(sessions, tool, before, usize::from(c % 5)))
        }
        9 => {
            let meta = store.find(Sessions::All, By::CallId(call_id)).unwrap();
            let pages = meta.iter().map(|meta| {
                said(page_of(store, meta, usize::from(c) * 300, usize::from(d) * 300 + 1))
            });
            pages.collect::<Vec<_>>().join("\n")
        }
        10 => said(store.remove(id)),
        11 if d % 4 == 0 => said(store.remove_session(session)),
        11 | 12 => said(store.keep_alive(session, at(seconds + day))),
        13 => {
            let swept = Retention {
                quota_bytes: u64::from(d) * 700,
                max_age: b.is_multiple_of(2).then(|| std::time::Duration::from_secs(day)),
                max_gone: usize::from(a % 8),
                ..retention()
            };
            said(store.sweep(&swept, at(seconds + day)))
        }
        14 => {
            let view = EmittedView {
                session: session.into(),
                call_id: call_id.into(),
                sha256: [d % 3; 32],
                record: id,
                kind: "page".into(),
                range: c.is_multiple_of(2).then_some((1, 2)),
            };
            said(store.note_view(&view)) + &said(store.places(id))
        }
        _ => {
            let view = store.view(session, call_id, &[d % 3; 32]);
            said(view) + &said(store.usage()) + &said(store.check(&mut |_, _| ()))
        }
    }
}

/// An answer; of an error its reason.
fn said<T: std::fmt::Debug>(answer: Result<T, slotledger::record::store::StoreError>) -> String {
    match answer {
        Ok(answer) => format!("{answer:?}"),
        Err(error) => format!("error: {error}"),
    }
}

/// One store, which is read anew now and then.
struct Subject {
    home: Home,
    store: Box<dyn Store>,
}

impl Subject {
    fn reopen(&mut self) {
        if self.home.kind == Kind::Memory {
            // Opening sweeps.
            self.store.sweep(&retention(), SystemTime::now()).unwrap();
        } else {
            self.store = open(self.home.kind, &self.home.path(), retention()).unwrap();
        }
    }
}

fn hold(steps: &[Step]) {
    let mut subjects: Vec<Subject> = KINDS
        .iter()
        .map(|kind| {
            let home = Home::new(*kind);
            let store = home.open_with(retention());
            Subject { home, store }
        })
        .collect();
    let mut seconds = 0;
    for (n, one) in steps.iter().enumerate() {
        seconds += u64::from(one.4) * 400;
        if one.0 == 255 {
            subjects.iter_mut().for_each(Subject::reopen);
            continue;
        }
        let answers: Vec<String> =
            subjects.iter().map(|subject| step(&*subject.store, *one, seconds)).collect();
        for (subject, answer) in subjects.iter().zip(&answers) {
            assert_eq!(*answer, answers[0], "step {n} {one:?} of {:?}", subject.home.kind);
        }
    }
    for subject in &subjects {
        assert_eq!(subject.store.check(&mut |_, _| ()).unwrap(), []);
    }
}

#[test]
fn the_stores_answer_alike() {
    let all = ProptestConfig::default();
    let config = ProptestConfig { failure_persistence: None, cases: all.cases / 4, ..all };
    let steps = vec(any::<Step>(), 1..60);
    TestRunner::new(config)
        .run(&steps, |steps| {
            hold(&steps);
            Ok(())
        })
        .unwrap_or_else(|error| panic!("{error}"));
}
