//! What every place on the network that has components can do.

use gephost_core::component::reference::Reference;
use gephost_core::recording::Digest;

use crate::error::AppError;

/// A place on the network that has components. Every byte of it is foreign: whoever calls judges and verifies.
pub trait ComponentSource {
    /// Gets the component of at most `limit` bytes, and the envelopes that are offered with it.
    fn pull(&self, limit: u64) -> Result<Found, AppError>;

    /// Puts a component, and returns a reference that leads to exactly these bytes.
    fn push(&self, gene: &Offered<'_>) -> Result<Reference, AppError>;
}

/// A component that a source has.
#[derive(Debug)]
pub struct Found {
    /// Its bytes. Their digest is the one that the reference names, if it names one.
    pub bytes: Vec<u8>,
    /// DSSE envelopes, unverified, a few at most.
    pub envelopes: Vec<Vec<u8>>,
    /// A reference that leads to exactly these bytes.
    pub source: Reference,
}

/// A component that is given to a source.
#[derive(Debug, Clone, Copy)]
pub struct Offered<'a> {
    /// The component.
    pub bytes: &'a [u8],
    /// The SHA-256 of these bytes.
    pub digest: Digest,
    /// The DSSE envelope beside it.
    pub envelope: Option<&'a [u8]>,
    /// Names of its imports.
    pub imports: &'a [String],
    /// Names of its exports.
    pub exports: &'a [String],
}
