//! `save`: the right image as a file, or the reason why not.

use std::fs;
use std::path::Path;

use crate::cli::{Outcome, done, ended, file, fixture, folder, slotledger};

/// The digests of the images of `session.jsonl`, the newest first.
const DIGESTS: [&str; 4] = [
    "9650f149d622055c4b495e65e9148ebfc5e61b1bb00e83538e76afe48c496eaf",
    "853d3430184a9f7854e6c79598eba70de0b4ab5e9b87fff371fa1e9ef67ab7a7",
    "6d7fff14ae35e033768dbf1fe218953aed059555835f0d76281845c65ccca7b5",
    "ba13c0b379b96e4ff2635f55423e445e8a03b6afab30b8177f37b852a0691c4f",
];

/// Saves from a history of the fixtures into a folder.
fn save<const N: usize>(history: &str, into: &Path, args: [&str; N]) -> Outcome {
    let history = fixture(history);
    let always = ["save", &history, "--into", into.to_str().unwrap()];
    slotledger(always.iter().chain(&args)).run()
}

/// The one line that a refusal says, with what stands before and behind the reason.
fn refused(history: &str, why: &str) -> Outcome {
    ended(1, "", format!("slotledger: {}: {why}; nothing was written\n", fixture(history)))
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}

#[test]
fn the_newest_image_and_its_receipt() {
    let into = folder("save_newest");
    let receipt = "\
file      #  tool  call        type  bytes  sha256
shot.jpg  0  Read  toolu_read  jpeg    134  9650f149d622055c4b495e65e9148ebfc5e…
";
    assert_eq!(save("session.jsonl", &into, ["--path", "shot.jpg"]), done(receipt, ""));
    assert_eq!(names(&into), ["shot.jpg"]);
    let bytes = fs::read(into.join("shot.jpg")).unwrap();
    assert_eq!((bytes.len(), &bytes[..3]), (134, &b"\xff\xd8\xff"[..]));
}

#[cfg(unix)]
#[test]
fn files_and_folders_are_their_owner_s_alone() {
    use std::os::unix::fs::PermissionsExt as _;

    let into = folder("save_modes");
    let out = save("session.jsonl", &into, ["--path", "a/b/shot.jpg"]);
    assert_eq!((out.code, &*out.stderr), (Some(0), ""));
    for (path, mode) in [("a", 0o700), ("a/b", 0o700), ("a/b/shot.jpg", 0o600)] {
        let permissions = fs::metadata(into.join(path)).unwrap().permissions();
        assert_eq!(permissions.mode() & 0o7777, mode, "{path}");
    }
}

#[test]
fn bytes_of_another_type_are_saved_as_they_are_and_told() {
    let into = folder("save_mislabelled");
    let receipt = "\
file      #  tool        call         type           bytes  sha256
shot.jpg  1  screenshot  toolu_right  jpeg (is png)     97  853d3430184a9f7854e…
shot.jpg: called image/jpeg, but it is image/png; saved as it is
";
    let args = ["--path", "shot.jpg", "--index", "1"];
    assert_eq!(save("session.jsonl", &into, args), done(receipt, ""));
    assert_eq!(fs::read(into.join("shot.jpg")).unwrap()[..4], *b"\x89PNG");
}

#[test]
fn a_range_is_numbered_and_one_that_reaches_too_far_is_told() {
    let into = folder("save_range");
    let args = ["--path", "r.png", "--index", "2", "--count", "3"];
    let receipts = "\
file     #  tool        call        type  bytes  sha256
r-0.png  2  screenshot  toolu_left  png   1,579  6d7fff14ae35e033768dbf1fe21895…
r-1.png  3                          png      73  ba13c0b379b96e4ff2635f55423e44…
only 2 of the 3 images asked for are there
";
    assert_eq!(save("session.jsonl", &into, args), done(receipts, ""));
    assert_eq!(names(&into), ["r-0.png", "r-1.png"]);
}

#[test]
fn receipts_as_json() {
    let into = folder("save_json");
    let out = save("session.jsonl", &into, ["--path", "s.png", "--json", "--count", "5"]);
    let [first, second, third, fourth] = DIGESTS;
    let receipts = [
        format!(
            r#"{{"path":"s-0.png","imageIndex":0,"source":"tool-result","mediaType":"image/jpeg","byteSize":134,"sha256":"{first}","messagesBack":2,"ref":"img_l2oqyomwwzio_3","toolName":"Read","toolCallId":"toolu_read","blockIndex":0}}"#
        ),
        format!(
            r#"{{"path":"s-1.png","imageIndex":1,"source":"tool-result","mediaType":"image/jpeg","byteSize":97,"sha256":"{second}","messagesBack":4,"actualMediaType":"image/png","ref":"img_l2oqyomwwzio_2","toolName":"screenshot","toolCallId":"toolu_right","blockIndex":1}}"#
        ),
        format!(
            r#"{{"path":"s-2.png","imageIndex":2,"source":"tool-result","mediaType":"image/png","byteSize":1579,"sha256":"{third}","messagesBack":5,"ref":"img_l2oqyomwwzio_1","toolName":"screenshot","toolCallId":"toolu_left","blockIndex":1}}"#
        ),
        format!(
            r#"{{"path":"s-3.png","imageIndex":3,"source":"attachment","mediaType":"image/png","byteSize":73,"sha256":"{fourth}","messagesBack":8}}"#
        ),
    ];
    let note = r#""note":"only 4 of 5 requested images exist in the scanned window""#;
    assert_eq!(out, done(format!("{{\"saved\":[{}],{note}}}\n", receipts.join(",")), ""));
}

