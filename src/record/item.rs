//! One value inside a JSON text, by pointer or by the id or name of an object.

use std::borrow::Cow;
use std::fmt;

use super::document::{Document, Labels, Objects, clipped, each_document, each_list, lists};
use super::json::{Fault, Kind, Token, Tokens, unquoted};
use crate::text::{Span, Unit};

/// The most pointers of an ambiguous item that are listed.
pub const MAX_ITEM_POINTERS: usize = 10;

/// The longest of them, in bytes; a longer one is counted only.
const MAX_POINTER_BYTES: usize = 1_000;

/// Why an item was not found.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ItemError {
    /// Neither the text nor a block of it is a JSON object or array.
    NotJson,
    /// There is no such item.
    NoItem,
    /// Several items fit.
    Ambiguous {
        /// Pointers to the first [`MAX_ITEM_POINTERS`] of them, but for huge ones; each is an item
        /// of its own.
        pointers: Vec<String>,
        /// How many fit.
        count: usize,
    },
}

impl fmt::Display for ItemError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotJson => f.write_str("the text is not JSON"),
            Self::NoItem => f.write_str("there is no such item"),
            Self::Ambiguous { count, .. } => write!(f, "{count} items fit"),
        }
    }
}

impl std::error::Error for ItemError {}

/// Finds a value inside `text` and returns where its own bytes lie (SPEC 22).
///
/// `item` is a JSON pointer (RFC 6901; of equal keys the last counts), or the id of an object in a
/// list, or its name where no id fits. It is looked for in the whole text if that is JSON, else in
/// each of the `blocks`; where several of those are JSON, a pointer starts with `#` and the number
/// of a block, from 0. Linear, at any depth, and without a tree.
///
/// ```
/// use slotledger::record::{ItemError, find_item};
/// let text = r#"{"models":[{"id":"m_1","name":"Invoice"},{"id":7,"name":"Ticket"}]}"#;
/// let found = |item| find_item(text, &[], item).map(|span| span.of(text));
/// assert_eq!(found("/models/0/name"), Ok(r#""Invoice""#));
/// assert_eq!(found("7"), Ok(r#"{"id":7,"name":"Ticket"}"#));
/// assert_eq!(found("Ticket"), found("7"));
/// assert_eq!(found("/models/2"), Err(ItemError::NoItem));
/// assert_eq!(find_item("hello", &[], "a"), Err(ItemError::NotJson));
/// ```
///
/// # Errors
///
/// When there is not exactly one such item, or no JSON.
pub fn find_item(text: &str, blocks: &[Span], item: &str) -> Result<Span, ItemError> {
    if item.starts_with('/') {
        let found = each_document(text, blocks, |document| at_pointer(document.text, item));
        let mut hits = Hits::default();
        for (document, place) in &found {
            if let Some(place) = place {
                hits.add(document.span(*place), || format!("{}{item}", document.prefix()));
            }
        }
        return if found.is_empty() { Err(ItemError::NotJson) } else { hits.answer() };
    }
    if let Some((block, pointer)) = numbered(item) {
        let found = each_document(text, blocks, |document| at_pointer(document.text, pointer));
        if found.len() > 1 {
            let meant = found.into_iter().find(|(document, _)| document.prefix() == block);
            let place = meant.and_then(|(document, place)| Some(document.span(place?)));
            return place.ok_or(ItemError::NoItem);
        }
    }
    let found = each_document(text, blocks, |document| labeled(document, item));
    if found.is_empty() {
        return Err(ItemError::NotJson);
    }
    // The best way of fitting decides, over all documents.
    let mut tiers: [Hits; TIERS] = Default::default();
    for (_, hits) in found {
        for (tier, hits) in tiers.iter_mut().zip(hits) {
            tier.append(hits);
        }
    }
    tiers.into_iter().find(|hits| hits.count > 0).unwrap_or_default().answer()
}

/// The parts of a pointer with the number of a block in front: `#0` and `/a`.
fn numbered(item: &str) -> Option<(&str, &str)> {
    let (block, pointer) = item.split_at(item.find('/').unwrap_or(item.len()));
    let digits = block.strip_prefix('#')?;
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then_some((block, pointer))
}

/// Places that fit.
#[derive(Debug, Default)]
struct Hits {
    first: Vec<(String, Span)>,
    count: usize,
}

impl Hits {
    fn add(&mut self, place: Span, pointer: impl FnOnce() -> String) {
        self.count += 1;
        if self.first.len() < MAX_ITEM_POINTERS {
            self.first.push((pointer(), place));
        }
    }

    fn append(&mut self, other: Self) {
        self.count += other.count;
        self.first.extend(other.first);
        self.first.truncate(MAX_ITEM_POINTERS);
    }

