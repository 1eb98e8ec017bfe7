//! Why nothing was read: values for the host, a sentence for the model.

use std::collections::HashMap;
use std::fmt;

use bytestring::ByteString;

use super::handle::is_printable;
use super::page::MAX_PAGE;
use super::record::{Gone, Meta};
use super::store::StoreError;
use crate::image::hex;
use crate::notice;

/// Why a record was not read back.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ReadRefusal {
    /// The arguments are no object.
    NoObject,
    /// There is no id.
    NoId,
    /// A field is no whole number in its bounds.
    NotANumber {
        /// The field.
        field: &'static str,
        /// Its bounds, in words.
        bounds: &'static str,
        /// What it was, as JSON.
        got: ByteString,
    },
    /// A field is no string.
    NotAString {
        /// The field.
        field: &'static str,
        /// What it was, as JSON.
        got: ByteString,
    },
    /// The scope is none.
    BadScope {
        /// What it was, as JSON.
        got: ByteString,
    },
    /// Arguments of `recall` that name nothing.
    NothingToRecall,
    /// The page is too long.
    PageTooLarge {
        /// The length asked for.
        length: usize,
    },
    /// Nothing was ever kept under the id.
    UnknownCall {
        /// The id as asked.
        asked: ByteString,
        /// Where it was looked for.
        place: Place,
    },
    /// The record's text was removed.
    Expired {
        /// The id as asked.
        asked: ByteString,
        /// What is known of the record.
        meta: Box<Meta>,
        /// Why it was removed.
        why: Gone,
    },
    /// The id is of another session, which may be read.
    WrongSession {
        /// The id as asked.
        asked: ByteString,
        /// The session it is of.
        session: ByteString,
    },
    /// Another session was asked for, and may not be read.
    NotAllowed,
    /// The call is of another tool.
    NameMismatch {
        /// The id as asked.
        asked: ByteString,
        /// The tool it is of.
        made_by: ByteString,
        /// The tool asked for.
        not_by: ByteString,
    },
    /// The id is of several different texts.
    Ambiguous {
        /// The id as asked.
        asked: ByteString,
        /// The records, the newest first, one of each text.
        records: Vec<Meta>,
        /// The session that asks.
        session: ByteString,
    },
    /// The start is past the end.
    OutOfRange {
        /// The start asked for.
        start: usize,
        /// The length of the text.
        total: usize,
    },
    /// The text is no JSON, and an item of it was asked for.
    NotJson,
    /// The text has no such item.
    NoItem {
        /// The item as asked.
        item: ByteString,
    },
    /// The item is the id or name of several values.
    AmbiguousItem {
        /// The item as asked.
        item: ByteString,
        /// Pointers to the first of them.
        pointers: Vec<String>,
        /// How many fit.
        count: usize,
    },
    /// The pattern cannot be searched for.
    BadPattern {
        /// Why.
        reason: ByteString,
    },
    /// The pattern matches the empty text.
    EmptyPattern,
    /// The outline is too long to be searched.
    OutlineTooLong {
        /// Its length.
        total: usize,
    },
    /// The turn has no room left.
    NoRoom,
    /// The store cannot be read.
    Busy {
        /// Why, in a few words.
        reason: ByteString,
        /// All that is known of it, for people.
        cause: ByteString,
    },
}

/// Where a call was looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// In the session that asks.
    ThisSession,
    /// In another session.
    Session(ByteString),
    /// In every session.
    AnySession,
}

