//! The ledger: the newest images of a session, held as they were sent.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::hash::{BuildHasher as _, RandomState};
use std::time::SystemTime;

use bytestring::ByteString;
use xxhash_rust::xxh3::xxh3_128_with_seed;

use super::archive::{Address, Archive, Line, millis};
use super::payload::{Payload, hex};
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
    /// The entries of earlier processes, then our own, in order of arrival.
    entries: VecDeque<Entry>,
    /// How many entries were forgotten. An entry's *ordinal* is this and its place in the queue.
    forgotten: u64,
    /// The ordinal of our own first entry, whose sequence is 1.
    own: u64,
    /// The newest ordinal of each call and block.
    newest: HashMap<(ByteString, usize), u64>,
    /// No entry before this ordinal holds bytes.
    oldest_held: u64,
    held: usize,
    held_bytes: usize,
    fingerprint_seed: u64,
    archive: Option<Archive>,
}

#[derive(Debug)]
struct Entry {
    provenance: Provenance,
    custody: Custody,
    /// Where the archive has its bytes, if there is one.
    address: Option<Address>,
}

#[derive(Debug)]
enum Custody {
    Held(Payload),
    /// Gone; the fingerprint tells whether the same image comes again.
    Gone(Fingerprint),
}

#[derive(Debug, PartialEq, Eq)]
enum Fingerprint {
    /// Fast, and good for this process only.
    Seeded(u128),
    /// What an archive remembers.
    Address(Address),
}

impl Ledger {
    /// An empty ledger.
    pub fn new(nonce: Nonce, limits: Limits) -> Self {
        Self {
            nonce,
            limits,
            entries: VecDeque::new(),
            forgotten: 0,
            own: 0,
            newest: HashMap::new(),
            oldest_held: 0,
            held: 0,
            held_bytes: 0,
            fingerprint_seed: RandomState::new().hash_one("fingerprint"),
            archive: None,
        }
    }

    /// A ledger that starts with what `archive` kept, and keeps in it what it retains.
    ///
    /// Refs of earlier processes give their own bytes, within the same limits: what is older goes
    /// first. An image of the same call and block keeps its old ref. A `nonce` that an earlier
    /// process had is replaced by a random one, since no ref is issued twice.
    pub fn restored(nonce: Nonce, limits: Limits, mut archive: Archive) -> Self {
        let mut ledger = Self::new(nonce, limits);
        let past = archive.take_past();
        let skipped = past.len().saturating_sub(limits.max_issued());
        let past = past.get(skipped..).unwrap_or_default();
        // Bytes are read for the newest only, as far as the limits go.
        let (mut images, mut bytes) = (limits.max_images, limits.max_base64_bytes);
        let mut restored: Vec<(Line, Entry)> = Vec::with_capacity(past.len());
        for line in past.iter().rev() {
            let (Ok(image), Some(address)) = (line.image.parse(), line.address()) else { continue };
            let is_too_large = line.encoded_len > limits.max_base64_bytes;
            let fits = images > 0 && line.encoded_len <= bytes;
            let payload = if fits { archive.read(&address, line.encoded_len) } else { None };
            let kept = if let Some(payload) = payload {
                images -= 1;
                bytes -= line.encoded_len;
                archive.count_holder(address);
                Custody::Held(payload)
            } else {
                if !fits && !is_too_large {
                    // What came before it is older, so it is gone as well.
                    images = 0;
                }
                Custody::Gone(Fingerprint::Address(address))
            };
            let provenance = Provenance {
                image,
                call_id: line.call_id.as_str().into(),
                tool: line.tool.as_str().into(),
                block: line.block,
                media_type: MediaType::from_testimony(&line.media_type),
                encoded_len: line.encoded_len,
                retained_at: line.retained_at(),
            };
            let entry = Entry { provenance, custody: kept, address: Some(address) };
            restored.push((line.clone(), entry));
        }
        restored.reverse();
        let (lines, entries): (Vec<Line>, Vec<Entry>) = restored.into_iter().unzip();
        archive.tidy(&lines);
        while entries.iter().any(|entry| entry.provenance.image.nonce() == ledger.nonce.as_str()) {
            ledger.nonce = Nonce::random();
        }
        for (ordinal, entry) in (0..).zip(&entries) {
            ledger
                .newest
                .insert((entry.provenance.call_id.clone(), entry.provenance.block), ordinal);
            if let Custody::Held(payload) = &entry.custody {
                ledger.held += 1;
                ledger.held_bytes += payload.base64().len();
            }
        }
        ledger.own = entries.len() as u64;
        ledger.entries = entries.into();
        ledger.archive = Some(archive);
        ledger
    }

    /// The archive, if this ledger has one.
    pub fn archive(&self) -> Option<&Archive> {
        self.archive.as_ref()
    }

