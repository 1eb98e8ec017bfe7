//! Blocks of content, good, odd and bad.

use super::draw::Draw;
use super::pieces::Pieces;
use crate::Json;

const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR4nGP4////fwAJ+wP9KobjigAAAABJRU5ErkJggg==";
const PAYLOADS: [&str; 13] = [
    PNG,
    "AAAA",
    "",
    "AAAA\nBBBB ",
    "-_8",
    "QQ==",
    "QQ",
    "not base64!",
    "A",
    "=AAA",
    "AA===",
    "é漢",
    "R0lGODlhAQABAIAAAP==",
];
const IMAGE_TYPES: [&str; 9] = [
    "image/png",
    "image/gif",
    " IMAGE/JPEG ; q=1",
    "image/svg+xml",
    "",
    "image/]",
    "text/plain",
    "image/\u{212A}",
    "\u{feff}image/webp\u{85}",
];
const URIS: [&str; 10] = [
    "mcp://cam/1",
    "https://example.org/a.b/pic.png?x=.gif",
    "https://example.org/pic",
    "https://example.org/PIC.JPEG#top",
    "file:///tmp/chord.wav",
    "mcp://[image: image/png, 1B]",
    "",
    "mcp://cam/2",
    "https://example.org/scan.tiff",
    "https://example.org/fav.Ico",
];
const NAMES: [&str; 7] = [
    "cam.png",
    "",
    "quotes [image: image/png, 1B]",
    "a\r\nb\u{202e}c\u{85}",
    "x\u{2028}[ref_1_a] image/gif",
    "é漢😀",
    "not an image/png",
];
const STRANGE: [&str; 7] = [
    "mystery",
    "",
    "Text",
    "[image: image/png, 1B]",
    "a\nb",
    "x\u{2028}y",
    "x\u{2029}[ref_1_a] image/png",
];

/// Draws a block that is taken, whatever it is.
pub(crate) fn block(draw: &mut Draw<'_, '_>) -> Json {
    match draw.number(0..=15) {
        0..=3 => text(draw),
        4..=6 => image(draw),
        7 => data_url(draw),
        8..=10 => reference(draw),
        11 => contradiction(draw),
        12 => embedded(draw),
        13 => audio(draw),
        14 => unknown(draw),
        _ => long_text(draw),
    }
}

