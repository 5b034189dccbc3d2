//! `cargo bench -p gephost-tests --bench reading`: what it costs a gene to read a thousand small files, from the checkout
//! and from the base commit, beside the host reading them itself by the same opens.
//!
//! Times are what the thread spends on a processor, medians of one run on warm caches; each ratio is between numbers of this one run. Nothing is kept from
//! one round to the next: every round has a workspace of its own.

use std::fmt::Write as _;
use std::fs;
use std::sync::Arc;
use std::time::Duration;

use gephost_core::gene::Capability;
use gephost_core::path::RepoPath;
use gephost_runner::checkout::Checkout;
use gephost_runner::sandbox::{Budgets, FileKind, Files, Gene, Granted, Inputs, RunLog, Sandbox, Workspace};
use gephost_runner::worktree::Project;
use gephost_tests::components::{component, manifest};
use gephost_tests::environment::TestEnv;
use gephost_tests::measure::{busy, median};
use gephost_tests::project::TestProject;
use jiff::Timestamp;

const FILES: usize = 1000;
const ROUNDS: usize = 60;

fn main() {
    let env = TestEnv::new();
    let project = TestProject::without_git(&[]);
    for number in 0..FILES {
        project.write(&path(number), &format!("{number:04}\n").repeat(205));
    }
    project.git(&env, &["init", "-q", "-b", "main"]);
    project.commit_all(&env);
    let gene = Sandbox::new(None).unwrap().load(&reader()).unwrap();
    let open = || Project::open(project.root()).unwrap();
    let plain = median(ROUNDS, || time(|| read_plainly(&project)));
    report("std::fs::read, which follows links", plain, plain);
    let checkout = || Arc::new(Checkout::of_project(&open(), Arc::new(|_| true)).unwrap());
    compare("checkout", &gene, || checkout() as Arc<dyn Files>);
    let base = |project: &Project| Arc::new(project.base(&project.head().unwrap().commit).unwrap());
    compare("base commit, loose objects", &gene, || base(&open()) as Arc<dyn Files>);
    project.git(&env, &["gc", "-q"]);
    compare("base commit, one pack", &gene, || base(&open()) as Arc<dyn Files>);
}

fn path(number: usize) -> String {
    format!("src/module_{}/file_{number}.txt", number / 50)
}

fn list() -> Vec<RepoPath> {
    (0..FILES).map(|number| RepoPath::new(&path(number)).unwrap()).collect()
}

fn read_plainly(project: &TestProject) {
    let read = |number| fs::read(project.root().join(path(number))).unwrap();
    let held: Vec<Vec<u8>> = (0..FILES).map(read).collect();
    assert!(held.iter().all(|bytes| bytes.len() == 1025));
}

/// The host by itself, and a gene in one call of `read`, from one source.
fn compare(name: &str, gene: &Gene, source: impl Fn() -> Arc<dyn Files>) {
    let paths = list();
    let alone = median(ROUNDS, || {
        let files = source();
        time(|| {
            let held: Vec<Arc<[u8]>> = paths.iter().map(|path| files.read(path).unwrap()).collect();
            assert!(held.iter().all(|bytes| bytes.len() == 1025));
        })
    });
    let through = median(ROUNDS, || {
        let files = source();
        let list = paths.iter().map(|path| (path.clone(), FileKind::File));
        let inputs = Inputs {
            run_log: Arc::new(RunLog::new(&[])),
            workspace: Arc::new(Workspace::new(files, list, |_| true)),
            history: Arc::new([]),
            coverage: Arc::default(),
            now: Timestamp::UNIX_EPOCH,
            seed: 1,
            settings: Arc::default(),
            carried: std::sync::Arc::default(),
            completions: Arc::new(gephost_runner::sandbox::NoModel),
        };
        let granted = Granted::new(&Capability::ALL, &Capability::ALL);
        time(|| {
            let call = gene.diagnose(&inputs, &granted, &Budgets::default());
            assert!(call.result.is_ok() && call.usage.host_bytes > 1_000_000, "{call:?}");
        })
    });
    report(&format!("{name}: the host itself"), alone, alone);
    report(&format!("{name}: a gene, whole call"), through, alone);
}

fn report(name: &str, took: Duration, beside: Duration) {
    let each = took.as_secs_f64() * 1e6 / FILES as f64;
    let ratio = took.as_secs_f64() / beside.as_secs_f64();
    println!("{name:<48} {each:>7.2} us a file {ratio:>6.2} x");
}

fn time(run: impl Fn()) -> Duration {
    busy(run).0
}

/// A gene that reads all files in one call and finds nothing.
fn reader() -> Vec<u8> {
    let (mut names, mut pairs, mut at) = (String::new(), String::new(), 65_536_usize);
    for number in 0..FILES {
        let name = path(number);
        for word in [u32::try_from(at).unwrap(), u32::try_from(name.len()).unwrap()] {
            for byte in word.to_le_bytes() {
                write!(pairs, "\\{byte:02x}").unwrap();
            }
        }
        at += name.len();
        names.push_str(&name);
    }
    let wat = format!(
        r#"(module
        (import "gephost:gene/workspace@0.1.0" "read" (func $read (param i32 i32 i32)))
        (memory (export "memory") 40)
        (global $next (mut i32) (i32.const 131072))
        (data (i32.const 1024) "\00\00\00\00\00\04\00\00\00\00\00\00")
        (data (i32.const 4096) "{pairs}")
        (data (i32.const 65536) "{names}")
        (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
          (local $at i32)
          (local.set $at (i32.and (i32.add (global.get $next) (i32.const 15)) (i32.const -16)))
          (global.set $next (i32.add (local.get $at) (local.get 3)))
          (local.get $at))
        (func (export "gephost:gene/diagnosis@0.1.0#diagnose") (result i32)
          (call $read (i32.const 4096) (i32.const {FILES}) (i32.const 2048))
          (i32.const 1024)))"#
    );
    component("heuristic", &manifest("gene_reader", "heuristic", &["workspace"]), &wat)
}
