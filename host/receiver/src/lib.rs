//! Receives OTLP over HTTP (`OTLP/HTTP` of the OpenTelemetry specification): spans and log records as JSON or protobuf,
//! plain or gzip. The reader for OTLP files reads what is received.
//!
//! No other crate listens. Invariants: a request succeeds only after its events have been stored. [`Limits`] bounds the
//! memory, whatever clients send and however many there are. No client waits for another client's bytes. The receiver
//! opens no connections.

mod accepted;
mod body;
mod connections;
mod encoding;
mod limits;
mod protobuf;
mod reply;
mod request;
mod server;

pub use accepted::Accepted;
pub use limits::Limits;
pub use request::{RequestReader, StoreEvents};
pub use server::{Receiver, Totals};
