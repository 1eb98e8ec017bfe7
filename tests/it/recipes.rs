//! The two recipes, the copies of a result that is kept as a record, and the tables of SPEC 11 and 13.

use slotledger::content::{Block, Call, Content, Image};
use slotledger::copy::{
    Keeping, LiveBlock, LiveCopy, StoredCopy, cut_at, cut_shown, serialize, truncate_history,
};
use slotledger::slot::{Grammar, slots};
use slotledger::text::{Span, Spans};
use slotledger::{Cap, Config};
use slotledger_kit::vectors::recipe_v74;

use crate::support::{PNG, cap, ledger, len_utf16, read, registry, session, spans};

const P1: &str = "[image: image/png, ~12KB, ref img_abc123_1]";
const S1: &str = "[ref_1_ab3d] cam.png — image/jpeg, 1.2MB claimed — from tool result — fetch with \
                  fetch_reference";
const G2: &str = "[image: image/gif, 4B, ref img_abc123_2]";
/// What a text of 25,980 units says where it was cut without a store.
const NOTICE: &str =
    "\n\n[truncated — original was 25980 chars; no writable workspace, full content not retained]";

/// The text T of SPEC 11.
fn t() -> String {
    format!("head text\n{P1}\nmiddle text that is long enough\n{S1}\ntail\n{G2}")
}

/// Where `text` is cut at `limit`, in UTF-16 code units.
fn cut_utf16(text: &str, limit: usize) -> Option<usize> {
    cut_at(text, cap(limit), &Grammar::default()).map(|at| len_utf16(&text[..at]))
}

fn stored(text: &str, limit: usize, shown: &Spans, keeping: Keeping<'_>) -> StoredCopy {
    StoredCopy::of(&text.into(), cap(limit), shown, &Grammar::default(), keeping)
}

/// The texts of the slots of `text`.
fn slot_texts(text: &str) -> Vec<&str> {
    slots(text).map(|slot| slot.span.of(text)).collect()
}

