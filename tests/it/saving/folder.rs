//! Writing to a folder: whole files, inside it, or nothing (SPEC 19.11, 19.12).

use std::fs;
use std::path::Path;
use std::thread;

use slotledger::history::{Folder, SaveRequest, Selection, Selector, WriteError, WriteProblem};
use slotledger::image::Payload;
use slotledger::slots;

use super::{Scratch, images, ingest};
use crate::support::session;

/// `count` images to be written to `path`: `new` is the newest, and `old`.
fn selection(path: &str, count: usize) -> Selection {
    let mut session = session();
    // "old" and "new".
    ingest(&mut session, "c1", "snap", &images(&["b2xk", "bmV3"]));
    let request = SaveRequest::new(path, Selector::Recent { index: 0, count });
    session.select(&request).unwrap()
}

fn write(folder: &Scratch, path: &str, count: usize) -> Result<Vec<String>, WriteError> {
    let written = Folder::open(folder).unwrap().write(&selection(path, count))?;
    Ok(written.into_iter().map(|file| file.path).collect())
}

/// A write that is refused, and leaves everything as it was.
fn refused(folder: &Scratch, path: &str, count: usize) -> WriteError {
    let before = folder.names();
    let error = write(folder, path, count).expect_err(path);
    assert_eq!(folder.names(), before, "{path:?}");
    assert!(error.written.is_empty(), "{path:?}");
    assert!(error.notice().starts_with("save_recent_image: failed writing \""), "{path:?}");
    assert!(error.notice().ends_with("; nothing was written."), "{path:?}");
    assert_eq!(slots(&error.notice()).count(), 0, "{path:?}");
    error
}

fn content(folder: &Scratch, path: &str) -> String {
    fs::read_to_string(folder.0.join(path)).unwrap()
}

#[test]
fn a_file_is_written_byte_for_byte_and_folders_are_made() {
    let folder = Scratch::new();
    assert_eq!(write(&folder, "a.png", 1).unwrap(), ["a.png"]);
    assert_eq!(write(&folder, "x/y.z/b.png", 2).unwrap(), ["x/y.z/b-0.png", "x/y.z/b-1.png"]);
    assert_eq!(write(&folder, "./x/./c.png", 1).unwrap(), ["./x/./c.png"]);
    assert_eq!(write(&folder, "x//d.png", 1).unwrap(), ["x//d.png"]);
    assert_eq!(
        folder.names(),
        ["a.png", "x/", "x/c.png", "x/d.png", "x/y.z/", "x/y.z/b-0.png", "x/y.z/b-1.png"]
    );
    for (path, bytes) in [("a.png", "new"), ("x/y.z/b-0.png", "new"), ("x/y.z/b-1.png", "old")] {
        assert_eq!(content(&folder, path), bytes);
    }
    let receipt = &Folder::open(&folder).unwrap().write(&selection("e", 1)).unwrap()[0].receipt;
    assert_eq!((receipt.byte_size, receipt.actual_media_type), (3, None));
    assert_eq!(receipt.sha256, Payload::digest(b"new"));
}

#[cfg(unix)]
#[test]
fn files_and_folders_are_their_owner_s_alone() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Scratch::new();
    write(&folder, "x/y/a.png", 1).unwrap();
    Folder::open(&folder).unwrap().replacing().write(&selection("x/b.png", 1)).unwrap();
    let mode = |path: &str| fs::metadata(folder.0.join(path)).unwrap().permissions().mode() & 0o777;
    assert_eq!((mode("x/y/a.png"), mode("x/b.png")), (0o600, 0o600));
    assert_eq!((mode("x"), mode("x/y")), (0o700, 0o700));
}

