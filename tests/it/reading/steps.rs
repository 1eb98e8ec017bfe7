//! The vectors of what is looked for in a record's text.

use slotledger::Unit;
use slotledger::record::{Grep, GrepBounds, GrepError, ItemError, find_item, outline};
use slotledger::text::Span;
use slotledger_kit::Json;
use slotledger_kit::vectors::{self, Vector, difference};

/// How many vectors there are at least; none may be lost.
const AT_LEAST: usize = 52;

#[test]
fn every_vector_of_reading_is_answered_as_expected() {
    let cases = vectors::file("reading.jsonl");
    assert!(cases.len() >= AT_LEAST, "{} vectors", cases.len());
    let failures: Vec<String> = cases.iter().filter_map(failure).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn failure(vector: &Vector) -> Option<String> {
    let answer = match vector.op.as_str() {
        "item" => item(&vector.input),
        "grep" => grep(&vector.input),
        "outline" => {
            let text = text(&vector.input, "text");
            let page = outline(text, &blocks(&vector.input), unit(&vector.input), 0, usize::MAX);
            Json::object([("text", page.map(|page| page.text.to_string()).into())])
        }
        other => panic!("{other} is no operation"),
    };
    let found = difference(&vector.expected, &answer)?;
    Some(format!("{} ({}), {}: {found}\n{answer}", vector.id, vector.source, vector.title))
}

fn text<'v>(input: &'v Json, field: &str) -> &'v str {
    input.get(field).and_then(Json::as_str).unwrap()
}

fn number(input: &Json, field: &str) -> Option<usize> {
    input.get(field).and_then(Json::as_usize)
}

fn unit(input: &Json) -> Unit {
    match input.get("unit").and_then(Json::as_str) {
        None => Unit::Utf16,
        Some("char") => Unit::Char,
        Some("byte") => Unit::Byte,
        Some(other) => panic!("{other} is no unit"),
    }
}

fn blocks(input: &Json) -> Vec<Span> {
    let blocks = input.get("blocks").and_then(Json::as_array).unwrap_or_default();
    let end = |block: &Json, at: usize| block.as_array().unwrap()[at].as_usize().unwrap();
    blocks.iter().map(|block| Span::new(end(block, 0), end(block, 1))).collect()
}

fn item(input: &Json) -> Json {
    let error = |error: &str| Json::object([("error", error.into())]);
    let whole = text(input, "text");
    match find_item(whole, &blocks(input), text(input, "item")) {
        Ok(span) => Json::object([
            ("itemStart", unit(input).len_of(&whole[..span.start]).into()),
            ("text", span.of(whole).into()),
        ]),
        Err(ItemError::NotJson) => error("not_json"),
        Err(ItemError::NoItem) => error("no_item"),
        Err(ItemError::Ambiguous { pointers, count }) => {
            let pointers: Vec<Json> = pointers.into_iter().map(Json::from).collect();
            Json::object([
                ("error", "ambiguous".into()),
                ("count", count.into()),
                ("items", pointers.into()),
            ])
        }
        Err(other) => panic!("{other:?}"),
    }
}

fn grep(input: &Json) -> Json {
    let error = |error: &str| Json::object([("error", error.into())]);
    let grep = match Grep::new(text(input, "pattern")) {
        Ok(grep) => grep,
        Err(GrepError::MatchesEmpty) => return error("matches_empty"),
        Err(GrepError::TooLarge) => return error("too_large"),
        Err(GrepError::TooLong) => return error("too_long"),
        Err(GrepError::Syntax { reason }) => {
            return Json::object([("error", "syntax".into()), ("reason", reason.into())]);
        }
        Err(other) => panic!("{other:?}"),
    };
    let (whole, unit) = (text(input, "text"), unit(input));
    let from = unit.offset_in(whole, number(input, "startChar").unwrap_or(0));
    let mut bounds = GrepBounds::default();
    bounds.context = number(input, "context").unwrap_or(bounds.context);
    bounds.len = number(input, "length").unwrap_or(bounds.len);
    let found = grep.search(whole, from, unit, bounds);
    Json::object([
        ("text", found.text.as_str().into()),
        ("matches", found.matches.into()),
        ("endChar", found.end.into()),
        ("nextStartChar", found.next().into()),
    ])
}
