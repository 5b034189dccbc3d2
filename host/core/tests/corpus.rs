//! The readers against real sessions: every Claude Code and Codex file of the shared corpus, whose numbers were
//! counted by another reader. The corpus stays outside the repository; without it the test says that it was skipped.

#![expect(clippy::unwrap_used, reason = "a test that cannot read its data fails")]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use gephost_core::observe::{FileReader, FileSummary, Shared, recognise};
use gephost_core::outcome::{Call, judge};
use gephost_core::run_event::Outcome;
use serde_json::Value;

#[expect(clippy::disallowed_methods, reason = "a test may be told where its data is")]
fn corpus() -> Option<PathBuf> {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpus");
    let found = std::env::var_os("GEPHOST_CORPUS").map_or(beside, PathBuf::from);
    found.join("expected-counts.json").is_file().then_some(found)
}

/// A skipped test says so, past the test runner, which keeps what a passing test prints to itself.
fn skip() {
    std::io::stderr().write_all(b"skipped: no corpus\n").unwrap();
}

fn summary(path: &Path) -> FileSummary {
    let bytes = fs::read(path).unwrap();
    let format = recognise(&bytes).unwrap_or_else(|| panic!("{}: no format", path.display()));
    let mut reader = FileReader::new(format, &path.to_string_lossy(), &bytes);
    let mut shared = Shared::default();
    for chunk in bytes.chunks(100_000) {
        reader.feed(chunk, &mut shared, &mut |_| {});
    }
    reader.finish(&mut shared, &mut |_| {}).summary
}

#[test]
fn counts_equal_those_of_the_corpus() {
    let Some(corpus) = corpus() else {
        return skip();
    };
    let expected: Value = serde_json::from_slice(&fs::read(corpus.join("expected-counts.json")).unwrap()).unwrap();
    let mut files = 0;
    let mut wrong = Vec::new();
    for (name, wanted) in expected["files"].as_object().unwrap() {
        files += 1;
        let found = summary(&corpus.join(name));
        let mut check = |what: &str, got: u64, want: u64| {
            if got != want {
                wrong.push(format!("{name}: {got} {what}, expected {want}"));
            }
        };
        let events = serde_json::to_value(found.events).unwrap();
        for (kind, count) in events.as_object().unwrap() {
            check(kind, count.as_u64().unwrap(), wanted["events"][kind].as_u64().unwrap_or(0));
        }
        check("flagged", found.flagged, wanted["failures"].as_u64().unwrap());
        check("lines", found.lines, wanted["lines"].as_u64().unwrap());
        check("skipped", found.skipped, wanted["events"]["BAD"].as_u64().unwrap_or(0));
        let outcomes = found.outcomes;
        let calls = outcomes.success + outcomes.failure + outcomes.rejected + outcomes.cascade + outcomes.unfinished;
        check("outcomes of calls", calls, found.events.tool_start);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(files, 35);
}

/// The outputs under `test-logs`, each as the result of a command that fits it and lost its code in a pipe.
#[test]
fn plain_outputs_are_judged_by_what_they_say() {
    let Some(corpus) = corpus() else {
        return skip();
    };
    let mut judged = 0;
    for entry in fs::read_dir(corpus.join("test-logs")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let output = String::from_utf8_lossy(&fs::read(&path).unwrap()).into_owned();
        let (command, outcome) = match name.split('-').next().unwrap() {
            "pass" => ("mise run test && mise run lint", Outcome::Success),
            "trap" => ("linear issue view ENT-241 --json", Outcome::Success),
            "hidden" if name.contains("git") => {
                ("xxd .git/index | head; echo ---; git status 2>&1 | tail", Outcome::Failure)
            }
            "sed" => continue,
            _ => ("./check 2>&1 | tail -300", Outcome::Failure),
        };
        let call = Call { tool: "Bash", command: Some(command), output: &output, ..Call::default() };
        assert_eq!(judge(&call).outcome, outcome, "{name}");
        judged += 1;
    }
    assert!(judged >= 25, "{judged}");
}
