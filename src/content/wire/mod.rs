//! The formats in which results arrive, a module each.
//!
//! Every reader takes [`Bytes`](bytes::Bytes) and shares them: a base64 payload of many megabytes is neither
//! copied nor decoded. Lone surrogate escapes are read as U+FFFD, a byte order mark in front is
//! skipped, and an unknown block never costs its neighbours (SPEC 9).

mod array;
mod image_type;
mod structured;

pub mod anthropic;
pub mod claude_code;
pub mod data;
pub mod mcp;
pub mod outcome;
