use proptest::prelude::*;

use super::*;
use crate::run_event::{EventType, Outcome, RunEvent};

/// Reads a whole text as one file, and marks the starts without an end as unfinished.
pub(super) fn read(text: &[u8]) -> (Vec<RunEvent>, FileSummary) {
    read_with(&mut Shared::default(), text)
}

fn read_with(shared: &mut Shared, text: &[u8]) -> (Vec<RunEvent>, FileSummary) {
    let format = recognise(text).unwrap_or(&FORMATS[0]);
    let mut reader = FileReader::new(format, "log", text);
    let mut events = Vec::new();
    for chunk in text.chunks(1000) {
        reader.feed(chunk, shared, &mut |event| events.push(event));
    }
    let end = reader.finish(shared, &mut |event| events.push(event));
    for index in end.unfinished {
        events[usize::try_from(index).unwrap()].outcome = Some(Outcome::Unfinished);
    }
    (events, end.summary)
}

fn claude(kind: &str, uuid: &str, content: &str) -> String {
    format!(
        r#"{{"parentUuid":null,"sessionId":"s1","type":"{kind}","message":{{"role":"{kind}","content":{content}}},"uuid":"{uuid}","timestamp":"2026-01-10T21:24:2{}.5Z"}}"#,
        uuid.len() % 10
    )
}

