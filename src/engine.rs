//! The order of the steps: a result comes in, its copies come out.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;

use bytestring::ByteString;

use crate::config::{Config, ConfigError};
use crate::content::{Call, Loss, Message, ToolResult};
use crate::copy::{
    BlockKind, BlockSpan, Keeping, LiveCopy, Serialized, StoredCopy, cut_at, serialize,
};
use crate::history::{Conversation, Inventory, SaveError, SaveRequest, Selection, select};
use crate::image::{Archive, Ledger, Nonce, RefIds, Registry};
use crate::record::store::{Store, StoreError};
use crate::record::{Kept, Meta, Reader, Recorder, Records, ShownSlots, is_read_back};
use crate::text::{Cap, Span, Spans};

/// Makes sessions that share one configuration and one source of reference ids.
///
/// ```
/// use slotledger::content::{Call, wire::mcp};
/// use slotledger::{Config, Engine};
///
/// let engine = Engine::new(Config::default().with_nonce("abc123".parse()?));
/// let mut session = engine.session();
/// let answer = br#"{"content":[{"type":"text","text":"hi"},
///     {"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}]}"#;
/// let ingested = session.ingest(&Call::new("c1", "snap"), &mcp::read(&answer.as_slice().into())?);
/// assert_eq!(ingested.stored.text, "hi\n[image: image/png, 9B, ref img_abc123_1]");
/// assert_eq!(ingested.live.unwrap().blocks.len(), 2);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Engine {
    config: Config,
    ids: RefIds,
    records: Option<Records>,
}

impl Engine {
    /// An engine with these settings.
    pub fn new(config: Config) -> Self {
        let ids = config.nonce().map_or_else(RefIds::process, |nonce| RefIds::fixed(nonce.clone()));
        Self { config, ids, records: None }
    }

    /// Keeps each result that is shortened, and each with images, as a record of `store`, whole,
    /// before anything of it is cut. Its notices then say how to read the rest.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use slotledger::content::{Call, wire::data};
    /// use slotledger::record::store::{MemoryStore, Retention};
    /// use slotledger::{Config, Engine};
    ///
    /// let store = Arc::new(MemoryStore::new(Retention::default()));
    /// let engine = Engine::new(Config::default().with_cap(1_000)?).with_store(store)?;
    /// let mut session = engine.session_named("s1");
    /// let log = format!("\"{}\"", "a log line\\n".repeat(500));
    /// let ingested = session.ingest(&Call::new("c1", "bash"), &data::read(&log.into_bytes().into())?);
    /// assert!(ingested.stored.text.ends_with(
    ///     "\n\n[truncated — showing 1000 of 5500 chars; full result: \
    ///      get_full_tool_result({\"toolCallId\":\"c1\",\"startChar\":1000})]"
    /// ));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// When the host's bound is under 1,000: no page would fit it.
    pub fn with_store(self, store: Arc<dyn Store>) -> Result<Self, ConfigError> {
        self.config.check_bound_for_pages()?;
        let records = Records { store, prints_direct: false, redaction: None };
        Ok(Self { records: Some(records), ..self })
    }

    /// Prints in notices also how to read a record past the tools, where the store has a way: a
    /// file, or a command for a shell. It reaches the records of every session, so by default it
    /// is not printed. To be called behind [`with_store`](Self::with_store); without a store there
    /// is nothing to print.
    #[must_use]
    pub fn with_direct_path(mut self) -> Self {
        if let Some(records) = &mut self.records {
            records.prints_direct = true;
        }
        self
    }

