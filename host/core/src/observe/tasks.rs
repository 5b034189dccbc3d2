//! Commands that go on in the background, and what reports on them later: a call of another tool (Claude Code's `TaskOutput`
//! and `BashOutput`, `OpenClaw`'s `process`), or a notice of the harness. A report is about the command, so it is judged as the
//! command's, and shown under its tool and its command line.

use std::collections::HashMap;
use std::sync::Arc;

use serde::Deserialize;

use super::span::Span;
use super::stated;
use crate::outcome::{log_shows_failure, logs, only_shows_files};
use crate::redact::Unnumbered;

/// Most tasks of a file that are remembered.
pub(super) const MAX_TASKS: usize = 64;
/// Tools that report on a task.
const REPORTERS: [&str; 4] = ["TaskOutput", "BashOutput", "AgentOutputTool", "process"];
/// The tool that reads the file of a task, and how that file is named and ends.
const READER: &str = "Read";
const FILE_END: &str = ".output";
const ENDED: &str = "[exited with code ";
/// What precedes the name of a task in the result of the call that started it.
const STARTED: [&str; 2] = ["Command running in background with ID: ", "Command still running (session "];
const MOVED: &str = " was moved to the background with ID: ";
/// Most bytes at the start or the end of a result that are searched for it.
const MAX_SEARCHED: usize = 400;

/// A command in the background.
#[derive(Debug, Clone)]
pub(super) struct Task {
    pub(super) tool: Arc<str>,
    pub(super) call_id: Option<Arc<str>>,
    /// Used only for judging, like that of an open call.
    pub(super) command: Option<String>,
    pub(super) shown_input: Unnumbered,
    /// The lines of the call and of its result, which later lines need.
    pub(super) spans: [Span; 2],
    /// Whether its failure has been reported.
    pub(super) reported: bool,
}

/// The logs that a command line writes in the background, and the part of the line that writes each.
pub(super) fn logs_in_background(line: &str) -> Vec<(String, String)> {
    if !line.contains('>') || !line.contains('&') {
        return Vec::new();
    }
    let written = logs(line).into_iter().filter(|log| log.in_background);
    written.map(|log| (log.path.to_owned(), log.command.to_owned())).collect()
}

/// The name of the task that a result says it started.
pub(super) fn started(output: &str) -> Option<&str> {
    let text = output.trim();
    let head = text.get(..text.floor_char_boundary(MAX_SEARCHED))?;
    let tail = text.get(text.ceil_char_boundary(text.len().saturating_sub(MAX_SEARCHED))..)?;
    let at_start = STARTED.iter().find_map(|start| head.strip_prefix(start));
    let moved = || head.split_once(MOVED).map(|(_, rest)| rest);
    // What the command printed so far may precede it.
    let at_end = || tail.rsplit_once("\nCommand still running (session ").map(|(_, rest)| rest);
    let rest = at_start.or_else(moved).or_else(at_end)?;
    let end = rest.find(|c: char| !(c.is_ascii_alphanumeric() || matches!(c, '-' | '_'))).unwrap_or(rest.len());
    rest.get(..end).filter(|name| !name.is_empty())
}

/// The name of the task that a call asks about, or whose file it reads. The input of a command is its line.
pub(super) fn asked(tool: &str, input: &str, is_command: bool) -> Option<String> {
    #[derive(Deserialize)]
    struct File {
        file_path: String,
    }
    #[derive(Deserialize)]
    struct Input {
        #[serde(alias = "bash_id", alias = "shell_id", alias = "sessionId", alias = "session_id", alias = "agentId")]
        task_id: String,
    }
    if is_command {
        return shown(input);
    }
    if tool == READER && input.contains(FILE_END) {
        let path = serde_json::from_str::<File>(input).ok()?.file_path;
        return task_of_file(&path).map(str::to_owned);
    }
    if !REPORTERS.contains(&tool) {
        return None;
    }
    serde_json::from_str::<Input>(input).ok().map(|input| input.task_id)
}

