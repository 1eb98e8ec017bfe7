//! Paths as a notice prints them.

use std::path::Path;

/// The longest path that is printed, in characters.
const MAX_PRINTED: usize = 400;

/// A path fit to be printed in a notice and to stand in a command of any shell: bare, or in single
/// quotes. `None` where it is not: it then holds a quote, a bracket or a control character.
pub(super) fn printed(path: &Path) -> Option<String> {
    let path = path.to_str().filter(|path| path.chars().count() <= MAX_PRINTED)?;
    let path = if cfg!(windows) { path.replace('\\', "/") } else { path.to_owned() };
    let is_bare = |ch: char| ch.is_ascii_alphanumeric() || "_./:-".contains(ch);
    if path.chars().all(is_bare) {
        Some(path)
    } else if cfg!(windows) || path.contains(|ch: char| "'[]".contains(ch) || ch.is_control()) {
        None
    } else {
        Some(format!("'{path}'"))
    }
}