    /// Masks in every record what `find` finds in the full text, secrets for example: each character
    /// by one of the same length, so that all offsets stay. Slots and line breaks are never masked.
    ///
    /// The copies of the result are made of the text as the tool sent it. To be called behind
    /// [`with_store`](Self::with_store); without a store there is nothing to mask.
    ///
    /// ```
    /// # use std::sync::Arc;
    /// # use slotledger::content::{Call, wire::data};
    /// # use slotledger::record::store::{MemoryStore, Retention};
    /// # use slotledger::text::Span;
    /// # use slotledger::{Config, Engine};
    /// # let store = Arc::new(MemoryStore::new(Retention::default()));
    /// # let engine = Engine::new(Config::default().with_cap(1_000)?).with_store(store)?;
    /// let engine = engine.with_redaction(|text: &str| {
    ///     text.match_indices("hunter2").map(|(at, word)| Span::new(at, at + word.len())).collect()
    /// });
    /// let mut session = engine.session_named("s1");
    /// let log = format!("\"{} password: hunter2\"", "x".repeat(2_000));
    /// session.ingest(&Call::new("c1", "bash"), &data::read(&log.into_bytes().into())?);
    /// let reader = session.reader().unwrap();
    /// let end = reader.get_full_tool_result(r#"{"toolCallId":"c1","startChar":2001}"#)?;
    /// assert_eq!(end.text, "password: *******");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    #[must_use]
    pub fn with_redaction(
        mut self,
        find: impl Fn(&str) -> Vec<Span> + Send + Sync + 'static,
    ) -> Self {
        if let Some(records) = &mut self.records {
            records.redaction = Some(Arc::new(AssertUnwindSafe(Box::new(find))));
        }
        self
    }

    /// The store, if records are kept.
    pub fn store(&self) -> Option<&Arc<dyn Store>> {
        self.records.as_ref().map(|records| &records.store)
    }

    /// The settings.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Starts a conversation, with a ledger and a registry of its own. Its records are of a session
    /// of a new name.
    pub fn session(&self) -> Session {
        // Without a store it has no name at all.
        let name = if self.records.is_some() { random_name() } else { String::new() };
        self.session_named(&name)
    }

    /// Starts a conversation whose records are of the session `name`, or goes on with it: what was
    /// kept under that name can be read back.
    pub fn session_named(&self, name: &str) -> Session {
        let nonce = self.config.nonce().cloned().unwrap_or_else(Nonce::random);
        self.session_of(name, Ledger::new(nonce, self.config.limits()))
    }

    /// Goes on with a conversation whose images an archive kept: their refs still give their own
    /// bytes. New refs have the configured nonce, unless an earlier process had it.
    pub fn session_restored(&self, name: &str, archive: Archive) -> Session {
        let nonce = self.config.nonce().cloned().unwrap_or_else(Nonce::random);
        self.session_of(name, Ledger::restored(nonce, self.config.limits(), archive))
    }

    fn session_of(&self, name: &str, ledger: Ledger) -> Session {
        Session {
            config: self.config.clone(),
            ledger,
            registry: Registry::new(self.ids.clone()),
            conversation: Conversation::new(self.config.scan_limit()),
            archive_failed: false,
            recorder: self.records.clone().map(|records| Recorder::new(records, name.into())),
        }
    }
}

/// A name that no other session has.
fn random_name() -> String {
    format!("session_{}{}", Nonce::random().as_str(), Nonce::random().as_str())
}

/// One conversation: its ledger, its registry and its history. Nothing crosses sessions.
#[derive(Debug)]
pub struct Session {
    config: Config,
    ledger: Ledger,
    registry: Registry,
    conversation: Conversation,
    /// Whether it was told that the archive failed.
    archive_failed: bool,
    recorder: Option<Recorder>,
}

impl Session {
    /// Takes the result of a call at the configured cap, and makes its copies.
    pub fn ingest(&mut self, call: &Call, result: &ToolResult) -> Ingested {
        self.ingest_at(call, result, self.config.cap())
    }

    /// Takes the result of a call at `cap`, and makes its copies. The result joins the open batch.
    ///
    /// Where records are kept, a result over the cap or with images is first kept whole. Answers of
    /// [`reader`](Self::reader) are neither kept nor cut.
    ///
    /// Total: every result has its copies.
    pub fn ingest_at(&mut self, call: &Call, result: &ToolResult, cap: Cap) -> Ingested {
        let (ingested, shown) = self.take(call, result, cap);
        // In memory of its own: a text that was not cut shares all of what the tool sent.
        let text = ByteString::from(&*ingested.stored.text);
        let quotes = ingested.live.is_none() && is_read_back(&call.tool);
        let shown = if quotes { Some(ShownSlots::default()) } else { shown };
        self.conversation.complete(call.clone(), text, shown);
        ingested
    }

