//! `gephost observe` and `diagnose` on real sessions, compared with counts that were made independently.
//!
//! The sessions are not part of this repository. They are in the folder that `GEPHOST_CORPUS` names, by default
//! `../shared/corpus`, together with `expected-counts.json` (`files`: path → `events`, `failures`, …).

use std::path::PathBuf;

use gephost_core::redact::Redactor;
use gephost_core::run_event::{EventType, Outcome, RunEvent, Usage};
use gephost_runner::observe::{Limits, LogPaths, observe};
use gephost_tests::environment::TestEnv;
use gephost_tests::project::TestProject;
use gephost_tests::{repository, skipped};
use serde_json::Value;

const KINDS: [&str; 5] = ["inbound_msg", "outbound_msg", "tool_start", "tool_end", "exception"];

/// The folder; if there is none, `None` and a line that says that a test is skipped.
pub(crate) fn corpus() -> Option<PathBuf> {
    let corpus =
        std::env::var_os("GEPHOST_CORPUS").map_or_else(|| repository().join("../shared/corpus"), PathBuf::from);
    if !corpus.join("expected-counts.json").is_file() {
        skipped(&format!("no corpus of real logs at {} (`GEPHOST_CORPUS` names one)", corpus.display()));
        return None;
    }
    Some(corpus)
}

