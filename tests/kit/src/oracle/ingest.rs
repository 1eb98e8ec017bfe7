//! From a tool's result to everything that is made of it (9 to 13).

use super::content::{BlockSpan, Call, Image, Serialized, serialize};
use super::ledger::Ledger;
use super::live::{LiveBlock, live, shown};
use super::loss::Loss;
use super::stored::{Keeping, Stored, stored_text};
use super::structured::says_the_same;
use crate::json::Json;
use crate::unit::{Unit, units};

/// How a result is to be read.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Format {
    /// A `CallToolResult`, a bare content array, or a plain value (9.2).
    #[default]
    Mcp,
    /// The data itself: a content array or a plain value (9.6).
    Data,
    /// `{data?, error?, isError?}` (9.7)
    Outcome,
}

impl Format {
    /// Returns the format of that name in vectors and in the pipe protocol.
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "mcp" => Some(Self::Mcp),
            "data" => Some(Self::Data),
            "outcome" => Some(Self::Outcome),
            _ => None,
        }
    }
}

/// How a result is taken in.
#[derive(Clone, Copy, Debug)]
pub struct Ingestion<'a> {
    /// How it is read.
    pub format: Format,
    /// The cap, 0 for none.
    pub cap: usize,
    /// The cap's unit.
    pub unit: Unit,
    /// The call it answers.
    pub call: Call<'a>,
    /// Whether a record is kept.
    pub keeping: Keeping<'a>,
}

/// What is made of a result.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Ingested {
    /// The full text.
    pub text: Vec<u16>,
    /// The spans of the blocks, where it was taken block by block.
    pub blocks: Option<Vec<BlockSpan>>,
    /// The images retained.
    pub images: Vec<Image>,
    /// The live copy's blocks, or `None` where it is the stored copy.
    pub live: Option<Vec<LiveBlock>>,
    /// The shown ranges of the full text.
    pub shown: Vec<(usize, usize)>,
    /// The stored copy.
    pub stored: Stored,
    /// What did not come through whole. What reading the JSON replaced is the reader's to say.
    pub losses: Vec<Loss>,
}

/// Takes a result in. `None` where an outcome is no object.
pub fn ingest(result: &Json, ingestion: Ingestion<'_>, ledger: &mut Ledger) -> Option<Ingested> {
    let Ingestion { format, cap, unit, call, keeping } = ingestion;
    let serialized = match read(result, format)? {
        Read::Text(text) => plain(&text),
        Read::Content(blocks, structured) => content(blocks, structured, call, ledger),
    };
    let recorded = match keeping {
        Keeping::Recorded { call_id } => Some(call_id),
        Keeping::NoStore | Keeping::Failed { .. } => None,
    };
    let shown = shown(&serialized, cap, unit);
    let live = live(&serialized, cap, unit, recorded);
    let stored = stored_text(&serialized.text, cap, unit, &shown, keeping);
    let Serialized { text, blocks, images, losses } = serialized;
    Some(Ingested { text, blocks, images, live, shown, stored, losses })
}

enum Read<'a> {
    Text(String),
    Content(&'a [Json], Option<&'a Json>),
}

fn read(result: &Json, format: Format) -> Option<Read<'_>> {
    let present = |key| result.get(key).filter(|value| !value.is_null());
    match format {
        Format::Mcp => Some(read_mcp(result)),
        Format::Data => Some(read_data(result)),
        Format::Outcome => {
            let Json::Object(_) = result else { return None };
            if result.get("isError") == Some(&Json::Bool(true)) {
                let error = present("error").map_or("Unknown error".to_owned(), value_text);
                return Some(Read::Text(error));
            }
            let error = || Read::Text(present("error").map_or(String::new(), value_text));
            Some(present("data").map_or_else(error, read_data))
        }
    }
}

fn read_mcp(result: &Json) -> Read<'_> {
    let Json::Object(_) = result else {
        return read_data(result);
    };
    let structured = result.get("structuredContent").filter(|value| !value.is_null());
    let complete = structured.is_some()
        || matches!(result.get("isError"), Some(Json::Bool(_)))
        || result.get("resultType").and_then(Json::as_str) == Some("complete");
    match result.get("content") {
        Some(Json::Array(content)) => Read::Content(content, structured),
        None | Some(Json::Null) if complete => Read::Content(&[], structured),
        _ => Read::Text(value_text(result)),
    }
}

fn read_data(data: &Json) -> Read<'_> {
    match data {
        Json::Array(content) => Read::Content(content, None),
        _ => Read::Text(value_text(data)),
    }
}

/// A string is its own text, any other value its compact JSON (9.8).
fn value_text(value: &Json) -> String {
    value.as_str().map_or_else(|| value.to_string(), ToOwned::to_owned)
}

fn plain(text: &str) -> Serialized {
    Serialized { text: units(text), blocks: None, images: Vec::new(), losses: Vec::new() }
}

/// Structured content that says something else is one more text block at the end; after a give-up
/// it follows the array's JSON as a line of its own (9.5).
fn content(
    content: &[Json],
    structured: Option<&Json>,
    call: Call<'_>,
    ledger: &mut Ledger,
) -> Serialized {
    let extra = structured.filter(|value| says_something_else(value, content));
    let Some(extra) = extra.map(Json::to_string) else {
        return serialize(content, call, ledger);
    };
    let block = Json::object([("type", "text".into()), ("text", extra.as_str().into())]);
    let mut serialized = serialize(&[content, &[block]].concat(), call, ledger);
    if serialized.blocks.is_none() {
        serialized.text = units(&format!("{}\n{extra}", Json::Array(content.to_vec())));
    }
    serialized
}

fn says_something_else(structured: &Json, content: &[Json]) -> bool {
    !content.iter().any(|block| {
        let is_text = block.get("type").and_then(Json::as_str) == Some("text");
        let text = block.get("text").and_then(Json::as_str).filter(|_| is_text);
        text.is_some_and(|text| says_the_same(structured, text))
    })
}
