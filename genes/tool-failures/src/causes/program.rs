//! Which program of a call an output is about. What the output does not show is not guessed: then no program is named.

use gephost_gene::run_log::FailureKind;

use crate::call::Call;
use crate::cause::Cause;
use crate::command::shell::{FILTERS, Step, WRAPPERS, announced};
use crate::output::cause_line::is_thrown;
use crate::output::names;

/// Programs that only show something, so that what an output says besides is seldom theirs.
pub(crate) const SHOWING: [&str; 12] =
    ["cat", "ls", "head", "tail", "find", "grep", "rg", "wc", "xxd", "file", "stat", "which"];
/// Programs that run Python's code.
const PYTHON: [&str; 7] = ["python", "python3", "python2", "py", "pytest", "ipython", "django-admin"];
/// Programs that run JavaScript.
const NODE: [&str; 13] =
    ["node", "npm", "pnpm", "yarn", "bun", "tsx", "ts-node", "jest", "vitest", "mocha", "next", "vite", "deno"];
/// What stands before a message and is no program that a command names.
const NO_PROGRAMS: [&str; 10] =
    ["bash", "sh", "zsh", "dash", "error", "Error", "ERROR", "fatal", "warning", "Exception"];

/// The program that an output is about: the tool itself if it runs no command, and an empty text if nothing says which of
/// several programs failed.
pub(crate) fn program(call: &Call<'_>, line: &str, steps: &[Step<'_>], cause: Cause) -> String {
    let text = line.trim_start();
    if steps.is_empty() {
        // `a.py: error: …` names the program, however it was started.
        let head = text.split_once(": error: ").map(|(head, _)| head);
        return head.filter(|head| !head.contains([' ', ':', '/'])).unwrap_or(call.name).to_owned();
    }
    // What a filter says of the rest of an output is not why the call took too long.
    let is_of_filter = |name: &String| cause == Cause::Timeout && FILTERS.contains(&name.as_str());
    if let Some(speaker) = speaker(text, call.input, steps).filter(|name| !is_of_filter(name)) {
        return speaker;
    }
    if let Some(name) = of_cause(call, text, steps, cause) {
        return name;
    }
    let works: Vec<&Step<'_>> = steps.iter().filter(|step| !SHOWING.contains(&step.program) && !stops(step)).collect();
    let steps = if works.is_empty() { steps.iter().collect() } else { works };
    only(&steps).or_else(|| only(&of_language(call, line, &steps))).unwrap_or_default()
}

/// The program, if all steps run the same one: `git` of `git fetch && git status`.
fn only(steps: &[&Step<'_>]) -> Option<String> {
    let first = steps.first()?;
    let is_same = steps.iter().all(|step| step.name() == first.name());
    let runs_same = steps.iter().all(|step| step.program == first.program);
    if is_same { Some(first.name()) } else { runs_same.then(|| first.program.to_owned()) }
}

/// The program that only this cause has: the compiler whose codes these are, the one that tests or checks.
fn of_cause(call: &Call<'_>, line: &str, steps: &[Step<'_>], cause: Cause) -> Option<String> {
    // Only pip says this, whatever the command does besides.
    if line.contains("externally-managed-environment") {
        return steps.iter().rfind(|step| step.program.starts_with("pip")).map(Step::name);
    }
    if line.contains(" to patch at input line ") {
        return steps.iter().rfind(|step| step.program == "patch").map(Step::name);
    }
    let nested = || announced(call.output).filter(|step| step.tests() || step.checks()).map(|step| step.name());
    let tests = || steps.iter().rfind(|step| step.tests()).map(Step::name);
    let checks = || steps.iter().rfind(|step| step.checks()).map(Step::name);
    match cause {
        Cause::Timeout if waits(call) => Some("sleep".to_owned()),
        Cause::Tests => nested().or_else(tests),
        Cause::Problems => names::compiler(call.output).map(str::to_owned).or_else(nested).or_else(checks),
        // An exception may be that of any step.
        _ if call.kind == FailureKind::CompileLint && !is_thrown(line) => checks(),
        _ => None,
    }
}

