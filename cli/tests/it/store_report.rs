//! `store`: the report on standard error.

use unicode_width::UnicodeWidthStr as _;

use crate::cli::{Outcome, done, folder, slotledger};

fn report<const N: usize>(args: [&str; N], result: &str) -> String {
    let always = ["store", "--nonce", "abc123"];
    let Outcome { code, stderr, .. } = slotledger(always.iter().chain(&args)).stdin(result).run();
    assert_eq!(code, Some(0));
    for line in stderr.lines() {
        assert!(line.width() <= 80, "{} columns: {line}", line.width());
    }
    stderr
}

fn lines<const N: usize>(lines: [&str; N]) -> String {
    lines.map(|line| format!("{line}\n")).concat()
}

#[test]
fn a_result_that_fits() {
    let result = r#"{"content":[{"type":"text","text":"hi"},
        {"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"},
        {"type":"resource_link","uri":"u","name":"cam","mimeType":"image/jpeg","size":2048},
        {"type":"resource_link","uri":"v","mimeType":"image/webp"}]}"#;
    let expected = lines([
        "full    207 UTF-16 units in 4 blocks",
        "stored  all of it (cap 24,000)",
        "slots   3",
        "        image      image/png   9B       img_abc123_1",
        "        reference  image/jpeg  ~2KB     ref_1_q4mc",
        "        reference  image/webp  no size  ref_2_lm7i",
        "losses  none",
    ]);
    assert_eq!(report([], result), expected);
}

#[test]
fn a_plain_value_without_slots() {
    let expected = lines([
        "full    1 characters",
        "stored  all of it (no cap)",
        "slots   none",
        "losses  none",
    ]);
    assert_eq!(report(["--unit", "char", "--cap", "none"], "7"), expected);
}

#[test]
fn a_cut_tells_head_kept_and_what_was_never_shown() {
    let result = format!(
        r#"[{{"type":"text","text":"[image: image/gif, 4B] {} [image: image/gif, 5B] [image: image/gif, 6B]"}},
        {{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}}]"#,
        "x".repeat(1_000)
    );
    let expected = lines([
        "full    1,110 UTF-16 units in 2 blocks",
        "stored  326: a head of 100 (cap 100), a notice and the kept slots",
        "slots   2: 1 in the head, 1 kept from past the cut",
        "        image  image/gif  4B  no ref        head",
        "        image  image/png  9B  img_abc123_1  kept",
        "        2 past the cut, not shown to the model",
        "losses  none",
    ]);
    assert_eq!(report(["--cap", "100"], &result), expected);
}

#[test]
fn of_many_slots_the_first_and_the_last_have_a_line() {
    let links: Vec<String> = (0..100)
        .map(|at| {
            format!(
                r#"{{"type":"resource_link","uri":"u{at}","mimeType":"image/png","size":{at}}}"#
            )
        })
        .collect();
    let result = format!(
        r#"[{{"type":"text","text":"{}"}},{},{{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}}]"#,
        "s".repeat(1_500),
        links.join(",")
    );
    let report = report(["--cap", "1000"], &result);
    let (sizes, rest) = report.split_once("slots ").unwrap();
    assert!(
        sizes.ends_with("a head of 1,000 (cap 1,000), a notice and the kept slots\n"),
        "{sizes}"
    );
    let rest: Vec<&str> = rest.lines().collect();
    assert_eq!(rest[0], "  64: 0 in the head, 64 kept from past the cut");
    assert!(rest[1].contains("image/png  37B  ref_12_"), "{}", rest[1]);
    assert_eq!(rest[4], "        … 58 more …");
    assert!(rest[7].ends_with("image      image/png  9B   img_abc123_1  kept"), "{}", rest[7]);
    assert_eq!(rest[8], "        37 older ones past the cut are left out");
    assert_eq!(rest.len(), 10);
}

#[test]
fn losses_are_told_in_plain_words() {
    let long = "w".repeat(120);
    let result = format!(
        r#"{{"isError":true,"content":[
        {{"type":"text","text":"a\ud83d\ud83d"}},
        {{"type":"mystery"}},
        {{"type":"image","data":"aa","mimeType":"image/png","disposition":"ref"}},
        {{"type":"audio","data":"AAAA","mimeType":"audio/{long}"}},
        {{"type":"resource_link","uri":"u","size":"x"}}]}}"#
    );
    let told = report([], &result);
    let (sizes, losses) = told.split_at(told.find("losses").unwrap());
    assert!(sizes.starts_with("error   the tool says that it failed\n"), "{sizes}");
    let expected = lines([
        "losses  5 (blocks count from 0)",
        "        2 lone surrogates were read as U+FFFD",
        "        block 1: not recognized: type mystery",
        "        block 2: withheld; it has data and says they are elsewhere",
        "        block 3: bytes not kept: audio/wwwwwwwwwwwwwwwww…, 4 base64 characters",
        "        block 4: its field size does not serve and is left out",
    ]);
    assert_eq!(losses, expected);

    let gave_up = report([], r#"[{"type":"text","text":"a"},null]"#);
    let sentence = "        block 1: is no content block, so the whole became JSON text\n";
    assert!(gave_up.ends_with(sentence), "{gave_up}");
}

