//! Macros that keep long inputs short: an object whose one key starts with `$` (A.3).

use crate::json::Json;

/// Returns `json` with its macros expanded.
///
/// - `{"$text": [part, …]}`: the parts, strings or macros, as one string
/// - `{"$repeat": [text, n]}`: the text n times
/// - `{"$recipe": "v74"}`: the text of [`recipe_v74`]
/// - `{"$each": [n, value]}` as an array's element: n elements, `{i}` in their strings being the
///   index from 0 and `{i+K}` the index plus K
///
/// # Errors
///
/// What is wrong with a macro.
pub fn expand(json: &Json) -> Result<Json, String> {
    match json {
        Json::Array(elements) => {
            let mut expanded = Vec::new();
            for element in elements {
                match element.get("$each") {
                    Some(each) => expanded.extend(copies(each)?),
                    None => expanded.push(expand(element)?),
                }
            }
            Ok(Json::Array(expanded))
        }
        Json::Object(members) => match &members[..] {
            [(name, argument)] if name.starts_with('$') => text(name, argument).map(Json::String),
            _ => {
                let expanded = members.iter().map(|(key, value)| Ok((key.clone(), expand(value)?)));
                expanded.collect::<Result<_, String>>().map(Json::Object)
            }
        },
        _ => Ok(json.clone()),
    }
}

fn text(name: &str, argument: &Json) -> Result<String, String> {
    match (name, argument) {
        ("$text", Json::Array(parts)) => parts.iter().map(part).collect(),
        ("$repeat", Json::Array(pair)) if pair.len() == 2 => match pair[1].as_usize() {
            Some(times) => Ok(part(&pair[0])?.repeat(times)),
            None => Err(format!("no number of times: {}", pair[1])),
        },
        ("$recipe", Json::String(recipe)) if recipe == "v74" => Ok(recipe_v74()),
        _ => Err(format!("bad macro {{\"{name}\":{argument}}}")),
    }
}

fn part(part: &Json) -> Result<String, String> {
    match expand(part)? {
        Json::String(text) => Ok(text),
        other => Err(format!("no text: {other}")),
    }
}

fn copies(each: &Json) -> Result<Vec<Json>, String> {
    let bad = || format!("bad macro {{\"$each\":{each}}}");
    let [count, value] = each.as_array().ok_or_else(bad)? else {
        return Err(bad());
    };
    let value = expand(value)?;
    Ok((0..count.as_usize().ok_or_else(bad)?).map(|index| numbered(&value, index)).collect())
}

fn numbered(value: &Json, index: usize) -> Json {
    match value {
        Json::String(text) => Json::String(numbered_text(text, index)),
        Json::Array(elements) => {
            elements.iter().map(|one| numbered(one, index)).collect::<Vec<_>>().into()
        }
        Json::Object(members) => {
            let copy = |(key, value): &(String, Json)| (key.clone(), numbered(value, index));
            Json::Object(members.iter().map(copy).collect())
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => value.clone(),
    }
}

fn numbered_text(text: &str, index: usize) -> String {
    let Some((before, rest)) = text.split_once("{i") else {
        return text.to_owned();
    };
    let Some((plus, after)) = rest.split_once('}') else {
        return text.to_owned();
    };
    let number = match plus.strip_prefix('+') {
        Some(plus) => plus.parse::<usize>().ok().map(|plus| index + plus),
        None => plus.is_empty().then_some(index),
    };
    let number = number.map_or(format!("{{i{plus}}}"), |number| number.to_string());
    format!("{before}{number}{}", numbered_text(after, index))
}

/// Returns the text block of vector V74: 25,980 UTF-16 code units with 100 image stubs.
///
/// `s` 3,000 times and a line break, then 200 stub lines, every second one an image's, each with
/// full stops at its end: 32 at the first 116 lines and 31 at the others.
pub fn recipe_v74() -> String {
    let line = |index: usize| {
        let media_type = if index % 2 == 1 { "image/png" } else { "text/plain" };
        let stops = ".".repeat(if index <= 115 { 32 } else { 31 });
        format!(
            "[ref_{}_ab3d] file-{index:03} — {media_type} — from tool result — fetch with \
             fetch_reference{stops}",
            crate::oracle::base36(index)
        )
    };
    let lines: Vec<String> = (0..200).map(line).collect();
    format!("{}\n{}", "s".repeat(3000), lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{oracle, units};

    #[test]
    fn macros_expand_inside_each_other() {
        let json = r#"{"text":{"$text":["a",{"$repeat":["xy",2]},"b"]},"all":[1,{"$each":[2,{"n":"{i}{j}{i+9}"}]}]}"#;
        let expanded = expand(&Json::parse(json).expect("the test's JSON")).expect("its macros");
        let expected = r#"{"text":"axyxyb","all":[1,{"n":"0{j}9"},{"n":"1{j}10"}]}"#;
        assert_eq!(expanded.to_string(), expected);
    }

    #[test]
    fn a_bad_macro_is_an_error() {
        for json in [
            r#"{"$text":"a"}"#,
            r#"{"$text":[1]}"#,
            r#"{"$repeat":["a"]}"#,
            r#"{"$recipe":"v0"}"#,
            r#"[{"$each":[1]}]"#,
            r#"{"$other":[]}"#,
        ] {
            assert!(expand(&Json::parse(json).expect("the test's JSON")).is_err(), "{json}");
        }
    }

    #[test]
    fn the_recipe_has_the_size_it_is_said_to_have() {
        let text = recipe_v74();
        assert_eq!((units(&text).len(), text.len()), (25_980, 27_180));
        assert_eq!(oracle::slots(&units(&text)).len(), 100);
        let without = text.trim_end_matches('.').replace(".\n", "\n");
        assert!(without.len() < text.len());
    }
}
