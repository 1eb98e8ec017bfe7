//! The ledger and its payloads, beyond what L14 says.

use slotledger::content::{Call, Image};
use slotledger::image::{
    Ledger, Lookup, Nonce, NonceError, Payload, PayloadError, Provenance, hex,
};
use slotledger::{ImageRef, content::Loss};
use slotledger_kit::oracle;

use crate::support::{NONCE, PNG, for_all_bytes, ledger, read, session};

fn call(id: &str) -> Call {
    Call::new(id, "snap")
}

fn image(payload: &str) -> Image {
    Image::new(payload, "image/png")
}

fn image_ref(text: &str) -> ImageRef {
    text.parse().unwrap()
}

/// What is known of a ref: its state and, where it was issued, its call and block.
fn known(ledger: &Ledger, reference: &str) -> (&'static str, Option<(String, usize)>) {
    let of = |provenance: &Provenance| Some((provenance.call_id().to_owned(), provenance.block()));
    match ledger.lookup(image_ref(reference)) {
        Lookup::Retained(held) => ("retained", of(held.provenance)),
        Lookup::Evicted(provenance) => ("evicted", of(provenance)),
        Lookup::Unknown => ("unknown", None),
    }
}

fn state(ledger: &Ledger, reference: &str) -> &'static str {
    known(ledger, reference).0
}

#[test]
fn a_payload_is_read_leniently() {
    for (payload, bytes) in [
        ("SGVsbG8=", &b"Hello"[..]),
        ("SGVsbG8", b"Hello"),
        (" S\tG\nV\rs\u{c}bG8 = ", b"Hello"),
        ("SGVsbG9=", b"Hello"),
        ("+/+/", b"\xfb\xff\xbf"),
        ("-_-_", b"\xfb\xff\xbf"),
        ("+_-/", b"\xfb\xff\xbf"),
        ("QQ", b"A"),
        ("QQ=", b"A"),
        ("QQ==", b"A"),
        ("Q Q = =", b"A"),
        ("QR==", b"A"),
        ("QUE", b"AA"),
        ("QUE=", b"AA"),
        ("QUE==", b"AA"),
        ("QUF=", b"AA"),
        ("QUFB", b"AAA"),
        ("QUFB=", b"AAA"),
        ("QUFB==", b"AAA"),
    ] {
        let payload = Payload::new(payload);
        assert_eq!(payload.decode().as_deref(), Ok(bytes), "{payload:?}");
        assert_eq!(payload.decoded_len(), Ok(bytes.len()), "{payload:?}");
    }
}

#[test]
fn what_is_no_base64_is_refused_with_the_reason() {
    for (payload, error) in [
        ("", PayloadError::Empty),
        (" \t\r\n\u{c}", PayloadError::Empty),
        ("=", PayloadError::Empty),
        ("==", PayloadError::Empty),
        ("Q", PayloadError::Short { characters: 1 }),
        ("QUFBQ", PayloadError::Short { characters: 5 }),
        ("Q=Q=", PayloadError::Byte { at: 1 }),
        ("=QQ", PayloadError::Byte { at: 0 }),
        ("not base64!", PayloadError::Byte { at: 10 }),
        ("QQ\u{a0}QQ", PayloadError::Byte { at: 2 }),
        ("QQ\u{b}QQ", PayloadError::Byte { at: 2 }),
        ("QQ\u{0}", PayloadError::Byte { at: 2 }),
        ("é", PayloadError::Byte { at: 0 }),
        ("*QQQ", PayloadError::Byte { at: 0 }),
    ] {
        let payload = Payload::new(payload);
        assert_eq!(payload.decode(), Err(error), "{payload:?}");
        assert_eq!(payload.decoded_len(), payload.decode().map(|bytes| bytes.len()), "{payload:?}");
        assert_eq!(payload.sha256().err(), payload.decode().err(), "{payload:?}");
    }
}

#[test]
fn more_than_two_equals_signs_are_undecodable() {
    for payload in ["Q===", "===", "QQ===", "QUE===", "QUFB===", "QUFB=====", "QQ= = =", "QQ==\n="]
    {
        let payload = Payload::new(payload);
        assert!(payload.decode().is_err(), "{payload:?}");
        assert!(payload.decoded_len().is_err(), "{payload:?}");
        assert!(payload.sha256().is_err(), "{payload:?}");
    }
}

