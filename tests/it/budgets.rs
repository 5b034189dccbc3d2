//! The five budgets of a gene call: how late the call may end, what a program sees of it, and what a report says was left.

use std::sync::Arc;
use std::time::{Duration, Instant};

use gephost_core::path::RepoPath;
use gephost_runner::sandbox::{Budget, Budgets, CallError, FileKind, Files, Inputs, ReadFailure, Sandbox, Workspace};
use gephost_tests::environment::TestEnv;

use crate::guests;
use crate::isolate::IN_PROCESSES;
use crate::sandbox::{SANDBOX, granted, inputs, the_next_gene_runs_normally, workspace};
use crate::scene::quickstart;

/// How late a call may end: a tenth of its time, plus this much on a busy machine.
const NOISE: Duration = Duration::from_millis(20);
/// How often a call is tried, because other work on the machine can only make it later.
const TRIES: usize = 8;

/// Guests that never end, in their own code or in the host's.
const TIRELESS: &[&str] =
    &["endless_loop", "sleeper", "poll_storm", "search_bomb", "read_storm", "glob_storm", "start_loop"];

/// Budgets of which only the wall time can end a guest.
fn only_wall() -> Budgets {
    Budgets {
        wall: Duration::from_secs(1),
        fuel: u64::MAX,
        host_calls: u64::MAX,
        host_bytes: u64::MAX,
        ..Budgets::default()
    }
}

/// The inputs that give each guest the most work.
fn much(guest: &str) -> Inputs {
    let workspace = match guest {
        "search_bomb" => workspace(200, format!("{}\n", "ab".repeat(2000)).repeat(1000)),
        "read_storm" => workspace(1, "x".repeat(1 << 20)),
        "glob_storm" => workspace(50_000, "text".to_owned()),
        _ => workspace(1, "text".to_owned()),
    };
    Inputs { workspace, ..inputs() }
}

fn never_ends_late(sandbox: &Sandbox) {
    let budgets = only_wall();
    let most = budgets.wall + budgets.wall / 10 + NOISE;
    for guest in TIRELESS {
        let gene = sandbox.load(&guests::heuristic(guest)).unwrap();
        let inputs = much(guest);
        let mut took = Vec::new();
        while took.len() < TRIES && took.last().is_none_or(|last| *last > most) {
            let call = gene.diagnose(&inputs, &granted(), &budgets);
            // From when it began, as the host measured it: starting a process is none of a gene's time.
            took.push(Duration::from_micros(call.usage.wall_us));
            assert!(matches!(call.result, Err(CallError::Budget { budget: Budget::Wall, .. })), "{guest}: {call:?}");
            assert!(took.last() >= Some(&budgets.wall), "{guest}: {took:?}");
        }
        assert!(took.last() <= Some(&most), "{guest} ends late each time: {took:?}");
    }
    the_next_gene_runs_normally();
}

#[test]
fn no_call_in_a_thread_ends_late() {
    never_ends_late(&SANDBOX);
}

#[test]
fn no_call_in_a_process_ends_late() {
    never_ends_late(&IN_PROCESSES);
}

#[test]
fn the_number_of_a_genes_own_handles_is_limited() {
    for sandbox in [&*SANDBOX, &*IN_PROCESSES] {
        let gene = sandbox.load(&guests::with_things("own_handles")).unwrap();
        let call = gene.diagnose(&inputs(), &granted(), &Budgets::default());
        assert!(matches!(call.result, Err(CallError::Budget { budget: Budget::HostCalls, .. })), "{call:?}");
        the_next_gene_runs_normally();
    }
}

#[test]
fn usage_is_counted_for_every_budget() {
    let gene = SANDBOX.load(&guests::heuristic("many_cursors")).unwrap();
    let budgets = Budgets { handles: 100, ..Budgets::default() };
    let call = gene.diagnose(&inputs(), &granted(), &budgets);
    assert_eq!(call.usage.handles, 100, "the most that were open at once: {:?}", call.usage);
    let rooms = call.usage.headroom(&budgets);
    let units: Vec<_> = rooms.iter().map(|room| (room.budget, room.counts)).collect();
    let expected = [
        (Budget::Wall, "us"),
        (Budget::Fuel, "units"),
        (Budget::Memory, "bytes"),
        (Budget::Memory, "table_elements"),
        (Budget::Output, "bytes"),
        (Budget::Output, "log_lines"),
        (Budget::HostCalls, "calls"),
        (Budget::HostCalls, "bytes_handed_over"),
        (Budget::HostCalls, "handles"),
    ];
    assert_eq!(units, expected);
    let table = SANDBOX.load(&guests::heuristic("bounded_growth")).unwrap();
    assert!(table.diagnose(&inputs(), &granted(), &budgets).usage.table_elements > 0);
    let lines = SANDBOX.load(&guests::heuristic("escapes")).unwrap();
    assert_eq!(lines.diagnose(&inputs(), &granted(), &budgets).usage.log_lines, 1);
}

