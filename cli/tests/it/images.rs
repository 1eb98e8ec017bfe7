//! `images`: the inventory of a stored session.

use unicode_width::UnicodeWidthStr as _;

use crate::cli::{Outcome, done, ended, file, fixture, folder, slotledger};

const NOTHING_READ: &str = "no messages, so no images (see --format and --all)\n";

fn images<const N: usize>(args: [&str; N]) -> Outcome {
    slotledger(["images"].iter().chain(&args)).run()
}

/// `images` of what is on standard input.
fn of(history: impl Into<Vec<u8>>) -> Outcome {
    slotledger(["images"]).stdin(history).run()
}

#[test]
fn anthropic_messages_with_images_at_every_depth() {
    let listing = "\
\x20#  what        tool      call    type           bytes   pixels  back  save
 0  attachment                    png                               1  damaged
 1  attachment                    png               97    40×30     1  yes
 2  tool image            …lu_03  webp            512B              1  no ref
 3  tool image            …lu_03  png            ~12KB              1  unknown
 4  tool image  read_do…  …lu_02  gif               43      1×1     3  yes
 5  tool image  read_do…  …lu_02  jpeg             134      1×1     3  yes
 6  reference   browser…  …rStUv  png                               3  elsewhere
 7  tool image  browser…  …rStUv  jpeg (is png)  1,579  640×480     3  yes
 8  attachment                                                      5  elsewhere
 9  attachment                                                      5  elsewhere
10  attachment                    png               73      3×2     5  yes

11 images in 5 messages; 5 can be saved
1 damaged: the bytes cannot be decoded
3 elsewhere: the bytes were never here: a link, a URL or a file id
1 no ref: a placeholder that names no image, as older programs write it
1 unknown: the bytes are not in the history; --ledger can name an archive
1 is of another type than it is called
";
    let history = fixture("anthropic.json");
    assert_eq!(images([&history]), done(listing, ""));
    assert_eq!(images(["--format", "anthropic", &history]), done(listing, ""));
    assert_eq!(of(std::fs::read(history).unwrap()), done(listing, ""));
}

#[test]
fn a_claude_code_session_with_parallel_calls_and_a_torn_line() {
    let listing = "\
#  what        tool        call        type           bytes   pixels  back  save
0  tool image  Read        toolu_read  jpeg             134      1×1     2  yes
1  tool image  screenshot  …olu_right  jpeg (is png)     97    40×30     4  yes
2  tool image  screenshot  toolu_left  png            1,579  640×480     5  yes
3  attachment                          png               73      3×2     8  yes

4 images in 8 messages; all can be saved
1 is of another type than it is called
1 line is no JSON and was passed over: line 15
";
    assert_eq!(images([&fixture("session.jsonl")]), done(listing, ""));
    assert_eq!(images(["--format", "claude-code", &fixture("session.jsonl")]), done(listing, ""));
}

#[test]
fn all_takes_what_is_not_sent_as_well() {
    let listing = "\
#  what        tool        call        type           bytes   pixels  back  save
0  tool image  Read        toolu_read  jpeg             134      1×1     2  yes
1  attachment                          gif               43      1×1     4  yes
2  tool image  screenshot  …olu_right  jpeg (is png)     97    40×30     5  yes
3  tool image  screenshot  toolu_left  png            1,579  640×480     6  yes
4  tool image  screenshot  …aken_back  png               97    40×30     9  yes
5  attachment                          png               73      3×2    11  yes

6 images in 11 messages; all can be saved
1 is of another type than it is called
1 line is no JSON and was passed over: line 15
";
    assert_eq!(images(["--all", &fixture("session.jsonl")]), done(listing, ""));
}

