//! JSON as a tree with the place of every value: slow, recursive, and for small texts only.

use std::collections::HashMap;

/// A value and where it lies, in bytes.
#[derive(Clone, Debug)]
pub(super) struct Node {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) value: Value,
}

#[derive(Clone, Debug)]
pub(super) enum Value {
    Null,
    Boolean,
    Number,
    String(String),
    Array(Vec<Node>),
    /// The members of the last of equal keys, where those stand.
    Object(Vec<(String, Node)>),
}

/// The tree of an object or array with white space and byte order marks around it.
pub(super) fn tree(text: &str) -> Option<Node> {
    let from = text.find(|ch: char| !ch.is_whitespace() && ch != '\u{feff}')?;
    let mut reader = Reader { text, at: from };
    if !matches!(reader.peek(), '{' | '[') {
        return None;
    }
    let node = reader.value()?;
    text[node.end..].trim_end().is_empty().then_some(node)
}

struct Reader<'t> {
    text: &'t str,
    at: usize,
}

impl Reader<'_> {
    fn peek(&self) -> char {
        self.text[self.at..].chars().next().unwrap_or('\0')
    }

    fn take(&mut self, word: &str) -> bool {
        let found = self.text[self.at..].starts_with(word);
        self.at += if found { word.len() } else { 0 };
        found
    }

    fn blanks(&mut self) {
        while matches!(self.peek(), ' ' | '\t' | '\n' | '\r') {
            self.at += 1;
        }
    }

    fn value(&mut self) -> Option<Node> {
        self.blanks();
        let start = self.at;
        let value = match self.peek() {
            '{' => self.object()?,
            '[' => self.array()?,
            '"' => Value::String(self.string()?),
            _ if self.take("null") => Value::Null,
            _ if self.take("true") || self.take("false") => Value::Boolean,
            _ => self.number()?,
        };
        Some(Node { start, end: self.at, value })
    }

    fn array(&mut self) -> Option<Value> {
        let mut elements = Vec::new();
        self.take("[");
        self.blanks();
        while !self.take("]") {
            if !elements.is_empty() && !self.take(",") {
                return None;
            }
            elements.push(self.value()?);
            self.blanks();
        }
        Some(Value::Array(elements))
    }

    fn object(&mut self) -> Option<Value> {
        let mut members: Vec<(String, Node)> = Vec::new();
        self.take("{");
        self.blanks();
        let mut is_first = true;
        while !self.take("}") {
            if !is_first && !self.take(",") {
                return None;
            }
            is_first = false;
            self.blanks();
            let key = self.string()?;
            self.blanks();
            if !self.take(":") {
                return None;
            }
            let value = self.value()?;
            members.retain(|(other, _)| *other != key);
            members.push((key, value));
            self.blanks();
        }
        Some(Value::Object(members))
    }

    fn number(&mut self) -> Option<Value> {
        let start = self.at;
        while matches!(self.peek(), '0'..='9' | '-' | '+' | '.' | 'e' | 'E') {
            self.at += 1;
        }
        let spelled = &self.text[start..self.at];
        // What no double holds is a number all the same.
        let (mantissa, exponent) = spelled.split_once(['e', 'E']).unwrap_or((spelled, "0"));
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        let is_exponent =
            !exponent.is_empty() && exponent.bytes().all(|byte| byte.is_ascii_digit());
        (is_exponent && serde_json::from_str::<f64>(mantissa).is_ok()).then_some(Value::Number)
    }

    fn string(&mut self) -> Option<String> {
        let mut units: Vec<u16> = Vec::new();
        if !self.take("\"") {
            return None;
        }
        loop {
            let ch = self.text[self.at..].chars().next()?;
            self.at += ch.len_utf8();
            match ch {
                '"' => return Some(String::from_utf16_lossy(&units)),
                '\\' => {
                    let escape = self.text[self.at..].chars().next()?;
                    self.at += escape.len_utf8();
                    units.push(match escape {
                        'b' => 8,
                        't' => 9,
                        'n' => 10,
                        'f' => 12,
                        'r' => 13,
                        '"' | '\\' | '/' => escape as u16,
                        'u' => {
                            let digits = self.text.get(self.at..self.at + 4)?;
                            self.at += 4;
                            if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
                                return None;
                            }
                            u16::from_str_radix(digits, 16).ok()?
                        }
                        _ => return None,
                    });
                }
                '\0'..' ' => return None,
                _ => units.extend_from_slice(ch.encode_utf16(&mut [0; 2])),
            }
        }
    }
}

