//! Values inside JSON: by a tree with places, and hostile documents.

use proptest::prelude::any;
use proptest::{prop_assert_eq, proptest};
use slotledger::record::{ItemError, find_item};
use slotledger::text::Span;

use super::tree::{IDS, NAMES, Node, clipped, json_of, tree};
use super::{assert_linear, config};
use crate::support::in_time;

/// The answer for one document: all places that fit, or that it is no JSON.
fn slow(text: &str, item: &str) -> Result<Span, ItemError> {
    let root = tree(text).ok_or(ItemError::NotJson)?;
    let fitting: Vec<(String, usize, usize)> = if item.starts_with('/') {
        let place = root.places().remove(item);
        place.into_iter().map(|(start, end)| (item.to_owned(), start, end)).collect()
    } else {
        let label = |node: &Node, way: usize| {
            let label = node.label(text, if way.is_multiple_of(2) { IDS } else { NAMES })?;
            Some(if way < 2 { label } else { clipped(&label) })
        };
        let fitting = |way: usize| -> Vec<(String, usize, usize)> {
            let lists = root.lists("", 4);
            let objects = lists.iter().flat_map(|(pointer, nodes)| {
                nodes.iter().enumerate().map(move |(at, node)| (format!("{pointer}/{at}"), node))
            });
            objects
                .filter(|(_, node)| label(node, way).as_deref() == Some(item))
                .map(|(pointer, node)| (pointer, node.start, node.end))
                .collect()
        };
        (0..4).map(fitting).find(|fitting| !fitting.is_empty()).unwrap_or_default()
    };
    match fitting.as_slice() {
        [] => Err(ItemError::NoItem),
        [(_, start, end)] => Ok(Span::new(*start, *end)),
        many => Err(ItemError::Ambiguous {
            pointers: many.iter().take(10).map(|(pointer, _, _)| pointer.clone()).collect(),
            count: many.len(),
        }),
    }
}

fn assert_as_slow(text: &str) {
    let long = format!("{}😀", "a".repeat(119));
    for item in ["a", "7", "b", "", "1e999", "\u{fffd}", "😀", "nope", long.as_str(), &long[..119]]
    {
        assert_eq!(find_item(text, &[], item), slow(text, item), "{item:?} in {text}");
    }
    let pointers: Vec<String> =
        tree(text).map(|root| root.places().into_keys().collect()).unwrap_or_default();
    for pointer in pointers.iter().filter(|pointer| !pointer.is_empty()) {
        assert_eq!(find_item(text, &[], pointer), slow(text, pointer), "{pointer:?} in {text}");
        let beyond = format!("{pointer}/0");
        assert_eq!(find_item(text, &[], &beyond), slow(text, &beyond), "{beyond:?} in {text}");
    }
}

proptest! {
    #![proptest_config(config())]

    #[test]
    fn items_are_those_of_the_tree(draws in proptest::collection::vec(any::<u8>(), 0..120)) {
        assert_as_slow(&json_of(&draws));
    }

    #[test]
    fn lists_of_objects_are_searched(draws in proptest::collection::vec(any::<u8>(), 0..120)) {
        // Objects first, so that lists are frequent.
        let objects: Vec<String> = draws.chunks(12).map(|draws| {
            let inner = json_of(draws);
            if inner.starts_with('{') { inner } else { format!("{{\"id\":{inner}}}") }
        }).collect();
        let list = objects.join(",");
        assert_as_slow(&format!("[{list}]"));
        assert_as_slow(&format!("{{\"a\":{{\"b\":[{list}],\"id\":[{{}}]}},\"a\":{{\"c\":[{list}]}}}}"));
        assert_as_slow(&format!("{{\"a\":{{\"b\":{{\"a\":{{\"b\":[{list}]}},\"a\":[{list}]}}}}}}"));
    }

    #[test]
    fn any_text_is_answered(text in any::<String>(), item in any::<String>()) {
        prop_assert_eq!(find_item(&text, &[], &item), slow(&text, &item));
    }

    #[test]
    fn what_is_listed_finds_one_item(draws in proptest::collection::vec(any::<u8>(), 0..200)) {
        let blocks: Vec<String> = draws.chunks(40).map(json_of).collect();
        let text = blocks.join("\n");
        let mut at = 0;
        let spans: Vec<Span> = blocks.iter().map(|block| {
            let span = Span::new(at, at + block.len());
            at = span.end + 1;
            span
        }).collect();
        for item in ["a", "7", "b", "/a", "/0", "/id", "/a~1b"] {
            match find_item(&text, &spans, item) {
                Err(ItemError::Ambiguous { pointers, count }) => {
                    assert!(count > 1 && pointers.len() == count.min(10));
                    let mut found: Vec<Span> = pointers
                        .iter()
                        .map(|pointer| find_item(&text, &spans, pointer).expect("one item"))
                        .collect();
                    found.dedup();
                    assert_eq!(found.len(), pointers.len(), "{pointers:?} in {text}");
                }
                Ok(span) => {
                    let block = spans.iter().position(|block| block.holds(span));
                    assert!(tree(&text).is_some() || block.is_some());
                }
                Err(_) => {}
            }
        }
    }
}

