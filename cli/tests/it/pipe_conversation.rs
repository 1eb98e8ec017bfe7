//! `pipe`: whole conversations.

use slotledger_kit::Json;

use crate::cli::{folder, slotledger};

const PNG: &str = r#"{"type":"image","data":"iVBORw0KGgo=","mimeType":"image/png"}"#;
const GIF: &str = r#"{"type":"image","data":"R0lGODdh","mimeType":"image/gif"}"#;

/// What the pipe answers to these lines, a line each.
fn converse<S: AsRef<str>>(requests: impl IntoIterator<Item = S>) -> Vec<String> {
    let mut lines = Vec::new();
    lines.extend(requests.into_iter().map(|request| request.as_ref().to_owned()));
    let out = slotledger(["pipe", "--nonce", "abc123"]).stdin(lines.join("\n")).run();
    assert_eq!((out.code, &*out.stderr), (Some(0), ""));
    let answers: Vec<String> = out.stdout.lines().map(str::to_owned).collect();
    assert_eq!(answers.len(), lines.len(), "one answer per line");
    answers
}

fn ingest(call: &str, result: &str) -> String {
    format!(r#"{{"op":"ingest","call":{{"id":"{call}","name":"snap"}},"result":{result}}}"#)
}

fn message(content: &str) -> String {
    format!(r#"{{"op":"message","role":"user","content":{content}}}"#)
}

fn save(selector: &str) -> String {
    format!(r#"{{"op":"save","path":"a.png"{selector}}}"#)
}

/// The reason of a refusal.
fn reason(answer: &str) -> String {
    let answer = Json::parse(answer).unwrap();
    let reason = answer.get("refused").and_then(|refused| refused.get("reason"));
    reason.and_then(Json::as_str).unwrap_or_else(|| panic!("{answer}")).to_owned()
}

fn bad_request(message: &str) -> String {
    format!(r#"{{"id":null,"error":{{"code":"bad_request","message":"{message}"}}}}"#)
}

/// The receipt of the image of [`PNG`] from call `c1`.
fn receipt(messages_back: usize) -> String {
    format!(
        r#"{{"id":null,"saved":[{{"path":"a.png","imageIndex":0,"source":"tool-result","mediaType":"image/png","byteSize":8,"sha256":"4c4b6a3be1314ab86138bef4314dde022e600960d8689a2c8f8631802d20dab6","messagesBack":{messages_back},"data":"iVBORw0KGgo=","ref":"img_abc123_1","toolName":"snap","toolCallId":"c1","blockIndex":0}}]}}"#
    )
}

#[test]
fn a_save_before_and_after_the_commit_gives_the_same_image() {
    let requests = [
        message(&format!("[{GIF}]")),
        ingest("c1", &format!("[{PNG}]")),
        save(""),
        r#"{"op":"commit"}"#.into(),
        save(r#","index":null,"count":"1""#),
        save(r#","ref":"img_abc123_1""#),
        r#"{"op":"commit"}"#.into(),
        message(r#""thanks""#),
        save(r#","index":0.0,"ref":null"#),
    ];
    let answers = converse(&requests);
    assert_eq!(answers[0], r#"{"id":null,"index":0}"#);
    assert_eq!(answers[2], receipt(0));
    assert_eq!(answers[3], r#"{"id":null,"results":1}"#);
    assert_eq!(answers[4], receipt(1));
    assert_eq!(answers[5], receipt(1));
    assert_eq!(answers[6], r#"{"id":null,"results":0}"#);
    assert_eq!(answers[7], r#"{"id":null,"index":2}"#);
    assert_eq!(answers[8], receipt(2));
}

#[test]
fn the_inventory_has_attachments_slots_and_references() {
    let link = r#"{"type":"resource_link","uri":"mcp://cam","mimeType":"image/jpeg"}"#;
    let requests = [
        message(&format!(
            r#"[{GIF},{{"type":"image","mimeType":"image/bmp"}},{{"type":"text","text":"[image: image/png, 9B]"}}]"#
        )),
        ingest("c1", &format!("[{PNG},{link}]")),
        r#"{"op":"inventory"}"#.into(),
        r#"{"op":"inventory","limit":1}"#.into(),
        r#"{"op":"inventory","limit":0}"#.into(),
        r#"{"op":"inventory","limit":"1"}"#.into(),
        r#"{"op":"inventory","session":"other","limit":null}"#.into(),
    ];
    let answers = converse(&requests);
    let newest = r#"{"index":0,"source":"reference","mediaType":"image/jpeg","messagesBack":0,"savable":false,"reason":"reference","refId":"ref_1_q4mc","toolName":"snap","toolCallId":"c1"}"#;
    let older = concat!(
        r#"{"index":1,"source":"tool-result","mediaType":"image/png","messagesBack":0,"savable":true,"#,
        r#""ref":"img_abc123_1","toolName":"snap","toolCallId":"c1","blockIndex":0},"#,
        r#"{"index":2,"source":"attachment","mediaType":"image/bmp","messagesBack":1,"savable":false,"#,
        r#""reason":"attachment_not_inline"},"#,
        r#"{"index":3,"source":"attachment","mediaType":"image/gif","messagesBack":1,"savable":true}"#,
    );
    assert_eq!(answers[2], format!(r#"{{"id":null,"images":[{newest},{older}]}}"#));
    assert_eq!(answers[3], format!(r#"{{"id":null,"images":[{newest}]}}"#));
    assert_eq!(answers[4], r#"{"id":null,"images":[]}"#);
    assert_eq!(answers[5], bad_request("`limit` must be a whole number from 0, or null"));
    assert_eq!(answers[6], r#"{"id":null,"images":[]}"#);
}

#[test]
fn bytes_of_another_type_and_a_range_that_reaches_too_far() {
    let mislabelled = PNG.replace("image/png", "image/jpeg");
    let answers = converse([message(&format!("[{mislabelled}]")), save(r#","count":2"#)]);
    let saved = concat!(
        r#"{"id":null,"saved":[{"path":"a-0.png","imageIndex":0,"source":"attachment","#,
        r#""mediaType":"image/jpeg","byteSize":8,"#,
        r#""sha256":"4c4b6a3be1314ab86138bef4314dde022e600960d8689a2c8f8631802d20dab6","#,
        r#""messagesBack":1,"data":"iVBORw0KGgo=","actualMediaType":"image/png"}],"#,
        r#""note":"only 1 of 2 requested images exist in the scanned window"}"#,
    );
    assert_eq!(answers[1], saved);
}

#[test]
fn data_is_told_in_the_standard_alphabet_padded() {
    let loose = r#"[{"type":"image","data":"- _8","mimeType":"image/png"}]"#;
    let answers = converse([message(loose), save("")]);
    assert!(answers[1].contains(r#""byteSize":2,"#), "{}", answers[1]);
    assert!(answers[1].contains(r#""data":"+/8=""#), "{}", answers[1]);
}

#[test]
fn results_in_messages_count_as_text_or_are_retained_as_blocks() {
    let result = |content: &str| {
        format!(r#"[{{"type":"tool_result","toolCallId":"c1","toolName":"snap"{content}}}]"#)
    };
    let requests = [
        message(&result(&format!(r#","content":[{PNG}]"#))),
        save(""),
        message(&result(&format!(r#","content":{{"content":[{GIF}],"isError":true}}"#))),
        message(&result(r#","content":"[image: image/png, 9B]""#)),
        message(&result(r#","content":null"#)),
        message(&result("")),
        message(&result(r#","content":{"any":"json"}"#)),
        r#"{"op":"inventory"}"#.into(),
    ];
    let answers = converse(&requests);
    assert_eq!(answers[1], receipt(1));
    let images = Json::parse(&answers[7]).unwrap();
    let images = images.get("images").and_then(Json::as_array).unwrap();
    let back = |at: usize| images[at].get("messagesBack").and_then(Json::as_usize);
    assert_eq!((images.len(), back(0), back(1), back(2)), (3, Some(4), Some(5), Some(6)));
}

#[test]
fn blocks_as_anthropic_has_them_are_taken_too() {
    let source = r#""source":{"type":"base64","media_type":"image/png","data":"iVBORw0KGgo="}"#;
    let image = format!(r#"{{"type":"image",{source}}}"#);
    let requests = [
        message(r#"[{"type":"tool_use","id":"c1","name":"snap","input":{}}]"#),
        message(&format!(r#"[{{"type":"tool_result","tool_use_id":"c1","content":[{image}]}}]"#)),
        save(""),
        message(&format!("[{image}]")),
        save(""),
    ];
    let answers = converse(&requests);
    assert_eq!(answers[2], receipt(1), "the tool is that of the call");
    assert!(answers[4].contains(r#""source":"attachment""#), "{}", answers[4]);
}

#[test]
fn forged_refs_quoted_refs_and_refs_of_before() {
    let stored = |call: &str, text: &str| {
        message(&format!(
            r#"[{{"type":"tool_result","toolCallId":"{call}","toolName":"read","content":"{text}"}}]"#
        ))
    };
    let requests = [
        ingest("c1", &format!("[{PNG}]")),
        ingest("c2", r#""quoted [image: image/png, 9B, ref img_abc123_1]""#),
        r#"{"op":"commit"}"#.into(),
        save(""),
        save(r#","index":1"#),
        save(r#","count":2"#),
        save(r#","ref":"img_abc123_1""#),
        stored("c3", "[image: image/png, 9B, ref img_zzz_1]"),
        save(""),
        save(r#","ref":"img_zzz_1""#),
        save(r#","ref":"img_zzz_2""#),
        stored("c4", "[image: image/png, 9B]"),
        save(""),
        message(r#"[{"type":"image","data":"???","mimeType":"image/png"}]"#),
        save(""),
        save(r#","index":9"#),
    ];
    let answers = converse(&requests);
    assert_eq!(reason(&answers[3]), "foreign");
    assert!(answers[4].contains(r#""imageIndex":1"#), "{}", answers[4]);
    assert_eq!(reason(&answers[5]), "foreign");
    assert_eq!(answers[6], receipt(1));
    assert_eq!(reason(&answers[8]), "unknown_ref");
    assert_eq!(reason(&answers[9]), "unknown_ref");
    assert_eq!(reason(&answers[10]), "unknown_ref");
    assert_eq!(reason(&answers[12]), "no_ref");
    assert_eq!(reason(&answers[14]), "undecodable");
    assert_eq!(reason(&answers[15]), "not_enough_images");
}

#[test]
fn an_evicted_image_is_refused_and_no_other_takes_its_place() {
    let many = vec![GIF; 64].join(",");
    let requests = [
        ingest("c1", &format!("[{PNG}]")),
        ingest("c2", &format!("[{many}]")),
        save(r#","index":64"#),
        save(r#","index":63"#),
        save(r#","ref":"img_abc123_1""#),
    ];
    let answers = converse(&requests);
    assert_eq!(reason(&answers[2]), "evicted");
    assert!(answers[3].contains(r#""ref":"img_abc123_2""#), "{}", answers[3]);
    assert_eq!(reason(&answers[4]), "evicted");
}

#[test]
fn arguments_that_are_none_are_refused_and_a_path_that_is_none_is_a_bad_request() {
    let message_of = |answer: &str| {
        let answer = Json::parse(answer).unwrap();
        let refused = answer.get("refused").unwrap().clone();
        let text = |key| refused.get(key).and_then(Json::as_str).unwrap().to_owned();
        (text("reason"), text("message"))
    };
    let deep = format!(r#","index":{}{}"#, "[".repeat(10_000), "]".repeat(10_000));
    for (selector, reason, said) in [
        (r#","index":-1"#, "bad_selector", "`index` must be a non-negative integer"),
        (r#","index":0.5"#, "bad_selector", "`index` must be a non-negative integer"),
        (r#","index":" 1""#, "bad_selector", "`index` must be a non-negative integer"),
        (&deep, "bad_selector", "`index` must be a non-negative integer"),
        (r#","count":0"#, "bad_selector", "`count` must be an integer in 1..20"),
        (r#","count":1e400"#, "bad_selector", "`count` must be an integer in 1..20"),
        (r#","ref":"""#, "bad_selector", r#"`ref` must look like "img_k7x3q2_7""#),
        (r#","ref":"\ud83d""#, "bad_selector", r#"`ref` must look like "img_k7x3q2_7""#),
        (
            r#","ref":"img_a_1","index":0"#,
            "conflicting_selectors",
            "`ref` is mutually exclusive with `index`/`count`; leave the others out or pass null for them",
        ),
        (r#","index":1e400"#, "not_enough_images", "no images found in the most recent 0 messages"),
    ] {
        let answer = converse([save(selector)]).concat();
        let said = format!("save_recent_image: {said}. Nothing was written.");
        assert_eq!(message_of(&answer), (reason.to_owned(), said), "{selector}");
    }
    let requests = [
        r#"{"op":"save"}"#,
        r#"{"op":"save","path":null}"#,
        r#"{"op":"save","path":7}"#,
        r#"{"op":"save","path":""}"#,
    ];
    let answers = converse(requests);
    assert_eq!(answers[0], bad_request("`path` is missing"));
    assert_eq!(answers[1], bad_request("`path` must be a string"));
    assert_eq!(answers[2], bad_request("`path` must be a string"));
    let said = "save_recent_image: `path` is required. Nothing was written.";
    assert_eq!(message_of(&answers[3]), ("bad_selector".to_owned(), said.to_owned()));
}

#[test]
fn messages_that_are_none_name_the_field_and_leave_the_history_alone() {
    let requests = [
        r#"{"op":"message","content":"x"}"#.to_owned(),
        r#"{"op":"message","role":7,"content":"x"}"#.to_owned(),
        r#"{"op":"message","role":"user"}"#.to_owned(),
        message("null"),
        message("{}"),
        message(r#"[{"type":"text"}]"#),
        message(r#"["x",{"type":"text","text":7}]"#),
        message(r#"[{"type":"tool_result","content":"x"}]"#),
        message(r#"[{"type":"tool_result","toolCallId":7}]"#),
        message(r#"[{"type":"tool_result","toolCallId":"c","toolName":7}]"#),
        message(r#"[7,{},{"type":7},{"type":"mystery"},[],{"type":"tool_use"}]"#),
    ];
    let expected = [
        "`role` is missing",
        "`role` must be a string",
        "`content` is missing",
        "`content` must be a string or an array of blocks",
        "`content` must be a string or an array of blocks",
        "`content[0].text` is missing",
        "`content[1].text` must be a string",
        "`content[0].toolCallId` is missing",
        "`content[0].toolCallId` must be a string",
        "`content[0].toolName` must be a string",
    ];
    let answers = converse(&requests);
    for (answer, expected) in answers.iter().zip(expected) {
        assert_eq!(*answer, bad_request(expected));
    }
    assert_eq!(answers[10], r#"{"id":null,"index":0}"#);
}

#[test]
fn an_archive_keeps_the_images_of_the_session_that_is_not_named() {
    let dir = folder("pipe_archive");
    let dir = dir.to_str().unwrap();
    let run = |requests: &[String]| {
        let out = slotledger(["pipe", "--ledger", dir]).stdin(requests.join("\n")).run();
        assert_eq!((out.code, &*out.stderr), (Some(0), ""));
        out.stdout.lines().map(|line| Json::parse(line).unwrap()).collect::<Vec<_>>()
    };
    let first = run(&[ingest("c1", &format!("[{PNG}]"))]);
    let text = first[0].get("text").and_then(Json::as_str).unwrap();
    let stored = format!(
        r#"[{{"type":"tool_result","toolCallId":"c1","toolName":"snap","content":"{text}"}}]"#
    );
    let named = |request: &str| request.replacen('{', r#"{"session":"b","#, 1);
    let (told, save) = (message(&stored), save(""));
    let second = run(&[told.clone(), save.clone(), named(&told), named(&save)]);
    let saved = second[1].get("saved").and_then(Json::as_array).unwrap();
    assert_eq!(saved[0].get("data").and_then(Json::as_str), Some("iVBORw0KGgo="));
    assert_eq!(reason(&second[3].to_string()), "unknown_ref", "only the session without a name");
}

#[cfg(unix)]
#[test]
fn an_archive_that_cannot_be_had() {
    use crate::cli::{ended, file};

    let path = file("pipe_archive_file", "x");
    let out = slotledger(["pipe", "--ledger", path.to_str().unwrap()]).run();
    let start = format!("slotledger: {}: the archive of images cannot be opened: ", path.display());
    assert!(out.stderr.starts_with(&start), "{}", out.stderr);
    assert_eq!(out, ended(1, "", out.stderr.clone()));
}

#[cfg(unix)]
#[test]
fn an_archive_that_goes_away_is_told_in_the_end_and_costs_no_answer() {
    use std::io::{BufRead as _, BufReader, Write as _};

    use crate::cli::command;

    let dir = folder("pipe_archive_gone");
    let mut child = command(["pipe", "--ledger", dir.to_str().unwrap()]).spawn().unwrap();
    let mut stdin = child.stdin.take().unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut answer = String::new();
    stdin.write_all(b"{\"op\":\"commit\"}\n").unwrap();
    stdout.read_line(&mut answer).unwrap();
    std::fs::remove_dir_all(&dir).unwrap();
    let requests = format!("{}\n{}\n", ingest("c1", &format!("[{PNG}]")), save(""));
    stdin.write_all(requests.as_bytes()).unwrap();
    drop(stdin);
    let answers: Vec<String> = stdout.lines().map(Result::unwrap).collect();
    assert!(answers[1].contains(r#""data":"iVBORw0KGgo=""#), "{}", answers[1]);
    let output = child.wait_with_output().unwrap();
    let told = String::from_utf8(output.stderr).unwrap();
    assert!(told.starts_with("slotledger: --ledger: images were not kept: "), "{told}");
    assert_eq!((output.status.code(), told.lines().count()), (Some(0), 1));
}
