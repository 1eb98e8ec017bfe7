//! A store in a folder of files, which several processes may use.

mod line;

mod folder;

use std::collections::HashSet;
use std::fs::File;
use std::io::{self, ErrorKind, Read as _, Seek as _, SeekFrom};
use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use bytestring::ByteString;

use super::contract::{
    By, EmittedView, Listed, Places, Retention, Sessions, Store, Stretch, Swept, Usage,
};
use super::error::StoreError;
use super::index::{Change, Entry, Index, Plan};
use super::measure::{Comparison, Measured, fits};
use super::pieces::Mark;
use super::printed::printed;
use super::{contract, error, index, measure, pieces};
use crate::copy::Direct;
use crate::record::record::{Gone, Meta, Record, RecordId};
use folder::{Folder, Tail, fresh};
use line::Head;

/// The latest version of the index that is known here.
const VERSION: i64 = 1;

/// A store in a folder: a file for each text, named by its content, and an index of JSON lines.
///
/// The files are readable by their owner alone, and so is the folder if it is made here; files of
/// others in it are left alone. Several processes may use it. Files are written whole, a text
/// before the line that tells of it, so a process may end at any moment: a record is whole or
/// absent. Nothing is synced to the disk: the store outlives a process, not a power failure.
///
/// What is known of the records is held in memory as well; their texts are not.
///
/// ```
/// # fn main() -> Result<(), Box<dyn std::error::Error>> {
/// use std::time::SystemTime;
/// use slotledger::record::Record;
/// use slotledger::record::store::{By, DirStore, Retention, Sessions, Store};
/// let folder = std::env::temp_dir().join(format!("slotledger-dir-{}", std::process::id()));
///
/// let store = DirStore::open(&folder, Retention::default())?;
/// store.put(&Record::new("s1", "../x", "bash", "hello"), SystemTime::now())?;
/// drop(store);
///
/// let store = DirStore::open(&folder, Retention::default())?;
/// let found = store.find(Sessions::One("s1"), By::CallId("../x"))?;
/// assert_eq!(store.read(found[0].id, 0, 5)?.text, "hello");
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok(())
/// # }
/// ```
#[derive(Debug)]
pub struct DirStore {
    folder: Folder,
    retention: Retention,
    state: Mutex<State>,
}

/// What was read of the index.
#[derive(Debug, Default)]
struct State {
    /// Its first line; empty if there is no index yet.
    head: Vec<u8>,
    /// Up to where it was read: to the end of a line.
    at: u64,
    /// Whether a part of a line is behind that.
    is_torn: bool,
    /// How many lines it has.
    lines: usize,
    index: Index,
}

impl State {
    /// Takes in what other processes have written.
    fn refresh(&mut self, folder: &Folder) -> Result<(), StoreError> {
        let Some(Tail { head, at, bytes }) = folder.tail(&self.head, self.at)? else {
            *self = Self::default();
            return Ok(());
        };
        if head != self.head {
            let read = Head::read(&head).ok_or(StoreError::NotAStore)?;
            if read.version > VERSION {
                return Err(StoreError::Version { found: read.version, known: VERSION });
            }
            *self = Self { head, at, ..Self::default() };
            self.index.reserve(read.last_id);
        }
        let mut rest = bytes.as_slice();
        while let Some(end) = memchr::memchr(b'\n', rest) {
            let (line, behind) = rest.split_at_checked(end + 1).unwrap_or((rest, &[]));
            rest = behind;
            self.at += line.len() as u64;
            self.lines += 1;
            if let Some(change) = line::read(line) {
                self.index.apply(change);
            }
        }
        self.is_torn = !rest.is_empty();
        Ok(())
    }

