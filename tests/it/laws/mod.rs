//! The laws of SPEC.md, section 15: one property each, and its number in the test's name.
//!
//! A law is drawn from bytes, which the generators of the kit make cases of; where a cap occurs, it
//! holds in all three units. L13 and L15 are in `saving`.

mod copies;
mod cut;
mod images;
mod pages;
mod records;
mod slots;
mod total;
mod work;

use slotledger::content::ToolResult;
use slotledger::text::Span;
use slotledger::{Call, Cap, Ingested, Session, Unit};
use slotledger_kit::generate::ContentCase;

use crate::support::{read, session};

/// A content array that was taken in by a session of its own.
struct Taken {
    result: ToolResult,
    ingested: Ingested,
    session: Session,
}

impl Taken {
    fn of(case: &ContentCase, limit: usize, unit: Unit) -> Self {
        Self::by(session(), case, limit, unit)
    }

    fn by(mut session: Session, case: &ContentCase, limit: usize, unit: Unit) -> Self {
        let result = read(case.to_json());
        let call = Call::new("c1", case.tool.as_str());
        let ingested = session.ingest_at(&call, &result, Cap::new(limit, unit));
        Self { result, ingested, session }
    }

    /// The head of the stored copy, as it stands in both texts.
    fn head(&self, unit: Unit) -> &str {
        let at = unit.offset_in(&self.ingested.text, self.ingested.stored.head_len);
        let head = &self.ingested.text[..at];
        assert!(self.ingested.stored.text.starts_with(head), "a stored copy starts with its head");
        head
    }
}

/// The spans of the slots of `text`, moved by `by` bytes.
fn slot_spans(text: &str, by: usize) -> impl Iterator<Item = Span> {
    slotledger::slots(text).map(move |slot| Span::new(slot.span.start + by, slot.span.end + by))
}
