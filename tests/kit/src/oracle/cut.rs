//! The cut of a text at a cap (11).

use super::slots::{placeholders, stub_shapes};
use crate::unit::{Unit, is_low_surrogate, length};

/// The longest placeholder, in UTF-16 code units (4.3).
pub const MAX_PLACEHOLDER: usize = 328;

/// The longest stub that is a slot, in UTF-16 code units (5.4).
pub const MAX_STUB: usize = 677;

/// Returns where `text` is cut at `cap`, or `None` when all of it fits. A cap of 0 cuts nothing.
pub fn cut(text: &[u16], cap: usize, unit: Unit) -> Option<usize> {
    length_if_over(text, cap, unit)?;
    // 11.2 and 11.3: at the cap, and before a character that straddles it.
    let mut cut = cut_at_character(text, cap, unit);
    // 11.4: the whole `\n` line that holds the cut.
    let line_start = (0..cut).rev().find(|&at| text[at] == 0x0A).map_or(0, |at| at + 1);
    let line_end = (cut..text.len()).find(|&at| text[at] == 0x0A).unwrap_or(text.len());
    let on_line = |start: usize, end: usize| line_start <= start && end <= line_end;
    // 11.5: off a placeholder.
    for slot in placeholders(text) {
        if on_line(slot.start, slot.end) && slot.start < cut && cut < slot.end {
            cut = slot.start;
        }
    }
    // 11.6: then off a stub-shaped line, image or not, unless the cut is too far inside it.
    for shape in stub_shapes(text) {
        let inside = shape.start < cut && cut < shape.end;
        if on_line(shape.start, shape.end) && inside && cut - shape.start <= MAX_STUB {
            cut = shape.start;
        }
    }
    Some(cut)
}

/// Returns the length of `text` in `unit` if `cap` cuts it.
pub fn length_if_over(text: &[u16], cap: usize, unit: Unit) -> Option<usize> {
    let length = length(text, unit);
    (cap > 0 && length > cap).then_some(length)
}

/// Returns the last character boundary within `cap`, in UTF-16 code units (11.2, 11.3).
pub fn cut_at_character(text: &[u16], cap: usize, unit: Unit) -> usize {
    let mut last = 0;
    let mut counted = 0;
    for at in 0..=text.len() {
        let starts = text.get(at).is_none_or(|&code_unit| !is_low_surrogate(code_unit));
        if starts && counted <= cap {
            last = at;
        }
        counted += text.get(at..=at).map_or(0, |one| length(one, unit));
    }
    last
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::unit::units;

    #[test]
    fn the_two_moves_are_made_in_their_order() {
        // A placeholder spans 677 units after the stub's start: only off both is the head clean.
        let stub = "[ref_1_ab3d] image/png ";
        let filler = "x".repeat(MAX_STUB - stub.len() - 2);
        let text = units(&format!("{stub}{filler}[image: image/png, 1B] and some more"));
        assert_eq!(cut(&text, MAX_STUB + 5, Unit::Utf16), Some(0));
        assert_eq!(cut(&text, MAX_STUB + 30, Unit::Utf16), Some(MAX_STUB + 30));
    }

    #[test]
    fn a_stub_after_a_carriage_return_is_measured_from_its_own_start() {
        let text = units(&format!("{}\r[ref_1_a] {}", "y".repeat(1000), "x".repeat(1000)));
        assert_eq!(cut(&text, 1001 + 677, Unit::Utf16), Some(1001));
        assert_eq!(cut(&text, 1001 + 678, Unit::Utf16), Some(1001 + 678));
    }

    #[test]
    fn every_unit_cuts_before_the_character_that_straddles_the_cap() {
        let text = units("aé漢😀z");
        let cuts = |unit| (1..11).map(|cap| cut(&text, cap, unit)).collect::<Vec<_>>();
        let some = |at: [usize; 5]| at.map(Some).to_vec();
        assert_eq!(cuts(Unit::Utf16)[..5], some([1, 2, 3, 3, 5]));
        assert_eq!(cuts(Unit::Chars)[..4], some([1, 2, 3, 5, 0])[..4]);
        assert_eq!(cuts(Unit::Chars)[4], None);
        assert_eq!(cuts(Unit::Bytes)[..5], some([1, 1, 2, 2, 2]));
        assert_eq!(cuts(Unit::Bytes)[5..9], some([3, 3, 3, 3, 0])[..4]);
        assert_eq!(cuts(Unit::Bytes)[9], Some(5));
        assert_eq!(cut(&text, 0, Unit::Utf16), None);
    }
}