    /// Takes the image that is block `block` of the result of `call`, and returns its ref.
    ///
    /// The same image of the same call and block keeps its ref, even when its bytes are gone;
    /// other bytes there are another image. Nothing is decoded. Over the limits the oldest go;
    /// an image larger than the limit has a ref, but is not held.
    pub fn retain(&mut self, call: &Call, block: usize, image: &Image) -> ImageRef {
        let payload = Payload::new(image.payload());
        let key = (call.id.clone(), block);
        let known = self.newest.get(&key).and_then(|&ordinal| self.entry(ordinal));
        if let Some(entry) = known
            && self.is_same(entry, &payload)
        {
            return entry.provenance.image;
        }
        let ordinal = self.forgotten + self.entries.len() as u64;
        let issued = ImageRef::issue(self.nonce.as_str(), ordinal - self.own + 1);
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
        let address = self.keep(&provenance, &payload, fits);
        let custody = if fits {
            self.held += 1;
            self.held_bytes += encoded_len;
            Custody::Held(payload)
        } else {
            Custody::Gone(self.fingerprint(&payload))
        };
        self.entries.push_back(Entry { provenance, custody, address });
        self.newest.insert(key, ordinal);
        self.evict();
        self.forget();
        issued
    }

    /// Returns what is known of `image`, and never another image's bytes.
    ///
    /// Looking does not renew: images go in the order they arrived, and SPEC L9 rests on that.
    pub fn lookup(&self, image: ImageRef) -> Lookup<'_> {
        let entry = if image.nonce() == self.nonce.as_str() {
            image.sequence().checked_sub(1).and_then(|place| self.entry(self.own + place))
        } else {
            let past = usize::try_from(self.own.saturating_sub(self.forgotten)).unwrap_or_default();
            self.entries.iter().take(past).find(|entry| entry.provenance.image == image)
        };
        match entry {
            // The whole ref must be the one issued: `img_a_07` is not `img_a_7`.
            Some(entry) if entry.provenance.image == image => match &entry.custody {
                Custody::Held(payload) => {
                    Lookup::Retained(Held { provenance: &entry.provenance, payload })
                }
                Custody::Gone(_) => Lookup::Evicted(&entry.provenance),
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

    fn entry(&self, ordinal: u64) -> Option<&Entry> {
        self.entries.get(usize::try_from(ordinal.checked_sub(self.forgotten)?).ok()?)
    }

    fn is_same(&self, entry: &Entry, payload: &Payload) -> bool {
        match &entry.custody {
            Custody::Held(held) => held == payload,
            Custody::Gone(_) if entry.provenance.encoded_len != payload.base64().len() => false,
            Custody::Gone(Fingerprint::Address(address)) => {
                Archive::address_of(payload.base64().as_bytes()) == *address
            }
            Custody::Gone(fingerprint) => *fingerprint == self.fingerprint(payload),
        }
    }

    fn fingerprint(&self, payload: &Payload) -> Fingerprint {
        let text = payload.base64().as_bytes();
        Fingerprint::Seeded(xxh3_128_with_seed(text, self.fingerprint_seed))
    }

    /// Keeps an image in the archive, if there is one, and says where.
    fn keep(&mut self, provenance: &Provenance, payload: &Payload, held: bool) -> Option<Address> {
        let archive = self.archive.as_mut()?;
        let address = Archive::address_of(payload.base64().as_bytes());
        if archive.written() >= self.limits.max_issued().saturating_mul(4) {
            // What was forgotten since still has its lines.
            let lines = self
                .entries
                .iter()
                .filter_map(|entry| Some(line_of(&entry.provenance, &entry.address?)));
            archive.tidy(&lines.collect::<Vec<_>>());
        }
        archive.keep(&line_of(provenance, &address), &address, held.then_some(payload));
        Some(address)
    }

    /// Lets the oldest bytes go until both limits hold.
    fn evict(&mut self) {
        while self.held > self.limits.max_images || self.held_bytes > self.limits.max_base64_bytes {
            let Ok(at) = usize::try_from(self.oldest_held - self.forgotten) else { return };
            self.oldest_held += 1;
            let Some(entry) = self.entries.get(at) else { return };
            let Custody::Held(payload) = &entry.custody else { continue };
            let fingerprint = match entry.address {
                Some(address) => Fingerprint::Address(address),
                None => self.fingerprint(payload),
            };
            self.held -= 1;
            self.held_bytes -= payload.base64().len();
            if let (Some(address), Some(archive)) = (&entry.address, &mut self.archive) {
                archive.release(address);
            }
            if let Some(entry) = self.entries.get_mut(at) {
                entry.custody = Custody::Gone(fingerprint);
            }
        }
    }

    /// Forgets the oldest refs over the limit.
    fn forget(&mut self) {
        while self.entries.len() > self.limits.max_issued() {
            let Some(Entry { provenance, custody, address }) = self.entries.pop_front() else {
                return;
            };
            // Only where newer images were too large to be held does the oldest still have bytes.
            if let Custody::Held(payload) = custody {
                self.held -= 1;
                self.held_bytes -= payload.base64().len();
                if let (Some(address), Some(archive)) = (&address, &mut self.archive) {
                    archive.release(address);
                }
            }
            let key = (provenance.call_id, provenance.block);
            if self.newest.get(&key) == Some(&self.forgotten) {
                self.newest.remove(&key);
            }
            self.forgotten += 1;
            self.oldest_held = self.oldest_held.max(self.forgotten);
        }
    }
}

/// The line of an archive that names an image.
fn line_of(provenance: &Provenance, address: &Address) -> Line {
    Line {
        image: provenance.image.to_string(),
        call_id: provenance.call_id.to_string(),
        tool: provenance.tool.to_string(),
        block: provenance.block,
        media_type: provenance.media_type.to_string(),
        encoded_len: provenance.encoded_len,
        at: millis(provenance.retained_at),
        payload: hex(address),
    }
}
