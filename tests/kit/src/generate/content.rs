//! A tool's result as an MCP server sends it.

use arbitrary::{Arbitrary, Result, Unstructured};

use super::block::{block, no_block};
use super::draw::Draw;
use super::spelling::Spelling;
use crate::{Json, Unit};

/// A content array, alone or in a `CallToolResult`, and the cap it is stored at.
#[derive(Clone, Debug, Eq, PartialEq)]
pub struct ContentCase {
    /// The elements of the content array.
    pub blocks: Vec<Json>,
    /// Its structured content; where there is some, the result is an object.
    pub structured: Option<Json>,
    /// Its error flag; where there is one, the result is an object.
    pub is_error: Option<bool>,
    /// The name of the tool, which may be unknown: empty.
    pub tool: String,
    /// The cap, 10 to 1,200.
    pub cap: u32,
    /// The cap's unit.
    pub unit: Unit,
    /// How [`to_json`](Self::to_json) spells it.
    pub spelling: Spelling,
}

impl ContentCase {
    /// Returns the result as a value.
    pub fn result(&self) -> Json {
        let content = Json::Array(self.blocks.clone());
        if self.structured.is_none() && self.is_error.is_none() {
            return content;
        }
        let mut members = vec![("content".to_owned(), content)];
        if let Some(structured) = &self.structured {
            members.push(("structuredContent".to_owned(), structured.clone()));
        }
        if let Some(is_error) = self.is_error {
            members.push(("isError".to_owned(), is_error.into()));
        }
        Json::Object(members)
    }

    /// Returns the result as JSON of MCP.
    pub fn to_json(&self) -> String {
        self.spelling.write(&self.result())
    }
}

impl<'a> Arbitrary<'a> for ContentCase {
    fn arbitrary(bytes: &mut Unstructured<'a>) -> Result<Self> {
        let mut draw = Draw::new(bytes);
        let unit = draw.unit();
        let cap = [draw.number(10..=120), draw.number(10..=1200)][draw.number(0..=1)];
        let tool = draw.pick(&["snap", "", "cam"]).to_owned();
        let is_error = [None, None, Some(false), Some(true)][draw.number(0..=3)];
        let spelling = [Spelling::Compact, Spelling::Spaced, Spelling::Escaped][draw.number(0..=2)];
        let gives_up = draw.one_in(12);
        let structured = draw.number(0..=9);
        let mut blocks = Vec::new();
        while blocks.len() < 8 && !draw.is_spent() {
            blocks.push(block(&mut draw));
        }
        // Rarely so many images that not all are kept.
        if structured == 9 && draw.one_in(2) {
            blocks.extend(many(&mut draw));
        }
        if gives_up {
            let at = draw.number(0..=blocks.len());
            blocks.insert(at, no_block(&mut draw));
        }
        let structured = structured_content(structured, &mut draw, &mut blocks);
        let cap = u32::try_from(cap).expect("a small cap");
        Ok(Self { blocks, structured, is_error, tool, cap, unit, spelling })
    }
}

fn many(draw: &mut Draw<'_, '_>) -> Vec<Json> {
    let image = |index: usize| {
        Json::object([
            ("type", "image".into()),
            ("data", format!("{index:04}").into()),
            ("mimeType", "image/png".into()),
        ])
    };
    (0..draw.number(60..=80)).map(image).collect()
}

/// Structured content that says what a text block says, in one of the ways it may, or does not.
fn structured_content(
    kind: usize,
    draw: &mut Draw<'_, '_>,
    blocks: &mut Vec<Json>,
) -> Option<Json> {
    let value = draw.pick(&[r#"{"files":3,"a":[1.0]}"#, "[1,2]", "7", r#""plain""#, "false"]);
    let value = Json::parse(value).expect("JSON");
    let text = match kind {
        0..=4 => return None,
        5 => format!(" {}\n", Spelling::Spaced.write(&value)),
        6 => r#"{"a":[1],"files":9,"files":3e0}"#.to_owned(),
        7 => "plain text".to_owned(),
        8 => return Some(Json::object([("result", value)])),
        _ => return Some(value),
    };
    let at = draw.number(0..=blocks.len());
    blocks.insert(at, Json::object([("type", "text".into()), ("text", text.as_str().into())]));
    Some(match draw.number(0..=2) {
        0 => value,
        1 => Json::object([("result", value)]),
        _ => Json::object([("content", text.into())]),
    })
}
