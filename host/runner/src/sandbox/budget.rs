//! The budgets of one gene call: wall time, fuel, memory, output and host calls (invariant 8). Each is counted
//! separately and has its own error. The first one that is exceeded ends the call.

use std::fmt;
use std::time::{Duration, Instant};

use gephost_core::config::BudgetsTable;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// Most table elements of any call, whatever its budget.
pub(super) const MAX_TABLE_ELEMENTS: usize = 1 << 20;

/// The limits of one gene call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Budgets {
    /// Time from the start of the instance to the end of the call. While a model answers, it stands still: the operator's
    /// `[model]` bounds that time.
    pub wall: Duration,
    /// Units of fuel. A WebAssembly instruction takes about one.
    pub fuel: u64,
    /// Bytes of all linear memories together.
    pub memory: usize,
    /// Elements of all tables together. At most 2^20 are used.
    pub table_elements: usize,
    /// Bytes of log lines, standard output and the answer.
    pub output: u64,
    /// Log lines.
    pub log_lines: u64,
    /// Calls of the host functions in `wit/`.
    pub host_calls: u64,
    /// Bytes that host functions return.
    pub host_bytes: u64,
    /// Cursors, streams and other handles open at the same time.
    pub handles: usize,
    /// Calls to the host that are kept for the author. It ends no call: what is over it is counted.
    pub traced_calls: u32,
}

impl Default for Budgets {
    fn default() -> Self {
        Self {
            wall: Duration::from_secs(30),
            fuel: 100_000_000_000,
            memory: 256 << 20,
            table_elements: MAX_TABLE_ELEMENTS,
            output: 8 << 20,
            log_lines: 10_000,
            host_calls: 100_000,
            host_bytes: 1 << 30,
            handles: 1024,
            traced_calls: 0,
        }
    }
}

impl Budgets {
    /// The limits that the config sets, and the defaults for the rest.
    pub fn of(table: &BudgetsTable) -> Self {
        Self {
            wall: Duration::from_millis(table.wall_ms),
            fuel: table.fuel,
            memory: table.memory_mib << 20,
            output: table.output_mib << 20,
            host_calls: table.host_calls,
            ..Self::default()
        }
    }
}

/// Which budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Budget {
    /// [`Budgets::wall`].
    Wall,
    /// [`Budgets::fuel`].
    Fuel,
    /// [`Budgets::memory`] and [`Budgets::table_elements`].
    Memory,
    /// [`Budgets::output`] and [`Budgets::log_lines`].
    Output,
    /// [`Budgets::host_calls`], [`Budgets::host_bytes`] and [`Budgets::handles`].
    HostCalls,
}

impl Budget {
    /// Every kind.
    pub const ALL: [Self; 5] = [Self::Wall, Self::Fuel, Self::Memory, Self::Output, Self::HostCalls];

    /// The error code of a call that exceeds it, for programs.
    pub fn code(self) -> &'static str {
        match self {
            Self::Wall => "gene_budget_wall",
            Self::Fuel => "gene_budget_fuel",
            Self::Memory => "gene_budget_memory",
            Self::Output => "gene_budget_output",
            Self::HostCalls => "gene_budget_host_calls",
        }
    }

    /// The key of `[budgets]` that sets its limit, or the first of its limits.
    pub(super) fn key(self) -> &'static str {
        match self {
            Self::Wall => "wall_ms",
            Self::Fuel => "fuel",
            Self::Memory => "memory_mib",
            Self::Output => "output_mib",
            Self::HostCalls => "host_calls",
        }
    }
}

impl fmt::Display for Budget {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Wall => "wall time",
            Self::Fuel => "fuel",
            Self::Memory => "memory",
            Self::Output => "output",
            Self::HostCalls => "host calls",
        })
    }
}

/// What a call used of its budgets.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Usage {
    /// Microseconds.
    pub wall_us: u64,
    /// Units.
    pub fuel: u64,
    /// Bytes of linear memory at the end.
    pub memory: u64,
    /// Elements of tables at the end.
    pub table_elements: u64,
    /// Bytes.
    pub output: u64,
    /// Lines that it logged.
    pub log_lines: u64,
    /// Calls.
    pub host_calls: u64,
    /// Bytes.
    pub host_bytes: u64,
    /// Most handles that were open at the same time.
    pub handles: u64,
}

