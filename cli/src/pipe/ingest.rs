//! `ingest`: takes one result, and answers with its copies.

use serde_json::value::RawValue;
use slotledger::Session;
use slotledger::content::{Call, Server, wire};

use super::answer::{Answer, Refusal};
use super::fields::{self, cap, flag, unit};
use super::request::{Members, Request};
use crate::json::IngestedJson;

pub(super) fn ingest<'l>(
    request: &Request<'l>,
    session: &mut Session,
) -> Result<Answer<'l>, Refusal> {
    let (unit, call) = (unit(request)?, call(request)?);
    let (cap, omit_data) = (cap(request, unit)?, flag(request, "omitData")?);
    let read = match &*request.string_or("format", "mcp")? {
        "mcp" => wire::mcp::read,
        "data" => wire::data::read,
        "outcome" => wire::outcome::read,
        _ => return Err(Refusal::bad_field("format", "\"mcp\", \"data\" or \"outcome\"")),
    };
    let result = read(&request.share(request.required("result")?));
    let result = result.map_err(|error| Refusal::no_result(&error))?;
    let ingested = Box::new(session.ingest_at(&call, &result, cap));
    Ok(Answer::Ingested(IngestedJson { ingested, unit, omit_data }))
}

/// The call of a request: `{id, name}`, and `server` where the host names servers, `null` where it
/// knows none. As with tools, an empty name is none.
fn call(request: &Request<'_>) -> Result<Call, Refusal> {
    let json = request.required("call")?;
    let members = Members::split(json);
    let members = members.ok_or_else(|| Refusal::bad_field("call", "an object {id, name}"))?;
    let string = |key, field| match members.get(key) {
        Some(json) => {
            let text = fields::string(json.get());
            text.ok_or_else(|| Refusal::bad_field(field, "a string"))
        }
        None => Err(Refusal::missing(field)),
    };
    let call = Call::new(&*string("id", "call.id")?, &*string("name", "call.name")?);
    Ok(match members.get("server").map(RawValue::get) {
        None => call,
        Some("null") => call.with_server(Server::Unknown),
        Some(_) => {
            let name = string("server", "call.server")?;
            if name.is_empty() { call } else { call.with_server(Server::Named((&*name).into())) }
        }
    })
}
