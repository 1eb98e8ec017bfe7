//! `slotledger store`: one tool result in, its stored copy or its live copy out.

mod losses;
mod report;
mod rows;
mod words;

use std::borrow::Cow;
use std::path::Path;
use std::sync::Arc;

use slotledger::content::{Call, Server, ToolResult, wire};
use slotledger::copy::{LiveBlock, LiveCopy};
use slotledger::record::store::Store;
use slotledger::{Ingested, Unit};

use crate::args::{Format, StoreArgs};
use crate::failure::{Failure, Wanted};
use crate::json::{IngestedJson, LiveJson};
use crate::{input, output};
use report::Report;

/// Prints what is asked of the result, and a report.
pub(crate) fn run(args: StoreArgs) -> Result<(), Failure> {
    let StoreArgs { result, format, cap, unit, call, tool, server, .. } = args;
    let StoreArgs { live, json, omit_data, quiet, session, engine, .. } = args;
    let store = engine.store().map(Path::to_owned);
    let engine = engine.engine(None::<fn() -> Arc<dyn Store>>)?;
    let mut session = engine.session_named(&session);
    let call = Call::new(call, tool);
    let call = match server {
        Some(name) if !name.is_empty() => call.with_server(Server::Named(name.into())),
        Some(_) | None => call,
    };
    let result = read(&result, format, quiet)?;
    let (unit, cap) = (Unit::from(unit), cap.in_unit(unit.into()));
    let ingested = session.ingest_at(&call, &result, cap);
    match (live, json) {
        (false, false) => output::text([&*ingested.stored.text]),
        (false, true) => output::json(&IngestedJson { ingested: &ingested, unit, omit_data }),
        (true, false) => print_live(&ingested),
        (true, true) => print_live_json(&ingested, omit_data),
    }?;
    if !quiet {
        let registry = session.registry();
        let report = Report { ingested: &ingested, cap, registry, store: store.as_deref() };
        report.print();
    }
    Ok(())
}

fn read(path: &Path, format: Format, quiet: bool) -> Result<ToolResult, Failure> {
    let wanted = Wanted::Result;
    let (from, bytes) = input::read(path, wanted, quiet)?;
    let read = match format {
        Format::Mcp => wire::mcp::read(&bytes),
        Format::Data => wire::data::read(&bytes),
        Format::Outcome => wire::outcome::read(&bytes),
    };
    read.map_err(|error| Failure::Parse { from, wanted, error })
}

/// Prints what the model sees, for people: a line for each image.
///
/// Without images that is the stored copy.
fn print_live(ingested: &Ingested) -> Result<(), Failure> {
    let Some(LiveCopy { blocks, .. }) = &ingested.live else {
        return output::text([&*ingested.stored.text]);
    };
    let lines = blocks.iter().map(words::live_line);
    let parts: Vec<Cow<'_, str>> = lines.flat_map(|line| ["\n".into(), line]).skip(1).collect();
    output::text(parts.iter().map(|part| &**part))
}

/// Prints what the model sees, as blocks. Without images that is one text, the stored copy.
fn print_live_json(ingested: &Ingested, omit_data: bool) -> Result<(), Failure> {
    let stored = [LiveBlock::Text(ingested.stored.text.clone())];
    let blocks = ingested.live.as_ref().map_or(&stored[..], |live| &live.blocks);
    output::json(&LiveJson { blocks, omit_data })
}
