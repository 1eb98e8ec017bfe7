//! The texts made from one result: the full text, the live copy and the stored copy.
//!
//! Everything here is total: there is an answer for every content, text and cap.

mod serialize;

mod cut;
mod keeping;

mod live;
mod stored;

pub use cut::{Cut, MAX_KEPT, cut_at, cut_shown};
pub use keeping::{Direct, Keeping};
pub use live::{LiveBlock, LiveCopy};
pub use serialize::{BlockKind, BlockSpan, Serialized, serialize};
pub use stored::{StoredCopy, truncate_history};
