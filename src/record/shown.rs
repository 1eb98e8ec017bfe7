//! The slots of a result that the model was shown, as its record has them.

use bytestring::ByteString;

use super::record::SlotPlace;
use crate::slot::{Grammar, Slot, SlotKind};
use crate::text::Span;

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
        let mut shown = String::new();
        let mut ends = Vec::new();
        for slot in slots.iter().filter(|slot| slot.shown) {
            shown.push_str(slot.span.of(text));
            ends.push(shown.len());
        }
        Self { text: shown.into(), ends }
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
