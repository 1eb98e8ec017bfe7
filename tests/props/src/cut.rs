//! Where a text is cut, and what is kept past the cut.

use slotledger::copy::{Keeping, MAX_KEPT, StoredCopy, cut_at, cut_shown, truncate_history};
use slotledger::slot::{Grammar, MAX_STUB_LEN, slots};
use slotledger::text::{Offsets, Span, Spans};
use slotledger_kit::generate::{CutStoredCase, TextCase, from_bytes};
use slotledger_kit::{Unit, length, oracle, units};

use crate::places::Places;
use crate::{cap_of, dialects, unit_of};

/// A cut is the oracle's, splits nothing and makes nothing; and so is what is kept past it (L2, L5, L6,
/// L10, L11, L12).
pub fn cut(bytes: &[u8]) {
    let case: TextCase = from_bytes(bytes);
    cut_text(&case.text, case.cap as usize, case.unit);
    let text = crate::text_of(bytes);
    let seed = crate::seed_of(bytes);
    let unit = Unit::ALL[seed % 3];
    cut_text(&text, seed % 1_201, unit);
    let whole = [(0, text.len())];
    let near = text.len().saturating_sub(seed % 800);
    cut_stored(&text, near, unit, &whole);
    let case: CutStoredCase = from_bytes(bytes);
    cut_stored(&case.text, case.cap as usize, case.unit, &case.ranges);
    behind_the_text(&case, seed);
}

/// A range may reach past the end of the text, start behind it, or inside a character: nothing is
/// shown there that is not there.
fn behind_the_text(case: &CutStoredCase, seed: usize) {
    let len = case.text.len();
    let start = seed % (len + 2);
    let behind = [(start, len + seed % 9), (len + 9, len + 12), (len + 12, usize::MAX)];
    let mut shown = Spans::default();
    for (start, end) in behind {
        assert!(shown.push(Span::new(start, end)), "ranges ascend");
    }
    let mut within = Spans::default();
    within.push(Span::new(start.min(len), len));
    let cap = cap_of(case.cap as usize, case.unit);
    for grammar in [&Grammar::default(), &*dialects::ALL] {
        let cut = cut_shown(&case.text, cap, &shown, grammar);
        assert_eq!(cut, cut_shown(&case.text, cap, &within, grammar));
    }
}

fn cut_text(text: &str, cap: usize, unit: Unit) {
    let places = Places::new(text);
    lengths(&places, cap, unit);
    let own = Grammar::default();
    let at = cut_at(text, cap_of(cap, unit), &own);
    assert_eq!(at.map(|at| places.wide_at(at)), oracle::cut(&places.wide, cap, unit));
    laws(&places, cap, unit, &own);
    laws(&places, cap, unit, &dialects::SHORT);
    let shortened = truncate_history(text, cap_of(cap, unit), &own);
    assert_eq!(units(&shortened), oracle::truncate_history(&places.wide, cap, unit));
    if let Some(at) = at {
        let notice = units(&shortened[at..]).len();
        assert!(notice <= 35 + 20, "L11: a notice of {notice}");
    }
}

fn lengths(places: &Places<'_>, cap: usize, unit: Unit) {
    let ours = unit_of(unit);
    assert_eq!(ours.len_of(places.text), length(&places.wide, unit));
    let mut offsets = Offsets::new(places.text, ours);
    let safe = ours.offset_in(places.text, cap);
    assert_eq!(places.wide_at(safe), oracle::cut_at_character(&places.wide, cap, unit));
    for at in [safe / 2, safe, places.text.len(), safe] {
        let at = places.text.floor_char_boundary(at);
        let expected = length(&places.wide[..places.wide_at(at)], unit);
        assert_eq!(offsets.at(at), expected);
    }
}

/// What holds of every cut, whatever the dialects.
fn laws(places: &Places<'_>, cap: usize, unit: Unit, grammar: &Grammar) {
    let text = places.text;
    let Some(at) = cut_at(text, cap_of(cap, unit), grammar) else {
        assert!(cap == 0 || unit_of(unit).len_of(text) <= cap, "what is over its cap is cut");
        return;
    };
    let head = &text[..at];
    assert!(cap > 0 && unit_of(unit).len_of(head) <= cap, "L2");
    let safe = oracle::cut_at_character(&places.wide, cap, unit);
    let wide_at = places.wide_at(at);
    assert!(wide_at <= safe && safe - wide_at <= 327 + MAX_STUB_LEN, "L6: {wide_at} of {safe}");
    let of_head: Vec<_> = grammar.slots(head).map(|slot| slot.span).collect();
    let spans = grammar.slots(text).map(|slot| slot.span);
    assert_eq!(of_head, spans.filter(|span| span.end <= at).collect::<Vec<_>>(), "L5");
}

