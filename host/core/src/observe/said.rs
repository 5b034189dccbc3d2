//! What a result says, without what a harness put around it.

use std::borrow::Cow;

use super::envelope;
use super::open_call::OpenCall;
use super::reported::End;
use super::tasks::{self, Report, Task};
use crate::outcome::shows_a_file;

/// The text of a result, and how it says that the call ended.
pub(super) struct Said<'t> {
    pub(super) text: Cow<'t, str>,
    pub(super) code: Option<i64>,
    pub(super) failed: bool,
    /// Whether it reports the end of a task.
    pub(super) ended: bool,
    /// Whether it reports a task that goes on. What that has printed so far is no result.
    pub(super) goes_on: bool,
}

impl<'t> Said<'t> {
    /// What a harness put around an output is removed. It put nothing around one whose code the log has. `file` is the task
    /// whose file the output is.
    pub(super) fn of(tool: &str, open: Option<&OpenCall>, end: &'t End<'_>, file: Option<&Task>) -> Self {
        let output = &*end.output;
        let plain = Self { text: Cow::Borrowed(output), code: None, failed: false, ended: false, goes_on: false };
        let command = open.filter(|call| call.is_command).map(|call| call.input.as_str());
        let of_file = || {
            let task = file?;
            let ended = match command {
                Some(_) => tasks::report_of_shown_file(output),
                None => tasks::report_of_file(output),
            };
            ended.or_else(|| tasks::failure_in_log(task, output))
        };
        if let Some(Report { text, code, failed, ended }) = tasks::report(tool, output).or_else(of_file) {
            return Self { text: Cow::Owned(text), code, failed, ended, goes_on: !ended };
        }
        if end.exit_code.is_some() || command.is_some_and(shows_a_file) {
            return plain;
        }
        if let Some(found) = &end.opened {
            return Self { text: Cow::Borrowed(&found.text), code: found.code, failed: found.failed, ..plain };
        }
        let caller = if command.is_some() { envelope::Caller::Command } else { envelope::Caller::Tool };
        match envelope::open(output, caller) {
            Some(found) => Self { text: Cow::Owned(found.text), code: found.code, failed: found.failed, ..plain },
            None => plain,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_command_shows_is_no_result_of_the_harness() {
        let wrapped = r#"{"output": "no", "exit_code": 1}"#;
        for (command, exit_code, expected) in [
            (Some("make"), None, ("no", Some(1))),
            (Some("cat result.json"), None, (wrapped, None)),
            (Some("jq . result.json"), None, (wrapped, None)),
            // The log has the code of the command.
            (Some("python report.py"), Some(0), (wrapped, None)),
            (None, None, ("no", Some(1))),
        ] {
            let open =
                command.map(|command| OpenCall { input: command.to_owned(), is_command: true, ..OpenCall::default() });
            let end = End { output: wrapped.into(), exit_code, ..End::default() };
            let said = Said::of("shell", open.as_ref(), &end, None);
            assert_eq!((&*said.text, said.code), expected, "{command:?}");
        }
    }
}
