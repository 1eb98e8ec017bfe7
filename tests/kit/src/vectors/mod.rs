//! The vectors of `tests/vectors`: cases as data, one JSON object a line.
//!
//! ```json
//! {"id":"v52-2","op":"cut","title":"…","input":{…},"expected":{…}}
//! ```
//!
//! The format is SPEC.md's, appendix A. The loader expands the short forms of long texts (A.3);
//! `expected` names a subset of the answer, for [`difference`] to look for (A.2).

mod answer;
mod expand;
mod ref_ids;
mod subset;

use std::fs;
use std::path::{Path, PathBuf};

use crate::json::Json;

pub use answer::answer;
pub use expand::{expand, recipe_v74};
pub use ref_ids::{minted_ref_ids, with_plain_ref_ids};
pub use subset::difference;

/// One case.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Vector {
    /// Its name, unique over all files.
    pub id: String,
    /// The operation asked.
    pub op: String,
    /// What it shows, for people.
    pub title: String,
    /// What the operation is given, macros expanded.
    pub input: Json,
    /// What its answer must contain, macros expanded.
    pub expected: Json,
    /// File and line, for messages.
    pub source: String,
}

/// Returns the folder of the vectors.
pub fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../vectors")
}

/// Reads one file of the vectors' folder, such as `cut.jsonl`.
///
/// # Panics
///
/// When it is not there, or a line of it is no vector.
pub fn file(name: &str) -> Vec<Vector> {
    let path = folder().join(name);
    let text = fs::read_to_string(&path);
    let text = text.unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(index, line)| vector(line, format!("{name}:{}", index + 1))).collect()
}

/// Reads every vector, file by file in the order of their names.
///
/// # Panics
///
/// When the folder is not there, or a line is no vector.
pub fn all() -> Vec<Vector> {
    files().iter().flat_map(|name| file(name)).collect()
}

/// Returns the names of the vector files, in order.
///
/// # Panics
///
/// When the folder is not there.
pub fn files() -> Vec<String> {
    let entries = fs::read_dir(folder()).expect("the vectors' folder");
    let names = entries.map(|entry| entry.expect("an entry").file_name().into_string());
    let mut names: Vec<String> = names.map(|name| name.expect("a name in UTF-8")).collect();
    names.retain(|name| Path::new(name).extension().is_some_and(|extension| extension == "jsonl"));
    names.sort();
    names
}

fn vector(line: &str, source: String) -> Vector {
    let json = Json::parse(line).unwrap_or_else(|error| panic!("{source}: {error:?}"));
    let member = |key| json.get(key).unwrap_or_else(|| panic!("{source}: no `{key}`"));
    let text = |key| member(key).as_str().unwrap_or_else(|| panic!("{source}: `{key}`")).to_owned();
    let expanded = |key| expand(member(key)).unwrap_or_else(|error| panic!("{source}: {error}"));
    Vector {
        id: text("id"),
        op: text("op"),
        title: text("title"),
        input: expanded("input"),
        expected: expanded("expected"),
        source,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The files the oracle knows every operation of.
    const ANSWERED: [&str; 7] = [
        "caps.jsonl",
        "cut.jsonl",
        "labels.jsonl",
        "ledger.jsonl",
        "serializer.jsonl",
        "slots.jsonl",
        "stored.jsonl",
    ];

    #[test]
    fn the_oracle_answers_every_vector_as_expected() {
        let mut failures = Vec::new();
        for vector in ANSWERED.into_iter().flat_map(file) {
            let found = match answer(&vector.op, &vector.input) {
                Some(answer) => difference(&vector.expected, &answer),
                None => Some(format!("`{}` is no operation of the oracle", vector.op)),
            };
            let failure = |found| format!("{} ({}): {found}", vector.id, vector.source);
            failures.extend(found.map(failure));
        }
        assert!(failures.is_empty(), "{}", failures.join("\n"));
    }

    #[test]
    fn every_vector_has_a_name_of_its_own() {
        let mut ids: Vec<String> = all().into_iter().map(|vector| vector.id).collect();
        let count = ids.len();
        ids.sort();
        ids.dedup();
        assert_eq!(ids.len(), count);
    }
}
