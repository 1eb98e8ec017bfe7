//! JSON text, token by token: no tree, no recursion, any depth.
//!
//! Numbers of any size and lone surrogate escapes are JSON here, as the grammar (RFC 8259) has it.

use std::borrow::Cow;

use memchr::memchr2;

use crate::content::replace_lone_surrogates;
use crate::text::Span;

/// What a value is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Object,
    Array,
    String,
    Number,
    Boolean,
    Null,
}

impl Kind {
    /// Its name in JSON Schema.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Object => "object",
            Self::Array => "array",
            Self::String => "string",
            Self::Number => "number",
            Self::Boolean => "boolean",
            Self::Null => "null",
        }
    }
}

/// A step through a JSON text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// An object or an array opens at `at`.
    Open { kind: Kind, at: usize },
    /// What was opened last closes right before `end`.
    Close { end: usize },
    /// A key, with its quotes.
    Key(Span),
    /// Any other value.
    Scalar { kind: Kind, span: Span },
}

/// Why a text is no JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fault {
    /// It ends too early; with more text it might be.
    End,
    /// No more text would help.
    Bad,
}

/// What may stand next.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Want {
    Value,
    ValueOrClose,
    Key,
    KeyOrClose,
    CommaOrClose,
    Nothing,
}

/// The tokens of the value at the front of a text.
#[derive(Debug)]
pub(super) struct Tokens<'t> {
    text: &'t str,
    at: usize,
    open: Nesting,
    want: Want,
}

