//! The JSON documents of a record's text, and the lists in them.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use super::json::{Fault, Kind, Token, Tokens, trimmed, unquoted};
use crate::text::{Span, Unit};

/// How many objects there may be on the way to a list.
const MAX_OBJECTS: usize = 4;

/// A JSON object or array that is a record's text, or one block of it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Document<'t> {
    /// The document.
    pub(super) text: &'t str,
    /// Where it starts in the record's text, in bytes.
    pub(super) start: usize,
    /// Which block it is.
    block: Option<usize>,
}

impl<'t> Document<'t> {
    /// The document that `text` is from `part.start` to `part.end`, but for white space; it may
    /// prove to be none.
    fn of(text: &'t str, part: Span, block: Option<usize>) -> Self {
        let trimmed = trimmed(part.of(text));
        Self { text: trimmed.of(part.of(text)), start: part.start + trimmed.start, block }
    }

    /// Where a part of it lies in the record's text.
    pub(super) fn span(self, part: Span) -> Span {
        Span::new(self.start + part.start, self.start + part.end)
    }

    /// What makes a pointer into it one into the record: nothing, or the number of the block.
    pub(super) fn prefix(self) -> String {
        self.block.map_or_else(String::new, |block| format!("#{block}"))
    }
}

/// Asks `ask` of the whole text if it is JSON, else of each block that is, and returns the answers
/// with their documents.
///
/// A number or a string alone is no document: there is nothing to be found in it. Where several
/// blocks are JSON their pointers start with `#` and the number of the block among `blocks`, from
/// 0, so that each names one place.
pub(super) fn each_document<'t, A>(
    text: &'t str,
    blocks: &[Span],
    ask: impl Fn(Document<'t>) -> Result<A, Fault>,
) -> Vec<(Document<'t>, A)> {
    let answer = |document: Document<'t>| {
        let may_be = document.text.starts_with(['{', '[']);
        if may_be { Some((document, ask(document).ok()?)) } else { None }
    };
    if let Some(answer) = answer(Document::of(text, Span::new(0, text.len()), None)) {
        return vec![answer];
    }
    let blocks = blocks.iter().enumerate();
    let mut answers: Vec<_> = blocks
        .filter_map(|(number, block)| answer(Document::of(text, *block, Some(number))))
        .collect();
    if let [(only, _)] = answers.as_mut_slice() {
        only.block = None;
    }
    answers
}

/// A non-empty array of objects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct List {
    /// Where it opens in its document.
    at: usize,
    /// How many objects it has.
    pub(super) count: usize,
}

/// The lists of a document, in text order. Fails if it is no JSON.
///
/// Of equal keys the last counts, as if the others were not there. Linear; beside the lists it
/// holds a key for each member of an open object that leads to some.
pub(super) fn lists(text: &str) -> Result<Vec<List>, Fault> {
    let mut finder = Finder { text, tokens: Tokens::new(text), lists: Vec::new() };
    let first = finder.tokens.next()?.ok_or(Fault::End)?;
    finder.value(first, MAX_OBJECTS)?;
    finder.tokens.finish()?;
    Ok(finder.lists.into_iter().flatten().collect())
}

struct Finder<'t> {
    text: &'t str,
    tokens: Tokens<'t>,
    /// `None` where a later key hides a list.
    lists: Vec<Option<List>>,
}

