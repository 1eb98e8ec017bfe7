//! `slotledger gc`: what is removed from a store, and whether the rest is whole.

use std::io::{self, Write};
use std::time::SystemTime;

use owo_colors::OwoColorize as _;
use serde::Serialize;
use serde_json::json;
use slotledger::record::store::{Retention, Sessions, Store as _, Swept, Usage};
use slotledger::record::{Gone, Meta, ReadRefusal, RecordId};

use super::get::refused;
use super::{Shelf, described, scope};
use crate::args::{Action, GcArgs};
use crate::failure::Failure;
use crate::image_json::Hex;
use crate::input::Progress;
use crate::output::{self, COLUMNS, NAME, line};
use crate::record_json::RecordJson;
use crate::words::{count, fit, of_number};

/// Does the one thing that is asked, and says what was done and what is left.
pub(crate) fn run(args: &GcArgs) -> Result<(), Failure> {
    let shelf = Shelf::open(&args.store.path)?;
    let done = match args.action() {
        Action::Sweep(retention) => shelf.sweep(&retention)?,
        Action::Remove(id) => shelf.remove(id, args.json)?,
        Action::RemoveSession(session) => shelf.remove_session(session)?,
        Action::Check => shelf.check()?,
    };
    let left = shelf.store.usage().map_err(shelf.failed("read"))?;
    if args.json {
        output::json(&DoneJson::of(&done, left))?;
    } else {
        output::people(|out| done.write(left, out))?;
    }
    match done {
        Done::Checked(damaged) if !damaged.is_empty() => {
            Err(Failure::Damaged { path: shelf.path, records: damaged.len() })
        }
        Done::Checked(_) | Done::Swept { .. } | Done::Removed(_) | Done::RemovedSession { .. } => {
            Ok(())
        }
    }
}

/// What was done.
#[derive(Debug)]
enum Done {
    Swept {
        swept: Swept,
        quota: u64,
    },
    /// The records of the text that was removed.
    Removed(Vec<Meta>),
    RemovedSession {
        records: usize,
    },
    /// The records that are damaged.
    Checked(Vec<Meta>),
}

impl Shelf {
    fn sweep(&self, retention: &Retention) -> Result<Done, Failure> {
        let swept = self.store.sweep(retention, SystemTime::now());
        let swept = swept.map_err(self.failed("swept"))?;
        Ok(Done::Swept { swept, quota: retention.quota_bytes })
    }

    /// Removes a text, so that `id` reads it no more: the same text may be kept in several sessions.
    fn remove(&self, id: &str, json: bool) -> Result<Done, Failure> {
        let arguments = json!({ "toolCallId": id, "searchIn": scope(None), "length": 1 });
        let arguments = arguments.to_string();
        let reader = self.reader(None);
        let mut removed: Vec<Meta> = Vec::new();
        loop {
            let meta = match reader.get_full_tool_result(&arguments) {
                Ok(answer) => answer.meta,
                // What is left of it is still in the file.
                Err(ReadRefusal::Expired { meta, why: Gone::Damage, .. }) => *meta,
                Err(ReadRefusal::Expired { .. }) => return Ok(Done::Removed(removed)),
                Err(refusal) => return Err(refused(refusal, json)?),
            };
            // To read, an id like it is enough; what is removed does not come back.
            let names = [meta.key().to_string(), Hex(&meta.sha256).to_string()];
            let is_key = names.iter().any(|name| id.to_ascii_lowercase().contains(name));
            let is_meant = is_key || *meta.call_id == *id;
            if !is_meant {
                let path = self.path.clone();
                return Err(Failure::NotExact { path, handle: meta.handle() });
            }
            self.store.remove(meta.id).map_err(self.failed("changed"))?;
            removed.push(meta);
        }
    }

    fn remove_session(&self, session: &str) -> Result<Done, Failure> {
        let removed = self.store.remove_session(session);
        match removed.map_err(self.failed("changed"))? {
            0 => Err(Failure::NoSession { path: self.path.clone(), session: session.to_owned() }),
            records => Ok(Done::RemovedSession { records }),
        }
    }

