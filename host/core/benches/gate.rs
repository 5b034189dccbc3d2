//! `cargo bench -p gephost-core --bench gate`: what the gate costs in process, on a realistic change of 500 lines of
//! diff.
//!
//! Times are medians of warm runs on one core; the first call, in which rules compile, is reported separately. Layers are told
//! apart by what the gate takes with and without them.

#![expect(clippy::disallowed_methods, reason = "a bench reads the clock")]
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a bench prints, and fails by panicking")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gephost_core::gate::{Base, BaseEntry, BlobState, Decision, FileMode, GeneHistory, ParsedChange, Verdict, review};
use gephost_core::patch::{Limits, emit, make, parse};
use gephost_core::path::RepoPath;
use gephost_core::policy::{Policy, PolicyTable, Treatment, ValidationTable};
use gephost_core::proposal::Proposal;

const RUNS: usize = 400;
const FILES: usize = 5;

/// A module of ordinary Python.
fn module(number: usize) -> String {
    let mut text = String::from("\"\"\"Reading of records.\"\"\"\n\nimport json\n\n");
    for function in 0..30 {
        let _ = write!(
            text,
            "\ndef read_{number}_{function}(path, limit=None):\n    \"\"\"Return the records of a file, newest first.\"\"\"\n    \
             records = []\n    for line in path.read_text().splitlines():\n        record = json.loads(line)\n        \
             if limit is not None and len(records) >= limit:\n            break\n        records.append(record)\n    \
             return sorted(records, key=lambda record: record[\"time\"], reverse=True)\n\n"
        );
    }
    text
}

/// The same module with every third function more careful.
fn edited(text: &str, number: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        let third = (0..30).step_by(3).any(|function| line.starts_with(&format!("def read_{number}_{function}(")));
        lines.push(line.to_owned());
        if third {
            lines.push("    if not path.exists():".to_owned());
            lines.push("        return []  # nothing was recorded yet".to_owned());
        }
    }
    lines.join("\n") + "\n"
}

fn state(text: &str) -> BlobState {
    BlobState { mode: FileMode::Regular, content: Arc::from(text.as_bytes()) }
}

fn scene() -> (String, Base) {
    let (mut diff, mut entries) = (String::new(), BTreeMap::new());
    for number in 0..FILES {
        let path = RepoPath::new(&format!("nanobot/reading/part_{number}.py")).unwrap();
        let before = module(number);
        let file = make(Some(&state(&before)), Some(&state(&edited(&before, number))), &path).unwrap();
        let text = emit(&gephost_core::patch::Patch { files: vec![file] });
        diff.push_str(&text);
        entries.extend(path.ancestors().map(|folder| (folder, BaseEntry::Directory)));
        entries.insert(path, BaseEntry::Blob(state(&before)));
    }
    (diff, Base { commit: "0".repeat(40), entries, case_collisions: Vec::new(), unsearched: 0 })
}

fn policy(patterns: Treatment) -> Policy {
    let table = PolicyTable {
        allow: vec!["nanobot/".to_owned()],
        patterns,
        weakened_tests: patterns,
        new_dependencies: patterns,
        ..PolicyTable::default()
    };
    Policy::from_tables(table, &ValidationTable::default(), &[]).unwrap()
}

fn median(run: impl Fn() -> Duration) -> Duration {
    let mut times: Vec<Duration> = (0..RUNS).map(|_| run()).collect();
    times.sort_unstable();
    times[RUNS / 2]
}

fn timed<T>(run: impl FnOnce() -> T) -> Duration {
    let begun = Instant::now();
    std::hint::black_box(run());
    begun.elapsed()
}

fn main() {
    let (diff, base) = scene();
    let (full, plain) = (policy(Treatment::Reject), policy(Treatment::Allow));
    let judge = |policy: &Policy| -> Verdict {
        review(&ParsedChange::read(Proposal::from_diff(&diff)), &base, policy, GeneHistory::default())
    };
    let first = timed(|| judge(&full));
    let verdict = judge(&full);
    let reasons: Vec<_> = verdict.reasons().map(|violation| &violation.message).collect();
    assert_eq!(verdict.decision(), Decision::Pass, "{reasons:?}");
    println!("{} lines, {} bytes of diff in {FILES} files", diff.lines().count(), diff.len());
    let line = |what: &str, time: Duration| println!("{what:<46} {:>9.1} µs", time.as_secs_f64() * 1e6);
    line("first call in the process", first);
    line("proposal, read and reviewed by all layers", median(|| timed(|| judge(&full))));
    line("  the same without patterns (layer 4)", median(|| timed(|| judge(&plain))));
    line("  the reader alone", median(|| timed(|| parse(&diff, &Limits::default()))));
    let candidate = ParsedChange::read(Proposal::from_diff(&diff));
    line("  review of what was read", median(|| timed(|| review(&candidate, &base, &full, GeneHistory::default()))));
    let patch = parse(&diff, &Limits::default()).unwrap();
    line("  the canonical diff alone", median(|| timed(|| emit(&patch))));
}
