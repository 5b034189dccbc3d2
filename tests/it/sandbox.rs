//! The sandbox with hostile guests, in a thread. After each of them a normal gene still runs in the same sandbox.

use std::sync::{Arc, LazyLock};
use std::time::{Duration, Instant};

use gephost_core::gene::Capability;
use gephost_core::path::RepoPath;
use gephost_core::run_event::{EventType, Outcome, RunEvent};
use gephost_runner::bundled::BUNDLED;
use gephost_runner::sandbox::{
    Budget, Budgets, Call, CallError, FileKind, Files, Gene, Granted, Inputs, ReadFailure, RunLog, Sandbox, Workspace,
};

use gephost_core::diagnosis::{Diagnosis, Finding};
use jiff::Timestamp;

use crate::guests;

/// One sandbox for all guests, so that anything that one leaves behind would affect the next.
pub(crate) static SANDBOX: LazyLock<Sandbox> = LazyLock::new(|| Sandbox::new(None).unwrap());
static NORMAL: LazyLock<Gene> = LazyLock::new(|| {
    let bundled = BUNDLED.iter().find(|bundled| bundled.id.contains("tool_failures")).unwrap();
    SANDBOX.load(bundled.bytes).unwrap()
});

/// Files that all have the same content.
#[derive(Debug)]
pub(crate) struct Everywhere(Arc<[u8]>);

impl Everywhere {
    /// Files with this text.
    pub(crate) fn of(text: &str) -> Self {
        Self(text.as_bytes().into())
    }
}

impl Files for Everywhere {
    fn link_target(&self, _path: &RepoPath) -> Result<String, ReadFailure> {
        Err(ReadFailure::NotFound)
    }

    fn size(&self, _path: &RepoPath) -> Result<u64, ReadFailure> {
        Ok(self.0.len() as u64)
    }

    fn read(&self, _path: &RepoPath) -> Result<Arc<[u8]>, ReadFailure> {
        Ok(Arc::clone(&self.0))
    }
}

/// A workspace of this many files that all have this text.
pub(crate) fn workspace(files: usize, text: String) -> Arc<Workspace> {
    let list = (0..files).map(|number| (RepoPath::new(&format!("src/{number}.txt")).unwrap(), FileKind::File));
    Arc::new(Workspace::new(Arc::new(Everywhere(text.into_bytes().into())), list, |_| true))
}

pub(crate) fn failed_call(line: u64) -> RunEvent {
    RunEvent {
        timestamp: Some(Timestamp::from_second(1_700_000_000).unwrap()),
        tool_name: Some("Bash".into()),
        duration_ms: Some(5.0),
        outcome: Some(Outcome::Failure),
        flagged: true,
        input: Some("make".to_owned()),
        output: Some("error: no rule to make target".to_owned()),
        line,
        ..RunEvent::bare("session".into(), EventType::ToolEnd)
    }
}

pub(crate) fn inputs_of(events: &[RunEvent]) -> Inputs {
    Inputs {
        run_log: Arc::new(RunLog::new(events)),
        workspace: workspace(1, "text".to_owned()),
        history: Arc::new([]),
        coverage: Arc::default(),
        now: Timestamp::from_second(1_700_000_000).unwrap(),
        seed: 7,
        settings: Arc::default(),
        carried: std::sync::Arc::default(),
        completions: Arc::new(gephost_runner::sandbox::NoModel),
    }
}

pub(crate) fn inputs() -> Inputs {
    inputs_of(&[failed_call(1), failed_call(2), failed_call(3), failed_call(4)])
}

pub(crate) fn granted() -> Granted {
    Granted::new(&Capability::ALL, &Capability::ALL)
}

/// Budgets that end a guest quickly.
fn small() -> Budgets {
    Budgets { wall: Duration::from_secs(5), fuel: 500_000_000, memory: 16 << 20, ..Budgets::default() }
}

/// Calls a heuristic, and then checks that a normal gene still runs.
fn diagnose(component: &[u8], budgets: &Budgets) -> Call<Vec<Finding>> {
    let gene = SANDBOX.load(component).unwrap();
    let call = gene.diagnose(&inputs(), &granted(), budgets);
    the_next_gene_runs_normally();
    call
}

pub(crate) fn the_next_gene_runs_normally() {
    let call = NORMAL.diagnose(&inputs(), &granted(), &Budgets::default());
    let findings = call.result.unwrap();
    assert!(findings.iter().any(|finding| finding.title.contains("`make`")), "{findings:?}");
}

