//! What to do about a cause: what worked next, what the failing tool suggests, what is known of the error, what helps in
//! general, or the place to look at.

use std::path::Path;

use gephost_gene::run_log::{Difference, FailureKind};

use crate::analysis::Around;
use crate::cause::Cause;
use crate::causes::{Group, Member};
use crate::command::paths::base;
use crate::command::shell::{Step, steps};
use crate::findings::advice::Corrections;
use crate::measures::groups::Failure;
use crate::output::caches::{self, Cache};
use crate::output::line::{collapsed, untagged};
use crate::output::places::{is_of_framework, is_of_tests};
use crate::output::remedies::{ASSIGNED, DEFINE, ESM, ESM_OF_PROJECT, TESTED, hint, holds};
use crate::output::suggestion::is_done;
use crate::report::clipped;

/// What helps if many paths do not exist that have nothing in common.
pub(crate) const LOOK_FIRST: &str =
    "tell the agent to look where a file is (`rg --files`, `find`) before it opens it by a name that it expects";
/// Most checks that are named in an advice.
const MAX_CHECKS: usize = 2;
/// Words of the names of checks.
const CHECKS: [&str; 20] = [
    "lint",
    "eslint",
    "tsc",
    "check",
    "typecheck",
    "types",
    "build",
    "compile",
    "vet",
    "clippy",
    "ruff",
    "mypy",
    "pyright",
    "flake8",
    "black",
    "prettier",
    "biome",
    "fmt",
    "format",
    "gofmt",
];
/// How the advice begins that a failing tool gives.
pub(crate) const TOOL_SUGGESTS: &str = "the tool itself suggests: ";
/// What precedes a usage.
const TOOL_SAYS: &str = "call it as the tool itself says: ";
/// Most characters of a suggestion.
const SUGGESTION_CHARS: usize = 160;

impl Group {
    /// What to do; empty if nothing is known to help.
    pub(crate) fn direction(&self, around: Around<'_>) -> String {
        // What is wrong with a script for one use says nothing of the next one.
        if self.is_of_mistakes() {
            return String::new();
        }
        if self.cause == Cause::Several {
            return self.after_each_change();
        }
        if self.cause == Cause::Misuse {
            return self.called(around);
        }
        if let Some(advice) = self.of_parts() {
            return advice;
        }
        let outside = || self.unasked(around).or_else(|| self.in_environment(around));
        if let Some(advice) = self.at_other_front().or_else(outside) {
            return advice;
        }
        let is_code = matches!(
            self.kind,
            FailureKind::Traceback | FailureKind::CompileLint | FailureKind::MissingModule | FailureKind::TestFailure
        );
        let place = self.place.as_ref().filter(|_| is_code || self.cause == Cause::Tests);
        // Errors with different names are at different places.
        let place = place.filter(|_| self.cause == Cause::Tests || self.frequent_names().len() < 2);
        let known = self.known(place, around);
        if let Some(worked) = self.corrected(known.is_some(), around) {
            return worked;
        }
        let worked = self
            .by_facts(around)
            .or_else(|| self.installed(around))
            .or_else(|| self.ran(around))
            .or_else(|| self.served(around))
            .or_else(|| self.committed(around))
            .or_else(|| self.refused(around))
            .or_else(|| self.repeated(around));
        let advice = worked.or_else(|| self.first_agreed(known, around)).unwrap_or_default();
        let advice = self.with_example(advice, around);
        if !advice.is_empty() {
            return advice;
        }
        self.edited(around).or_else(|| self.seldom(around)).or_else(|| self.unchanged(around)).unwrap_or_default()
    }

    /// What was different in the calls that worked in place of these.
    fn corrected(&self, is_known: bool, around: Around<'_>) -> Option<String> {
        let corrections = || {
            let corrections = Corrections::of(self.corrections(around));
            let corrections = if is_known { corrections.of_known_error() } else { corrections };
            let corrections = corrections.after_reads(around.next.looked(&self.events()));
            corrections.advice(self.cause, self.failures)
        };
        self.too_early(around)
            .or_else(|| self.stated(around))
            .or_else(|| self.worded(around))
            .or_else(|| self.started(around))
            .or_else(corrections)
            .or_else(|| self.rewritten(around))
            .or_else(|| self.other_server(around))
            .or_else(|| self.other_object(around))
            .or_else(|| self.by_tool(around))
            .or_else(|| self.given(around))
            .or_else(|| self.made(around))
            .or_else(|| self.elsewhere(around))
            .or_else(|| self.with_sudo(around))
            .or_else(|| self.whole(around))
    }

