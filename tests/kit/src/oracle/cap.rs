//! The cap that holds (14.2, 14.3).

/// The cap where nothing is set.
pub const DEFAULT_CAP: u64 = 24_000;

/// The least cap a configuration may ask for.
pub const LEAST_CAP: u64 = 1_000;

/// A configured cap is below [`LEAST_CAP`] or no number.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub struct BadCap;

impl BadCap {
    /// What the error must say.
    pub const MESSAGE: &'static str = "must be a number >= 1000";
}

/// Returns the cap that holds: the session's setting, else the configuration's, else the default,
/// and never more than the host's bound, which may lower it below [`LEAST_CAP`].
///
/// # Errors
///
/// When the configuration's cap is asked and is no cap.
pub fn effective_cap(
    setting: Option<f64>,
    configured: Option<f64>,
    host_bound: Option<f64>,
) -> Result<u64, BadCap> {
    let desired = match (setting.and_then(as_cap), configured) {
        (Some(cap), _) => cap,
        (None, Some(number)) => as_cap(number).ok_or(BadCap)?,
        (None, None) => DEFAULT_CAP,
    };
    let bound = host_bound.filter(|&bound| bound > 0.0).map_or(u64::MAX, floor);
    Ok(desired.min(bound))
}

fn as_cap(number: f64) -> Option<u64> {
    (number >= 1_000.0).then(|| floor(number))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "both saturate")]
fn floor(number: f64) -> u64 {
    number.floor() as u64
}
