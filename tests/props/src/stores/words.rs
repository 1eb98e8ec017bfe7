//! What the model of a store says, in the words of the crate, and the crate's answers in the model's.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytestring::ByteString;
use slotledger::copy::{BlockKind, BlockSpan};
use slotledger::record::store::{
    By, EmittedView, Places, Retention, Sessions, Store, StoreError, Usage,
};
use slotledger::record::{ContentKey, Gone, Meta, Record, RecordId, SlotPlace, page_of};
use slotledger::text::Span;
use slotledger_kit::oracle::records::{self, Answer, Given, Limits, Name, Op, Refusal, Row, View};
use slotledger_kit::oracle::{self, Kind};

use crate::pages;

/// An answer, and of each record in it what kind of text it is.
pub(crate) struct Said {
    pub(crate) answer: Answer,
    pub(crate) content_types: Vec<ByteString>,
}

/// Asks a store.
pub(crate) fn answer(store: &dyn Store, op: &Op) -> Said {
    let mut content_types = Vec::new();
    let answer = asked(store, op, &mut |meta| {
        content_types.push(meta.content_type.clone());
        row(meta)
    });
    Said { answer: answer.unwrap_or_else(|error| refused(&error)), content_types }
}

fn asked(
    store: &dyn Store,
    op: &Op,
    row: &mut dyn FnMut(&Meta) -> Row,
) -> Result<Answer, StoreError> {
    Ok(match op {
        Op::Put(given, at) => Answer::Row(row(&store.put(&record(given), time(*at))?)),
        Op::Find(session, name) => {
            let found = store.find(sessions(session.as_deref()), by(name))?;
            Answer::Rows(found.iter().map(row).collect())
        }
        Op::List { session, tool, before, limit } => {
            let (sessions, before) = (sessions(session.as_deref()), before.map(RecordId));
            let listed = store.list(sessions, tool.as_deref(), before, *limit)?;
            Answer::Listed(listed.iter().map(|one| (row(&one.meta), one.age)).collect())
        }
        Op::Page { id, start, len } => {
            let before = RecordId(id.saturating_add(1));
            let newest = store.list(Sessions::All, None, Some(before), 1)?;
            match newest.first().filter(|one| one.meta.id.0 == *id) {
                Some(one) => {
                    Answer::Page(page_of(store, &one.meta, *start, *len)?.map(pages::page))
                }
                None => panic!("{:?} is not listed", store.read(RecordId(*id), *start, *len)?),
            }
        }
        Op::Places(id) => Answer::Places(places(&store.places(RecordId(*id))?)),
        Op::Remove(id) => store.remove(RecordId(*id)).map(|()| Answer::Done)?,
        Op::RemoveSession(session) => Answer::Removed(store.remove_session(session)?),
        Op::KeepAlive(session, until) => {
            store.keep_alive(session, time(*until)).map(|()| Answer::Done)?
        }
        Op::Sweep(limits, at) => {
            let swept = store.sweep(&retention(limits), time(*at))?;
            Answer::Swept(swept.records, swept.bytes)
        }
        Op::NoteView(view) => store.note_view(&emitted(view)).map(|()| Answer::Done)?,
        Op::View(session, call_id, sha256) => {
            Answer::View(store.view(session, call_id, sha256)?.map(|view| noted(&view)))
        }
        Op::Usage => {
            let Usage { records, gone, bytes, sessions } = store.usage()?;
            Answer::Usage { records, gone, bytes, sessions }
        }
        Op::Check => {
            let bad = store.check(&mut |read, total| assert!(read <= total))?;
            assert_eq!(bad, [], "nothing was damaged");
            Answer::Rows(Vec::new())
        }
        Op::Reopen => panic!("a store does not open itself"),
    })
}

fn refused(error: &StoreError) -> Answer {
    Answer::Refused(match error {
        StoreError::RecordTooLarge { .. } => Refusal::TooLarge,
        StoreError::QuotaFull { .. } => Refusal::QuotaFull,
        StoreError::NoSuchRecord => Refusal::NoSuchRecord,
        StoreError::Gone(why) => Refusal::Gone(gone(*why)),
        other => panic!("{other:?}"),
    })
}

fn gone(why: Gone) -> records::Gone {
    match why {
        Gone::Age => records::Gone::Age,
        Gone::Quota => records::Gone::Quota,
        Gone::Request => records::Gone::Request,
        other => panic!("no text is gone for {other:?}"),
    }
}

