//! One large image: no part of the command holds it twice.

#![cfg(target_os = "linux")]

use std::process::{Command, Stdio};

use crate::cli::{command, file};

const IMAGE: usize = 24 << 20;
/// What the program itself takes of the address space, unoptimized and with `SQLite` in it.
const PROGRAM: usize = 16 << 20;

/// Runs the command with no more memory than two and a half times the image.
fn within_bounds(args: &[&str], input: &std::path::Path) -> usize {
    within(IMAGE * 5 / 2 + PROGRAM, args, input)
}

/// Runs the command with no more memory than `most`.
pub(crate) fn within(most: usize, args: &[&str], input: &std::path::Path) -> usize {
    let limited = command(args);
    let kilobytes = most / 1024;
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(format!("ulimit -v {kilobytes} && exec \"$0\" \"$@\""));
    shell.arg(limited.get_program()).args(limited.get_args());
    let stdin = std::fs::File::open(input).unwrap();
    let output = shell.stdin(Stdio::from(stdin)).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{args:?}");
    assert_eq!(output.status.code(), Some(0), "{args:?}");
    output.stdout.len()
}

#[test]
fn store_and_pipe_hold_a_large_image_once() {
    let data = "iVBORw0KGgo".repeat(IMAGE / 11);
    let result = format!(
        r#"{{"content":[{{"type":"text","text":"hi"}},{{"type":"image","data":"{data}","mimeType":"image/png"}}]}}"#
    );
    let request = format!(r#"{{"op":"ingest","call":{{"id":"c","name":"t"}},"result":{result}}}"#);
    let path = file("memory_result.json", result);
    let name = path.to_str().unwrap();
    assert!(within_bounds(&["store", "-q", name], &path) < 100);
    assert!(within_bounds(&["store", "-q", "--live"], &path) < 100);
    assert!(within_bounds(&["store", "-q", "--json", name], &path) > IMAGE);
    assert!(within_bounds(&["store", "-q", "--live", "--json"], &path) > IMAGE);
    let path = file("memory_request.jsonl", request);
    assert!(within_bounds(&["pipe"], &path) > IMAGE);
}

#[test]
fn a_message_holds_a_large_image_once_and_a_save_decodes_it_once() {
    let data = "iVBORw0KGgo".repeat(IMAGE / 11);
    let requests = format!(
        concat!(
            r#"{{"op":"message","role":"user","content":[{{"type":"image","data":"{}","mimeType":"image/png"}}]}}"#,
            "\n",
            r#"{{"op":"inventory"}}"#,
            "\n",
            r#"{{"op":"save","path":"a.png"}}"#
        ),
        data
    );
    let path = file("memory_message.jsonl", requests);
    assert!(within_bounds(&["pipe"], &path) > IMAGE);
}

/// A Claude Code session of some 20 MB: screenshots and their mirrors, and escaped text.
fn session() -> String {
    let data = "iVBORw0KGgo".repeat(20_000);
    let image = format!(
        r#"{{"type":"image","source":{{"type":"base64","media_type":"image/png","data":"{data}"}}}}"#
    );
    let text = "a log line\\n".repeat(5_000);
    let lines = (0..40).map(|at: usize| {
        let parent = at.checked_sub(1).map_or("null".to_owned(), |at| format!("\"r{at}\""));
        let mirror = if at.is_multiple_of(2) { format!(r#","toolUseResult":[{image}]"#) } else { String::new() };
        let call = format!(r#"{{"type":"tool_use","id":"t{at}","name":"screenshot","input":{{}}}}"#);
        let result = format!(
            r#"{{"type":"tool_result","tool_use_id":"t{at}","content":[{{"type":"text","text":"{text}"}},{image}]}}"#
        );
        format!(
            r#"{{"type":"assistant","uuid":"a{at}","parentUuid":{parent},"message":{{"id":"m{at}","role":"assistant","content":[{call}]}}}}
{{"type":"user","uuid":"r{at}","parentUuid":"a{at}","message":{{"role":"user","content":[{result}]}}{mirror}}}
"#
        )
    });
    lines.collect()
}

#[test]
fn images_and_save_take_no_more_than_three_times_a_session() {
    let session = session();
    let most = session.len() * 3;
    let path = file("memory_session.jsonl", session);
    let (name, into) = (path.to_str().unwrap(), env!("CARGO_TARGET_TMPDIR"));
    assert!(within(most, &["images", name], &path) > 40 * 60);
    assert!(within(most, &["images", "--json"], &path) > 40 * 200);
    let save = ["save", "--path", "memory/shot.png", "--count", "20", "--replace", "--into", into];
    assert!(within(most, &[&save[..], &[name]].concat(), &path) > 20 * 60);
}

#[test]
fn records_are_not_held_in_memory_but_in_their_file() {
    let text = "0123456789".repeat(100_000);
    let requests: String = (0..100)
        .map(|n| {
            let call = format!(r#"{{"id":"c{n}","name":"t"}}"#);
            format!(r#"{{"op":"ingest","call":{call},"result":"{n} {text}","format":"data"}}"#)
                + "\n"
        })
        .collect();
    let path = file("memory_records.jsonl", requests);
    let store = crate::cli::folder("memory_records").join("records.db");
    let most = (24 << 20) + PROGRAM;
    let answered = within(most, &["pipe", "--store", store.to_str().unwrap()], &path);
    assert!(answered > 100_000_000);
}
