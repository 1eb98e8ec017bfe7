//! Slots (4 to 6): every position is tried.

use super::cut::MAX_STUB;
use super::read::{Reader, is_base36, is_digit, is_size, is_token, is_word, lower};
use crate::unit::text_of;

/// What kind of slot one is.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum SlotKind {
    /// A placeholder: `[image: image/png, 1B]`.
    Inline,
    /// A stub of an image: `[ref_1_ab3d] image/png`.
    Reference,
}

/// A slot and where it stands, in UTF-16 code units.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Slot {
    /// Placeholder or stub.
    pub kind: SlotKind,
    /// Where it starts.
    pub start: usize,
    /// Where it ends, exclusive.
    pub end: usize,
    /// The media type it shows, in lower case.
    pub media_type: String,
    /// The size a placeholder shows; a stub has none.
    pub size: Option<String>,
    /// The ref of a placeholder, if it has one, or the ref id of a stub.
    pub reference: Option<String>,
}

/// A stub-shaped line, image or not, of any length (5.1).
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Shape {
    /// Where it starts: at a line's start.
    pub start: usize,
    /// Where it ends: before the next `\n`, or at the end of the text.
    pub end: usize,
    /// Where the text after the id and its blank starts.
    pub shows: usize,
    /// The ref id.
    pub id: String,
}

/// Returns the slots of `text`, in text order.
///
/// Placeholders and stubs are looked for independently, so a placeholder inside a stub is a slot
/// of its own (6.1, 6.2).
pub fn slots(text: &[u16]) -> Vec<Slot> {
    let stubs = stub_shapes(text).into_iter().filter_map(|shape| stub_slot(text, shape));
    let mut slots: Vec<Slot> = placeholders(text).into_iter().chain(stubs).collect();
    slots.sort_by_key(|slot| slot.start);
    slots
}

/// Returns the placeholders of `text` (4.1).
pub fn placeholders(text: &[u16]) -> Vec<Slot> {
    // Two of them cannot overlap: the grammar takes `[` at its start only.
    (0..text.len()).filter_map(|at| placeholder_at(text, at)).collect()
}

fn placeholder_at(text: &[u16], start: usize) -> Option<Slot> {
    let mut reader = Reader::new(text, start);
    reader.literal("[image: ")?;
    let media_type = reader.at;
    reader.run(is_token, 127)?;
    reader.literal("/")?;
    reader.run(is_token, 127)?;
    let media_type = text_of(&text[media_type..reader.at]);
    reader.literal(", ")?;
    let size = reader.at;
    let mut digits = Reader::new(text, size);
    if digits.literal("~").is_none() {
        digits.at = size;
    }
    digits.run(is_size, 16)?;
    reader.at = ["B", "KB", "MB"].into_iter().find_map(|unit| {
        let mut reader = Reader::new(text, digits.at);
        reader.literal(unit).map(|()| reader.at)
    })?;
    let size = text_of(&text[size..reader.at]);
    let closed = reader.at;
    let mut reference = None;
    if reader.literal(", ref ").is_some() {
        let start = reader.at;
        reader.literal("img_")?;
        reader.run(is_base36, 16)?;
        reader.literal("_")?;
        reader.run(is_digit, 16)?;
        reference = Some(text_of(&text[start..reader.at]));
    } else {
        reader.at = closed;
    }
    reader.literal("]")?;
    let (kind, end) = (SlotKind::Inline, reader.at);
    Some(Slot { kind, start, end, media_type, size: Some(size), reference })
}

/// Returns the stub-shaped lines of `text`, whatever their length, image or not (5.1).
pub fn stub_shapes(text: &[u16]) -> Vec<Shape> {
    let mut shapes: Vec<Shape> = Vec::new();
    for at in 0..text.len() {
        // A later start within the same `\n` line belongs to the first match (5.1).
        let taken = shapes.last().is_some_and(|shape| at < shape.end);
        if !taken && let Some(shape) = stub_shape_at(text, at) {
            shapes.push(shape);
        }
    }
    shapes
}

fn stub_shape_at(text: &[u16], start: usize) -> Option<Shape> {
    // The format's `^`: after `\n`, `\r`, U+2028 and U+2029 as well as at the start (2.8).
    let line_start = start == 0 || matches!(text[start - 1], 0x0A | 0x0D | 0x2028 | 0x2029);
    if !line_start {
        return None;
    }
    let mut reader = Reader::new(text, start);
    reader.literal("[")?;
    let id = reader.at;
    reader.literal("ref_")?;
    reader.run(is_base36, usize::MAX)?;
    reader.literal("_")?;
    reader.run(is_base36, usize::MAX)?;
    let id = text_of(&text[id..reader.at]);
    reader.literal("] ")?;
    let shows = reader.at;
    let end = (shows..text.len()).find(|&at| text[at] == 0x0A).unwrap_or(text.len());
    Some(Shape { start, end, shows, id })
}

/// A shape is a slot if the whole is within its bound and shows an image (5.2).
fn stub_slot(text: &[u16], shape: Shape) -> Option<Slot> {
    let Shape { start, end, shows, id } = shape;
    let media_type = image_token(&text[shows..end])?;
    (end - start <= MAX_STUB).then_some(Slot {
        kind: SlotKind::Reference,
        start,
        end,
        media_type,
        size: None,
        reference: Some(id),
    })
}

/// Returns the first `\bimage/TOK+` in lower case, case and word boundary being ASCII's (5.3).
fn image_token(text: &[u16]) -> Option<String> {
    let lowered: Vec<u16> = text.iter().map(|&code_unit| lower(code_unit)).collect();
    (0..lowered.len()).find_map(|at| {
        if at > 0 && is_word(lowered[at - 1]) {
            return None;
        }
        let mut reader = Reader::new(&lowered, at);
        reader.literal("image/")?;
        reader.run(is_token, usize::MAX)?;
        Some(text_of(&lowered[at..reader.at]))
    })
}
