//! The ledger as a plain list that forgets nothing (7).

use super::base64::decode;
use super::labels::media_type;

/// An image to retain.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Retention {
    /// The call it is an answer to.
    pub call_id: String,
    /// That call's tool.
    pub tool: String,
    /// The index of its block.
    pub block: usize,
    /// Its base64 text.
    pub payload: String,
    /// The media type as claimed.
    pub claim: String,
}

/// What was issued for an image.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Provenance {
    /// Its ref.
    pub reference: String,
    /// What was retained.
    pub image: Retention,
    /// The normalized media type.
    pub media_type: String,
    /// How many bytes it has, or `None` where its text is no base64.
    pub byte_size: Option<usize>,
}

/// What a ledger knows of a ref.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Lookup<'a> {
    /// Its bytes are held.
    Retained(&'a Provenance),
    /// It was issued; its bytes are gone.
    Evicted(&'a Provenance),
    /// It was never issued here, or so long ago that it is forgotten.
    Unknown,
}

/// A ledger's model.
#[derive(Clone, Debug)]
pub struct Ledger {
    nonce: String,
    max_entries: usize,
    max_chars: usize,
    /// Everything ever issued; the ref's sequence number is the index plus one.
    issued: Vec<Provenance>,
    /// Indexes of those whose bytes are held, in order of insertion.
    held: Vec<usize>,
}

impl Ledger {
    /// Makes an empty ledger.
    pub fn new(nonce: &str, max_entries: usize, max_chars: usize) -> Self {
        let (issued, held) = (Vec::new(), Vec::new());
        Self { nonce: nonce.to_owned(), max_entries, max_chars, issued, held }
    }

    /// Retains an image and returns its ref.
    pub fn retain(&mut self, image: Retention) -> String {
        // 7.5: the newest of its key decides: the same text has that ref, another gets its own.
        let same_key = |known: &&Provenance| {
            known.image.call_id == image.call_id && known.image.block == image.block
        };
        let newest = self.known().iter().rev().find(same_key);
        if let Some(same) = newest.filter(|known| known.image.payload == image.payload) {
            return same.reference.clone();
        }
        let index = self.issued.len();
        let reference = format!("img_{}_{}", self.nonce, index + 1);
        self.issued.push(Provenance {
            reference: reference.clone(),
            media_type: media_type(&image.claim),
            byte_size: decode(&image.payload).map(|bytes| bytes.len()),
            image,
        });
        // 7.7: one that is too long by itself is issued but never held, and pushes nothing out.
        if self.chars(index) <= self.max_chars {
            self.held.push(index);
        }
        while self.is_over() {
            self.held.remove(0);
        }
        reference
    }

    /// Returns what is known of `reference`. Looking changes nothing (7.9).
    pub fn lookup(&self, reference: &str) -> Lookup<'_> {
        let forgotten = self.issued.len() - self.known().len();
        let found = self.known().iter().position(|known| known.reference == reference);
        match found.map(|position| forgotten + position) {
            None => Lookup::Unknown,
            Some(index) if self.held.contains(&index) => Lookup::Retained(&self.issued[index]),
            Some(index) => Lookup::Evicted(&self.issued[index]),
        }
    }

    /// The newest `max(4 * max_entries, 256)` issued; older ones are forgotten with their keys (7.8).
    fn known(&self) -> &[Provenance] {
        let limit = (4 * self.max_entries).max(256);
        &self.issued[self.issued.len().saturating_sub(limit)..]
    }

    fn is_over(&self) -> bool {
        let chars: usize = self.held.iter().map(|&index| self.chars(index)).sum();
        self.held.len() > self.max_entries || chars > self.max_chars
    }

    fn chars(&self, index: usize) -> usize {
        self.issued[index].image.payload.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn image(call_id: &str, block: usize, payload: &str) -> Retention {
        let (tool, claim) = ("snap".to_owned(), "image/png".to_owned());
        Retention { call_id: call_id.to_owned(), tool, block, payload: payload.to_owned(), claim }
    }

    #[test]
    fn a_call_id_used_again_with_other_bytes_is_another_image() {
        let mut ledger = Ledger::new("n", 4, 100);
        assert_eq!(ledger.retain(image("c", 0, "AAAA")), "img_n_1");
        assert_eq!(ledger.retain(image("c", 0, "BBBB")), "img_n_2");
        assert_eq!(ledger.retain(image("c", 0, "BBBB")), "img_n_2");
        assert!(matches!(ledger.lookup("img_n_1"), Lookup::Retained(_)));
    }

    #[test]
    fn what_is_forgotten_is_unknown_and_gets_a_new_ref() {
        let mut ledger = Ledger::new("n", 1, 100);
        for block in 0..256 {
            ledger.retain(image("c", block, "AAAA"));
        }
        assert!(matches!(ledger.lookup("img_n_1"), Lookup::Evicted(_)));
        assert_eq!(ledger.retain(image("c", 0, "AAAA")), "img_n_1");
        ledger.retain(image("d", 0, "AAAA"));
        assert_eq!(ledger.lookup("img_n_1"), Lookup::Unknown);
        assert_eq!(ledger.retain(image("c", 0, "AAAA")), "img_n_258");
    }

    #[test]
    fn the_oldest_go_until_both_limits_hold() {
        let mut ledger = Ledger::new("n", 3, 8);
        for block in 0..2 {
            ledger.retain(image("c", block, "AAAA"));
        }
        ledger.retain(image("c", 2, "AAAAAAAAAAAA"));
        assert!(matches!(ledger.lookup("img_n_1"), Lookup::Retained(_)));
        assert!(matches!(ledger.lookup("img_n_3"), Lookup::Evicted(_)));
        ledger.retain(image("c", 3, "AAAAAA"));
        assert!(matches!(ledger.lookup("img_n_2"), Lookup::Evicted(_)));
        assert!(matches!(ledger.lookup("img_n_4"), Lookup::Retained(_)));
        assert_eq!(ledger.lookup("img_other_4"), Lookup::Unknown);
    }
}
