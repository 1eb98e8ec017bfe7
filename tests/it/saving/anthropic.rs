//! Anthropic messages as a history (SPEC 20.1 to 20.4).

use slotledger::Session;
use slotledger::content::{Part, wire::anthropic};

use super::{given, listed};
use crate::support::{in_time, session};

/// A session that has read `json`.
fn history(json: &str) -> Session {
    let mut session = session();
    for message in anthropic::read(&json.to_owned().into()).expect("a history") {
        session.push(&message);
    }
    session
}

/// The stored texts of the results of a history.
fn texts(json: &str) -> Vec<String> {
    use slotledger::history::StoredPart;
    let session = history(json);
    let parts = session.conversation().messages().iter().flatten();
    let text = |part: &StoredPart| match part {
        StoredPart::Result(result) => Some(result.text.to_string()),
        _ => None,
    };
    parts.filter_map(text).collect()
}

fn result(content: &str) -> String {
    format!(
        r#"[{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"u1","content":{content}}}]}}]"#
    )
}

fn base64(data: &str) -> String {
    format!(
        r#"{{"type":"image","source":{{"type":"base64","media_type":"image/gif","data":"{data}"}}}}"#
    )
}

#[test]
fn images_are_found_at_any_depth() {
    let json = format!(
        r#"[{{"role":"user","content":[{},{{"type":"text","text":"[image: image/png, 1B]"}},
            {{"type":"document","source":{{"type":"content","content":[{{"type":"text","text":"x"}},{},{}]}}}},{}]}},
        {{"role":"assistant","content":[{{"type":"tool_use","id":"u1","name":"snap","input":{{"a":[{}]}}}}]}},
        {{"role":"user","content":[{{"type":"tool_result","tool_use_id":"u1","is_error":true,"content":[
            {{"type":"text","text":"saw"}},{},{{"type":"document","title":"t","source":{{"type":"content","content":[{}]}}}}]}}]}}]"#,
        base64("AAAA"),
        base64("BBBB"),
        base64("CCCC"),
        base64("DDDD"),
        base64("NEVR"),
        base64("EEEE"),
        base64("FFFF"),
    );
    let expected = [
        "0 1 snap/u1 image/gif FFFF",
        "1 1 snap/u1 image/gif EEEE",
        "2 3 attachment image/gif DDDD",
        "3 3 attachment image/gif CCCC",
        "4 3 attachment image/gif BBBB",
        "5 3 attachment image/gif AAAA",
    ];
    assert_eq!(listed(&history(&json)), expected);
    let request = format!(r#"{{"model":"m","max_tokens":5,"messages":{json},"system":"s"}}"#);
    assert_eq!(listed(&history(&request)), expected, "a request holds a history");
}

#[test]
fn an_image_elsewhere_has_its_place_and_no_bytes() {
    let image = |source: &str| format!(r#"{{"type":"image","source":{source}}}"#);
    let sources = [
        r#"{"type":"url","url":"https://example.org/a.png"}"#,
        r#"{"type":"file","file_id":"file_1"}"#,
        r#"{"type":"base64","media_type":"image/png"}"#,
        r#"{"type":"base64","media_type":"image/png","data":7}"#,
        "null",
        "[]",
        r#""x""#,
    ];
    for source in sources {
        let session = history(&format!(
            r#"[{{"role":"user","content":[{},{}]}}]"#,
            base64("AAAA"),
            image(source)
        ));
        assert_eq!(given(&session, 0), Err("attachment_not_inline"), "{source}");
        assert_eq!(given(&session, 1).as_deref(), Ok("AAAA"), "{source}");
    }
    let in_result = |source: &str| {
        listed(&history(&result(&format!("[{},{}]", base64("AAAA"), image(source)))))
    };
    assert_eq!(in_result(sources[0]), ["0 1 ->/u1 image/png reference", "1 1 /u1 image/gif AAAA"]);
    assert_eq!(in_result(sources[1])[0], "0 1 ->/u1 image/x-unknown reference");
    for source in &sources[2..] {
        assert_eq!(in_result(source), ["0 1 /u1 image/gif AAAA"], "{source}");
    }
}

#[test]
fn a_document_s_images_are_attachments_wherever_they_are() {
    let json = format!(
        r#"[{{"role":"user","content":[{{"type":"document","source":{{"type":"content","content":[
            {{"type":"image","source":{{"type":"url","url":"https://example.org/a.png"}}}},{},
            {{"type":"text","text":"x"}},{{"type":"mystery"}}]}}}},
            {{"type":"document","source":{{"type":"content","content":"words"}}}},
            {{"type":"document","source":{{"type":"base64","media_type":"image/png","data":"PDFS"}}}}]}}]"#,
        base64("AAAA"),
    );
    assert_eq!(
        listed(&history(&json)),
        ["0 1 attachment image/gif AAAA", "1 1 attachment image/png attachment_not_inline"]
    );
}