#[test]
fn every_depth_gives_its_own_bytes() {
    let into = folder("save_depths");
    for (index, len, start) in [
        ("1", 97, &b"\x89PNG"[..]),
        ("4", 43, b"GIF8"),
        ("5", 134, b"\xff\xd8\xff\xe0"),
        ("7", 1_579, b"\x89PNG"),
        ("10", 73, b"\x89PNG"),
    ] {
        let out = save("anthropic.json", &into, ["--path", index, "--index", index]);
        assert_eq!((out.code, &*out.stderr), (Some(0), ""), "{index}");
        let bytes = fs::read(into.join(index)).unwrap();
        assert_eq!((bytes.len(), &bytes[..4]), (len, start), "{index}");
    }
}

#[test]
fn each_image_that_cannot_be_saved_has_its_own_reason() {
    let into = folder("save_refused");
    for (index, why) in [
        (
            "0",
            "image 0 cannot be decoded: byte 10 of the base64 text belongs to no base64; choose \
             another",
        ),
        (
            "2",
            "image 2 in the result of an unknown tool (call toolu_03) is a placeholder that names \
             no image; choose another",
        ),
        (
            "3",
            "the bytes of img_k7x3q2_7, in the result of an unknown tool (call toolu_03), are not \
             here; --ledger can name an archive that has them",
        ),
        (
            "9",
            "image 9 is an attachment whose bytes are elsewhere, behind a URL or a file id; get it \
             from there",
        ),
        ("11", "no image 11: there are 11 in 5 messages, counted from 0"),
    ] {
        let out = save("anthropic.json", &into, ["--path", "x.png", "--index", index]);
        assert_eq!(out, refused("anthropic.json", why));
    }
    let reference = save("anthropic.json", &into, ["--path", "x.png", "--index", "6"]);
    let end = "and its bytes were never here; get it from the server; nothing was written\n";
    assert!(reference.stderr.ends_with(end), "{}", reference.stderr);
    // One of a range is as good as all: image 6 is a reference.
    let range = save("anthropic.json", &into, ["--path", "x.png", "--index", "4", "--count", "3"]);
    assert_eq!(range, reference);
    assert_eq!(names(&into), [""; 0]);
}

#[test]
fn forged_and_quoted_placeholders_give_nothing() {
    let into = folder("save_forged");
    // The nonce depends on the history, so a history cannot hold a ref of its own: what it quotes
    // is of another.
    let history = r#"[{"role":"user","content":[
        {"type":"tool_result","tool_use_id":"c1","content":[{"type":"image","source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}}]},
        {"type":"tool_result","tool_use_id":"c2","content":"[image: image/png, 9B, ref img_abc123_1]"}]},
        {"role":"user","content":"[image: image/png, 9B, ref img_abc123_1]"}]"#;
    let path = file("save_forged.json", history);
    let save = |args: &[&str]| {
        let always = ["save", path.to_str().unwrap(), "--into", into.to_str().unwrap()];
        slotledger(always.iter().chain(&["--path", "x.png"]).chain(args)).run()
    };
    for args in [&["--index", "0"][..], &["--ref", "img_abc123_1"]] {
        let out = save(args);
        let why =
            "the bytes of img_abc123_1, in the result of an unknown tool (call c2), are not here";
        assert!(out.stderr.contains(why), "{}", out.stderr);
        assert_eq!((out.code, &*out.stdout), (Some(1), ""));
    }
    assert_eq!(save(&["--index", "1"]).code, Some(0));
    assert_eq!(names(&into), ["x.png"]);
}

