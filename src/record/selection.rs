//! The part of a record that a call asks for: a page, an item, an outline, or what a search found.

use bytestring::ByteString;

use super::arguments::ReadRequest;
use super::grep::{Grep, GrepBounds, GrepError};
use super::item::{ItemError, find_item};
use super::outline::outline;
use super::page::{Page, page_of, snapped};
use super::record::{Gone, Meta};
use super::refusal::ReadRefusal;
use super::store::{Store, StoreError};
use crate::copy::BlockKind;
use crate::text::Span;

/// The item that lists what a text holds.
const OUTLINE: &str = "*";

/// The longest outline that is searched.
const MAX_SEARCHED_OUTLINE: usize = 10_000_000;

/// A part of a record, and what is said of it. Offsets and lengths are in the record's unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// The length of what it is a part of: the text, an item, an outline.
    pub(super) total: usize,
    pub(super) start: usize,
    pub(super) end: usize,
    /// Where to go on.
    pub(super) next: Option<usize>,
    /// Where the item starts in the text.
    pub(super) item_start: Option<usize>,
    pub(super) matches: Option<usize>,
    pub(super) text: ByteString,
    /// Where it lies in the record's text, if it is a stretch of that.
    pub(super) range: Option<(usize, usize)>,
}

/// What is looked into: the text of a record, an item of it, or its outline.
struct Subject {
    text: ByteString,
    /// Where it starts in the record's text; `None` where it is not in there.
    start: Option<usize>,
    item_start: Option<usize>,
}

/// The part of the record that `request` asks for, at most `length` long.
pub(super) fn part_of(
    store: &dyn Store,
    meta: &Meta,
    request: &ReadRequest,
    length: usize,
) -> Result<Part, ReadRefusal> {
    let failed = |error: StoreError| ReadRefusal::of_read(&error, &request.id, meta);
    let unit = meta.unit;
    let start = request.start;
    // Before anything is read, which may be much.
    let grep =
        request.grep.as_deref().map(Grep::new).transpose().map_err(|error| bad_pattern(&error))?;
    if request.item.is_none() && grep.is_none() {
        let page = page_of(store, meta, start, length).map_err(failed)?;
        let page = page.ok_or(ReadRefusal::OutOfRange { start, total: meta.total_len() })?;
        return Ok(Part::verbatim(page, Some(0), None));
    }
    let subject = match request.item.as_deref() {
        None => Subject {
            text: whole_text(store, meta).map_err(failed)?,
            start: Some(0),
            item_start: None,
        },
        Some(OUTLINE) => {
            let (text, blocks) = text_and_blocks(store, meta).map_err(failed)?;
            let listing = |start, len| outline(&text, &blocks, unit, start, len);
            let whole = if grep.is_some() {
                // A listing can be the square of its text, and a search goes through all of it.
                let total = listing(0, 0).ok_or(ReadRefusal::NotJson)?.total;
                if total > MAX_SEARCHED_OUTLINE {
                    return Err(ReadRefusal::OutlineTooLong { total });
                }
                listing(0, total)
            } else {
                None
            };
            let Some(page) = whole else {
                let page = listing(start, length).ok_or(ReadRefusal::NotJson)?;
                if start > page.total {
                    return Err(ReadRefusal::OutOfRange { start, total: page.total });
                }
                return Ok(Part::verbatim(page, None, None));
            };
            Subject { text: page.text, start: None, item_start: None }
        }
        Some(item) => {
            let (text, blocks) = text_and_blocks(store, meta).map_err(failed)?;
            let span = find_item(&text, &blocks, item).map_err(|error| no_item(error, item))?;
            let before = unit.len_of(text.get(..span.start).unwrap_or_default());
            let text = text.slice_ref(span.of(&text));
            Subject { text, start: Some(before), item_start: Some(before) }
        }
    };
    let total = unit.len_of(&subject.text);
    if start > total {
        return Err(ReadRefusal::OutOfRange { start, total });
    }
    let end = start.saturating_add(length).min(total);
    let (span, start) = snapped(&subject.text, unit, start, end);
    let Some(grep) = grep else {
        let text = subject.text.slice_ref(span.of(&subject.text));
        let page = Page { end: start + unit.len_of(&text), text, start, total };
        return Ok(Part::verbatim(page, subject.start, subject.item_start));
    };
    let bounds = GrepBounds { context: request.context, len: length, ..GrepBounds::default() };
    let found = grep.search(&subject.text, span.start, unit, bounds);
    Ok(Part {
        total,
        start,
        end: found.end,
        next: found.next(),
        item_start: subject.item_start,
        matches: Some(found.matches),
        text: found.text.into(),
        range: None,
    })
}

impl Part {
    /// A page of something that starts at `at` in the record's text, if it is in there.
    fn verbatim(page: Page, at: Option<usize>, item_start: Option<usize>) -> Self {
        Self {
            total: page.total,
            start: page.start,
            end: page.end,
            next: page.next(),
            item_start,
            matches: None,
            range: at.map(|at| (at + page.start, at + page.end)),
            text: page.text,
        }
    }
}

fn whole_text(store: &dyn Store, meta: &Meta) -> Result<ByteString, StoreError> {
    let text = store.read(meta.id, 0, meta.total_len())?.text;
    // What was found in a part would be said of the whole.
    let is_whole = text.len() == meta.sizes.bytes;
    if is_whole { Ok(text) } else { Err(StoreError::Gone(Gone::Damage)) }
}

/// The text, and the blocks of it that can be JSON by themselves.
fn text_and_blocks(store: &dyn Store, meta: &Meta) -> Result<(ByteString, Vec<Span>), StoreError> {
    let blocks = store.places(meta.id)?.blocks.into_iter();
    let texts = blocks.filter(|block| block.kind == BlockKind::Text).map(|block| block.span);
    Ok((whole_text(store, meta)?, texts.collect()))
}

fn no_item(error: ItemError, item: &str) -> ReadRefusal {
    match error {
        ItemError::NotJson => ReadRefusal::NotJson,
        ItemError::NoItem => ReadRefusal::NoItem { item: item.into() },
        ItemError::Ambiguous { pointers, count } => {
            ReadRefusal::AmbiguousItem { item: item.into(), pointers, count }
        }
    }
}

fn bad_pattern(error: &GrepError) -> ReadRefusal {
    match error {
        GrepError::MatchesEmpty => ReadRefusal::EmptyPattern,
        GrepError::TooLong | GrepError::Syntax { .. } | GrepError::TooLarge => {
            ReadRefusal::BadPattern { reason: error.to_string().into() }
        }
    }
}
