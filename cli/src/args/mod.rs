//! What the command takes.

mod history;
mod records;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::{Parser, Subcommand, ValueEnum};
use slotledger::image::Nonce;
use slotledger::record::store::{Retention, SqliteStore, Store};
use slotledger::{Cap, Config, Engine, Unit};

use crate::failure::Failure;
pub(crate) use history::{HistoryArgs, HistoryFormat, ImagesArgs, SaveArgs};
pub(crate) use records::{Action, GcArgs, GetArgs, ListArgs};

/// What a multimodal agent remembers of its tools' results.
///
/// A tool's result is written as text with a slot for every image, and cut so that what is stored
/// counts exactly the images that the model was shown.
#[derive(Debug, Parser)]
#[command(
    name = "slotledger",
    version,
    max_term_width = 100,
    after_help = "Exit codes: 0 done; 1 found problems, refused, or unreadable input; 2 misused."
)]
pub(crate) struct Args {
    #[command(subcommand)]
    pub(crate) command: Command,
}

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    Store(StoreArgs),
    Images(ImagesArgs),
    Save(SaveArgs),
    Get(GetArgs),
    List(ListArgs),
    Gc(GcArgs),
    Pipe(PipeArgs),
    /// Print a completion script for a shell
    #[command(after_help = "Example:
  slotledger completions bash > ~/.local/share/bash-completion/completions/slotledger")]
    Completions {
        /// The shell
        shell: clap_complete::Shell,
    },
}

/// Turn one tool result into its stored copy
///
/// Reads one result as JSON and prints the text that a history keeps of it: its head, a notice
/// where it was cut, and a slot for every image that the model was shown. A short report on sizes,
/// slots and losses goes to standard error.
///
/// The text is printed exactly as it is stored. Only on a terminal a line break follows where it
/// ends without one.
#[derive(Debug, clap::Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of the command line")]
#[command(after_help = "Examples:
  slotledger store result.json                  the stored copy, and a report
  slotledger store --cap 2000 result.json       cut at 2,000 UTF-16 units
  slotledger store --live result.json           what the model sees on arrival
  slotledger store --json result.json           everything about it, for scripts
  my-tool | slotledger store --quiet > kept.txt")]
pub(crate) struct StoreArgs {
    /// A file with one tool result as JSON; `-` or nothing reads standard input
    #[arg(default_value = "-", hide_default_value = true)]
    pub(crate) result: PathBuf,

    /// What the result is
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: Format,

    /// The most of one text before it is cut; `none` or 0 cuts nothing
    #[arg(long, value_name = "N", default_value_t = CapLimit::default(), allow_negative_numbers = true)]
    pub(crate) cap: CapLimit,

    /// What cap, lengths and offsets count
    #[arg(long, value_enum, default_value_t)]
    pub(crate) unit: UnitName,

    /// The id of the call that the result answers
    #[arg(long, value_name = "ID", default_value = "call_1")]
    pub(crate) call: String,

    /// The tool that answers; if empty, its references are bound to no server
    #[arg(long, value_name = "NAME", default_value = "tool")]
    pub(crate) tool: String,

    /// The server that answers, if its name is known
    #[arg(long, value_name = "NAME")]
    pub(crate) server: Option<String>,

    /// Print the live copy, what the model sees on arrival; a line stands for each image
    #[arg(long)]
    pub(crate) live: bool,

    /// Print JSON: all that `pipe` answers for `ingest`; with --live the live blocks alone
    #[arg(long)]
    pub(crate) json: bool,

    /// With --json: leave the base64 text of images out
    #[arg(long, requires = "json")]
    pub(crate) omit_data: bool,

    /// Print no report
    #[arg(long, short)]
    pub(crate) quiet: bool,

    /// With --store: the session that the record is kept for
    #[arg(long, value_name = "NAME", default_value = "default", requires = "store")]
    pub(crate) session: String,

    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}

/// Answer one JSON request per line: the engine for any language
///
/// Reads one JSON object per line from standard input and writes one per line to standard output,
/// in order: {"id": any, "op": "…", …} is answered {"id": the same, …}, or {"id": the same,
/// "error": {"code", "message"}}. A bad line is answered and never stops the process. Appendix B
/// of SPEC.md has the operations.
#[derive(Debug, clap::Args)]
#[command(
    after_help = r#"Operations: slots, cut, cut_stored, media_type, truncate_history, content_type, content_key,