#[track_caller]
fn expect_budget<T: std::fmt::Debug>(call: &Call<T>, expected: Budget) {
    match &call.result {
        Err(CallError::Budget { budget, .. }) => assert_eq!(*budget, expected, "{call:?}"),
        other => panic!("expected the {expected} budget to end it: {other:?}"),
    }
}

/// The message of the trap.
#[track_caller]
fn trap_of<T: std::fmt::Debug>(call: Call<T>) -> String {
    match call.result {
        Err(error @ CallError::Trap { .. }) => error.to_string(),
        other => panic!("expected a trap: {other:?}"),
    }
}

#[test]
fn a_guest_without_findings_succeeds() {
    let call = diagnose(&guests::heuristic("calm"), &small());
    assert_eq!(call.result.unwrap(), []);
    assert_eq!(call.usage.host_calls, 0);
}

#[test]
fn an_endless_loop_ends_with_its_wall_time() {
    for guest in ["endless_loop", "start_loop", "initialize_loop", "realloc_loop", "post_return_loop"] {
        let gene = SANDBOX.load(&guests::heuristic(guest)).unwrap();
        let wall = Duration::from_millis(300);
        let started = Instant::now();
        let call = gene.diagnose(&inputs(), &granted(), &Budgets { wall, fuel: u64::MAX, ..Budgets::default() });
        let took = started.elapsed();
        expect_budget(&call, Budget::Wall);
        // By how little it may be late is the matter of `budgets`.
        assert!(took >= wall, "{guest} took {took:?} of {wall:?}");
        the_next_gene_runs_normally();
    }
}

#[test]
fn an_endless_loop_ends_with_its_fuel() {
    for guest in ["endless_loop", "start_loop", "initialize_loop", "realloc_loop", "post_return_loop"] {
        let call = diagnose(&guests::heuristic(guest), &Budgets { fuel: 1_000_000, ..small() });
        expect_budget(&call, Budget::Fuel);
        assert_eq!(call.usage.fuel, 1_000_000, "{guest}");
    }
}

#[test]
fn every_budget_ends_a_guest_that_exceeds_it() {
    for (guest, budget) in [
        ("memory_growth", Budget::Memory),
        ("table_growth", Budget::Memory),
        ("table_declared", Budget::Memory),
        ("log_flood", Budget::Output),
        ("huge_log_line", Budget::Output),
        ("stdout_flood", Budget::Output),
        ("log_lines", Budget::Output),
        ("call_storm", Budget::HostCalls),
        ("many_cursors", Budget::HostCalls),
        ("many_pollables", Budget::HostCalls),
    ] {
        let budgets = Budgets { memory: 64 << 20, ..small() };
        let call = diagnose(&guests::heuristic(guest), &budgets);
        expect_budget(&call, budget);
        assert!(call.usage.memory <= budgets.memory as u64, "{guest} {:?}", call.usage);
        assert!(call.usage.host_calls <= budgets.host_calls + 1, "{guest} {:?}", call.usage);
    }
}

#[test]
fn bytes_from_the_host_count_against_a_budget() {
    let call = diagnose(&guests::heuristic("hand_over"), &Budgets { host_bytes: 10_000, ..small() });
    expect_budget(&call, Budget::HostCalls);
}

#[test]
fn printed_text_counts_as_output_and_is_limited() {
    let call = diagnose(&guests::heuristic("stdout_flood"), &Budgets { output: 100_000, ..small() });
    expect_budget(&call, Budget::Output);
    let kept: usize = call.log.iter().map(|line| line.message.len()).sum();
    assert!(call.usage.output > 90_000 && kept <= 100_000, "{} {kept}", call.usage.output);
}

#[test]
fn growing_a_table_beyond_its_own_maximum_fails_without_a_trap() {
    let call = diagnose(&guests::heuristic("bounded_growth"), &small());
    assert_eq!(call.result.unwrap(), []);
}

#[test]
fn a_huge_filter_does_not_block_the_host() {
    let events: Vec<RunEvent> = (0..20_000).map(|line| RunEvent { kind: None, ..failed_call(line) }).collect();
    let gene = SANDBOX.load(&guests::heuristic("filter_bomb")).unwrap();
    let started = Instant::now();
    let call = gene.diagnose(&inputs_of(&events), &granted(), &small());
    assert_eq!(call.result.unwrap(), []);
    // Searching the filter for each event would take a million comparisons for each of 20,000 events.
    assert!(started.elapsed() < Duration::from_millis(500), "{:?}", started.elapsed());
    the_next_gene_runs_normally();
}

