//! `cargo bench -p gephost-tests --bench run_log -- [--events 10_000_000]`: what it costs a gene to see every event.
//!
//! The gene of `tests/guests/count_and_hash` counts failures by tool and hashes all texts. The same source also runs
//! natively over the same batches. Aims: the gene takes at most 1.7 times as long, and handing over the batches alone takes
//! less than 20 ns an event. Ten million events of 80 bytes take about 3 GB of memory, once for each of the two.

#[expect(unreachable_pub, reason = "the file is the gene's, where others reach it")]
#[path = "../guests/count_and_hash/src/totals.rs"]
mod totals;

use std::sync::Arc;
use std::time::Duration;

use gephost_core::gene::Capability;
use gephost_core::run_event::{EventType, FailureKind, Outcome, RunEvent};
use gephost_runner::sandbox::{Attempt, AttemptOutcome, Budgets, Gene, Granted, Inputs, RunLog, Sandbox};
use gephost_tests::measure::{argument, median, micros, time};
use gephost_tests::scene::Scene;
use gephost_tests::toolchains;
use jiff::Timestamp;
use totals::{Columns, Totals};

const RUNS: usize = 5;
const BATCH: usize = 4096;
const TOOLS: usize = 12;

fn main() {
    let events = argument("events").unwrap_or(1_000_000);
    let component = match toolchains::rust_gene("count-and-hash") {
        Ok(path) => std::fs::read(path).unwrap(),
        Err(missing) => return gephost_tests::skipped(&missing.to_string()),
    };
    let gene = Sandbox::new(None).unwrap().load(&component).unwrap();
    let scene = Scene::new("", &[("README.md", "empty\n")]);
    let inputs = Inputs { run_log: Arc::new(RunLog::new((0..events).map(event))), ..scene.stage(&[]).inputs };
    let native_log = NativeLog::new(events);
    let expected = title(&native_log.totals(), events);

    let native = median(RUNS, || time(|| native_log.totals()).0);
    let whole = median(RUNS, || ask(&gene, &inputs, "count", &expected));
    let nothing = title(&Totals::new(TOOLS), events);
    let crossing = median(RUNS, || ask(&gene, &inputs, "skip", &nothing));

    let each = |duration: Duration| micros(duration) * 1e3 / events as f64;
    println!("{events} events of 80 bytes, batches of {BATCH}, ns an event");
    println!("  native                           {:>7.1}", each(native));
    println!("  in a gene, end to end            {:>7.1}", each(whole));
    println!("  handing over the batches alone   {:>7.1}   aim: under 20", each(crossing));
    println!(
        "  a gene over native               {:>7.2}   aim: at most 1.7",
        whole.as_secs_f64() / native.as_secs_f64()
    );
}

/// One call of the gene. Its finding must have the totals of the native run.
fn ask(gene: &Gene, inputs: &Inputs, how: &str, expected: &str) -> Duration {
    let order = Attempt {
        gene: "bench".to_owned(),
        signals: Vec::new(),
        outcome: AttemptOutcome::Success,
        title: format!("{how} {BATCH}"),
        reason: String::new(),
        at: None,
    };
    let inputs = Inputs { history: [order].into(), ..inputs.clone() };
    let granted = Granted::new(&Capability::ALL, &Capability::ALL);
    let budgets =
        Budgets { wall: Duration::from_secs(600), fuel: u64::MAX, host_bytes: u64::MAX, ..Budgets::default() };
    let (took, call) = time(|| gene.diagnose(&inputs, &granted, &budgets));
    assert_eq!(call.result.unwrap()[0].title, expected);
    took
}

fn title(totals: &Totals, events: usize) -> String {
    format!("{events} events, {:016x}, {:?}", totals.hash, totals.failures)
}

/// Event `number`: the end of a tool's call, with a text of 80 bytes; one in 50 failed.
fn event(number: usize) -> RunEvent {
    let failed = failed(number);
    RunEvent {
        timestamp: Timestamp::from_microsecond(1_700_000_000_000_000 + number as i64).ok(),
        tool_name: Some(format!("tool-{}", tool(number)).into()),
        duration_ms: Some((number % 900) as f64),
        outcome: Some(if failed { Outcome::Failure } else { Outcome::Success }),
        kind: failed.then_some(FailureKind::ExitNonzero),
        flagged: failed,
        input: Some(input(number)),
        output: Some(output(number)),
        ..RunEvent::bare(format!("session-{}", number / 100_000).into(), EventType::ToolEnd)
    }
}

fn failed(number: usize) -> bool {
    number % 50 == 7
}

fn tool(number: usize) -> usize {
    // In order of their first event, as the host numbers them.
    number % TOOLS
}

fn input(number: usize) -> String {
    format!("{{\"command\":\"make part-{number:012}\"}}")
}

fn output(number: usize) -> String {
    format!("part-{number:012} is made, nothing to say about")
}

/// The columns that are counted, batch by batch.
struct NativeLog(Vec<Batch>);

#[derive(Default)]
struct Batch {
    outcome: Vec<u8>,
    tool: Vec<u32>,
    text_ends: Vec<u32>,
    heap: Vec<u8>,
}

impl NativeLog {
    fn new(events: usize) -> Self {
        let numbers: Vec<usize> = (0..events).collect();
        Self(numbers.chunks(BATCH).map(Batch::new).collect())
    }

    fn totals(&self) -> Totals {
        let mut totals = Totals::new(TOOLS);
        for Batch { outcome, tool, text_ends, heap } in &self.0 {
            totals.add(&Columns { outcome, tool, text_ends, heap });
        }
        totals
    }
}

impl Batch {
    fn new(numbers: &[usize]) -> Self {
        let mut batch = Self::default();
        for &number in numbers {
            batch.outcome.push(if failed(number) { 2 } else { 1 });
            batch.tool.push(u32::try_from(tool(number)).unwrap());
            for text in [input(number), output(number)] {
                batch.heap.extend_from_slice(text.as_bytes());
                batch.text_ends.push(u32::try_from(batch.heap.len()).unwrap());
            }
        }
        batch
    }
}
