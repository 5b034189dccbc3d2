//! Calls as tags in the text of answers, and results in the text of the messages that follow, as Cline, Roo Code and Kilo
//! Code have them for models without tool calls: `<read_file><path>a</path></read_file>`, `[read_file for 'a'] Result:`.
//!
//! What the harness says around a result is no part of it: which directory a command ran in, how it ended, and the state of
//! the editor behind it.

use std::borrow::Cow;

use serde_json::{Map, Value};

use super::calls::Calls;
use crate::observe::Transcript;
use crate::observe::reported::{End, Origin, Start};
use crate::outcome::Ending;

/// Tools whose call is a tag.
const TOOLS: [&str; 25] = [
    "execute_command",
    "read_file",
    "write_to_file",
    "replace_in_file",
    "apply_diff",
    "insert_content",
    "search_and_replace",
    "edit_file",
    "delete_file",
    "search_files",
    "list_files",
    "list_code_definition_names",
    "codebase_search",
    "browser_action",
    "use_mcp_tool",
    "access_mcp_resource",
    "fetch_instructions",
    "load_mcp_documentation",
    "web_fetch",
    "web_search",
    "switch_mode",
    "new_task",
    "update_todo_list",
    "run_slash_command",
    "generate_image",
];
/// Most elements of a call that are read.
const MAX_ARGUMENTS: usize = 32;
/// Tools by which the agent only says something, and the tag of what it says.
const ANSWERS: [(&str, &str); 4] = [
    ("attempt_completion", "result"),
    ("ask_followup_question", "question"),
    ("plan_mode_respond", "response"),
    ("plan_mode_response", "response"),
];
/// What the user says is in one of these tags, in a message of the harness.
const OF_USER: [&str; 4] = ["task", "feedback", "user_message", "answer"];
/// How texts of the harness begin that are no result.
const OF_HARNESS: [&str; 5] =
    ["<environment_details>", "[TASK RESUMPTION]", "# task_progress", "# TODO LIST", "[NOTE] "];
/// How the harness begins that answers an answer without a call.
const WITHOUT_A_CALL: &str = "[ERROR] You did not use a tool";
/// How it says that it did not run a call, which it then names.
const NOT_RUN: &str = "Tool [";
/// How results begin of calls that did not do what they were asked for.
const FAILURES: [&str; 9] = [
    "The tool execution failed with the following error:",
    "The user denied this operation",
    "Missing value for required parameter",
    "Unable to apply diff to file",
    NOT_RUN,
    "This tool cannot be used in PLAN MODE",
    "The command was terminated after exceeding",
    "Command execution timed out",
    "Invalid JSON argument used with",
];

/// Reports the texts and calls of an answer. Returns whether it has calls; if it has none, nothing is reported.
pub(super) fn answer(text: &str, origin: &Origin, calls: &mut Calls, out: &mut Transcript<'_>) -> bool {
    let Some((before, first, inner, mut rest)) = next_tag(text) else { return false };
    let say = |said: &str, out: &mut Transcript<'_>| {
        if !said.trim().is_empty() {
            out.message(origin, false, None, said.trim());
        }
    };
    say(before, out);
    let mut found = Some((first, inner));
    while let Some((tool, inner)) = found {
        if let Some((_, tag)) = ANSWERS.iter().find(|(name, _)| *name == tool) {
            say(element(inner, tag).map_or(inner, |(_, said, _)| said), out);
        } else {
            let id = calls.add(tool);
            let command = element(inner, "command").filter(|_| tool == "execute_command");
            let input = command.map_or_else(|| arguments(inner), |(_, line, _)| unescaped(line.trim()));
            out.start(origin, &Start { call_id: Some(&id), tool, input, is_command: command.is_some() });
        }
        found = next_tag(rest).map(|(_, tool, inner, after)| {
            rest = after;
            (tool, inner)
        });
    }
    true
}

/// The elements of a call as JSON, as other agents write arguments; its text if there are none.
fn arguments(inner: &str) -> Cow<'_, str> {
    let mut found = Map::new();
    let mut rest = inner;
    while found.len() < MAX_ARGUMENTS
        && let Some((_, after)) = rest.split_once('<')
        && let Some((name, value)) = after.split_once('>')
        && let Some((value, after)) = value.split_once(&format!("</{name}>"))
    {
        found.insert(name.to_owned(), value.trim_matches('\n').into());
        rest = after;
    }
    if found.is_empty() { Cow::Borrowed(inner.trim()) } else { Cow::Owned(Value::Object(found).to_string()) }
}