impl Node {
    pub(super) fn of<'t>(&self, text: &'t str) -> &'t str {
        &text[self.start..self.end]
    }

    pub(super) fn kind(&self) -> &'static str {
        match self.value {
            Value::Null => "null",
            Value::Boolean => "boolean",
            Value::Number => "number",
            Value::String(_) => "string",
            Value::Array(_) => "array",
            Value::Object(_) => "object",
        }
    }

    /// How many elements or members it has.
    pub(super) fn count(&self) -> Option<usize> {
        match &self.value {
            Value::Array(elements) => Some(elements.len()),
            Value::Object(members) => Some(members.len()),
            _ => None,
        }
    }

    /// Itself and all values in it, with their pointers.
    pub(super) fn places(&self) -> HashMap<String, (usize, usize)> {
        let mut places = HashMap::new();
        self.note("", &mut places);
        places
    }

    fn note(&self, pointer: &str, places: &mut HashMap<String, (usize, usize)>) {
        places.insert(pointer.to_owned(), (self.start, self.end));
        for (pointer, node) in self.inner(pointer) {
            node.note(&pointer, places);
        }
    }

    /// What is in it, with pointers.
    pub(super) fn inner(&self, pointer: &str) -> Vec<(String, &Node)> {
        match &self.value {
            Value::Array(elements) => {
                let pointer = |at: usize| format!("{pointer}/{at}");
                elements.iter().enumerate().map(|(at, node)| (pointer(at), node)).collect()
            }
            Value::Object(members) => {
                let escaped = |key: &str| key.replace('~', "~0").replace('/', "~1");
                let pointer = |key: &str| format!("{pointer}/{}", escaped(key));
                members.iter().map(|(key, node)| (pointer(key), node)).collect()
            }
            _ => Vec::new(),
        }
    }

    /// The lists behind at most `objects` objects, with pointers.
    pub(super) fn lists(&self, pointer: &str, objects: usize) -> Vec<(String, &[Node])> {
        match &self.value {
            Value::Array(elements) => {
                let is_list = !elements.is_empty()
                    && elements.iter().all(|node| matches!(node.value, Value::Object(_)));
                if is_list { vec![(pointer.to_owned(), elements)] } else { Vec::new() }
            }
            Value::Object(_) if objects > 0 => self
                .inner(pointer)
                .iter()
                .flat_map(|(pointer, node)| node.lists(pointer, objects - 1))
                .collect(),
            _ => Vec::new(),
        }
    }

    /// The first of `keys` that is a string or number, as text.
    pub(super) fn label(&self, text: &str, keys: &[&str]) -> Option<String> {
        let Value::Object(members) = &self.value else { return None };
        keys.iter().find_map(|key| {
            let (_, node) = members.iter().find(|(name, _)| name == key)?;
            match &node.value {
                Value::String(string) => Some(string.clone()),
                Value::Number => Some(node.of(text).to_owned()),
                _ => None,
            }
        })
    }
}

pub(super) const IDS: &[&str] = &["id", "_id", "uuid", "key"];
pub(super) const NAMES: &[&str] = &["name", "title", "label"];
pub(super) const DESCRIPTIONS: &[&str] = &["description", "summary"];

/// The first 120 UTF-16 units, at a character.
pub(super) fn clipped(label: &str) -> String {
    let mut len = 0;
    label
        .chars()
        .take_while(|ch| {
            len += ch.len_utf16();
            len <= 120
        })
        .collect()
}

/// Documents that are often JSON: `n` draws become values, keys and now and then a fault.
pub(super) fn json_of(draws: &[u8]) -> String {
    let mut draws = draws.iter().copied();
    let mut out = String::new();
    write_value(&mut draws, 6, &mut out);
    out
}

const KEYS: &[&str] = &[
    "id",
    "_id",
    "uuid",
    "key",
    "name",
    "title",
    "label",
    "description",
    "summary",
    "a",
    "b",
    "a/b",
    "m~n",
    "node_types",
    "nodeTypes",
    "tags",
    "tag",
    "",
    "0",
    "\\u0069d",
    "é",
    "class",
    "properties",
    "n-x.y",
    "\\ud800",
];
const SCALARS: &[&str] = &[
    "1",
    "7",
    "-0.0",
    "1e999",
    "null",
    "true",
    "false",
    "\"a\"",
    "\"b\"",
    "\"7\"",
    "\"\\u0061\"",
    "\"😀\"",
    "\"\\ud83d\"",
    "\"\"",
    "\"x\\n\"",
    "01",
    "\"\u{1}\"",
    "\"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa😀b\"",
];

fn write_value(draws: &mut impl Iterator<Item = u8>, depth: usize, out: &mut String) {
    let draw = usize::from(draws.next().unwrap_or(200));
    let len = draw % 4;
    match draw {
        0..100 if depth > 0 => {
            out.push('{');
            for index in 0..len {
                out.push_str(if index > 0 { "," } else { "" });
                let key = KEYS[usize::from(draws.next().unwrap_or(0)) % KEYS.len()];
                out.extend(["\"", key, "\":", if draw.is_multiple_of(3) { " " } else { "" }]);
                write_value(draws, depth - 1, out);
            }
            out.push('}');
        }
        100..170 if depth > 0 => {
            out.push('[');
            for index in 0..len {
                out.push_str(if index > 0 { ",\n" } else { "" });
                write_value(draws, depth - 1, out);
            }
            out.push(']');
        }
        // One in a hundred is a fault.
        254 => out.push_str(SCALARS[usize::from(draws.next().unwrap_or(0)) % SCALARS.len()]),
        _ => out.push_str(SCALARS[draw % (SCALARS.len() - 3)]),
    }
}
