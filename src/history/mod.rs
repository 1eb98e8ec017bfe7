//! The conversation as a whole: which images it shows, and saving the right one or none.

mod barrier;
mod conversation;
mod inventory;
mod refusal;

mod request;
mod save;

mod folder;
mod tool;

pub use barrier::{SIBLING_TIMEOUT, SiblingsPending, wait_for_siblings};
pub use conversation::{Conversation, StoredPart, StoredResult};
pub use folder::{Folder, WriteError, WriteProblem, Written};
pub use inventory::{Inventory, SCAN_LIMIT, Seen, SeenImage};
pub use refusal::{MAX_COUNT, SaveError, Subject};
pub use request::{SaveRequest, Selector};
pub use save::{Origin, Receipt, Selected, Selection, select};
pub use tool::save_tool;
