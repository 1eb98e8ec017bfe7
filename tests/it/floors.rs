//! Imports go down only: every `use crate::…` under `src` against the plan of the house.

use std::fs;
use std::path::{Path, PathBuf};

/// The floors, the ground first; in a folder, the files in the order in which they may import.
const PLAN: &[(&str, &[&str])] = &[
    ("text", &["span", "unit", "line", "mod"]),
    ("notice", &["quote", "copies", "reading", "saving", "mod"]),
    ("slot", &["media_type", "size", "label", "placeholder", "stub", "dialect", "scan", "mod"]),
    (
        "content",
        &[
            "block",
            "error",
            "result",
            "message",
            "shape",
            "json",
            "number",
            "definition",
            "canonical",
            "wire/image_type",
            "wire/array",
            "wire/structured",
            "wire/mcp",
            "wire/data",
            "wire/outcome",
            "wire/anthropic",
            "wire/claude_code",
            "wire/mod",
            "mod",
        ],
    ),
    ("image", &["payload", "sniff", "archive", "ledger", "registry", "mod"]),
    ("copy", &["keeping", "serialize", "cut", "live", "stored", "mod"]),
    (
        "record",
        &[
            "key",
            "json",
            "content_type",
            "plain",
            "recall_args",
            "record",
            "store/error",
            "store/printed",
            "store/pieces",
            "store/contract",
            "store/measure",
            "store/index",
            "store/memory",
            "store/dir/line",
            "store/dir/folder",
            "store/dir/mod",
            "store/sqlite/rows",
            "store/sqlite/schema",
            "store/sqlite/lookup",
            "store/sqlite/sweep",
            "store/sqlite/write",
            "store/sqlite/mod",
            "store/mod",
            "page",
            "document",
            "item",
            "grep",
            "outline",
            "answers",
            "handle",
            "refusal",
            "arguments",
            "find",
            "selection",
            "read",
            "tools",
            "mask",
            "shown",
            "recorder",
            "mod",
        ],
    ),
    (
        "history",
        &[
            "barrier",
            "conversation",
            "inventory",
            "refusal",
            "request",
            "save",
            "folder",
            "tool",
            "mod",
        ],
    ),
    ("config", &[]),
    ("engine", &[]),
    ("lib", &[]),
];

/// Where a file stands: its floor, and its place in its folder.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    floor: usize,
    file: usize,
}

/// The place of `path`, as in `slot/stub` or `config`.
fn place(path: &str) -> Option<Place> {
    let (folder, file) = path.split_once('/').unwrap_or((path, ""));
    let floor = PLAN.iter().position(|(name, _)| *name == folder)?;
    let files = PLAN[floor].1;
    if files.is_empty() {
        return file.is_empty().then_some(Place { floor, file: 0 });
    }
    let file = files.iter().position(|name| *name == file)?;
    Some(Place { floor, file })
}

/// What is wrong with the imports of the file `path` that reads `source`.
fn faults(path: &str, source: &str) -> Vec<String> {
    let Some(own) = place(path) else { return vec![format!("{path} is not in the plan")] };
    let code = without_comments(source);
    let mut faults = Vec::new();
    for used in uses(&code) {
        match used.strip_prefix("crate::") {
            Some(used) if used.starts_with('{') => {
                faults.push(format!("{path} imports from several floors in one `use`"));
            }
            Some(used) => match target(used) {
                Some((target, name)) if target.floor > own.floor => {
                    faults.push(format!("{path} imports up from {name}"));
                }
                Some((target, name)) if target.floor == own.floor && target.file >= own.file => {
                    faults.push(format!("{path} imports {name}, which is not listed before it"));
                }
                Some(_) => {}
                None => {
                    faults.push(format!("{path} imports crate::{used}, which is not in the plan"));
                }
            },
            None => {
                if let Some(used) = used.strip_prefix("super::") {
                    faults.extend(beside(path, own, used));
                }
            }
        }
    }
    let outside_uses = code.lines().filter(|line| !line.trim_start().starts_with("use "));
    for line in outside_uses {
        if line.contains("crate::") && !line.contains("pub(in crate::") {
            faults.push(format!("{path} names a path inline: {}", line.trim()));
        }
    }
    faults
}

