//! The ledger: the newest images of a session, held as they were sent.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::hash::{BuildHasher as _, RandomState};
use std::time::SystemTime;

use bytestring::ByteString;
use xxhash_rust::xxh3::xxh3_128_with_seed;

use super::payload::Payload;
use crate::content::{Call, Image};
use crate::slot::{ImageRef, MediaType};

/// What tells the refs of one ledger from those of another: 1 to 16 of `0-9a-z`.
///
/// ```
/// use slotledger::image::Nonce;
/// let nonce: Nonce = "abc123".parse()?;
/// assert_eq!(nonce.as_str(), "abc123");
/// assert_eq!(Nonce::random().as_str().len(), 6);
/// # Ok::<(), slotledger::image::NonceError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Nonce(ByteString);

impl Nonce {
    /// Six characters made of 32 random bits.
    pub fn random() -> Self {
        // The seed of a hasher is random, and std asks the system for it.
        let bits = RandomState::new().hash_one("nonce") & u64::from(u32::MAX);
        let digits = format!("{:0>6}", base36(bits));
        Self(digits.get(digits.len() - 6..).unwrap_or("000000").into())
    }

    /// The nonce as text.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::str::FromStr for Nonce {
    type Err = NonceError;

    fn from_str(text: &str) -> Result<Self, NonceError> {
        // What a ref can hold is what the grammar of refs says.
        match format!("img_{text}_1").parse::<ImageRef>() {
            Ok(image) if image.nonce() == text => Ok(Self(text.into())),
            Ok(_) | Err(_) => Err(NonceError(())),
        }
    }
}

/// A text that is no nonce: not 1 to 16 of `0-9a-z`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NonceError(());

impl fmt::Display for NonceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a nonce is 1 to 16 characters of 0-9 and a-z")
    }
}

impl std::error::Error for NonceError {}

/// `number` in base 36, lower case.
pub(super) fn base36(mut number: u64) -> String {
    let mut digits = Vec::new();
    loop {
        digits.extend(char::from_digit(u32::try_from(number % 36).unwrap_or_default(), 36));
        number /= 36;
        if number == 0 {
            return digits.iter().rev().collect();
        }
    }
}

/// How much a ledger holds.
///
/// ```
/// use slotledger::image::Limits;
/// let limits = Limits::default();
/// assert_eq!((limits.max_images, limits.max_base64_bytes), (64, 100_663_296));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// The most images held at once.
    pub max_images: usize,
    /// The most base64 text held at once, in bytes.
    pub max_base64_bytes: usize,
}

impl Limits {
    /// The most images held by default. A stored text keeps as many slots past its cut, since no
    /// older one can still have bytes.
    pub const MAX_IMAGES: usize = 64;

    /// How many refs are remembered, with or without bytes.
    fn max_issued(self) -> usize {
        self.max_images.saturating_mul(4).max(256)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self { max_images: Self::MAX_IMAGES, max_base64_bytes: 96 << 20 }
    }
}

/// What a ledger remembers of an image: where it came from.
#[derive(Clone, Debug)]
pub struct Provenance {
    image: ImageRef,
    call_id: ByteString,
    tool: ByteString,
    block: usize,
    media_type: MediaType,
    encoded_len: usize,
    retained_at: SystemTime,
}

impl Provenance {
    /// Its ref.
    pub fn image(&self) -> ImageRef {
        self.image
    }

    /// The call in whose result it came.
    pub fn call_id(&self) -> &str {
        &self.call_id
    }

    /// The tool that sent it.
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// Which block of the result it was, from 0.
    pub fn block(&self) -> usize {
        self.block
    }

    /// Its media type, normalized.
    pub fn media_type(&self) -> &MediaType {
        &self.media_type
    }

    /// The length of its base64 text, in bytes.
    pub fn encoded_len(&self) -> usize {
        self.encoded_len
    }

    /// When it was retained.
    pub fn retained_at(&self) -> SystemTime {
        self.retained_at
    }
}

/// An image whose bytes are held.
#[derive(Clone, Copy, Debug)]
pub struct Held<'l> {
    /// Where it came from.
    pub provenance: &'l Provenance,
    /// Its bytes, decoded and digested when asked.
    pub payload: &'l Payload,
}