impl<'t> Tokens<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self::from(text, 0)
    }

    /// The tokens of the value that starts at `at`, their offsets counted in all of `text`.
    pub(super) fn from(text: &'t str, at: usize) -> Self {
        Self { text, at, open: Nesting::default(), want: Want::Value }
    }

    /// Where the last token ended.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// The next token; `None` once the value is complete.
    pub(super) fn next(&mut self) -> Result<Option<Token>, Fault> {
        if self.want == Want::Nothing {
            return Ok(None);
        }
        let mut byte = self.after_white_space()?;
        if self.want == Want::CommaOrClose {
            if byte != b',' {
                return self.close(byte).map(Some);
            }
            self.at += 1;
            self.want = if self.open.is_in_object() { Want::Key } else { Want::Value };
            byte = self.after_white_space()?;
        }
        let token = match (self.want, byte) {
            (Want::KeyOrClose | Want::ValueOrClose, b'}' | b']') => self.close(byte)?,
            (Want::KeyOrClose | Want::Key, b'"') => self.key()?,
            (Want::KeyOrClose | Want::Key, _) => return Err(Fault::Bad),
            _ => self.value(byte)?,
        };
        Ok(Some(token))
    }

    /// Passes over what is left of the innermost object or array, and returns where it ends.
    pub(super) fn skip(&mut self) -> Result<usize, Fault> {
        let depth = self.open.len;
        while self.next()?.is_some() {
            if self.open.len < depth {
                break;
            }
        }
        Ok(self.at)
    }

    /// Passes over the value of which `token` is the first, and returns what and where it is.
    pub(super) fn whole(&mut self, token: Token) -> Result<(Kind, Span), Fault> {
        match token {
            Token::Open { kind, at } => Ok((kind, Span::new(at, self.skip()?))),
            Token::Scalar { kind, span } => Ok((kind, span)),
            Token::Key(_) | Token::Close { .. } => Err(Fault::Bad),
        }
    }

    /// Goes on at `end`, where the innermost object or array was found to end.
    pub(super) fn resume(&mut self, end: usize) {
        self.at = end;
        self.open.pop();
        self.want = self.behind_value();
    }

    /// Fails unless the value is complete and the last of the text.
    pub(super) fn finish(&mut self) -> Result<(), Fault> {
        while self.next()?.is_some() {}
        match self.after_white_space() {
            Err(Fault::End) => Ok(()),
            Ok(_) | Err(Fault::Bad) => Err(Fault::Bad),
        }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    fn after_white_space(&mut self) -> Result<u8, Fault> {
        loop {
            match self.peek().ok_or(Fault::End)? {
                b' ' | b'\t' | b'\n' | b'\r' => self.at += 1,
                byte => return Ok(byte),
            }
        }
    }

    fn close(&mut self, byte: u8) -> Result<Token, Fault> {
        let expected = if self.open.is_in_object() { b'}' } else { b']' };
        if byte != expected {
            return Err(Fault::Bad);
        }
        self.at += 1;
        self.open.pop();
        self.want = self.behind_value();
        Ok(Token::Close { end: self.at })
    }

    fn behind_value(&self) -> Want {
        if self.open.len == 0 { Want::Nothing } else { Want::CommaOrClose }
    }

    fn key(&mut self) -> Result<Token, Fault> {
        let key = self.string()?;
        if self.after_white_space()? != b':' {
            return Err(Fault::Bad);
        }
        self.at += 1;
        self.want = Want::Value;
        Ok(Token::Key(key))
    }

    fn value(&mut self, byte: u8) -> Result<Token, Fault> {
        let (kind, span) = match byte {
            b'{' => return Ok(self.open(Kind::Object, Want::KeyOrClose)),
            b'[' => return Ok(self.open(Kind::Array, Want::ValueOrClose)),
            b'"' => (Kind::String, self.string()?),
            b'-' | b'0'..=b'9' => (Kind::Number, self.number()?),
            b't' => (Kind::Boolean, self.literal("true")?),
            b'f' => (Kind::Boolean, self.literal("false")?),
            b'n' => (Kind::Null, self.literal("null")?),
            _ => return Err(Fault::Bad),
        };
        self.want = self.behind_value();
        Ok(Token::Scalar { kind, span })
    }

    fn open(&mut self, kind: Kind, want: Want) -> Token {
        let at = self.at;
        self.at += 1;
        self.open.push(kind == Kind::Object);
        self.want = want;
        Token::Open { kind, at }
    }

    fn literal(&mut self, literal: &str) -> Result<Span, Fault> {
        let start = self.at;
        let rest = self.rest();
        if rest.starts_with(literal) {
            self.at += literal.len();
            return Ok(Span::new(start, self.at));
        }
        Err(if literal.starts_with(rest) { Fault::End } else { Fault::Bad })
    }

    fn number(&mut self) -> Result<Span, Fault> {
        let start = self.at;
        self.at += usize::from(self.peek() == Some(b'-'));
        match self.peek().ok_or(Fault::End)? {
            b'0' => self.at += 1,
            _ => self.digits()?,
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if matches!(self.peek(), Some(b'e' | b'E')) {
            self.at += 1;
            self.at += usize::from(matches!(self.peek(), Some(b'+' | b'-')));
            self.digits()?;
        }
        Ok(Span::new(start, self.at))
    }

    fn digits(&mut self) -> Result<(), Fault> {
        if !self.peek().ok_or(Fault::End)?.is_ascii_digit() {
            return Err(Fault::Bad);
        }
        let digits = self.rest().bytes().take_while(u8::is_ascii_digit).count();
        self.at += digits;
        Ok(())
    }

    /// Reads the string whose opening quote stands here.
    fn string(&mut self) -> Result<Span, Fault> {
        let start = self.at;
        self.at += 1;
        loop {
            let rest = self.rest().as_bytes();
            let found = memchr2(b'"', b'\\', rest);
            let plain = rest.get(..found.unwrap_or(rest.len())).unwrap_or_default();
            if plain.iter().any(|byte| *byte < b' ') {
                return Err(Fault::Bad);
            }
            self.at += found.ok_or(Fault::End)? + 1;
            if rest.get(plain.len()) == Some(&b'"') {
                return Ok(Span::new(start, self.at));
            }
            self.escape()?;
        }
    }

    /// Reads what stands behind a backslash.
    fn escape(&mut self) -> Result<(), Fault> {
        let digits = match self.peek().ok_or(Fault::End)? {
            b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't' => 0,
            b'u' => 4,
            _ => return Err(Fault::Bad),
        };
        self.at += 1;
        for _ in 0..digits {
            if !self.peek().ok_or(Fault::End)?.is_ascii_hexdigit() {
                return Err(Fault::Bad);
            }
            self.at += 1;
        }
        Ok(())
    }
}

/// Which of the open levels are objects: a bit a level, so that a text of brackets alone takes an
/// eighth of its length.
#[derive(Debug, Default)]
struct Nesting {
    bits: Vec<u64>,
    len: usize,
}

impl Nesting {
    const BITS: usize = 64;

    fn push(&mut self, is_object: bool) {
        let bit = 1 << (self.len % Self::BITS);
        let word = self.len / Self::BITS;
        if word == self.bits.len() {
            self.bits.push(0);
        }
        if let Some(word) = self.bits.get_mut(word) {
            *word = if is_object { *word | bit } else { *word & !bit };
        }
        self.len += 1;
    }

    fn pop(&mut self) {
        self.len = self.len.saturating_sub(1);
    }

    fn is_in_object(&self) -> bool {
        let Some(last) = self.len.checked_sub(1) else { return false };
        let word = self.bits.get(last / Self::BITS).copied().unwrap_or_default();
        word >> (last % Self::BITS) & 1 == 1
    }
}

/// The text of a JSON string that is spelled `quoted`; a lone surrogate escape is U+FFFD in it.
pub(super) fn unquoted(quoted: &str) -> Cow<'_, str> {
    if !quoted.contains('\\') {
        let inner = quoted.strip_prefix('"').and_then(|rest| rest.strip_suffix('"'));
        return Cow::Borrowed(inner.unwrap_or(quoted));
    }
    let repaired = replace_lone_surrogates(quoted).map(|(text, _)| text);
    let text = repaired.as_deref().unwrap_or(quoted);
    Cow::Owned(serde_json::from_str(text).unwrap_or_default())
}

/// Where the text without white space at both ends, and byte order marks in front, lies.
pub(super) fn trimmed(text: &str) -> Span {
    let start = text.len() - trimmed_front(text).len();
    Span::new(start, text.trim_end().len())
}

/// The text without white space and byte order marks in front.
pub(super) fn trimmed_front(text: &str) -> &str {
    text.trim_start_matches(|ch: char| ch.is_whitespace() || ch == '\u{FEFF}')
}
