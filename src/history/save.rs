//! From a request to the very images it means, or to the reason why not.

use bytestring::ByteString;

use super::inventory::{Inventory, Seen, SeenImage};
use super::refusal::{SaveError, Subject};
use super::request::{SaveRequest, Selector};
use crate::content::{Attachment, Call};
use crate::image::{Held, Ledger, Lookup, Payload, PayloadError, Provenance, sniff};
use crate::notice;
use crate::slot::{ImageRef, MediaType, SlotKind};

/// The type of an attachment that names none.
const UNNAMED_ATTACHMENT: &str = "image/png";

/// The images a request means, all of which can be written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Selection {
    /// The path as the model gave it.
    pub asked: String,
    /// The images, the newest first. At least one.
    pub images: Vec<Selected>,
    /// What a model should know, when there are fewer than it asked for.
    pub note: Option<String>,
}

/// One image to be written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Selected {
    /// The path to write it to, as the model gave it, numbered when there are several.
    pub path: String,
    /// Its place in the inventory; 0 when it was selected by ref.
    pub image_index: usize,
    /// How many messages back it stands.
    pub messages_back: usize,
    /// Its media type, as claimed and normalized.
    pub media_type: ByteString,
    /// Where it comes from.
    pub origin: Origin,
    /// Its bytes, as base64.
    pub payload: Payload,
}

/// Where an image comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Origin {
    /// It was attached to a message.
    Attachment,
    /// A tool sent it.
    ToolResult {
        /// Its ref.
        image: ImageRef,
        /// The tool.
        tool: ByteString,
        /// The call in whose result it came.
        call_id: ByteString,
        /// Which block of the result it was, from 0.
        block: usize,
    },
}

/// What is said of an image that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Receipt {
    /// The exact number of bytes.
    pub byte_size: usize,
    /// The SHA-256 of the bytes.
    pub sha256: [u8; 32],
    /// What the first bytes say it is, when that is not the claimed type.
    pub actual_media_type: Option<&'static str>,
}

impl Selected {
    /// Its bytes, and what a receipt says of them.
    ///
    /// # Errors
    ///
    /// When they cannot be decoded; [`select`] has ruled that out.
    pub fn open(&self) -> Result<(Receipt, Vec<u8>), PayloadError> {
        let bytes = self.payload.decode()?;
        let actual = sniff(&bytes).filter(|&actual| self.media_type != actual);
        let receipt = Receipt {
            byte_size: bytes.len(),
            sha256: Payload::digest(&bytes),
            actual_media_type: actual,
        };
        Ok((receipt, bytes))
    }
}

/// Finds the images that `request` means. Writes nothing.
///
/// A range is whole or refused: one image that cannot be written refuses them all, and no image
/// stands in for another (SPEC L13). Fewer than asked for, but at least one, is a selection with
/// a note.
///
/// # Errors
///
/// The reason, with the values a model needs to act on it.
pub fn select(
    request: &SaveRequest,
    inventory: Inventory<'_>,
    scanned: usize,
    ledger: &Ledger,
) -> Result<Selection, SaveError> {
    match request.selector {
        Selector::Recent { index, count } => {
            recent(request, inventory, index, count, scanned, ledger)
        }
        Selector::Ref(image) => by_ref(request, inventory, image, scanned, ledger),
    }
}

fn recent(
    request: &SaveRequest,
    mut inventory: Inventory<'_>,
    index: usize,
    count: usize,
    scanned: usize,
    ledger: &Ledger,
) -> Result<Selection, SaveError> {
    let passed_over = inventory.by_ref().take(index).count();
    let seen: Vec<SeenImage<'_>> = inventory.take(count).collect();
    if seen.is_empty() {
        return Err(SaveError::NotEnough { found: passed_over, index, scanned });
    }
    let mut images = Vec::with_capacity(seen.len());
    for (offset, image) in seen.iter().enumerate() {
        let bytes = image.resolve(Subject::Index(image.index), ledger)?;
        images.push(Selected {
            path: numbered(&request.path, offset, count),
            image_index: image.index,
            messages_back: image.messages_back,
            media_type: bytes.media_type,
            origin: bytes.origin,
            payload: bytes.payload,
        });
    }
    let note = (images.len() < count).then(|| notice::fewer_images(images.len(), count));
    Ok(Selection { asked: request.path.clone(), images, note })
}

fn by_ref(
    request: &SaveRequest,
    inventory: Inventory<'_>,
    image: ImageRef,
    scanned: usize,
    ledger: &Ledger,
) -> Result<Selection, SaveError> {
    let owner = match ledger.lookup(image) {
        Lookup::Retained(held) => Some((held.provenance, false)),
        Lookup::Evicted(provenance) => Some((provenance, true)),
        Lookup::Unknown => None,
    };
    let mut quoted = false;
    for seen in inventory {
        let Seen::Slot { call, slot, .. } = seen.seen else { continue };
        let SlotKind::Inline(placeholder) = slot.kind else { continue };
        if placeholder.image != Some(image) {
            continue;
        }
        // Only where the ref's own call stands was the image shown; anywhere else it is quoted.
        if owner.is_some_and(|(provenance, _)| call.id != provenance.call_id()) {
            quoted = true;
            continue;
        }
        let bytes = seen.resolve(Subject::Ref(image), ledger)?;
        let selected = Selected {
            path: request.path.clone(),
            image_index: 0,
            messages_back: seen.messages_back,
            media_type: bytes.media_type,
            origin: bytes.origin,
            payload: bytes.payload,
        };
        let asked = request.path.clone();
        return Ok(Selection { asked, images: vec![selected], note: None });
    }
    Err(match owner {
        None => SaveError::UnknownRef { image },
        Some((owner, _)) if quoted => {
            SaveError::OnlyQuoted { image, owner: Box::new(call_of(owner)) }
        }
        Some((owner, evicted)) => {
            SaveError::NotInContext { image, owner: Box::new(call_of(owner)), scanned, evicted }
        }
    })
}

