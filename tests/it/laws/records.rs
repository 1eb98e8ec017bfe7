//! What was cut is read back by the call that its notice prints.

use std::sync::Arc;

use slotledger::content::wire::data;
use slotledger::copy::LiveBlock;
use slotledger::record::Reader;
use slotledger::record::store::{MemoryStore, Retention};
use slotledger::{Call, Cap, Config, Engine, Ingested, Session, Unit};
use slotledger_kit::Json;
use slotledger_kit::generate::{ContentCase, from_bytes};

use crate::support::{NONCE, for_all_bytes, read, units};

/// Ids that meet: the same, alike, and such that cannot be printed.
const IDS: [&str; 8] =
    ["c1", "c1", "c@1", "c_1", "", "2cf24dba5fb0a30e", "[image: image/png, 1B]", "../\u{1F600}\0"];

/// A session that keeps its records in memory.
pub(super) fn recording() -> Session {
    let store = Arc::new(MemoryStore::new(Retention::default()));
    let config = Config::default().with_nonce(NONCE.parse().unwrap());
    Engine::new(config).with_store(store).unwrap().session_named("s1")
}

/// A call that a notice printed, and the text that it was printed for.
struct Printed {
    arguments: String,
    text: String,
    /// The key of that text.
    key: String,
    /// Where the head ended, in bytes.
    head: usize,
}

/// The call that stands right behind `head` bytes of a text of ours.
fn printed(text: &str, head: usize) -> Option<&str> {
    let call = text[head..].strip_prefix("\n\n[truncated — ")?;
    let (_, arguments) = call.split_once("get_full_tool_result(")?;
    Some(&arguments[..arguments.find(')')?])
}

fn calls_of(ingested: &Ingested, unit: Unit) -> Vec<Printed> {
    let Some(record) = &ingested.record else { return Vec::new() };
    let printed_for = |arguments: &str, head| Printed {
        arguments: arguments.to_owned(),
        text: ingested.text.to_string(),
        key: record.key().to_string(),
        head,
    };
    let mut calls = Vec::new();
    let stored = &ingested.stored;
    if stored.head_len < stored.total_len {
        let head = unit.offset_in(&ingested.text, stored.head_len);
        let arguments = printed(&stored.text, head).expect("a call in the notice");
        assert!(arguments.contains("\"startChar\":"), "{arguments}");
        calls.push(printed_for(arguments, head));
    }
    let live = ingested.live.iter().flat_map(|live| live.blocks.iter().zip(live.shown.as_slice()));
    for (block, shown) in live {
        let LiveBlock::Text(text) = block else { continue };
        if let Some(arguments) = printed(text, shown.len()) {
            // It reads the whole, from the front.
            calls.push(printed_for(arguments, 0));
        }
    }
    calls
}

/// Holds what the call of `printed` answers against what it was printed for.
fn hold(reader: Reader<'_>, printed: &Printed) {
    match reader.get_full_tool_result(&printed.arguments) {
        Ok(answer) => {
            assert_eq!(answer.meta.key().to_string(), printed.key);
            assert!(
                printed.text[printed.head..].starts_with(&*answer.text),
                "{}",
                printed.arguments
            );
            assert!(!answer.text.is_empty() || printed.text.len() == printed.head);
        }
        Err(refusal) => {
            assert_eq!(refusal.reason(), "ambiguous", "{}", printed.arguments);
            assert!(refusal.notice().contains(&printed.key), "{}", refusal.notice());
        }
    }
}

#[test]
fn l18_every_call_that_a_notice_prints_reads_the_text_it_was_printed_for() {
    let mut cut = 0;
    let count = &std::cell::Cell::new(0);
    for_all_bytes(500, |bytes| {
        let case: ContentCase = from_bytes(bytes);
        let mut session = recording();
        let mut calls = Vec::new();
        for (n, (unit, _)) in units().into_iter().enumerate() {
            let id = IDS[(n + bytes.len()) % IDS.len()];
            let limit = 10 + case.cap as usize % 300 + 7 * n;
            let call = Call::new(id, if n % 2 == 0 { "bash" } else { "" });
            let ingested = session.ingest_at(&call, &read(case.to_json()), Cap::new(limit, unit));
            calls.extend(calls_of(&ingested, unit));
            // The same call with a text, and again with another.
            for times in [n, n + 1] {
                let text = format!("\"{}\"", "é😀 word\\n".repeat(30 + times));
                let text = data::read(&text.into_bytes().into()).unwrap();
                let ingested = session.ingest_at(&call, &text, Cap::new(limit, unit));
                calls.extend(calls_of(&ingested, unit));
            }
        }
        // Only now: an id may have been used again since.
        count.set(count.get() + calls.len());
        for printed in &calls {
            hold(session.reader().unwrap(), printed);
        }
    });
    cut += count.get();
    assert!(cut > 1_000, "{cut} notices");
}

#[test]
fn l16_pages_of_every_answer_join_to_what_is_paged() {
    for_all_bytes(300, |bytes| {
        let case: ContentCase = from_bytes(bytes);
        for (unit, _) in units() {
            let mut session = recording();
            let (call, cap) = (Call::new("c1", "t"), Cap::new(10, unit));
            let ingested = session.ingest_at(&call, &read(case.to_json()), cap);
            if ingested.record.is_none() {
                continue;
            }
            let length = 1 + bytes.len() % 40 + ingested.text.len() / 20;
            let reader = session.reader().unwrap();
            for item in ["", ",\"item\":\"*\"", ",\"item\":\"/0\"", ",\"item\":\"/content\""] {
                let Some((joined, total)) = joined(reader, length, item, unit) else { continue };
                assert_eq!(unit.len_of(&joined), total);
                if item.is_empty() {
                    assert_eq!(joined, *ingested.text);
                }
            }
        }
    });
}

/// What the pages of one item join to, and how long it is said to be.
fn joined(reader: Reader<'_>, length: usize, item: &str, unit: Unit) -> Option<(String, usize)> {
    let (mut start, mut text) = (0, String::new());
    loop {
        let arguments =
            format!("{{\"toolCallId\":\"c1\",\"startChar\":{start},\"length\":{length}{item}}}");
        let answer = match reader.get_full_tool_result(&arguments) {
            Ok(answer) => answer,
            Err(refusal) => {
                assert!(
                    matches!(refusal.reason(), "not_json" | "no_item" | "ambiguous"),
                    "{refusal}"
                );
                return None;
            }
        };
        let line = answer.to_text();
        let line = Json::parse(line.split_once('\n').unwrap().0).unwrap();
        let number = |key: &str| line.get(key).and_then(Json::as_usize);
        assert_eq!(number("startChar"), Some(start));
        let len = unit.len_of(&answer.text);
        assert!(len <= length || answer.text.chars().count() == 1, "{len} over {length}");
        assert_eq!(number("endChar"), Some(start + len));
        text.push_str(&answer.text);
        match number("nextStartChar") {
            Some(next) => {
                assert!(next > start, "it gets on");
                start = next;
            }
            None => return Some((text, number("totalLength").unwrap())),
        }
    }
}
