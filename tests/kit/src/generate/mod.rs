//! Cases for the laws, decoded from any bytes.
//!
//! Every type here implements [`Arbitrary`] totally: where the bytes run out, the rest of the case
//! is its simplest form. So proptest draws a `Vec<u8>`, a fuzzer hands over its input, both through
//! [`from_bytes`], and shrinking the bytes shrinks the case.
//!
//! Cases are made of pieces, not of noise: slots, slots a character too long, lines that start in
//! odd ways, characters of every width, forged notices. Caps fall near where a piece starts or ends.

mod block;
mod content;
mod draw;
mod ledger;
mod pages;
mod pieces;
mod records;
mod saving;
mod spelling;
mod stored;
mod text;

use arbitrary::{Arbitrary, Unstructured};

pub use content::ContentCase;
pub use ledger::{LedgerCase, LedgerOp};
pub use pages::PagesCase;
pub use records::RecordsCase;
pub use saving::{SaveCase, SaveStep, SavedResult};
pub use spelling::Spelling;
pub use stored::CutStoredCase;
pub use text::TextCase;

/// Decodes a case from bytes, whatever they are.
///
/// # Panics
///
/// Never for the types of this module.
pub fn from_bytes<'a, T: Arbitrary<'a>>(bytes: &'a [u8]) -> T {
    T::arbitrary(&mut Unstructured::new(bytes)).expect("cases decode from any bytes")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::oracle::records::{Answer, Model, Refusal};
    use crate::oracle::{self, Call, Format, Ingestion, Keeping, Ledger};
    use crate::{Json, Unit, pattern, text_of, units};

    /// Bytes without a pattern, the same on every run.
    fn bytes(seed: u64, len: usize) -> Vec<u8> {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state.to_le_bytes()[3]
        };
        (0..len).map(|_| next()).collect()
    }

    fn samples() -> impl Iterator<Item = Vec<u8>> {
        (0..300).step_by(2).map(|seed| bytes(seed, usize::try_from(seed).expect("small") * 3))
    }

    #[test]
    fn no_bytes_are_a_case_too() {
        assert_eq!(from_bytes::<TextCase>(&[]).text, "");
        assert_eq!(from_bytes::<CutStoredCase>(&[]).ranges, []);
        assert_eq!(from_bytes::<ContentCase>(&[]).blocks, []);
        assert!(from_bytes::<LedgerCase>(&[]).ops.is_empty());
        assert!(from_bytes::<RecordsCase>(&[]).ops.is_empty());
        assert_eq!(from_bytes::<PagesCase>(&[]).text, "");
    }

    #[test]
    fn the_two_oracles_find_the_same_slots() {
        let mut found = 0;
        for bytes in samples() {
            let text = from_bytes::<TextCase>(&bytes).text;
            let by_pattern = pattern::slots(&text).into_iter().map(|slot| {
                let shown = units(&text[slot.range]).len();
                (shown, slot.media_type, slot.size, slot.reference)
            });
            let wide = units(&text);
            let by_hand = oracle::slots(&wide)
                .into_iter()
                .map(|slot| (slot.end - slot.start, slot.media_type, slot.size, slot.reference));
            let by_hand: Vec<_> = by_hand.collect();
            assert_eq!(by_pattern.collect::<Vec<_>>(), by_hand);
            let shapes: Vec<_> = pattern::stub_shapes(&text)
                .into_iter()
                .map(|shape| units(&text[..shape.range.start]).len())
                .collect();
            let by_hand_shapes = oracle::stub_shapes(&wide).into_iter().map(|shape| shape.start);
            assert_eq!(shapes, by_hand_shapes.collect::<Vec<_>>());
            found += by_hand.len();
        }
        assert!(found > 500, "{found}");
    }

    #[test]
    fn caps_fall_where_they_matter() {
        let (mut cut, mut moved) = (0, 0);
        for bytes in samples() {
            let TextCase { text, cap, unit } = from_bytes(&bytes);
            let (text, cap) = (units(&text), cap as usize);
            let Some(at) = oracle::cut(&text, cap, unit) else {
                continue;
            };
            let safe = oracle::cut_at_character(&text, cap, unit);
            assert!(at <= safe && safe - at <= 327 + 677);
            cut += 1;
            moved += usize::from(at < safe);
        }
        assert!(cut > 75 && moved > 20, "{cut} {moved}");
    }

    #[test]
    fn ranges_are_places_in_the_text_and_ascend() {
        let (mut kept, mut left_out) = (0, 0);
        for bytes in samples() {
            let case: CutStoredCase = from_bytes(&bytes);
            let text = units(&case.text);
            let ranges = case.ranges_in(Unit::Utf16);
            let ends: Vec<usize> = ranges.iter().flat_map(|range| [range.0, range.1]).collect();
            assert!(ends.is_sorted() && ends.last().is_none_or(|&end| end <= text.len()));
            let cut = oracle::cut_stored(&text, case.cap as usize, case.unit, &ranges);
            kept += cut.kept.len();
            left_out += usize::from(cut.left_out > 0);
        }
        assert!(kept > 150 && left_out > 1, "{kept} {left_out}");
    }

    #[test]
    fn content_is_json_and_shows_what_it_keeps() {
        let (mut native, mut given_up, mut over) = (0, 0, 0);
        for bytes in samples() {
            let case: ContentCase = from_bytes(&bytes);
            let result = Json::parse(&case.to_json()).expect("a case is JSON");
            let mut ledger = Ledger::new("abc123", 64, 100_663_296);
            let call =
                Call { id: "c1", tool: &case.tool, bound: !case.tool.is_empty(), ref_ids: &[] };
            let (cap, unit) = (case.cap as usize, case.unit);
            let keeping = Keeping::NoStore;
            let ingestion = Ingestion { format: Format::Mcp, cap, unit, call, keeping };
            let ingested =
                oracle::ingest(&result, ingestion, &mut ledger).expect("never an outcome");
            native += usize::from(ingested.live.is_some());
            given_up += usize::from(ingested.blocks.is_none());
            over += usize::from(!ingested.stored.cut.kept.is_empty());
            for (start, end) in ingested.stored.cut.kept {
                assert!(ingested.shown.iter().any(|range| range.0 <= start && end <= range.1));
                assert!(!text_of(&ingested.text[start..end]).is_empty());
            }
        }
        assert!(native > 40 && given_up > 5 && over > 20, "{native} {given_up} {over}");
    }

    #[test]
    fn ledgers_evict_and_forget() {
        let (mut retained, mut evicted, mut unknown) = (0, 0, 0);
        for bytes in samples() {
            let case: LedgerCase = from_bytes(&bytes);
            let mut ledger =
                Ledger::new("abc123", case.max_entries as usize, case.max_chars as usize);
            for op in case.ops {
                match op {
                    LedgerOp::Retain(image) => drop(ledger.retain(image)),
                    LedgerOp::Lookup(reference) => match ledger.lookup(&reference) {
                        oracle::Lookup::Retained(_) => retained += 1,
                        oracle::Lookup::Evicted(_) => evicted += 1,
                        oracle::Lookup::Unknown => unknown += 1,
                    },
                }
            }
        }
        assert!(retained > 50 && evicted > 50 && unknown > 25, "{retained} {evicted} {unknown}");
    }

    #[test]
    fn stores_fill_sweep_and_take_back() {
        let (mut next, mut again, mut full, mut swept) = (0, 0, 0, 0);
        for bytes in samples() {
            let case: RecordsCase = from_bytes(&bytes);
            let mut model = Model::new(case.limits);
            let mut last_id = 0;
            for (op, _) in case.ops {
                match model.answer(&op, 0) {
                    Answer::Row(row) if row.id > last_id => {
                        last_id = row.id;
                        next += usize::from(row.nth > 1);
                    }
                    Answer::Row(_) => again += 1,
                    Answer::Refused(Refusal::QuotaFull) => full += 1,
                    Answer::Swept(records, _) => swept += records,
                    _ => {}
                }
            }
        }
        let is_enough = next > 75 && again > 20 && full > 75 && swept > 40;
        assert!(is_enough, "{next} {again} {full} {swept}");
    }
}
