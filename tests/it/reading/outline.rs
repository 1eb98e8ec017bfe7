//! Outlines: line by line from a tree with places, and their pages.

use proptest::prelude::any;
use proptest::{prop_assert, prop_assert_eq, proptest};
use slotledger::Unit;
use slotledger::record::{find_item, outline};
use slotledger::text::Span;
use slotledger_kit::Json;

use super::tree::{DESCRIPTIONS, IDS, NAMES, Node, Value, clipped, json_of, tree};
use super::{assert_linear, config};
use crate::support::{in_time, units};

fn size(unit: Unit, text: &str) -> usize {
    match unit {
        Unit::Byte => text.len(),
        Unit::Char => text.chars().count(),
        Unit::Utf16 => text.encode_utf16().count(),
    }
}

/// A line: an object whose members are given in order.
fn line(members: Vec<(String, Json)>) -> String {
    format!("{}\n", Json::Object(members))
}

fn slow(text: &str, unit: Unit) -> Option<String> {
    let root = tree(text)?;
    let member = |name: &str, value: Json| (name.to_owned(), value);
    let mut out = String::new();
    let lists = root.lists("", 4);
    for (pointer, objects) in &lists {
        out += &line(vec![
            member("list", pointer.as_str().into()),
            member("count", objects.len().into()),
        ]);
        for (at, object) in objects.iter().enumerate() {
            let mut members = vec![member("item", format!("{pointer}/{at}").into())];
            for (name, keys) in [("id", IDS), ("name", NAMES), ("description", DESCRIPTIONS)] {
                let label = object.label(text, keys);
                members.extend(label.map(|label| member(name, clipped(&label).into())));
            }
            let Value::Object(inner) = &object.value else { panic!("an object") };
            for (key, node) in inner {
                let Some(count) = node.count() else { continue };
                let names = [count_name(key), format!("{key}Count")];
                let free =
                    names.iter().find(|name| members.iter().all(|(taken, _)| taken != *name));
                if let Some(name) = free {
                    members.push(member(name, count.into()));
                }
            }
            members.push(member("size", size(unit, object.of(text)).into()));
            out += &line(members);
        }
    }
    if lists.is_empty() {
        out += &line(vec![member(root.kind(), "".into()), member("count", root.count()?.into())]);
        for (pointer, node) in root.inner("") {
            out += &line(member_line(&pointer, node, size(unit, node.of(text))));
        }
    }
    Some(out)
}

fn member_line(pointer: &str, node: &Node, size: usize) -> Vec<(String, Json)> {
    let mut members =
        vec![("item".to_owned(), pointer.into()), ("type".to_owned(), node.kind().into())];
    members.extend(node.count().map(|count| ("count".to_owned(), count.into())));
    members.push(("size".to_owned(), size.into()));
    members
}

fn count_name(key: &str) -> String {
    let mut name = String::new();
    let mut is_start = true;
    for ch in key.chars() {
        if !ch.is_alphanumeric() {
            is_start = true;
        } else if is_start && !name.is_empty() {
            name.extend(ch.to_uppercase());
            is_start = false;
        } else if is_start {
            name.extend(ch.to_lowercase());
            is_start = false;
        } else {
            name.push(ch);
        }
    }
    let stem = if name.ends_with("ies") {
        format!("{}y", &name[..name.len() - 3])
    } else if name.ends_with('s') && !name.ends_with("ss") {
        name[..name.len() - 1].to_owned()
    } else {
        name
    };
    stem + "Count"
}

fn whole(text: &str, unit: Unit) -> Option<String> {
    let page = outline(text, &[], unit, 0, usize::MAX)?;
    assert_eq!((page.start, page.end), (0, page.total));
    assert_eq!(page.total, size(unit, &page.text));
    Some(page.text.to_string())
}

