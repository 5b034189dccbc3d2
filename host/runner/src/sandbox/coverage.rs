//! The import `coverage`: which lines the failing command executes.

use std::sync::Arc;

use gephost_core::gene::Capability;
use gephost_core::path::RepoPath;
use gephost_core::recording::{Decision, Digest, Hasher};
use serde::{Deserialize, Serialize};

use super::audit::Handed;
use super::bindings::gephost::gene::coverage as wit;
use super::bindings::gephost::gene::types::HostError;
use super::state::GeneState;

/// Bytes of a line in an answer, in addition to its path: the line number and two counts.
const LINE_BYTES: u64 = 12;

/// A line that was executed.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct ExecutedLine {
    /// Path from the workspace root.
    pub path: String,
    /// Line number from 1.
    pub line: u32,
    /// How many failing tests executed it.
    pub failed: u32,
    /// How many passing tests executed it.
    pub passed: u32,
}

/// Which lines the failing command executes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Coverage {
    /// How many tests failed; 1 if the whole command counts as one test.
    pub failed: u32,
    /// How many tests passed.
    pub passed: u32,
    /// Sorted by path and line.
    pub lines: Vec<ExecutedLine>,
    /// Why nothing was measured; empty if it was.
    pub reason: String,
}

impl Coverage {
    /// Nothing, for this reason.
    pub fn unmeasured(reason: &str) -> Self {
        Self { failed: 0, passed: 0, lines: Vec::new(), reason: reason.to_owned() }
    }

    /// The part that a gene may see.
    #[must_use]
    pub fn shown(&self, shows: impl Fn(&RepoPath) -> bool) -> Self {
        let is_shown = |line: &&ExecutedLine| RepoPath::new(&line.path).is_ok_and(|path| shows(&path));
        Self { lines: self.lines.iter().filter(is_shown).cloned().collect(), ..self.clone() }
    }
}

impl Default for Coverage {
    fn default() -> Self {
        Self::unmeasured("no command was run")
    }
}

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
