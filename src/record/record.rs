//! A record: what is kept of one result, and what is known of it without its text.

use std::time::SystemTime;

use bytestring::ByteString;

use super::key::{ContentKey, sha256_of};
use super::plain::is_plain;
use crate::copy::BlockSpan;
use crate::text::{Span, Unit};

/// What is kept of one result. Written once, before anything is cut; never changed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// The conversation it belongs to.
    pub session: ByteString,
    /// The call it answers. Untrusted: any text, never part of a path.
    pub call_id: ByteString,
    /// The tool; empty when it is not known.
    pub tool: ByteString,
    /// Whether the tool says that it failed.
    pub is_error: bool,
    /// Whether the text is all there was; a host may say that it came already cut.
    pub complete: bool,
    /// What offsets and lengths of its pages count.
    pub unit: Unit,
    /// The full text.
    pub text: ByteString,
    /// Where its blocks lie, in bytes; empty when it was not taken block by block.
    pub blocks: Vec<BlockSpan>,
    /// The ranges that the live copy showed, in bytes.
    pub shown: Vec<Span>,
    /// Its slots in text order.
    pub slots: Vec<SlotPlace>,
}

/// Where a slot stands in a record.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlotPlace {
    /// Where it stands, in bytes.
    pub span: Span,
    /// Whether the model was shown it.
    pub shown: bool,
    /// Its ref or reference id, if it has one.
    pub reference: Option<ByteString>,
    /// Its media type, normalized.
    pub media_type: ByteString,
}

impl Record {
    /// A record of a whole text in UTF-16 units, without places.
    ///
    /// ```
    /// use slotledger::record::Record;
    /// let record = Record::new("s1", "call_1", "bash", "hello");
    /// assert!(record.complete && !record.is_error && record.slots.is_empty());
    /// ```
    pub fn new(
        session: impl Into<ByteString>,
        call_id: impl Into<ByteString>,
        tool: impl Into<ByteString>,
        text: impl Into<ByteString>,
    ) -> Self {
        Self {
            session: session.into(),
            call_id: call_id.into(),
            tool: tool.into(),
            is_error: false,
            complete: true,
            unit: Unit::Utf16,
            text: text.into(),
            blocks: Vec::new(),
            shown: Vec::new(),
            slots: Vec::new(),
        }
    }

    /// The SHA-256 of its text.
    pub fn sha256(&self) -> [u8; 32] {
        sha256_of(&self.text)
    }

    /// Whether its text holds no control character but tab, LF, and CR before LF.
    ///
    /// ```
    /// use slotledger::record::Record;
    /// let is_plain = |text: &str| Record::new("s1", "c1", "t", text).is_plain();
    /// assert!(is_plain("a\tb\r\n") && !is_plain("a\rb") && !is_plain("\u{1b}[31m"));
    /// ```
    pub fn is_plain(&self) -> bool {
        is_plain(&self.text)
    }

    /// The exact sizes of its text.
    pub fn sizes(&self) -> Sizes {
        Sizes::of(&self.text)
    }
}

/// The exact sizes of a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Sizes {
    /// In bytes of UTF-8.
    pub bytes: usize,
    /// In Unicode scalar values.
    pub chars: usize,
    /// In UTF-16 code units.
    pub utf16: usize,
    /// The number of `\n`, plus one if the text does not end in one; 0 for the empty text.
    pub lines: usize,
}

impl Sizes {
    /// The sizes of `text`. Linear.
    ///
    /// ```
    /// use slotledger::record::Sizes;
    /// let sizes = Sizes::of("a😀\nb");
    /// assert_eq!((sizes.bytes, sizes.chars, sizes.utf16, sizes.lines), (7, 4, 5, 2));
    /// ```
    pub fn of(text: &str) -> Self {
        let breaks = memchr::memchr_iter(b'\n', text.as_bytes()).count();
        let open_line = usize::from(!text.is_empty() && !text.ends_with('\n'));
        Self {
            bytes: text.len(),
            chars: Unit::Char.len_of(text),
            utf16: Unit::Utf16.len_of(text),
            lines: breaks + open_line,
        }
    }

    /// The length in `unit`.
    pub fn in_unit(&self, unit: Unit) -> usize {
        match unit {
            Unit::Utf16 => self.utf16,
            Unit::Char => self.chars,
            Unit::Byte => self.bytes,
        }
    }
}

/// A record's place in the order of its store: the newest is the greatest, and none is used again.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct RecordId(pub u64);

/// Why the text of a record is gone.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Gone {
    /// It was older than is kept.
    Age,
    /// It was over the quota.
    Quota,
    /// Its removal was asked for.
    Request,
    /// It was found damaged.
    Damage,
}

impl Gone {
    /// The reason as one word.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Age => "age",
            Self::Quota => "quota",
            Self::Request => "request",
            Self::Damage => "damage",
        }
    }
}

/// What is known of a record without its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Meta {
    /// Its place in the order of the store.
    pub id: RecordId,
    /// The conversation it belongs to.
    pub session: ByteString,
    /// The call it answers.
    pub call_id: ByteString,
    /// Which record of this call in this session it is, from 1.
    pub nth: u32,
    /// The tool; empty when it is not known.
    pub tool: ByteString,
    /// Whether the tool says that it failed.
    pub is_error: bool,
    /// Whether the text is all there was.
    pub complete: bool,
    /// Whether it holds no control character but tab and line breaks.
    pub plain: bool,
    /// What kind of text it is, by its first characters.
    pub content_type: ByteString,
    /// What offsets and lengths of its pages count.
    pub unit: Unit,
    /// Its exact sizes.
    pub sizes: Sizes,
    /// The SHA-256 of its text.
    pub sha256: [u8; 32],
    /// How many slots it has.
    pub slots: usize,
    /// When it was kept.
    pub created: SystemTime,
    /// Why its text is gone, if it is.
    pub gone: Option<Gone>,
}

impl Meta {
    /// Its content key.
    pub fn key(&self) -> ContentKey {
        ContentKey::of_digest(&self.sha256)
    }

    /// Its length in its own unit.
    pub fn total_len(&self) -> usize {
        self.sizes.in_unit(self.unit)
    }
}
