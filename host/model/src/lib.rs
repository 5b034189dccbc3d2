//! Sends questions to a language model over HTTP. `gephost_core::model` decides what is asked and how an answer is
//! read.
//!
//! Invariants: only [`Http::ask`] sends anything, and only to the endpoint that the operator named. Redirections are
//! not followed, proxies from the environment are not used, and only this machine is contacted without TLS. Requests
//! have a time limit and answers a size limit, whatever the server does. The key is only in the request's header, never
//! in an error or a `Debug` text.

mod anthropic;
mod endpoint;
mod http;
mod openai;

use gephost_core::model::{AskFailure, Reply, Request};

pub use endpoint::{Api, Endpoint, EndpointError};
pub use http::{Http, Key, KeyError};

/// Something that answers requests: a server, or a script in a test.
pub trait Model: Send + Sync {
    /// Sends one request and waits for its answer. The text of the answer is not redacted yet.
    fn ask(&self, request: &Request) -> Result<Reply, AskFailure>;
}
