//! What requests to a model used, as each format tells it: the logs of `tests/logs` hold it once, twice, as a running
//! total or beside sums that must not count, and the same must come out.

#![expect(clippy::disallowed_methods, reason = "a test reads its data")]
#![expect(clippy::unwrap_used, reason = "a test that cannot read its data fails")]

use std::fs;
use std::path::Path;

use gephost_core::observe::{FileReader, Shared, recognise};
use gephost_core::run_event::{EventType, RunEvent, Usage};

fn read(name: &str, chunk: usize) -> (Vec<RunEvent>, Usage) {
    let bytes = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/logs").join(name)).unwrap();
    let mut reader = FileReader::new(recognise(&bytes).unwrap(), name, &bytes);
    let (mut shared, mut events) = (Shared::default(), Vec::new());
    for part in bytes.chunks(chunk) {
        reader.feed(part, &mut shared, &mut |event| events.push(event));
    }
    let end = reader.finish(&mut shared, &mut |event| events.push(event));
    (events, end.summary.usage)
}

/// File; input, output, read from a cache, put into one; billionths of a dollar; events that carry some of it; the models.
type Expected = (&'static str, [Option<u64>; 4], Option<u64>, &'static [(EventType, &'static str)]);

const START: EventType = EventType::ToolStart;
const END: EventType = EventType::ToolEnd;
const OUT: EventType = EventType::OutboundMsg;
const THROWN: EventType = EventType::Exception;

const EXPECTED: &[Expected] = &[
    // Three lines of one message that repeat and grow, and two of a message that only calls.
    (
        "claude-code.jsonl",
        [Some(4), Some(60), Some(100), Some(110)],
        None,
        &[(OUT, "claude-our-1"), (START, "claude-our-1"), (START, "claude-our-1")],
    ),
    // A running total, told twice with the same numbers, after what it is about.
    ("codex.jsonl", [Some(300), Some(90), Some(2200), None], None, &[(END, "gpt-our-1"), (THROWN, "gpt-our-1")]),
    // Answers on the way, and everything at the end.
    (
        "copilot-cli.jsonl",
        [Some(200), Some(34), Some(300), Some(0)],
        None,
        &[(OUT, "gpt-our-2"), (THROWN, "gpt-our-2")],
    ),
    (
        "pi.jsonl",
        [Some(8), Some(200), Some(1684), Some(1704)],
        Some(10_439_000),
        &[(OUT, "claude-our-2"), (START, "claude-our-2")],
    ),
    ("gemini-cli.json", [Some(107), Some(17), Some(1100), None], None, &[(OUT, "gemini-our-1")]),
    // A message that another replaced, one that was taken back, and numbers that are none.
    ("gemini-cli.jsonl", [Some(100), Some(9), Some(u64::MAX), None], None, &[(OUT, ""), (OUT, "")]),
    ("opencode.json", [Some(70), Some(13), Some(70), Some(70)], Some(30_000_000), &[(OUT, "our-3")]),
    // A running total beside each answer's own, and the whole at the end.
    (
        "openhands.jsonl",
        [Some(300), Some(44), Some(200), Some(0)],
        Some(50_000_000),
        &[(START, "openai/our-4"), (START, "openai/our-4"), (START, "openai/our-4")],
    ),
    ("qwen-code.jsonl", [Some(60), Some(20), Some(40), None], None, &[(OUT, "our-coder")]),
    ("swe-agent.traj", [Some(52_861), Some(326), None, None], Some(538_390_000), &[(THROWN, "")]),
    // The money of the whole run stands before the answers, and theirs is part of it.
    (
        "mini-swe-agent.traj.json",
        [Some(300), Some(40), Some(600), None],
        Some(750_000_000),
        &[(EventType::InboundMsg, ""), (OUT, "our-5")],
    ),
    ("aider.chat.history.md", [Some(1200), Some(1104), Some(3000), None], Some(10_000_000), &[(OUT, "")]),
    // Old and new names; an agent's own span sums up those inside it; the last log record is Claude Code's.
    ("otlp.json", [Some(260), Some(27), Some(530), Some(4)], Some(12_500_000), &[(THROWN, "our-6"), (START, "our-7")]),
    ("langfuse.json", [Some(20), Some(30), Some(100), None], Some(2_500_000), &[(OUT, "our-8")]),
    ("langfuse.jsonl", [Some(5), Some(6), None, None], Some(1_000_000), &[(END, "our-9")]),
    // A chain sums up the runs inside it.
    ("langsmith.jsonl", [Some(120), Some(7), Some(60), None], Some(200_000), &[(THROWN, ""), (START, "our-10")]),
    ("openai-chat.json", [Some(20), Some(30), Some(100), None], None, &[(OUT, "")]),
    ("anthropic-messages.json", [Some(109), Some(22), Some(1), Some(0)], Some(1_000_000), &[(OUT, ""), (OUT, "")]),
    ("langchain.json", [Some(50), Some(9), None, None], None, &[(OUT, "")]),
    ("autogen.json", [Some(40), Some(8), None, None], None, &[(START, "")]),
    ("smolagents.json", [Some(100), Some(20), None, None], None, &[(OUT, "")]),
    ("atif.json", [Some(40), Some(10), Some(60), None], Some(10_000_000), &[(OUT, "some/model")]),
];

#[test]
fn every_format_tells_what_was_used_once() {
    let mut wrong = Vec::new();
    for &(name, [input, output, read_from, written], cost_nano_usd, carriers) in EXPECTED {
        let expected = Usage {
            input_tokens: input,
            output_tokens: output,
            cache_read_tokens: read_from,
            cache_write_tokens: written,
            cost_nano_usd,
        };
        let (events, total) = read(name, usize::MAX);
        let found: Vec<(EventType, &str)> = events
            .iter()
            .filter_map(|event| Some((event.event_type, event.spent.as_ref()?.model.as_deref().unwrap_or_default())))
            .collect();
        let mut sum = Usage::default();
        for spent in events.iter().filter_map(|event| event.spent.as_ref()) {
            sum.add(&spent.usage);
        }
        if total != expected || sum != total || found != carriers {
            wrong.push(format!("{name}: {total:?}\n  carried {sum:?}\n  by {found:?}"));
        }
        assert_eq!((events, total), read(name, 7), "{name}: chunks make no difference");
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// An answer that led to nothing in its file is an event, so that what it used is not lost; one of a session with events
/// is on the last of them.
#[test]
fn what_led_to_nothing_is_an_answer_without_text() {
    let span = |trace: &str, name: &str, operation: &str, tokens: u64| {
        serde_json::json!({
            "traceId": trace, "spanId": format!("{trace}{name}"), "name": name,
            "startTimeUnixNano": "1767323045000000000", "endTimeUnixNano": "1767323046000000000",
            "attributes": [
                {"key": "gen_ai.operation.name", "value": {"stringValue": operation}},
                {"key": "gen_ai.usage.output_tokens", "value": {"intValue": tokens.to_string()}},
            ],
        })
    };
    let spans = [
        span("t1", "a", "chat", 1),
        span("t2", "search", "execute_tool", 50),
        span("t2", "b", "chat", 2),
        span("t1", "c", "chat", 4),
    ];
    let text = serde_json::json!({"resourceSpans": [{"scopeSpans": [{"spans": spans}]}]}).to_string();
    let mut reader = FileReader::new(recognise(text.as_bytes()).unwrap(), "log", text.as_bytes());
    let (mut shared, mut events) = (Shared::default(), Vec::new());
    reader.feed(text.as_bytes(), &mut shared, &mut |event| events.push(event));
    reader.finish(&mut shared, &mut |event| events.push(event));
    let found: Vec<_> = events
        .iter()
        .map(|event| (event.event_type, &*event.session_key, event.spent.as_ref()?.usage.output_tokens).into())
        .collect::<Vec<Option<_>>>();
    assert_eq!(found, [None, Some((END, "t2", Some(2))), Some((OUT, "t1", Some(5)))]);
}

/// A reading that goes on knows what the one before it counted.
#[test]
fn a_log_that_grows_counts_nothing_twice_and_loses_nothing() {
    for name in ["claude-code.jsonl", "codex.jsonl", "pi.jsonl"] {
        let bytes = fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/logs").join(name)).unwrap();
        let format = recognise(&bytes).unwrap();
        let (_, whole) = read(name, usize::MAX);
        let ends: Vec<usize> =
            bytes.iter().enumerate().filter(|(_, byte)| **byte == b'\n').map(|(at, _)| at + 1).collect();
        let mut resumed = 0;
        for cut in ends {
            let (before, after) = bytes.split_at(cut);
            let mut shared = Shared::default();
            let mut sum = Usage::default();
            let mut add = |event: RunEvent| sum.add(&event.spent.map_or_else(Usage::default, |spent| spent.usage));
            let mut first = FileReader::new(format, name, before);
            first.feed(before, &mut shared, &mut add);
            let Some(mark) = first.mark() else { continue };
            first.finish(&mut shared, &mut add);
            let text = serde_json::to_string(&mark).unwrap();
            let mark = serde_json::from_str(&text).unwrap();
            let line = |span: &gephost_core::observe::Span| {
                let start = usize::try_from(span.start).unwrap();
                let line = bytes.get(start..start + usize::try_from(span.length).unwrap())?;
                Some(line.to_vec())
            };
            let mut second = FileReader::resume(format, name, &mark, &shared, line).unwrap();
            second.feed(after, &mut shared, &mut add);
            let end = second.finish(&mut shared, &mut add);
            assert_eq!((sum, end.summary.usage), (whole, whole), "{name} cut at {cut}");
            resumed += 1;
        }
        assert!(resumed > 5, "{name}: {resumed}");
    }
}
