//! The slots of a result that the model was shown, as its record has them.

use bytestring::ByteString;

use super::record::SlotPlace;
use crate::slot::{Grammar, MediaType, Slot, SlotKind, StubParts, write_placeholder, write_stub};
use crate::text::Span;

/// The type that a record has for a slot of a dialect.
pub(super) const OF_DIALECT: &str = "image/x-unknown";

/// The slots that were shown of one result, in text order, and nothing else of its text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShownSlots {
    /// The slots one after the other.
    text: ByteString,
    /// Where each ends in it.
    ends: Vec<usize>,
}

impl ShownSlots {
    /// Those of a record's full text.
    pub(crate) fn of(text: &str, slots: &[SlotPlace]) -> Self {
        Self::written(slots, |slot, out| out.push_str(slot.span.of(text)))
    }

    /// Those of a record by its places alone, whose text may be gone: with type and ref, and without
    /// size and name.
    pub(crate) fn of_places(slots: &[SlotPlace]) -> Self {
        Self::written(slots, write_slot)
    }

    fn written(slots: &[SlotPlace], write: impl Fn(&SlotPlace, &mut String)) -> Self {
        let mut text = String::new();
        let mut ends = Vec::new();
        for slot in slots.iter().filter(|slot| slot.shown) {
            write(slot, &mut text);
            ends.push(text.len());
        }
        Self { text: text.into(), ends }
    }

    /// How many they are.
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The slot at `at`, from 0, and the text it was read from.
    pub(crate) fn get<'s>(
        &'s self,
        at: usize,
        grammar: &'s Grammar,
    ) -> Option<(&'s str, Slot<'s>)> {
        let start = at.checked_sub(1).map_or(Some(0), |before| self.ends.get(before).copied())?;
        let text = self.text.get(start..*self.ends.get(at)?)?;
        let whole = Span::new(0, text.len());
        // One that only a dialect saw, by what stood around it, counts all the same.
        let lone = Slot { span: whole, kind: SlotKind::Dialect { name: "" } };
        let slot = grammar.slots(text).find(|slot| slot.span == whole).unwrap_or(lone);
        Some((text, slot))
    }
}

/// Writes what a place says of a slot; nothing for one that only a dialect knows.
fn write_slot(slot: &SlotPlace, out: &mut String) {
    let reference = slot.reference.as_deref();
    if let Some(Ok(id)) = reference.map(str::parse) {
        write_stub(
            out,
            &StubParts {
                id: &id,
                name: "",
                mime: &slot.media_type,
                size_bytes: None,
                provenance: "",
                saved: None,
                fetch: "",
            },
        );
    } else if &*slot.media_type != OF_DIALECT {
        let image = reference.and_then(|image| image.parse().ok());
        write_placeholder(out, &MediaType::from_testimony(&slot.media_type), 0, image);
    }
}
