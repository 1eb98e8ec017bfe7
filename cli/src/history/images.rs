//! `slotledger images`: every image of a history, a line each.

use std::collections::BTreeMap;
use std::io::{self, Write};

use owo_colors::OwoColorize as _;
use serde::ser::{Serialize, SerializeStruct as _, Serializer};

use super::look::Looked;
use super::reading::History;
use crate::args::ImagesArgs;
use crate::failure::Failure;
use crate::image_json::ImageSource;
use crate::output;
use crate::table::{Column, Row, Set, Table};
use crate::words::{count, harmless, of_number};

const COLUMNS: [Column; 9] = [
    Column { name: "#", set: Set::Right },
    Column { name: "what", set: Set::Left },
    Column { name: "tool", set: Set::Left },
    Column { name: "call", set: Set::Id },
    Column { name: "type", set: Set::Left },
    Column { name: "bytes", set: Set::Right },
    Column { name: "pixels", set: Set::Right },
    Column { name: "back", set: Set::Right },
    Column { name: "save", set: Set::Left },
];
const GIVES_WAY: &[(usize, usize)] = &[
    (3, 12),
    (2, 12),
    (3, 8),
    (2, 8),
    (4, 14),
    (6, 9),
    (3, 5),
    (2, 5),
    (4, 6),
    (5, 8),
    (1, 6),
    (8, 5),
];

/// Prints what images a history shows.
pub(crate) fn run(args: ImagesArgs) -> Result<(), Failure> {
    let ImagesArgs { history, limit, json } = args;
    let history = History::read(history)?;
    let limit = limit.unwrap_or(usize::MAX);
    if json {
        return output::json(&ImagesJson { history: &history, limit });
    }
    output::people(|out| Listing::of(&history, limit).write(out))
}

/// The images as scripts read them. Each is looked at as it is written.
struct ImagesJson<'h> {
    history: &'h History,
    limit: usize,
}

impl Serialize for ImagesJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        struct Images<'a>(&'a ImagesJson<'a>);

        impl Serialize for Images<'_> {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                let session = &self.0.history.session;
                let images = session.inventory().take(self.0.limit);
                serializer.collect_seq(images.map(|seen| Looked::at(&seen, session)))
            }
        }

        let mut object = serializer.serialize_struct("Images", 3)?;
        object.serialize_field("images", &Images(self))?;
        object.serialize_field("scanned", &self.history.scanned)?;
        object.serialize_field("unreadableLines", &self.history.unreadable_lines)?;
        object.end()
    }
}

/// The images as people read them.
struct Listing<'h> {
    history: &'h History,
    table: Table<9>,
    images: usize,
    savable: usize,
    mislabelled: usize,
    /// How many cannot be saved, by the word for it.
    refused: BTreeMap<&'static str, usize>,
}

