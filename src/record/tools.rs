//! The definitions of the tools that read back, for a host to offer.

use serde_json::{Value, json};

use super::arguments::{DEFAULT_LIST, DEFAULT_PAGE, MAX_CONTEXT, MAX_LIST};
use super::grep::MAX_PATTERN_UTF16;
use super::page::MAX_PAGE;
use crate::content::{ToolFormat, definition, is_tool};

const GET: &str = "get_full_tool_result";
const RECALL: &str = "recall";
const LIST: &str = "list_tool_results";

/// Whether `tool` is one of ours that read back, by its name: `recall` is a name that others have
/// too, so nothing may stand in front of that.
pub(crate) fn is_read_back(tool: &str) -> bool {
    is_tool(tool, GET) || is_tool(tool, LIST) || tool == RECALL
}

/// The tool that reads the full text of an earlier result by pages.
///
/// `reads_others` says whether the records of other sessions may be read; where not, nothing is
/// said of them.
///
/// ```
/// use slotledger::content::ToolFormat;
/// use slotledger::record::get_full_tool_result_tool;
/// let tool = get_full_tool_result_tool(ToolFormat::Anthropic, false);
/// assert_eq!(tool["input_schema"]["required"], serde_json::json!(["toolCallId"]));
/// assert!(tool["input_schema"]["properties"].get("sessionId").is_none());
/// ```
pub fn get_full_tool_result_tool(format: ToolFormat, reads_others: bool) -> Value {
    let about = "Reads the full text of an earlier tool result by pages. While hasMore is true, go \
        on at nextStartChar. To find one thing use item or grep.";
    let properties = [
        ("toolCallId", string("From the truncation notice, or a content key")),
        ("toolName", string("The tool that was called, to be sure of it")),
    ];
    let places = [
        ("startChar", json!({"type": "integer", "minimum": 0, "default": 0})),
        (
            "length",
            json!({"type": "integer", "minimum": 1, "maximum": MAX_PAGE, "default": DEFAULT_PAGE}),
        ),
        (
            "item",
            string(
                "JSON only: a pointer (/data/3), or id or name of an object in a list; * outlines",
            ),
        ),
        (
            "grep",
            json!({"type": "string", "maxLength": MAX_PATTERN_UTF16,
                "description": "Regular expression"}),
        ),
        (
            "context",
            json!({"type": "integer", "minimum": 0, "maximum": MAX_CONTEXT, "default": 2,
                "description": "Lines around a match of grep"}),
        ),
    ];
    let properties = properties.into_iter().chain(scope(reads_others)).chain(places);
    definition(format, GET, about, &schema(&["toolCallId"], properties))
}

/// The tool that reads results by content key, by marker or by call id.
///
/// ```
/// use slotledger::content::ToolFormat;
/// use slotledger::record::recall_tool;
/// assert_eq!(recall_tool(ToolFormat::Mcp)["inputSchema"]["required"][0], "id");
/// ```
pub fn recall_tool(format: ToolFormat) -> Value {
    let about = "Reads earlier tool results by what stands for them: <<ccr:KEY>> markers, content \
        keys or tool call ids. Gives the first page of each; get_full_tool_result reads on.";
    let id = json!({"type": "array", "items": {"type": "string"},
        "description": "Markers, keys or tool call ids"});
    definition(format, RECALL, about, &schema(&["id"], [("id", id)]))
}

/// The tool that lists what can be read back, the newest first. `reads_others` as in
/// [`get_full_tool_result_tool`].
///
/// ```
/// use slotledger::content::ToolFormat;
/// use slotledger::record::list_tool_results_tool;
/// let tool = list_tool_results_tool(ToolFormat::OpenAiResponses, true);
/// assert_eq!(tool["parameters"]["properties"]["searchIn"]["enum"][1], "all_sessions");
/// ```
pub fn list_tool_results_tool(format: ToolFormat, reads_others: bool) -> Value {
    let about = "Lists the kept tool results, the newest first, with size and type, without their \
        text. If there is next, pass it as before to go on.";
    let tool = [("toolName", string("Only results of this tool"))];
    let places = [
        ("before", json!({"type": "integer", "minimum": 1})),
        (
            "limit",
            json!({"type": "integer", "minimum": 1, "maximum": MAX_LIST, "default": DEFAULT_LIST}),
        ),
    ];
    let properties = tool.into_iter().chain(scope(reads_others)).chain(places);
    definition(format, LIST, about, &schema(&[], properties))
}

/// The properties that name sessions, where others may be read.
fn scope(reads_others: bool) -> impl Iterator<Item = (&'static str, Value)> {
    let search_in = json!({"type": "string", "enum": ["current_session", "all_sessions"],
        "default": "current_session"});
    let properties = [("searchIn", search_in), ("sessionId", string("Wins over searchIn"))];
    properties.into_iter().filter(move |_| reads_others)
}

fn string(description: &str) -> Value {
    json!({"type": "string", "description": description})
}

fn schema(required: &[&str], properties: impl IntoIterator<Item = (&'static str, Value)>) -> Value {
    let properties = properties.into_iter().map(|(name, property)| (name.to_owned(), property));
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": required,
        "properties": properties.collect::<serde_json::Map<_, _>>(),
    })
}
