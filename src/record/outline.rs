//! A light listing of a JSON text: what its lists hold, and how large each object is.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;

use super::document::{
    Document, Labels, List, Objects, Pointer, clipped, each_document, each_list, lists, quoted,
};
use super::json::{Fault, Kind, Token, Tokens, unquoted};
use super::page::Page;
use crate::text::{Span, Unit};

/// Lists what a JSON text holds, a line of JSON each, and returns the page of that listing that
/// starts at `start` and is `len` long, both in `unit` (SPEC 22.13); `None` if the text is not JSON.
///
/// Where there are lists, non-empty arrays of objects behind at most four objects, a line a list
/// and a line an object; else a line for the whole and a line a member. The lines are of the
/// whole text if that is JSON, else of each of the `blocks`; the pointers in them are items of
/// [`find_item`](super::find_item). Counts are exact, and sizes are in `unit`.
///
/// A `start` past the end gives an empty page at the end. Linear, and holds no more of the listing
/// than the page and the lines it cuts.
///
/// ```
/// use slotledger::Unit;
/// use slotledger::record::outline;
/// let text = r#"{"users":[{"id":7,"name":"Ada","tags":["a","b"]}]}"#;
/// let page = outline(text, &[], Unit::Utf16, 0, 1_000).expect("JSON");
/// assert_eq!(
///     page.text,
///     concat!(
///         "{\"list\":\"/users\",\"count\":1}\n",
///         "{\"item\":\"/users/0\",\"id\":\"7\",\"name\":\"Ada\",\"tagCount\":2,\"size\":38}\n",
///     )
/// );
/// assert_eq!(outline("hello", &[], Unit::Utf16, 0, 1_000), None);
/// ```
pub fn outline(text: &str, blocks: &[Span], unit: Unit, start: usize, len: usize) -> Option<Page> {
    let documents = each_document(text, blocks, |document| lists(document.text));
    if documents.is_empty() {
        return None;
    }
    let mut listing = Listing::new(unit, start, len);
    for (document, lists) in documents {
        // They were read before, to the end.
        let _read = if lists.is_empty() {
            write_members(&mut listing, document)
        } else {
            each_list(document, &lists, unit, &mut |pointer, list| {
                write_list(&mut listing, document.text, pointer, list)
            })
        };
    }
    Some(listing.into_page())
}

/// Writes a list and its objects, and returns where it ends.
fn write_list(
    listing: &mut Listing,
    text: &str,
    pointer: &Pointer,
    list: &List,
) -> Result<usize, Fault> {
    listing.line("list", pointer, "", &format!(",\"count\":{}", list.count));
    let mut objects = Objects::new(text, list)?;
    let mut counts = Counts::default();
    let mut line = String::new();
    loop {
        let mut labels = Labels::default();
        counts.clear();
        let object = objects.next(|key, kind, value| {
            labels.note(&key, kind, value);
            counts.note(text, key, kind, value);
        })?;
        let Some((index, span)) = object else { return Ok(objects.end()) };
        line.clear();
        let labels = [
            ("id", labels.id(text)),
            ("name", labels.name(text)),
            ("description", labels.description(text)),
        ];
        for (name, label) in &labels {
            if let Some(label) = label {
                let _infallible = write!(line, ",\"{name}\":{}", quoted(clipped(label)));
            }
        }
        counts.write(&mut line);
        let _infallible = write!(line, ",\"size\":{}", listing.unit.len_of(span.of(text)));
        listing.line("item", pointer, &format!("/{index}"), &line);
    }
}

/// Writes a document without lists, and its members.
fn write_members(listing: &mut Listing, document: Document<'_>) -> Result<(), Fault> {
    let text = document.text;
    let pointer = &mut Pointer::to(document, listing.unit);
    let mut tokens = Tokens::new(text);
    let Some(Token::Open { kind, at }) = tokens.next()? else { return Err(Fault::Bad) };
    let count = count(text, at)?;
    listing.line(kind.name(), pointer, "", &format!(",\"count\":{count}"));
    if kind == Kind::Array {
        let mut index = 0;
        while let Some(token @ (Token::Open { .. } | Token::Scalar { .. })) = tokens.next()? {
            let (kind, span) = tokens.whole(token)?;
            let member = member(listing.unit, text, kind, span)?;
            listing.line("item", pointer, &format!("/{index}"), &member);
            index += 1;
        }
        return Ok(());
    }
    let last = last_keys(text)?;
    while let Some(Token::Key(key)) = tokens.next()? {
        let value = tokens.next()?.ok_or(Fault::End)?;
        let (kind, span) = tokens.whole(value)?;
        let name = unquoted(key.of(text));
        if last.get(&name) == Some(&key.start) {
            let member = member(listing.unit, text, kind, span)?;
            pointer.within(&name, |pointer| listing.line("item", pointer, "", &member));
        }
    }
    Ok(())
}

/// What is said of a member behind its pointer.
fn member(unit: Unit, text: &str, kind: Kind, span: Span) -> Result<String, Fault> {
    let mut line = format!(",\"type\":\"{}\"", kind.name());
    if matches!(kind, Kind::Array | Kind::Object) {
        let _infallible = write!(line, ",\"count\":{}", count(text, span.start)?);
    }
    let _infallible = write!(line, ",\"size\":{}", unit.len_of(span.of(text)));
    Ok(line)
}

