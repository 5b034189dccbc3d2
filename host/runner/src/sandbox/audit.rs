//! The audit of a call in progress: every request of the gene, in bounded memory.
//!
//! What must stay true: recording never fails, and it never changes an answer to the gene.

use std::borrow::Cow;
use std::time::Instant;

use gephost_core::gene::Capability;
use gephost_core::recording::{AuditEntry, AuditLog, Blob, Decision, Digest, Hasher, MAX_ENTRIES};

use super::bindings::gephost::gene::types::HostError;
use super::printable::clip;
use super::trace::{HostCall, Trace};
use crate::monotonic;

/// What a gene received for a request.
#[derive(Debug, Clone, Copy)]
pub(super) enum Handed<'a> {
    /// Nothing, or nothing that a replay has to compare.
    Nothing,
    /// These bytes.
    Blob(&'a Blob),
    /// This many bytes, with a digest of their content.
    Digest(u64, Digest),
}

/// The requests of one call so far.
#[derive(Debug)]
pub(super) struct Audit {
    log: AuditLog,
    trail: Hasher,
    since: Instant,
    trace: Trace,
}

impl Audit {
    /// An empty audit of a call that starts now.
    pub(super) fn new(started: Instant, trace: Trace) -> Self {
        Self { log: AuditLog::default(), trail: Hasher::default(), since: started, trace }
    }

    /// Marks the start of a request. The time from here to its record is logged in microseconds.
    pub(super) fn begin(&mut self) {
        self.since = monotonic::now();
    }

    /// Records a request after the host has decided on it. `function` is its name in `wit/`, and `target` is what the
    /// gene asked for, in its own spelling.
    pub(super) fn record(
        &mut self,
        capability: Capability,
        function: &'static str,
        target: &str,
        decision: Decision,
        handed: Handed<'_>,
    ) {
        let (bytes, result) = match handed {
            Handed::Nothing => (0, None),
            Handed::Blob(blob) => (blob.bytes().len() as u64, Some(blob.digest())),
            Handed::Digest(bytes, digest) => (bytes, Some(digest)),
        };
        let now = monotonic::now();
        let micros = u64::try_from(now.duration_since(self.since).as_micros()).unwrap_or(u64::MAX);
        self.since = now;
        let entry = AuditEntry {
            seq: self.log.len(),
            capability,
            function: Cow::Borrowed(function),
            target: clip(target),
            decision,
            rule: None,
            bytes,
            result,
            micros,
        };
        self.trace.request(|| HostCall {
            function: format!("{capability}.{function}").into(),
            arguments: entry.target.clone(),
            outcome: decision.as_str().into(),
            answer: String::new(),
            bytes,
            micros,
        });
        entry.hash_into(&mut self.trail);
        if self.log.entries.len() < MAX_ENTRIES {
            self.log.entries.push(entry);
        } else {
            *self.log.omitted.entry(decision).or_default() += 1;
        }
    }

    /// Records a request that was answered with an error.
    pub(super) fn refuse(&mut self, capability: Capability, function: &'static str, target: &str, error: &HostError) {
        self.record(capability, function, target, decision(error), Handed::Nothing);
    }

    /// Returns the whole audit, at the end of the call.
    pub(super) fn take(&mut self) -> AuditLog {
        let trail = std::mem::take(&mut self.trail).digest();
        AuditLog { trail, ..std::mem::take(&mut self.log) }
    }
}

/// How the audit records an error of the contract.
fn decision(error: &HostError) -> Decision {
    match error {
        HostError::Denied(_) => Decision::Denied,
        HostError::NotFound => Decision::NotFound,
        HostError::Invalid(_) => Decision::Invalid,
        HostError::Exhausted(_) | HostError::Failed(_) => Decision::Failed,
    }
}