#[test]
fn every_session_of_the_corpus_is_counted_as_expected() {
    let Some(corpus) = corpus() else { return };
    let text = std::fs::read_to_string(corpus.join("expected-counts.json")).unwrap();
    let expected: Value = serde_json::from_str(&text).unwrap();
    let expected: Vec<(&String, &Value)> = expected["files"].as_object().unwrap().iter().collect();
    assert!(!expected.is_empty());
    let mut arguments = vec!["observe", "--calls"];
    arguments.extend(expected.iter().map(|(path, _)| path.as_str()));
    let (document, code) = TestEnv::new().json(&corpus, &arguments);
    assert_eq!(code, 0);
    let files = document["files"].as_array().unwrap();
    assert_eq!(files.len(), expected.len());
    // The list of calls must have the same counts.
    let calls = document["calls"].as_array().unwrap();
    let sum = |name: &str| files.iter().map(|file| file["outcomes"][name].as_u64().unwrap()).sum::<u64>();
    for outcome in ["success", "failure", "rejected", "cascade", "unfinished"] {
        assert_eq!(calls.iter().filter(|call| call["outcome"] == outcome).count() as u64, sum(outcome), "{outcome}");
    }
    let mut wrong = Vec::new();
    for (path, expected) in expected {
        let file = files.iter().find(|file| file["path"] == path.as_str()).expect("paths are as spelled");
        let count = |value: &Value| value.as_u64().unwrap_or(0);
        for kind in KINDS {
            let (got, want) = (count(&file["events"][kind]), count(&expected["events"][kind]));
            if got != want {
                wrong.push(format!("{path}: {got} {kind}, expected {want}"));
            }
        }
        let (got, want) = (count(&file["flagged"]), count(&expected["failures"]));
        if got != want {
            wrong.push(format!("{path}: {got} flagged, expected {want}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A config that reports everything that the bundled genes find.
const ALL: &str = "[diagnose]\nmax_findings = 1000\nat_least = { tool_failure_rate = 1, failure_place = 1, loop = 1, \
                   edit_ping_pong = 1 }\n";
/// Kinds of findings that are about something else than the cause of failures.
const NO_CAUSES: [&str; 14] = [
    "latency",
    "latency_regression",
    "failure_trend",
    "loop",
    "edit_ping_pong",
    "failure_place",
    "cost_session",
    "cost_retries",
    "cost_failures",
    "cache_misses",
    "tool_failure_rate",
    "rare_errors",
    "resolved_errors",
    "unfinished_runs",
];

#[test]
fn the_findings_of_the_corpus_match_its_events() {
    let Some(corpus) = corpus() else { return };
    for folder in ["claude-code-entire", "claude-code-agentv", "codex-agentv"] {
        let env = TestEnv::new();
        let project = TestProject::without_git(&[("gephost.toml", ALL)]);
        let logs = corpus.join(folder);
        let diagnose = || env.json(project.root(), &["diagnose", "--log", logs.to_str().unwrap()]).0;
        let (document, again) = (diagnose(), diagnose());
        for same in ["findings", "signals"] {
            let [first, second] = [&document, &again].map(|document| document[same].to_string());
            assert!(first == second, "{folder}: two runs have other {same}");
        }
        assert_eq!(document["below_thresholds"], 0, "{folder}");
        let findings = document["findings"].as_array().unwrap();
        assert!(!findings.is_empty(), "{folder}");

        let observation =
            observe(&LogPaths::anywhere(vec![logs.clone()]), None, None, Limits::default(), Redactor::default(), None)
                .unwrap();
        let mut wrong = Vec::new();
        for finding in findings {
            check_evidence(finding, &observation.events, &mut wrong);
        }
        check_counts(findings, &observation.events, &mut wrong);
        assert!(wrong.is_empty(), "{folder}:\n{}", wrong.join("\n"));
    }
}

/// Every entry of evidence must refer to an event that contains its line and that fits the finding: a failure or, for
/// durations and repetitions, any call that ran.
fn check_evidence(finding: &Value, events: &[RunEvent], wrong: &mut Vec<String>) {
    let kind = finding["kind"].as_str().unwrap();
    let rests = finding["evidence"].as_array().unwrap();
    if rests.is_empty() {
        wrong.push(format!("{} rests on nothing", finding["title"]));
    }
    for evidence in rests {
        let at = usize::try_from(evidence["event"].as_u64().unwrap()).unwrap();
        let Some(event) = events.get(at).filter(|event| event.line > 0) else {
            wrong.push(format!("{}: there is no event {at}", finding["title"]));
            continue;
        };
        // Their lines are numbers, which no event has as a text.
        if matches!(kind, "cost_session" | "cache_misses" | "cost_failures") {
            let fits = if kind == "cost_failures" { is_failure(event) } else { event.spent.is_some() };
            if !fits {
                wrong.push(format!("{}: event {at} of line {} is no such one", finding["title"], event.line));
            }
            continue;
        }
        let allowed = match kind {
            "latency" | "latency_regression" | "edit_ping_pong" => event.outcome.is_some_and(is_carried_out),
            "unfinished_runs" => event.outcome == Some(Outcome::Unfinished),
            _ => is_failure(event),
        };
        if !allowed {
            wrong.push(format!("{}: event {at} of line {} is {:?}", finding["title"], event.line, event.outcome));
        }
        let line = evidence["line"].as_str().unwrap().trim_end_matches('…');
        // Where it is about durations, that of the call stands first.
        let line =
            if kind.starts_with("latency") { line.split_once(": ").map_or(line, |(_, line)| line) } else { line };
        let told = words(line);
        let same_call = |other: &&RunEvent| {
            other.call_id == event.call_id
                && other.session_key == event.session_key
                && other.tool_name == event.tool_name
        };
        let texts = events.iter().filter(same_call).flat_map(|event| event.input.iter().chain(&event.output));
        let is_said = texts.map(words).any(|text| text.contains(&told));
        // An edit without a text is named by its tool.
        if !is_said && event.tool_name.as_deref() != Some(told.as_str()) {
            wrong.push(format!("{}: event {at} does not say {told:?}", finding["title"]));
        }
    }
}

/// The numbers in the findings must match the events.
fn check_counts(findings: &[Value], events: &[RunEvent], wrong: &mut Vec<String>) {
    let failures = || events.iter().filter(|event| is_failure(event));
    let of_tool = |event: &&RunEvent, tool: &str| event.tool_name.as_deref() == Some(tool);
    let mut errors = 0;
    for finding in findings {
        let (title, kind) = (finding["title"].as_str().unwrap(), finding["kind"].as_str().unwrap());
        let occurrences = usize::try_from(finding["occurrences"].as_u64().unwrap()).unwrap();
        let counted = match kind {
            kind if !NO_CAUSES.contains(&kind) => {
                errors += occurrences;
                let explained = finding["scope"]["failures"].as_u64().unwrap();
                if explained != occurrences as u64 {
                    wrong.push(format!("{title}: {occurrences} times, and the host counts {explained}"));
                }
                continue;
            }
            "rare_errors" | "resolved_errors" => {
                errors += occurrences;
                continue;
            }
            "tool_failure_rate" => {
                let (tool, rest) = title.split_once(" failed in ").unwrap();
                let carried_out = |event: &&RunEvent| of_tool(event, tool) && event.outcome.is_some_and(is_carried_out);
                let calls = events.iter().filter(carried_out).count();
                if !rest.contains(&format!("of {calls} calls")) {
                    wrong.push(format!("{title}: there are {calls} calls"));
                }
                failures().filter(|event| of_tool(event, tool)).count()
            }
            "cost_session" => {
                let [used, all] = tokens_of_session(title.split(' ').nth(1).unwrap(), events);
                if !title.contains(&format!(" used {used} tokens")) {
                    wrong.push(format!("{title}: it used {used} ({all})"));
                }
                continue;
            }
            _ => continue,
        };
        if occurrences != counted {
            wrong.push(format!("{title}: {occurrences} times, and there are {counted}"));
        }
    }
    // Every failure has one cause, which has a finding or is counted among the errors that occurred once.
    if findings.iter().any(|finding| finding["kind"] == "rare_errors") && errors != failures().count() {
        wrong.push(format!("{errors} errors, and {} failures", failures().count()));
    }
}

/// All tokens of a session, as a title shows them and as a number.
fn tokens_of_session(session: &str, events: &[RunEvent]) -> [String; 2] {
    let of_session = events.iter().filter(|event| event.session_key.starts_with(session.trim_end_matches('…')));
    let sum = |usage: &Usage| {
        let parts = [usage.input_tokens, usage.output_tokens, usage.cache_read_tokens, usage.cache_write_tokens];
        parts.into_iter().flatten().sum::<u64>()
    };
    let all: u64 = of_session.filter_map(|event| event.spent.as_ref()).map(|spent| sum(&spent.usage)).sum();
    let tenths = (all + 50_000) / 100_000;
    let shown =
        if all < 1_000_000 { format!("{}k", (all + 500) / 1000) } else { format!("{}.{}M", tenths / 10, tenths % 10) };
    [shown, all.to_string()]
}

/// Whether an event is a failure. A call that the user rejected, a turn that the user stopped, and a failure that another
/// call caused are not.
fn is_failure(event: &RunEvent) -> bool {
    match event.event_type {
        EventType::ToolEnd => event.outcome == Some(Outcome::Failure),
        EventType::Exception => !event.output.as_deref().unwrap_or_default().starts_with("turn aborted"),
        _ => false,
    }
}

fn is_carried_out(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::Success | Outcome::Failure)
}

/// The text with every run of white space replaced by one space.
fn words(text: impl AsRef<str>) -> String {
    text.as_ref().split_whitespace().collect::<Vec<_>>().join(" ")
}