    /// Writes changes and then takes them in. What is read back is what holds.
    fn write(&mut self, folder: &Folder, changes: &[Change]) -> Result<(), StoreError> {
        if changes.is_empty() {
            return Ok(());
        }
        if self.head.is_empty() {
            self.rewrite(folder)?;
        } else if self.lines > 4 * self.index.len() + 4_096 {
            // What is to be written may be what frees a full disk.
            let _later = self.rewrite(folder);
        }
        // What makes no sense at its end is no line, even if all of it was written.
        let mut lines = if self.is_torn { b"~\n".to_vec() } else { Vec::new() };
        for change in changes {
            line::write(change, &mut lines).map_err(StoreError::failed)?;
        }
        let written = folder.append(&lines);
        self.refresh(folder)?;
        Ok(written?)
    }

    /// Writes the index anew, with what holds now.
    fn rewrite(&mut self, folder: &Folder) -> Result<(), StoreError> {
        let head = Head::new(VERSION, fresh(), self.index.last_id());
        let mut text = serde_json::to_vec(&head).map_err(StoreError::failed)?;
        text.push(b'\n');
        for change in self.index.changes() {
            line::write(&change, &mut text).map_err(StoreError::failed)?;
        }
        folder.replace_index(&text)?;
        self.refresh(folder)
    }
}

/// The store while no other process writes.
struct Writer<'s> {
    folder: &'s Folder,
    state: MutexGuard<'s, State>,
    _lock: File,
}

impl Writer<'_> {
    fn write(&mut self, changes: &[Change]) -> Result<(), StoreError> {
        self.state.write(self.folder, changes)
    }

    /// Removes texts: first from what is known, then their files.
    fn remove(&mut self, changes: &[Change]) -> Result<Swept, StoreError> {
        let before = self.state.index.usage();
        let leaving: Vec<[u8; 32]> = self.state.index.leaving(changes);
        self.write(changes)?;
        for sha256 in leaving {
            if !self.state.index.holds(&sha256) {
                self.folder.remove_text(&sha256);
            }
        }
        let after = self.state.index.usage();
        Ok(Swept { records: before.records - after.records, bytes: before.bytes - after.bytes })
    }

    /// Lets go of sessions of which nothing is left.
    fn end_sessions(&mut self, now: SystemTime) -> Result<(), StoreError> {
        let ended = self.state.index.ended(now);
        self.write(&ended)
    }

    /// Removes what a process left that ended too early.
    fn tidy(&self, is_new: bool) -> Result<(), StoreError> {
        let damaged: HashSet<[u8; 32]> = self.state.index.damaged().collect();
        // Texts beside no index are not known to be ours, or are all that is left of them.
        let is_held =
            |sha256: &_| is_new || self.state.index.holds(sha256) || damaged.contains(sha256);
        Ok(self.folder.tidy(is_held)?)
    }
}

impl DirStore {
    /// Opens the store in the folder `path`, which is made if it does not exist, and sweeps it.
    ///
    /// # Errors
    ///
    /// [`StoreError::NotAStore`] or [`StoreError::Version`] for an index that is not ours or of a
    /// later version, which is left as it is; or when the folder cannot be made or read.
    pub fn open(path: impl AsRef<Path>, retention: Retention) -> Result<Self, StoreError> {
        let folder = Folder::open(std::path::absolute(path)?)?;
        let store = Self { folder, retention, state: Mutex::default() };
        let is_new = store.state()?.head.is_empty();
        match store.sweep(&retention, SystemTime::now()) {
            // What cannot be swept now can be read all the same.
            Err(StoreError::Busy | StoreError::ReadOnly | StoreError::DiskFull) if !is_new => {
                Ok(store)
            }
            swept => swept.map(|_| store),
        }
    }

