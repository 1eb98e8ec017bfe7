//! What the model is shown at once (12).

use super::content::{Kind, Serialized};
use super::cut::cut;
use super::stored::truncated_live;
use crate::unit::{Unit, text_of};

/// One native block of a live copy.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum LiveBlock {
    /// Text.
    Text(String),
    /// An image, as the tool sent it.
    Image {
        /// Its media type.
        media_type: String,
        /// Its data.
        data: String,
    },
}

/// Returns the shown ranges of the full text: none unless it has a span of kind image (12.5).
pub fn shown(result: &Serialized, cap: usize, unit: Unit) -> Vec<(usize, usize)> {
    let Some(blocks) = &result.blocks else {
        return Vec::new();
    };
    if blocks.iter().all(|block| block.kind != Kind::Image) {
        return Vec::new();
    }
    let range = |start: usize, end: usize, whole: bool| {
        let cut = cut(&result.text[start..end], cap, unit).filter(|_| !whole);
        (start, cut.map_or(end, |cut| start + cut))
    };
    blocks.iter().map(|block| range(block.start, block.end, block.whole)).collect()
}

/// Returns the native blocks of the live copy, or `None` where it is the stored copy (12.1).
///
/// `recorded` is the call id where a record is kept.
///
/// # Panics
///
/// When `result` has more spans of kind image than images.
pub fn live(
    result: &Serialized,
    cap: usize,
    unit: Unit,
    recorded: Option<&str>,
) -> Option<Vec<LiveBlock>> {
    let blocks = result.blocks.as_ref()?;
    if blocks.iter().all(|block| block.kind != Kind::Image) {
        return None;
    }
    let mut images = result.images.iter();
    let live = |block: &super::content::BlockSpan| {
        let text = &result.text[block.start..block.end];
        if block.kind == Kind::Image {
            let image = images.next().expect("every image span has its image");
            let (media_type, data) = (image.sent_type.clone(), image.sent_data.clone());
            return LiveBlock::Image { media_type, data };
        }
        let cap = if block.whole { 0 } else { cap };
        LiveBlock::Text(text_of(&truncated_live(text, cap, unit, recorded)))
    };
    Some(blocks.iter().map(live).collect())
}
