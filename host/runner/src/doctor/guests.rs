//! What a gene cannot do: small hostile components, run as genes are. Each is built from its text in `tests/guests`; a
//! test compares.

use std::sync::Arc;
use std::time::{Duration, Instant};

use gephost_core::config::Isolation;
use gephost_core::gene::Capability;
use gephost_core::path::RepoPath;
use jiff::Timestamp;

use super::{Check, Status};
use crate::sandbox::{
    Budget, Budgets, CallError, FileKind, Files, Gene, Granted, Inputs, RunLog, Sandbox, Unread, Worker, Workspace,
};

const ENDLESS_LOOP: &[u8] = include_bytes!("endless_loop.wasm");
const MEMORY_GROWTH: &[u8] = include_bytes!("memory_growth.wasm");
pub(super) const ASK_DENIED: &[u8] = include_bytes!("ask_denied.wasm");

/// How long the endless loop may run.
const WALL: Duration = Duration::from_millis(200);

/// All of them.
pub(super) fn checks(worker: &Worker) -> Vec<Check> {
    let sandbox = match Sandbox::with_workers(None, worker.clone(), Isolation::Process) {
        Ok(sandbox) => sandbox,
        Err(error) => {
            return vec![Check::new("engine", Status::Error, "make the WebAssembly engine", error.to_string())];
        }
    };
    let endless = Budgets { wall: WALL, fuel: u64::MAX, ..Budgets::default() };
    vec![
        budget(&sandbox, "budget.wall", "loop without end", ENDLESS_LOOP, &endless, Budget::Wall),
        budget(
            &sandbox,
            "budget.fuel",
            "loop on a million units of fuel",
            ENDLESS_LOOP,
            &Budgets { fuel: 1_000_000, ..Budgets::default() },
            Budget::Fuel,
        ),
        budget(
            &sandbox,
            "budget.memory",
            "take memory without end",
            MEMORY_GROWTH,
            &Budgets { memory: 16 << 20, ..Budgets::default() },
            Budget::Memory,
        ),
        denied(&sandbox),
    ]
}

fn budget(sandbox: &Sandbox, id: &str, tried: &str, component: &[u8], budgets: &Budgets, expected: Budget) -> Check {
    let gene = match load(sandbox, id, tried, component) {
        Ok(gene) => gene,
        Err(check) => return check,
    };
    let began = Instant::now();
    let call = gene.diagnose(&inputs(), &Granted::default(), budgets);
    match call.result {
        Err(CallError::Budget { budget, .. }) if budget == expected => Check::new(
            id,
            Status::Ok,
            tried,
            format!("stopped after {} ms by its {budget} budget ({})", began.elapsed().as_millis(), call.ran_in),
        ),
        Err(error) => Check::new(id, Status::Error, tried, format!("ended otherwise: {error}")),
        Ok(_) => Check::new(id, Status::Error, tried, "not stopped"),
    }
}

fn denied(sandbox: &Sandbox) -> Check {
    let (id, tried) = ("policy.denied-file", "read a file that the policy denies, beside one that it shows");
    let gene = match load(sandbox, id, tried, ASK_DENIED) {
        Ok(gene) => gene,
        Err(check) => return check,
    };
    let everything = Granted::new(&Capability::ALL, &Capability::ALL);
    match gene.diagnose(&inputs(), &everything, &Budgets::default()).result {
        Ok(_) => Check::new(id, Status::Ok, tried, "the denied file is not there for the gene"),
        Err(error) => Check::new(id, Status::Error, tried, format!("the gene got another answer: {error}")),
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
        now: Timestamp::UNIX_EPOCH,
        seed: 0,
    }
}

/// The same bytes at every path.
#[derive(Debug)]
struct Same;

impl Files for Same {
    fn size(&self, _path: &RepoPath) -> Result<u64, Unread> {
        Ok(4)
    }

    fn read(&self, _path: &RepoPath) -> Result<Arc<[u8]>, Unread> {
        Ok(Arc::from(*b"text"))
    }

    fn link_target(&self, _path: &RepoPath) -> Result<String, Unread> {
        Err(Unread::Gone)
    }
}
