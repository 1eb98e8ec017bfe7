//! A conversation that remembers what the model saw, and the saves it would grant (18, 19).
//!
//! Nothing here is clever: every stored text is scanned whole, every image of the conversation is
//! listed for every question, and the bytes of an image are those its own block had when the model
//! was shown it. The ledger only says whether they are still there.

use std::collections::{BTreeMap, VecDeque};

use super::base64::decode;
use super::ingest::{Format, Ingested, Ingestion, ingest};
use super::labels::media_type;
use super::ledger::{Ledger, Lookup};
use super::slots::{Slot, SlotKind, slots};
use super::stored::Keeping;
use super::{Call, Kind};
use crate::json::Json;
use crate::unit::{Unit, units};

/// How many images one save can ask for (19.2).
const MOST_IN_ONE_SAVE: usize = 20;

/// The tools that quote what is stored (18.7).
const READ_BACK: [&str; 3] = ["get_full_tool_result", "recall", "list_tool_results"];

/// One part of a message.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Part {
    /// Words, or a block that is no image of ours.
    Text(String),
    /// An image attached to the message.
    Attachment(Attachment),
    /// A call.
    Call {
        /// Its id.
        id: String,
        /// The tool.
        tool: String,
    },
    /// The result of a call.
    Result {
        /// The call.
        call_id: String,
        /// The tool, if it is named here.
        tool: Option<String>,
        /// What it says.
        content: Stored,
    },
}

/// An image attached to a message.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Attachment {
    /// Its base64 text; without one its bytes are elsewhere.
    pub payload: Option<String>,
    /// Its type, if it is named.
    pub claim: Option<String>,
}

/// A result in a message.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Stored {
    /// The text that was stored.
    Text(String),
    /// The blocks that are sent.
    Blocks(Vec<Json>),
}

/// One image of the conversation, as the inventory lists it.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SeenImage {
    /// How many messages back it stands.
    pub messages_back: usize,
    /// Its type as shown.
    pub media_type: String,
    /// The call and the tool of the result it stands in; `None` for an attachment.
    pub result: Option<(String, String)>,
    /// The ref of its placeholder.
    pub reference: Option<String>,
    /// The id of its stub.
    pub ref_id: Option<String>,
    /// The image that the model saw there, or why there is none to give.
    pub given: Result<Given, &'static str>,
}

/// An image as it would be given.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Given {
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// Its type.
    pub media_type: String,
    /// For a tool's image: ref, call, tool, block.
    pub origin: Option<(String, String, String, usize)>,
}

/// An image that a save gives.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct Saved {
    /// The name to write it to.
    pub path: String,
    /// Its index, 0 by ref.
    pub index: usize,
    /// How many messages back it stands.
    pub messages_back: usize,
    /// What is given.
    pub given: Given,
}

/// What a save answers: the images, and whether they are fewer than asked for; or the reason.
pub type Answer = Result<(Vec<Saved>, bool), &'static str>;

/// A conversation that remembers everything.
#[derive(Clone, Debug)]
pub struct Conversation {
    ledger: Ledger,
    scan_limit: usize,
    /// Each message as its images, in order.
    messages: Vec<Vec<Seen>>,
    /// Tools of the calls in messages, the newest last.
    calls: Vec<(String, String)>,
    pending: Vec<(String, String)>,
    batch: Vec<Seen>,
    results: usize,
    /// What was shown under each ref.
    shown: BTreeMap<String, Shown>,
}

#[derive(Clone, Debug)]
struct Shown {
    call_id: String,
    tool: String,
    block: usize,
    payload: String,
    media_type: String,
}

#[derive(Clone, Debug)]
enum Seen {
    Attachment(Attachment),
    Slot {
        call_id: String,
        tool: String,
        slot: Slot,
        /// The payload of the block whose placeholder this is. Words have none.
        own: Option<String>,
    },
}

impl Conversation {
    /// Makes an empty conversation.
    pub fn new(nonce: &str, max_entries: usize, max_chars: usize, scan_limit: usize) -> Self {
        Self {
            ledger: Ledger::new(nonce, max_entries, max_chars),
            scan_limit,
            messages: Vec::new(),
            calls: Vec::new(),
            pending: Vec::new(),
            batch: Vec::new(),
            results: 0,
            shown: BTreeMap::new(),
        }
    }

    /// Opens calls, each an id and a tool.
    pub fn begin(&mut self, calls: &[(String, String)]) {
        self.pending.extend_from_slice(calls);
    }

    /// The calls without a result.
    pub fn pending(&self) -> &[(String, String)] {
        &self.pending
    }

