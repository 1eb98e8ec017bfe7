//! Lengths and offsets of a UTF-16 array, in three units.

/// What a length or an offset counts.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub enum Unit {
    /// UTF-16 code units.
    #[default]
    Utf16,
    /// Unicode scalar values.
    Chars,
    /// UTF-8 bytes.
    Bytes,
}

impl Unit {
    /// Every unit.
    pub const ALL: [Self; 3] = [Self::Utf16, Self::Chars, Self::Bytes];

    /// Returns the unit's name in vectors and in the pipe protocol.
    pub fn name(self) -> &'static str {
        match self {
            Self::Utf16 => "utf16",
            Self::Chars => "char",
            Self::Bytes => "byte",
        }
    }

    /// Returns the unit of that name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|unit| unit.name() == name)
    }

    /// Returns what one UTF-16 code unit adds to a length. The halves of a pair share theirs.
    fn weight(self, code_unit: u16) -> usize {
        match self {
            Self::Utf16 => 1,
            Self::Chars => usize::from(!is_low_surrogate(code_unit)),
            Self::Bytes => match code_unit {
                0..0x80 => 1,
                // A half of a pair is half of four bytes.
                0x80..0x800 | 0xD800..0xE000 => 2,
                _ => 3,
            },
        }
    }
}

/// Returns whether a code unit is the second half of a pair: no character starts there.
pub(crate) fn is_low_surrogate(code_unit: u16) -> bool {
    (0xDC00..0xE000).contains(&code_unit)
}

/// Returns `text` as UTF-16 code units.
pub fn units(text: &str) -> Vec<u16> {
    text.encode_utf16().collect()
}

/// Returns UTF-16 code units as a string.
///
/// # Panics
///
/// When a surrogate stands alone: something cut inside a character.
pub fn text_of(units: &[u16]) -> String {
    String::from_utf16(units).expect("no cut falls inside a character (L2)")
}

/// Returns the length of `text` in `unit`.
pub fn length(text: &[u16], unit: Unit) -> usize {
    text.iter().map(|&code_unit| unit.weight(code_unit)).sum()
}

/// Returns the UTF-16 offset `at`, a character boundary, as an offset in `unit`.
pub fn offset_in(text: &[u16], at: usize, unit: Unit) -> usize {
    length(&text[..at], unit)
}

/// Returns an offset in `unit` as a UTF-16 offset, or `None` where no character starts or ends.
pub fn offset_from(text: &[u16], offset: usize, unit: Unit) -> Option<usize> {
    let mut counted = 0;
    for at in 0..=text.len() {
        let starts = text.get(at).is_none_or(|&code_unit| !is_low_surrogate(code_unit));
        if counted == offset && starts {
            return Some(at);
        }
        counted += text.get(at).map_or(0, |&code_unit| unit.weight(code_unit));
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_three_units_agree_with_the_standard_library() {
        for text in
            ["", "abc", "é", "漢字", "a😀b", "\u{FFFF}\u{10000}\u{10FFFF}", "\u{7FF}\u{800}"]
        {
            let wide = units(text);
            assert_eq!(length(&wide, Unit::Utf16), text.encode_utf16().count());
            assert_eq!(length(&wide, Unit::Chars), text.chars().count());
            assert_eq!(length(&wide, Unit::Bytes), text.len());
            for (at, _) in text.char_indices().chain([(text.len(), ' ')]) {
                let wide_at = text[..at].encode_utf16().count();
                assert_eq!(offset_from(&wide, at, Unit::Bytes), Some(wide_at));
                assert_eq!(offset_in(&wide, wide_at, Unit::Bytes), at);
            }
        }
        assert_eq!(offset_from(&units("😀"), 1, Unit::Utf16), None);
        assert_eq!(offset_from(&units("😀"), 2, Unit::Bytes), None);
        assert_eq!(offset_from(&units("ab"), 3, Unit::Chars), None);
    }
}