#[test]
fn a_search_ends_with_the_wall_time() {
    let gene = SANDBOX.load(&guests::heuristic("search_bomb")).unwrap();
    let line = format!("{}\n", "ab".repeat(2000));
    let inputs = Inputs { workspace: workspace(200, line.repeat(1000)), ..inputs() };
    let (started, wall) = (Instant::now(), Duration::from_millis(200));
    let call = gene.diagnose(&inputs, &granted(), &Budgets { wall, ..Budgets::default() });
    expect_budget(&call, Budget::Wall);
    assert!(started.elapsed() < wall * 2, "{:?}", started.elapsed());
    the_next_gene_runs_normally();
}

#[test]
fn the_answer_of_one_read_is_limited() {
    let gene = SANDBOX.load(&guests::heuristic("read_bomb")).unwrap();
    let inputs = Inputs { workspace: workspace(1, "x".repeat(4 << 20)), ..inputs() };
    let call = gene.diagnose(&inputs, &granted(), &Budgets::default());
    assert_eq!(call.result.unwrap(), []);
    assert!((64 << 20..72 << 20).contains(&call.usage.host_bytes), "{:?}", call.usage);
    the_next_gene_runs_normally();
}

#[test]
fn a_trap_is_reported_with_its_reason() {
    for (guest, reason) in [
        ("trap", "unreachable"),
        ("start_trap", "unreachable"),
        ("initialize_trap", "unreachable"),
        ("realloc_trap", "unreachable"),
        ("post_return_trap", "unreachable"),
        ("recursion", "call stack exhausted"),
        ("lie_list_length", "out of bounds"),
        ("lie_list_pointer", "out of bounds"),
        ("lie_answer_pointer", "out of bounds"),
        ("lie_alignment", "aligned"),
        ("lie_discriminant", "discriminant"),
        ("bad_handle", "handle"),
        ("bad_realloc", "beyond end of memory"),
        ("bad_return_area", "out of bounds"),
        ("random_bomb", "exceeds limit"),
    ] {
        let said = trap_of(diagnose(&guests::heuristic(guest), &small()));
        assert!(said.contains(reason), "{guest}: {said}");
        assert_eq!(said.lines().count(), 1, "{guest}: {said}");
    }
}

#[test]
fn a_trap_is_reported_with_its_place() {
    let call = diagnose(&guests::heuristic("trap"), &small());
    let Err(CallError::Trap { backtrace, .. }) = call.result else { panic!("{call:?}") };
    assert_eq!(backtrace.first().map(String::as_str), Some("diagnose"), "{backtrace:?}");
}

#[test]
fn the_text_of_a_panic_is_reported() {
    let said = trap_of(diagnose(&guests::heuristic("panic"), &small()));
    assert!(said.ends_with("gene panicked: 41 is not 42"), "{said}");
}

/// What a gene printed before is no reason for a trap of the machine.
#[test]
fn a_trap_of_the_machine_has_its_own_text() {
    let call = diagnose(&guests::heuristic("machine_trap"), &small());
    assert_eq!(call.log[0].message, "this went well");
    let said = trap_of(call);
    assert_eq!(said, "trapped in `diagnose`: wasm trap: out of bounds memory access");
}

#[test]
fn the_error_of_a_gene_is_quoted() {
    let call = diagnose(&guests::heuristic("gives_up"), &small());
    let expected = CallError::GaveUp { code: "unsupported".to_owned(), message: "no idea".to_owned() };
    assert_eq!(call.result.unwrap_err(), expected);
}

#[test]
fn control_characters_in_a_log_line_are_removed() {
    let call = diagnose(&guests::heuristic("escapes"), &small());
    let [line] = call.log.as_slice() else { panic!("{:?}", call.log) };
    assert!(!line.message.chars().any(|c| c.is_control() || c == '\u{202e}'), "{line:?}");
    assert!(line.message.contains("one two"), "{line:?}");
}

#[test]
fn an_answer_is_checked_before_it_is_used() {
    let good = diagnose(&guests::finding("a title", 7, "0.5", 0), &small());
    assert_eq!(good.result.unwrap().first().map(|finding| finding.title.clone()).as_deref(), Some("a title"));
    for (component, reason) in [
        (guests::finding("a title", 7, "nan", 0), "confidence NaN"),
        (guests::finding("a title", 7, "2.0", 0), "confidence 2"),
        (guests::finding("a title", 7, "-0.5", 0), "confidence -0.5"),
        (guests::finding("a title", 7, "inf", 0), "confidence inf"),
        (guests::finding("a title", 7, "0.5", 4), "refers to event 4, but the run log has 4"),
        (guests::finding("a title", 0, "0.5", 0), "finding.title is empty"),
        (guests::finding(" \\0a ", 3, "0.5", 0), "finding.title is empty"),
        (guests::heuristic("huge_list"), "findings, but the limit is"),
    ] {
        let call = diagnose(&component, &Budgets { output: 64 << 20, ..small() });
        let Err(CallError::Invalid { answer: error }) = call.result else {
            panic!("expected {reason}: {:?}", call.result)
        };
        assert!(error.to_string().contains(reason), "{error}");
    }
}

