//! What the commands over a history take.

use std::path::PathBuf;

use clap::ValueEnum;
use clap::builder::NonEmptyStringValueParser;
use slotledger::ImageRef;
use slotledger::history::MAX_COUNT;

/// List every image of a stored session, the newest first
///
/// Reads a history and prints a line for each image: its index, what it is, the tool and the call
/// it came from, its type, size and pixels, how many messages back it stands, and whether it can
/// be saved. A type that the bytes contradict is told: "jpeg (is png)".
///
/// A ref that --json tells can be given to `save --ref` as long as the history stays the same.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  slotledger images session.jsonl               a Claude Code session
  slotledger images messages.json               Anthropic messages, or a request with them
  slotledger images --limit 10 session.jsonl    the newest ten
  slotledger images --json session.jsonl        for scripts")]
pub(crate) struct ImagesArgs {
    #[command(flatten)]
    pub(crate) history: HistoryArgs,

    /// List no more than the newest N images
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<usize>,

    /// Print JSON: {images, scanned, unreadableLines}
    #[arg(long)]
    pub(crate) json: bool,
}

/// Save images of a stored session, byte for byte
///
/// Writes the very images that are meant, or none: an image that cannot be saved is refused with
/// the reason, and no other takes its place. Prints a receipt for each file. Files are written
/// whole, for their owner alone, and inside the folder whatever the path or a symbolic link says.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  slotledger save session.jsonl --path shot.png               the newest image
  slotledger save session.jsonl --path shot.png --index 3     the one listed as 3
  slotledger save session.jsonl --path s.png --count 5        five: s-0.png, the newest, to s-4.png
  slotledger save session.jsonl --path a.png --into pictures")]
pub(crate) struct SaveArgs {
    #[command(flatten)]
    pub(crate) history: HistoryArgs,

    /// The file to write, inside the folder; with --count over 1, numbered
    #[arg(long, value_name = "P", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) path: String,

    /// Which image, 0 being the newest
    #[arg(long, value_name = "N", default_value_t = 0)]
    pub(crate) index: usize,

    /// How many, from the index on towards the older ones: 1 to 20
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = count)]
    pub(crate) count: usize,

    /// The image of this ref, `img_k7x3q2_7` for example
    #[arg(long, value_name = "R", value_parser = image_ref, conflicts_with_all = ["index", "count"])]
    pub(crate) r#ref: Option<ImageRef>,

    /// The folder to write to, which must exist
    #[arg(long, value_name = "DIR", default_value = ".")]
    pub(crate) into: PathBuf,

    /// Replace files that exist
    #[arg(long)]
    pub(crate) replace: bool,

    /// Print the receipts as JSON: {saved, note?}
    #[arg(long)]
    pub(crate) json: bool,
}

/// Which history, and how much of it.
#[derive(Debug, clap::Args)]
pub(crate) struct HistoryArgs {
    /// A file with a history; `-` or nothing reads standard input
    #[arg(default_value = "-", hide_default_value = true)]
    pub(crate) history: PathBuf,

    /// What the history is
    #[arg(long, value_enum, default_value_t)]
    pub(crate) format: HistoryFormat,

    /// Look at the newest N messages only, in place of all
    #[arg(long, value_name = "N")]
    pub(crate) scan: Option<usize>,

    /// Of a Claude Code session take all messages, in place of those that are sent to the model
    ///
    /// That is, abandoned branches, the conversations of subagents and what was compacted too.
    #[arg(long)]
    pub(crate) all: bool,

    /// Where refs of an earlier process have their images: the archive of its ledger, only read
    #[arg(long, value_name = "DIR")]
    pub(crate) ledger: Option<PathBuf>,
}

/// The format of a history.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum HistoryFormat {
    /// An array or an object with `messages` is Anthropic's, anything else Claude Code's
    #[default]
    Auto,
    /// Anthropic messages: an array of them, or a request that holds one
    Anthropic,
    /// A Claude Code session file: one JSON object a line
    ClaudeCode,
}

fn count(text: &str) -> Result<usize, String> {
    let count = text.parse().ok().filter(|count| (1..=MAX_COUNT).contains(count));
    count.ok_or_else(|| format!("expected a whole number from 1 to {MAX_COUNT}"))
}

fn image_ref(text: &str) -> Result<ImageRef, String> {
    text.parse().map_err(|_| "expected a ref like img_k7x3q2_7".to_owned())
}
