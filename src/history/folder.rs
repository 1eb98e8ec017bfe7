//! Writing saved images to a folder, and nowhere else.

use std::fmt;
use std::hash::{BuildHasher as _, RandomState};
use std::io::{self, Write as _};
use std::path::{Component, Path, PathBuf};

use cap_std::ambient_authority;
use cap_std::fs::{Dir, DirBuilder, OpenOptions};
#[cfg(unix)]
use cap_std::fs::{DirBuilderExt as _, OpenOptionsExt as _};

use super::save::{Receipt, Selection};
use crate::image::PayloadError;
use crate::notice;

/// A folder that images are saved to.
///
/// Paths come from a model, so none leads out of the folder: not by `..`, not from the root, not
/// through a symbolic link. A file is written whole or not at all, readable by its owner alone,
/// and an existing one is refused unless it may be replaced.
#[derive(Debug)]
pub struct Folder {
    dir: Dir,
    may_replace: bool,
}

/// A file that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Written {
    /// Its path, inside the folder.
    pub path: String,
    /// What was written.
    pub receipt: Receipt,
}

/// A file that could not be written.
#[derive(Debug)]
#[non_exhaustive]
pub struct WriteError {
    /// Its path, as it was asked for.
    pub path: String,
    /// The files of the same selection that were written before it.
    pub written: Vec<Written>,
    /// Why.
    pub problem: WriteProblem,
}

/// Why a file could not be written.
#[derive(Debug)]
#[non_exhaustive]
pub enum WriteProblem {
    /// The path is no path inside the folder.
    Path,
    /// A file of that path exists.
    Exists,
    /// The image could not be decoded.
    Undecodable(PayloadError),
    /// The system refused.
    Io(io::Error),
}

impl WriteProblem {
    /// Why a file that must not exist yet was not made.
    fn of_new(error: io::Error) -> Self {
        if error.kind() == io::ErrorKind::AlreadyExists { Self::Exists } else { Self::Io(error) }
    }
}

impl Folder {
    /// Opens the folder at `path`, which must exist.
    ///
    /// # Errors
    ///
    /// When it does not exist or cannot be opened.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        Ok(Self { dir: Dir::open_ambient_dir(path, ambient_authority())?, may_replace: false })
    }

    /// The same folder, where existing files may be replaced.
    #[must_use]
    pub fn replacing(self) -> Self {
        Self { may_replace: true, ..self }
    }

    /// Writes the images of a selection, each to its path.
    ///
    /// Before the first is written, all paths are checked. Folders on the way are made.
    ///
    /// ```
    /// # fn main() -> Result<(), Box<dyn std::error::Error>> {
    /// use slotledger::content::{Call, wire::mcp};
    /// use slotledger::history::{Folder, SaveRequest, Selector};
    /// use slotledger::{Config, Engine};
    ///
    /// let mut session = Engine::new(Config::default()).session();
    /// let answer = br#"[{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}]"#;
    /// session.ingest(&Call::new("c1", "snap"), &mcp::read(&answer.as_slice().into())?);
    ///
    /// let place = std::env::temp_dir().join(format!("slotledger-doc-{}", std::process::id()));
    /// std::fs::create_dir_all(&place)?;
    /// let request = SaveRequest::new("shot.png", Selector::Recent { index: 0, count: 1 });
    /// let written = Folder::open(&place)?.replacing().write(&session.select(&request)?)?;
    /// assert_eq!(std::fs::read(place.join(&written[0].path))?, b"\x89PNG\r\n\x1a\n");
    /// # std::fs::remove_dir_all(&place)?;
    /// # Ok(())
    /// # }
    /// ```
    ///
    /// # Errors
    ///
    /// The first file that could not be written, and those that were before it.
    pub fn write(&self, selection: &Selection) -> Result<Vec<Written>, WriteError> {
        let mut written = Vec::with_capacity(selection.images.len());
        if inside(&selection.asked).is_none() {
            let path = selection.asked.clone();
            return Err(WriteError { path, written, problem: WriteProblem::Path });
        }
        for image in &selection.images {
            if let Err(problem) = self.check(&image.path) {
                return Err(WriteError { path: image.path.clone(), written, problem });
            }
        }
        for image in &selection.images {
            let done =
                image.open().map_err(WriteProblem::Undecodable).and_then(|(receipt, bytes)| {
                    self.write_file(&image.path, &bytes)?;
                    Ok(Written { path: image.path.clone(), receipt })
                });
            match done {
                Ok(file) => written.push(file),
                Err(problem) => {
                    return Err(WriteError { path: image.path.clone(), written, problem });
                }
            }
        }
        Ok(written)
    }

    fn check(&self, path: &str) -> Result<PathBuf, WriteProblem> {
        let inside = inside(path).ok_or(WriteProblem::Path)?;
        match self.dir.symlink_metadata(&inside) {
            Ok(metadata) if metadata.is_dir() => Err(WriteProblem::Path),
            Ok(_) if !self.may_replace => Err(WriteProblem::Exists),
            Ok(_) => Ok(inside),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(inside),
            Err(error) => Err(WriteProblem::Io(error)),
        }
    }

    fn write_file(&self, path: &str, bytes: &[u8]) -> Result<(), WriteProblem> {
        let inside = self.check(path)?;
        let parent = inside.parent().unwrap_or_else(|| Path::new(""));
        self.make_folders(parent)?;
        let draft = parent.join(format!(".slotledger-{:016x}.tmp", RandomState::new().hash_one(0)));
        let mut file = self.dir.open_with(&draft, &new_file()).map_err(WriteProblem::Io)?;
        let done = file.write_all(bytes).and_then(|()| file.sync_all());
        let done = done.map_err(WriteProblem::Io).and_then(|()| self.put_in_place(&draft, &inside));
        if done.is_err() || !self.may_replace {
            // A draft that stays behind is no half of a saved file: nothing names it.
            let _ = self.dir.remove_file(&draft);
        }
        done
    }

    fn put_in_place(&self, draft: &Path, path: &Path) -> Result<(), WriteProblem> {
        if self.may_replace {
            return self.dir.rename(draft, &self.dir, path).map_err(WriteProblem::Io);
        }
        // A link fails where a file exists, which a rename would replace.
        match self.dir.hard_link(draft, &self.dir, path).map_err(WriteProblem::of_new) {
            Err(WriteProblem::Io(_)) => self.claim_and_rename(draft, path),
            done => done,
        }
    }

    /// For file systems without links: takes the name first, and then replaces what is ours.
    fn claim_and_rename(&self, draft: &Path, path: &Path) -> Result<(), WriteProblem> {
        self.dir.open_with(path, &new_file()).map_err(WriteProblem::of_new)?;
        self.dir.rename(draft, &self.dir, path).map_err(|error| {
            let _ = self.dir.remove_file(path);
            WriteProblem::Io(error)
        })
    }

    fn make_folders(&self, folders: &Path) -> Result<(), WriteProblem> {
        let mut made = PathBuf::new();
        for folder in folders.components() {
            made.push(folder);
            let mut builder = DirBuilder::new();
            #[cfg(unix)]
            builder.mode(0o700);
            builder.recursive(false);
            match self.dir.create_dir_with(&made, &builder) {
                Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                    return Err(WriteProblem::Io(error));
                }
                Ok(()) | Err(_) => {}
            }
        }
        Ok(())
    }
}

