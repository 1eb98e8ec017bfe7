//! Size labels: `72B`, `~12KB`, `~1.3MB`; a stub has `~1.0GB` as well.

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;
const GIB: u64 = 1024 * MIB;

/// The label of `bytes` in a placeholder. From a GiB on it still counts in MB.
///
/// ```
/// use slotledger::slot::placeholder_size_label;
/// assert_eq!(placeholder_size_label(1023), "1023B");
/// assert_eq!(placeholder_size_label(1536), "~2KB");
/// assert_eq!(placeholder_size_label(1_310_720), "~1.3MB", "ties go up");
/// assert_eq!(placeholder_size_label(1 << 30), "~1024.0MB");
/// ```
pub fn placeholder_size_label(bytes: u64) -> String {
    match bytes {
        0..KIB => format!("{bytes}B"),
        KIB..MIB => format!("~{}KB", (bytes + KIB / 2) / KIB),
        MIB.. => tenths(bytes, MIB, "MB"),
    }
}

/// The label of `encoded_len` base64 characters in a placeholder: an estimate, padding counted,
/// that reads no payload.
///
/// ```
/// use slotledger::slot::encoded_size_label;
/// assert_eq!(encoded_size_label(16), "12B");
/// assert_eq!(encoded_size_label(4_194_304), "~3.0MB");
/// ```
pub fn encoded_size_label(encoded_len: usize) -> String {
    let encoded = encoded_len as u64;
    placeholder_size_label(encoded / 4 * 3 + encoded % 4 * 3 / 4)
}

/// The label of `bytes` in a reference stub.
///
/// ```
/// use slotledger::slot::stub_size_label;
/// assert_eq!(stub_size_label(1 << 30), "~1.0GB");
/// assert_eq!(stub_size_label((1 << 53) - 1), "~8388608.0GB");
/// ```
pub fn stub_size_label(bytes: u64) -> String {
    if bytes < GIB { placeholder_size_label(bytes) } else { tenths(bytes, GIB, "GB") }
}

/// `~N.Dunit`, one decimal, exact ties up: `{:.1}` would round 1.25 to 1.2.
fn tenths(bytes: u64, unit: u64, name: &str) -> String {
    let (whole, rest) = (bytes / unit, bytes % unit);
    let tenths = whole * 10 + (10 * rest + unit / 2) / unit;
    format!("~{}.{}{name}", tenths / 10, tenths % 10)
}