#[test]
fn of_many_losses_the_first_have_a_line_and_the_others_a_count() {
    let blocks = vec![r#"{"type":"mystery"}"#; 1_007].join(",");
    let told = report([], &format!("[{blocks}]"));
    assert!(told.contains("losses  1,007 (blocks count from 0)\n"), "{told}");
    assert!(told.ends_with("        … 1,001 more; --json has them all\n"), "{told}");
}

#[test]
fn no_name_from_outside_makes_a_line_too_long_or_acts_on_the_terminal() {
    let long = "p".repeat(120);
    let wide = "画".repeat(100);
    let result = format!(
        r#"[{{"type":"{wide}"}},{{"type":"\u001b[2J"}},
        {{"type":"image","data":"AAAA","mimeType":"image/{long}"}},
        {{"type":"text","text":"[image: {long}/{long}, ~1234567890123456KB, ref img_0123456789abcdef_1234567890123456]"}},
        {{"type":"text","text":"[ref_{long}_{long}] \u001b[31m — image/{long}"}}]"#
    );
    let told = report([], &result);
    assert!(told.is_ascii() || told.contains('…'), "{told}");
    assert!(!told.contains('\u{1b}'), "{told}");
}

#[test]
fn quiet_says_nothing_and_no_colour_goes_to_a_file() {
    let out = slotledger(["store", "-q"]).stdin("\"hi\"").run();
    assert_eq!(out, done("hi", ""));
    assert!(!report([], "\"hi\"").contains('\u{1b}'));
}

#[test]
fn a_record_is_told_with_the_command_that_reads_it() {
    let folder = folder("store_report_record");
    let told = |path: &str, result: &str| {
        let always = ["store", "--cap", "5", "--store", path];
        let out = slotledger(always).stdin(result).run();
        assert_eq!(out.code, Some(0));
        out.stderr.split_once("losses  ").unwrap().1.to_owned()
    };
    let path = folder.join("r.db");
    let long = folder.join("it's a long name, longer than any line may be, so that it has its own");
    for (path, argument) in [
        (&path, path.to_str().unwrap().to_owned()),
        (&long, format!("'{}'", long.to_str().unwrap().replace('\'', r"'\''"))),
    ] {
        let said = told(path.to_str().unwrap(), "\"hello again\"");
        let command = format!("slotledger get 3908c567feda72bc --store {argument}");
        let flat = said.replace('\n', " ");
        let kept = [
            format!("none record  kept; {command} "),
            format!("none record  kept; it is read with {command} "),
        ];
        assert!(kept.contains(&flat), "{said}");
        let read = std::process::Command::new("sh")
            .args(["-c", &command.replacen("slotledger", "\"$0\"", 1)])
            .arg(env!("CARGO_BIN_EXE_slotledger"))
            .output()
            .unwrap();
        assert_eq!(String::from_utf8_lossy(&read.stdout), "hello again", "{read:?}");
    }
    let none = "none\nrecord  none: the text is whole, and has no images\n";
    assert_eq!(told(path.to_str().unwrap(), "\"hi\""), none);
    assert!(!report(["--cap", "5"], "\"hello again\"").contains("record"));

    // By its key, as the next result may have the same call id.
    told(path.to_str().unwrap(), "\"hello there\"");
    let get = ["get", "-q", "3908c567feda72bc", "--store", path.to_str().unwrap()];
    assert_eq!(slotledger(get).run(), done("hello again", ""));
}

#[cfg(unix)]
#[test]
fn a_record_that_could_not_be_kept_is_told() {
    use crate::records::{as_another, for_others, permit, store};

    let kept = store("store_report_lost", &[]);
    let folder = for_others("store_report_lost", &kept);
    permit(&folder, 0o777);
    let result = folder.join("result.json");
    std::fs::write(&result, "\"hello again\"").unwrap();
    permit(&result, 0o444);
    let out = as_another(&folder, ["store", "--cap", "5", result.to_str().unwrap()]);
    std::fs::remove_dir_all(folder).unwrap();
    let losses = "losses  1 (blocks count from 0)\n        \
                  the full text could not be kept: the store is read-only\n\
                  record  not kept: see the losses\n";
    assert!(out.stderr.ends_with(losses), "{}", out.stderr);
    assert_eq!(out.code, Some(0));
}
