//! Operations on a ledger, against a list that forgets nothing.

use slotledger::ImageRef;
use slotledger::content::{Call, Image};
use slotledger::image::{Ledger, Limits, Lookup, Payload, PayloadError, Provenance};
use slotledger_kit::generate::{LedgerCase, LedgerOp, from_bytes};
use slotledger_kit::oracle;

/// A ledger answers as its plain model does, and a lookup changes no later answer (L14); payloads are
/// read as leniently as SPEC 7.1 says.
pub fn ledger(bytes: &[u8]) {
    let case: LedgerCase = from_bytes(bytes);
    let limits =
        Limits { max_images: case.max_entries as usize, max_base64_bytes: case.max_chars as usize };
    let mut ledger = Ledger::new("abc123".parse().expect("a nonce"), limits);
    // The same without a lookup.
    let mut quiet = Ledger::new("abc123".parse().expect("a nonce"), limits);
    let mut model = oracle::Ledger::new("abc123", limits.max_images, limits.max_base64_bytes);
    let mut newest = 0;
    for (turn, op) in case.ops.iter().enumerate() {
        match op {
            LedgerOp::Retain(retention) => {
                let issued = retain(&mut ledger, retention);
                assert_eq!(issued.as_str(), model.retain(retention.clone()), "L14");
                assert_eq!(retain(&mut quiet, retention), issued, "L14");
                newest = newest.max(issued.sequence());
            }
            LedgerOp::Lookup(reference) => looked_up(&ledger, &model, reference),
        }
        assert!(ledger.len() <= limits.max_images, "7.7");
        assert!(ledger.held_bytes() <= limits.max_base64_bytes, "7.7");
        if turn == case.ops.len() / 2 {
            everything(&ledger, &model, newest);
        }
    }
    everything(&ledger, &model, newest);
    everything(&quiet, &model, newest);
    payload(&crate::text_of(bytes));
}

fn retain(ledger: &mut Ledger, retention: &oracle::Retention) -> ImageRef {
    let oracle::Retention { call_id, tool, block, payload, claim } = retention.clone();
    ledger.retain(&Call::new(call_id, tool), block, &Image::new(payload, claim))
}

/// Looks up every ref that could have been issued, and counts what is held.
fn everything(ledger: &Ledger, model: &oracle::Ledger, newest: u64) {
    let (mut held, mut held_bytes) = (0, 0);
    for sequence in 0..=newest + 1 {
        let reference = format!("img_abc123_{sequence}");
        looked_up(ledger, model, &reference);
        if let oracle::Lookup::Retained(known) = model.lookup(&reference) {
            held += 1;
            held_bytes += known.image.payload.len();
        }
    }
    assert_eq!((ledger.len(), ledger.held_bytes()), (held, held_bytes), "7.7");
    assert_eq!(ledger.is_empty(), held == 0);
}

fn looked_up(ledger: &Ledger, model: &oracle::Ledger, reference: &str) {
    let expected = model.lookup(reference);
    let Ok(image) = reference.parse::<ImageRef>() else {
        assert_eq!(expected, oracle::Lookup::Unknown);
        return;
    };
    assert_eq!(image.as_str(), reference, "L4");
    match (ledger.lookup(image), expected) {
        (Lookup::Retained(held), oracle::Lookup::Retained(known)) => {
            assert_provenance(held.provenance, known);
            assert_eq!(&**held.payload.base64(), known.image.payload);
            decodes(held.payload, &known.image.payload);
        }
        (Lookup::Evicted(provenance), oracle::Lookup::Evicted(known)) => {
            assert_provenance(provenance, known);
        }
        (Lookup::Unknown, oracle::Lookup::Unknown) => {}
        (found, expected) => panic!("L14: {found:?}, and not {expected:?}"),
    }
}

fn assert_provenance(provenance: &Provenance, known: &oracle::Provenance) {
    let oracle::Retention { call_id, tool, block, payload, .. } = &known.image;
    assert_eq!(provenance.image().as_str(), known.reference);
    assert_eq!((provenance.call_id(), provenance.tool()), (call_id.as_str(), tool.as_str()));
    assert_eq!((provenance.block(), provenance.encoded_len()), (*block, payload.len()));
    assert_eq!(provenance.media_type().as_str(), known.media_type);
}

/// Any text is a payload, and decodes as the oracle's does or is refused.
fn payload(text: &str) {
    decodes(&Payload::new(text), text);
    let is_digit = |ch: char| ch.is_ascii_alphanumeric() || "+/-_= \n".contains(ch);
    let plausible: String = text.chars().filter(|&ch| is_digit(ch)).collect();
    decodes(&Payload::new(plausible.as_str()), &plausible);
}

fn decodes(payload: &Payload, text: &str) {
    let decoded = payload.decode();
    assert_eq!(
        payload.decoded_len(),
        decoded.as_ref().map(Vec::len).map_err(|&error| error),
        "7.3"
    );
    match (decoded, oracle::decode(text)) {
        (Ok(decoded), Some(expected)) => assert_eq!(decoded, expected, "7.1"),
        // There is nothing in it: the oracle decodes that to nothing, and no bytes are given.
        (Err(PayloadError::Empty), Some(expected)) => assert!(expected.is_empty(), "7.1"),
        (Err(_), None) => {}
        (decoded, expected) => panic!("7.1: {decoded:?}, and not {expected:?}"),
    }
}
