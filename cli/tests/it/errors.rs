//! What goes wrong: one line that says what, where and what to do, and the exit code.

use crate::cli::{ended, file, slotledger};

#[test]
fn a_missing_file() {
    let error = "slotledger: no/such.json: no such file; give a file, or - for standard input\n";
    assert_eq!(slotledger(["store", "no/such.json"]).run(), ended(1, "", error));
}

#[test]
fn a_folder() {
    let folder = env!("CARGO_TARGET_TMPDIR");
    let error =
        format!("slotledger: {folder}: this is a folder; give one file with a tool result\n");
    assert_eq!(slotledger(["store", folder]).run(), ended(1, "", error));
}

#[test]
fn a_name_that_would_break_the_line() {
    let error =
        "slotledger: \"a\\nb\\u{1b}\": no such file; give a file, or - for standard input\n";
    assert_eq!(slotledger(["store", "a\nb\u{1b}"]).run(), ended(1, "", error));
}

#[test]
fn nothing_to_read() {
    let error = "slotledger: standard input: empty; give one tool result as JSON\n";
    assert_eq!(slotledger(["store"]).run(), ended(1, "", error));
    assert_eq!(slotledger(["store", "-"]).stdin(" \r\n").run(), ended(1, "", error));
}

#[test]
fn what_is_no_json() {
    let path = file("errors_no_json.json", "{\"content\": [}");
    let out = slotledger(["store".as_ref(), path.as_os_str()]).run();
    let start = format!("slotledger: {}: not JSON at byte 13: ", path.display());
    assert!(out.stderr.starts_with(&start), "{}", out.stderr);
    assert!(out.stderr.ends_with("; give one tool result as JSON (see --format)\n"));
    assert_eq!(out.stderr.lines().count(), 1);
    assert_eq!((out.code, &*out.stdout), (Some(1), ""));
}

#[test]
fn what_is_no_utf8() {
    let error = "slotledger: standard input: not UTF-8 at byte 1; give one tool result as JSON (see \
                 --format)\n";
    assert_eq!(slotledger(["store"]).stdin(*b"\"\xff\"").run(), ended(1, "", error));
}

#[test]
fn what_is_no_outcome() {
    let error = "slotledger: standard input: not an outcome: expected a JSON object; give one tool \
                 result as JSON (see --format)\n";
    let out = slotledger(["store", "--format", "outcome"]).stdin("[]").run();
    assert_eq!(out, ended(1, "", error));
}

#[test]
fn what_is_no_store_is_left_as_it_is() {
    let path = file("no_store.db", "a diary, and no store of records\n".repeat(100));
    let name = path.to_str().unwrap();
    let error = format!(
        "slotledger: {name}: not a store of slotledger; it was left as it is; name another file\n"
    );
    for command in ["pipe", "store"] {
        let out = slotledger([command, "--store", name]).stdin("\"hi\"").run();
        assert_eq!(out, ended(1, "", &error));
    }
    let left = std::fs::read_to_string(&path).unwrap();
    assert_eq!(left, "a diary, and no store of records\n".repeat(100));
}

#[test]
fn misuse_is_2() {
    for cap in ["many", "-3", "1.5", "1e3", ""] {
        let error = format!(
            "error: invalid value '{cap}' for '--cap <N>': expected a whole number from 0, or none\n\n\
             For more information, try '--help'.\n"
        );
        assert_eq!(slotledger(["store", "--cap", cap]).run(), ended(2, "", error));
    }
    for (args, error) in [
        (
            &["store", "--unit", "pixel"][..],
            "invalid value 'pixel' for '--unit <UNIT>'\n  [possible values: utf16, char, byte]",
        ),
        (
            &["store", "--format", "xml"],
            "invalid value 'xml' for '--format <FORMAT>'\n  [possible values: mcp, data, outcome]",
        ),
        (
            &["store", "--nonce", "A"],
            "invalid value 'A' for '--nonce <N>': expected 1 to 16 of the characters 0-9 and a-z",
        ),
        (
            &["store", "--omit-data"],
            "the following required arguments were not provided:\n  --json",
        ),
        (&["store", "a", "b"], "unexpected argument 'b' found"),
        (&["pipe", "a"], "unexpected argument 'a' found"),
        (&["nope"], "unrecognized subcommand 'nope'"),
    ] {
        let out = slotledger(args).run();
        assert!(out.stderr.starts_with(&format!("error: {error}\n")), "{args:?}: {}", out.stderr);
        assert_eq!((out.code, &*out.stdout), (Some(2), ""), "{args:?}");
    }
    assert_eq!(slotledger(["--no-such"]).run().code, Some(2));
}
