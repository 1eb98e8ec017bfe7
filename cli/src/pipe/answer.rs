//! What a request is answered: an answer or a refusal, under the id that it came with.

use std::borrow::Cow;
use std::io;
use std::str::Utf8Error;

use serde::Serialize;
use serde_json::value::RawValue;
use slotledger::content::ParseError;
use slotledger::{Ingested, Unit};

use crate::image_json::{ImageJson, SavedJson};
use crate::json::{IngestedJson, SlotsJson};
use crate::output;
use crate::record_json::{Members, PageJson, Refused};

/// What an operation answers.
#[derive(Debug, Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
pub(super) enum Answer<'l> {
    Slots {
        slots: SlotsJson<'l>,
    },
    Cut {
        at: Option<usize>,
    },
    Stored {
        head: usize,
        kept: Vec<String>,
        left_out: usize,
    },
    MediaType {
        media_type: String,
    },
    Text {
        text: Cow<'l, str>,
    },
    Ingested(IngestedJson<Box<Ingested>>),
    Message {
        index: usize,
    },
    Commit {
        results: usize,
    },
    Images {
        images: Vec<ImageJson>,
    },
    Saved {
        saved: Vec<SavedJson>,
        #[serde(skip_serializing_if = "Option::is_none")]
        note: Option<String>,
    },
    Page {
        page: PageJson,
    },
    List {
        results: Vec<Members>,
        #[serde(skip_serializing_if = "Option::is_none")]
        next: Option<u64>,
    },
    Keys {
        keys: Vec<String>,
    },
    #[serde(rename_all = "snake_case")]
    RecallArgs {
        keys: Vec<String>,
        call_ids: Vec<String>,
    },
    Key {
        key: String,
    },
    Type {
        r#type: &'static str,
    },
    Refused {
        refused: Refused,
    },
}

/// Why a request has no answer.
#[derive(Debug, Serialize)]
pub(super) struct Refusal {
    code: Code,
    message: String,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "snake_case")]
enum Code {
    BadRequest,
    UnknownOp,
}

impl Refusal {
    fn bad_request(message: String) -> Self {
        Self { code: Code::BadRequest, message }
    }

    /// A line that is no UTF-8.
    pub(super) fn not_utf8(error: &Utf8Error) -> Self {
        Self::bad_request(format!("the line is not UTF-8 at byte {}", error.valid_up_to()))
    }

    /// A line that is something else than an object.
    pub(super) fn no_object() -> Self {
        Self::bad_request("the line is no JSON object".to_owned())
    }

    /// A line that starts like an object and is no JSON.
    pub(super) fn not_json(error: &serde_json::Error) -> Self {
        Self::bad_request(format!("the line is no JSON object: {error}"))
    }

    /// A field that is not there.
    pub(super) fn missing(field: &str) -> Self {
        Self::bad_request(format!("`{field}` is missing"))
    }

    /// A field that is something else than `expected`.
    pub(super) fn bad_field(field: &str, expected: &str) -> Self {
        Self::bad_request(format!("`{field}` must be {expected}"))
    }

    /// An offset that is no place in the text.
    pub(super) fn inside_character(field: &str, at: usize) -> Self {
        Self::bad_request(format!("`{field}`: offset {at} falls inside a character"))
    }

    /// A result that is not what its format says.
    pub(super) fn no_result(error: &ParseError) -> Self {
        Self::bad_request(format!("`result`: {error}"))
    }

    /// The content of a result in a message that cannot be read.
    pub(super) fn no_content(block: usize, error: &ParseError) -> Self {
        Self::bad_request(format!("`content[{block}].content`: {error}"))
    }

    /// An operation that is not known.
    pub(super) fn unknown_op(op: &str) -> Self {
        const SHOWN: usize = 60;

        let shown = op.get(..Unit::Utf16.offset_in(op, SHOWN)).unwrap_or_default();
        Self { code: Code::UnknownOp, message: format!("unknown `op` {shown:?}") }
    }
}

/// One line of answer.
#[derive(Debug)]
pub(super) struct Reply<'l> {
    pub(super) id: &'l RawValue,
    pub(super) answer: Result<Answer<'l>, Refusal>,
}

impl Reply<'_> {
    /// Writes the line.
    pub(super) fn write(&self, out: impl io::Write) -> io::Result<()> {
        #[derive(Serialize)]
        struct Line<'a> {
            id: &'a RawValue,
            #[serde(flatten)]
            answer: Option<&'a Answer<'a>>,
            #[serde(skip_serializing_if = "Option::is_none")]
            error: Option<&'a Refusal>,
        }

        let id = &on_one_line(self.id);
        let (answer, error) = (self.answer.as_ref().ok(), self.answer.as_ref().err());
        output::line_of_json(out, &Line { id, answer, error })
    }
}

/// An id as it was spelled, without the carriage returns that can stand between its parts: some
/// readers take one for the end of a line.
fn on_one_line(id: &RawValue) -> Cow<'_, RawValue> {
    if !id.get().contains('\r') {
        return Cow::Borrowed(id);
    }
    let spaced = RawValue::from_string(id.get().replace('\r', " "));
    spaced.map_or(Cow::Borrowed(id), Cow::Owned)
}
