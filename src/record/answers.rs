//! What was read back lately, so that an answer is known when it comes in as a result.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};

use super::key::sha256_of;
use super::record::RecordId;

/// How many answers are remembered.
const MAX_ANSWERS: usize = 64;

/// A page that was answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Answered {
    /// How long it is, in bytes.
    len: usize,
    pub(crate) sha256: [u8; 32],
    pub(crate) record: RecordId,
    /// Where it lies in the record, if it is a stretch of it.
    pub(crate) range: Option<(usize, usize)>,
}

/// The newest answers of a session. A text is known by its digest: nothing is read out of it.
#[derive(Debug, Default)]
pub(crate) struct Answers(Mutex<VecDeque<Answered>>);

impl Answers {
    pub(crate) fn remember(&self, text: &str, record: RecordId, range: Option<(usize, usize)>) {
        let (len, sha256) = (text.len(), sha256_of(text));
        let answered = Answered { len, sha256, record, range };
        let mut newest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if newest.len() == MAX_ANSWERS {
            newest.pop_front();
        }
        newest.push_back(answered);
    }

    /// The answer that reads `text`, if it is one.
    pub(crate) fn of(&self, text: &str) -> Option<Answered> {
        let newest = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        // Few texts are as long as one of them, so few are digested.
        let as_long = newest.iter().rev().filter(|answered| answered.len == text.len());
        let mut as_long = as_long.peekable();
        as_long.peek()?;
        let sha256 = sha256_of(text);
        as_long.find(|answered| answered.sha256 == sha256).copied()
    }
}
