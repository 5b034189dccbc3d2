//! How a tool call ended, judged from the call and its result together (`LOG-FORMATS`, "What counts as a failure").
//!
//! The error flag alone is wrong both ways. A third of real failures have no flag (output piped to `tail`, `|| true`),
//! and a fifth of the flagged calls were rejected by the user or failed because of another call. The same lint errors
//! are a failure if the linter prints them and a success if `cat` does, so the command determines what the text can
//! prove.

mod evidence;
mod kind;
pub(crate) mod shell;

pub use kind::failure_kind;

use crate::run_event::{FailureKind, Outcome};
use evidence::Evidence;
use shell::{Command, Role};

/// Most bytes of an output that are judged: its head and tail.
const MAX_JUDGED_BYTES: usize = 256 * 1024;

/// A call that has returned, as its log format reports it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Call<'a> {
    /// Name of the tool.
    pub tool: &'a str,
    /// The command line, for tools that run one.
    pub command: Option<&'a str>,
    /// Text of the result.
    pub output: &'a str,
    /// The format's own error flag.
    pub flagged: bool,
    /// The exit code, if the format records it separately.
    pub exit_code: Option<i64>,
    /// Whether the format never records exit codes, so that only the output can show a failure.
    pub no_exit_codes: bool,
    /// How the call ended, if the format says so.
    pub ending: Ending,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Ending {
    /// It returned.
    #[default]
    Returned,
    /// It is still running. The output is what it had printed so far.
    Running,
    /// The user stopped it.
    Stopped,
}

/// How a call ended, and what kind of failure it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Judgement {
    /// How it ended.
    pub outcome: Outcome,
    /// The kind of failure; only set for failures.
    pub kind: Option<FailureKind>,
}

impl Judgement {
    fn of(outcome: Outcome) -> Self {
        Self { outcome, kind: None }
    }

    fn failure(kind: FailureKind) -> Self {
        Self { outcome: Outcome::Failure, kind: Some(kind) }
    }
}

/// Judges a call. Linear in the length of its texts.
pub fn judge(call: &Call<'_>) -> Judgement {
    let output = crate::text::clip_middle(call.output, MAX_JUDGED_BYTES);
    let text = without_error_tags(&output);
    if let Some(outcome) = harness_outcome(call, text) {
        return Judgement::of(outcome);
    }
    let exit_code = call.exit_code.or_else(|| leading_exit_code(text));
    match call.command {
        Some(line) => judge_command(&Command::read(line), line, text, exit_code, call),
        None => judge_tool(call, text, exit_code),
    }
}

/// Removes the tags that Claude Code puts around its own errors.
fn without_error_tags(output: &str) -> &str {
    let text = output.trim();
    text.strip_prefix("<tool_use_error>").map_or(text, |text| text.strip_suffix("</tool_use_error>").unwrap_or(text))
}

/// The outcome that the harness states in its own words: rejected, a consequence of another failure, or still running.
fn harness_outcome(call: &Call<'_>, text: &str) -> Option<Outcome> {
    const REFUSALS: [&str; 10] = [
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
    ];
    const CASCADES: [&str; 3] =
        ["Sibling tool call errored", "Cancelled: parallel tool call", "Cancelled because a sibling"];
    let text = text.strip_prefix("Error: ").unwrap_or(text);
    let stopped_later = call.flagged && text.lines().next_back() == Some("Command aborted");
    if stopped_later || call.ending == Ending::Stopped || text.starts_with("aborted by user") {
        return Some(Outcome::Rejected);
    }
    if call.flagged {
        if REFUSALS.iter().any(|start| text.starts_with(start))
            || evidence::contains(text, "\n[Request interrupted by user")
        {
            return Some(Outcome::Rejected);
        }
        if CASCADES.iter().any(|start| text.starts_with(start)) {
            return Some(Outcome::Cascade);
        }
    }
    let moved = evidence::contains(text, "timeout and was moved to the background");
    (call.ending == Ending::Running || (!call.flagged && moved)).then_some(Outcome::Unfinished)
}

/// The number in `Exit code N` at the start of a result.
fn leading_exit_code(text: &str) -> Option<i64> {
    let rest = text.strip_prefix("Error: ").unwrap_or(text).strip_prefix("Exit code")?;
    rest.trim_start_matches([':', ' ']).split(|c: char| !(c.is_ascii_digit() || c == '-')).next()?.parse().ok()
}

/// Judges a tool that runs no command: by its flag or code, or because the result is only an error.
fn judge_tool(call: &Call<'_>, text: &str, exit_code: Option<i64>) -> Judgement {
    let marked = call.flagged || exit_code.is_some_and(|code| code != 0);
    if marked
        || evidence::is_past_the_end(text)
        || evidence::is_error_body(text)
        || evidence::is_failed_task(call.tool, text)
    {
        Judgement::failure(failure_kind(None, text))
    } else {
        Judgement::of(Outcome::Success)
    }
}

fn judge_command(command: &Command, line: &str, text: &str, exit_code: Option<i64>, call: &Call<'_>) -> Judgement {
    let code = exit_code.unwrap_or(i64::from(call.flagged));
    let failed = if call.flagged || code != 0 {
        !is_no_failure(command, text, code)
    } else if let Some((before, code)) = command.echoed_code(text).filter(|(_, code)| *code != 0) {
        !is_no_failure(&before, text, code)
    } else {
        hides_failure(command, text, call.no_exit_codes)
    };
    // If no exit code is known, the command line cannot help to classify the failure.
    let line = exit_code.filter(|code| *code != 0).map(|_| line);
    if failed { Judgement::failure(failure_kind(line, text)) } else { Judgement::of(Outcome::Success) }
}

/// Whether an exit code other than 0 reports a result instead of a failure.
fn is_no_failure(command: &Command, text: &str, code: i64) -> bool {
    // The agent interrupted its own command.
    if code == 130 {
        return true;
    }
    if code != 1 || evidence::is_timeout(text) {
        return false;
    }
    let printed = evidence::without_code_line(text);
    match command.last_role() {
        Some(Role::Search) => !evidence::shows_an_error(printed) && command.earlier_steps_are_quiet(printed),
        // `test`, `command -v`, `ps`, a key that is not set: the answer is no.
        Some(Role::Question) => printed.is_empty() || !evidence::shows_an_error(printed),
        Some(Role::Compare) => {
            !evidence::shows_an_error(printed) || printed.starts_with("diff ") || printed.starts_with("---")
        }
        _ => false,
    }
}

/// Whether a command that exited with code 0 ran a step that failed.
fn hides_failure(command: &Command, text: &str, no_exit_codes: bool) -> bool {
    if command.prints_yes_or_no() {
        return false;
    }
    let printed = evidence::without_code_line(text);
    evidence::is_only_shell_errors(printed)
        || evidence::ends_with_a_timeout(printed)
        || command.sections(text).iter().any(|section| {
            let code_lost = no_exit_codes || section.code_lost || section.command.hides_codes();
            section_failed(&section.command, section.output, code_lost)
        })
}

fn section_failed(command: &Command, text: &str, code_lost: bool) -> bool {
    if command.only_reads() {
        return command.readers_with_lost_code(code_lost).any(|words| evidence::is_own_error(words, text));
    }
    match evidence::assess(text, command.commits()) {
        Evidence::Failed => command.runs_check() || code_lost,
        Evidence::ErrorLines => code_lost && !command.shows_a_file(),
        Evidence::Passed | Evidence::None => false,
    }
}

#[cfg(test)]
mod tests;
