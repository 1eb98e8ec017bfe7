//! What can be read back: the full text of a result, kept once, before anything is cut.

mod json;
mod key;

mod content_type;
mod plain;
mod recall_args;
#[allow(clippy::module_inception, reason = "the record is what this floor is named for")]
mod record;

pub mod store;

mod page;

mod document;

mod grep;
mod item;
mod outline;

mod answers;
mod handle;

mod refusal;

mod arguments;
mod find;
mod selection;

mod read;
mod tools;

mod mask;
mod shown;

mod recorder;

pub use content_type::content_type;
pub use grep::{Grep, GrepBounds, GrepError, Grepped, MAX_MATCHES, MAX_PATTERN_UTF16};
pub use item::{ItemError, MAX_ITEM_POINTERS, find_item};
pub use key::{ContentKey, ContentKeyError, extract_keys};
pub use outline::outline;
pub use page::{MAX_PAGE, Page, page_of};
pub use read::{ListAnswer, ReadAnswer, Reader};
pub use recall_args::RecallArgs;
pub use record::{Gone, Meta, Record, RecordId, Sizes, SlotPlace};
pub use refusal::{Place, ReadRefusal};
pub use shown::ShownSlots;
pub use tools::{get_full_tool_result_tool, list_tool_results_tool, recall_tool};

pub(crate) use recorder::{Kept, Recorder, Records};
pub(crate) use tools::is_read_back;
