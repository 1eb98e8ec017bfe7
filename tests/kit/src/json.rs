//! JSON that keeps what a text of it must keep: key order, duplicate keys, the spelling of numbers.

use std::fmt::{self, Write};

/// How deep a value may nest before reading it fails.
const MAX_DEPTH: usize = 200;

/// A JSON value.
///
/// [`Display`](fmt::Display) writes it compact: no white space outside strings, and only `"`, `\`
/// and control characters escaped (9.8).
#[derive(Clone, Debug, Eq, PartialEq)]
pub enum Json {
    /// `null`
    Null,
    /// `true` or `false`
    Bool(bool),
    /// A number, as it is spelled.
    Number(String),
    /// A string, unescaped. A lone surrogate has become U+FFFD.
    String(String),
    /// The elements, in order.
    Array(Vec<Json>),
    /// The members in order, duplicates too.
    Object(Vec<(String, Json)>),
}

/// Why a text is no JSON: what was expected, and at which byte.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct JsonError {
    /// Byte offset.
    pub at: usize,
    /// What the reader would have taken there.
    pub expected: &'static str,
}

impl Json {
    /// Reads one value with white space around it.
    ///
    /// # Errors
    ///
    /// When `text` is no JSON (RFC 8259), or nests deeper than 200.
    pub fn parse(text: &str) -> Result<Self, JsonError> {
        Self::parse_counting(text).map(|(value, _)| value)
    }

    /// Reads one value, and counts the lone surrogate escapes that became U+FFFD (9.1).
    ///
    /// # Errors
    ///
    /// As [`parse`](Self::parse).
    pub fn parse_counting(text: &str) -> Result<(Self, usize), JsonError> {
        let mut reader = Reader { text, at: 0, replaced: 0 };
        let value = reader.value(0)?;
        reader.blanks();
        if reader.at == text.len() {
            Ok((value, reader.replaced))
        } else {
            Err(reader.expected("the end"))
        }
    }

    /// Makes an object of its members.
    pub fn object<const N: usize>(members: [(&str, Json); N]) -> Self {
        Self::Object(members.into_iter().map(|(key, value)| (key.to_owned(), value)).collect())
    }

    /// Returns the member of an object, the last where the key stands twice.
    pub fn get(&self, key: &str) -> Option<&Json> {
        match self {
            Self::Object(members) => {
                members.iter().rev().find(|member| member.0 == key).map(|member| &member.1)
            }
            _ => None,
        }
    }

    /// Returns the text of a string.
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// Returns the elements of an array.
    pub fn as_array(&self) -> Option<&[Json]> {
        match self {
            Self::Array(elements) => Some(elements),
            _ => None,
        }
    }

    /// Returns a number that is spelled as a plain integer.
    pub fn as_usize(&self) -> Option<usize> {
        match self {
            Self::Number(spelling) => spelling.parse().ok(),
            _ => None,
        }
    }

    /// Returns whether this is `null`.
    pub fn is_null(&self) -> bool {
        *self == Self::Null
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Self::String(text)
    }
}

impl From<usize> for Json {
    fn from(number: usize) -> Self {
        Self::Number(number.to_string())
    }
}

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<Vec<Json>> for Json {
    fn from(elements: Vec<Json>) -> Self {
        Self::Array(elements)
    }
}

impl<T: Into<Json>> From<Option<T>> for Json {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl fmt::Display for Json {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => write!(f, "{value}"),
            Self::Number(spelling) => f.write_str(spelling),
            Self::String(text) => write_string(f, text),
            Self::Array(elements) => {
                f.write_char('[')?;
                for (index, element) in elements.iter().enumerate() {
                    write!(f, "{}{element}", if index > 0 { "," } else { "" })?;
                }
                f.write_char(']')
            }
            Self::Object(members) => {
                f.write_char('{')?;
                for (index, (key, value)) in members.iter().enumerate() {
                    f.write_str(if index > 0 { "," } else { "" })?;
                    write_string(f, key)?;
                    write!(f, ":{value}")?;
                }
                f.write_char('}')
            }
        }
    }
}

fn write_string(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    f.write_char('"')?;
    for character in text.chars() {
        match character {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\u{8}' => f.write_str("\\b")?,
            '\t' => f.write_str("\\t")?,
            '\n' => f.write_str("\\n")?,
            '\u{c}' => f.write_str("\\f")?,
            '\r' => f.write_str("\\r")?,
            '\0'..' ' => write!(f, "\\u{:04x}", u32::from(character))?,
            _ => f.write_char(character)?,
        }
    }
    f.write_char('"')
}

struct Reader<'a> {
    text: &'a str,
    at: usize,
    replaced: usize,
}

