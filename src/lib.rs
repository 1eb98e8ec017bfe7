//! placeholder
#![deny(missing_docs)]

mod notice;

pub mod content;
pub mod copy;
pub mod image;
pub mod slot;
pub mod text;

mod config;
mod engine;

pub use config::{Config, ConfigError};
pub use content::{Block, Call, Content, ToolResult};
pub use copy::{LiveCopy, StoredCopy, cut_at, truncate_history};
pub use engine::{Engine, Ingested, Session};
pub use image::{Ledger, Registry};
pub use slot::{Grammar, ImageRef, MediaType, RefId, slots};
pub use text::{Cap, Unit};
