//! Why an image is not saved: values for the host, a sentence for the model.

use std::fmt;

use bytestring::ByteString;

use super::barrier::SiblingsPending;
use crate::content::Call;
use crate::image::PayloadError;
use crate::notice;
use crate::slot::ImageRef;

/// The most images that one call can save.
pub const MAX_COUNT: usize = 20;

/// Which image a refusal is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The one at this place of the inventory.
    Index(usize),
    /// The one of this ref.
    Ref(ImageRef),
}

/// Why no image was saved. No save falls back to another image (SPEC L13).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SaveError {
    /// There is no path, or it is empty or no string.
    BadPath,
    /// The `ref` is none.
    BadRef,
    /// The `index` is none.
    BadIndex,
    /// The `count` is none.
    BadCount,
    /// A `ref` came beside an `index` or a `count`.
    ConflictingSelectors,
    /// There are only `found` images in the newest `scanned` messages.
    NotEnough {
        /// How many images there are.
        found: usize,
        /// The place asked for.
        index: usize,
        /// How many messages were looked at.
        scanned: usize,
    },
    /// The image was attached, and its bytes are not in the conversation.
    AttachmentNotInline {
        /// Its place.
        index: usize,
    },
    /// The image is a reference: its bytes were never here.
    Reference {
        /// Its place.
        index: usize,
        /// The reference.
        ref_id: ByteString,
        /// Its type as shown.
        media_type: ByteString,
        /// The call whose result shows it.
        call: Box<Call>,
    },
    /// The image's placeholder has no ref.
    NoRef {
        /// Its place.
        index: usize,
        /// The call whose result shows it.
        call: Box<Call>,
    },
    /// The placeholder cites a ref of another call: it is quoted or forged.
    Foreign {
        /// Its place.
        index: usize,
        /// The ref it cites.
        image: ImageRef,
        /// The call that the ref belongs to.
        owner: Box<Call>,
        /// The call whose result cites it.
        call: Box<Call>,
    },
    /// The image's bytes were let go.
    Evicted {
        /// Which image.
        subject: Subject,
        /// Its ref.
        image: ImageRef,
        /// The call it came from.
        call: Box<Call>,
    },
    /// The image's ref is not known here: it is of another process, forged, or too old.
    NotKnown {
        /// Which image.
        subject: Subject,
        /// Its ref.
        image: ImageRef,
        /// The call whose result shows it.
        call: Box<Call>,
    },
    /// The image's bytes cannot be decoded.
    Undecodable {
        /// Which image.
        subject: Subject,
        /// Why.
        source: PayloadError,
    },
    /// The ref stands only in results of calls it does not belong to.
    OnlyQuoted {
        /// The ref.
        image: ImageRef,
        /// The call it belongs to.
        owner: Box<Call>,
    },
    /// The ref is not known, and no result shows it.
    UnknownRef {
        /// The ref.
        image: ImageRef,
    },
    /// The ref is known, but none of the newest `scanned` messages shows it.
    NotInContext {
        /// The ref.
        image: ImageRef,
        /// The call it belongs to.
        owner: Box<Call>,
        /// How many messages were looked at.
        scanned: usize,
        /// Whether its bytes are gone as well.
        evicted: bool,
    },
    /// Other calls of the batch are not done yet.
    SiblingsPending(SiblingsPending),
}

