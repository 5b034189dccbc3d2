//! What Gemini CLI, and Qwen Code after it, answer to a call: `functionResponse.response`, and the labels around the output of
//! a shell (google-gemini/gemini-cli `packages/core/src/tools/shell.ts`).

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use super::content::{Text, lenient};
use super::langfuse::text_or_json;
use super::stated;
use crate::outcome::Ending;

/// A part of a message.
#[derive(Deserialize)]
pub(super) struct Part<'a> {
    #[serde(borrow, default)]
    pub(super) text: Text<'a>,
    /// Whether the text is only what the model thought.
    #[serde(default, deserialize_with = "lenient")]
    pub(super) thought: Option<bool>,
    #[serde(borrow, default, alias = "functionCall", deserialize_with = "lenient")]
    pub(super) function_call: Option<Called<'a>>,
    #[serde(borrow, default, alias = "functionResponse", deserialize_with = "lenient")]
    pub(super) function_response: Option<Answer<'a>>,
}

#[derive(Deserialize)]
pub(super) struct Called<'a> {
    #[serde(borrow, default)]
    pub(super) id: Text<'a>,
    #[serde(borrow, default)]
    pub(super) name: Text<'a>,
    #[serde(borrow, default)]
    pub(super) args: Option<&'a RawValue>,
}

/// An answer to a call.
#[derive(Deserialize)]
pub(super) struct Answer<'a> {
    #[serde(borrow, default)]
    pub(super) id: Text<'a>,
    #[serde(borrow, default)]
    pub(super) name: Text<'a>,
    #[serde(borrow, default)]
    response: Option<&'a RawValue>,
}

#[derive(Deserialize)]
struct Response<'a> {
    #[serde(borrow, default)]
    output: Text<'a>,
    #[serde(borrow, default)]
    error: Text<'a>,
}

impl Answer<'_> {
    /// The text, and whether it is that of an error.
    pub(super) fn text(&self) -> (Cow<'_, str>, bool) {
        let read = self.response.and_then(|raw| serde_json::from_str::<Response<'_>>(raw.get()).ok());
        match read {
            Some(Response { error, .. }) if !error.0.is_empty() => (error.0, true),
            Some(Response { output, .. }) if !output.0.is_empty() => (output.0, false),
            // A server may answer in a form of its own.
            _ => match self.response.map_or("", RawValue::get) {
                "{}" | r#"{"output":""}"# => (Cow::Borrowed(""), false),
                _ => (text_or_json(self.response), false),
            },
        }
    }
}

/// What a shell printed, and how the result says that it ended.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Printed<'t> {
    pub(super) output: Cow<'t, str>,
    pub(super) exit_code: Option<i64>,
    pub(super) ending: Ending,
}

/// How a result begins of a command that the user stopped, in front of what it had printed, and of a call that never began.
const STOPPED: [&str; 5] = [
    "[Operation Cancelled]",
    "Command was cancelled by user",
    "Command cancelled by user",
    "Operation cancelled by user",
    "Tool call cancelled by user",
];
const LABELS: [&str; 8] = [
    "Command: ",
    "Directory: ",
    "Error: (none)",
    "Exit Code: ",
    "Signal: ",
    "Background PIDs: ",
    "Process Group PGID: ",
    "Stderr: (empty)",
];
/// What a display says of a command that printed nothing.
const TERMINATED: &str = "Command terminated by signal: ";
/// Most lines at the end of a result among which labels are looked for.
const MAX_LAST_LINES: usize = 8;

/// Reads the result of a call, which may be that of a shell.
pub(super) fn printed(text: &str) -> Printed<'_> {
    let whole = Printed { output: Cow::Borrowed(text), exit_code: None, ending: Ending::Returned };
    if STOPPED.iter().any(|start| text.starts_with(start)) {
        return Printed { ending: Ending::Stopped, ..whole };
    }
    if let Some(signal) = text.strip_prefix(TERMINATED) {
        return Printed { exit_code: code_of(signal), ..whole };
    }
    let label = |name: &str| text.lines().rev().take(MAX_LAST_LINES).find_map(|line| line.strip_prefix(name));
    let (code, signal) = (label("Exit Code: "), label("Signal: "));
    // Newer versions leave out what is nothing, and always have the group.
    let is_shell = (text.starts_with("Command: ") || text.starts_with("Output: "))
        && (signal.is_some() || label("Process Group PGID: ").is_some());
    if code.is_none() && !is_shell {
        return Printed { exit_code: stated::exit_code(text), ..whole };
    }
    let exit_code =
        code.and_then(|code| code.trim().parse().ok()).or_else(|| signal.filter(|_| is_shell).and_then(code_of));
    let kept = text.lines().filter(|line| !LABELS.iter().any(|label| line.starts_with(label)));
    let bare = kept.map(|line| {
        ["Output: ", "Stdout: ", "Stderr: "].iter().find_map(|label| line.strip_prefix(label)).unwrap_or(line)
    });
    Printed { output: Cow::Owned(bare.collect::<Vec<_>>().join("\n")), exit_code, ..whole }
}

