//! Where texts are cut, and how long what is made of them can get.

use slotledger::content::{Block, Content};
use slotledger::copy::{Keeping, LiveBlock, StoredCopy, cut_at, truncate_history};
use slotledger::slot::Grammar;
use slotledger::{Cap, Unit};
use slotledger_kit::generate::{ContentCase, CutStoredCase, TextCase, from_bytes};
use slotledger_kit::{length, oracle};

use super::Taken;
use crate::dialects::grammar;
use crate::support::{for_all_bytes, len_utf16, spans, units};

/// A text with caps that matter, and some around them.
fn texts_and_caps(law: impl Fn(&str, [usize; 4])) {
    for_all_bytes(400, |bytes| {
        let TextCase { text, cap, .. } = from_bytes(bytes);
        let seed =
            bytes.iter().fold(7_usize, |seed, byte| (seed * 31 + usize::from(*byte)) % 9_973);
        let cap = cap as usize;
        law(&text, [cap, cap + 1, cap.saturating_sub(1), seed % (text.len() + 2)]);
    });
}

/// Each limit with each unit, the crate's beside the kit's.
fn in_all_units(limits: [usize; 4]) -> impl Iterator<Item = (usize, (Unit, slotledger_kit::Unit))> {
    limits.into_iter().flat_map(|limit| units().map(|unit| (limit, unit)))
}

#[test]
fn l02_no_head_is_longer_than_its_cap_and_none_ends_inside_a_character() {
    let grammars = [Grammar::default(), grammar([r"image/png", r"\[ref_1_a\]"])];
    texts_and_caps(|text, limits| {
        let wide = slotledger_kit::units(text);
        for (limit, (unit, kit_unit)) in in_all_units(limits) {
            let cap = Cap::new(limit, unit);
            let is_over = limit > 0 && length(&wide, kit_unit) > limit;
            for grammar in &grammars {
                let Some(at) = cut_at(text, cap, grammar) else {
                    assert!(!is_over, "what is over its cap is cut");
                    continue;
                };
                assert!(is_over, "what is not over its cap is not cut");
                assert!(text.is_char_boundary(at));
                let head = slotledger_kit::units(&text[..at]);
                assert!(length(&head, kit_unit) <= limit, "{} of {limit}", length(&head, kit_unit));
                let stored =
                    StoredCopy::of(&text.into(), cap, &spans([]), grammar, Keeping::NoStore);
                assert_eq!(stored.head_len, length(&head, kit_unit));
                assert!(stored.text.starts_with(&text[..at]));
            }
        }
    });
}

#[test]
fn l05_the_slots_of_a_head_are_those_of_the_full_text_that_end_before_the_cut() {
    let grammars = [Grammar::default(), grammar([r"image/png", r"\[ref_1_a\]"])];
    texts_and_caps(|text, limits| {
        for grammar in &grammars {
            let all: Vec<_> = grammar.slots(text).collect();
            for (limit, (unit, _)) in in_all_units(limits) {
                let Some(at) = cut_at(text, Cap::new(limit, unit), grammar) else {
                    continue;
                };
                let split = all.iter().find(|slot| slot.span.start < at && at < slot.span.end);
                assert_eq!(split, None, "no slot is split");
                let of_head = grammar.slots(&text[..at]);
                assert!(of_head.eq(all.iter().copied().filter(|slot| slot.span.end <= at)));
            }
        }
    });
}

#[test]
fn l06_a_cut_lies_at_most_1004_units_before_the_character_safe_cap_and_never_after_it() {
    let plain = Grammar::default();
    let grammar = grammar([r"x{1,2000}", r"y.{0,400}n", r"\[[^\]]*\]"]);
    texts_and_caps(|text, limits| {
        let wide = slotledger_kit::units(text);
        for (limit, (unit, kit_unit)) in in_all_units(limits) {
            let safe = oracle::cut_at_character(&wide, limit, kit_unit);
            for grammar in [&plain, &grammar] {
                if let Some(at) = cut_at(text, Cap::new(limit, unit), grammar) {
                    let at = len_utf16(&text[..at]);
                    assert!((safe.saturating_sub(327 + 677)..=safe).contains(&at), "{at} {safe}");
                }
            }
        }
    });
}

/// The lengths of SPEC 13.8: the notice and the note in UTF-16 code units.
fn words(stored: &StoredCopy, keeping: Keeping<'_>) -> usize {
    let digits = |number: usize| number.to_string().len();
    let (head, total) = (digits(stored.head_len), digits(stored.total_len));
    let notice = match keeping {
        Keeping::NoStore => 85 + total,
        Keeping::Kept { handle: call_id, .. } => {
            let id = len_utf16(&slotledger_kit::Json::from(call_id).to_string());
            len_utf16(
                "\n\n[truncated — showing  of  chars; full result: \
                 get_full_tool_result({\"toolCallId\":,\"startChar\":})]",
            ) + 2 * head
                + total
                + id
        }
        Keeping::Failed { .. } => {
            len_utf16(
                "\n\n[truncated — showing  of  chars; keeping the full result FAILED (); content \
                 over the cap was not retained]",
            ) + head
                + total
                + 200
        }
        other => panic!("no keeping is {other:?}"),
    };
    let left_out = if matches!(keeping, Keeping::Kept { .. }) { 9 } else { 0 };
    let note = if stored.left_out > 0 {
        161 + left_out + digits(stored.left_out) + digits(stored.kept.len() + stored.left_out)
    } else {
        96 + digits(stored.kept.len())
    };
    notice + note
}