fn sessions(session: Option<&str>) -> Sessions<'_> {
    session.map_or(Sessions::All, Sessions::One)
}

fn by(name: &Name) -> By<'_> {
    match name {
        Name::Key(sha256) => By::Key(ContentKey::of_digest(sha256)),
        Name::Sha256(sha256) => By::Sha256(sha256),
        Name::CallId(call_id) => By::CallId(call_id),
        Name::Normalized(call_id) => By::Normalized(call_id),
    }
}

pub(crate) fn retention(limits: &Limits) -> Retention {
    Retention {
        quota_bytes: limits.quota,
        max_record_bytes: limits.max_record,
        max_age: limits.max_age.map(Duration::from_millis),
        max_gone: limits.max_gone,
    }
}

/// A time, with a part of a millisecond that no store keeps.
fn time(millis: u64) -> SystemTime {
    UNIX_EPOCH + Duration::from_millis(millis) + Duration::from_nanos(999_999)
}

pub(crate) fn millis(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).expect("after 1970");
    u64::try_from(since.as_millis()).expect("before the end of time")
}

fn row(meta: &Meta) -> Row {
    let sizes = meta.sizes;
    let created = millis(meta.created);
    assert_eq!(meta.created, UNIX_EPOCH + Duration::from_millis(created), "whole milliseconds");
    Row {
        id: meta.id.0,
        session: meta.session.to_string(),
        call_id: meta.call_id.to_string(),
        nth: meta.nth,
        tool: meta.tool.to_string(),
        is_error: meta.is_error,
        complete: meta.complete,
        plain: meta.plain,
        unit: pages::unit(meta.unit),
        lengths: [sizes.bytes, sizes.chars, sizes.utf16],
        lines: sizes.lines,
        sha256: meta.sha256,
        slots: meta.slots,
        created,
        gone: meta.gone.map(gone),
    }
}

fn record(given: &Given) -> Record {
    let records::Places { blocks, shown, slots } = &given.places;
    let span = |&(start, end): &(usize, usize)| Span::new(start, end);
    let block = |&(kind, start, end): &(Kind, usize, usize)| {
        let kind = match kind {
            Kind::Text => BlockKind::Text,
            Kind::Image => BlockKind::Image,
            Kind::Reference => BlockKind::Reference,
        };
        BlockSpan { kind, span: Span::new(start, end) }
    };
    let slot = |slot: &records::SlotPlace| SlotPlace {
        span: span(&slot.place),
        shown: slot.shown,
        reference: slot.reference.as_deref().map(Into::into),
        media_type: slot.media_type.as_str().into(),
    };
    Record {
        is_error: given.is_error,
        complete: given.complete,
        unit: crate::unit_of(given.unit),
        blocks: blocks.iter().map(block).collect(),
        shown: shown.iter().map(span).collect(),
        slots: slots.iter().map(slot).collect(),
        ..Record::new(&*given.session, &*given.call_id, &*given.tool, &*given.text)
    }
}

fn places(places: &Places) -> records::Places {
    let place = |span: &Span| (span.start, span.end);
    let block = |block: &BlockSpan| {
        let kind = match block.kind {
            BlockKind::Text => oracle::Kind::Text,
            BlockKind::Image => oracle::Kind::Image,
            BlockKind::Reference => oracle::Kind::Reference,
        };
        (kind, block.span.start, block.span.end)
    };
    let slot = |slot: &SlotPlace| records::SlotPlace {
        place: place(&slot.span),
        shown: slot.shown,
        reference: slot.reference.as_deref().map(str::to_owned),
        media_type: slot.media_type.to_string(),
    };
    records::Places {
        blocks: places.blocks.iter().map(block).collect(),
        shown: places.shown.iter().map(place).collect(),
        slots: places.slots.iter().map(slot).collect(),
    }
}

fn emitted(view: &View) -> EmittedView {
    EmittedView {
        session: view.session.as_str().into(),
        call_id: view.call_id.as_str().into(),
        sha256: view.sha256,
        record: RecordId(view.record),
        kind: view.kind.as_str().into(),
        range: view.range,
    }
}

fn noted(view: &EmittedView) -> View {
    View {
        session: view.session.to_string(),
        call_id: view.call_id.to_string(),
        sha256: view.sha256,
        record: view.record.0,
        kind: view.kind.to_string(),
        range: view.range,
    }
}
