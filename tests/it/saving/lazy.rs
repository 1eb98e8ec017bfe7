//! What is not asked for is not read (SPEC 18.9).

use bytestring::ByteString;
use slotledger::content::{Attachment, Content, Image, Message, Part};
use slotledger::history::{SaveRequest, Selector};

use super::{given, images, ingest};
use crate::support::{in_time, session};

/// A result whose text would take minutes to scan as often as it stands here.
fn heavy() -> Message {
    // One text, shared by all of them: a start of a placeholder at every place.
    static TEXT: std::sync::OnceLock<ByteString> = std::sync::OnceLock::new();
    let text = TEXT.get_or_init(|| "[image: a".repeat(1 << 20).into());
    let content = Content::Text(text.clone());
    let result = Part::Result { call_id: "old".into(), tool: Some("read".into()), content };
    Message::new("user", vec![result])
}

#[test]
fn the_newest_of_ten_thousand_messages_is_found_without_reading_the_others() {
    in_time(|| {
        let mut session = session();
        for _ in 0..10_000 {
            session.push(&heavy());
        }
        let image = Attachment::Inline(Image::new("AAAA", "image/png"));
        session.push(&Message::new("user", vec![Part::Attachment(image)]));
        assert_eq!(given(&session, 0).unwrap(), "AAAA");
        ingest(&mut session, "c1", "snap", &images(&["BBBB", "CCCC"]));
        for _ in 0..100 {
            assert_eq!(given(&session, 0).unwrap(), "CCCC");
            assert_eq!(given(&session, 2).unwrap(), "AAAA");
            let image = "img_abc123_1".parse().unwrap();
            let request = SaveRequest::new("a", Selector::Ref(image));
            assert_eq!(session.select(&request).unwrap().images[0].payload.base64(), "BBBB");
        }
        session.commit();
        assert_eq!(given(&session, 1).unwrap(), "BBBB");
    });
}

#[test]
fn a_range_reads_no_further_than_its_last_image() {
    in_time(|| {
        let mut session = session();
        for _ in 0..400 {
            session.push(&heavy());
        }
        let payloads: Vec<String> = (0..20).map(|number| format!("{number:04}")).collect();
        let payloads: Vec<&str> = payloads.iter().map(String::as_str).collect();
        ingest(&mut session, "c1", "snap", &images(&payloads));
        let request = SaveRequest::new("a", Selector::Recent { index: 0, count: 20 });
        assert_eq!(session.select(&request).unwrap().images.len(), 20);
    });
}

#[test]
fn of_a_message_no_more_is_read_than_is_asked_for() {
    in_time(|| {
        let mut session = session();
        let mut parts: Vec<Part> = (0..400).flat_map(|_| heavy().parts).collect();
        let image = Attachment::Inline(Image::new("AAAA", "image/png"));
        parts.push(Part::Attachment(image));
        session.push(&Message::new("user", parts));
        assert_eq!(given(&session, 0).unwrap(), "AAAA");
    });
}
