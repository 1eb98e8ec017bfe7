//! The slots of a stored copy as the rows of a table.

use std::borrow::Cow;
use std::collections::VecDeque;

use slotledger::image::Registry;
use slotledger::slot::{RefId, Slot, SlotKind, slots, stub_size_label};

use crate::words::fit;

/// What stands between columns.
const GAP: &str = "  ";

/// The slots of a stored copy, counted, and those of them that are told.
#[derive(Debug, Default)]
pub(super) struct Found<'t> {
    pub(super) count: usize,
    pub(super) in_head: usize,
    pub(super) first: Vec<Slot<'t>>,
    /// Those behind `first`, or the last of them.
    pub(super) last: Vec<Slot<'t>>,
}

impl<'t> Found<'t> {
    /// Reads a text whose head ends at `head_len`, to tell a `handful` of its slots.
    pub(super) fn read(text: &'t str, head_len: usize, handful: usize) -> Self {
        let mut found = Self::default();
        let mut last = VecDeque::new();
        for slot in slots(text) {
            found.count += 1;
            found.in_head += usize::from(slot.span.end <= head_len);
            if found.first.len() < handful / 2 {
                found.first.push(slot);
                continue;
            }
            last.push_back(slot);
            if last.len() > handful - handful / 2 {
                last.pop_front();
            }
        }
        found.last = last.into();
        found
    }
}

/// A slot in columns: what it is, type, size, ref, and where it stands.
#[derive(Debug)]
pub(super) struct Row<'t>([Cow<'t, str>; 5]);

impl<'t> Row<'t> {
    /// The widest its columns get; the second, the type, is cut shorter where there is no room.
    const WIDEST: [usize; 5] = [9, 64, 12, 25, 4];

    /// The row of a slot in a text that was cut at `head_len`, if it was cut.
    pub(super) fn of(
        slot: &Slot<'t>,
        registry: &Registry,
        head_len: Option<usize>,
    ) -> Option<Self> {
        let place = match head_len {
            Some(head_len) if slot.span.end <= head_len => "head",
            Some(_) => "kept",
            None => "",
        };
        let [kind, media_type, size, handle] = match slot.kind {
            SlotKind::Inline(placeholder) => {
                let handle = placeholder.image.map_or("no ref".into(), |image| image.to_string());
                let (media_type, size) = (placeholder.media_type, placeholder.size);
                ["image".into(), media_type.into(), size.into(), handle.into()]
            }
            SlotKind::Reference { stub, image_type } => {
                let id = stub.id.parse::<RefId>().ok();
                let claimed = id.and_then(|id| registry.lookup(&id)?.testimony.size_bytes);
                let size = claimed.map_or("no size".into(), stub_size_label);
                let media_type = image_type.to_ascii_lowercase();
                ["reference".into(), media_type.into(), size.into(), stub.id.into()]
            }
            // The command brings no dialects.
            SlotKind::Dialect { .. } | _ => return None,
        };
        Some(Self([kind, media_type, size, handle, place.into()]))
    }

    /// The widths in which all `rows` stand in `columns`.
    pub(super) fn widths<'r>(rows: impl Iterator<Item = &'r Self>, columns: usize) -> [usize; 5]
    where
        't: 'r,
    {
        let mut widths = [0; 5];
        for Row(cells) in rows {
            for ((width, cell), widest) in widths.iter_mut().zip(cells).zip(Self::WIDEST) {
                *width = cell.len().min(widest).max(*width);
            }
        }
        let [kind, media_type, size, handle, place] = widths;
        let others = kind + size + handle + place + 4 * GAP.len();
        [kind, media_type.min(columns.saturating_sub(others)), size, handle, place]
    }

    /// The row as a line, each column as wide as given.
    pub(super) fn padded(&self, widths: [usize; 5]) -> String {
        let cells = self.0.iter().zip(widths);
        let cells = cells.map(|(cell, width)| format!("{:width$}", fit(cell, width)));
        cells.collect::<Vec<_>>().join(GAP).trim_end().to_owned()
    }
}
