//! `structuredContent`: sent once where a text block says the same.

use bytestring::ByteString;

use crate::content::canonical::Canonical;
use crate::content::json::{compact, mended};
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
    let [mended_value, mended_member] = [Some(compacted.as_str()), member].map(mended_if_refused);
    let value = parse(mended_value.as_deref().unwrap_or(&compacted));
    let member = mended_member.as_deref().or(member).and_then(parse);
    let said = texts.iter().any(|text| {
        let json = text.trim_ascii();
        if json == compacted || wrapped_text.as_deref() == Some(text) {
            return true;
        }
        let mended = mended_if_refused(Some(json));
        let parsed = parse(mended.as_deref().unwrap_or(json));
        parsed.is_some() && (parsed == value || parsed == member)
    });
    (!said).then_some((compacted, lone_surrogates))
}

/// What makes JSON of a text that a strict parser refuses, if that is in our power.
fn mended_if_refused(json: Option<&str>) -> Option<String> {
    let json = json?;
    if parse(json).is_some() || json.len() > MAX_PARSED { None } else { mended(json) }
}

/// The member of an object that has only this one.
fn only_member(json: &str) -> Option<&str> {
    serde_json::from_str::<Shape<'_, Skipped, Members<'_>>>(json).ok()?.object()?.only()
}

fn parse(json: &str) -> Option<Canonical<'_>> {
    if json.len() <= MAX_PARSED { Canonical::parse(json) } else { None }
}
