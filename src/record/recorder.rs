//! Keeping the records of a session: what is kept of a result, and when.

use std::fmt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use bytestring::ByteString;

use super::answers::Answers;
use super::key::sha256_of;
use super::mask::masked;
use super::read::{MAX_ANSWER, Reader};
use super::record::{Meta, Record, RecordId, SlotPlace};
use super::shown::{OF_DIALECT, ShownSlots};
use super::store::{EmittedView, LIVE, Store, StoreError};
use super::tools::is_read_back;
use crate::content::{Call, ToolResult};
use crate::copy::{Direct, Serialized};
use crate::slot::{Grammar, Slot, SlotKind};
use crate::text::{Cap, Span, Spans, Unit};

/// The kinds of views in the register.
const STORED: &str = "stored";
const PAGE: &str = "page";

/// How long after a failure that is tried again.
const RETRIED: Duration = Duration::from_mins(1);
/// How long a session is live before that is written anew.
const RENEWED: Duration = Duration::from_hours(1);

/// Finds what must not be kept of a full text.
pub(crate) type Redaction = Arc<AssertUnwindSafe<Box<dyn Fn(&str) -> Vec<Span> + Send + Sync>>>;

/// Where and how the sessions of an engine keep records.
#[derive(Clone)]
pub(crate) struct Records {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) prints_direct: bool,
    pub(crate) redaction: Option<Redaction>,
}

impl fmt::Debug for Records {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Records").field("store", &self.store).finish_non_exhaustive()
    }
}

/// Keeps the records of one session.
#[derive(Debug)]
pub(crate) struct Recorder {
    records: Records,
    session: ByteString,
    answers: Answers,
    /// When the session was last renewed, in seconds since 1970.
    renewed: AtomicU64,
}

/// A record that was kept, and what its notices say.
#[derive(Clone, Debug)]
pub(crate) struct Kept {
    pub(crate) meta: Meta,
    pub(crate) handle: String,
    pub(crate) direct: Option<Direct>,
    /// The slots of its text, in order.
    pub(crate) slots: Vec<SlotPlace>,
}

impl Recorder {
    pub(crate) fn new(records: Records, session: ByteString) -> Self {
        Self { records, session, answers: Answers::default(), renewed: AtomicU64::new(0) }
    }

    pub(crate) fn session(&self) -> &ByteString {
        &self.session
    }

    pub(crate) fn store(&self) -> &dyn Store {
        &*self.records.store
    }

    /// Keeps the result of `call` whole, before anything of it is cut. `shown` are the ranges that
    /// the model sees of it.
    pub(crate) fn keep(
        &self,
        call: &Call,
        result: &ToolResult,
        full: &Serialized,
        shown: &Spans,
        grammar: &Grammar,
        unit: Unit,
    ) -> Result<Kept, StoreError> {
        let (is_error, complete) = (result.is_error, !result.is_cut);
        let slots = places_of(grammar.slots(&full.text), shown);
        let text = match &self.records.redaction {
            Some(redaction) => masked(&full.text, redaction(&full.text), &slots),
            None => full.text.clone(),
        };
        let record = Record {
            is_error,
            complete,
            unit,
            blocks: full.blocks.clone().unwrap_or_default(),
            shown: shown.as_slice().to_vec(),
            slots,
            ..Record::new(self.session.clone(), call.id.clone(), call.tool.clone(), text)
        };
        let now = SystemTime::now();
        let meta = self.store().put(&record, now)?;
        self.renewed.store(seconds(now), Ordering::Relaxed);
        let direct = if self.records.prints_direct { self.store().direct(&meta) } else { None };
        Ok(Kept { handle: meta.handle(), meta, direct, slots: record.slots })
    }

    /// The slots that were shown of the result of `call`, if `text` is known to be a view of ours.
    pub(crate) fn shown_of_view(&self, call: &Call, text: &str) -> Option<ShownSlots> {
        let store = self.store();
        let view = store.view(&self.session, &call.id, &sha256_of(text)).ok().flatten()?;
        match &*view.kind {
            STORED => Some(ShownSlots::of_places(&store.places(view.record).ok()?.slots)),
            // It quotes what is kept: no image was shown by it.
            PAGE => Some(ShownSlots::default()),
            _ => None,
        }
    }

