//! What to do about a command that did not end in time: which of its limit, its size and the shell is the reason, as far as the
//! log shows it.

use crate::analysis::Around;
use crate::causes::Group;
use crate::command::shell::steps;
use crate::measures::groups::Failure;

/// A limit below which most commands do not end.
const BRIEF_SECONDS: f64 = 5.0;

impl Group {
    pub(super) fn of_time_limit(&self, around: Around<'_>) -> String {
        if let Some(trivial) = self.newest.iter().find_map(|failure| trivial(&failure.input)) {
            return format!(
                "look at the agent's shell itself (its start, the sandbox, a virus scanner): even `{trivial}` did not end in time, so \
                 that a smaller command does not help"
            );
        }
        if self.members.iter().all(|member| around.machine.is_stuck(member.session)) {
            return "look at the agent's shell itself (its start, the sandbox, a virus scanner): the last commands of the session \
                    did not end in time, though they are different ones"
                .to_owned();
        }
        let named = self.frequent_names();
        if let Some(limit) = named.iter().find(|limit| is_brief(limit)) {
            return format!("allow it more time: the limit was {limit}");
        }
        let events = self.events();
        let brief = events.iter().filter_map(|event| around.machine.ended_after(*event));
        let brief: Vec<u32> = brief.filter(|ms| f64::from(*ms) < BRIEF_SECONDS * 1000.0).collect();
        if let Some(most) = brief.iter().max().filter(|_| brief.len() * 2 > events.len()) {
            let seconds = f64::from(*most) / 1000.0;
            return format!(
                "allow {} more time: {} after {seconds:.1} s or less",
                if events.len() == 1 { "it" } else { "them" },
                if events.len() == 1 { "it was ended" } else { "most of them were ended" }
            );
        }
        let more = named.first().map_or_else(|| "more time".to_owned(), |limit| format!("more than {limit}"));
        let smaller = if self.has_parts() { ", or tell the agent to run a smaller part" } else { "" };
        format!("allow it {more}{smaller}, or tell the agent to run it in the background and to look at its output")
    }

    /// Whether a smaller part of the command can be run, and none was seen to take too long as well: of tests, checks and
    /// searches there are parts.
    fn has_parts(&self) -> bool {
        let searches =
            |program: &str| matches!(program, "find" | "grep" | "rg" | "Get-ChildItem" | "du" | "tree" | "ls");
        let is_divided = |failure: &Failure| {
            steps(&failure.input).iter().any(|step| step.tests() || step.checks() || searches(step.program))
        };
        let mut inputs = self.newest.iter().map(|failure| failure.input.as_str());
        let first = inputs.next();
        self.newest.iter().all(is_divided) && inputs.all(|input| Some(input) == first)
    }
}

/// A command that does next to nothing.
fn trivial(input: &str) -> Option<&str> {
    const TRIVIAL: [&str; 11] = [
        "pwd",
        "date",
        "true",
        "whoami",
        "hostname",
        "Get-Date",
        "Get-Location",
        "$PWD",
        "$PWD.Path",
        "echo ok",
        "echo hi",
    ];
    TRIVIAL.into_iter().find(|command| *command == input.trim())
}

/// Whether a time limit is too short for most commands: `1.4s`, `1400ms`.
fn is_brief(limit: &str) -> bool {
    let number = |unit: &str| limit.trim().strip_suffix(unit).and_then(|text| text.trim().parse::<f64>().ok());
    number("ms").map(|ms| ms / 1000.0).or_else(|| number("s")).is_some_and(|seconds| seconds < BRIEF_SECONDS)
}
