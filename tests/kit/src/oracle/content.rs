//! A content array written as one text (9.3, 9.9, 10).

use super::base64::split_prefix;
use super::labels::{label, media_type, placeholder, placeholder_size};
use super::ledger::{Ledger, Lookup, Retention};
use super::loss::Loss;
use super::reference::{reference, write_stub};
use crate::json::Json;
use crate::unit::units;

/// What stands for inline data that says it is a reference as well (9.3, row 2).
pub const WITHHELD: &str =
    "[inline content withheld: nonconformant bulk disposition on inline data]";

/// What kind of span a block has.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kind {
    /// Text, or a line that describes what has no text.
    Text,
    /// An inline image's placeholder.
    Image,
    /// A stub, or the line that says why there is none.
    Reference,
}

impl Kind {
    /// Returns the kind's name in vectors and in the pipe protocol.
    pub fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Image => "image",
            Self::Reference => "reference",
        }
    }
}

/// Where one block lies in the full text, in UTF-16 code units (10.3).
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct BlockSpan {
    /// What kind of block it is.
    pub kind: Kind,
    /// Where it starts.
    pub start: usize,
    /// Where it ends, exclusive.
    pub end: usize,
    /// Whether the live copy shows it whole at any cap (10.4).
    pub whole: bool,
}

/// An inline image that was retained.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Image {
    /// The block's index.
    pub block: usize,
    /// The ref it got.
    pub reference: String,
    /// The base64 text that is held: what the tool sent, without a `data:` prefix.
    pub payload: String,
    /// The normalized media type.
    pub media_type: String,
    /// The data as sent.
    pub sent_data: String,
    /// The media type as sent.
    pub sent_type: String,
}

/// The call whose result is written.
#[derive(Clone, Copy, Debug)]
pub struct Call<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its tool.
    pub tool: &'a str,
    /// Whether the server of its references is known.
    pub bound: bool,
    /// The ref ids of its references, one for each URI, in the order the URIs are first met. Where
    /// they run out, the nth is `ref_n_0000`, n in base 36.
    pub ref_ids: &'a [String],
}

/// A content array as one text.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Serialized {
    /// The full text.
    pub text: Vec<u16>,
    /// The blocks' spans, or `None` when the array was not taken block by block.
    pub blocks: Option<Vec<BlockSpan>>,
    /// The images retained, in block order.
    pub images: Vec<Image>,
    /// What did not come through whole.
    pub losses: Vec<Loss>,
}

/// Writes the blocks of a content array as one text; `ledger` retains their images.
pub fn serialize(content: &[Json], call: Call<'_>, ledger: &mut Ledger) -> Serialized {
    let (images, losses, uris) = (Vec::new(), Vec::new(), Vec::new());
    let mut writer = Writer { call, ledger, images, losses, uris };
    let mut text: Vec<u16> = Vec::new();
    let mut spans = Vec::new();
    for (index, block) in content.iter().enumerate() {
        let Some(piece) = writer.piece(index, block) else {
            // All or nothing: one such block and the whole array is its JSON. Images before it
            // stay retained (9.9).
            writer.losses.push(Loss::GaveUp { block: index });
            return writer.end(units(&Json::Array(content.to_vec()).to_string()), None);
        };
        if index > 0 {
            text.extend(units("\n"));
        }
        let start = text.len();
        text.extend(units(&piece.text));
        spans.push(BlockSpan { kind: piece.kind, start, end: text.len(), whole: piece.whole });
    }
    writer.end(text, Some(spans))
}

struct Piece {
    kind: Kind,
    text: String,
    whole: bool,
}

struct Writer<'a> {
    call: Call<'a>,
    ledger: &'a mut Ledger,
    images: Vec<Image>,
    losses: Vec<Loss>,
    uris: Vec<String>,
}

