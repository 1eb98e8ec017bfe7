//! Placeholder grammars that a host brings (SPEC 6.4).

use std::error::Error as _;

use slotledger::copy::{Keeping, StoredCopy, cut_at, cut_shown};
use slotledger::slot::{Dialect, DialectError, Grammar, MAX_DIALECT_SLOT_LEN, SlotKind};
use slotledger::text::Span;
use slotledger::{Call, Cap, Config, Engine};

use crate::support::{NONCE, PNG, cap, in_time, read, spans};

/// A grammar with these dialects.
pub(crate) fn grammar<const N: usize>(patterns: [&str; N]) -> Grammar {
    compiled(patterns).expect("the patterns compile")
}

fn compiled<const N: usize>(patterns: [&str; N]) -> Result<Grammar, DialectError> {
    let dialects = patterns.iter().enumerate();
    Grammar::new(dialects.map(|(at, pattern)| Dialect::new(format!("d{at}"), *pattern)))
}

/// The slots of a text: what each is, and its text.
fn found<'t>(grammar: &'t Grammar, text: &'t str) -> Vec<(&'t str, &'t str)> {
    let slot = |kind| match kind {
        SlotKind::Inline(_) => "inline",
        SlotKind::Reference { .. } => "reference",
        SlotKind::Dialect { name } => name,
        other => panic!("no slot is {other:?}"),
    };
    grammar.slots(text).map(|found| (slot(found.kind), found.span.of(text))).collect()
}

const NUMBERED: &str = r"\[Image #[0-9]{1,9}\]";

#[test]
fn a_match_is_counted_beside_our_own_slots_in_text_order() {
    let grammar = grammar([NUMBERED]);
    let text = "x [Image #1] [image: image/png, 1B]\n[ref_1_a] image/gif\n[Image #22]";
    assert_eq!(
        found(&grammar, text),
        [
            ("d0", "[Image #1]"),
            ("inline", "[image: image/png, 1B]"),
            ("reference", "[ref_1_a] image/gif"),
            ("d0", "[Image #22]"),
        ]
    );
    assert_eq!(found(&Grammar::default(), text).len(), 2);
}

#[test]
fn a_match_inside_a_stub_is_nested_and_one_that_starts_with_it_comes_second() {
    let grammar = grammar([NUMBERED, r"\[ref_1_a\]"]);
    let text = "[ref_1_a] see [Image #1] image/png";
    let expected = [("reference", text), ("d1", "[ref_1_a]"), ("d0", "[Image #1]")];
    assert_eq!(found(&grammar, text), expected);
}

#[test]
fn a_match_never_crosses_a_line_start() {
    let grammar = grammar([r"<[^>]*>", r"(?s)a.b"]);
    for line_start in ["\n", "\r", "\r\n", "\u{2028}", "\u{2029}"] {
        let text = format!("<one><two{line_start}three><four> a{line_start}b");
        let expected = [("d0", "<one>"), ("d0", "<four>")];
        assert_eq!(found(&grammar, &text), expected, "{line_start:?}");
    }
    // These two start no line.
    let text = "<a\u{85}b> <a\u{b}b>";
    assert_eq!(found(&grammar, text), [("d0", "<a\u{85}b>"), ("d0", "<a\u{b}b>")]);
}

#[test]
fn each_segment_is_searched_by_itself() {
    let grammar = grammar([r"^<[a-z]+>", r"<[0-9]+>$"]);
    for line_start in ["\n", "\r", "\u{2028}", "\u{2029}"] {
        let text = format!("<a> <b> <1>{line_start}<c><2> <3>{line_start}{line_start}<d>");
        let expected = [("d0", "<a>"), ("d1", "<1>"), ("d0", "<c>"), ("d1", "<3>"), ("d0", "<d>")];
        assert_eq!(found(&grammar, &text), expected, "{line_start:?}");
    }
}

#[test]
fn the_leftmost_match_wins_and_of_several_the_dialect_listed_first() {
    let text = "<a1> b1>";
    assert_eq!(found(&grammar([r"<a", r"<a1>"]), text), [("d0", "<a")]);
    assert_eq!(found(&grammar([r"<a1>", r"<a"]), text), [("d0", "<a1>")]);
    assert_eq!(found(&grammar([r"b1>", r"a1> b"]), text), [("d1", "a1> b")]);
    // Leftmost first, not longest.
    assert_eq!(found(&grammar([r"<a|<a1>"]), text), [("d0", "<a")]);
}

#[test]
fn the_search_goes_on_behind_a_match_that_is_no_slot() {
    let grammar = grammar([r"<[^>]*>", NUMBERED]);
    let too_long = format!("<[Image #1]{}>", "x".repeat(400));
    let text = format!("{too_long}[Image #2]");
    assert_eq!(found(&grammar, &text), [("d1", "[Image #2]")], "none in what was matched");
}

