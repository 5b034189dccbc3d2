//! The client against a registry of others (Debian's `docker-registry`), against a second client (`oci-client`), and against
//! servers that break every rule.
#![expect(
    clippy::disallowed_methods,
    clippy::unwrap_used,
    reason = "a test that panics fails; the suite starts a registry, and servers that misbehave"
)]

mod exchange;
mod hostile;
mod scripted;
mod server;
