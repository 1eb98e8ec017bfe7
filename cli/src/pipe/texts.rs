//! The operations on a text alone: they need no session.

use slotledger::copy::{Cut, cut_shown};
use slotledger::text::Offsets;
use slotledger::{Grammar, MediaType, cut_at};

use super::answer::{Answer, Refusal};
use super::fields::{cap, ranges, unit};
use super::request::Request;
use crate::json::SlotsJson;

/// `slots`: the slots of a text.
pub(super) fn slots<'l>(request: &Request<'l>) -> Result<Answer<'l>, Refusal> {
    let slots = SlotsJson { text: request.string("text")?, unit: unit(request)? };
    Ok(Answer::Slots { slots })
}

/// `cut`: where a text is cut.
pub(super) fn cut<'l>(request: &Request<'l>) -> Result<Answer<'l>, Refusal> {
    let (text, unit) = (request.string("text")?, unit(request)?);
    let at = cut_at(&text, cap(request, unit)?, &Grammar::default());
    Ok(Answer::Cut { at: at.map(|at| Offsets::new(&text, unit).at(at)) })
}

/// `cut_stored`: where a text is cut, and which of the shown slots are kept past it.
pub(super) fn cut_stored<'l>(request: &Request<'l>) -> Result<Answer<'l>, Refusal> {
    let (text, unit) = (request.string("text")?, unit(request)?);
    let (cap, shown) = (cap(request, unit)?, ranges(request, &text, unit)?);
    let cut = cut_shown(&text, cap, &shown, &Grammar::default());
    let Some(Cut { at, kept, left_out, .. }) = cut else {
        return Ok(Answer::Stored { head: unit.len_of(&text), kept: Vec::new(), left_out: 0 });
    };
    let head = Offsets::new(&text, unit).at(at);
    let kept = kept.into_iter().map(|slot| slot.of(&text).to_owned()).collect();
    Ok(Answer::Stored { head, kept, left_out })
}

/// `media_type`: a claim, normalized.
pub(super) fn media_type<'l>(request: &Request<'l>) -> Result<Answer<'l>, Refusal> {
    let media_type = MediaType::from_testimony(&request.string("value")?);
    Ok(Answer::MediaType { media_type: media_type.as_str().to_owned() })
}

/// `truncate_history`: a text that has no live copy, cut.
pub(super) fn truncate_history<'l>(request: &Request<'l>) -> Result<Answer<'l>, Refusal> {
    let (text, unit) = (request.string("text")?, unit(request)?);
    let cut = slotledger::truncate_history(&text, cap(request, unit)?, &Grammar::default());
    let cut = match cut {
        std::borrow::Cow::Borrowed(_) => None,
        std::borrow::Cow::Owned(cut) => Some(cut),
    };
    Ok(Answer::Text { text: cut.map_or(text, Into::into) })
}
