//! Live blocks as people read them.

use std::borrow::Cow;

use slotledger::MediaType;
use slotledger::content::Image;
use slotledger::copy::LiveBlock;

use crate::words::count;

/// The line that stands for a live block where people read: an image without its bytes.
pub(super) fn live_line(block: &LiveBlock) -> Cow<'_, str> {
    match block {
        LiveBlock::Text(text) => Cow::Borrowed(text),
        LiveBlock::Image { mime_type, data } => {
            let payload = Image::new(data.clone(), mime_type.clone()).payload();
            let media_type = MediaType::from_testimony(mime_type);
            let len = count(payload.len());
            Cow::Owned(format!("<image: {media_type}, {len} base64 characters>"))
        }
        // A kind that came after this version.
        _ => Cow::Borrowed("<block>"),
    }
}