#[test]
fn bounds_of_blocks_that_fit_nothing_are_no_harm() {
    let spans = [(0, 0), (5, 2), (3, 900), (900, 901), (1, 2)];
    let spans = spans.map(|(start, end)| Span { start, end });
    assert_eq!(find_item("é{\"a\":1}", &spans, "/a"), Err(ItemError::NotJson));
}

#[test]
fn what_is_json_is_told_exactly() {
    for (value, is_json) in [
        ("\"\\u12af\"", true),
        ("\"\\u123\"", false),
        ("\"\\u123g\"", false),
        ("\"\\ud800\"", true),
        ("\"\\x\"", false),
        ("\"\u{7f}\"", true),
        ("\"\u{1f}\"", false),
        ("\"\t\"", false),
        ("1e999", true),
        ("-0", true),
        ("01", false),
        ("1.", false),
        (".5", false),
        ("+1", false),
        ("-", false),
        ("1e", false),
        ("1E-5", true),
        ("tru", false),
        ("nullx", false),
        ("[1,]", false),
        ("{\"a\":1,}", false),
        ("{1:1}", false),
        ("[}", false),
        ("\u{b}1", false),
        ("\u{a0}1", false),
        ("\r\n\t 1", true),
    ] {
        let text = format!("[{value}]");
        assert_eq!(find_item(&text, &[], "/0").is_ok(), is_json, "{value:?}");
        assert_eq!(slow(&text, "/0").is_ok(), is_json, "{value:?}");
    }
}

#[test]
fn what_opens_is_what_closes_at_every_depth() {
    let [opens, closes] = [["[", "{\"a\":"], ["]", "}"]];
    for depth in 1..200 {
        let way: Vec<usize> = (0..depth).map(|level| usize::from(level * level % 7 < 3)).collect();
        let open: String = way.iter().map(|kind| opens[*kind]).collect();
        let mut close: Vec<&str> = way.iter().rev().map(|kind| closes[*kind]).collect();
        let pointer: String = way.iter().map(|kind| ["/0", "/a"][*kind]).collect();
        let text = format!("{open}5{}", close.concat());
        assert_eq!(find_item(&text, &[], &pointer).unwrap().of(&text), "5");
        let wrong = depth / 2;
        close[wrong] = if close[wrong] == "]" { "}" } else { "]" };
        let text = format!("{open}5{}", close.concat());
        assert_eq!(find_item(&text, &[], &pointer), Err(ItemError::NotJson));
    }
}

#[test]
fn depth_costs_no_stack() {
    in_time(|| {
        let deep = 1_000_000;
        let text = format!("{{\"a\":{}{},\"b\":5}}", "[".repeat(deep), "]".repeat(deep));
        assert_eq!(find_item(&text, &[], "/b").unwrap().of(&text), "5");
        let at = find_item(&text, &[], &format!("/a{}", "/0".repeat(deep - 1))).unwrap();
        assert_eq!(at.of(&text), "[]");
        assert_eq!(find_item(&text, &[], "x"), Err(ItemError::NoItem));
        let open = "[{\"a\":".repeat(deep);
        assert_eq!(find_item(&open, &[Span::new(0, open.len())], "/0/a"), Err(ItemError::NotJson));
        let keys = format!("{}1{}", "{\"a\":".repeat(deep), "}".repeat(deep));
        assert_eq!(find_item(&keys, &[], &"/a".repeat(deep)).unwrap().of(&keys), "1");
    });
}

#[test]
fn cost_is_linear() {
    let ids = |len: usize| {
        let objects: Vec<String> =
            (0..len).map(|id| format!("{{\"id\":{id},\"x\":[{{}},[\"y\\n\"]]}}")).collect();
        format!("{{\"a\":[{}]}}", objects.join(","))
    };
    assert_linear(ids, 1_000, |text| {
        assert!(find_item(text, &[], "17").is_ok());
        assert!(find_item(text, &[], "/a/999/id").is_ok());
    });
    assert_linear(
        |len| format!("[{}]", vec!["{\"id\":\"x\"}"; len].join(",")),
        5_000,
        |text| {
            let Err(ItemError::Ambiguous { pointers, count }) = find_item(text, &[], "x") else {
                panic!("many fit")
            };
            assert!(pointers.len() == 10 && count >= 5_000);
        },
    );
    // Equal keys, over and over; a long key before many lists.
    assert_linear(
        |len| format!("{{{}\"b\":1}}", "\"a\":[{\"id\":\"x\"}],".repeat(len)),
        5_000,
        |text| {
            assert!(find_item(text, &[], "x").is_ok());
            assert!(find_item(text, &[], "/a/0/id").is_ok());
        },
    );
    let lists = |len: usize| {
        let lists: Vec<String> =
            (0..len).map(|key| format!("\"{key}\":[{{\"id\":\"x\"}}]")).collect();
        format!("{{\"{}\":{{{}}}}}", "k".repeat(30 * len), lists.join(","))
    };
    assert_linear(lists, 2_000, |text| {
        assert!(matches!(find_item(text, &[], "x"), Err(ItemError::Ambiguous { .. })));
    });
}