impl Finder<'_> {
    /// Reads a value, and in it at most `objects` levels of objects.
    fn value(&mut self, first: Token, objects: usize) -> Result<(), Fault> {
        match first {
            Token::Open { kind: Kind::Array, at } => self.array(at),
            Token::Open { .. } if objects > 0 => self.object(objects - 1),
            Token::Open { .. } | Token::Close { .. } | Token::Key(_) | Token::Scalar { .. } => {
                self.tokens.whole(first).map(|_| ())
            }
        }
    }

    fn array(&mut self, at: usize) -> Result<(), Fault> {
        let (mut count, mut others) = (0, 0);
        while let Some(token) = self.tokens.next()? {
            if let Token::Close { .. } = token {
                break;
            }
            let (kind, _) = self.tokens.whole(token)?;
            *(if kind == Kind::Object { &mut count } else { &mut others }) += 1;
        }
        if count > 0 && others == 0 {
            self.lists.push(Some(List { at, count }));
        }
        Ok(())
    }

    fn object(&mut self, objects: usize) -> Result<(), Fault> {
        // The lists that each key leads to, of the keys that lead to any.
        let mut found: HashMap<Cow<'_, str>, Range<usize>> = HashMap::new();
        while let Some(Token::Key(key)) = self.tokens.next()? {
            let key = unquoted(key.of(self.text));
            if let Some(hidden) = found.remove(&key) {
                self.lists.get_mut(hidden).unwrap_or_default().fill(None);
            }
            let before = self.lists.len();
            let value = self.tokens.next()?.ok_or(Fault::End)?;
            self.value(value, objects)?;
            if self.lists.len() > before {
                found.insert(key, before..self.lists.len());
            }
        }
        Ok(())
    }
}

/// A JSON pointer (RFC 6901) as it is written inside a JSON string.
///
/// It grows and shrinks with a walk, and its length with it: many lists behind one long key cost
/// no more than the key.
#[derive(Clone, Debug)]
pub(super) struct Pointer {
    written: String,
    len: usize,
    unit: Unit,
}

impl Pointer {
    /// The pointer to a whole document.
    pub(super) fn to(document: Document<'_>, unit: Unit) -> Self {
        let written = document.prefix();
        Self { len: unit.len_of(&written), written, unit }
    }

    /// The pointer as it is written inside a JSON string.
    pub(super) fn written(&self) -> &str {
        &self.written
    }

    /// The length of [`written`](Self::written), in its unit.
    pub(super) fn len(&self) -> usize {
        self.len
    }

    /// Calls `work` with the pointer to the member `key` of what this points to.
    pub(super) fn within<T>(&mut self, key: &str, work: impl FnOnce(&mut Self) -> T) -> T {
        let (end, len) = (self.written.len(), self.len);
        let escaped = key.replace('~', "~0").replace('/', "~1");
        let quoted = quoted(&escaped);
        self.written.push('/');
        self.written.push_str(quoted.get(1..quoted.len() - 1).unwrap_or_default());
        self.len += self.unit.len_of(self.written.get(end..).unwrap_or_default());
        let answer = work(self);
        self.written.truncate(end);
        self.len = len;
        answer
    }
}

/// `text` as a JSON string, with quotes.
pub(super) fn quoted(text: &str) -> String {
    serde_json::to_string(text).unwrap_or_default()
}

/// Calls `each` with every one of the `lists` of a document, and the pointer to it; it returns
/// where the list ends.
pub(super) fn each_list(
    document: Document<'_>,
    lists: &[List],
    unit: Unit,
    each: &mut dyn FnMut(&Pointer, &List) -> Result<usize, Fault>,
) -> Result<(), Fault> {
    let mut walk = Walk { text: document.text, tokens: Tokens::new(document.text), lists, each };
    let first = walk.tokens.next()?.ok_or(Fault::End)?;
    walk.value(first, &mut Pointer::to(document, unit), MAX_OBJECTS)
}

/// The way of a [`Finder`] once more, to the lists that it found.
struct Walk<'t> {
    text: &'t str,
    tokens: Tokens<'t>,
    lists: &'t [List],
    each: &'t mut dyn FnMut(&Pointer, &List) -> Result<usize, Fault>,
}