/// Closed handles do not count.
#[test]
fn only_open_handles_are_counted() {
    let gene = SANDBOX.load(&guests::heuristic("sleeper")).unwrap();
    let budgets = Budgets { fuel: 1_000_000, ..Budgets::default() };
    let call = gene.diagnose(&inputs(), &granted(), &budgets);
    assert!(matches!(call.result, Err(CallError::Budget { budget: Budget::Fuel, .. })), "{call:?}");
    // A sleep needs two handles: the timer and the subscription.
    assert_eq!(call.usage.handles, 2);
}

#[test]
fn each_budget_has_a_code_of_its_own() {
    let env = TestEnv::new();
    let project = quickstart(&env, None);
    for (guest, config, code) in [
        ("endless_loop", "wall_ms = 200", "gene_budget_wall"),
        ("endless_loop", "fuel = 50000000", "gene_budget_fuel"),
        ("memory_growth", "memory_mib = 8", "gene_budget_memory"),
        ("log_flood", "output_mib = 1", "gene_budget_output"),
        ("call_storm", "host_calls = 1000", "gene_budget_host_calls"),
    ] {
        project.write(
            "gephost.toml",
            &format!("[genes]\nbundled = false\n[observe]\nlogs = [\"logs/\"]\n[budgets]\n{config}\n"),
        );
        let path = env.home().join("gene.wasm");
        std::fs::write(&path, guests::heuristic(guest)).unwrap();
        let (document, exit) = env.json(project.root(), &["run", "--gene", path.to_str().unwrap()]);
        assert_eq!((exit, &document["error"]["code"]), (7, &code.into()), "{document:#}");
    }
    let (help, _) = env.json(project.root(), &["help", "exit-codes"]);
    let listed: Vec<_> = help["budgets"].as_array().unwrap().iter().map(|budget| &budget["error"]).collect();
    assert_eq!(listed, Budget::ALL.map(Budget::code));
    let text = env.run(project.root(), &["help", "exit-codes"]).expect_code(0).stdout;
    assert!(Budget::ALL.iter().all(|budget| text.contains(budget.code())), "{text}");
}

#[test]
fn a_report_says_which_budget_was_exhausted_and_what_was_left_of_the_others() {
    let env = TestEnv::new();
    let project = quickstart(&env, None);
    project.write("gephost.toml", "[observe]\nlogs = [\"logs/\"]\n[budgets]\nfuel = 1000\n");
    let (document, code) = env.json(project.root(), &["diagnose"]);
    assert_eq!(code, 7, "no other gene diagnoses: {document:#}");
    let call = &document["error"]["detail"];
    assert_eq!(call["code"], "gene_budget_fuel", "{call:#}");
    let rooms = call["headroom"].as_array().unwrap();
    assert_eq!(rooms.len(), 9);
    assert!(rooms.iter().any(|room| room["budget"] == "fuel" && room["used"] == 1000 && room["limit"] == 1000));
    let ran = env.run(project.root(), &["diagnose", "-v"]).expect_code(7);
    for unit in ["table elements", "log lines", "handles", "bytes handed over"] {
        assert!(ran.stderr.contains(unit), "{unit}: {}", ran.stderr);
    }
}

/// Files that are slow to read.
#[derive(Debug)]
struct Slow;

impl Files for Slow {
    fn size(&self, _path: &RepoPath) -> Result<u64, ReadFailure> {
        std::thread::sleep(Duration::from_millis(5));
        Ok(1)
    }

    fn read(&self, path: &RepoPath) -> Result<Arc<[u8]>, ReadFailure> {
        self.size(path).map(|_| Arc::from(*b"x"))
    }

    fn link_target(&self, _path: &RepoPath) -> Result<String, ReadFailure> {
        Err(ReadFailure::NotFound)
    }
}

#[test]
fn a_slow_host_call_ends_with_the_wall_time() {
    let list = (0..2000).map(|number| (RepoPath::new(&format!("src/{number}.txt")).unwrap(), FileKind::File));
    let list: Vec<_> = list.collect();
    let gene = SANDBOX.load(&guests::heuristic("glob_storm")).unwrap();
    let inputs = Inputs { workspace: Arc::new(Workspace::new(Arc::new(Slow), list, |_| true)), ..inputs() };
    let begun = Instant::now();
    let call = gene.diagnose(&inputs, &granted(), &Budgets { wall: Duration::from_millis(300), ..only_wall() });
    assert!(matches!(call.result, Err(CallError::Budget { budget: Budget::Wall, .. })), "{call:?}");
    // Reading all files would take ten seconds.
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
}
