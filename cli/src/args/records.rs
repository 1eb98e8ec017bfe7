//! What the commands over a store of records take.

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::NonEmptyStringValueParser;
use slotledger::record::store::Retention;

/// Read a kept result back
///
/// Prints the full text of a record exactly as it was kept, or the part of it that is asked for,
/// and tells on standard error which record it is, and where to go on. Only on a terminal a line
/// break follows where the text ends without one.
///
/// ID is what a notice or `slotledger list` prints: a call id, or a content key. It is looked for
/// in every session. An id of several texts is refused, and the keys of all of them are told.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  slotledger get call_9 --store records.db                   the whole text
  slotledger get call_9 --store records.db --start 24000     a page from there on
  slotledger get call_9 --store records.db --grep 'error.*'  lines with a match
  slotledger get call_9 --store records.db --item '*'        what a JSON text holds
  slotledger get call_9 --store records.db --item /data/3 --all > item.json")]
pub(crate) struct GetArgs {
    /// A call id or a content key; behind `--` where it starts with a hyphen
    pub(crate) id: String,

    #[command(flatten)]
    pub(crate) store: StoreArg,

    /// Look in this session only, in place of all
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<String>,

    /// Only a result of this tool
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,

    /// Where a page starts, in the unit of the record
    #[arg(long, value_name = "N", value_parser = number, allow_negative_numbers = true)]
    pub(crate) start: Option<u64>,

    /// How long a page is, at most 100000
    #[arg(long, value_name = "N", value_parser = number, allow_negative_numbers = true)]
    pub(crate) length: Option<u64>,

    /// Of a JSON text: a pointer (/data/3), or the id or name of an object in a list; * outlines
    #[arg(long, value_name = "X", value_parser = NonEmptyStringValueParser::new())]
    pub(crate) item: Option<String>,

    /// The lines that match a regular expression, and where they stand
    #[arg(
        long, value_name = "RE", value_parser = NonEmptyStringValueParser::new(),
        allow_hyphen_values = true,
    )]
    pub(crate) grep: Option<String>,

    /// With --grep: how many lines around a match, 0 to 10
    #[arg(
        long, value_name = "N", value_parser = number, allow_negative_numbers = true,
        requires = "grep",
    )]
    pub(crate) context: Option<u64>,

    /// Go on to the end, in place of one page; with --json, a line for each page
    #[arg(long)]
    pub(crate) all: bool,

    /// Print a page as JSON: {page}, or {refused} where there is none
    #[arg(long)]
    pub(crate) json: bool,

    /// Tell nothing on standard error but errors
    #[arg(long, short)]
    pub(crate) quiet: bool,
}

impl GetArgs {
    /// Whether the whole text is asked for, and nothing else.
    pub(crate) fn is_of_whole(&self) -> bool {
        let is_part = self.start.is_some() || self.length.is_some();
        !is_part && self.item.is_none() && self.grep.is_none() && !self.json
    }
}

/// List what a store holds, the newest first
///
/// Prints a line for each record: the id that `slotledger get` takes, the tool, size and type of
/// the text, its image slots, when it was kept, and its session. Records whose text was removed
/// are listed with the reason in place of a size.
///
/// All sessions are listed, as the file is yours.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  slotledger list --store records.db
  slotledger list --store records.db --session s1 --tool bash
  slotledger list --store records.db --limit 10 --before 411   older ones
  SLOTLEDGER_STORE=records.db slotledger list --json           for scripts")]
pub(crate) struct ListArgs {
    #[command(flatten)]
    pub(crate) store: StoreArg,

    /// Only records of this session
    #[arg(long, value_name = "NAME")]
    pub(crate) session: Option<String>,

    /// Only results of this tool
    #[arg(long, value_name = "NAME")]
    pub(crate) tool: Option<String>,

    /// List no more than N
    #[arg(long, value_name = "N", default_value_t = 50, value_parser = at_least_one)]
    pub(crate) limit: usize,

    /// Go on behind an earlier list: the number that its last line tells
    #[arg(long, value_name = "N", value_parser = number, allow_negative_numbers = true)]
    pub(crate) before: Option<u64>,

    /// Print JSON: {results, next?}
    #[arg(long)]
    pub(crate) json: bool,
}

/// Remove records from a store, or check them
///
/// Removes texts that are too old, and then, if what is left is over the quota, the oldest until
/// 90 % of it are left. Records of a session in use, or used in the last 24 hours and not closed,
/// are spared. What is known of a removed record stays, so that it can be told from one that never
/// was.
///
/// Or does one other thing, and no sweep: --remove, --remove-session or --check.
#[derive(Debug, clap::Args)]
#[command(after_help = "Examples:
  slotledger gc --store records.db --quota 500MB --max-age 7d
  slotledger gc --store records.db --remove 2cf24dba5fb0a30e
  slotledger gc --store records.db --check")]
pub(crate) struct GcArgs {
    #[command(flatten)]
    pub(crate) store: StoreArg,

    /// The most text of all records: 500MB, 2GiB, or a number of bytes [default: 2GiB]
    #[arg(long, value_name = "SIZE", value_parser = size)]
    quota: Option<u64>,

    /// How long a text is kept: 7d, 12h, 30m or 90s [default: for ever]
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    max_age: Option<Duration>,

