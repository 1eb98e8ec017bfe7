//! What can be read back: the full text of a result, kept once, before anything is cut.

mod json;
mod key;

mod content_type;
mod recall_args;
#[allow(clippy::module_inception, reason = "the record is what this floor is named for")]
mod record;

pub mod store;

mod page;

mod document;

mod grep;
mod item;
mod outline;

pub use content_type::content_type;
pub use grep::{Grep, GrepBounds, GrepError, Grepped, MAX_MATCHES, MAX_PATTERN_UTF16};
pub use item::{ItemError, MAX_ITEM_POINTERS, find_item};
pub use key::{ContentKey, ContentKeyError, extract_keys};
pub use outline::outline;
pub use page::{MAX_PAGE, Page, page_of};
pub use recall_args::RecallArgs;
pub use record::{Gone, Meta, Record, RecordId, Sizes, SlotPlace};
