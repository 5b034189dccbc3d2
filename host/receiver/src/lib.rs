//! A receiver of OTLP over HTTP (`OTLP/HTTP` of the OpenTelemetry specification): spans and log records as JSON or
//! protobuf, plain or gzip. What comes in goes through the reader of OTLP files, and nothing else reads it.
//!
//! The only crate that listens. What must stay true: a request is answered with success only after what it held was
//! handed on and kept; memory is bounded by [`Limits`] whatever clients send and however many they are; no client waits
//! for another one's bytes; it contacts nobody.

mod body;
mod encoding;
mod protobuf;
mod reply;
mod request;
mod server;

pub use request::{Keep, Taken, Taker};
pub use server::{Limits, Receiver, Totals};
