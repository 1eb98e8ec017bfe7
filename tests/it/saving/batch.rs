//! The open batch: its order, and waiting for it (SPEC 18.4 to 18.6, 19.3).

use std::time::{Duration, Instant};

use slotledger::Cap;
use slotledger::content::{Attachment, Call, Image, Message, Part};
use slotledger::history::{SIBLING_TIMEOUT, SaveError, wait_for_siblings};

use super::{given, images, ingest, listed};
use crate::support::{in_time, read, session};

fn calls(calls: &[(&str, &str)]) -> Vec<Call> {
    calls.iter().map(|(id, tool)| Call::new(*id, *tool)).collect()
}

#[test]
fn a_save_before_its_sibling_in_the_message_gets_the_same_image() {
    for order in
        [[("s", "save_recent_image"), ("c1", "snap")], [("c1", "snap"), ("s", "save_recent_image")]]
    {
        let mut session = session();
        ingest(&mut session, "c0", "snap", &images(&["OLDE"]));
        session.commit();
        session.begin(calls(&order));
        let waited = wait_for_siblings(|| session.conversation().pending(), Duration::ZERO);
        assert_eq!(waited.unwrap_err().calls, calls(&[("c1", "snap")]));
        ingest(&mut session, "c1", "snap", &images(&["NEWE"]));
        let pending = || session.conversation().pending();
        assert_eq!(pending(), calls(&[("s", "save_recent_image")]));
        wait_for_siblings(pending, Duration::ZERO).expect("only the save itself is left");
        assert_eq!(given(&session, 0).unwrap(), "NEWE");
        ingest(&mut session, "s", "save_recent_image", r#""saved shot.png""#);
        assert_eq!(given(&session, 0).unwrap(), "NEWE");
        assert_eq!(session.commit(), 2);
        assert_eq!(
            (given(&session, 0).unwrap(), given(&session, 1).unwrap()),
            ("NEWE".into(), "OLDE".into())
        );
    }
}

#[test]
fn results_count_in_the_order_they_completed() {
    let mut session = session();
    let image = |data| Part::Attachment(Attachment::Inline(Image::new(data, "image/gif")));
    session.push(&Message::new("user", vec![image("AAAA"), image("BBBB")]));
    session.begin(calls(&[("c1", "snap"), ("c2", "cam")]));
    ingest(&mut session, "c2", "cam", &images(&["CCCC"]));
    ingest(&mut session, "c1", "snap", &images(&["DDDD", "EEEE"]));
    let batch = [
        "0 0 snap/c1 image/png EEEE",
        "1 0 snap/c1 image/png DDDD",
        "2 0 cam/c2 image/png CCCC",
        "3 1 attachment image/gif BBBB",
        "4 1 attachment image/gif AAAA",
    ];
    assert_eq!(listed(&session), batch);
    assert_eq!(session.commit(), 2);
    let committed = [
        "0 1 snap/c1 image/png EEEE",
        "1 1 snap/c1 image/png DDDD",
        "2 1 cam/c2 image/png CCCC",
        "3 2 attachment image/gif BBBB",
        "4 2 attachment image/gif AAAA",
    ];
    assert_eq!(listed(&session), committed);
}

#[test]
fn a_commit_ends_what_was_pending_and_makes_no_message_of_nothing() {
    let mut session = session();
    session.begin(calls(&[("c1", "snap"), ("c1", "cam"), ("c2", "snap")]));
    ingest(&mut session, "c1", "snap", r#""done""#);
    assert_eq!(session.conversation().pending(), calls(&[("c1", "cam"), ("c2", "snap")]));
    ingest(&mut session, "unasked", "snap", r#""done""#);
    assert_eq!(session.commit(), 2);
    assert!(session.conversation().pending().is_empty());
    assert_eq!((session.commit(), session.conversation().messages().len()), (0, 1));
}

#[test]
fn a_deadline_passed_is_a_refusal_that_names_the_calls() {
    assert_eq!(SIBLING_TIMEOUT, Duration::from_mins(2));
    let left = calls(&[("c1", "snap"), ("s", "save_recent_image"), ("c\"2]", "")]);
    let start = Instant::now();
    let waited = wait_for_siblings(|| left.clone(), Duration::from_millis(1_050)).unwrap_err();
    assert!(start.elapsed() >= Duration::from_millis(1_050));
    let error = SaveError::SiblingsPending(waited);
    assert_eq!(error.reason(), "siblings_pending");
    assert_eq!(
        error.notice(),
        "save_recent_image: 2 sibling call(s) still pending after 1s: snap (call \"c1\"), an \
         unknown tool (call \"c\\\"2\"). Nothing was written."
    );
}

#[test]
fn a_save_goes_on_as_soon_as_the_batch_is_done() {
    let mut asked = 0;
    let start = Instant::now();
    let pending = || {
        asked += 1;
        if asked < 4 { calls(&[("c1", "snap")]) } else { Vec::new() }
    };
    wait_for_siblings(pending, Duration::from_mins(1)).expect("it ends");
    let waited = start.elapsed();
    assert_eq!(asked, 4, "and not once more");
    assert!(waited >= Duration::from_millis(60), "20 ms between one question and the next");
}

#[test]
fn a_save_is_known_by_the_last_part_of_its_name() {
    for tool in ["save_recent_image", "mcp__files__save_recent_image", "files.save_recent_image"] {
        let left = || calls(&[("s1", tool)]);
        wait_for_siblings(left, Duration::ZERO).expect(tool);
    }
    for tool in ["not_save_recent_image", "save_recent_image2", ""] {
        let left = || calls(&[("s1", tool)]);
        assert_eq!(wait_for_siblings(left, Duration::ZERO).unwrap_err().calls, left(), "{tool:?}");
    }
}

#[test]
fn many_calls_complete_in_any_order_in_linear_work() {
    const COUNT: usize = 100_000;
    in_time(|| {
        let mut session = session();
        session.begin((0..COUNT).map(|at| Call::new(format!("c{at}"), "snap")));
        for at in (0..COUNT).rev() {
            ingest(&mut session, &format!("c{at}"), "snap", "[]");
        }
        assert_eq!(session.conversation().pending(), []);
        assert_eq!(session.commit(), COUNT);
    });
}

#[test]
fn copies_of_a_result_that_is_there_already_count_nothing() {
    let mut session = session();
    let (call, result) = (Call::new("c1", "snap"), read(images(&["AAAA"])));
    let taken = session.ingest(&call, &result);
    let cap = Cap::utf16(24_000);
    assert_eq!(session.copies_of(&call, &result, cap), taken, "the same ref, the same bytes");
    assert_eq!(listed(&session).len(), 1);
}
