//! One large image: no part of the command holds it twice.

#![cfg(target_os = "linux")]

use std::process::{Command, Stdio};

use crate::cli::{command, file};

const IMAGE: usize = 24 << 20;

/// Runs the command with no more memory than two and a half times the image.
fn within_bounds(args: &[&str], input: &std::path::Path) -> usize {
    let limited = command(args);
    let kilobytes = IMAGE * 5 / 2 / 1024;
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