    /// What helps against wrong calls of a program: how it is called, as it says itself and as the call shows that worked next.
    fn called(&self, around: Around<'_>) -> String {
        let program = self.program();
        let mut advice = format!(
            "say in the agent's instructions how `{program}` is called, or have it read `{program} --help` first"
        );
        if let Some(meant) = self.members.iter().rev().find_map(Member::meant) {
            advice.push_str("; ");
            advice.push_str(TOOL_SUGGESTS);
            advice.push_str(&clipped(meant, SUGGESTION_CHARS));
        }
        let worked = |member: &Member| {
            if let Some(call) = around.next.instead(member.event) {
                return Some(format!("; the agent then ran `{call}`, which worked"));
            }
            let next = around.corrections.get(member.event)?;
            let is_told = |part: &str| !part.is_empty() && part.len() <= SUGGESTION_CHARS && !part.contains('\n');
            // What the words of the call were in the end.
            let other = || {
                let is_of_words = next.difference == Difference::Input && is_told(&next.before) && is_told(&next.after);
                is_of_words.then(|| format!("use `{}` instead of `{}`: that worked next", next.after, next.before))
            };
            let said = Corrections::of(std::iter::once(next)).advice(self.cause, 1).or_else(other)?;
            Some(format!("; {said}"))
        };
        let worked = self.members.iter().rev().find_map(worked);
        advice + &worked.unwrap_or_default()
    }

