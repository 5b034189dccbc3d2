//! The import `completion`: a gene asks the operator's model. The host answers, in whose process alone there are a key and a
//! network. In a worker, a question is a message to the host.
//!
//! What must stay true: a question is checked and counted by the host, wherever the gene runs; and the time until an answer
//! is there is not the gene's.

use gephost_core::gene::Capability;
use gephost_core::model::{Question, Unanswered};
use gephost_core::recording::{Decision, Digest};

use super::audit::Handed;
use super::bindings::gephost::gene::completion::{Host, Request};
use super::bindings::gephost::gene::types::HostError;
use super::completions::{Stopped, digest};
use super::state::GeneState;
use crate::monotonic;

impl Host for GeneState {
    fn complete(&mut self, request: Request) -> wasmtime::Result<Result<String, HostError>> {
        if let Err(denied) = self.enter(Capability::Completion, "complete", "")? {
            return Ok(Err(denied));
        }
        let Request { system, prompt, json_schema, max_tokens } = request;
        let question = Question { system, prompt, json_schema, max_tokens };
        self.meter.take(question.bytes() as u64)?;
        // A replay tells by it whether the gene asks the same.
        let target = format!("{} {} bytes", digest(&question), question.bytes());
        let began = monotonic::now();
        let answer = self.inputs.completions.complete(&question).answer;
        self.meter.waited(began.elapsed());
        let refused = match answer {
            Ok(text) => {
                let bytes = text.len() as u64;
                self.meter.hand_over(bytes)?;
                let handed = Handed::Digest(bytes, Digest::of(text.as_bytes()));
                self.audit.record(Capability::Completion, "complete", &target, Decision::Granted, handed);
                return Ok(Ok(text));
            }
            Err(Unanswered::Stopped(reason)) => return Err(wasmtime::Error::new(Stopped(reason))),
            Err(Unanswered::Invalid(reason)) => HostError::Invalid(reason),
            Err(Unanswered::Exhausted(reason)) => HostError::Exhausted(reason),
            // The contract has one case for it, so that the category is the first word of the text.
            Err(Unanswered::Failed(kind, reason)) => HostError::Failed(format!("{}: {reason}", kind.code())),
        };
        self.audit.refuse(Capability::Completion, "complete", &target, &refused);
        Ok(Err(refused))
    }
}
