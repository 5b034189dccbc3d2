//! What helps if the shell, the sandbox or the folder of a call is the reason, and not the program.

use crate::analysis::Around;
use crate::cause::Cause;
use crate::causes::{Group, is_of_powershell};
use crate::findings::of_cause::is_package_name;

impl Group {
    /// What helps, if what lies around the program is the reason.
    pub(super) fn of_surroundings(&self, around: Around<'_>) -> Option<String> {
        let (program, named) = (self.program(), self.frequent_names());
        match self.cause {
            // PowerShell has quotes of its own.
            Cause::Shell if is_of_powershell(program) => None,
            Cause::Shell if self.is_of_escaped_marks() => Some(
                "tell the agent to put a script that has `!` into a file, or to write its tests without it (`[ -d a ] || …`): the shell \
                 gets `\\!` in its place"
                    .to_owned(),
            ),
            Cause::Shell if self.latest().is_some_and(|failure| leaves_open(&failure.line)) => Some(
                "tell the agent to put a text with quotes or backticks into single quotes, or into a file: the shell found a quote \
                 without its end"
                    .to_owned(),
            ),
            Cause::Shell if self.latest().is_some_and(|failure| is_loop(&failure.line, &failure.input)) => Some(
                "tell the agent to write a loop with `$(…)` into a script file, and to run that".to_owned(),
            ),
            Cause::Timeout if let Some(trivial) = self.newest.iter().find_map(|failure| trivial(&failure.input)) => Some(format!(
                "look at the agent's shell itself (its start, the sandbox, a virus scanner): even `{trivial}` did not end in time, so \
                 that a smaller command does not help"
            )),
            Cause::Timeout if named.iter().any(|limit| is_brief(limit)) => Some(format!(
                "allow it more time: the limit was {}",
                named.iter().find(|limit| is_brief(limit)).copied().unwrap_or_default()
            )),
            Cause::Network if self.members.iter().all(|member| around.machine.is_cut_off(member.session)) => Some(
                "let the agent's sandbox reach the network, or let the agent run this step outside of it: the system forbids the connection"
                    .to_owned(),
            ),
            Cause::WrongModule if matches!(program, "node" | "bun" | "deno") => Some(match named[..] {
                [name] if is_package_name(name) => {
                    format!("install `{name}` where this code runs, or run it in the folder whose `node_modules` has it")
                }
                _ => "run it in the folder whose `node_modules` has this module, or correct its name".to_owned(),
            }),
            _ => None,
        }
    }
}

impl Group {
    /// Whether the shell got `\\!` in place of `!` in half of these calls, and quotes it in one of them.
    fn is_of_escaped_marks(&self) -> bool {
        let quoted = self.members.iter().filter(|member| member.is_escaped).count();
        let run = self.members.iter().filter(|member| member.line.ends_with(": !: command not found")).count();
        quoted > 0 && (quoted + run) * 2 >= self.members.len()
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
    number("ms").map(|ms| ms / 1000.0).or_else(|| number("s")).is_some_and(|seconds| seconds < 5.0)
}

/// Whether a shell says that a quote has no end.
fn leaves_open(line: &str) -> bool {
    ["nmatched \"", "nmatched '", "nmatched `", "looking for matching", "nterminated quoted string"]
        .iter()
        .any(|words| line.contains(words))
}

/// Whether a shell does not read a command that has a substitution.
fn is_loop(line: &str, input: &str) -> bool {
    let has_loop = ["for ", "while ", "until "].iter().any(|word| input.contains(word));
    has_loop && input.contains('$') && line.contains("syntax error near unexpected token")
}
