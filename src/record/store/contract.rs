//! The contract that every store meets, and what passes through it.

use std::fmt;
use std::panic::{RefUnwindSafe, UnwindSafe};
use std::time::{Duration, SystemTime};

use bytestring::ByteString;

use super::error::StoreError;
use crate::copy::{BlockSpan, Direct};
use crate::record::key::ContentKey;
use crate::record::record::{Meta, Record, RecordId, SlotPlace};
use crate::text::Span;

/// Keeps records. Every implementation passes the same suite; a new one adds a line there.
///
/// All methods take `&self`: a store is shared by the sessions of a process, and may be by several
/// processes. After an error the store is as it was (SPEC L17). Times are kept in milliseconds.
///
/// ```
/// # fn main() -> Result<(), slotledger::record::store::StoreError> {
/// use std::time::SystemTime;
/// use slotledger::record::Record;
/// use slotledger::record::store::{By, MemoryStore, Retention, Sessions, Store};
///
/// let store: &dyn Store = &MemoryStore::new(Retention::default());
/// let kept = store.put(&Record::new("s1", "call_1", "bash", "hello"), SystemTime::now())?;
/// assert_eq!(store.find(Sessions::One("s1"), By::CallId("call_1"))?, [kept.clone()]);
/// assert_eq!(store.read(kept.id, 0, 5)?.text, "hello");
/// # Ok(())
/// # }
/// ```
pub trait Store: fmt::Debug + Send + Sync + UnwindSafe + RefUnwindSafe {
    /// Keeps `record`, whole or not at all, beside any earlier one of the same call.
    ///
    /// The same session, call id, tool, error flag and text is the same record: nothing is kept
    /// twice, and a text that was gone returns. Another text of the same call is the call's next
    /// record. The session stays live for [`LIVE`] at least. A sweep makes room if it can.
    ///
    /// # Errors
    ///
    /// When it could not be kept whole.
    fn put(&self, record: &Record, now: SystemTime) -> Result<Meta, StoreError>;

    /// Finds records, gone ones too, the newest first. By index: cost does not grow with the
    /// number of records.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    fn find(&self, sessions: Sessions<'_>, by: By<'_>) -> Result<Vec<Meta>, StoreError>;

    /// Lists at most `limit` records, the newest first, older than `before`, of tools whose name
    /// is `tool` where both are [`normalized`].
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    fn list(
        &self,
        sessions: Sessions<'_>,
        tool: Option<&str>,
        before: Option<RecordId>,
        limit: usize,
    ) -> Result<Vec<Listed>, StoreError>;

    /// Reads a stretch of a record's text that covers `len` of its unit from `start` on, as far as
    /// the text goes. It may start earlier and end later, at characters. Reads no more of the text
    /// than some 8,192 bytes to either side.
    ///
    /// # Errors
    ///
    /// [`StoreError::Gone`] or [`StoreError::NoSuchRecord`]; or when the store cannot be read.
    fn read(&self, id: RecordId, start: usize, len: usize) -> Result<Stretch, StoreError>;

    /// Reads what a record says of places in its text.
    ///
    /// # Errors
    ///
    /// [`StoreError::NoSuchRecord`], or when the store cannot be read.
    fn places(&self, id: RecordId) -> Result<Places, StoreError>;

    /// Remembers that a view of a record was emitted, in place of what was known of the same text.
    ///
    /// # Errors
    ///
    /// [`StoreError::NoSuchRecord`], or when the store cannot be written.
    fn note_view(&self, view: &EmittedView) -> Result<(), StoreError>;