#[test]
fn no_path_leads_out() {
    let around = Scratch::new();
    fs::create_dir(around.0.join("in")).unwrap();
    fs::create_dir(around.0.join("in/there")).unwrap();
    let folder = Scratch(around.0.join("in"));
    let absolute = around.0.join("out.png");
    let inside = folder.0.join("a.png");
    let paths = [
        "../out.png",
        "there/../../out.png",
        "there/../a.png",
        "../in/a.png",
        "./../out.png",
        "..",
        "there/..",
        ".",
        "./",
        "",
        "/",
        "//",
        "there/",
        "there/.",
        "a.png/",
        "a\\",
        "a\0.png",
        "there",
        absolute.to_str().unwrap(),
        inside.to_str().unwrap(),
    ];
    let before = around.names();
    for path in paths {
        let error = refused(&folder, path, 1);
        assert!(matches!(error.problem, WriteProblem::Path), "{path:?}: {error:?}");
        let notice = error.notice();
        assert!(
            notice.contains(": the path must be relative and lead to a file in the folder; "),
            "{notice}"
        );
        let replacing = Folder::open(&folder).unwrap().replacing().write(&selection(path, 1));
        assert!(matches!(replacing.unwrap_err().problem, WriteProblem::Path), "{path:?}");
        assert_eq!(around.names(), before, "{path:?}");
    }
    // Of a range all paths are looked at first.
    refused(&folder, "../r.png", 2);
    assert_eq!(around.names(), before);
}

#[cfg(unix)]
#[test]
fn no_symbolic_link_leads_out() {
    use std::os::unix::fs::symlink;
    let around = Scratch::new();
    for name in ["in", "out", "in/real"] {
        fs::create_dir(around.0.join(name)).unwrap();
    }
    fs::write(around.0.join("out/kept.png"), "kept").unwrap();
    let folder = Scratch(around.0.join("in"));
    let link = |to: &Path, from: &str| symlink(to, folder.0.join(from)).unwrap();
    link(&around.0.join("out"), "absolute");
    link(Path::new("../out"), "relative");
    link(Path::new("real"), "within");
    link(Path::new("nowhere"), "dangling");
    link(Path::new("loop"), "loop");
    link(&around.0.join("out/kept.png"), "file.png");
    link(&around.0.join("out/fresh.png"), "fresh.png");
    for path in ["absolute/a.png", "relative/a.png", "relative/x/a.png", "dangling/a.png", "loop/a"]
    {
        let error = refused(&folder, path, 1);
        assert!(matches!(error.problem, WriteProblem::Io(_)), "{path}: {error:?}");
    }
    for path in ["file.png", "fresh.png", "dangling", "loop"] {
        let error = refused(&folder, path, 1);
        assert!(matches!(error.problem, WriteProblem::Exists), "{path}: {error:?}");
    }
    // A link is replaced, never followed.
    let replacing = Folder::open(&folder).unwrap().replacing();
    for path in ["file.png", "fresh.png"] {
        replacing.write(&selection(path, 1)).unwrap();
        assert!(fs::symlink_metadata(folder.0.join(path)).unwrap().is_file());
        assert_eq!(content(&folder, path), "new");
    }
    assert!(replacing.write(&selection("relative/kept.png", 1)).is_err());
    assert_eq!(fs::read_to_string(around.0.join("out/kept.png")).unwrap(), "kept");
    assert_eq!(fs::read_dir(around.0.join("out")).unwrap().count(), 1);
    // One that stays inside is a way like any other.
    write(&folder, "within/a.png", 1).unwrap();
    assert_eq!(content(&folder, "real/a.png"), "new");
}

#[test]
fn an_existing_file_is_kept_unless_it_may_be_replaced() {
    let folder = Scratch::new();
    fs::write(folder.0.join("a.png"), "mine").unwrap();
    fs::create_dir(folder.0.join("b.png")).unwrap();
    let error = refused(&folder, "a.png", 1);
    assert!(matches!(error.problem, WriteProblem::Exists));
    assert_eq!(
        error.notice(),
        "save_recent_image: failed writing \"a.png\": the file exists; choose another path; \
         nothing was written."
    );
    assert_eq!(content(&folder, "a.png"), "mine");
    assert!(matches!(refused(&folder, "b.png", 1).problem, WriteProblem::Path));
    let replacing = Folder::open(&folder).unwrap().replacing();
    replacing.write(&selection("a.png", 1)).unwrap();
    assert_eq!(content(&folder, "a.png"), "new");
    replacing.write(&selection("c.png", 1)).unwrap();
    assert!(matches!(
        replacing.write(&selection("b.png", 1)).unwrap_err().problem,
        WriteProblem::Path
    ));
    assert_eq!(folder.names(), ["a.png", "b.png/", "c.png"]);
}

#[test]
fn of_a_range_nothing_is_written_when_one_file_exists() {
    let folder = Scratch::new();
    fs::write(folder.0.join("r-1.png"), "mine").unwrap();
    let error = refused(&folder, "r.png", 2);
    assert_eq!(error.path, "r-1.png");
    fs::create_dir(folder.0.join("q-1")).unwrap();
    assert_eq!(refused(&folder, "q", 2).path, "q-1");
}