/// The next call: what stands before it, its tool, its content, and what follows.
fn next_tag(text: &str) -> Option<(&str, &'static str, &str, &str)> {
    let mut from = 0;
    loop {
        let open = from + text.get(from..)?.find('<')?;
        let tag = text.get(open + 1..)?;
        let names = || TOOLS.iter().chain(ANSWERS.iter().map(|(name, _)| name));
        let is_at_start = text.get(..open)?.trim_end_matches([' ', '\t']).ends_with('\n') || open == 0;
        let name = names().find(|name| tag.strip_prefix(**name).is_some_and(|rest| rest.starts_with('>')));
        if let Some(name) = name.filter(|_| is_at_start) {
            let inner = tag.get(name.len() + 1..)?;
            if let Some((inner, after)) = inner.split_once(&format!("</{name}>")) {
                return Some((text.get(..open)?, name, inner, after));
            }
            // A call that was cut: nothing after it can be told from its content.
            return None;
        }
        from = open + 1;
    }
}

/// The element with this tag: what stands before it, its content, what follows.
fn element<'t>(text: &'t str, tag: &str) -> Option<(&'t str, &'t str, &'t str)> {
    let (before, rest) = text.split_once(&format!("<{tag}>"))?;
    let (inner, after) = rest.split_once(&format!("</{tag}>"))?;
    Some((before, inner, after))
}

fn unescaped(text: &str) -> Cow<'_, str> {
    if !text.contains('&') {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.replace("&lt;", "<").replace("&gt;", ">").replace("&quot;", "\"").replace("&amp;", "&"))
}

/// Reports the texts of a message that follows a call. Returns whether one of them is a result; if none is, nothing is
/// reported.
pub(super) fn inbound(texts: &[Cow<'_, str>], origin: &Origin, calls: &mut Calls, out: &mut Transcript<'_>) -> bool {
    let is_of_harness = |text: &str| text.starts_with("<environment_details>") || text.starts_with(WITHOUT_A_CALL);
    if !texts.iter().any(|text| header(text).is_some() || is_of_harness(text)) {
        return false;
    }
    let mut result: Option<(&str, String)> = None;
    for text in texts {
        let text = text.split_once("\n<environment_details>").map_or(&**text, |(before, _)| before);
        if let Some((tool, rest)) = header(text) {
            end(result.take(), origin, calls, out);
            result = Some((tool, rest.to_owned()));
        } else if text.trim_start().starts_with(WITHOUT_A_CALL) {
            end(result.take(), origin, calls, out);
            out.exception(origin, text.trim().lines().next().unwrap_or_default());
        } else if OF_HARNESS.iter().any(|start| text.trim_start().starts_with(start)) {
            end(result.take(), origin, calls, out);
        } else if let Some(said) = of_user(text) {
            end(result.take(), origin, calls, out);
            out.message(origin, true, None, said);
        } else if let Some((_, output)) = &mut result {
            output.push('\n');
            output.push_str(text);
        } else {
            out.message(origin, true, None, text.trim());
        }
    }
    end(result, origin, calls, out);
    true
}

/// The tool of `[tool for 'x'] Result:` or `[tool] Result:`, and what follows.
fn header(text: &str) -> Option<(&str, &str)> {
    let line = text.strip_prefix('[')?;
    let (first, rest) = line.split_once('\n').unwrap_or((line, ""));
    let (head, after) = first.rsplit_once("] Result:")?;
    let name = head.split([' ', ']']).next()?;
    let is_name =
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'));
    let rest = if after.trim().is_empty() { rest } else { line.get(head.len() + "] Result:".len()..)? };
    is_name.then_some((name, rest))
}

/// What the user said, without its tag.
fn of_user(text: &str) -> Option<&str> {
    let text = text.trim();
    OF_USER.iter().find_map(|tag| {
        let rest = text.strip_prefix('<')?.strip_prefix(tag)?.strip_prefix('>')?;
        Some(rest.rsplit_once("</").map_or(rest, |(said, _)| said).trim())
    })
}

fn end(result: Option<(&str, String)>, origin: &Origin, calls: &mut Calls, out: &mut Transcript<'_>) {
    let Some((tool, text)) = result else { return };
    let text = text.trim();
    if ANSWERS.iter().any(|(name, _)| *name == tool) {
        if let Some(said) = of_user(text).or(Some(text)).filter(|said| !said.is_empty()) {
            out.message(origin, true, None, said);
        }
        return;
    }
    let id = calls.of_result(tool);
    out.end(origin, &End { tool: Some(tool), ..result_of(id.as_deref(), text, false) });
}

/// The end of a call with this result.
fn result_of<'t>(id: Option<&'t str>, text: &'t str, flagged: bool) -> End<'t> {
    let printed = printed(text);
    let says_failed = printed.is_failure || says_failed(text);
    let output = element(text, "error").filter(|_| text.starts_with(FAILURES.first().map_or("", |start| *start)));
    let output = output.map_or(printed.output, |(_, error, _)| error.trim());
    let end = End::as_stated(id, Cow::Borrowed(output), flagged || says_failed);
    let no_exit_codes = end.no_exit_codes && printed.exit_code.is_none();
    let (exit_code, ending) = (printed.exit_code, printed.ending);
    End { exit_code, no_exit_codes, ending, ..end }
}

/// The end of a call that is no tag, if its result is in the words that such a harness also puts around those. `None` for
/// any other result.
pub(super) fn of_block<'t>(id: &'t str, text: &'t str, flagged: bool) -> Option<End<'t>> {
    const PRINTED: [&str; 3] =
        ["Command executed", "Command is still running in ", "The command was cancelled by the user"];
    let result = header(text).map_or(text, |(_, rest)| rest).trim();
    let is_of_harness = PRINTED.iter().any(|start| result.starts_with(start)) || says_failed(result);
    (is_of_harness || result.len() < text.trim().len()).then(|| result_of(Some(id), result, flagged))
}

fn says_failed(text: &str) -> bool {
    let begins = |start: &str| text.starts_with(start) && (start != NOT_RUN || text.contains("] was not executed"));
    FAILURES.iter().any(|start| begins(start)) || is_only_errors(text)
}

/// A list of files that could not be read, in place of their content.
fn is_only_errors(text: &str) -> bool {
    text.starts_with("<file") && text.contains("<error>") && !text.contains("<content")
}

/// What a command printed, and what the harness says about its end.
struct Printed<'t> {
    output: &'t str,
    exit_code: Option<i64>,
    ending: Ending,
    is_failure: bool,
}