#[test]
fn fewer_images_or_fewer_messages() {
    let history = &fixture("session.jsonl");
    let listing = "\
#  what        tool  call        type  bytes  pixels  back  save
0  tool image  Read  toolu_read  jpeg    134     1×1     2  yes

2 images in the newest 4 of 8 messages; all can be saved; 1 listed
1 line is no JSON and was passed over: line 15
";
    assert_eq!(images(["--limit", "1", "--scan", "4", history]), done(listing, ""));
    let none = "no images in the newest 1 of 8 messages\n\
                1 line is no JSON and was passed over: line 15\n";
    assert_eq!(images(["--scan", "1", history]), done(none, ""));
    let none = "4 images in 8 messages; all can be saved; 0 listed\n\
                1 line is no JSON and was passed over: line 15\n";
    assert_eq!(images(["--limit", "0", history]), done(none, ""));
}

#[test]
fn json_tells_everything() {
    let one = concat!(
        r#"{"images":["#,
        r#"{"index":0,"source":"tool-result","mediaType":"image/jpeg","messagesBack":2,"#,
        r#""savable":true,"ref":"img_l2oqyomwwzio_3","toolName":"Read","#,
        r#""toolCallId":"toolu_read","blockIndex":0,"byteSize":134,"width":1,"height":1},"#,
        r#"{"index":1,"source":"tool-result","mediaType":"image/jpeg","messagesBack":4,"#,
        r#""savable":true,"ref":"img_l2oqyomwwzio_2","toolName":"screenshot","#,
        r#""toolCallId":"toolu_right","blockIndex":1,"byteSize":97,"width":40,"height":30,"#,
        r#""actualMediaType":"image/png"}],"#,
        r#""scanned":8,"unreadableLines":[15]}"#,
        "\n"
    );
    let out = images(["--json", "--limit", "2", &fixture("session.jsonl")]);
    assert_eq!(out, done(one, ""));

    let out = images(["--json", &fixture("anthropic.json")]);
    for part in [
        r#"{"images":[{"index":0,"source":"attachment","mediaType":"image/png","messagesBack":1,"savable":false,"reason":"undecodable"},"#,
        r#"{"index":3,"source":"tool-result","mediaType":"image/png","messagesBack":1,"savable":false,"reason":"unknown_ref","ref":"img_k7x3q2_7","toolCallId":"toolu_03"}"#,
        r#""savable":false,"reason":"reference","refId":"ref_1_"#,
        r#"{"index":9,"source":"attachment","mediaType":"image/png","messagesBack":5,"savable":false,"reason":"attachment_not_inline"}"#,
        r#"],"scanned":5,"unreadableLines":[]}"#,
    ] {
        assert!(out.stdout.contains(part), "{part}: {}", out.stdout);
    }
}

#[test]
fn histories_without_images_and_without_messages() {
    assert_eq!(of("[]"), done(NOTHING_READ, ""));
    assert_eq!(of("\u{FEFF}{\"messages\":[]}"), done(NOTHING_READ, ""));
    assert_eq!(of("{\"type\":\"summary\"}\n"), done(NOTHING_READ, ""));
    assert_eq!(of("[7]"), done("no images in 1 message\n", ""));
    let none = "{\"images\":[],\"scanned\":0,\"unreadableLines\":[]}\n";
    assert_eq!(slotledger(["images", "--json"]).stdin("{}").run(), done(none, ""));
}

#[test]
fn many_torn_lines_are_counted() {
    let history = format!("{{}}\n{}", "x\n".repeat(1_200));
    let listing = format!(
        "{NOTHING_READ}1,200 lines are no JSON and were passed over: lines 2, 3, 4, 5, 6, 7, …\n"
    );
    assert_eq!(of(history), done(listing, ""));
}

#[test]
fn names_from_outside_keep_the_table_in_its_columns_and_the_terminal_unharmed() {
    let name = "画像".repeat(60);
    let long = "p".repeat(110);
    let history = format!(
        r#"[{{"role":"assistant","content":[{{"type":"tool_use","id":"\u001b[2J\n\u202e{name}","name":"\u001b]0;{name}"}}]}},
        {{"role":"user","content":[{{"type":"tool_result","tool_use_id":"\u001b[2J\n\u202e{name}",
        "content":"[image: {long}/{long}, ~1234567890123456KB, ref img_0123456789abcdef_1234567890123456]"}}]}}]"#
    );
    let out = of(history);
    assert_eq!((out.code, &*out.stderr), (Some(0), ""));
    assert_eq!(out.stdout.lines().count(), 5, "{}", out.stdout);
    for line in out.stdout.lines() {
        assert!(line.width() <= 80, "{line}");
        assert!(!line.contains(|it: char| it.is_control() || it == '\u{202e}'), "{line:?}");
    }
}

