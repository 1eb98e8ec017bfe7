//! The same JSON in other spellings.

use std::fmt::Write;

use crate::Json;

/// How a value is spelled as JSON.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Spelling {
    /// Without white space, escaping as little as possible.
    Compact,
    /// With white space wherever it may stand.
    Spaced,
    /// With an escape for every character outside ASCII.
    Escaped,
}

impl Spelling {
    /// Writes `json` in this spelling.
    pub fn write(self, json: &Json) -> String {
        match self {
            Self::Compact => json.to_string(),
            Self::Spaced => format!("\r\n {}\t", spaced(json)),
            Self::Escaped => escaped(&json.to_string()),
        }
    }
}

fn spaced(json: &Json) -> String {
    match json {
        Json::Array(elements) => {
            let elements: Vec<String> = elements.iter().map(spaced).collect();
            format!("[\n  {} ]", elements.join(" ,\t"))
        }
        Json::Object(members) => {
            let member = |(key, value): &(String, Json)| {
                format!("{} : {}", Json::from(key.as_str()), spaced(value))
            };
            let members: Vec<String> = members.iter().map(member).collect();
            format!("{{ {}\n}}", members.join(",\n  "))
        }
        Json::Null | Json::Bool(_) | Json::Number(_) | Json::String(_) => json.to_string(),
    }
}

/// Outside strings JSON is ASCII, so every other character stands in one.
fn escaped(json: &str) -> String {
    let mut escaped = String::new();
    for character in json.chars() {
        if character.is_ascii() {
            escaped.push(character);
            continue;
        }
        for half in character.encode_utf16(&mut [0; 2]) {
            write!(escaped, "\\u{half:04X}").expect("a string takes all");
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_reads_the_same() {
        let json = Json::parse(r#"{"é😀":[1.0,{},[],"a\nb\"\u2028"],"é😀":null}"#).expect("JSON");
        for spelling in [Spelling::Compact, Spelling::Spaced, Spelling::Escaped] {
            let written = spelling.write(&json);
            assert_eq!(Json::parse(&written).as_ref(), Ok(&json), "{written}");
        }
    }
}