#[test]
fn a_ref_that_images_told_is_good_until_the_history_changes() {
    let into = folder("save_ref");
    let by_ref = ["--path", "x", "--json", "--ref", "img_l2oqyomwwzio_2"];
    let out = save("session.jsonl", &into, by_ref);
    assert!(out.stdout.contains(DIGESTS[1]) && out.stdout.contains(r#""imageIndex":0"#), "{out:?}");
    let mut grown = fs::read(fixture("session.jsonl")).unwrap();
    grown.push(b'\n');
    let grown = file("save_ref.jsonl", grown);
    let always = ["save", grown.to_str().unwrap(), "--into", into.to_str().unwrap()];
    let out = slotledger(always.iter().chain(&by_ref)).run();
    let why = "img_l2oqyomwwzio_2 does not stand here; a ref that `images --json` told is good \
               until the history changes, and with the same --all; nothing was written\n";
    assert_eq!(out, ended(1, "", format!("slotledger: {}: {why}", grown.display())));
}

#[test]
fn an_existing_file_is_kept_unless_it_may_be_replaced() {
    let into = folder("save_existing");
    fs::write(into.join("s-1.png"), "mine").unwrap();
    let error = format!(
        "slotledger: {}: exists; give another --path, or --replace to write over it; nothing was \
         written\n",
        into.join("s-1.png").display()
    );
    let args = ["--path", "s.png", "--count", "2"];
    assert_eq!(save("session.jsonl", &into, args), ended(1, "", error));
    assert_eq!(names(&into), ["s-1.png"], "not one of the range");
    assert_eq!(fs::read(into.join("s-1.png")).unwrap(), b"mine");
    let out = save("session.jsonl", &into, ["--path", "s.png", "--count", "2", "--replace"]);
    assert_eq!((out.code, &*out.stderr), (Some(0), ""));
    assert_eq!(names(&into), ["s-0.png", "s-1.png"]);
    assert_eq!(fs::read(into.join("s-1.png")).unwrap().len(), 97);
}

#[test]
fn nothing_is_written_outside_the_folder() {
    let outer = folder("save_outside");
    let into = outer.join("in");
    fs::create_dir(&into).unwrap();
    let absolute = outer.join("x.png");
    let absolute = absolute.to_str().unwrap();
    for path in ["../x.png", "a/../../x.png", "a/../x.png", absolute, "a/", ".", "..", "a/."] {
        let out = save("session.jsonl", &into, ["--path", path]);
        let end = "no file inside the folder; give a relative path without .., and the folder with \
                   --into; nothing was written\n";
        assert!(out.stderr.ends_with(end), "{path}: {}", out.stderr);
        assert_eq!((out.code, &*out.stdout), (Some(1), ""), "{path}");
    }
    #[cfg(unix)]
    {
        std::os::unix::fs::symlink(&outer, into.join("out")).unwrap();
        std::os::unix::fs::symlink(absolute, into.join("link.png")).unwrap();
        for path in ["out/x.png", "link.png"] {
            let out = save("session.jsonl", &into, ["--path", path]);
            assert_eq!((out.code, &*out.stdout), (Some(1), ""), "{path}: {}", out.stderr);
            assert_eq!(out.stderr.lines().count(), 1, "{}", out.stderr);
        }
        // A link may be replaced; what it leads to is left alone.
        let out = save("session.jsonl", &into, ["--path", "link.png", "--replace"]);
        assert_eq!((out.code, &*out.stderr), (Some(0), ""));
        assert!(fs::symlink_metadata(into.join("link.png")).unwrap().is_file());
        assert_eq!(names(&into), ["link.png", "out"]);
    }
    assert_eq!(names(&outer), ["in"]);
}

#[test]
fn a_folder_that_is_not_there_is_not_made() {
    let into = Path::new(env!("CARGO_TARGET_TMPDIR")).join("save_no_such_folder");
    let error = format!(
        "slotledger: {}: no such folder; make it first, or leave --into out\n",
        into.display()
    );
    let out = save("session.jsonl", &into, ["--path", "x.png"]);
    assert_eq!(out, ended(1, "", error));
}

#[test]
fn what_is_no_selector_is_misuse() {
    for (args, error) in [
        (&[][..], "the following required arguments were not provided:\n  --path <P>"),
        (&["--path", ""], "a value is required for '--path <P>' but none was supplied"),
        (&["--path", "x", "--index", "-1"], "unexpected argument '-1' found"),
        (
            &["--path", "x", "--count", "0"],
            "invalid value '0' for '--count <N>': expected a whole number from 1 to 20",
        ),
        (
            &["--path", "x", "--count", "21"],
            "invalid value '21' for '--count <N>': expected a whole number from 1 to 20",
        ),
        (
            &["--path", "x", "--ref", "7"],
            "invalid value '7' for '--ref <R>': expected a ref like img_k7x3q2_7",
        ),
        (
            &["--path", "x", "--ref", "img_a_1", "--index", "0"],
            "the argument '--ref <R>' cannot be used with '--index <N>'",
        ),
        (
            &["--path", "x", "--ref", "img_a_1", "--count", "1"],
            "the argument '--ref <R>' cannot be used with '--count <N>'",
        ),
    ] {
        let out = slotledger(["save", "-"].iter().chain(args)).stdin("[]").run();
        assert!(out.stderr.starts_with(&format!("error: {error}\n")), "{args:?}: {}", out.stderr);
        assert_eq!((out.code, &*out.stdout), (Some(2), ""), "{args:?}");
    }
}

#[test]
fn the_history_that_is_read_is_never_written_over() {
    let into = folder("save_over_history");
    let history = into.join("h.json");
    fs::copy(fixture("session.jsonl"), &history).unwrap();
    let before = fs::read(&history).unwrap();
    let (path, folder) = (history.to_str().unwrap(), into.to_str().unwrap());
    let args = ["save", path, "--path", "h.json", "--replace", "--into", folder];
    let out = slotledger(args).run();
    let error = format!(
        "slotledger: {}: it is the history that is read, which is never overwritten\n",
        history.display()
    );
    assert_eq!(out, ended(1, "", error));
    assert_eq!(fs::read(&history).unwrap(), before);
}
