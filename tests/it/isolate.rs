//! Genes in processes of their own: they give the same results as in a thread, and everything that can end them.

use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use gephost_core::config::Isolation;
use gephost_core::gene::Capability;
use gephost_core::path::RepoPath;
use gephost_core::recording::AuditLog;
use gephost_core::run_event::RunEvent;
use gephost_runner::bundled::BUNDLED;
use gephost_runner::confine::Support;
use gephost_runner::sandbox::{
    Budget, Budgets, Call, CallError, FileKind, Files, Gene, Granted, HostCalls, Inputs, LoadError, LogLine, RanIn,
    ReadFailure, RunLog, Sandbox, Usage, Worker, Workspace,
};
use gephost_tests::environment::gephost;

use crate::guests;
use crate::sandbox::{failed_call, inputs, inputs_of};

pub(crate) fn worker() -> Worker {
    Worker { program: gephost().to_owned(), arguments: vec!["gene-process".into()], strict: false }
}

pub(crate) static IN_PROCESSES: LazyLock<Sandbox> =
    LazyLock::new(|| Sandbox::with_workers(None, worker(), Isolation::Process).unwrap());
static IN_THREADS: LazyLock<Sandbox> = LazyLock::new(|| Sandbox::new(None).unwrap());

fn granted() -> Granted {
    Granted::new(&Capability::ALL, &Capability::ALL)
}

fn small() -> Budgets {
    Budgets { wall: Duration::from_secs(20), fuel: 100_000_000, memory: 64 << 20, ..Budgets::default() }
}

/// Guests that end by what they do and not by the wall time.
const GUESTS: &[&str] = &[
    "calm",
    "trap",
    "start_trap",
    "initialize_trap",
    "realloc_trap",
    "post_return_trap",
    "recursion",
    "panic",
    "gives_up",
    "escapes",
    "probe",
    "endless_loop",
    "memory_growth",
    "table_growth",
    "table_declared",
    "log_flood",
    "log_lines",
    "huge_log_line",
    "stdout_flood",
    "call_storm",
    "many_cursors",
    "lie_list_length",
    "lie_discriminant",
    "bad_handle",
    "ask_completion",
    "ask_everything",
    "huge_list",
    "hand_over",
];

/// The result of a call, without measured values.
#[derive(Debug, PartialEq)]
struct Outcome<T> {
    result: Result<T, CallError>,
    usage: Usage,
    log: Vec<LogLine>,
    audit: AuditLog,
    host_calls: HostCalls,
    witnessed: Vec<String>,
    refused: Vec<RepoPath>,
}

impl<T> Outcome<T> {
    fn of(call: Call<T>, workspace: &Workspace) -> Self {
        let mut audit = call.audit;
        audit.entries.iter_mut().for_each(|entry| entry.micros = 0);
        let mut host_calls = call.host_calls;
        host_calls.calls.iter_mut().for_each(|call| call.micros = 0);
        Self {
            result: call.result,
            usage: Usage { wall_us: 0, ..call.usage },
            log: call.log,
            audit,
            host_calls,
            witnessed: workspace.witnessed().map(|file| format!("{file:?}")).collect(),
            refused: workspace.refused(),
        }
    }
}

/// Makes a call in a thread and in a process, checks that both give the same, and returns the call in the thread. Each has
/// a workspace of its own, because a recording contains what was read from the workspace.
pub(crate) fn in_both<T: Clone + std::fmt::Debug + PartialEq>(
    component: &[u8],
    inputs: impl Fn() -> Inputs,
    ask: impl Fn(&Gene, &Inputs) -> Call<T>,
) -> Call<T> {
    let call = |sandbox: &Sandbox| {
        let inputs = inputs();
        let call = ask(&sandbox.load(component).unwrap(), &inputs);
        (call.clone(), Outcome::of(call, &inputs.workspace))
    };
    let (here, in_thread) = call(&IN_THREADS);
    let (elsewhere, in_process) = call(&IN_PROCESSES);
    assert_eq!(in_process, in_thread);
    assert_eq!(here.ran_in, RanIn::Thread);
    assert!(matches!(elsewhere.ran_in, RanIn::Process(_)));
    here
}

#[test]
fn a_process_gives_the_same_as_a_thread() {
    for guest in GUESTS {
        let component = guests::heuristic(guest);
        in_both(&component, inputs, |gene, inputs| gene.diagnose(inputs, &granted(), &small()));
    }
}

#[test]
fn the_bundled_heuristic_gives_the_same_findings_in_both() {
    let bundled = BUNDLED.iter().find(|bundled| bundled.id.contains("tool_failures")).unwrap();
    let events: Vec<RunEvent> = (0..5000).map(failed_call).collect();
    let inputs = inputs_of(&events);
    let ask = |sandbox: &Sandbox| {
        sandbox.load(bundled.bytes).unwrap().diagnose(&inputs, &granted(), &Budgets::default()).result.unwrap()
    };
    let found = ask(&IN_PROCESSES);
    assert!(!found.is_empty());
    assert_eq!(found, ask(&IN_THREADS));
}

