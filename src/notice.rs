//! Every sentence a model reads. Takes numbers, ids and text; what it writes is never read back.

use std::borrow::Cow;
use std::io::ErrorKind;

use crate::text::Unit;

/// Where the references of tool results come from.
pub(crate) const FROM_TOOL_RESULT: &str = "from tool result";
/// How the bytes of a reference are had.
pub(crate) const FETCH: &str = "fetch with fetch_reference";
/// Why the bytes of a reference cannot be had.
pub(crate) const CANNOT_FETCH: &str = "cannot be fetched: its server is not known";
/// What stands for a block that contradicts itself.
pub(crate) const WITHHELD: &str =
    "[inline content withheld: nonconformant bulk disposition on inline data]";

/// The most UTF-16 units of a reason quoted in a notice.
const MAX_REASON: usize = 200;

/// What stands for a block that was not recognized.
pub(crate) fn unrecognized(reason: &str) -> String {
    format!("[unrecognized content block: {reason}]")
}

/// What stands for bytes that are told by type and size only, as in `[audio: audio/wav, 12B]`.
pub(crate) fn described(kind: &str, media_type: &str, size: &str) -> String {
    format!("[{kind}: {media_type}, {size}]")
}

/// A text cut to `head` of `total`, its whole kept as a record.
pub(crate) fn cut_and_recorded(head: usize, total: usize, call_id: &str) -> String {
    let id = json_string(call_id);
    format!(
        "\n\n[truncated — showing {head} of {total} chars; full result: \
         get_full_tool_result({{\"toolCallId\":{id},\"startChar\":{head}}})]"
    )
}

/// A text cut to `head` of `total`, which was not kept for `reason`.
pub(crate) fn cut_and_keeping_failed(head: usize, total: usize, reason: &str) -> String {
    let reason = quoted_reason(reason);
    format!(
        "\n\n[truncated — showing {head} of {total} chars; keeping the full result FAILED \
         ({reason}); content over the cap was not retained]"
    )
}

/// A text of `total` cut where there is no store.
pub(crate) fn cut_without_store(total: usize) -> String {
    format!(
        "\n\n[truncated — original was {total} chars; no writable workspace, full content not \
         retained]"
    )
}

/// A text of `total` cut.
pub(crate) fn cut(total: usize) -> String {
    format!("\n\n[truncated — original was {total} chars]")
}

/// A live text block of `total` cut, the whole result kept as a record.
pub(crate) fn live_cut_and_recorded(total: usize, call_id: &str) -> String {
    let id = json_string(call_id);
    format!(
        "\n\n[truncated — original was {total} chars; full result: \
         get_full_tool_result({{\"toolCallId\":{id}}})]"
    )
}

/// The note in front of `kept` slots; `left_out` more came before them.
pub(crate) fn kept_slots(kept: usize, left_out: usize, recorded: bool) -> String {
    let past = kept + left_out;
    if left_out == 0 {
        return format!(
            "\n[{past} image slot(s) fell past the cut; kept here in order so save_recent_image \
             still counts them:]\n"
        );
    }
    let counted =
        if recorded { "left out here but still counted" } else { "left out and not counted" };
    format!(
        "\n[{past} image slot(s) fell past the cut; the newest {kept} are kept here in order so \
         save_recent_image still counts them; the {left_out} before them are {counted}:]\n"
    )
}

/// Which image is meant: by its place.
pub(crate) fn image_at(index: usize) -> String {
    format!("image at index {index}")
}

/// Which image is meant: by its ref.
pub(crate) fn image_of_ref(image: &str) -> String {
    format!("image {image}")
}

/// The answer of a save that wrote nothing, for the reason `said`.
pub(crate) fn save_refused(said: &str) -> String {
    format!("save_recent_image: {said}. Nothing was written.")
}

/// A ref and a place at once.
pub(crate) const CONFLICTING_SELECTORS: &str =
    "`ref` is mutually exclusive with `index`/`count`; leave the others out or pass null for them";

/// A count that is none.
pub(crate) fn bad_count(max: usize) -> String {
    format!("`count` must be an integer in 1..{max}")
}

/// A place that no image has.
pub(crate) fn not_enough_images(found: usize, index: usize, scanned: usize) -> String {
    if found == 0 {
        return format!("no images found in the most recent {scanned} messages");
    }
    format!(
        "only {found} image(s) found in the most recent {scanned} messages (asked for index {index})"
    )
}

/// Fewer images than asked for, but not none.
pub(crate) fn fewer_images(found: usize, asked: usize) -> String {
    format!("only {found} of {asked} requested images exist in the scanned window")
}

/// An attachment whose bytes are elsewhere.
pub(crate) fn attachment_not_inline(index: usize) -> String {
    format!("{} is an attachment that is not stored inline (base64)", image_at(index))
}

/// A reference, whose bytes were never here.
pub(crate) fn image_is_reference(
    index: usize,
    ref_id: &str,
    media_type: &str,
    tool: &str,
    call_id: &str,
) -> String {
    let (ref_id, media_type) = (quoted(ref_id), quoted(media_type));
    format!(
        "{} is a reference ({ref_id}, {media_type}, from {}); its bytes are not held here; use \
         fetch_reference and save that file",
        image_at(index),
        call(tool, call_id)
    )
}

/// A placeholder of an older history.
pub(crate) fn image_without_ref(index: usize, tool: &str, call_id: &str) -> String {
    format!(
        "{} is a tool-result image from {} recorded without a retention ref; re-run the tool",
        image_at(index),
        call(tool, call_id)
    )
}

