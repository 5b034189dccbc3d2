//! Why a registry did not do what it was asked.

/// An error of this crate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OciError {
    /// The connection failed, or took too long.
    #[error("the registry cannot be reached: {0}")]
    Network(String),
    /// The registry wants other credentials than those it got, or some at all.
    #[error("the registry does not accept the credentials: {0}")]
    Unauthenticated(String),
    /// What was named is not there.
    #[error("the registry has no {0}")]
    NotFound(String),
    /// A status that was not expected.
    #[error("the registry returned status {status} for {what}: {said}")]
    Status {
        /// The HTTP status.
        status: u16,
        /// What was asked for.
        what: String,
        /// What the registry said, shortened.
        said: String,
    },
    /// More bytes than the bound.
    #[error("{what} has more than {limit} bytes")]
    TooLarge {
        /// What was read.
        what: String,
        /// The bound.
        limit: u64,
    },
    /// Bytes that are not those of their digest.
    #[error("{what} has the digest {found}, not {expected}")]
    Digest {
        /// What was read.
        what: String,
        /// The digest that was asked for.
        expected: String,
        /// The digest of the bytes.
        found: String,
    },
    /// A manifest that is no component, or breaks the specification.
    #[error("{0}")]
    Manifest(String),
    /// An address that is not contacted.
    #[error("the registry leads to {0:?}, which is not contacted: only https is, and plain http on this machine")]
    Address(String),
}