#[test]
fn a_worker_is_confined_as_far_as_the_kernel_can() {
    let call = IN_PROCESSES.load(&guests::heuristic("calm")).unwrap().diagnose(&inputs(), &granted(), &small());
    let RanIn::Process(in_force) = call.ran_in else { panic!("{call:?}") };
    let support = Support::measure();
    assert_eq!((in_force.landlock, in_force.seccomp), (support.landlock, support.seccomp));
}

/// Files that only the host can read.
#[derive(Debug)]
struct Named;

impl Files for Named {
    fn size(&self, path: &RepoPath) -> Result<u64, ReadFailure> {
        Ok(path.as_str().len() as u64)
    }

    fn read(&self, path: &RepoPath) -> Result<Arc<[u8]>, ReadFailure> {
        Ok(path.as_str().as_bytes().into())
    }

    fn link_target(&self, _path: &RepoPath) -> Result<String, ReadFailure> {
        Err(ReadFailure::NotFound)
    }
}

#[test]
fn the_host_serves_files_but_not_denied_ones() {
    let list = ["denied.txt", "shown.txt"].map(|path| (RepoPath::new(path).unwrap(), FileKind::File));
    let shown = Workspace::new(Arc::new(Named), list, |path| path.as_str() == "shown.txt");
    let inputs = Inputs { workspace: Arc::new(shown), ..inputs() };
    let call = IN_PROCESSES.load(&guests::heuristic("ask_denied")).unwrap().diagnose(&inputs, &granted(), &small());
    assert_eq!(call.result.unwrap(), []);
}

#[test]
fn an_endless_loop_ends_with_its_wall_time() {
    let gene = IN_PROCESSES.load(&guests::heuristic("endless_loop")).unwrap();
    let wall = Duration::from_millis(500);
    let call = gene.diagnose(&inputs(), &granted(), &Budgets { wall, fuel: u64::MAX, ..Budgets::default() });
    assert!(matches!(call.result, Err(CallError::Budget { budget: Budget::Wall, .. })), "{call:?}");
    assert!(Duration::from_micros(call.usage.wall_us) >= wall, "{:?}", call.usage);
}

#[test]
fn a_long_search_in_the_host_ends_with_the_wall_time() {
    // One line of four mebibytes, and an expression that takes many steps for each byte.
    let gene = IN_PROCESSES.load(&guests::heuristic("search_bomb")).unwrap();
    let list = (0..200).map(|n| (RepoPath::new(&format!("src/{n}.txt")).unwrap(), FileKind::File));
    let inputs = Inputs { workspace: Arc::new(Workspace::new(Arc::new(LongLine), list, |_| true)), ..inputs() };
    let wall = Duration::from_millis(300);
    let began = Instant::now();
    let call = gene.diagnose(&inputs, &granted(), &Budgets { wall, ..Budgets::default() });
    assert!(matches!(call.result, Err(CallError::Budget { budget: Budget::Wall, .. })), "{call:?}");
    assert!(began.elapsed() < wall * 10, "{:?}", began.elapsed());
}

#[derive(Debug)]
struct LongLine;

impl Files for LongLine {
    fn size(&self, _path: &RepoPath) -> Result<u64, ReadFailure> {
        Ok(4 << 20)
    }

    fn read(&self, _path: &RepoPath) -> Result<Arc<[u8]>, ReadFailure> {
        Ok(vec![b'a'; 4 << 20].into())
    }

    fn link_target(&self, _path: &RepoPath) -> Result<String, ReadFailure> {
        Err(ReadFailure::NotFound)
    }
}

#[test]
fn a_program_that_is_not_a_worker_is_an_error() {
    for (program, arguments) in [("/nonexistent", vec![]), ("/bin/true", vec![]), ("/bin/sleep", vec!["0".into()])] {
        let worker = Worker { program: program.into(), arguments, strict: false };
        let sandbox = Sandbox::with_workers(None, worker, Isolation::Process).unwrap();
        let error = sandbox.load(&guests::heuristic("calm")).unwrap_err();
        assert!(matches!(error, LoadError::Compiler(_)), "{program}: {error}");
    }
}

#[test]
fn a_worker_that_dies_gives_its_call_an_error() {
    // Compiled by the host, run by a program that is not a worker.
    let folder = tempfile::tempdir().unwrap();
    let cache = || {
        let (entries, key) = (folder.path().join("cache"), folder.path().join("key/key"));
        Some(gephost_runner::sandbox::CompileCache::open(&entries, &key).unwrap())
    };
    let component = guests::heuristic("calm");
    Sandbox::with_workers(cache(), worker(), Isolation::Process).unwrap().load(&component).unwrap();
    let broken = Worker { program: "/bin/false".into(), arguments: vec![], strict: false };
    let gene = Sandbox::with_workers(cache(), broken, Isolation::Process).unwrap().load(&component).unwrap();
    let call = gene.diagnose(&Inputs { run_log: Arc::new(RunLog::new(&[])), ..inputs() }, &granted(), &small());
    assert!(matches!(&call.result, Err(CallError::Worker { reason }) if reason.contains("code 1")), "{call:?}");
}

