//! Where records are kept: the contract that every store meets, and the stores.

mod error;
mod pieces;
mod printed;

mod contract;
mod measure;

mod dir;
mod index;
mod memory;
#[cfg(feature = "sqlite")]
mod sqlite;

pub use contract::{
    By, EmittedView, LIVE, Listed, Places, Retention, Sessions, Store, Stretch, Swept, Usage,
    normalized,
};
pub use dir::DirStore;
pub use error::StoreError;
pub use memory::MemoryStore;
#[cfg(feature = "sqlite")]
pub use sqlite::SqliteStore;