/// How much of one limit a call used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Headroom {
    /// Which budget.
    pub budget: Budget,
    /// What was counted: `us`, `units`, `bytes`, `table_elements`, `log_lines`, `calls`, `bytes_handed_over`, `handles`.
    pub counts: &'static str,
    /// How much of it was used.
    pub used: u64,
    /// The limit.
    pub limit: u64,
}

impl Headroom {
    /// The used share, from 0 to 1.
    pub fn share(&self) -> f64 {
        if self.limit == 0 {
            return f64::from(u8::from(self.used > 0));
        }
        #[expect(clippy::cast_precision_loss, reason = "a share is read by people")]
        let share = self.used as f64 / self.limit as f64;
        share
    }

    /// What is counted, in words that can follow "of the".
    pub fn counted(&self) -> &'static str {
        match (self.budget, self.counts) {
            (Budget::Wall, _) => "wall time",
            (Budget::Fuel, _) => "fuel",
            (Budget::Memory, "bytes") => "memory",
            (Budget::Memory, _) => "table elements",
            (Budget::Output, "bytes") => "output",
            (Budget::Output, _) => "log lines",
            (Budget::HostCalls, "calls") => "host calls",
            (Budget::HostCalls, "handles") => "handles",
            (Budget::HostCalls, _) => "bytes that the host may hand over",
        }
    }

    /// The key of `[budgets]` that sets the limit; `None` if it is fixed.
    pub(super) fn key(&self) -> Option<&'static str> {
        matches!(self.counts, "us" | "units" | "bytes" | "calls").then(|| self.budget.key())
    }

    /// The limit with its unit.
    pub(super) fn limit_text(&self) -> String {
        match self.counts {
            "us" => format!("{} ms", self.limit / 1000),
            "bytes" if self.budget == Budget::Memory => format!("{} MiB", self.limit >> 20),
            "bytes_handed_over" => format!("{} MiB handed over", self.limit >> 20),
            counts => format!("{} {}", self.limit, counts.replace('_', " ")),
        }
    }
}

impl Usage {
    /// For each thing that is counted, how much was used and the limit.
    pub fn headroom(&self, budgets: &Budgets) -> Vec<Headroom> {
        let wall = u64::try_from(budgets.wall.as_micros()).unwrap_or(u64::MAX);
        [
            (Budget::Wall, "us", self.wall_us, wall),
            (Budget::Fuel, "units", self.fuel, budgets.fuel),
            (Budget::Memory, "bytes", self.memory, budgets.memory as u64),
            (Budget::Memory, "table_elements", self.table_elements, budgets.table_elements as u64),
            (Budget::Output, "bytes", self.output, budgets.output),
            (Budget::Output, "log_lines", self.log_lines, budgets.log_lines),
            (Budget::HostCalls, "calls", self.host_calls, budgets.host_calls),
            (Budget::HostCalls, "bytes_handed_over", self.host_bytes, budgets.host_bytes),
            (Budget::HostCalls, "handles", self.handles, budgets.handles as u64),
        ]
        .into_iter()
        .map(|(budget, counts, used, limit)| Headroom { budget, counts, used, limit })
        .collect()
    }
}

/// Counts what one call uses of the host. The first exceeded budget is remembered, and every later charge fails too.
#[derive(Debug)]
pub(super) struct Meter {
    budgets: Budgets,
    started: Instant,
    pub(super) usage: Usage,
    pub(super) exceeded: Option<Budget>,
    /// Bytes that the host keeps because the gene opened something.
    held: u64,
    /// Time in which the call waited for a model. It is not the gene's.
    waited: Duration,
}

impl Meter {
    /// `started` is the start of the wall time.
    pub(super) fn new(budgets: Budgets, started: Instant) -> Self {
        Self { budgets, started, usage: Usage::default(), exceeded: None, held: 0, waited: Duration::ZERO }
    }

    /// Counts a host call, before its work is done.
    pub(super) fn host_call(&mut self) -> wasmtime::Result<()> {
        self.usage.host_calls += 1;
        self.check(self.usage.host_calls <= self.budgets.host_calls, Budget::HostCalls)
    }

    /// Fails if the wall time is over. The epoch stops a guest, but not a host call that works for it.
    pub(super) fn in_time(&mut self) -> wasmtime::Result<()> {
        self.check(!self.is_late(), Budget::Wall)
    }

    /// Whether the wall time is over.
    pub(super) fn is_late(&self) -> bool {
        self.wall() >= self.budgets.wall
    }