    /// Makes the copies of a result that the conversation has already, when a host reads its
    /// history anew. The same call and result gives the same copies, and counts no image twice.
    pub fn copies_of(&mut self, call: &Call, result: &ToolResult, cap: Cap) -> Ingested {
        self.take(call, result, cap).0
    }

    fn take(
        &mut self,
        call: &Call,
        result: &ToolResult,
        cap: Cap,
    ) -> (Ingested, Option<ShownSlots>) {
        let full = serialize(&result.content, call, &mut self.ledger, &mut self.registry);
        let is_answer =
            self.recorder.as_ref().is_some_and(|recorder| recorder.is_answer(call, &full));
        let cap = if is_answer { Cap::new(0, cap.unit()) } else { cap };
        let kept = if is_answer { None } else { self.keep(call, result, &full, cap) };
        let failed = kept.as_ref().and_then(|kept| kept.as_ref().err());
        let failed = failed.map(|error| (error.reason(), error.cause()));
        let kept = kept.and_then(Result::ok);
        let keeping = match (&kept, &failed) {
            (Some(kept), _) => {
                let direct = kept.direct.as_ref();
                Keeping::Kept { handle: &kept.handle, unit: kept.meta.unit, direct }
            }
            (None, Some((reason, _))) => Keeping::Failed { reason },
            (None, None) => Keeping::NoStore,
        };
        let grammar = self.config.grammar();
        let live = LiveCopy::of(&result.content, &full, cap, grammar, keeping);
        let none_shown = Spans::default();
        let shown = live.as_ref().map_or(&none_shown, |live| &live.shown);
        let stored = StoredCopy::of(&full.text, cap, shown, grammar, keeping);
        if let Some(recorder) = &self.recorder {
            match &kept {
                Some(kept) if stored.head_len < stored.total_len => {
                    recorder.note_stored(call, &kept.meta, &stored.text);
                }
                None if is_answer => recorder.note_answer(call, &full.text),
                Some(_) | None => {}
            }
        }
        let shown = kept.as_ref().map(|kept| ShownSlots::of(&full.text, &kept.slots));
        let Serialized { text, blocks, losses: not_held } = full;
        let archive_failed = self.ledger.archive().is_some_and(|a| a.problem().is_some());
        let newly_failed = archive_failed && !std::mem::replace(&mut self.archive_failed, true);
        let losses = result.losses.iter().cloned().chain(not_held);
        let losses = losses.chain(newly_failed.then_some(Loss::NotArchived));
        let not_recorded = failed.map(|(reason, cause)| Loss::NotRecorded {
            reason: reason.into_owned().into(),
            cause: cause.into(),
        });
        let losses = losses.chain(not_recorded).collect();
        let record = kept.map(|kept| kept.meta);
        let is_error = result.is_error;
        (Ingested { text, blocks, live, stored, record, is_error, losses }, shown)
    }

    /// Keeps the record of a result, if it is over the cap or has images.
    fn keep(
        &self,
        call: &Call,
        result: &ToolResult,
        full: &Serialized,
        cap: Cap,
    ) -> Option<Result<Kept, StoreError>> {
        let recorder = self.recorder.as_ref()?;
        let has_images = full.blocks.iter().flatten().any(|block| block.kind != BlockKind::Text);
        if !has_images && cap.reached_in(&full.text).is_none() {
            return None;
        }
        let grammar = self.config.grammar();
        let shown = LiveCopy::shown_of(&result.content, full, cap, grammar).unwrap_or_else(|| {
            // The model sees the stored copy, which shows its head.
            let head = cut_at(&full.text, cap, grammar).unwrap_or(full.text.len());
            let mut shown = Spans::default();
            shown.push(Span::new(0, head));
            shown
        });
        Some(recorder.keep(call, result, full, &shown, grammar, cap.unit()))
    }

    /// The name under which its records are kept; `None` where none are.
    pub fn name(&self) -> Option<&str> {
        self.recorder.as_ref().map(|recorder| &**recorder.session())
    }

