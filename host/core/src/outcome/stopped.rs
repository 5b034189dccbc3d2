//! What harnesses say of a call that the user refused or stopped, in logs that have no field for it.

use super::evidence::contains;

/// How such a text begins.
const STARTS: [&str; 28] = [
    "The user doesn't want to proceed",
    "The user doesn't want to take this action",
    "User rejected tool use",
    "[Request interrupted by user",
    "Request interrupted by user",
    "The user wants to clarify",
    "The user rejected",
    "User rejected",
    "Command aborted",
    "Tool execution aborted",
    "Operation aborted by user",
    "The user denied",
    "User denied",
    "[Operation Cancelled]",
    "[Tool use interrupted]",
    "Skipped due to queued user message",
    "exec command rejected by user",
    "patch rejected by user",
    "Operation cancelled by user",
    "Command was cancelled by user",
    "Command cancelled by user",
    "The command was cancelled by the user",
    "Tool call cancelled by user",
    "Tool execution denied by user",
    "The tool call required approval from the user, but the user rejected it",
    "The user has declined to run this tool",
    "The user dismissed this question",
    "User declined to answer ",
];
/// How it begins in logs that have no flag.
const WITHOUT_FLAG: [&str; 3] = ["aborted by user", "exec command rejected by user", "patch rejected by user"];
/// What is the whole text.
const WHOLE: [&str; 2] = ["Operation aborted", "Command was aborted"];
/// The last line behind what a command had printed, in tags that only the harness writes.
const LAST: [&str; 2] = ["User aborted the command", "<error>Command was aborted before completion</error>"];
/// Most bytes of such a text in a log that has no flags. What the user says about it is not counted.
const MAX_BYTES: usize = 400;

/// Whether a text says it, whatever the log says besides.
pub(super) fn is_told_anyway(text: &str) -> bool {
    // A refusal is JSON in Roo Code, with what the user says to it.
    let is_denial = || {
        let rest = text.strip_prefix(r#"{"status":"denied""#).filter(|_| text.ends_with('}'));
        rest.is_some_and(|rest| ["}", r#","message":""#, r#","feedback":""#].iter().any(|next| rest.starts_with(next)))
    };
    WITHOUT_FLAG.iter().any(|start| text.starts_with(start)) || ends_with_it(text) || is_denial()
}

/// Whether a text that the log marks as an error says it.
pub(super) fn is_told(text: &str) -> bool {
    STARTS.iter().any(|start| text.starts_with(start))
        || WHOLE.contains(&text.trim_end_matches('.'))
        || text.lines().next_back() == Some("Command aborted")
        // Codex names the whole command in front of it.
        || text.starts_with("exec_command failed") && contains(text, "rejected by user")
        || contains(text, "\n[Request interrupted by user")
}

/// Whether a text in a log without flags is short enough to say nothing else.
pub(super) fn is_all(text: &str) -> bool {
    text.split("<feedback>").next().is_some_and(|said| said.len() <= MAX_BYTES)
}

fn ends_with_it(text: &str) -> bool {
    let text = text.trim_end();
    let (above, last) = text.rsplit_once('\n').unwrap_or(("", text));
    let is_tag = last.starts_with("</") && last.ends_with("metadata>");
    let said = if is_tag { above.lines().next_back().unwrap_or_default() } else { last };
    LAST.contains(&said.trim()) && (is_tag || said.starts_with('<'))
}

#[cfg(test)]
mod tests {
    use crate::outcome::{Call, judge};
    use crate::run_event::Outcome;

    #[test]
    fn what_the_user_stopped_is_no_failure() {
        let feedback =
            format!("The user denied this operation and said:\n<feedback>\n{}\n</feedback>", "no ".repeat(300));
        for (text, flagged, no_exit_codes, expected) in [
            (
                "The tool call required approval from the user, but the user rejected it or an earlier tool call.",
                true,
                false,
                true,
            ),
            ("The user has declined to run this tool. DO NOT attempt to call this tool again.", false, true, true),
            ("The user dismissed this question", true, false, true),
            ("User declined to answer the questions.", true, false, true),
            ("Operation aborted", true, false, true),
            ("Operation aborted: no space", true, false, false),
            ("Command was cancelled by user before it could complete.", false, true, true),
            ("Operation cancelled by user", true, false, true),
            ("Tool call cancelled by user.", true, false, true),
            ("Tool execution denied by user.", true, false, true),
            (&feedback, false, true, true),
            (r#"{"status":"denied","message":"The user denied this operation."}"#, false, true, true),
            (r#"{"status":"denied","feedback":"do it in another way"}"#, false, false, true),
            (r#"{"status":"denied","loan":"17"}"#, true, false, false),
            ("1 of 9\n<shell_metadata>\nUser aborted the command\n</shell_metadata>", false, false, true),
            ("(no output)\n\n<bash_metadata>\nUser aborted the command\n</bash_metadata>", false, false, true),
            ("<metadata>\nUser aborted the command\n</metadata>", false, false, true),
            ("9 tests\n<error>Command was aborted before completion</error>", true, false, true),
            ("[Tool use interrupted]", true, false, true),
            (
                "exec_command failed for `rm a`: CreateProcess { message: \"Rejected(\\\"rejected by user\\\")\" }",
                true,
                false,
                true,
            ),
            // Not in the words of a harness.
            ("User aborted the command", true, false, false),
            ("cannot open a", true, false, false),
        ] {
            let call = Call { tool: "x", output: text, flagged, no_exit_codes, ..Call::default() };
            assert_eq!(judge(&call).outcome == Outcome::Rejected, expected, "{text}");
        }
    }

    #[test]
    fn what_a_program_prints_is_no_refusal() {
        for (command, output) in [
            ("cat notes.md", "The user denied this operation."),
            ("python ask.py", "User declined to answer the questions."),
            ("cat session.md", "User aborted the command"),
            ("./report", "The user has declined to pay"),
        ] {
            let call = Call { tool: "Bash", command: Some(command), output, ..Call::default() };
            assert_eq!(judge(&call).outcome, Outcome::Success, "{command}");
        }
    }
}