    /// Takes a result in. `None` where an outcome is no object.
    pub fn ingest(&mut self, result: &Json, ingestion: Ingestion<'_>) -> Option<Ingested> {
        let ingested = ingest(result, ingestion, &mut self.ledger)?;
        let call = ingestion.call;
        if let Some(at) = self.pending.iter().position(|(id, _)| id == call.id) {
            self.pending.remove(at);
        }
        let mut seen = self.seen(call.id, call.tool, &ingested);
        self.batch.append(&mut seen);
        self.results += 1;
        Some(ingested)
    }

    /// Adds a message; returns its position.
    ///
    /// # Panics
    ///
    /// Never: blocks are no outcome.
    pub fn message(&mut self, parts: &[Part]) -> usize {
        let mut message = Vec::new();
        for part in parts {
            match part {
                Part::Text(_) => {}
                Part::Attachment(attachment) => message.push(Seen::Attachment(attachment.clone())),
                Part::Call { id, tool } => self.calls.push((id.clone(), tool.clone())),
                Part::Result { call_id, tool, content } => {
                    let of_call = self.calls.iter().rev().find(|(id, _)| id == call_id);
                    let of_call = of_call.map(|(_, tool)| tool.clone());
                    let tool = tool.clone().or(of_call).unwrap_or_default();
                    let blocks = match content {
                        Stored::Text(text) => Json::from(text.as_str()),
                        Stored::Blocks(blocks) => Json::Array(blocks.clone()),
                    };
                    let call = Call { id: call_id, tool: &tool, bound: true, ref_ids: &[] };
                    // Written whole, at no cap (18.3).
                    let (cap, unit, keeping) = (0, Unit::Utf16, Keeping::NoStore);
                    let ingestion = Ingestion { format: Format::Data, cap, unit, call, keeping };
                    let ingested = ingest(&blocks, ingestion, &mut self.ledger).expect("data");
                    message.append(&mut self.seen(call_id, &tool, &ingested));
                }
            }
        }
        self.messages.push(message);
        self.messages.len() - 1
    }

    /// Closes the batch; returns how many results it held.
    pub fn commit(&mut self) -> usize {
        self.pending.clear();
        let batch = std::mem::take(&mut self.batch);
        let results = std::mem::take(&mut self.results);
        if results > 0 {
            self.messages.push(batch);
        }
        results
    }

    /// The slots of a result's stored copy, and of each what the model saw there.
    fn seen(&mut self, call_id: &str, tool: &str, ingested: &Ingested) -> Vec<Seen> {
        let spans = ingested.blocks.iter().flatten().filter(|span| span.kind == Kind::Image);
        let mut images: Vec<(usize, usize, &str)> = Vec::new();
        for (span, image) in spans.zip(&ingested.images) {
            images.push((span.start, span.end, &image.payload));
        }
        for image in &ingested.images {
            // The same block with the same bytes keeps its first provenance (7.5).
            self.shown.entry(image.reference.clone()).or_insert_with(|| Shown {
                call_id: call_id.to_owned(),
                tool: tool.to_owned(),
                block: image.block,
                payload: image.payload.clone(),
                media_type: image.media_type.clone(),
            });
        }
        let shows_image = ingested.blocks.iter().flatten().any(|span| span.kind == Kind::Image);
        if READ_BACK.contains(&tool) && !shows_image {
            return Vec::new();
        }
        let text = &ingested.stored.text;
        let kept = &ingested.stored.cut.kept;
        // The kept slots stand at the end, joined by line breaks (13.4).
        let mut ends: VecDeque<(usize, usize)> = VecDeque::new();
        let mut end = text.len();
        for &(start, stop) in kept.iter().rev() {
            ends.push_front((end - (stop - start), end));
            end = (end - (stop - start)).saturating_sub(1);
        }
        let place = |slot: &Slot| {
            let in_kept = ends.iter().position(|&range| range == (slot.start, slot.end));
            match in_kept {
                Some(at) => Some(kept[at]),
                None => (slot.end <= ingested.stored.cut.head).then_some((slot.start, slot.end)),
            }
        };
        let seen = |slot: Slot| {
            let own = place(&slot).and_then(|place| {
                images.iter().find(|image| (image.0, image.1) == place).map(|image| image.2)
            });
            let (call_id, tool) = (call_id.to_owned(), tool.to_owned());
            Seen::Slot { call_id, tool, slot, own: own.map(ToOwned::to_owned) }
        };
        slots(text).into_iter().map(seen).collect()
    }

    /// Every image of the conversation, the newest first (18.5).
    pub fn images(&self) -> Vec<SeenImage> {
        let mut images: Vec<SeenImage> = Vec::new();
        for seen in self.batch.iter().rev() {
            images.push(self.image(seen, 0));
        }
        for (ago, message) in self.messages.iter().rev().take(self.scan_limit).enumerate() {
            for seen in message.iter().rev() {
                images.push(self.image(seen, ago + 1));
            }
        }
        images
    }

