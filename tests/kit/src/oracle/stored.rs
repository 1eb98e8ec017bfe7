//! The stored copy (13): a head, a notice and the kept slots.

use super::cut::{cut, length_if_over};
use super::slots::slots;
use crate::json::Json;
use crate::unit::{Unit, length, offset_in, text_of, units};

/// How many slots past the cut a stored copy keeps (13.4).
pub const KEPT_LIMIT: usize = 64;

/// A text cut for storing: head, kept, left out (13.2 to 13.4), in UTF-16 code units.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Kept {
    /// Where the head ends; the length of the text when it was not cut.
    pub head: usize,
    /// The kept slots' places in the full text, in order.
    pub kept: Vec<(usize, usize)>,
    /// How many shown slots past the cut are not among them.
    pub left_out: usize,
}

/// Whether the full text is kept somewhere, which decides the notice (13.5).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Keeping<'a> {
    /// There is nowhere to keep it.
    NoStore,
    /// It is kept under this call id.
    Recorded {
        /// The call whose result it is.
        call_id: &'a str,
    },
    /// Keeping it failed.
    Failed {
        /// Why, in the store's words.
        reason: &'a str,
    },
}

/// A stored copy.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Stored {
    /// Its text.
    pub text: Vec<u16>,
    /// What it was made of.
    pub cut: Kept,
}

/// Cuts `text` and keeps the slots past the cut that `shown` ranges hold whole (13.3, 13.4).
///
/// The ranges ascend, do not overlap, and count UTF-16 code units.
pub fn cut_stored(text: &[u16], cap: usize, unit: Unit, shown: &[(usize, usize)]) -> Kept {
    let Some(head) = cut(text, cap, unit) else {
        return Kept { head: text.len(), kept: Vec::new(), left_out: 0 };
    };
    let mut kept: Vec<(usize, usize)> = Vec::new();
    for slot in slots(text) {
        let whole = shown.iter().any(|range| range.0 <= slot.start && slot.end <= range.1);
        if slot.start >= head && whole {
            kept.push((slot.start, slot.end));
        }
    }
    let left_out = kept.len().saturating_sub(KEPT_LIMIT);
    Kept { head, kept: kept.split_off(left_out), left_out }
}

/// Returns the stored copy of `text`: head, notice, note, kept slots (13.1, 13.5, 13.6).
pub fn stored_text(
    text: &[u16],
    cap: usize,
    unit: Unit,
    shown: &[(usize, usize)],
    keeping: Keeping<'_>,
) -> Stored {
    let cut = cut_stored(text, cap, unit, shown);
    if length_if_over(text, cap, unit).is_none() {
        return Stored { text: text.to_vec(), cut };
    }
    let mut stored = text_of(&text[..cut.head]);
    stored += &notice(offset_in(text, cut.head, unit), length(text, unit), keeping);
    if !cut.kept.is_empty() {
        stored += &note(&cut, keeping);
        let slots: Vec<String> =
            cut.kept.iter().map(|&(start, end)| text_of(&text[start..end])).collect();
        stored += &slots.join("\n");
    }
    Stored { text: units(&stored), cut }
}

fn notice(head: usize, total: usize, keeping: Keeping<'_>) -> String {
    match keeping {
        Keeping::NoStore => format!(
            "\n\n[truncated — original was {total} chars; no writable workspace, full content not \
             retained]"
        ),
        Keeping::Recorded { call_id } => format!(
            "\n\n[truncated — showing {head} of {total} chars; full result: \
             get_full_tool_result({{\"toolCallId\":{},\"startChar\":{head}}})]",
            Json::from(call_id)
        ),
        Keeping::Failed { reason } => format!(
            "\n\n[truncated — showing {head} of {total} chars; keeping the full result FAILED \
             ({}); content over the cap was not retained]",
            quoted_reason(reason)
        ),
    }
}

