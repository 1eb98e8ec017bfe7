//! A reader over a UTF-16 array: literals and runs of a class of characters.

/// Reads on from one position.
pub(crate) struct Reader<'a> {
    text: &'a [u16],
    pub(crate) at: usize,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(text: &'a [u16], at: usize) -> Self {
        Self { text, at }
    }

    /// Steps over `literal` if it stands here.
    pub(crate) fn literal(&mut self, literal: &str) -> Option<()> {
        for code_unit in literal.encode_utf16() {
            if self.text.get(self.at) != Some(&code_unit) {
                return None;
            }
            self.at += 1;
        }
        Some(())
    }

    /// Steps over as many characters of a class as stand here, which must be 1 to `most`.
    ///
    /// Taking all of them is right because in every grammar what follows is not of the class.
    pub(crate) fn run(&mut self, class: fn(u16) -> bool, most: usize) -> Option<()> {
        let start = self.at;
        while self.text.get(self.at).copied().is_some_and(class) {
            self.at += 1;
        }
        (1..=most).contains(&(self.at - start)).then_some(())
    }
}

/// `TOK`, the token characters of RFC 6838, lower case only (1.4).
pub(crate) fn is_token(code_unit: u16) -> bool {
    is_one_of(code_unit, "abcdefghijklmnopqrstuvwxyz0123456789!#$&^_.+-")
}

/// `[0-9a-z]`
pub(crate) fn is_base36(code_unit: u16) -> bool {
    is_one_of(code_unit, "0123456789abcdefghijklmnopqrstuvwxyz")
}

/// `[0-9]`
pub(crate) fn is_digit(code_unit: u16) -> bool {
    is_one_of(code_unit, "0123456789")
}

/// `[0-9.]`
pub(crate) fn is_size(code_unit: u16) -> bool {
    is_one_of(code_unit, "0123456789.")
}

/// A word character of ASCII: `[A-Za-z0-9_]`
pub(crate) fn is_word(code_unit: u16) -> bool {
    is_base36(code_unit) || is_one_of(code_unit, "ABCDEFGHIJKLMNOPQRSTUVWXYZ_")
}

/// Makes an ASCII letter a small one and leaves all else.
pub(crate) fn lower(code_unit: u16) -> u16 {
    if (0x41..=0x5A).contains(&code_unit) { code_unit + 0x20 } else { code_unit }
}

fn is_one_of(code_unit: u16, set: &str) -> bool {
    set.encode_utf16().any(|one| one == code_unit)
}
