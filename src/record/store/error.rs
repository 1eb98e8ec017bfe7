//! Why a store did not do what it was asked.

use std::borrow::Cow;
use std::{fmt, io};

use crate::record::record::Gone;

/// Why a store did not do what it was asked.
///
/// ```
/// use slotledger::record::store::StoreError;
/// let error = StoreError::RecordTooLarge { max_bytes: 1000 };
/// assert_eq!(error.reason(), "over the record limit of 1000 bytes");
/// ```
#[derive(Debug)]
#[non_exhaustive]
pub enum StoreError {
    /// The disk is full.
    DiskFull,
    /// Another process held the store for too long.
    Busy,
    /// The store cannot be written.
    ReadOnly,
    /// A record is longer than is kept.
    RecordTooLarge {
        /// The longest that is kept, in bytes.
        max_bytes: u64,
    },
    /// Live sessions alone fill the quota.
    QuotaFull {
        /// The quota, in bytes.
        quota_bytes: u64,
    },
    /// There is no such record.
    NoSuchRecord,
    /// The text of the record is gone.
    Gone(Gone),
    /// The store was written by a later version.
    Version {
        /// Its version.
        found: i64,
        /// The latest that is known here.
        known: i64,
    },
    /// The file or folder is no store of ours.
    NotAStore,
    /// Anything else that went wrong below.
    Failed(Box<dyn std::error::Error + Send + Sync>),
}

impl StoreError {
    /// Anything that has no name of its own.
    pub(super) fn failed(source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> Self {
        Self::Failed(source.into())
    }

    /// Why, in a few words that a notice can quote.
    pub fn reason(&self) -> Cow<'static, str> {
        Cow::Borrowed(match self {
            Self::DiskFull => "disk full",
            Self::Busy => "store busy",
            Self::ReadOnly => "store is read-only",
            Self::RecordTooLarge { max_bytes } => {
                return Cow::Owned(format!("over the record limit of {max_bytes} bytes"));
            }
            Self::QuotaFull { quota_bytes } => {
                return Cow::Owned(format!("store quota of {quota_bytes} bytes is full"));
            }
            Self::NoSuchRecord | Self::Gone(_) => "the record is gone",
            Self::Version { .. } | Self::NotAStore => "not a store that is known",
            Self::Failed(_) => "store failed",
        })
    }
}

impl StoreError {
    /// What it says, and what lies below, in one line for people.
    ///
    /// ```
    /// use slotledger::record::store::StoreError;
    /// let error = StoreError::from(std::io::Error::other("the cable is out"));
    /// assert_eq!(error.cause(), "the store failed: the cable is out");
    /// ```
    pub fn cause(&self) -> String {
        let below = std::error::Error::source(self);
        let below = std::iter::successors(below, |error| error.source());
        let said: Vec<String> = below.map(|error| format!(": {error}")).collect();
        let said = format!("{self}{}", said.concat());
        said.split(char::is_control).filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
    }
}

impl fmt::Display for StoreError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::DiskFull => f.write_str("the disk is full"),
            Self::Busy => f.write_str("the store is in use by another process"),
            Self::ReadOnly => f.write_str("the store is read-only"),
            Self::RecordTooLarge { max_bytes } => {
                write!(f, "the record is over the limit of {max_bytes} bytes")
            }
            Self::QuotaFull { quota_bytes } => {
                write!(f, "the quota of {quota_bytes} bytes is full of live sessions")
            }
            Self::NoSuchRecord => f.write_str("no such record"),
            Self::Gone(why) => write!(f, "the text was removed ({})", why.as_str()),
            Self::Version { found, known } => {
                write!(f, "the store is of version {found}; this program knows {known}")
            }
            Self::NotAStore => f.write_str("not a store of slotledger"),
            Self::Failed(_) => f.write_str("the store failed"),
        }
    }
}

impl std::error::Error for StoreError {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        if let Self::Failed(source) = self { Some(source.as_ref()) } else { None }
    }
}

impl From<io::Error> for StoreError {
    fn from(error: io::Error) -> Self {
        use io::ErrorKind::{
            FileTooLarge, PermissionDenied, QuotaExceeded, ReadOnlyFilesystem, StorageFull,
        };
        let kind = error.kind();
        if matches!(kind, StorageFull | QuotaExceeded | FileTooLarge) {
            Self::DiskFull
        } else if matches!(kind, PermissionDenied | ReadOnlyFilesystem) {
            Self::ReadOnly
        } else {
            Self::failed(error)
        }
    }
}