/// The exit code that a shell gives a command that a signal ended. `None` if none did.
fn code_of(signal: &str) -> Option<i64> {
    const NAMES: [(&str, i64); 5] = [("SIGHUP", 1), ("SIGINT", 2), ("SIGKILL", 9), ("SIGSEGV", 11), ("SIGTERM", 15)];
    let signal = signal.trim();
    let number = signal.parse().ok().or_else(|| {
        let known = NAMES.iter().find(|(name, _)| *name == signal).map(|(_, number)| *number);
        // Any other ends a command by itself, as an abort does.
        known.or(signal.starts_with("SIG").then_some(6))
    })?;
    (1..=64).contains(&number).then_some(128 + number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_says_how_it_ended() {
        let old = |code: &str, signal: &str| {
            format!(
                "Command: make\nDirectory: (root)\nOutput: a\nb\nError: (none)\nExit Code: {code}\nSignal: {signal}\nBackground PIDs: (none)\nProcess Group PGID: 7"
            )
        };
        for (text, output, exit_code, ending) in [
            (&*old("0", "(none)"), "a\nb", Some(0), Ending::Returned),
            (&old("2", "(none)"), "a\nb", Some(2), Ending::Returned),
            (&old("(none)", "SIGKILL"), "a\nb", Some(137), Ending::Returned),
            (&old("(none)", "15"), "a\nb", Some(143), Ending::Returned),
            (&old("(none)", "(none)"), "a\nb", None, Ending::Returned),
            ("Output: no\nExit Code: 1\nProcess Group PGID: 7", "no", Some(1), Ending::Returned),
            ("Output: (empty)\nProcess Group PGID: 7", "(empty)", None, Ending::Returned),
            ("Output: a\nSignal: SIGABRT", "a", Some(134), Ending::Returned),
            ("Command exited with code: 3", "Command exited with code: 3", Some(3), Ending::Returned),
            (
                "Command terminated by signal: SIGSEGV",
                "Command terminated by signal: SIGSEGV",
                Some(139),
                Ending::Returned,
            ),
            ("Command terminated by signal: 9", "Command terminated by signal: 9", Some(137), Ending::Returned),
            ("Command cancelled by user.", "Command cancelled by user.", None, Ending::Stopped),
            ("[Operation Cancelled] Reason: x", "[Operation Cancelled] Reason: x", None, Ending::Stopped),
            ("Output: is what it shows", "Output: is what it shows", None, Ending::Returned),
            ("the log ends with\nSignal: SIGKILL", "the log ends with\nSignal: SIGKILL", None, Ending::Returned),
            (
                "Signal: of a change\n1\n2\n3\n4\n5\n6\n7\n8",
                "Signal: of a change\n1\n2\n3\n4\n5\n6\n7\n8",
                None,
                Ending::Returned,
            ),
            ("", "", None, Ending::Returned),
        ] {
            assert_eq!(printed(text), Printed { output: output.into(), exit_code, ending }, "{text}");
        }
        let stopped =
            "Command was cancelled by user before it could complete. Below is the output before it was cancelled:\na";
        assert_eq!(printed(stopped).ending, Ending::Stopped);
    }

    #[test]
    fn an_answer_has_its_text_or_its_error() {
        for (json, expected) in [
            (r#"{"response":{"output":"a"}}"#, ("a", false)),
            (r#"{"response":{"error":"no"}}"#, ("no", true)),
            (r#"{"response":{"error":{"message":"no"}}}"#, ("no", true)),
            (r#"{"response":{"rows":[1]}}"#, (r#"{"rows":[1]}"#, false)),
            (r#"{"response":{}}"#, ("", false)),
            (r#"{"response":{"output":""}}"#, ("", false)),
            ("{}", ("", false)),
        ] {
            let answer: Answer<'_> = serde_json::from_str(json).unwrap();
            let (text, is_error) = answer.text();
            assert_eq!((&*text, is_error), expected, "{json}");
        }
    }
}
