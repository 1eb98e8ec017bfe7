//! An archive: the images of a ledger in a folder, so that refs outlive the process.

use std::collections::HashMap;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Write as _};
#[cfg(unix)]
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use bytestring::ByteString;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

use super::payload::{Payload, hex};

/// The list of what was retained, one JSON object a line, the oldest first.
const INDEX: &str = "index.jsonl";
/// Held open and locked while the archive is in use.
const LOCK: &str = "lock";

/// The SHA-256 of a payload as it was sent, by which the archive names its file.
pub(super) type Address = [u8; 32];

/// A folder that keeps the images of one session's ledger across processes.
///
/// Payloads are files named by their content, written whole, readable by their owner alone; the
/// list of refs is written after them. So a process may end at any moment: a ref that is read
/// back gives its own bytes, checked against its name, or counts as evicted. Nothing is synced to
/// the disk: an archive outlives a process, not a power failure.
///
/// The rules and limits are the ledger's. One process at a time can have an archive open.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use slotledger::content::{Call, Image};
/// use slotledger::image::{Archive, Ledger, Limits, Lookup, Nonce};
/// let place = std::env::temp_dir().join(format!("slotledger-archive-{}", std::process::id()));
///
/// let mut yesterday = Ledger::restored(Nonce::random(), Limits::default(), Archive::open(&place)?);
/// let image = yesterday.retain(&Call::new("c1", "snap"), 0, &Image::new("iVBORw0KGgo=", "image/png"));
/// drop(yesterday);
///
/// let today = Ledger::restored(Nonce::random(), Limits::default(), Archive::open(&place)?);
/// assert!(matches!(today.lookup(image), Lookup::Retained(held) if held.provenance.call_id() == "c1"));
/// # drop(today);
/// # std::fs::remove_dir_all(&place)?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct Archive {
    folder: PathBuf,
    index: File,
    /// How many refs hold each payload.
    holders: HashMap<Address, usize>,
    problem: Option<io::Error>,
    /// How many lines the index has.
    written: usize,
    _lock: File,
    past: Vec<Line>,
}

/// A line of the index.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Line {
    #[serde(rename = "ref")]
    pub(super) image: String,
    #[serde(rename = "callId")]
    pub(super) call_id: String,
    pub(super) tool: String,
    pub(super) block: usize,
    #[serde(rename = "mediaType")]
    pub(super) media_type: String,
    #[serde(rename = "payloadLength")]
    pub(super) encoded_len: usize,
    /// When it was retained, in milliseconds since 1970.
    pub(super) at: u64,
    /// The address of its payload, in hex.
    pub(super) payload: String,
}

impl Line {
    pub(super) fn retained_at(&self) -> SystemTime {
        UNIX_EPOCH.checked_add(Duration::from_millis(self.at)).unwrap_or(UNIX_EPOCH)
    }

    pub(super) fn address(&self) -> Option<Address> {
        address_of_hex(&self.payload)
    }
}

fn address_of_hex(digits: &str) -> Option<Address> {
    let digits = digits.as_bytes();
    let mut address = Address::default();
    if digits.len() != 2 * address.len() {
        return None;
    }
    for (byte, pair) in address.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
    }
    Some(address)
}

/// Milliseconds since 1970.
pub(super) fn millis(time: SystemTime) -> u64 {
    let since = time.duration_since(UNIX_EPOCH).unwrap_or_default();
    u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
}

