//! What a call of `get_full_tool_result` or `list_tool_results` asks for.

use std::borrow::Cow;
use std::collections::HashMap;

use bytestring::ByteString;
use serde_json::value::RawValue;

use super::page::MAX_PAGE;
use super::refusal::ReadRefusal;
use crate::content::{replace_lone_surrogates, whole_number};

/// The length of a page when none is asked for.
pub(super) const DEFAULT_PAGE: usize = 50_000;
/// How many records are listed when no number is asked for, and at most.
pub(super) const DEFAULT_LIST: usize = 50;
pub(super) const MAX_LIST: usize = 200;
/// The most lines of context on each side of a match.
pub(super) const MAX_CONTEXT: usize = 10;

/// Which sessions are asked.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Scope {
    /// Nothing was said: the session that asks.
    Default,
    /// The session that asks, by name.
    Current,
    /// Every session.
    All,
    /// One by name.
    Session(ByteString),
}

/// The arguments of `get_full_tool_result`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ReadRequest {
    pub(super) id: ByteString,
    pub(super) tool: Option<ByteString>,
    pub(super) scope: Scope,
    pub(super) start: usize,
    pub(super) length: usize,
    pub(super) item: Option<ByteString>,
    pub(super) grep: Option<ByteString>,
    pub(super) context: usize,
}

/// The arguments of `list_tool_results`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ListRequest {
    pub(super) tool: Option<ByteString>,
    pub(super) scope: Scope,
    pub(super) before: Option<u64>,
    pub(super) limit: usize,
}

/// The fields of an object of arguments, as they are spelled. `null` and `""` are left out.
struct Fields<'a>(HashMap<Cow<'a, str>, &'a RawValue>);

impl<'a> Fields<'a> {
    fn parse(arguments: &'a str) -> Result<Self, ReadRefusal> {
        // Some hosts send no arguments at all where a model gave none.
        let given = if arguments.trim_ascii().is_empty() { "{}" } else { arguments };
        serde_json::from_str(given).map(Self).map_err(|_| ReadRefusal::NoObject)
    }

    fn get(&self, field: &str) -> Option<&'a RawValue> {
        self.0.get(field).copied().filter(|raw| !matches!(raw.get(), "null" | "\"\""))
    }

    /// The id: a string as it is, also an empty one, or a number as it is spelled.
    fn id(&self) -> Result<ByteString, ReadRefusal> {
        let field = "toolCallId";
        let raw = self.0.get(field).copied().map_or("null", RawValue::get);
        match raw.as_bytes().first() {
            Some(b'"') => Ok(serde_json::from_str::<String>(raw).unwrap_or_default().into()),
            // Some models write an id of digits as a number.
            Some(b'-' | b'0'..=b'9') => Ok(raw.into()),
            _ if raw == "null" => Err(ReadRefusal::NoId),
            Some(_) | None => Err(ReadRefusal::NotAString { field, got: raw.into() }),
        }
    }

    fn string(&self, field: &'static str) -> Result<Option<ByteString>, ReadRefusal> {
        let Some(raw) = self.get(field) else { return Ok(None) };
        match serde_json::from_str::<String>(raw.get()) {
            Ok(text) => Ok(Some(text.into())),
            Err(_) => Err(ReadRefusal::NotAString { field, got: raw.get().into() }),
        }
    }

    /// A whole number; one of digits in a string counts as well.
    fn number(
        &self,
        field: &'static str,
        bounds: &'static str,
        default: usize,
        least: usize,
    ) -> Result<usize, ReadRefusal> {
        let Some(raw) = self.get(field) else { return Ok(default) };
        let spelled = raw.get();
        let digits = spelled.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        let number = match digits {
            Some(digits) => {
                let is_number = (1..=15).contains(&digits.len())
                    && digits.bytes().all(|byte| byte.is_ascii_digit());
                if is_number { digits.parse().ok() } else { None }
            }
            None => whole_number(spelled).and_then(|number| usize::try_from(number).ok()),
        };
        number.filter(|&number| number >= least).ok_or_else(|| ReadRefusal::NotANumber {
            field,
            bounds,
            got: spelled.into(),
        })
    }

    fn scope(&self) -> Result<Scope, ReadRefusal> {
        if let Some(session) = self.string("sessionId")? {
            return Ok(Scope::Session(session));
        }
        let Some(raw) = self.get("searchIn") else { return Ok(Scope::Default) };
        match serde_json::from_str::<String>(raw.get()).as_deref() {
            Ok("current_session") => Ok(Scope::Current),
            Ok("all_sessions") => Ok(Scope::All),
            Ok(_) | Err(_) => Err(ReadRefusal::BadScope { got: raw.get().into() }),
        }
    }
}

fn without_lone_surrogates(json: &str) -> Cow<'_, str> {
    replace_lone_surrogates(json).map_or(Cow::Borrowed(json), |(json, _)| Cow::Owned(json))
}

impl ReadRequest {
    /// The first page of what `id` names.
    pub(super) fn whole(id: ByteString) -> Self {
        Self {
            id,
            tool: None,
            scope: Scope::Default,
            start: 0,
            length: DEFAULT_PAGE,
            item: None,
            grep: None,
            context: 0,
        }
    }

    /// Reads the arguments of a call, an object as JSON text.
    pub(super) fn parse(arguments: &str) -> Result<Self, ReadRefusal> {
        let arguments = without_lone_surrogates(arguments);
        let fields = Fields::parse(&arguments)?;
        let id = fields.id()?;
        let length = fields.number("length", "from 1 to 100000", DEFAULT_PAGE, 1)?;
        if length > MAX_PAGE {
            return Err(ReadRefusal::PageTooLarge { length });
        }
        let context = fields.number("context", "from 0 to 10", 2, 0)?;
        if context > MAX_CONTEXT {
            let got = context.to_string().into();
            return Err(ReadRefusal::NotANumber { field: "context", bounds: "from 0 to 10", got });
        }
        Ok(Self {
            id,
            tool: fields.string("toolName")?,
            scope: fields.scope()?,
            start: fields.number("startChar", "from 0 up", 0, 0)?,
            length,
            item: fields.string("item")?,
            grep: fields.string("grep")?,
            context,
        })
    }
}

impl ListRequest {
    /// Reads the arguments of a call, an object as JSON text.
    pub(super) fn parse(arguments: &str) -> Result<Self, ReadRefusal> {
        let arguments = without_lone_surrogates(arguments);
        let fields = Fields::parse(&arguments)?;
        let before = match fields.get("before") {
            Some(_) => Some(fields.number("before", "from 1 up", 0, 1)? as u64),
            None => None,
        };
        let limit = fields.number("limit", "from 1 to 200", DEFAULT_LIST, 1)?;
        Ok(Self {
            tool: fields.string("toolName")?,
            scope: fields.scope()?,
            before,
            limit: limit.min(MAX_LIST),
        })
    }
}
