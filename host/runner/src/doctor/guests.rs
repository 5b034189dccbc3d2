//! Tests what a gene cannot do, with small hostile components that are run like genes. Each is built from its text in
//! `tests/guests`; a test compares them.

use std::sync::Arc;
use std::time::Duration;

use gephost_core::config::Isolation;
use gephost_core::gene::Capability;
use gephost_core::path::RepoPath;
use jiff::Timestamp;

use super::check::{Check, Status};
use crate::monotonic;
use crate::sandbox::{
    Budget, Budgets, CallError, CompileBounds, FileKind, Files, Gene, Granted, Inputs, InspectError, LoadError,
    MAX_COMPONENT_BYTES, NoModel, ReadFailure, RunLog, Sandbox, Worker, Workspace, inspect,
};

const ENDLESS_LOOP: &[u8] = include_bytes!("endless_loop.wasm");
const MEMORY_GROWTH: &[u8] = include_bytes!("memory_growth.wasm");
const LOG_FLOOD: &[u8] = include_bytes!("log_flood.wasm");
const CALL_STORM: &[u8] = include_bytes!("call_storm.wasm");
const ASK_COMPLETION: &[u8] = include_bytes!("ask_completion.wasm");
pub(super) const ASK_DENIED: &[u8] = include_bytes!("ask_denied.wasm");

/// Wall clock limit of the endless loop.
const WALL: Duration = Duration::from_millis(200);

/// All checks.
pub(super) fn checks(worker: &Worker) -> Vec<Check> {
    let sandbox = match Sandbox::with_workers(None, worker.clone(), Isolation::Process) {
        Ok(sandbox) => sandbox,
        Err(error) => {
            return vec![Check::new("engine", Status::Error, "create the WebAssembly engine", error.to_string())];
        }
    };
    let endless = Budgets { wall: WALL, fuel: u64::MAX, ..Budgets::default() };
    vec![
        budget(&sandbox, "budget.wall", "loop forever", ENDLESS_LOOP, &endless, Budget::Wall),
        budget(
            &sandbox,
            "budget.fuel",
            "loop with a million units of fuel",
            ENDLESS_LOOP,
            &Budgets { fuel: 1_000_000, ..Budgets::default() },
            Budget::Fuel,
        ),
        budget(
            &sandbox,
            "budget.memory",
            "allocate memory forever",
            MEMORY_GROWTH,
            &Budgets { memory: 16 << 20, ..Budgets::default() },
            Budget::Memory,
        ),
        budget(
            &sandbox,
            "budget.output",
            "log forever",
            LOG_FLOOD,
            &Budgets { output: 1 << 20, ..Budgets::default() },
            Budget::Output,
        ),
        budget(
            &sandbox,
            "budget.host-calls",
            "call the host forever",
            CALL_STORM,
            &Budgets { host_calls: 1000, ..Budgets::default() },
            Budget::HostCalls,
        ),
        denied(&sandbox),
        not_granted(&sandbox),
        too_large(),
        compiled_in_time(worker),
    ]
}

fn budget(sandbox: &Sandbox, id: &str, tried: &str, component: &[u8], budgets: &Budgets, expected: Budget) -> Check {
    let gene = match load(sandbox, id, tried, component) {
        Ok(gene) => gene,
        Err(check) => return check,
    };
    let began = monotonic::now();
    let call = gene.diagnose(&inputs(), &Granted::default(), budgets);
    match call.result {
        Err(CallError::Budget { budget, .. }) if budget == expected => Check::new(
            id,
            Status::Ok,
            tried,
            format!("stopped after {} ms by its {budget} budget ({})", began.elapsed().as_millis(), call.ran_in),
        ),
        Err(error) => Check::new(id, Status::Error, tried, format!("ended for another reason: {error}")),
        Ok(_) => Check::new(id, Status::Error, tried, "not stopped"),
    }
}

