//! What the public types promise: threads, sizes, errors.

use std::error::Error;
use std::panic::{RefUnwindSafe, UnwindSafe};

use slotledger::content::wire::{data, mcp, outcome};
use slotledger::content::{
    Attachment, Block, Call, Content, Described, Image, Loss, Message, ParseError, Part, Reference,
    Server, ToolResult,
};
use slotledger::copy::{
    BlockKind, BlockSpan, Cut, Keeping, LiveBlock, LiveCopy, Serialized, StoredCopy,
};
use slotledger::image::{
    Entry, Held, Ledger, Limits, Lookup, Nonce, NonceError, Payload, PayloadError, Provenance,
    RefIds, Registry,
};
use slotledger::slot::{
    Dialect, DialectError, Grammar, ImageRef, ImageRefError, MediaType, Placeholder, RefId,
    RefIdError, Slot, SlotKind, Slots, Stub, StubParts,
};
use slotledger::text::{Cap, Offsets, Span, Spans, Unit};
use slotledger::{Config, ConfigError, Engine, Ingested, Session};

fn is_shared_and_sent<T: Send + Sync + UnwindSafe + RefUnwindSafe>() {}
/// Of what can hold an archive, which holds an error of the system.
fn is_sent<T: Send + Sync>() {}
fn is_error<T: Error + Send + Sync + 'static>() {}

#[test]
fn what_is_public_can_be_shared_sent_and_unwound() {
    is_shared_and_sent::<Span>();
    is_shared_and_sent::<Spans>();
    is_shared_and_sent::<Unit>();
    is_shared_and_sent::<Cap>();
    is_shared_and_sent::<Offsets<'_>>();

    is_shared_and_sent::<MediaType>();
    is_shared_and_sent::<ImageRef>();
    is_shared_and_sent::<Placeholder<'_>>();
    is_shared_and_sent::<RefId>();
    is_shared_and_sent::<Stub<'_>>();
    is_shared_and_sent::<StubParts<'_>>();
    is_shared_and_sent::<Slot<'_>>();
    is_shared_and_sent::<SlotKind<'_>>();
    is_shared_and_sent::<Slots<'_>>();
    is_shared_and_sent::<Dialect>();
    is_shared_and_sent::<Grammar>();

    is_shared_and_sent::<Block>();
    is_shared_and_sent::<Image>();
    is_shared_and_sent::<Reference>();
    is_shared_and_sent::<Described>();
    is_shared_and_sent::<Content>();
    is_shared_and_sent::<ToolResult>();
    is_shared_and_sent::<Call>();
    is_shared_and_sent::<Server>();
    is_shared_and_sent::<Loss>();
    is_shared_and_sent::<Message>();
    is_shared_and_sent::<Part>();
    is_shared_and_sent::<Attachment>();

    is_shared_and_sent::<Payload>();
    is_shared_and_sent::<Nonce>();
    is_shared_and_sent::<Limits>();
    is_sent::<Ledger>();
    is_shared_and_sent::<Lookup<'_>>();
    is_shared_and_sent::<Held<'_>>();
    is_shared_and_sent::<Provenance>();
    is_shared_and_sent::<RefIds>();
    is_shared_and_sent::<Registry>();
    is_shared_and_sent::<Entry>();

    is_shared_and_sent::<Serialized>();
    is_shared_and_sent::<BlockSpan>();
    is_shared_and_sent::<BlockKind>();
    is_shared_and_sent::<Cut>();
    is_shared_and_sent::<Keeping<'_>>();
    is_shared_and_sent::<LiveBlock>();
    is_shared_and_sent::<LiveCopy>();
    is_shared_and_sent::<StoredCopy>();

    is_shared_and_sent::<Config>();
    is_shared_and_sent::<Engine>();
    is_sent::<Session>();
    is_shared_and_sent::<Ingested>();
}

#[test]
fn every_error_is_one() {
    is_error::<ParseError>();
    is_error::<DialectError>();
    is_error::<ImageRefError>();
    is_error::<RefIdError>();
    is_error::<NonceError>();
    is_error::<PayloadError>();
    is_error::<ConfigError>();
}

#[test]
fn hot_types_are_small() {
    assert_eq!(size_of::<Span>(), 2 * size_of::<usize>());
    assert_eq!(size_of::<Cap>(), 2 * size_of::<usize>());
    assert!(size_of::<ImageRef>() <= 38, "{}", size_of::<ImageRef>());
    assert!(size_of::<Option<ImageRef>>() <= 39, "{}", size_of::<Option<ImageRef>>());
    assert!(size_of::<BlockSpan>() <= 24, "{}", size_of::<BlockSpan>());
    assert!(size_of::<Slot<'_>>() <= 112, "{}", size_of::<Slot<'_>>());
    assert!(size_of::<Grammar>() <= 8, "{}", size_of::<Grammar>());
    assert!(size_of::<RefId>() <= 16, "{}", size_of::<RefId>());
    assert!(size_of::<MediaType>() <= 32, "{}", size_of::<MediaType>());
    assert!(size_of::<LiveBlock>() <= 72, "{}", size_of::<LiveBlock>());
}

