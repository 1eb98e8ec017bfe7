//! The vectors of `tests/vectors`, through the pipe; and the oracle's whole answers to them.

use slotledger_kit::vectors::{self, Vector, difference, minted_ref_ids, with_plain_ref_ids};
use slotledger_kit::{Json, Unit};

use crate::cli::slotledger;

/// The operations that the pipe speaks.
const OPS: [&str; 6] = ["slots", "cut", "cut_stored", "media_type", "truncate_history", "ingest"];

fn spoken() -> impl Iterator<Item = Vector> {
    vectors::all().into_iter().filter(|vector| OPS.contains(&&*vector.op))
}

/// What the pipe answers to a vector's input, its ref ids as vectors write them.
fn ask(op: &str, input: &Json) -> Json {
    let Json::Object(members) = input else { panic!("no object: {input}") };
    let member = |(key, value): &(String, Json)| match (&**key, value) {
        ("resultJson", Json::String(json)) => format!(",\"result\":{json}"),
        _ => format!(",{}:{value}", Json::from(&**key)),
    };
    let members: String = members.iter().map(member).collect();
    // A result on several lines is one line here: JSON has no line breaks but between its parts.
    let line = format!("{{\"op\":\"{op}\"{members}}}").replace(['\n', '\r'], " ");
    let nonce = input.get("nonce").and_then(Json::as_str).unwrap_or("abc123");
    let out = slotledger(["pipe", "--no-store", "--nonce", nonce]).stdin(line).run();
    assert_eq!((out.code, &*out.stderr), (Some(0), ""));
    let answer = Json::parse(&out.stdout).unwrap();
    let minted = minted_ref_ids(&answer, unit(input));
    with_plain_ref_ids(&answer, &minted)
}

fn unit(input: &Json) -> Unit {
    let name = input.get("unit").and_then(Json::as_str);
    name.map_or(Unit::default(), |name| Unit::named(name).unwrap())
}

fn assert_none(failures: &[String]) {
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn the_pipe_answers_every_vector_as_expected() {
    let mut failures = Vec::new();
    let mut count = 0;
    for Vector { id, op, input, expected, source, .. } in spoken() {
        count += 1;
        let found = difference(&expected, &ask(&op, &input));
        failures.extend(found.map(|found| format!("{id} ({source}): {found}")));
    }
    assert!(count > 200, "only {count} vectors");
    assert_none(&failures);
}

#[test]
fn the_pipe_answers_in_each_unit_as_the_oracle_does() {
    let mut failures = Vec::new();
    for Vector { id, op, input, .. } in spoken() {
        for unit in Unit::ALL {
            // Ranges are places of the unit they were written in.
            if op == "cut_stored" && input.get("unit") != Some(&unit.name().into()) {
                continue;
            }
            let Json::Object(mut members) = input.clone() else { panic!("no object: {input}") };
            members.push(("unit".to_owned(), unit.name().into()));
            let input = Json::Object(members);
            let Some(Json::Object(mut members)) = vectors::answer(&op, &input) else { continue };
            // The oracle tells a length, which only vectors ask for.
            members.retain(|(key, _)| key != "length");
            let expected = Json::Object(members);
            let found = difference(&expected, &ask(&op, &input));
            failures.extend(found.map(|found| format!("{id} in {}: {found}", unit.name())));
        }
    }
    assert_none(&failures);
}

#[test]
fn the_pipe_has_every_conversation_of_the_vectors() {
    let mut failures = Vec::new();
    let mut count = 0;
    for Vector { id, input, expected, source, .. } in
        vectors::all().into_iter().filter(|vector| vector.op == "steps")
    {
        count += 1;
        let found = difference(&expected, &converse(&input));
        failures.extend(found.map(|found| format!("{id} ({source}): {found}")));
    }
    assert!(count > 20, "only {count} conversations");
    assert_none(&failures);
}

/// What the pipe answers to the requests of a conversation, its ref ids as vectors write them.
fn converse(input: &Json) -> Json {
    let requests = input.get("requests").and_then(Json::as_array).unwrap();
    let lines: Vec<String> =
        requests.iter().map(|request| request.to_string().replace(['\n', '\r'], " ")).collect();
    let nonce = input.get("nonce").and_then(Json::as_str).unwrap_or("abc123");
    let mut arguments = vec!["pipe", "--nonce", nonce];
    if input.get("store").is_none() {
        arguments.push("--no-store");
    }
    let out = slotledger(arguments).stdin(lines.join("\n")).run();
    assert_eq!((out.code, &*out.stderr), (Some(0), ""));
    let answers: Vec<Json> = out.stdout.lines().map(|line| Json::parse(line).unwrap()).collect();
    let mut minted = Vec::new();
    for (request, answer) in requests.iter().zip(&answers) {
        for id in minted_ref_ids(answer, unit(request)) {
            if !minted.contains(&id) {
                minted.push(id);
            }
        }
    }
    let answers = answers.iter().map(|answer| with_plain_ref_ids(answer, &minted));
    Json::object([("answers", Json::Array(answers.collect()))])
}
