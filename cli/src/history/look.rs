//! An image of a history, and what its bytes say of themselves.

use serde::Serialize;
use slotledger::Session;
use slotledger::content::Attachment;
use slotledger::history::{Seen, SeenImage};
use slotledger::image::sniff;
use slotledger::slot::{RefId, SlotKind, stub_size_label};

use crate::image_json::ImageJson;

/// An image and its bytes looked at.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Looked {
    #[serde(flatten)]
    pub(super) image: ImageJson,
    /// How many bytes there are.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) byte_size: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) width: Option<usize>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) height: Option<usize>,
    /// What the bytes are, where that is not the type they are called.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) actual_media_type: Option<&'static str>,
    /// Whether nothing names its type, so that what stands for it is a guess.
    #[serde(skip)]
    is_unnamed: bool,
    /// The size that is told where no bytes are.
    #[serde(skip)]
    pub(super) told_size: String,
}

impl Looked {
    pub(super) fn at(seen: &SeenImage<'_>, session: &Session) -> Self {
        let mut looked = Self {
            image: ImageJson::new(seen, session.ledger()),
            byte_size: None,
            width: None,
            height: None,
            actual_media_type: None,
            is_unnamed: matches!(
                seen.seen,
                Seen::Attachment(Attachment::Elsewhere { mime_type: None })
            ),
            told_size: told_size(seen, session),
        };
        let payload = seen.payload(session.ledger());
        let Some(Ok(bytes)) = payload.map(|payload| payload.decode()) else { return looked };
        looked.byte_size = Some(bytes.len());
        looked.actual_media_type = sniff(&bytes).filter(|&is| is != looked.image.media_type);
        if let Ok(size) = imagesize::blob_size(&bytes) {
            (looked.width, looked.height) = (Some(size.width), Some(size.height));
        }
        looked
    }

    /// The type as people name it: `png`, and `jpeg (is png)` where the bytes are of another.
    pub(super) fn type_name(&self) -> String {
        if self.is_unnamed {
            return String::new();
        }
        let claimed = short(&self.image.media_type);
        match self.actual_media_type {
            Some(actual) => format!("{claimed} (is {})", short(actual)),
            None => claimed.to_owned(),
        }
    }
}

/// A media type without `image/`.
pub(super) fn short(media_type: &str) -> &str {
    media_type.strip_prefix("image/").unwrap_or(media_type)
}

/// The size that a slot tells.
fn told_size(seen: &SeenImage<'_>, session: &Session) -> String {
    let Seen::Slot { slot, .. } = seen.seen else { return String::new() };
    match slot.kind {
        SlotKind::Inline(placeholder) => placeholder.size.to_owned(),
        SlotKind::Reference { stub, .. } => {
            let id = stub.id.parse::<RefId>().ok();
            let claimed = id.and_then(|id| session.registry().lookup(&id)?.testimony.size_bytes);
            claimed.map(stub_size_label).unwrap_or_default()
        }
        // The command brings no dialects.
        SlotKind::Dialect { .. } | _ => String::new(),
    }
}
