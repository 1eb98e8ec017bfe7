//! The rules of SPEC.md, once more: slow, obvious, on UTF-16 arrays.
//!
//! Every offset here counts UTF-16 code units. Nothing is shared with the crate under test.

mod base64;
mod cap;
mod content;
mod cut;
mod ingest;
mod labels;
mod ledger;
mod live;
mod loss;
mod page;
mod read;
pub mod records;
mod reference;
pub mod saving;
mod slots;
mod stored;
mod structured;

pub use base64::{decode, split_prefix};
pub use cap::{BadCap, DEFAULT_CAP, LEAST_CAP, effective_cap};
pub(crate) use content::base36;
pub use content::{BlockSpan, Call, Image, Kind, Serialized, WITHHELD, serialize};
pub use cut::{MAX_PLACEHOLDER, MAX_STUB, cut, cut_at_character, length_if_over};
pub use ingest::{Format, Ingested, Ingestion, ingest};
pub use labels::{label, media_type, placeholder, placeholder_size, stub_size};
pub use ledger::{Ledger, Lookup, Provenance, Retention};
pub use live::{LiveBlock, live, shown};
pub use loss::Loss;
pub use page::{Page, Pages};
pub use reference::{Reference, reference, write_stub};
pub use slots::{Shape, Slot, SlotKind, placeholders, slots, stub_shapes};
pub use stored::{
    KEPT_LIMIT, Keeping, Kept, Stored, cut_stored, stored_text, truncate_history, truncated_live,
};
pub use structured::{equal, says_the_same};
