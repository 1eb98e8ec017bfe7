//! A conversation: results, messages and commits in any order, and saves in between.

use arbitrary::{Arbitrary, Result, Unstructured};

use super::block::{block, no_block};
use super::draw::Draw;
use crate::oracle::Format;
use crate::oracle::saving::{Attachment, Part, Stored};
use crate::{Json, Unit};

/// A conversation and what is asked of it, for the nonce `abc123`.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SaveCase {
    /// How many images its ledger holds.
    pub max_entries: u32,
    /// How many characters of base64 its ledger holds.
    pub max_chars: u32,
    /// How many messages its inventory looks at.
    pub scan_limit: u32,
    /// What happens, in order.
    pub steps: Vec<SaveStep>,
}

/// One thing that happens.
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum SaveStep {
    /// Calls are opened, each an id and a tool.
    Begin(Vec<(String, String)>),
    /// A call completes.
    Ingest(SavedResult),
    /// A message is added.
    Message(Vec<Part>),
    /// The batch is closed.
    Commit,
    /// A save with these arguments.
    Save(Json),
}

/// A result as it is taken in.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct SavedResult {
    /// The call it answers.
    pub call_id: String,
    /// The tool, never empty.
    pub tool: String,
    /// What it says.
    pub result: Json,
    /// How it is read.
    pub format: Format,
    /// The cap, 0 for none.
    pub cap: u32,
    /// The cap's unit.
    pub unit: Unit,
}

const CALLS: [&str; 4] = ["c1", "c2", "c3", ""];
/// A call's tool is a matter of chance: one id used twice can be of two tools.
const TOOLS: [&str; 7] =
    ["snap", "cam", "snap", "cam", "save_recent_image", "get_full_tool_result", "recall"];
const MOST_STEPS: usize = 40;

impl<'a> Arbitrary<'a> for SaveCase {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        let mut draw = Draw::new(bytes);
        let max_entries = [64, 3, 2, 1, 0, 5][draw.number(0..=5)];
        let max_chars = [100_663_296, 100_663_296, 40, 8, 3][draw.number(0..=4)];
        let scan_limit = [500, 3, 1, 0, 2][draw.number(0..=4)];
        let mut steps = Vec::new();
        while steps.len() < MOST_STEPS && !draw.is_spent() {
            steps.push(step(&mut draw));
        }
        Ok(Self { max_entries, max_chars, scan_limit, steps })
    }
}

fn step(draw: &mut Draw<'_, '_>) -> SaveStep {
    match draw.number(0..=15) {
        0..=5 => SaveStep::Ingest(result(draw)),
        6 | 7 => {
            let parts = (0..draw.number(1..=4)).map(|_| part(draw));
            SaveStep::Message(parts.collect())
        }
        8 | 9 => SaveStep::Commit,
        10 => {
            let call = |draw: &mut Draw<'_, '_>| {
                (draw.pick(&CALLS).to_owned(), draw.pick(&TOOLS).to_owned())
            };
            SaveStep::Begin((0..draw.number(1..=3)).map(|_| call(draw)).collect())
        }
        _ => SaveStep::Save(arguments(draw)),
    }
}

fn result(draw: &mut Draw<'_, '_>) -> SavedResult {
    let (call_id, tool) = (draw.pick(&CALLS).to_owned(), draw.pick(&TOOLS).to_owned());
    let cap = [0, draw.number(1..=120), draw.number(10..=700)][draw.number(0..=2)];
    let cap = u32::try_from(cap).expect("a small cap");
    let unit = draw.unit();
    let blocks = blocks(draw, 5, true);
    let (format, result) = match draw.number(0..=9) {
        0 => (Format::Mcp, quote(draw).into()),
        1 => (
            Format::Mcp,
            Json::object([("isError", true.into()), ("content", Json::Array(blocks))]),
        ),
        // An error of an outcome has its own text, whatever data comes with it.
        2 => (
            Format::Outcome,
            Json::object([
                ("data", Json::Array(blocks)),
                ("error", quote(draw).into()),
                ("isError", true.into()),
            ]),
        ),
        3 => (Format::Data, Json::Array(blocks)),
        _ => (Format::Mcp, Json::Array(blocks)),
    };
    SavedResult { call_id, tool, result, format, cap, unit }
}

