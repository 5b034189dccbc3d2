//! Speaks GEP-A2A with the one hub that the user named.
//!
//! Owns the connections to that hub. What must stay true: nothing is sent to another host, because redirects are not
//! followed; a node's secret is sent over TLS or to this machine only; what comes back is bounded, and is foreign until its
//! reader has checked it.

mod address;
mod client;
mod error;

pub use address::{AddressError, HubAddress};
pub use client::{Answer, Client, Secret, SecretError};
pub use error::ClientError;