#[test]
fn l10_a_stored_copy_is_no_longer_than_cap_notice_note_and_64_times_678() {
    let reason = "[no] ".repeat(99);
    let keepings = [
        Keeping::NoStore,
        Keeping::Kept { handle: "c\"1\n", unit: Unit::Utf16, direct: None },
        Keeping::Failed { reason: &reason },
    ];
    let grammar = Grammar::default();
    let within = |text: &str, limit: usize, ranges: &[(usize, usize)], keepings: &[Keeping<'_>]| {
        for (unit, kit_unit) in units() {
            for &keeping in keepings {
                let keeping = match keeping {
                    Keeping::Kept { handle, direct, .. } => Keeping::Kept { handle, unit, direct },
                    other => other,
                };
                let shown = spans(ranges.iter().copied());
                let cap = Cap::new(limit, unit);
                let stored = StoredCopy::of(&text.into(), cap, &shown, &grammar, keeping);
                if limit == 0 || length(&slotledger_kit::units(text), kit_unit) <= limit {
                    assert_eq!(stored.text, text);
                    continue;
                }
                let head = &text[..cut_at(text, cap, &grammar).unwrap()];
                assert!(length(&slotledger_kit::units(head), kit_unit) <= limit);
                let rest = stored.text.strip_prefix(head).expect("its head");
                let most = words(&stored, keeping) + 64 * 678;
                assert!(len_utf16(rest) <= most, "{} of {most}", len_utf16(rest));
                // Without a kept slot there is no note, and nothing behind the notice.
                if stored.kept.is_empty() {
                    assert!(!rest.contains('\n') || rest.starts_with("\n\n"));
                    assert!(len_utf16(rest) <= words(&stored, keeping) - 97, "{rest}");
                }
            }
        }
    };
    for_all_bytes(400, |bytes| {
        let case: CutStoredCase = from_bytes(bytes);
        within(&case.text, case.cap as usize, &case.ranges, &keepings);
        // As many of the longest stubs as a result can have, and more than are kept.
        let count = usize::from(*bytes.first().unwrap_or(&0)) % 70;
        let filler = ["x", "é", "漢"][count % 3];
        let stub = format!("[ref_1_ab3d] image/png {}", filler.repeat(677 - 23));
        let text = format!("{}{}", "head".repeat(9), format!("\n{stub}").repeat(count));
        within(&text, 1 + count, &[(0, text.len())], &keepings[count % 3..=count % 3]);
    });
}

#[test]
fn l11_each_copy_keeps_its_bound_with_its_notices_counted() {
    for_all_bytes(400, |bytes| {
        let case: ContentCase = from_bytes(bytes);
        for (unit, kit_unit) in units() {
            for limit in [case.cap as usize, 10] {
                let taken = Taken::of(&case, limit, unit);
                live_texts_keep_theirs(&taken, limit, unit, kit_unit);
                let text = &taken.ingested.text;
                let cap = Cap::new(limit, unit);
                let shortened = truncate_history(text, cap, &Grammar::default());
                within_a_live_notice(text, &shortened, limit, kit_unit);
            }
        }
    });
}

fn live_texts_keep_theirs(taken: &Taken, limit: usize, unit: Unit, kit_unit: slotledger_kit::Unit) {
    let (Some(live), Content::Blocks(blocks)) = (&taken.ingested.live, &taken.result.content)
    else {
        // The live copy is the stored copy: no slot is kept, so it is its head and a notice.
        let StoredCopy { text, total_len, .. } = &taken.ingested.stored;
        let rest = text.strip_prefix(taken.head(unit)).unwrap();
        let digits = total_len.to_string().len();
        assert!(
            length(&slotledger_kit::units(taken.head(unit)), kit_unit) <= limit || rest.is_empty()
        );
        assert!(rest.is_empty() || len_utf16(rest) == 85 + digits, "{rest}");
        return;
    };
    let spans = taken.ingested.blocks.as_deref().unwrap();
    for ((block, shown), span) in blocks.iter().zip(&live.blocks).zip(spans) {
        let own = span.span.of(&taken.ingested.text);
        match (block, shown) {
            (Block::Image(_), LiveBlock::Image { .. }) => {}
            (
                Block::Reference(_) | Block::UnusableReference { .. } | Block::Withheld,
                LiveBlock::Text(text),
            ) => assert_eq!(text, own, "its own line"),
            (_, LiveBlock::Text(text)) => within_a_live_notice(own, text, limit, kit_unit),
            (block, shown) => panic!("{block:?} is shown as {shown:?}"),
        }
    }
}

/// `cut` is `text`, or its head within the cap and one live notice.
fn within_a_live_notice(text: &str, cut: &str, limit: usize, unit: slotledger_kit::Unit) {
    let len = |text: &str| length(&slotledger_kit::units(text), unit);
    if len(text) <= limit {
        assert_eq!(cut, text);
        return;
    }
    let total = len(text).to_string();
    let notice = format!("\n\n[truncated — original was {total} chars]");
    assert_eq!(len_utf16(&notice), 35 + total.len());
    let head = cut.strip_suffix(notice.as_str()).expect("a live notice");
    assert!(text.starts_with(head) && len(head) <= limit, "{} of {limit}", len(head));
}