impl Walk<'_> {
    fn value(&mut self, first: Token, pointer: &mut Pointer, objects: usize) -> Result<(), Fault> {
        match first {
            Token::Open { kind: Kind::Object, .. } if objects > 0 => {
                return self.object(pointer, objects - 1);
            }
            Token::Open { at, .. } => {
                if let Some((list, rest)) = self.lists.split_first()
                    && list.at == at
                {
                    self.lists = rest;
                    let end = (self.each)(pointer, list)?;
                    self.tokens.resume(end);
                    return Ok(());
                }
            }
            Token::Close { .. } | Token::Key(_) | Token::Scalar { .. } => {}
        }
        self.tokens.whole(first).map(|_| ())
    }

    fn object(&mut self, pointer: &mut Pointer, objects: usize) -> Result<(), Fault> {
        while let Some(Token::Key(key)) = self.tokens.next()? {
            let value = self.tokens.next()?.ok_or(Fault::End)?;
            if let Token::Open { .. } = value {
                let key = unquoted(key.of(self.text));
                pointer.within(&key, |pointer| self.value(value, pointer, objects))?;
            }
        }
        Ok(())
    }
}

/// The objects of a list, one after another.
#[derive(Debug)]
pub(super) struct Objects<'t> {
    text: &'t str,
    tokens: Tokens<'t>,
    index: usize,
}

impl<'t> Objects<'t> {
    pub(super) fn new(text: &'t str, list: &List) -> Result<Self, Fault> {
        let mut tokens = Tokens::from(text, list.at);
        tokens.next()?;
        Ok(Self { text, tokens, index: 0 })
    }

    /// Reads the next object and returns its index and where it lies; `member` is told the key of
    /// each member, what it is and where it lies.
    pub(super) fn next(
        &mut self,
        mut member: impl FnMut(Cow<'t, str>, Kind, Span),
    ) -> Result<Option<(usize, Span)>, Fault> {
        let Some(Token::Open { at, .. }) = self.tokens.next()? else { return Ok(None) };
        while let Some(Token::Key(key)) = self.tokens.next()? {
            let value = self.tokens.next()?.ok_or(Fault::End)?;
            let (kind, span) = self.tokens.whole(value)?;
            member(unquoted(key.of(self.text)), kind, span);
        }
        self.index += 1;
        Ok(Some((self.index - 1, Span::new(at, self.tokens.at()))))
    }

    /// Where the list ends, once all objects were read.
    pub(super) fn end(&self) -> usize {
        self.tokens.at()
    }
}

/// The longest id, name or description that is written, in UTF-16 units.
const MAX_LABEL_UTF16: usize = 120;

/// As much of an id, name or description as is written.
pub(super) fn clipped(label: &str) -> &str {
    let end = Unit::Utf16.offset_in(label, MAX_LABEL_UTF16);
    label.get(..end).unwrap_or(label)
}

/// What an object says of itself.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Labels {
    ids: [Option<Span>; 4],
    names: [Option<Span>; 3],
    descriptions: [Option<Span>; 2],
}

impl Labels {
    /// Takes note of a member; of equal keys the last counts.
    pub(super) fn note(&mut self, key: &str, kind: Kind, value: Span) {
        let place = match key {
            "id" => self.ids.get_mut(0),
            "_id" => self.ids.get_mut(1),
            "uuid" => self.ids.get_mut(2),
            "key" => self.ids.get_mut(3),
            "name" => self.names.get_mut(0),
            "title" => self.names.get_mut(1),
            "label" => self.names.get_mut(2),
            "description" => self.descriptions.get_mut(0),
            "summary" => self.descriptions.get_mut(1),
            _ => None,
        };
        if let Some(place) = place {
            *place = matches!(kind, Kind::String | Kind::Number).then_some(value);
        }
    }

    /// The id: the text of a string, or a number as it is spelled.
    pub(super) fn id<'t>(&self, text: &'t str) -> Option<Cow<'t, str>> {
        first(&self.ids, text)
    }

    pub(super) fn name<'t>(&self, text: &'t str) -> Option<Cow<'t, str>> {
        first(&self.names, text)
    }

    pub(super) fn description<'t>(&self, text: &'t str) -> Option<Cow<'t, str>> {
        first(&self.descriptions, text)
    }
}

fn first<'t>(values: &[Option<Span>], text: &'t str) -> Option<Cow<'t, str>> {
    values.iter().flatten().next().map(|span| unquoted(span.of(text)))
}