    fn answer(self) -> Result<Span, ItemError> {
        match self.first.as_slice() {
            [] => Err(ItemError::NoItem),
            [(_, place)] => Ok(*place),
            _ => {
                let pointers = self.first.into_iter().map(|(pointer, _)| pointer);
                let pointers = pointers.filter(|pointer| pointer.len() <= MAX_POINTER_BYTES);
                Err(ItemError::Ambiguous { pointers: pointers.collect(), count: self.count })
            }
        }
    }
}

/// Where the value lies that `pointer` names; `None` if there is none.
///
/// Only what the pointer leads through is entered, so that equal keys cost no second pass, and
/// depth off the way costs nothing.
fn at_pointer(text: &str, pointer: &str) -> Result<Option<Span>, Fault> {
    let steps: Option<Vec<Step<'_>>> = pointer.split('/').skip(1).map(Step::read).collect();
    let mut tokens = Tokens::new(text);
    let Some(steps) = steps else { return tokens.finish().map(|()| None) };
    // Of each open object or array on the way: the index of the next element, in an array.
    let mut way: Vec<Option<usize>> = Vec::new();
    let mut place = None;
    let mut is_on_way = true;
    while let Some(token) = tokens.next()? {
        let step = way.len().checked_sub(1).and_then(|last| steps.get(last));
        match token {
            Token::Close { .. } => {
                way.pop();
                continue;
            }
            Token::Key(key) => {
                is_on_way = step.is_some_and(|step| unquoted(key.of(text)) == step.key);
                if is_on_way {
                    // An equal key before led elsewhere.
                    place = None;
                }
                continue;
            }
            Token::Open { .. } | Token::Scalar { .. } => {}
        }
        if let Some(Some(next)) = way.last_mut() {
            is_on_way = step.is_some_and(|step| step.index == Some(*next));
            *next += 1;
        }
        match token {
            Token::Open { kind, .. } if is_on_way && way.len() < steps.len() => {
                way.push((kind == Kind::Array).then_some(0));
            }
            Token::Open { .. } | Token::Close { .. } | Token::Key(_) | Token::Scalar { .. } => {
                let (_, span) = tokens.whole(token)?;
                if is_on_way && way.len() == steps.len() {
                    place = Some(span);
                }
            }
        }
    }
    tokens.finish()?;
    Ok(place)
}

/// A reference token of a pointer.
#[derive(Debug)]
struct Step<'p> {
    key: Cow<'p, str>,
    index: Option<usize>,
}

impl<'p> Step<'p> {
    /// Reads an escaped token; `None` if its escapes are not RFC 6901's.
    fn read(token: &'p str) -> Option<Self> {
        let mut parts = token.split('~');
        let mut key = Cow::Borrowed(parts.next()?);
        for part in parts {
            let (escaped, rest) = part.split_at_checked(1)?;
            let key = key.to_mut();
            key.push(match escaped {
                "0" => '~',
                "1" => '/',
                _ => return None,
            });
            key.push_str(rest);
        }
        let is_index = key.bytes().all(|byte| byte.is_ascii_digit())
            && (!key.starts_with('0') || key.len() == 1);
        let index = is_index.then(|| key.parse().ok()).flatten();
        Some(Self { key, index })
    }
}

/// The ways in which an object of a list can fit what was asked for, the best first: its id, its
/// name, and either as an outline shows it when it is too long.
const TIERS: usize = 4;

/// The objects of lists that fit `item`, by the way they do.
fn labeled(document: Document<'_>, item: &str) -> Result<[Hits; TIERS], Fault> {
    let text = document.text;
    let mut tiers: [Hits; TIERS] = Default::default();
    each_list(document, &lists(text)?, Unit::Byte, &mut |pointer, list| {
        let mut objects = Objects::new(text, list)?;
        loop {
            let mut labels = Labels::default();
            let object = objects.next(|key, kind, value| labels.note(&key, kind, value))?;
            let Some((index, span)) = object else { return Ok(objects.end()) };
            let (id, name) = (labels.id(text), labels.name(text));
            let fits = |label: Option<&str>| label == Some(item);
            let ways = [
                fits(id.as_deref()),
                fits(name.as_deref()),
                fits(id.as_deref().map(clipped)),
                fits(name.as_deref().map(clipped)),
            ];
            let way = ways.iter().position(|fits| *fits);
            if let Some(hits) = way.and_then(|way| tiers.get_mut(way)) {
                let spelled =
                    || unquoted(&format!("\"{}/{index}\"", pointer.written())).into_owned();
                hits.add(document.span(span), spelled);
            }
        }
    })?;
    Ok(tiers)
}
