//! The ways in which each format says how a call ended: a log of one call, in our own words, for each of them.

use super::tests::read;
use crate::run_event::Outcome::{self, Cascade, Failure, Rejected, Success, Unfinished};
use crate::run_event::RunEvent;

/// How the calls of a log ended.
fn endings(log: &str) -> Vec<Option<Outcome>> {
    let (events, _) = read(log.as_bytes());
    events.iter().filter(|event| event.outcome.is_some()).map(|event: &RunEvent| event.outcome).collect()
}

fn check(format: &str, log: impl Fn(&str) -> String, ways: &[(&str, Outcome)]) {
    let wrong: Vec<_> = ways.iter().filter(|(way, expected)| endings(&log(way)) != [Some(*expected)]).collect();
    let found: Vec<_> = wrong.iter().map(|(way, _)| endings(&log(way))).collect();
    assert!(wrong.is_empty(), "{format}: {wrong:#?}\n{found:?}");
}

#[test]
fn of_claude_code() {
    let log = |result: &str| {
        format!(
            r#"{{"parentUuid":null,"sessionId":"s","uuid":"a","type":"assistant","message":{{"role":"assistant","content":[{{"type":"tool_use","id":"c","name":"Bash","input":{{"command":"ls a | grep x"}}}}]}}}}
{{"parentUuid":"a","sessionId":"s","uuid":"b","type":"user","message":{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"c",{result}}}]}}}}"#
        )
    };
    check(
        "claude-code",
        log,
        &[
            (r#""content":"a""#, Success),
            (r#""is_error":true,"content":"Exit code 2\nls: a: No such file or directory""#, Failure),
            (
                r#""is_error":true,"content":"<tool_use_error>InputValidationError: command is missing</tool_use_error>""#,
                Failure,
            ),
            (
                r#""is_error":true,"content":"Working directory \"/w\" was deleted; shell cwd recovered to \"/\". Re-issue your command.""#,
                Failure,
            ),
            (r#""is_error":true,"content":"Permission to use Bash with command ls has been denied.""#, Failure),
            (r#""is_error":true,"content":"The user doesn't want to proceed with this tool use.""#, Rejected),
            (r#""is_error":true,"content":"[Request interrupted by user for tool use]""#, Rejected),
            (r#""is_error":true,"content":"[Tool use interrupted]""#, Rejected),
            (r#""is_error":true,"content":"<error>Command was aborted before completion</error>""#, Rejected),
            (r#""is_error":true,"content":"<tool_use_error>Sibling tool call errored</tool_use_error>""#, Cascade),
            (
                r#""is_error":true,"content":"<tool_use_error>Cancelled: parallel tool call Bash(x) errored</tool_use_error>""#,
                Cascade,
            ),
            (
                r#""is_error":true,"content":"<tool_use_error>Error: Streaming fallback - tool execution discarded</tool_use_error>""#,
                Cascade,
            ),
            (r#""is_error":true,"content":"[Tool result missing due to internal error]""#, Unfinished),
        ],
    );
}

#[test]
fn of_codex() {
    let log = |output: &str| {
        format!(
            r#"{{"timestamp":"2026-05-01T10:00:00.000Z","type":"session_meta","payload":{{"id":"x","cwd":"/r"}}}}
{{"timestamp":"2026-05-01T10:00:01.000Z","type":"response_item","payload":{{"type":"function_call","name":"exec_command","call_id":"c","arguments":"{{\"cmd\":\"make\"}}"}}}}
{{"timestamp":"2026-05-01T10:00:02.000Z","type":"response_item","payload":{{"type":"function_call_output","call_id":"c","output":{output}}}}}"#
        )
    };
    check(
        "codex",
        log,
        &[
            (r#""Chunk ID: 1\nWall time: 1.0 seconds\nProcess exited with code 0\nOutput:\nok""#, Success),
            (r#""Chunk ID: 1\nWall time: 1.0 seconds\nProcess exited with code 2\nOutput:\nno""#, Failure),
            (r#""Chunk ID: 1\nWall time: 1.0 seconds\nProcess running with session ID 7\nOutput:\n""#, Unfinished),
            (r#""Exit code: 2\nWall time: 1 seconds\nOutput:\nno""#, Failure),
            (r#""{\"output\":\"no\",\"metadata\":{\"exit_code\":2,\"duration_seconds\":0.1}}""#, Failure),
            (r#""failed to parse function arguments: missing field `cmd`""#, Failure),
            (r#""exec_command failed for `make`: No such file or directory (os error 2)""#, Failure),
            (
                r#""exec_command failed for `make`: CreateProcess { message: \"Rejected(\\\"rejected by user\\\")\" }""#,
                Rejected,
            ),
            (r#""exec command rejected by user""#, Rejected),
            (r#""aborted by user after 3.2s""#, Rejected),
            (r#""aborted""#, Rejected),
        ],
    );
}

#[test]
fn of_gemini_without_a_terminal() {
    let log = |result: &str| {
        format!(
            r#"{{"type":"init","session_id":"s","model":"m"}}
{{"type":"tool_use","tool_name":"run_shell_command","tool_id":"c","parameters":{{"command":"./run"}}}}
{{"type":"tool_result","tool_id":"c",{result}}}"#
        )
    };
    check(
        "gemini-stream",
        log,
        &[
            (r#""status":"success","output":"ok""#, Success),
            (r#""status":"success","output":"Command exited with code: 3""#, Failure),
            (r#""status":"success","output":"Command terminated by signal: SIGKILL""#, Failure),
            (r#""status":"error","output":"Command failed: no such shell""#, Failure),
            (
                r#""status":"error","output":"","error":{"type":"x","message":"Tool execution denied by policy."}"#,
                Failure,
            ),
            (r#""status":"success","output":"Command cancelled by user.""#, Rejected),
            (r#""status":"error","output":"[Operation Cancelled] Reason: x""#, Rejected),
        ],
    );
}

#[test]
fn of_gemini_cli() {
    let log = |call: &str| {
        format!(
            r#"{{"sessionId":"s","projectHash":"h"}}
{{"id":"m","type":"gemini","content":"","toolCalls":[{{"id":"c","name":"run_shell_command","args":{{"command":"./run"}},{call}}}]}}"#
        )
    };
    check(
        "gemini-cli",
        log,
        &[
            (
                r#""status":"success","result":[{"functionResponse":{"response":{"output":"Output: a\nProcess Group PGID: 7"}}}]"#,
                Success,
            ),
            (
                r#""status":"success","result":[{"functionResponse":{"response":{"output":"Output: a\nExit Code: 1\nProcess Group PGID: 7"}}}]"#,
                Failure,
            ),
            (
                r#""status":"success","result":[{"functionResponse":{"response":{"output":"Output: a\nSignal: SIGKILL"}}}]"#,
                Failure,
            ),
            (r#""status":"error","result":[{"functionResponse":{"response":{"error":"no such shell"}}}]"#, Failure),
            (
                r#""status":"success","result":[{"functionResponse":{"response":{"output":"Command was automatically cancelled because it exceeded the timeout of 5.0 minutes without output."}}}]"#,
                Failure,
            ),
            (
                r#""status":"success","result":[{"functionResponse":{"response":{"output":"Command was cancelled by user before it could complete. Below is the output before it was cancelled:\na"}}}]"#,
                Rejected,
            ),
            (
                r#""status":"cancelled","result":[{"functionResponse":{"response":{"error":"[Operation Cancelled] Reason: x"}}}]"#,
                Rejected,
            ),
            (r#""status":"executing""#, Unfinished),
        ],
    );
}

#[test]
fn of_copilot() {
    let log = |end: &str| {
        format!(
            r#"{{"type":"session.start","data":{{"sessionId":"s"}},"id":"a","parentId":null}}
{{"type":"tool.execution_start","data":{{"toolCallId":"c","toolName":"bash","arguments":{{"command":"make"}}}},"id":"b","parentId":"a"}}
{{"type":"tool.execution_complete","data":{{"toolCallId":"c",{end}}},"id":"d","parentId":"b"}}"#
        )
    };
    check(
        "copilot-cli",
        log,
        &[
            (r#""success":true,"result":{"content":"ok\n<shellId: 1 completed with exit code 0>"}"#, Success),
            (r#""success":true,"result":{"content":"no\n<shellId: 1 completed with exit code 2>"}"#, Failure),
            (r#""success":true,"result":{"content":"no\n<exited with exit code 2>"}"#, Failure),
            (r#""success":true,"result":{"content":"no\n<command with id: 1 exited with exit code 2>"}"#, Failure),
            (r#""success":false,"error":{"message":"Invalid session ID: 4","code":"failure"}"#, Failure),
            (
                r#""success":false,"error":{"message":"Permission to run this tool was denied due the following rules: x","code":"denied"}"#,
                Failure,
            ),
            (r#""success":false,"error":{"message":"Operation aborted by user","code":"failure"}"#, Rejected),
            (r#""success":false,"error":{"message":"No.","code":"rejected"}"#, Rejected),
            (
                r#""success":false,"error":{"message":"The tool call required approval from the user, but the user rejected it."}"#,
                Rejected,
            ),
            (
                r#""success":true,"result":{"content":"<command with sessionId: 1 is still running after 30 seconds. Use stop_bash to stop it.>"}"#,
                Unfinished,
            ),
        ],
    );
}

#[test]
fn of_cursor_opencode_and_pi() {
    let cursor = |result: &str| {
        format!(
            r#"{{"type":"system","subtype":"init","session_id":"s"}}
{{"type":"tool_call","subtype":"started","call_id":"c","tool_call":{{"shellToolCall":{{"args":{{"command":"make"}}}}}},"session_id":"s"}}
{{"type":"tool_call","subtype":"completed","call_id":"c","tool_call":{{"shellToolCall":{{"result":{{{result}}}}}}},"session_id":"s"}}"#
        )
    };
    check(
        "cursor",
        cursor,
        &[
            (r#""success":{"exitCode":0,"stdout":"ok"}"#, Success),
            (r#""failure":{"exitCode":2,"stderr":"no"}"#, Failure),
            (r#""error":{"errorMessage":"no such folder"}"#, Failure),
            (r#""permissionDenied":{"error":"not in the list"}"#, Failure),
            (r#""rejected":{"reason":"no"}"#, Rejected),
        ],
    );
    let opencode = |state: &str| {
        format!(
            r#"{{"info":{{"id":"ses","directory":"/r","time":{{"created":1}}}},"messages":[{{"info":{{"id":"m","role":"assistant"}},"parts":[{{"id":"p","type":"tool","tool":"bash","callID":"c","state":{{"input":{{"command":"make"}},{state}}}}}]}}]}}"#
        )
    };
    check(
        "opencode",
        opencode,
        &[
            (r#""status":"completed","output":"ok","metadata":{"exit":0}"#, Success),
            (r#""status":"completed","output":"no","metadata":{"exit":2}"#, Failure),
            (
                r#""status":"completed","output":"a\n\n<bash_metadata>\nbash tool terminated command after exceeding timeout 120000 ms\n</bash_metadata>","metadata":{"exit":null}"#,
                Failure,
            ),
            (
                r#""status":"error","error":"The user has specified a rule which prevents you from using this specific tool call.""#,
                Failure,
            ),
            (
                r#""status":"completed","output":"a\n\n<bash_metadata>\nUser aborted the command\n</bash_metadata>","metadata":{"exit":null}"#,
                Rejected,
            ),
            (r#""status":"error","error":"The user rejected permission to use this specific tool call.""#, Rejected),
            (r#""status":"error","error":"The user dismissed this question""#, Rejected),
            (r#""status":"error","error":"Tool execution aborted""#, Rejected),
            (r#""status":"running""#, Unfinished),
        ],
    );
    let pi = |result: &str| {
        format!(
            r#"{{"type":"session","version":3,"id":"s","timestamp":"2026-03-01T12:00:00.000Z","cwd":"/r"}}
{{"type":"message","id":"a","timestamp":"2026-03-01T12:00:01.000Z","message":{{"role":"assistant","content":[{{"type":"toolCall","id":"c","name":"bash","arguments":{{"command":"make"}}}}]}}}}
{{"type":"message","id":"b","timestamp":"2026-03-01T12:00:02.000Z","message":{{"role":"toolResult","toolCallId":"c",{result}}}}}"#
        )
    };
    check(
        "pi",
        pi,
        &[
            (r#""content":"ok","isError":false"#, Success),
            (r#""content":"no\n\nCommand exited with code 2","isError":true"#, Failure),
            (r#""content":"no","isError":false,"details":{"status":"error"}"#, Failure),
            (r#""content":"a\n\nCommand timed out after 10 seconds","isError":true"#, Failure),
            (r#""content":"a\n\nCommand aborted","isError":true"#, Rejected),
            (r#""content":"Operation aborted","isError":true"#, Rejected),
        ],
    );
}

#[test]
fn of_messages_and_trajectories() {
    let goose = |result: &str| {
        format!(
            r#"{{"working_dir":"/w","message_count":2}}
{{"id":"a","role":"assistant","created":1,"content":[{{"type":"toolRequest","id":"c","toolCall":{{"status":"success","value":{{"name":"developer__shell","arguments":{{"command":"make"}}}}}}}}]}}
{{"id":"b","role":"user","created":2,"content":[{{"type":"toolResponse","id":"c","toolResult":{{{result}}}}}]}}"#
        )
    };
    check(
        "goose",
        goose,
        &[
            (r#""status":"success","value":{"content":[{"type":"text","text":"ok"}],"isError":false}"#, Success),
            (r#""status":"success","value":{"content":[{"type":"text","text":"no"}],"isError":true}"#, Failure),
            (r#""status":"error","error":"-32602: no such tool""#, Failure),
            (
                r#""status":"success","value":{"content":[{"type":"text","text":"The user has declined to run this tool. DO NOT attempt to call this tool again."}],"isError":true}"#,
                Rejected,
            ),
        ],
    );
    let amp = |run: &str| {
        format!(
            r#"{{"v":1,"id":"T","messages":[{{"role":"assistant","content":[{{"type":"tool_use","id":"c","name":"Bash","input":{{"cmd":"make"}}}}]}},{{"role":"user","content":[{{"type":"tool_result","toolUseID":"c","run":{{{run}}}}}]}}]}}"#
        )
    };
    check(
        "amp",
        amp,
        &[
            (r#""status":"done","result":{"output":"ok","exitCode":0}"#, Success),
            (r#""status":"done","result":{"output":"no","exitCode":2}"#, Failure),
            (r#""status":"error","error":{"message":"no such tool"}"#, Failure),
            (r#""status":"cancelled","reason":"no""#, Rejected),
            (r#""status":"rejected-by-user""#, Rejected),
            (r#""status":"in-progress""#, Unfinished),
        ],
    );
    let atif = |result: &str| {
        format!(
            r#"{{"schema_version":"ATIF-v1.6","session_id":"s","steps":[{{"step_id":1,"source":"agent","message":"x","tool_calls":[{{"tool_call_id":"c","function_name":"shell","arguments":{{"command":"make"}}}}],"observation":{{"results":[{{"source_call_id":"c",{result}}}]}}}}]}}"#
        )
    };
    check(
        "atif",
        atif,
        &[
            (r#""content":"ok","extra":{"exit_code":0}"#, Success),
            (r#""content":"no","extra":{"exit_code":2}"#, Failure),
            (r#""content":"no","extra":{"status":"failed"}"#, Failure),
            (r#""content":"no","extra":{"tool_result_is_error":true}"#, Failure),
            (r#""content":"a","extra":{"status":"cancelled"}"#, Rejected),
        ],
    );
}