fn printed(text: &str) -> Printed<'_> {
    let whole = Printed { output: text, exit_code: None, ending: Ending::Returned, is_failure: false };
    if text.starts_with("Command is still running") {
        return Printed { ending: Ending::Running, ..whole };
    }
    if text.starts_with("The command was cancelled by the user") {
        return Printed { ending: Ending::Stopped, ..whole };
    }
    if !text.starts_with("Command executed") {
        return whole;
    }
    let (head, output) = text.split_once("\nOutput:").or(text.split_once("\nPreview:\n")).unwrap_or((text, ""));
    let code = head.split_once("Exit code: ").and_then(|(_, rest)| rest.lines().next()?.trim().parse().ok());
    let is_failure = head.contains("Process terminated by signal");
    Printed { output: output.trim(), exit_code: code, is_failure, ..whole }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_result_is_told_by_its_first_line() {
        for (text, expected) in [
            ("[read_file for 'a.ts'] Result:\nx", Some(("read_file", "x"))),
            ("[subagents] Result:\nx", Some(("subagents", "x"))),
            ("[execute_command for 'a] Result:'] Result:", Some(("execute_command", ""))),
            ("[use_mcp_tool for 'x'] Result: done", Some(("use_mcp_tool", " done"))),
            ("[see this] Result: x", Some(("see", " x"))),
            ("The [x] Result:", None),
            ("[]] Result:", None),
            ("[x for 'y']", None),
        ] {
            assert_eq!(header(text), expected, "{text}");
        }
    }

    #[test]
    fn a_call_is_a_tag_at_the_start_of_a_line() {
        assert_eq!(
            next_tag("I look.\n<read_file>\n<path>a</path>\n</read_file>\nthen"),
            Some(("I look.\n", "read_file", "\n<path>a</path>\n", "\nthen"))
        );
        for text in
            ["Use <read_file>x</read_file> for it.", "<read_files>x</read_files>", "<read_file>cut", "a < b", ""]
        {
            assert_eq!(next_tag(text), None, "{text}");
        }
    }

    #[test]
    fn the_elements_of_a_call_are_its_arguments() {
        for (inner, expected) in [
            ("\n<path>a.ts</path>\n", r#"{"path":"a.ts"}"#),
            ("<diff>\n<b>x</b>\n</diff><path>a</path>", r#"{"diff":"<b>x</b>","path":"a"}"#),
            ("plain", "plain"),
            ("<path>cut", "<path>cut"),
            ("", ""),
        ] {
            assert_eq!(arguments(inner), expected, "{inner}");
        }
    }

    #[test]
    fn what_the_harness_says_is_no_output() {
        let of = |text| {
            let printed = printed(text);
            (printed.output.to_owned(), printed.exit_code, printed.ending)
        };
        assert_eq!(of("Command executed.\nOutput:\nok"), ("ok".to_owned(), None, Ending::Returned));
        let failed = "Command executed in terminal  within working directory '/w'. Command execution was not successful, inspect the cause and adjust as needed.\nExit code: 2\nOutput:\nno";
        assert_eq!(of(failed), ("no".to_owned(), Some(2), Ending::Returned));
        assert_eq!(of("Command is still running in terminal.\nx").2, Ending::Running);
        assert_eq!(of("The command was cancelled by the user.").2, Ending::Stopped);
        assert_eq!(of("plain"), ("plain".to_owned(), None, Ending::Returned));
    }
}
