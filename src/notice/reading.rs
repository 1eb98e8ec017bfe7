//! What reading back answers: why there is no page, and what a model can do.

use super::quote::{json_string, quoted, short};

/// A record in a list of several: its key, tool, length and session.
pub(crate) struct Candidate<'a> {
    pub(crate) key: &'a str,
    pub(crate) tool: &'a str,
    pub(crate) chars: usize,
    /// The session, where it is another one.
    pub(crate) session: Option<&'a str>,
    pub(crate) is_gone: bool,
}

/// The most candidates that are listed.
const MAX_LISTED: usize = 10;

/// No id.
pub(crate) const ID_MISSING: &str = "toolCallId is missing.";
/// Arguments that are no object.
pub(crate) const NO_OBJECT: &str = "The arguments must be a JSON object.";

/// A field that is no whole number in its bounds. `got` is JSON.
pub(crate) fn not_a_number(field: &str, bounds: &str, got: &str) -> String {
    format!("{field} must be a whole number {bounds}; got {}.", spelled(got))
}

/// A field that must be a string.
pub(crate) fn not_a_string(field: &str, got: &str) -> String {
    format!("{field} must be a string; got {}.", spelled(got))
}

/// A scope that is none.
pub(crate) fn bad_scope(got: &str) -> String {
    format!("searchIn must be current_session or all_sessions; got {}.", spelled(got))
}

/// An argument, as JSON, that is not what it must be.
fn spelled(got: &str) -> String {
    match got.as_bytes().first() {
        Some(b'[') => "a list".to_owned(),
        Some(b'{') => "an object".to_owned(),
        _ => short(&quoted(got)).into_owned(),
    }
}

/// A page that is too long.
pub(crate) fn page_too_large(length: usize, max: usize) -> String {
    format!("length {length} is over the largest page, {max} chars.")
}

/// A call that nothing was kept for, `place` being where it was looked for.
pub(crate) fn unknown_call(asked: &str, place: &str) -> String {
    format!(
        "No result was ever kept for tool call {} {place}; asking again will not help.",
        asked_id(asked)
    )
}

/// The places where a call is looked for.
pub(crate) const IN_THIS_SESSION: &str = "in this session";
pub(crate) const IN_ANY_SESSION: &str = "in any session";

/// Another session, as a place.
pub(crate) fn in_session(session: &str) -> String {
    format!("in session {}", asked_id(session))
}

/// A record whose text was removed.
pub(crate) fn expired(asked: &str, tool: &str, chars: usize, why: &str) -> String {
    format!(
        "The result of tool call {} ({}{chars} chars) was kept and then removed ({why}). Run the \
         tool again if you need it.",
        asked_id(asked),
        tool_and_comma(tool)
    )
}

/// A call of another session; `None` where the name of that cannot be printed.
pub(crate) fn wrong_session(asked: &str, session: Option<&str>) -> String {
    let asked = asked_id(asked);
    let Some(session) = session.map(json_string) else {
        return format!(
            "Tool call {asked} was made in another session; add \"searchIn\":\"all_sessions\" to \
             read it."
        );
    };
    format!(
        "Tool call {asked} was made in session {session}; add \"sessionId\":{session} to read it."
    )
}

/// Another session, where only this one may be read.
pub(crate) const NOT_ALLOWED: &str =
    "Only results of this session can be read; leave out sessionId and searchIn.";

/// A call of another tool.
pub(crate) fn name_mismatch(asked: &str, made_by: &str, not_by: &str) -> String {
    format!(
        "Tool call {} was made by {}, not by {}.",
        asked_id(asked),
        asked_id(made_by),
        asked_id(not_by)
    )
}

/// An id of several records, the newest first.
pub(crate) fn ambiguous(asked: &str, candidates: &[Candidate<'_>]) -> String {
    let listed: Vec<String> = candidates.iter().take(MAX_LISTED).map(described).collect();
    format!(
        "{} fits {} kept results. Use one of these as toolCallId: {}{}.",
        asked_id(asked),
        candidates.len(),
        listed.join(", "),
        more(candidates.len() - listed.len())
    )
}

/// What stands behind a list that is not whole.
fn more(count: usize) -> String {
    if count > 0 { format!(" and {count} more") } else { String::new() }
}

fn described(candidate: &Candidate<'_>) -> String {
    let tool = tool_and_comma(candidate.tool);
    let session = candidate.session.map(|session| format!(", session {}", asked_id(session)));
    let removed = if candidate.is_gone { ", removed" } else { "" };
    format!(
        "{} ({tool}{} chars{}{removed})",
        candidate.key,
        candidate.chars,
        session.unwrap_or_default()
    )
}

/// A start past the end.
pub(crate) fn out_of_range(start: usize, total: usize) -> String {
    if total == 0 {
        return format!("startChar {start} is past the end: this result is empty. Use 0.");
    }
    format!(
        "startChar {start} is past the end: this result has {total} chars. Use 0 to {}.",
        total - 1
    )
}

/// A result that is no JSON, asked for an item.
pub(crate) const NOT_JSON: &str = "This result is not JSON; use startChar or grep.";

/// An item that a result has not.
pub(crate) fn no_item(item: &str) -> String {
    format!("This result has no item {}; item \"*\" shows what it has.", asked_id(item))
}

/// An item that names `count` values, the first of which are at `pointers`.
pub(crate) fn ambiguous_item(item: &str, pointers: &[String], count: usize) -> String {
    let item = asked_id(item);
    let fits = format!("{item} fits {count} items.");
    // A pointer is printed as it is or not at all: it has to work.
    let listed: Vec<_> =
        pointers.iter().map(String::as_str).filter(|pointer| quoted(pointer) == *pointer).collect();
    if listed.is_empty() {
        return fits;
    }
    format!("{fits} Use one of these as item: {}{}.", listed.join(", "), more(count - listed.len()))
}

/// A pattern that cannot be searched for.
pub(crate) fn bad_pattern(reason: &str) -> String {
    format!("grep is not a valid pattern: {}.", short(&quoted(reason)))
}

/// A pattern that matches everywhere.
pub(crate) const EMPTY_PATTERN: &str = "grep must not match the empty text.";

/// An outline of `total` that is too long to be searched.
pub(crate) fn outline_too_long(total: usize) -> String {
    format!(
        "grep cannot search this outline: it has {total} chars. Leave out item to search the text itself."
    )
}

/// A turn that has no room for a page.
pub(crate) const NO_ROOM: &str = "This turn has no room left for a page; ask in the next turn.";

/// A store that cannot be read.
pub(crate) fn busy(reason: &str) -> String {
    format!("The result store cannot be read now ({}); try once more.", quoted(reason))
}

/// Arguments of `recall` that name nothing.
pub(crate) const NOTHING_TO_RECALL: &str = "Nothing to recall: pass a marker like \
    <<ccr:0123456789abcdef>>, a key of 16 hex digits, or a tool call id.";

/// What stands before each of several recalled results: its marker, or the id as it was asked.
pub(crate) fn recall_section(name: &str) -> String {
    format!("--- recall {name} ---")
}

/// What stands behind the recalled results where more were asked for than there is room for.
pub(crate) fn not_recalled(count: usize) -> String {
    format!("--- {count} more were asked for; recall them in another call ---")
}

/// An id as it was asked: a JSON string, cut to 64 characters.
pub(crate) fn asked_id(asked: &str) -> String {
    json_string(&short(&quoted(asked)))
}

fn tool_and_comma(tool: &str) -> String {
    let tool = quoted(tool);
    if tool.is_empty() { String::new() } else { format!("{}, ", short(&tool)) }
}
