//! Runs the built command.

use std::ffi::OsStr;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::thread;

/// A run of `slotledger` to be.
#[derive(Debug)]
pub(crate) struct Cli {
    command: Command,
    stdin: Vec<u8>,
}

/// What a run left behind.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Outcome {
    pub(crate) code: Option<i32>,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// `slotledger` with these arguments, nothing on its standard input.
pub(crate) fn slotledger(args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Cli {
    Cli { command: command(args), stdin: Vec::new() }
}

/// The same, to be started by the test itself.
pub(crate) fn command(args: impl IntoIterator<Item = impl AsRef<OsStr>>) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_slotledger"));
    command.args(args);
    // What a developer's terminal says of itself is not to change what is tested.
    for variable in
        ["COLUMNS", "CLICOLOR", "CLICOLOR_FORCE", "NO_COLOR", "TERM", "SLOTLEDGER_STORE"]
    {
        command.env_remove(variable);
    }
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    command
}

impl Cli {
    /// Puts `bytes` on standard input.
    pub(crate) fn stdin(mut self, bytes: impl Into<Vec<u8>>) -> Self {
        self.stdin = bytes.into();
        self
    }

    /// Sets a variable of its environment.
    pub(crate) fn env(mut self, name: &str, value: &str) -> Self {
        self.command.env(name, value);
        self
    }

    /// Runs to the end.
    pub(crate) fn run(mut self) -> Outcome {
        let mut child = self.command.spawn().expect("the command starts");
        let mut stdin = child.stdin.take().expect("its standard input");
        let bytes = self.stdin;
        // Beside the reading: a long input and a long answer would wait for each other.
        let writer = thread::spawn(move || stdin.write_all(&bytes));
        let output = child.wait_with_output().expect("its outputs");
        // A command that reads nothing closes the pipe on the writer, which is no failure.
        let _ = writer.join().expect("the writer");
        Outcome {
            code: output.status.code(),
            stdout: String::from_utf8(output.stdout).expect("UTF-8 on standard output"),
            stderr: String::from_utf8(output.stderr).expect("UTF-8 on standard error"),
        }
    }
}

/// A run that ended with 0.
pub(crate) fn done(stdout: impl Into<String>, stderr: impl Into<String>) -> Outcome {
    ended(0, stdout, stderr)
}

/// A run that ended with `code`.
pub(crate) fn ended(code: i32, stdout: impl Into<String>, stderr: impl Into<String>) -> Outcome {
    Outcome { code: Some(code), stdout: stdout.into(), stderr: stderr.into() }
}

/// A file of these bytes, under a name that no other test uses.
pub(crate) fn file(name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    fs::write(&path, bytes).expect("a temporary file");
    path
}

/// The path of a file that the tests read.
pub(crate) fn fixture(name: &str) -> String {
    format!("{}/tests/fixtures/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// A folder with nothing in it, under a name that no other test uses.
pub(crate) fn folder(name: &str) -> PathBuf {
    let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    if path.exists() {
        fs::remove_dir_all(&path).expect("the folder of an earlier run");
    }
    fs::create_dir(&path).expect("a temporary folder");
    path
}