#[test]
fn what_is_no_history() {
    let advice = "give a history, as Anthropic messages or a Claude Code session (see --format)\n";
    for (history, error) in [
        ("7", "not a history: expected a list of messages, or an object with `messages`"),
        ("\"x\"", "not a history: expected a list of messages, or an object with `messages`"),
        ("\0\0", "not JSON at byte 0: expected value at line 1 column 1"),
        ("{\"messages\":[", "not JSON at byte 12: EOF while parsing a list at line 1 column 13"),
        ("[", "not JSON at byte 0: EOF while parsing a list at line 1 column 1"),
    ] {
        let error = format!("slotledger: standard input: {error}; {advice}");
        assert_eq!(of(history), ended(1, "", error), "{history:?}");
    }
    let error = format!("slotledger: standard input: not UTF-8 at byte 0; {advice}");
    assert_eq!(of([0xff, 0xfe]), ended(1, "", error));
    let error = "slotledger: standard input: empty; give a history, as Anthropic messages or a \
                 Claude Code session\n";
    assert_eq!(of("\n \n"), ended(1, "", error));
    let folder = env!("CARGO_TARGET_TMPDIR");
    let error = format!("slotledger: {folder}: this is a folder; give one file with a history\n");
    assert_eq!(images([folder]), ended(1, "", error));
}

#[test]
fn no_nesting_is_too_deep() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let out = of(format!(r#"[{{"role":"user","content":{deep}}}]"#));
    assert_eq!(out, done("no images in 1 message\n", ""));
    let line = format!(r#"{{"type":"user","uuid":"u","message":{{"content":{deep}}},"x":{deep}}}"#);
    assert_eq!(of(line), done("no images in 1 message\n", ""));
}

#[test]
fn an_archive_has_the_bytes_of_refs_of_an_earlier_process_and_is_only_read() {
    let archive = folder("images_archive");
    let dir = archive.to_str().unwrap();
    let ingest = r#"{"op":"ingest","call":{"id":"c1","name":"snap"},"result":[{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}]}"#;
    let out = slotledger(["pipe", "--ledger", dir]).stdin(ingest).run();
    assert_eq!((out.code, &*out.stderr), (Some(0), ""));
    let text = out.stdout.split('"').find(|text| text.starts_with("[image: ")).unwrap();
    let history = format!(
        r#"[{{"role":"assistant","content":[{{"type":"tool_use","id":"c1","name":"snap"}}]}},
        {{"role":"user","content":[{{"type":"tool_result","tool_use_id":"c1","content":"{text}"}},
        {{"type":"tool_result","tool_use_id":"c2","content":[{{"type":"image","source":{{"type":"base64","media_type":"image/gif","data":"R0lG"}}}}]}}]}}]"#
    );
    let path = file("images_archive.json", history);
    let listing = "\
#  what        tool  call  type  bytes  pixels  back  save
0  tool image        c2    gif       3             1  yes
1  tool image  snap  c1    png       8             1  yes

2 images in 2 messages; all can be saved
";
    let index = std::fs::read(archive.join("index.jsonl")).unwrap();
    let history = path.to_str().unwrap();
    assert_eq!(images(["--ledger", dir, history]), done(listing, ""));
    assert_eq!(std::fs::read(archive.join("index.jsonl")).unwrap(), index);
    assert_eq!(std::fs::read_dir(&archive).unwrap().count(), 3, "index, lock and one image");

    let without = images([history]).stdout;
    assert!(without.contains("1 unknown: the bytes are not in the history"), "{without}");
    let error = "slotledger: no/such: no archive of images is there; see --ledger\n";
    assert_eq!(images(["--ledger", "no/such", history]), ended(1, "", error));
}
