//! `slotledger get`: a record read back.

use std::iter;

use bytestring::ByteString;
use owo_colors::OwoColorize as _;
use serde::Serialize;
use serde_json::json;
use sha2::{Digest as _, Sha256};
use slotledger::Unit;
use slotledger::copy::BlockKind;
use slotledger::record::store::Store as _;
use slotledger::record::{
    Grep, GrepBounds, MAX_PAGE, Meta, ReadAnswer, ReadRefusal, Reader, find_item, outline, page_of,
};
use slotledger::text::Span;

use super::{Shelf, described, scope};
use crate::args::GetArgs;
use crate::failure::Failure;
use crate::image_json::Hex;
use crate::output::{self, COLUMNS, NAME, line};
use crate::record_json::{PageJson, Refused};
use crate::words::{count, fit, units};

/// Prints a record, or the part of it that is asked for.
pub(crate) fn run(args: &GetArgs) -> Result<(), Failure> {
    let shelf = Shelf::open(&args.store.path)?;
    let asked = Asked { args, reader: shelf.reader(args.session.as_deref()) };
    let first = match asked.answer(&args.id, args.start) {
        Ok(first) => first,
        Err(refusal) => return Err(refused(refusal, args.json)?),
    };
    let told = Told::of(&first, args);
    match (args.json, told.is_to_end) {
        (true, false) => output::json(&Page { page: PageJson(Box::new(first)) }),
        (true, true) => print_lines(&asked, first),
        (false, false) => output::text([&*first.text]),
        (false, true) if args.is_of_whole() => print_whole(&shelf, first),
        (false, true) => print_to_end(&shelf, &asked, first),
    }?;
    if !args.quiet {
        told.print();
    }
    Ok(())
}

#[derive(Serialize)]
struct Page {
    page: PageJson,
}

/// Says why there is nothing, to scripts as well.
pub(super) fn refused(refusal: ReadRefusal, json: bool) -> Result<Failure, Failure> {
    #[derive(Serialize)]
    struct Answer {
        refused: Refused,
    }

    if json {
        output::json(&Answer { refused: Refused::of_read(&refusal) })?;
    }
    Ok(Failure::NotRead(Box::new(refusal)))
}

/// What is asked, and who answers.
struct Asked<'s> {
    args: &'s GetArgs,
    reader: Reader<'s>,
}

impl<'s> Asked<'s> {
    /// The answer from `start` on, of what `id` names.
    fn answer(&self, id: &str, start: Option<u64>) -> Result<ReadAnswer, ReadRefusal> {
        let args = self.args;
        let is_to_end = args.all || args.is_of_whole();
        let longest = is_to_end.then_some(MAX_PAGE as u64);
        let arguments = json!({
            "toolCallId": id,
            "toolName": args.tool,
            "searchIn": scope(args.session.as_deref()),
            "startChar": start,
            "length": args.length.or(longest),
            "item": args.item,
            "grep": args.grep,
            "context": args.context,
        });
        self.reader.get_full_tool_result(&arguments.to_string())
    }

    /// The answers that follow one, to the end.
    fn following<'a>(
        &'a self,
        first: &ReadAnswer,
    ) -> impl Iterator<Item = Result<ReadAnswer, Failure>> + use<'a, 's> {
        // By its digest: the call may have another result by now.
        let id = Hex(&first.meta.sha256).to_string();
        let mut next = number(first, "nextStartChar");
        iter::from_fn(move || {
            let answer = self.answer(&id, Some(next.take()?));
            next = answer.as_ref().ok().and_then(|answer| number(answer, "nextStartChar"));
            Some(answer.map_err(|refusal| Failure::NotRead(Box::new(refusal))))
        })
    }
}

/// A number that is said of a page.
fn number(answer: &ReadAnswer, key: &str) -> Option<u64> {
    answer.head.iter().find(|(name, _)| *name == key).and_then(|(_, value)| value.as_u64())
}

/// Prints a page a line, as JSON.
fn print_lines(asked: &Asked<'_>, first: ReadAnswer) -> Result<(), Failure> {
    let following = asked.following(&first);
    output::json(&Page { page: PageJson(Box::new(first)) })?;
    for answer in following {
        output::json(&Page { page: PageJson(Box::new(answer?)) })?;
    }
    Ok(())
}

/// Prints the whole text, and makes sure that it is what was kept.
fn print_whole(shelf: &Shelf, first: ReadAnswer) -> Result<(), Failure> {
    let ReadAnswer { meta, text, .. } = first;
    let mut sha256 = Sha256::new();
    let (at, end) = (meta.unit.len_of(&text), meta.total_len());
    let parts = iter::once(Ok(text)).chain(stretch(shelf, &meta, at, end));
    let parts = parts.inspect(|part| {
        if let Ok(part) = part {
            sha256.update(part);
        }
    });
    output::parts_of_text(parts)?;
    if sha256.finalize()[..] == meta.sha256 {
        return Ok(());
    }
    Err(Failure::NotAsKept { path: shelf.path.clone(), handle: meta.handle() })
}