/// Paths that must not lead anywhere, through the import `workspace`. `wasi:filesystem` has its own list
/// (`tests/guests/std_fs/operations.txt`).
#[test]
fn no_path_leads_out_of_the_workspace() {
    let (name, deep, long) = ("n".repeat(256), "d/".repeat(300) + "x", "a/".repeat(3000));
    let tricks = [
        "",
        ".",
        "..",
        "/",
        "../src/0.txt",
        "src/../../src/0.txt",
        "/src/0.txt",
        "/etc/passwd",
        "src/0.txt/",
        "src/0.txt/.",
        "src/0.txt\0",
        "\0",
        "SRC/0.TXT",
        "src\\0.txt",
        "src/0.txt ",
        " src/0.txt",
        "src/0.txt.",
        "src",
        "src/",
        "~",
        "src/\u{202e}0.txt",
        "C:/src/0.txt",
        "file:///src/0.txt",
        "/proc/self/environ",
        "/dev/zero",
        "src//..//..//x",
        &name,
        &deep,
        &long,
    ];
    let call = diagnose(&reads(&tricks.map(|trick| (trick, false))), &small());
    assert_eq!(call.result.unwrap(), []);
    assert_eq!(call.audit.entries.len(), tricks.len());
}

/// A name of 255 bytes is read. A longer one is not even looked up.
#[test]
fn a_name_may_have_255_bytes() {
    let (longest, too_long) = ("n".repeat(255), "n".repeat(256));
    let wide = "\u{fc}".repeat(127) + "n";
    let list = [&longest, &wide].map(|name| (RepoPath::new(name).unwrap(), FileKind::File));
    let shown = Workspace::new(Arc::new(Everywhere::of("text")), list, |_| true);
    let gene = SANDBOX.load(&reads(&[(&longest, true), (&too_long, false), (&wide, true)])).unwrap();
    let call = gene.diagnose(&Inputs { workspace: Arc::new(shown), ..inputs() }, &granted(), &small());
    assert_eq!(call.result.unwrap(), []);
    assert_eq!(call.audit.entries.len(), 3);
}

/// A guest that reads these paths in one call of `read`, and traps unless each is found or not as expected.
fn reads(paths: &[(&str, bool)]) -> Vec<u8> {
    // The address and length of each path, then all texts, and the expected result of each.
    let (mut table, mut heap, mut expected) = (Vec::new(), Vec::new(), Vec::new());
    for (path, is_read) in paths {
        table.extend_from_slice(&u32::try_from(65_536 + heap.len()).unwrap().to_le_bytes());
        table.extend_from_slice(&u32::try_from(path.len()).unwrap().to_le_bytes());
        heap.extend_from_slice(path.as_bytes());
        expected.push(u8::from(!is_read));
    }
    let escaped = |bytes: &[u8]| bytes.iter().map(|byte| format!("\\{byte:02x}")).collect::<String>();
    let guest = format!(
        r#"(import "gephost:gene/workspace@0.1.0" "read" (func $read (param i32 i32 i32)))
        (data $table "{}") (data $heap "{}") (data $expected "{}")
        (func $diagnose (export "gephost:gene/diagnosis@0.1.0#diagnose") (result i32)
          (local $left i32)
          (drop (memory.grow (i32.const 4)))
          (global.set $next (i32.const 131072))
          (memory.init $table (i32.const 4096) (i32.const 0) (i32.const {}))
          (memory.init $heap (i32.const 65536) (i32.const 0) (i32.const {}))
          (memory.init $expected (i32.const 3072) (i32.const 0) (i32.const {count}))
          (call $read (i32.const 4096) (i32.const {count}) (i32.const 2048))
          (local.set $left (i32.const {count}))
          (loop $again
            (local.set $left (i32.sub (local.get $left) (i32.const 1)))
            (if (i32.ne (i32.load8_u (i32.add (i32.load (i32.const 2048)) (i32.mul (local.get $left) (i32.const 16))))
                  (i32.load8_u offset=3072 (local.get $left))) (then (unreachable)))
            (br_if $again (local.get $left)))
          (i32.const 1024))"#,
        escaped(&table),
        escaped(&heap),
        escaped(&expected),
        table.len(),
        heap.len(),
        count = paths.len()
    );
    guests::heuristic_that_asks_for(guests::EVERYTHING, &guest, "reads")
}

