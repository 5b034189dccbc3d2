//! Every format against a log in it, written by hand in our own words: what is counted, what is judged, what is skipped;
//! and each of these logs cut, garbled and read as every other format.

#![expect(clippy::disallowed_methods, reason = "a test reads its data")]
#![expect(clippy::unwrap_used, reason = "a test that cannot read its data fails")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use gephost_core::observe::{FORMATS, FileReader, FileSummary, Format, Mark, Shared, Span, by_name, recognise};
use gephost_core::run_event::{EventType, FailureKind, Outcome, RunEvent};

fn logs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/logs")
}

fn read_as(format: &'static Format, name: &str, bytes: &[u8], chunk: usize) -> (Vec<RunEvent>, FileSummary) {
    let mut reader = FileReader::new(format, name, bytes);
    let (mut shared, mut events) = (Shared::default(), Vec::new());
    for part in bytes.chunks(chunk) {
        reader.feed(part, &mut shared, &mut |event| events.push(event));
    }
    let end = reader.finish(&mut shared, &mut |event| events.push(event));
    for index in end.unfinished {
        events[usize::try_from(index).unwrap()].outcome = Some(Outcome::Unfinished);
    }
    (events, end.summary)
}

fn read(name: &str) -> (Vec<RunEvent>, FileSummary) {
    let bytes = fs::read(logs().join(name)).unwrap();
    let format = recognise(&bytes).unwrap_or_else(|| panic!("{name}: no format"));
    let whole = read_as(format, name, &bytes, bytes.len());
    assert_eq!(whole, read_as(format, name, &bytes, 7), "{name}: chunks make no difference");
    whole
}

/// File, format; in, out, starts, ends, exceptions; flagged; success, failure, rejected, cascade, unfinished; skipped.
type Expected = (&'static str, &'static str, [u64; 5], u64, [u64; 5], u64);

const EXPECTED: &[Expected] = &[
    ("claude-code.jsonl", "claude-code", [1, 1, 5, 4, 2], 5, [0, 2, 1, 1, 1], 2),
    ("codex.jsonl", "codex", [1, 1, 4, 4, 1], 4, [1, 2, 0, 0, 1], 1),
    ("codex-code-mode.jsonl", "codex", [1, 1, 9, 8, 0], 4, [3, 5, 0, 0, 1], 0),
    ("claude-stream.jsonl", "claude-code", [0, 1, 4, 3, 1], 3, [1, 1, 1, 0, 1], 1),
    ("cursor-stream.jsonl", "claude-code", [1, 1, 4, 3, 0], 2, [1, 1, 1, 0, 1], 1),
    ("codex-exec.jsonl", "codex-exec", [0, 1, 6, 5, 1], 3, [3, 2, 0, 0, 1], 1),
    ("gemini-stream.jsonl", "gemini-stream", [1, 1, 4, 3, 1], 2, [1, 2, 0, 0, 1], 1),
    ("qwen-code.jsonl", "claude-code", [1, 2, 6, 5, 0], 2, [1, 3, 1, 0, 1], 0),
    ("gemini-checkpoint.json", "openai-chat", [1, 2, 4, 4, 0], 2, [1, 2, 1, 0, 0], 0),
    ("roo-native.json", "anthropic-messages", [1, 1, 6, 6, 0], 2, [1, 3, 1, 0, 1], 0),
    ("geneclaw.jsonl", "gephost", [1, 1, 1, 1, 1], 2, [0, 1, 0, 0, 0], 0),
    ("copilot-cli.jsonl", "copilot-cli", [1, 1, 4, 4, 1], 3, [1, 2, 1, 0, 0], 0),
    ("pi.jsonl", "pi", [1, 1, 5, 4, 2], 5, [1, 2, 1, 0, 1], 0),
    ("gemini-cli.json", "gemini-cli", [1, 1, 4, 3, 1], 3, [0, 2, 1, 0, 1], 0),
    ("gemini-cli.jsonl", "gemini-cli", [2, 2, 1, 1, 0], 0, [1, 0, 0, 0, 0], 0),
    ("nanobot.jsonl", "nanobot", [1, 1, 2, 2, 0], 0, [0, 2, 0, 0, 0], 1),
    ("opencode.json", "opencode", [1, 1, 5, 4, 1], 4, [1, 2, 1, 0, 1], 0),
    ("openhands.jsonl", "openhands", [1, 0, 3, 2, 1], 3, [0, 2, 0, 0, 1], 0),
    ("openhands-sdk.jsonl", "openhands", [1, 1, 6, 6, 1], 4, [1, 3, 1, 0, 1], 2),
    ("swe-agent.traj", "swe-agent", [0, 0, 5, 5, 1], 3, [2, 3, 0, 0, 0], 0),
    ("mini-swe-agent.traj.json", "mini-swe-agent", [1, 2, 2, 2, 1], 2, [1, 1, 0, 0, 0], 0),
    ("aider.chat.history.md", "aider", [1, 2, 5, 5, 1], 5, [1, 4, 0, 0, 0], 0),
    ("otlp.json", "otlp", [0, 0, 3, 3, 1], 3, [1, 2, 0, 0, 0], 1),
    ("langfuse.json", "langfuse", [0, 1, 3, 2, 1], 2, [1, 1, 0, 0, 1], 0),
    ("langfuse.jsonl", "langfuse", [0, 0, 1, 1, 0], 0, [1, 0, 0, 0, 0], 1),
    ("langsmith.jsonl", "langsmith", [0, 0, 3, 2, 1], 2, [1, 1, 0, 0, 1], 0),
    ("mcp.log", "mcp", [0, 0, 4, 4, 1], 3, [1, 3, 0, 0, 0], 1),
    ("openai-chat.json", "openai-chat", [1, 2, 4, 3, 0], 0, [1, 2, 0, 0, 1], 0),
    ("openai-chat.jsonl", "openai-chat", [1, 2, 4, 4, 0], 1, [1, 3, 0, 0, 0], 0),
    ("langchain.json", "langchain", [1, 2, 3, 2, 0], 1, [1, 1, 0, 0, 1], 0),
    ("autogen.json", "autogen", [1, 1, 3, 3, 0], 2, [1, 2, 0, 0, 0], 0),
    ("smolagents.json", "smolagents", [1, 2, 2, 2, 1], 2, [1, 1, 0, 0, 0], 0),
    ("openai-responses.json", "openai-responses", [0, 1, 7, 6, 0], 4, [2, 4, 0, 0, 1], 0),
    ("openai-responses.jsonl", "openai-responses", [1, 1, 2, 2, 0], 0, [1, 1, 0, 0, 0], 2),
    ("anthropic-messages.json", "anthropic-messages", [2, 3, 7, 6, 0], 4, [2, 3, 1, 0, 1], 0),
    ("goose.jsonl", "goose", [1, 2, 4, 3, 1], 2, [1, 2, 0, 0, 1], 0),
    ("codex-text.log", "codex-text", [1, 2, 6, 5, 1], 4, [3, 2, 0, 0, 1], 0),
    ("specstory.md", "specstory", [1, 2, 3, 3, 0], 0, [1, 2, 0, 0, 0], 0),
    ("amp.json", "anthropic-messages", [1, 1, 5, 4, 0], 1, [1, 2, 1, 0, 1], 0),
    ("ai-sdk.json", "openai-chat", [1, 2, 6, 5, 0], 1, [1, 3, 1, 0, 1], 0),
    ("goose-stream.jsonl", "goose", [0, 1, 1, 1, 0], 1, [0, 1, 0, 0, 0], 2),
    ("droid.jsonl", "droid", [2, 1, 4, 3, 0], 1, [1, 2, 0, 0, 1], 2),
    ("droid-stream.jsonl", "claude-code", [1, 1, 2, 2, 0], 1, [1, 1, 0, 0, 0], 0),
    ("atif.json", "atif", [2, 3, 10, 9, 0], 4, [4, 4, 0, 1, 1], 1),
];

