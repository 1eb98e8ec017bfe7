//! The files of a folder of records.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom, Write as _};
#[cfg(unix)]
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::PathBuf;
use std::thread;
use std::time::{Duration, Instant};

use super::error::StoreError;
use super::line::digest_of_hex;
use crate::image::hex;

/// What is known of the records: a line that says what it is, then one JSON object a change.
const INDEX: &str = "index.jsonl";
/// Locked by the process that writes.
const LOCK: &str = "lock";
/// How the name of a file that is not whole yet ends.
const DRAFT: &str = ".tmp";
/// How the name of a text's file ends. It starts with the SHA-256 of the text.
const TEXT: &str = ".text";

/// How long another process may write.
const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub(super) struct Folder(PathBuf);

/// The rest of the index from some place on, and its first line.
#[derive(Debug)]
pub(super) struct Tail {
    pub(super) head: Vec<u8>,
    /// Where `bytes` start.
    pub(super) at: u64,
    pub(super) bytes: Vec<u8>,
}

/// 16 hex digits that nobody has used.
pub(super) fn fresh() -> String {
    format!("{:016x}", RandomState::new().hash_one(0))
}

fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    #[cfg(unix)]
    options.mode(0o600);
    options
}

impl Folder {
    /// Takes the folder `path`, which is made if it does not exist.
    pub(super) fn open(path: PathBuf) -> io::Result<Self> {
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        builder.mode(0o700);
        builder.recursive(true).create(&path)?;
        Ok(Self(path))
    }

    /// Waits until no other process writes. The lock ends with the file that is returned.
    pub(super) fn lock(&self) -> Result<File, StoreError> {
        let lock = private().create(true).append(true).open(self.0.join(LOCK))?;
        let started = Instant::now();
        loop {
            match lock.try_lock() {
                Ok(()) => return Ok(lock),
                Err(TryLockError::WouldBlock) if started.elapsed() < PATIENCE => {
                    thread::sleep(Duration::from_millis(1));
                }
                Err(TryLockError::WouldBlock) => return Err(StoreError::Busy),
                Err(TryLockError::Error(error)) => return Err(error.into()),
            }
        }
    }

    /// Reads the index from `at` on if its first line is still `head`, else all behind that line.
    pub(super) fn tail(&self, head: &[u8], at: u64) -> io::Result<Option<Tail>> {
        let mut index = match File::open(self.0.join(INDEX)) {
            Ok(index) => index,
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut bytes = Vec::new();
        (&mut index).take(MAX_HEAD).read_to_end(&mut bytes)?;
        let Some(end) = memchr::memchr(b'\n', &bytes) else {
            if !bytes.is_empty() {
                // A first line that has no end is none.
                bytes.push(b'~');
            }
            return Ok(Some(Tail { head: bytes, at: 0, bytes: Vec::new() }));
        };
        bytes.truncate(end);
        let at = if bytes == head { at } else { end as u64 + 1 };
        index.seek(SeekFrom::Start(at))?;
        let mut tail = Tail { head: bytes, at, bytes: Vec::new() };
        index.read_to_end(&mut tail.bytes)?;
        Ok(Some(tail))
    }

    /// Adds lines to the index, as far as they can be written.
    pub(super) fn append(&self, lines: &[u8]) -> io::Result<()> {
        private().append(true).open(self.0.join(INDEX))?.write_all(lines)
    }

    /// Puts an index in the place of the one that is there.
    pub(super) fn replace_index(&self, index: &[u8]) -> io::Result<()> {
        self.place(INDEX, index)
    }

    pub(super) fn write_text(&self, sha256: &[u8; 32], text: &str) -> io::Result<()> {
        self.place(&name_of(sha256), text.as_bytes())
    }

    /// Writes a file of that name, whole or not at all.
    fn place(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let draft = self.0.join(format!(".{}{DRAFT}", fresh()));
        let mut file = private().write(true).create_new(true).open(&draft)?;
        let written = file.write_all(bytes);
        let placed = written.and_then(|()| fs::rename(&draft, self.0.join(name)));
        if placed.is_err() {
            let _ = fs::remove_file(&draft);
        }
        placed
    }

    /// The file of a text, which is to be `len` bytes long.
    pub(super) fn text(&self, sha256: &[u8; 32], len: usize) -> io::Result<File> {
        let file = File::open(self.path_of(sha256))?;
        if file.metadata()?.len() == len as u64 {
            Ok(file)
        } else {
            Err(ErrorKind::InvalidData.into())
        }
    }

    /// Where a text is, if it is kept.
    pub(super) fn path_of(&self, sha256: &[u8; 32]) -> PathBuf {
        self.0.join(name_of(sha256))
    }

    /// Removes the file of a text. One that stays is removed when the folder is tidied next.
    pub(super) fn remove_text(&self, sha256: &[u8; 32]) {
        let _ = fs::remove_file(self.0.join(name_of(sha256)));
    }

    /// Removes drafts and the texts that `is_held` does not want. Files of others are left alone.
    pub(super) fn tidy(&self, is_held: impl Fn(&[u8; 32]) -> bool) -> io::Result<()> {
        for entry in fs::read_dir(&self.0)? {
            let name = entry?.file_name();
            let Some(name) = name.to_str() else { continue };
            let draft = name.strip_prefix('.').and_then(|name| name.strip_suffix(DRAFT));
            let is_draft = draft.is_some_and(|fresh| {
                fresh.len() == 16 && fresh.bytes().all(|byte| byte.is_ascii_hexdigit())
            });
            let text = name.strip_suffix(TEXT).and_then(digest_of_hex);
            if is_draft || text.is_some_and(|text| !is_held(&text)) {
                // What cannot be removed now, or was by another process, is passed over.
                let _left = fs::remove_file(self.0.join(name));
            }
        }
        Ok(())
    }
}

/// More than any first line has.
const MAX_HEAD: u64 = 256;

fn name_of(sha256: &[u8; 32]) -> String {
    hex(sha256) + TEXT
}