impl Writer<'_> {
    fn end(mut self, text: Vec<u16>, blocks: Option<Vec<BlockSpan>>) -> Serialized {
        // Once the result is written: its later images may have pushed out earlier ones (9.10).
        for Image { block, reference, .. } in &self.images {
            if !matches!(self.ledger.lookup(reference), Lookup::Retained(_)) {
                self.losses.push(Loss::NotHeld { block: *block, reference: reference.clone() });
            }
        }
        Serialized { text, blocks, images: self.images, losses: self.losses }
    }

    /// Writes one block: the first row of the table that fits (9.3), or `None` to give up.
    fn piece(&mut self, index: usize, block: &Json) -> Option<Piece> {
        // Row 0.
        let Json::Object(_) = block else { return None };
        let name = block.get("type").and_then(Json::as_str)?;
        let text = |key| block.get(key).and_then(Json::as_str);
        let elsewhere = text("uri").is_some();
        let disposed = block.get("disposition").is_some();
        let inner = block.get("resource").filter(|inner| matches!(inner, Json::Object(_)));
        Some(match (name, text("data"), inner) {
            // Row 1.
            ("text", ..) => match text("text") {
                Some(text) => piece(Kind::Text, text.to_owned()),
                None => self.unrecognized(Kind::Text, index, "text block without string text"),
            },
            // Row 2: a contradiction is withheld, and the line that says so is shown whole.
            ("image" | "audio", Some(_), _) if elsewhere || disposed => {
                self.losses.push(Loss::Withheld { block: index });
                Piece { whole: true, ..piece(Kind::Text, WITHHELD.to_owned()) }
            }
            // Row 3.
            ("image", Some(data), _) => match text("mimeType").or(split_prefix(data).0) {
                Some(claim) => self.image(index, claim, data),
                None => self.unrecognized(Kind::Text, index, "type image"),
            },
            // Row 4.
            ("resource", _, Some(inner)) => self.embedded(index, inner),
            // Row 5.
            ("resource" | "resource_link", ..) => self.elsewhere(index, block),
            ("image" | "audio", None, _) if elsewhere => self.elsewhere(index, block),
            // Row 6.
            ("audio", Some(data), _) => self.described("audio", index, text("mimeType"), data),
            // Row 7. A name can be anything, and its line must hold no slot.
            _ => {
                let harmless = name.replace(['[', ']', '\u{2028}', '\u{2029}'], "");
                self.unrecognized(Kind::Text, index, &format!("type {harmless}"))
            }
        })
    }

    fn image(&mut self, block: usize, claim: &str, data: &str) -> Piece {
        let payload = split_prefix(data).1;
        // Retained before its placeholder is written, in block order (10.2).
        let reference = self.ledger.retain(Retention {
            call_id: self.call.id.to_owned(),
            tool: self.call.tool.to_owned(),
            block,
            payload: payload.to_owned(),
            claim: claim.to_owned(),
        });
        let text = placeholder(claim, payload, Some(&reference));
        self.images.push(Image {
            block,
            reference,
            payload: payload.to_owned(),
            media_type: media_type(claim),
            sent_data: data.to_owned(),
            sent_type: claim.to_owned(),
        });
        Piece { whole: true, ..piece(Kind::Image, text) }
    }

    fn embedded(&mut self, index: usize, inner: &Json) -> Piece {
        let text = |key| inner.get(key).and_then(Json::as_str);
        if let Some(text) = text("text") {
            return piece(Kind::Text, text.to_owned());
        }
        let Some(blob) = text("blob") else {
            return self.unrecognized(Kind::Text, index, "resource without text or blob");
        };
        match text("mimeType").or(split_prefix(blob).0) {
            Some(claim) if media_type(claim).starts_with("image/") => {
                self.image(index, claim, blob)
            }
            _ => self.described("resource", index, text("mimeType"), blob),
        }
    }

    /// The line for bytes that are no image.
    fn described(&mut self, what: &str, block: usize, claim: Option<&str>, data: &str) -> Piece {
        let (prefix, payload) = split_prefix(data);
        let media_type = media_type(claim.or(prefix).unwrap_or(""));
        let encoded_length = units(payload).len();
        let size = placeholder_size(encoded_length as u64 * 3 / 4);
        let text = format!("[{what}: {media_type}, {size}]");
        self.losses.push(Loss::Described { block, media_type, encoded_length });
        piece(Kind::Text, text)
    }

    fn elsewhere(&mut self, index: usize, block: &Json) -> Piece {
        let reference = match reference(block) {
            Ok(reference) => reference,
            Err(reason) => return self.unrecognized(Kind::Reference, index, &reason),
        };
        let dropped = reference.dropped.iter();
        self.losses.extend(dropped.map(|field| Loss::DroppedField { block: index, field }));
        let ref_id = self.ref_id(&reference.uri);
        let text = write_stub(&ref_id, &reference, "from tool result", self.call.bound, None);
        Piece { whole: true, ..piece(Kind::Reference, text) }
    }

    /// The id of a URI, the same for the same (8.3).
    fn ref_id(&mut self, uri: &str) -> String {
        let known = self.uris.iter().position(|known| known == uri);
        let index = known.unwrap_or_else(|| {
            self.uris.push(uri.to_owned());
            self.uris.len() - 1
        });
        let given = self.call.ref_ids.get(index);
        given.cloned().unwrap_or_else(|| format!("ref_{}_0000", base36(index + 1)))
    }

    /// The line for a block that has no other form. A span of kind reference is shown whole.
    fn unrecognized(&mut self, kind: Kind, block: usize, reason: &str) -> Piece {
        let reason = label(reason, 120);
        let text = format!("[unrecognized content block: {reason}]");
        self.losses.push(Loss::Unrecognized { block, reason });
        Piece { whole: kind == Kind::Reference, ..piece(kind, text) }
    }
}

fn piece(kind: Kind, text: String) -> Piece {
    Piece { kind, text, whole: false }
}

/// Writes a number in base 36.
pub(crate) fn base36(mut number: usize) -> String {
    let mut digits = Vec::new();
    while number > 0 || digits.is_empty() {
        digits.push(char::from(b"0123456789abcdefghijklmnopqrstuvwxyz"[number % 36]));
        number /= 36;
    }
    digits.iter().rev().collect()
}
