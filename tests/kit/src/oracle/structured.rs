//! Whether `structuredContent` says what a text block says already (9.5).

use crate::json::Json;

/// Returns whether `structured` says the same as a text block of that text.
///
/// It does when it equals the text parsed, or is an object with one member whose value is the text
/// itself or equals the text parsed.
pub fn says_the_same(structured: &Json, text: &str) -> bool {
    let parsed =
        Json::parse(text.trim_matches(|character: char| character.is_ascii_whitespace())).ok();
    let is_parsed = |value: &Json| parsed.as_ref().is_some_and(|parsed| equal(value, parsed));
    let member = match without_duplicates(structured) {
        Some(members) if members.len() == 1 => Some(members[0].1),
        _ => None,
    };
    is_parsed(structured)
        || member.is_some_and(|value| value.as_str() == Some(text) || is_parsed(value))
}

/// Returns whether two values are equal: members in any order, the last of a key counting, numbers
/// by value.
pub fn equal(one: &Json, other: &Json) -> bool {
    match (one, other) {
        (Json::Number(one), Json::Number(other)) => decimal(one) == decimal(other),
        (Json::Array(ones), Json::Array(others)) => {
            ones.len() == others.len()
                && ones.iter().zip(others).all(|(one, other)| equal(one, other))
        }
        (Json::Object(_), Json::Object(_)) => {
            let (Some(ones), Some(others)) = (without_duplicates(one), without_duplicates(other))
            else {
                return false;
            };
            ones.len() == others.len()
                && ones
                    .iter()
                    .all(|(key, value)| other.get(key).is_some_and(|other| equal(value, other)))
        }
        _ => one == other,
    }
}

/// Returns the members of an object, each key once with its last value.
fn without_duplicates(value: &Json) -> Option<Vec<(&str, &Json)>> {
    let Json::Object(members) = value else {
        return None;
    };
    let mut once: Vec<(&str, &Json)> = Vec::new();
    for (key, value) in members.iter().rev() {
        if once.iter().all(|member| member.0 != key) {
            once.push((key, value));
        }
    }
    Some(once)
}

/// A number's value: its sign, its digits without zeros at the ends, and how many of them, zeros
/// filled in, stand before the decimal point.
pub(crate) fn decimal(spelling: &str) -> (bool, String, i64) {
    let (sign, rest) = spelling.strip_prefix('-').map_or((false, spelling), |rest| (true, rest));
    let (mantissa, exponent) = rest.split_once(['e', 'E']).unwrap_or((rest, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let exponent: i64 = exponent.parse().unwrap_or(i64::MAX / 2);
    let all = format!("{whole}{fraction}");
    let digits = all.trim_start_matches('0');
    let zeros = all.len() - digits.len();
    let digits = digits.trim_end_matches('0');
    if digits.is_empty() {
        return (false, String::new(), 0);
    }
    let signed = |length| i64::try_from(length).expect("no text is that long");
    (sign, digits.to_owned(), signed(whole.len()) - signed(zeros) + exponent)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Json {
        Json::parse(text).expect("the test's JSON")
    }

    #[test]
    fn values_are_compared_not_spellings() {
        for (one, other, same) in [
            (r#"{"a":1,"b":[2]}"#, r#"{"b":[2.0],"a":1e0}"#, true),
            (r#"{"a":1,"a":2}"#, r#"{"a":2}"#, true),
            (r#"{"a":1,"a":2}"#, r#"{"a":1}"#, false),
            ("100", "1e2", true),
            ("0.10", "1E-1", true),
            ("-0", "0.0", true),
            ("1", "-1", false),
            ("1", "\"1\"", false),
            ("[1,2]", "[2,1]", false),
        ] {
            assert_eq!(equal(&json(one), &json(other)), same, "{one} {other}");
        }
    }

    #[test]
    fn one_member_may_wrap_the_text_or_its_value() {
        assert!(says_the_same(&json(r#"{"content":"plain"}"#), "plain"));
        assert!(says_the_same(&json(r#"{"result":[1,2]}"#), " [1, 2]\n"));
        assert!(says_the_same(&json(r#"{"files":3}"#), r#"{ "files": 3 }"#));
        assert!(!says_the_same(&json(r#"{"content":"plain","more":1}"#), "plain"));
        assert!(!says_the_same(&json(r#"{"content":"plain"}"#), "plain "));
    }
}
