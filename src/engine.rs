//! The order of the steps: a result comes in, its copies come out.

use bytestring::ByteString;

use crate::config::Config;
use crate::content::{Call, Loss, Message, ToolResult};
use crate::copy::{BlockSpan, Keeping, LiveCopy, Serialized, StoredCopy, serialize};
use crate::history::{Conversation, Inventory, SaveError, SaveRequest, Selection, select};
use crate::image::{Archive, Ledger, Nonce, RefIds, Registry};
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
}

impl Engine {
    /// An engine with these settings.
    pub fn new(config: Config) -> Self {
        let ids = config.nonce().map_or_else(RefIds::process, |nonce| RefIds::fixed(nonce.clone()));
        Self { config, ids }
    }

    /// The settings.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// Starts a conversation, with a ledger and a registry of its own.
    pub fn session(&self) -> Session {
        let nonce = self.config.nonce().cloned().unwrap_or_else(Nonce::random);
        self.session_of(Ledger::new(nonce, self.config.limits()))
    }

    /// Goes on with a conversation whose images an archive kept: their refs still give their own
    /// bytes. New refs have the configured nonce, unless an earlier process had it.
    pub fn session_restored(&self, archive: Archive) -> Session {
        let nonce = self.config.nonce().cloned().unwrap_or_else(Nonce::random);
        self.session_of(Ledger::restored(nonce, self.config.limits(), archive))
    }

    fn session_of(&self, ledger: Ledger) -> Session {
        Session {
            config: self.config.clone(),
            ledger,
            registry: Registry::new(self.ids.clone()),
            conversation: Conversation::new(self.config.scan_limit()),
            archive_failed: false,
        }
    }
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
}

impl Session {
    /// Takes the result of a call at the configured cap, and makes its copies.
    pub fn ingest(&mut self, call: &Call, result: &ToolResult) -> Ingested {
        self.ingest_at(call, result, self.config.cap())
    }

    /// Takes the result of a call at `cap`, and makes its copies. The result joins the open batch.
    ///
    /// Total: every result has its copies.
    pub fn ingest_at(&mut self, call: &Call, result: &ToolResult, cap: Cap) -> Ingested {
        let ingested = self.copies_of(call, result, cap);
        // In memory of its own: a text that was not cut shares all of what the tool sent.
        let text = ByteString::from(&*ingested.stored.text);
        self.conversation.complete(call.clone(), text);
        ingested
    }

    /// Makes the copies of a result that the conversation has already, when a host reads its
    /// history anew. The same call and result gives the same copies, and counts no image twice.
    pub fn copies_of(&mut self, call: &Call, result: &ToolResult, cap: Cap) -> Ingested {
        // Where records are kept, one is written here: before anything is cut.
        let keeping = Keeping::NoStore;
        let full = serialize(&result.content, call, &mut self.ledger, &mut self.registry);
        let grammar = self.config.grammar();
        let live = LiveCopy::of(&result.content, &full, cap, grammar, keeping);
        let none_shown = Spans::default();
        let shown = live.as_ref().map_or(&none_shown, |live| &live.shown);
        let stored = StoredCopy::of(&full.text, cap, shown, grammar, keeping);
        let Serialized { text, blocks, losses: not_held } = full;
        let archive_failed = self.ledger.archive().is_some_and(|a| a.problem().is_some());
        let newly_failed = archive_failed && !std::mem::replace(&mut self.archive_failed, true);
        let losses = result.losses.iter().cloned().chain(not_held);
        let losses = losses.chain(newly_failed.then_some(Loss::NotArchived)).collect();
        Ingested { text, blocks, live, stored, is_error: result.is_error, losses }
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
    /// be saved.
    pub fn push(&mut self, message: &Message) -> usize {
        self.conversation.push(message, &mut self.ledger, &mut self.registry)
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
