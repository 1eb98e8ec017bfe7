//! A copy of an archive, so that looking at a history changes nothing in it.

use std::fs::{self, DirBuilder};
use std::hash::{BuildHasher as _, RandomState};
use std::io;
use std::path::{Path, PathBuf};

use slotledger::image::Archive;

/// The list of an archive; its other files never change once they are there.
const INDEX: &str = "index.jsonl";

/// A folder of its own with what an archive holds at this moment, gone in the end.
///
/// Images of the history would push those of the archive out, and another process may have it
/// open. Payloads are linked where the file system can do that.
#[derive(Debug)]
pub(super) struct Snapshot(PathBuf);

impl Snapshot {
    /// Copies the archive in `folder`.
    ///
    /// # Errors
    ///
    /// `NotFound` where no archive is there, or what the system says.
    pub(super) fn of(folder: &Path) -> io::Result<Self> {
        if !folder.join(INDEX).is_file() {
            return Err(io::ErrorKind::NotFound.into());
        }
        let name = format!("slotledger-{:016x}", RandomState::new().hash_one("snapshot"));
        let path = std::env::temp_dir().join(name);
        let mut builder = DirBuilder::new();
        #[cfg(unix)]
        std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
        builder.create(&path)?;
        let snapshot = Self(path);
        // The list first: a payload that comes later is in no line of it.
        fs::copy(folder.join(INDEX), snapshot.0.join(INDEX))?;
        for entry in fs::read_dir(folder)? {
            let entry = entry?;
            let is_payload = entry.path().extension().is_some_and(|name| name == "base64");
            if is_payload && entry.file_type()?.is_file() {
                let copy = snapshot.0.join(entry.file_name());
                let linked = fs::hard_link(entry.path(), &copy);
                // One that was let go meanwhile counts as evicted.
                match linked.or_else(|_| fs::copy(entry.path(), &copy).map(|_| ())) {
                    Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                    Ok(()) | Err(_) => {}
                }
            }
        }
        Ok(snapshot)
    }

    /// Opens the copy.
    pub(super) fn open(&self) -> io::Result<Archive> {
        Archive::open(&self.0)
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        // What stays is in the folder for temporary files.
        let _ = fs::remove_dir_all(&self.0);
    }
}
