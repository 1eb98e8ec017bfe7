//! What the engine answers, as JSON: the one form of `store --json` and `pipe`.
//!
//! Everything is written as it is looked at. No answer is built first, since an image in it may
//! have many megabytes. Offsets are counted on from one to the next, so thousands of them cost
//! one pass over the text.

use std::borrow::{Borrow, Cow};

use serde::Serialize;
use serde::ser::{SerializeStruct as _, Serializer};
use slotledger::content::Loss;
use slotledger::copy::{BlockKind, BlockSpan, LiveBlock, StoredCopy};
use slotledger::record::Meta;
use slotledger::slot::{Placeholder, Slot, SlotKind};
use slotledger::text::{Offsets, Span};
use slotledger::{Ingested, Unit, slots};

/// A result taken in: the `Ingested` of the pipe protocol.
#[derive(Debug)]
pub(crate) struct IngestedJson<I> {
    pub(crate) ingested: I,
    pub(crate) unit: Unit,
    /// Whether the base64 text of live images is left out.
    pub(crate) omit_data: bool,
}

impl<I: Borrow<Ingested>> Serialize for IngestedJson<I> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { unit, omit_data, .. } = *self;
        let Ingested { text, blocks, live, stored, losses, record, .. } = self.ingested.borrow();
        let blocks = blocks.as_deref().map(|blocks| BlocksJson { text, blocks, unit });
        let shown = live.as_ref().map_or(&[][..], |live| live.shown.as_slice());
        let live = live.as_ref().map(|live| LiveJson { blocks: &live.blocks, omit_data });
        let mut object = serializer.serialize_struct("Ingested", 7)?;
        object.serialize_field("text", &**text)?;
        object.serialize_field("blocks", &blocks)?;
        object.serialize_field("live", &live)?;
        object.serialize_field("shown", &RangesJson { text, ranges: shown, unit })?;
        object.serialize_field("stored", &StoredJson { full: text, stored, record })?;
        object.serialize_field("slots", &SlotsJson { text: Cow::Borrowed(&stored.text), unit })?;
        object.serialize_field("losses", &LossesJson(losses))?;
        object.end()
    }
}

/// The blocks of a live copy.
#[derive(Debug)]
pub(crate) struct LiveJson<'a> {
    pub(crate) blocks: &'a [LiveBlock],
    pub(crate) omit_data: bool,
}

#[derive(Serialize)]
#[serde(tag = "type", rename_all = "snake_case", rename_all_fields = "camelCase")]
enum LiveBlockJson<'a> {
    Text {
        text: &'a str,
    },
    Image {
        mime_type: &'a str,
        #[serde(skip_serializing_if = "Option::is_none")]
        data: Option<&'a str>,
    },
}

impl Serialize for LiveJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.blocks.iter().filter_map(|block| match block {
            LiveBlock::Text(text) => Some(LiveBlockJson::Text { text }),
            LiveBlock::Image { mime_type, data } => {
                let data = (!self.omit_data).then_some(&**data);
                Some(LiveBlockJson::Image { mime_type, data })
            }
            // A kind that came after this version of the protocol.
            _ => None,
        }))
    }
}

struct BlocksJson<'a> {
    text: &'a str,
    blocks: &'a [BlockSpan],
    unit: Unit,
}

#[derive(Serialize)]
struct BlockJson {
    kind: &'static str,
    start: usize,
    end: usize,
}

impl Serialize for BlocksJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut offsets = Offsets::new(self.text, self.unit);
        serializer.collect_seq(self.blocks.iter().map(|block| BlockJson {
            kind: match block.kind {
                BlockKind::Text => "text",
                BlockKind::Image => "image",
                BlockKind::Reference => "reference",
            },
            start: offsets.at(block.span.start),
            end: offsets.at(block.span.end),
        }))
    }
}

struct RangesJson<'a> {
    text: &'a str,
    ranges: &'a [Span],
    unit: Unit,
}

impl Serialize for RangesJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut offsets = Offsets::new(self.text, self.unit);
        let ranges = self.ranges.iter().map(|span| [span.start, span.end].map(|at| offsets.at(at)));
        serializer.collect_seq(ranges)
    }
}

struct StoredJson<'a> {
    full: &'a str,
    stored: &'a StoredCopy,
    record: &'a Option<Meta>,
}

