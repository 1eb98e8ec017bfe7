//! The values of fields, read from JSON as it is spelled.

use std::borrow::Cow;

use serde_json::value::RawValue;
use slotledger::content::replace_lone_surrogates;
use slotledger::text::{Span, Spans};
use slotledger::{Cap, Config, Unit};

use super::answer::Refusal;
use super::request::Request;

/// The text of a JSON string, lone surrogates read as U+FFFD; `None` where `json`, which is known
/// to be JSON, is none.
pub(super) fn string(json: &str) -> Option<Cow<'_, str>> {
    let inner = json.strip_prefix('"')?.strip_suffix('"')?;
    if !inner.contains('\\') {
        return Some(Cow::Borrowed(inner));
    }
    let text = serde_json::from_str(json).ok();
    let text = text.or_else(|| serde_json::from_str(&replace_lone_surrogates(json)?.0).ok());
    text.map(Cow::Owned)
}

/// The unit of a request.
pub(super) fn unit(request: &Request<'_>) -> Result<Unit, Refusal> {
    match &*request.string_or("unit", "utf16")? {
        "utf16" => Ok(Unit::Utf16),
        "char" => Ok(Unit::Char),
        "byte" => Ok(Unit::Byte),
        _ => Err(Refusal::bad_field("unit", "\"utf16\", \"char\" or \"byte\"")),
    }
}

/// The cap of a request, in its unit: absent the default, `null` and 0 none.
pub(super) fn cap(request: &Request<'_>, unit: Unit) -> Result<Cap, Refusal> {
    let limit = match request.member("cap") {
        None => Some(Config::DEFAULT_CAP),
        Some("null") => Some(0),
        Some(json) => whole_number(json),
    };
    match limit {
        Some(limit) => Ok(Cap::new(limit, unit)),
        None => Err(Refusal::bad_field("cap", "a whole number from 0, or null")),
    }
}

/// The flag `name`; false where it is not given.
pub(super) fn flag(request: &Request<'_>, name: &'static str) -> Result<bool, Refusal> {
    match request.given(name) {
        None | Some("false") => Ok(false),
        Some("true") => Ok(true),
        Some(_) => Err(Refusal::bad_field(name, "true or false")),
    }
}

/// The shown ranges of a request, given in `unit` of `text`.
pub(super) fn ranges(request: &Request<'_>, text: &str, unit: Unit) -> Result<Spans, Refusal> {
    let expected = "[[start, end], …], whole numbers from 0 in ascending order";
    let bad = || Refusal::bad_field("ranges", expected);
    let json = request.required("ranges")?;
    let ranges: Vec<[&RawValue; 2]> = serde_json::from_str(json).map_err(|_| bad())?;
    let mut places = Places { text, unit, bytes: 0, units: 0 };
    let mut spans = Spans::default();
    let mut last = 0;
    for range in ranges {
        let [Some(start), Some(end)] = range.map(|json| whole_number(json.get())) else {
            return Err(bad());
        };
        if start < last || end < start {
            return Err(bad());
        }
        last = end;
        let mut place = |at| places.at(at).ok_or_else(|| Refusal::inside_character("ranges", at));
        spans.push(Span::new(place(start)?, place(end)?));
    }
    Ok(spans)
}

/// A whole number from 0, however it is spelled: `10`, `10.0`, `1e1`. One too large for this
/// machine is the largest that it has. `None` where `json`, which is known to be JSON, is none.
pub(super) fn whole_number(json: &str) -> Option<usize> {
    if json.bytes().all(|byte| byte.is_ascii_digit()) {
        return Some(json.parse().unwrap_or(usize::MAX));
    }
    // Of all JSON only numbers parse so; the largest of them as infinity.
    let number = json.parse::<f64>().ok()?;
    let is_whole = number >= 0.0 && (number.fract() == 0.0 || number.is_infinite());
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "whole and not negative; what is too large saturates"
    )]
    is_whole.then_some(number as usize)
}

/// Offsets in a unit as byte offsets of one text, asked in ascending order: each stretch is counted
/// once, however many are asked.
struct Places<'t> {
    text: &'t str,
    unit: Unit,
    bytes: usize,
    units: usize,
}

impl Places<'_> {
    /// The byte offset of the offset `at`, the end of the text for one past it; `None` where it
    /// falls inside a character.
    fn at(&mut self, at: usize) -> Option<usize> {
        let rest = self.text.get(self.bytes..)?;
        let len = self.unit.offset_in(rest, at.saturating_sub(self.units));
        self.units += self.unit.len_of(rest.get(..len)?);
        self.bytes += len;
        (self.units == at || self.bytes == self.text.len()).then_some(self.bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_numbers_are_read_however_they_are_spelled() {
        for (json, number) in [
            ("0", Some(0)),
            ("-0", Some(0)),
            ("10", Some(10)),
            ("10.0", Some(10)),
            ("1e1", Some(10)),
            ("1.5e1", Some(15)),
            ("18446744073709551616", Some(usize::MAX)),
            ("1e400", Some(usize::MAX)),
            ("-1", None),
            ("-1e400", None),
            ("0.5", None),
            ("\"10\"", None),
            ("null", None),
            ("true", None),
            ("[1]", None),
        ] {
            assert_eq!(whole_number(json), number, "{json}");
        }
    }

    #[test]
    fn places_are_found_in_every_unit_and_never_inside_a_character() {
        let text = "a😀ё";
        for (unit, places) in [
            (Unit::Utf16, &[Some(0), Some(1), None, Some(5), Some(7), Some(7)][..]),
            (Unit::Char, &[Some(0), Some(1), Some(5), Some(7), Some(7)][..]),
            (
                Unit::Byte,
                &[Some(0), Some(1), None, None, None, Some(5), None, Some(7), Some(7)][..],
            ),
        ] {
            for (at, place) in places.iter().enumerate() {
                let mut fresh = Places { text, unit, bytes: 0, units: 0 };
                assert_eq!(fresh.at(at), *place, "{unit:?} {at}");
            }
            let mut ascending = Places { text, unit, bytes: 0, units: 0 };
            let wanted = places.iter().enumerate().filter(|(_, place)| place.is_some());
            for (at, place) in wanted {
                assert_eq!(ascending.at(at), *place, "{unit:?} {at}");
            }
        }
    }
}
