//! Units of length, and caps. The only file that knows how UTF-16 counts.

use serde::{Deserialize, Serialize};
use str_indices::{chars, utf16};

/// What a length or an offset counts.
///
/// UTF-16 code units are the default: JavaScript hosts and this field's texts call them "chars".
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Unit {
    /// UTF-16 code units: one for a character of the basic plane, two for any other.
    #[default]
    Utf16,
    /// Unicode scalar values.
    Char,
    /// Bytes of UTF-8.
    Byte,
}

impl Unit {
    /// The length of `text` in this unit. Linear, and next to free where the text is ASCII.
    ///
    /// ```
    /// use slotledger::Unit;
    /// assert_eq!(Unit::Utf16.len_of("ab😀"), 4);
    /// assert_eq!(Unit::Char.len_of("ab😀"), 3);
    /// assert_eq!(Unit::Byte.len_of("ab😀"), 6);
    /// ```
    pub fn len_of(self, text: &str) -> usize {
        match self {
            // One pass instead of the two that counting chars and pairs takes.
            Self::Utf16 | Self::Char if text.is_ascii() => text.len(),
            Self::Utf16 => utf16::count(text),
            Self::Char => chars::count(text),
            Self::Byte => text.len(),
        }
    }

    /// The greatest byte offset of `text` at a char boundary with at most `len` units before it.
    ///
    /// Reads no more of `text` than it takes to count `len` units.
    ///
    /// ```
    /// use slotledger::Unit;
    /// assert_eq!(Unit::Utf16.offset_in("ab😀cd", 3), 2, "between the halves of a pair");
    /// assert_eq!(Unit::Utf16.offset_in("ab😀cd", 4), 6);
    /// assert_eq!(Unit::Byte.offset_in("ab😀cd", 5), 2);
    /// ```
    pub fn offset_in(self, text: &str, len: usize) -> usize {
        let within = text.floor_char_boundary(len.saturating_mul(self.widest_bytes()));
        let window = text.get(..within).unwrap_or(text);
        match self {
            Self::Utf16 => utf16::to_byte_idx(window, len),
            Self::Char => chars::to_byte_idx(window, len),
            Self::Byte => within,
        }
    }

    /// Its name in answers and settings: `utf16`, `char` or `byte`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf16 => "utf16",
            Self::Char => "char",
            Self::Byte => "byte",
        }
    }

    /// The most of `other` that one unit can stand for; 1 where it is never more.
    pub(crate) fn most_in(self, other: Self) -> usize {
        match (self, other) {
            (Self::Char, Self::Utf16) => 2,
            (Self::Char | Self::Utf16, Self::Byte) => self.widest_bytes(),
            (Self::Utf16 | Self::Byte, Self::Utf16)
            | (Self::Byte, Self::Byte)
            | (_, Self::Char) => 1,
        }
    }

    /// The most bytes of UTF-8 that one unit can stand for.
    fn widest_bytes(self) -> usize {
        match self {
            Self::Utf16 => 3,
            Self::Char => 4,
            Self::Byte => 1,
        }
    }
}

/// Whether `text` is longer than `len` UTF-16 units. Reads no more than it must.
pub(crate) fn is_longer_utf16(text: &str, len: usize) -> bool {
    text.len() > len && Unit::Utf16.offset_in(text, len) < text.len()
}

/// The most of one text, with its unit. Zero means no cap.
///
/// ```
/// use slotledger::Cap;
/// assert_eq!(Cap::utf16(3).reached_in("ab😀"), Some(2));
/// assert_eq!(Cap::utf16(4).reached_in("ab😀"), None);
/// assert_eq!(Cap::NONE.reached_in("ab😀"), None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Cap {
    limit: usize,
    unit: Unit,
}

impl Cap {
    /// No cap: nothing is cut.
    pub const NONE: Self = Self { limit: 0, unit: Unit::Utf16 };

    /// A cap of `limit` in `unit`; 0 is no cap.
    pub const fn new(limit: usize, unit: Unit) -> Self {
        Self { limit, unit }
    }

    /// A cap in UTF-16 code units.
    pub const fn utf16(limit: usize) -> Self {
        Self::new(limit, Unit::Utf16)
    }

    /// A cap in Unicode scalar values.
    pub const fn chars(limit: usize) -> Self {
        Self::new(limit, Unit::Char)
    }

    /// A cap in bytes.
    pub const fn bytes(limit: usize) -> Self {
        Self::new(limit, Unit::Byte)
    }

    /// How much it allows, in its unit; `None` when there is no cap.
    pub fn limit(self) -> Option<usize> {
        (self.limit > 0).then_some(self.limit)
    }

    /// The unit it counts in.
    pub fn unit(self) -> Unit {
        self.unit
    }

    /// Returns the byte offset where `text` reaches this cap, or `None` when all of it fits.
    ///
    /// Always a char boundary: a character that straddles the cap is left out (SPEC L2). Reads no
    /// more of the text than the cap allows.
    pub fn reached_in(self, text: &str) -> Option<usize> {
        if self.limit == 0 || text.len() <= self.limit {
            return None;
        }
        let at = self.unit.offset_in(text, self.limit);
        (at < text.len()).then_some(at)
    }
}

/// Byte offsets of one text as offsets in a unit, asked in ascending order.
///
/// Each stretch is counted once, however many offsets are asked.
///
/// ```
/// use slotledger::{Unit, text::Offsets};
/// let mut offsets = Offsets::new("😀a😀", Unit::Utf16);
/// assert_eq!(offsets.at(4), 2);
/// assert_eq!(offsets.at(9), 5);
/// ```
#[derive(Debug)]
pub struct Offsets<'t> {
    text: &'t str,
    unit: Unit,
    bytes: usize,
    units: usize,
}

impl<'t> Offsets<'t> {
    /// Starts at the front of `text`.
    pub fn new(text: &'t str, unit: Unit) -> Self {
        Self { text, unit, bytes: 0, units: 0 }
    }

    /// The offset in the unit of the byte offset `at`. One before the last asked costs a restart.
    pub fn at(&mut self, at: usize) -> usize {
        if at < self.bytes {
            *self = Self::new(self.text, self.unit);
        }
        let stretch = self.text.get(self.bytes..at).unwrap_or_default();
        self.units += self.unit.len_of(stretch);
        self.bytes += stretch.len();
        self.units
    }
}