    fn image(&self, seen: &Seen, messages_back: usize) -> SeenImage {
        match seen {
            Seen::Attachment(attachment) => {
                let claim = attachment.claim.as_deref().filter(|claim| !claim.is_empty());
                let media_type = claim.map_or("image/png".to_owned(), media_type);
                let given = match &attachment.payload {
                    None => Err("attachment_not_inline"),
                    Some(payload) => given(payload, &media_type, None),
                };
                let (result, reference, ref_id) = (None, None, None);
                SeenImage { messages_back, media_type, result, reference, ref_id, given }
            }
            Seen::Slot { call_id, tool, slot, own } => {
                let handle = slot.reference.clone();
                let (reference, ref_id) = match slot.kind {
                    SlotKind::Inline => (handle, None),
                    SlotKind::Reference => (None, handle),
                };
                SeenImage {
                    messages_back,
                    media_type: slot.media_type.clone(),
                    result: Some((call_id.clone(), tool.clone())),
                    reference,
                    ref_id,
                    given: self.given(call_id, slot, own.as_deref()),
                }
            }
        }
    }

    /// What a slot gives (19.6).
    fn given(&self, call_id: &str, slot: &Slot, own: Option<&str>) -> Result<Given, &'static str> {
        if slot.kind == SlotKind::Reference {
            return Err("reference");
        }
        let reference = slot.reference.as_ref().ok_or("no_ref")?;
        let held = match self.ledger.lookup(reference) {
            Lookup::Unknown => return Err("unknown_ref"),
            Lookup::Retained(_) => true,
            Lookup::Evicted(_) => false,
        };
        let shown = &self.shown[reference];
        if shown.call_id != call_id {
            assert!(own.is_none(), "a block's own placeholder has its own call's ref");
            return Err("foreign");
        }
        if !held {
            return Err("evicted");
        }
        // What the model saw at that very place; for words of the call itself, what they name.
        if let Some(own) = own {
            assert_eq!(own, shown.payload, "a ref stands for one picture");
        }
        let payload = own.unwrap_or(&shown.payload);
        let Shown { call_id, tool, block, .. } = shown.clone();
        given(payload, &shown.media_type, Some((reference.clone(), call_id, tool, block)))
    }

    /// Answers a call of `save_recent_image` (19).
    ///
    /// # Errors
    ///
    /// The reason why nothing is given.
    pub fn save(&self, arguments: &Json) -> Answer {
        let supplied = |key: &str| arguments.get(key).filter(|value| !value.is_null());
        let path = supplied("path").and_then(Json::as_str).filter(|path| !path.is_empty());
        let path = path.ok_or("bad_selector")?;
        if let Some(reference) = supplied("ref") {
            let reference = reference.as_str().filter(|text| is_ref(text)).ok_or("bad_selector")?;
            if supplied("index").is_some() || supplied("count").is_some() {
                return Err("conflicting_selectors");
            }
            return self.save_ref(path, reference);
        }
        let index = supplied("index").map_or(Some(0), whole_number).ok_or("bad_selector")?;
        let count = supplied("count").map_or(Some(1), whole_number).ok_or("bad_selector")?;
        if !(1..=MOST_IN_ONE_SAVE).contains(&count) {
            return Err("bad_selector");
        }
        let images = self.images();
        let mut saved = Vec::new();
        for (at, image) in images.iter().enumerate().skip(index).take(count) {
            let path = if count == 1 { path.to_owned() } else { numbered(path, at - index) };
            let messages_back = image.messages_back;
            saved.push(Saved { path, index: at, messages_back, given: image.given.clone()? });
        }
        if saved.is_empty() {
            return Err("not_enough_images");
        }
        let fewer = saved.len() < count;
        Ok((saved, fewer))
    }

    fn save_ref(&self, path: &str, reference: &str) -> Answer {
        let owner = match self.ledger.lookup(reference) {
            Lookup::Unknown => None,
            Lookup::Retained(_) | Lookup::Evicted(_) => Some(&self.shown[reference].call_id),
        };
        let mut quoted = false;
        for image in self.images() {
            if image.reference.as_deref() != Some(reference) {
                continue;
            }
            let call_id = image.result.map(|(call_id, _)| call_id);
            if owner.is_some() && call_id.as_ref() != owner {
                quoted = true;
                continue;
            }
            let path = path.to_owned();
            let messages_back = image.messages_back;
            return Ok((vec![Saved { path, index: 0, messages_back, given: image.given? }], false));
        }
        Err(match owner {
            None => "unknown_ref",
            Some(_) if quoted => "foreign",
            Some(_) => "not_in_context",
        })
    }
}

