//! The import `completion`. It is part of the contract, but this version of gephost does not serve it yet: a gene that asks
//! gets `denied`, even if its config grants the capability and a model is configured for `--diagnose model`.

use gephost_core::gene::Capability;

use super::bindings::gephost::gene::completion::{Host, Request};
use super::bindings::gephost::gene::types::HostError;
use super::state::GeneState;

impl Host for GeneState {
    fn complete(&mut self, _request: Request) -> wasmtime::Result<Result<String, HostError>> {
        if let Err(denied) = self.enter(Capability::Completion, "complete", "")? {
            return Ok(Err(denied));
        }
        let denied = HostError::Denied("this version of gephost does not let genes ask a model yet".to_owned());
        self.audit.refuse(Capability::Completion, "complete", "", &denied);
        Ok(Err(denied))
    }
}