    /// Keeps the session live, as any use of it does.
    fn renew(&self) {
        let now = SystemTime::now();
        let known = self.renewed.load(Ordering::Relaxed);
        if seconds(now).saturating_sub(known) < RENEWED.as_secs() {
            return;
        }
        let until = now.checked_add(LIVE).unwrap_or(now);
        let renewed = match self.store().keep_alive(&self.session, until) {
            Ok(()) => seconds(now),
            // Nobody waits for a busy store at each page.
            Err(_) => seconds(now).saturating_sub(RENEWED.as_secs() - RETRIED.as_secs()),
        };
        self.renewed.store(renewed, Ordering::Relaxed);
    }

    /// Says that the session is over for now, so that a sweep may take its texts.
    pub(crate) fn close(&self) -> Result<(), StoreError> {
        if self.renewed.load(Ordering::Relaxed) == 0 {
            return Ok(());
        }
        self.store().keep_alive(&self.session, SystemTime::now())
    }

    /// Reads for this session; `bound` is the most that the host takes of one result.
    pub(crate) fn reader(&self, bound: Cap) -> Reader<'_> {
        self.renew();
        let reader = Reader::new(self.store(), &self.session).remembering(&self.answers);
        reader.within(bound)
    }

    /// Whether a result is an answer of ours, which is neither cut nor kept: one that is known, or
    /// by the name of its tool. Others may have a tool of that name: what is longer than an answer
    /// can be is cut and kept, and so is what shows an image.
    pub(crate) fn is_answer(&self, call: &Call, full: &Serialized) -> bool {
        let is_short = || Unit::Char.offset_in(&full.text, MAX_ANSWER) == full.text.len();
        let is_by_name = is_read_back(&call.tool) && is_short();
        !full.shows_image() && (is_by_name || self.answers.of(&full.text).is_some())
    }

    /// Remembers that the result of `call` is an answer of ours, if it is one that is known.
    pub(crate) fn note_answer(&self, call: &Call, text: &str) {
        let Some(answered) = self.answers.of(text) else { return };
        self.note(call, PAGE, answered.sha256, answered.record, answered.range);
    }

    /// Remembers the stored copy `text` of the record `meta`.
    pub(crate) fn note_stored(&self, call: &Call, meta: &Meta, text: &str) {
        self.note(call, STORED, sha256_of(text), meta.id, None);
    }

    fn note(
        &self,
        call: &Call,
        kind: &'static str,
        sha256: [u8; 32],
        record: RecordId,
        range: Option<(usize, usize)>,
    ) {
        let view = EmittedView {
            session: self.session.clone(),
            call_id: call.id.clone(),
            sha256,
            record,
            kind: ByteString::from_static(kind),
            range,
        };
        // A view that is not known later is taken for an original: kept once more, never lost.
        let _unknown_later = self.store().note_view(&view);
    }
}

/// Where slots stand, and whether they lie whole in one range that was shown.
fn places_of<'t>(slots: impl Iterator<Item = Slot<'t>>, shown: &Spans) -> Vec<SlotPlace> {
    let mut ranges = shown.as_slice().iter().peekable();
    let place = |slot: Slot<'_>| {
        while ranges.next_if(|range| range.end <= slot.span.start).is_some() {}
        let (reference, media_type) = match slot.kind {
            SlotKind::Inline(placeholder) => {
                let image = placeholder.image.map(|image| image.to_string().into());
                (image, placeholder.media_type.into())
            }
            SlotKind::Reference { stub, image_type } => {
                (Some(stub.id.into()), image_type.to_ascii_lowercase().into())
            }
            SlotKind::Dialect { .. } => (None, ByteString::from_static(OF_DIALECT)),
        };
        let shown = ranges.peek().is_some_and(|range| range.holds(slot.span));
        SlotPlace { span: slot.span, shown, reference, media_type }
    };
    slots.map(place).collect()
}

fn seconds(time: SystemTime) -> u64 {
    time.duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default().as_secs()
}
