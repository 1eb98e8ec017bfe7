//! Floors: the least that each kind of work costs, done by others.

use std::hint::black_box;

use bytes::Bytes;
use memchr::memmem;
use serde::Deserialize;

use super::{Run, input};

/// Counting the UTF-16 code units of a text.
pub(super) fn utf16_count() -> Run {
    count(input::ascii())
}

/// The same where not all is ASCII.
pub(super) fn utf16_count_mixed() -> Run {
    count(input::mixed())
}

fn count(text: String) -> Run {
    let total = text.encode_utf16().count();
    Box::new(move || assert_eq!(str_indices::utf16::count(black_box(&text)), total))
}

/// Looking for two short literals, neither of which is there.
pub(super) fn find_two_openings() -> Run {
    let text = input::ascii();
    Box::new(move || {
        for opening in ["[image: ", "[ref_"] {
            assert_eq!(memmem::find(black_box(text.as_bytes()), opening.as_bytes()), None);
        }
    })
}

/// Parsing a result with an image, every string borrowed.
pub(super) fn parse_image() -> Run {
    let json = Bytes::from(input::image_result());
    Box::new(move || parse(&json))
}

/// The same, with results that lie in different places.
pub(super) fn parse_images() -> Run {
    let results = input::image_results();
    let mut turn = 0;
    Box::new(move || {
        parse(results.get(turn % results.len()).expect("there are some"));
        turn += 1;
    })
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CallToolResult<'a> {
    #[serde(borrow)]
    content: Vec<Block<'a>>,
    is_error: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Block<'a> {
    r#type: &'a str,
    text: Option<&'a str>,
    data: Option<&'a str>,
    mime_type: Option<&'a str>,
}

fn parse(json: &Bytes) {
    let result: CallToolResult<'_> = serde_json::from_slice(black_box(json)).expect("it is JSON");
    let [text, image] = result.content.as_slice() else {
        panic!("it has a text and an image");
    };
    assert!(!result.is_error);
    assert_eq!((text.r#type, text.text), ("text", Some(input::IMAGE_TEXT)));
    assert_eq!((image.r#type, image.mime_type), ("image", Some("image/png")));
    assert_eq!(image.data.map(str::len), Some(5_000_000));
}
