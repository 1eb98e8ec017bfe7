//! Whether an answer contains what a vector expects.

use crate::json::Json;
use crate::oracle::equal;

/// Returns where `actual` lacks what `expected` names, or `None` where it has all of it.
///
/// Of an object only the members that `expected` names are looked at, at any depth; arrays must be
/// of one length; numbers are compared by value.
pub fn difference(expected: &Json, actual: &Json) -> Option<String> {
    at("", expected, actual)
}

fn at(path: &str, expected: &Json, actual: &Json) -> Option<String> {
    let other = || Some(format!("{path}: expected {}, found {}", short(expected), short(actual)));
    match (expected, actual) {
        (Json::Object(members), Json::Object(_)) => members.iter().find_map(|(key, value)| {
            let path = format!("{path}.{key}");
            match actual.get(key) {
                Some(actual) => at(&path, value, actual),
                None => Some(format!("{path}: expected {}, found nothing", short(value))),
            }
        }),
        (Json::Array(ones), Json::Array(others)) if ones.len() == others.len() => {
            let pairs = ones.iter().zip(others).enumerate();
            pairs
                .into_iter()
                .find_map(|(index, (one, other))| at(&format!("{path}[{index}]"), one, other))
        }
        (Json::Array(ones), Json::Array(others)) => {
            let lengths = (ones.len(), others.len());
            Some(format!(
                "{path}: expected {} elements, found {}: {}",
                lengths.0,
                lengths.1,
                short(actual)
            ))
        }
        _ if equal(expected, actual) => None,
        _ => other(),
    }
}

/// A value short enough for a message.
fn short(json: &Json) -> String {
    let text = json.to_string();
    let characters: Vec<char> = text.chars().collect();
    if characters.len() <= 200 {
        return text;
    }
    let tail = &characters[characters.len() - 90..];
    format!("{}…{}", characters[..90].iter().collect::<String>(), tail.iter().collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_is_named_counts() {
        for (expected, actual, same) in [
            (r#"{"a":[{"b":1}]}"#, r#"{"a":[{"b":1.0,"c":2}],"d":3}"#, true),
            (r#"{"a":[]}"#, r#"{"a":[1]}"#, false),
            (r#"{"a":null}"#, r"{}", false),
            (r#"{"a":null}"#, r#"{"a":null}"#, true),
            (r#"["x"]"#, r#"["y"]"#, false),
        ] {
            let json = |text| Json::parse(text).expect("the test's JSON");
            let found = difference(&json(expected), &json(actual));
            assert_eq!(found.is_none(), same, "{found:?}");
        }
    }
}