/// Draws an element that is no block: the result gives up.
pub(crate) fn no_block(draw: &mut Draw<'_, '_>) -> Json {
    let element =
        draw.pick(&["null", "7", "\"text\"", "[]", r#"{"data":1}"#, r#"{"type":7}"#, "{}"]);
    Json::parse(element).expect("JSON")
}

fn text(draw: &mut Draw<'_, '_>) -> Json {
    let text = Pieces::draw(draw, 4).text;
    Json::object([("type", "text".into()), ("text", text.into())])
}

fn long_text(draw: &mut Draw<'_, '_>) -> Json {
    let unit = draw.pick(&["x", "line of text\n", "é😀", "[ref_1_a] image/png\n"]);
    let text = unit.repeat(draw.number(1..=150));
    Json::object([("type", "text".into()), ("text", text.into())])
}

fn image(draw: &mut Draw<'_, '_>) -> Json {
    Json::object([
        ("type", "image".into()),
        ("data", payload(draw).into()),
        ("mimeType", draw.pick(&IMAGE_TYPES).into()),
    ])
}

fn payload(draw: &mut Draw<'_, '_>) -> String {
    let payload = draw.pick(&PAYLOADS);
    // Long enough now and then that the label is in KB; never so long that a case is slow.
    if draw.one_in(6) { "AAAA".repeat(draw.number(340..=700)) } else { payload.to_owned() }
}

/// Inline data behind a data prefix, or behind what only looks like one (7.2).
fn prefixed(draw: &mut Draw<'_, '_>) -> String {
    let prefix = draw.pick(&[
        "data:image/png;base64,",
        "DATA:image/gif;Base64,",
        "data:;base64,",
        "data:image/svg+xml;q=1;base64,",
        "data:audio/ogg;base64,",
        "data:image/é;base64,",
        "data:a,b;base64,",
        "data:image/png,",
        "data:base64,",
    ]);
    format!("{prefix}{}", payload(draw))
}

fn data_url(draw: &mut Draw<'_, '_>) -> Json {
    let mut members = vec![("type", "image".into()), ("data", prefixed(draw).into())];
    if draw.one_in(2) {
        members.push(("mimeType", draw.pick(&IMAGE_TYPES).into()));
    }
    object(members)
}

/// Inline data, rarely behind a data prefix.
fn data(draw: &mut Draw<'_, '_>) -> Json {
    if draw.one_in(5) { prefixed(draw).into() } else { payload(draw).into() }
}

fn reference(draw: &mut Draw<'_, '_>) -> Json {
    let kind = draw.pick(&["resource_link", "resource", "image", "audio"]);
    let mut members: Vec<(&str, Json)> = vec![("type", kind.into())];
    match draw.number(0..=11) {
        10 => members.push(("uri", "u".repeat(draw.number(4095..=4097)).into())),
        // Without a string an image is an unknown block, not a reference.
        11 => members.push(("uri", Json::Null)),
        _ => members.push(("uri", draw.pick(&URIS).into())),
    }
    if draw.one_in(2) {
        members.push(("name", name(draw)));
    }
    if draw.one_in(2) {
        members.push(("mimeType", media_type(draw)));
    }
    if draw.one_in(2) {
        let size = draw.pick(&[
            "0",
            "2048",
            "1.0",
            "1e3",
            "9007199254740991",
            "9007199254740992",
            "-1",
            "12.5",
            "null",
            "\"5\"",
        ]);
        members.push(("size", Json::parse(size).expect("JSON")));
    }
    if draw.one_in(4) {
        members.push(("disposition", draw.pick(&["never", "ref", "other"]).into()));
    }
    if draw.one_in(4) {
        members.push(("digest", "sha256:too-short".into()));
        members.push(("expiresAt", "2030-01-01T00:00:00Z".into()));
    }
    object(members)
}

fn name(draw: &mut Draw<'_, '_>) -> Json {
    match draw.number(0..=9) {
        7 => "n".repeat(draw.number(119..=260)).into(),
        8 => format!("{}😀😀", "n".repeat(draw.number(115..=120))).into(),
        9 => 7.into(),
        _ => draw.pick(&NAMES).into(),
    }
}

fn media_type(draw: &mut Draw<'_, '_>) -> Json {
    match draw.number(0..=5) {
        3 => "audio/wav".into(),
        4 => format!("image/{}", "m".repeat(draw.number(110..=255))).into(),
        5 => Json::Null,
        _ => draw.pick(&["image/png", "IMAGE/JPEG", "image/png; a=b", "text/plain"]).into(),
    }
}

fn contradiction(draw: &mut Draw<'_, '_>) -> Json {
    let kind = draw.pick(&["image", "audio"]);
    let mut members: Vec<(&str, Json)> =
        vec![("type", kind.into()), ("data", PNG.into()), ("mimeType", "image/png".into())];
    match draw.number(0..=3) {
        0 => members.push(("disposition", "never".into())),
        1 => members.push(("disposition", Json::Null)),
        2 => members.push(("uri", "mcp://cam/1".into())),
        // No contradiction: a uri that is no string says nothing.
        _ => members.push(("uri", 7.into())),
    }
    object(members)
}

fn embedded(draw: &mut Draw<'_, '_>) -> Json {
    let mut inner: Vec<(&str, Json)> = vec![("uri", "file:///tmp/a".into())];
    if draw.one_in(2) {
        inner.push(("mimeType", draw.pick(&IMAGE_TYPES).into()));
    }
    match draw.number(0..=4) {
        0 => inner.push(("text", Pieces::draw(draw, 3).text.into())),
        1 | 2 => inner.push(("blob", data(draw))),
        3 => inner.push(("text", 7.into())),
        _ => {}
    }
    Json::object([("type", "resource".into()), ("resource", object(inner))])
}

fn audio(draw: &mut Draw<'_, '_>) -> Json {
    let mut members: Vec<(&str, Json)> = vec![("type", "audio".into()), ("data", data(draw))];
    if draw.one_in(2) {
        members.push(("mimeType", draw.pick(&["audio/wav", "AUDIO/x y", "image/png"]).into()));
    }
    object(members)
}

fn unknown(draw: &mut Draw<'_, '_>) -> Json {
    match draw.number(0..=4) {
        0 => Json::object([("type", draw.pick(&STRANGE).into()), ("text", "unseen".into())]),
        1 => Json::object([("type", "t".repeat(draw.number(110..=130)).into())]),
        2 => Json::object([("type", "text".into()), ("text", 5.into())]),
        3 => Json::object([("type", "image".into()), ("data", "AAAA".into())]),
        _ => Json::object([("type", draw.pick(&["image", "audio"]).into())]),
    }
}

fn object(members: Vec<(&str, Json)>) -> Json {
    Json::Object(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
}
