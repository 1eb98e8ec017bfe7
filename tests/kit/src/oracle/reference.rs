//! References: blocks whose bytes are elsewhere, and the stubs that stand for them (5.5, 9.4).

use super::labels::{label, stub_size, whole_prefix};
use super::structured::decimal;
use crate::json::Json;
use crate::unit::{text_of, units};

/// What a server claims about bytes that are elsewhere, as far as a stub shows it.
#[derive(Clone, Debug, Default, Eq, PartialEq)]
pub struct Reference {
    /// Where they are. A stub never shows it.
    pub uri: String,
    /// The name, at most 255 UTF-16 code units; empty where there is none.
    pub name: String,
    /// The media type as claimed, at most 255 units; empty where there is none.
    pub media_type: String,
    /// The size, where one was accepted.
    pub size: Option<u64>,
    /// The optional fields that did not fit and were dropped, in the order of 9.4.
    pub dropped: Vec<&'static str>,
}

/// Reads a reference from a block.
///
/// # Errors
///
/// The reason why the block is invalid. A bad optional field is only dropped.
pub fn reference(block: &Json) -> Result<Reference, String> {
    let text = |key| block.get(key).and_then(Json::as_str);
    let Some(uri) = text("uri").filter(|uri| !uri.is_empty()) else {
        return Err("reference without string uri".to_owned());
    };
    if units(uri).len() > 4096 {
        return Err("reference uri longer than 4096".to_owned());
    }
    let shown = |key| text_of(whole_prefix(&units(text(key).unwrap_or("")), 255));
    let is_image = block.get("type").and_then(Json::as_str) == Some("image");
    let media_type = match text("mimeType") {
        None if is_image => type_by_extension(uri).to_owned(),
        _ => shown("mimeType"),
    };
    let size = block.get("size").and_then(accepted_size);
    let dropped = dropped(block, size.is_some());
    Ok(Reference { uri: uri.to_owned(), name: shown("name"), media_type, size, dropped })
}

/// The optional fields that are there and do not fit. A `null` is not there.
fn dropped(block: &Json, has_size: bool) -> Vec<&'static str> {
    let text = |key| block.get(key).and_then(Json::as_str);
    let digest = text("digest").and_then(|digest| digest.strip_prefix("sha256:"));
    let is_digit = |byte: u8| byte.is_ascii_alphanumeric() || b"_-".contains(&byte);
    let fits = [
        ("name", text("name").is_some()),
        ("mimeType", text("mimeType").is_some()),
        ("size", has_size),
        ("digest", digest.is_some_and(|digest| digest.len() == 43 && digest.bytes().all(is_digit))),
        ("expiresAt", text("expiresAt").is_some()),
        ("disposition", matches!(text("disposition"), Some("never" | "ref"))),
    ];
    let is_there = |key| block.get(key).is_some_and(|value| !value.is_null());
    fits.into_iter().filter(|&(key, fits)| is_there(key) && !fits).map(|(key, _)| key).collect()
}

/// A whole number from 0 to 2^53 − 1, however it is spelled.
fn accepted_size(size: &Json) -> Option<u64> {
    let Json::Number(spelling) = size else { return None };
    let (is_negative, digits, before_point) = decimal(spelling);
    if digits.is_empty() {
        return Some(0);
    }
    let places = usize::try_from(before_point).ok().filter(|&places| places <= 16)?;
    if is_negative || digits.len() > places {
        return None;
    }
    let number: u64 = format!("{digits:0<places$}").parse().ok()?;
    (number < 1 << 53).then_some(number)
}

/// An image elsewhere whose type nobody claims is a slot all the same (9.4).
fn type_by_extension(uri: &str) -> &'static str {
    let path = uri.split(['?', '#']).next().unwrap_or("");
    let name = path.rsplit('/').next().unwrap_or("");
    let extension =
        name.rsplit_once('.').map_or(String::new(), |split| split.1.to_ascii_lowercase());
    match extension.as_str() {
        "png" => "image/png",
        "jpg" | "jpeg" => "image/jpeg",
        "gif" => "image/gif",
        "webp" => "image/webp",
        "svg" => "image/svg+xml",
        "bmp" => "image/bmp",
        "tif" | "tiff" => "image/tiff",
        "heic" => "image/heic",
        "heif" => "image/heif",
        "avif" => "image/avif",
        "ico" => "image/vnd.microsoft.icon",
        _ => "image/x-unknown",
    }
}

/// Writes the stub of a reference (5.5). `bound` says whether its server is known, `saved` the
/// path it was fetched to.
pub fn write_stub(
    ref_id: &str,
    reference: &Reference,
    provenance: &str,
    bound: bool,
    saved: Option<&str>,
) -> String {
    let claims = [
        label(&reference.media_type, 120),
        reference.size.map_or(String::new(), |size| format!("{} claimed", stub_size(size))),
    ];
    let claims: Vec<String> = claims.into_iter().filter(|claim| !claim.is_empty()).collect();
    let parts = [
        label(&reference.name, 120),
        claims.join(", "),
        label(provenance, 120),
        match saved {
            Some(path) => format!("saved: {}", label(path, 256)),
            None if bound => "fetch with fetch_reference".to_owned(),
            None => "cannot be fetched: its server is not known".to_owned(),
        },
    ];
    let parts: Vec<String> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    format!("[{ref_id}] {}", parts.join(" — "))
}
