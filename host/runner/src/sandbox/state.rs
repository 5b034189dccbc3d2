//! What the host keeps for one call of a gene, and what the call is given.

use std::sync::Arc;
use std::time::{Duration, Instant};

use gephost_core::gene::Capability;
use jiff::Timestamp;
use wasmtime::component::{HasData, ResourceTable};
use wasmtime_wasi::WasiCtx;
use wasmtime_wasi::p2::pipe::MemoryOutputPipe;

use super::bindings::gephost::gene::types::HostError;
use super::budget::{Budgets, MemoryLimiter, Meter};
use super::history::Attempt;
use super::run_log::RunLog;
use super::wasi::{self, VirtualClock};
use super::workspace::Workspace;

/// What a gene is given: the same value for every gene of a cycle. Whether it sees a part is the grant's matter.
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
}

/// The capabilities that a gene has: what it asked for and was granted.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Granted(Vec<Capability>);

impl Granted {
    /// The intersection of a request and a grant (invariant 7).
    pub fn new(requested: &[Capability], grant: &[Capability]) -> Self {
        Self(requested.iter().filter(|capability| grant.contains(capability)).copied().collect())
    }

    fn has(&self, capability: Capability) -> bool {
        self.0.contains(&capability)
    }
}

/// A line that a gene wrote for the operator.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct LogLine {
    /// `debug`, `info`, `warn`, `error`, or `output` for what it printed.
    pub level: &'static str,
    /// The text, without control characters.
    pub message: String,
}

/// One call's state. Dropped with the instance.
pub(super) struct GeneState {
    pub(super) table: ResourceTable,
    pub(super) wasi: WasiCtx,
    pub(super) clock: VirtualClock,
    pub(super) printed: MemoryOutputPipe,
    pub(super) limiter: MemoryLimiter,
    pub(super) meter: Meter,
    pub(super) inputs: Inputs,
    pub(super) granted: Granted,
    pub(super) log: Vec<LogLine>,
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
            printed,
            limiter: MemoryLimiter::new(budgets),
            meter: Meter::new(*budgets, started),
            inputs,
            granted,
            log: Vec::new(),
        }
    }

    /// Counts a call of a capability's function and answers whether the gene has it.
    pub(super) fn enter(&mut self, capability: Capability) -> wasmtime::Result<Result<(), HostError>> {
        self.meter.host_call()?;
        if self.granted.has(capability) {
            return Ok(Ok(()));
        }
        let message =
            format!("capability `{capability}` is not granted: ask for it in gene.json, and see the operator's grant");
        Ok(Err(HostError::Denied(message)))
    }
}

// The interface holds types only.
impl super::bindings::gephost::gene::types::Host for GeneState {}

/// Our own interfaces take the whole state.
pub(super) struct HasState;

impl HasData for HasState {
    type Data<'a> = &'a mut GeneState;
}