#[test]
fn a_slot_has_328_units_and_no_more() {
    assert_eq!(MAX_DIALECT_SLOT_LEN, 328);
    let grammar = grammar([r"<[^>]*>"]);
    for filler in ["x", "é", "漢", "😀"] {
        let width = filler.encode_utf16().count();
        let longest = format!("<{}>", filler.repeat(326 / width));
        assert_eq!(found(&grammar, &longest), [("d0", &*longest)], "{filler}");
        let longer = format!("<{}x>", filler.repeat(326 / width));
        assert_eq!(found(&grammar, &longer), [], "{filler}");
    }
}

#[test]
fn a_match_yields_to_a_placeholder_it_shares_a_character_with() {
    let own = "[image: image/png, 1B]";
    for (pattern, text, expected) in [
        (r"\[image: image/png, 1B\]", own.to_owned(), vec![("inline", own)]),
        (r"image/png", format!("{own}image/png"), vec![("inline", own), ("d0", "image/png")]),
        (r"<.*>", format!("<{own}>"), vec![("inline", own)]),
        (r"<\[", format!("<{own}"), vec![("inline", own)]),
        (r"\]>", format!("{own}>"), vec![("inline", own)]),
        (r"<", format!("<{own}"), vec![("d0", "<"), ("inline", own)]),
        (r">", format!("{own}>"), vec![("inline", own), ("d0", ">")]),
        // What only looks like a placeholder takes nothing.
        (r"<.*>", "<[image: image/PNG, 1B]>".into(), vec![("d0", "<[image: image/PNG, 1B]>")]),
    ] {
        assert_eq!(found(&grammar([pattern]), &text), expected, "{pattern} {text}");
    }
    let longest = {
        let [name, digits] = [127, 16].map(|len| "9".repeat(len));
        format!("[image: {name}/{name}, ~{digits}KB, ref img_{digits}_{digits}]")
    };
    assert_eq!(longest.len(), 328);
    for (pattern, text) in [(r"\]>", format!("{longest}>")), (r"<\[", format!("<{longest}"))] {
        assert_eq!(found(&grammar([pattern]), &text), [("inline", &*longest)], "{pattern}");
    }
}

#[test]
fn a_cut_moves_off_a_match() {
    let grammar = grammar([NUMBERED, r"<[^>]*>"]);
    let text = "see [Image #12] and more";
    for limit in 1..text.len() {
        let expected = if (5..15).contains(&limit) { 4 } else { limit };
        assert_eq!(cut_at(text, cap(limit), &grammar), Some(expected), "{limit}");
        assert_eq!(cut_at(text, cap(limit), &Grammar::default()), Some(limit));
    }
    // Not into one that is no slot.
    let long = format!("<{}> and more", "x".repeat(327));
    assert_eq!(cut_at(&long, cap(100), &grammar), Some(100));
    let line = format!("see <{}> and more", "x".repeat(326));
    assert_eq!(cut_at(&line, cap(5 + 326), &grammar), Some(4), "327 units back");
}

#[test]
fn a_cut_off_a_match_is_then_taken_off_the_stub_around_it() {
    let grammar = grammar([NUMBERED]);
    let stub = "[ref_1_a] image/png ";
    let text = format!("{stub}{}[Image #1] and more", "x".repeat(676 - stub.len()));
    assert_eq!(cut_at(&text, cap(680), &grammar), Some(0));
    assert_eq!(cut_at(&text, cap(680), &Grammar::default()), Some(680));
}

#[test]
fn a_match_past_the_cut_is_kept_like_any_slot() {
    let grammar = grammar([NUMBERED]);
    let text = "0123456789 [Image #1]\n[ref_1_a] image/png\n[Image #2][Image #3]";
    let start = text.find("[Image #3]").unwrap();
    let shown = spans([(0, start), (start, text.len())]);
    let cut = cut_shown(text, cap(15), &shown, &grammar).unwrap();
    let kept: Vec<&str> = cut.kept.iter().map(|slot| slot.of(text)).collect();
    let expected = ["[Image #1]", "[ref_1_a] image/png", "[Image #2]", "[Image #3]"];
    assert_eq!((cut.at, kept, cut.left_out), (11, expected.to_vec(), 0));
    let hidden = cut_shown(text, cap(15), &spans([(0, start + 1)]), &grammar).unwrap();
    assert_eq!(hidden.kept.len(), 3, "one lies whole in no range");
}

#[test]
fn the_newest_64_matches_are_kept() {
    let grammar = grammar([NUMBERED]);
    let text = (0..100).map(|index| format!("[Image #{index}]")).collect::<Vec<_>>().concat();
    let all = spans([(0, text.len())]);
    let stored = StoredCopy::of(&text.as_str().into(), cap(5), &all, &grammar, Keeping::NoStore);
    let kept: Vec<String> = stored.kept.iter().map(|slot| slot.of(&text).to_owned()).collect();
    assert_eq!(kept, (36..100).map(|index| format!("[Image #{index}]")).collect::<Vec<_>>());
    assert_eq!((stored.head_len, stored.left_out), (0, 36));
}

