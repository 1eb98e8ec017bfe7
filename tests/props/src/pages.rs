//! What is read of a record, page by page, from every store.

use std::time::{Duration, UNIX_EPOCH};

use slotledger::record::store::{Retention, Store};
use slotledger::record::{Meta, Page, Record, page_of};
use slotledger_kit::generate::{PagesCase, from_bytes};
use slotledger_kit::{Unit, oracle, units};

use crate::home::{Home, KINDS};

/// Every page of every store is the oracle's; read on at its end, or in steps that are wide enough for
/// any character, pages join to the text (L16).
pub fn pages(bytes: &[u8]) {
    let case: PagesCase = from_bytes(bytes);
    let seed = crate::seed_of(bytes);
    let text = crate::text_of(bytes);
    let drawn = Whole::new(&case.text, case.unit);
    let made_up = Whole::new(&text, Unit::ALL[seed % 3]);
    for kind in KINDS {
        let home = Home::fast(*kind);
        let store = &*home.open_with(Retention::default());
        Kept::new(store, &drawn).holds(case.start, case.len);
        Kept::new(store, &made_up).holds(seed % 1_600, seed / 7 % 40);
    }
}

/// How many pages of one text are read at most.
const MOST: usize = 48;

/// A text, and the oracle's pages of it.
struct Whole<'t> {
    text: &'t str,
    unit: Unit,
    pages: oracle::Pages,
}

impl<'t> Whole<'t> {
    fn new(text: &'t str, unit: Unit) -> Self {
        Self { text, unit, pages: oracle::Pages::new(&units(text), unit) }
    }
}

/// A text that is kept in a store.
struct Kept<'s> {
    store: &'s dyn Store,
    meta: Meta,
    whole: &'s Whole<'s>,
}

impl<'s> Kept<'s> {
    fn new(store: &'s dyn Store, whole: &'s Whole<'s>) -> Self {
        let Whole { text, unit, .. } = *whole;
        let record = Record {
            unit: crate::unit_of(unit),
            ..Record::new("s1", format!("{unit:?}"), "bash", text)
        };
        let now = UNIX_EPOCH + Duration::from_secs(4_000_000_000);
        let meta = store.put(&record, now).expect("kept");
        Self { store, meta, whole }
    }

    fn holds(&self, start: usize, len: usize) {
        let total = self.meta.total_len();
        for start in [start, start % (total + 2), total, total.saturating_sub(1)] {
            self.page(start, len);
            self.stretch(start, len);
        }
        // Pages so long that there are not too many.
        let len = len.max(total / MOST);
        let (mut joined, mut at) = (String::new(), 0);
        loop {
            let read = self.page(at, len).expect("not past the end");
            joined.push_str(&read.text);
            let Some(next) = read.next() else { break };
            assert!(next > at, "L16: it gets on");
            at = next;
        }
        assert_eq!(joined, self.whole.text, "L16");
        let widest = match self.whole.unit {
            Unit::Utf16 => 2,
            Unit::Chars => 1,
            Unit::Bytes => 4,
        };
        let len = len.max(widest);
        let starts = (0..=total / len).map(|step| step * len);
        let stepped: String = starts
            .map(|at| self.page(at, len).expect("not past the end").text.to_string())
            .collect();
        assert_eq!(stepped, self.whole.text, "L16");
    }

    /// Reads a page that is the oracle's, and returns it.
    fn page(&self, start: usize, len: usize) -> Option<Page> {
        let read = page_of(self.store, &self.meta, start, len).expect("a page");
        let expected = self.whole.pages.page(start, len);
        assert_eq!(read.clone().map(page), expected, "L16: {start} {len} {:?}", self.whole.unit);
        let read = read?;
        let is_bounded =
            read.end <= start.saturating_add(len) || read.text.chars().nth(1).is_none();
        assert!(is_bounded, "L16: {start} {len} {:?}", self.whole.unit);
        Some(read)
    }

    /// What a store reads covers what was asked, and little else.
    fn stretch(&self, start: usize, len: usize) {
        let unit = self.meta.unit;
        let stretch = self.store.read(self.meta.id, start, len).expect("a text");
        let rest = &self.whole.text[stretch.start_bytes..];
        assert!(rest.starts_with(&*stretch.text));
        assert_eq!(unit.len_of(&self.whole.text[..stretch.start_bytes]), stretch.start);
        let total = self.meta.total_len();
        if start >= total {
            return;
        }
        assert!(stretch.start <= start);
        let end = stretch.start_bytes + stretch.text.len();
        let asked = start.saturating_add(len).min(total);
        assert!(unit.len_of(&self.whole.text[..end]) >= asked);
        // Two pieces more than what was asked, each with the rest of a character.
        let [from, to] = [start, asked].map(|at| unit.offset_in(self.whole.text, at));
        assert!(from - stretch.start_bytes <= 8_192 && end.saturating_sub(to) <= 8_192 + 4);
    }
}

/// A page in the words of the oracle.
pub(crate) fn page(page: Page) -> oracle::Page {
    let Page { text, start, end, total, .. } = page;
    oracle::Page { text: text.to_string(), start, end, total }
}

/// A unit in the words of the oracle.
pub(crate) fn unit(unit: slotledger::Unit) -> Unit {
    match unit {
        slotledger::Unit::Utf16 => Unit::Utf16,
        slotledger::Unit::Char => Unit::Chars,
        slotledger::Unit::Byte => Unit::Bytes,
    }
}