/// The task of a file by its name.
fn task_of_file(path: &str) -> Option<&str> {
    let (folder, name) = path.strip_suffix(FILE_END)?.rsplit_once(['/', '\\'])?;
    folder.ends_with("tasks").then_some(name)
}

/// The one task whose file a command line shows, if it does nothing else: `sleep 60; tail -5 /x/tasks/b1.output`.
fn shown(line: &str) -> Option<String> {
    if !line.contains(FILE_END) || !only_shows_files(line) {
        return None;
    }
    let is_end = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ';' | '|' | '&' | '<' | '>' | ')');
    let mut tasks = line.split(is_end).filter_map(task_of_file);
    let task = tasks.next()?;
    tasks.all(|other| other == task).then(|| task.to_owned())
}

/// The one known log that a call shows, if it does nothing else: `sleep 9; tail -5 /tmp/build.log`.
pub(super) fn shown_log(tool: &str, input: &str, is_command: bool, known: &HashMap<Arc<str>, Task>) -> Option<String> {
    let is_reader = tool == READER;
    if known.is_empty() || !is_command && !is_reader || is_command && !only_shows_files(input) {
        return None;
    }
    let names = |path: &str| {
        let mut rest = input;
        while let Some((before, after)) = rest.split_once(path) {
            let parts = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ';' | '|' | '&' | '<' | '>' | ')');
            if before.chars().next_back().is_some_and(parts) && after.chars().next().is_none_or(parts) {
                return true;
            }
            rest = after;
        }
        false
    };
    let mut shown = known.keys().filter(|name| names(name));
    let one = shown.next()?;
    shown.next().is_none().then(|| one.to_string())
}

/// What the log of a task that has not ended, as far as a call shows it, says of its failure. The lines may be numbered.
pub(super) fn failure_in_log(task: &Task, output: &str) -> Option<Report> {
    let command = task.command.as_deref().filter(|_| !task.reported)?;
    let lines: Vec<&str> = output.lines().map(|line| unnumbered(line).unwrap_or(line)).collect();
    let text = lines.join("\n");
    log_shows_failure(command, &text).then(|| Report {
        text: text.trim_end().to_owned(),
        code: None,
        failed: true,
        ended: true,
    })
}

/// A line of a file without the number that a reader puts in front of it.
fn unnumbered(line: &str) -> Option<&str> {
    let rest = line.trim_start();
    let said = rest.trim_start_matches(|c: char| c.is_ascii_digit());
    said.strip_prefix(['\t', '→']).filter(|_| said.len() < rest.len())
}

/// Whether a call that asks about a task does so by reading its file.
pub(super) fn reads_its_file(tool: &str, is_command: bool) -> bool {
    tool == READER || is_command
}

/// What a report says about its task.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Report {
    /// What the command printed.
    pub(super) text: String,
    pub(super) code: Option<i64>,
    pub(super) failed: bool,
    /// Whether the command has ended.
    pub(super) ended: bool,
}

/// What the file of a task reports: what the command printed, with numbers in front of the lines, and its code. `None` if the
/// command has not ended.
pub(super) fn report_of_file(output: &str) -> Option<Report> {
    if !output.contains(ENDED) {
        return None;
    }
    let mut lines: Vec<&str> = output.lines().map_while(unnumbered).collect();
    while lines.last().is_some_and(|line| line.trim().is_empty()) {
        lines.pop();
    }
    let code = code_of(lines.pop()?)?;
    Some(ended(&lines.join("\n"), code))
}

/// What the file of a task reports that a command showed, with or without other output behind it.
pub(super) fn report_of_shown_file(output: &str) -> Option<Report> {
    let mut at = 0;
    for line in output.split_inclusive('\n') {
        if let Some(code) = code_of(line.trim_end()) {
            return Some(ended(output.get(..at)?, code));
        }
        at += line.len();
    }
    None
}

/// The code in the last line of the file of a task: `[exited with code 1]`.
fn code_of(line: &str) -> Option<i64> {
    line.strip_prefix(ENDED)?.strip_suffix(']')?.parse().ok()
}