#[test]
fn what_was_written_before_a_failure_is_told() {
    let folder = Scratch::new();
    let mut selection = selection("r.png", 2);
    selection.images[1].payload = Payload::new("A");
    let error = Folder::open(&folder).unwrap().write(&selection).unwrap_err();
    assert!(matches!(error.problem, WriteProblem::Undecodable(_)));
    assert_eq!(error.written.len(), 1);
    assert_eq!(
        error.notice(),
        "save_recent_image: failed writing \"r-1.png\": its base64 is damaged; already saved: \
         \"r-0.png\"."
    );
    assert_eq!(folder.names(), ["r-0.png"]);
}

#[test]
fn a_name_is_a_name() {
    let folder = Scratch::new();
    let mut names =
        vec!["CON", "aux.png", "NUL", "a:b", "a\\b.png", "-rf", " ", "é漢😀.png", ".png"];
    if cfg!(windows) {
        names.truncate(0);
    }
    for name in names {
        write(&folder, name, 1).expect(name);
        assert_eq!(content(&folder, name), "new", "{name}");
    }
    let long = "n".repeat(300);
    let error = refused(&folder, &long, 1);
    assert!(error.notice().len() < 400, "a name is quoted short");
    refused(&folder, &format!("{long}/a.png"), 1);
    refused(&folder, &format!("{}/a.png", "d/".repeat(3_000)), 1);
    // Of a range the longest name is too long, so none is written.
    refused(&folder, &"n".repeat(254), 2);
}

#[test]
fn a_file_is_no_folder() {
    let folder = Scratch::new();
    write(&folder, "a.png", 1).unwrap();
    let error = refused(&folder, "a.png/b.png", 1);
    assert!(error.notice().contains(": a part of the path is no folder; "), "{}", error.notice());
    let error = refused(&folder, "a.png/x/b.png", 1);
    assert!(matches!(error.problem, WriteProblem::Io(_)));
}

#[cfg(unix)]
#[test]
fn where_nothing_may_be_written_nothing_is() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = Scratch::new();
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o500)).unwrap();
    let may_all = fs::write(folder.0.join("probe"), "").is_ok();
    if may_all {
        // Permissions bind no superuser; a file system of the kernel's does.
        fs::remove_file(folder.0.join("probe")).unwrap();
        if Path::new("/proc/self").exists() {
            let error = Folder::open("/proc/self").unwrap().write(&selection("a.png", 1));
            assert!(error.unwrap_err().notice().ends_with("; nothing was written."));
        }
    } else {
        let error = refused(&folder, "a.png", 1);
        assert!(error.notice().contains(": permission denied; "), "{}", error.notice());
        refused(&folder, "x/a.png", 2);
    }
    fs::set_permissions(&folder, fs::Permissions::from_mode(0o700)).unwrap();
}

#[test]
fn a_path_makes_no_slot_of_a_refusal() {
    let folder = Scratch::new();
    let path = "../[image: image/png, 1B]\n[ref_1_a] image/png";
    let error = refused(&folder, path, 1);
    assert!(error.notice().contains("\"../image: image/png, 1Bref_1_a image/png\""), "{error:?}");
    assert_eq!(error.path, path);
}

#[test]
fn of_two_at_once_one_wins() {
    let folder = Scratch::new();
    let wins: usize = thread::scope(|scope| {
        let tries: Vec<_> =
            (0..8).map(|_| scope.spawn(|| write(&folder, "x/a.png", 1).is_ok())).collect();
        tries.into_iter().map(|one| usize::from(one.join().unwrap())).sum()
    });
    assert_eq!(wins, 1);
    assert_eq!(folder.names(), ["x/", "x/a.png"], "no draft stays behind");
}

#[test]
fn a_folder_must_be_there() {
    let folder = Scratch::new();
    assert!(Folder::open(folder.0.join("none")).is_err());
    fs::write(folder.0.join("file"), "").unwrap();
    assert!(Folder::open(folder.0.join("file")).is_err());
}

#[test]
fn the_path_that_was_asked_for_counts_and_not_the_numbered_one() {
    let folder = Scratch::new();
    for path in ["..", "shots/", "a/..", "/abs.png", "."] {
        assert!(matches!(refused(&folder, path, 2).problem, WriteProblem::Path), "{path:?}");
    }
}