fn denied(sandbox: &Sandbox) -> Check {
    let (id, tried) = ("policy.denied-file", "read a file that the policy denies");
    let gene = match load(sandbox, id, tried, ASK_DENIED) {
        Ok(gene) => gene,
        Err(check) => return check,
    };
    let everything = Granted::new(&Capability::ALL, &Capability::ALL);
    match gene.diagnose(&inputs(), &everything, &Budgets::default()).result {
        Ok(_) => Check::new(id, Status::Ok, tried, "the gene cannot see the denied file"),
        Err(error) => Check::new(id, Status::Error, tried, format!("the gene got an unexpected result: {error}")),
    }
}

fn not_granted(sandbox: &Sandbox) -> Check {
    let (id, tried) = ("grant.completion", "ask the model without a grant");
    let gene = match load(sandbox, id, tried, ASK_COMPLETION) {
        Ok(gene) => gene,
        Err(check) => return check,
    };
    let asked = Granted::new(&Capability::ALL, &[]);
    let call = gene.diagnose(&inputs(), &asked, &Budgets::default());
    match (call.result, call.log.first()) {
        (Ok(_), Some(line)) => Check::new(id, Status::Ok, tried, format!("refused: {}", line.message)),
        (Ok(_), None) => Check::new(id, Status::Error, tried, "the gene got no error"),
        (Err(error), _) => Check::new(id, Status::Error, tried, format!("the gene got an unexpected result: {error}")),
    }
}

fn too_large() -> Check {
    let (id, tried) = ("component.size", "inspect a component that is one byte too large");
    let bytes = vec![0; usize::try_from(MAX_COMPONENT_BYTES + 1).unwrap_or(usize::MAX)];
    match inspect(&bytes) {
        Err(error @ InspectError::TooLarge { .. }) => {
            Check::new(id, Status::Ok, tried, format!("refused before parsing: {error}"))
        }
        Err(error) => Check::new(id, Status::Error, tried, format!("refused for another reason: {error}")),
        Ok(_) => Check::new(id, Status::Error, tried, "not refused"),
    }
}

fn compiled_in_time(worker: &Worker) -> Check {
    let (id, tried) = ("compile.time", "compile a component in one microsecond");
    let bounds = CompileBounds { wall: Duration::from_micros(1), ..CompileBounds::default() };
    let sandbox = Sandbox::with_workers(None, worker.clone(), Isolation::Process);
    let loaded = sandbox
        .map_err(|error| LoadError::Compiler(error.to_string()))
        .and_then(|sandbox| sandbox.compiling_within(bounds).load(ENDLESS_LOOP));
    match loaded {
        Err(error @ LoadError::CompileBudget(_)) => {
            Check::new(id, Status::Ok, tried, format!("the compiler was stopped: {error}"))
        }
        Err(error) => Check::new(id, Status::Error, tried, format!("failed otherwise: {error}")),
        Ok(_) => Check::new(id, Status::Error, tried, "not stopped"),
    }
}

fn load(sandbox: &Sandbox, id: &str, tried: &str, component: &[u8]) -> Result<Gene, Check> {
    sandbox.load(component).map_err(|error| Check::new(id, Status::Error, tried, error.to_string()))
}

/// Two files, of which the policy shows one.
pub(super) fn inputs() -> Inputs {
    let paths = ["denied.txt", "shown.txt"].iter().filter_map(|path| RepoPath::new(path).ok());
    let list = paths.map(|path| (path, FileKind::File));
    Inputs {
        run_log: Arc::new(RunLog::new(&[])),
        workspace: Arc::new(Workspace::new(Arc::new(Same), list, |path| path.as_str() != "denied.txt")),
        history: Arc::new([]),
        coverage: Arc::default(),
        now: Timestamp::UNIX_EPOCH,
        seed: 0,
        settings: Arc::default(),
        carried: Arc::default(),
        completions: Arc::new(NoModel),
    }
}

/// The same content at every path.
#[derive(Debug)]
struct Same;

impl Files for Same {
    fn size(&self, _path: &RepoPath) -> Result<u64, ReadFailure> {
        Ok(4)
    }

    fn read(&self, _path: &RepoPath) -> Result<Arc<[u8]>, ReadFailure> {
        Ok(Arc::from(*b"text"))
    }

    fn link_target(&self, _path: &RepoPath) -> Result<String, ReadFailure> {
        Err(ReadFailure::NotFound)
    }
}