impl SaveError {
    /// The reason as one word, for programs.
    pub fn reason(&self) -> &'static str {
        match self {
            Self::BadPath | Self::BadRef | Self::BadIndex | Self::BadCount => "bad_selector",
            Self::ConflictingSelectors => "conflicting_selectors",
            Self::NotEnough { .. } => "not_enough_images",
            Self::AttachmentNotInline { .. } => "attachment_not_inline",
            Self::Reference { .. } => "reference",
            Self::NoRef { .. } => "no_ref",
            Self::Foreign { .. } | Self::OnlyQuoted { .. } => "foreign",
            Self::Evicted { .. } => "evicted",
            Self::NotKnown { .. } | Self::UnknownRef { .. } => "unknown_ref",
            Self::Undecodable { .. } => "undecodable",
            Self::NotInContext { .. } => "not_in_context",
            Self::SiblingsPending(_) => "siblings_pending",
        }
    }

    /// What the model reads: what is wrong, what to do, and that nothing was written.
    pub fn notice(&self) -> String {
        let said = match self {
            Self::BadPath => "`path` is required".to_owned(),
            Self::BadRef => "`ref` must look like \"img_k7x3q2_7\"".to_owned(),
            Self::BadIndex => "`index` must be a non-negative integer".to_owned(),
            Self::BadCount => notice::bad_count(MAX_COUNT),
            Self::ConflictingSelectors => notice::CONFLICTING_SELECTORS.to_owned(),
            Self::NotEnough { found, index, scanned } => {
                notice::not_enough_images(*found, *index, *scanned)
            }
            Self::AttachmentNotInline { index } => notice::attachment_not_inline(*index),
            Self::Reference { index, ref_id, media_type, call } => {
                notice::image_is_reference(*index, ref_id, media_type, &call.tool, &call.id)
            }
            Self::NoRef { index, call } => notice::image_without_ref(*index, &call.tool, &call.id),
            Self::Foreign { index, image, owner, call } => notice::foreign_image(
                *index,
                image.as_str(),
                (&owner.tool, &owner.id),
                (&call.tool, &call.id),
            ),
            Self::Evicted { subject, image, call } => {
                notice::evicted_image(&subject.name(), image.as_str(), &call.tool, &call.id)
            }
            Self::NotKnown { subject, image, call } => {
                notice::unknown_image(&subject.name(), image.as_str(), &call.tool, &call.id)
            }
            Self::Undecodable { subject, source } => {
                notice::undecodable_image(&subject.name(), &reason_of(*source))
            }
            Self::OnlyQuoted { image, owner } => {
                notice::only_quoted(image.as_str(), &owner.tool, &owner.id)
            }
            Self::UnknownRef { image } => notice::unknown_ref(image.as_str()),
            Self::NotInContext { image, owner, scanned, evicted } => notice::ref_not_in_context(
                image.as_str(),
                &owner.tool,
                &owner.id,
                *scanned,
                *evicted,
            ),
            Self::SiblingsPending(pending) => pending.said(),
        };
        notice::save_refused(&said)
    }
}

impl Subject {
    fn name(self) -> String {
        match self {
            Self::Index(index) => notice::image_at(index),
            Self::Ref(image) => notice::image_of_ref(image.as_str()),
        }
    }
}

fn reason_of(error: PayloadError) -> String {
    match error {
        PayloadError::Empty => notice::EMPTY_PAYLOAD.to_owned(),
        PayloadError::Byte { at } => notice::payload_with_strange_byte(at),
        PayloadError::Short { characters } => notice::short_payload(characters),
    }
}

impl From<SiblingsPending> for SaveError {
    fn from(pending: SiblingsPending) -> Self {
        Self::SiblingsPending(pending)
    }
}

impl fmt::Display for SaveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::BadPath => f.write_str("no path"),
            Self::BadRef => f.write_str("not a ref"),
            Self::BadIndex => f.write_str("not an index"),
            Self::BadCount => write!(f, "not a count from 1 to {MAX_COUNT}"),
            Self::ConflictingSelectors => f.write_str("both a ref and an index or count"),
            Self::NotEnough { found, index, scanned } => {
                write!(f, "no image at index {index}: {found} in the newest {scanned} messages")
            }
            Self::AttachmentNotInline { index } => {
                write!(f, "the attachment at index {index} is not inline")
            }
            Self::Reference { index, ref_id, .. } => {
                write!(f, "the image at index {index} is the reference {ref_id}")
            }
            Self::NoRef { index, call } => {
                write!(f, "the image at index {index} of call {:?} has no ref", call.id)
            }
            Self::Foreign { index, image, owner, call } => write!(
                f,
                "the image at index {index} of call {:?} cites {image} of call {:?}",
                call.id, owner.id
            ),
            Self::Evicted { image, .. } => write!(f, "{image} was evicted"),
            Self::NotKnown { image, .. } | Self::UnknownRef { image } => {
                write!(f, "{image} is not known")
            }
            Self::Undecodable { .. } => f.write_str("the image cannot be decoded"),
            Self::OnlyQuoted { image, .. } => {
                write!(f, "{image} stands only in results of other calls")
            }
            Self::NotInContext { image, scanned, .. } => {
                write!(f, "{image} does not stand in the newest {scanned} messages")
            }
            Self::SiblingsPending(pending) => pending.fmt(f),
        }
    }
}

impl std::error::Error for SaveError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        if let Self::Undecodable { source, .. } = self { Some(source) } else { None }
    }
}