    /// What helps against a check that fails for another reason each time: to run it before it blocks other work. What fails in
    /// tests may be the work itself.
    fn after_each_change(&self) -> String {
        let runs_all = |step: &Step<'_>| matches!(step.program, "cargo" | "go" | "make");
        let is_one = |step: &Step<'_>| matches!(step.task(), "check" | "clippy" | "build" | "vet" | "lint" | "all");
        // A program may be named like one that checks, such as a compiler that the agent writes.
        let is_known = |step: &Step<'_>| step.name().split([' ', ':', '-']).any(|word| CHECKS.contains(&word));
        let checks = |step: &Step<'_>| {
            step.checks() && !step.tests() && if runs_all(step) { is_one(step) } else { is_known(step) }
        };
        let programs = self.frequent_programs();
        let is_check = |program: &&str| !steps(program).is_empty() && steps(program).iter().all(checks);
        if programs.is_empty() || programs.len() > MAX_CHECKS || !programs.iter().all(is_check) {
            return String::new();
        }
        let reports = if programs.len() == 1 { "it reports" } else { "they report" };
        let quoted: Vec<String> = programs.iter().map(|program| format!("`{program}`")).collect();
        format!(
            "have the agent run {} after each change, and fix what {reports} before it goes on",
            quoted.join(" and ")
        )
    }

    /// What the failing tool itself suggests. What one of several failures suggests says nothing of the others.
    pub(super) fn suggested(&self) -> Option<String> {
        let fits = !matches!(
            self.cause,
            Cause::Tests
                | Cause::Path
                | Cause::Access
                | Cause::Timeout
                | Cause::Serves
                | Cause::Watches
                | Cause::Terminal
                | Cause::Before
        ) && !self.cause.is_about_edits();
        let (text, count) = self.frequent_suggestion().filter(|_| fits)?;
        // To compare files without git is another act than the one that failed.
        let is_done = self.latest().is_some_and(|failure| is_done(text, &failure.input));
        if is_done || text.contains("--no-index") {
            return None;
        }
        let is_of_most = count.saturating_mul(2) >= self.failures;
        // What installs is about something that is missing.
        let is_of_cause = !matches!(self.cause, Cause::Program | Cause::Module)
            || text.contains("install")
            || self.frequent_names().iter().any(|name| text.contains(name));
        // What another program of the chain prints is no answer to what git refused.
        let is_said_by_git = |failure: &Failure| {
            ["fatal: ", "error: ", "hint: ", "CONFLICT "].iter().any(|start| failure.line.starts_with(start))
        };
        let is_about_git = self.program().starts_with("git ") && self.latest().is_some_and(is_said_by_git)
            || matches!(
                self.cause,
                Cause::PushRejected
                    | Cause::Conflict
                    | Cause::Diverged
                    | Cause::Damaged
                    | Cause::Uncommitted
                    | Cause::NothingToCommit
                    | Cause::GitName
                    | Cause::Outside
            );
        let is_of_git = !is_about_git
            || ["git ", "hint: ", "help: "].iter().any(|word| text.contains(word))
            || ["-", "Use -", "use -"].iter().any(|start| text.starts_with(start));
        (is_of_most && is_of_cause && is_of_git).then(|| {
            let mut said = String::new();
            collapsed(&untagged(text), &mut said);
            let is_usage = said.get(..7).is_some_and(|start| start.eq_ignore_ascii_case("usage: "));
            let start = if is_usage { TOOL_SAYS } else { TOOL_SUGGESTS };
            format!("{start}{}", clipped(&said, SUGGESTION_CHARS))
        })
    }

    /// What to do about the folders of tools' own to which the access was denied, if all of these are such.
    fn of_caches(&self) -> Option<String> {
        const MOST: usize = 2;
        let of = |member: &Member| {
            caches::of(&member.line).or_else(|| member.names.iter().find_map(|name| caches::of(name)))
        };
        let mut all: Vec<&'static Cache> = Vec::new();
        for member in self.members.iter().filter(|_| self.cause == Cause::Access) {
            let cache = of(member)?;
            if !all.contains(&cache) {
                all.push(cache);
            }
        }
        if let [one, other] = all[..]
            && let Some(advice) = one.advice_with(other)
        {
            return Some(advice);
        }
        let told: Vec<String> = all.iter().map(|cache| cache.advice()).collect();
        (1..=MOST).contains(&all.len()).then(|| told.join("; "))
    }

    /// What is known of the error in the newest line.
    fn known(&self, place: Option<&(String, u32)>, around: Around<'_>) -> Option<String> {
        if let Some(advice) = self.of_caches() {
            return Some(advice);
        }
        if self.latest().is_some_and(|failure| lacks_suffix(&failure.line, &failure.input)) {
            return Some(
                "tell the agent to write `sed -i ''`: the `sed` of macOS takes the word behind `-i` for a suffix"
                    .to_owned(),
            );
        }
        // An output that says nothing of a known kind may still be known by its line.
        let may_be_known =
            matches!(self.cause, Cause::Error | Cause::Tests | Cause::Login | Cause::Overload | Cause::Access)
                || self.says_something()
                || (self.cause == Cause::Problems && self.failures == 1);
        let is_typescript =
            place.is_some_and(|(path, _)| Path::new(path).extension().is_some_and(|end| end == "ts" || end == "tsx"));
        let newest = self.latest().filter(|_| may_be_known)?;
        let is_in_library = self.members.iter().any(|member| member.event == newest.event && member.is_in_library);
        let hint = hint(&newest.line, is_typescript).filter(|hint| holds(hint, &newest.input, is_in_library))?;
        // What helps against one of several errors says nothing of the others.
        let is_of =
            |member: &&Member| self.cause != Cause::Error || self::hint(&member.line, is_typescript) == Some(hint);
        if self.members.iter().filter(is_of).count() * 2 < self.members.len() {
            return None;
        }
        if let Some(advice) = self.decided(hint, newest, around) {
            return Some(advice);
        }
        let place = place.filter(|(path, _)| !is_of_framework(path));
        let is_assigned = self.members.iter().any(|member| member.event == newest.event && member.is_assigned);
        let hint = match hint {
            DEFINE if is_assigned => ASSIGNED,
            ESM if place.is_some_and(|(path, _)| !newest.input.contains(base(path))) => ESM_OF_PROJECT,
            hint if hint.contains("before it parses it") && place.is_some_and(|(path, _)| is_of_tests(path)) => TESTED,
            hint => hint,
        };
        Some(place.map_or_else(|| hint.to_owned(), |(path, line)| format!("{hint}; see {path}:{line}")))
    }

    /// Whether the calls only ask whether something is there: a path, a program, or a server that is started next.
    pub(crate) fn only_asks(&self, around: Around<'_>) -> bool {
        let is_started = self.cause == Cause::Network && self.failures == 1;
        self.only_looks() || self.is_probed(around) || is_started && around.next.are_started(&self.events())
    }

    /// Whether the calls only ask whether a program is there, which is not.
    fn is_probed(&self, around: Around<'_>) -> bool {
        self.cause == Cause::Program && around.next.are_probes(&self.events())
    }

    /// Whether the commands only ask whether a path is there.
    fn only_looks(&self) -> bool {
        let looks = |program: &str| matches!(program, "ls" | "stat" | "test" | "[" | "file");
        let steps = self.frequent_steps();
        let in_steps = steps.iter().map(|(_, count)| count).sum::<u32>() == self.failures;
        let does = |failure: &Failure| {
            let steps = crate::command::shell::steps(&failure.input);
            !steps.is_empty() && steps.iter().all(|step| looks(step.program))
        };
        self.cause == Cause::Path
            && if in_steps { steps.iter().all(|(step, _)| looks(step)) } else { self.newest.iter().all(does) }
    }
}

/// Whether the `sed` of macOS took the script for the suffix of a copy, and so a file for the script: `sed: 1: "a.txt": …`.
fn lacks_suffix(line: &str, input: &str) -> bool {
    let Some(script) = line.trim_start().strip_prefix("sed: 1: \"").and_then(|rest| rest.split('"').next()) else {
        return false;
    };
    let script = script.trim_end_matches("...");
    let is_file = |word: &str| !script.is_empty() && word.trim_matches(['"', '\'']).starts_with(script);
    input.contains("sed -i ") && !input.contains("sed -i ''") && input.split_whitespace().skip(3).any(is_file)
}