fn ended(text: &str, code: i64) -> Report {
    Report { text: text.trim_end().to_owned(), code: Some(code), failed: false, ended: true }
}

/// What a result of one of these tools reports; `None` if it is about no command.
pub(super) fn report(tool: &str, output: &str) -> Option<Report> {
    if !REPORTERS.contains(&tool) {
        return None;
    }
    if tool == "process" {
        let code = stated::exit_code(output)?;
        let text = output.trim_end().rsplit_once('\n').map_or("", |(text, _)| text).trim_end().to_owned();
        return Some(Report { text, code: Some(code), failed: false, ended: true });
    }
    let head = output.split("<output>").next().unwrap_or_default();
    let status = inner(head, "status")?;
    if inner(head, "task_type").is_some_and(|kind| kind != "local_bash") {
        return None;
    }
    let texts = ["output", "stdout", "stderr"].iter().filter_map(|tag| inner(output, tag));
    let text = texts.map(|text| text.trim_matches('\n')).filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n");
    let code = inner(head, "exit_code").and_then(|code| code.trim().parse().ok());
    let (failed, ended) = (status == "failed", status != "running");
    Some(Report { text, code, failed: failed && code.is_none_or(|code| code == 0), ended })
}

/// What a tag holds. The text between the first opening and the last closing one may have such tags itself.
fn inner<'t>(text: &'t str, tag: &str) -> Option<&'t str> {
    let (_, rest) = text.split_once(&format!("<{tag}>"))?;
    rest.rsplit_once(&format!("</{tag}>")).map(|(inner, _)| inner)
}

/// A notice of the harness that a task has ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Notice<'t> {
    pub(super) task: &'t str,
    pub(super) failed: bool,
    /// What it says in words.
    pub(super) said: &'t str,
}