/// A control group with a memory limit. The kernel kills a process in it that uses more.
struct MemoryGroup(std::path::PathBuf);

impl MemoryGroup {
    /// Creates the group below that of this process, or says why that is not possible.
    fn new(bytes: u64) -> Result<Self, String> {
        let groups = std::fs::read_to_string("/proc/self/cgroup").map_err(|error| error.to_string())?;
        let own = |mark: &str| groups.lines().find_map(|line| line.split_once(mark)).map(|(_, path)| path.to_owned());
        let (parent, limit) = match own(":memory:") {
            Some(path) => (format!("/sys/fs/cgroup/memory{path}"), "memory.limit_in_bytes"),
            None => (format!("/sys/fs/cgroup{}", own("0::").unwrap_or_default()), "memory.max"),
        };
        let folder = std::path::Path::new(&parent).join(format!("gephost-test-{}", std::process::id()));
        std::fs::create_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        let group = Self(folder);
        let limit = group.0.join(limit);
        std::fs::write(&limit, bytes.to_string()).map_err(|error| format!("{}: {error}", limit.display()))?;
        // Where there is none, nothing can be swapped.
        let _ = std::fs::write(group.0.join("memory.swap.max"), "0");
        Ok(group)
    }

    fn worker(&self) -> Worker {
        let script = "echo $$ > \"$0\" && exec \"$1\" gene-process";
        let arguments = ["-c".into(), script.into(), self.0.join("cgroup.procs").into(), gephost().into()];
        Worker { program: "/bin/sh".into(), arguments: arguments.into(), strict: false }
    }
}

impl Drop for MemoryGroup {
    fn drop(&mut self) {
        // The killed process may still be on its way out.
        for _ in 0..100 {
            if std::fs::remove_dir(&self.0).is_ok() {
                return;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

#[test]
fn a_worker_that_the_kernel_kills_gives_its_call_an_error() {
    let group = match MemoryGroup::new(96 << 20) {
        Ok(group) => group,
        Err(why) => return gephost_tests::skipped(&format!("no memory group can be made: {why}")),
    };
    let folder = tempfile::tempdir().unwrap();
    let cache = || {
        let (entries, key) = (folder.path().join("cache"), folder.path().join("key/key"));
        Some(gephost_runner::sandbox::CompileCache::open(&entries, &key).unwrap())
    };
    let (fill, calm) = (guests::heuristic("memory_fill"), guests::heuristic("calm"));
    // Compiled and run outside of the group, where it stays within its budget.
    let outside = Sandbox::with_workers(cache(), worker(), Isolation::Process).unwrap();
    let budgets = Budgets { wall: Duration::from_secs(20), ..Budgets::default() };
    assert_eq!(outside.load(&fill).unwrap().diagnose(&inputs(), &granted(), &budgets).result.unwrap(), []);
    outside.load(&calm).unwrap();
    let inside = Sandbox::with_workers(cache(), group.worker(), Isolation::Process).unwrap();
    let killed = inside.load(&fill).unwrap().diagnose(&inputs(), &granted(), &budgets);
    match &killed.result {
        Err(CallError::Worker { reason }) => {
            assert_eq!(reason, "killed (SIGKILL), perhaps because the machine ran out of memory");
        }
        other => panic!("expected the kernel to kill it: {other:?}"),
    }
    assert_eq!(inside.load(&calm).unwrap().diagnose(&inputs(), &granted(), &budgets).result.unwrap(), []);
}

/// The log and the event record how the gene was confined.
#[test]
fn the_log_and_the_event_say_how_a_gene_was_confined() {
    if !crate::scene::python() {
        return;
    }
    let env = gephost_tests::environment::TestEnv::new();
    let config = crate::scene::validated_by("\"python3 -m unittest discover -s tests\"");
    for (isolation, begins) in [("", "process"), ("[genes]\nisolation = \"thread\"\n", "thread")] {
        let project = crate::scene::quickstart(&env, Some(&format!("{config}{isolation}")));
        let _ = env.run(project.root(), &["run", "--apply"]).expect_code(0);
        let entries = crate::scene::log_entries(&env, &project);
        let proposed = entries.iter().find(|entry| entry["kind"] == "proposed").expect("a proposal");
        let events = std::fs::read_to_string(project.root().join(".gephost/gep/events.jsonl")).unwrap();
        let event: serde_json::Value = serde_json::from_str(events.lines().last().unwrap()).unwrap();
        let said = event["meta"]["isolation"].as_str().unwrap_or_default();
        assert!(said.starts_with(begins), "{event:#}");
        assert_eq!(proposed["isolation"], said);
    }
}
