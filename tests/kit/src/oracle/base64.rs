//! Payloads as they are read: leniently (7.1).

/// Returns the bytes of `payload`, or `None` where it is undecodable.
///
/// ASCII white space is skipped, the url-safe alphabet may be mixed in, padding may be missing and
/// stray trailing bits are ignored.
pub fn decode(payload: &str) -> Option<Vec<u8>> {
    let text: String =
        payload.chars().filter(|character| !character.is_ascii_whitespace()).collect();
    let digits = text.trim_end_matches('=');
    let padding = text.len() - digits.len();
    if padding > 2 || digits.chars().count() % 4 == 1 {
        return None;
    }
    let mut bits = String::new();
    for digit in digits.chars() {
        let value = match digit {
            'A'..='Z' => digit as u32 - 'A' as u32,
            'a'..='z' => digit as u32 - 'a' as u32 + 26,
            '0'..='9' => digit as u32 - '0' as u32 + 52,
            '+' | '-' => 62,
            '/' | '_' => 63,
            _ => return None,
        };
        bits += &format!("{value:06b}");
    }
    let whole = bits.len() / 8;
    let byte = |index: usize| u8::from_str_radix(&bits[index * 8..index * 8 + 8], 2);
    (0..whole).map(|index| byte(index).ok()).collect()
}

/// Splits inline data into the type that a data prefix names, if there is one, and the payload
/// (7.2).
pub fn split_prefix(data: &str) -> (Option<&str>, &str) {
    let prefix = || {
        let (head, payload) = data.split_once(',')?;
        let is = |range: Option<&str>, text: &str| range?.eq_ignore_ascii_case(text).then_some(());
        is(head.get(..5), "data:")?;
        let end = head.len().checked_sub(";base64".len())?;
        is(head.get(end..), ";base64")?;
        let media_type = head.get(5..end)?;
        (head.len() < 1024).then_some((media_type, payload))
    };
    prefix().map_or((None, data), |(media_type, payload)| (Some(media_type), payload))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_prefix_ends_at_the_first_comma() {
        let filler = "x".repeat(1024 - "data:;base64,".len());
        for (data, split) in [
            ("data:image/png;base64,AAAA", (Some("image/png"), "AAAA")),
            ("DATA:image/png;q=1;Base64,AAAA", (Some("image/png;q=1"), "AAAA")),
            ("data:;base64,", (Some(""), "")),
            ("data:é;base64,A", (Some("é"), "A")),
            (&format!("data:{filler};base64,A"), (Some(&*filler), "A")),
        ] {
            assert_eq!(split_prefix(data), split);
        }
        let long = format!("data:x{filler};base64,A");
        for data in [
            "data:base64,A",
            "data:a,b;base64,A",
            "data:image/png,A",
            "AAAA",
            " data:;base64,",
            "é",
            &long,
        ] {
            assert_eq!(split_prefix(data), (None, data));
        }
    }

    #[test]
    fn spelling_does_not_matter_but_foreign_characters_do() {
        for spelling in ["-_8=", "+/8=", "-/8", "+ /\n8\t=\r ", "+/9="] {
            assert_eq!(decode(spelling).as_deref(), Some(&[0xFB, 0xFF][..]), "{spelling}");
        }
        assert_eq!(decode("").as_deref(), Some(&[][..]));
        for bad in ["A", "AAAAA", "AA=A", "A*AA", "AAA\u{a0}", "===="] {
            assert_eq!(decode(bad), None, "{bad}");
        }
    }
}
