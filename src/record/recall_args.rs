//! What a model hands to `recall`: keys and call ids, in whatever form it took them for.

use std::collections::HashSet;

use bytestring::ByteString;
use memchr::memchr2_iter;

use super::json::{Kind, Token, Tokens, trimmed, unquoted};
use super::key::ContentKey;

/// The hex digits of a key.
const DIGITS: usize = 16;

/// The records that a call of `recall` asks for.
///
/// ```
/// use slotledger::record::RecallArgs;
/// let args = RecallArgs::parse(r#"{"id": ["0123456789ABCDEF", "call_2", "call_2"]}"#);
/// assert_eq!(args.keys, ["0123456789abcdef".parse()?]);
/// assert_eq!(args.call_ids, ["call_2"]);
/// assert!(RecallArgs::parse("null").is_empty());
/// # Ok::<(), slotledger::record::ContentKeyError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct RecallArgs {
    /// Content keys, each once, in order of first sight.
    pub keys: Vec<ContentKey>,
    /// Call ids, each once, in order of first sight. Untrusted.
    pub call_ids: Vec<ByteString>,
}

impl RecallArgs {
    /// Reads the arguments as raw text (SPEC 22.15). Total and linear.
    ///
    /// Where anything looks like a marker, whole or in part, only such keys are read; else JSON:
    /// an object with fields of known names, a list of strings, or a string; else the bare text.
    /// What is none of these is ignored.
    pub fn parse(raw: &str) -> Self {
        let mut found = Found::default();
        for key in loose_markers(raw) {
            found.add_key(key);
        }
        if !found.args.is_empty() {
            return found.args;
        }
        let text = trimmed(raw).of(raw);
        if text.starts_with(['{', '[']) {
            for (roles, quoted) in json_strings(text).unwrap_or_default() {
                found.add(roles, &unquoted(quoted));
            }
        } else if !matches!(text, "null" | "true" | "false") {
            found.add(Roles::BARE, &json_string(text).map_or(text.into(), unquoted));
        }
        found.args
    }

    /// Whether nothing was found.
    pub fn is_empty(&self) -> bool {
        self.keys.is_empty() && self.call_ids.is_empty()
    }
}

/// What a string may be, by the field that holds it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Roles {
    key: bool,
    call_id: bool,
}

impl Roles {
    /// Of a string in no object.
    const BARE: Self = Self { key: true, call_id: true };

    fn of_field(name: &str) -> Self {
        Self {
            key: matches!(name, "key" | "keys" | "marker" | "markers" | "ccr" | "id"),
            call_id: matches!(name, "id" | "call_id" | "toolCallId" | "tool_call_id"),
        }
    }
}

/// What was found, and what of it was seen before.
#[derive(Debug, Default)]
struct Found {
    args: RecallArgs,
    seen_keys: HashSet<ContentKey>,
    seen_call_ids: HashSet<ByteString>,
}

impl Found {
    fn add(&mut self, roles: Roles, text: &str) {
        let is_wrapping =
            |ch: char| ch.is_whitespace() || matches!(ch, '"' | '\'' | '`' | '<' | '>');
        let text = text.trim_matches(is_wrapping);
        match any_case_key(text) {
            Some(key) if roles.key => self.add_key(key),
            Some(_) | None if roles.call_id && is_call_id(text) => {
                let call_id = ByteString::from(text);
                if self.seen_call_ids.insert(call_id.clone()) {
                    self.args.call_ids.push(call_id);
                }
            }
            Some(_) | None => {}
        }
    }

    fn add_key(&mut self, key: ContentKey) {
        if self.seen_keys.insert(key) {
            self.args.keys.push(key);
        }
    }
}

fn is_call_id(text: &str) -> bool {
    let is_foreign = |ch: char| ch.is_whitespace() || ch.is_control();
    !text.is_empty() && !text.contains(is_foreign) && !text.starts_with("ccr:")
}

fn any_case_key(text: &str) -> Option<ContentKey> {
    (text.len() == DIGITS).then(|| text.to_ascii_lowercase().parse().ok())?
}

/// The keys behind `ccr`, a colon with blanks around it, in any case, and with no letter, digit or
/// `_` behind.
fn loose_markers(text: &str) -> impl Iterator<Item = ContentKey> {
    memchr2_iter(b'c', b'C', text.as_bytes()).filter_map(move |at| {
        let name = text.get(at..at + "ccr".len())?;
        if !name.eq_ignore_ascii_case("ccr") {
            return None;
        }
        let blank = [' ', '\t'];
        let rest = text.get(at + name.len()..)?.trim_start_matches(blank);
        let rest = rest.strip_prefix(':')?.trim_start_matches(blank);
        let (digits, behind) = rest.split_at_checked(DIGITS)?;
        let goes_on = behind.starts_with(|ch: char| ch.is_alphanumeric() || ch == '_');
        if goes_on { None } else { any_case_key(digits) }
    })
}

/// The JSON string that `text` is, with its quotes.
fn json_string(text: &str) -> Option<&str> {
    let mut tokens = Tokens::new(text);
    let Ok(Some(Token::Scalar { kind: Kind::String, span })) = tokens.next() else { return None };
    tokens.finish().is_ok().then(|| span.of(text))
}

/// The strings of a JSON object's fields, of lists in its fields, or of a list, each with its
/// quotes; `None` if `text` is no JSON.
fn json_strings(text: &str) -> Option<Vec<(Roles, &str)>> {
    let mut tokens = Tokens::new(text);
    let mut strings = Vec::new();
    let Some(Token::Open { kind, .. }) = tokens.next().ok()? else { return None };
    let mut roles = Roles::BARE;
    // Of an object, lists are read as well; of a list, no more lists.
    let mut is_in_list = kind == Kind::Array;
    while let Some(token) = tokens.next().ok()? {
        match token {
            Token::Key(key) => roles = Roles::of_field(&unquoted(key.of(text))),
            Token::Scalar { kind: Kind::String, span } => {
                strings.push((roles, span.of(text)));
            }
            Token::Open { kind: Kind::Array, .. } if !is_in_list => is_in_list = true,
            Token::Open { .. } => {
                tokens.skip().ok()?;
            }
            Token::Close { .. } => is_in_list = false,
            Token::Scalar { .. } => {}
        }
    }
    tokens.finish().ok()?;
    Some(strings)
}
