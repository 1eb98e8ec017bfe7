//! `store`: what it prints on standard output.

use slotledger_kit::vectors::recipe_v74;

use crate::cli::{Cli, Outcome, done, file, slotledger};

/// A text, an image of nine bytes, and a link to another.
const RESULT: &str = r#"{"content":[
    {"type":"text","text":"the \ud83d\ude00 board"},
    {"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"},
    {"type":"resource_link","uri":"file:///cam.jpg","name":"cam.jpg","mimeType":"image/jpeg","size":2048}
]}"#;

/// The ref ids that the nonce `abc123` leads to.
const STUB: &str = "[ref_1_q4mc] cam.jpg — image/jpeg, ~2KB claimed — from tool result — fetch with fetch_reference";

fn store<const N: usize>(args: [&str; N]) -> Cli {
    let always = ["store", "--quiet", "--nonce", "abc123"];
    slotledger(always.iter().chain(&args)).stdin(RESULT)
}

#[test]
fn the_stored_copy_is_printed_exactly() {
    let stored = format!("the 😀 board\n[image: image/png, 9B, ref img_abc123_1]\n{STUB}");
    assert_eq!(store([]).run(), done(&*stored, ""));
    assert_eq!(store(["-"]).run(), done(&*stored, ""));
    assert_eq!(store(["--no-store", "--cap", "none"]).run(), done(&*stored, ""));
    let path = file("store_exactly.json", RESULT);
    assert_eq!(store([path.to_str().unwrap()]).stdin("").run(), done(stored, ""));
}

#[test]
fn a_text_that_ends_its_line_gets_no_second_end() {
    assert_eq!(store([]).stdin("\"one line\\n\"").run(), done("one line\n", ""));
    assert_eq!(store([]).stdin("\"\"").run(), done("", ""));
}

#[test]
fn a_cut_keeps_the_slots_that_were_shown() {
    let image = "[image: image/png, 9B, ref img_abc123_1]";
    let cut = |head: &str, total: usize| {
        format!(
            "{head}\n\n[truncated — original was {total} chars; no writable workspace, full content \
             not retained]\n[2 image slot(s) fell past the cut; kept here in order so \
             save_recent_image still counts them:]\n{image}\n{STUB}"
        )
    };
    assert_eq!(store(["--cap", "5"]).run(), done(cut("the ", 149), ""));
    assert_eq!(store(["--cap", "5", "--unit", "char"]).run(), done(cut("the 😀", 148), ""));
    assert_eq!(store(["--cap", "8", "--unit", "byte"]).run(), done(cut("the 😀", 157), ""));
}

#[test]
fn the_cap_is_24000_and_0_or_none_are_no_cap() {
    let long = format!("\"{}\"", "x".repeat(24_001));
    let length = |args: &[&str]| {
        let out = slotledger(["store", "--quiet"].iter().chain(args)).stdin(&*long).run();
        out.stdout.encode_utf16().count()
    };
    assert_eq!(length(&[]), 24_000 + 90);
    assert_eq!(length(&["--cap", "24001"]), 24_001);
    assert_eq!(length(&["--cap", "0"]), 24_001);
    assert_eq!(length(&["--cap", "none"]), 24_001);
    assert_eq!(length(&["--cap", "99999999999999999999999999"]), 24_001);
}

