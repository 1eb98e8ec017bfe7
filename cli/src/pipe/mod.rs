//! `slotledger pipe`: one JSON request per line in, one JSON answer per line out.
//!
//! Appendix B of SPEC.md is the protocol. A request is split into its members without reading what
//! is in them; each operation reads what it needs. So a payload is neither copied nor walked
//! through, and no nesting is too deep.

mod answer;
mod conversation;
mod fields;
mod ingest;
mod records;
mod request;
mod texts;

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::{self, BufRead as _, BufReader, BufWriter, Read, Write};
use std::sync::Arc;

use bytes::Bytes;
use memchr::memchr;
use serde_json::value::RawValue;
use slotledger::image::Archive;
use slotledger::record::store::{MemoryStore, Retention, Store};
use slotledger::{Engine, Session};

use crate::args::PipeArgs;
use crate::failure::{Failure, Source, Wanted};
use crate::input;
use answer::{Answer, Refusal, Reply};
use records::Desk;
use request::Request;

/// The conversation that is meant where none is named.
const DEFAULT_SESSION: &str = "default";
/// How much is read, and written, at once.
const BUFFER: usize = 1 << 16;

/// Answers standard input on standard output until it ends.
pub(crate) fn run(args: PipeArgs) -> Result<(), Failure> {
    let in_memory = || -> Arc<dyn Store> { Arc::new(MemoryStore::new(Retention::default())) };
    let engine = args.engine.engine(Some(in_memory))?;
    let mut sessions = HashMap::new();
    if let Some(path) = args.ledger {
        let archive = Archive::open(&path).map_err(|error| Failure::Ledger { path, error })?;
        sessions
            .insert(DEFAULT_SESSION.to_owned(), engine.session_restored(DEFAULT_SESSION, archive));
    }
    let none = MemoryStore::new(Retention::default());
    let mut pipe = Pipe { engine, sessions, none };
    input::say_awaited(Wanted::Requests);
    let done = pipe.run(io::stdin(), io::stdout().lock());
    pipe.warn_of_archive();
    // Up to one that cannot be closed. It is spared by sweeps for a day, and that is all.
    let _left_open = pipe.sessions.into_values().try_for_each(Session::close);
    done
}

/// The conversations that are had over one pipe.
struct Pipe {
    engine: Engine,
    sessions: HashMap<String, Session>,
    /// What is read where no records are kept.
    none: MemoryStore,
}

impl Pipe {
    fn run(&mut self, input: impl Read, output: impl Write) -> Result<(), Failure> {
        let mut input = BufReader::with_capacity(BUFFER, input);
        let mut output = BufWriter::with_capacity(BUFFER, output);
        let mut is_first = true;
        loop {
            // Not after each line: a thousand requests at once have their answers in a few writes.
            // But none is held back while the rest of a line is awaited.
            if memchr(b'\n', input.buffer()).is_none() {
                output.flush().map_err(Failure::Write)?;
            }
            let mut line = Vec::new();
            let read = input.read_until(b'\n', &mut line);
            if read.map_err(|error| {
                let wanted = Wanted::Requests;
                Failure::Read { from: Source::Stdin, wanted, error }
            })? == 0
            {
                return Ok(());
            }
            self.answer(&line_of(line, is_first), &mut output).map_err(Failure::Write)?;
            is_first = false;
        }
    }

    /// Answers one line.
    fn answer(&mut self, line: &Bytes, output: impl Write) -> io::Result<()> {
        let reply = match Request::read(line) {
            Ok(request) => Reply { id: request.id(), answer: self.perform(&request) },
            Err(refusal) => Reply { id: RawValue::NULL, answer: Err(refusal) },
        };
        reply.write(output)
    }

    fn perform<'l>(&mut self, request: &Request<'l>) -> Result<Answer<'l>, Refusal> {
        match &*request.op()? {
            "slots" => texts::slots(request),
            "cut" => texts::cut(request),
            "cut_stored" => texts::cut_stored(request),
            "media_type" => texts::media_type(request),
            "truncate_history" => texts::truncate_history(request),
            "ingest" => ingest::ingest(request, self.session(request)?),
            "message" => conversation::message(request, self.session(request)?),
            "commit" => Ok(conversation::commit(self.session(request)?)),
            "inventory" => conversation::inventory(request, self.session(request)?),
            "save" => conversation::save(request, self.session(request)?),
            "get_full_tool_result" => self.desk(request)?.get_full_tool_result(request),
            "recall" => self.desk(request)?.recall(request),
            "list_tool_results" => self.desk(request)?.list_tool_results(request),
            "extract_keys" => records::extract_keys(request),
            "recall_args" => records::recall_args(request),
            "content_key" => records::content_key(request),
            "content_type" => records::content_type(request),
            unknown => Err(Refusal::unknown_op(unknown)),
        }
    }

    /// Says it where the archive stopped keeping images: every answer was right all the same.
    fn warn_of_archive(&self) {
        let session = self.sessions.get(DEFAULT_SESSION);
        let archive = session.and_then(|session| session.ledger().archive());
        if let Some(problem) = archive.and_then(Archive::problem) {
            // Where nobody reads it, nothing is missing of what was asked for.
            let _ = writeln!(io::stderr(), "slotledger: --ledger: images were not kept: {problem}");
        }
    }

    /// The conversation that a request names. A new name starts a new one.
    fn session(&mut self, request: &Request<'_>) -> Result<&mut Session, Refusal> {
        let name = request.string_or("session", DEFAULT_SESSION)?.into_owned();
        let Self { engine, sessions, .. } = self;
        Ok(match sessions.entry(name) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let session = engine.session_named(new.key());
                new.insert(session)
            }
        })
    }

    /// What reads the records of the conversation that a request names.
    fn desk(&mut self, request: &Request<'_>) -> Result<Desk<'_>, Refusal> {
        self.session(request)?;
        let name = request.string_or("session", DEFAULT_SESSION)?;
        let session = self.sessions.get(&*name).ok_or_else(|| Refusal::missing("session"))?;
        Ok(Desk { session, none: &self.none })
    }
}

/// A line without its end, and the first one without a byte order mark.
fn line_of(mut line: Vec<u8>, is_first: bool) -> Bytes {
    line.pop_if(|byte| *byte == b'\n');
    let line = Bytes::from(line);
    match line.strip_prefix("\u{FEFF}".as_bytes()) {
        Some(rest) if is_first => line.slice_ref(rest),
        Some(_) | None => line,
    }
}
