//! The advice of which no session is known that shows what helps: the first candidate that no session contradicts.
//!
//! What worked in a session comes before all of these (`directions.rs`). Then the candidates are, in this order: what the failing
//! tool suggests, what is known of the error, what helps against the cause in this program, and what helps in general. If none
//! remains, there is no advice.
//!
//! A candidate names acts: a command, a program, or an install. They are read from the sentence, where they stand in backticks,
//! so a cause gives only its sentences. What the same session did after the failure decides:
//!
//! * it did the act, and that worked: the advice says so;
//! * it did the act, and that failed or had nothing to do: the advice is not given, and the next candidate is asked;
//! * it looked right before the failure, as the advice asks: the same.

use crate::analysis::Around;
use crate::cause::Cause;
use crate::causes::Group;
use crate::findings::directions::TOOL_SUGGESTS;
use crate::output::below::is_command;
use crate::report::clipped;
use crate::worked::between::installs;
use crate::worked::machine::Machine;
use crate::worked::tried::End;

/// Failures of a finding whose sessions are asked.
const MAX_FAILURES: usize = 256;
/// Words of a command that only asks.
const ASKS: [&str; 22] = [
    "ls",
    "find",
    "rg",
    "grep",
    "cat",
    "which",
    "jq",
    "list",
    "status",
    "show",
    "log",
    "diff",
    "why",
    "fsck",
    "doctor",
    "view",
    "search",
    "help",
    "--help",
    "-h",
    "--version",
    "-c",
];
/// What stands in front of an act that is not to be done.
const NOT_DONE: [&str; 7] = ["instead of", "without", "not", "than", "in place of", "for", "in"];
/// What stands in front of a single word that is a program to run.
const RUNS: [&str; 4] = ["run", "use", "or", "uses"];

/// What remains of an advice to look first, if the session had looked; nothing for the other causes that are about a look.
const LOOKED: [(Cause, &str); 5] = [
    (Cause::EditNothing, "tell the agent to leave out an edit whose new text is the old one"),
    (Cause::EditText, "tell the agent to match fewer lines, and to copy them as the file has them"),
    (Cause::Exists, "tell the agent to use a name of its own, or to remove what has this name"),
    (Cause::Uncommitted, "tell the agent to commit or stash its changes before it switches, pulls or merges"),
    (Cause::OptionRefused, "say in the agent's instructions which option serves instead"),
];
/// The causes whose advice is to look first.
const LOOK: [Cause; 10] = [
    Cause::EditText,
    Cause::EditNothing,
    Cause::Path,
    Cause::Exists,
    Cause::Uncommitted,
    Cause::NothingToCommit,
    Cause::GitName,
    Cause::Package,
    Cause::Subcommand,
    Cause::OptionRefused,
];

