//! The definition of the tool, in every format (SPEC 19.1).

use serde_json::{Value, json};
use slotledger::content::ToolFormat;
use slotledger::history::save_tool;

const DESCRIPTION: &str = "Saves an image of this conversation to a file, byte for byte: an attachment, or one that a tool returned. Images are counted from the newest, which is index 0. Saves the very image that is meant or refuses and says why.";

fn properties() -> Value {
    json!({
        "path": {"type": "string", "description": "The file to write. With count over 1, each file's name gets -0, -1, … before its extension, -0 being the newest."},
        "index": {"type": ["integer", "null"], "description": "Which image, 0 being the newest. Default 0."},
        "count": {"type": ["integer", "null"], "description": "How many images from index on, towards the older ones, 1 to 20. Default 1."},
        "ref": {"type": ["string", "null"], "description": "The ref of an image, as in [image: image/png, ~12KB, ref img_k7x3q2_7]. Without index and count."},
    })
}

fn schema() -> Value {
    json!({"type": "object", "properties": properties(), "required": ["path"]})
}

fn strict() -> Value {
    json!({
        "type": "object",
        "properties": properties(),
        "required": ["path", "index", "count", "ref"],
        "additionalProperties": false,
    })
}

#[test]
fn a_definition_is_this_and_nothing_else() {
    let name = "save_recent_image";
    for (format, expected) in [
        (
            ToolFormat::Anthropic,
            json!({"name": name, "description": DESCRIPTION, "input_schema": schema()}),
        ),
        (
            ToolFormat::Mcp,
            json!({"name": name, "description": DESCRIPTION, "inputSchema": schema()}),
        ),
        (
            ToolFormat::OpenAiChat,
            json!({"type": "function", "function": {"name": name, "description": DESCRIPTION, "parameters": schema()}}),
        ),
        (
            ToolFormat::OpenAiChatStrict,
            json!({"type": "function", "function": {"name": name, "description": DESCRIPTION, "parameters": strict(), "strict": true}}),
        ),
        (
            ToolFormat::OpenAiResponses,
            json!({"type": "function", "name": name, "description": DESCRIPTION, "parameters": schema(), "strict": false}),
        ),
        (
            ToolFormat::OpenAiResponsesStrict,
            json!({"type": "function", "name": name, "description": DESCRIPTION, "parameters": strict(), "strict": true}),
        ),
    ] {
        assert_eq!(save_tool(format), expected, "{format:?}");
    }
}
