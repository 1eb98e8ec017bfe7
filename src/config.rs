//! Settings, checked when they are made.

use std::fmt;

use crate::history::SCAN_LIMIT;
use crate::image::{Limits, Nonce};
use crate::slot::Grammar;
use crate::text::{Cap, Unit};

/// The settings of an engine.
///
/// ```
/// use slotledger::Config;
/// let config = Config::default().with_cap(50_000)?.with_host_bound(4_000);
/// assert_eq!(config.cap().limit(), Some(4_000));
/// assert_eq!(Config::default().cap().limit(), Some(24_000));
/// let error = Config::default().with_cap(500).unwrap_err();
/// assert_eq!(error.to_string(), "cap is 500, but must be a number >= 1000");
/// # Ok::<(), slotledger::ConfigError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Config {
    cap: usize,
    unit: Unit,
    host_bound: Option<usize>,
    limits: Limits,
    grammar: Grammar,
    nonce: Option<Nonce>,
    scan_limit: usize,
}

impl Config {
    /// The cap of a result when the host names none.
    pub const DEFAULT_CAP: usize = 24_000;
    /// The least cap a host may set; a host's bound can still lower it.
    pub const MIN_CAP: usize = 1_000;

    /// Sets the cap of a result, in the configured unit.
    ///
    /// # Errors
    ///
    /// When it is below [`MIN_CAP`](Self::MIN_CAP).
    pub fn with_cap(self, cap: usize) -> Result<Self, ConfigError> {
        if cap < Self::MIN_CAP {
            return Err(ConfigError { name: "cap", value: cap, expected: "a number >= 1000" });
        }
        Ok(Self { cap, ..self })
    }

    /// Sets the unit of the cap.
    #[must_use]
    pub fn with_unit(self, unit: Unit) -> Self {
        Self { unit, ..self }
    }

    /// Sets the most that the host takes of one result, tokens per message × 4 for example. The
    /// lesser of it and the cap counts; 0 is no bound.
    #[must_use]
    pub fn with_host_bound(self, bound: usize) -> Self {
        Self { host_bound: (bound > 0).then_some(bound), ..self }
    }

    /// Sets how much a session's ledger holds.
    #[must_use]
    pub fn with_limits(self, limits: Limits) -> Self {
        Self { limits, ..self }
    }

    /// Sets what counts as a slot.
    #[must_use]
    pub fn with_grammar(self, grammar: Grammar) -> Self {
        Self { grammar, ..self }
    }

    /// Fixes the nonce of every ledger and the reference ids, for tests: the same input gives the
    /// same bytes in every run.
    #[must_use]
    pub fn with_nonce(self, nonce: Nonce) -> Self {
        Self { nonce: Some(nonce), ..self }
    }

    /// Sets how many messages an inventory looks at, from the newest.
    #[must_use]
    pub fn with_scan_limit(self, messages: usize) -> Self {
        Self { scan_limit: messages, ..self }
    }

    /// How many messages an inventory looks at, from the newest.
    pub fn scan_limit(&self) -> usize {
        self.scan_limit
    }

    /// The cap that counts: the lesser of the configured one and the host's bound.
    pub fn cap(&self) -> Cap {
        Cap::new(self.host_bound.map_or(self.cap, |bound| bound.min(self.cap)), self.unit)
    }

    /// The most that the host takes of one result.
    pub fn host_bound(&self) -> Cap {
        Cap::new(self.host_bound.unwrap_or(0), self.unit)
    }

    /// Whether the host takes a page of a record.
    pub(crate) fn check_bound_for_pages(&self) -> Result<(), ConfigError> {
        match self.host_bound {
            Some(bound) if bound < Self::MIN_CAP => Err(ConfigError {
                name: "host_bound",
                value: bound,
                expected: "a number >= 1000 where records are kept",
            }),
            Some(_) | None => Ok(()),
        }
    }

    /// How much a session's ledger holds.
    pub fn limits(&self) -> Limits {
        self.limits
    }

    /// What counts as a slot.
    pub fn grammar(&self) -> &Grammar {
        &self.grammar
    }

    /// The fixed nonce, if there is one.
    pub fn nonce(&self) -> Option<&Nonce> {
        self.nonce.as_ref()
    }
}

impl Default for Config {
    fn default() -> Self {
        Self {
            cap: Self::DEFAULT_CAP,
            unit: Unit::default(),
            host_bound: None,
            limits: Limits::default(),
            grammar: Grammar::default(),
            nonce: None,
            scan_limit: SCAN_LIMIT,
        }
    }
}

/// A setting that cannot be.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ConfigError {
    /// The setting.
    pub name: &'static str,
    /// What it was to be.
    pub value: usize,
    /// What it can be.
    pub expected: &'static str,
}

impl fmt::Display for ConfigError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} is {}, but must be {}", self.name, self.value, self.expected)
    }
}

impl std::error::Error for ConfigError {}
