//! Sends a question to a language model over HTTP. Owns the effect "a request leaves this machine"; what is asked, and
//! what is made of the answer, is decided in `gephost_core::model`.
//!
//! What must stay true: nothing is sent but by [`Http::ask`], and to no other place than the endpoint that the operator
//! named: redirections are not followed, proxies of the environment are not used, and without TLS only this machine is
//! asked. A request ends within its time, an answer within its bytes, whatever the server does. The key is in the
//! header of the request and nowhere else: not in an error, not in a `Debug` text.

mod anthropic;
mod endpoint;
mod http;
mod openai;

use gephost_core::model::{AskFailure, Reply, Request};

pub use endpoint::{Api, Endpoint, EndpointError};
pub use http::{Http, Key, KeyError};

/// Something that answers: a server, or in a test a script.
pub trait Model: Send + Sync {
    /// Sends one request and waits for its answer, of which the text is as it came.
    fn ask(&self, request: &Request) -> Result<Reply, AskFailure>;
}