impl Serialize for StoredJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { full, stored, record } = *self;
        let mut object =
            serializer.serialize_struct("Stored", if record.is_some() { 7 } else { 6 })?;
        object.serialize_field("text", &*stored.text)?;
        object.serialize_field("head", &stored.head_len)?;
        object.serialize_field("total", &stored.total_len)?;
        object.serialize_field("kept", &KeptJson { full, kept: &stored.kept })?;
        object.serialize_field("leftOut", &stored.left_out)?;
        object.serialize_field("recorded", &record.is_some())?;
        if let Some(record) = record {
            object.serialize_field("key", &record.key().to_string())?;
        }
        object.end()
    }
}

/// The texts of kept slots.
#[derive(Debug)]
pub(crate) struct KeptJson<'a> {
    pub(crate) full: &'a str,
    pub(crate) kept: &'a [Span],
}

impl Serialize for KeptJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.kept.iter().map(|slot| slot.of(self.full)))
    }
}

/// The slots of a text.
#[derive(Debug)]
pub(crate) struct SlotsJson<'a> {
    pub(crate) text: Cow<'a, str>,
    pub(crate) unit: Unit,
}

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
enum SlotJson<'t> {
    Inline {
        start: usize,
        end: usize,
        text: &'t str,
        media_type: &'t str,
        size: &'t str,
        r#ref: Option<String>,
    },
    Reference {
        start: usize,
        end: usize,
        text: &'t str,
        media_type: String,
        ref_id: &'t str,
    },
}

impl Serialize for SlotsJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut starts = Offsets::new(&self.text, self.unit);
        serializer.collect_seq(slots(&self.text).filter_map(|slot| {
            let text = slot.span.of(&self.text);
            let start = starts.at(slot.span.start);
            // Not asked of `starts`: a slot in a stub starts before the stub ends.
            let end = start + self.unit.len_of(text);
            SlotJson::new(slot, text, start, end)
        }))
    }
}

impl<'t> SlotJson<'t> {
    fn new(slot: Slot<'t>, text: &'t str, start: usize, end: usize) -> Option<Self> {
        match slot.kind {
            SlotKind::Inline(Placeholder { media_type, size, image, .. }) => {
                let r#ref = image.map(|image| image.to_string());
                Some(Self::Inline { start, end, text, media_type, size, r#ref })
            }
            SlotKind::Reference { stub, image_type } => {
                let media_type = image_type.to_ascii_lowercase();
                Some(Self::Reference { start, end, text, media_type, ref_id: stub.id })
            }
            // The command brings no dialects.
            SlotKind::Dialect { .. } | _ => None,
        }
    }
}

struct LossesJson<'a>(&'a [Loss]);

#[derive(Serialize)]
#[serde(tag = "kind", rename_all = "snake_case", rename_all_fields = "camelCase")]
enum LossJson<'a> {
    LoneSurrogates { count: usize },
    Withheld { block: usize },
    Unrecognized { block: usize, reason: &'a str },
    GaveUp { block: usize },
    Described { block: usize, media_type: &'a str, encoded_length: usize },
    DroppedField { block: usize, field: &'a str },
    NotHeld { block: usize, r#ref: &'a str },
    NotArchived,
    NotRecorded { reason: &'a str, cause: &'a str },
    Other,
}

impl Serialize for LossesJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(LossJson::from))
    }
}

impl<'a> From<&'a Loss> for LossJson<'a> {
    fn from(loss: &'a Loss) -> Self {
        match loss {
            Loss::LoneSurrogates { count } => Self::LoneSurrogates { count: *count },
            Loss::Withheld { block } => Self::Withheld { block: *block },
            Loss::Unrecognized { block, reason } => Self::Unrecognized { block: *block, reason },
            Loss::GaveUp { block } => Self::GaveUp { block: *block },
            Loss::Described { block, media_type, encoded_len } => {
                Self::Described { block: *block, media_type, encoded_length: *encoded_len }
            }
            Loss::DroppedField { block, field } => Self::DroppedField { block: *block, field },
            Loss::NotArchived => Self::NotArchived,
            Loss::NotRecorded { reason, cause } => Self::NotRecorded { reason, cause },
            Loss::NotHeld { block, image } => {
                Self::NotHeld { block: *block, r#ref: image.as_str() }
            }
            // A kind that came after this version. Not passed over: nothing is lost in silence.
            _ => Self::Other,
        }
    }
}