    /// What is known of a text that may be a view emitted for this call.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    fn view(
        &self,
        session: &str,
        call_id: &str,
        sha256: &[u8; 32],
    ) -> Result<Option<EmittedView>, StoreError>;

    /// Keeps the texts of a session from being swept until this time, and no longer; a time that
    /// has passed ends its protection.
    ///
    /// # Errors
    ///
    /// When the store cannot be written.
    fn keep_alive(&self, session: &str, until: SystemTime) -> Result<(), StoreError>;

    /// Removes texts that are too old or over the quota, never of a live session. What is known of
    /// a record stays, with the reason.
    ///
    /// # Errors
    ///
    /// When the store cannot be written.
    fn sweep(&self, retention: &Retention, now: SystemTime) -> Result<Swept, StoreError>;

    /// Removes the text of a record because that was asked for. What is known of it stays.
    ///
    /// # Errors
    ///
    /// [`StoreError::NoSuchRecord`], or when the store cannot be written.
    fn remove(&self, id: RecordId) -> Result<(), StoreError>;

    /// Removes all that is known of a session, and says how many records that were.
    ///
    /// # Errors
    ///
    /// When the store cannot be written.
    fn remove_session(&self, session: &str) -> Result<usize, StoreError>;

    /// Reads every record and compares it with what is known of it. A damaged one is marked so,
    /// and returned. `progress` is told how many of how many bytes were read.
    ///
    /// # Errors
    ///
    /// When the store as a whole is damaged, or cannot be read or written.
    fn check(&self, progress: &mut dyn FnMut(u64, u64)) -> Result<Vec<RecordId>, StoreError>;

    /// A way to read the text of a record past the tools, if the store has one that works as it is
    /// printed. It may reach the records of every session.
    fn direct(&self, meta: &Meta) -> Option<Direct> {
        let _ = meta;
        None
    }

    /// How many records have their text, and how much text that is, in bytes.
    ///
    /// # Errors
    ///
    /// When the store cannot be read.
    fn usage(&self) -> Result<Usage, StoreError>;
}

/// How long a session is spared by sweeps after it was used last.
pub const LIVE: Duration = Duration::from_hours(24);

/// Whose records are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Sessions<'a> {
    /// Those of one session.
    One(&'a str),
    /// Those of every session.
    All,
}

/// How a record is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By<'a> {
    /// By its content key.
    Key(ContentKey),
    /// By the SHA-256 of its text.
    Sha256(&'a [u8; 32]),
    /// By its call id, byte for byte.
    CallId(&'a str),
    /// By its call id, where both are the same once [`normalized`].
    Normalized(&'a str),
}

/// An id as it is compared when no exact one fits: each UTF-16 unit outside `[A-Za-z0-9_-]` is
/// `_`, and the first 64 are kept.
///
/// ```
/// use slotledger::record::store::normalized;
/// assert_eq!(normalized("call@abc#1"), "call_abc_1");
/// assert_eq!(normalized("é😀x"), "___x");
/// ```
pub fn normalized(id: &str) -> String {
    let units = id.chars().flat_map(|ch| {
        let kept = ch.is_ascii_alphanumeric() || matches!(ch, '_' | '-');
        std::iter::repeat_n(if kept { ch } else { '_' }, ch.len_utf16())
    });
    units.take(64).collect()
}

/// A record in a list.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listed {
    /// What is known of it.
    pub meta: Meta,
    /// How many records were kept after it in its session.
    pub age: usize,
}

/// A part of a record's text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stretch {
    /// The part.
    pub text: ByteString,
    /// Where it starts in the text, in the record's unit.
    pub start: usize,
    /// Where it starts in the text, in bytes.
    pub start_bytes: usize,
}

/// What a record says of places in its text, in bytes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Places {
    /// Where its blocks lie.
    pub blocks: Vec<BlockSpan>,
    /// The ranges that the live copy showed.
    pub shown: Vec<Span>,
    /// Its slots, in text order.
    pub slots: Vec<SlotPlace>,
}

/// A view that was emitted.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmittedView {
    /// The session that emitted it.
    pub session: ByteString,
    /// The call whose result it stands for, or whose answer it is.
    pub call_id: ByteString,
    /// The SHA-256 of its text.
    pub sha256: [u8; 32],
    /// The record it was made from.
    pub record: RecordId,
    /// What it is: `stored`, `page`, `preview`, `summary` or `reference`.
    pub kind: ByteString,
    /// Of a page: where it starts and ends in the record, in the record's unit.
    pub range: Option<(usize, usize)>,
}

/// How long and how much is kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Retention {
    /// The most text of all records, in bytes.
    pub quota_bytes: u64,
    /// The longest text of one record, in bytes.
    pub max_record_bytes: u64,
    /// How long a text is kept; `None` for ever.
    pub max_age: Option<Duration>,
    /// How many records without text are remembered.
    pub max_gone: usize,
}

impl Default for Retention {
    fn default() -> Self {
        Self { quota_bytes: 2 << 30, max_record_bytes: 256 << 20, max_age: None, max_gone: 100_000 }
    }
}

/// What a sweep removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swept {
    /// How many texts.
    pub records: usize,
    /// How much text, in bytes.
    pub bytes: u64,
}

/// What a store holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Usage {
    /// How many records have their text.
    pub records: usize,
    /// How many are remembered without it.
    pub gone: usize,
    /// How much text that is, in bytes.
    pub bytes: u64,
    /// How many sessions they are of.
    pub sessions: usize,
}
