//! `gc`: what is removed, and what is found damaged.

use crate::cli::{done, ended, slotledger};
use crate::records::{assert_harmless, damaged, on, store};

const HELLO: &str = "2cf24dba5fb0a30e";

#[test]
fn the_oldest_go_first_until_the_quota_fits() {
    let text = "x".repeat(1_000);
    let ids: Vec<String> = (0..10).map(|at| format!("c{at}")).collect();
    let texts: Vec<String> = ids.iter().map(|id| format!("{id}{text}")).collect();
    let results: Vec<[&str; 4]> =
        ids.iter().zip(&texts).map(|(id, text)| ["s1", id, "bash", text]).collect();
    let path = store("gc_quota", &results);
    let nothing = "removed nothing\nleft    10 records, 10,020 bytes in 1 session\n";
    assert_eq!(on(&path, ["gc"]), done(nothing, ""));
    assert_eq!(on(&path, ["gc", "--max-age", "1h"]), done(nothing, ""));
    let some =
        "removed 6 records, 6,012 bytes\nleft    4 records, 4,008 bytes in 1 session; 6 removed\n";
    assert_eq!(on(&path, ["gc", "--quota", "5kB"]), done(some, ""));
    assert_eq!(on(&path, ["get", "c5"]).code, Some(1));
    assert_eq!(on(&path, ["get", "c6"]).code, Some(0));
    let json = "{\"removed\":{\"records\":4,\"bytes\":4008},\"left\":{\"records\":0,\"bytes\":0,\"sessions\":1,\"gone\":10}}\n";
    assert_eq!(on(&path, ["gc", "--max-age", "0s", "--json"]), done(json, ""));
}

#[test]
fn a_session_in_use_is_spared() {
    let path = store("gc_spared", &[["s1", "c1", "bash", "hello"]]);
    // `store` does not know whether its session goes on.
    let kept = slotledger(["store", "-q", "--cap", "1", "--session", "s2", "--store", &path]);
    assert_eq!(kept.stdin("\"a text\"").run().code, Some(0));
    let told = "removed 1 record, 5 bytes\nleft    1 record, 6 bytes in 2 sessions; 1 removed\n        \
                over the quota still: sessions used in the last 24 hours are spared\n";
    assert_eq!(on(&path, ["gc", "--quota", "0", "--max-age", "0s"]), done(told, ""));
}

#[test]
fn reading_and_listing_remove_nothing() {
    let path = store("gc_reading", &[["s1", "c1", "bash", "hello"]]);
    let before = std::fs::read(&path).unwrap();
    for args in
        [&["get", "c1"][..], &["get", "nope"], &["list"], &["list", "--json"], &["gc", "--check"]]
    {
        slotledger(args.iter().chain(&["--store", &path])).run();
    }
    assert_eq!(std::fs::read(&path).unwrap(), before);
}

#[test]
fn a_removed_text_is_read_no_more_in_any_session() {
    let path = store(
        "gc_remove",
        &[
            ["s1", "c1", "bash", "hello"],
            ["s2", "c1", "bash", "hello"],
            ["s2", "c1", "bash", "hello again"],
        ],
    );
    let out = on(&path, ["gc", "--remove", "c1", "--json"]);
    assert!(out.stdout.starts_with(r#"{"refused":{"reason":"ambiguous","#), "{}", out.stdout);
    assert!(out.stderr.starts_with("slotledger: \"c1\" fits 2 kept results. "), "{}", out.stderr);
    assert_eq!(out.code, Some(1));

    let told = "removed c1, bash, 5 bytes, text, session s2\n\
                removed c1, bash, 5 bytes, text, session s1\n\
                left    1 record, 11 bytes in 2 sessions; 2 removed\n";
    assert_eq!(on(&path, ["gc", "--remove", HELLO]), done(told, ""));
    assert_eq!(on(&path, ["get", HELLO]).code, Some(1));
    let told = "removed nothing: the text is gone already\n\
                left    1 record, 11 bytes in 2 sessions; 2 removed\n";
    assert_eq!(on(&path, ["gc", "--remove", HELLO]), done(told, ""));
    assert_eq!(on(&path, ["gc", "--remove", "nope"]).code, Some(1));
}

#[test]
fn only_what_is_named_exactly_is_removed() {
    let path = store("gc_exact", &[["s1", "call_1", "bash", "hello"]]);
    let error = format!(
        "slotledger: {path}: only an id like it is kept; to remove that one, name call_1\n"
    );
    assert_eq!(on(&path, ["gc", "--remove", "call@1"]), ended(1, "", error));
    assert_eq!(on(&path, ["get", "call@1", "--quiet"]), done("hello", ""));
    let upper = HELLO.to_ascii_uppercase();
    assert_eq!(on(&path, ["gc", "--remove", &upper]).code, Some(0));
}

#[test]
fn a_removed_session_leaves_nothing() {
    let hostile = "s\u{1b}[2J\n";
    let path = store(
        "gc_session",
        &[["s1", "c1", "bash", "hello"], [hostile, "c2", "bash", "hello again"]],
    );
    let told = "removed 1 record, all of the session\nleft    1 record, 5 bytes in 1 session\n";
    assert_eq!(on(&path, ["gc", "--remove-session", hostile]), done(told, ""));
    let unknown = on(&path, ["get", "c2"]).stderr;
    assert!(unknown.starts_with("slotledger: No result was ever kept"), "{unknown}");
    let error = format!(
        "slotledger: {path}: no record is of session \"s\u{FFFD}[2J\u{FFFD}\"; see slotledger list\n"
    );
    assert_eq!(on(&path, ["gc", "--remove-session", hostile]), ended(1, "", error));
    let json = "{\"removed\":{\"records\":1},\"left\":{\"records\":0,\"bytes\":0,\"sessions\":0,\"gone\":0}}\n";
    assert_eq!(on(&path, ["gc", "--remove-session", "s1", "--json"]), done(json, ""));
}

#[test]
fn a_check_names_what_is_damaged() {
    let path = store(
        "gc_check",
        &[["s1", "c1", "bash", "a needle"], ["s\u{1b}", "c2", "t\u{7}", "a beetle"]],
    );
    let whole = "damaged none\nleft    2 records, 16 bytes in 2 sessions\n";
    assert_eq!(on(&path, ["gc", "--check"]), done(whole, ""));
    damaged(&path, "a beetle", "a bundle");
    let told = "damaged c2, t\u{FFFD}, 8 bytes, text, session s\u{FFFD}\n\
                left    1 record, 8 bytes in 2 sessions; 1 removed\n";
    let error =
        format!("slotledger: {path}: damaged: 1 record; run the tools again if you need them\n");
    assert_eq!(on(&path, ["gc", "--check"]), ended(1, told, error));
    // It was marked, so that nobody reads it.
    assert_eq!(on(&path, ["gc", "--check"]).code, Some(0));
    let expired = on(&path, ["get", "c2"]).stderr;
    assert!(expired.contains("was kept and then removed (damage)"), "{expired}");
    assert!(on(&path, ["list"]).stdout.ends_with("1 (damage): the text was found damaged\n"));

    damaged(&path, "a needle", "a noodle");
    let out = on(&path, ["gc", "--check", "--json"]);
    assert!(
        out.stdout.starts_with(r#"{"damaged":[{"toolCallId":"c1","toolName":"bash","size":8,"#)
    );
    assert!(out.stdout.contains(r#""gone":"damage","#), "{}", out.stdout);
    assert_eq!(out.code, Some(1));
    assert_harmless(&out.stderr);
}
