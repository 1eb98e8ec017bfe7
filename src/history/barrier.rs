//! Waiting for the other calls of a batch, for hosts with threads.

use std::fmt;
use std::thread;
use std::time::{Duration, Instant};

use crate::content::{Call, is_tool};
use crate::notice;

/// How long a save waits for its siblings by default.
pub const SIBLING_TIMEOUT: Duration = Duration::from_mins(2);

/// How often the siblings are asked for.
const POLL: Duration = Duration::from_millis(20);

/// The tool that waits, and that nobody waits for.
const SAVE_TOOL: &str = "save_recent_image";

/// Waits until `pending` names no call but saves, and at most `timeout`.
///
/// A save counts the images of its batch, so it must not run before its siblings are done. The
/// calls of other saves are passed over, or two saves would wait for each other.
///
/// ```
/// use std::time::Duration;
/// use slotledger::content::Call;
/// use slotledger::history::wait_for_siblings;
/// let mut left = vec![Call::new("c1", "screenshot"), Call::new("c2", "save_recent_image")];
/// assert!(wait_for_siblings(|| left.clone(), Duration::ZERO).is_err());
/// assert!(wait_for_siblings(|| left.drain(..).skip(1).collect(), Duration::ZERO).is_ok());
/// ```
///
/// # Errors
///
/// The calls that are still pending when the time is over: a save must then refuse.
pub fn wait_for_siblings(
    mut pending: impl FnMut() -> Vec<Call>,
    timeout: Duration,
) -> Result<(), SiblingsPending> {
    let start = Instant::now();
    loop {
        let refused = match no_siblings(&pending(), timeout) {
            Ok(()) => return Ok(()),
            Err(refused) => refused,
        };
        let left = timeout.saturating_sub(start.elapsed());
        if left.is_zero() {
            return Err(refused);
        }
        thread::sleep(POLL.min(left));
    }
}

/// Refuses where `pending` names a call that is no save, after waiting for `waited`.
fn no_siblings(pending: &[Call], waited: Duration) -> Result<(), SiblingsPending> {
    let calls: Vec<Call> =
        pending.iter().filter(|call| !is_tool(&call.tool, SAVE_TOOL)).cloned().collect();
    if calls.is_empty() { Ok(()) } else { Err(SiblingsPending { calls, waited }) }
}

/// The calls of a batch that were not done in time.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct SiblingsPending {
    /// The calls.
    pub calls: Vec<Call>,
    /// How long they were waited for.
    pub waited: Duration,
}

impl SiblingsPending {
    pub(super) fn said(&self) -> String {
        let calls = self.calls.iter().map(|call| (call.tool.as_ref(), call.id.as_ref()));
        notice::siblings_pending(calls, self.waited.as_secs())
    }
}

impl fmt::Display for SiblingsPending {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} calls still pending after {:?}", self.calls.len(), self.waited)
    }
}

impl std::error::Error for SiblingsPending {}
