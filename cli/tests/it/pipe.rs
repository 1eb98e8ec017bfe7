//! `pipe`: requests and answers as the protocol has them.

use crate::cli::{done, slotledger};

/// What the pipe answers to these lines, a line each.
fn answers(requests: &[&str]) -> Vec<String> {
    let out = slotledger(["pipe", "--nonce", "abc123"]).stdin(requests.join("\n")).run();
    assert_eq!((out.code, &*out.stderr), (Some(0), ""));
    let answers: Vec<String> = out.stdout.lines().map(str::to_owned).collect();
    assert_eq!(answers.len(), requests.len(), "one answer per line");
    answers
}

fn answer(request: &str) -> String {
    answers(&[request]).concat()
}

#[test]
fn the_request_of_the_protocol_s_example() {
    let request = r#"{"op":"ingest","call":{"id":"c1","name":"snap"},"result":{"content":[{"type":"text","text":"hi"},{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}]}}"#;
    let expected = concat!(
        r#"{"id":null,"#,
        r#""text":"hi\n[image: image/png, 9B, ref img_abc123_1]","#,
        r#""blocks":[{"kind":"text","start":0,"end":2},{"kind":"image","start":3,"end":43}],"#,
        r#""live":[{"type":"text","text":"hi"},"#,
        r#"{"type":"image","mimeType":"image/png","data":"iVBORw0KGgo="}],"#,
        r#""shown":[[0,2],[3,43]],"#,
        r#""stored":{"text":"hi\n[image: image/png, 9B, ref img_abc123_1]","#,
        r#""head":43,"total":43,"kept":[],"leftOut":0,"recorded":false},"#,
        r#""slots":[{"kind":"inline","start":3,"end":43,"#,
        r#""text":"[image: image/png, 9B, ref img_abc123_1]","#,
        r#""mediaType":"image/png","size":"9B","ref":"img_abc123_1"}],"#,
        r#""losses":[]}"#,
    );
    let lines = format!("{request}\r\n{request}");
    let out = slotledger(["pipe", "--no-store", "--nonce", "abc123"]).stdin(lines).run();
    assert_eq!(out, done(format!("{expected}\n{expected}\n"), ""), "twice is the same");
}

#[test]
fn nothing_in_nothing_out() {
    assert_eq!(slotledger(["pipe"]).run(), done("", ""));
}