/// An act that an advice names.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Act<'a> {
    Run(&'a str),
    Install(&'a str),
}

impl Group {
    /// The first advice that no session contradicts: what the failing tool suggests, what is known of the error, what helps
    /// against the cause in this program, and what helps in general.
    pub(super) fn first_agreed(&self, known: Option<String>, around: Around<'_>) -> Option<String> {
        let suggested = self.suggested();
        // What is known of this one error says more than a command.
        let is_bare = |text: &str| text.strip_prefix(TOOL_SUGGESTS).is_some_and(is_command) && known.is_some();
        let explained = suggested.clone().filter(|text| !text.contains("sage: ") && !is_bare(text));
        let looked = self.after_a_look(around);
        let specific = || if looked.is_some() { None } else { self.specific(around) };
        let general = || {
            let general = looked.clone().unwrap_or_else(|| self.general());
            Some(general).filter(|advice| !advice.is_empty() && !self.only_asks(around))
        };
        let candidates: [&dyn Fn() -> Option<String>; 6] = [
            &|| explained.clone(),
            &|| known.clone(),
            &|| self.is_elsewhere(around),
            &specific,
            &|| suggested.clone(),
            &general,
        ];
        candidates.iter().filter_map(|give| give()).find_map(|advice| self.agreed(advice, around))
    }

    /// What helps against the cause in general, with the names of what is missing if they are few.
    fn general(&self) -> String {
        const WHAT: &str = "what is missing";
        let advice = self.cause.about().advice;
        let names = self.frequent_names();
        let is_shown = |name: &&str| !name.contains(['/', '\\', '…']);
        if !(1..=3).contains(&names.len()) || !names.iter().all(is_shown) || !advice.contains(WHAT) {
            return advice.to_owned();
        }
        advice.replace(WHAT, &names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and "))
    }

    /// What to do about modules that were there already when the session installed them: another Python has them.
    fn is_elsewhere(&self, around: Around<'_>) -> Option<String> {
        if self.cause != Cause::Module {
            return None;
        }
        let failures = self.places_in_log();
        let names = self.frequent_names();
        let name = names.iter().find(|name| around.next.tried().install(name, &failures) == Some(End::Nothing))?;
        Some(format!(
            "say in the agent's instructions which environment to use: the agent installed `{name}` later, and another Python than \
             the one that failed had it already"
        ))
    }

    /// The sessions and the numbers of the failures.
    fn places_in_log(&self) -> Vec<(u32, u64)> {
        self.members.iter().take(MAX_FAILURES).map(|member| (member.session, member.event)).collect()
    }

    /// The advice, with what the sessions show of it; `None` if they contradict it.
    fn agreed(&self, advice: String, around: Around<'_>) -> Option<String> {
        // What a check reports is the agent's work: that it works later says nothing of the advice. What is to be allowed is the
        // operator's.
        let is_of_others = matches!(
            self.cause,
            Cause::Tests | Cause::Problems | Cause::Before | Cause::Denied | Cause::Forbidden | Cause::Escalated
        );
        if is_of_others || self.cause.is_about_edits() {
            return Some(advice);
        }
        let failures = self.places_in_log();
        let acts = acts(&advice);
        let mut done: Option<&Act<'_>> = None;
        for act in &acts {
            let end = match act {
                Act::Run(command) => around.next.tried().of(command, &failures),
                Act::Install(name) => around.next.tried().install(name, &failures),
            };
            match end {
                Some(End::Worked) => done = done.or(Some(act)),
                Some(end) if self.contradicts(act, end) => return None,
                None if lacks(act, around.machine) => return None,
                _ => {}
            }
        }
        let said = match done {
            Some(Act::Run(command)) if !asks(command) => {
                let which = if acts.len() == 1 { "it".to_owned() } else { format!("`{}`", clipped(command, 80)) };
                format!("; the agent ran {which} later, and that worked")
            }
            Some(Act::Install(name)) => format!("; the agent installed `{name}` later"),
            _ => self.seen(&acts, around),
        };
        Some(advice + &said)
    }

    /// What other calls show of the only act of an advice: the program ran there, or the install failed for a reason that the agent
    /// cannot mend.
    fn seen(&self, acts: &[Act<'_>], around: Around<'_>) -> String {
        match acts {
            [Act::Run(command)] if self.cause == Cause::Program && around.machine.runs(first_word(command)) => {
                format!("; other calls ran `{}`", first_word(command))
            }
            [Act::Install(name), ..] => match around.next.tried().install(name, &self.places_in_log()) {
                Some(End::Failed(Cause::Network)) => "; the agent could not, as it reached no server".to_owned(),
                Some(End::Failed(Cause::Access | Cause::Denied | Cause::Forbidden)) => {
                    "; the agent could not, as it had no right to".to_owned()
                }
                Some(End::Failed(_)) => "; the agent tried it, and that failed".to_owned(),
                _ => String::new(),
            },
            _ => String::new(),
        }
    }

    /// What remains of the advice of a cause if the session had looked right before most of these failures, as it asks; `None`
    /// if it had not, or the cause asks for no look.
    fn after_a_look(&self, around: Around<'_>) -> Option<String> {
        let count = if LOOK.contains(&self.cause) { around.next.looked(&self.events()) } else { 0 };
        // The name of a file is given by the work.
        if count == 0 || count.saturating_mul(2) < self.failures || self.makes_files() {
            return None;
        }
        let rest = LOOKED.iter().find(|(cause, _)| *cause == self.cause).map(|(_, rest)| *rest);
        Some(
            rest.map_or_else(String::new, |rest| format!("{rest}: it had looked right before{}", self.of_cases(count))),
        )
    }

    /// Whether an act that ended so is no cure of this. What runs and reports something else is there, at least.
    fn contradicts(&self, act: &Act<'_>, end: End) -> bool {
        const MISSING: [Cause; 4] = [Cause::Program, Cause::Module, Cause::OwnModule, Cause::WrongModule];
        let cause = match end {
            End::Worked => return false,
            End::Nothing => return true,
            End::Failed(cause) => cause,
        };
        // The operator can install what the agent could not.
        let Act::Run(command) = act else { return false };
        if MISSING.contains(&self.cause) {
            let is_missing = if command.contains(' ') { MISSING.contains(&cause) } else { cause == Cause::Program };
            return is_missing || installs(command);
        }
        !matches!(cause, Cause::Tests | Cause::Problems | Cause::Before)
    }
}

/// The acts that an advice names.
pub(super) fn acts(advice: &str) -> Vec<Act<'_>> {
    let mut acts = Vec::new();
    let mut before = "";
    for (at, span) in advice.split('`').enumerate() {
        if at % 2 == 0 {
            before = span;
        } else {
            acts.extend(act(before, span));
        }
    }
    // A tool that suggests something puts it into quotes of its own.
    if let Some(said) = advice.strip_prefix(TOOL_SUGGESTS) {
        let quoted = said.split(['"', '\'']).skip(1).step_by(2);
        let hint = said.strip_prefix("hint: ").or_else(|| said.strip_prefix("help: "));
        let runs = |span: &&str| span.contains(' ') && !span.contains('`');
        acts.extend(quoted.chain(hint).filter(runs).filter_map(|span| act("", span)));
    }
    acts
}

/// The act that a part of an advice names, behind these words.
fn act<'a>(before: &str, span: &'a str) -> Option<Act<'a>> {
    let before = before.trim_end().trim_end_matches([':', '(', ',']);
    let before = before.to_ascii_lowercase();
    let ends = |words: &&str| before.strip_suffix(*words).is_some_and(|rest| !rest.ends_with(char::is_alphanumeric));
    if NOT_DONE.iter().any(ends) {
        return None;
    }
    let command = without_placeholder(span).trim();
    let is_program = command.starts_with(|c: char| c.is_ascii_lowercase() || matches!(c, '.' | '/' | '~'));
    if !is_program || command.contains(['\n', '…']) {
        return None;
    }
    let is_cut_at_option = command != span && command.rsplit(' ').next().is_some_and(|word| word.starts_with('-'));
    if command.contains(' ') {
        let starts_others = [" run", " exec", " -m"].iter().any(|end| command.ends_with(end));
        return (!is_cut_at_option && !starts_others).then_some(Act::Run(command));
    }
    // Of a command with a name to fill in, one word says too little.
    if command != span {
        return None;
    }
    if ends(&"install") {
        return Some(Act::Install(command));
    }
    RUNS.iter().any(ends).then_some(Act::Run(command))
}

