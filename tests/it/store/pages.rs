//! L16: pages join to the text, at every length, in every unit, and reading on arrives.

use slotledger::Unit;
use slotledger::record::store::Store;
use slotledger::record::{Meta, Record, page_of};

use super::home::{Home, at, record, text_of};

const UNITS: [Unit; 3] = [Unit::Utf16, Unit::Char, Unit::Byte];

fn keep(store: &dyn Store, text: &str, unit: Unit) -> Meta {
    let session = format!("{unit:?}").into();
    let meta = store.put(&Record { unit, session, ..record("c1", text) }, at(1)).unwrap();
    assert_eq!(meta.unit, unit);
    meta
}

/// Reads the record by pages of `len`, and returns how many it took.
fn joins(store: &dyn Store, meta: &Meta, text: &str, len: usize) -> usize {
    let total = meta.unit.len_of(text);
    let mut joined = String::new();
    let mut at = 0;
    let mut pages = 0;
    loop {
        let page = page_of(store, meta, at, len).unwrap().expect("not past the end");
        assert_eq!((page.start, page.total), (at, total));
        assert_eq!(page.end - page.start, meta.unit.len_of(&page.text));
        // One character may be longer than the page.
        let is_bounded = page.end - page.start <= len || page.text.chars().count() == 1;
        assert!(is_bounded, "{len} in {:?}: {} to {}", meta.unit, page.start, page.end);
        joined.push_str(&page.text);
        pages += 1;
        let Some(next) = page.next() else { break };
        assert!(next > at, "it must get on");
        at = next;
    }
    assert_eq!(joined, text);
    pages
}

pub(super) fn pages_join_at_every_length(home: &Home) {
    let store = home.open();
    for text in ["", "a", "😀", "a😀é\u{10ffff}\n b\u{0}", "😀😀😀😀😀", "äöüß", "plain text"]
    {
        for unit in UNITS {
            let meta = keep(&*store, text, unit);
            for len in 1..=unit.len_of(text) + 5 {
                joins(&*store, &meta, text, len);
            }
            for start in 0..=meta.total_len() {
                let page = page_of(&*store, &meta, start, 1).unwrap().expect("not past the end");
                assert!(page.start <= start && start - page.start < 4);
                assert_eq!(page.text.is_empty(), start == meta.total_len());
            }
            let past = page_of(&*store, &meta, meta.total_len() + 1, 1).unwrap();
            assert_eq!(past, None);
        }
    }
}

pub(super) fn pages_of_a_long_text_join(home: &Home) {
    let store = home.open();
    let ascii = "0123456789abcdefghijk\n".repeat(12_000);
    // No piece ends where it would in bytes.
    let mixed = "x😀é€".repeat(20_000);
    for text in [&ascii, &mixed] {
        for unit in UNITS {
            let meta = keep(&*store, text, unit);
            assert_eq!(text_of(&*store, meta.id), *text);
            for len in [7_919, 32_768, 65_535, 65_536, 65_537, 100_000] {
                let pages = joins(&*store, &meta, text, len);
                assert!(pages <= meta.total_len() / (len - 3) + 1);
            }
        }
    }
}

pub(super) fn a_page_reads_no_more_than_its_pieces(home: &Home) {
    let store = home.open();
    for text in ["x".repeat(3_000_000), "é😀".repeat(500_000)] {
        for unit in UNITS {
            let meta = keep(&*store, &text, unit);
            for start in [0, 65_536, meta.total_len() / 2, meta.total_len() - 10] {
                let stretch = store.read(meta.id, start, 1_000).unwrap();
                assert!(stretch.start <= start && stretch.text.len() <= 2 * 8_192 + 4_000);
                let end = stretch.start + unit.len_of(&stretch.text);
                assert!(end >= (start + 1_000).min(meta.total_len()));
                assert!(text[stretch.start_bytes..].starts_with(&*stretch.text));
                assert_eq!(unit.len_of(&text[..stretch.start_bytes]), stretch.start);
            }
        }
    }
}