fn cut_stored(text: &str, cap: usize, unit: Unit, ranges: &[(usize, usize)]) {
    let places = Places::new(text);
    let mut shown = Spans::default();
    let mut wide_ranges = Vec::new();
    for &(start, end) in ranges {
        let range = Span::new(start, end);
        assert!(shown.push(range), "ranges ascend");
        wide_ranges.push(places.wide(range));
    }
    let ours = cap_of(cap, unit);
    let grammar = Grammar::default();
    let expected = oracle::cut_stored(&places.wide, cap, unit, &wide_ranges);
    match cut_shown(text, ours, &shown, &grammar) {
        None => assert_eq!((expected.head, expected.kept.len()), (places.wide.len(), 0)),
        Some(cut) => {
            assert_eq!(places.wide_at(cut.at), expected.head);
            let kept: Vec<_> = cut.kept.iter().map(|&span| places.wide(span)).collect();
            assert_eq!((kept, cut.left_out), (expected.kept, expected.left_out));
        }
    }
    let keepings = [
        (Keeping::NoStore, oracle::Keeping::NoStore),
        (
            Keeping::Kept { handle: "c\"1", unit: ours.unit(), direct: None },
            oracle::Keeping::Recorded { call_id: "c\"1" },
        ),
        (Keeping::Failed { reason: "no [x]" }, oracle::Keeping::Failed { reason: "no [x]" }),
    ];
    let (keeping, theirs) = keepings[crate::seed_of(text.as_bytes()) % keepings.len()];
    let stored = StoredCopy::of(&text.into(), ours, &shown, &grammar, keeping);
    let expected = oracle::stored_text(&places.wide, cap, unit, &wide_ranges, theirs);
    assert_eq!(units(&stored.text), expected.text);
    let stored = StoredCopy::of(&text.into(), ours, &shown, &grammar, Keeping::NoStore);
    assert_stored(text, &stored, cap, unit);
    with_dialects(text, ours, &shown);
}

/// Dialect slots are kept like any other.
fn with_dialects(text: &str, cap: slotledger::Cap, shown: &Spans) {
    let grammar = &dialects::ALL;
    let Some(cut) = cut_shown(text, cap, shown, grammar) else {
        return;
    };
    let is_past = |span: &Span| {
        span.start >= cut.at && shown.as_slice().iter().any(|range| range.holds(*span))
    };
    let past: Vec<Span> = grammar.slots(text).map(|slot| slot.span).filter(is_past).collect();
    let left_out = past.len().saturating_sub(MAX_KEPT);
    assert_eq!((cut.kept.as_slice(), cut.left_out), (&past[left_out..], left_out));
}

/// Asserts what holds of every stored copy without a record: L10, and the slots that are read from it.
pub(crate) fn assert_stored(full: &str, stored: &StoredCopy, cap: usize, unit: Unit) {
    let ours = unit_of(unit);
    assert_eq!(stored.total_len, ours.len_of(full));
    if cap == 0 || stored.total_len <= cap {
        assert_eq!((&*stored.text, stored.head_len), (full, stored.total_len));
        assert_eq!((stored.kept.len(), stored.left_out), (0, 0));
        return;
    }
    assert!(stored.head_len <= cap, "L10");
    let head = &full[..ours.offset_in(full, stored.head_len)];
    let rest = stored.text.strip_prefix(head).expect("it starts with its head");
    let digits = |number: usize| number.to_string().len();
    let notice = 85 + digits(stored.total_len);
    let past = stored.kept.len() + stored.left_out;
    let note = match (stored.kept.len(), stored.left_out) {
        (0, left_out) => {
            assert_eq!(left_out, 0);
            0
        }
        (kept, 0) => 96 + digits(kept),
        (kept, left_out) => {
            assert_eq!(kept, MAX_KEPT);
            161 + digits(past) + digits(left_out)
        }
    };
    let texts: Vec<&str> = stored.kept.iter().map(|slot| slot.of(full)).collect();
    let kept = units(&texts.join("\n")).len();
    assert_eq!(units(rest).len(), notice + note + kept, "13.8");
    assert!(kept <= MAX_KEPT * (MAX_STUB_LEN + 1), "L10");
    // A nested slot that was kept is read twice (13.9).
    let mut expected: Vec<&str> = slots(head).map(|slot| slot.span.of(head)).collect();
    for text in texts {
        expected.extend(slots(text).map(|slot| slot.span.of(text)));
    }
    let read: Vec<&str> = slots(&stored.text).map(|slot| slot.span.of(&stored.text)).collect();
    assert_eq!(read, expected);
}
