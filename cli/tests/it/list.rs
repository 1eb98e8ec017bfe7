//! `list`: what a store holds.

use unicode_width::UnicodeWidthStr as _;

use crate::cli::{done, slotledger};
use crate::records::{assert_harmless, on, store};

#[test]
fn the_newest_comes_first() {
    let path = store(
        "list_newest",
        &[
            ["s1", "c1", "bash", "hello"],
            ["s1", "c1", "bash", "hello again"],
            ["s2", "toolu_01A09q90qw90lq917835lq9", "read_file", "{\"a\": 1}"],
        ],
    );
    let table = "\
id                             tool       bytes  type  slots  kept  session
toolu_01A09q90qw90lq917835lq9  read_file      8  JSON      0   now  s2
3908c567feda72bc               bash          11  text      0   now  s1
2cf24dba5fb0a30e               bash           5  text      0   now  s1

3 records, 24 bytes in 2 sessions
";
    assert_eq!(on(&path, ["list"]), done(table, ""));

    let table = "\
id                tool  bytes  type  slots  kept  session
2cf24dba5fb0a30e  bash      5  text      0   now  s1

1 listed, 5 bytes; the store holds 3 records, 24 bytes in 2 sessions
";
    assert_eq!(on(&path, ["list", "--session", "s1", "--before", "2"]), done(table, ""));
    let table = "\
id                tool  bytes  type  slots  kept  session
3908c567feda72bc  bash     11  text      0   now  s1

1 listed, 11 bytes; the store holds 3 records, 24 bytes in 2 sessions
… more: --before 2
";
    assert_eq!(on(&path, ["list", "--tool", "bash", "--limit", "1"]), done(table, ""));
    let none = "0 listed, 0 bytes; the store holds 3 records, 24 bytes in 2 sessions\n";
    assert_eq!(on(&path, ["list", "--session", "nope"]), done(none, ""));
    assert_eq!(on(&path, ["list", "--tool", "BASH"]), done(none, ""));
}

#[test]
fn an_empty_store() {
    let path = store("list_empty", &[]);
    assert_eq!(on(&path, ["list"]), done("0 records, 0 bytes in 0 sessions\n", ""));
    assert_eq!(on(&path, ["list", "--json"]), done("{\"results\":[]}\n", ""));
}

#[test]
fn what_was_removed_is_marked_with_the_reason() {
    let path = store(
        "list_removed",
        &[["s1", "c1", "bash", "hello"], ["s1", "c2", "bash", "hello again"]],
    );
    assert_eq!(on(&path, ["gc", "--remove", "c1"]).code, Some(0));
    let table = "\
id  tool      bytes  type  slots  kept  session
c2  bash         11  text      0   now  s1
c1  bash  (request)  text      0   now  s1

1 record, 11 bytes in 1 session; 1 removed
1 (request): removed; that was asked for
";
    assert_eq!(on(&path, ["list"]), done(table, ""));
}

#[test]
fn json_tells_everything() {
    let path = store("list_json", &[["s1", "c1", "bash", "hello"], ["s\n", "a b", "", "hello"]]);
    assert_eq!(on(&path, ["gc", "--remove", "c1"]).code, Some(0));
    let json = on(&path, ["list", "--json"]).stdout;
    let sha256 = "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824";
    let parts: Vec<&str> = json.split("\"createdAt\":\"").collect();
    assert_eq!(parts.len(), 3, "{json}");
    let first = format!(
        r#"{{"results":[{{"toolCallId":"2cf24dba5fb0a30e","size":5,"unit":"utf16","bytes":5,"type":"text","age":0,"slots":0,"nth":1,"isError":false,"complete":true,"key":"2cf24dba5fb0a30e","sha256":"{sha256}","#
    );
    assert_eq!(parts[0], first);
    let (time, rest) = parts[1].split_once('"').unwrap();
    assert_eq!((time.len(), &time[10..11], &time[19..20], &time[23..]), (24, "T", ".", "Z"));
    let second = format!(
        r#","session":"s\n","callId":"a b"}},{{"toolCallId":"c1","toolName":"bash","size":5,"unit":"utf16","bytes":5,"type":"text","age":0,"slots":0,"nth":1,"isError":false,"complete":true,"gone":"request","key":"2cf24dba5fb0a30e","sha256":"{sha256}","#
    );
    assert_eq!(rest, second);
    let (_, rest) = parts[2].split_once('"').unwrap();
    assert_eq!(rest, ",\"session\":\"s1\",\"callId\":\"c1\"}]}\n");

    let one = on(&path, ["list", "--json", "--limit", "1"]).stdout;
    assert!(one.ends_with("\"callId\":\"a b\"}],\"next\":2}\n"), "{one}");
    let rest = on(&path, ["list", "--json", "--limit", "1", "--before", "2"]).stdout;
    assert!(rest.ends_with("\"callId\":\"c1\"}]}\n"), "{rest}");
}

#[test]
fn names_from_outside_keep_the_table_in_its_columns_and_the_terminal_unharmed() {
    let wide = "画像".repeat(75);
    let long = "n".repeat(300);
    let rtl = "\u{202e}שלום\u{2066}".repeat(30);
    let names =
        ["../x", &wide, &long, &rtl, "\u{1b}[2J\u{1b}]0;x\u{7}", "a\nb\r\u{2028}c", "nul\u{0}"];
    let printable = "c".repeat(64);
    let mut results: Vec<[&str; 4]> =
        names.iter().map(|&name| [name, name, name, "hello"]).collect();
    results.push([&long, &printable, &wide, "hello again"]);
    let path = store("list_hostile", &results);
    let out = on(&path, ["list"]);
    assert_eq!((out.code, &*out.stderr), (Some(0), ""));
    assert_eq!(out.stdout.lines().count(), results.len() + 3, "{}", out.stdout);
    assert_harmless(&out.stdout);
    for line in out.stdout.lines() {
        assert!(line.width() <= 80, "{line}");
    }
    for name in names {
        if name.contains('\u{0}') {
            continue;
        }
        let out = slotledger(["list", "--store", &path, "--session", name]).run();
        assert!(out.stdout.contains(" listed, "), "{}", out.stdout);
        assert_harmless(&out.stdout);
    }
}
