//! `cargo bench -p gephost-tests --bench cycle [-- --against FILE]`: what whole runs of gephost cost, and what loading a
//! gene costs.
//!
//! Each figure is the least of several runs and comes with its ratio to `gephost --version` of the same minute, which is
//! what any start of the program costs: the ratios say more than the times on a machine that others use too. With
//! `--against`, every command is also run by another build of gephost, in turns, and the ratio of the two is printed.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use gephost_core::event_log::EntryBody;
use gephost_runner::bundled::BUNDLED;
use gephost_runner::event_log::EventLog;
use gephost_runner::sandbox::{CompileCache, Sandbox};
use gephost_runner::state::StateFolder;
use gephost_tests::cost::Cost;
use gephost_tests::environment::{TestEnv, gephost};
use gephost_tests::measure::{median, millis, time};
use gephost_tests::project::TestProject;
use gephost_tests::repository;

const RUNS: usize = 40;
/// Entries of the long log.
const ENTRIES: usize = 10_000;
const CONFIG: &str = "[policy]\nallow = [\"src/\"]\n[apply]\nenabled = true\n";

fn main() {
    let env = TestEnv::cold();
    let other = other_build();
    let programs: Vec<&Path> = std::iter::once(gephost()).chain(other.as_deref()).collect();
    let quickstart = quickstart(&env);
    let (cold, ()) = time(|| drop(env.run(quickstart.root(), &["run"]).expect_code(0)));
    let without_logs = TestProject::new(&env, &[("gephost.toml", CONFIG), ("src/a.txt", "a\n")]);
    let long_log = with_long_log(&env);
    let commands: [(&str, &Path, &[&str]); 5] = [
        ("gephost --version", quickstart.root(), &["--version"]),
        ("dry run of the quickstart, warm", quickstart.root(), &["run"]),
        ("run without any log", without_logs.root(), &["run"]),
        ("status", quickstart.root(), &["status"]),
        ("autopilot after a log of 10,000 entries", long_log.root(), &["autopilot", "--apply"]),
    ];
    let mut start = Duration::ZERO;
    for (what, folder, arguments) in commands {
        let costs = in_turns(&env, folder, &programs, arguments);
        if start.is_zero() {
            start = costs[0].busy;
        }
        println!("{what:<42} {}, {:.1} times a start", costs[0], ratio(costs[0].busy, start));
        if let Some(other) = costs.get(1) {
            println!("{:<42} {other}, {:.2} times the above", "  by the other build", ratio(other.busy, costs[0].busy));
        }
    }
    println!("{:<42} {:.0} ms on the clock", "dry run of the quickstart, no compile cache", millis(cold));
    loading();
}

/// The file after `--against`.
fn other_build() -> Option<PathBuf> {
    std::env::args().skip_while(|argument| argument != "--against").nth(1).map(PathBuf::from)
}

/// The least cost of each program, run in turns.
fn in_turns(env: &TestEnv, folder: &Path, programs: &[&Path], arguments: &[&str]) -> Vec<Cost> {
    let once = |program: &Path| Cost::of(env, folder, program, arguments);
    let first: Vec<Cost> = programs.iter().map(|program| once(program)).collect();
    (1..RUNS)
        .fold(first, |least, _| programs.iter().zip(least).map(|(program, least)| once(program).least(least)).collect())
}

fn ratio(one: Duration, other: Duration) -> f64 {
    one.as_secs_f64() / other.as_secs_f64()
}

/// The example, in a repository of its own, so that no run leaves anything in ours.
fn quickstart(env: &TestEnv) -> TestProject {
    let folder = repository().join("examples/quickstart");
    let mut files = Vec::new();
    for path in
        ["gephost.toml", "inventory/__init__.py", "inventory/store.py", "logs/session.jsonl", "tests/test_store.py"]
    {
        files.push((path, std::fs::read_to_string(folder.join(path)).unwrap()));
    }
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (*path, text.as_str())).collect();
    TestProject::new(env, &files)
}

/// A project whose log has many entries.
fn with_long_log(env: &TestEnv) -> TestProject {
    let project = TestProject::new(env, &[("gephost.toml", CONFIG), ("src/a.txt", "a\n")]);
    env.run(project.root(), &["autopilot", "--apply"]).expect_code(0);
    let root = project.root().canonicalize().unwrap();
    let state = StateFolder::new(&root, &env.user_folders(), None).unwrap();
    let bodies: Vec<EntryBody> =
        (0..ENTRIES).map(|number| EntryBody::Note { text: format!("entry number {number}") }).collect();
    EventLog::new(&state.log(), state.head()).append_all(jiff::Timestamp::UNIX_EPOCH, &bodies).unwrap();
    project
}

/// Loading the bundled genes, compiled and from the cache.
fn loading() {
    for bundled in BUNDLED {
        let folder = tempfile::tempdir().unwrap();
        let load = || {
            let cache = CompileCache::open(&folder.path().join("cache"), &folder.path().join("key")).unwrap();
            let sandbox = Sandbox::new(Some(cache)).unwrap();
            let begun = Instant::now();
            sandbox.load(bundled.bytes).unwrap();
            begun.elapsed()
        };
        let compiled = load();
        let cached = median(RUNS, load);
        println!(
            "load {:<37} compiled {:.0} ms, cached {:.2} ms, {:.0} times faster ({} KiB)",
            bundled.id,
            millis(compiled),
            millis(cached),
            ratio(compiled, cached),
            bundled.bytes.len() >> 10
        );
    }
}
