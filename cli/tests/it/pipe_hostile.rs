//! `pipe`: lines that were not meant well.

use crate::cli::{done, slotledger};

fn pipe(input: impl Into<Vec<u8>>) -> Vec<String> {
    let out = slotledger(["pipe", "--nonce", "abc123"]).stdin(input).run();
    assert_eq!((out.code, &*out.stderr), (Some(0), ""));
    out.stdout.lines().map(str::to_owned).collect()
}

fn bad_request(id: &str, message: &str) -> String {
    format!(r#"{{"id":{id},"error":{{"code":"bad_request","message":"{message}"}}}}"#)
}

#[test]
fn a_line_that_is_no_object_is_answered_and_stops_nothing() {
    let lines = ["", "   ", "\r", "null", "true", "7", "\"x\"", "[{}]", "x", "\u{FEFF}{}"];
    let good = r#"{"id":1,"op":"cut","text":""}"#;
    let input = lines.map(|line| format!("{line}\n{good}\n")).concat();
    let answers = pipe(format!("{good}\n{input}"));
    assert_eq!(answers.len(), 2 * lines.len() + 1);
    for pair in answers[1..].chunks(2) {
        let expected =
            [bad_request("null", "the line is no JSON object"), r#"{"id":1,"at":null}"#.into()];
        assert_eq!(pair, expected);
    }
}

#[test]
fn a_line_that_only_starts_like_an_object_says_where_it_stops() {
    for line in
        [r#"{"id":1"#, r#"{"id":1} x"#, r#"{"id":1,}"#, r#"{"id":01}"#, "{\"a\":\"\t\"}", "{id:1}"]
    {
        let answer = pipe(line).concat();
        let start =
            r#"{"id":null,"error":{"code":"bad_request","message":"the line is no JSON object: "#;
        assert!(answer.starts_with(start) && answer.contains(" at line 1 column "), "{answer}");
    }
    let answers = pipe(*b"{\"id\":\"\xff\"}\n\xff\n");
    let not_utf8 = |at: &str| bad_request("null", &format!("the line is not UTF-8 at byte {at}"));
    assert_eq!(answers, [not_utf8("7"), not_utf8("0")]);
}

#[test]
fn a_byte_order_mark_may_stand_in_front_of_the_first_line() {
    let line = "\u{FEFF}{\"op\":\"cut\",\"text\":\"\"}\n";
    assert_eq!(pipe(line), [r#"{"id":null,"at":null}"#]);
}

#[test]
fn an_id_comes_back_as_it_was_spelled() {
    for id in [
        "0",
        "-0",
        "1.0",
        "1E400",
        "12345678901234567890123",
        "\"\"",
        "\"a\\u0062\\/\"",
        "\"\\ud83d\"",
        "null",
        "true",
        "[]",
        "[1, {\"b\":2,\"a\":1,\"a\":1}]",
        "{ }",
        "\"id\\\"}\\n{\"",
        "\"😀\u{2028}\"",
    ] {
        let request = format!("{{\"op\":\"cut\",\"text\":\"\",\"id\":{id}}}");
        assert_eq!(pipe(request), [format!("{{\"id\":{id},\"at\":null}}")]);
        let request = format!("{{\"id\":{id}}}");
        assert_eq!(pipe(request), [bad_request(id, "`op` is missing")]);
    }
    // Some readers end a line there.
    let answers =
        slotledger(["pipe"]).stdin("{\"id\":[1,\r2],\"op\":\"cut\",\"text\":\"\"}\r\n").run();
    assert_eq!(answers, done("{\"id\":[1, 2],\"at\":null}\n", ""));
    let twice = r#"{"id":1,"id":2,"op":"cut","text":""}"#;
    assert_eq!(pipe(twice), [r#"{"id":2,"at":null}"#]);
}

#[test]
fn an_unknown_op_is_named_and_told_from_a_bad_one() {
    let unknown = |shown: &str| {
        format!(r#"{{"id":1,"error":{{"code":"unknown_op","message":"unknown `op` {shown}"}}}}"#)
    };
    let op = |op: &str| pipe(format!(r#"{{"id":1,"op":{op}}}"#)).concat();
    assert_eq!(op("\"pass\""), unknown(r#"\"pass\""#));
    assert_eq!(op("\"Slots\""), unknown(r#"\"Slots\""#));
    assert_eq!(op("\"\""), unknown(r#"\"\""#));
    assert_eq!(op("\"a\\u0000\""), unknown(r#"\"a\\0\""#));
    assert_eq!(
        op(&format!("\"{}\"", "x".repeat(100_000))),
        unknown(&format!(r#"\"{}\""#, "x".repeat(60)))
    );
    for bad in ["7", "null", "[]", "{\"op\":\"cut\"}"] {
        assert_eq!(op(bad), bad_request("1", "`op` must be a string"));
    }
    assert_eq!(op("\"pair\""), unknown(r#"\"pair\""#));
}

#[test]
fn a_missing_or_ill_typed_field_is_named() {
    let ingest = r#""op":"ingest","call":{"id":"c","name":"t"},"result":1"#;
    let cut = r#""op":"cut","text":"abc""#;
    let stored = r#""op":"cut_stored","text":"a😀c","cap":1"#;
    for (fields, message) in [
        (r#""op":"slots""#, "`text` is missing"),
        (r#""op":"slots","text":1"#, "`text` must be a string"),
        (r#""op":"slots","text":null"#, "`text` must be a string"),
        (r#""op":"slots","text":"","unit":1"#, "`unit` must be a string"),
        (
            r#""op":"slots","text":"","unit":"chars""#,
            r#"`unit` must be \"utf16\", \"char\" or \"byte\""#,
        ),
        (r#""op":"cut","cap":1"#, "`text` is missing"),
        (&format!(r#"{cut},"cap":"1""#), "`cap` must be a whole number from 0, or null"),
        (&format!(r#"{cut},"cap":-1"#), "`cap` must be a whole number from 0, or null"),
        (&format!(r#"{cut},"cap":1.5"#), "`cap` must be a whole number from 0, or null"),
        (&format!(r#"{cut},"cap":true"#), "`cap` must be a whole number from 0, or null"),
        (r#""op":"media_type""#, "`value` is missing"),
        (r#""op":"media_type","value":[]"#, "`value` must be a string"),
        (r#""op":"truncate_history""#, "`text` is missing"),
        (stored, "`ranges` is missing"),
        (r#""op":"ingest","result":1"#, "`call` is missing"),
        (r#""op":"ingest","call":"c","result":1"#, "`call` must be an object {id, name}"),
        (r#""op":"ingest","call":{"name":"t"},"result":1"#, "`call.id` is missing"),
        (r#""op":"ingest","call":{"id":1,"name":"t"},"result":1"#, "`call.id` must be a string"),
        (r#""op":"ingest","call":{"id":"c"},"result":1"#, "`call.name` is missing"),
        (
            r#""op":"ingest","call":{"id":"c","name":null},"result":1"#,
            "`call.name` must be a string",
        ),
        (
            r#""op":"ingest","call":{"id":"c","name":"t","server":1},"result":1"#,
            "`call.server` must be a string",
        ),
        (r#""op":"ingest","call":{"id":"c","name":"t"}"#, "`result` is missing"),
        (&format!(r#"{ingest},"session":1"#), "`session` must be a string"),
        (
            &format!(r#"{ingest},"format":"xml""#),
            r#"`format` must be \"mcp\", \"data\" or \"outcome\""#,
        ),
        (
            &format!(r#"{ingest},"format":"outcome""#),
            "`result`: not an outcome: expected a JSON object",
        ),
        (&format!(r#"{ingest},"omitData":1"#), "`omitData` must be true or false"),
        (&format!(r#"{ingest},"cap":{{}}"#), "`cap` must be a whole number from 0, or null"),
    ] {
        assert_eq!(
            pipe(format!(r#"{{"id":1,{fields}}}"#)),
            [bad_request("1", message)],
            "{fields}"
        );
    }
    let ranges = "`ranges` must be [[start, end], …], whole numbers from 0 in ascending order";
    for bad in [
        "null",
        "1",
        "{}",
        "[1]",
        "[[1]]",
        "[[1,2,3]]",
        "[[\"1\",2]]",
        "[[1,1.5]]",
        "[[-1,1]]",
        "[[3,1]]",
        "[[0,3],[1,4]]",
        "[[3,4],[0,1]]",
        "[[0,900],[800,999]]",
    ] {
        assert_eq!(
            pipe(format!(r#"{{"id":1,{stored},"ranges":{bad}}}"#)),
            [bad_request("1", ranges)],
            "{bad}"
        );
    }
    let inside = "`ranges`: offset 2 falls inside a character";
    for bad in ["[[0,2]]", "[[2,3]]", "[[0,1],[2,4]]"] {
        assert_eq!(
            pipe(format!(r#"{{"id":1,{stored},"ranges":{bad}}}"#)),
            [bad_request("1", inside)],
            "{bad}"
        );
    }
}

#[test]
fn lone_surrogates_are_read_as_replacement_characters() {
    let answers = pipe(concat!(
        r#"{"op":"truncate_history","text":"\ud83d \udc00\ud83d\ude00","cap":null}"#,
        "\n",
        r#"{"\ud83d":1,"o\u0070":"media_type","value":"\ud83d"}"#,
        "\n",
        r#"{"op":"cut","text":"\ud83d\ud83dx","cap":2}"#,
        "\n",
        r#"{"op":"ingest","session":"\udfff","call":{"id":"\ud83d","name":"t"},"result":"\ud83d"}"#,
    ));
    assert_eq!(answers[0], "{\"id\":null,\"text\":\"\u{FFFD} \u{FFFD}😀\"}");
    assert_eq!(answers[1], r#"{"id":null,"mediaType":"application/octet-stream"}"#);
    assert_eq!(answers[2], r#"{"id":null,"at":2}"#);
    assert!(
        answers[3].ends_with(r#""losses":[{"kind":"lone_surrogates","count":1}]}"#),
        "{}",
        answers[3]
    );
}

#[test]
fn no_nesting_is_too_deep_in_any_field() {
    const DEPTH: usize = 100_000;
    let deep = [
        format!("{}{}", "[".repeat(DEPTH), "]".repeat(DEPTH)),
        format!("{}1{}", "{\"a\":".repeat(DEPTH), "}".repeat(DEPTH)),
    ];
    for deep in deep {
        let stored = r#"{"op":"cut_stored","text":"abc","cap":2,"ranges":[]"#;
        let ingest = r#"{"op":"ingest","call":{"id":"c","name":"t"},"result":"x""#;
        let mut requests = vec![
            deep.clone(),
            "[".repeat(DEPTH),
            "{\"a\":".repeat(DEPTH),
            format!(r#"{ingest},"call":{{"id":{deep},"name":"t"}}}}"#),
            format!(r#"{ingest},"result":[{{"type":"text","text":{deep}}}]}}"#),
            format!(r#"{ingest},"result":{{"content":[],"structuredContent":{deep}}}}}"#),
            format!(r#"{ingest},"result":[{deep}]}}"#),
            format!(r#"{ingest},"format":"outcome","result":{{"data":{deep}}}}}"#),
            format!(r#"{stored},"ranges":[[0,{deep}]]}}"#),
        ];
        for field in ["id", "op", "text", "cap", "unit", "ranges", "other"] {
            requests.push(format!(r#"{stored},"{field}":{deep}}}"#));
        }
        for field in ["session", "call", "result", "format", "cap", "omitData"] {
            requests.push(format!(r#"{ingest},"{field}":{deep}}}"#));
        }
        let answers = pipe(requests.join("\n"));
        assert_eq!(answers.len(), requests.len());
        assert!(answers.iter().all(|answer| answer.starts_with("{\"id\":")));
    }
}

#[test]
fn ten_thousand_requests_are_answered_in_order() {
    let request = |id| {
        format!(
            r#"{{"id":{id},"op":"ingest","session":"s{}","call":{{"id":"c{id}","name":"t"}},"result":[{{"type":"image","data":"AAAA","mimeType":"image/png"}}]}}"#,
            id % 7
        )
    };
    let requests: Vec<String> = (0..10_000).map(request).collect();
    let answers = pipe(requests.join("\n"));
    assert_eq!(answers.len(), requests.len());
    for (id, answer) in answers.iter().enumerate() {
        let text = format!("[image: image/png, 3B, ref img_abc123_{}]", id / 7 + 1);
        assert!(answer.starts_with(&format!(r#"{{"id":{id},"text":"{text}","#)), "{answer}");
    }
}
