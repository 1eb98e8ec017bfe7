//! What a save answers: why nothing was written, and what a model can do.

use std::io::ErrorKind;

use super::quote::{call, json_string, quoted, quoted_reason};

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
pub(crate) fn unknown_image(which: &str, image: &str, tool: &str, call_id: &str) -> String {
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