/// Where each key of the object that `text` is stands last.
fn last_keys(text: &str) -> Result<HashMap<Cow<'_, str>, usize>, Fault> {
    let mut tokens = Tokens::new(text);
    let mut last = HashMap::new();
    tokens.next()?;
    while let Some(Token::Key(key)) = tokens.next()? {
        last.insert(unquoted(key.of(text)), key.start);
        let value = tokens.next()?.ok_or(Fault::End)?;
        tokens.whole(value)?;
    }
    Ok(last)
}

/// How many elements or different keys the array or object at `at` has.
fn count(text: &str, at: usize) -> Result<usize, Fault> {
    let mut tokens = Tokens::from(text, at);
    tokens.next()?;
    let (mut elements, mut keys) = (0, HashSet::new());
    while let Some(token) = tokens.next()? {
        match token {
            Token::Close { .. } => break,
            Token::Key(key) => {
                keys.insert(unquoted(key.of(text)));
                let value = tokens.next()?.ok_or(Fault::End)?;
                tokens.whole(value)?;
            }
            Token::Open { .. } | Token::Scalar { .. } => {
                elements += 1;
                tokens.whole(token)?;
            }
        }
    }
    Ok(elements + keys.len())
}

/// The counts of the arrays and objects in one object; of equal keys the last counts.
#[derive(Debug, Default)]
struct Counts<'t> {
    counts: Vec<Option<(Cow<'t, str>, usize)>>,
    places: HashMap<Cow<'t, str>, usize>,
}

impl<'t> Counts<'t> {
    fn clear(&mut self) {
        self.counts.clear();
        self.places.clear();
    }

    fn note(&mut self, text: &'t str, key: Cow<'t, str>, kind: Kind, value: Span) {
        if !self.places.is_empty()
            && let Some(place) = self.places.remove(&key)
            && let Some(hidden) = self.counts.get_mut(place)
        {
            *hidden = None;
        }
        if matches!(kind, Kind::Array | Kind::Object)
            && let Ok(count) = count(text, value.start)
        {
            self.places.insert(key.clone(), self.counts.len());
            self.counts.push(Some((key, count)));
        }
    }

    fn write(&self, line: &mut String) {
        let mut taken: HashSet<String> = HashSet::new();
        for (key, count) in self.counts.iter().flatten() {
            let mut name = count_name(key);
            if taken.contains(&name) {
                name = format!("{key}Count");
            }
            if !taken.contains(&name) {
                let _infallible = write!(line, ",{}:{count}", quoted(&name));
                taken.insert(name);
            }
        }
    }
}

/// The name under which the members of `key` are counted: `node_types` gives `nodeTypeCount`.
fn count_name(key: &str) -> String {
    let mut name = String::with_capacity(key.len() + "Count".len());
    for word in key.split(|ch: char| !ch.is_alphanumeric()).filter(|word| !word.is_empty()) {
        let mut chars = word.chars();
        let first = chars.next().into_iter();
        if name.is_empty() {
            name.extend(first.flat_map(char::to_lowercase));
        } else {
            name.extend(first.flat_map(char::to_uppercase));
        }
        name.push_str(chars.as_str());
    }
    if let Some(stem) = name.strip_suffix("ies") {
        name = format!("{stem}y");
    } else if name.ends_with('s') && !name.ends_with("ss") {
        name.pop();
    }
    name.push_str("Count");
    name
}

/// Counts all lines that are written, and keeps those of a page.
#[derive(Debug)]
struct Listing {
    unit: Unit,
    start: usize,
    end: usize,
    total: usize,
    /// The lines that hold the page, and how much was written before them.
    kept: String,
    before: usize,
}

impl Listing {
    fn new(unit: Unit, start: usize, len: usize) -> Self {
        let end = start.saturating_add(len);
        Self { unit, start, end, total: 0, kept: String::new(), before: 0 }
    }

    /// Writes `{"NAME":"POINTER…"…}`, `behind` in the string and `members` behind it.
    fn line(&mut self, name: &str, pointer: &Pointer, behind: &str, members: &str) {
        const SIGNS: usize = "{\"\":\"\"}\n".len();
        let len = SIGNS + name.len() + pointer.len() + behind.len() + self.unit.len_of(members);
        let (from, to) = (self.total, self.total + len);
        if to > self.start && from <= self.end {
            if self.kept.is_empty() {
                self.before = from;
            }
            let pointer = pointer.written();
            let _infallible = writeln!(self.kept, "{{\"{name}\":\"{pointer}{behind}\"{members}}}");
        }
        self.total = to;
    }

    fn into_page(self) -> Page {
        let (kept, total) = (self.kept, self.total);
        let (start, end) = (self.start.min(total), self.end.min(total));
        let place = |at: usize| self.unit.offset_in(&kept, at.saturating_sub(self.before));
        let (from, mut to) = (place(start), place(end));
        if from == to && start < total {
            // The one character there is longer than the page: a page must get on.
            to = kept.ceil_char_boundary(from + 1);
        }
        let text = kept.get(from..to).unwrap_or_default();
        let before = kept.get(..from).unwrap_or_default();
        let start = if kept.is_empty() { total } else { self.before + self.unit.len_of(before) };
        Page { end: start + self.unit.len_of(text), text: text.into(), start, total }
    }
}
