//! The look-ups, each of which an index answers.

use super::rows::META;

pub(super) const BY_CALL: &str = "s.id = r.session_id WHERE s.name = ?1 AND r.call_id = ?2";
pub(super) const BY_CALL_ALL: &str = "s.id = r.session_id WHERE r.call_id = ?2";
pub(super) const BY_NORMALIZED: &str = "s.id = r.session_id WHERE s.name = ?1 AND r.norm_id = ?2";
pub(super) const BY_NORMALIZED_ALL: &str = "s.id = r.session_id WHERE r.norm_id = ?2";
// The plus: a session has many records, and a key few.
pub(super) const BY_KEY: &str = "s.id = +r.session_id WHERE s.name = ?1 AND r.key = ?2";
pub(super) const BY_KEY_ALL: &str = "s.id = r.session_id WHERE r.key = ?2";
pub(super) const LIST: &str = "s.id = r.session_id WHERE s.name = ?1 AND r.id < ?2";
pub(super) const LIST_ALL: &str = "s.id = r.session_id WHERE r.id < ?2";
pub(super) const BY_ID: &str = "s.id = r.session_id WHERE r.id = ?1 AND r.gone IS NULL";

/// What keeping a record looks up: the same one, what number the next of a call has, and the
/// unit of a text in a session.
pub(super) const SAME: &str = "s.id = r.session_id WHERE s.name = ?1 AND r.call_id = ?2 \
    AND r.sha256 = ?3 AND r.tool = ?4 AND r.is_error = ?5";
pub(super) const NTH: &str =
    "SELECT coalesce(max(nth), 0) + 1 FROM record WHERE session_id = ?1 AND call_id = ?2";
pub(super) const UNIT: &str = "SELECT unit FROM record \
    WHERE +session_id = ?1 AND key = ?2 AND sha256 = ?3 LIMIT 1";

pub(super) const HEAD: &str = "SELECT gone FROM record WHERE id = ?1";
pub(super) const STRETCH: &str = "SELECT at, byte_at, data FROM record r JOIN piece p \
    ON p.record_id = r.id WHERE r.id = ?1 AND r.gone IS NULL AND at >= coalesce((SELECT at \
    FROM piece WHERE record_id = ?1 AND at <= ?2 ORDER BY at DESC LIMIT 1), 0) AND at < ?3 \
    ORDER BY at";
pub(super) const VIEW: &str = "SELECT s.name AS session, e.* FROM emitted e JOIN session s \
    ON s.id = e.session_id WHERE s.name = ?1 AND e.call_id = ?2 AND e.sha256 = ?3";

/// Those records of a name, the newest first.
pub(super) fn named(condition: &str) -> String {
    // The plus: few records have one name, so they are sorted, and no index is walked for its order.
    format!("{} ORDER BY +r.id DESC", select(condition))
}

/// Records by their order, the newest first.
pub(super) fn listed(condition: &str) -> String {
    format!("{} ORDER BY r.id DESC", select(condition))
}

pub(super) fn select(condition: &str) -> String {
    format!("SELECT {META} FROM record r JOIN session s ON {condition}")
}