/// Whether a command that ran into a limit only waited: `sleep` alone takes nearly as long.
fn waits(call: &Call<'_>) -> bool {
    let mut words = call.input.split(|c: char| c.is_whitespace() || matches!(c, ';' | '&' | '"' | '\''));
    let mut seconds = 0_u32;
    while let Some(word) = words.next() {
        if word == "sleep" {
            let time = words.next().unwrap_or_default();
            let (number, unit) = time.split_at(time.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(time.len()));
            let times = if unit == "m" { 60 } else { 1 };
            seconds = number.parse().unwrap_or(0_u32).saturating_mul(times).saturating_add(seconds);
        }
    }
    // Without a duration, the limit is taken for the shortest that is usual.
    let limit_ms = call.duration_ms.unwrap_or(120_000.0);
    seconds >= 30 && f64::from(seconds) * 1000.0 >= limit_ms * 0.8
}

/// The steps that run the language in which an exception was raised.
fn of_language<'s, 'a>(call: &Call<'_>, line: &str, steps: &[&'s Step<'a>]) -> Vec<&'s Step<'a>> {
    let is_of_python = call.output.contains("File \"") || is_thrown(line) && line.contains("ModuleNotFoundError");
    let is_of_node = call.output.contains("\n    at ") && call.output.contains(".js") || is_of_manager(line);
    let names: &[&str] = match (is_of_python, is_of_node) {
        (true, false) => &PYTHON,
        (false, true) => &NODE,
        _ => return Vec::new(),
    };
    let runs =
        |step: &&&Step<'_>| names.contains(&step.program) || is_of_python && step.program.strip_suffix(".py").is_some();
    // A script of a package manager prints its name first; without it, the script did not run.
    let began = |step: &&&Step<'_>| {
        !matches!(step.program, "npm" | "pnpm" | "yarn") || call.output.contains("> ") || is_of_manager(line)
    };
    steps.iter().filter(runs).filter(began).copied().collect()
}

/// Whether a step only stops another program.
pub(crate) fn stops(step: &Step<'_>) -> bool {
    matches!(step.program, "kill" | "pkill" | "killall")
}

/// Whether a package manager says the line.
fn is_of_manager(line: &str) -> bool {
    let line = line.trim_start();
    ["npm", "ERR_PNPM", "error Command", "yarn"].iter().any(|start| line.starts_with(start))
}

/// The program that the line names as its own, if the command names it, too: `jq: error …`, `bash: line 1: kill: …`,
/// `mise ERROR …`.
fn speaker(line: &str, input: &str, steps: &[Step<'_>]) -> Option<String> {
    let is_word = |head: &str| {
        let is_of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '+');
        !head.is_empty() && head.chars().all(is_of_name) && !NO_PROGRAMS.contains(&head)
    };
    let named = |head: &str| {
        if let Some(step) = steps.iter().find(|step| step.program == head) {
            let same = steps.iter().filter(|step| step.program == head).count();
            return Some(if same == 1 { step.name() } else { head.to_owned() });
        }
        let mut words = input.split(|c: char| c.is_whitespace() || matches!(c, '|' | '(' | '"' | '\'' | ';' | '/'));
        words.any(|word| word == head).then(|| head.to_owned())
    };
    // git says this only of itself, on whatever machine it runs.
    if line.starts_with("fatal: ") && input.contains("git ") {
        let git: Vec<&Step<'_>> = steps.iter().filter(|step| step.program == "git").collect();
        return only(&git).or_else(|| Some("git".to_owned()));
    }
    let tagged = line.split(' ').next().filter(|head| {
        WRAPPERS.contains(head)
            && line.get(head.len()..).is_some_and(|rest| rest.starts_with(" ERROR") || rest.starts_with(" error"))
    });
    // `stat /w/a: not found`: the path is that of what is not found.
    let heads = line.split(": ").take(3).filter(|head| !head.starts_with("stat "));
    let heads = heads.map(|head| head.rsplit('/').next().unwrap_or(head));
    // The last part is the message, and names no speaker.
    let count = line.matches(": ").count();
    tagged.into_iter().chain(heads.take(count)).filter(|head| is_word(head)).find_map(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_that_only_waited_is_one_of_sleep() {
        for (input, duration_ms, expected) in [
            ("sleep 120 && aws s3 ls", Some(120_050.0), true),
            ("sleep 2m; aws s3 ls", None, true),
            ("sleep 5 && npm run build", Some(120_000.0), false),
            ("npm run sleep", None, false),
            ("sleep 45; make", Some(600_000.0), false),
        ] {
            assert_eq!(waits(&Call { duration_ms, input, ..Call::FAILED }), expected, "{input}");
        }
    }
}
