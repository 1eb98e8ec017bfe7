//! What can be read back: the full text of a result, kept once, before anything is cut.

mod key;

mod record;

pub mod store;

mod page;

pub use key::{ContentKey, extract_keys};
pub use page::{MAX_PAGE, Page, page_of};
pub use record::{Meta, Record, RecordId, Sizes, SlotPlace};