/// A content array of these blocks, the texts as text and `None` as the image of [`PNG`].
fn array(blocks: &[Option<&str>]) -> String {
    let image = || format!(r#"{{"type":"image","data":"{PNG}","mimeType":"image/png"}}"#);
    let block = |text: Option<&str>| match text {
        Some(text) => {
            format!(r#"{{"type":"text","text":{}}}"#, slotledger_kit::Json::from(text))
        }
        None => image(),
    };
    format!("[{}]", blocks.iter().copied().map(block).collect::<Vec<_>>().join(","))
}

#[test]
fn a_text_of_3000_and_200_attachment_lines_is_stored_at_2090() {
    let text = recipe_v74();
    assert_eq!((len_utf16(&text), text.len()), (25_980, 27_180));
    let result = read(array(&[Some(&text)]));
    let ingested = session().ingest_at(&Call::new("c1", "list"), &result, cap(2_000));
    assert_eq!(ingested.live, None, "the model sees the stored copy");
    assert_eq!(ingested.stored.text, format!("{}{NOTICE}", "s".repeat(2_000)));
    assert_eq!(len_utf16(&ingested.stored.text), 2_090);
    assert_eq!((ingested.stored.kept.as_slice(), ingested.stored.left_out), ([].as_slice(), 0));
    assert_eq!(slots(&ingested.text).count(), 100, "in the full text");
    assert_eq!(slot_texts(&ingested.stored.text), Vec::<&str>::new());
}

#[test]
fn the_same_followed_by_an_image_is_stored_at_2228() {
    let result = read(array(&[Some(&recipe_v74()), None]));
    let ingested = session().ingest_at(&Call::new("c1", "list"), &result, cap(2_000));
    let placeholder = "[image: image/png, 72B, ref img_abc123_1]";
    let head = "s".repeat(2_000);
    let notice = NOTICE.replace("25980", "26022");
    let note = "\n[1 image slot(s) fell past the cut; kept here in order so save_recent_image \
                still counts them:]\n";
    assert_eq!(ingested.stored.text, format!("{head}{notice}{note}{placeholder}"));
    assert_eq!(len_utf16(&ingested.stored.text), 2_228);
    assert_eq!(slot_texts(&ingested.stored.text), [placeholder]);
    let live = ingested.live.as_ref().unwrap();
    let live_notice = "\n\n[truncated — original was 25980 chars]";
    let image = LiveBlock::Image { mime_type: "image/png".into(), data: PNG.into() };
    let cut = LiveBlock::Text(format!("{head}{live_notice}").into());
    assert_eq!(live.blocks, [cut, image]);
    let shown: Vec<[usize; 2]> = live
        .shown
        .as_slice()
        .iter()
        .map(|span| [span.start, span.end].map(|at| len_utf16(&ingested.text[..at])))
        .collect();
    assert_eq!(shown, [[0, 2_000], [25_981, 26_022]]);
}

#[test]
fn a_live_text_whose_record_is_kept_says_how_to_read_it_back() {
    let text = "x".repeat(42_000);
    let image = Block::Image(Image::new(PNG, "image/png"));
    let content = Content::Blocks(vec![Block::Text(text.as_str().into()), image]);
    let (mut ledger, mut registry) = (ledger(64, 1 << 20), registry());
    let full = serialize(&content, &Call::new("c1", "snap"), &mut ledger, &mut registry);
    let keeping = Keeping::Kept { handle: "c1", unit: slotledger::Unit::Utf16, direct: None };
    let cap = Config::default().cap();
    let live = LiveCopy::of(&content, &full, cap, &Grammar::default(), keeping).unwrap();
    let notice = "\n\n[truncated — original was 42000 chars; full result: \
                  get_full_tool_result({\"toolCallId\":\"c1\"})]";
    let cut = LiveBlock::Text(format!("{}{notice}", &text[..24_000]).into());
    let image = LiveBlock::Image { mime_type: "image/png".into(), data: PNG.into() };
    assert_eq!(live.blocks, [cut, image]);
    let stored = StoredCopy::of(&full.text, cap, &live.shown, &Grammar::default(), keeping);
    let expected = format!(
        "{}\n\n[truncated — showing 24000 of 42042 chars; full result: \
         get_full_tool_result({{\"toolCallId\":\"c1\",\"startChar\":24000}})]\
         \n[1 image slot(s) fell past the cut; kept here in order so save_recent_image still \
         counts them:]\n[image: image/png, 72B, ref img_abc123_1]",
        &text[..24_000]
    );
    assert_eq!(stored.text, expected);
}

#[test]
fn a_stored_copy_whose_record_is_kept_names_the_place_to_read_on() {
    let text = format!("{{\"rows\":\"{}\"}}", "x".repeat(42_000));
    let keeping =
        Keeping::Kept { handle: "call_long", unit: slotledger::Unit::Utf16, direct: None };
    let stored = stored(&text, Config::DEFAULT_CAP, &Spans::default(), keeping);
    let notice = "\n\n[truncated — showing 24000 of 42011 chars; full result: \
                  get_full_tool_result({\"toolCallId\":\"call_long\",\"startChar\":24000})]";
    assert_eq!(stored.text, format!("{}{notice}", &text[..24_000]));
    assert_eq!(len_utf16(&stored.text), 24_125);
    assert_eq!((stored.head_len, stored.total_len), (24_000, 42_011));
}

#[test]
fn a_notice_counts_in_the_unit_of_the_cap() {
    let text = "aé漢😀".repeat(5);
    for (cap, head, total) in [
        (Cap::utf16(9), 8, 25),
        (Cap::chars(9), 9, 20),
        (Cap::bytes(19), 16, 50),
        (Cap::bytes(20), 20, 50),
    ] {
        let none = Spans::default();
        let of = |keeping| {
            StoredCopy::of(&text.as_str().into(), cap, &none, &Grammar::default(), keeping)
        };
        let kept = of(Keeping::Kept { handle: "c1", unit: cap.unit(), direct: None });
        assert_eq!((kept.head_len, kept.total_len), (head, total), "{cap:?}");
        let head_text = &text[..cap.reached_in(&text).unwrap()];
        let notice = format!(
            "\n\n[truncated — showing {head} of {total} chars; full result: \
             get_full_tool_result({{\"toolCallId\":\"c1\",\"startChar\":{head}}})]"
        );
        assert_eq!(kept.text, format!("{head_text}{notice}"));
        let notice = format!(
            "\n\n[truncated — showing {head} of {total} chars; keeping the full result FAILED (x); \
             content over the cap was not retained]"
        );
        assert_eq!(of(Keeping::Failed { reason: "x" }).text, format!("{head_text}{notice}"));
        let notice = format!(
            "\n\n[truncated — original was {total} chars; no writable workspace, full content not \
             retained]"
        );
        assert_eq!(of(Keeping::NoStore).text, format!("{head_text}{notice}"));
    }
}

#[test]
fn a_call_id_is_quoted_as_json() {
    let keeping =
        Keeping::Kept { handle: "a\"b\\c\n\u{1}é", unit: slotledger::Unit::Utf16, direct: None };
    let stored = stored("abcdef", 3, &Spans::default(), keeping);
    let notice = "\n\n[truncated — showing 3 of 6 chars; full result: \
                  get_full_tool_result({\"toolCallId\":\"a\\\"b\\\\c\\n\\u0001é\",\"startChar\":3})]";
    assert_eq!(stored.text, format!("abc{notice}"));
}

#[test]
fn a_record_that_could_not_be_kept_says_why() {
    for (reason, quoted) in [
        ("disk full [x]\nno", "disk full xno".to_owned()),
        ("[ref_1_a] image/png", "ref_1_a image/png".to_owned()),
        ("a\r\n\u{2028}b\u{2029}c", "abc".to_owned()),
        (&"y".repeat(200), "y".repeat(200)),
        (&"y".repeat(201), "y".repeat(200)),
        (&format!("[{}]", "y".repeat(200)), "y".repeat(200)),
        (&format!("{}😀", "y".repeat(199)), "y".repeat(199)),
        (&format!("{}😀", "y".repeat(198)), format!("{}😀", "y".repeat(198))),
        ("", String::new()),
    ] {
        let stored = stored("abcdef", 2, &Spans::default(), Keeping::Failed { reason });
        let expected = format!(
            "ab\n\n[truncated — showing 2 of 6 chars; keeping the full result FAILED ({quoted}); \
             content over the cap was not retained]"
        );
        assert_eq!(stored.text, expected);
    }
}

#[test]
fn what_is_left_out_is_still_counted_only_where_a_record_is_kept() {
    let line = "[image: image/png, 1B]";
    let text = [line; 67].join("\n");
    let shown = spans([(0, text.len())]);
    for (keeping, notice, fate) in [
        (
            Keeping::NoStore,
            "[truncated — original was 1540 chars; no writable workspace, full content not \
             retained]",
            "left out and not counted",
        ),
        (
            Keeping::Failed { reason: "full" },
            "[truncated — showing 23 of 1540 chars; keeping the full result FAILED (full); \
             content over the cap was not retained]",
            "left out and not counted",
        ),
        (
            Keeping::Kept { handle: "c1", unit: slotledger::Unit::Utf16, direct: None },
            "[truncated — showing 23 of 1540 chars; full result: \
             get_full_tool_result({\"toolCallId\":\"c1\",\"startChar\":23})]",
            "left out here but still counted",
        ),
    ] {
        let stored = stored(&text, 30, &shown, keeping);
        let kept = [line; 64].join("\n");
        let expected = format!(
            "{line}\n\n\n{notice}\n[66 image slot(s) fell past the cut; the newest 64 are kept \
             here in order so save_recent_image still counts them; the 2 before them are \
             {fate}:]\n{kept}"
        );
        assert_eq!(stored.text, expected);
        assert_eq!((stored.kept.len(), stored.left_out), (64, 2));
    }
}

#[test]
fn the_cuts_of_the_table_in_section_11() {
    let t = t();
    assert_eq!(len_utf16(&t), 228);
    let starts = [P1, "middle", S1, G2].map(|part| len_utf16(&t[..t.find(part).unwrap()]));
    assert_eq!(starts, [10, 54, 86, 188]);
    for (limits, cut) in [
        (&[1][..], 1),
        (&[9], 9),
        (&[10, 11, 29, 52], 10),
        (&[53], 53),
        (&[54], 54),
        (&[86, 87, 121, 181], 86),
        (&[182], 182),
        (&[188, 225, 227], 188),
    ] {
        for &limit in limits {
            assert_eq!(cut_utf16(&t, limit), Some(cut), "{limit}");
        }
    }
    for limit in [0, 228, 229] {
        assert_eq!(cut_utf16(&t, limit), None, "{limit}");
    }
    let image = format!("abc\n[ref_1_ab3d] image/png {}", "x".repeat(2_000));
    let no_image = format!("abc\n[ref_1_ab3d] {}", "x".repeat(2_000));
    for (text, limit, cut) in [
        (image.as_str(), 503, 4),
        (&image, 1_004, 1_004),
        (&no_image, 503, 4),
        (&format!("{S1}\nrest"), 50, 0),
        ("k [image: image/png, 1B and more text", 10, 10),
        ("ab😀cd", 2, 2),
        ("ab😀cd", 3, 2),
        ("ab😀cd", 4, 4),
        ("😀cd", 1, 0),
    ] {
        assert_eq!(cut_utf16(text, limit), Some(cut), "{text:.30} {limit}");
    }
}

#[test]
fn the_order_of_the_steps_leaves_no_piece_that_reads_as_a_slot() {
    let stub = "[ref_1_a] image/png ";
    let long = |len: usize| format!("{stub}{}", "x".repeat(len - stub.len()));
    // The character first.
    let emoji = format!("{}😀 and more", long(677));
    assert_eq!(cut_utf16(&emoji, 678), Some(0));
    // The placeholder before the stub.
    let placeholder = format!("{}[image: image/png, 1B] and more", long(670));
    assert_eq!(cut_utf16(&placeholder, 690), Some(0));
    // And 677, no less and no more.
    let line = long(2_000);
    assert_eq!(cut_utf16(&line, 677), Some(0));
    assert_eq!(cut_utf16(&line, 678), Some(678));
    // The distance counts from the stub's own start.
    for start in ["\r", "\u{2028}", "\u{2029}"] {
        let line = format!("{}{start}{}", "y".repeat(1_000), long(2_000));
        assert_eq!(cut_utf16(&line, 1_001 + 677), Some(1_001));
        assert_eq!(cut_utf16(&line, 1_001 + 678), Some(1_001 + 678));
    }
}

#[test]
fn what_is_kept_of_the_text_of_section_11() {
    let t = t();
    let all = spans([(0, t.len())]);
    for (limit, head, kept) in
        [(54, 54, &[S1, G2][..]), (121, 86, &[S1, G2]), (29, 10, &[P1, S1, G2])]
    {
        let cut = cut_shown(&t, cap(limit), &all, &Grammar::default()).unwrap();
        assert_eq!(len_utf16(&t[..cut.at]), head);
        assert_eq!(cut.kept.iter().map(|slot| slot.of(&t)).collect::<Vec<_>>(), kept);
        assert_eq!(cut.left_out, 0);
        let hidden = cut_shown(&t, cap(limit), &Spans::default(), &Grammar::default()).unwrap();
        assert_eq!((hidden.at, hidden.kept, hidden.left_out), (cut.at, Vec::new(), 0));
    }
}

#[test]
fn of_a_hundred_stubs_and_an_image_the_newest_64_are_kept() {
    let mut blocks = vec![format!(r#"{{"type":"text","text":"{}"}}"#, "s".repeat(1_500))];
    blocks.extend((0..100).map(|index| {
        format!(
            r#"{{"type":"resource_link","uri":"mcp://cam/{index}","name":"{index}","mimeType":"image/png"}}"#
        )
    }));
    blocks.push(format!(r#"{{"type":"image","data":"{PNG}","mimeType":"image/png"}}"#));
    let result = read(format!("[{}]", blocks.join(",")));
    let ingested = session().ingest_at(&Call::new("c1", "list"), &result, cap(1_000));
    assert_eq!(ingested.stored.left_out, 37);
    let slots = slot_texts(&ingested.stored.text);
    assert_eq!(slots, slot_texts(&ingested.text)[37..]);
    assert_eq!(slots.len(), 64);
    let note = "\n[101 image slot(s) fell past the cut; the newest 64 are kept here in order so \
                save_recent_image still counts them; the 37 before them are left out and not \
                counted:]\n";
    let notice = format!(
        "\n\n[truncated — original was {} chars; no writable workspace, full content not retained]",
        len_utf16(&ingested.text)
    );
    let head = "s".repeat(1_000);
    assert_eq!(ingested.stored.text, format!("{head}{notice}{note}{}", slots.join("\n")));
}

#[test]
fn an_image_in_the_head_and_one_past_it_are_stored_at_1228() {
    let scan = "line of scan output\n".repeat(1_500);
    let result = read(array(&[None, Some(&scan), None]));
    let ingested = session().ingest_at(&Call::new("c1", "scan"), &result, cap(1_000));
    assert_eq!(len_utf16(&ingested.text), 30_084);
    assert_eq!(len_utf16(&ingested.stored.text), 1_228);
    let placeholders = [1, 2].map(|n| format!("[image: image/png, 72B, ref img_abc123_{n}]"));
    assert_eq!(slot_texts(&ingested.stored.text), placeholders);
    assert_eq!(ingested.stored.kept, [Span::new(30_043, 30_084)]);
}

#[test]
fn a_placeholder_in_a_kept_stub_is_kept_too_and_read_twice() {
    let quote = "[image: image/png, 1B]";
    let stub = format!("[ref_1_ab3d] quotes {quote} — image/webp");
    let text = format!("{}\n{stub}", "x".repeat(50));
    let stored = stored(&text, 20, &spans([(0, text.len())]), Keeping::NoStore);
    let expected = format!(
        "{}\n\n[truncated — original was {} chars; no writable workspace, full content not \
         retained]\n[2 image slot(s) fell past the cut; kept here in order so save_recent_image \
         still counts them:]\n{stub}\n{quote}",
        "x".repeat(20),
        len_utf16(&text)
    );
    assert_eq!(stored.text, expected);
    assert_eq!(slot_texts(&stored.text), [&*stub, quote, quote]);
}

#[test]
fn a_history_text_is_cut_and_keeps_nothing() {
    let grammar = Grammar::default();
    let cut = |text: &str, limit| truncate_history(text, cap(limit), &grammar).into_owned();
    assert_eq!(cut(&t(), 29), "head text\n\n\n[truncated — original was 228 chars]");
    assert_eq!(cut(&"a".repeat(1_000), 100).chars().count(), 139);
    assert_eq!(cut("abcdef", 6), "abcdef");
    assert_eq!(cut("abcdef", 5), "abcde\n\n[truncated — original was 6 chars]");
    assert_eq!(cut("abcdef", 0), "abcdef");
    let bytes = truncate_history("ééé", Cap::bytes(5), &grammar);
    assert_eq!(bytes, "éé\n\n[truncated — original was 6 chars]");
    let chars = truncate_history("😀😀😀", Cap::chars(2), &grammar);
    assert_eq!(chars, "😀😀\n\n[truncated — original was 3 chars]");
}
