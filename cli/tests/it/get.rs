//! `get`: records read back.

use std::io::Read as _;

use crate::cli::{command, done, ended, file, folder, slotledger};
use crate::records::{assert_harmless, damaged, ingest, keep, on, store};

const HELLO: &str = "2cf24dba5fb0a30e";
const AGAIN: &str = "3908c567feda72bc";
const MODELS: &str = r#"{"models":[{"id":"m_1","name":"Invoice"},{"id":7,"name":"Ticket"}]}"#;

#[test]
fn the_whole_text_is_printed_exactly() {
    let long = format!("x{}\r\nend", "😀ё\n".repeat(90_000));
    for (at, text) in ["hello", "a\r\nb\n", "\u{0}\u{1b}[2J\u{7f}\n\n", &long].iter().enumerate() {
        let path = store(&format!("get_whole_{at}"), &[["s1", "c1", "bash", text]]);
        let out = on(&path, ["get", "c1", "--quiet"]);
        assert_eq!((out.code, &*out.stderr), (Some(0), ""));
        assert!(out.stdout == **text, "{at}: {} of {} bytes", out.stdout.len(), text.len());
    }
    let path = store("get_told", &[["s1", "c1", "bash", "hello"]]);
    let told = "record  c1, bash, 5 bytes, text, session s1\n";
    assert_eq!(on(&path, ["get", "c1"]), done("hello", told));
    assert_eq!(on(&path, ["get", HELLO]), done("hello", told));
    assert_eq!(on(&path, ["get", &format!("<<ccr:{HELLO}>>")]), done("hello", told));
    assert_eq!(on(&path, ["get", "c1", "--session", "s1", "--tool", "bash"]), done("hello", told));
    let out = slotledger(["get", "-q", "c1"]).env("SLOTLEDGER_STORE", &path).run();
    assert_eq!(out, done("hello", ""));
}

