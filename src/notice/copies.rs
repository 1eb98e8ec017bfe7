//! What stands in the copies of a result: at a cut, in place of a block, in front of kept slots.

use super::quote::{json_string, quoted_reason};

/// Where the references of tool results come from.
pub(crate) const FROM_TOOL_RESULT: &str = "from tool result";
/// How the bytes of a reference are had.
pub(crate) const FETCH: &str = "fetch with fetch_reference";
/// Why the bytes of a reference cannot be had.
pub(crate) const CANNOT_FETCH: &str = "cannot be fetched: its server is not known";
/// What stands for a block that contradicts itself.
pub(crate) const WITHHELD: &str =
    "[inline content withheld: nonconformant bulk disposition on inline data]";

/// What stands for a block that was not recognized.
pub(crate) fn unrecognized(reason: &str) -> String {
    format!("[unrecognized content block: {reason}]")
}

/// What stands for bytes that are told by type and size only, as in `[audio: audio/wav, 12B]`.
pub(crate) fn described(kind: &str, media_type: &str, size: &str) -> String {
    format!("[{kind}: {media_type}, {size}]")
}

/// A text cut to `head` of `total`, its whole kept as a record, which goes on at `start`. `direct` is
/// empty, or another way to read it.
pub(crate) fn cut_and_recorded(
    head: usize,
    total: usize,
    handle: &str,
    start: usize,
    direct: &str,
) -> String {
    let id = json_string(handle);
    format!(
        "\n\n[truncated — showing {head} of {total} chars; full result: \
         get_full_tool_result({{\"toolCallId\":{id},\"startChar\":{start}}}){direct}]"
    )
}

/// A file that holds a full text.
pub(crate) fn or_file(path: &str) -> String {
    format!("; or file {path}")
}

/// A command that prints a full text.
pub(crate) fn or_query(query: &str) -> String {
    format!("; or sql {query}")
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
pub(crate) fn live_cut_and_recorded(total: usize, handle: &str) -> String {
    let id = json_string(handle);
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
