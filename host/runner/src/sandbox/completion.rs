//! The import `completion`: declared, and denied to every gene, since no model can be configured yet.

use gephost_core::gene::Capability;

use super::bindings::gephost::gene::completion::{Host, Request};
use super::bindings::gephost::gene::types::HostError;
use super::state::GeneState;

impl Host for GeneState {
    fn complete(&mut self, _request: Request) -> wasmtime::Result<Result<String, HostError>> {
        if let Err(denied) = self.enter(Capability::Completion, "complete", "")? {
            return Ok(Err(denied));
        }
        let denied = HostError::Denied("no model is configured".to_owned());
        self.audit.refuse(Capability::Completion, "complete", "", &denied);
        Ok(Err(denied))
    }
}
