//! The definition of `save_recent_image`, for a host to offer.

use serde_json::{Value, json};

/// The formats in which tools are defined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolFormat {
    /// Anthropic Messages: `input_schema`.
    Anthropic,
    /// `OpenAI` Chat Completions: a `function` with `parameters`.
    OpenAiChat,
    /// `OpenAI` Chat Completions with `strict`: every property required, no other allowed.
    OpenAiChatStrict,
    /// `OpenAI` Responses: a function tool.
    OpenAiResponses,
    /// `OpenAI` Responses with `strict`.
    OpenAiResponsesStrict,
    /// MCP: `inputSchema`.
    Mcp,
}

const NAME: &str = "save_recent_image";
const DESCRIPTION: &str = "Saves an image of this conversation to a file, byte for byte: an \
    attachment, or one that a tool returned. Images are counted from the newest, which is index 0. \
    Saves the very image that is meant or refuses and says why.";

/// The tool as a host offers it to a model, where it can write files.
///
/// ```
/// use slotledger::history::{ToolFormat, save_tool};
/// let tool = save_tool(ToolFormat::Anthropic);
/// assert_eq!(tool["input_schema"]["required"], serde_json::json!(["path"]));
/// ```
pub fn save_tool(format: ToolFormat) -> Value {
    match format {
        ToolFormat::Anthropic => {
            json!({"name": NAME, "description": DESCRIPTION, "input_schema": schema()})
        }
        ToolFormat::Mcp => {
            json!({"name": NAME, "description": DESCRIPTION, "inputSchema": schema()})
        }
        ToolFormat::OpenAiChat => json!({"type": "function", "function":
            {"name": NAME, "description": DESCRIPTION, "parameters": schema()}}),
        ToolFormat::OpenAiChatStrict => json!({"type": "function", "function":
            {"name": NAME, "description": DESCRIPTION, "parameters": strict(), "strict": true}}),
        ToolFormat::OpenAiResponses => json!({"type": "function", "name": NAME,
            "description": DESCRIPTION, "parameters": schema(), "strict": false}),
        ToolFormat::OpenAiResponsesStrict => json!({"type": "function", "name": NAME,
            "description": DESCRIPTION, "parameters": strict(), "strict": true}),
    }
}

fn properties() -> Value {
    json!({
        "path": {"type": "string", "description": "The file to write. With count over 1, each \
            file's name gets -0, -1, … before its extension, -0 being the newest."},
        "index": {"type": ["integer", "null"], "description": "Which image, 0 being the newest. \
            Default 0."},
        "count": {"type": ["integer", "null"], "description": "How many images from index on, \
            towards the older ones, 1 to 20. Default 1."},
        "ref": {"type": ["string", "null"], "description": "The ref of an image, as in \
            [image: image/png, ~12KB, ref img_k7x3q2_7]. Without index and count."},
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
