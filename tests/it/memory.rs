//! What a session holds of a result does not hold the result.

use bytes::Bytes;
use slotledger::content::Call;
use slotledger::content::wire::{anthropic, mcp};
use slotledger::{Config, Engine};

const PNG: &str = r#"{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}"#;

/// A result of a few words, an image if asked, and a megabyte that nobody reads.
fn large(content: &str) -> Bytes {
    let unread = "x".repeat(1 << 20);
    format!(r#"{{"content":[{content}],"_meta":"{unread}"}}"#).into_bytes().into()
}

#[test]
fn a_short_text_lets_go_of_the_large_result_it_came_in() {
    let mut session = Engine::new(Config::default()).session();
    let input = large(r#"{"type":"text","text":"a few words"}"#);
    session.ingest(&Call::new("c1", "read"), &mcp::read(&input).unwrap());
    session.commit();
    assert!(input.is_unique());
}

#[test]
fn a_small_image_and_a_reference_let_go_of_it_too() {
    let mut session = Engine::new(Config::default()).session();
    let link =
        r#"{"type":"resource_link","uri":"file:///a.png","name":"a","mimeType":"image/png"}"#;
    let input = large(&format!("{PNG},{link}"));
    session.ingest(&Call::new("c1", "snap"), &mcp::read(&input).unwrap());
    assert_eq!((session.ledger().len(), session.registry().len()), (1, 1));
    assert!(input.is_unique());
}

#[test]
fn a_history_that_was_read_lets_go_of_its_file() {
    let mut session = Engine::new(Config::default()).session();
    let unread = "x".repeat(1 << 20);
    let source = r#"{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}"#;
    let history = format!(
        r#"[{{"role":"assistant","content":[{{"type":"tool_use","id":"u1","name":"snap","input":"{unread}"}}]}},
            {{"role":"user","content":[{{"type":"image","source":{source}}},
             {{"type":"tool_result","tool_use_id":"u1","content":[{{"type":"image","source":{source}}}]}},
             {{"type":"tool_result","tool_use_id":"u2","content":"words"}}]}}]"#
    );
    let input = Bytes::from(history.into_bytes());
    for message in anthropic::read(&input).unwrap() {
        session.push(&message);
    }
    assert_eq!(session.inventory().count(), 2);
    assert!(input.is_unique());
}

#[test]
fn what_no_inventory_reaches_is_let_go() {
    let mut session = Engine::new(Config::default().with_scan_limit(2)).session();
    for at in 0..5 {
        let result = mcp::read(&format!("[{PNG}]").into_bytes().into()).unwrap();
        session.ingest(&Call::new(format!("c{at}"), "snap"), &result);
        session.commit();
    }
    let kept = session.conversation().messages().iter().map(Vec::len);
    assert_eq!(kept.collect::<Vec<_>>(), [0, 0, 0, 1, 1]);
    let backs = session.inventory().map(|seen| seen.messages_back);
    assert_eq!(backs.collect::<Vec<_>>(), [1, 2]);
}
