//! `cargo bench -p gephost-core --bench gate`: what the gate costs in process, on a realistic change of 500 lines of
//! diff, and on a change of test files, whose tests are compared one by one.
//!
//! Times are medians of warm runs on one core, and the least, which a busy machine changes little. The first call, in which
//! rules compile, is reported separately. Layers are told apart by what the gate takes with and without them.

#![expect(clippy::disallowed_methods, reason = "a bench reads the clock")]
#![expect(clippy::print_stdout, clippy::unwrap_used, reason = "a bench prints, and fails by panicking")]

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Arc;
use std::time::{Duration, Instant};

use gephost_core::gate::{Base, BaseEntry, BlobState, Decision, FileMode, GeneHistory, ParsedChange, Verdict, review};
use gephost_core::patch::{Limits, emit, make, parse};
use gephost_core::path::RepoPath;
use gephost_core::policy::{Policy, PolicyTable, TestTreatment, Treatment, ValidationTable};
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

/// A file of ordinary tests.
fn tests(number: usize) -> String {
    let mut text = format!(
        "\"\"\"Tests of reading.\"\"\"\n\nimport json\n\nimport pytest\n\nfrom nanobot.reading import part_{number}\n\n"
    );
    for test in 0..30 {
        let _ = write!(
            text,
            "\ndef test_read_{number}_{test}(tmp_path):\n    path = tmp_path / \"records.jsonl\"\n    records = [{{\"time\": time}} \
             for time in range({test})]\n    path.write_text(\"\\n\".join(json.dumps(record) for record in records))\n    \
             found = part_{number}.read_{number}_{test}(path)\n    assert len(found) == {test}\n    \
             assert found == sorted(records, key=lambda record: record[\"time\"], reverse=True)\n    \
             with pytest.raises(TypeError):\n        part_{number}.read_{number}_{test}()\n\n"
        );
    }
    text
}

/// The same file with one check more in every third test.
fn with_more_checks(text: &str, number: usize) -> String {
    let mut lines: Vec<String> = Vec::new();
    for line in text.lines() {
        lines.push(line.to_owned());
        if (0..30).step_by(3).any(|test| line == format!("    assert len(found) == {test}")) {
            lines.push("    assert all(\"time\" in record for record in found)".to_owned());
            lines.push(format!("    assert part_{number}.__doc__"));
        }
    }
    lines.join("\n") + "\n"
}

fn state(text: &str) -> BlobState {
    BlobState { mode: FileMode::Regular, content: Arc::from(text.as_bytes()) }
}

/// The diff of some files, and the base that they are in: the name of each, its text before and after.
fn scene(files: impl Iterator<Item = (String, String, String)>) -> (String, Base) {
    let (mut diff, mut entries) = (String::new(), BTreeMap::new());
    for (name, before, after) in files {
        let path = RepoPath::new(&name).unwrap();
        let file = make(Some(&state(&before)), Some(&state(&after)), &path).unwrap();
        let text = emit(&gephost_core::patch::Patch { files: vec![file] });
        diff.push_str(&text);
        entries.extend(path.ancestors().map(|folder| (folder, BaseEntry::Directory)));
        entries.insert(path, BaseEntry::Blob(state(&before)));
    }
    (diff, Base { commit: "0".repeat(40), entries, case_collisions: Vec::new(), unsearched: 0 })
}

fn policy(patterns: Treatment, weakened_tests: TestTreatment) -> Policy {
    let table = PolicyTable {
        allow: vec!["nanobot/".to_owned(), "tests/".to_owned()],
        patterns,
        weakened_tests,
        new_dependencies: patterns,
        ..PolicyTable::default()
    };
    Policy::from_tables(table, &ValidationTable::default(), &[]).unwrap()
}

/// The median of many runs, and the shortest.
fn typical(run: impl Fn() -> Duration) -> (Duration, Duration) {
    let mut times: Vec<Duration> = (0..RUNS).map(|_| run()).collect();
    times.sort_unstable();
    (times[RUNS / 2], times[0])
}

fn timed<T>(run: impl FnOnce() -> T) -> Duration {
    let begun = Instant::now();
    std::hint::black_box(run());
    begun.elapsed()
}

fn line(what: &str, (time, least): (Duration, Duration)) {
    let micros = |time: Duration| time.as_secs_f64() * 1e6;
    println!("{what:<46} {:>9.1} µs, least {:>9.1}", micros(time), micros(least));
}

fn measure(files: impl Iterator<Item = (String, String, String)>) {
    let (diff, base) = scene(files);
    let (full, plain) =
        (policy(Treatment::Reject, TestTreatment::RejectCertain), policy(Treatment::Allow, TestTreatment::Allow));
    let judge = |policy: &Policy| -> Verdict {
        review(&ParsedChange::read(Proposal::from_diff(&diff)), &base, policy, GeneHistory::default())
    };
    let first = timed(|| judge(&full));
    let verdict = judge(&full);
    let reasons: Vec<_> = verdict.reasons().map(|violation| &violation.message).collect();
    assert_eq!(verdict.decision(), Decision::Pass, "{reasons:?}");
    println!("{} lines, {} bytes of diff in {FILES} files", diff.lines().count(), diff.len());
    line("first call", (first, first));
    line("proposal, read and reviewed by all layers", typical(|| timed(|| judge(&full))));
    line("  the same without patterns (layer 4)", typical(|| timed(|| judge(&plain))));
    line("  the reader alone", typical(|| timed(|| parse(&diff, &Limits::default()))));
    let candidate = ParsedChange::read(Proposal::from_diff(&diff));
    line("  review of what was read", typical(|| timed(|| review(&candidate, &base, &full, GeneHistory::default()))));
    let patch = parse(&diff, &Limits::default()).unwrap();
    line("  the canonical diff alone", typical(|| timed(|| emit(&patch))));
}

fn main() {
    measure((0..FILES).map(|number| {
        let before = module(number);
        let after = edited(&before, number);
        (format!("nanobot/reading/part_{number}.py"), before, after)
    }));
    println!("tests");
    measure((0..FILES).map(|number| {
        let before = tests(number);
        let after = with_more_checks(&before, number);
        (format!("tests/test_part_{number}.py"), before, after)
    }));
}