impl<'h> Listing<'h> {
    fn of(history: &'h History, limit: usize) -> Self {
        let table = Table { columns: COLUMNS, gives_way: GIVES_WAY, rows: Vec::new() };
        let refused = BTreeMap::new();
        let mut listing = Self { history, table, images: 0, savable: 0, mislabelled: 0, refused };
        let session = &history.session;
        for seen in session.inventory() {
            listing.images += 1;
            let reason = if seen.index < limit {
                let looked = Looked::at(&seen, session);
                listing.mislabelled += usize::from(looked.actual_media_type.is_some());
                listing.table.rows.push(row(&looked));
                looked.image.reason
            } else {
                seen.check(session.ledger()).err().map(|error| error.reason())
            };
            match reason {
                Some(reason) => *listing.refused.entry(word(reason)).or_default() += 1,
                None => listing.savable += 1,
            }
        }
        listing
    }

    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        if !self.table.rows.is_empty() {
            self.table.write(out)?;
            writeln!(out)?;
        }
        self.write_sums(out)?;
        for (&word, &number) in &self.refused {
            let cannot = format!("{} {word}: {}", count(number), meaning(word));
            writeln!(out, "{}", cannot.yellow())?;
        }
        match self.mislabelled {
            0 => {}
            1 => writeln!(out, "{}", "1 is of another type than it is called".yellow())?,
            many => {
                let many = format!("{} are of another type than they are called", count(many));
                writeln!(out, "{}", many.yellow())?;
            }
        }
        self.write_unreadable(out)
    }

    fn write_sums(&self, out: &mut dyn Write) -> io::Result<()> {
        let History { scanned, messages, .. } = *self.history;
        let place = if scanned < messages {
            format!("the newest {} of {}", count(scanned), of_number(messages, "message"))
        } else {
            of_number(messages, "message")
        };
        if messages == 0 {
            return writeln!(out, "no messages, so no images (see --format and --all)");
        }
        if self.images == 0 {
            return writeln!(out, "no images in {place}");
        }
        let shown = match self.table.rows.len() {
            all if all == self.images => String::new(),
            shown => format!("; {} listed", count(shown)),
        };
        let savable = match self.savable {
            0 => "none can be saved".to_owned(),
            all if all == self.images && all > 1 => "all can be saved".to_owned(),
            some => format!("{} can be saved", count(some)),
        };
        writeln!(out, "{} in {place}; {savable}{shown}", of_number(self.images, "image"))
    }

    fn write_unreadable(&self, out: &mut dyn Write) -> io::Result<()> {
        const HANDFUL: usize = 6;

        let lines = &self.history.unreadable_lines;
        let named: Vec<String> = lines.iter().take(HANDFUL).map(|line| count(*line)).collect();
        let more = if lines.len() > HANDFUL { ", …" } else { "" };
        let said = match lines.len() {
            0 => return Ok(()),
            1 => "1 line is no JSON and was passed over: line".to_owned(),
            many => format!("{} lines are no JSON and were passed over: lines", count(many)),
        };
        writeln!(out, "{}", format!("{said} {}{more}", named.join(", ")).yellow())
    }
}

fn row(looked: &Looked) -> Row<9> {
    let image = &looked.image;
    let name = |name: &Option<String>| harmless(name.as_deref().unwrap_or_default()).into_owned();
    let what = match image.source {
        ImageSource::Attachment => "attachment",
        ImageSource::ToolResult => "tool image",
        ImageSource::Reference => "reference",
    };
    let size = looked.byte_size.map_or_else(|| looked.told_size.clone(), count);
    let pixels = looked.width.zip(looked.height);
    let cells = [
        image.index.to_string(),
        what.to_owned(),
        name(&image.tool_name),
        name(&image.tool_call_id),
        harmless(&looked.type_name()).into_owned(),
        size,
        pixels.map_or_else(String::new, |(width, height)| format!("{width}×{height}")),
        image.messages_back.to_string(),
        image.reason.map_or("yes", word).to_owned(),
    ];
    Row { cells, stands_out: !image.savable || looked.actual_media_type.is_some() }
}

/// The reason why an image cannot be saved, in a word.
fn word(reason: &'static str) -> &'static str {
    match reason {
        "attachment_not_inline" | "reference" => "elsewhere",
        "no_ref" => "no ref",
        "foreign" => "quoted",
        "unknown_ref" => "unknown",
        "undecodable" => "damaged",
        other => other,
    }
}

/// What that word means.
fn meaning(word: &str) -> &'static str {
    match word {
        "elsewhere" => "the bytes were never here: a link, a URL or a file id",
        "no ref" => "a placeholder that names no image, as older programs write it",
        "quoted" => "a placeholder that cites the image of another call",
        "evicted" => "the ledger let the bytes go",
        "unknown" => "the bytes are not in the history; --ledger can name an archive",
        "damaged" => "the bytes cannot be decoded",
        // A reason that came after this version.
        _ => "it cannot be saved",
    }
}