fn given(
    payload: &str,
    media_type: &str,
    origin: Option<(String, String, String, usize)>,
) -> Result<Given, &'static str> {
    let bytes = decode(payload).filter(|bytes| !bytes.is_empty()).ok_or("undecodable")?;
    Ok(Given { bytes, media_type: media_type.to_owned(), origin })
}

/// Whether `text` is a ref by itself (4.5).
fn is_ref(text: &str) -> bool {
    let placeholder = format!("[image: a/b, 1B, ref {text}]");
    let wide = units(&placeholder);
    let found = slots(&wide);
    found.len() == 1 && found[0].reference.as_deref() == Some(text) && found[0].end == wide.len()
}

/// A whole number from 0, as a number or as a string of digits (19.2).
fn whole_number(value: &Json) -> Option<usize> {
    let digits = |text: &str| {
        let digits = !text.is_empty() && text.chars().all(|digit| digit.is_ascii_digit());
        digits.then(|| text.parse().unwrap_or(usize::MAX))
    };
    match value {
        Json::String(text) => digits(text),
        Json::Number(spelling) => digits(spelling).or_else(|| {
            let number: f64 = spelling.parse().ok()?;
            let whole = number >= 0.0 && number.fract() == 0.0;
            // Written out in full, a double is digits.
            whole.then(|| format!("{:.0}", number.abs())).and_then(|text| digits(&text))
        }),
        _ => None,
    }
}

/// Numbers a name (19.9).
fn numbered(path: &str, offset: usize) -> String {
    let (folder, name) = path.rsplit_once('/').map_or((None, path), |(f, name)| (Some(f), name));
    let name = match name.rsplit_once('.') {
        Some((stem, extension)) => format!("{stem}-{offset}.{extension}"),
        None => format!("{name}-{offset}"),
    };
    folder.map_or(name.clone(), |folder| format!("{folder}/{name}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(id: &str) -> Call<'_> {
        Call { id, tool: "snap", bound: true, ref_ids: &[] }
    }

    fn take(conversation: &mut Conversation, id: &str, result: &str) {
        let (format, cap, unit, keeping) = (Format::Mcp, 0, Unit::Utf16, Keeping::NoStore);
        let ingestion = Ingestion { format, cap, unit, call: call(id), keeping };
        let result = Json::parse(result).expect("JSON");
        conversation.ingest(&result, ingestion).expect("no outcome");
    }

    fn save(conversation: &Conversation, arguments: &str) -> Answer {
        conversation.save(&Json::parse(arguments).expect("JSON"))
    }

    #[test]
    fn it_remembers_what_was_shown_and_grants_nothing_else() {
        let mut conversation = Conversation::new("n", 1, 100, 500);
        take(&mut conversation, "c1", r#"[{"type":"image","data":"AAAA","mimeType":"image/png"}]"#);
        let (saved, fewer) = save(&conversation, r#"{"path":"a.png","count":2}"#).expect("it");
        assert_eq!((saved[0].path.as_str(), fewer), ("a-0.png", true));
        assert_eq!(saved[0].given.bytes, [0, 0, 0]);
        conversation.commit();
        take(&mut conversation, "c2", r#""[image: image/png, 3B, ref img_n_1]""#);
        assert_eq!(save(&conversation, r#"{"path":"a"}"#), Err("foreign"));
        assert!(save(&conversation, r#"{"path":"a","ref":"img_n_1"}"#).is_ok());
        take(&mut conversation, "c3", r#"[{"type":"image","data":"BBBB","mimeType":"image/png"}]"#);
        assert_eq!(save(&conversation, r#"{"path":"a","ref":"img_n_1"}"#), Err("evicted"));
        assert_eq!(save(&conversation, r#"{"path":"a","index":"3"}"#), Err("not_enough_images"));
    }

    #[test]
    fn numbers_and_refs_are_what_19_2_says() {
        let number = |json: &str| whole_number(&Json::parse(json).expect("JSON"));
        for (json, expected) in [
            ("0", Some(0)),
            ("1.0", Some(1)),
            ("2e1", Some(20)),
            ("-0", Some(0)),
            (r#""007""#, Some(7)),
            ("18446744073709551616", Some(usize::MAX)),
            ("1e300", Some(usize::MAX)),
            ("-1", None),
            ("0.5", None),
            (r#""1.0""#, None),
            (r#""""#, None),
            ("true", None),
        ] {
            assert_eq!(number(json), expected, "{json}");
        }
        assert!(is_ref("img_k7x3q2_7") && !is_ref("img_7") && !is_ref("img_a_1]") && !is_ref(""));
    }
}
