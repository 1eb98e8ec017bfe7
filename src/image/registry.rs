//! The registry: references to bytes that live elsewhere, and what servers say of them.

use std::collections::{HashMap, VecDeque};
use std::hash::{BuildHasher as _, RandomState};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock};
use std::time::SystemTime;

use bytestring::ByteString;
use sha2::{Digest as _, Sha256};

use super::ledger::{Nonce, base36};
use crate::content::{Call, Reference, Server};
use crate::notice;
use crate::slot::{RefId, StubParts, write_stub};
use crate::text::Unit;

/// How many references a registry holds by default; the first in go first.
pub const MAX_REFERENCES: usize = 2_000;

/// The most UTF-16 units of a name and a media type that are held.
const MAX_TEXT: usize = 255;
/// The most UTF-16 units of an expiry that are held: more than a timestamp takes.
const MAX_EXPIRY: usize = 64;
/// What the four random characters of an id are taken from.
const TAGS: u64 = 36 * 36 * 36 * 36;

/// Where reference ids come from. Ids are never used again, whatever the registry.
#[derive(Clone, Debug)]
pub struct RefIds(Source);

#[derive(Clone, Debug)]
enum Source {
    Process,
    Fixed { nonce: Nonce, next: Arc<AtomicU64> },
}

static PROCESS_NEXT: AtomicU64 = AtomicU64::new(1);
static PROCESS_SECRET: LazyLock<RandomState> = LazyLock::new(RandomState::new);

impl RefIds {
    /// The ids of this process: counted from 1, with four characters nobody can guess.
    pub fn process() -> Self {
        Self(Source::Process)
    }

    /// Ids that depend on `nonce` alone, counted from 1: for tests.
    pub fn fixed(nonce: Nonce) -> Self {
        Self(Source::Fixed { nonce, next: Arc::new(AtomicU64::new(1)) })
    }

    fn mint(&self) -> RefId {
        let (counter, random) = match &self.0 {
            Source::Process => {
                let counter = PROCESS_NEXT.fetch_add(1, Ordering::Relaxed);
                (counter, PROCESS_SECRET.hash_one(counter))
            }
            Source::Fixed { nonce, next } => {
                let counter = next.fetch_add(1, Ordering::Relaxed);
                let digest = Sha256::digest(format!("{}_{counter}", nonce.as_str()));
                (counter, digest.iter().take(8).fold(0, |sum, &byte| sum << 8 | u64::from(byte)))
            }
        };
        RefId::new(&base36(counter), &format!("{:0>4}", base36(random % TAGS)))
    }
}

/// A reference as the registry holds it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Entry {
    /// What the server says of the bytes, shortened: testimony, not facts.
    pub testimony: Reference,
    /// The server that can fetch them.
    pub server: Server,
    /// The call in whose result it came last.
    pub call_id: ByteString,
    /// The tool that sent it last.
    pub tool: ByteString,
    /// Where the bytes were saved, once they were fetched.
    pub saved: Option<ByteString>,
}

impl Entry {
    /// Whether the testimony has ended by `now`. One without a readable expiry never ends.
    pub fn is_expired(&self, now: SystemTime) -> bool {
        let expiry = self.testimony.expires_at.as_deref();
        let expiry = expiry.and_then(|text| text.parse::<jiff::Timestamp>().ok());
        let now = jiff::Timestamp::try_from(now).ok();
        expiry.zip(now).is_some_and(|(expiry, now)| expiry <= now)
    }
}

/// Holds the references of one session.
///
/// The same URI has the same id while its entry is held; where the host names servers, the same
/// URI of the same server. While it is unfetched, a reference that is issued again replaces its
/// testimony (SPEC 8).
///
/// ```
/// use slotledger::content::{Call, Reference};
/// use slotledger::image::{RefIds, Registry};
///
/// let mut registry = Registry::new(RefIds::process());
/// let mut reference = Reference::new("file:///cam.png").unwrap();
/// reference.name = Some("cam.png".into());
/// let id = registry.register(&reference, &Call::new("c1", "list"));
/// assert_eq!(registry.register(&reference, &Call::new("c2", "list")), id);
///
/// let mut out = String::new();
/// registry.write_stub(&mut out, &id);
/// assert_eq!(out, format!("[{id}] cam.png — from tool result — fetch with fetch_reference"));
/// ```
#[derive(Debug)]
pub struct Registry {
    ids: RefIds,
    max: usize,
    entries: HashMap<RefId, Entry>,
    order: VecDeque<RefId>,
    by_uri: HashMap<Key, RefId>,
}