    #[command(flatten)]
    other: Other,

    /// Print JSON: what was done, and what is left
    #[arg(long)]
    pub(crate) json: bool,
}

#[derive(Debug, clap::Args)]
#[group(multiple = false, conflicts_with_all = ["quota", "max_age"])]
struct Other {
    /// Remove the text that ID names, in the way of `slotledger get`, in every session
    #[arg(long, value_name = "ID")]
    remove: Option<String>,

    /// Remove all that is known of a session
    #[arg(long, value_name = "NAME")]
    remove_session: Option<String>,

    /// Read every record and compare it with what is known of it; damaged ones are marked
    #[arg(long)]
    check: bool,
}

/// What `gc` is to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Action<'a> {
    Sweep(Retention),
    Remove(&'a str),
    RemoveSession(&'a str),
    Check,
}

impl GcArgs {
    pub(crate) fn action(&self) -> Action<'_> {
        let Other { remove, remove_session, check } = &self.other;
        match (remove, remove_session, check) {
            (Some(id), _, _) => Action::Remove(id),
            (_, Some(session), _) => Action::RemoveSession(session),
            (_, _, true) => Action::Check,
            (None, None, false) => {
                let default = Retention::default();
                let quota_bytes = self.quota.unwrap_or(default.quota_bytes);
                Action::Sweep(Retention { quota_bytes, max_age: self.max_age, ..default })
            }
        }
    }
}

/// Which store.
#[derive(Debug, clap::Args)]
pub(crate) struct StoreArg {
    /// The sqlite file that holds the records; it must exist
    #[arg(
        id = "store",
        long = "store",
        value_name = "PATH",
        env = "SLOTLEDGER_STORE",
        hide_env_values = true
    )]
    pub(crate) path: PathBuf,
}

fn number(text: &str) -> Result<u64, &'static str> {
    let number = whole(text).ok_or("expected a whole number from 0")?;
    // What no store counts up to is as good as the most that it does.
    Ok(number.unwrap_or(u64::MAX))
}

fn at_least_one(text: &str) -> Result<usize, &'static str> {
    let number = whole(text).filter(|number| *number != Some(0));
    let number = number.ok_or("expected a whole number from 1")?;
    Ok(number.and_then(|number| usize::try_from(number).ok()).unwrap_or(usize::MAX))
}

/// A number of bytes, with or without a unit.
fn size(text: &str) -> Result<u64, &'static str> {
    let unit = |unit: &str| {
        Some(match &*unit.to_ascii_lowercase() {
            "" | "b" => 1,
            "kb" => 1_000,
            "mb" => 1_000_000,
            "gb" => 1_000_000_000,
            "tb" => 1_000_000_000_000,
            "kib" => 1 << 10,
            "mib" => 1 << 20,
            "gib" => 1 << 30,
            "tib" => 1_u64 << 40,
            _ => return None,
        })
    };
    measured(text, unit).ok_or("expected a size like 500MB, 2GiB, or a number of bytes")
}

fn duration(text: &str) -> Result<Duration, &'static str> {
    let unit = |unit: &str| {
        Some(match unit {
            "s" => 1,
            "m" => 60,
            "h" => 60 * 60,
            "d" => 24 * 60 * 60,
            "w" => 7 * 24 * 60 * 60_u64,
            _ => return None,
        })
    };
    let seconds = measured(text, unit);
    seconds.map(Duration::from_secs).ok_or("expected a time like 7d, 12h, 30m or 90s")
}

/// A whole number times its unit, as much as can be counted.
fn measured(text: &str, unit: impl Fn(&str) -> Option<u64>) -> Option<u64> {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    let (number, rest) = text.split_at_checked(digits)?;
    let (number, unit) = (whole(number)?, unit(rest.trim_start_matches(' '))?);
    Some(number.and_then(|number| number.checked_mul(unit)).unwrap_or(u64::MAX))
}

/// A whole number of digits alone; inside, nothing for one too large.
#[expect(clippy::option_option, reason = "no number, and too large a number, are two things")]
fn whole(text: &str) -> Option<Option<u64>> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| text.parse().ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units_of_a_thousand_and_of_1024() {
        for (text, bytes) in [
            ("0", Some(0)),
            ("4096", Some(4_096)),
            ("500MB", Some(500_000_000)),
            ("500 mb", Some(500_000_000)),
            ("2GiB", Some(2 << 30)),
            ("1B", Some(1)),
            ("99999999999999999999", Some(u64::MAX)),
            ("99999999TiB", Some(u64::MAX)),
            ("", None),
            ("MB", None),
            ("1.5GB", None),
            ("-1", None),
            ("5M", None),
            ("5 parsecs", None),
            ("５MB", None),
        ] {
            assert_eq!(size(text).ok(), bytes, "{text}");
        }
    }

    #[test]
    fn times_have_units() {
        for (text, seconds) in [
            ("7d", Some(604_800)),
            ("12h", Some(43_200)),
            ("30m", Some(1_800)),
            ("90s", Some(90)),
            ("2w", Some(1_209_600)),
            ("0s", Some(0)),
            ("7", None),
            ("d", None),
            ("7D", None),
            ("1.5h", None),
            ("", None),
        ] {
            assert_eq!(duration(text).ok(), seconds.map(Duration::from_secs), "{text}");
        }
    }
}