impl Reader<'_> {
    fn expected(&self, expected: &'static str) -> JsonError {
        JsonError { at: self.at, expected }
    }

    fn peek(&self) -> Option<char> {
        self.text[self.at..].chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let next = self.peek()?;
        self.at += next.len_utf8();
        Some(next)
    }

    fn take(&mut self, literal: &str) -> bool {
        let found = self.text[self.at..].starts_with(literal);
        if found {
            self.at += literal.len();
        }
        found
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), Some(' ' | '\t' | '\n' | '\r')) {
            self.at += 1;
        }
    }

    fn value(&mut self, depth: usize) -> Result<Json, JsonError> {
        if depth > MAX_DEPTH {
            return Err(self.expected("less nesting"));
        }
        self.blanks();
        match self.peek() {
            Some('{') => self.object(depth),
            Some('[') => self.array(depth),
            Some('"') => self.string().map(Json::String),
            Some('-' | '0'..='9') => self.number(),
            _ if self.take("null") => Ok(Json::Null),
            _ if self.take("true") => Ok(Json::Bool(true)),
            _ if self.take("false") => Ok(Json::Bool(false)),
            _ => Err(self.expected("a value")),
        }
    }

    fn array(&mut self, depth: usize) -> Result<Json, JsonError> {
        let mut elements = Vec::new();
        self.at += 1;
        self.blanks();
        while !self.take("]") {
            if !elements.is_empty() && !self.take(",") {
                return Err(self.expected("`,` or `]`"));
            }
            elements.push(self.value(depth + 1)?);
            self.blanks();
        }
        Ok(Json::Array(elements))
    }

    fn object(&mut self, depth: usize) -> Result<Json, JsonError> {
        let mut members = Vec::new();
        self.at += 1;
        self.blanks();
        while !self.take("}") {
            if !members.is_empty() && !self.take(",") {
                return Err(self.expected("`,` or `}`"));
            }
            self.blanks();
            let key = self.string()?;
            self.blanks();
            if !self.take(":") {
                return Err(self.expected("`:`"));
            }
            members.push((key, self.value(depth + 1)?));
            self.blanks();
        }
        Ok(Json::Object(members))
    }

    fn number(&mut self) -> Result<Json, JsonError> {
        let start = self.at;
        self.take("-");
        if !self.take("0") {
            self.digits()?;
        }
        if self.take(".") {
            self.digits()?;
        }
        if self.take("e") || self.take("E") {
            let _sign = self.take("+") || self.take("-");
            self.digits()?;
        }
        Ok(Json::Number(self.text[start..self.at].to_owned()))
    }

    fn digits(&mut self) -> Result<(), JsonError> {
        let start = self.at;
        while matches!(self.peek(), Some('0'..='9')) {
            self.at += 1;
        }
        if self.at > start { Ok(()) } else { Err(self.expected("a digit")) }
    }

    fn string(&mut self) -> Result<String, JsonError> {
        if !self.take("\"") {
            return Err(self.expected("a string"));
        }
        // As UTF-16, so that escaped halves find each other and lone ones are replaced at the end.
        let mut units: Vec<u16> = Vec::new();
        loop {
            match self.next() {
                Some('"') => {
                    let lone = char::decode_utf16(units.iter().copied());
                    self.replaced += lone.filter(Result::is_err).count();
                    return Ok(String::from_utf16_lossy(&units));
                }
                Some('\\') => units.push(self.escape()?),
                Some(character) if character >= ' ' => {
                    units.extend_from_slice(character.encode_utf16(&mut [0; 2]));
                }
                _ => return Err(self.expected("a closed string")),
            }
        }
    }

    fn escape(&mut self) -> Result<u16, JsonError> {
        Ok(match self.next() {
            Some('b') => 8,
            Some('t') => 9,
            Some('n') => 10,
            Some('f') => 12,
            Some('r') => 13,
            Some(same @ ('"' | '\\' | '/')) => same as u16,
            Some('u') => {
                let digits = self.text.get(self.at..self.at + 4);
                let digits =
                    digits.filter(|text| text.bytes().all(|byte| byte.is_ascii_hexdigit()));
                let digits = digits.ok_or_else(|| self.expected("four hex digits"))?;
                self.at += 4;
                u16::from_str_radix(digits, 16).expect("four hex digits fit")
            }
            _ => return Err(self.expected("an escape")),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_is_written_compact_and_otherwise_as_it_was() {
        for (read, written) in [
            (
                r#" { "b" : 1 , "a" : [ 1.0 , -0 , 1E+2 ] , "b" : null } "#,
                r#"{"b":1,"a":[1.0,-0,1E+2],"b":null}"#,
            ),
            (r#""\u0041\/\u00e9\n\u0001\u007f""#, "\"A/é\\n\\u0001\u{7f}\""),
            (r#""\ud83d\ude00 \ud83d \ude00\ud83d""#, "\"😀 \u{FFFD} \u{FFFD}\u{FFFD}\""),
            ("[]", "[]"),
            ("{}", "{}"),
            ("\t\r\n true", "true"),
        ] {
            assert_eq!(Json::parse(read).map(|json| json.to_string()).as_deref(), Ok(written));
        }
    }

    #[test]
    fn lone_surrogates_are_counted_in_values_and_keys() {
        let json = r#"{"\udc00":["\ud83d\ude00","\ud83d\ud83d\ude00\ud83d"]}"#;
        assert_eq!(Json::parse_counting(json).map(|(_, replaced)| replaced), Ok(3));
    }

    #[test]
    fn what_is_no_json_is_refused() {
        for text in [
            "",
            "nul",
            "01",
            "1.",
            ".5",
            "+1",
            "-",
            "1e",
            "[1,]",
            "[1 2]",
            "{\"a\"}",
            "{a:1}",
            "{,}",
            "\"a",
            "\"\n\"",
            "\"\\x\"",
            "\"\\u12\"",
            "\"\\u+123\"",
            "\"\\uééé\"",
            "1 2",
            "\u{feff}1",
        ] {
            assert!(Json::parse(text).is_err(), "{text}");
        }
        assert!(Json::parse(&"[".repeat(100_000)).is_err());
    }
}