    /// What holds now.
    fn state(&self) -> Result<MutexGuard<'_, State>, StoreError> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.refresh(&self.folder)?;
        Ok(state)
    }

    fn writer(&self) -> Result<Writer<'_>, StoreError> {
        // In this order, so that nobody who reads waits for another process.
        let lock = self.folder.lock()?;
        let state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let mut writer = Writer { folder: &self.folder, state, _lock: lock };
        writer.state.refresh(&self.folder)?;
        Ok(writer)
    }

    /// Does `work` with a record that has its text.
    fn with_kept<T>(
        &self,
        id: RecordId,
        work: impl Fn(&Entry, File) -> io::Result<T>,
    ) -> Result<T, StoreError> {
        // Another process may remove and restore a text between a look at the index and the file.
        for _ in 0..3 {
            let entry = Arc::clone(self.state()?.index.kept(id)?);
            let opened = self.folder.text(&entry.meta.sha256, entry.meta.sizes.bytes);
            match opened.and_then(|file| work(&entry, file)) {
                Err(error) if error.kind() == ErrorKind::NotFound => {}
                Err(error)
                    if matches!(
                        error.kind(),
                        ErrorKind::InvalidData | ErrorKind::UnexpectedEof
                    ) =>
                {
                    break;
                }
                done => return Ok(done?),
            }
        }
        Err(StoreError::Gone(Gone::Damage))
    }
}

impl Store for DirStore {
    fn put(&self, record: &Record, now: SystemTime) -> Result<Meta, StoreError> {
        let measured = Measured::of(record);
        let room = measured.sizes.bytes as u64;
        let mut writer = self.writer()?;
        loop {
            match writer.state.index.plan_put(record, &measured, &self.retention, now)? {
                Plan::Same(meta, changes) => {
                    if self.folder.text(&meta.sha256, meta.sizes.bytes).is_err() {
                        self.folder.write_text(&meta.sha256, &record.text)?;
                    }
                    writer.write(&changes)?;
                    return Ok(meta);
                }
                Plan::Sweep => {
                    let spared = Some(&record.session);
                    let changes = writer.state.index.plan_sweep(&self.retention, now, room, spared);
                    writer.remove(&changes)?;
                    writer.end_sessions(now)?;
                }
                Plan::Keep(meta, changes) => {
                    let is_held = writer.state.index.holds(&meta.sha256);
                    let is_new = !is_held;
                    // A file that somebody removed, or that is not whole, is written anew.
                    if is_new || self.folder.text(&meta.sha256, meta.sizes.bytes).is_err() {
                        self.folder.write_text(&meta.sha256, &record.text)?;
                    }
                    let written = writer.write(&changes);
                    if written.is_err() && is_new && !writer.state.index.holds(&meta.sha256) {
                        self.folder.remove_text(&meta.sha256);
                    }
                    return written.map(|()| meta);
                }
            }
        }
    }

    fn find(&self, sessions: Sessions<'_>, by: By<'_>) -> Result<Vec<Meta>, StoreError> {
        Ok(self.state()?.index.find(sessions, by))
    }

    fn list(
        &self,
        sessions: Sessions<'_>,
        tool: Option<&str>,
        before: Option<RecordId>,
        limit: usize,
    ) -> Result<Vec<Listed>, StoreError> {
        Ok(self.state()?.index.list(sessions, tool, before, limit))
    }

    fn read(&self, id: RecordId, start: usize, len: usize) -> Result<Stretch, StoreError> {
        self.with_kept(id, |entry, mut file| {
            let (from, until) = entry.marks.around(start, len);
            let until = until.unwrap_or(entry.meta.sizes.bytes);
            let mut bytes = vec![0; until.saturating_sub(from.byte_at)];
            file.seek(SeekFrom::Start(from.byte_at as u64))?;
            file.read_exact(&mut bytes)?;
            let text = ByteString::try_from(bytes).map_err(|_| ErrorKind::InvalidData)?;
            Ok(Stretch { text, start: from.at, start_bytes: from.byte_at })
        })
    }

    fn places(&self, id: RecordId) -> Result<Places, StoreError> {
        Ok(self.state()?.index.entry(id)?.places.clone())
    }

