//! What the host keeps for one call of a gene, and what the call is given.

use std::sync::Arc;
use std::time::{Duration, Instant};

use gephost_core::gene::{Capability, Manifest, Settings};
use gephost_core::grant::Grant;
use gephost_core::proposal::Change;
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use wasmtime::component::{HasData, ResourceTable};
use wasmtime_wasi::WasiCtx;
use wasmtime_wasi::p2::pipe::MemoryOutputPipe;

use super::audit::Audit;
use super::bindings::gephost::gene::explanation::Explanation;
use super::bindings::gephost::gene::types::HostError;
use super::budget::{Budgets, MemoryLimiter, Meter};
use super::history::Attempt;
use super::run_log::RunLog;
use super::vfs::Door;
use super::wasi::{self, VirtualClock};
use super::workspace::Workspace;

/// What a gene is given: but for the settings, the same value for every gene of a cycle. Whether it sees a part is the
/// grant's matter.
#[derive(Debug, Clone)]
pub struct Inputs {
    /// What the agent did.
    pub run_log: Arc<RunLog>,
    /// The files of the base commit that the policy shows.
    pub workspace: Arc<Workspace>,
    /// What was tried before.
    pub history: Arc<[Attempt]>,
    /// Where the gene's clock starts.
    pub now: Timestamp,
    /// Seed of the gene's randomness.
    pub seed: u64,
    /// What the operator says to this gene.
    pub settings: Arc<Settings>,
}

/// The capabilities that a gene has: what it asked for and was granted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Granted {
    has: Vec<Capability>,
    requested: Vec<Capability>,
    place: String,
}

impl Granted {
    /// The intersection of a request and a grant (invariant 7).
    pub fn new(requested: &[Capability], grant: &[Capability]) -> Self {
        let has = requested.iter().filter(|capability| grant.contains(capability)).copied().collect();
        Self { has, requested: requested.to_vec(), place: "`grant` of `[genes]`".to_owned() }
    }

    /// The same, of what a gene's manifest asks for and the operator grants that gene.
    pub fn of(manifest: &Manifest, grant: &Grant) -> Self {
        let requested: Vec<_> = manifest.capabilities.iter().copied().collect();
        Self { place: grant.place().to_owned(), ..Self::new(&requested, grant.capabilities()) }
    }

    /// The capabilities, in the order of the request.
    pub fn capabilities(&self) -> &[Capability] {
        &self.has
    }

    pub(super) fn has(&self, capability: Capability) -> bool {
        self.has.contains(&capability)
    }

    /// Why the gene does not have a capability: the line to add, and where.
    fn refusal(&self, capability: Capability) -> String {
        if self.requested.contains(&capability) {
            let place = &self.place;
            format!(
                "capability `{capability}` is not granted: to grant it, add \"{capability}\" to {place} in gephost.toml"
            )
        } else {
            format!("capability `{capability}` is not asked for: add \"{capability}\" to `capabilities` in gene.json")
        }
    }
}

/// How a gene meant a line.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum LogLevel {
    /// For its author.
    Debug,
    /// For whoever wants to know.
    Info,
    /// Something is odd.
    Warn,
    /// Something failed.
    Error,
    /// Printed on its standard output or error.
    Output,
}

impl LogLevel {
    /// The word on disk and for a person.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Debug => "debug",
            Self::Info => "info",
            Self::Warn => "warn",
            Self::Error => "error",
            Self::Output => "output",
        }
    }
}

/// A line that a gene wrote for the operator.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct LogLine {
    /// How it was meant.
    pub level: LogLevel,
    /// The text, without control characters.
    pub message: String,
}

/// One call's state. Dropped with the instance.
pub(super) struct GeneState {
    pub(super) table: ResourceTable,
    pub(super) wasi: WasiCtx,
    pub(super) clock: VirtualClock,
    pub(super) door: Door,
    pub(super) printed: MemoryOutputPipe,
    pub(super) limiter: MemoryLimiter,
    pub(super) meter: Meter,
    pub(super) audit: Audit,
    pub(super) inputs: Inputs,
    pub(super) granted: Granted,
    pub(super) log: Vec<LogLine>,
    pub(super) explanations: Vec<Explanation>,
}

impl GeneState {
    pub(super) fn new(inputs: Inputs, granted: Granted, budgets: &Budgets, started: Instant) -> Self {
        let clock = VirtualClock::default();
        // What is printed is charged before it is written, so the pipe is never full.
        let printed = MemoryOutputPipe::new(usize::try_from(budgets.output).unwrap_or(usize::MAX));
        let epoch = Duration::try_from(inputs.now.duration_since(Timestamp::UNIX_EPOCH)).unwrap_or_default();
        let mut table = ResourceTable::new();
        table.set_max_capacity(budgets.handles);
        Self {
            table,
            wasi: wasi::context(epoch, inputs.seed, &clock, &printed),
            clock,
            door: Door::default(),
            printed,
            limiter: MemoryLimiter::new(budgets),
            meter: Meter::new(*budgets, started),
            audit: Audit::new(started),
            inputs,
            granted,
            log: Vec::new(),
            explanations: Vec::new(),
        }
    }

    /// The most handles that were open at the same time. The table keeps every place that was ever in use at once, and
    /// takes a new one only where none is free; so the places are counted, by filling them, once the call has ended.
    pub(super) fn most_handles(&mut self) -> u64 {
        self.table.set_max_capacity(0);
        while self.table.push(()).is_ok() {}
        self.table.iter_mut().count() as u64
    }

    /// Counts a call of a capability's function and answers whether the gene has it. A denial is recorded here; what
    /// comes of a call that is let in, the function itself records.
    pub(super) fn enter(
        &mut self,
        capability: Capability,
        function: &'static str,
        target: &str,
    ) -> wasmtime::Result<Result<(), HostError>> {
        self.meter.host_call()?;
        self.audit.begin();
        if self.granted.has(capability) {
            return Ok(Ok(()));
        }
        let denied = HostError::Denied(self.granted.refusal(capability));
        self.audit.refuse(capability, function, target, &denied);
        Ok(Err(denied))
    }

    /// What the gene wrote through `wasi:filesystem`, if it is `wanted`; else it is gone, which the log says.
    pub(super) fn take_written(&mut self, wanted: bool) -> wasmtime::Result<Vec<Change>> {
        let written = self.door.difference(&mut self.meter)?;
        if wanted || written.is_empty() {
            return Ok(written);
        }
        let message =
            format!("files that the gene wrote are dropped, {} of them: no proposal takes them", written.len());
        self.log.push(LogLine { level: LogLevel::Warn, message });
        Ok(Vec::new())
    }
}

// The interface holds types only.
impl super::bindings::gephost::gene::types::Host for GeneState {}

/// Our own interfaces take the whole state.
pub(super) struct HasState;

impl HasData for HasState {
    type Data<'a> = &'a mut GeneState;
}
