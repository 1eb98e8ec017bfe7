//! `slotledger save`: images of a history as files, with receipts.

use std::io::{self, Write};
use std::path::Path;

use owo_colors::OwoColorize as _;
use serde::ser::{Serialize, SerializeStruct as _, Serializer};
use slotledger::history::{Folder, Origin, SaveRequest, Selected, Selection, Selector, Written};

use super::look::short;
use super::reading::History;
use super::refusal;
use crate::args::SaveArgs;
use crate::failure::{Failure, Source};
use crate::image_json::{Hex, ReceiptJson};
use crate::output;
use crate::table::{Column, Row, Set, Table};
use crate::words::{count, harmless};

const COLUMNS: [Column; 7] = [
    Column { name: "file", set: Set::Id },
    Column { name: "#", set: Set::Right },
    Column { name: "tool", set: Set::Left },
    Column { name: "call", set: Set::Id },
    Column { name: "type", set: Set::Left },
    Column { name: "bytes", set: Set::Right },
    Column { name: "sha256", set: Set::Left },
];
const GIVES_WAY: &[(usize, usize)] =
    &[(6, 13), (3, 8), (2, 8), (0, 16), (4, 14), (6, 9), (3, 5), (2, 5), (0, 9), (4, 6), (5, 8)];

/// Saves the images that are meant, and prints receipts.
pub(crate) fn run(args: SaveArgs) -> Result<(), Failure> {
    let SaveArgs { history, path, index, count, r#ref, into, replace, json } = args;
    let History { from, session, .. } = &History::read(history)?;
    let selector = match r#ref {
        Some(image) => Selector::Ref(image),
        None => Selector::Recent { index, count },
    };
    let selection = session
        .select(&SaveRequest::new(path, selector))
        .map_err(|error| Failure::Refused { from: from.clone(), why: refusal::why(&error) })?;
    let folder = match Folder::open(&into) {
        Ok(folder) if replace => folder.replacing(),
        Ok(folder) => folder,
        Err(error) => return Err(Failure::Folder { path: into, error }),
    };
    if let Source::File(history) = from
        && selection.images.iter().any(|image| is_same_file(history, &into.join(&image.path)))
    {
        let why = "it is the history that is read, which is never overwritten".to_owned();
        return Err(Failure::NotWritten { path: history.clone(), why });
    }
    match folder.write(&selection) {
        Ok(written) => print(&selection, &written, count, json),
        Err(error) => {
            if !error.written.is_empty() {
                print(&selection, &error.written, error.written.len(), json)?;
            }
            let why = refusal::why_not_written(&error);
            let path = match into.as_os_str() {
                here if here == "." => error.path.into(),
                _ => into.join(&error.path),
            };
            Err(Failure::NotWritten { path, why })
        }
    }
}

/// Whether both paths lead to one file that exists.
fn is_same_file(one: &Path, two: &Path) -> bool {
    one.canonicalize().is_ok_and(|one| two.canonicalize().is_ok_and(|two| one == two))
}

fn print(
    selection: &Selection,
    written: &[Written],
    wanted: usize,
    json: bool,
) -> Result<(), Failure> {
    let receipts = Receipts { selection, written, wanted };
    if json { output::json(&receipts) } else { output::people(|out| receipts.write(out)) }
}

/// What was written, of what was selected, of how many that were wanted.
struct Receipts<'a> {
    selection: &'a Selection,
    written: &'a [Written],
    wanted: usize,
}

impl<'a> Receipts<'a> {
    fn each(&self) -> impl Iterator<Item = (&'a Selected, &'a Written)> + use<'a> {
        self.selection.images.iter().zip(self.written)
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let rows = self.each().map(|(image, written)| row(image, written)).collect();
        Table { columns: COLUMNS, gives_way: GIVES_WAY, rows }.write(out)?;
        for (image, written) in self.each() {
            if let Some(actual) = written.receipt.actual_media_type {
                let (path, claimed) = (harmless(&written.path), &image.media_type);
                let told = format!("{path}: called {claimed}, but it is {actual}; saved as it is");
                writeln!(out, "{}", told.yellow())?;
            }
        }
        if self.written.len() < self.wanted {
            let (found, wanted) = (count(self.written.len()), count(self.wanted));
            let told = format!("only {found} of the {wanted} images asked for are there");
            writeln!(out, "{}", told.yellow())?;
        }
        Ok(())
    }
}

impl Serialize for Receipts<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let saved: Vec<ReceiptJson<'_>> = self
            .each()
            .map(|(image, written)| ReceiptJson { image, receipt: &written.receipt, data: None })
            .collect();
        let mut object = serializer.serialize_struct("Receipts", 2)?;
        object.serialize_field("saved", &saved)?;
        if let Some(note) = &self.selection.note {
            object.serialize_field("note", note)?;
        }
        object.end()
    }
}

fn row(image: &Selected, written: &Written) -> Row<7> {
    let receipt = &written.receipt;
    let claimed = short(&image.media_type);
    let media_type = match receipt.actual_media_type {
        Some(actual) => format!("{claimed} (is {})", short(actual)),
        None => claimed.to_owned(),
    };
    let (tool, call) = match &image.origin {
        Origin::ToolResult { tool, call_id, .. } => (&**tool, &**call_id),
        Origin::Attachment | _ => ("", ""),
    };
    let cells = [
        harmless(&written.path).into_owned(),
        image.image_index.to_string(),
        harmless(tool).into_owned(),
        harmless(call).into_owned(),
        harmless(&media_type).into_owned(),
        count(receipt.byte_size),
        Hex(&receipt.sha256).to_string(),
    ];
    Row { cells, stands_out: receipt.actual_media_type.is_some() }
}