    fn note_view(&self, view: &EmittedView) -> Result<(), StoreError> {
        let mut writer = self.writer()?;
        writer.state.index.entry(view.record)?;
        writer.write(&[Change::View(view.clone())])
    }

    fn view(
        &self,
        session: &str,
        call_id: &str,
        sha256: &[u8; 32],
    ) -> Result<Option<EmittedView>, StoreError> {
        Ok(self.state()?.index.view(session, call_id, sha256))
    }

    fn keep_alive(&self, session: &str, until: SystemTime) -> Result<(), StoreError> {
        self.writer()?.write(&[Change::live(session, until)])
    }

    fn sweep(&self, retention: &Retention, now: SystemTime) -> Result<Swept, StoreError> {
        let mut writer = self.writer()?;
        let is_new = writer.state.head.is_empty();
        if is_new {
            writer.state.rewrite(&self.folder)?;
        }
        let changes = writer.state.index.plan_sweep(retention, now, 0, None);
        let swept = writer.remove(&changes)?;
        writer.end_sessions(now)?;
        writer.tidy(is_new)?;
        Ok(swept)
    }

    fn remove(&self, id: RecordId) -> Result<(), StoreError> {
        let mut writer = self.writer()?;
        writer.state.index.entry(id)?;
        writer.remove(&[Change::Gone { ids: vec![id], why: Gone::Request }])?;
        Ok(())
    }

    fn remove_session(&self, session: &str) -> Result<usize, StoreError> {
        let mut writer = self.writer()?;
        let records = writer.state.index.records_of(session);
        writer.remove(&[Change::Removed { session: session.into() }])?;
        // The lines that told of it go as well, as soon as that can be.
        let _with_the_next = writer.state.rewrite(&self.folder);
        Ok(records)
    }

    fn check(&self, progress: &mut dyn FnMut(u64, u64)) -> Result<Vec<RecordId>, StoreError> {
        let (ids, total) = {
            let state = self.state()?;
            (state.index.all_kept(), state.index.bytes())
        };
        let mut read = 0;
        let mut bad = Vec::new();
        for id in ids {
            match self.with_kept(id, is_whole) {
                Ok((bytes, is_whole)) => {
                    if !is_whole {
                        bad.push(id);
                    }
                    read += bytes;
                    progress(read, total);
                }
                Err(StoreError::Gone(Gone::Damage)) => bad.push(id),
                // Gone meanwhile: another process may be at work.
                Err(StoreError::Gone(_) | StoreError::NoSuchRecord) => {}
                Err(error) => return Err(error),
            }
        }
        if !bad.is_empty() {
            self.writer()?.write(&[Change::Gone { ids: bad.clone(), why: Gone::Damage }])?;
        }
        Ok(bad)
    }

    fn direct(&self, meta: &Meta) -> Option<Direct> {
        if meta.gone.is_some() {
            return None;
        }
        // The quotes of a shell would be part of the path to a tool that reads files.
        let path = printed(&self.folder.path_of(&meta.sha256))?;
        (!path.starts_with('\'')).then_some(Direct::File(path))
    }

    fn usage(&self) -> Result<Usage, StoreError> {
        Ok(self.state()?.index.usage())
    }
}

/// How long the text of a record is, and whether all is as it should be.
fn is_whole(Entry { meta, places, marks }: &Entry, mut file: File) -> io::Result<(u64, bool)> {
    let mut comparison = Comparison::new(meta.unit);
    let mut piece = Vec::new();
    let ends = marks.0.iter().skip(1).map(|mark| mark.byte_at).chain([meta.sizes.bytes]);
    for (Mark { at, byte_at }, end) in marks.0.iter().copied().zip(ends) {
        piece.resize(end.saturating_sub(byte_at), 0);
        file.read_exact(&mut piece)?;
        comparison.piece(at, byte_at, &piece);
    }
    Ok((meta.sizes.bytes as u64, comparison.fits(meta) && fits(places, meta)))
}