/// The server by name, if the host names them, and the URI.
#[derive(Debug, PartialEq, Eq, Hash)]
struct Key(Option<ByteString>, ByteString);

impl Key {
    fn new(server: &Server, uri: &ByteString) -> Self {
        let name = match server {
            Server::Named(name) => Some(name.clone()),
            Server::OfTool | Server::Unknown => None,
        };
        Self(name, uri.clone())
    }
}

impl Registry {
    /// An empty registry of at most [`MAX_REFERENCES`].
    pub fn new(ids: RefIds) -> Self {
        Self::with_max(ids, MAX_REFERENCES)
    }

    /// An empty registry of at most `max` references, at least one.
    pub fn with_max(ids: RefIds, max: usize) -> Self {
        Self {
            ids,
            max: max.max(1),
            entries: HashMap::new(),
            order: VecDeque::new(),
            by_uri: HashMap::new(),
        }
    }

    /// Takes the reference of a result of `call`, and returns its id.
    pub fn register(&mut self, reference: &Reference, call: &Call) -> RefId {
        let testimony = held(reference);
        let key = Key::new(&call.server, &testimony.uri);
        if let Some(id) = self.by_uri.get(&key)
            && let Some(entry) = self.entries.get_mut(id)
        {
            if entry.saved.is_none() {
                // Whoever could fetch it before still can.
                let known =
                    if call.server == Server::Unknown { &entry.server } else { &call.server };
                *entry = new_entry(testimony, known.clone(), call);
            }
            return id.clone();
        }
        let id = self.ids.mint();
        self.entries.insert(id.clone(), new_entry(testimony, call.server.clone(), call));
        self.order.push_back(id.clone());
        self.by_uri.insert(key, id.clone());
        while self.order.len() > self.max {
            let oldest = self.order.pop_front().and_then(|oldest| self.entries.remove(&oldest));
            if let Some(entry) = oldest {
                self.by_uri.remove(&Key::new(&entry.server, &entry.testimony.uri));
            }
        }
        id
    }

    /// What is held of a reference.
    pub fn lookup(&self, id: &RefId) -> Option<&Entry> {
        self.entries.get(id)
    }

    /// Notes that the bytes of a reference were saved at `path`; says whether it is held.
    ///
    /// Its testimony stays as it is from then on.
    pub fn mark_saved(&mut self, id: &RefId, path: &str) -> bool {
        let entry = self.entries.get_mut(id);
        entry.map(|entry| entry.saved = Some(path.into())).is_some()
    }

    /// Writes the stub of a reference; one that is not held has its id alone.
    pub fn write_stub(&self, out: &mut String, id: &RefId) {
        let entry = self.entries.get(id);
        let testimony = entry.map(|entry| &entry.testimony);
        let is_bound = entry.is_some_and(|entry| entry.server != Server::Unknown);
        write_stub(
            out,
            &StubParts {
                id,
                name: testimony.and_then(|t| t.name.as_deref()).unwrap_or_default(),
                mime: testimony.and_then(|t| t.mime_type.as_deref()).unwrap_or_default(),
                size_bytes: testimony.and_then(|t| t.size_bytes),
                provenance: notice::FROM_TOOL_RESULT,
                saved: entry.and_then(|entry| entry.saved.as_deref()),
                fetch: if is_bound { notice::FETCH } else { notice::CANNOT_FETCH },
            },
        );
    }

    /// How many references are held.
    pub fn len(&self) -> usize {
        self.order.len()
    }

    /// Whether none is held.
    pub fn is_empty(&self) -> bool {
        self.order.is_empty()
    }
}

fn new_entry(testimony: Reference, server: Server, call: &Call) -> Entry {
    Entry { testimony, server, call_id: call.id.clone(), tool: call.tool.clone(), saved: None }
}

/// The reference in memory of its own, its texts at the bounds: it outlives the result by far.
fn held(reference: &Reference) -> Reference {
    let copy = |text: &ByteString, max: usize| -> ByteString {
        text.get(..Unit::Utf16.offset_in(text, max)).unwrap_or_default().into()
    };
    let copied = |text: &Option<ByteString>, max| text.as_ref().map(|text| copy(text, max));
    Reference {
        uri: copy(&reference.uri, usize::MAX),
        name: copied(&reference.name, MAX_TEXT),
        mime_type: copied(&reference.mime_type, MAX_TEXT),
        size_bytes: reference.size_bytes,
        digest: copied(&reference.digest, MAX_TEXT),
        expires_at: copied(&reference.expires_at, MAX_EXPIRY),
        disposition: copied(&reference.disposition, MAX_TEXT),
    }
}
