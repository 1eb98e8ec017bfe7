//! JSON as it arrives: any bytes.

use bytes::Bytes;
use serde_json::value::RawValue;
use slotledger::Ingested;
use slotledger::content::wire::{data, mcp, outcome};
use slotledger::content::{Block, Content, ParseError, ToolResult};
use slotledger_kit::oracle::Format;
use slotledger_kit::{Json, Unit};

use crate::answer::{self, Asked};

type Read = fn(&Bytes) -> Result<ToolResult, ParseError>;

/// Whatever is JSON is answered in every format, whatever is none is refused, and nothing panics (L28);
/// every answer keeps the laws (L7 to L12, L27), and where the oracle can read the JSON it is the
/// oracle's.
pub fn ingest(bytes: &[u8]) {
    let json = json_text(bytes);
    let value = json.and_then(|json| Json::parse_counting(json).ok());
    let input = Bytes::copy_from_slice(bytes);
    let formats: [(Format, Read); 3] =
        [(Format::Mcp, mcp::read), (Format::Data, data::read), (Format::Outcome, outcome::read)];
    for (format, read) in formats {
        let is_read = json.is_some_and(|json| format != Format::Outcome || is_object(json));
        match read(&input) {
            Ok(result) => {
                assert!(is_read, "no JSON, and read");
                taken_in(bytes, value.as_ref(), format, &result);
            }
            Err(error) => {
                assert!(!is_read, "JSON, and refused: {error}");
                assert!(error.offset() <= bytes.len());
            }
        }
    }
}

/// The JSON text that the bytes are, if they are one (9.1). A raw value has neither a depth nor a
/// range of numbers, and lone surrogate escapes pass.
fn json_text(bytes: &[u8]) -> Option<&str> {
    let text = std::str::from_utf8(bytes).ok()?;
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    serde_json::from_str::<&RawValue>(text).ok().map(|_| text)
}

fn is_object(json: &str) -> bool {
    json.trim_ascii_start().starts_with('{')
}

fn taken_in(bytes: &[u8], value: Option<&(Json, usize)>, format: Format, result: &ToolResult) {
    let seed = crate::seed_of(bytes);
    let caps = [1 + seed % 1_200, 1 + seed / 1_200 % 60, 0];
    for unit in Unit::ALL {
        for cap in caps {
            let asked = Asked { format, tool: ["", "snap"][seed % 2], cap, unit };
            let mut session = answer::session();
            let ingested = answer::ingest(&mut session, result, asked);
            let Some((value, replaced)) = value else {
                continue;
            };
            assert_no_payload(value, result, &ingested);
            if is_compared_exactly(value, 0) {
                answer::assert_oracle(value, result, &ingested, asked, &session);
                let sends_it = value.to_string().matches('\u{FFFD}').count() > *replaced;
                if !sends_it {
                    answer::assert_lone_surrogates(result, &ingested.text, *replaced);
                }
            }
        }
    }
}

/// Whether no part of the value is such that an implementation may compare it more roughly than the
/// oracle does (9.5).
fn is_compared_exactly(value: &Json, depth: usize) -> bool {
    match value {
        Json::Null | Json::Bool(_) => true,
        Json::Number(spelling) => spelling.len() <= 15 && !spelling.contains(['e', 'E']),
        // A text can be JSON too.
        Json::String(text) => match Json::parse(text.trim_ascii()) {
            Ok(Json::String(_)) | Err(_) => !text.contains("\\u") || text.len() < 2_000,
            Ok(parsed) => depth < 60 && is_compared_exactly(&parsed, depth + 1),
        },
        Json::Array(elements) => {
            depth < 60 && elements.iter().all(|element| is_compared_exactly(element, depth + 1))
        }
        Json::Object(members) => {
            depth < 60 && members.iter().all(|(_, value)| is_compared_exactly(value, depth + 1))
        }
    }
}

/// L27: the payload of an image, audio or resource block stands in no text that is written, unless
/// the content gave up to JSON, or the tool wrote it elsewhere too.
pub(crate) fn assert_no_payload(value: &Json, result: &ToolResult, ingested: &Ingested) {
    let Content::Blocks(blocks) = &result.content else {
        return;
    };
    let (mut payloads, mut others) = (Vec::new(), Vec::new());
    let content = value.get("content").filter(|_| value.as_array().is_none());
    let content = content.unwrap_or(value).as_array().unwrap_or_default();
    for block in content {
        strings_of_block(block, &mut payloads, &mut others);
    }
    if value.as_array().is_none() {
        others.extend(value.get("structuredContent").map(Json::to_string));
    }
    for payload in payloads {
        // As labels and types may have changed what else the tool wrote.
        let payload_digits = digits(payload);
        let is_long = payload_digits.len() >= 40 && payload_digits.len() == payload.len();
        if !is_long || others.iter().any(|other| digits(other).contains(&payload_digits)) {
            continue;
        }
        for text in answer::texts(ingested) {
            assert!(!text.contains(payload), "L27: {payload} in {text}");
        }
    }
    for block in blocks {
        if let Block::Image(image) = block {
            assert!(image.data().ends_with(&*image.payload()));
        }
    }
}

/// The payloads that a block may have, and all other strings in it.
fn strings_of_block<'v>(block: &'v Json, payloads: &mut Vec<&'v str>, others: &mut Vec<String>) {
    let Json::Object(members) = block else {
        return;
    };
    let kind = block.get("type").and_then(Json::as_str).unwrap_or_default();
    for (key, member) in members {
        match (kind, key.as_str(), member) {
            ("image" | "audio", "data", Json::String(data)) => payloads.push(data),
            ("resource", "resource", Json::Object(inner)) => {
                for (key, member) in inner {
                    match member {
                        Json::String(blob) if key == "blob" => payloads.push(blob),
                        other => others.push(other.to_string()),
                    }
                }
            }
            (_, _, Json::String(text)) => others.push(text.clone()),
            (_, _, other) => others.push(other.to_string()),
        }
    }
}

/// The characters of a text that base64 has, in one case.
fn digits(text: &str) -> String {
    let is_digit =
        |ch: &char| ch.is_ascii_alphanumeric() || matches!(ch, '+' | '/' | '-' | '_' | '=');
    text.chars().filter(is_digit).map(|ch| ch.to_ascii_lowercase()).collect()
}
