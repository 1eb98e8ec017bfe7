//! Losses in plain words.

use slotledger::content::Loss;

use crate::words::{count, fit};

/// What a loss says, in a line.
pub(super) fn sentence(loss: &Loss) -> String {
    match loss {
        Loss::LoneSurrogates { count: 1 } => "1 lone surrogate was read as U+FFFD".to_owned(),
        Loss::LoneSurrogates { count: many } => {
            format!("{} lone surrogates were read as U+FFFD", count(*many))
        }
        Loss::Withheld { block } => {
            format!("block {block}: withheld; it has data and says they are elsewhere")
        }
        Loss::Unrecognized { block, reason } => {
            format!("block {block}: not recognized: {}", fit(reason, 40))
        }
        Loss::GaveUp { block } => {
            format!("block {block}: is no content block, so the whole became JSON text")
        }
        Loss::Described { block, media_type, encoded_len } => {
            let (media_type, len) = (fit(media_type, 24), count(*encoded_len));
            format!("block {block}: bytes not kept: {media_type}, {len} base64 characters")
        }
        Loss::DroppedField { block, field } => {
            format!("block {block}: its field {field} does not serve and is left out")
        }
        Loss::NotHeld { block, image } => {
            format!("block {block}: bytes not held: {image} is too large or one of too many")
        }
        Loss::NotRecorded { cause, .. } => format!("the full text could not be kept: {cause}"),
        Loss::NotArchived => "the archive could not be written".to_owned(),
        // A kind that came after this version.
        _ => "something else did not come through whole".to_owned(),
    }
}
