//! The exact value of a JSON number, where it is whole.

/// One more than the greatest whole number that every JSON reader keeps exactly, 2^53.
const LIMIT: u64 = 1 << 53;

/// The value of the JSON number that `spelled` is, if it is whole and from 0 to 2^53 - 1.
///
/// Exact, whatever the spelling: `1.0`, `10e-1` and `1e0` are 1, and
/// `4503599627370497.25` is not whole though a double would say so.
pub(crate) fn whole_number(spelled: &str) -> Option<u64> {
    let (is_negative, spelled) = match spelled.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, spelled),
    };
    let (mantissa, exponent) = spelled.split_once(['e', 'E']).unwrap_or((spelled, "0"));
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    let digits = || whole.bytes().chain(fraction.bytes());
    if !digits().all(|byte| byte.is_ascii_digit()) || whole.is_empty() {
        return None;
    }
    if digits().all(|digit| digit == b'0') {
        return Some(0);
    }
    // How many of the digits stand before the point once it is moved.
    let exponent = exponent.parse::<i64>().ok()?;
    let before = i64::try_from(whole.len()).ok()?.checked_add(exponent)?;
    let before = usize::try_from(before).ok()?;
    if is_negative || digits().skip(before).any(|digit| digit != b'0') {
        return None;
    }
    let mut value: u64 = 0;
    for digit in digits().chain(std::iter::repeat(b'0')).take(before) {
        value = value.checked_mul(10)?.checked_add(u64::from(digit - b'0'))?;
        if value >= LIMIT {
            return None;
        }
    }
    Some(value)
}
