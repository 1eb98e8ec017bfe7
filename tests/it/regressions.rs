//! Inputs that once broke something, as the fuzz targets found them.

use std::fs;
use std::path::Path;

type Property = fn(&[u8]);

/// The properties that a fuzz target of their name holds its input against.
const TARGETS: [(&str, Property); 8] = [
    ("copies", slotledger_props::copies),
    ("cut", slotledger_props::cut),
    ("ingest", slotledger_props::ingest),
    ("ledger", slotledger_props::ledger),
    ("pages", slotledger_props::pages),
    ("saves", slotledger_props::saves),
    ("scan", slotledger_props::scan),
    ("stores", slotledger_props::stores),
];

/// The entries of a folder that are wanted, by name; none where there is no folder.
fn names(folder: &Path) -> Vec<String> {
    let Ok(entries) = fs::read_dir(folder) else {
        return Vec::new();
    };
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| !name.starts_with('.')).collect();
    names.sort();
    names
}

#[test]
fn what_broke_once_does_not_break_again() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/regressions");
    for (target, property) in TARGETS {
        let folder = folder.join(target);
        for name in names(&folder) {
            let bytes = fs::read(folder.join(&name)).unwrap();
            // The name of the file is the last thing printed before a failure.
            println!("{target}/{name}");
            property(&bytes);
        }
    }
}

#[test]
fn every_fuzz_target_is_replayed() {
    let fuzz = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz");
    let known = TARGETS.map(|(target, _)| target);
    for folder in ["regressions", "seeds", "targets"] {
        for name in names(&fuzz.join(folder)) {
            let target = name.strip_suffix(".rs").unwrap_or(&name);
            assert!(known.contains(&target), "{folder}/{name}");
        }
    }
}
