//! Tools as hosts define them for a model, and the names they then go by.

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

/// A tool in a format. `schema` is that of an object whose properties have a `type` each.
pub(crate) fn definition(format: ToolFormat, name: &str, about: &str, schema: &Value) -> Value {
    match format {
        ToolFormat::Anthropic => {
            json!({"name": name, "description": about, "input_schema": schema})
        }
        ToolFormat::Mcp => json!({"name": name, "description": about, "inputSchema": schema}),
        ToolFormat::OpenAiChat => json!({"type": "function", "function":
            {"name": name, "description": about, "parameters": schema}}),
        ToolFormat::OpenAiChatStrict => json!({"type": "function", "function":
            {"name": name, "description": about, "parameters": strict(schema), "strict": true}}),
        ToolFormat::OpenAiResponses => json!({"type": "function", "name": name,
            "description": about, "parameters": schema, "strict": false}),
        ToolFormat::OpenAiResponsesStrict => json!({"type": "function", "name": name,
            "description": about, "parameters": strict(schema), "strict": true}),
    }
}

/// A schema in the subset that strict mode takes: every property is required, those that were not
/// may be `null`, and nothing says what a value is by default or at most.
fn strict(schema: &Value) -> Value {
    let required = schema.get("required").and_then(Value::as_array);
    let mut properties = schema.get("properties").cloned().unwrap_or_default();
    for (name, property) in properties.as_object_mut().into_iter().flatten() {
        let Some(property) = property.as_object_mut() else { continue };
        property
            .retain(|key, _| !matches!(&**key, "default" | "minimum" | "maximum" | "maxLength"));
        if required.is_some_and(|required| required.contains(&json!(name))) {
            continue;
        }
        if let Some(kind) = property.get_mut("type").filter(|kind| kind.is_string()) {
            *kind = json!([kind, "null"]);
        }
        if let Some(values) = property.get_mut("enum").and_then(Value::as_array_mut) {
            values.push(Value::Null);
        }
    }
    let names: Vec<&String> =
        properties.as_object().into_iter().flatten().map(|(n, _)| n).collect();
    json!({
        "type": "object",
        "required": names,
        "additionalProperties": false,
        "properties": properties,
    })
}

/// Whether `tool` is the tool `name` of ours: by the last part of a name that a host may have put
/// more in front of.
pub(crate) fn is_tool(tool: &str, name: &str) -> bool {
    let last = tool.rsplit(['.', '/', ':']).next().unwrap_or(tool);
    last.rsplit("__").next() == Some(name)
}