#[test]
fn a_range_past_the_end_of_the_text_shows_what_is_there() {
    let kept = |end: usize| {
        in_time(move || {
            let grammar = grammar([NUMBERED]);
            let text = "some words [Image #1]";
            let cut = cut_shown(text, cap(5), &spans([(0, end)]), &grammar).unwrap();
            (cut.at, cut.kept, cut.left_out)
        })
    };
    let expected = (5, vec![Span::new(11, 21)], 0);
    assert_eq!(kept(21), expected);
    assert_eq!(kept(22), expected);
    assert_eq!(kept(usize::MAX), expected);
}

#[test]
fn a_range_behind_the_text_shows_nothing() {
    let kept = |ranges: Vec<(usize, usize)>| {
        in_time(move || {
            let text = "some words [Image #1]\n[Image #2]";
            let cut = cut_shown(text, cap(5), &spans(ranges), &grammar([NUMBERED])).unwrap();
            cut.kept.iter().map(|slot| slot.of(text)).collect::<Vec<_>>()
        })
    };
    assert_eq!(kept(vec![(100, 120)]), Vec::<&str>::new());
    assert_eq!(kept(vec![(0, 21), (33, 34), (usize::MAX, usize::MAX)]), ["[Image #1]"]);
}

#[test]
fn an_engine_counts_the_matches_of_its_host() {
    let config =
        Config::default().with_grammar(grammar([NUMBERED])).with_nonce(NONCE.parse().unwrap());
    let mut session = Engine::new(config).session();
    let json = format!(
        r#"[{{"type":"text","text":"0123456789 [Image #1] and"}},
            {{"type":"image","data":"{PNG}","mimeType":"image/png"}},
            {{"type":"text","text":"[Image #2]"}}]"#
    );
    let result = read(json);
    let ingested = session.ingest_at(&Call::new("c1", "snap"), &result, Cap::utf16(25));
    let placeholder = "[image: image/png, 72B, ref img_abc123_1]";
    let kept: Vec<&str> = ingested.stored.kept.iter().map(|slot| slot.of(&ingested.text)).collect();
    assert_eq!(kept, [placeholder, "[Image #2]"]);
    // In the live copy the text is cut by itself, and off the match.
    let ingested = session.ingest_at(&Call::new("c1", "snap"), &result, Cap::utf16(15));
    let kept: Vec<&str> = ingested.stored.kept.iter().map(|slot| slot.of(&ingested.text)).collect();
    assert_eq!(kept, [placeholder, "[Image #2]"]);
    assert_eq!(ingested.shown()[0], Span::new(0, 11));
    assert_eq!(ingested.stored.head_len, 11);
}

#[test]
fn a_pattern_that_matches_the_empty_text_is_refused() {
    for pattern in ["", "a*", "a?", r"\b", "$", "^", "(a|)", "a{0,3}", "(?:)", r"(?m)^", "b*|a"] {
        let error = compiled([NUMBERED, pattern]).unwrap_err();
        let DialectError::MatchesEmpty { name } = &error else { panic!("{pattern:?}: {error:?}") };
        assert_eq!(name, "d1");
        assert_eq!(error.to_string(), "the pattern of dialect \"d1\" matches the empty text");
        assert!(error.source().is_none());
    }
}

#[test]
fn a_pattern_that_is_none_is_refused() {
    for pattern in ["(", "[a", "*", r"\p{nothing}", "a{2,1}", r"(?<n>a)(?<n>b)", r"(a)\1"] {
        let error = compiled([NUMBERED, pattern]).unwrap_err();
        let DialectError::Pattern { name, .. } = &error else { panic!("{pattern:?}: {error:?}") };
        assert_eq!(name, "d1");
        assert_eq!(error.to_string(), "the pattern of dialect \"d1\" is not valid");
        assert!(error.source().is_some());
    }
}

#[test]
fn patterns_that_compile_to_more_than_a_mebibyte_are_refused() {
    for pattern in [r"\w{1,5000}", "[a-z]{1,100000}", "((a{1,100}){1,100}){1,100}"] {
        let error = compiled([pattern]).unwrap_err();
        let DialectError::TooLarge { max_bytes, .. } = &error else {
            panic!("{pattern:?}: {error:?}")
        };
        assert_eq!(*max_bytes, 1 << 20);
        assert_eq!(error.to_string(), "the dialects compile to more than 1048576 bytes");
        assert!(error.source().is_some());
    }
    // The limit is for all of them together.
    let pattern = "[a-z]{1,2000}";
    assert!(compiled([pattern]).is_ok());
    assert!(matches!(compiled([pattern; 8]), Err(DialectError::TooLarge { .. })));
}

#[test]
fn no_dialect_at_all_is_the_default() {
    let text = "[Image #1] [image: image/png, 1B]";
    let none = Grammar::new([]).unwrap();
    assert_eq!(found(&none, text), found(&Grammar::default(), text));
    let dialect = Dialect::new("numbered", NUMBERED);
    assert_eq!((dialect.name(), dialect.pattern()), ("numbered", NUMBERED));
}
