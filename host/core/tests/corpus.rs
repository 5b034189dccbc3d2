//! The readers against real sessions: every Claude Code and Codex file of the shared corpus, whose numbers were
//! counted by another reader. The corpus stays outside the repository; without it the test says that it was skipped.

#![expect(clippy::disallowed_methods, reason = "a test reads its data")]
#![expect(clippy::unwrap_used, reason = "a test that cannot read its data fails")]

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use gephost_core::observe::{FileReader, FileSummary, Shared, recognise};
use gephost_core::outcome::{Call, judge};
use gephost_core::run_event::Outcome;
use serde_json::Value;

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

/// What requests used, added up from the files by another way than the readers': Claude Code's messages by their largest
/// numbers, Codex's by their last total, the others one by one.
#[test]
fn tokens_equal_sums_made_of_the_bare_json() {
    let Some(corpus) = corpus() else {
        return skip();
    };
    let mut checked = 0;
    for (folder, sum) in SUMS {
        for entry in fs::read_dir(corpus.join(folder)).unwrap() {
            let path = entry.unwrap().path();
            let text = fs::read_to_string(&path).unwrap();
            let documents: Vec<Value> =
                serde_json::Deserializer::from_str(&text).into_iter().filter_map(Result::ok).collect();
            let usage = summary(&path).usage;
            let found = [usage.input_tokens, usage.output_tokens, usage.cache_read_tokens, usage.cache_write_tokens];
            assert_eq!(found.map(Option::unwrap_or_default), sum(&documents), "{}", path.display());
            checked += 1;
        }
    }
    assert!(checked >= 30, "{checked}");
}

/// Input, output, read from a cache, put into one.
type Sum = fn(&[Value]) -> [u64; 4];

const SUMS: &[(&str, Sum)] = &[
    ("claude-code-entire", claude_code),
    ("claude-code-agentv", claude_code),
    ("codex-agentv", codex),
    ("gemini-cli-entire", gemini),
    ("pi-openclaw", pi),
    ("swe-agent", swe_agent),
    ("openhands", openhands),
];

fn number(value: &Value, key: &str) -> u64 {
    value[key].as_u64().unwrap_or(0)
}

fn total(numbers: impl Iterator<Item = [u64; 4]>) -> [u64; 4] {
    numbers.fold([0; 4], |sum, more| std::array::from_fn(|at| sum[at] + more[at]))
}

fn claude_code(lines: &[Value]) -> [u64; 4] {
    let mut messages: std::collections::BTreeMap<&str, [u64; 4]> = std::collections::BTreeMap::new();
    for line in lines.iter().filter(|line| line["type"] == "assistant") {
        let usage = &line["message"]["usage"];
        let told = ["input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens"]
            .map(|key| number(usage, key));
        let known = messages.entry(line["message"]["id"].as_str().unwrap()).or_default();
        *known = std::array::from_fn(|at| known[at].max(told[at]));
    }
    total(messages.into_values())
}

fn codex(lines: &[Value]) -> [u64; 4] {
    let last = lines.iter().rev().map(|line| &line["payload"]["info"]["total_token_usage"]).find(|it| it.is_object());
    let whole = |key| last.map_or(0, |usage| number(usage, key));
    let cached = whole("cached_input_tokens");
    [whole("input_tokens") - cached, whole("output_tokens"), cached, 0]
}

fn gemini(documents: &[Value]) -> [u64; 4] {
    total(documents[0]["messages"].as_array().unwrap().iter().map(|message| {
        let of = |key| number(&message["tokens"], key);
        [of("input") - of("cached") + of("tool"), of("output") + of("thoughts"), of("cached"), 0]
    }))
}

fn pi(lines: &[Value]) -> [u64; 4] {
    let keys = ["input", "output", "cacheRead", "cacheWrite"];
    total(lines.iter().map(|line| keys.map(|key| number(&line["message"]["usage"], key))))
}

fn swe_agent(documents: &[Value]) -> [u64; 4] {
    let stats = &documents[0]["info"]["model_stats"];
    [number(stats, "tokens_sent"), number(stats, "tokens_received"), 0, 0]
}

fn openhands(instances: &[Value]) -> [u64; 4] {
    total(instances.iter().map(|instance| {
        let usage = &instance["metrics"]["accumulated_token_usage"];
        let read = number(usage, "cache_read_tokens");
        [number(usage, "prompt_tokens") - read, number(usage, "completion_tokens"), read, 0]
    }))
}