/// The fault of importing `super::used` into the file `path`, if it has one.
fn beside(path: &str, own: Place, used: &str) -> Option<String> {
    let (folder, _) = path.rsplit_once('/')?;
    let name = used.split([':', '{', ';', ' ', ',']).next()?;
    let (_, subfolder) = folder.split_once('/').unwrap_or((folder, ""));
    let file = if subfolder.is_empty() { name.to_owned() } else { format!("{subfolder}/{name}") };
    let at = PLAN[own.floor].1.iter().position(|listed| *listed == file)?;
    (at >= own.file).then(|| format!("{path} imports {name}, which is not listed before it"))
}

/// The place that `used`, a path behind `crate::`, names, and its name.
fn target(used: &str) -> Option<(Place, String)> {
    let mut parts = used.split("::").map(|part| part.trim_matches(['{', '}', ' ']));
    let folder = parts.next()?.to_owned();
    let floor = PLAN.iter().position(|(name, _)| *name == folder)?;
    let next = parts.next().unwrap_or_default();
    let deep = parts.next().map(|third| format!("{next}/{third}"));
    let files = PLAN[floor].1;
    let file = deep
        .and_then(|deep| files.iter().position(|name| *name == deep))
        .or_else(|| files.iter().position(|name| *name == next));
    match file {
        Some(file) => Some((Place { floor, file }, format!("{folder}/{}", files[file]))),
        // What the folder as a whole offers.
        None => Some((Place { floor, file: files.len().saturating_sub(1) }, folder)),
    }
}

/// The paths of the `use` items of `code`, to their semicolons.
fn uses(code: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut rest = code;
    while let Some(at) = rest.find("use ") {
        let starts_item = rest[..at].trim_end_matches(' ').ends_with(['\n', ')'])
            || rest[..at].trim_end().ends_with("pub")
            || at == 0;
        rest = &rest[at + 4..];
        let Some(end) = rest.find(';') else { break };
        if starts_item {
            found.push(rest[..end].split_whitespace().collect::<Vec<_>>().join(" "));
            rest = &rest[end..];
        }
    }
    found
}

fn without_comments(source: &str) -> String {
    let code = source.split("#[cfg(test)]\nmod tests").next().unwrap_or(source);
    let lines = code.lines().map(|line| line.split("//").next().unwrap_or(line));
    lines.collect::<Vec<_>>().join("\n")
}

fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder of sources") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            sources(&path, found);
        } else {
            found.push(path);
        }
    }
}

#[test]
fn imports_go_down_only() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let mut files = Vec::new();
    sources(&root, &mut files);
    assert!(files.len() > 25, "the sources were found");
    let faults: Vec<String> = files
        .iter()
        .flat_map(|file| {
            let path = file.strip_prefix(&root).expect("under src").with_extension("");
            let path = path.to_str().expect("UTF-8").replace('\\', "/");
            faults(&path, &fs::read_to_string(file).expect("a source"))
        })
        .collect();
    assert_eq!(faults, Vec::<String>::new());
}

#[test]
fn every_file_of_the_plan_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for (folder, files) in PLAN {
        if files.is_empty() {
            assert!(root.join(folder).with_extension("rs").exists(), "{folder}");
        }
        for file in *files {
            assert!(root.join(folder).join(file).with_extension("rs").exists(), "{folder}/{file}");
        }
    }
}

#[test]
fn an_arrow_that_goes_up_is_found() {
    let up = "use crate::copy::cut_at;\n";
    assert_eq!(faults("slot/scan", up), ["slot/scan imports up from copy"]);
    let braces = "use crate::copy::{\n    Cut,\n    cut_at,\n};\n";
    let several = "use crate::{text::Span,\n copy::cut_at};\n";
    assert_eq!(faults("slot/scan", several).len(), 1);
    assert_eq!(faults("slot/scan", braces).len(), 1, "{:?}", faults("slot/scan", braces));
    let later = "use crate::slot::scan::slots;\n";
    assert_eq!(faults("slot/stub", later).len(), 1);
    let sibling = "use super::scan::Slot;\n";
    assert_eq!(faults("slot/stub", sibling).len(), 1);
    let inline = "fn f() -> crate::engine::Engine { todo() }\n";
    assert_eq!(faults("slot/stub", inline).len(), 1);
    assert_eq!(faults("slot/stub", "use crate::text::Span;\nuse super::size::x;\n").len(), 0);
    assert_eq!(faults("slot/new_file", "").len(), 1, "not in the plan");
}