    fn check(&self) -> Result<Done, Failure> {
        let mut progress = None;
        let damaged = self.store.check(&mut |read, of| {
            let [read, of] = [read, of].map(|bytes| usize::try_from(bytes).unwrap_or(usize::MAX));
            progress.get_or_insert_with(|| Progress::through("checking", of)).at(read);
        });
        if let Some(progress) = progress {
            progress.end();
        }
        let damaged = damaged.map_err(self.failed("checked"))?;
        let metas = damaged.into_iter().map(|id| {
            let newest = Some(RecordId(id.0.saturating_add(1)));
            let listed = self.store.list(Sessions::All, None, newest, 1);
            // One that another process has let go of by now has no name.
            let mut metas = listed?.into_iter().map(|listed| listed.meta);
            Ok(metas.find(|meta| meta.id == id))
        });
        let metas = metas.filter_map(Result::transpose).collect::<Result<_, _>>();
        metas.map(Done::Checked).map_err(self.failed("read"))
    }
}

impl Done {
    fn write(&self, left: Usage, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Self::Swept { swept: Swept { records: 0, .. }, .. } => {
                line(out, "removed", &"nothing")?;
            }
            Self::Swept { swept: Swept { records, bytes }, .. } => {
                line(out, "removed", &format!("{}, {}", records_of(*records), bytes_of(*bytes)))?;
            }
            Self::Removed(removed) if removed.is_empty() => {
                line(out, "removed", &"nothing: the text is gone already")?;
            }
            Self::Removed(removed) => {
                for meta in removed {
                    line(out, "removed", &short(meta))?;
                }
            }
            Self::RemovedSession { records } => {
                line(out, "removed", &format!("{}, all of the session", records_of(*records)))?;
            }
            Self::Checked(damaged) => {
                for meta in damaged {
                    line(out, "damaged", &short(meta).yellow())?;
                }
                if damaged.is_empty() {
                    line(out, "damaged", &"none")?;
                }
            }
        }
        let Usage { records, gone, bytes, sessions } = left;
        let sessions = of_number(sessions, "session");
        let gone = match gone {
            0 => String::new(),
            gone => format!("; {} removed", count(gone)),
        };
        let (records, held) = (records_of(records), bytes_of(bytes));
        line(out, "left", &format!("{records}, {held} in {sessions}{gone}"))?;
        match self {
            Self::Swept { quota, .. } if bytes > *quota => {
                let spared = "over the quota still: sessions used in the last 24 hours are spared";
                line(out, "", &spared.yellow())
            }
            Self::Swept { .. }
            | Self::Removed(_)
            | Self::RemovedSession { .. }
            | Self::Checked(_) => Ok(()),
        }
    }
}

fn short(meta: &Meta) -> String {
    fit(&described(meta), COLUMNS - NAME).into_owned()
}

fn records_of(number: usize) -> String {
    of_number(number, "record")
}

fn bytes_of(number: u64) -> String {
    of_number(usize::try_from(number).unwrap_or(usize::MAX), "byte")
}

/// What was done, as scripts read it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct DoneJson<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    damaged: Option<Vec<RecordJson<'a>>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    removed: Option<RemovedJson>,
    left: LeftJson,
}

#[derive(Serialize)]
struct RemovedJson {
    records: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    bytes: Option<u64>,
}

#[derive(Serialize)]
struct LeftJson {
    records: usize,
    bytes: u64,
    sessions: usize,
    gone: usize,
}

impl<'a> DoneJson<'a> {
    fn of(done: &'a Done, left: Usage) -> Self {
        let damaged = match done {
            Done::Checked(damaged) => Some(damaged.iter().map(RecordJson::from).collect()),
            Done::Swept { .. } | Done::Removed(_) | Done::RemovedSession { .. } => None,
        };
        let removed = match done {
            Done::Swept { swept: Swept { records, bytes }, .. } => {
                Some(RemovedJson { records: *records, bytes: Some(*bytes) })
            }
            Done::Removed(removed) => {
                let bytes = removed.iter().map(|meta| meta.sizes.bytes as u64).sum();
                Some(RemovedJson { records: removed.len(), bytes: Some(bytes) })
            }
            Done::RemovedSession { records } => {
                Some(RemovedJson { records: *records, bytes: None })
            }
            Done::Checked(_) => None,
        };
        let Usage { records, gone, bytes, sessions } = left;
        Self { damaged, removed, left: LeftJson { records, bytes, sessions, gone } }
    }
}
