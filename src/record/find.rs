//! Which record an id means: never a guess.

use std::collections::HashSet;

use bytestring::ByteString;

use super::arguments::Scope;
use super::key::ContentKey;
use super::record::Meta;
use super::refusal::{Place, ReadRefusal};
use super::store::{By, Sessions, Store, StoreError, normalized};

/// Whose records an id is looked for in.
#[derive(Clone, Copy, Debug)]
pub(super) struct Searcher<'s> {
    pub(super) store: &'s dyn Store,
    /// The session that asks.
    pub(super) session: &'s str,
    /// Whether it may read the records of others.
    pub(super) reads_others: bool,
}

impl Searcher<'_> {
    /// The sessions that a scope means, if they may be read.
    pub(super) fn sessions<'a>(&'a self, scope: &'a Scope) -> Result<Sessions<'a>, ReadRefusal> {
        match scope {
            Scope::Default | Scope::Current => Ok(Sessions::One(self.session)),
            Scope::Session(session) if *session == self.session => Ok(Sessions::One(self.session)),
            Scope::All if self.reads_others => Ok(Sessions::All),
            Scope::Session(session) if self.reads_others => Ok(Sessions::One(session)),
            Scope::All | Scope::Session(_) => Err(ReadRefusal::NotAllowed),
        }
    }

    /// The same, of its own session alone: nothing is said of others.
    pub(super) fn of_own(self) -> Self {
        Self { reads_others: false, ..self }
    }

    /// The one record that `asked` means.
    pub(super) fn find(
        &self,
        asked: &ByteString,
        scope: &Scope,
        tool: Option<&ByteString>,
    ) -> Result<Meta, ReadRefusal> {
        let sessions = self.sessions(scope)?;
        let found = self.named(asked, sessions).map_err(|error| ReadRefusal::of_store(&error))?;
        let Some(newest) = found.first() else { return Err(self.unknown(asked, scope)) };
        let made_by = newest.tool.clone();
        let mut found = found;
        if let Some(tool) = tool {
            found.retain(|meta| is_of_tool(meta, tool));
        }
        // Records of one text are one answer: the newest that still has its text.
        found.sort_by_key(|meta| meta.gone.is_some());
        let mut texts = HashSet::new();
        found.retain(|meta| texts.insert(meta.sha256));
        match found.as_slice() {
            [] => Err(ReadRefusal::NameMismatch {
                asked: asked.clone(),
                made_by,
                not_by: tool.cloned().unwrap_or_default(),
            }),
            [meta] => match meta.gone {
                None => Ok(meta.clone()),
                Some(why) => Err(ReadRefusal::Expired {
                    asked: asked.clone(),
                    meta: Box::new(meta.clone()),
                    why,
                }),
            },
            _ => {
                found.sort_by_key(|meta| std::cmp::Reverse(meta.id));
                let session = self.session.into();
                Err(ReadRefusal::Ambiguous { asked: asked.clone(), records: found, session })
            }
        }
    }

    /// What `asked` names: by key, else by call id, else by a call id like it.
    fn named(&self, asked: &str, sessions: Sessions<'_>) -> Result<Vec<Meta>, StoreError> {
        let by_key = match key_of(asked) {
            Some(KeyOrDigest::Key(key)) => self.near_first(sessions, By::Key(key))?,
            Some(KeyOrDigest::Sha256(sha256)) => self.near_first(sessions, By::Sha256(&sha256))?,
            None => Vec::new(),
        };
        if !by_key.is_empty() {
            return Ok(by_key);
        }
        let exact = self.near_first(sessions, By::CallId(asked))?;
        if !exact.is_empty() {
            return Ok(exact);
        }
        self.near_first(sessions, By::Normalized(&normalized(asked)))
    }

    /// What is found in the session that asks, else in the others.
    fn near_first(&self, sessions: Sessions<'_>, by: By<'_>) -> Result<Vec<Meta>, StoreError> {
        if sessions == Sessions::All {
            let near = self.store.find(Sessions::One(self.session), by)?;
            if !near.is_empty() {
                return Ok(near);
            }
        }
        self.store.find(sessions, by)
    }

    /// Nothing was found. Another session is named only to those who may read it.
    fn unknown(&self, asked: &ByteString, scope: &Scope) -> ReadRefusal {
        let place = match scope {
            Scope::All => Place::AnySession,
            Scope::Session(session) if *session != self.session => Place::Session(session.clone()),
            Scope::Default | Scope::Current | Scope::Session(_) => {
                let elsewhere = self.reads_others.then(|| self.named(asked, Sessions::All));
                let newest = match elsewhere {
                    Some(Ok(found)) => found.into_iter().find(|meta| meta.session != self.session),
                    Some(Err(error)) => return ReadRefusal::of_store(&error),
                    None => None,
                };
                if let Some(Meta { session, .. }) = newest {
                    return ReadRefusal::WrongSession { asked: asked.clone(), session };
                }
                Place::ThisSession
            }
        };
        ReadRefusal::UnknownCall { asked: asked.clone(), place }
    }
}

fn is_of_tool(meta: &Meta, tool: &str) -> bool {
    meta.tool.is_empty() || meta.tool == tool || normalized(&meta.tool) == normalized(tool)
}

enum KeyOrDigest {
    Key(ContentKey),
    Sha256([u8; 32]),
}

/// A key or a whole digest, bare or as a marker.
fn key_of(asked: &str) -> Option<KeyOrDigest> {
    let bare = asked.strip_prefix("<<ccr:").and_then(|rest| rest.strip_suffix(">>"));
    let digits = bare.unwrap_or(asked).to_ascii_lowercase();
    match digits.len() {
        16 => digits.parse().ok().map(KeyOrDigest::Key),
        64 if digits.bytes().all(|digit| digit.is_ascii_hexdigit()) => {
            let mut sha256 = [0; 32];
            for (byte, pair) in sha256.iter_mut().zip(digits.as_bytes().chunks_exact(2)) {
                *byte = u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok()?;
            }
            Some(KeyOrDigest::Sha256(sha256))
        }
        _ => None,
    }
}