extract_keys, recall_args, ingest, message, commit, inventory, save, get_full_tool_result, recall,
list_tool_results.

Example:
  printf '%s\n' '{"op":"slots","text":"see [image: image/png, 9B]"}' | slotledger pipe"#
)]
pub(crate) struct PipeArgs {
    /// Keep the images of the session "default" in this folder, and go on with those of before
    ///
    /// So their refs outlive the process. The folder is made if it does not exist. One process at
    /// a time can have it.
    #[arg(long, value_name = "DIR", conflicts_with = "nonce")]
    pub(crate) ledger: Option<PathBuf>,

    #[command(flatten)]
    pub(crate) engine: EngineArgs,
}

/// What every command that runs the engine takes.
#[derive(Debug, clap::Args)]
pub(crate) struct EngineArgs {
    /// Fix the nonce of image refs, 1 to 16 of 0-9 and a-z: the same input gives the same output
    #[arg(long, value_name = "N", value_parser = nonce)]
    nonce: Option<Nonce>,

    /// Keep the full results as records in this sqlite file, which is made if it does not exist
    #[arg(long, value_name = "PATH")]
    store: Option<PathBuf>,

    /// Keep no records of full results
    #[arg(long, conflicts_with = "store")]
    no_store: bool,

    /// Print in notices also the sqlite3 command that reads the record; it sees every session
    #[arg(long, requires = "store")]
    print_sql: bool,
}

impl EngineArgs {
    /// The file that records are kept in.
    pub(crate) fn store(&self) -> Option<&Path> {
        self.store.as_deref()
    }

    /// The engine that these arguments ask for; `or` makes the store where none is named.
    pub(crate) fn engine(
        self,
        or: Option<impl FnOnce() -> Arc<dyn Store>>,
    ) -> Result<Engine, Failure> {
        let config = Config::default();
        let engine = Engine::new(match self.nonce {
            Some(nonce) => config.with_nonce(nonce),
            None => config,
        });
        let store: Option<Arc<dyn Store>> = match self.store {
            Some(path) => Some(Arc::new(open_store(path)?)),
            None if self.no_store => None,
            None => or.map(|make| make()),
        };
        let Some(store) = store else { return Ok(engine) };
        let engine = engine.with_store(store).map_err(Failure::Config)?;
        Ok(if self.print_sql { engine.with_direct_path() } else { engine })
    }
}

/// Opens the file of a store, which is made if it does not exist.
fn open_store(path: PathBuf) -> Result<SqliteStore, Failure> {
    let doing = "opened";
    let opened = SqliteStore::open(&path, Retention::default());
    opened.map_err(|error| Failure::Store { path, doing, error })
}

fn nonce(text: &str) -> Result<Nonce, String> {
    text.parse().map_err(|_| "expected 1 to 16 of the characters 0-9 and a-z".to_owned())
}

/// The format of a result.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// An MCP `CallToolResult`, a content array, or any JSON value
    #[default]
    Mcp,
    /// Data as it is: an array is a content array, anything else stands for itself
    Data,
    /// An object {data?, error?, isError?}
    Outcome,
}

/// The unit of a length.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum UnitName {
    /// UTF-16 code units, the "chars" of JavaScript
    #[default]
    Utf16,
    /// Unicode scalar values
    Char,
    /// Bytes of UTF-8
    Byte,
}

impl From<UnitName> for Unit {
    fn from(name: UnitName) -> Self {
        match name {
            UnitName::Utf16 => Self::Utf16,
            UnitName::Char => Self::Char,
            UnitName::Byte => Self::Byte,
        }
    }
}

/// A cap without its unit; 0 is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct CapLimit(usize);

impl CapLimit {
    pub(crate) fn in_unit(self, unit: Unit) -> Cap {
        Cap::new(self.0, unit)
    }
}

impl Default for CapLimit {
    fn default() -> Self {
        Self(Config::DEFAULT_CAP)
    }
}

impl std::fmt::Display for CapLimit {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", self.0)
    }
}

impl std::str::FromStr for CapLimit {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == "none" {
            return Ok(Self(0));
        }
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err("expected a whole number from 0, or none");
        }
        // What no machine counts up to is as good as the most that it does.
        Ok(Self(text.parse().unwrap_or(usize::MAX)))
    }
}
