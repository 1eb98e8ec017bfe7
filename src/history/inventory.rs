//! The inventory: every image of a conversation, the newest first.

use super::conversation::{Conversation, StoredPart, StoredResult};
use crate::content::{Attachment, Call};
use crate::slot::{Grammar, Slot};

/// How many messages are looked at by default, from the newest.
pub const SCAN_LIMIT: usize = 500;

/// One image of a conversation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SeenImage<'h> {
    /// Its place, 0 being the newest.
    pub index: usize,
    /// How many messages back it stands: 1 is the last message, 0 the open batch.
    pub messages_back: usize,
    /// Where it was seen.
    pub seen: Seen<'h>,
}

/// Where an image was seen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Seen<'h> {
    /// Attached to a message.
    Attachment(&'h Attachment),
    /// As a slot of a result.
    Slot {
        /// The call whose result it stands in.
        call: &'h Call,
        /// What it was read from: the stored text, or the slot alone where the record says that it
        /// was shown.
        text: &'h str,
        /// The slot.
        slot: Slot<'h>,
    },
}

/// The images of a conversation, the newest first. Lazy: what is not asked for is not looked at.
///
/// First the results of the open batch, the last completed first; then the messages from the
/// newest, in each the parts from the last; in a result the slots from the last (SPEC 18.5).
#[derive(Debug)]
pub struct Inventory<'h> {
    grammar: &'h Grammar,
    batch: &'h [StoredResult],
    messages: &'h [Vec<StoredPart>],
    /// The parts that are left of the message at hand.
    parts: &'h [StoredPart],
    /// The result at hand, and the slots that are left of it: of its text, or as many as are left
    /// of those its record tells of.
    result: Option<&'h StoredResult>,
    slots: Vec<Slot<'h>>,
    recorded: usize,
    messages_back: usize,
    index: usize,
}

impl<'h> Inventory<'h> {
    /// The images of the open batch and of the newest `scan_limit` messages.
    pub fn new(conversation: &'h Conversation, grammar: &'h Grammar, scan_limit: usize) -> Self {
        let messages = conversation.messages();
        let skipped = messages.len().saturating_sub(scan_limit);
        Self {
            grammar,
            batch: conversation.completed(),
            messages: messages.get(skipped..).unwrap_or_default(),
            parts: &[],
            result: None,
            slots: Vec::new(),
            recorded: 0,
            messages_back: 0,
            index: 0,
        }
    }

    /// The next image, wherever it is.
    fn seen(&mut self) -> Option<Seen<'h>> {
        loop {
            if let Some(result) = self.result {
                if let Some((text, slot)) = self.recorded_slot(result) {
                    return Some(Seen::Slot { call: &result.call, text, slot });
                }
                if let Some(slot) = self.slots.pop() {
                    return Some(Seen::Slot { call: &result.call, text: &result.text, slot });
                }
            }
            if let Some((result, rest)) = self.batch.split_last() {
                self.batch = rest;
                self.open(result);
            } else if let Some((part, rest)) = self.parts.split_last() {
                self.parts = rest;
                match part {
                    StoredPart::Attachment(attachment) => {
                        return Some(Seen::Attachment(attachment));
                    }
                    StoredPart::Result(result) => self.open(result),
                }
            } else {
                let (parts, rest) = self.messages.split_last()?;
                self.messages = rest;
                self.parts = parts;
                self.messages_back += 1;
            }
        }
    }

    /// The last that is left of the slots of a record.
    fn recorded_slot(&mut self, result: &'h StoredResult) -> Option<(&'h str, Slot<'h>)> {
        self.recorded = self.recorded.checked_sub(1)?;
        result.shown.as_ref()?.get(self.recorded, self.grammar)
    }

    fn open(&mut self, result: &'h StoredResult) {
        self.result = Some(result);
        match &result.shown {
            Some(shown) => self.recorded = shown.len(),
            None => self.slots.extend(self.grammar.slots(&result.text)),
        }
    }
}

impl<'h> Iterator for Inventory<'h> {
    type Item = SeenImage<'h>;

    fn next(&mut self) -> Option<SeenImage<'h>> {
        let seen = self.seen()?;
        let index = self.index;
        self.index += 1;
        Some(SeenImage { index, messages_back: self.messages_back, seen })
    }
}
