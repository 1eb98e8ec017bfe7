//! Stores for the tests of what reads them.

use std::fmt::Write as _;
use std::path::PathBuf;

use crate::cli::{Outcome, folder, slotledger};

/// The path of a store in a folder of its own, in which these results are kept.
pub(crate) fn store(name: &str, results: &[[&str; 4]]) -> String {
    let path = folder(name).join("records.db").to_str().unwrap().to_owned();
    keep(&path, results);
    path
}

/// Keeps results: session, call id, tool and text of each.
pub(crate) fn keep(path: &str, results: &[[&str; 4]]) {
    let requests: String = results.iter().map(|result| ingest(*result) + "\n").collect();
    let out = slotledger(["pipe", "--store", path]).stdin(requests).run();
    assert_eq!((out.code, &*out.stderr), (Some(0), ""));
    assert_eq!(out.stdout.matches(r#""recorded":true"#).count(), results.len(), "{}", out.stdout);
}

/// The request that keeps a result.
pub(crate) fn ingest([session, id, tool, text]: [&str; 4]) -> String {
    let [session, id, tool, text] = [session, id, tool, text].map(json);
    format!(
        r#"{{"op":"ingest","session":{session},"call":{{"id":{id},"name":{tool}}},"result":[{{"type":"text","text":{text}}}],"cap":1}}"#
    )
}

/// A text as a JSON string.
pub(crate) fn json(text: &str) -> String {
    let mut json = String::from('"');
    for ch in text.chars() {
        match ch {
            '"' | '\\' => json.extend(['\\', ch]),
            ..' ' => write!(json, "\\u{:04x}", u32::from(ch)).unwrap(),
            _ => json.push(ch),
        }
    }
    json + "\""
}

/// A run of one of the commands over `path`.
pub(crate) fn on<const N: usize>(path: &str, args: [&str; N]) -> Outcome {
    let out = slotledger(args.iter().chain(&["--store", path])).run();
    assert_harmless(&out.stderr);
    out
}

/// Nothing in it acts on a terminal.
pub(crate) fn assert_harmless(text: &str) {
    let acts =
        |ch: char| (ch.is_control() && ch != '\n') || ('\u{202a}'..='\u{202e}').contains(&ch);
    assert!(!text.contains(acts), "{text:?}");
}

/// Writes `to`, which is as long, over `from` wherever that stands in a file.
pub(crate) fn damaged(path: &str, from: &str, to: &str) {
    assert_eq!(from.len(), to.len());
    let mut bytes = std::fs::read(path).unwrap();
    let found = |bytes: &[u8]| bytes.windows(from.len()).position(|it| it == from.as_bytes());
    assert!(found(&bytes).is_some());
    while let Some(at) = found(&bytes) {
        bytes[at..at + to.len()].copy_from_slice(to.as_bytes());
    }
    std::fs::write(path, bytes).unwrap();
}

/// A folder that another user can enter, with a copy of the command and of a store; to the
/// superuser no file is read-only.
#[cfg(unix)]
pub(crate) fn for_others(name: &str, store: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("slotledger-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir(&folder).unwrap();
    let program = folder.join("slotledger");
    std::fs::copy(env!("CARGO_BIN_EXE_slotledger"), &program).unwrap();
    let kept = folder.join("records.db");
    std::fs::copy(store, &kept).unwrap();
    permit(&program, 0o755);
    permit(&kept, 0o444);
    folder
}

#[cfg(unix)]
pub(crate) fn permit(path: &std::path::Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// Runs the copy of the command in a folder of [`for_others`] as one who is no superuser.
#[cfg(unix)]
pub(crate) fn as_another<const N: usize>(folder: &std::path::Path, args: [&str; N]) -> Outcome {
    use std::os::unix::fs::MetadataExt as _;
    use std::os::unix::process::CommandExt as _;

    let mut command = std::process::Command::new(folder.join("slotledger"));
    command.args(args).arg("--store").arg(folder.join("records.db")).env_remove("SLOTLEDGER_STORE");
    if std::fs::metadata(folder).unwrap().uid() == 0 {
        command.uid(65_534).gid(65_534);
    }
    let output = command.output().unwrap();
    let text = |bytes| String::from_utf8(bytes).unwrap();
    Outcome { code: output.status.code(), stdout: text(output.stdout), stderr: text(output.stderr) }
}
