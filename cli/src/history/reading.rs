//! A history, read from a file into a session.

use bytes::Bytes;
use serde::Deserialize;
use serde::de::IgnoredAny;
use slotledger::content::wire::{anthropic, claude_code};
use slotledger::content::{Message, ParseError};
use slotledger::image::{Limits, Nonce, Payload};
use slotledger::{Config, Engine, Session};

use super::snapshot::Snapshot;
use crate::args::{HistoryArgs, HistoryFormat};
use crate::failure::{Failure, Source, Wanted};
use crate::input::{self, Progress};

/// A history that was read.
#[derive(Debug)]
pub(super) struct History {
    pub(super) from: Source,
    pub(super) session: Session,
    /// How many messages are looked at, of how many there are.
    pub(super) scanned: usize,
    pub(super) messages: usize,
    /// The lines that are no JSON, from 1.
    pub(super) unreadable_lines: Vec<usize>,
    #[expect(dead_code, reason = "lives as long as the session that reads it, and then goes")]
    snapshot: Option<Snapshot>,
}

impl History {
    pub(super) fn read(args: HistoryArgs) -> Result<Self, Failure> {
        let HistoryArgs { history, format, scan, all, ledger } = args;
        let wanted = Wanted::History;
        let (from, bytes) = input::read(&history, wanted, false)?;
        let scope = if all { claude_code::Scope::Everything } else { claude_code::Scope::Live };
        let is_anthropic = match format {
            HistoryFormat::Auto => is_anthropic(&bytes),
            HistoryFormat::Anthropic => true,
            HistoryFormat::ClaudeCode => false,
        };
        let read = if is_anthropic {
            anthropic::read(&bytes).map(|messages| (messages, Vec::new()))
        } else {
            read_lines(&bytes, scope)
        };
        let (messages, unreadable_lines) = match read {
            Ok(read) => read,
            Err(error) => return Err(Failure::Parse { from, wanted, error }),
        };
        // Every image that the file holds can be saved; what is held is shared with the file.
        let limits = Limits { max_images: usize::MAX, max_base64_bytes: usize::MAX };
        let scan = scan.unwrap_or(usize::MAX);
        let config = Config::default().with_limits(limits).with_scan_limit(scan);
        let engine = Engine::new(match nonce_of(&bytes, scope) {
            Some(nonce) => config.with_nonce(nonce),
            None => config,
        });
        drop(bytes);
        let (mut session, snapshot) = match ledger {
            None => (engine.session(), None),
            Some(path) => {
                let opened = Snapshot::of(&path)
                    .and_then(|snapshot| Ok((snapshot.open()?, snapshot)))
                    .map_err(|error| Failure::Ledger { path, error })?;
                (engine.session_restored("history", opened.0), Some(opened.1))
            }
        };
        let count = messages.len();
        for message in messages {
            session.push(&message);
        }
        let scanned = count.min(scan);
        Ok(Self { from, session, scanned, messages: count, unreadable_lines, snapshot })
    }
}

fn read_lines(
    bytes: &Bytes,
    scope: claude_code::Scope,
) -> Result<(Vec<Message>, Vec<usize>), ParseError> {
    let mut progress = Progress::through("parsing", bytes.len());
    let read = claude_code::read(bytes, scope, |parsed| progress.at(parsed));
    progress.end();
    read.map(|transcript| (transcript.messages, transcript.unreadable_lines))
}

/// Whether `bytes` are Anthropic's: an array, or an object that has `messages`.
fn is_anthropic(bytes: &[u8]) -> bool {
    #[derive(Deserialize)]
    struct Request {
        messages: Option<IgnoredAny>,
    }

    let bytes = bytes.strip_prefix("\u{FEFF}".as_bytes()).unwrap_or(bytes).trim_ascii_start();
    match bytes.first() {
        Some(b'[') => true,
        Some(b'{') => {
            // The first object alone: it may be the first line of many.
            let mut objects = serde_json::Deserializer::from_slice(bytes).into_iter::<Request>();
            matches!(objects.next(), Some(Ok(Request { messages: Some(_) })))
        }
        Some(_) | None => false,
    }
}

/// A nonce that depends on what is read alone: a ref told by `images` is good in `save`, and one
/// of a file that has changed since, whose images may have other numbers, is not known.
fn nonce_of(bytes: &[u8], scope: claude_code::Scope) -> Option<Nonce> {
    const LEN: usize = 11;

    let scope = match scope {
        claude_code::Scope::Live => 'l',
        claude_code::Scope::Everything => 'e',
    };
    let digest = Payload::digest(bytes);
    let digits = digest.iter().filter_map(|byte| char::from_digit(u32::from(byte % 36), 36));
    // Longer than the nonces of sessions, so never one of theirs.
    std::iter::once(scope).chain(digits.take(LEN)).collect::<String>().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_array_or_an_object_with_messages_is_anthropic_s() {
        for (history, expected) in [
            ("[", true),
            (" \n[]", true),
            ("\u{FEFF}[]", true),
            (r#"{"messages":[]}"#, true),
            ("{\"model\":\"m\",\n \"messages\":7}", true),
            (r#"{"messages":[],"other":"\ud83d"}"#, true),
            (r#"{"messages":null}"#, false),
            ("{\"type\":\"user\"}\n{\"messages\":[]}", false),
            ("{\"type\":\"user\"}\n{\"ty", false),
            (r#"{"a":{"messages":[]}}"#, false),
            ("{", false),
            ("7", false),
            ("", false),
        ] {
            assert_eq!(is_anthropic(history.as_bytes()), expected, "{history}");
        }
    }

    #[test]
    fn a_nonce_tells_histories_and_scopes_apart() {
        let (live, all) = (claude_code::Scope::Live, claude_code::Scope::Everything);
        let nonces = [nonce_of(b"a", live), nonce_of(b"b", live), nonce_of(b"a", all)];
        assert_eq!(nonce_of(b"a", live), nonces[0]);
        assert_ne!(nonces[0], nonces[1]);
        assert_ne!(nonces[0], nonces[2]);
        for nonce in nonces.iter().flatten() {
            assert_eq!(nonce.as_str().len(), 12);
        }
        assert!(nonces.iter().all(Option::is_some));
    }
}
