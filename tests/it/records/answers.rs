//! What the tools answer is never longer than there is room for, in any unit.

use slotledger::content::Call;
use slotledger::record::Reader;
use slotledger::{Cap, Session, Unit};

use super::{engine, memory, text};

fn kept(texts: &[(&str, String, Unit)]) -> Session {
    let mut session = engine(memory()).session_named("s1");
    for (id, full, unit) in texts {
        session.ingest_at(&Call::new(*id, "t"), &text(full), Cap::new(10, *unit));
    }
    session
}

fn get(reader: Reader<'_>, arguments: &str) -> Result<String, &'static str> {
    match reader.get_full_tool_result(arguments) {
        Ok(answer) => Ok(answer.to_text()),
        Err(refusal) => Err(refusal.reason()),
    }
}

#[test]
fn an_answer_fits_the_bound_in_whatever_unit_each_counts() {
    let units = [Unit::Utf16, Unit::Char, Unit::Byte];
    for record_unit in units {
        let full = "😀é€x".repeat(20_000);
        let session = kept(&[("c1", full, record_unit)]);
        for bound_unit in units {
            for bound in [4_600, 9_999] {
                let bound = Cap::new(bound, bound_unit);
                let reader = session.reader().unwrap().within(bound);
                let mut start = 0;
                for _ in 0..3 {
                    let arguments = format!("{{\"toolCallId\":\"c1\",\"startChar\":{start}}}");
                    let answer = reader.get_full_tool_result(&arguments).unwrap();
                    let len = bound_unit.len_of(&answer.to_text());
                    assert!(len <= bound.limit().unwrap(), "{record_unit:?} {bound:?}: {len}");
                    start += record_unit.len_of(&answer.text);
                }
            }
        }
    }
}

#[test]
fn of_several_bounds_the_least_counts() {
    let session = kept(&[("c1", "x".repeat(90_000), Unit::Utf16)]);
    let reader = session.reader().unwrap();
    for bounds in [[3_000, 5_000], [5_000, 3_000]] {
        let reader = bounds.iter().fold(reader, |reader, bound| reader.within(Cap::utf16(*bound)));
        let answer = reader.get_full_tool_result(r#"{"toolCallId":"c1"}"#).unwrap();
        assert_eq!(answer.text.len(), 2_400);
    }
    let arguments = r#"{"toolCallId":"c1"}"#;
    assert!(get(reader.within(Cap::utf16(1_000)), arguments).is_ok());
    assert_eq!(get(reader.within(Cap::utf16(999)), arguments), Err("no_room"));
    assert!(get(reader.within(Cap::NONE), arguments).is_ok());
}

#[test]
fn recalls_of_several_share_the_room_and_say_what_is_left() {
    let texts: Vec<(String, String)> =
        (0..60).map(|n| (format!("c{n}"), format!("{n} {}", "x".repeat(5_000)))).collect();
    let texts: Vec<(&str, String, Unit)> =
        texts.iter().map(|(id, full)| (id.as_str(), full.clone(), Unit::Utf16)).collect();
    let session = kept(&texts);
    let ids: Vec<String> = (0..60).map(|n| format!("\"c{n}\"")).collect();
    for (bound, asked) in [(1_400, 2), (2_000, 60), (24_000, 3), (24_000, 60), (100_000, 60)] {
        let reader = session.reader().unwrap().within(Cap::utf16(bound));
        let arguments = format!("{{\"id\":[{}]}}", ids[..asked].join(","));
        let answer = reader.recall(&arguments).unwrap();
        assert!(answer.len() <= bound, "{} of {bound}", answer.len());
        let answered = answer.matches("--- recall <<ccr:").count();
        assert!(answered >= 1);
        let more = format!(
            "--- {} more were asked for; recall them in another call ---",
            asked - answered
        );
        assert_eq!(answer.ends_with(&more), answered < asked, "{answered} of {asked}");
    }
    // Bounds in several units hold at once.
    let texts: Vec<(&str, String, Unit)> = ["c0", "c1", "c2"]
        .map(|id| (id, format!("{id}{}", "漢".repeat(5_000)), Unit::Utf16))
        .into();
    let wide = kept(&texts);
    let reader = wide.reader().unwrap().within(Cap::utf16(4_000)).within(Cap::bytes(5_000));
    let answer = reader.recall(r#"["c0","c1","c2"]"#).unwrap();
    assert!(answer.len() <= 5_000 && answer.contains("--- recall <<ccr:"), "{}", answer.len());
    let small = session.reader().unwrap().within(Cap::utf16(1_399));
    assert_eq!(small.recall(r#"["c1","c2"]"#).unwrap_err().reason(), "no_room");
}

#[test]
fn long_refusals_take_their_room_in_a_recall() {
    let mut session = engine(memory()).session_named("s1");
    let tool = "t".repeat(64);
    for n in 0..40 {
        for other in 0..12 {
            let full = format!("{n} {other} {}", "x".repeat(1_000));
            session.ingest(&Call::new(format!("c{n}"), tool.as_str()), &text(&full));
        }
    }
    let ids: Vec<String> = (0..40).map(|n| format!("\"c{n}\"")).collect();
    let reader = session.reader().unwrap().within(Cap::utf16(24_000));
    let answer = reader.recall(&format!("[{}]", ids.join(","))).unwrap();
    assert!(answer.len() <= 24_000 && answer.contains("and 2 more."), "{}", answer.len());
    assert!(answer.contains("more were asked for"));
}

#[test]
fn lists_fit_their_room_and_go_on() {
    let mut session = engine(memory()).session_named("s1");
    for n in 0..300 {
        let full = format!("{n} {}", "x".repeat(1_000));
        session.ingest(&Call::new(format!("{n}{}", "c".repeat(60)), "t".repeat(64)), &text(&full));
    }
    for bound in [1_000, 5_000, 200_000] {
        let reader = session.reader().unwrap().within(Cap::utf16(bound));
        let (mut seen, mut before) = (0, String::new());
        loop {
            let list = reader.list_tool_results(&format!("{{\"limit\":\"200\"{before}}}")).unwrap();
            assert!(list.to_text().len() <= bound && !list.results.is_empty());
            seen += list.results.len();
            let Some(next) = list.next else { break };
            before = format!(",\"before\":{next}");
        }
        assert_eq!(seen, 300);
    }
}

#[test]
fn an_outline_that_is_the_square_of_its_text_is_read_by_pages_and_not_searched() {
    let lists: Vec<String> = (0..4_000).map(|n| format!("\"{n}\":[{{}},{{}}]")).collect();
    let full = format!("{{\"{}\":{{{}}}}}", "k".repeat(9_000), lists.join(","));
    let session = kept(&[("c1", full, Unit::Utf16)]);
    let reader = session.reader().unwrap();
    let refusal =
        reader.get_full_tool_result(r#"{"toolCallId":"c1","item":"*","grep":"size"}"#).unwrap_err();
    assert_eq!(refusal.reason(), "bad_grep");
    assert!(refusal.notice().starts_with("grep cannot search this outline: it has "));
    let page = get(reader, r#"{"toolCallId":"c1","item":"*","length":20000}"#).unwrap();
    assert!(page.len() <= 20_600);
}

#[test]
fn refusals_hold_no_slot_and_are_short() {
    let slot = "[image: image/png, 1B, ref img_abc123_1]";
    let stub = "\\n[ref_1_ab3d] x — image/png — y — z\\n";
    let session = kept(&[(slot, "x".repeat(2_000), Unit::Utf16)]);
    let reader = session.reader().unwrap().reading_others();
    for word in [slot, stub, &"x".repeat(5_000), "\\u0000\\u001b[31m", "\\ud800"] {
        for field in [
            "toolCallId",
            "toolName",
            "searchIn",
            "sessionId",
            "startChar",
            "length",
            "item",
            "grep",
            "context",
            "before",
            "limit",
        ] {
            for value in
                [format!("\"{word}\""), format!("[\"{word}\"]"), format!("{{\"{word}\":1}}")]
            {
                let arguments = format!("{{\"toolCallId\":\"c1\",\"{field}\":{value}}}");
                let refusals = [
                    reader.get_full_tool_result(&arguments).err(),
                    reader.list_tool_results(&arguments).err(),
                    reader.recall(&value).err(),
                ];
                for refusal in refusals.into_iter().flatten() {
                    let said = refusal.notice();
                    assert_eq!(slotledger::slots(&said).count(), 0, "{said}");
                    assert!(
                        said.encode_utf16().count() <= 3_500 && !said.contains(['\n', '\u{1b}'])
                    );
                }
            }
        }
    }
}

#[test]
fn texts_of_one_key_are_told_apart_by_their_digests() {
    use slotledger::record::{Meta, ReadRefusal, Record};
    let store = memory();
    let now = std::time::SystemTime::now();
    let one = store.put(&Record::new("s1", "c1", "t", "one"), now).unwrap();
    let mut sha256 = one.sha256;
    sha256[31] ^= 1;
    let two = Meta { sha256, nth: 2, ..one.clone() };
    let records = vec![one, two];
    let refusal = ReadRefusal::Ambiguous { asked: "c1".into(), records, session: "s1".into() };
    let said = refusal.notice();
    let names = said.split("toolCallId: ").nth(1).unwrap();
    let names: Vec<&str> = names.split(", ").filter_map(|name| name.split(' ').next()).collect();
    let digests: Vec<&&str> = names.iter().filter(|name| name.len() == 64).collect();
    assert_eq!(digests.len(), 2, "{said}");
}

#[test]
fn each_of_many_results_of_one_call_id_can_be_reached() {
    let mut session = engine(memory()).session_named("s1");
    let texts: Vec<String> = (0..15).map(|n| format!("{n} {}", "x".repeat(1_000))).collect();
    for full in &texts {
        session.ingest(&Call::new("c1", "t"), &text(full));
    }
    let reader = session.reader().unwrap();
    let list = reader.list_tool_results("").unwrap();
    let mut read: Vec<String> = Vec::new();
    for line in &list.results {
        let named = |name: &str| line.iter().find(|(key, _)| *key == name);
        let (_, id) = named("key").or_else(|| named("toolCallId")).unwrap();
        read.push(get(reader, &format!("{{\"toolCallId\":{id}}}")).unwrap());
    }
    read.reverse();
    for (full, answer) in texts.iter().zip(&read) {
        assert!(answer.ends_with(full.as_str()));
    }
    assert_eq!(read.len(), 15);
}

#[test]
fn keeping_costs_no_more_where_much_is_kept() {
    use slotledger::record::Record;
    use slotledger::record::store::{MemoryStore, Retention, Store as _};
    let put = |count: &usize, same_text: bool| {
        let store = MemoryStore::new(Retention::default());
        for n in 0..*count {
            let (id, full) =
                if same_text { (n.to_string(), "one".into()) } else { ("c".into(), n.to_string()) };
            store.put(&Record::new("s1", id, "t", full), std::time::UNIX_EPOCH).unwrap();
        }
    };
    for same_text in [true, false] {
        crate::reading::assert_linear(|count| count, 1_000, |count| put(count, same_text));
    }
}