/// What a ledger knows of a ref.
#[derive(Clone, Copy, Debug)]
pub enum Lookup<'l> {
    /// Its bytes are held.
    Retained(Held<'l>),
    /// It was issued here, and its bytes are gone.
    Evicted(&'l Provenance),
    /// It was never issued here, or so long ago that nothing is known of it.
    Unknown,
}

/// Holds the newest images of one session, and remembers where older ones came from.
///
/// Images go in the order they arrived; no lookup renews one. Refs ascend without gaps, so the
/// entries stand in a queue by sequence: there is no order to keep but arrival (SPEC 7.4).
///
/// ```
/// use slotledger::content::{Call, Image};
/// use slotledger::image::{Ledger, Limits, Lookup};
///
/// let mut ledger = Ledger::new("abc123".parse()?, Limits::default());
/// let call = Call::new("c1", "snap");
/// let image = ledger.retain(&call, 1, &Image::new("iVBORw0KGgo=", "image/png"));
/// assert_eq!(image.as_str(), "img_abc123_1");
/// let Lookup::Retained(held) = ledger.lookup(image) else { panic!("just retained") };
/// assert_eq!(held.provenance.call_id(), "c1");
/// assert_eq!(held.payload.decoded_len(), Ok(8));
/// # Ok::<(), slotledger::image::NonceError>(())
/// ```
#[derive(Debug)]
pub struct Ledger {
    nonce: Nonce,
    limits: Limits,
    /// The sequence of the first entry.
    first: u64,
    entries: VecDeque<Entry>,
    /// The newest sequence of each call and block.
    newest: HashMap<(ByteString, usize), u64>,
    /// No entry before this sequence holds bytes.
    oldest_held: u64,
    held: usize,
    held_bytes: usize,
    fingerprint_seed: u64,
}

#[derive(Debug)]
struct Entry {
    provenance: Provenance,
    bytes: Bytes,
}

#[derive(Debug)]
enum Bytes {
    Held(Payload),
    /// Gone; the fingerprint tells whether the same image comes again.
    Gone {
        fingerprint: u128,
    },
}

impl Ledger {
    /// An empty ledger.
    pub fn new(nonce: Nonce, limits: Limits) -> Self {
        Self {
            nonce,
            limits,
            first: 1,
            entries: VecDeque::new(),
            newest: HashMap::new(),
            oldest_held: 1,
            held: 0,
            held_bytes: 0,
            fingerprint_seed: RandomState::new().hash_one("fingerprint"),
        }
    }

    /// Takes the image that is block `block` of the result of `call`, and returns its ref.
    ///
    /// The same image of the same call and block keeps its ref, even when its bytes are gone;
    /// other bytes there are another image. Nothing is decoded. Over the limits the oldest go;
    /// an image larger than the limit has a ref, but is not held.
    pub fn retain(&mut self, call: &Call, block: usize, image: &Image) -> ImageRef {
        let payload = Payload::new(image.payload());
        let key = (call.id.clone(), block);
        let known = self.newest.get(&key).and_then(|&sequence| self.entry(sequence));
        if let Some(entry) = known
            && self.is_same(entry, &payload)
        {
            return entry.provenance.image;
        }
        let sequence = self.first + self.entries.len() as u64;
        let issued = ImageRef::issue(self.nonce.as_str(), sequence);
        let encoded_len = payload.base64().len();
        let provenance = Provenance {
            image: issued,
            call_id: call.id.clone(),
            tool: call.tool.clone(),
            block,
            media_type: image.media_type(),
            encoded_len,
            retained_at: SystemTime::now(),
        };
        let fits = self.limits.max_images > 0 && encoded_len <= self.limits.max_base64_bytes;
        let bytes = if fits {
            self.held += 1;
            self.held_bytes += encoded_len;
            Bytes::Held(payload)
        } else {
            Bytes::Gone { fingerprint: self.fingerprint(&payload) }
        };
        self.entries.push_back(Entry { provenance, bytes });
        self.newest.insert(key, sequence);
        self.evict();
        self.forget();
        issued
    }

    /// Returns what is known of `image`, and never another image's bytes.
    ///
    /// Looking does not renew: images go in the order they arrived, and SPEC L9 rests on that.
    pub fn lookup(&self, image: ImageRef) -> Lookup<'_> {
        match self.entry(image.sequence()) {
            // The whole ref must be the one issued: `img_a_07` is not `img_a_7`.
            Some(entry) if entry.provenance.image == image => match &entry.bytes {
                Bytes::Held(payload) => {
                    Lookup::Retained(Held { provenance: &entry.provenance, payload })
                }
                Bytes::Gone { .. } => Lookup::Evicted(&entry.provenance),
            },
            Some(_) | None => Lookup::Unknown,
        }
    }

    /// How many images are held.
    pub fn len(&self) -> usize {
        self.held
    }

    /// Whether no image is held.
    pub fn is_empty(&self) -> bool {
        self.held == 0
    }

    /// How much base64 text is held, in bytes.
    pub fn held_bytes(&self) -> usize {
        self.held_bytes
    }

    fn entry(&self, sequence: u64) -> Option<&Entry> {
        self.entries.get(usize::try_from(sequence.checked_sub(self.first)?).ok()?)
    }

    fn is_same(&self, entry: &Entry, payload: &Payload) -> bool {
        match &entry.bytes {
            Bytes::Held(held) => held == payload,
            Bytes::Gone { fingerprint } => {
                entry.provenance.encoded_len == payload.base64().len()
                    && *fingerprint == self.fingerprint(payload)
            }
        }
    }

    fn fingerprint(&self, payload: &Payload) -> u128 {
        xxh3_128_with_seed(payload.base64().as_bytes(), self.fingerprint_seed)
    }

    /// Lets the oldest bytes go until both limits hold.
    fn evict(&mut self) {
        while self.held > self.limits.max_images || self.held_bytes > self.limits.max_base64_bytes {
            let Ok(at) = usize::try_from(self.oldest_held - self.first) else {
                return;
            };
            let Some(entry) = self.entries.get(at) else {
                return;
            };
            if let Bytes::Held(payload) = &entry.bytes {
                let fingerprint = self.fingerprint(payload);
                self.held -= 1;
                self.held_bytes -= payload.base64().len();
                if let Some(entry) = self.entries.get_mut(at) {
                    entry.bytes = Bytes::Gone { fingerprint };
                }
            }
            self.oldest_held += 1;
        }
    }

    /// Forgets the oldest refs over the limit.
    fn forget(&mut self) {
        while self.entries.len() > self.limits.max_issued() {
            let Some(Entry { provenance, bytes }) = self.entries.pop_front() else {
                return;
            };
            if let Bytes::Held(payload) = bytes {
                self.held -= 1;
                self.held_bytes -= payload.base64().len();
            }
            let key = (provenance.call_id, provenance.block);
            if self.newest.get(&key) == Some(&self.first) {
                self.newest.remove(&key);
            }
            self.first += 1;
            self.oldest_held = self.oldest_held.max(self.first);
        }
    }
}
