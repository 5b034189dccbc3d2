//! The import `coverage`: which lines the failing command executes.

use std::sync::Arc;

use gephost_core::gene::Capability;
use gephost_core::recording::{Decision, Digest, Hasher};

use super::audit::Handed;
use super::bindings::gephost::gene::coverage as wit;
use super::bindings::gephost::gene::types::HostError;
use super::executed::Coverage;
use super::state::GeneState;

/// Bytes of a line in an answer, in addition to its path: the line number and two counts.
const LINE_BYTES: u64 = 12;

impl wit::Host for GeneState {
    fn lines(&mut self) -> wasmtime::Result<Result<wit::Measured, HostError>> {
        if let Err(denied) = self.enter(Capability::Coverage, "lines", "")? {
            return Ok(Err(denied));
        }
        let coverage = Arc::clone(&self.inputs.coverage);
        let bytes = coverage.lines.iter().map(|line| line.path.len() as u64 + LINE_BYTES).sum();
        self.meter.hand_over(bytes)?;
        let handed = Handed::Digest(bytes, digest(&coverage));
        self.audit.record(Capability::Coverage, "lines", "", Decision::Granted, handed);
        if !coverage.reason.is_empty() {
            return Ok(Err(HostError::Failed(coverage.reason.clone())));
        }
        let lines = coverage.lines.iter().map(|line| wit::Executed {
            path: line.path.clone(),
            line: line.line,
            failed: line.failed,
            passed: line.passed,
        });
        Ok(Ok(wit::Measured { failed: coverage.failed, passed: coverage.passed, lines: lines.collect() }))
    }
}

fn digest(coverage: &Coverage) -> Digest {
    let mut hasher = Hasher::default();
    hasher.field(coverage.reason.as_bytes());
    hasher.number(coverage.failed.into());
    hasher.number(coverage.passed.into());
    for line in &coverage.lines {
        hasher.field(line.path.as_bytes());
        for number in [line.line, line.failed, line.passed] {
            hasher.number(number.into());
        }
    }
    hasher.digest()
}
