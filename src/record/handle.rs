//! Handles: the id that is printed for a record.

use super::record::Meta;

/// The longest text that is printed as an id or a name.
const MAX_PRINTED: usize = 64;

impl Meta {
    /// The id that is printed for it: its call id, if it is the first record under it and can be
    /// printed, else its content key.
    ///
    /// So a notice has a bound, and a printed id reaches its record, or the list of all that its
    /// call id names: never another text.
    ///
    /// ```
    /// # fn main() -> Result<(), slotledger::record::store::StoreError> {
    /// # use std::time::SystemTime;
    /// # use slotledger::record::Record;
    /// # use slotledger::record::store::{MemoryStore, Retention, Store};
    /// let store = MemoryStore::new(Retention::default());
    /// let kept = |id, text| store.put(&Record::new("s1", id, "bash", text), SystemTime::now());
    /// assert_eq!(kept("c1", "hello")?.handle(), "c1");
    /// assert_eq!(kept("c1", "hello again")?.handle(), "3908c567feda72bc");
    /// assert_eq!(kept("a call\n", "hello")?.handle(), "2cf24dba5fb0a30e");
    /// # Ok(())
    /// # }
    /// ```
    pub fn handle(&self) -> String {
        let id = &self.call_id;
        let is_key = |len| id.len() == len && id.bytes().all(|byte| byte.is_ascii_hexdigit());
        if self.nth == 1 && is_printable(id) && !is_key(16) && !is_key(64) {
            id.to_string()
        } else {
            self.key().to_string()
        }
    }
}

/// Whether a name can be printed as it is: 1 to 64 of U+0021–007E without quotes, backslashes and
/// brackets.
pub(crate) fn is_printable(name: &str) -> bool {
    (1..=MAX_PRINTED).contains(&name.len())
        && name.bytes().all(|byte| {
            byte.is_ascii_graphic() && !matches!(byte, b'"' | b'\\' | b'[' | b']' | b'<' | b'>')
        })
}