/// Lower case, no full stop, in one line, and none says what its source says.
fn is_well_spoken(error: &dyn Error) {
    let text = error.to_string();
    assert!(!text.ends_with('.') && !text.contains('\n'), "{text:?}");
    assert!(!text.is_empty());
    if let Some(source) = error.source() {
        assert!(!text.contains(&source.to_string()), "{text:?}");
    }
}

#[test]
fn errors_say_what_is_wrong_in_values() {
    let read = |json: &'static [u8]| mcp::read(&json.into()).unwrap_err();
    let error = read(b"[1,");
    assert!(error.to_string().starts_with("not JSON at byte "), "{error}");
    is_well_spoken(&error);
    let error = read(b"[\"a\xff\"]");
    assert_eq!((error.offset(), error.to_string().as_str()), (3, "not UTF-8 at byte 3"));
    is_well_spoken(&error);
    let error = outcome::read(&b"[]".as_slice().into()).unwrap_err();
    assert_eq!(error.to_string(), "not an outcome: expected a JSON object");
    is_well_spoken(&error);
    is_well_spoken(&data::read(&b"".as_slice().into()).unwrap_err());

    let error = Config::default().with_cap(999).unwrap_err();
    let ConfigError { name, value, expected, .. } = error.clone();
    assert_eq!((name, value, expected), ("cap", 999, "a number >= 1000"));
    assert_eq!(error.to_string(), "cap is 999, but must be a number >= 1000");
    is_well_spoken(&error);

    is_well_spoken(&"img_7".parse::<ImageRef>().unwrap_err());
    is_well_spoken(&"ref_7".parse::<RefId>().unwrap_err());
    is_well_spoken(&"A".parse::<Nonce>().unwrap_err());
    for (payload, expected) in [
        ("", "the base64 text is empty"),
        ("AA*A", "byte 2 of the base64 text belongs to no base64"),
        ("AAAAA", "the base64 text of 5 characters ends inside a byte"),
    ] {
        let error = Payload::new(payload).decode().unwrap_err();
        assert_eq!(error.to_string(), expected);
        is_well_spoken(&error);
    }
}

#[test]
fn a_cap_of_a_host_is_at_least_a_thousand_and_its_bound_may_lower_it() {
    let cap = |config: Config| (config.cap().limit(), config.cap().unit());
    assert_eq!(cap(Config::default()), (Some(24_000), Unit::Utf16));
    let config = Config::default().with_cap(1_000).unwrap();
    assert_eq!(cap(config.clone()), (Some(1_000), Unit::Utf16));
    assert_eq!(cap(config.clone().with_unit(Unit::Byte)), (Some(1_000), Unit::Byte));
    assert_eq!(cap(config.clone().with_host_bound(999)), (Some(999), Unit::Utf16));
    assert_eq!(cap(config.clone().with_host_bound(1)), (Some(1), Unit::Utf16));
    assert_eq!(cap(config.clone().with_host_bound(2_000)), (Some(1_000), Unit::Utf16));
    assert_eq!(cap(config.with_host_bound(5).with_host_bound(0)), (Some(1_000), Unit::Utf16));
    let most = Config::default().with_cap(usize::MAX).unwrap();
    assert_eq!(cap(most), (Some(usize::MAX), Unit::Utf16));
    assert!(Config::default().with_cap(0).is_err(), "no cap is no setting of a host");
}

#[test]
fn a_session_takes_what_its_engine_says() {
    let config = Config::default()
        .with_cap(1_000)
        .unwrap()
        .with_unit(Unit::Char)
        .with_nonce("zz9".parse().unwrap())
        .with_limits(Limits { max_images: 0, max_base64_bytes: 1 });
    let engine = Engine::new(config);
    assert_eq!(engine.config().limits(), Limits { max_images: 0, max_base64_bytes: 1 });
    let json = format!(
        r#"[{{"type":"text","text":"{}"}},{{"type":"image","data":"AAAA","mimeType":"image/png"}}]"#,
        "😀".repeat(1_001)
    );
    let mut session = engine.session();
    let ingested = session.ingest(&Call::new("c1", "snap"), &crate::support::read(json));
    assert_eq!((ingested.stored.head_len, ingested.stored.kept.len()), (1_000, 1));
    assert_eq!(
        ingested.stored.total_len,
        1_001 + 1 + "[image: image/png, 3B, ref img_zz9_1]".len()
    );
    let not_held = Loss::NotHeld { block: 1, image: "img_zz9_1".parse().unwrap() };
    assert_eq!(ingested.losses, [not_held]);
    assert!(session.ledger().is_empty() && session.registry().is_empty());
}
