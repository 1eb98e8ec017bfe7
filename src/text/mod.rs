//! Places in a text: spans, units and lines.
//!
//! Offsets are bytes at char boundaries, half open. Any other unit stands in a type ([`Cap`],
//! [`Unit`]) or in a name (`len_utf16`). Only [`Unit`]'s file knows how UTF-16 counts.

mod span;
mod unit;

pub(crate) mod line;

pub use span::{Span, Spans};
pub(crate) use unit::is_longer_utf16;
pub use unit::{Cap, Offsets, Unit};