#[test]
fn every_format_is_recognised_counted_and_judged() {
    let mut wrong = Vec::new();
    for &(name, format, events, flagged, outcomes, skipped) in EXPECTED {
        let (_, found) = read(name);
        let e = found.events;
        let o = found.outcomes;
        let got: Expected = (
            name,
            found.format,
            [e.inbound_msg, e.outbound_msg, e.tool_start, e.tool_end, e.exception],
            found.flagged,
            [o.success, o.failure, o.rejected, o.cascade, o.unfinished],
            found.skipped,
        );
        if got != (name, format, events, flagged, outcomes, skipped) {
            wrong.push(format!("{got:?}\n  expected {:?}", (format, events, flagged, outcomes, skipped)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_format_has_a_log_here() {
    for format in FORMATS {
        let structured = EXPECTED.iter().any(|expected| expected.1 == format.name);
        let plain = || PLAIN.iter().any(|expected| expected.1 == format.name);
        assert!(structured || plain(), "{}", format.name);
    }
}

/// The calls of a script of Codex are its commands, in the order in which they ended, with their own codes.
#[test]
fn each_command_of_a_script_is_a_call() {
    let call = |event: &RunEvent| (event.tool_name.clone().unwrap_or_default().to_string(), event.outcome);
    let (events, _) = read("codex-code-mode.jsonl");
    let ends: Vec<_> = events.iter().filter(|event| event.event_type == EventType::ToolEnd).collect();
    let inputs: Vec<&str> = ends.iter().filter_map(|event| event.input.as_deref()).collect();
    assert_eq!(inputs[..4], ["cargo test -p ours", "ls src", "npm run lint", "make all"]);
    assert_eq!(inputs[5], "*** Begin Patch\n*** Update File: a.ts\n*** Add File: b.ts\n*** End Patch");
    let (failed, fine) = (Some(Outcome::Failure), Some(Outcome::Success));
    let expected = [
        ("exec_command", failed),
        ("exec_command", fine),
        ("exec_command", failed),
        ("exec_command", failed),
        ("apply_patch", failed),
        ("apply_patch", fine),
        ("update_plan", fine),
        ("mcp__docs__find", failed),
    ];
    let expected: Vec<_> = expected.iter().map(|(tool, outcome)| ((*tool).to_owned(), *outcome)).collect();
    assert_eq!(ends.iter().map(|event| call(event)).collect::<Vec<_>>(), expected);
    assert_eq!(ends[0].duration_ms, Some(1500.0));
}

/// A log of scripts without events of their commands: what the scripts print says how they ended.
#[test]
fn a_script_without_events_tells_its_commands() {
    let text = fs::read_to_string(logs().join("codex-code-mode.jsonl")).unwrap();
    let kept: Vec<&str> = text.lines().filter(|line| !line.contains("item_completed")).collect();
    let bytes = kept.join("\n").into_bytes();
    let (events, _) = read_as(recognise(&bytes).unwrap(), "codex-code-mode.jsonl", &bytes, bytes.len());
    let failed = events.iter().filter(|event| event.outcome == Some(Outcome::Failure));
    let failed: Vec<_> =
        failed.filter_map(|event| event.input.as_deref()).map(|input| input.lines().next().unwrap()).collect();
    assert_eq!(failed[..2], ["cargo test -p ours", "npm run lint"], "{failed:?}");
    assert!(failed.iter().any(|input| input.contains("*** Begin Patch")), "{failed:?}");
}

/// The output of a call is what the agent saw, whichever member of the line has it.
#[test]
fn a_stream_without_times_tells_its_calls() {
    let failed = |name: &str| -> Vec<(String, String)> {
        let (events, _) = read(name);
        let failures = events.into_iter().filter(|event| event.outcome == Some(Outcome::Failure));
        failures
            .map(|event| (event.tool_name.unwrap_or_default().to_string(), event.output.unwrap_or_default()))
            .collect()
    };
    let pair = |tool: &str, output: &str| (tool.to_owned(), output.to_owned());
    assert_eq!(
        failed("cursor-stream.jsonl"),
        [pair("shell", "/r/a.js\n  3:1  error  'x' is not defined  no-undef\n")],
        "the user rejected the other one"
    );
    assert_eq!(
        failed("codex-exec.jsonl"),
        [pair("shell", "--- FAIL: TestOne (0.00s)\nFAIL\tour/pkg\t0.01s\nFAIL\n"), pair("look_up", "no such word: x"),]
    );
    let (events, _) = read("codex-exec.jsonl");
    let commands: Vec<_> = events.iter().filter(|event| event.event_type == EventType::ToolStart).collect();
    assert_eq!(commands[0].input.as_deref(), Some("go test ./..."));
    assert_eq!(commands[4].input.as_deref(), Some("go vet ./..."));
    let (events, _) = read("gemini-stream.jsonl");
    let said = events.iter().find(|event| event.event_type == EventType::OutboundMsg);
    assert_eq!(said.and_then(|event| event.input.as_deref()), Some("I run it now."));
}

/// Sessions, times, durations, ids and lines, of one call a format.
#[test]
fn details_of_one_call_each() {
    for (name, call_id, session, tool, kind, duration, time, line) in [
        (
            "claude-code.jsonl",
            "t1",
            "cc-1",
            "Bash",
            FailureKind::TestFailure,
            Some(2500.0),
            "2026-01-10T08:00:05.5Z",
            7,
        ),
        (
            "codex.jsonl",
            "c1",
            "cx-1",
            "exec_command",
            FailureKind::TestFailure,
            Some(1380.0),
            "2026-05-01T10:00:04Z",
            6,
        ),
        (
            "copilot-cli.jsonl",
            "k1",
            "gh-1",
            "bash",
            FailureKind::ExitNonzero,
            Some(1250.0),
            "2026-06-01T09:00:04.25Z",
            5,
        ),
        ("pi.jsonl", "q1", "pi-1", "exec", FailureKind::Other, Some(1000.0), "2026-03-01T12:00:03Z", 5),
        (
            "gemini-cli.json",
            "s1",
            "ge-1",
            "run_shell_command",
            FailureKind::FileNotFound,
            None,
            "2026-01-02T03:00:03Z",
            10,
        ),
        (
            "nanobot.jsonl",
            "n1",
            "telegram:77",
            "exec",
            FailureKind::ExitNonzero,
            Some(1000.0),
            "2026-02-01T09:00:03Z",
            4,
        ),
        ("opencode.json", "o1", "ses_1", "bash", FailureKind::ExitNonzero, Some(250.0), "2026-01-02T03:04:07.25Z", 5),
        (
            "openhands.jsonl",
            "h1",
            "our__repo-1",
            "execute_bash",
            FailureKind::ExitNonzero,
            Some(1500.0),
            "2025-04-30T16:32:56.5Z",
            1,
        ),
        (
            "openhands-sdk.jsonl",
            "s1",
            "our__repo-2",
            "terminal",
            FailureKind::TestFailure,
            Some(2500.0),
            "2026-02-03T10:00:04.5Z",
            1,
        ),
        ("swe-agent.traj", "step-3", "swe-agent", "python", FailureKind::Traceback, None, "", 6),
        (
            "mini-swe-agent.traj.json",
            "step-1",
            "mini-swe-agent",
            "bash",
            FailureKind::FileNotFound,
            Some(250.0),
            "2026-01-02T03:04:06.25Z",
            7,
        ),
        ("otlp.json", "o1", "chat-9", "search", FailureKind::Timeout, Some(250.0), "2026-01-02T03:04:05.25Z", 2),
        ("langfuse.json", "f1", "chat-1", "search", FailureKind::Network, Some(500.0), "2026-01-01T00:00:00.5Z", 2),
        ("langsmith.jsonl", "l2", "chat-5", "calc", FailureKind::Traceback, Some(250.0), "2026-01-01T00:00:01.25Z", 2),
        ("openai-chat.json", "h1", "20260301_090000_ab12cd", "terminal", FailureKind::TestFailure, None, "", 46),
        (
            "openai-chat.jsonl",
            "call-1",
            "openai-chat",
            "run_shell",
            FailureKind::FileNotFound,
            Some(500.0),
            "2026-03-02T09:00:02.5Z",
            4,
        ),
        ("langchain.json", "l1", "langchain", "calc", FailureKind::Other, None, "", 1),
        ("autogen.json", "g1", "autogen", "fetch", FailureKind::Network, Some(2000.0), "2026-03-03T10:00:03Z", 35),
        (
            "smolagents.json",
            "call_1",
            "smolagents",
            "python_interpreter",
            FailureKind::MissingModule,
            Some(2500.0),
            "2026-03-03T10:00:02.5Z",
            1,
        ),
        (
            "openai-responses.json",
            "r1",
            "resp_1",
            "local_shell",
            FailureKind::FileNotFound,
            Some(500.0),
            "2026-03-03T10:00:00Z",
            28,
        ),
        ("openai-responses.jsonl", "b1", "openai-responses#2", "look_up", FailureKind::Other, None, "", 2),
        (
            "anthropic-messages.json",
            "call-1",
            "anthropic-messages",
            "execute_command",
            FailureKind::ExitNonzero,
            Some(2000.0),
            "2026-03-05T08:40:03Z",
            1,
        ),
        (
            "goose.jsonl",
            "q1",
            "goose",
            "developer__shell",
            FailureKind::FileNotFound,
            Some(2000.0),
            "2026-03-05T08:56:43Z",
            4,
        ),
        ("codex-text.log", "call-1", "019fb491-aaaa", "exec", FailureKind::TestFailure, None, "", 21),
        ("specstory.md", "call-1", "5c7d5c23-aaaa", "Bash", FailureKind::TestFailure, None, "2026-03-06T08:00:03Z", 23),
        (
            "atif.json",
            "call_1_2",
            "our-trial",
            "bash_command",
            FailureKind::FileNotFound,
            None,
            "2026-03-04T08:00:04Z",
            68,
        ),
        ("mcp.log", "1-1", "mcp", "read_file", FailureKind::FileNotFound, Some(750.0), "2026-01-01T00:00:01.75Z", 6),
    ] {
        let (events, _) = read(name);
        let end =
            |event: &&RunEvent| event.event_type == EventType::ToolEnd && event.call_id.as_deref() == Some(call_id);
        let event = events.iter().find(end).unwrap_or_else(|| panic!("{name}: no end of {call_id}"));
        assert_eq!((&*event.session_key, event.tool_name.as_deref()), (session, Some(tool)), "{name}");
        assert_eq!((event.outcome, event.kind), (Some(Outcome::Failure), Some(kind)), "{name}");
        assert_eq!((event.duration_ms, event.timestamp, event.line), (duration, time.parse().ok(), line), "{name}");
    }
}

#[test]
fn a_rewind_leaves_what_the_agent_itself_would_load() {
    let (events, _) = read("gemini-cli.jsonl");
    let said: Vec<_> = events
        .iter()
        .filter(|event| event.event_type == EventType::InboundMsg)
        .map(|event| event.input.as_deref().unwrap())
        .collect();
    assert_eq!(said, ["one", "three"]);
}

/// File, format, outcome and kind of its one call.
const PLAIN: &[(&str, &str, Option<FailureKind>)] = &[
    ("pytest-fail.txt", "pytest", Some(FailureKind::TestFailure)),
    ("pytest-pass.txt", "pytest", None),
    ("unittest-fail.txt", "unittest", Some(FailureKind::TestFailure)),
    ("unittest-pass.txt", "unittest", None),
    ("cargo-fail.txt", "cargo", Some(FailureKind::TestFailure)),
    ("cargo-compile.txt", "cargo", Some(FailureKind::CompileLint)),
    ("cargo-pass.txt", "cargo", None),
    ("go-fail.txt", "go", Some(FailureKind::TestFailure)),
    ("go-pass.txt", "go", None),
    ("bun-fail.txt", "bun", Some(FailureKind::TestFailure)),
    ("bun-pass.txt", "bun", None),
    ("vitest-fail.txt", "vitest", Some(FailureKind::TestFailure)),
    ("vitest-pass.txt", "vitest", None),
    ("jest-fail.txt", "jest", Some(FailureKind::TestFailure)),
    ("jest-pass.txt", "jest", None),
    ("node-fail.txt", "node", Some(FailureKind::Traceback)),
    ("node-pass.txt", "node", None),
    ("tsc-fail.txt", "tsc", Some(FailureKind::CompileLint)),
    ("npm-fail.txt", "npm", Some(FailureKind::Other)),
    ("npm-pass.txt", "npm", None),
    ("git-fail.txt", "git", Some(FailureKind::Git)),
    ("git-pass.txt", "git", None),
    ("python-fail.txt", "python", Some(FailureKind::MissingModule)),
    ("lint-fail.txt", "lint", Some(FailureKind::CompileLint)),
    ("shell-fail.txt", "shell", Some(FailureKind::MissingCommand)),
];

#[test]
fn plain_output_is_one_call_of_its_tool() {
    let mut wrong = Vec::new();
    for &(name, format, kind) in PLAIN {
        let (events, summary) = read(&format!("plain/{name}"));
        let end = events.last().unwrap();
        let outcome = if kind.is_some() { Outcome::Failure } else { Outcome::Success };
        if (summary.format, events.len(), end.outcome, end.kind) != (format, 2, Some(outcome), kind) {
            wrong.push(format!("{name}: {} {:?} {:?}", summary.format, end.outcome, end.kind));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_cut_and_no_format_makes_a_reader_panic_or_invent() {
    for &(name, ..) in EXPECTED {
        let bytes = fs::read(logs().join(name)).unwrap();
        let format = recognise(&bytes).unwrap();
        let whole = read_as(format, name, &bytes, bytes.len()).1.events;
        for cut in (0..bytes.len()).step_by(61) {
            let part = read_as(format, name, &bytes[..cut], 100).1;
            assert!(part.events.tool_end <= whole.tool_end, "{name} cut at {cut}");
        }
        for other in FORMATS {
            let _ = read_as(other, name, &bytes, 1000);
        }
        for byte in [0u8, 0xff, b'"', b'{', b']'] {
            for at in (0..bytes.len()).step_by(97) {
                let mut garbled = bytes.clone();
                garbled[at] = byte;
                let _ = read_as(format, name, &garbled, 1000);
            }
        }
    }
}

#[test]
fn line_ends_and_marks_of_other_systems_change_nothing() {
    for &(name, ..) in EXPECTED {
        let text = String::from_utf8(fs::read(logs().join(name)).unwrap()).unwrap();
        let windows = format!("\u{feff}{}", text.replace('\n', "\r\n"));
        let format = recognise(windows.as_bytes()).unwrap_or_else(|| panic!("{name}"));
        let (events, summary) = read_as(format, name, windows.as_bytes(), 1000);
        let (wanted, before) = read(name);
        assert_eq!(
            (summary.format, summary.events, summary.outcomes),
            (before.format, before.events, before.outcomes),
            "{name}"
        );
        assert_eq!(events.len(), wanted.len());
    }
}

#[test]
fn a_format_can_be_said() {
    let text = b"nothing that anybody would recognise\n";
    assert!(recognise(text).is_none());
    let (_, summary) = read_as(by_name("claude-code").unwrap(), "x", text, 100);
    assert_eq!((summary.lines, summary.skipped), (1, 1));
    assert!(by_name("nosuch").is_none());
}

/// Without which event carries what was used: that may be told after the event was handed on (`usage.rs` has the sums).
fn uncharged(events: Vec<RunEvent>) -> Vec<RunEvent> {
    events.into_iter().map(|event| RunEvent { spent: None, ..event }).collect()
}

/// The events of a log that was first read while it had `cut` bytes, and then again from the mark that was left; `None`
/// where there was none.
fn read_in_two(name: &str, bytes: &[u8], cut: usize) -> Option<(Vec<RunEvent>, FileSummary)> {
    let format = recognise(bytes).unwrap();
    let mut events = Vec::new();
    let mut first = FileReader::new(format, name, bytes);
    let mut shared = Shared::default();
    first.feed(&bytes[..cut], &mut shared, &mut |event| events.push(event));
    let mark = serde_json::to_string(&first.mark()?).unwrap();
    let mark: Mark = serde_json::from_str(&mark).unwrap();
    // The end hands on the event that was held back; a line without its end is read again.
    first.finish(&mut Shared::default(), &mut |event| {
        events.extend((event.line <= mark.summary.lines).then_some(event));
    });
    let line = |span: &Span| {
        let start = usize::try_from(span.start).unwrap();
        Some(bytes[start..start + usize::try_from(span.length).unwrap()].to_vec())
    };
    let mut second = FileReader::resume(format, name, &mark, &shared, line).unwrap();
    second.feed(&bytes[usize::try_from(mark.offset).unwrap()..], &mut shared, &mut |event| events.push(event));
    let end = second.finish(&mut shared, &mut |event| events.push(event));
    Some((events, end.summary))
}

#[test]
fn a_log_that_grows_is_read_on_as_if_it_had_been_read_at_once() {
    let mut resumed = BTreeSet::new();
    for name in
        ["claude-code.jsonl", "codex.jsonl", "codex-code-mode.jsonl", "pi.jsonl", "nanobot.jsonl", "gemini-cli.jsonl"]
    {
        let bytes = fs::read(logs().join(name)).unwrap();
        let (whole, summary) = read(name);
        let mut whole = uncharged(whole);
        for event in &mut whole {
            if event.event_type == EventType::ToolStart {
                event.outcome = None;
            }
        }
        for cut in 0..=bytes.len() {
            let Some((events, numbers)) = read_in_two(name, &bytes, cut) else { continue };
            assert_eq!(numbers, summary, "{name} cut at {cut}");
            assert_eq!(uncharged(events), whole, "{name} cut at {cut}");
            resumed.insert(name);
        }
    }
    let expected = ["claude-code.jsonl", "codex.jsonl", "codex-code-mode.jsonl", "pi.jsonl"];
    assert_eq!(resumed, BTreeSet::from(expected), "the others are read anew");
}

#[test]
fn a_context_that_cannot_be_had_is_no_resuming() {
    let bytes = fs::read(logs().join("pi.jsonl")).unwrap();
    let format = recognise(&bytes).unwrap();
    let mut reader = FileReader::new(format, "pi", &bytes);
    reader.feed(&bytes, &mut Shared::default(), &mut |_| {});
    let mark = reader.mark().unwrap();
    assert!(!mark.context.is_empty(), "the header is needed");
    assert!(FileReader::resume(format, "pi", &mark, &Shared::default(), |_| None).is_none());
}

#[test]
fn structured_arguments_of_an_otlp_call_are_read_as_json() {
    let span = |arguments: &str| {
        format!(
            r#"{{"resourceSpans":[{{"scopeSpans":[{{"spans":[{{"name":"execute_tool t","attributes":[{{"key":"gen_ai.tool.call.arguments","value":{arguments}}}]}}]}}]}}]}}"#
        )
    };
    let input = |arguments: &str| {
        let (events, summary) = read_as(by_name("otlp").unwrap(), "x.json", span(arguments).as_bytes(), 1000);
        assert_eq!(summary.skipped, 0);
        events[0].input.clone().unwrap()
    };
    let list =
        r#"{"arrayValue":{"values":[{"intValue":"7"},{"boolValue":true},{"doubleValue":0.5},{"stringValue":"s"},{}]}}"#;
    assert_eq!(input(list), r#"[7,true,0.5,"s",null]"#);
    let map = |value: &str| format!(r#"{{"kvlistValue":{{"values":[{{"key":"command","value":{value}}}]}}}}"#);
    assert_eq!(input(&map(r#"{"stringValue":"make test"}"#)), "make test", "a command line stands for itself");
    assert_eq!(input(&map(&map(list))), r#"{"command":{"command":[7,true,0.5,"s",null]}}"#);
    // Deeper than anybody nests: the value is lost, and nothing else.
    let deep = [r#"{"arrayValue":{"values":["#.repeat(50_000), "]}}".repeat(50_000)].concat();
    assert_eq!(input(&deep), "");
}

/// `OpenHands` keeps one event a file; a call and its result are paired over the files of one folder.
#[test]
fn events_that_lie_one_a_file_are_read_as_one_session() {
    let histories = ["openhands.jsonl", "openhands-sdk.jsonl"];
    for name in histories {
        let text = fs::read_to_string(logs().join(name)).unwrap();
        let instance: serde_json::Value = serde_json::from_str(text.lines().next().unwrap()).unwrap();
        let (together, _) = read_as(by_name("openhands").unwrap(), name, text.lines().next().unwrap().as_bytes(), 64);
        let (mut shared, mut apart, mut unfinished) = (Shared::default(), Vec::new(), 0);
        for (number, event) in instance["history"].as_array().unwrap().iter().enumerate() {
            let (path, bytes) = (format!("/logs/chat-1/events/{number}.json"), event.to_string());
            let format = recognise(bytes.as_bytes()).unwrap_or_else(|| panic!("{name}: {bytes}"));
            let mut reader = FileReader::new(format, &path, bytes.as_bytes());
            reader.feed(bytes.as_bytes(), &mut shared, &mut |event: RunEvent| apart.push(event));
            unfinished += reader.finish(&mut shared, &mut |event| apart.push(event)).unfinished.len();
        }
        let shape = |event: &RunEvent| {
            let outcome = event.outcome.filter(|_| event.event_type == EventType::ToolEnd);
            (event.event_type, event.tool_name.clone(), event.call_id.clone(), event.kind, outcome, event.duration_ms)
        };
        // A call over ACP is told once more by each file that tells how far it is.
        let is_acp = |event: &&RunEvent| event.call_id.as_deref() == Some("s6");
        let shapes = |events: &[RunEvent]| events.iter().filter(|e| !is_acp(e)).map(shape).collect::<Vec<_>>();
        assert_eq!(shapes(&apart), shapes(&together), "{name}");
        assert!(apart.iter().all(|event| &*event.session_key == "chat-1"), "{name}");
        assert_eq!(unfinished, 0, "{name}: what is open may end in a file that comes later");
    }
}

#[test]
fn a_result_says_what_it_is_of_where_the_call_was_read_before() {
    let result = r#"{"id":"e1","timestamp":"2026-02-03T10:00:04","source":"environment","kind":"ObservationEvent","tool_name":"terminal","tool_call_id":"s1","observation":{"kind":"TerminalObservation","content":[{"type":"text","text":"x.py:1: no match"}],"is_error":false,"command":"grep nothing x.py","exit_code":1}}"#;
    let (events, summary) = read_as(recognise(result.as_bytes()).unwrap(), "c/events/1.json", result.as_bytes(), 9);
    assert_eq!((events.len(), summary.outcomes.success), (1, 1), "grep that finds nothing is no failure");
    assert_eq!((events[0].tool_name.as_deref(), events[0].call_id.as_deref()), (Some("terminal"), Some("s1")));
}

/// Documents with lists of messages, steps, inputs and outputs that are no conversation with an agent.
#[test]
fn other_documents_are_no_conversations() {
    for text in [
        r#"{"messages": {"hello": "Hello", "role": "Role"}}"#,
        r#"{"messages": [{"id": "hello", "message": "Hello", "type": "info"}]}"#,
        r#"{"messages": []}"#,
        r#"[{"type": "message", "user": "U1", "text": "hi", "ts": "1.2"}]"#,
        r#"[{"role": "admin", "content": "x"}]"#,
        r#"[{"role": "user", "name": "Ann"}]"#,
        r#"{"steps": [{"name": "build", "run": "make"}]}"#,
        r#"{"steps": [{"role": "user", "content": "x"}]}"#,
        r#"{"steps": [{"step_id": 1, "position": [0, 1]}], "schema_version": "1.0"}"#,
        r#"{"input": ["a"], "output": ["b"]}"#,
        r#"{"output": [{"type": "text", "value": 1}]}"#,
        r#"{"type": "function", "name": "f", "content": "x"}"#,
        r#"{"type": "object", "properties": {"role": {"type": "string"}, "content": {}}}"#,
        r#"{"role": "user"}"#,
        r#"{"working_dir": "/w", "description": "x"}"#,
        r#"{"task": "build", "deps": []}"#,
        r#"["role", "content"]"#,
        "[[]]",
        "OpenAI Codex v0.1 is out.\nRead about it.\n",
        "Notes.\n<!-- Generated by SpecStory -->\n",
        "_**User**_ said so.\n",
    ] {
        assert_eq!(recognise(text.as_bytes()).map(|format| format.name), None, "{text}");
    }
}

/// What no program writes into a message gives at most a skipped line.
#[test]
fn members_of_other_kinds_lose_their_message_and_no_other() {
    let deep = |open: &str, close: &str| [open.repeat(20_000), close.repeat(20_000)].concat();
    let good = r#"{"role":"user","content":"hello"}"#;
    let calls = format!(r#"{{"role":"assistant","tool_calls":[{}]}}"#, vec![r#"{"id":"x"}"#; 5000].join(","));
    for bad in [
        r#"{"role":7,"content":{}}"#,
        r#"{"role":"assistant","content":7,"tool_calls":"x","function_call":[]}"#,
        r#"{"role":"assistant","content":[[1],null,{"type":"tool_use"},{"type":"toolRequest","toolCall":3}]}"#,
        r#"{"role":"tool","content":[{"type":"tool-result","output":[1]},{"call_id":7}],"tool_call_id":{}}"#,
        r#"{"role":"tool"}"#,
        r#"{"type":"function_call"}"#,
        r#"{"type":"shell_call","action":{"commands":[1]}}"#,
        r#"{"type":"shell_call_output","output":[{"outcome":1}]}"#,
        r#"{"type":"ai","data":7}"#,
        r#"{"lc":1,"type":"constructor","id":7,"kwargs":[]}"#,
        r#"{"type":"CodeExecutionEvent","result":"x"}"#,
        r#"{"step_number":1,"tool_calls":[1],"error":7,"timing":[]}"#,
        &format!(r#"{{"role":"user","content":{}}}"#, deep("[", "]")),
        &format!(r#"{{"role":"assistant","tool_calls":{}}}"#, deep("[", "]")),
        &format!(r#"{{"type":"human","data":{}}}"#, deep(r#"{"a":"#, "}")),
        &calls,
    ] {
        for name in ["openai-chat", "anthropic-messages", "openai-responses", "langchain", "autogen", "goose"] {
            let text = format!("{good}\n{bad}\n{good}\n");
            let (events, summary) = read_as(by_name(name).unwrap(), "x", text.as_bytes(), 4096);
            let heard = events.iter().filter(|event| event.event_type == EventType::InboundMsg).count();
            assert!(
                heard >= 2 && summary.skipped <= 1,
                "{name}: {bad:.80}: {heard} heard, {} skipped",
                summary.skipped
            );
            assert!(events.len() < 4200, "{name}: {bad:.80}");
        }
    }
}

/// A log of requests tells the conversation again with each request.
#[test]
fn what_a_request_repeats_counts_once() {
    let call = r#"{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"ls","arguments":"{}"}}]}"#;
    let (ask, result) = (r#"{"role":"user","content":"look"}"#, r#"{"role":"tool","tool_call_id":"c1","content":"a"}"#);
    let requests = [vec![ask], vec![ask, call, result], vec![ask, call, result, ask]];
    let request = |list: &Vec<&str>| format!("{{\"messages\":[{}]}}\n", list.join(","));
    let text = requests.iter().map(request).collect::<Vec<_>>().concat();
    let (_, summary) = read_as(recognise(text.as_bytes()).unwrap(), "x.jsonl", text.as_bytes(), 50);
    assert_eq!((summary.events.inbound_msg, summary.events.tool_start, summary.events.tool_end), (2, 1, 1));
    // Of sessions with names, nothing is repeated.
    let named = |id: &str| format!("{{\"session_id\":\"{id}\",\"messages\":[{ask},{call},{result}]}}\n");
    let text = [named("a"), named("b")].concat();
    let (_, summary) = read_as(recognise(text.as_bytes()).unwrap(), "x.jsonl", text.as_bytes(), 50);
    assert_eq!((summary.events.inbound_msg, summary.events.tool_end, summary.skipped), (2, 2, 0));
}

/// Codex prints no empty line where an output has none at its end, and no end of a line between commands that begin at once.
#[test]
fn each_command_that_codex_prints_is_a_call() {
    let text = "OpenAI Codex v0.146.0\n--------\nworkdir: /w\nsession id: 019fb491-bbbb\n--------\nuser\nGo.\n\nexec\n\
                bash -lc 'cat list' in /w succeeded in 5ms:\none\nexec\ntwo is in the output\nexec\n\
                bash -lc 'ls none' in /w exited 2 in 6ms:\nls: none: No such file or directory\nexec\n\
                bash -lc 'cat a' in /w/libexec\nbash -lc 'cat b' in /wexec\nbash -lc 'cat c' in /w\n succeeded in 1ms:\nc\n";
    let format = recognise(text.as_bytes()).unwrap();
    let (events, summary) = read_as(format, "run.log", text.as_bytes(), 4096);
    let outputs: Vec<_> =
        events.iter().filter_map(|event| event.output.as_deref()).filter(|text| !text.is_empty()).collect();
    assert_eq!(outputs[..2], ["one\nexec\ntwo is in the output", "ls: none: No such file or directory"], "{events:#?}");
    assert_eq!((summary.events.tool_start, summary.outcomes.failure, summary.skipped), (5, 1, 0), "{events:#?}");
}

/// Of commands that began at once, the result behind the last one may be that of another one.
#[test]
fn a_result_behind_the_last_of_several_commands_names_none() {
    let head = "OpenAI Codex v0.146.0\n--------\nworkdir: /w\nsession id: 019fb491-dddd\n--------\nuser\nGo.\n\nexec\n";
    let inputs = |commands: &str| {
        let text = format!("{head}{commands}");
        let (events, summary) = read_as(recognise(text.as_bytes()).unwrap(), "run.log", text.as_bytes(), 4096);
        let ends = events.iter().filter(|event| event.event_type == EventType::ToolEnd);
        let inputs: Vec<_> = ends.map(|event| event.input.as_deref().map(str::to_owned)).collect();
        (inputs, summary.outcomes.failure, summary.outcomes.success)
    };
    let group = "zsh -lc 'rg a b' in /wexec\nzsh -lc 'sed -n 1p c' in /w exited 1 in 5ms:\nzsh:1: unmatched \"\n \
                 succeeded in 6ms:\none\n";
    assert_eq!(inputs(group), (vec![None, None], 1, 1));
    // The first command was left without a result.
    let one_by_one = "zsh -lc 'sleep 9' in /w\n\nexec\nzsh -lc 'ls c' in /w exited 2 in 5ms:\nls: c: No such file\n";
    let (inputs, failures, _) = inputs(one_by_one);
    assert_eq!((inputs.first(), failures), (Some(&Some("ls c".to_owned())), 1));
}

/// A failed result may tell which of the commands that ran at once it is of; the last one is of what is left.
#[test]
fn a_failure_of_several_commands_is_of_the_only_one_that_fits() {
    let head = "OpenAI Codex v0.146.0\n--------\nworkdir: /w\nsession id: 019fb491-eeee\n--------\nuser\nGo.\n\nexec\n";
    let ends = |commands: &str| {
        let text = format!("{head}{commands}");
        let (events, summary) = read_as(recognise(text.as_bytes()).unwrap(), "run.log", text.as_bytes(), 4096);
        let ends = events.iter().filter(|event| event.event_type == EventType::ToolEnd);
        let inputs: Vec<_> = ends.map(|event| event.input.as_deref().unwrap_or("?").to_owned()).collect();
        (inputs.join(" / "), summary.outcomes.failure, summary.outcomes.success, summary.outcomes.unfinished)
    };
    for (commands, expected) in [
        (
            "zsh -lc 'fd -HI x' in /wexec\nzsh -lc 'rg -n a .' in /w exited 127 in 5ms:\nzsh:1: command not found: fd\n \
             succeeded in 6ms:\none\n",
            ("fd -HI x / rg -n a .", 1, 1, 0),
        ),
        (
            "zsh -lc 'rg \"a|`\" c' in /wexec\nzsh -lc 'python - x' in /wexec\nzsh -lc 'ls d' in /w exited 1 in 5ms:\n\
             zsh:1: unmatched \"\n exited 127 in 5ms:\nzsh:1: command not found: python\n succeeded in 6ms:\nd\n",
            ("rg \"a|`\" c / python - x / ls d", 2, 1, 0),
        ),
        // The first result may be of each of them, so that the last one is of none for certain. Such results come last.
        (
            "zsh -lc 'cat a' in /wexec\nzsh -lc 'sed -n 1p b' in /wexec\nzsh -lc 'ls c' in /w succeeded in 5ms:\na\n exited 1 in \
             5ms:\nsed: b: No such file or directory\n succeeded in 6ms:\nc\n",
            ("sed -n 1p b / ? / ?", 1, 2, 0),
        ),
        // One of them has not ended.
        (
            "zsh -lc 'sleep 9' in /wexec\nzsh -lc 'nope' in /w exited 127 in 5ms:\nzsh:1: command not found: nope\n",
            ("nope", 1, 0, 1),
        ),
    ] {
        let (inputs, failed, worked, open) = ends(commands);
        assert_eq!((inputs.as_str(), failed, worked, open), expected, "{commands}");
    }
}

/// A script of several lines ends with the line that names the folder.
#[test]
fn a_script_that_codex_prints_is_one_call() {
    let text = "OpenAI Codex v0.120.0\n--------\nworkdir: /w\nsession id: 019fb491-cccc\n--------\nuser\nGo.\nexec\n\
                /bin/zsh -lc \"python - <<'PY'\nfor x in /tmp\nPY\" in /w\n exited 127 in 5ms:\nzsh:1: command not found: \
                python\nexec\n/bin/zsh -lc \"python - <<'PY'\nprint(1)\nPY\" in /w\n succeeded in 5ms:\n1\n";
    let format = recognise(text.as_bytes()).unwrap();
    let (events, summary) = read_as(format, "run.log", text.as_bytes(), 4096);
    assert_eq!(
        (summary.events.tool_start, summary.outcomes.failure, summary.outcomes.success),
        (2, 1, 1),
        "{events:#?}"
    );
    let inputs: Vec<_> = events
        .iter()
        .filter(|event| event.event_type == EventType::ToolEnd)
        .map(|event| event.input.as_deref())
        .collect();
    assert_eq!(inputs, [Some("python - <<'PY'\nfor x in /tmp\nPY"), Some("python - <<'PY'\nprint(1)\nPY")]);
}