/// A placeholder that cites the image of another call.
pub(crate) fn foreign_image(
    index: usize,
    image: &str,
    owner: (&str, &str),
    cited_by: (&str, &str),
) -> String {
    format!(
        "{} cites {image}, but that image belongs to {}, not to {}; it is quoted or forged text",
        image_at(index),
        call(owner.0, owner.1),
        call(cited_by.0, cited_by.1)
    )
}

/// An image whose bytes were let go.
pub(crate) fn evicted_image(which: &str, image: &str, tool: &str, call_id: &str) -> String {
    format!(
        "{which} ({image}, from {}) is no longer retained: it was evicted from the bounded \
         budget; re-run the tool",
        call(tool, call_id)
    )
}

/// An image whose ref is not known.
pub(crate) fn image_without_record(which: &str, image: &str, tool: &str, call_id: &str) -> String {
    format!(
        "{which} ({image}, from {}) is no longer retained: this process has no record of that \
         ref; re-run the tool",
        call(tool, call_id)
    )
}

/// An image whose bytes cannot be decoded, and why.
pub(crate) fn undecodable_image(which: &str, reason: &str) -> String {
    format!("{which} has no usable bytes: {reason}; re-run the tool")
}

/// A payload of nothing.
pub(crate) const EMPTY_PAYLOAD: &str = "its base64 is empty";

/// A payload with a byte that is no base64.
pub(crate) fn payload_with_strange_byte(at: usize) -> String {
    format!("its base64 is damaged at offset {at}")
}

/// A payload that ends inside a byte.
pub(crate) fn short_payload(characters: usize) -> String {
    format!("its base64 of {characters} characters is incomplete")
}

/// A ref that other calls quote.
pub(crate) fn only_quoted(image: &str, tool: &str, call_id: &str) -> String {
    format!(
        "{image} belongs to {} and stands only in results of other calls; it is quoted or forged \
         text",
        call(tool, call_id)
    )
}

/// A ref that nobody knows.
pub(crate) fn unknown_ref(image: &str) -> String {
    format!("ref {image} cannot be saved: there is no record of it")
}

/// A ref that is known and no longer in sight.
pub(crate) fn ref_not_in_context(
    image: &str,
    tool: &str,
    call_id: &str,
    scanned: usize,
    evicted: bool,
) -> String {
    let evicted = if evicted { ", and its bytes were evicted; re-run the tool" } else { "" };
    format!(
        "ref {image} (from {}) does not appear in your recent context (scanned {scanned} \
         messages){evicted}",
        call(tool, call_id)
    )
}

/// Other calls that were not done in time.
pub(crate) fn siblings_pending<'a>(
    calls: impl ExactSizeIterator<Item = (&'a str, &'a str)>,
    waited_seconds: u64,
) -> String {
    let count = calls.len();
    let calls: Vec<String> = calls.map(|(tool, call_id)| call(tool, call_id)).collect();
    format!("{count} sibling call(s) still pending after {waited_seconds}s: {}", calls.join(", "))
}

/// A path that leads out of the folder, or to none.
pub(crate) const PATH_OUTSIDE: &str = "the path must be relative and lead to a file in the folder";
/// A file that is there already.
pub(crate) const FILE_EXISTS: &str = "the file exists; choose another path";

/// An image whose bytes are damaged.
pub(crate) const UNDECODABLE: &str = "its base64 is damaged";

/// What the system said.
pub(crate) fn io_problem(kind: ErrorKind) -> &'static str {
    let known = [
        (ErrorKind::PermissionDenied, "permission denied"),
        (ErrorKind::StorageFull, "the disk is full"),
        (ErrorKind::ReadOnlyFilesystem, "the disk is read-only"),
        (ErrorKind::NotADirectory, "a part of the path is no folder"),
    ];
    let said = known.into_iter().find_map(|(known, said)| (known == kind).then_some(said));
    said.unwrap_or("the system refused it")
}

/// A file that could not be written, after those `saved`.
pub(crate) fn write_failed(path: &str, reason: &str, saved: &[&str]) -> String {
    let (path, reason) = (json_string(&quoted(path)), quoted_reason(reason));
    let saved: Vec<String> = saved.iter().map(|path| json_string(&quoted(path))).collect();
    let already = if saved.is_empty() {
        "nothing was written".to_owned()
    } else {
        format!("already saved: {}", saved.join(", "))
    };
    format!("save_recent_image: failed writing {path}: {reason}; {already}.")
}

/// A tool and the id of its call, as both were given by others.
fn call(tool: &str, call_id: &str) -> String {
    let tool = if tool.is_empty() { Cow::Borrowed("an unknown tool") } else { quoted(tool) };
    format!("{tool} (call {})", json_string(&quoted(call_id)))
}

/// A name from others, fit to be quoted: short, without control characters and without the
/// brackets that could make a slot of it.
fn quoted(name: &str) -> Cow<'_, str> {
    let clean = quoted_reason(name);
    if !clean.contains(char::is_control) {
        return clean;
    }
    Cow::Owned(clean.chars().filter(|ch| !ch.is_control()).collect())
}

/// A reason fit to be quoted: without brackets and line breaks, which could make a slot of it.
fn quoted_reason(reason: &str) -> Cow<'_, str> {
    let is_removed = |ch| matches!(ch, '[' | ']' | '\n' | '\r' | '\u{2028}' | '\u{2029}');
    let clean: Cow<'_, str> = if reason.contains(is_removed) {
        Cow::Owned(reason.chars().filter(|&ch| !is_removed(ch)).collect())
    } else {
        Cow::Borrowed(reason)
    };
    let end = Unit::Utf16.offset_in(&clean, MAX_REASON);
    if end == clean.len() { clean } else { Cow::Owned(clean.get(..end).unwrap_or_default().into()) }
}

/// `text` as a JSON string.
fn json_string(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