    /// Reads its records back, for the model's tools; `None` where none are kept. No answer is
    /// longer than the host's bound.
    pub fn reader(&self) -> Option<Reader<'_>> {
        Some(self.recorder.as_ref()?.reader(self.config.host_bound()))
    }

    /// Ends the conversation for now: a sweep may take its records, as far as a quota or an age
    /// asks for it. Without this they are spared for 24 hours.
    ///
    /// # Errors
    ///
    /// When the store cannot be written.
    pub fn close(self) -> Result<(), StoreError> {
        self.recorder.map_or(Ok(()), |recorder| recorder.close())
    }

    /// Opens the calls of one assistant message: each is pending until its result is taken.
    pub fn begin(&mut self, calls: impl IntoIterator<Item = Call>) {
        self.conversation.begin(calls);
    }

    /// Closes the open batch: its results become one message of the history. Returns how many
    /// they are.
    pub fn commit(&mut self) -> usize {
        self.conversation.commit()
    }

    /// Adds a message to the history, and returns its place, from 0.
    ///
    /// The images of results that come as blocks are retained, so those of a stored history can
    /// be saved. A stored copy whose record is kept counts the images that the record tells of.
    pub fn push(&mut self, message: &Message) -> usize {
        let Self { conversation, ledger, registry, recorder, .. } = self;
        conversation.push(message, ledger, registry, |call, text| {
            recorder.as_ref()?.shown_of_view(call, text)
        })
    }

    /// The history, as far as images go, and the open batch.
    pub fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    /// The images of the conversation, the newest first. Lazy.
    pub fn inventory(&self) -> Inventory<'_> {
        Inventory::new(&self.conversation, self.config.grammar(), self.config.scan_limit())
    }

    /// Finds the images that a save means; see [`select`].
    ///
    /// Waiting for the batch is the host's: see
    /// [`wait_for_siblings`](crate::history::wait_for_siblings). A save that runs while a
    /// call of its batch is pending counts the images without it.
    ///
    /// ```
    /// use slotledger::content::{Call, wire::mcp};
    /// use slotledger::history::{SaveRequest, Selector};
    /// use slotledger::{Config, Engine};
    ///
    /// let mut session = Engine::new(Config::default()).session();
    /// let answer = br#"[{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/jpeg"}]"#;
    /// session.ingest(&Call::new("c1", "snap"), &mcp::read(&answer.as_slice().into())?);
    ///
    /// let newest = SaveRequest::new("shot.jpg", Selector::Recent { index: 0, count: 1 });
    /// let selection = session.select(&newest)?;
    /// let (receipt, bytes) = selection.images[0].open()?;
    /// assert_eq!(bytes, b"\x89PNG\r\n\x1a\n", "byte for byte, whatever it is called");
    /// assert_eq!(receipt.actual_media_type, Some("image/png"));
    ///
    /// let older = SaveRequest::new("older.jpg", Selector::Recent { index: 1, count: 1 });
    /// assert_eq!(session.select(&older).unwrap_err().reason(), "not_enough_images");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    ///
    /// The reason why not all of them can be written. Then none is.
    pub fn select(&self, request: &SaveRequest) -> Result<Selection, SaveError> {
        let messages = self.conversation.messages().len();
        let scanned = messages.min(self.config.scan_limit());
        select(request, self.inventory(), scanned, &self.ledger)
    }

    /// The images this session holds.
    pub fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// The references this session holds.
    pub fn registry(&self) -> &Registry {
        &self.registry
    }

    /// The references, to note which were fetched.
    pub fn registry_mut(&mut self) -> &mut Registry {
        &mut self.registry
    }
}

/// A result taken in, and the texts made from it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Ingested {
    /// The full text.
    pub text: ByteString,
    /// Where each block lies in the full text; `None` when it was not taken block by block.
    pub blocks: Option<Vec<BlockSpan>>,
    /// What the model sees; `None` when it sees the stored copy.
    pub live: Option<LiveCopy>,
    /// What the history keeps.
    pub stored: StoredCopy,
    /// What is known of its record, if one is kept.
    pub record: Option<Meta>,
    /// Whether the tool says that it failed.
    pub is_error: bool,
    /// What did not come through whole.
    pub losses: Vec<Loss>,
}

impl Ingested {
    /// The ranges of the full text that the live copy showed beside its images.
    pub fn shown(&self) -> &[Span] {
        self.live.as_ref().map_or(&[], |live| live.shown.as_slice())
    }
}