#[test]
fn attachment_lines_at_a_cap_of_2000_alone_and_before_an_image() {
    let text = recipe_v74().replace('\n', "\\n");
    let block = format!(r#"{{"type":"text","text":"{text}"}}"#);
    let data = "A".repeat(96);
    let image = format!(r#"{{"type":"image","data":"{data}","mimeType":"image/png"}}"#);
    for (result, length) in [(format!("[{block}]"), 2_090), (format!("[{block},{image}]"), 2_228)] {
        let out = store(["--cap", "2000"]).stdin(result).run();
        assert_eq!(out.stdout.encode_utf16().count(), length, "{}", out.stdout);
    }
}

#[test]
fn the_live_copy_has_a_line_for_each_image() {
    let live = format!("the 😀 board\n<image: image/png, 12 base64 characters>\n{STUB}");
    assert_eq!(store(["--live"]).run(), done(&*live, ""));
    // The type is the tool's word: what is shown of it is harmless.
    let odd = r#"[{"type":"text","text":"a\n"},
        {"type":"image","data":"data:image/gif;base64,R0lG","mimeType":"\u001b[31m IMAGE"}]"#;
    let image = "<image: application/octet-stream, 4 base64 characters>";
    assert_eq!(store(["--live"]).stdin(odd).run(), done(format!("a\n\n{image}"), ""));
}

#[test]
fn a_live_copy_without_images_is_the_stored_copy() {
    let notice = "\n\n[truncated — original was 5 chars; no writable workspace, full content not \
                  retained]";
    let stored = format!("abc{notice}");
    let plain = |args| store(args).stdin(r#"[{"type":"text","text":"abcde"}]"#).run();
    assert_eq!(plain(["--live", "--cap", "3"]), done(&*stored, ""));
    let json = format!("[{{\"type\":\"text\",\"text\":\"{}\"}}]\n", stored.replace('\n', "\\n"));
    let out = store(["--live", "--json", "--cap", "3"]);
    assert_eq!(out.stdin(r#"[{"type":"text","text":"abcde"}]"#).run(), done(json, ""));
}

#[test]
fn the_live_copy_as_json_is_its_blocks() {
    let blocks = |data: &str| {
        format!(
            "[{{\"type\":\"text\",\"text\":\"the 😀 board\"}},\
             {{\"type\":\"image\",\"mimeType\":\"image/png\"{data}}},\
             {{\"type\":\"text\",\"text\":\"{STUB}\"}}]\n"
        )
    };
    let all = blocks(",\"data\":\"iVBORw0KGgo=\"");
    assert_eq!(store(["--live", "--json"]).run(), done(all, ""));
    assert_eq!(store(["--live", "--json", "--omit-data"]).run(), done(blocks(""), ""));
}

#[test]
fn json_is_one_object_with_everything() {
    let expected = [
        r#"{"text":"the 😀 board\n[image: image/png, 9B, ref img_abc123_1]\nSTUB","#,
        r#""blocks":[{"kind":"text","start":0,"end":12},{"kind":"image","start":13,"end":53},"#,
        r#"{"kind":"reference","start":54,"end":149}],"#,
        r#""live":[{"type":"text","text":"the 😀 board"},"#,
        r#"{"type":"image","mimeType":"image/png","data":"iVBORw0KGgo="},"#,
        r#"{"type":"text","text":"STUB"}],"#,
        r#""shown":[[0,12],[13,53],[54,149]],"#,
        r#""stored":{"text":"the 😀 board\n[image: image/png, 9B, ref img_abc123_1]\nSTUB","#,
        r#""head":149,"total":149,"kept":[],"leftOut":0,"recorded":false},"#,
        r#""slots":[{"kind":"inline","start":13,"end":53,"#,
        r#""text":"[image: image/png, 9B, ref img_abc123_1]","#,
        r#""mediaType":"image/png","size":"9B","ref":"img_abc123_1"},"#,
        r#"{"kind":"reference","start":54,"end":149,"text":"STUB","#,
        r#""mediaType":"image/jpeg","refId":"ref_1_q4mc"}],"#,
        r#""losses":[]}"#,
        "\n",
    ];
    let expected = expected.concat().replace("STUB", STUB);
    assert_eq!(store(["--json"]).run(), done(&*expected, ""));
    let without = expected.replace(r#","data":"iVBORw0KGgo=""#, "");
    assert_eq!(store(["--json", "--omit-data"]).run(), done(without, ""));
}

#[test]
fn json_counts_in_the_unit_that_is_asked_for() {
    let numbers = |unit| {
        let Outcome { stdout, .. } = store(["--json", "--unit", unit]).run();
        let blocks = stdout.split("\"blocks\":").nth(1).unwrap();
        let blocks = blocks.split(",\"live\"").next().unwrap().to_owned();
        let head = stdout.split("\"head\":").nth(1).unwrap();
        (blocks, head.split(",\"kept\"").next().unwrap().to_owned())
    };
    let expected = |ends: [usize; 3]| {
        let [text, image, reference] = ends;
        let blocks = format!(
            r#"[{{"kind":"text","start":0,"end":{text}}},{{"kind":"image","start":{},"end":{image}}},{{"kind":"reference","start":{},"end":{reference}}}]"#,
            text + 1,
            image + 1,
        );
        (blocks, format!("{reference},\"total\":{reference}"))
    };
    assert_eq!(numbers("utf16"), expected([12, 53, 149]));
    assert_eq!(numbers("char"), expected([11, 52, 148]));
    assert_eq!(numbers("byte"), expected([14, 55, 157]));
}

#[test]
fn formats_are_read_as_they_are_named() {
    let object = r#"{ "data": [{"type":"text","text":"yes"}], "error": "no" }"#;
    let stored = |format, json: &str| store(["--format", format]).stdin(json).run();
    let compact = r#"{"data":[{"type":"text","text":"yes"}],"error":"no"}"#;
    assert_eq!(stored("mcp", object), done(compact, ""));
    assert_eq!(stored("data", object), done(compact, ""));
    assert_eq!(stored("outcome", object), done("yes", ""));
    assert_eq!(stored("outcome", r#"{"isError":true}"#), done("Unknown error", ""));
    let result = r#"{"content":[{"type":"text","text":"yes"}]}"#;
    assert_eq!(stored("mcp", result), done("yes", ""));
    assert_eq!(stored("data", result), done(result, ""));
}

#[test]
fn a_reference_is_bound_to_a_server_by_the_tool_or_by_name() {
    let unbound =
        STUB.replace("fetch with fetch_reference", "cannot be fetched: its server is not known");
    let last = |out: Outcome| out.stdout.lines().last().unwrap().to_owned();
    assert_eq!(last(store(["--tool", "snap", "--call", "c1"]).run()), STUB);
    assert_eq!(last(store(["--tool", ""]).run()), unbound);
    assert_eq!(last(store(["--tool", "", "--server", ""]).run()), unbound);
    assert_eq!(last(store(["--tool", "", "--server", "cameras"]).run()), STUB);
}

#[test]
fn without_a_nonce_refs_differ_from_run_to_run() {
    let run = || slotledger(["store", "--quiet"]).stdin(RESULT).run().stdout;
    assert_ne!(run(), run());
}

#[test]
fn lone_surrogates_and_a_byte_order_mark_are_no_hindrance() {
    let out = store([]).stdin("\u{FEFF}[{\"type\":\"text\",\"text\":\"a\\ud83d\"}]");
    assert_eq!(out.run(), done("a\u{FFFD}", ""));
}
