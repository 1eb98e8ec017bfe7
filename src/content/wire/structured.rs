//! `structuredContent`: sent once where a text block says the same.

use bytestring::ByteString;

use crate::content::canonical::Canonical;
use crate::content::json::{self, compact};
use crate::content::shape::{Members, Shape, Skipped};

/// The longest JSON that is compared parsed, in bytes. Longer ones are compared as spelled, so
/// that a hostile pair of arrays of digits cannot take many times its size in memory.
const MAX_PARSED: usize = 8 << 20;

/// The compact text of a structured value, or `None` where one of `texts` says the same already.
///
/// A text says the same when it is JSON of an equal value, or when the value is an object of one
/// member and that member is the text, or equal to what it parses to: servers wrap their answer
/// as `{"content": "<the text>"}` or `{"result": value}` (SPEC 9.5).
pub(super) fn unless_said(structured: &str, texts: &[ByteString]) -> Option<(String, usize)> {
    let (compacted, lone_surrogates) = compact(structured);
    let member = only_member(&compacted);
    let wrapped_text = member.and_then(|member| serde_json::from_str::<Shape<'_>>(member).ok());
    let wrapped_text = wrapped_text.and_then(Shape::string);
    let (mut mended_value, mut mended_member) = (None, None);
    let value = parse(&compacted, &mut mended_value);
    let member = member.and_then(|member| parse(member, &mut mended_member));
    let said = texts.iter().any(|text| {
        let json = text.trim_ascii();
        if json == compacted || wrapped_text.as_deref() == Some(text) {
            return true;
        }
        let mut mended = None;
        let parsed = parse(json, &mut mended);
        parsed.is_some() && (parsed == value || parsed == member)
    });
    (!said).then_some((compacted, lone_surrogates))
}

/// The member of an object that has only this one.
fn only_member(json: &str) -> Option<&str> {
    serde_json::from_str::<Shape<'_, Skipped, Members<'_>>>(json).ok()?.object()?.only()
}

/// Reads `json`, as `mended` where a strict parser refuses it; `None` when it is too long or none.
fn parse<'j>(json: &'j str, mended: &'j mut Option<String>) -> Option<Canonical<'j>> {
    if json.len() > MAX_PARSED {
        return None;
    }
    if let Some(value) = Canonical::parse(json) {
        return Some(value);
    }
    *mended = json::mended(json);
    Canonical::parse(mended.as_deref()?)
}