/// Guests that use as much memory as they can.
const GREEDY: &[&str] = &[
    "memory_growth",
    "table_growth",
    "many_cursors",
    "log_flood",
    "stdout_flood",
    "huge_list",
    "hand_over",
    "trap",
    "panic",
];

/// The test below runs this one in a process of its own.
#[test]
#[ignore = "measures its whole process: run by `memory_is_released`"]
fn greedy_guests_in_a_process_of_their_own() {
    let resident = || {
        let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
        statm.split(' ').nth(1).unwrap().parse::<u64>().unwrap() * 4096
    };
    let genes: Vec<Gene> = GREEDY.iter().map(|guest| SANDBOX.load(&guests::heuristic(guest)).unwrap()).collect();
    let round = || {
        for gene in &genes {
            let call = gene.diagnose(&inputs(), &granted(), &Budgets { memory: 64 << 20, ..small() });
            assert!(call.usage.wall_us > 0);
        }
        the_next_gene_runs_normally();
    };
    (0..3).for_each(|_| round());
    let before = resident();
    (0..20).for_each(|_| round());
    let grown = resident().saturating_sub(before);
    // Each round uses more than 64 MiB.
    assert!(grown < 32 << 20, "{grown} bytes stay");
}

#[test]
fn memory_is_released() {
    let arguments = ["--exact", "sandbox::greedy_guests_in_a_process_of_their_own", "--ignored", "--test-threads=1"];
    let ran = std::process::Command::new(std::env::current_exe().unwrap()).args(arguments).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stdout).into_owned();
    assert!(ran.status.success() && said.contains("1 passed"), "{said}");
}

#[test]
fn a_text_that_is_not_utf8_is_a_trap() {
    let said = trap_of(diagnose(&guests::finding("\\ff\\fe\\80", 3, "0.5", 0), &small()));
    assert!(said.contains("utf-8"), "{said}");
}

#[test]
fn an_answer_counts_as_output() {
    let call = diagnose(&guests::heuristic("huge_list"), &Budgets { output: 100_000, ..small() });
    expect_budget(&call, Budget::Output);
}

#[test]
fn asking_the_model_is_denied_with_a_reason() {
    let gene = SANDBOX.load(&guests::heuristic("ask_completion")).unwrap();
    let nothing = Granted::new(&Capability::ALL, &[]);
    let call = gene.diagnose(&inputs(), &nothing, &small());
    assert_eq!(call.result.unwrap(), []);
    assert!(call.log.iter().any(|line| line.message.contains("capability `completion` is not granted")));
    // If it is granted, the guest gets another error and traps, so the call above does test the denial.
    trap_of(gene.diagnose(&inputs(), &granted(), &small()));
}

#[test]
fn a_gene_can_use_only_what_it_requested_and_was_granted() {
    let gene = SANDBOX.load(&guests::heuristic("ask_everything")).unwrap();
    for (requested, grant) in [(&Capability::ALL[..], &[][..]), (&[], &Capability::ALL), (&[], &[])] {
        let call = gene.diagnose(&inputs(), &Granted::new(requested, grant), &small());
        assert_eq!(call.result.unwrap(), [], "{requested:?} {grant:?}");
    }
    // If everything is granted, the guest traps, so the calls above do test the denial.
    trap_of(gene.diagnose(&inputs(), &granted(), &small()));
}

#[test]
fn the_same_limits_apply_to_a_strategy() {
    let ask = |guest: &str, budgets: &Budgets| {
        let gene = SANDBOX.load(&guests::strategy(guest)).unwrap();
        let call = gene.propose(&Diagnosis::default(), &inputs(), &granted(), budgets);
        the_next_gene_runs_normally();
        call
    };
    assert!(trap_of(ask("propose_trap", &small())).contains("unreachable"));
    expect_budget(&ask("propose_loop", &Budgets { fuel: 100_000, ..small() }), Budget::Fuel);
    let error = ask("propose_nothing", &small()).result.unwrap_err();
    assert!(matches!(&error, CallError::Invalid { .. }) && error.to_string().contains("no changes"), "{error}");
}

#[test]
fn a_gene_cannot_be_asked_for_what_it_does_not_export() {
    let gene = SANDBOX.load(&guests::heuristic("calm")).unwrap();
    let call = gene.propose(&Diagnosis::default(), &inputs(), &granted(), &small());
    assert_eq!(call.result.unwrap_err(), CallError::NotExported { interface: "proposals".into() });
}