fn assert_as_slow(text: &str) {
    for (unit, _) in units() {
        assert_eq!(whole(text, unit), slow(text, unit), "{text}");
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn outlines_are_those_of_the_tree(draws in proptest::collection::vec(any::<u8>(), 0..120)) {
        let value = json_of(&draws);
        assert_as_slow(&value);
        assert_as_slow(&format!("{{\"a\":[{value}],\"b\":{{\"a/\":[{{\"tags\":{value},\"tag\":{value},\"tag\":[]}}]}}}}"));
    }

    #[test]
    fn every_line_is_json_and_every_item_is_found(draws in proptest::collection::vec(any::<u8>(), 0..160)) {
        let blocks: Vec<String> = draws.chunks(40).map(json_of).collect();
        let text = blocks.join("\n");
        let mut at = 0;
        let spans: Vec<Span> = blocks.iter().map(|block| {
            let span = Span::new(at, at + block.len());
            at = span.end + 1;
            span
        }).collect();
        let Some(page) = outline(&text, &spans, Unit::Utf16, 0, usize::MAX) else { return Ok(()) };
        for line in page.text.lines() {
            let json = Json::parse(line).expect("JSON");
            if let Some(item) = json.get("item") {
                let found = find_item(&text, &spans, item.as_str().unwrap());
                let found = found.unwrap_or_else(|error| panic!("{error}: {line} in {text}"));
                let size = size(Unit::Utf16, found.of(&text));
                prop_assert_eq!(json.get("size").and_then(Json::as_usize), Some(size));
            }
        }
    }

    #[test]
    fn pages_join_to_the_whole(
        draws in proptest::collection::vec(any::<u8>(), 0..80),
        len in 0_usize..60,
        start in 0_usize..400,
    ) {
        let text = format!("{{\"😀é\":[{}]}}", json_of(&draws));
        for (unit, _) in units() {
            let Some(whole) = whole(&text, unit) else { continue };
            let total = size(unit, &whole);
            let (mut at, mut joined) = (0, String::new());
            loop {
                let page = outline(&text, &[], unit, at, len).expect("JSON");
                prop_assert_eq!(page.start, at);
                prop_assert_eq!(page.end, at + size(unit, &page.text));
                prop_assert!(size(unit, &page.text) <= len.max(4));
                joined += &page.text;
                let Some(next) = page.next() else { break };
                prop_assert!(next > at, "it gets on");
                at = next;
            }
            prop_assert_eq!(&joined, &whole);
            // Any page is the stretch between the characters at or before its ends.
            let page = outline(&text, &[], unit, start, len).expect("JSON");
            let ends: Vec<usize> = whole.char_indices().map(|(at, _)| size(unit, &whole[..at])).chain([total]).collect();
            let snap = |at: usize| *ends.iter().rev().find(|end| **end <= at).unwrap();
            prop_assert_eq!((page.start, page.total), (snap(start), total));
            let end = snap((start + len).min(total).max(page.start));
            if end > page.start || start >= total {
                prop_assert_eq!(page.end, end);
            }
        }
    }

    #[test]
    fn any_text_is_answered(text in any::<String>()) {
        prop_assert_eq!(whole(&text, Unit::Utf16), slow(&text, Unit::Utf16));
    }
}

#[test]
fn a_page_gets_on_wherever_it_starts() {
    let whole = whole("[1,22]", Unit::Utf16).unwrap();
    for start in 0..=whole.len() + 1 {
        let page = outline("[1,22]", &[], Unit::Utf16, start, 0).unwrap();
        let at = start.min(whole.len());
        assert_eq!(page.text, whole[at..whole.len().min(at + 1)], "{start}");
        assert_eq!((page.start, page.end), (at, at + page.text.len()));
    }
}

#[test]
fn hostile_documents_are_outlined_in_linear_time() {
    in_time(|| {
        let deep = 1_000_000;
        let text = format!("[{{\"a\":{}{}}}]", "[".repeat(deep), "]".repeat(deep));
        let page = outline(&text, &[], Unit::Utf16, 0, 1_000).unwrap();
        assert!(page.text.ends_with("\"aCount\":1,\"size\":2000006}\n"), "{}", page.text);
    });
    assert_linear(
        |len| format!("[{}]", vec!["{\"a\":[1],\"b\":{}}"; len].join(",")),
        3_000,
        |text| {
            let page = outline(text, &[], Unit::Utf16, 100, 1_000).unwrap();
            assert!(page.text.len() == 1_000 && page.total > text.len());
        },
    );
    // A long key before many lists, and before many objects: the listing is quadratic, the work not.
    let lists = |len: usize| {
        let lists: Vec<String> = (0..len).map(|key| format!("\"{key}\":[{{}},{{}}]")).collect();
        format!("{{\"{}\":{{{}}}}}", "k".repeat(20 * len), lists.join(","))
    };
    assert_linear(lists, 2_000, |text| {
        let page = outline(text, &[], Unit::Utf16, 0, 1_000).unwrap();
        assert!(page.text.len() == 1_000 && page.total > 1_000 * text.len());
    });
    assert_linear(
        |len| format!("{{{}\"b\":1}}", "\"a\":[{}],".repeat(len)),
        5_000,
        |text| {
            assert_eq!(outline(text, &[], Unit::Utf16, 0, 1_000).unwrap().text.lines().count(), 2);
        },
    );
}
