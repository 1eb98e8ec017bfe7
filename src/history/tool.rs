//! The definition of `save_recent_image`, for a host to offer.

use serde_json::{Value, json};

use crate::content::{ToolFormat, definition};

const NAME: &str = "save_recent_image";
const DESCRIPTION: &str = "Saves an image of this conversation to a file, byte for byte: an \
    attachment, or one that a tool returned. Images are counted from the newest, which is index 0. \
    Saves the very image that is meant or refuses and says why.";

/// The tool as a host offers it to a model, where it can write files.
///
/// ```
/// use slotledger::content::ToolFormat;
/// use slotledger::history::save_tool;
/// let tool = save_tool(ToolFormat::Anthropic);
/// assert_eq!(tool["input_schema"]["required"], serde_json::json!(["path"]));
/// ```
pub fn save_tool(format: ToolFormat) -> Value {
    let schema = json!({"type": "object", "required": ["path"], "properties": {
        "path": {"type": "string", "description": "The file to write. With count over 1, each \
            file's name gets -0, -1, … before its extension, -0 being the newest."},
        "index": {"type": ["integer", "null"], "description": "Which image, 0 being the newest. \
            Default 0."},
        "count": {"type": ["integer", "null"], "description": "How many images from index on, \
            towards the older ones, 1 to 20. Default 1."},
        "ref": {"type": ["string", "null"], "description": "The ref of an image, as in \
            [image: image/png, ~12KB, ref img_k7x3q2_7]. Without index and count."},
    }});
    definition(format, NAME, DESCRIPTION, &schema)
}