/// Prints a part of the text to its end.
fn print_to_end(shelf: &Shelf, asked: &Asked<'_>, first: ReadAnswer) -> Result<(), Failure> {
    if let Some((_, at)) = first.range {
        // A stretch of the text itself: an item need not be looked for again.
        let start = number(&first, "itemStart").unwrap_or_default();
        let total = number(&first, "totalLength").unwrap_or_default();
        let end = usize::try_from(start.saturating_add(total)).unwrap_or(usize::MAX);
        let ReadAnswer { meta, text, .. } = first;
        let rest = stretch(shelf, &meta, at, end);
        return output::parts_of_text(iter::once(Ok(text)).chain(rest));
    }
    let subject = Subject::read(shelf, &first.meta, asked.args)?;
    match asked.args.grep.as_deref().map(Grep::new) {
        Some(Ok(grep)) => output::parts_of_text(subject.matches(&grep, asked.args).map(Ok)),
        // Without a search, or with one that was answered and cannot fail now.
        None | Some(Err(_)) => output::parts_of_text(subject.listing(start_of(asked.args)).map(Ok)),
    }
}

fn start_of(args: &GetArgs) -> usize {
    args.start.and_then(|start| usize::try_from(start).ok()).unwrap_or_default()
}

/// How much of an outline is made at once.
const LISTED_AT_ONCE: usize = 16 << 20;

/// What is searched or outlined, read once.
struct Subject {
    text: ByteString,
    /// The blocks that may be JSON by themselves, in bytes.
    blocks: Vec<Span>,
    unit: Unit,
}

impl Subject {
    fn read(shelf: &Shelf, meta: &Meta, args: &GetArgs) -> Result<Self, Failure> {
        let unit = meta.unit;
        let text = shelf.store.read(meta.id, 0, meta.total_len()).map_err(shelf.failed("read"))?;
        let places = shelf.store.places(meta.id).map_err(shelf.failed("read"))?;
        let texts = places.blocks.iter().filter(|block| block.kind == BlockKind::Text);
        let whole = Self { text: text.text, blocks: texts.map(|block| block.span).collect(), unit };
        Ok(match args.item.as_deref() {
            Some("*") if args.grep.is_some() => {
                let listing: String = whole.listing(0).map(|part| part.to_string()).collect();
                Self { text: listing.into(), blocks: Vec::new(), unit }
            }
            None | Some("*") => whole,
            Some(item) => {
                // It was found for the first page.
                let span = find_item(&whole.text, &whole.blocks, item).unwrap_or(Span::new(0, 0));
                Self { text: whole.text.slice_ref(span.of(&whole.text)), blocks: Vec::new(), unit }
            }
        })
    }

    /// All lines with a match, in one go but where the pattern is slow.
    fn matches(&self, grep: &Grep, args: &GetArgs) -> impl Iterator<Item = ByteString> {
        let context = args.context.and_then(|lines| usize::try_from(lines).ok()).unwrap_or(2);
        let bounds = GrepBounds { context, len: usize::MAX, matches: usize::MAX };
        let mut from = Some(self.unit.offset_in(&self.text, start_of(args)));
        let mut is_first = true;
        iter::from_fn(move || {
            let found = grep.search(&self.text, from.take()?, self.unit, bounds);
            from = found.next().map(|next| self.unit.offset_in(&self.text, next));
            let between = if is_first || found.text.is_empty() { "" } else { "--\n" };
            is_first &= found.text.is_empty();
            Some(format!("{between}{}", found.text).into())
        })
    }

    /// The outline from `start` on: it can be much longer than the text.
    fn listing(&self, start: usize) -> impl Iterator<Item = ByteString> {
        let mut at = Some(start);
        iter::from_fn(move || {
            let page = outline(&self.text, &self.blocks, self.unit, at.take()?, LISTED_AT_ONCE)?;
            at = page.next();
            Some(page.text)
        })
    }
}

/// The text of a record from `at` to `end`, page by page.
fn stretch<'s>(
    shelf: &'s Shelf,
    meta: &'s Meta,
    mut at: usize,
    end: usize,
) -> impl Iterator<Item = Result<ByteString, Failure>> + use<'s> {
    iter::from_fn(move || {
        if at >= end {
            return None;
        }
        match page_of(&shelf.store, meta, at, (end - at).min(MAX_PAGE)) {
            Ok(page) => {
                let page = page?;
                at = page.end;
                Some(Ok(page.text))
            }
            Err(error) => {
                at = end;
                Some(Err(shelf.failed("read")(error)))
            }
        }
    })
}

/// What is told on standard error.
#[derive(Debug)]
struct Told {
    record: String,
    is_error: bool,
    is_complete: bool,
    is_to_end: bool,
    matches: Option<u64>,
    next: Option<String>,
}

impl Told {
    fn of(answer: &ReadAnswer, args: &GetArgs) -> Self {
        let is_to_end = args.all || args.is_of_whole();
        let next = number(answer, "nextStartChar").filter(|_| !is_to_end).map(|next| {
            let total = number(answer, "totalLength").and_then(|total| usize::try_from(total).ok());
            let (total, units) = (count(total.unwrap_or_default()), units(answer.meta.unit));
            format!("--start {next} (of {total} {units})")
        });
        Self {
            record: described(&answer.meta),
            is_error: answer.meta.is_error,
            is_complete: answer.meta.complete,
            is_to_end,
            matches: number(answer, "matches").filter(|_| !is_to_end),
            next,
        }
    }

    fn print(&self) {
        output::aside(|out| {
            line(out, "record", &fit(&self.record, COLUMNS - NAME))?;
            if self.is_error {
                line(out, "error", &"the tool says that it failed".red())?;
            }
            if !self.is_complete {
                line(out, "", &"it came already cut".yellow())?;
            }
            if let Some(matches) = self.matches.and_then(|matches| usize::try_from(matches).ok()) {
                let plural = if matches == 1 { "match" } else { "matches" };
                line(out, "found", &format!("{} {plural}", count(matches)))?;
            }
            self.next.iter().try_for_each(|next| line(out, "next", next))
        });
    }
}
