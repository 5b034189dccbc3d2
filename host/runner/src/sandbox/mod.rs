//! The sandbox: runs genes, which are not trusted, with exactly what they were granted.
//!
//! Owns the effect "machine code of a guest runs", in a worker or in this process. A gene has no file of this machine,
//! no socket, no clock, no environment and no thread. It sees the granted imports of `wit/v0.1.2`, the virtual files of
//! [`vfs`], and the parts of WASI in [`wasi`], which touch nothing. Every call ends (invariant 8), and the same inputs
//! give the same answer (invariant 9), wherever it runs.
//!
//! | file | what |
//! |---|---|
//! | `inspect`, `contract` | checks before compiling, and what to tell the author |
//! | `compile`, `code`, `cache` | from a component to sealed machine code, and where that is kept |
//! | `load`, `gene` | from a component to a gene that can be called |
//! | `engine`, `host`, `pool` (with `seats`), `watchdog` | what runs machine code in a process |
//! | `worker` | the processes that compile and run genes |
//! | `bindings`, `convert` | the contract's types, and the way between them and core's |
//! | `inputs`, `granted`, `attempt`, `columns` (with `usage`, `interner`), `workspace` | what a gene is given |
//! | `budget`, `audit`, `trace`, `state`, `call`, `instance` (with `fault_text`, `trap_lines`) | one call |
//! | `run_log` (with `cursor`, `corrections`), `workspace_import`, `history`, `completion` (with `completions`), `logging`, `settings`, `explanation`, `coverage` | one import a file |
//! | `files` | the listing, the tree of names and the resolver of paths |
//! | `vfs` | `wasi:filesystem` over those files |
//! | `wasi`, `wasi_context`, `wasi_clock`, `wasi_io`, `sockets` | the rest of WASI 0.2, with nothing behind it |
//! | `traced` | every function of WASI, as a trace keeps it |

mod attempt;
mod audit;
mod audit_encoding;
mod bindings;
#[cfg(test)]
mod bounds;
mod budget;
mod cache;
mod call;
mod code;
mod columns;
mod compile;
mod completion;
mod completions;
mod contract;
mod convert;
mod corrections;
mod coverage;
mod cursor;
mod engine;
mod error;
mod executed;
mod explanation;
mod fault_text;
mod files;
mod gene;
mod granted;
mod history;
mod host;
mod inputs;
mod inspect;
mod instance;
mod interner;
mod load;
mod log_line;
mod logging;
mod parts;
mod pool;
mod printable;
mod printed;
mod ran_in;
mod read_failure;
mod run_log;
mod run_log_document;
mod search;
mod seats;
mod settings;
mod sockets;
mod state;
mod trace;
mod traced;
mod trap_lines;
mod usage;
mod vfs;
mod wasi;
mod wasi_clock;
mod wasi_context;
mod wasi_io;
mod watchdog;
mod worker;
mod workspace;
mod workspace_import;

pub use attempt::{Attempt, AttemptOutcome};
pub use budget::{Budget, Budgets, Headroom, Usage};
pub use cache::{CacheOutcome, CompileCache, EntryReport, EntryState, Keep};
pub use call::{Call, CallError};
pub use columns::RunLog;
pub(crate) use completions::digest as question_digest;
pub use completions::{Completed, Completions, NoModel, Turn};
pub use contract::misfit;
pub use engine::Instances;
pub use error::{CompileBudget, EngineError, LoadError};
pub use executed::{Coverage, ExecutedLine};
pub use files::{ContentError, FileKind, Files, Witnessed};
pub use gene::Gene;
pub use granted::Granted;
pub use inputs::Inputs;
pub use inspect::{InspectError, Inspected, MAX_COMPONENT_BYTES, Producer, Producers, Size, inspect};
pub use load::{OnLongCompile, Sandbox};
pub use log_line::{LogLevel, LogLine};
pub use ran_in::RanIn;
pub use read_failure::ReadFailure;
pub use trace::{HostCall, HostCalls};
pub use worker::{CompileBounds, Probe, Tried, Worker, serve, try_out};
pub use workspace::Workspace;
