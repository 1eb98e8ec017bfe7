//! What a model hands to `recall`: by vectors, and by the rules with a regular expression.

use std::sync::LazyLock;

use proptest::prelude::any;
use proptest::{prop_assert_eq, proptest};
use regex_automata::meta::Regex;
use slotledger::record::{ContentKey, RecallArgs, extract_keys};
use slotledger_kit::{Json, vectors};

use super::{assert_linear, config, of_pieces};

fn strings(json: &Json) -> Vec<&str> {
    json.as_array().unwrap().iter().map(|text| text.as_str().unwrap()).collect()
}

fn shown(keys: &[ContentKey]) -> Vec<String> {
    keys.iter().map(ToString::to_string).collect()
}

#[test]
fn every_vector_is_read_as_expected() {
    let vectors = vectors::file("recall_args.jsonl");
    assert!(vectors.len() >= 42, "none is lost");
    for vector in vectors {
        let input = vector.input.as_str().unwrap();
        let what = format!("{} {}", vector.id, vector.title);
        match vector.op.as_str() {
            "recall_args" => {
                let args = RecallArgs::parse(input);
                let expected = |field| strings(vector.expected.get(field).unwrap());
                assert_eq!(shown(&args.keys), expected("keys"), "{what}");
                assert_eq!(args.call_ids, expected("call_ids"), "{what}");
            }
            "extract_keys" => {
                assert_eq!(shown(&extract_keys(input)), strings(&vector.expected), "{what}");
            }
            "content_key" => {
                let key = ContentKey::of(input).to_string();
                assert_eq!(Some(key.as_str()), vector.expected.as_str(), "{what}");
            }
            other => panic!("{other} is no operation"),
        }
    }
}

static MARKER: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?i)ccr[ \t]*:[ \t]*([0-9a-f]{16})(?:[^\p{Alphabetic}\p{N}_]|\z)").unwrap()
});

/// The rules, slowly: a tree, a regular expression, and lists searched from the front.
fn slow(raw: &str) -> (Vec<String>, Vec<String>) {
    let (mut keys, mut call_ids) = (Vec::new(), Vec::new());
    let mut captures = MARKER.create_captures();
    let mut from = 0;
    while from <= raw.len() {
        MARKER.captures(regex_automata::Input::new(raw).range(from..), &mut captures);
        let Some(found) = captures.get_group(1) else { break };
        let key = raw[found.range()].to_ascii_lowercase();
        if !keys.contains(&key) {
            keys.push(key);
        }
        from = found.end;
    }
    if !keys.is_empty() {
        return (keys, call_ids);
    }
    let mut add = |field: Option<&str>, text: &str| {
        let may_be_key = field
            .is_none_or(|name| ["key", "keys", "marker", "markers", "ccr", "id"].contains(&name));
        let may_be_id = field
            .is_none_or(|name| ["id", "call_id", "toolCallId", "tool_call_id"].contains(&name));
        let mut chars: Vec<char> = text.chars().collect();
        let is_off = |ch: &char| ch.is_whitespace() || "\"'`<>".contains(*ch);
        while chars.last().is_some_and(is_off) {
            chars.pop();
        }
        while chars.first().is_some_and(is_off) {
            chars.remove(0);
        }
        let text: String = chars.iter().collect();
        let is_key = chars.len() == 16 && chars.iter().all(char::is_ascii_hexdigit);
        if is_key && may_be_key {
            let key = text.to_ascii_lowercase();
            if !keys.contains(&key) {
                keys.push(key);
            }
        } else if may_be_id
            && !text.is_empty()
            && !chars.iter().any(|ch| ch.is_whitespace() || ch.is_control())
            && !text.starts_with("ccr:")
            && !call_ids.contains(&text)
        {
            call_ids.push(text);
        }
    };
    let text = raw.trim_start_matches(|ch: char| ch.is_whitespace() || ch == '\u{feff}').trim_end();
    match Json::parse(text) {
        Ok(Json::Object(fields)) => {
            for (name, value) in &fields {
                match value {
                    Json::String(text) => add(Some(name), text),
                    Json::Array(texts) => {
                        texts
                            .iter()
                            .filter_map(Json::as_str)
                            .for_each(|text| add(Some(name), text));
                    }
                    _ => {}
                }
            }
        }
        Ok(Json::Array(texts)) => {
            texts.iter().filter_map(Json::as_str).for_each(|text| add(None, text));
        }
        Ok(Json::String(text)) => add(None, &text),
        Ok(Json::Null | Json::Bool(_)) => {}
        Err(_) if text.starts_with(['{', '[']) => {}
        Ok(Json::Number(_)) | Err(_) => add(None, text),
    }
    (keys, call_ids)
}