#[test]
fn the_size_known_without_decoding_is_the_size_decoded() {
    const CHARACTERS: &[&str] = &[
        "A", "Z", "a", "z", "0", "9", "+", "/", "-", "_", "=", "==", " ", "\n", "\t", "\u{c}",
        "\r\n", "AAAA", "QUFB", "é", "*", "\0",
    ];
    for_all_bytes(60, |bytes| {
        // Mostly what base64 has; now and then what it has not.
        let rare = bytes.first().is_some_and(|byte| byte % 4 == 0);
        let choices = if rare { CHARACTERS.len() } else { CHARACTERS.len() - 3 };
        let text: String =
            bytes.iter().map(|byte| CHARACTERS[usize::from(*byte) % choices]).collect();
        let payload = Payload::new(text.as_str());
        let decoded = payload.decode();
        assert_eq!(payload.decoded_len(), decoded.as_ref().map(Vec::len).map_err(|error| *error));
        let expected = oracle::decode(&text).filter(|bytes| !bytes.is_empty());
        assert_eq!(decoded.ok(), expected, "{text:?}");
    });
}

#[test]
fn a_digest_is_that_of_the_bytes() {
    // "abc", FIPS 180-2.
    let digest = Payload::new("YW\nJj").sha256().unwrap();
    assert_eq!(hex(&digest), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

#[test]
fn a_payload_is_held_as_it_was_sent_without_its_prefix() {
    let mut ledger = ledger(64, 1_000);
    let sent = Image::new("data:image/gif;base64,QU\nFB", " IMAGE/PNG ; q=1");
    let image = ledger.retain(&call("c1"), 7, &sent);
    let Lookup::Retained(held) = ledger.lookup(image) else { panic!("held") };
    assert_eq!(held.payload.base64(), "QU\nFB");
    assert_eq!(held.payload.decode().as_deref(), Ok(&b"AAA"[..]));
    let provenance = held.provenance;
    assert_eq!(provenance.image(), image);
    assert_eq!((provenance.call_id(), provenance.tool(), provenance.block()), ("c1", "snap", 7));
    assert_eq!((provenance.media_type().as_str(), provenance.encoded_len()), ("image/png", 5));
    assert_eq!((ledger.len(), ledger.held_bytes()), (1, 5));
}

#[test]
fn the_same_call_and_block_with_other_bytes_is_another_image() {
    let mut ledger = ledger(64, 1_000);
    let mut retain =
        |id, block, payload| ledger.retain(&call(id), block, &image(payload)).to_string();
    assert_eq!(retain("c1", 0, "AAAA"), "img_abc123_1");
    assert_eq!(retain("c1", 0, "BBBB"), "img_abc123_2");
    assert_eq!(retain("c1", 0, "BBBB"), "img_abc123_2", "the newest is compared");
    assert_eq!(retain("c1", 0, "AAAA"), "img_abc123_3", "and only the newest");
    assert_eq!(retain("c1", 1, "AAAA"), "img_abc123_4");
    assert_eq!(retain("c", 0, "AAAA"), "img_abc123_5");
    assert_eq!(retain("", 10, "AAAA"), "img_abc123_6");
    for sequence in 1..=6 {
        assert_eq!(state(&ledger, &format!("img_abc123_{sequence}")), "retained");
    }
}

#[test]
fn another_type_or_tool_is_the_same_image() {
    let mut ledger = ledger(64, 1_000);
    let first = ledger.retain(&call("c1"), 0, &image("AAAA"));
    let again =
        ledger.retain(&Call::new("c1", "other"), 0, &Image::new("data:;base64,AAAA", "image/gif"));
    assert_eq!(again, first);
    let Lookup::Retained(held) = ledger.lookup(first) else { panic!("held") };
    assert_eq!(
        (held.provenance.tool(), held.provenance.media_type().as_str()),
        ("snap", "image/png")
    );
}

#[test]
fn spelling_tells_payloads_apart_even_if_they_decode_to_the_same() {
    let mut ledger = ledger(64, 1_000);
    let first = ledger.retain(&call("c1"), 0, &image("QQ=="));
    assert_ne!(ledger.retain(&call("c1"), 0, &image("QQ")), first);
}

#[test]
fn the_oldest_go_until_the_bytes_fit() {
    let mut ledger = ledger(64, 16);
    for (block, payload) in ["AAAA", "BBBB", "CCCCCCCC"].into_iter().enumerate() {
        ledger.retain(&call("c1"), block, &image(payload));
    }
    assert_eq!((ledger.len(), ledger.held_bytes()), (3, 16));
    ledger.retain(&call("c1"), 3, &image("DDDDD"));
    // One of four was not enough for one of five.
    let states = |ledger: &Ledger| [1, 2, 3, 4].map(|n| state(ledger, &format!("img_abc123_{n}")));
    assert_eq!(states(&ledger), ["evicted", "evicted", "retained", "retained"]);
    assert_eq!((ledger.len(), ledger.held_bytes()), (2, 13));
    // The length counts, not the number of bytes it decodes to, and white space with it.
    ledger.retain(&call("c1"), 4, &image("E E "));
    assert_eq!(states(&ledger), ["evicted", "evicted", "evicted", "retained"]);
    assert_eq!((ledger.len(), ledger.held_bytes()), (2, 9));
}

#[test]
fn an_image_longer_than_all_the_room_is_issued_and_pushes_nothing_out() {
    let mut ledger = ledger(64, 8);
    ledger.retain(&call("c1"), 0, &image("AAAA"));
    let long = ledger.retain(&call("c1"), 1, &image("AAAAAAAAA"));
    assert_eq!(state(&ledger, "img_abc123_1"), "retained");
    assert_eq!(known(&ledger, long.as_str()), ("evicted", Some(("c1".to_owned(), 1))));
    assert_eq!(ledger.retain(&call("c1"), 1, &image("AAAAAAAAA")), long, "by its fingerprint");
    assert_ne!(ledger.retain(&call("c1"), 1, &image("AAAAAAAAB")), long);
    let whole = ledger.retain(&call("c1"), 2, &image("AAAAAAAA"));
    assert_eq!(state(&ledger, whole.as_str()), "retained", "of just that length");
    assert_eq!(state(&ledger, "img_abc123_1"), "evicted");
}

#[test]
fn a_ledger_without_room_issues_refs_all_the_same() {
    let mut ledger = ledger(0, 1_000);
    let issued = ledger.retain(&call("c1"), 0, &image("AAAA"));
    assert_eq!(known(&ledger, issued.as_str()), ("evicted", Some(("c1".to_owned(), 0))));
    assert_eq!(ledger.retain(&call("c1"), 0, &image("AAAA")), issued);
    assert!(ledger.is_empty());
    let mut ledger = crate::support::ledger(64, 0);
    let empty = ledger.retain(&call("c1"), 0, &image(""));
    assert_eq!(state(&ledger, empty.as_str()), "retained", "what has no length fits");
    let issued = ledger.retain(&call("c1"), 1, &image("AAAA"));
    assert_eq!(state(&ledger, issued.as_str()), "evicted");
}

#[test]
fn an_evicted_image_keeps_its_provenance_until_it_is_forgotten() {
    let mut ledger = ledger(1, 1_000);
    let first = ledger.retain(&call("first"), 3, &Image::new("AAAA", "IMAGE/GIF"));
    for block in 0..255 {
        ledger.retain(&call("more"), block, &image("BBBB"));
        let Lookup::Evicted(provenance) = ledger.lookup(first) else { panic!("evicted") };
        let of = (provenance.call_id(), provenance.tool(), provenance.block());
        assert_eq!(of, ("first", "snap", 3));
        let what = (provenance.media_type().as_str(), provenance.encoded_len());
        assert_eq!((provenance.image(), what), (first, ("image/gif", 4)));
        assert_eq!(ledger.len(), 1);
    }
    assert_eq!(ledger.retain(&call("first"), 3, &image("AAAA")), first, "still known");
    ledger.retain(&call("more"), 255, &image("BBBB"));
    assert!(matches!(ledger.lookup(first), Lookup::Unknown), "256 newer ones");
    let again = ledger.retain(&call("first"), 3, &image("AAAA"));
    assert_eq!(again.as_str(), "img_abc123_258", "forgotten with its key");
}

#[test]
fn four_times_as_many_refs_are_known_as_images_are_held() {
    let mut ledger = ledger(70, 1_000_000);
    for block in 0..=280 {
        ledger.retain(&call("c1"), block, &image("AAAA"));
    }
    assert_eq!(state(&ledger, "img_abc123_1"), "unknown");
    assert_eq!(state(&ledger, "img_abc123_2"), "evicted");
    assert_eq!(state(&ledger, "img_abc123_211"), "evicted");
    assert_eq!(state(&ledger, "img_abc123_212"), "retained");
    assert_eq!(ledger.len(), 70);
}

#[test]
fn a_ledger_that_is_full_grows_no_more() {
    let mut ledger = ledger(64, 1 << 20);
    let mut retain = |turns: std::ops::Range<usize>| {
        for turn in turns {
            ledger.retain(&call(&format!("c{turn:06}")), turn, &image(&format!("{turn:08}")));
        }
    };
    let fill = allocation_counter::measure(|| retain(0..1_000));
    let more = allocation_counter::measure(|| retain(1_000..30_000));
    // A table may have doubled, and no more.
    assert!(more.bytes_current <= fill.bytes_current, "{fill:?} {more:?}");
}

#[test]
fn a_look_renews_nothing_and_neither_does_coming_again() {
    let mut ledger = ledger(2, 1_000);
    let [first, second] = [0, 1].map(|block| ledger.retain(&call("c1"), block, &image("AAAA")));
    for _ in 0..3 {
        assert!(matches!(ledger.lookup(first), Lookup::Retained(_)));
        assert_eq!(ledger.retain(&call("c1"), 0, &image("AAAA")), first);
    }
    ledger.retain(&call("c1"), 2, &image("AAAA"));
    assert_eq!(state(&ledger, first.as_str()), "evicted");
    assert_eq!(state(&ledger, second.as_str()), "retained");
}

#[test]
fn a_ref_of_another_spelling_or_ledger_is_unknown() {
    let mut ledger = ledger(64, 1_000);
    ledger.retain(&call("c1"), 0, &image("AAAA"));
    for reference in [
        "img_abc123_2",
        "img_abc123_0",
        "img_abc123_01",
        "img_abc123_0000000000000001",
        "img_abc123_9999999999999999",
        "img_abc12_1",
        "img_abc1234_1",
        "img_0abc123_1",
        "img_other_1",
    ] {
        assert_eq!(known(&ledger, reference), ("unknown", None), "{reference}");
    }
    assert_eq!(known(&ledger, "img_abc123_1"), ("retained", Some(("c1".to_owned(), 0))));
    let other = Ledger::new("other".parse().unwrap(), slotledger::image::Limits::default());
    assert_eq!(known(&other, "img_abc123_1"), ("unknown", None));
}

#[test]
fn a_nonce_is_1_to_16_of_base_36() {
    for nonce in ["0", "abc123", "zzzzzzzzzzzzzzzz", NONCE] {
        assert_eq!(nonce.parse::<Nonce>().as_ref().map(Nonce::as_str), Ok(nonce));
    }
    for nonce in ["", "A", "a_b", "a-b", "é", " a", "a ", "zzzzzzzzzzzzzzzzz", "a_1", "\u{17F}"] {
        let parsed: Result<Nonce, NonceError> = nonce.parse();
        assert!(parsed.is_err(), "{nonce:?}");
    }
    let random: Vec<Nonce> = (0..50).map(|_| Nonce::random()).collect();
    assert!(random.iter().all(|nonce| nonce.as_str().len() == 6));
    assert!(random.iter().any(|nonce| *nonce != random[0]));
    assert!(random.iter().all(|nonce| nonce.as_str().parse().as_ref() == Ok(nonce)));
}

#[test]
fn an_image_that_came_again_after_it_was_evicted_is_a_loss() {
    let json = |payload: &str| {
        format!(r#"[{{"type":"image","data":"{payload}","mimeType":"image/png"}}]"#)
    };
    let mut session = session();
    let first = session.ingest(&call("first"), &read(json(PNG)));
    assert_eq!(first.losses, []);
    for index in 0..64 {
        session.ingest(&call(&format!("more {index}")), &read(json("AAAA")));
    }
    let again = session.ingest(&call("first"), &read(json(PNG)));
    assert_eq!(again.text, first.text, "the same ref");
    let image = image_ref("img_abc123_1");
    assert_eq!(again.losses, [Loss::NotHeld { block: 0, image }]);
    assert_eq!(state(session.ledger(), "img_abc123_1"), "evicted");
}

#[test]
fn images_that_later_ones_of_their_result_pushed_out_are_losses() {
    let block = format!(r#"{{"type":"image","data":"{PNG}","mimeType":"image/png"}}"#);
    let result = read(format!("[{}]", [block.as_str(); 66].join(",")));
    let ingested = session().ingest(&call("c1"), &result);
    let losses = [0, 1].map(|block| {
        let image = image_ref(&format!("img_abc123_{}", block + 1));
        Loss::NotHeld { block, image }
    });
    assert_eq!(ingested.losses, losses);
}

#[test]
fn nothing_crosses_sessions() {
    let engine = slotledger::Engine::new(slotledger::Config::default());
    let (mut one, two) = (engine.session(), engine.session());
    let json = format!(r#"[{{"type":"image","data":"{PNG}","mimeType":"image/png"}}]"#);
    let ingested = one.ingest(&call("c1"), &read(json));
    let slot = slotledger::slots(&ingested.text).next().unwrap();
    let slotledger::slot::SlotKind::Inline(placeholder) = slot.kind else { panic!("inline") };
    let image = placeholder.image.unwrap();
    assert!(matches!(one.ledger().lookup(image), Lookup::Retained(_)));
    assert!(matches!(two.ledger().lookup(image), Lookup::Unknown));
}
