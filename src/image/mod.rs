//! Images: bytes that are held here, and references to bytes that live elsewhere.

mod payload;
mod sniff;

mod archive;

mod ledger;
mod registry;

pub use archive::Archive;
pub use ledger::{Held, Ledger, Limits, Lookup, Nonce, NonceError, Provenance};
pub use payload::{Payload, PayloadError, hex};
pub use registry::{Entry, MAX_REFERENCES, RefIds, Registry};
pub use sniff::sniff;
