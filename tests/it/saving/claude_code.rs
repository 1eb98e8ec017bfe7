//! Claude Code session files as a history (SPEC 20.5 to 20.9).

use slotledger::Session;
use slotledger::content::wire::claude_code::{self, Scope};

use super::{given, listed};
use crate::support::{in_time, session};

/// A line: its kind, its uuid, its parent, and more members.
fn line(kind: &str, uuid: &str, parent: &str, more: &str) -> String {
    let parent = if parent.is_empty() { "null".to_owned() } else { format!("{parent:?}") };
    format!(
        r#"{{"type":"{kind}","uuid":"{uuid}","parentUuid":{parent},"isSidechain":false{more}}}"#
    )
}

fn image(data: &str) -> String {
    format!(
        r#"{{"type":"image","source":{{"type":"base64","media_type":"image/gif","data":"{data}"}}}}"#
    )
}

/// A user's line with an image.
fn shows(uuid: &str, parent: &str, data: &str) -> String {
    let message = format!(r#","message":{{"role":"user","content":[{}]}}"#, image(data));
    line("user", uuid, parent, &message)
}

fn calls(uuid: &str, parent: &str, message: &str, call: &str) -> String {
    let message = format!(
        r#","message":{{"id":"{message}","role":"assistant","content":[{{"type":"tool_use","id":"{call}","name":"snap","input":{{}}}}]}}"#
    );
    line("assistant", uuid, parent, &message)
}

/// A result's line, with the mirror for display.
fn answers(uuid: &str, parent: &str, call: &str, data: &str) -> String {
    let message = format!(
        r#","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{call}","content":[{}]}}]}},"toolUseResult":{{"type":"image","file":{{"base64":"{data}","type":"image/gif"}}}}"#,
        image(data)
    );
    line("user", uuid, parent, &message)
}

fn says(uuid: &str, parent: &str) -> String {
    line(
        "assistant",
        uuid,
        parent,
        r#","message":{"id":"said","role":"assistant","content":[{"type":"text","text":"."}]}"#,
    )
}

fn history(lines: &[String], scope: Scope) -> Session {
    let file = lines.join("\n");
    let mut session = session();
    let transcript = claude_code::read(&file.into(), scope, |_| {}).expect("a session file");
    for message in &transcript.messages {
        session.push(message);
    }
    session
}

/// The base64 texts of the live branch, the oldest first.
fn live(lines: &[String]) -> Vec<String> {
    data(&history(lines, Scope::Live))
}

fn data(session: &Session) -> Vec<String> {
    let mut data: Vec<String> =
        (0..session.inventory().count()).map(|index| given(session, index).unwrap()).collect();
    data.reverse();
    data
}

#[test]
fn a_result_counts_once_and_not_its_mirror() {
    let lines =
        [shows("u1", "", "AAAA"), calls("a1", "u1", "m1", "t1"), answers("r1", "a1", "t1", "BBBB")];
    assert_eq!(
        listed(&history(&lines, Scope::Live)),
        ["0 1 snap/t1 image/gif BBBB", "1 3 attachment image/gif AAAA"]
    );
}

#[test]
fn parallel_calls_fan_out_and_all_belong() {
    // Each result under its own call; the walk from the leaf meets only the last.
    let lines = [
        shows("u1", "", "AAAA"),
        calls("a1", "u1", "m1", "t1"),
        calls("a2", "a1", "m1", "t2"),
        calls("a3", "a2", "m1", "t3"),
        answers("r1", "a1", "t1", "BBBB"),
        answers("r2", "a2", "t2", "CCCC"),
        answers("r3", "a3", "t3", "DDDD"),
        says("a4", "r3"),
    ];
    assert_eq!(live(&lines), ["AAAA", "BBBB", "CCCC", "DDDD"]);
    let session = history(&lines, Scope::Live);
    assert_eq!(session.conversation().messages().len(), 6, "lines of one id are one message");
    // The branch goes on under the first result; call and result of the others hang beside it.
    let lines = [
        calls("a1", "", "m1", "t1"),
        answers("r1", "a1", "t1", "BBBB"),
        calls("a2", "a1", "m1", "t2"),
        answers("r2", "a2", "t2", "CCCC"),
        says("a4", "r1"),
    ];
    assert_eq!(live(&lines), ["BBBB", "CCCC"]);
}

#[test]
fn what_was_taken_back_is_not_there() {
    let lines = [
        shows("u1", "", "AAAA"),
        calls("a1", "u1", "m1", "t1"),
        answers("r1", "a1", "t1", "BBBB"),
        shows("u2", "u1", "CCCC"),
        calls("a2", "u2", "m2", "t2"),
        answers("r2", "a2", "t2", "DDDD"),
    ];
    assert_eq!(live(&lines), ["AAAA", "CCCC", "DDDD"]);
    let everything = history(&lines, Scope::Everything);
    assert_eq!(data(&everything), ["AAAA", "BBBB", "CCCC", "DDDD"]);
}

#[test]
fn a_named_leaf_wins_unless_the_newest_line_follows_it() {
    let prompt =
        |leaf: &str| format!(r#"{{"type":"last-prompt","leafUuid":"{leaf}","sessionId":"s"}}"#);
    let mut lines = vec![
        shows("u1", "", "AAAA"),
        shows("u2", "u1", "BBBB"),
        shows("u3", "u1", "CCCC"),
        shows("u4", "u3", "DDDD"),
    ];
    assert_eq!(live(&lines), ["AAAA", "CCCC", "DDDD"]);
    lines.push(prompt("u2"));
    assert_eq!(live(&lines), ["AAAA", "BBBB"], "another branch");
    lines.push(prompt("u3"));
    assert_eq!(live(&lines), ["AAAA", "CCCC", "DDDD"], "the newest line descends from it");
    lines.push(prompt("nobody"));
    assert_eq!(live(&lines), ["AAAA", "CCCC", "DDDD"], "the last that is there");
    lines.push(r#"{"type":"last-prompt","leafUuid":7}"#.to_owned());
    assert_eq!(live(&lines), ["AAAA", "CCCC", "DDDD"]);
}

#[test]
fn other_agents_are_left_out() {
    let aside = |line: String| line.replace(r#""isSidechain":false"#, r#""isSidechain":true"#);
    let lines = [
        shows("u1", "", "AAAA"),
        aside(shows("s1", "", "SSSS")),
        aside(answers("s2", "s1", "t1", "TTTT")),
        calls("a1", "u1", "m1", "t1"),
        answers("r1", "a1", "t1", "BBBB"),
        aside(shows("s3", "r1", "UUUU")),
    ];
    assert_eq!(live(&lines), ["AAAA", "BBBB"]);
    let everything = history(&lines, Scope::Everything);
    assert_eq!(data(&everything).len(), 5);
}

#[test]
fn what_was_compacted_is_not_sent_again() {
    let boundary = line(
        "system",
        "b1",
        "",
        r#","subtype":"compact_boundary","logicalParentUuid":"r1","compactMetadata":{"trigger":"auto"}"#,
    );
    let summary = line(
        "user",
        "u2",
        "b1",
        r#","isCompactSummary":true,"message":{"role":"user","content":"so far"}"#,
    );
    let mut lines = vec![
        shows("u1", "", "AAAA"),
        calls("a1", "u1", "m1", "t1"),
        answers("r1", "a1", "t1", "BBBB"),
        boundary,
        summary,
        shows("u3", "u2", "CCCC"),
    ];
    assert_eq!(live(&lines), ["CCCC"]);
    // Even where the boundary has a parent.
    lines[3] = lines[3].replace(r#""parentUuid":null"#, r#""parentUuid":"r1""#);
    assert_eq!(live(&lines), ["CCCC"]);
    let everything = history(&lines, Scope::Everything);
    assert_eq!(data(&everything), ["AAAA", "BBBB", "CCCC"]);
    // A system line of another kind is a link like any other.
    lines[3] = lines[3].replace("compact_boundary", "informational");
    assert_eq!(live(&lines), ["AAAA", "BBBB", "CCCC"]);
}

#[test]
fn a_repeated_line_counts_once() {
    let once =
        [shows("u1", "", "AAAA"), calls("a1", "u1", "m1", "t1"), answers("r1", "a1", "t1", "BBBB")];
    let mut lines = once.to_vec();
    lines.extend(once);
    lines.push(shows("u2", "r1", "CCCC"));
    assert_eq!(live(&lines), ["AAAA", "BBBB", "CCCC"]);
    let lines = [shows("u1", "", "AAAA"), shows("u1", "u1", "BBBB"), shows("u2", "u2", "CCCC")];
    assert_eq!(in_time(move || live(&lines)), ["CCCC"]);
    let lines = [shows("u1", "", "AAAA"), shows("u1", "u1", "BBBB")];
    assert_eq!(live(&lines), ["AAAA", "BBBB"], "the nearest before it");
    // One that names itself, or one that comes later, is no loop.
    let lines = [shows("u1", "u1", "AAAA"), shows("u2", "u3", "BBBB"), shows("u3", "u2", "CCCC")];
    assert_eq!(live(&lines), ["BBBB", "CCCC"]);
}

#[test]
fn a_list_without_links_is_a_list() {
    let lines: Vec<String> = ["AAAA", "BBBB"]
        .map(|data| {
            format!(r#"{{"type":"user","message":{{"role":"user","content":[{}]}}}}"#, image(data))
        })
        .into();
    assert_eq!(live(&lines), ["AAAA", "BBBB"]);
}

#[test]
fn lines_that_are_no_messages_hold_none() {
    let attachment = line(
        "attachment",
        "x1",
        "u1",
        &format!(r#","attachment":{{"type":"queued","prompt":[{}]}}"#, image("BBBB")),
    );
    let display = shows("d1", "x1", "DDDD")
        .replace(r#""isSidechain""#, r#""isVisibleInTranscriptOnly":true,"isSidechain""#);
    let lines = [
        shows("u1", "", "AAAA"),
        attachment,
        display,
        line(
            "progress",
            "p1",
            "d1",
            &format!(r#","message":{{"role":"user","content":[{}]}}"#, image("PPPP")),
        ),
        line("user", "u2", "p1", r#","message":7"#),
        line("user", "u3", "u2", ""),
        format!(
            r#"{{"type":"summary","leafUuid":"u1","message":{{"role":"user","content":[{}]}}}}"#,
            image("SSSS")
        ),
        format!(r#"{{"type":"file-history-snapshot","snapshot":{}}}"#, image("FFFF")),
        shows("u4", "u3", "CCCC"),
    ];
    assert_eq!(live(&lines), ["AAAA", "BBBB", "CCCC"]);
}

#[test]
fn broken_lines_are_told_and_cost_only_themselves() {
    let lines = [
        shows("u1", "", "AAAA"),
        String::new(),
        "  \t".to_owned(),
        r#"{"type":"user","uuid":"#.to_owned(),
        "7".to_owned(),
        "[]".to_owned(),
        shows("u2", "u1", "BBBB"),
        shows("u3", "u2", "CCCC")[..40].to_owned(),
    ];
    for end in ["\n", "\r\n"] {
        let file = lines.join(end);
        let transcript = claude_code::read(&file.into(), Scope::Live, |_| {}).unwrap();
        assert_eq!(transcript.unreadable_lines, [4, 8], "{end:?}");
        assert_eq!(transcript.messages.len(), 2, "{end:?}");
    }
    let mut file = shows("u1", "", "AAAA").into_bytes();
    file.extend(b"\n{\"type\":\"\xFF\"}\n");
    let transcript = claude_code::read(&file.into(), Scope::Live, |_| {}).unwrap();
    assert_eq!((transcript.messages.len(), transcript.unreadable_lines), (1, vec![2]));
    let file = format!("\u{feff}{}\n", shows("u1", "", "AAAA"));
    assert_eq!(live(&[file]), ["AAAA"]);
    for bad in ["{", "{\n{", "7\n[]", "nothing"] {
        assert!(claude_code::read(&bad.to_owned().into(), Scope::Live, |_| {}).is_err(), "{bad:?}");
    }
    for empty in ["", "\n", " \r\n\n"] {
        let transcript = claude_code::read(&empty.to_owned().into(), Scope::Live, |_| {}).unwrap();
        assert!(transcript.messages.is_empty(), "{empty:?}");
    }
}

#[test]
fn progress_ends_at_the_end() {
    let file = [shows("u1", "", "AAAA"), shows("u2", "u1", "BBBB")].join("\n");
    let (length, mut told) = (file.len(), Vec::new());
    claude_code::read(&file.into(), Scope::Live, |bytes| told.push(bytes)).unwrap();
    assert!(told.is_sorted());
    assert_eq!(told.last(), Some(&length));
}

#[test]
fn an_image_may_lack_its_type() {
    let lines = [shows("u1", "", "AAAA"), answers("r1", "u1", "t1", "BBBB")]
        .map(|line| line.replace(r#""media_type":"image/gif","#, ""));
    assert_eq!(live(&lines), ["AAAA", "BBBB"]);
}

#[test]
fn long_files_of_every_kind_are_read_in_time() {
    const LINES: usize = 60_000;
    let files: [fn(usize) -> String; 6] = [
        |at| shows(&format!("u{at}"), &format!("u{}", at.wrapping_sub(1)), "AAAA"),
        |_| shows("u", "u", "AAAA"),
        |at| calls(&format!("a{at}"), "a0", "m1", "t1"),
        |at| answers(&format!("r{at}"), &format!("r{}", at / 2), "t1", "AAAA"),
        |at| format!(r#"{{"type":"last-prompt","leafUuid":"u{at}","parentUuid":"x"}}"#),
        |at| {
            line(
                "user",
                &format!("u{at}"),
                "u0",
                &format!(r#","deep":{}{}"#, "[".repeat(20), "]".repeat(20)),
            )
        },
    ];
    for file in files {
        let lines: Vec<String> = (0..LINES).map(file).collect();
        in_time(move || {
            let file = lines.join("\n");
            let read = claude_code::read(&file.into(), Scope::Live, |_| {}).unwrap();
            assert!(read.messages.len() <= LINES);
        });
    }
    let deep = format!("{}{}", "{\"a\":[".repeat(200_000), "]}".repeat(200_000));
    let lines = [shows("u1", "", "AAAA")
        .replace(r#""type":"user""#, &format!(r#""x":{deep},"type":"user""#))];
    assert_eq!(in_time(move || live(&lines)), ["AAAA"]);
}

#[test]
fn a_file_that_hardly_links_its_lines_is_a_list() {
    let lines = [
        shows("u1", "", "AAAA"),
        shows("u2", "", "BBBB"),
        shows("u3", "", "CCCC"),
        shows("u4", "gone", "DDDD"),
        shows("u5", "u4", "EEEE"),
    ];
    let session = history(&lines, Scope::Live);
    let seen: Vec<_> = (0..6).map(|index| given(&session, index)).collect();
    let expected = ["EEEE", "DDDD", "CCCC", "BBBB", "AAAA"].map(|data| Ok(data.to_owned()));
    assert_eq!(seen[..5], expected);
    assert_eq!(seen[5], Err("not_enough_images"));
}

#[test]
fn an_error_says_where_in_the_file_it_is() {
    let error = claude_code::read(&"\n\nx".to_owned().into(), Scope::Live, |_| {}).unwrap_err();
    assert_eq!(error.offset(), 2);
}
