//! What a call of `save_recent_image` asks for.

use serde_json::Value;

use super::refusal::{MAX_COUNT, SaveError};
use crate::slot::ImageRef;

/// A call of `save_recent_image`: where to, and which images.
///
/// ```
/// use serde_json::json;
/// use slotledger::history::{SaveRequest, Selector};
/// let request = SaveRequest::parse(&json!({"path": "shot.png", "index": "1", "count": null}))?;
/// assert_eq!(request.selector, Selector::Recent { index: 1, count: 1 });
/// let refused = SaveRequest::parse(&json!({"path": "shot.png", "index": -1})).unwrap_err();
/// assert_eq!(refused.reason(), "bad_selector");
/// # Ok::<(), slotledger::history::SaveError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SaveRequest {
    /// The path as the model gave it, never empty.
    pub path: String,
    /// Which images.
    pub selector: Selector,
}

/// Which images are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Selector {
    /// So many, from this place on towards the older ones; 0 is the newest.
    Recent {
        /// The place of the first.
        index: usize,
        /// How many, 1 to [`MAX_COUNT`].
        count: usize,
    },
    /// The one of this ref, which must stand in the conversation.
    Ref(ImageRef),
}

impl SaveRequest {
    /// Asks for images under `path`.
    pub fn new(path: impl Into<String>, selector: Selector) -> Self {
        Self { path: path.into(), selector }
    }

    /// Reads the arguments of a call. `null` and left out mean the same.
    ///
    /// Numbers may come as whole numbers (`1`, `1.0`) or as strings of digits. A number too large
    /// for any history is a place that no image has.
    ///
    /// # Errors
    ///
    /// The first of: no path; a `ref` that is none; a `ref` beside `index` or `count`; an `index`
    /// or a `count` that is none.
    pub fn parse(arguments: &Value) -> Result<Self, SaveError> {
        let supplied = |name: &str| arguments.get(name).filter(|value| !value.is_null());
        let path = supplied("path").and_then(Value::as_str).filter(|path| !path.is_empty());
        let path = path.ok_or(SaveError::BadPath)?;
        let selector = match supplied("ref") {
            Some(image) => {
                let image = image.as_str().and_then(|text| text.parse().ok());
                let image = image.ok_or(SaveError::BadRef)?;
                if supplied("index").or_else(|| supplied("count")).is_some() {
                    return Err(SaveError::ConflictingSelectors);
                }
                Selector::Ref(image)
            }
            None => Selector::Recent {
                index: supplied("index")
                    .map_or(Some(0), whole_number)
                    .ok_or(SaveError::BadIndex)?,
                count: supplied("count")
                    .map_or(Some(1), whole_number)
                    .filter(|count| (1..=MAX_COUNT).contains(count))
                    .ok_or(SaveError::BadCount)?,
            },
        };
        Ok(Self::new(path, selector))
    }
}

/// A whole number from 0 up, or a string of ASCII digits; what is too large is the greatest.
fn whole_number(value: &Value) -> Option<usize> {
    match value {
        Value::String(digits) => {
            let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| digits.parse().unwrap_or(usize::MAX))
        }
        Value::Number(number) => match (number.as_u64(), number.as_f64()) {
            (Some(number), _) => Some(usize::try_from(number).unwrap_or(usize::MAX)),
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "whole and not negative; a cast of what is too large gives the greatest"
            )]
            (None, Some(number)) if number >= 0.0 && number.fract() == 0.0 => Some(number as usize),
            _ => None,
        },
        Value::Null | Value::Bool(_) | Value::Array(_) | Value::Object(_) => None,
    }
}
