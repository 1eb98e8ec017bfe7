//! The definitions of the tools that read back, in every format (SPEC 22.1).

use serde_json::{Value, json};
use slotledger::content::ToolFormat;
use slotledger::record::{get_full_tool_result_tool, list_tool_results_tool, recall_tool};

#[test]
fn the_definition_of_get_full_tool_result() {
    let expected = json!({
        "name": "get_full_tool_result",
        "description": "Reads the full text of an earlier tool result by pages. While hasMore is true, go on at nextStartChar. To find one thing use item or grep.",
        "inputSchema": {"type": "object", "additionalProperties": false, "required": ["toolCallId"], "properties": {
            "toolCallId": {"type": "string", "description": "From the truncation notice, or a content key"},
            "toolName": {"type": "string", "description": "The tool that was called, to be sure of it"},
            "searchIn": {"type": "string", "enum": ["current_session", "all_sessions"], "default": "current_session"},
            "sessionId": {"type": "string", "description": "Wins over searchIn"},
            "startChar": {"type": "integer", "minimum": 0, "default": 0},
            "length": {"type": "integer", "minimum": 1, "maximum": 100_000, "default": 50_000},
            "item": {"type": "string", "description": "JSON only: a pointer (/data/3), or id or name of an object in a list; * outlines"},
            "grep": {"type": "string", "maxLength": 1_000, "description": "Regular expression"},
            "context": {"type": "integer", "minimum": 0, "maximum": 10, "default": 2, "description": "Lines around a match of grep"},
        }},
    });
    assert_eq!(get_full_tool_result_tool(ToolFormat::Mcp, true), expected);
}

const FORMATS: [(ToolFormat, &str); 6] = [
    (ToolFormat::Anthropic, "/input_schema"),
    (ToolFormat::Mcp, "/inputSchema"),
    (ToolFormat::OpenAiChat, "/function/parameters"),
    (ToolFormat::OpenAiChatStrict, "/function/parameters"),
    (ToolFormat::OpenAiResponses, "/parameters"),
    (ToolFormat::OpenAiResponsesStrict, "/parameters"),
];

#[test]
fn other_sessions_are_spoken_of_only_where_they_may_be_read() {
    for (format, schema) in FORMATS {
        for tool in [get_full_tool_result_tool, list_tool_results_tool] {
            let words = |reads_others| tool(format, reads_others).to_string();
            assert!(words(true).contains("searchIn") && words(true).contains("sessionId"));
            assert!(!words(false).contains("searchIn") && !words(false).contains("session"));
            assert!(tool(format, true).pointer(schema).is_some());
        }
        assert!(recall_tool(format).pointer(schema).is_some());
    }
}

#[test]
fn a_strict_schema_requires_every_property_and_has_no_more_than_strict_mode_takes() {
    for (format, schema) in FORMATS {
        let is_strict =
            matches!(format, ToolFormat::OpenAiChatStrict | ToolFormat::OpenAiResponsesStrict);
        if !is_strict {
            continue;
        }
        let tool = get_full_tool_result_tool(format, true);
        let schema = tool.pointer(schema).unwrap();
        let properties = schema["properties"].as_object().unwrap();
        let names: Vec<&str> = properties.keys().map(String::as_str).collect();
        assert_eq!(schema["required"], json!(names));
        assert_eq!(schema["additionalProperties"], json!(false));
        assert_eq!(properties["toolCallId"]["type"], json!("string"));
        assert_eq!(properties["length"], json!({"type": ["integer", "null"]}));
        assert_eq!(
            properties["searchIn"]["enum"],
            json!(["current_session", "all_sessions", Value::Null])
        );
    }
}
