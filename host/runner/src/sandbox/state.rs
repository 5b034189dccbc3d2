//! What the host keeps for one call of a gene.

use std::time::{Duration, Instant};

use gephost_core::gene::Capability;
use gephost_core::proposal::Change;
use jiff::Timestamp;
use wasmtime::component::{HasData, ResourceTable};
use wasmtime_wasi::WasiCtx;

use super::audit::Audit;
use super::bindings::gephost::gene::explanation::Explanation;
use super::bindings::gephost::gene::types::HostError;
use super::budget::{Budgets, MemoryLimiter, Meter};
use super::granted::Granted;
use super::inputs::Inputs;
use super::log_line::LogLevel;
use super::printed::Lines;
use super::trace::Trace;
use super::vfs::FileSystem;
use super::wasi_context::{VirtualClock, context};

/// The state of one call. It is dropped with the instance.
pub(super) struct GeneState {
    pub(super) table: ResourceTable,
    pub(super) wasi: WasiCtx,
    pub(super) clock: VirtualClock,
    pub(super) file_system: FileSystem,
    /// What it printed and logged.
    pub(super) lines: Lines,
    pub(super) limiter: MemoryLimiter,
    pub(super) meter: Meter,
    pub(super) audit: Audit,
    pub(super) trace: Trace,
    pub(super) inputs: Inputs,
    pub(super) granted: Granted,
    /// What the gene says of its findings.
    pub(super) explanations: Vec<Explanation>,
    /// What the findings explain for which the gene is asked.
    pub(super) explained: Vec<Explanation>,
}

impl GeneState {
    pub(super) fn new(inputs: Inputs, granted: Granted, budgets: &Budgets, started: Instant) -> Self {
        let clock = VirtualClock::default();
        let trace = Trace::new(budgets.traced_calls);
        let lines = Lines::new(budgets.output);
        let epoch = Duration::try_from(inputs.now.duration_since(Timestamp::UNIX_EPOCH)).unwrap_or_default();
        let mut table = ResourceTable::new();
        table.set_max_capacity(budgets.handles);
        Self {
            table,
            wasi: context(epoch, inputs.seed, &clock, &inputs.carried, &lines.pipe),
            clock,
            file_system: FileSystem::default(),
            lines,
            limiter: MemoryLimiter::new(budgets),
            meter: Meter::new(*budgets, started),
            audit: Audit::new(started, trace.clone()),
            trace,
            inputs,
            granted,
            explanations: Vec::new(),
            explained: Vec::new(),
        }
    }

    /// Most handles that were open at the same time. The table never removes a slot, and adds one only if no slot is
    /// free. So the slots are counted after the call, by filling all of them.
    pub(super) fn most_handles(&mut self) -> u64 {
        self.table.set_max_capacity(0);
        while self.table.push(()).is_ok() {}
        self.table.iter_mut().count() as u64
    }

    /// Counts a call of a capability's function, and returns whether the gene has the capability. A denial is recorded
    /// here. If the call is allowed, the function itself records the result.
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

    /// The files that the gene wrote through `wasi:filesystem`, if they are `wanted`. Otherwise they are dropped, and
    /// the log says so.
    pub(super) fn take_written(&mut self, wanted: bool) -> wasmtime::Result<Vec<Change>> {
        let written = self.file_system.difference(&mut self.meter)?;
        if wanted || written.is_empty() {
            return Ok(written);
        }
        let message =
            format!("the files that the gene wrote ({}) are dropped, because no proposal uses them", written.len());
        self.lines.log(LogLevel::Warn, message);
        Ok(Vec::new())
    }
}

// The interface has only types.
impl super::bindings::gephost::gene::types::Host for GeneState {}

/// Our own interfaces use the whole state.
pub(super) struct HasState;

impl HasData for HasState {
    type Data<'a> = &'a mut GeneState;
}