/// Blocks, most of them images that differ; now and then so many that the ledger is not enough.
fn blocks(draw: &mut Draw<'_, '_>, most: usize, any: bool) -> Vec<Json> {
    let mut blocks = Vec::new();
    for _ in 0..draw.number(0..=most) {
        blocks.push(match draw.number(0..=9) {
            0..=4 => image(draw),
            5 | 6 => {
                let text = quote(draw);
                Json::object([("type", "text".into()), ("text", text.into())])
            }
            7 => {
                let text = "x".repeat(draw.number(1..=200));
                Json::object([("type", "text".into()), ("text", text.into())])
            }
            _ if any => block(draw),
            _ => image(draw),
        });
    }
    if any && draw.one_in(16) {
        blocks.extend((0..draw.number(60..=70)).map(|index| numbered(1000 + index)));
    }
    if any && draw.one_in(16) {
        let at = draw.number(0..=blocks.len());
        blocks.insert(at, no_block(draw));
    }
    blocks
}

fn image(draw: &mut Draw<'_, '_>) -> Json {
    let number = draw.number(0..=40);
    match draw.number(0..=15) {
        15 => {
            let data = draw.pick(&["", "A", "no base64", "===="]).into();
            let image = [("type", "image".into()), ("data", data), ("mimeType", "a/b".into())];
            Json::object(image)
        }
        _ => numbered(number),
    }
}

/// An image whose three bytes say which one it is.
fn numbered(number: usize) -> Json {
    Json::object([
        ("type", "image".into()),
        ("data", format!("{number:04}").into()),
        ("mimeType", ["image/png", "image/gif", "IMAGE/WEBP"][number % 3].into()),
    ])
}

/// Words that quote or forge a slot, or several.
fn quote(draw: &mut Draw<'_, '_>) -> String {
    let mut text = String::new();
    for _ in 0..draw.number(0..=2) {
        text += draw.pick(&["seen: ", "\n", "", "é😀 "]);
        text += &match draw.number(0..=5) {
            0..=2 => format!("[image: image/png, 3B, ref {}]", reference(draw)),
            3 => "[image: image/png, 3B]".to_owned(),
            4 => "\n[ref_1_ab3d] cam.png — image/jpeg\n".to_owned(),
            _ => {
                format!("\n[ref_2_x] a [image: image/gif, 1B, ref {}] image/png\n", reference(draw))
            }
        };
    }
    text
}

fn reference(draw: &mut Draw<'_, '_>) -> String {
    let sequence = draw.number(1..=9);
    match draw.number(0..=7) {
        7 => draw.pick(&["img_other_1", "img_abc123_01", "img_abc123_0"]).to_owned(),
        _ => format!("img_abc123_{sequence}"),
    }
}

fn part(draw: &mut Draw<'_, '_>) -> Part {
    match draw.number(0..=7) {
        0 => Part::Text(quote(draw)),
        1 | 2 => Part::Attachment(Attachment {
            payload: match draw.number(0..=7) {
                0 => None,
                1 => Some(draw.pick(&["", "A", "&"]).to_owned()),
                _ => Some(format!("{:04}", 2000 + draw.number(0..=40))),
            },
            claim: match draw.number(0..=2) {
                0 => None,
                1 => Some(draw.pick(&["", "x", "IMAGE/PNG"]).to_owned()),
                _ => Some("image/gif".to_owned()),
            },
        }),
        3 => Part::Call { id: draw.pick(&CALLS).to_owned(), tool: draw.pick(&TOOLS).to_owned() },
        4 | 5 => Part::Result {
            call_id: draw.pick(&CALLS).to_owned(),
            tool: [None, Some(draw.pick(&TOOLS).to_owned())][draw.number(0..=1)].clone(),
            content: Stored::Text(quote(draw)),
        },
        // Blocks of references are for `Ingest`: their ids are not known here.
        _ => Part::Result {
            call_id: draw.pick(&CALLS).to_owned(),
            tool: [None, Some(draw.pick(&TOOLS).to_owned())][draw.number(0..=1)].clone(),
            content: Stored::Blocks(blocks(draw, 3, false)),
        },
    }
}

