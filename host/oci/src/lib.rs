//! Pushes and pulls components to and from OCI registries.
//!
//! A component is an artifact in the layout of the CNCF TAG Runtime ("Wasm OCI Artifact layout"): an image manifest whose
//! config is `application/vnd.wasm.config.v0+json`, with one layer, `application/wasm`. Its attestations are DSSE envelopes
//! that refer to that manifest (`subject`), listed by the referrers API of the OCI distribution specification 1.1, or by the
//! tag `sha256-HEX` if the registry does not have that API.
//!
//! Owns the connections to one registry, and nothing else: no files, no environment, no clock. What must stay true: nothing
//! is returned whose digest was not compared; nothing is read beyond its bound; without TLS only this machine is contacted;
//! credentials go to the registry and to the token server that it names, over TLS, and never along a redirect to another
//! host.
//!
//! The client is gephost's own, on the HTTP client that it has anyway. The crate `oci-client` reads manifests, tokens and
//! errors without a bound, takes proxies from the environment, and follows redirects and token servers to anywhere, without
//! TLS too. The tests compare both clients.

mod artifact;
mod auth;
mod docker_config;
mod error;
mod http;
mod registry;

pub use artifact::ENVELOPE_MEDIA_TYPE;
pub use auth::Credentials;
pub use docker_config::MAX_DOCKER_CONFIG_BYTES;
pub use error::OciError;
pub use registry::{Component, Pulled, Registry};

/// The most envelopes that are pulled with a component.
pub const MAX_ENVELOPES: usize = 8;
