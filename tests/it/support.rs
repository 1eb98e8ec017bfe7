//! What the tests share: sessions, readers, and the words of the kit in those of the crate.

use std::env;
use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use proptest::collection::vec;
use proptest::prelude::{ProptestConfig, any};
use proptest::test_runner::{TestError, TestRunner};
use slotledger::content::ToolResult;
use slotledger::content::wire::mcp;
use slotledger::image::{Ledger, Limits, RefIds, Registry};
use slotledger::text::{Span, Spans};
use slotledger::{Cap, Config, Engine, Session, Unit};

/// The nonce of every ledger here, as in the vectors.
pub(crate) const NONCE: &str = "abc123";

/// A PNG of one pixel.
pub(crate) const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4////fwAJ+wP9KobjigAAAABJRU5ErkJggg==";

/// A session of its own with the nonce [`NONCE`].
pub(crate) fn session() -> Session {
    Engine::new(Config::default().with_nonce(NONCE.parse().unwrap())).session()
}

/// A ledger of its own with the nonce [`NONCE`].
pub(crate) fn ledger(max_images: usize, max_base64_bytes: usize) -> Ledger {
    Ledger::new(NONCE.parse().unwrap(), Limits { max_images, max_base64_bytes })
}

/// A registry of its own, its ids fixed by the nonce [`NONCE`].
pub(crate) fn registry() -> Registry {
    Registry::new(RefIds::fixed(NONCE.parse().unwrap()))
}

/// Reads JSON as a result of MCP.
pub(crate) fn read(json: impl AsRef<[u8]>) -> ToolResult {
    mcp::read(&json.as_ref().to_vec().into()).expect("a result")
}

/// A unit of the kit as the crate's.
pub(crate) fn unit_of(unit: slotledger_kit::Unit) -> Unit {
    match unit {
        slotledger_kit::Unit::Utf16 => Unit::Utf16,
        slotledger_kit::Unit::Chars => Unit::Char,
        slotledger_kit::Unit::Bytes => Unit::Byte,
    }
}

/// The units, the crate's beside the kit's.
pub(crate) fn units() -> [(Unit, slotledger_kit::Unit); 3] {
    slotledger_kit::Unit::ALL.map(|unit| (unit_of(unit), unit))
}

/// A cap in the default unit.
pub(crate) fn cap(limit: usize) -> Cap {
    Cap::utf16(limit)
}

/// The length of `text` in UTF-16 code units, counted another way than the crate counts.
pub(crate) fn len_utf16(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// Ranges, in bytes, that ascend.
pub(crate) fn spans(ranges: impl IntoIterator<Item = (usize, usize)>) -> Spans {
    let mut spans = Spans::default();
    for (start, end) in ranges {
        assert!(spans.push(Span::new(start, end)), "ranges ascend");
    }
    spans
}

/// Draws at most `most` bytes, again and again, and hands them to a law, which panics when broken.
///
/// 256 times, or `PROPTEST_CASES`. A failure is shrunk and printed as the bytes of a regression file.
pub(crate) fn for_all_bytes(most: usize, law: impl Fn(&[u8])) {
    // Bytes are kept as files of the fuzz workspace, not by a seed.
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    let drawn = TestRunner::new(config).run(&vec(any::<u8>(), 0..=most), |bytes| {
        law(&bytes);
        Ok(())
    });
    match drawn {
        Ok(()) => {}
        Err(TestError::Fail(reason, bytes)) => panic!("{reason}\nbytes: {bytes:?}"),
        Err(TestError::Abort(reason)) => panic!("{reason}"),
    }
}

/// Runs `work` and returns what it returns, unless it takes minutes: then it is not linear.
///
/// `SLOTLEDGER_DEADLINE` is the number of seconds, 300 where it is not set.
pub(crate) fn in_time<T: Send + 'static>(work: impl FnOnce() -> T + Send + 'static) -> T {
    let seconds = env::var("SLOTLEDGER_DEADLINE").ok().and_then(|text| text.parse().ok());
    let (done, answer) = mpsc::channel();
    let worker = thread::spawn(move || done.send(work()));
    match answer.recv_timeout(Duration::from_secs(seconds.unwrap_or(300))) {
        Ok(answer) => answer,
        Err(mpsc::RecvTimeoutError::Timeout) => panic!("it runs on"),
        Err(mpsc::RecvTimeoutError::Disconnected) => match worker.join() {
            Err(panic) => std::panic::resume_unwind(panic),
            Ok(_) => unreachable!("it answers or panics"),
        },
    }
}