/// A command up to the first word that stands for another one: `NAME`, `<file>`, `package.module`.
fn without_placeholder(span: &str) -> &str {
    let stands = |word: &str| {
        word.contains(['<', '$', '*', '…'])
            || word == "package.module"
            || word.len() > 2 && word.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_')
    };
    let end = span.split(' ').take_while(|word| !stands(word)).map(|word| word.len() + 1).sum::<usize>();
    span.get(..end.min(span.len())).unwrap_or(span)
}

/// Whether an act needs a program that the log shows to be missing.
pub(super) fn lacks(act: &Act<'_>, machine: &Machine) -> bool {
    matches!(act, Act::Run(command) if machine.lacks(first_word(command)))
}

fn first_word(command: &str) -> &str {
    command.split(' ').next().unwrap_or_default()
}

/// Whether a command only asks for something.
fn asks(command: &str) -> bool {
    command.split(' ').any(|word| ASKS.contains(&word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_advice_names_its_acts_in_backticks() {
        use Act::{Install, Run};
        for (advice, expected) in [
            (
                "run it in the project's environment: `python3 -m pytest`, or `uv run pytest`",
                &[Run("python3 -m pytest"), Run("uv run pytest")][..],
            ),
            ("tell the agent to run `python3`, or to make the environment active that has `python`", &[Run("python3")]),
            (
                "install `jq`, or tell the agent to use `python3 -m json.tool`",
                &[Install("jq"), Run("python3 -m json.tool")],
            ),
            ("for `fd`, tell the agent to use `find`", &[Run("find")]),
            ("look whether it parses (`python -m py_compile FILE`)", &[Run("python -m py_compile")]),
            ("run it as a module (`python -m package.module`), not as a file", &[]),
            ("say in the agent's instructions what serves instead of `--region`", &[]),
            ("run `a b` instead of `c d`", &[Run("a b")]),
            ("have the agent use `uv run` and `uv add`, which make it", &[Run("uv add")]),
            ("set `DATABASE_URL` for the agent", &[]),
            ("import it with `import`", &[]),
            ("the tool itself suggests: Did you mean \"webhook_endpoints\"?", &[]),
            ("the tool itself suggests: run 'npm audit fix' first", &[Run("npm audit fix")]),
            ("the tool itself suggests: hint: git merge --no-ff", &[Run("git merge --no-ff")]),
            ("", &[]),
            ("`", &[]),
        ] {
            assert_eq!(acts(advice), expected, "{advice}");
        }
    }
}
