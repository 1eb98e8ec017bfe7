//! What is known of a text before it is kept, and whether it still is that text.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use sha2::{Digest as _, Sha256};

use super::contract::Places;
use crate::record::content_type::content_type;
use crate::record::record::{Meta, Record, RecordId, Sizes};
use crate::text::Unit;

/// The latest time that a store knows: one before the greatest integer of `SQLite`, so that there is
/// one that is later than all.
const LATEST: u64 = i64::MAX.unsigned_abs() - 1;

/// Milliseconds since 1970.
pub(super) fn millis(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(LATEST).min(LATEST)
}

pub(super) fn time_of(millis: u64) -> SystemTime {
    UNIX_EPOCH.checked_add(Duration::from_millis(millis)).unwrap_or(UNIX_EPOCH)
}

/// What only the text says of a record.
#[derive(Clone, Copy, Debug)]
pub(super) struct Measured {
    pub(super) sha256: [u8; 32],
    pub(super) sizes: Sizes,
    pub(super) plain: bool,
    pub(super) content_type: &'static str,
}

impl Measured {
    pub(super) fn of(record: &Record) -> Self {
        Self {
            sha256: record.sha256(),
            sizes: record.sizes(),
            plain: record.is_plain(),
            content_type: content_type(&record.text),
        }
    }

    pub(super) fn meta(&self, record: &Record, id: RecordId, nth: u32, created: u64) -> Meta {
        Meta {
            id,
            session: record.session.clone(),
            call_id: record.call_id.clone(),
            nth,
            tool: record.tool.clone(),
            is_error: record.is_error,
            complete: record.complete,
            plain: self.plain,
            content_type: self.content_type.into(),
            unit: record.unit,
            sizes: self.sizes,
            sha256: self.sha256,
            slots: record.slots.len(),
            created: time_of(created),
            gone: None,
        }
    }
}

/// Compares a text, piece by piece, with what is known of it.
#[derive(Debug)]
pub(super) struct Comparison {
    unit: Unit,
    seen: Sizes,
    ends_in_break: bool,
    sha256: Sha256,
    is_whole: bool,
}

impl Comparison {
    pub(super) fn new(unit: Unit) -> Self {
        Self {
            unit,
            seen: Sizes::default(),
            ends_in_break: true,
            sha256: Sha256::new(),
            is_whole: true,
        }
    }

    /// Takes the next piece, which is said to start at `at` in the unit and `byte_at` in bytes.
    pub(super) fn piece(&mut self, at: usize, byte_at: usize, bytes: &[u8]) {
        let Ok(text) = std::str::from_utf8(bytes) else {
            self.is_whole = false;
            return;
        };
        self.is_whole &= at == self.seen.in_unit(self.unit) && byte_at == self.seen.bytes;
        self.sha256.update(bytes);
        self.seen.bytes += text.len();
        self.seen.chars += Unit::Char.len_of(text);
        self.seen.utf16 += Unit::Utf16.len_of(text);
        self.seen.lines += memchr::memchr_iter(b'\n', bytes).count();
        self.ends_in_break = text.ends_with('\n');
    }

    /// Whether it was the text that `meta` tells of.
    pub(super) fn fits(mut self, meta: &Meta) -> bool {
        self.seen.lines += usize::from(!self.ends_in_break);
        let sha256: [u8; 32] = self.sha256.finalize().into();
        self.is_whole && self.seen == meta.sizes && sha256 == meta.sha256
    }
}

/// Whether the places of a record lie in its text.
pub(super) fn fits(places: &Places, meta: &Meta) -> bool {
    let blocks = places.blocks.iter().map(|block| block.span);
    let slots = places.slots.iter().map(|slot| slot.span);
    let mut spans = blocks.chain(places.shown.iter().copied()).chain(slots);
    places.slots.len() == meta.slots && spans.all(|span| span.end <= meta.sizes.bytes)
}