fn call(id: &str, command: &str) -> String {
    claude(
        "assistant",
        &format!("start-{id}"),
        &format!(r#"[{{"type":"tool_use","id":"{id}","name":"Bash","input":{{"command":"{command}"}}}}]"#),
    )
}

fn result(id: &str, error: bool, text: &str) -> String {
    let content = format!(r#"[{{"type":"tool_result","tool_use_id":"{id}","is_error":{error},"content":"{text}"}}]"#);
    claude("user", &format!("the-end-{id}"), &content)
}

#[test]
fn claude_code_pairs_by_call_id() {
    let log = [
        claude("user", "u", r#""please fix""#),
        call("a", "make a"),
        call("b", "make b"),
        result("b", true, "Exit code 2\\nboom"),
        result("a", false, "fine"),
        call("c", "never"),
    ]
    .join("\n");
    let (events, summary) = read(log.as_bytes());
    let ends: Vec<_> = events.iter().filter(|event| event.event_type == EventType::ToolEnd).collect();
    assert_eq!(ends[0].input.as_deref(), Some("make b"));
    assert_eq!(ends[0].outcome, Some(Outcome::Failure));
    assert_eq!(ends[0].tool_name.as_deref(), Some("Bash"));
    assert_eq!(ends[0].duration_ms, Some(2000.0));
    assert_eq!(ends[1].outcome, Some(Outcome::Success));
    assert_eq!(events.last().unwrap().outcome, Some(Outcome::Unfinished));
    assert_eq!((summary.format, summary.flagged, summary.lines), ("claude-code", 1, 5));
    let outcomes = summary.outcomes;
    assert_eq!((outcomes.success, outcomes.failure, outcomes.unfinished), (1, 1, 1));
    assert_eq!(events[0].line, 1);
    assert_eq!(&*events[0].session_key, "s1");
}

#[test]
fn every_kind_of_bad_line_is_counted_and_none_is_fatal() {
    let mut log = claude("user", "u", r#""hi""#).into_bytes();
    for line in [
        &b"{broken"[..],
        b"\xff\xfe{}",
        br#"{"type":"later-type","sessionId":"s"}"#,
        b"",
        br#"{"type":"progress","data":{"x":1}}"#,
        b"[1,2]",
        br#"{"type":"user","message":{"content":7}}"#,
        claude("user", "u", r#""again""#).as_bytes(),
    ] {
        log.push(b'\n');
        log.extend_from_slice(line);
    }
    log.extend_from_slice(b"\n{\"type\":\"user\",\"mess");
    let (events, summary) = read(&log);
    assert_eq!(events.len(), 1);
    let by = |reason| summary.skipped_by_reason.get(&reason).copied().unwrap_or_default();
    assert_eq!(by(SkipReason::BrokenJson), 2);
    assert_eq!(by(SkipReason::InvalidUtf8), 1);
    assert_eq!(by(SkipReason::UnknownType), 2);
    assert_eq!(by(SkipReason::Duplicate), 1);
    assert_eq!(by(SkipReason::CutLastLine), 1);
    assert_eq!(summary.skipped, 7);
}

#[test]
fn texts_of_the_harness_are_not_the_persons() {
    let log = [
        claude("user", "u1", r#""<command-name>/exit</command-name>""#),
        claude("user", "u2", r#"[{"type":"text","text":"[Request interrupted by user]"}]"#),
        claude("user", "u3", r#""really me""#),
    ];
    let (events, _) = read(log.join("\n").as_bytes());
    let channels: Vec<_> = events.iter().map(|event| event.channel.as_deref()).collect();
    assert_eq!(channels, [Some("harness"), Some("harness"), None]);
}

#[test]
fn api_errors_and_blocking_hooks_are_exceptions() {
    let log = r#"{"sessionId":"s","uuid":"1","type":"system","subtype":"api_error","error":{"status":529}}
{"sessionId":"s","uuid":"2","type":"system","subtype":"stop_hook_summary","hookErrors":["stopped"]}
{"sessionId":"s","uuid":"3","type":"system","subtype":"stop_hook_summary","hookErrors":["Failed with non-blocking status code: x"]}
{"sessionId":"s","uuid":"4","type":"assistant","isApiErrorMessage":true,"message":{"content":[{"type":"text","text":"API Error: 500"}]}}"#;
    let (events, summary) = read(log.as_bytes());
    assert_eq!((summary.events.exception, summary.flagged), (3, 3));
    assert_eq!(events[0].output.as_deref(), Some(r#"{"status":529}"#));
}

fn codex(kind: &str, payload: &str) -> String {
    format!(
        r#"{{"timestamp":"2026-06-01T00:00:00.{}Z","type":"{kind}","payload":{payload}}}"#,
        100 + payload.len() % 800
    )
}

#[test]
fn codex_codes_stand_in_the_text() {
    let log = [
        codex("session_meta", r#"{"id":"s9","cwd":"/r"}"#),
        codex("event_msg", r#"{"type":"user_message","message":"do it"}"#),
        codex("response_item", r#"{"type":"message","role":"assistant","content":[]}"#),
        codex(
            "response_item",
            r#"{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"make\"}","call_id":"c1"}"#,
        ),
        codex(
            "response_item",
            r#"{"type":"function_call_output","call_id":"c1","output":"Chunk ID: 1\nWall time: 1.5 seconds\nProcess running with session ID 7\nOutput:\n"}"#,
        ),
        codex(
            "response_item",
            r#"{"type":"function_call","name":"write_stdin","arguments":"{\"session_id\":7}","call_id":"c2"}"#,
        ),
        codex(
            "response_item",
            r#"{"type":"function_call_output","call_id":"c2","output":"Chunk ID: 2\nWall time: 2.0 seconds\nProcess exited with code 2\nOutput:\nProcess exited with code 0"}"#,
        ),
        codex(
            "response_item",
            r#"{"type":"custom_tool_call","name":"apply_patch","input":"*** Begin","call_id":"c3"}"#,
        ),
        codex(
            "response_item",
            r#"{"type":"custom_tool_call_output","call_id":"c3","output":"apply_patch verification failed: x"}"#,
        ),
        codex(
            "response_item",
            r#"{"type":"local_shell_call","call_id":"c4","action":{"type":"exec","command":["bash","-lc","ls"]}}"#,
        ),
        codex(
            "response_item",
            r#"{"type":"function_call_output","call_id":"c4","output":"{\"output\":\"a\",\"metadata\":{\"exit_code\":0,\"duration_seconds\":0.5}}"}"#,
        ),
        codex("compacted", r#"{"replacement_history":[{"type":"function_call"}]}"#),
        codex("event_msg", r#"{"type":"turn_aborted","reason":"interrupted"}"#),
    ];
    let (events, summary) = read(log.join("\n").as_bytes());
    let outcomes: Vec<_> =
        events.iter().filter(|e| e.event_type == EventType::ToolEnd).map(|e| e.outcome.unwrap()).collect();
    assert_eq!(outcomes, [Outcome::Unfinished, Outcome::Failure, Outcome::Failure, Outcome::Success]);
    assert_eq!(summary.flagged, 3);
    assert_eq!(summary.events.exception, 1);
    let durations: Vec<_> = events.iter().filter_map(|event| event.duration_ms).collect();
    assert_eq!(durations[..2], [1500.0, 2000.0]);
    assert_eq!(durations.last(), Some(&500.0));
    assert!(events.iter().all(|event| &*event.session_key == "s9"));
    assert_eq!(summary.skipped, 0);
}

#[test]
fn a_script_of_codex_that_patches_and_runs_is_two_calls() {
    let script = r#"{"type":"custom_tool_call","name":"exec","call_id":"c1","input":"const p = \"*** Begin Patch\\n*** Update File: a.ts\\n*** End Patch\"; text(await tools.apply_patch(p)); const r = await tools.exec_command({cmd:\"npm test\"}); text(r.output);"}"#;
    let output = r#"{"type":"custom_tool_call_output","call_id":"c1","output":[{"type":"input_text","text":"Script completed\nWall time 1 seconds\nOutput:\n"},{"type":"input_text","text":"Tests: 1 failed, 2 total"}]}"#;
    let log = [codex("session_meta", r#"{"id":"s1"}"#), codex("response_item", script), codex("response_item", output)];
    let (events, _) = read(log.join("\n").as_bytes());
    let ends = events.iter().filter(|event| event.event_type == EventType::ToolEnd);
    let calls: Vec<_> = ends.map(|event| (event.tool_name.as_deref().unwrap(), event.outcome.unwrap())).collect();
    assert_eq!(calls, [("apply_patch", Outcome::Success), ("exec_command", Outcome::Failure)]);
}

#[test]
fn the_same_session_in_two_files_counts_once() {
    let log = [codex("session_meta", r#"{"id":"s9"}"#), codex("event_msg", r#"{"type":"user_message","message":"x"}"#)];
    let text = log.join("\n");
    let mut shared = Shared::default();
    assert_eq!(read_with(&mut shared, text.as_bytes()).0.len(), 1);
    let (events, summary) = read_with(&mut shared, text.as_bytes());
    assert!(events.is_empty());
    assert_eq!(summary.skipped_by_reason[&SkipReason::Duplicate], 1);
}

#[test]
fn own_events_read_back_as_they_were_written() {
    let (events, _) = read([call("a", "make"), result("a", true, "Exit code 2")].join("\n").as_bytes());
    let text: String = events.iter().map(|event| crate::run_event::to_disk_line(event, 500) + "\n").collect();
    let (back, summary) = read(text.as_bytes());
    assert_eq!(summary.format, "gephost");
    assert_eq!(back, events);
    assert_eq!((summary.flagged, summary.outcomes.failure), (1, 1));
}

#[test]
fn secrets_do_not_pass() {
    let secret = format!("{}{}", concat!("gh", "p_"), "aB3dE5gH7jK9mN1pQ3sT5vW7yZ9aB1cD3eF5");
    let log = [
        claude("user", "u", &format!("\"use {secret}\"")),
        call("a", &format!("curl -H {secret}")),
        result("a", true, &format!("{secret} refused")),
    ];
    let (events, _) = read(log.join("\n").as_bytes());
    assert_eq!(events.len(), 3);
    assert!(!format!("{events:?}").contains(&secret));
    assert!(
        events.iter().all(|event| { event.input.as_deref().unwrap_or_default().contains("[REDACTED:github_token:1]") })
    );
}

#[test]
fn long_outputs_are_clipped_by_what_they_are() {
    let output = "x".repeat(100_000);
    let log = [call("a", "make"), result("a", true, &output), call("b", "make"), result("b", false, &output)];
    let (events, _) = read(log.join("\n").as_bytes());
    let lengths: Vec<_> = events.iter().filter_map(|event| event.output.as_ref().map(String::len)).collect();
    assert!(lengths[0] > 16_000 && lengths[0] <= 16_384 && lengths[1] <= 1024, "{lengths:?}");
}

#[test]
fn formats_are_told_apart_by_content() {
    let name = |text: &str| recognise(text.as_bytes()).map(|format| format.name);
    assert_eq!(name(r#"{"type":"summary","summary":"x","leafUuid":"y"}"#), Some("claude-code"));
    assert_eq!(name("\u{feff}junk\n{\"parentUuid\":null,\"uuid\":\"x\",\"message\":{\"cut"), Some("claude-code"));
    assert_eq!(name(r#"{"timestamp":"x","type":"session_meta","payload":{"id":"#), Some("codex"));
    assert_eq!(name(r#"{"timestamp":null,"session_key":"a","event_type":"inbound_msg"}"#), Some("gephost"));
    assert_eq!(name(r#"{"type":"session.start","data":{},"id":"x","parentId":null}"#), Some("copilot-cli"));
    assert_eq!(name(r#"{"type":"session","version":3,"id":"x","cwd":"/"}"#), Some("pi"));
    assert_eq!(name(""), None);
    for format in FORMATS {
        assert!(std::ptr::eq(by_name(format.name).unwrap(), format));
    }
}

#[test]
fn a_file_of_starts_does_not_fill_the_memory() {
    let log: String = (0..10_000).map(|n| call(&format!("c{n}"), "x") + "\n").collect();
    let (events, summary) = read(log.as_bytes());
    assert_eq!(summary.outcomes.unfinished, 10_000);
    assert!(events.iter().all(|event| event.outcome == Some(Outcome::Unfinished)));
}

proptest! {
    #[test]
    fn no_bytes_make_a_reader_panic(text in proptest::collection::vec(any::<u8>(), 0..400), size in 1usize..90) {
        for format in FORMATS {
            let mut reader = FileReader::new(format, "log", &text);
            let mut shared = Shared::default();
            for chunk in text.chunks(size) {
                reader.feed(chunk, &mut shared, &mut |_| {});
            }
            let lines = memchr::memchr_iter(b'\n', &text).count() as u64;
            prop_assert_eq!(reader.finish(&mut shared, &mut |_| {}).summary.lines, lines);
        }
        let _ = recognise(&text);
    }

    #[test]
    fn a_line_cut_anywhere_is_no_panic(cut in 0usize..400) {
        for text in [call("a", "make \\\\\\\" ä"), codex("session_meta", r#"{"id":"é"}"#)] {
            let bytes = &text.as_bytes()[..cut.min(text.len())];
            let _ = read(bytes);
        }
    }
}

/// Tool, input, outcome and output of each end.
fn ends(log: &[String]) -> Vec<[String; 4]> {
    let (events, _) = read(log.join("\n").as_bytes());
    let of = |event: RunEvent| {
        let outcome = format!("{:?}", event.outcome.unwrap());
        [
            event.tool_name.unwrap().to_string(),
            event.input.unwrap_or_default(),
            outcome,
            event.output.unwrap_or_default(),
        ]
    };
    events.into_iter().filter(|event| event.event_type == EventType::ToolEnd).map(of).collect()
}

#[test]
fn what_reports_on_a_command_in_the_background_is_about_that_command() {
    const NOTICE: &str = r#""<task-notification>\n<task-id>b1</task-id>\n<status>failed</status>\n<summary>it failed with exit code 2</summary>\n</task-notification>""#;
    let started = result("a", false, "Command running in background with ID: b1. Output is being written to: /t");
    let notice = claude("user", "notice", NOTICE);
    let asks = r#"[{"type":"tool_use","id":"c","name":"TaskOutput","input":{"task_id":"b1"}}]"#;
    let asks = claude("assistant", "asks", asks);
    let report = |status: &str, code: u8| {
        let head =
            format!("<task_type>local_bash</task_type>\\n<status>{status}</status>\\n<exit_code>{code}</exit_code>");
        result("c", false, &format!("{head}\\n<output>\\nmake: no\\n</output>"))
    };
    let failure = ["Bash", "make a", "Failure", "make: no"].map(str::to_owned);
    let begun = [call("a", "make a"), started];
    // The notice alone, the notice and the report that the agent asks for at once, the report alone.
    let told = ends(&[begun.as_slice(), &[notice.clone(), call("d", "ls"), result("d", false, "x")]].concat());
    assert_eq!((told.len(), &told[1][..3], &*told[1][3]), (3, &failure[..3], "it failed with exit code 2"));
    let at_the_end = ends(&[begun.as_slice(), std::slice::from_ref(&notice)].concat());
    assert_eq!((at_the_end.len(), &at_the_end[1]), (2, &told[1]));
    for before in [begun.to_vec(), [begun.as_slice(), &[notice]].concat()] {
        let reported = ends(&[before.as_slice(), &[asks.clone(), report("failed", 2)]].concat());
        assert_eq!((reported.len(), &reported[1]), (2, &failure));
    }
    let fine = ends(&[begun.as_slice(), &[asks.clone(), report("completed", 0)]].concat());
    assert_eq!(fine[1][2], "Success");
    // Nothing is known of the task.
    let unknown = ends(&[asks, report("failed", 2)]);
    assert_eq!((&*unknown[0][0], &*unknown[0][2]), ("TaskOutput", "Failure"));
}

#[test]
fn the_file_of_a_command_in_the_background_is_judged_once() {
    const NOTICE: &str = r#""<task-notification>\n<task-id>b1</task-id>\n<status>failed</status>\n<summary>it failed with exit code 2</summary>\n</task-notification>""#;
    let begun = [call("a", "make a"), result("a", false, "Command running in background with ID: b1. Output: /t")];
    let notice = [claude("user", "notice", NOTICE)];
    let reads = |id: &str, output: &str| {
        let input = r#"{"file_path":"/t/tasks/b1.output"}"#;
        let block = format!(r#"[{{"type":"tool_use","id":"{id}","name":"Read","input":{input}}}]"#);
        [claude("assistant", &format!("reads {id}"), &block), result(id, false, output)]
    };
    let ended = "1\\tmake: no\\n2\\t\\n3\\t[exited with code 2]\\n";
    let failure = ["Bash", "make a", "Failure", "make: no"].map(str::to_owned);
    let outcomes = |log: &[&[String]]| {
        ends(&log.concat())[1..].iter().map(|end| (end[0].clone(), end[2].clone())).collect::<Vec<_>>()
    };
    let of = |tool: &str, outcome: &str| (tool.to_owned(), outcome.to_owned());
    assert_eq!(ends(&[&begun[..], &reads("c", ended)].concat())[1], failure);
    let (failed, read) = (of("Bash", "Failure"), of("Read", "Success"));
    // A notice before or behind it, and a second look, say nothing new.
    assert_eq!(outcomes(&[&begun, &notice, &reads("c", ended)]), std::slice::from_ref(&failed));
    assert_eq!(outcomes(&[&begun, &reads("c", ended), &notice, &reads("d", ended)]), [failed.clone(), read.clone()]);
    // Without the code, the file is only read, and the notice counts.
    assert_eq!(outcomes(&[&begun, &notice, &reads("c", "1\\tmake: no")]), [failed, read.clone()]);
    assert_eq!(outcomes(&[&begun, &reads("c", "1\\tmake: no")]), [read]);
}

#[test]
fn a_log_shows_that_what_writes_it_failed_once() {
    const TRACE: &str = r#"Traceback (most recent call last):\n  File \"a.py\", line 1, in f\nRuntimeError: no key\nmake: [m:2: a] Error 1 (ignored)\nwaiting"#;
    let by_harness = [call("a", "make a"), result("a", false, "Command running in background with ID: b1. Output: /t")];
    let by_shell = [call("a", "cd r && nohup make a > /tmp/a.log 2>&1 &"), result("a", false, "[1] 77")];
    let looks = |id: &str, line: &str, output: &str| [call(id, line), result(id, false, output)];
    let outcomes = |log: &[&[String]]| ends(&log.concat())[1..].iter().map(|end| end[2].clone()).collect::<Vec<_>>();
    for (begun, file) in [(&by_harness, "/t/tasks/b1.output"), (&by_shell, "/tmp/a.log")] {
        let (first, again) = (format!("sleep 9; cat {file}"), format!("tail -5 {file}"));
        let failed = ends(&[&begun[..], &looks("c", &first, TRACE)].concat());
        assert_eq!(failed[1][2], "Failure", "{file}");
        assert!(failed[1][1].contains("make a"), "{file}: it is the failure of the task");
        assert_eq!(
            outcomes(&[begun, &looks("c", &first, TRACE), &looks("d", &again, TRACE)]),
            ["Failure", "Success"],
            "{file}"
        );
        // It goes on and says nothing of the kind, or the file is another one.
        assert_eq!(outcomes(&[begun, &looks("c", &first, "Error: no answer yet, retrying")]), ["Success"], "{file}");
        assert_eq!(outcomes(&[begun, &looks("c", "cat /r/other.log", TRACE)]), ["Success"], "{file}");
    }
}

#[test]
fn a_poll_of_a_command_that_goes_on_is_no_failure() {
    let begun = [call("a", "make a"), result("a", false, "Command running in background with ID: b1.")];
    let asks =
        claude("assistant", "asks", r#"[{"type":"tool_use","id":"c","name":"BashOutput","input":{"bash_id":"b1"}}]"#);
    let poll = result("c", false, "<status>running</status>\\n<stdout>Error: no answer yet</stdout>");
    assert_eq!(ends(&[&begun[..], &[asks, poll]].concat())[1][2], "Success");
}

#[test]
fn a_reading_resumes_behind_a_command_that_goes_on_in_the_background() {
    let head =
        [call("a", "make a"), result("a", false, "Command running in background with ID: b1.")].join("\n") + "\n";
    let asks =
        claude("assistant", "asks", r#"[{"type":"tool_use","id":"c","name":"TaskOutput","input":{"task_id":"b1"}}]"#);
    let tail =
        [asks, result("c", false, "<status>failed</status><exit_code>2</exit_code><output>no</output>")].join("\n");
    let mut shared = Shared::default();
    let mut reader = FileReader::new(&FORMATS[0], "log", head.as_bytes());
    reader.feed(head.as_bytes(), &mut shared, &mut |_| {});
    let mark = reader.mark().unwrap();
    let line = |span: &Span| {
        let start = usize::try_from(span.start).unwrap();
        Some(head.as_bytes()[start..start + usize::try_from(span.length).unwrap()].to_vec())
    };
    let mut resumed = FileReader::resume(&FORMATS[0], "log", &mark, &shared, line).unwrap();
    let mut events = Vec::new();
    resumed.feed(tail.as_bytes(), &mut shared, &mut |event| events.push(event));
    resumed.finish(&mut shared, &mut |event| events.push(event));
    let end = events.last().unwrap();
    assert_eq!((end.tool_name.as_deref(), end.input.as_deref()), (Some("Bash"), Some("make a")));
}

#[test]
fn what_codex_refused_to_run_is_a_failure() {
    let ends = |output: &str| {
        let result = serde_json::json!({"type": "function_call_output", "call_id": "c1", "output": output});
        let log = [
            codex("session_meta", r#"{"id":"s9","cwd":"/r"}"#),
            codex(
                "response_item",
                r#"{"type":"function_call","name":"exec_command","arguments":"{\"cmd\":\"rm -rf a && make\"}","call_id":"c1"}"#,
            ),
            codex("response_item", &result.to_string()),
        ];
        let (events, _) = read(log.join("\n").as_bytes());
        events.iter().find(|event| event.event_type == EventType::ToolEnd).and_then(|event| event.outcome)
    };
    for (output, outcome) in [
        (
            "exec_command failed: CreateProcess { message: \"Rejected(\\\"`rm -rf a` rejected: rm -f style commands are not permitted\\\")\" }",
            Outcome::Failure,
        ),
        ("failed to parse function arguments: missing field `cmd` at line 1 column 2", Outcome::Failure),
        ("unsupported call: shell", Outcome::Failure),
        ("Process exited with code 0\nOutput:\nexec_command failed once", Outcome::Success),
        ("Process exited with code 0\nOutput:\nfine", Outcome::Success),
    ] {
        assert_eq!(ends(output), Some(outcome), "{output}");
    }
}

#[test]
fn what_openhands_did_not_run_is_a_failure_wherever_it_says_so() {
    let refusal = "[Your command \"yarn install\" is NOT executed. The previous command is still running - You CANNOT send new \
                   commands until the previous command is completed.]";
    let ends = |content: &str, code: i64, suffix: &str| {
        let history = serde_json::json!([
            {"id": 2, "source": "agent", "action": "run", "args": {"command": "yarn install"},
             "tool_call_metadata": {"function_name": "execute_bash", "tool_call_id": "t1"}},
            {"id": 3, "source": "agent", "cause": 2, "observation": "run", "content": content,
             "extras": {"command": "yarn install", "metadata": {"exit_code": code, "suffix": suffix}},
             "tool_call_metadata": {"function_name": "execute_bash", "tool_call_id": "t1"}},
        ]);
        let log =
            serde_json::json!({"instance_id": "i", "history": history, "metadata": {}, "metrics": {}}).to_string();
        let (events, _) = read(log.as_bytes());
        events.iter().find(|event| event.event_type == EventType::ToolEnd).and_then(|event| event.outcome)
    };
    assert_eq!(ends(refusal, -1, ""), Some(Outcome::Failure));
    assert_eq!(ends("[Below is the output of the previous command.]", -1, refusal), Some(Outcome::Failure));
    assert_eq!(ends("working\n[The command has no new output after 30 seconds.]", -1, ""), Some(Outcome::Unfinished));
    assert_eq!(ends(refusal, 0, ""), Some(Outcome::Success), "a file that quotes it was shown");
}

#[test]
fn a_call_that_the_agents_program_refused_is_a_failed_call() {
    let step = |said: &str| format!(r#"{{"step_id":2,"source":"agent","message":"{said}"}}"#);
    let log = |said: &str| {
        format!(
            r#"{{"schema_version":"ATIF-v1.6","session_id":"s","agent":{{"name":"a","version":"1"}},"steps":[{{"step_id":1,"source":"user","message":"go"}},{}]}}"#,
            step(said)
        )
    };
    for (said, tool) in [
        ("Missing required parameters for function 'execute_bash': {'security_risk'}", Some("execute_bash")),
        ("Parameter 'x' is not allowed for function 'finish'. Allowed parameters: {'message'}", Some("finish")),
        ("Function 'look' not found in available tools: ['finish']", Some("look")),
        ("Missing required parameters for function 'two words': {'a'}", None),
        ("I add the missing required parameters for function 'f': {'a'}", None),
        ("Function 'look' is too long", None),
    ] {
        let (events, _) = read(log(said).as_bytes());
        let end = events.iter().find(|event| event.event_type == EventType::ToolEnd);
        assert_eq!(end.and_then(|end| end.tool_name.as_deref()), tool, "{said}");
        assert!(end.is_none_or(|end| end.outcome == Some(Outcome::Failure)), "{said}");
    }
}
