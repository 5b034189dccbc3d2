//! What worked next, as a part of the import `run-log`. The pairs are found when a gene first asks.

use std::collections::HashMap;
use std::hash::{BuildHasher as _, BuildHasherDefault, DefaultHasher};
use std::sync::Arc;

use gephost_core::correction::{self, Attempt, Correction, Difference};
use gephost_core::gene::Capability;
use gephost_core::recording::{Decision, Hasher};

use super::audit::Handed;
use super::bindings::gephost::gene::run_log as wit;
use super::bindings::gephost::gene::types::HostError;
use super::columns::{NO_TOOL, RunLog};
use super::state::GeneState;

/// The most pairs in one answer.
pub(super) const MAX_PAIRS: u32 = 65_536;
/// Bytes of a pair besides its two texts.
const PAIR_BYTES: usize = 17;
/// Positions in the enums of the contract: the ends of a call, and its two outcomes that count here.
const TOOL_START: u8 = 2;
const TOOL_END: u8 = 3;
const SUCCESS: u8 = 1;
const FAILURE: u8 = 2;

impl RunLog {
    /// The failed calls with the next similar call that worked, by the number of the failed call.
    pub fn corrections(&self) -> &[Correction] {
        self.corrections.get_or_init(|| correction::corrections(self.attempts()))
    }

    /// The calls that succeeded or failed, in the order of their ends.
    fn attempts(&self) -> impl Iterator<Item = Attempt<'_>> {
        // Calls that began, by what they are. Of equal ones, the newest has ended.
        let mut starts: HashMap<u64, Vec<u64>> = HashMap::new();
        let rows = self.kind.iter().zip(&self.outcome).enumerate();
        rows.filter_map(move |(row, (kind, outcome))| {
            if !matches!(*kind, TOOL_START | TOOL_END) {
                return None;
            }
            let (session, input) = (*self.session.get(row)?, self.input(row));
            let tool = self.tool.get(row).filter(|tool| **tool != NO_TOOL)?;
            let (event, call) =
                (row as u64, BuildHasherDefault::<DefaultHasher>::new().hash_one((session, tool, input)));
            if *kind == TOOL_START {
                starts.entry(call).or_default().push(event);
                return None;
            }
            let began = starts.get_mut(&call).and_then(Vec::pop).unwrap_or(event);
            let tool = self.tools.get(*tool as usize)?;
            let worked = *outcome == SUCCESS;
            let is_known = worked || *outcome == FAILURE;
            is_known.then_some(Attempt { began, event, session, tool, input, output: self.output(row), worked })
        })
    }
}

impl GeneState {
    /// `run-log.corrections`.
    pub(super) fn hand_corrections(
        &mut self,
        first: u64,
        max: u32,
    ) -> wasmtime::Result<Result<Vec<wit::Correction>, HostError>> {
        let target = format!("from event {first}");
        if let Err(denied) = self.enter(Capability::RunLog, "corrections", &target)? {
            return Ok(Err(denied));
        }
        if max == 0 {
            let invalid = HostError::Invalid("at most 0 corrections".to_owned());
            self.audit.refuse(Capability::RunLog, "corrections", &target, &invalid);
            return Ok(Err(invalid));
        }
        let log = Arc::clone(&self.inputs.run_log);
        let all = log.corrections();
        let start = all.partition_point(|correction| correction.failed < first);
        let end = all.len().min(start.saturating_add(max.min(MAX_PAIRS) as usize));
        let handed: Vec<wit::Correction> = all.get(start..end).unwrap_or_default().iter().map(pair).collect();
        let bytes = handed.iter().map(|pair| (pair.before.len() + pair.after.len() + PAIR_BYTES) as u64).sum();
        self.meter.hand_over(bytes)?;
        let mut hasher = Hasher::default();
        for pair in &handed {
            hasher.number(pair.failed);
            hasher.number(pair.worked);
            hasher.field(pair.before.as_bytes());
            hasher.field(pair.after.as_bytes());
        }
        let digest = Handed::Digest(bytes, hasher.digest());
        self.audit.record(Capability::RunLog, "corrections", &target, Decision::Granted, digest);
        Ok(Ok(handed))
    }
}

fn pair(correction: &Correction) -> wit::Correction {
    wit::Correction {
        failed: correction.failed,
        worked: correction.worked,
        difference: match correction.difference {
            Difference::Repeated => wit::Difference::Repeated,
            Difference::Later => wit::Difference::Later,
            Difference::ReadBefore => wit::Difference::ReadBefore,
            Difference::Whitespace => wit::Difference::Whitespace,
            Difference::Program => wit::Difference::Program,
            Difference::Directory => wit::Difference::Directory,
            Difference::Subcommand => wit::Difference::Subcommand,
            Difference::TimeLimit => wit::Difference::TimeLimit,
            Difference::Options => wit::Difference::Options,
            Difference::Path => wit::Difference::Path,
            Difference::Input => wit::Difference::Input,
        },
        before: correction.before.clone(),
        after: correction.after.clone(),
    }
}
