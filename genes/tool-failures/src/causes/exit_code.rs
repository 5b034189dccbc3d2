//! What the exit code of a command says that printed no message.

use crate::call::Call;
use crate::cause::Cause;
use crate::causes::program::stops;
use crate::command::shell::{Step, acts, last};
use crate::output::host::{host, of_command};
use crate::output::line::is_number;

/// Filters that do not fail for what they show.
const SHOWING: [&str; 9] = ["head", "tail", "cat", "tee", "wc", "sort", "uniq", "less", "column"];

/// The cause of a failure without a message that the exit code alone tells: those of curl say that no server answered, that of
/// pytest that it found no test, and `timeout` that it ended the program.
pub(super) fn silent_cause(call: &Call<'_>, cause: Cause, steps: &[Step<'_>]) -> Option<(Cause, Option<String>)> {
    let code = call.output.trim().strip_prefix("Exit code ")?.lines().next()?.trim();
    // No shell found the last program of the line; its message went elsewhere.
    if cause == Cause::Silent && code == "127" {
        return last(call.input).map(|step| (Cause::Program, Some(step.program.to_owned())));
    }
    if cause == Cause::Silent && code == "124" {
        let limit = limit_of_timeout(call.input)?;
        let unit = if is_number(limit) { "s" } else { "" };
        return Some((Cause::Timeout, Some(format!("{limit}{unit}"))));
    }
    // pytest collected no test.
    if cause == Cause::Silent && code == "5" && steps.iter().any(|step| step.name().ends_with("pytest")) {
        return Some((Cause::NoTests, None));
    }
    let is_of_curl = steps.last().is_some_and(|step| step.program == "curl") && steps.len() == 1;
    let no_answer = matches!(code, "6" | "7" | "28" | "35" | "52" | "56");
    let host = || host(call.input).or_else(|| of_command(call.input)).map(str::to_owned);
    (cause == Cause::Silent && is_of_curl && no_answer).then(|| (Cause::Network, host()))
}

/// The time that `timeout` leaves a program: `60` in `timeout -k 5 60 make`.
fn limit_of_timeout(input: &str) -> Option<&str> {
    let acts = acts(input);
    let words = acts.iter().find_map(|act| {
        let at = act.prefixes().iter().position(|word| matches!(*word, "timeout" | "gtimeout"))?;
        act.prefixes().get(at + 1..)
    })?;
    // The one before may be the value of an option.
    words.iter().copied().rfind(|word| word.starts_with(|c: char| c.is_ascii_digit()))
}

/// The program whose exit code is that of the command: the last one, which may be a filter. Which one of `a && b` was the
/// last that ran is not known.
pub(super) fn of_exit_code(input: &str, steps: &[Step<'_>]) -> String {
    let is_chain = input.contains("&&") && steps.iter().any(|step| Some(step) != steps.last());
    // What a filter shows was printed by the program before it.
    let is_filter = |step: &Step<'_>| input.contains('|') && SHOWING.contains(&step.program);
    let program = last(input).filter(|step| !is_filter(step)).or_else(|| steps.last().copied());
    program.filter(|step| !is_chain && !stops(step)).map(|step| step.name()).unwrap_or_default()
}
