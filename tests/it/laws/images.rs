//! What the ledger and the registry hand out.

use slotledger::content::{Call, Image, Reference};
use slotledger::image::{Ledger, Limits, RefIds, Registry};
use slotledger::slot::{SlotKind, placeholder_at, slots, stub_at, write_placeholder};
use slotledger_kit::generate::{TextCase, from_bytes};

use crate::support::for_all_bytes;

#[test]
fn l14_a_ledger_answers_as_its_plain_model_and_a_lookup_changes_no_later_answer() {
    for_all_bytes(900, slotledger_props::ledger);
}

#[test]
fn l25_every_ref_and_ref_id_that_is_issued_is_read_from_what_it_was_written_into() {
    for_all_bytes(300, |bytes| {
        let text = from_bytes::<TextCase>(bytes).text;
        let nonce: String = bytes
            .iter()
            .take(1 + bytes.len() % 16)
            .map(|byte| char::from_digit(u32::from(byte % 36), 36).unwrap())
            .collect();
        let nonce: slotledger::image::Nonce =
            if nonce.is_empty() { "0" } else { &nonce }.parse().unwrap();
        let mut ledger = Ledger::new(nonce.clone(), Limits { max_images: 2, max_base64_bytes: 8 });
        for (block, byte) in bytes.iter().enumerate().take(120) {
            let claim = ["image/png", "image/x.y", "garbage"][usize::from(*byte) % 3];
            let image = Image::new("AAAA".repeat(usize::from(*byte) % 4), claim);
            let issued = ledger.retain(&Call::new("c1", "snap"), block, &image);
            assert_eq!(issued.as_str(), format!("img_{}_{}", nonce.as_str(), block + 1));
            let mut written = String::new();
            write_placeholder(&mut written, &image.media_type(), 4, Some(issued));
            assert_eq!(placeholder_at(&written, 0).unwrap().image, Some(issued));
            let read = slots(&written).next().unwrap();
            let SlotKind::Inline(read) = read.kind else { panic!("inline") };
            assert_eq!((read.text, read.image), (written.as_str(), Some(issued)));
            assert_eq!(issued.as_str().parse(), Ok(issued));
        }
        for ids in [RefIds::process(), RefIds::fixed(nonce)] {
            let mut registry = Registry::new(ids);
            for (index, piece) in text.split_inclusive([']', '\n', '/']).take(60).enumerate() {
                let mut reference = Reference::new(format!("mcp://{index}")).unwrap();
                reference.name = Some(piece.into());
                reference.mime_type = (index % 2 > 0).then(|| piece.into());
                let issued = registry.register(&reference, &Call::new("c1", ""));
                let mut written = String::new();
                registry.write_stub(&mut written, &issued);
                let read = stub_at(&written, 0).expect("a stub");
                assert_eq!((read.text, read.id), (written.as_str(), issued.as_str()));
                assert_eq!(read.id.parse(), Ok(issued.clone()));
                assert!(registry.lookup(&issued).is_some());
            }
        }
    });
}