/// The notice in a text of Claude Code.
pub(super) fn notice(text: &str) -> Option<Notice<'_>> {
    let text = text.trim_start().strip_prefix("<task-notification>")?;
    let task = inner(text, "task-id")?.trim();
    let failed = inner(text, "status")?.trim() == "failed";
    Some(Notice { task, failed, said: inner(text, "summary").unwrap_or_default().trim() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_names_the_task_that_it_started() {
        for (output, expected) in [
            ("Command running in background with ID: b48ae3f. Output is being written to: /t", Some("b48ae3f")),
            ("Command did not end within 2m and was moved to the background with ID: ab_1.", Some("ab_1")),
            ("Command still running (session mild-fjord, pid 7). Use process", Some("mild-fjord")),
            ("a line\n\nCommand still running (session mild-fjord, pid 7). Use process", Some("mild-fjord")),
            ("the log says: Command running in background with ID: x", None),
            ("Command running in background with ID: ", None),
            ("", None),
        ] {
            assert_eq!(started(output), expected, "{output}");
        }
    }

    #[test]
    fn a_call_names_the_task_that_it_asks_about() {
        for (tool, input, expected) in [
            ("TaskOutput", r#"{"task_id":"b1","block":true}"#, Some("b1")),
            ("BashOutput", r#"{"bash_id":"b1"}"#, Some("b1")),
            ("process", r#"{"sessionId":"mild-fjord","action":"poll"}"#, Some("mild-fjord")),
            ("process", r#"{"action":"list"}"#, None),
            ("Read", r#"{"task_id":"b1"}"#, None),
            ("Read", r#"{"file_path":"/tmp/x/tasks/b1.output"}"#, Some("b1")),
            ("Read", r#"{"file_path":"C:\\x\\tasks\\b1.output"}"#, Some("b1")),
            ("Read", r#"{"file_path":"/tmp/x/b1.output"}"#, None),
            ("Read", r#"{"file_path":"/tmp/x/tasks/b1.txt"}"#, None),
            ("TaskOutput", "", None),
        ] {
            assert_eq!(asked(tool, input, false).as_deref(), expected, "{tool} {input}");
        }
        for (line, expected) in [
            ("cat /tmp/x/tasks/b1.output", Some("b1")),
            ("cd /r && sleep 60; tail -5 \"/tmp/x/tasks/b1.output\" | grep -v warn", Some("b1")),
            ("cat /tmp/x/tasks/b1.output; echo ==; tail -1 /tmp/x/tasks/b1.output", Some("b1")),
            ("cat /tmp/x/tasks/b1.output /tmp/x/tasks/b2.output", None),
            ("make > /tmp/x/tasks/b1.output; cat /tmp/x/tasks/b1.output", None),
            ("ls /tmp/x/tasks/b1.output", None),
            ("cat /tmp/x/b1.output", None),
        ] {
            assert_eq!(asked("Bash", line, true).as_deref(), expected, "{line}");
        }
    }

    #[test]
    fn a_report_says_how_the_command_ended() {
        let of =
            |tool: &str, output: &str| report(tool, output).map(|said| (said.text, said.code, said.failed, said.ended));
        let tagged = |status: &str, code: &str| {
            format!("<task_type>local_bash</task_type>\n<status>{status}</status>\n{code}<output>\nno\n</output>")
        };
        let text = || "no".to_owned();
        let code = "<exit_code>2</exit_code>";
        assert_eq!(of("TaskOutput", &tagged("failed", code)), Some((text(), Some(2), false, true)));
        assert_eq!(of("TaskOutput", &tagged("failed", "")), Some((text(), None, true, true)));
        assert_eq!(of("TaskOutput", &tagged("running", "")), Some((text(), None, false, false)));
        assert_eq!(
            of("TaskOutput", &tagged("completed", "<exit_code>0</exit_code>")),
            Some((text(), Some(0), false, true))
        );
        let split = "<status>completed</status>\n<exit_code>1</exit_code>\n<stdout>a</stdout>\n<stderr>b</stderr>";
        assert_eq!(of("BashOutput", split), Some(("a\nb".to_owned(), Some(1), false, true)));
        assert_eq!(of("process", "no\n\nProcess exited with code 1."), Some((text(), Some(1), false, true)));
        assert_eq!(of("process", "no\n\nProcess still running."), None);
        let agent = tagged("failed", "").replace("local_bash", "local_agent");
        assert_eq!(of("TaskOutput", &agent), None);
        assert_eq!(of("Bash", &tagged("failed", "")), None);
        // What the command printed says nothing of its end.
        assert_eq!(of("TaskOutput", "<output>\n<status>failed</status>\n</output>"), None);
    }

    #[test]
    fn the_file_of_a_task_says_how_the_command_ended() {
        let of = |output: &str| report_of_file(output).map(|said| (said.text, said.code));
        assert_eq!(of("1\tno\n2\t\n3\t[exited with code 1]\n4\t"), Some(("no".to_owned(), Some(1))));
        assert_eq!(of("     1→no\n     2→[exited with code 0]"), Some(("no".to_owned(), Some(0))));
        let shown = |output: &str| report_of_shown_file(output).map(|said| (said.text, said.code));
        assert_eq!(shown("no\n\n[exited with code 1]\n== next\nx"), Some(("no".to_owned(), Some(1))));
        for running in ["no", "[exited with code x]", "see [exited with code 1]", ""] {
            assert_eq!(shown(running), None, "{running}");
        }
        for running in ["1\tno", "1\t[exited with code 1]\n2\tno", "[exited with code 1]", ""] {
            assert_eq!(of(running), None, "{running}");
        }
    }

    #[test]
    fn a_notice_is_one_only_at_the_start_of_a_text() {
        let text = "<task-notification>\n<task-id>b1</task-id>\n<status>failed</status>\n<summary>Background command \"x\" failed with exit code 1</summary>\n</task-notification>";
        let said = "Background command \"x\" failed with exit code 1";
        assert_eq!(notice(text), Some(Notice { task: "b1", failed: true, said }));
        assert_eq!(notice(&text.replace("failed<", "completed<")).map(|notice| notice.failed), Some(false));
        assert_eq!(notice(&format!("see {text}")), None);
        assert_eq!(notice("<task-notification>"), None);
    }
}