#[test]
fn slots_in_three_units() {
    let text = r"😀ё[image: image/png, 9B, ref img_k7_3]\n[ref_1_ab3d] x — IMAGE/WebP";
    for (unit, [start, end, second, last]) in [
        (r#""utf16""#, [3, 39, 40, 67]),
        (r#""char""#, [2, 38, 39, 66]),
        (r#""byte""#, [6, 42, 43, 72]),
        ("null", [3, 39, 40, 67]),
    ] {
        let request = format!(r#"{{"op":"slots","text":"{text}","unit":{unit}}}"#);
        let expected = format!(
            r#"{{"id":null,"slots":[{{"kind":"inline","start":{start},"end":{end},"text":"[image: image/png, 9B, ref img_k7_3]","mediaType":"image/png","size":"9B","ref":"img_k7_3"}},{{"kind":"reference","start":{second},"end":{last},"text":"[ref_1_ab3d] x — IMAGE/WebP","mediaType":"image/webp","refId":"ref_1_ab3d"}}]}}"#
        );
        assert_eq!(answer(&request), expected);
    }
}

#[test]
fn a_slot_inside_a_stub_has_its_own_place() {
    let stub = "[ref_1_ab3d] ё [image: image/png, 1B] — image/webp";
    let request = format!(r#"{{"op":"slots","text":"{stub}\n{stub}","unit":"char"}}"#);
    let places: Vec<String> = answer(&request)
        .split("\"start\":")
        .skip(1)
        .map(|rest| rest.split(",\"text\"").next().unwrap().to_owned())
        .collect();
    assert_eq!(places, ["0,\"end\":50", "15,\"end\":37", "51,\"end\":101", "66,\"end\":88"]);
}

#[test]
fn cut_in_three_units() {
    for (fields, at) in [
        (r#""cap":3"#, "2"),
        (r#""cap":4"#, "4"),
        (r#""cap":3,"unit":"char""#, "3"),
        (r#""cap":5,"unit":"byte""#, "2"),
        (r#""cap":6,"unit":"byte""#, "6"),
        (r#""cap":6"#, "null"),
        (r#""cap":3.0"#, "2"),
        (r#""cap":3e0"#, "2"),
        (r#""cap":0"#, "null"),
        (r#""cap":null"#, "null"),
        (r#""cap":1e400"#, "null"),
        (r#""cap":99999999999999999999999"#, "null"),
        (r#""unit":"byte""#, "null"),
    ] {
        let request = format!(r#"{{"id":0,"op":"cut","text":"ab😀cd",{fields}}}"#);
        assert_eq!(answer(&request), format!(r#"{{"id":0,"at":{at}}}"#), "{fields}");
    }
    let long = format!(r#"{{"op":"cut","text":"{}"}}"#, "ё".repeat(24_001));
    assert_eq!(answer(&long), r#"{"id":null,"at":24000}"#);
}

#[test]
fn cut_stored_in_three_units() {
    let text = r"some 😀 words\n[image: image/png, 1B] and [image: image/gif, 2B]";
    for (unit, ranges, head) in [
        ("utf16", "[[0,14],[14,36],[36,999]]", 7),
        ("utf16", "[[14.0,3.6e1],[41,63]]", 7),
        ("char", "[[13,35],[40,62]]", 6),
        ("byte", "[[16,38],[43,65]]", 9),
    ] {
        let request = format!(
            r#"{{"op":"cut_stored","text":"{text}","unit":"{unit}","cap":{head},"ranges":{ranges}}}"#
        );
        let kept = r#"["[image: image/png, 1B]","[image: image/gif, 2B]"]"#;
        let expected = format!(r#"{{"id":null,"head":{head},"kept":{kept},"leftOut":0}}"#);
        assert_eq!(answer(&request), expected, "{unit} {ranges}");
    }
    // The head, where a character straddles the cap; a slot that lies in no one range.
    let request =
        format!(r#"{{"op":"cut_stored","text":"{text}","cap":6,"ranges":[[14,20],[20,36]]}}"#);
    assert_eq!(answer(&request), r#"{"id":null,"head":5,"kept":[],"leftOut":0}"#);
    let whole = r#"{"op":"cut_stored","text":"a😀","ranges":[],"unit":"byte"}"#;
    assert_eq!(answer(whole), r#"{"id":null,"head":5,"kept":[],"leftOut":0}"#);
}

#[test]
fn media_type_and_truncate_history() {
    let request = r#"{"op":"media_type","value":" IMAGE/JPEG ; q=1"}"#;
    assert_eq!(answer(request), r#"{"id":null,"mediaType":"image/jpeg"}"#);
    for (unit, head, total) in [("utf16", "a", 4), ("char", "a😀", 3), ("byte", "a", 6)] {
        let request =
            format!(r#"{{"op":"truncate_history","text":"a😀b","cap":2,"unit":"{unit}"}}"#);
        let expected =
            format!(r#"{{"id":null,"text":"{head}\n\n[truncated — original was {total} chars]"}}"#);
        assert_eq!(answer(&request), expected);
    }
    let request = r#"{"op":"truncate_history","text":"a\u00e9\n"}"#;
    assert_eq!(answer(request), r#"{"id":null,"text":"aé\n"}"#);
}

#[test]
fn ingest_counts_in_three_units() {
    for (unit, blocks, stored) in [
        ("utf16", "3},{\"kind\":\"image\",\"start\":4,\"end\":44", "\"head\":3,\"total\":44"),
        ("char", "2},{\"kind\":\"image\",\"start\":3,\"end\":43", "\"head\":3,\"total\":43"),
        ("byte", "5},{\"kind\":\"image\",\"start\":6,\"end\":46", "\"head\":1,\"total\":46"),
    ] {
        let request = format!(
            r#"{{"op":"ingest","call":{{"id":"c","name":"t"}},"cap":3,"unit":"{unit}","omitData":true,"result":[{{"type":"text","text":"a😀"}},{{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}}]}}"#
        );
        let answer = answer(&request);
        let blocks = format!(r#""blocks":[{{"kind":"text","start":0,"end":{blocks}}}]"#);
        assert!(answer.contains(&blocks), "{unit}: {answer}");
        assert!(answer.contains(stored), "{unit}: {answer}");
        assert!(answer.contains(r#"{"type":"image","mimeType":"image/png"}"#), "{answer}");
    }
}

#[test]
fn sessions_are_apart_and_known_by_name() {
    let ingest = |session: &str, id: &str| {
        format!(
            r#"{{{session}"op":"ingest","call":{{"id":"{id}","name":"t"}},"result":[{{"type":"image","data":"AAAA","mimeType":"image/png"}}]}}"#
        )
    };
    let requests = [
        ingest("", "c1"),
        ingest(r#""session":"b","#, "c1"),
        ingest(r#""session":"default","#, "c2"),
        ingest(r#""session":null,"#, "c3"),
        ingest(r#""session":"\u0062","#, "c2"),
        ingest(r#""session":"","#, "c1"),
    ];
    let requests: Vec<&str> = requests.iter().map(String::as_str).collect();
    let refs: Vec<String> = answers(&requests)
        .iter()
        .map(|answer| answer.rsplit("\"ref\":\"").next().unwrap()[..12].to_owned())
        .collect();
    let expected = [
        "img_abc123_1",
        "img_abc123_1",
        "img_abc123_2",
        "img_abc123_3",
        "img_abc123_2",
        "img_abc123_1",
    ];
    assert_eq!(refs, expected);
}

#[test]
fn every_loss_has_its_kind_and_its_fields() {
    let request = r#"{"op":"ingest","call":{"id":"c","name":"t"},"result":[
        {"type":"text","text":"\ud83d"},
        {"type":"mystery"},
        {"type":"image","data":"aa","mimeType":"image/png","uri":"u"},
        {"type":"audio","data":"AAAA","mimeType":"audio/wav"},
        {"type":"resource_link","uri":"u","size":-1}]}"#;
    let request = request.replace('\n', " ");
    let losses = concat!(
        r#""losses":[{"kind":"lone_surrogates","count":1},"#,
        r#"{"kind":"unrecognized","block":1,"reason":"type mystery"},"#,
        r#"{"kind":"withheld","block":2},"#,
        r#"{"kind":"described","block":3,"mediaType":"audio/wav","encodedLength":4},"#,
        r#"{"kind":"dropped_field","block":4,"field":"size"}]}"#,
    );
    let found = answer(&request);
    assert!(found.ends_with(losses), "{found}");

    let images = vec![r#"{"type":"image","data":"AAAA","mimeType":"image/png"}"#; 65].join(",");
    let request = |more: &str| {
        format!(r#"{{"op":"ingest","call":{{"id":"c","name":"t"}},"result":[{images}{more}]}}"#)
    };
    let found = answer(&request(""));
    let not_held = r#""losses":[{"kind":"not_held","block":0,"ref":"img_abc123_1"}]}"#;
    assert!(found.ends_with(not_held), "{found}");
    let found = answer(&request(",7"));
    assert!(found.contains(r#""losses":[{"kind":"gave_up","block":65}"#), "{found}");
}

#[test]
fn the_server_of_a_call_may_be_named_or_known_to_be_unknown() {
    let stub = |call: &str| {
        let request = format!(
            r#"{{"op":"ingest","call":{{"id":"c",{call}}},"result":[{{"type":"resource_link","uri":"u"}}]}}"#
        );
        answer(&request).contains("fetch with fetch_reference")
    };
    assert!(stub(r#""name":"t""#));
    assert!(stub(r#""name":"","server":"cameras""#));
    assert!(stub(r#""name":"t","server":"""#));
    assert!(!stub(r#""name":"","server":"""#));
    assert!(!stub(r#""name":"""#));
    assert!(!stub(r#""name":"t","server":null"#));
}
