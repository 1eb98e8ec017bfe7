//! The words that stand for an image in a text: reader and writer side by side.
//!
//! A **slot** is where one image stands: a [`Placeholder`] for an image whose bytes a ledger took,
//! or a [`Stub`] for a reference to an image that lives elsewhere. [`slots`] finds them.

mod label;
mod media_type;

mod placeholder;
mod size;
mod stub;

mod dialect;
mod scan;

pub use dialect::{Dialect, DialectError, MAX_DIALECT_SLOT_LEN};
pub use label::label;
pub use media_type::{MAX_NAME_LEN, MediaType};
pub use placeholder::{
    ImageRef, ImageRefError, MAX_PLACEHOLDER_LEN, Placeholder, placeholder_at, write_placeholder,
};
pub use scan::{Grammar, Slot, SlotKind, Slots, slots};
pub use size::{encoded_size_label, placeholder_size_label, stub_size_label};
pub use stub::{MAX_STUB_LEN, RefId, RefIdError, Stub, StubParts, stub_at, write_stub};
