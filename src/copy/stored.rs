//! The stored copy: what the history keeps of a result.

use std::borrow::Cow;

use bytestring::ByteString;

use super::cut::{Cut, cut_at, cut_shown};
use super::keeping::{Direct, Keeping};
use crate::notice;
use crate::slot::Grammar;
use crate::text::{Cap, Span, Spans};

/// What the history keeps of a result: its head, a notice, and the slots past the cut that the
/// model was shown.
///
/// So it counts exactly the images the model saw: those of the head, and the newest
/// [`MAX_KEPT`](super::MAX_KEPT) past the cut (SPEC L8).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct StoredCopy {
    /// The text. Shared with the full text where nothing was cut.
    pub text: ByteString,
    /// The length of the head, in the cap's unit; the total where nothing was cut.
    pub head_len: usize,
    /// The length of the full text, in the cap's unit.
    pub total_len: usize,
    /// Where the kept slots stand in the full text, in order.
    pub kept: Vec<Span>,
    /// How many more slots were shown past the cut.
    pub left_out: usize,
}

impl StoredCopy {
    /// Makes the stored copy of the full text `full` at `cap`.
    ///
    /// ```
    /// use slotledger::copy::{Keeping, StoredCopy};
    /// use slotledger::{Cap, slot::Grammar, text::Spans};
    /// let (cap, shown, grammar) = (Cap::utf16(5), Spans::default(), Grammar::default());
    /// let stored = StoredCopy::of(&"some words".into(), cap, &shown, &grammar, Keeping::NoStore);
    /// assert!(stored.text.starts_with("some \n\n[truncated — original was 10 chars;"));
    /// assert_eq!((stored.head_len, stored.total_len), (5, 10));
    /// ```
    pub fn of(
        full: &ByteString,
        cap: Cap,
        shown: &Spans,
        grammar: &Grammar,
        keeping: Keeping<'_>,
    ) -> Self {
        let total_len = cap.unit().len_of(full);
        let Some(Cut { at, kept, left_out }) = cut_shown(full, cap, shown, grammar) else {
            let text = full.clone();
            return Self { text, head_len: total_len, total_len, kept: Vec::new(), left_out: 0 };
        };
        let head = full.get(..at).unwrap_or_default();
        let head_len = cap.unit().len_of(head);
        let (notice, recorded) = match keeping {
            Keeping::NoStore => (notice::cut_without_store(total_len), false),
            Keeping::Kept { handle, unit, direct } => {
                let start = if unit == cap.unit() { head_len } else { unit.len_of(head) };
                let direct = direct.map_or_else(String::new, Direct::said);
                (notice::cut_and_recorded(head_len, total_len, handle, start, &direct), true)
            }
            Keeping::Failed { reason } => {
                (notice::cut_and_keeping_failed(head_len, total_len, reason), false)
            }
        };
        let mut text = String::with_capacity(head.len() + notice.len());
        text.push_str(head);
        text.push_str(&notice);
        if !kept.is_empty() {
            text.push_str(&notice::kept_slots(kept.len(), left_out, recorded));
        }
        for (at, slot) in kept.iter().enumerate() {
            if at > 0 {
                text.push('\n');
            }
            text.push_str(slot.of(full));
        }
        Self { text: text.into(), head_len, total_len, kept, left_out }
    }
}

/// Cuts a text that has no live copy: its head and a notice, and no slot past the cut.
///
/// ```
/// use slotledger::copy::truncate_history;
/// use slotledger::{Cap, slot::Grammar};
/// let (cap, grammar) = (Cap::utf16(5), Grammar::default());
/// assert_eq!(truncate_history("abcde", cap, &grammar), "abcde");
/// let cut = truncate_history("abcdef", cap, &grammar);
/// assert_eq!(cut, "abcde\n\n[truncated — original was 6 chars]");
/// ```
pub fn truncate_history<'t>(text: &'t str, cap: Cap, grammar: &Grammar) -> Cow<'t, str> {
    let Some(at) = cut_at(text, cap, grammar) else {
        return Cow::Borrowed(text);
    };
    let head = text.get(..at).unwrap_or_default();
    Cow::Owned(format!("{head}{}", notice::cut(cap.unit().len_of(text))))
}