impl Archive {
    /// Opens the archive in `folder`, which is made if it does not exist.
    ///
    /// # Errors
    ///
    /// When the folder cannot be made, read or written; when another process has it open
    /// ([`WouldBlock`](io::ErrorKind::WouldBlock)); or when its `index.jsonl` is something else
    /// ([`InvalidData`](io::ErrorKind::InvalidData)), which is left as it is.
    pub fn open(folder: impl AsRef<Path>) -> io::Result<Self> {
        let folder = folder.as_ref().to_owned();
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        builder.mode(0o700);
        builder.recursive(true).create(&folder)?;
        let lock = private().create(true).append(true).open(folder.join(LOCK))?;
        lock.try_lock()?;
        let past = match fs::read(folder.join(INDEX)) {
            Ok(index) if !index.is_empty() => lines(&index).ok_or_else(not_an_archive)?,
            Ok(_) => Vec::new(),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error),
        };
        let index = private().create(true).append(true).open(folder.join(INDEX))?;
        let written = past.len();
        Ok(Self {
            folder,
            index,
            holders: HashMap::new(),
            problem: None,
            written,
            _lock: lock,
            past,
        })
    }

    /// Why the archive keeps nothing any more, if it does not.
    ///
    /// After a write that failed nothing is written: half a line must not spoil the next.
    pub fn problem(&self) -> Option<&io::Error> {
        self.problem.as_ref()
    }

    /// Hands out the lines of earlier processes, the oldest first.
    pub(super) fn take_past(&mut self) -> Vec<Line> {
        std::mem::take(&mut self.past)
    }

    /// Reads the payload of `len` bytes at `address`, if it is there and whole.
    pub(super) fn read(&self, address: &Address, len: usize) -> Option<Payload> {
        let file = self.file_of(address);
        // A file that is not ours any more must not be read to its end.
        if fs::metadata(&file).ok()?.len() != len as u64 {
            return None;
        }
        let text = fs::read(file).ok()?;
        if Self::address_of(&text) != *address {
            return None;
        }
        ByteString::try_from(text).ok().map(Payload::new)
    }

    pub(super) fn address_of(payload: &[u8]) -> Address {
        Sha256::digest(payload).into()
    }

    /// Keeps a payload and then its line. A payload that is not held has its line only.
    pub(super) fn keep(&mut self, line: &Line, address: &Address, payload: Option<&Payload>) {
        if self.problem.is_some() {
            return;
        }
        let kept = payload
            .map_or(Ok(()), |payload| self.hold(address, payload))
            .and_then(|()| self.write_line(line));
        self.problem = kept.err();
    }

    fn write_line(&mut self, line: &Line) -> io::Result<()> {
        let mut text = serde_json::to_string(line)?;
        text.push('\n');
        self.written += 1;
        self.index.write_all(text.as_bytes())
    }

    /// How many lines the index has.
    pub(super) fn written(&self) -> usize {
        self.written
    }

    fn hold(&mut self, address: &Address, payload: &Payload) -> io::Result<()> {
        if !self.holders.contains_key(address) {
            let draft = self.folder.join(draft_name());
            let mut file = private().write(true).create_new(true).open(&draft)?;
            let written = file.write_all(payload.base64().as_bytes());
            let placed = written.and_then(|()| fs::rename(&draft, self.file_of(address)));
            if placed.is_err() {
                let _ = fs::remove_file(&draft);
            }
            placed?;
        }
        self.count_holder(*address);
        Ok(())
    }

    /// Counts one more ref that holds a payload which is in the folder.
    pub(super) fn count_holder(&mut self, address: Address) {
        *self.holders.entry(address).or_default() += 1;
    }

    /// Lets a payload go when the last ref that held it does.
    pub(super) fn release(&mut self, address: &Address) {
        let Some(holders) = self.holders.get_mut(address) else { return };
        *holders -= 1;
        if *holders == 0 {
            self.holders.remove(address);
            // A file that stays is removed when the archive is tidied next.
            let _ = fs::remove_file(self.file_of(address));
        }
    }

    /// Writes the index anew with `lines`, and removes what no line holds.
    pub(super) fn tidy(&mut self, lines: &[Line]) {
        let tidied = self.rewrite(lines).and_then(|()| self.sweep());
        self.problem = tidied.err();
    }

    fn rewrite(&mut self, lines: &[Line]) -> io::Result<()> {
        let draft = self.folder.join(draft_name());
        let mut file = private().write(true).create_new(true).open(&draft)?;
        let mut text = format!("{HEADER}\n");
        for line in lines {
            text.push_str(&serde_json::to_string(line)?);
            text.push('\n');
        }
        file.write_all(text.as_bytes())?;
        fs::rename(&draft, self.folder.join(INDEX))?;
        self.written = lines.len();
        self.index = private().append(true).open(self.folder.join(INDEX))?;
        Ok(())
    }

    fn sweep(&self) -> io::Result<()> {
        for entry in fs::read_dir(&self.folder)? {
            let name = entry?.file_name();
            let Some(name) = name.to_str() else { continue };
            let address = name.strip_suffix(PAYLOAD).and_then(address_of_hex);
            // Files of others are left alone.
            if is_draft(name) || address.is_some_and(|address| !self.holders.contains_key(&address))
            {
                fs::remove_file(self.folder.join(name))?;
            }
        }
        Ok(())
    }

    fn file_of(&self, address: &Address) -> PathBuf {
        self.folder.join(hex(address) + PAYLOAD)
    }
}

/// The lines of an index behind its header; `None` when it has none, and so is not ours. A line
/// that is none was torn when a process ended.
fn lines(index: &[u8]) -> Option<Vec<Line>> {
    let mut lines = index.split(|&byte| byte == b'\n');
    if lines.next() != Some(HEADER.as_bytes()) {
        return None;
    }
    Some(lines.filter_map(|line| serde_json::from_slice(line).ok()).collect())
}

/// The first line of an index, without which nothing in the folder is touched.
const HEADER: &str = r#"{"archive":"slotledger","version":1}"#;

fn not_an_archive() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "its index.jsonl is no archive of slotledger")
}

/// Whether a name is one of the drafts we make: `.`, 16 hex digits, `.tmp`.
fn is_draft(name: &str) -> bool {
    let digits = name.strip_prefix('.').and_then(|rest| rest.strip_suffix(DRAFT));
    digits.is_some_and(|digits| {
        digits.len() == 16 && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

/// A name for a file that is not whole yet.
fn draft_name() -> String {
    format!(".{:016x}{DRAFT}", RandomState::new().hash_one(0))
}

/// How the name of a file that is not whole yet ends.
const DRAFT: &str = ".tmp";
/// How the name of a payload's file ends.
const PAYLOAD: &str = ".base64";

fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    options.mode(0o600);
    options
}
