//! What the command says of itself.

use insta::assert_snapshot;

use crate::cli::{done, slotledger};

fn help<const N: usize>(args: [&str; N]) -> String {
    let out = slotledger(args).run();
    assert_eq!((out.code, &*out.stderr), (Some(0), ""));
    for line in out.stdout.lines() {
        assert!(line.chars().count() <= 100, "{line}");
    }
    out.stdout
}

#[test]
fn the_command() {
    assert_snapshot!(help(["--help"]));
}

#[test]
fn store() {
    assert_snapshot!(help(["store", "--help"]));
}

#[test]
fn store_in_short() {
    assert_snapshot!(help(["store", "-h"]));
}

#[test]
fn images() {
    assert_snapshot!(help(["images", "--help"]));
}

#[test]
fn save() {
    assert_snapshot!(help(["save", "--help"]));
}

#[test]
fn get() {
    assert_snapshot!(help(["get", "--help"]));
}

#[test]
fn list() {
    assert_snapshot!(help(["list", "--help"]));
}

#[test]
fn gc() {
    assert_snapshot!(help(["gc", "--help"]));
}

#[test]
fn pipe() {
    assert_snapshot!(help(["pipe", "--help"]));
}

#[test]
fn completions() {
    assert_snapshot!(help(["completions", "--help"]));
}

#[test]
fn the_version_is_the_package_s() {
    let version = format!("slotledger {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(slotledger(["--version"]).run(), done(version, ""));
}

#[test]
fn nothing_at_all_is_answered_with_help_and_is_misuse() {
    let out = slotledger([""; 0]).run();
    assert_eq!((out.code, &*out.stdout), (Some(2), ""));
    assert!(out.stderr.contains("Usage: slotledger <COMMAND>"), "{}", out.stderr);
}

#[test]
fn every_shell_has_completions() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let out = slotledger(["completions", shell]).run();
        assert_eq!((out.code, &*out.stderr), (Some(0), ""), "{shell}");
        for option in ["omit-data", "context", "before", "remove-session"] {
            assert!(out.stdout.contains(option), "{shell} {option}");
        }
    }
}

#[test]
fn the_example_of_pipe_works_as_printed() {
    let help = help(["pipe", "--help"]);
    let request = help.rsplit("'%s\\n' '").next().unwrap().split('\'').next().unwrap();
    let out = slotledger(["pipe"]).stdin(request).run();
    let answer = "{\"id\":null,\"slots\":[{\"kind\":\"inline\",\"start\":4,\"end\":26,\
                  \"text\":\"[image: image/png, 9B]\",\"mediaType\":\"image/png\",\"size\":\"9B\",\
                  \"ref\":null}]}\n";
    assert_eq!(out, done(answer, ""));
}
