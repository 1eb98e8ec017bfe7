//! Ref ids are minted by the engine; vectors write them `ref_1_0000`, `ref_2_0000`, ….

use crate::json::Json;
use crate::oracle::base36;
use crate::{Unit, offset_from, oracle, text_of, units};

/// Returns the ref ids in the reference blocks of an `ingest` answer, each once, in order.
///
/// # Panics
///
/// When a block's offsets in `unit` are none of the text.
pub fn minted_ref_ids(answer: &Json, unit: Unit) -> Vec<String> {
    let text = units(answer.get("text").and_then(Json::as_str).unwrap_or(""));
    let blocks = answer.get("blocks").and_then(Json::as_array).unwrap_or(&[]);
    let place = |block: &Json, key| {
        let offset = block.get(key).and_then(Json::as_usize).expect("an offset");
        offset_from(&text, offset, unit).expect("a place in the text")
    };
    let mut ids: Vec<String> = Vec::new();
    for block in blocks.iter().filter(|block| block.get("kind") == Some(&"reference".into())) {
        let stub = units(&text_of(&text[place(block, "start")..place(block, "end")]));
        let shape = oracle::stub_shapes(&stub).into_iter().find(|shape| shape.start == 0);
        ids.extend(shape.map(|shape| shape.id).filter(|id| !ids.contains(id)));
    }
    ids
}

/// Returns an answer with the nth of the minted ids written as the vectors write it.
///
/// Offsets stay as they are, so they are comparable only where the ids have ten characters.
pub fn with_plain_ref_ids(answer: &Json, minted: &[String]) -> Json {
    match answer {
        Json::String(text) => {
            let plain = |text: String, (index, id): (usize, &String)| {
                text.replace(id.as_str(), &format!("ref_{}_0000", base36(index + 1)))
            };
            Json::String(minted.iter().enumerate().fold(text.clone(), plain))
        }
        Json::Array(elements) => {
            let plain = |element: &Json| with_plain_ref_ids(element, minted);
            Json::Array(elements.iter().map(plain).collect())
        }
        Json::Object(members) => {
            let plain =
                |(key, value): &(String, Json)| (key.clone(), with_plain_ref_ids(value, minted));
            Json::Object(members.iter().map(plain).collect())
        }
        Json::Null | Json::Bool(_) | Json::Number(_) => answer.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn minted_ids_are_found_in_reference_blocks_and_renamed() {
        let answer = Json::parse(
            r#"{"text":"[ref_9_aaaa] x\n[ref_9z_bbbb] y\n[ref_9_aaaa] z","blocks":[
                {"kind":"text","start":0,"end":14},
                {"kind":"reference","start":15,"end":30},
                {"kind":"reference","start":31,"end":45}]}"#,
        )
        .expect("the test's JSON");
        let minted = minted_ref_ids(&answer, Unit::Utf16);
        assert_eq!(minted, ["ref_9z_bbbb", "ref_9_aaaa"]);
        let plain = with_plain_ref_ids(&answer, &minted);
        let text = "[ref_2_0000] x\n[ref_1_0000] y\n[ref_2_0000] z";
        assert_eq!(plain.get("text").and_then(Json::as_str), Some(text));
    }
}