    /// The time that the call has taken, without that of waiting for a model.
    pub(super) fn wall(&self) -> Duration {
        self.started.elapsed().saturating_sub(self.waited)
    }

    /// Takes time out of the wall time: the call waited for a model, which has limits of its own.
    pub(super) fn waited(&mut self, time: Duration) {
        self.waited += time;
    }

    /// Counts bytes that the host is about to return.
    pub(super) fn hand_over(&mut self, bytes: u64) -> wasmtime::Result<()> {
        self.usage.host_bytes = self.usage.host_bytes.saturating_add(bytes);
        self.check(self.usage.host_bytes <= self.budgets.host_bytes, Budget::HostCalls)
    }

    /// Counts bytes that the host is about to keep for the gene, even if the gene does not read them. They have the
    /// same limit as the returned bytes, but are counted separately, because most opened files are read too.
    pub(super) fn hold(&mut self, bytes: u64) -> wasmtime::Result<()> {
        self.held = self.held.saturating_add(bytes);
        self.check(self.held <= self.budgets.host_bytes, Budget::HostCalls)
    }

    /// Counts bytes of output.
    pub(super) fn take(&mut self, bytes: u64) -> wasmtime::Result<()> {
        self.usage.output = self.usage.output.saturating_add(bytes);
        self.check(self.usage.output <= self.budgets.output, Budget::Output)
    }

    /// Counts a line of the gene's log.
    pub(super) fn log_line(&mut self) -> wasmtime::Result<()> {
        self.usage.log_lines += 1;
        self.check(self.usage.log_lines <= self.budgets.log_lines, Budget::Output)
    }

    /// The error that ends the call, because `budget` is exceeded.
    pub(super) fn exhaust(&mut self, budget: Budget) -> wasmtime::Error {
        let first = *self.exceeded.get_or_insert(budget);
        wasmtime::Error::msg(format!("budget used up: {first}"))
    }

    fn check(&mut self, within: bool, budget: Budget) -> wasmtime::Result<()> {
        if within && self.exceeded.is_none() { Ok(()) } else { Err(self.exhaust(budget)) }
    }
}

/// Limits of memories and tables, counted over all of a call's instances.
#[derive(Debug)]
pub(super) struct MemoryLimiter {
    memory: usize,
    memory_left: usize,
    tables: usize,
    tables_left: usize,
    pub(super) refused: bool,
}

impl MemoryLimiter {
    pub(super) fn new(budgets: &Budgets) -> Self {
        Self {
            memory: budgets.memory,
            memory_left: budgets.memory,
            tables: budgets.table_elements.min(MAX_TABLE_ELEMENTS),
            tables_left: budgets.table_elements.min(MAX_TABLE_ELEMENTS),
            refused: false,
        }
    }

    /// Bytes of linear memory in use.
    pub(super) fn used(&self) -> u64 {
        (self.memory - self.memory_left) as u64
    }

    /// Elements of tables in use.
    pub(super) fn table_elements(&self) -> u64 {
        (self.tables - self.tables_left) as u64
    }

    fn grow(left: &mut usize, refused: &mut bool, current: usize, desired: usize) -> wasmtime::Result<bool> {
        let Some(rest) = left.checked_sub(desired.saturating_sub(current)) else {
            *refused = true;
            return Err(wasmtime::Error::msg("budget used up: memory"));
        };
        *left = rest;
        Ok(true)
    }
}

/// Whether the growth exceeds the maximum that the guest declared. Then it gets -1, and nothing is used. A maximum
/// above the budget does not count: it may be the size of the reserved memory, not one that the guest declared.
fn is_past(maximum: Option<usize>, desired: usize, budget: usize) -> bool {
    maximum.is_some_and(|maximum| desired > maximum && maximum <= budget)
}

impl wasmtime::ResourceLimiter for MemoryLimiter {
    fn memory_growing(&mut self, current: usize, desired: usize, maximum: Option<usize>) -> wasmtime::Result<bool> {
        if is_past(maximum, desired, self.memory) {
            return Ok(false);
        }
        Self::grow(&mut self.memory_left, &mut self.refused, current, desired)
    }

    fn table_growing(&mut self, current: usize, desired: usize, maximum: Option<usize>) -> wasmtime::Result<bool> {
        if is_past(maximum, desired, self.tables) {
            return Ok(false);
        }
        Self::grow(&mut self.tables_left, &mut self.refused, current, desired)
    }
}
