//! Images and receipts as JSON: the one form of `images`, `save` and `pipe`.

use std::fmt;

use base64::display::Base64Display;
use base64::engine::general_purpose::STANDARD;
use serde::ser::{Error as _, SerializeStruct as _};
use serde::{Serialize, Serializer};
use slotledger::Ledger;
use slotledger::history::{Origin, Receipt, Seen, SeenImage, Selected};
use slotledger::image::Lookup;
use slotledger::slot::SlotKind;

/// An image of a conversation: the `Image` of the pipe protocol.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ImageJson {
    pub(crate) index: usize,
    pub(crate) source: ImageSource,
    pub(crate) media_type: String,
    pub(crate) messages_back: usize,
    pub(crate) savable: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    r#ref: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ref_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tool_name: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) tool_call_id: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    block_index: Option<usize>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub(crate) enum ImageSource {
    Attachment,
    ToolResult,
    Reference,
}

impl ImageJson {
    pub(crate) fn new(image: &SeenImage<'_>, ledger: &Ledger) -> Self {
        let reason = image.check(ledger).err().map(|error| error.reason());
        let mut json = Self {
            index: image.index,
            source: ImageSource::Attachment,
            media_type: image.media_type().to_string(),
            messages_back: image.messages_back,
            savable: reason.is_none(),
            reason,
            r#ref: None,
            ref_id: None,
            tool_name: None,
            tool_call_id: None,
            block_index: None,
        };
        let Seen::Slot { call, slot, .. } = image.seen else { return json };
        json.source = ImageSource::ToolResult;
        json.tool_name = Some(call.tool.to_string()).filter(|tool| !tool.is_empty());
        json.tool_call_id = Some(call.id.to_string());
        match slot.kind {
            SlotKind::Inline(placeholder) => {
                json.r#ref = placeholder.image.map(|image| image.to_string());
                if let (true, Some(image)) = (json.savable, placeholder.image)
                    && let Lookup::Retained(held) = ledger.lookup(image)
                {
                    json.block_index = Some(held.provenance.block());
                }
            }
            SlotKind::Reference { stub, .. } => {
                json.source = ImageSource::Reference;
                json.ref_id = Some(stub.id.to_owned());
            }
            // The command brings no dialects.
            SlotKind::Dialect { .. } | _ => {}
        }
        json
    }
}

/// What is said of an image that was saved: the `Receipt` of the pipe protocol.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ReceiptJson<'a> {
    pub(crate) image: &'a Selected,
    pub(crate) receipt: &'a Receipt,
    /// The bytes, where they are to be told.
    pub(crate) data: Option<&'a [u8]>,
}

impl Serialize for ReceiptJson<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { image, receipt, data } = *self;
        let source = match image.origin {
            Origin::Attachment => ImageSource::Attachment,
            Origin::ToolResult { .. } | _ => ImageSource::ToolResult,
        };
        let mut object = serializer.serialize_struct("Receipt", 13)?;
        object.serialize_field("path", &image.path)?;
        object.serialize_field("imageIndex", &image.image_index)?;
        object.serialize_field("source", &source)?;
        object.serialize_field("mediaType", &*image.media_type)?;
        object.serialize_field("byteSize", &receipt.byte_size)?;
        object.serialize_field("sha256", &Displayed(Hex(&receipt.sha256)))?;
        object.serialize_field("messagesBack", &image.messages_back)?;
        if let Some(data) = data {
            let base64 = Base64Display::new(data, &STANDARD);
            object.serialize_field("data", &Displayed(base64))?;
        }
        if let Some(actual) = receipt.actual_media_type {
            object.serialize_field("actualMediaType", actual)?;
        }
        if let Origin::ToolResult { image, tool, call_id, block } = &image.origin {
            object.serialize_field("ref", image.as_str())?;
            if !tool.is_empty() {
                object.serialize_field("toolName", &**tool)?;
            }
            object.serialize_field("toolCallId", &**call_id)?;
            object.serialize_field("blockIndex", block)?;
        }
        object.end()
    }
}

/// An image that is opened only as it is written: of a range, one at a time is decoded.
#[derive(Debug)]
pub(crate) struct SavedJson(pub(crate) Selected);

impl Serialize for SavedJson {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        // No selection holds an image that cannot be decoded.
        let (receipt, bytes) = self.0.open().map_err(S::Error::custom)?;
        let data = Some(&*bytes);
        ReceiptJson { image: &self.0, receipt: &receipt, data }.serialize(serializer)
    }
}

/// Bytes in lower-case hexadecimal.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hex<'a>(pub(crate) &'a [u8]);

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// A JSON string, written piece by piece.
struct Displayed<T>(T);

impl<T: fmt::Display> Serialize for Displayed<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}