const KEY: &str = "0123456789abcdef";

const PIECES: &[&str] = &[
    KEY,
    KEY,
    "0123456789ABCDEF",
    "fedcba9876543210",
    "1234567890123456",
    "0123456789abcde",
    "ccr",
    "CCR",
    "Ccr",
    "c",
    "ccr:",
    "<<ccr:",
    ">>",
    "<",
    ":",
    ":",
    " ",
    " ",
    "\t",
    "\n",
    "\\t",
    "\\u003c",
    "\\n",
    "_",
    "0",
    "f",
    "é",
    "二",
    "\u{0}",
    "call_1",
    "call_2",
    "null",
    "true",
    "{",
    "}",
    "[",
    "]",
    "\"",
    "\"",
    "'",
    "`",
    ",",
    "\"key\":",
    "\"id\":",
    "\"keys\":[",
    "\"toolCallId\":",
    "\"call_id\":",
    "\"ccr\":",
    "\"foo\":",
    "\"a\"",
    "\"b\",",
    "5",
    "-1.5",
    "\\ud83d",
    "{\"id\":[\"x\",\"0123456789abcdef\",{\"id\":\"y\"}]",
    "[\"a\",[\"b\"],\"c\"]",
    "\"\\u0069d\":",
];

fn assert_as_slow(raw: &str) {
    let args = RecallArgs::parse(raw);
    let call_ids = args.call_ids.iter().map(ToString::to_string).collect();
    assert_eq!((shown(&args.keys), call_ids), slow(raw), "{raw:?}");
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn arguments_are_read_by_the_rules(raw in of_pieces(PIECES, 12)) {
        assert_as_slow(&raw);
    }

    #[test]
    fn objects_are_read_by_the_rules(
        fields in of_pieces(&["\"id\":\"a\",", "\"id\":[\"a\",5,\"b\"],", "\"key\":\"0123456789abcdef\",",
            "\"call_id\":\"0123456789abcdef\",", "\"x\":{\"id\":\"c\"},", "\"id\":[[\"d\"],\"e\"],", " ", "\n",
            "\"id\":null,", "\"keys\":[\"FEDCBA9876543210\",\"g\"],", "\"id\":\"ccr:h\","], 8),
    ) {
        assert_as_slow(&format!("{{{fields}\"z\":1}}"));
    }

    #[test]
    fn any_text_is_read(raw in any::<String>()) {
        prop_assert_eq!(RecallArgs::parse(&raw).keys.len(), slow(&raw).0.len());
    }
}

#[test]
fn what_is_rarely_drawn_is_read_by_the_rules() {
    for raw in [
        "ccr\t:\t0123456789abcdef",
        "Ccr \t: \t0123456789ABCDEF",
        "ccr\n:0123456789abcdef",
        "cccr:0123456789abcdef",
        "ccr:ccr:0123456789abcdef",
        "ccr:0123456789abcdefé",
        "ccr:0123456789abcdef-",
        "\u{feff}[\"call_1\"]",
        "[\"call_1\"",
        "\"call_1",
        "`call_1`",
        "<<0123456789abcdef>>",
        "CCR:x",
        "ccr:x",
    ] {
        assert_as_slow(raw);
    }
    assert_eq!(RecallArgs::parse("ccr\t:\t0123456789abcdef").keys.len(), 1);
    assert_eq!(RecallArgs::parse("`call_1`").call_ids, ["call_1"]);
}

#[test]
fn what_is_found_is_distinct_in_linear_time() {
    let distinct = |len: usize| {
        let ids: Vec<String> = (0..len).map(|id| format!("\"call_{id}\",\"{id:016x}\"")).collect();
        format!("{{\"id\":[{}],\"call_id\":[{0}]}}", ids.join(","))
    };
    assert_linear(distinct, 2_000, |raw| {
        let args = RecallArgs::parse(raw);
        assert_eq!(args.keys.len(), args.call_ids.len() / 2);
    });
    assert_linear(
        |len| "ccr \t".repeat(len),
        20_000,
        |raw| assert!(RecallArgs::parse(raw).keys.is_empty()),
    );
    assert_linear(
        |len| format!("{{\"id\":{}", "[".repeat(len)),
        20_000,
        |raw| {
            assert!(RecallArgs::parse(raw).is_empty());
        },
    );
    // A key that has to be decoded, once for all the strings of its list.
    assert_linear(
        |len| format!("{{\"\\u0069{}\":[{}\"\"]}}", "d".repeat(len), "\"a\",".repeat(len)),
        2_000,
        |raw| assert!(RecallArgs::parse(raw).is_empty()),
    );
}
