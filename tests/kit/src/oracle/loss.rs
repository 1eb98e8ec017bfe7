//! What of a result did not come through whole (9.10).

use crate::json::Json;

/// One loss. `block` is a block's index.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Loss {
    /// That many lone surrogate escapes became U+FFFD.
    LoneSurrogates {
        /// How many.
        count: usize,
    },
    /// Inline data that says it is a reference as well.
    Withheld {
        /// Which.
        block: usize,
    },
    /// A block that only has a line in its place.
    Unrecognized {
        /// Which.
        block: usize,
        /// The reason its line gives.
        reason: String,
    },
    /// The first element that is no block.
    GaveUp {
        /// Which.
        block: usize,
    },
    /// Bytes that are described and not kept.
    Described {
        /// Which.
        block: usize,
        /// Their normalized type.
        media_type: String,
        /// The payload's length in UTF-16 code units.
        encoded_length: usize,
    },
    /// An optional field of a reference that did not fit.
    DroppedField {
        /// Of which.
        block: usize,
        /// The field's name.
        field: &'static str,
    },
    /// An image whose payload is not held after it was retained.
    NotHeld {
        /// Which.
        block: usize,
        /// Its ref.
        reference: String,
    },
}

impl Loss {
    /// Returns the loss in the fields of the pipe protocol.
    pub fn to_json(&self) -> Json {
        let loss = |kind: &str, fields: &[(&str, Json)]| {
            let mut members = vec![("kind".to_owned(), kind.into())];
            members.extend(fields.iter().map(|(key, value)| ((*key).to_owned(), value.clone())));
            Json::Object(members)
        };
        match self {
            Self::LoneSurrogates { count } => {
                loss("lone_surrogates", &[("count", (*count).into())])
            }
            Self::Withheld { block } => loss("withheld", &[("block", (*block).into())]),
            Self::Unrecognized { block, reason } => loss(
                "unrecognized",
                &[("block", (*block).into()), ("reason", reason.as_str().into())],
            ),
            Self::GaveUp { block } => loss("gave_up", &[("block", (*block).into())]),
            Self::Described { block, media_type, encoded_length } => loss(
                "described",
                &[
                    ("block", (*block).into()),
                    ("mediaType", media_type.as_str().into()),
                    ("encodedLength", (*encoded_length).into()),
                ],
            ),
            Self::DroppedField { block, field } => {
                loss("dropped_field", &[("block", (*block).into()), ("field", (*field).into())])
            }
            Self::NotHeld { block, reference } => {
                loss("not_held", &[("block", (*block).into()), ("ref", reference.as_str().into())])
            }
        }
    }
}