#[test]
fn a_page_tells_where_to_go_on() {
    let path = store("get_page", &[["s1", "c1", "bash", "a😀bcdefghij"]]);
    let told = "record  c1, bash, 14 bytes, text, session s1\n";
    let next = format!("{told}next    --start 4 (of 12 UTF-16 units)\n");
    assert_eq!(on(&path, ["get", "c1", "--start", "1", "--length", "3"]), done("😀b", next));
    assert_eq!(on(&path, ["get", "c1", "--start", "4"]), done("cdefghij", told));
    assert_eq!(on(&path, ["get", "c1", "--start", "12"]), done("", told));
    let all = on(&path, ["get", "c1", "--start", "1", "--length", "2", "--all"]);
    assert_eq!(all, done("😀bcdefghij", told));

    let page = |start: usize, end: usize, next: &str, text: &str| {
        format!(
            r#"{{"page":{{"toolCallId":"c1","toolName":"bash","sessionId":"s1","unit":"utf16","totalLength":12,"startChar":{start},"endChar":{end},{next},"sha256":"SHA","complete":true,"text":"{text}"}}}}"#
        ) + "\n"
    };
    let more = r#""hasMore":true,"nextStartChar":4"#;
    let sha = |text: &str| {
        let at = text.find("\"sha256\":\"").unwrap() + 10;
        text.replace(&text[at..at + 64], "SHA")
    };
    let out = on(&path, ["get", "c1", "--length", "4", "--json", "-q"]);
    assert_eq!(sha(&out.stdout), page(0, 4, more, "a😀b"));
    let out = on(&path, ["get", "c1", "--length", "8", "--start", "4", "--json", "-q"]);
    assert_eq!(sha(&out.stdout), page(4, 12, "\"hasMore\":false", "cdefghij"));
    let out = on(&path, ["get", "c1", "--length", "4", "--json", "--all", "-q"]);
    assert_eq!(out.stdout.lines().count(), 3);
    let asked = on(&path, ["get", "c1", "--json", "--session", "s1"]).stdout;
    assert!(
        asked.starts_with(r#"{"page":{"toolCallId":"c1","toolName":"bash","unit":"#),
        "{asked}"
    );
}

#[test]
fn items_and_outlines_of_a_json_text() {
    let path = store("get_item", &[["s1", "c1", "api", MODELS]]);
    let get =
        |args: &[&str]| slotledger(["get", "-q", "c1", "--store", &path].iter().chain(args)).run();
    assert_eq!(get(&["--item", "/models/1/name"]), done("\"Ticket\"", ""));
    assert_eq!(get(&["--item", "Ticket"]), done(r#"{"id":7,"name":"Ticket"}"#, ""));
    let rest = get(&["--item", "Ticket", "--start", "6", "--length", "2", "--all"]);
    assert_eq!(rest, done(r#"7,"name":"Ticket"}"#, ""));
    let outline = "{\"list\":\"/models\",\"count\":2}\n\
                   {\"item\":\"/models/0\",\"id\":\"m_1\",\"name\":\"Invoice\",\"size\":29}\n\
                   {\"item\":\"/models/1\",\"id\":\"7\",\"name\":\"Ticket\",\"size\":24}\n";
    assert_eq!(get(&["--item", "*"]), done(outline, ""));
    assert_eq!(get(&["--item", "*", "--length", "7", "--all"]), done(outline, ""));
    let none = "slotledger: This result has no item \"nope\"; item \"*\" shows what it has.\n";
    assert_eq!(get(&["--item", "nope"]), ended(1, "", none));
}

#[test]
fn lines_that_match() {
    let text = "an ERR\nb\n".repeat(150);
    let path = store("get_grep", &[["s1", "c1", "bash", &text]]);
    let out = on(&path, ["get", "c1", "--grep", "ERR", "--context", "0"]);
    let told = "record  c1, bash, 1,350 bytes, text, session s1\nfound   100 matches\n\
                next    --start 898 (of 1,350 UTF-16 units)\n";
    assert_eq!((out.code, &*out.stderr), (Some(0), told));
    assert_eq!(out.stdout.lines().filter(|line| line.ends_with(":an ERR")).count(), 100);

    let all = on(&path, ["get", "c1", "--grep", "ERR", "--context", "0", "--all"]);
    let expected: Vec<String> =
        (0..150).map(|at| format!("{}:{}:an ERR\n", at * 2 + 1, at * 9)).collect();
    let told = "record  c1, bash, 1,350 bytes, text, session s1\n";
    assert_eq!(all, done(expected.join("--\n"), told));

    let none = on(&path, ["get", "c1", "--grep", "nothing"]);
    assert_eq!(none, done("", format!("{told}found   0 matches\n")));
    let bad = on(&path, ["get", "c1", "--grep", "a*"]);
    assert_eq!(bad, ended(1, "", "slotledger: grep must not match the empty text.\n"));
    let hyphen = on(&path, ["get", "c1", "-q", "--grep", "-x"]);
    assert_eq!(hyphen, done("", ""));
}

#[test]
fn an_id_of_several_texts_is_answered_with_their_keys() {
    let path = store(
        "get_ambiguous",
        &[
            ["s1", "c1", "bash", "hello"],
            ["s1", "c1", "bash", "hello again"],
            ["s2", "c1", "read", "hello there"],
            ["s2", "c2", "read", "hello"],
        ],
    );
    let message = format!(
        "\"c1\" fits 3 kept results. Use one of these as toolCallId: 12998c017066eb0d (read, 11 \
         chars, session \"s2\"), {AGAIN} (bash, 11 chars, session \"s1\"), {HELLO} (bash, 5 chars, \
         session \"s1\")."
    );
    let error = format!("slotledger: {message}\n");
    assert_eq!(on(&path, ["get", "c1"]), ended(1, "", &error));
    let refused = format!(
        "{{\"refused\":{{\"reason\":\"ambiguous\",\"message\":\"{}\"}}}}\n",
        message.replace('"', "\\\"")
    );
    assert_eq!(on(&path, ["get", "c1", "--json"]), ended(1, refused, error));
    for (args, text) in [
        (&["get", "-q", HELLO][..], "hello"),
        (&["get", "-q", AGAIN], "hello again"),
        (&["get", "-q", "c1", "--session", "s2"], "hello there"),
        (&["get", "-q", "c1", "--tool", "read"], "hello there"),
        (&["get", "-q", "c2"], "hello"),
    ] {
        let out = slotledger(args.iter().chain(&["--store", &path])).run();
        assert_eq!(out, done(text, ""), "{args:?}");
    }
    let error = "slotledger: Tool call \"c2\" was made in session \"s2\"; add \"sessionId\":\"s2\" \
                 to read it. Here: leave out --session.\n";
    assert_eq!(on(&path, ["get", "c2", "--session", "s1"]), ended(1, "", error));
}

#[test]
fn hostile_ids_reach_their_record_or_nothing() {
    let long = "n".repeat(300);
    let ids = ["../x", &long, "a\u{0}b", "toolu@abc#1", "Call_A", "call_a", "\u{1b}[2J\n", "-h"];
    let texts: Vec<String> = (0..ids.len()).map(|at| format!("text {at}")).collect();
    let results: Vec<[&str; 4]> = ids
        .iter()
        .zip(&texts)
        .map(|(&id, text)| ["s\u{1b}\u{202e}", id, "t\n\u{7}", &**text])
        .collect();
    let path = store("get_hostile", &results);
    let get = |id: &str| slotledger(["get", "-q", "--store", &path, "--", id]).run();
    for (at, id) in ids.iter().enumerate() {
        if !id.contains('\u{0}') {
            assert_eq!(get(id), done(format!("text {at}"), ""), "{id:?}");
        }
    }
    // By ids like theirs, where no exact one fits.
    assert_eq!(get("a_b"), done("text 2", ""));
    assert_eq!(get("toolu_abc_1"), done("text 3", ""));
    assert_eq!(get(&"n".repeat(64)), done("text 1", ""));
    assert_eq!(get("CALL_A").code, Some(1));
    for id in ["/etc/passwd", "..", "", " ", "\u{1b}[3J\u{202e}", "é"] {
        let out = get(id);
        assert_eq!((out.code, &*out.stdout), (Some(1), ""), "{id:?}");
        assert!(out.stderr.starts_with("slotledger: No result was ever kept"), "{}", out.stderr);
        assert_eq!(out.stderr.lines().count(), 1);
        assert_harmless(&out.stderr);
    }
    let out = on(&path, ["get", "../x"]);
    assert_eq!(
        out.stderr,
        "record  ../x, t\u{FFFD}\u{FFFD}, 6 bytes, text, session s\u{FFFD}\u{FFFD}\n"
    );
}

#[test]
fn what_was_removed_is_told_from_what_never_was() {
    let path = store("get_gone", &[["s1", "c1", "bash", "hello"]]);
    assert_eq!(on(&path, ["gc", "--remove", "c1"]).code, Some(0));
    let expired = "The result of tool call \"c1\" (bash, 5 chars) was kept and then removed \
                   (request). Run the tool again if you need it.";
    assert_eq!(on(&path, ["get", "c1"]), ended(1, "", format!("slotledger: {expired}\n")));
    let json = on(&path, ["get", "c1", "--json"]).stdout;
    assert!(json.starts_with(r#"{"refused":{"reason":"expired","message":"The result"#), "{json}");
    let unknown = "slotledger: No result was ever kept for tool call \"c2\" in any session; asking \
                   again will not help. See slotledger list.\n";
    assert_eq!(on(&path, ["get", "c2"]), ended(1, "", unknown));
    keep(&path, &[["s1", "c1", "bash", "hello"]]);
    assert_eq!(on(&path, ["get", "c1", "-q"]), done("hello", ""));
}

#[test]
fn refusals_of_arguments_are_the_engine_s() {
    let path = store("get_arguments", &[["s1", "c1", "bash", "hello"]]);
    for (args, reason, message) in [
        (
            &["--start", "6"][..],
            "out_of_range",
            "startChar 6 is past the end: this result has 5 chars. Use 0 to 4.",
        ),
        (
            &["--length", "0"],
            "bad_arguments",
            "length must be a whole number from 1 to 100000; got 0.",
        ),
        (
            &["--length", "200000"],
            "page_too_large",
            "length 200000 is over the largest page, 100000 chars.",
        ),
        (
            &["--grep", "e", "--context", "11"],
            "bad_arguments",
            "context must be a whole number from 0 to 10; got 11.",
        ),
        (&["--item", "x"], "not_json", "This result is not JSON; use startChar or grep."),
        (
            &["--tool", "read"],
            "name_mismatch",
            "Tool call \"c1\" was made by \"bash\", not by \"read\".",
        ),
    ] {
        let out = slotledger(["get", "c1", "--json", "--store", &path].iter().chain(args)).run();
        assert_eq!((out.code, out.stderr), (Some(1), format!("slotledger: {message}\n")));
        assert!(
            out.stdout.starts_with(&format!(r#"{{"refused":{{"reason":"{reason}","#)),
            "{args:?}"
        );
    }
}

#[test]
fn a_store_that_is_not_there_is_not_made() {
    let folder = folder("get_no_store");
    let missing = folder.join("records.db").to_str().unwrap().to_owned();
    let empty = file("get_empty.db", "").to_str().unwrap().to_owned();
    let place = folder.to_str().unwrap().to_owned();
    for path in [missing.clone(), empty.clone(), place, format!("{empty}/records.db")] {
        let error = format!("slotledger: {path}: no store of records is there; see --store\n");
        for command in [&["get", "c1"][..], &["list"], &["gc"], &["gc", "--check"]] {
            let out = slotledger(command.iter().chain(&["--store", &path])).run();
            assert_eq!(out, ended(1, "", &error), "{command:?}");
        }
    }
    assert_eq!(std::fs::read_dir(folder).unwrap().count(), 0);
    assert_eq!(std::fs::read(empty).unwrap(), b"");
}

#[test]
fn a_text_that_was_changed_is_told() {
    let text = format!("a needle\n{}", "x".repeat(150_000));
    let path = store("get_changed", &[["s1", "c1", "bash", &text]]);
    damaged(&path, "a needle", "a beetle");
    let out = on(&path, ["get", "c1"]);
    let error = format!(
        "slotledger: {path}: the text of c1 is not what was kept; see slotledger gc --check\n"
    );
    assert_eq!((out.code, out.stderr), (Some(1), error));
    assert!(out.stdout.starts_with("a beetle\n"));
}

#[test]
fn a_store_that_is_cut_off_is_told_in_one_line() {
    let path = store("get_cut", &[["s1", "c1", "bash", &"hello\n".repeat(20_000)]]);
    let whole = std::fs::read(&path).unwrap();
    for len in [60, 4_096, whole.len() / 2, whole.len() - 4_096] {
        std::fs::write(&path, &whole[..len]).unwrap();
        for args in [&["get", "c1"][..], &["list"], &["gc", "--check"]] {
            let out = slotledger(args.iter().chain(&["--store", &path])).run();
            assert_eq!(out.code, Some(1), "{len} {args:?}");
            assert_eq!(out.stderr.lines().count(), 1, "{len} {args:?} {}", out.stderr);
            assert!(out.stderr.starts_with("slotledger: "), "{}", out.stderr);
        }
    }
}

#[cfg(unix)]
#[test]
fn a_read_only_store_is_read() {
    use crate::records::{as_another, for_others, permit};

    let path = store("get_read_only", &[["s1", "c1", "bash", "hello"]]);
    let folder = for_others("get_read_only", &path);
    permit(&folder, 0o777);
    assert_eq!(as_another(&folder, ["get", "-q", "c1"]), done("hello", ""));
    assert_eq!(as_another(&folder, ["list", "--json"]).code, Some(0));
    let name = folder.join("records.db").to_str().unwrap().to_owned();
    let error = |doing: &str, more: &str| {
        format!("slotledger: {name}: the store cannot be {doing}: the store is read-only{more}\n")
    };
    let out = as_another(&folder, ["gc", "--remove", "c1"]);
    assert_eq!(out, ended(1, "", error("changed", "")));
    let out = as_another(&folder, ["gc", "--max-age", "0s"]);
    assert_eq!(out, ended(1, "", error("swept", "")));

    for beside in ["records.db-wal", "records.db-shm"] {
        let _ = std::fs::remove_file(folder.join(beside));
    }
    permit(&folder, 0o555);
    let out = as_another(&folder, ["get", "c1"]);
    permit(&folder, 0o755);
    assert_eq!(out, ended(1, "", error("opened", ", and SQLite writes beside it also to read")));
    std::fs::remove_dir_all(folder).unwrap();
}

#[test]
fn a_store_is_read_while_another_process_writes_it() {
    use std::io::{BufRead as _, BufReader, Write as _};

    let path = store("get_written", &[["s1", "c1", "bash", "hello"]]);
    let mut child = command(["pipe", "--store", &path]).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut answer = String::new();
    for at in 0..5 {
        let text = format!("result {at}");
        writeln!(stdin, "{}", ingest(["s2", &format!("d{at}"), "bash", &text])).unwrap();
        stdout.read_line(&mut answer).unwrap();
        assert_eq!(on(&path, ["get", "-q", &format!("d{at}")]), done(text, ""));
    }
    // The session is in use.
    let out = on(&path, ["gc", "--quota", "1B"]);
    assert_eq!(out.code, Some(0));
    assert!(out.stdout.starts_with("removed 1 record, 5 bytes\n"), "{}", out.stdout);
    assert!(out.stdout.contains("over the quota still: "), "{}", out.stdout);
    assert_eq!(on(&path, ["get", "-q", "d0"]), done("result 0", ""));
    drop(stdin);
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let out = on(&path, ["gc", "--quota", "1B"]);
    assert!(out.stdout.starts_with("removed 5 records, 40 bytes\n"), "{}", out.stdout);
}

#[test]
fn a_store_that_is_held_is_read_and_not_swept() {
    use std::io::{BufRead as _, BufReader, Write as _};
    use std::process::{Command, Stdio};

    let path = store("get_held", &[["s1", "c1", "bash", "hello"]]);
    let mut holder = Command::new("sqlite3")
        .arg(&path)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("the sqlite3 command is installed");
    let mut stdin = holder.stdin.take().unwrap();
    stdin.write_all(b"BEGIN IMMEDIATE; SELECT 'held';\n").unwrap();
    let mut answer = String::new();
    BufReader::new(holder.stdout.take().unwrap()).read_line(&mut answer).unwrap();
    assert_eq!(answer, "held\n");
    assert_eq!(on(&path, ["get", "-q", "c1"]), done("hello", ""));
    assert_eq!(on(&path, ["list"]).code, Some(0));
    let error = format!(
        "slotledger: {path}: the store cannot be changed: the store is in use by another process\n"
    );
    assert_eq!(on(&path, ["gc", "--remove", "c1"]), ended(1, "", error));
    drop(stdin);
    holder.wait().unwrap();
    assert_eq!(on(&path, ["gc", "--remove", "c1"]).code, Some(0));
}

#[test]
fn a_reader_that_has_seen_enough_ends_get_quietly() {
    let path = store("get_pipe", &[["s1", "c1", "bash", &"hello\n".repeat(700_000)]]);
    for more in [&[][..], &["--start", "1", "--all"], &["--json", "--all"]] {
        let args = ["get", "c1", "--store", &path];
        let mut child = command(args.iter().chain(more)).spawn().unwrap();
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut [0]).unwrap();
        drop(stdout);
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{more:?}");
        assert_eq!(output.status.code(), Some(0), "{more:?}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_large_record_is_not_held_in_memory() {
    use crate::memory::within;

    const RECORD: usize = 32 << 20;

    let path = store("get_large", &[["s1", "c1", "bash", &"hello 😀\n".repeat(RECORD / 11)]]);
    let input = file("get_large_input", "");
    let get = ["get", "-q", "c1", "--store", &path];
    assert_eq!(within(RECORD / 5 * 4, &get, &input), RECORD / 11 * 11);
    let rest = [&get[..], &["--start", "1", "--all"]].concat();
    assert_eq!(within(RECORD / 5 * 4, &rest, &input), RECORD / 11 * 11 - 1);
}

#[test]
fn misuse_is_2() {
    for (args, error) in [
        (
            &["get"][..],
            "the following required arguments were not provided:\n  --store <PATH>\n  <ID>",
        ),
        (&["get", "c1"], "the following required arguments were not provided:\n  --store <PATH>"),
        (
            &["get", "c1", "--store", ""],
            "a value is required for '--store <PATH>' but none was supplied",
        ),
        (
            &["get", "c1", "--store", "x", "--start", "-1"],
            "invalid value '-1' for '--start <N>': expected a whole number from 0",
        ),
        (
            &["get", "c1", "--store", "x", "--context", "2"],
            "the following required arguments were not provided:\n  --grep <RE>",
        ),
        (
            &["list", "--store", "x", "--limit", "0"],
            "invalid value '0' for '--limit <N>': expected a whole number from 1",
        ),
        (
            &["gc", "--store", "x", "--quota", "5M"],
            "invalid value '5M' for '--quota <SIZE>': expected a size like 500MB, 2GiB, or a number of bytes",
        ),
        (
            &["gc", "--store", "x", "--max-age", "7"],
            "invalid value '7' for '--max-age <DURATION>': expected a time like 7d, 12h, 30m or 90s",
        ),
        (
            &["gc", "--store", "x", "--check", "--remove", "c1"],
            "the argument '--check' cannot be used with '--remove <ID>'",
        ),
        (
            &["gc", "--store", "x", "--quota", "1", "--remove-session", "s"],
            "the argument '--quota <SIZE>' cannot be used with:\n  --remove-session <NAME>",
        ),
    ] {
        let out = slotledger(args).run();
        assert!(out.stderr.starts_with(&format!("error: {error}\n")), "{args:?}: {}", out.stderr);
        assert_eq!((out.code, &*out.stdout), (Some(2), ""), "{args:?}");
    }
}
