//! The type of an image that is elsewhere and has none: by the extension of its URI.

/// The type of an image that only its URI names, so that it is a slot whatever it is.
pub(super) fn image_type_of(uri: &str) -> &'static str {
    let path = uri.split(['?', '#']).next().unwrap_or_default();
    let (_, name) = path.rsplit_once('/').unwrap_or(("", path));
    let (_, extension) = name.rsplit_once('.').unwrap_or_default();
    match extension.to_ascii_lowercase().as_str() {
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
