//! `slotledger list`: the records of a store, a line each.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::time::SystemTime;

use owo_colors::OwoColorize as _;
use serde::Serialize;
use slotledger::record::store::{By, Listed, Sessions, Store as _, Usage};
use slotledger::record::{Meta, RecordId};

use super::Shelf;
use crate::args::ListArgs;
use crate::failure::Failure;
use crate::output;
use crate::record_json::RecordJson;
use crate::table::{Column, Row, Set, Table};
use crate::words::{count, harmless, of_number};

const COLUMNS: [Column; 7] = [
    Column { name: "id", set: Set::Id },
    Column { name: "tool", set: Set::Left },
    Column { name: "bytes", set: Set::Right },
    Column { name: "type", set: Set::Left },
    Column { name: "slots", set: Set::Right },
    Column { name: "kept", set: Set::Right },
    Column { name: "session", set: Set::Left },
];
/// The id gives way last: it has to be copied.
const GIVES_WAY: &[(usize, usize)] =
    &[(6, 12), (1, 12), (6, 7), (1, 6), (3, 6), (5, 8), (0, 16), (2, 9), (4, 6)];

/// Prints what a store holds.
pub(crate) fn run(args: &ListArgs) -> Result<(), Failure> {
    let shelf = Shelf::open(&args.store.path)?;
    let sessions = args.session.as_deref().map_or(Sessions::All, Sessions::One);
    let before = args.before.map(RecordId);
    let most = args.limit.saturating_add(1);
    let listed = shelf.store.list(sessions, args.tool.as_deref(), before, most);
    let mut listed = listed.map_err(shelf.failed("read"))?;
    let is_all = listed.len() <= args.limit;
    listed.truncate(args.limit);
    let next = listed.last().filter(|_| !is_all).map(|last| last.meta.id.0);
    if args.json {
        let results = listed.iter().map(RecordJson::from).collect();
        return output::json(&ListJson { results, next });
    }
    let is_narrow = args.session.is_some() || args.tool.is_some() || before.is_some();
    let list = List {
        shelf: &shelf,
        listed: &listed,
        next,
        usage: shelf.store.usage().map_err(shelf.failed("read"))?,
        is_whole: is_all && !is_narrow,
    };
    output::people(|out| list.write(out))
}

/// The records as scripts read them.
#[derive(Serialize)]
struct ListJson<'a> {
    results: Vec<RecordJson<'a>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    next: Option<u64>,
}

/// The records as people read them.
struct List<'a> {
    shelf: &'a Shelf,
    listed: &'a [Listed],
    /// Where to go on.
    next: Option<u64>,
    usage: Usage,
    /// Whether the list is all of the store.
    is_whole: bool,
}

/// The longest id that the table has room for.
const LONGEST_ID: usize = 36;

impl Shelf {
    /// What `slotledger get` takes for a record: its handle, or its key where that is of several
    /// records, or too long to be printed whole.
    fn id_of(&self, meta: &Meta) -> String {
        let handle = meta.handle();
        let is_of_others = || {
            let found = self.store.find(Sessions::All, By::CallId(&meta.call_id));
            found.is_ok_and(|found| found.iter().any(|other| other.sha256 != meta.sha256))
        };
        if handle.len() > LONGEST_ID || is_of_others() { meta.key().to_string() } else { handle }
    }
}

impl List<'_> {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let now = SystemTime::now();
        let row = |listed: &Listed| row(&listed.meta, self.shelf.id_of(&listed.meta), now);
        let rows: Vec<_> = self.listed.iter().map(row).collect();
        if !rows.is_empty() {
            Table { columns: COLUMNS, gives_way: GIVES_WAY, rows }.write(out)?;
            writeln!(out)?;
        }
        self.write_sums(out)?;
        let mut removed: BTreeMap<_, usize> = BTreeMap::new();
        for gone in self.listed.iter().filter_map(|listed| listed.meta.gone) {
            *removed.entry(gone.as_str()).or_default() += 1;
        }
        for (why, number) in removed {
            let meaning = meaning(why);
            writeln!(out, "{}", format!("{} ({why}): {meaning}", count(number)).yellow())?;
        }
        match self.next {
            None => Ok(()),
            Some(next) => writeln!(out, "… more: --before {next}"),
        }
    }

    fn write_sums(&self, out: &mut dyn Write) -> io::Result<()> {
        let Usage { records, gone, bytes, sessions } = self.usage;
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX);
        let removed = match gone {
            0 => String::new(),
            gone => format!("; {} removed", count(gone)),
        };
        let held = format!(
            "{}, {} in {}{removed}",
            of_number(records, "record"),
            of_number(bytes, "byte"),
            of_number(sessions, "session")
        );
        if self.is_whole {
            return writeln!(out, "{held}");
        }
        let there = self.listed.iter().filter(|listed| listed.meta.gone.is_none());
        let bytes = there.map(|listed| listed.meta.sizes.bytes).sum();
        let listed = count(self.listed.len());
        writeln!(out, "{listed} listed, {}; the store holds {held}", of_number(bytes, "byte"))
    }
}

fn row(meta: &Meta, id: String, now: SystemTime) -> Row<7> {
    let size = match meta.gone {
        None => count(meta.sizes.bytes),
        Some(why) => format!("({})", why.as_str()),
    };
    let cells = [
        id,
        harmless(&meta.tool).into_owned(),
        size,
        harmless(&meta.content_type).into_owned(),
        count(meta.slots),
        since(meta.created, now),
        harmless(&meta.session).into_owned(),
    ];
    Row { cells, stands_out: meta.gone.is_some() }
}

/// How long ago a time was, in its largest unit.
fn since(time: SystemTime, now: SystemTime) -> String {
    let seconds = now.duration_since(time).unwrap_or_default().as_secs();
    match seconds {
        0..60 => "now".to_owned(),
        60..3_600 => format!("{}m ago", seconds / 60),
        3_600..86_400 => format!("{}h ago", seconds / 3_600),
        86_400.. => format!("{}d ago", seconds / 86_400),
    }
}

/// What the reason of a removal means.
fn meaning(why: &str) -> &'static str {
    match why {
        "age" => "removed; older than is kept",
        "quota" => "removed; the store was over its quota",
        "request" => "removed; that was asked for",
        "damage" => "the text was found damaged",
        // A reason that came after this version.
        _ => "removed",
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_time_is_told_in_its_largest_unit() {
        let time = SystemTime::UNIX_EPOCH;
        for (seconds, told) in [
            (0, "now"),
            (59, "now"),
            (60, "1m ago"),
            (3_599, "59m ago"),
            (3_600, "1h ago"),
            (86_400, "1d ago"),
            (999 * 86_400, "999d ago"),
        ] {
            assert_eq!(since(time, time + Duration::from_secs(seconds)), told);
        }
        assert_eq!(since(time + Duration::from_secs(1), time), "now");
    }
}