impl ReadRefusal {
    /// The reason as one word, for programs.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::NoObject
            | Self::NoId
            | Self::NotANumber { .. }
            | Self::NotAString { .. }
            | Self::BadScope { .. }
            | Self::NothingToRecall => "bad_arguments",
            Self::PageTooLarge { .. } => "page_too_large",
            Self::UnknownCall { .. } => "unknown_call",
            Self::Expired { .. } => "expired",
            Self::WrongSession { .. } => "wrong_session",
            Self::NotAllowed => "not_allowed",
            Self::NameMismatch { .. } => "name_mismatch",
            Self::Ambiguous { .. } | Self::AmbiguousItem { .. } => "ambiguous",
            Self::OutOfRange { .. } => "out_of_range",
            Self::NotJson => "not_json",
            Self::NoItem { .. } => "no_item",
            Self::BadPattern { .. } | Self::EmptyPattern | Self::OutlineTooLong { .. } => {
                "bad_grep"
            }
            Self::NoRoom => "no_room",
            Self::Busy { .. } => "busy",
        }
    }

    /// What the model reads: one sentence.
    pub fn notice(&self) -> String {
        match self {
            Self::NoObject => notice::NO_OBJECT.to_owned(),
            Self::NoId => notice::ID_MISSING.to_owned(),
            Self::NotANumber { field, bounds, got } => notice::not_a_number(field, bounds, got),
            Self::NotAString { field, got } => notice::not_a_string(field, got),
            Self::BadScope { got } => notice::bad_scope(got),
            Self::NothingToRecall => notice::NOTHING_TO_RECALL.to_owned(),
            Self::PageTooLarge { length } => notice::page_too_large(*length, MAX_PAGE),
            Self::UnknownCall { asked, place } => match place {
                Place::ThisSession => notice::unknown_call(asked, notice::IN_THIS_SESSION),
                Place::AnySession => notice::unknown_call(asked, notice::IN_ANY_SESSION),
                Place::Session(session) => {
                    notice::unknown_call(asked, &notice::in_session(session))
                }
            },
            Self::Expired { asked, meta, why } => {
                notice::expired(asked, &meta.tool, meta.total_len(), why.as_str())
            }
            Self::WrongSession { asked, session } => {
                let printed = is_printable(session).then_some(session.as_ref());
                notice::wrong_session(asked, printed)
            }
            Self::NotAllowed => notice::NOT_ALLOWED.to_owned(),
            Self::NameMismatch { asked, made_by, not_by } => {
                notice::name_mismatch(asked, made_by, not_by)
            }
            Self::Ambiguous { asked, records, session } => {
                let keys = names_of(records);
                let candidates: Vec<notice::Candidate<'_>> = records
                    .iter()
                    .zip(&keys)
                    .map(|(meta, key)| notice::Candidate {
                        key,
                        tool: &meta.tool,
                        chars: meta.total_len(),
                        session: (meta.session != *session).then_some(meta.session.as_ref()),
                        is_gone: meta.gone.is_some(),
                    })
                    .collect();
                notice::ambiguous(asked, &candidates)
            }
            Self::OutOfRange { start, total } => notice::out_of_range(*start, *total),
            Self::NotJson => notice::NOT_JSON.to_owned(),
            Self::NoItem { item } => notice::no_item(item),
            Self::AmbiguousItem { item, pointers, count } => {
                notice::ambiguous_item(item, pointers, *count)
            }
            Self::BadPattern { reason } => notice::bad_pattern(reason),
            Self::EmptyPattern => notice::EMPTY_PATTERN.to_owned(),
            Self::OutlineTooLong { total } => notice::outline_too_long(*total),
            Self::NoRoom => notice::NO_ROOM.to_owned(),
            Self::Busy { reason, .. } => notice::busy(reason),
        }
    }

    /// The refusal of a store that failed.
    pub(super) fn of_store(error: &StoreError) -> Self {
        Self::Busy { reason: error.reason().into_owned().into(), cause: error.cause().into() }
    }

    /// The refusal of a store that failed to read the record `meta`, which was asked for as `asked`.
    pub(super) fn of_read(error: &StoreError, asked: &ByteString, meta: &Meta) -> Self {
        // It went after it was found.
        if let StoreError::Gone(why) = *error {
            return Self::Expired { asked: asked.clone(), meta: Box::new(meta.clone()), why };
        }
        Self::of_store(error)
    }
}

/// The names that tell records apart: their content keys, or where two are the same their digests.
fn names_of(records: &[Meta]) -> Vec<String> {
    let mut seen = HashMap::new();
    for meta in records {
        *seen.entry(meta.key()).or_insert(0) += 1;
    }
    let is_one = |meta: &Meta| seen.get(&meta.key()) == Some(&1);
    let name = |meta: &Meta| {
        if is_one(meta) { meta.key().to_string() } else { hex(&meta.sha256) }
    };
    records.iter().map(name).collect()
}

impl fmt::Display for ReadRefusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "nothing was read: {}", self.reason())?;
        if let Self::Busy { cause, .. } = self { write!(f, " ({cause})") } else { Ok(()) }
    }
}

impl std::error::Error for ReadRefusal {}
