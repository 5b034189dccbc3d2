//! What the log shows beside the failed calls decides the advice: the user's message names the missing path, another user owns the
//! repository, or a part of a refused command may run by itself.

use crate::analysis::Around;
use crate::cause::Cause;
use crate::causes::Group;
use crate::command::shell::acts;
use crate::findings::keyed::Keyed;
use crate::measures::groups::Failure;
use crate::output::names;
use crate::worked::forgotten::{is_function, unbound};
use crate::worked::machine::Machine;

/// The groups. Of a command that a rule refuses, the steps that ran in other calls are not what is refused.
pub(crate) fn without_allowed(mut all: Vec<Keyed>, machine: &Machine) -> Vec<Keyed> {
    for (_, group) in all.iter_mut().filter(|(_, group)| group.cause == Cause::Forbidden) {
        for member in &mut group.members {
            let (allowed, refused): (Vec<String>, Vec<String>) =
                member.names.drain(..).partition(|name| machine.runs(name));
            if let (Some(name), false) = (allowed.first(), refused.is_empty()) {
                group.allowed.clone_from(name);
            }
            member.names = if refused.is_empty() { allowed } else { refused };
        }
    }
    all
}

impl Group {
    /// What to do, if something beside the calls decides it.
    pub(super) fn by_facts(&self, around: Around<'_>) -> Option<String> {
        match self.cause {
            _ if self.is_forgotten(around) => Some(self.of_another_shell()),
            Cause::Path | Cause::Folder => self.ordered(around),
            Cause::Outside if self.members.iter().all(|member| around.machine.is_of_others(member.session)) => Some(
                "name the folder with `git -c safe.directory=FOLDER`, or give it to the agent's user: git refused it in the same \
                 session, because another user owns it"
                    .to_owned(),
            ),
            Cause::Forbidden => self.refused_part(),
            Cause::Refused if self.members.iter().any(|member| names_number(&member.line)) => Some(
                "say in the agent's instructions that its tool stops a process only by its number, written out: `kill PID`, \
                 `Stop-Process -Id PID`"
                    .to_owned(),
            ),
            Cause::Problems if self.program() == "tsc" && self.latest().is_some_and(|failure| names_source(&failure.input)) => Some(
                "have the agent run `tsc --noEmit` without names of files: with them, it ignores tsconfig.json".to_owned(),
            ),
            Cause::Error if self.begins_with_comments() => Some(
                "tell the agent to leave out the lines of comment in front of a command, which its tool takes for a command of \
                 their own, and to chain commands with `&&`"
                    .to_owned(),
            ),
            _ => None,
        }
    }

    /// Whether most of these miss what an earlier call set or loaded.
    fn is_forgotten(&self, around: Around<'_>) -> bool {
        let missed = self.members.iter().filter(|member| around.forgotten.is_missed(member.event)).count();
        missed * 2 > self.members.len()
    }

    /// What to do if a call does not have what an earlier one set or loaded in its own shell.
    fn of_another_shell(&self) -> String {
        let named = self.frequent_names();
        let latest = self.latest().and_then(|failure| unbound(&failure.line));
        let function = named.iter().copied().find(|name| is_function(name));
        let name =
            function.or(named.first().copied()).or(latest).map_or_else(|| "it".to_owned(), |name| format!("`{name}`"));
        if self.cause == Cause::Program {
            format!(
                "tell the agent to load its functions (`source FILE`) in each command that uses them, and to look whether that \
                 works: {name} is no program, and what an earlier call loaded is gone with its shell"
            )
        } else {
            format!(
                "tell the agent to set {name} in each command that uses it: what an earlier call set is gone with its shell"
            )
        }
    }

    /// Whether a tool that takes one command at a time got most of them behind a comment.
    fn begins_with_comments(&self) -> bool {
        let is_comment = |failure: &&Failure| failure.input.starts_with('#');
        let (all, commented) = (self.newest.iter().count(), self.newest.iter().filter(is_comment).count());
        self.members.iter().all(|member| member.line.contains("annot execute multiple commands at once"))
            && commented * 2 >= all
            && commented > 0
    }

    /// What to do about a path that the user's message names. What the session writes itself is not there at first.
    fn ordered(&self, log: Around<'_>) -> Option<String> {
        let missed = |event| log.ordered.missed(event).filter(|(session, path)| !log.written.has(*session, path));
        let found: Vec<(u32, &str)> = self.members.iter().filter_map(|member| missed(member.event)).collect();
        let (_, path) = found.last().filter(|_| found.len() * 2 >= self.members.len())?;
        Some(format!(
            "correct the prompt, which names `{}`, or put this path in place before the agent starts: it is not there",
            names::shown(path)?
        ))
    }

    /// Whether the newest call runs a script that the agent wrote: in the command itself, or in a file before.
    pub(super) fn runs_own_script(&self, around: Around<'_>) -> bool {
        let (Some(failure), Some(member)) = (self.latest(), self.members.last()) else { return false };
        let words: Vec<&str> = failure.input.split_whitespace().collect();
        let is_file = |word: &&&str| word.rsplit_once('.').is_some_and(|(_, end)| end == "py");
        let runs_module = words.windows(2).any(|pair| pair[0] == "-m" && pair[1] != "json.tool");
        !runs_module && words.iter().filter(is_file).all(|file| around.written.has(member.session, file))
    }

    /// The only step of refused commands that no other call ran.
    fn refused_part(&self) -> Option<String> {
        let [name] = self.frequent_names()[..] else { return None };
        (!self.allowed.is_empty()).then(|| {
            format!(
                "tell the agent to leave `{name}` out of its commands, or allow it in its permissions: `{}`, which was refused \
                 with it, ran by itself",
                self.allowed
            )
        })
    }
}

/// Whether a refusal asks for the number of a process.
fn names_number(line: &str) -> bool {
    ["PID", "process ID", "-Id "].iter().any(|words| line.contains(words))
}

/// Whether `tsc` is called with files of source code, and with no project.
fn names_source(input: &str) -> bool {
    let is_source = |word: &&str| {
        !word.starts_with('-') && word.rsplit_once('.').is_some_and(|(_, end)| matches!(end, "ts" | "tsx"))
    };
    acts(input).iter().any(|act| {
        let words = act.arguments();
        act.step.program == "tsc"
            && words.iter().any(is_source)
            && !words.iter().any(|word| matches!(*word, "-p" | "--project" | "-b" | "--build"))
    })
}
