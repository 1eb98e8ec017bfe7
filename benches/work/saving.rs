//! Finding and saving images of a conversation.

use std::hint::black_box;

use slotledger::content::{Block, Call, Content, Image, ToolResult};
use slotledger::history::{SaveRequest, Selector};
use slotledger::{Config, Engine, Session};

use super::Run;

/// The decoded size of each image that is saved.
pub(super) const IMAGE_BYTES: u64 = 75_000;

pub(super) fn newest_of_100() -> Run {
    newest_of(100)
}

pub(super) fn newest_of_10000() -> Run {
    newest_of(10_000)
}

/// The newest image, whatever lies behind it.
fn newest_of(messages: usize) -> Run {
    let session = conversation(messages, "iVBORw0KGgo=");
    let request = SaveRequest::new("shot.png", Selector::Recent { index: 0, count: 1 });
    let newest = format!("c{}", messages - 1);
    Box::new(move || {
        let seen = session.inventory().next().expect("an image");
        assert_eq!((seen.index, seen.messages_back), (0, 1));
        let selection = session.select(black_box(&request)).expect("it is held");
        let [image] = selection.images.as_slice() else { panic!("one image") };
        assert!(format!("{:?}", image.origin).contains(&newest));
    })
}

/// Twenty images selected, decoded and digested.
pub(super) fn range_20() -> Run {
    let payload = "iVBO".repeat(25_000);
    let session = conversation(64, &payload);
    let request = SaveRequest::new("shot.png", Selector::Recent { index: 0, count: 20 });
    Box::new(move || {
        let selection = session.select(black_box(&request)).expect("all are held");
        let sizes = selection.images.iter().map(|image| {
            let (receipt, bytes) = image.open().expect("it can be decoded");
            assert_eq!(receipt.byte_size, bytes.len());
            bytes.len() as u64
        });
        assert_eq!(sizes.sum::<u64>(), 20 * IMAGE_BYTES);
    })
}

/// So many messages, each the result of a call with an image.
fn conversation(messages: usize, payload: &str) -> Session {
    let mut session = Engine::new(Config::default()).session();
    for at in 0..messages {
        let result = ToolResult::new(Content::Blocks(vec![
            Block::Text("The page is open.".into()),
            Block::Image(Image::new(payload, "image/png")),
        ]));
        session.ingest(&Call::new(format!("c{at}"), "snap"), &result);
        session.commit();
    }
    session
}
