//! The engine that decides what a multimodal agent remembers of its tools' results.
//!
//! A tool answers with text and images. The model sees the answer once, *live*; afterwards a
//! *stored copy* stands in the history and is sent again on every turn, so it must be short. This
//! crate makes both, so that the stored copy counts exactly the images the model saw, in order,
//! and each of them can be had byte for byte, or is refused.
//!
//! ```
//! use slotledger::content::{Call, wire::mcp};
//! use slotledger::history::{SaveRequest, Selector};
//! use slotledger::{Config, Engine, slots};
//!
//! let engine = Engine::new(Config::default().with_cap(1_000)?);
//! let mut session = engine.session();
//!
//! // What a server answered: more text than the cap, and a picture behind it.
//! let answer = format!(
//!     r#"{{"content":[{{"type":"text","text":"{}"}},
//!         {{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}}]}}"#,
//!     "a log line\\n".repeat(500),
//! );
//! let result = mcp::read(&answer.into_bytes().into())?;
//! let ingested = session.ingest(&Call::new("call_1", "screenshot"), &result);
//!
//! // The model sees a shortened text and the whole picture …
//! assert_eq!(ingested.live.as_ref().map(|live| live.blocks.len()), Some(2));
//! // … and the history keeps one text that still counts the picture.
//! assert_eq!(slots(&ingested.stored.text).count(), 1);
//!
//! // "Save that screenshot": the slot's own bytes, or a refusal. Never another picture.
//! let newest = SaveRequest::new("shot.png", Selector::Recent { index: 0, count: 1 });
//! let (receipt, bytes) = session.select(&newest)?.images[0].open()?;
//! assert_eq!((receipt.byte_size, bytes), (8, b"\x89PNG\r\n\x1a\n".to_vec()));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Should I use it?
//!
//! Yes, if results with images enter a conversation that outlives one request: a coding agent, a
//! browser agent, a desktop agent, a gateway in front of MCP servers. Cutting text with
//! `&text[..n]` is one line, and it is enough while results are text, nobody asks for "the
//! screenshot before that one", and a cut emoji or half a placeholder hurts nobody. It is not a
//! token counter, an image resizer or a summarizer, and it calls no model and no network.
//!
//! # The order of things
//!
//! | step | what | where |
//! |---|---|---|
//! | read | bytes of a result → [`Content`], block by block, payloads shared | [`content::wire`] |
//! | serialize | content → the full text, a span per block; images to the [`Ledger`], references to the [`Registry`] | [`copy::serialize`] |
//! | keep | the full text as a record, before anything is cut | [`Engine::with_store`], [`record::store`] |
//! | live | what the model sees now, and which ranges of the full text that showed | [`LiveCopy`] |
//! | stored | head, notice, and the slots past the cut that were shown | [`StoredCopy`] |
//! | save | the image that an index or a ref means, or why not | [`Session::select`], [`history`] |
//! | read back | a page of a record, an item of it, a search in it, or why not | [`Session::reader`], [`record`] |
//!
//! [`Session::ingest`] does all but the last two. Each step is a public function as well, for hosts that need
//! only the cut ([`cut_at`]), only the scanner ([`slots`]) or only the ledger.
//!
//! # What recurs
//!
//! - **Offsets are bytes** at char boundaries, half open. Every other unit stands in a type
//!   ([`Cap`], [`Unit`]) or in a name. UTF-16 code units are the default unit of caps.
//! - **The middle is total.** Scanning, cutting, serializing and copying have an answer for every
//!   input, in debug and release. What reads from outside, decodes, saves, writes or is configured
//!   returns errors, with values in them.
//! - **Nothing is lost in silence.** What was withheld, not recognized or replaced comes back as
//!   a [`content::Loss`].
//! - **Tool text is untrusted.** It can quote placeholders, stubs and notices. A ref read in a
//!   text proves nothing; only the ledger's provenance does.
//! - **Same input, same bytes.** Refs and reference ids are minted once, and then only repeated.
//!   Apart from them, what a model reads depends on the input alone: no clock, no locale.
//! - **Payloads are shared** ([`bytes::Bytes`] beneath [`bytestring::ByteString`]), decoded and
//!   digested only when asked for.
//!
//! # Features
//!
//! - `sqlite`, off by default: `record::store::SqliteStore`, records in one file that several
//!   processes may use, with `SQLite` built in. No feature changes what anything else does.
//!
//! The rules are numbered in `SPEC.md`; "SPEC 11.4" and "SPEC L5" in these docs refer to it.

#![deny(missing_docs)]

mod notice;

pub mod content;
pub mod copy;
pub mod history;
pub mod image;
pub mod record;
pub mod slot;
pub mod text;

mod config;
mod engine;

pub use config::{Config, ConfigError};
pub use content::{Block, Call, Content, ToolResult};
pub use copy::{LiveCopy, StoredCopy, cut_at, truncate_history};
pub use engine::{Engine, Ingested, Session};
pub use image::{Ledger, Registry};
pub use slot::{Grammar, ImageRef, MediaType, RefId, slots};
pub use text::{Cap, Unit};

#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;