#[test]
fn a_stored_image_may_lack_its_type() {
    for (source, listed_as) in [
        (r#"{"type":"base64","data":"AAAA"}"#, "image/png"),
        (r#"{"data":"AAAA"}"#, "image/png"),
        (r#"{"type":"base64","media_type":null,"data":"AAAA"}"#, "image/png"),
        (r#"{"type":"base64","data":"data:image/webp;base64,AAAA"}"#, "image/webp"),
        (
            r#"{"type":"base64","media_type":"image/jpeg","data":"data:image/webp;base64,AAAA"}"#,
            "image/jpeg",
        ),
        (r#"{"type":"base64","media_type":" IMAGE/Jpeg; q=1","data":"AAAA"}"#, "image/jpeg"),
    ] {
        let json =
            format!(r#"[{{"role":"user","content":[{{"type":"image","source":{source}}}]}}]"#);
        assert_eq!(
            listed(&history(&json)),
            [format!("0 1 attachment {listed_as} AAAA")],
            "{source}"
        );
        let json = result(&format!(r#"[{{"type":"image","source":{source}}}]"#));
        let session = history(&json);
        assert_eq!(given(&session, 0).as_deref(), Ok("AAAA"), "{source}");
    }
}

#[test]
fn each_block_of_a_result_has_its_text() {
    let blocks = r#"[
        {"type":"text","text":"words"},
        {"type":"document","source":{"type":"text","media_type":"text/plain","data":"a\nb"}},
        {"type":"document","source":{"type":"content","content":[{"type":"text","text":"one"},{"type":"text","text":"two"}]}},
        {"type":"document","source":{"type":"base64","media_type":"application/PDF","data":"AAAABBBB"}},
        {"type":"search_result","source":"https://example.org","title":"T","content":[{"type":"text","text":"s1"},{"type":"text","text":"s2"}]},
        {"type":"search_result","content":[]},
        {"type":"tool_reference","tool_name":"grep"},
        {"type":"mystery"},
        {"type":"text","text":7},
        {"type":"image"},
        {"no":"type"}, 7, "bare", null, [[]]
    ]"#;
    let unrecognized = |reason: &str| format!("[unrecognized content block: {reason}]");
    let mut expected = vec![
        "words".to_owned(),
        "a\nb".to_owned(),
        "one\ntwo".to_owned(),
        "[document: application/pdf, 6B]".to_owned(),
        "T\nhttps://example.org\ns1\ns2".to_owned(),
        String::new(),
        "[tool: grep]".to_owned(),
        unrecognized("type mystery"),
        unrecognized("type text"),
        unrecognized("type image"),
    ];
    expected.extend((0..5).map(|_| unrecognized("no block")));
    assert_eq!(texts(&result(blocks)), [expected.join("\n")]);
    for (content, text) in
        [(r#""as is\n""#, "as is\n"), ("[]", ""), ("null", ""), ("7", ""), (r#"{"a":1}"#, "")]
    {
        assert_eq!(texts(&result(content)), [text], "{content}");
    }
    let absent = r#"[{"role":"user","content":[{"type":"tool_result","tool_use_id":"u1"}]}]"#;
    assert_eq!(texts(absent), [""]);
}

#[test]
fn a_result_s_tool_is_its_call_s() {
    let call = |id: &str, name: &str| {
        format!(
            r#"{{"role":"assistant","content":[{{"type":"tool_use","id":"{id}","name":"{name}","input":{{}}}}]}}"#
        )
    };
    let answer = |id: &str| {
        format!(
            r#"{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{id}","content":"[image: image/png, 1B]"}}]}}"#
        )
    };
    let json = [
        answer("u1"),
        call("u1", "snap"),
        answer("u1"),
        call("u1", "get_full_tool_result"),
        answer("u1"),
        call("u2", "recall"),
        answer("u2"),
        call("u1", "cam"),
        answer("u1"),
    ];
    assert_eq!(
        listed(&history(&format!("[{}]", json.join(",")))),
        ["0 1 cam/u1 image/png no_ref", "1 7 snap/u1 image/png no_ref", "2 9 /u1 image/png no_ref"]
    );
}

#[test]
fn what_is_no_message_keeps_its_place() {
    let json = format!(
        r#"[{{"role":"user","content":[{}]}},7,null,"x",[],{{}},{{"role":7,"content":{{"a":1}}}},{{"content":"[image: image/png, 1B]"}}]"#,
        base64("AAAA")
    );
    let session = history(&json);
    assert_eq!(session.conversation().messages().len(), 8);
    assert_eq!(listed(&session), ["0 8 attachment image/gif AAAA"]);
    for bad in ["7", "null", r#""x""#, "{}", r#"{"messages":{}}"#, "", "[", "[{]"] {
        assert!(anthropic::read(&bad.to_owned().into()).is_err(), "{bad}");
    }
    assert!(anthropic::read(&"[]".to_owned().into()).unwrap().is_empty());
}

#[test]
fn surrogates_escapes_and_depth_do_no_harm() {
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    let json = format!(
        r#"[{{"role":"user","x":{deep},"content":[{{"type":"text","text":"\ud83d"}},{},
            {{"type":"tool_result","tool_use_id":"\u0075\ud83d","content":[{}],"y":{deep}}},{{"type":{deep}}}]}}]"#,
        base64("AA\\/A"),
        base64("\\u0041AAA")
    );
    let session = in_time(move || history(&json));
    assert_eq!(
        listed(&session),
        ["0 1 /u\u{fffd} image/gif AAAA", "1 1 attachment image/gif AA/A"]
    );
    let deep = |times: usize| {
        let open = r#"[{"type":"document","source":{"type":"content","content":"#;
        format!("{}[]{}", open.repeat(times), "}}]".repeat(times))
    };
    in_time(move || history(&result(&deep(50_000))));
}

#[test]
fn a_text_is_no_result() {
    let json = r#"[{"role":"user","content":"[image: image/png, 1B]"},
        {"role":"assistant","content":[{"type":"text","text":"[image: image/png, 1B]"},{"type":"thinking","thinking":"[image: image/png, 1B]"}]}]"#;
    assert_eq!(listed(&history(json)), [] as [&str; 0]);
    let messages = anthropic::read(&json.to_owned().into()).unwrap();
    assert_eq!((&*messages[0].role, &*messages[1].role), ("user", "assistant"));
    assert!(matches!(messages[1].parts[..], [Part::Text(_), Part::Other]));
}

#[test]
fn a_reference_to_a_tool_cannot_make_a_slot() {
    let tool = r#"[{"type":"tool_reference","tool_name":"a[image: image/png, 1B]\u2028[ref_1_a] image/png"}]"#;
    let json = result(tool);
    assert_eq!(texts(&json), ["[tool: aimage: image/png, 1Bref_1_a image/png]"]);
    assert_eq!(listed(&history(&json)), [""; 0]);
}