/// An error's reason as a notice quotes it: no bracket, no line break, at most 200 units (13.5).
fn quoted_reason(reason: &str) -> String {
    let mut quoted = String::new();
    for character in reason.chars() {
        let dropped = matches!(character, '[' | ']' | '\n' | '\r' | '\u{2028}' | '\u{2029}');
        if !dropped {
            quoted.push(character);
        }
        if quoted.encode_utf16().count() > 200 {
            quoted.pop();
            break;
        }
    }
    quoted
}

fn note(cut: &Kept, keeping: Keeping<'_>) -> String {
    let kept = cut.kept.len();
    if cut.left_out == 0 {
        return format!(
            "\n[{kept} image slot(s) fell past the cut; kept here in order so save_recent_image \
             still counts them:]\n"
        );
    }
    let shown = kept + cut.left_out;
    let fate = match keeping {
        Keeping::Recorded { .. } => "left out here but still counted",
        Keeping::NoStore | Keeping::Failed { .. } => "left out and not counted",
    };
    format!(
        "\n[{shown} image slot(s) fell past the cut; the newest 64 are kept here in order so \
         save_recent_image still counts them; the {} before them are {fate}:]\n",
        cut.left_out
    )
}

/// Cuts a text that has no live copy (13.11). It keeps nothing past its cut.
pub fn truncate_history(text: &[u16], max: usize, unit: Unit) -> Vec<u16> {
    truncated_live(text, max, unit, None)
}

/// Returns a live text block, cut at the cap on its own, with the live notice (12.3, 12.4).
///
/// `recorded` is the call id where a record is kept.
pub fn truncated_live(text: &[u16], cap: usize, unit: Unit, recorded: Option<&str>) -> Vec<u16> {
    let Some(cut) = cut(text, cap, unit) else {
        return text.to_vec();
    };
    let way_back = recorded.map_or(String::new(), |call_id| {
        let id = Json::from(call_id);
        format!("; full result: get_full_tool_result({{\"toolCallId\":{id}}})")
    });
    let notice = format!("\n\n[truncated — original was {} chars{way_back}]", length(text, unit));
    [&text[..cut], &units(&notice)].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_kept_record_is_named_with_the_place_to_read_on() {
        let text = units(&format!("{{\"rows\":\"{}\"}}", "x".repeat(42_000)));
        let keeping = Keeping::Recorded { call_id: "call_long" };
        let stored = stored_text(&text, 24_000, Unit::Utf16, &[], keeping);
        assert_eq!(stored.text.len(), 24_125);
        let notice = "\n\n[truncated — showing 24000 of 42011 chars; full result: \
                      get_full_tool_result({\"toolCallId\":\"call_long\",\"startChar\":24000})]";
        assert!(text_of(&stored.text).ends_with(notice));
    }

    #[test]
    fn a_failure_is_quoted_without_brackets_and_line_breaks() {
        let keeping = Keeping::Failed { reason: "disk full [x]\nno" };
        let stored = stored_text(&units("abcdef"), 2, Unit::Utf16, &[], keeping);
        let expected = "ab\n\n[truncated — showing 2 of 6 chars; keeping the full result FAILED \
                        (disk full xno); content over the cap was not retained]";
        assert_eq!(text_of(&stored.text), expected);
    }

    #[test]
    fn no_notice_or_note_parses_as_a_slot() {
        let text = units(&"[image: image/png, 1B]\n".repeat(70));
        let shown = [(0, text.len())];
        for keeping in [
            Keeping::NoStore,
            Keeping::Recorded { call_id: "c1" },
            Keeping::Failed { reason: "[image: image/png, 1B]\n[ref_1_a] image/png" },
        ] {
            let stored = stored_text(&text, 30, Unit::Utf16, &shown, keeping);
            assert_eq!((stored.cut.kept.len(), stored.cut.left_out), (64, 5));
            assert_eq!(slots(&stored.text).len(), 65);
        }
    }
}
