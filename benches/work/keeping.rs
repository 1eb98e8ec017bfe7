//! Keeping the record of a result, and reading a page of it.

use std::hint::black_box;
use std::sync::Arc;

use slotledger::content::{Block, Call, Content, ToolResult};
use slotledger::record::Record;
use slotledger::record::store::{MemoryStore, Retention};
use slotledger::{Cap, Config, Engine};

use super::{Run, input};

/// The SHA-256 of a text: a record is named by it.
pub(super) fn sha256() -> Run {
    let record = Record::new("s1", "c1", "read", input::mixed());
    Box::new(move || assert_ne!(black_box(&record).sha256(), [0; 32]))
}

/// A result that is cut, its whole kept in a store that is new each time.
pub(super) fn keep_text() -> Run {
    let text = input::mixed();
    let total = text.encode_utf16().count();
    let result = ToolResult::new(Content::Blocks(vec![Block::Text(text.into())]));
    let call = Call::new("c1", "read");
    Box::new(move || {
        let store = Arc::new(MemoryStore::new(Retention::default()));
        let engine = Engine::new(Config::default()).with_store(store);
        let mut session = engine.expect("no bound").session_named("s1");
        let ingested = session.ingest_at(&call, black_box(&result), Cap::utf16(24_000));
        assert_eq!(ingested.record.map(|record| record.sizes.utf16), Some(total));
    })
}

/// A page in the middle of a record.
pub(super) fn page() -> Run {
    let result = ToolResult::new(Content::Blocks(vec![Block::Text(input::mixed().into())]));
    let store = Arc::new(MemoryStore::new(Retention::default()));
    let engine = Engine::new(Config::default()).with_store(store);
    let mut session = engine.expect("no bound").session_named("s1");
    session.ingest(&Call::new("c1", "read"), &result);
    Box::new(move || {
        let reader = session.reader().expect("a store");
        let arguments = r#"{"toolCallId":"c1","startChar":4000000}"#;
        let answer = reader.get_full_tool_result(black_box(arguments)).expect("a page");
        assert!(answer.text.len() >= 50_000);
    })
}
