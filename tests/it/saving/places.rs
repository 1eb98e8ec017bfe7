//! What is an image of the conversation, and how far back (SPEC 18.5, 18.7, 18.10).

use slotledger::content::{Attachment, Call, Content, Image, Message, Part};
use slotledger::slot::{Dialect, Grammar};
use slotledger::{Config, Engine};

use super::{given, images, ingest, listed, select};
use crate::support::session;

#[test]
fn a_host_s_own_placeholder_counts_and_has_no_bytes() {
    let dialect = Dialect::new("paste", r"\[Image #[0-9]+\]");
    let config = Config::default().with_grammar(Grammar::new([dialect]).unwrap());
    let mut session = Engine::new(config).session();
    ingest(&mut session, "c1", "snap", &images(&["AAAA"]));
    ingest(&mut session, "c2", "read", r#""see [Image #2]""#);
    let said = "0 0 read/c2 image/x-unknown no_ref";
    assert_eq!(listed(&session), [said, "1 0 snap/c1 image/png AAAA"]);
}

#[test]
fn the_scan_ends_where_it_is_configured() {
    let mut session = Engine::new(Config::default().with_scan_limit(2)).session();
    let image = |data: &str| {
        Message::new("user", vec![Part::Attachment(Attachment::Inline(Image::new(data, "")))])
    };
    for data in ["AAAA", "BBBB", "CCCC"] {
        session.push(&image(data));
    }
    ingest(&mut session, "c1", "snap", &images(&["DDDD"]));
    assert_eq!(given(&session, 2).as_deref(), Ok("BBBB"), "the batch is not a message");
    assert_eq!(given(&session, 3), Err("not_enough_images"));
    let said = select(&session, 3, 1).unwrap_err().notice();
    assert!(said.contains("only 3 image(s) found in the most recent 2 messages"), "{said}");
    session.commit();
    assert_eq!(given(&session, 1).as_deref(), Ok("CCCC"));
    assert_eq!(given(&session, 2), Err("not_enough_images"));
}

#[test]
fn a_stored_text_counts_as_it_stands_whatever_it_says_of_itself() {
    let mut session = session();
    // A head, a notice and kept slots of another engine: no call, no record, refs of its ledger.
    let text = "head [image: image/png, 1B]\n\n[truncated — original was 9 chars]\n[2 image slot(s) fell past the cut; kept here in order so save_recent_image still counts them:]\n[image: image/gif, 2B, ref img_k7x3q2_7]\n[ref_1_a] image/webp";
    let part = |tool: Option<&str>| Part::Result {
        call_id: "old".into(),
        tool: tool.map(Into::into),
        content: Content::Text(text.into()),
    };
    session.push(&Message::new("user", vec![part(Some("cam"))]));
    assert_eq!(
        listed(&session),
        [
            "0 1 ->cam/old image/webp reference",
            "1 1 cam/old image/gif unknown_ref",
            "2 1 cam/old image/png no_ref"
        ]
    );
    session.push(&Message::new("tool", vec![part(None)]));
    assert_eq!(listed(&session)[0], "0 1 ->/old image/webp reference");
}

#[test]
fn sessions_share_nothing() {
    let engine = Engine::new(Config::default().with_nonce("abc123".parse().unwrap()));
    let (mut one, mut other) = (engine.session(), engine.session());
    ingest(&mut one, "c1", "snap", &images(&["AAAA"]));
    ingest(&mut other, "c9", "read", r#""[image: image/png, 3B, ref img_abc123_1]""#);
    assert_eq!(given(&other, 0), Err("unknown_ref"));
    other.begin([Call::new("c2", "snap")]);
    assert!(one.conversation().pending().is_empty());
    ingest(&mut other, "c1", "snap", &images(&["BBBB"]));
    // The same ref by name, and each session's own picture.
    assert_eq!(
        (given(&one, 0).unwrap(), given(&other, 0).unwrap()),
        ("AAAA".into(), "BBBB".into())
    );
    assert_eq!(given(&other, 1), Err("foreign"));
}