/// The bytes of an image and what is said of them.
#[derive(Debug)]
struct Resolved {
    media_type: ByteString,
    origin: Origin,
    payload: Payload,
}

impl SeenImage<'_> {
    /// Why this image cannot be saved, if it cannot.
    ///
    /// # Errors
    ///
    /// The reason.
    pub fn check(&self, ledger: &Ledger) -> Result<(), SaveError> {
        self.resolve(Subject::Index(self.index), ledger).map(|_| ())
    }

    /// Its bytes as base64, if it can be saved.
    pub fn payload(&self, ledger: &Ledger) -> Option<Payload> {
        self.resolve(Subject::Index(self.index), ledger).ok().map(|bytes| bytes.payload)
    }

    /// Its media type, normalized; an attachment that names none is `image/png`.
    pub fn media_type(&self) -> ByteString {
        match self.seen {
            Seen::Attachment(attachment) => media_type_of(attachment),
            Seen::Slot { slot, .. } => match slot.kind {
                SlotKind::Inline(placeholder) => placeholder.media_type.into(),
                SlotKind::Reference { image_type, .. } => image_type.to_ascii_lowercase().into(),
                SlotKind::Dialect { .. } => ByteString::from_static("image/x-unknown"),
            },
        }
    }

    fn resolve(&self, subject: Subject, ledger: &Ledger) -> Result<Resolved, SaveError> {
        let index = self.index;
        let bytes = match self.seen {
            Seen::Attachment(Attachment::Elsewhere { .. }) => {
                return Err(SaveError::AttachmentNotInline { index });
            }
            Seen::Attachment(attachment @ Attachment::Inline(image)) => Resolved {
                media_type: media_type_of(attachment),
                origin: Origin::Attachment,
                payload: Payload::new(image.payload()),
            },
            Seen::Slot { call, slot, .. } => {
                let call = Box::new(call.clone());
                let image = match slot.kind {
                    SlotKind::Reference { stub, image_type } => {
                        return Err(SaveError::Reference {
                            index,
                            ref_id: stub.id.into(),
                            media_type: image_type.to_ascii_lowercase().into(),
                            call,
                        });
                    }
                    SlotKind::Inline(placeholder) => placeholder.image,
                    SlotKind::Dialect { .. } => None,
                };
                let Some(image) = image else { return Err(SaveError::NoRef { index, call }) };
                let held = held(index, subject, image, call, ledger)?;
                Resolved {
                    media_type: held.provenance.media_type().as_str().into(),
                    origin: Origin::ToolResult {
                        image,
                        tool: held.provenance.tool().into(),
                        call_id: held.provenance.call_id().into(),
                        block: held.provenance.block(),
                    },
                    payload: held.payload.clone(),
                }
            }
        };
        match bytes.payload.decoded_len() {
            Ok(_) => Ok(bytes),
            Err(source) => Err(SaveError::Undecodable { subject, source }),
        }
    }
}

fn media_type_of(attachment: &Attachment) -> ByteString {
    let named = match attachment {
        Attachment::Inline(image) if image.mime_type().is_empty() => None,
        Attachment::Inline(image) => Some(image.media_type()),
        Attachment::Elsewhere { mime_type } => {
            mime_type.as_ref().map(|claim| MediaType::from_testimony(claim))
        }
    };
    named.map_or(ByteString::from_static(UNNAMED_ATTACHMENT), |named| named.as_str().into())
}

/// The image of `image`, if it is held and came in the result of `call`.
fn held(
    index: usize,
    subject: Subject,
    image: ImageRef,
    call: Box<Call>,
    ledger: &Ledger,
) -> Result<Held<'_>, SaveError> {
    match ledger.lookup(image) {
        Lookup::Retained(Held { provenance, .. }) | Lookup::Evicted(provenance)
            if call.id != provenance.call_id() =>
        {
            Err(SaveError::Foreign { index, image, owner: Box::new(call_of(provenance)), call })
        }
        Lookup::Retained(held) => Ok(held),
        Lookup::Evicted(_) => Err(SaveError::Evicted { subject, image, call }),
        Lookup::Unknown => Err(SaveError::NotKnown { subject, image, call }),
    }
}

fn call_of(provenance: &Provenance) -> Call {
    Call::new(provenance.call_id(), provenance.tool())
}

/// The path of the image at `offset` of `count`: `-OFFSET` before the extension, if there is one
/// in the last part of the path.
fn numbered(path: &str, offset: usize, count: usize) -> String {
    if count == 1 {
        return path.to_owned();
    }
    let name_start = path.rfind('/').map_or(0, |slash| slash + 1);
    let dot = path.rfind('.').filter(|&dot| dot >= name_start).unwrap_or(path.len());
    let (stem, extension) = path.split_at_checked(dot).unwrap_or((path, ""));
    format!("{stem}-{offset}{extension}")
}