/// How a file that does not exist yet is made: for its owner alone.
fn new_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    options.mode(0o600);
    options
}

/// `path` as a path inside a folder: relative, and of names only.
fn inside(path: &str) -> Option<PathBuf> {
    // A last part that names no file names a folder.
    let last = path.rsplit(['/', '\\']).next().unwrap_or_default();
    if matches!(last, "" | "." | "..") || path.contains('\0') {
        return None;
    }
    let mut inside = PathBuf::new();
    for part in Path::new(path).components() {
        match part {
            Component::Normal(name) => inside.push(name),
            Component::CurDir => {}
            Component::ParentDir | Component::RootDir | Component::Prefix(_) => return None,
        }
    }
    (!inside.as_os_str().is_empty()).then_some(inside)
}

impl WriteError {
    /// What the model reads: which file, why, and what was written already.
    pub fn notice(&self) -> String {
        let reason = match &self.problem {
            WriteProblem::Path => notice::PATH_OUTSIDE,
            WriteProblem::Exists => notice::FILE_EXISTS,
            WriteProblem::Undecodable(_) => notice::UNDECODABLE,
            WriteProblem::Io(error) => notice::io_problem(error.kind()),
        };
        let saved: Vec<&str> = self.written.iter().map(|file| file.path.as_str()).collect();
        notice::write_failed(&self.path, reason, &saved)
    }
}

impl fmt::Display for WriteError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.problem {
            WriteProblem::Path => write!(f, "{:?} is no path inside the folder", self.path),
            WriteProblem::Exists => write!(f, "{:?} exists", self.path),
            WriteProblem::Undecodable(_) | WriteProblem::Io(_) => {
                write!(f, "{:?} could not be written", self.path)
            }
        }
    }
}

impl std::error::Error for WriteError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match &self.problem {
            WriteProblem::Undecodable(error) => Some(error),
            WriteProblem::Io(error) => Some(error),
            WriteProblem::Path | WriteProblem::Exists => None,
        }
    }
}
