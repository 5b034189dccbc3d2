//! What a tool call's end means, from the call and its result together (`LOG-FORMATS`, "What counts as a failure").
//!
//! The flag alone is wrong both ways: a third of real failures carry none (piped to `tail`, `|| true`), and a fifth of
//! the flagged ones are the person's no or an echo of another call. The same lint lines are a failure from the linter
//! and a success from `cat`, so the command decides what the text may prove.

mod evidence;
mod kind;
mod shell;

pub use kind::failure_kind;

use crate::run_event::{FailureKind, Outcome};
use evidence::Evidence;
use shell::{Command, Role};

/// Most bytes of an output that are read for judging: the head and the tail.
const MAX_JUDGED_BYTES: usize = 256 * 1024;

/// A call that has come back, as the format reports it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Call<'a> {
    /// The tool's name.
    pub tool: &'a str,
    /// The command line, for tools that run one.
    pub command: Option<&'a str>,
    /// The result's text.
    pub output: &'a str,
    /// The format's own error flag.
    pub flagged: bool,
    /// The exit code, where the format has it apart from the text.
    pub exit_code: Option<i64>,
    /// The format never knows an exit code: what the output says is all there is.
    pub codeless: bool,
    /// How it came to its end, where the format says so.
    pub ending: Ending,
}

/// How a call came to its end.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Ending {
    /// It returned.
    #[default]
    Returned,
    /// It goes on: what came back is only what there was by then.
    Running,
    /// The person stopped it.
    Stopped,
}

/// What the end of a call means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Judgement {
    /// The verdict.
    pub outcome: Outcome,
    /// What kind of failure; only where the outcome is one.
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

/// Judges a call. Linear in the length of its texts; never fails.
pub fn judge(call: &Call<'_>) -> Judgement {
    let output = crate::text::clip_middle(call.output, MAX_JUDGED_BYTES);
    let text = bare(&output);
    if let Some(outcome) = by_the_harness(call, text) {
        return Judgement::of(outcome);
    }
    let exit_code = call.exit_code.or_else(|| leading_exit_code(text));
    match call.command {
        Some(line) => judge_command(&Command::read(line), line, text, exit_code, call),
        None => judge_tool(call, text, exit_code),
    }
}

/// Without the tags that Claude Code wraps its own errors in.
fn bare(output: &str) -> &str {
    let text = output.trim();
    text.strip_prefix("<tool_use_error>").map_or(text, |text| text.strip_suffix("</tool_use_error>").unwrap_or(text))
}

/// What the harness says in words of its own: the person's no, an echo, a call that goes on.
fn by_the_harness(call: &Call<'_>, text: &str) -> Option<Outcome> {
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
    const ECHOES: [&str; 3] =
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
        if ECHOES.iter().any(|start| text.starts_with(start)) {
            return Some(Outcome::Cascade);
        }
    }
    let moved = evidence::contains(text, "timeout and was moved to the background");
    (call.ending == Ending::Running || (!call.flagged && moved)).then_some(Outcome::Unfinished)
}

/// The number of `Exit code N` at the start of a result.
fn leading_exit_code(text: &str) -> Option<i64> {
    let rest = text.strip_prefix("Error: ").unwrap_or(text).strip_prefix("Exit code")?;
    rest.trim_start_matches([':', ' ']).split(|c: char| !(c.is_ascii_digit() || c == '-')).next()?.parse().ok()
}

/// A tool that runs no command: its flag or code says it, or a body that is nothing but an error.
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
    } else if let Some((before, code)) = command.told_code(text).filter(|(_, code)| *code != 0) {
        !is_no_failure(&before, text, code)
    } else {
        hides_a_failure(command, text, call.codeless)
    };
    // Where no code is known, it cannot be what tells.
    let line = exit_code.filter(|code| *code != 0).map(|_| line);
    if failed { Judgement::failure(failure_kind(line, text)) } else { Judgement::of(Outcome::Success) }
}

/// Codes other than 0 that report a finding, not a failure.
fn is_no_failure(command: &Command, text: &str, code: i64) -> bool {
    // The agent's own Ctrl-C ends what it started.
    if code == 130 {
        return true;
    }
    if code != 1 || evidence::is_timeout(text) {
        return false;
    }
    let said = evidence::without_code_line(text);
    match command.last_role() {
        Some(Role::Search) => !evidence::tells_of_trouble(said) && command.earlier_steps_are_quiet(said),
        // `test`, `command -v`, `ps`, a key that is not set: the answer is no.
        Some(Role::Question) => said.is_empty() || !evidence::tells_of_trouble(said),
        Some(Role::Compare) => {
            !evidence::tells_of_trouble(said) || said.starts_with("diff ") || said.starts_with("---")
        }
        _ => false,
    }
}

/// Whether a command that ended well ran something that did not.
fn hides_a_failure(command: &Command, text: &str, codeless: bool) -> bool {
    if command.is_check() {
        return false;
    }
    let said = evidence::without_code_line(text);
    evidence::is_only_the_shell(said)
        || evidence::ends_with_a_timeout(said)
        || command.sections(text).iter().any(|section| {
            let code_lost = codeless || section.code_lost || section.command.hides_codes();
            section_failed(&section.command, section.output, code_lost)
        })
}

fn section_failed(command: &Command, text: &str, code_lost: bool) -> bool {
    if command.only_looks() {
        return command.hidden_looks(code_lost).any(|words| evidence::is_own_trouble(words, text));
    }
    match evidence::weigh(text, command.commits()) {
        Evidence::Red => command.runs_a_judge() || code_lost,
        Evidence::Trouble => code_lost && !command.shows_a_file(),
        Evidence::Green | Evidence::None => false,
    }
}

#[cfg(test)]
mod tests;
