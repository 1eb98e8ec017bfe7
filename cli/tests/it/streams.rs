//! Standard output that goes away, and answers that must not wait.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::thread;

use crate::cli::{command, file};

/// More than a pipe holds.
fn large_result(name: &str) -> std::path::PathBuf {
    file(name, format!("\"{}\"", "x".repeat(4 << 20)))
}

#[test]
fn a_reader_that_has_seen_enough_ends_store_quietly() {
    let path = large_result("streams_store.json");
    for more in [&["--cap", "0"][..], &["--cap", "0", "--live"], &["--json"]] {
        let mut child =
            command(["store", path.to_str().unwrap()].iter().chain(more)).spawn().unwrap();
        drop(child.stdin.take());
        let mut first = [0];
        let mut stdout = child.stdout.take().unwrap();
        stdout.read_exact(&mut first).unwrap();
        drop(stdout);
        let output = child.wait_with_output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stderr), "", "{more:?}");
        assert_eq!(output.status.code(), Some(0), "{more:?}");
    }
}

#[test]
fn a_reader_that_has_seen_enough_ends_pipe_quietly() {
    let mut child = command(["pipe"]).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let writer = thread::spawn(move || {
        let request =
            format!("{{\"op\":\"truncate_history\",\"text\":\"{}\"}}\n", "x".repeat(20_000));
        while stdin.write_all(request.as_bytes()).is_ok() {}
    });
    let mut first = [0];
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut first).unwrap();
    drop(stdout);
    let output = child.wait_with_output().unwrap();
    writer.join().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}

#[test]
fn a_reader_that_has_seen_enough_ends_completions_quietly() {
    let mut child = command(["completions", "zsh"]).spawn().unwrap();
    drop(child.stdout.take());
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8_lossy(&output.stderr), "");
    assert_eq!(output.status.code(), Some(0));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    use std::process::Stdio;

    let path = file("streams_full.json", "\"hi\"");
    for args in [&["store", path.to_str().unwrap()][..], &["completions", "bash"]] {
        let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
        let output = command(args).stdout(Stdio::from(full)).output().unwrap();
        let error = String::from_utf8_lossy(&output.stderr);
        let start = "slotledger: standard output: cannot be written: ";
        assert!(error.starts_with(start) && error.lines().count() == 1, "{error}");
        assert_eq!(output.status.code(), Some(1));
    }
}

#[test]
fn an_answer_does_not_wait_for_the_next_request() {
    let mut child = command(["pipe"]).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut answer = String::new();
    let whole = "{\"id\":1,\"op\":\"cut\",\"text\":\"abc\",\"cap\":2}\n";
    stdin.write_all(whole.as_bytes()).unwrap();
    stdout.read_line(&mut answer).unwrap();
    assert_eq!(answer, "{\"id\":1,\"at\":2}\n");

    // Nor for the rest of one that has begun to arrive.
    stdin.write_all(&[whole.as_bytes(), b"{\"id\":2,"].concat()).unwrap();
    answer.clear();
    stdout.read_line(&mut answer).unwrap();
    assert_eq!(answer, "{\"id\":1,\"at\":2}\n");
    stdin.write_all(b"\"op\":\"cut\",\"text\":\"abc\",\"cap\":3}").unwrap();
    drop(stdin);
    answer.clear();
    stdout.read_line(&mut answer).unwrap();
    assert_eq!(answer, "{\"id\":2,\"at\":null}\n");
    assert_eq!(child.wait().unwrap().code(), Some(0));
}
