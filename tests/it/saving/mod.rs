//! Saving images: the right one or none (SPEC 18 to 20).

mod anthropic;
mod arguments;
mod batch;
mod claude_code;
mod definition;
mod folder;
mod law;
mod lazy;
mod places;

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use slotledger::Session;
use slotledger::content::Call;
use slotledger::history::{SaveError, SaveRequest, Seen, Selection, Selector};
use slotledger::slot::SlotKind;

use crate::support::read;

/// A folder that is gone when the test is done.
struct Scratch(PathBuf);

impl Scratch {
    fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let name = format!("slotledger-it-{}-{number}", std::process::id());
        let path = env::temp_dir().join(name);
        fs::create_dir(&path).unwrap();
        Self(path)
    }

    /// The names in it and in its folders, in order; folders end in `/`.
    fn names(&self) -> Vec<String> {
        let mut names = Vec::new();
        let mut folders = vec![PathBuf::new()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(self.0.join(&folder)).unwrap() {
                let entry = entry.unwrap();
                let path = folder.join(entry.file_name());
                let name = path.to_str().unwrap().to_owned();
                if entry.file_type().unwrap().is_dir() {
                    names.push(format!("{name}/"));
                    folders.push(path);
                } else {
                    names.push(name);
                }
            }
        }
        names.sort();
        names
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

impl AsRef<Path> for Scratch {
    fn as_ref(&self) -> &Path {
        &self.0
    }
}

/// A result of one PNG-typed image for each payload.
fn images(payloads: &[&str]) -> String {
    let image =
        |data: &&str| format!(r#"{{"type":"image","data":"{data}","mimeType":"image/png"}}"#);
    format!("[{}]", payloads.iter().map(image).collect::<Vec<_>>().join(","))
}

fn ingest(session: &mut Session, call_id: &str, tool: &str, result: &str) {
    session.ingest(&Call::new(call_id, tool), &read(result));
}

fn select(session: &Session, index: usize, count: usize) -> Result<Selection, SaveError> {
    session.select(&SaveRequest::new("shot.png", Selector::Recent { index, count }))
}

/// The base64 text that a save by index gives, or the reason.
fn given(session: &Session, index: usize) -> Result<String, &'static str> {
    select(session, index, 1)
        .map(|selection| selection.images[0].payload.base64().to_string())
        .map_err(|error| error.reason())
}

/// The inventory, an image a line: index, messages back, tool and call, type, and what it gives.
fn listed(session: &Session) -> Vec<String> {
    let line = |image: slotledger::history::SeenImage<'_>| {
        let place = match image.seen {
            Seen::Attachment(_) => "attachment".to_owned(),
            Seen::Slot { call, slot, .. } => {
                let kind = if matches!(slot.kind, SlotKind::Reference { .. }) { "->" } else { "" };
                format!("{kind}{}/{}", call.tool, call.id)
            }
            other => panic!("no image is seen as {other:?}"),
        };
        let given = match image.check(session.ledger()) {
            Ok(()) => image.payload(session.ledger()).unwrap().base64().to_string(),
            Err(error) => error.reason().to_owned(),
        };
        format!("{} {} {place} {} {given}", image.index, image.messages_back, image.media_type())
    };
    session.inventory().map(line).collect()
}