fn arguments(draw: &mut Draw<'_, '_>) -> Json {
    let mut members: Vec<(String, Json)> = Vec::new();
    let path = draw.pick(&["shot.png", "a/b.c/d", "", "x.tar.gz", ".png", "a.b/.c"]);
    members.push(("path".to_owned(), path.into()));
    match draw.number(0..=9) {
        0..=4 => {
            members.push(("index".to_owned(), draw.number(0..=6).into()));
            if draw.one_in(3) {
                members.push(("count".to_owned(), draw.number(0..=21).into()));
            }
        }
        5..=7 => members.push(("ref".to_owned(), reference(draw).into())),
        _ => {
            for key in ["index", "count", "ref", "path"] {
                if draw.one_in(2) {
                    let value = draw.pick(&[
                        "null",
                        "\"\"",
                        "\"1\"",
                        "1.0",
                        "-1",
                        "1.5",
                        "true",
                        "[2]",
                        "{}",
                        "\" \"",
                        "\"img_1\"",
                        "\"img_abc123_1\"",
                        "99999999999999999999999",
                        "\"00\"",
                        "2e0",
                    ]);
                    members.push((key.to_owned(), Json::parse(value).expect("JSON")));
                }
            }
        }
    }
    Json::Object(members)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::generate::from_bytes;
    use crate::oracle::saving::Conversation;
    use crate::oracle::{Call, Ingestion, Keeping};

    /// Bytes without a pattern, the same on every run.
    fn bytes(seed: u64) -> Vec<u8> {
        let mut state = seed.wrapping_mul(0x9E37_79B9_7F4A_7C15) | 1;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state.to_le_bytes()[3]
        };
        (0..700).map(|_| next()).collect()
    }

    #[test]
    fn no_bytes_are_an_empty_conversation() {
        assert!(from_bytes::<SaveCase>(&[]).steps.is_empty());
    }

    #[test]
    fn every_answer_comes_up() {
        let mut answers: BTreeMap<&str, usize> = BTreeMap::new();
        for seed in 0..150 {
            let case: SaveCase = from_bytes(&bytes(seed));
            let (entries, chars) = (case.max_entries as usize, case.max_chars as usize);
            let limit = case.scan_limit as usize;
            let mut conversation = Conversation::new("abc123", entries, chars, limit);
            for step in &case.steps {
                match step {
                    SaveStep::Begin(calls) => conversation.begin(calls),
                    SaveStep::Ingest(SavedResult { call_id, tool, result, format, cap, unit }) => {
                        let call = Call { id: call_id, tool, bound: true, ref_ids: &[] };
                        let (cap, keeping) = (*cap as usize, Keeping::NoStore);
                        let (format, unit) = (*format, *unit);
                        let ingestion = Ingestion { format, cap, unit, call, keeping };
                        conversation.ingest(result, ingestion).expect("an object");
                    }
                    SaveStep::Message(parts) => drop(conversation.message(parts)),
                    SaveStep::Commit => drop(conversation.commit()),
                    SaveStep::Save(arguments) => {
                        let answer = match conversation.save(arguments) {
                            Ok((_, true)) => "fewer",
                            Ok((saved, false)) if saved.len() > 1 => "several",
                            Ok((saved, false)) => match saved[0].given.origin {
                                Some(_) => "one of a tool",
                                None => "an attachment",
                            },
                            Err(reason) => reason,
                        };
                        *answers.entry(answer).or_default() += 1;
                    }
                }
            }
        }
        for (answer, least) in [
            ("one of a tool", 20),
            ("an attachment", 20),
            ("several", 3),
            ("fewer", 5),
            ("attachment_not_inline", 2),
            ("bad_selector", 20),
            ("conflicting_selectors", 2),
            ("evicted", 10),
            ("foreign", 10),
            ("no_ref", 10),
            ("not_enough_images", 20),
            ("not_in_context", 2),
            ("reference", 10),
            ("undecodable", 5),
            ("unknown_ref", 20),
        ] {
            let count = answers.get(answer).copied().unwrap_or(0);
            assert!(count >= least, "{answer}: {answers:?}");
        }
    }
}
