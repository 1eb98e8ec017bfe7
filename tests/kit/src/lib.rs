//! What the tests share: a slow oracle, a second one, case generators and the vector loader.
//!
//! The kit knows nothing of the crate under test and shares no code with it. The crate works in
//! UTF-8; the [`oracle`] works on UTF-16 arrays and tries every position, so a mistake in units
//! cannot cancel out. [`pattern`] reads the same grammars a second time, as regular expressions.
//!
//! - [`generate`] decodes any bytes into a case: proptest draws a `Vec<u8>`, a fuzzer hands over
//!   its input, and a crash file is a test as it stands.
//! - [`vectors`] reads `tests/vectors/*.jsonl`, and [`vectors::answer`] lets the oracle answer
//!   them, so vectors and oracle prove each other.
//!
//! Numbers like "6.1" in docs and comments are sections of SPEC.md, "L5" is one of its laws.
//!
//! ```
//! use slotledger_kit::{Unit, oracle, units};
//!
//! let text = units("a [image: image/png, 1B] z");
//! let slots = oracle::slots(&text);
//! assert_eq!((slots[0].start, slots[0].end), (2, 24));
//! assert_eq!(oracle::cut(&text, 10, Unit::Utf16), Some(2));
//! ```

#![allow(clippy::must_use_candidate, clippy::module_name_repetitions, clippy::format_push_string)]

mod json;
mod unit;

pub mod generate;
pub mod oracle;
pub mod pattern;
pub mod vectors;

pub use json::{Json, JsonError};
pub use unit::{Unit, length, offset_from, offset_in, text_of, units};
