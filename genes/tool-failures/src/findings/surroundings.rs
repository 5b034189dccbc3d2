//! What helps if the shell, the sandbox or the folder of a call is the reason, and not the program.

use crate::analysis::Around;
use crate::cause::Cause;
use crate::causes::{Group, is_of_powershell};
use crate::command::paths::is_absolute;
use crate::findings::of_cause::is_package_name;
use crate::measures::groups::Failure;

/// What helps if the agent's sandbox forbids what was denied.
const CONFINED: &str = "allow it in the agent's sandbox (the folder, the program, the port), or let the agent run this step outside of it: \
     the log shows that it runs in one";

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
            Cause::Access if !self.members.is_empty() && self.members.iter().all(|member| around.machine.is_confined(member.session)) => {
                Some(CONFINED.to_owned())
            }
            Cause::Network if self.members.iter().all(|member| around.machine.is_cut_off(member.session)) => Some(
                "let the agent's sandbox reach the network, or let the agent run this step outside of it: the system forbids the connection"
                    .to_owned(),
            ),
            Cause::OwnModule
                if let [name] = named[..]
                    && let Some(folder) =
                        self.members.iter().find_map(|member| around.own.folder_of(member.session, name))
                    // From another folder, the path is another one.
                    && (is_absolute(folder) || !self.newest.iter().any(|failure| failure.input.contains("cd "))) =>
            {
                Some(format!(
                    "put the folder that has `{name}` on the module path, such as with `PYTHONPATH={folder}`, or say in the agent's \
                     instructions from which folder code runs"
                ))
            }
            Cause::WrongModule if let Some((package, name)) = self.own_part(around) => Some(format!(
                "tell the agent to list `{package}` before it imports from it: this package of the project has no module `{name}`"
            )),
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
    /// A package of the project, and the module that all of these import from it, in code that their commands hold.
    fn own_part(&self, around: Around<'_>) -> Option<(String, String)> {
        let [name] = self.frequent_names()[..] else { return None };
        let imports =
            |failure: &Failure| [" -c ", " -c\"", "<<", "import "].iter().any(|words| failure.input.contains(words));
        let session = self.members.last()?.session;
        let (package, module) = name.rsplit_once('.')?;
        (self.newest.iter().all(imports) && around.own.has_package(session, name))
            .then(|| (package.replace('.', "/"), module.to_owned()))
    }

    /// Whether the shell got `\\!` in place of `!` in half of these calls, and quotes it in one of them.
    fn is_of_escaped_marks(&self) -> bool {
        let quoted = self.members.iter().filter(|member| member.is_escaped).count();
        let run = self.members.iter().filter(|member| member.line.ends_with(": !: command not found")).count();
        quoted > 0 && (quoted + run) * 2 >= self.members.len()
    }
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
