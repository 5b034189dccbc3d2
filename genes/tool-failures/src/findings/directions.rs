//! What to do about a cause: what worked next, what the failing tool suggests, what is known of the error, what helps in
//! general, or the place to look at.

use std::path::Path;

use gephost_gene::run_log::{Correction, Difference, FailureKind};

use crate::analysis::Around;
use crate::cause::{Cause, WHITE_SPACE};
use crate::causes::audits;
use crate::causes::other_shell::in_powershell;
use crate::causes::{Group, Member, counted, is_local, is_of_powershell};
use crate::command::shell::{Step, steps};
use crate::findings::advice::{Corrections, proof, servers};
use crate::findings::instead_of;
use crate::findings::plugins;
use crate::measures::groups::Failure;
use crate::output::caches::{self, Cache};
use crate::output::cause_line::is_summary;
use crate::output::line::{collapsed, untagged};
use crate::output::named::changes_folder;
use crate::output::places::{is_of_framework, is_of_tests};
use crate::output::provider::{login, start};
use crate::output::remedies::{ASSIGNED, DEFINE, TESTED, hint, holds};
use crate::output::removed;
use crate::output::suggestion::is_done;
use crate::report::clipped;
use crate::worked::arguments::limit;
use crate::worked::installs;
use crate::worked::waiting::{Remedy, Way};

/// What helps against errors of a compiler, whose codes are no rules of the project.
const COMPILER_ADVICE: &str =
    "have the agent compile after each change, and fix what the compiler reports before it goes on";
/// What helps if many paths do not exist that have nothing in common.
pub(crate) const LOOK_FIRST: &str =
    "tell the agent to look where a file is (`rg --files`, `find`) before it opens it by a name that it expects";
/// Sessions in which paths do not exist that have nothing in common, from which on the agent is told to look first.
const GUESSING_SESSIONS: usize = 3;
/// What helps if a server on another machine cannot be reached.
const REMOTE_ADVICE: &str = "check the name, the port and the scheme of the server, and whether the network of this machine lets the agent reach it";
/// What helps if several servers on other machines cannot be reached in one session.
const OUTAGE_ADVICE: &str = "look at the network of the agent's machine first (names, proxy, firewall, sandbox): several servers could not be reached in one session";
/// What helps against what `git diff --check` reports.
const WHITE_SPACE_ADVICE: &str = "have the agent remove the white space at the ends of lines and files before it commits, or exclude files that a \
     program writes from the check (`.gitattributes`: `-whitespace`)";
/// What helps against what an audit of dependencies finds.
const AUDIT_ADVICE: &str = "update these packages to versions without the vulnerability, or say in the agent's instructions which of them may \
     stay: the audit ends with an error code as long as one is left";
/// Most checks that are named in an advice.
const MAX_CHECKS: usize = 2;
/// How the advice begins that a failing tool gives.
pub(crate) const TOOL_SUGGESTS: &str = "the tool itself suggests: ";
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
        if let Some(advice) = self.unasked(around).or_else(|| self.in_environment(around)) {
            return advice;
        }
        let is_code = matches!(
            self.kind,
            FailureKind::Traceback | FailureKind::CompileLint | FailureKind::MissingModule | FailureKind::TestFailure
        );
        let place = self.place.as_ref().filter(|_| is_code || self.cause == Cause::Tests);
        // Errors with different names are at different places.
        let place = place.filter(|_| self.cause == Cause::Tests || self.frequent_names().len() < 2);
        let known = self.known(place);
        if let Some(worked) = self.corrected(known.is_some(), around) {
            return worked;
        }
        let worked = self
            .installed(around)
            .or_else(|| self.ran(around))
            .or_else(|| self.served(around))
            .or_else(|| self.committed(around))
            .or_else(|| self.refused(around));
        let advice = worked.or_else(|| self.first_agreed(known, around)).unwrap_or_default();
        let advice = self.with_example(advice, around);
        if advice.is_empty() { self.edited(around).unwrap_or_default() } else { advice }
    }

    /// What was different in the calls that worked in place of these.
    fn corrected(&self, is_known: bool, around: Around<'_>) -> Option<String> {
        let corrections = || {
            let corrections = Corrections::of(self.corrections(around));
            let corrections = if is_known { corrections.of_known_error() } else { corrections };
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
            .or_else(|| self.given(around))
            .or_else(|| self.made(around))
            .or_else(|| self.elsewhere(around))
            .or_else(|| self.with_sudo(around))
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
        let checks = |step: &Step<'_>| step.checks() && !step.tests() && (!runs_all(step) || is_one(step));
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

    /// What was found for these failures in this way, if it was for most of them; the newest last.
    fn remedies<'a>(&self, around: Around<'a>, way: Way) -> Option<(Vec<&'a Remedy>, u32)> {
        let found = self.members.iter().filter_map(|member| around.next.of(member.event, way));
        let found: Vec<&Remedy> = found.collect();
        let count = u32::try_from(found.len()).unwrap_or(u32::MAX);
        (count > 0 && count.saturating_mul(2) >= self.failures).then_some((found, count))
    }

    /// Of how many failures something holds: nothing is said if there is one.
    fn often(&self, count: u32) -> String {
        if self.failures == 1 { String::new() } else { format!(", after {count} of {} failures", self.failures) }
    }

    /// The same, of what was not seen after the failures.
    fn of_cases(&self, count: u32) -> String {
        if count == self.failures { String::new() } else { format!(", in {count} of {} cases", self.failures) }
    }

    fn corrections<'a>(&self, around: Around<'a>) -> impl Iterator<Item = &'a Correction> {
        self.members.iter().filter_map(move |member| around.corrections.get(member.event))
    }

    /// What the error itself says of its remedy.
    fn stated(&self, around: Around<'_>) -> Option<String> {
        Some(self.remedies(around, Way::Stated)?.0.last()?.text.clone())
    }

    /// What touched a word of the error in the calls that worked.
    fn worded(&self, around: Around<'_>) -> Option<String> {
        let (told, count) = self.remedies(around, Way::Word)?;
        // The call that worked may be some calls away.
        Some(format!("{}: a later call worked that way{}", told.last()?.text, self.often(count)))
    }

    /// How a program was started that was not found.
    fn started(&self, around: Around<'_>) -> Option<String> {
        let (told, count) = self.remedies(around, Way::Start)?;
        let last = told.last()?;
        Some(format!("run {} instead of {}: a later call worked that way{}", last.text, last.before, self.often(count)))
    }

    /// What was different in the edit of the same file that worked.
    fn rewritten(&self, around: Around<'_>) -> Option<String> {
        let (told, _) = self.remedies(around, Way::Rewritten)?;
        let texts = counted(told.iter().map(|remedy| remedy.text.as_str()));
        let (text, count) = *texts.first()?;
        (count.saturating_mul(2) >= self.failures)
            .then(|| format!("{text}: a later call worked that way{}", self.often(count)))
    }

    /// The object that worked in place of the one to which the access was denied.
    fn other_object(&self, around: Around<'_>) -> Option<String> {
        let (told, count) = self.remedies(around, Way::Object)?;
        let last = told.last()?;
        Some(format!(
            "tell the agent to work elsewhere, such as with {} instead of {}: a later call worked that way{}",
            last.text,
            last.before,
            self.often(count)
        ))
    }

    fn with_sudo(&self, around: Around<'_>) -> Option<String> {
        let (_, count) = self.remedies(around, Way::Sudo)?;
        let successes = around.next.successes(self.events().into_iter());
        Some(format!("let the agent run this with `sudo`: {}", proof(count, self.failures, successes)))
    }

    /// How the tool was called when it worked, in the same file.
    fn given(&self, around: Around<'_>) -> Option<String> {
        if self.cause.is_about_edits() {
            return None;
        }
        let (told, _) = self.remedies(around, Way::Arguments)?;
        let last = &told.last()?.text;
        let count = u32::try_from(told.iter().filter(|given| given.text == *last).count()).unwrap_or(u32::MAX);
        let of_last = |event: &u64| around.next.of(*event, Way::Arguments).is_some_and(|given| given.text == *last);
        let successes = around.next.successes(self.events().into_iter().filter(of_last));
        let program = self.program();
        let tool = if program.is_empty() { "the tool".to_owned() } else { format!("`{program}`") };
        // What cured the others may be told, too.
        let other =
            self.ran(around).filter(|_| count < self.failures).map(|ran| format!("; or {ran}")).unwrap_or_default();
        (count.saturating_mul(2) >= self.failures)
            .then(|| format!("call {tool} in another way: {last}; {}{other}", proof(count, self.failures, successes)))
    }

    /// The one command that changed something before the same call worked.
    fn ran(&self, around: Around<'_>) -> Option<String> {
        let (told, count) = self.remedies(around, Way::Ran)?;
        let last = &told.last()?.text;
        Some(format!("have the agent run {last} first: the same call worked after it{}", self.often(count)))
    }

    /// Changes that were committed or put aside before git did it.
    fn committed(&self, around: Around<'_>) -> Option<String> {
        let (told, count) = self.remedies(around, Way::Git)?;
        Some(format!(
            "have the agent commit or stash its changes first: the same worked after {}{}",
            told.last()?.text,
            self.often(count)
        ))
    }

    /// The files whose edits made the failed calls work.
    fn edited(&self, around: Around<'_>) -> Option<String> {
        if self.cause.is_about_edits() || self.cause == Cause::Before {
            return None;
        }
        let works = if self.cause == Cause::Tests { "the tests passed" } else { "it worked" };
        let texts = self.members.iter().filter_map(|member| around.next.of(member.event, Way::Edit));
        let texts = counted(texts.map(|remedy| remedy.text.as_str()));
        if let Some((text, count)) = texts.first().filter(|(_, count)| count.saturating_mul(2) >= self.failures) {
            return Some(format!("the agent edited {text}, then {works}{}", self.often(*count)));
        }
        // The same failure came again until then.
        let last = around.next.of(self.members.last()?.event, Way::Edit)?;
        Some(format!("after the last of these, the agent edited {}, then {works}", last.text))
    }

    /// What to do about a server that does not answer although it was started.
    fn served(&self, around: Around<'_>) -> Option<String> {
        let is_local = self.frequent_names().iter().any(|host| is_local(host));
        if self.cause != Cause::Network || !is_local {
            return None;
        }
        let count = around.next.served(&self.events());
        (count > 0 && count.saturating_mul(2) >= self.failures).then(|| {
            format!(
                "have the agent read what the server printed before it starts it again: one had been started in the same session{}",
                self.of_cases(count)
            )
        })
    }

    /// What to do about credentials that were refused, if the same session got in with them.
    fn refused(&self, around: Around<'_>) -> Option<String> {
        let count = if self.cause == Cause::Login { around.next.refused(&self.events()) } else { 0 };
        (count > 0 && count.saturating_mul(2) >= self.failures).then(|| {
            format!(
                "look at what changed on the other side: the same session got into this account without a new login{}",
                self.of_cases(count)
            )
        })
    }

    /// The server that answered the same call, if most of these asked the same other one.
    fn other_server(&self, around: Around<'_>) -> Option<String> {
        let servers =
            |correction: &'_ Correction| servers(correction).map(|(one, other)| (one.to_owned(), other.to_owned()));
        let (before, after) = self.corrections(around).filter_map(servers).last()?;
        let count = |fits: &dyn Fn(&Failure) -> bool| self.newest.iter().filter(|failure| fits(failure)).count();
        let asks = count(&|failure| failure.input.contains(before.as_str()));
        (asks * 2 >= count(&|_| true))
            .then(|| format!("ask `{after}` instead of `{before}`: the same call worked there next"))
    }

    /// The step that made later what was not found.
    fn made(&self, around: Around<'_>) -> Option<String> {
        let (told, count) = self.remedies(around, Way::Made)?;
        Some(format!("have the agent run {} first: it made this path later{}", told.last()?.text, self.often(count)))
    }

    /// The path of the same file with which later calls worked.
    fn elsewhere(&self, around: Around<'_>) -> Option<String> {
        let (found, count) = self.remedies(around, Way::Elsewhere)?;
        let last = found.last()?;
        let path = format!("`{}` instead of `{}`", last.text, last.before);
        Some(if found.iter().all(|other| other == last) {
            let often =
                if count == self.failures { String::new() } else { format!(", after {count} of {}", self.failures) };
            format!("use the path {path}: a later call found it{often}")
        } else {
            format!(
                "look where a file is before its path is used: a later call found it elsewhere after {count} of {} failures, such as \
                 {path}",
                self.failures
            )
        })
    }

    /// What to do if the call right before writes what is read.
    fn too_early(&self, around: Around<'_>) -> Option<String> {
        if self.cause != Cause::Path {
            return None;
        }
        let count = around.written.early(&self.events());
        (count > 0 && count.saturating_mul(2) >= self.failures).then(|| {
            let which = if count == self.failures { "each of these".to_owned() } else { format!("{count} of {}", self.failures) };
            format!(
                "have the agent write a file first, and read it in the next step: {which} came right after a call that writes \
                 the file"
            )
        })
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
                | Cause::Terminal
                | Cause::Before
        ) && !self.cause.is_about_edits();
        let (text, count) = self.frequent_suggestion().filter(|_| fits)?;
        if self.latest().is_some_and(|failure| is_done(text, &failure.input)) {
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
            format!("{TOOL_SUGGESTS}{}", clipped(&said, SUGGESTION_CHARS))
        })
    }

    /// What is known of the error in the newest line.
    fn known(&self, place: Option<&(String, u32)>) -> Option<String> {
        if let Some(cache) = self.cache() {
            return Some(cache.advice());
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
        let place = place.filter(|(path, _)| !is_of_framework(path));
        let is_assigned = self.members.iter().any(|member| member.event == newest.event && member.is_assigned);
        let hint = match hint {
            DEFINE if is_assigned => ASSIGNED,
            hint if hint.contains("before it parses it") && place.is_some_and(|(path, _)| is_of_tests(path)) => TESTED,
            hint => hint,
        };
        Some(place.map_or_else(|| hint.to_owned(), |(path, line)| format!("{hint}; see {path}:{line}")))
    }

    /// The folder of a tool's own to which the access was denied, if it is the same one each time.
    fn cache(&self) -> Option<&'static Cache> {
        let of = |member: &Member| {
            caches::of(&member.line).or_else(|| member.names.iter().find_map(|name| caches::of(name)))
        };
        let first = of(self.members.first().filter(|_| self.cause == Cause::Access)?)?;
        self.members.iter().all(|member| of(member) == Some(first)).then_some(first)
    }

    /// The commands that installed what was missing, later in the same sessions.
    fn installed(&self, around: Around<'_>) -> Option<String> {
        if !matches!(self.cause, Cause::Program | Cause::Module | Cause::Error) {
            return None;
        }
        let found = self.members.iter().filter_map(|member| around.next.of(member.event, Way::Install));
        let mut commands: Vec<&str> = Vec::new();
        for found in found {
            if !commands.contains(&found.text.as_str()) {
                commands.push(&found.text);
            }
        }
        let quoted = |names: &[&str]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and ");
        let shown = commands.get(..commands.len().min(2)).unwrap_or_default();
        let lacks = |name: &&str| !commands.iter().any(|command| installs::names(command, name));
        let missing = if self.cause == Cause::Error { Vec::new() } else { self.frequent_names() };
        let rest: Vec<&str> = missing.into_iter().filter(lacks).take(3).collect();
        let (it, they) = if shown.len() == 1 { ("it", "it") } else { ("them", "they") };
        (!shown.is_empty()).then(|| {
            let rest = if rest.is_empty() { String::new() } else { format!("; install {}, too", quoted(&rest)) };
            format!(
                "run {} when the agent's environment is set up: the agent ran {it} later, and {they} worked{rest}",
                quoted(shown)
            )
        })
    }

    /// The advice, with a call that did the same and worked.
    fn with_example(&self, advice: String, around: Around<'_>) -> String {
        let is_work =
            matches!(self.cause, Cause::Tests | Cause::Problems | Cause::Before | Cause::Scratch | Cause::Unparsed)
                || self.cause.is_about_edits();
        let may_be_work = matches!(self.cause, Cause::Error | Cause::Silent);
        let worked: Vec<&str> = self.members.iter().filter_map(|member| around.next.instead(member.event)).collect();
        let count = u32::try_from(worked.len()).unwrap_or(u32::MAX);
        let instead = worked
            .last()
            .filter(|_| count.saturating_mul(2) >= self.failures && !is_work && (!may_be_work || advice.is_empty()));
        if let Some(example) = instead {
            let often = if self.failures == 1 {
                String::new()
            } else {
                format!(" after {count} of {} failures", self.failures)
            };
            let tells = format!("the agent then ran `{example}`, which worked{often}");
            return if advice.is_empty() { tells } else { format!("{advice}; {tells}") };
        }
        let example = self.members.iter().rev().find_map(|member| around.next.of(member.event, Way::Example));
        match example {
            Some(example) if advice.is_empty() => format!(
                "say in the agent's instructions how `{}` is called here; this worked later: `{}`",
                self.program(),
                example.text
            ),
            Some(example) => format!("{advice}; this worked later: `{}`", example.text),
            None => advice,
        }
    }

    /// Whether Claude Code says that a rule of its settings refuses the call.
    fn is_of_settings(&self) -> bool {
        const SAYS: [&str; 2] = ["Permission to use ", "by your permission settings"];
        self.latest().is_some_and(|failure| SAYS.iter().any(|words| failure.line.contains(words)))
    }

    /// Two names of what was refused most often by itself, or else together with other programs of the same call.
    fn refused_alone(&self) -> Vec<&str> {
        let alone = self.members.iter().filter(|member| member.names.len() == 1);
        let alone: Vec<&str> = counted(alone.flat_map(|member| &member.names).map(String::as_str))
            .into_iter()
            .map(|(name, _)| name)
            .collect();
        let mut names = if alone.is_empty() { self.frequent_names() } else { alone };
        names.truncate(2);
        names
    }

    /// What helps against this cause in this program, if more can be said than in general.
    pub(super) fn specific(&self) -> Option<String> {
        let (program, named) = (self.program(), self.frequent_names());
        let quoted = |names: &[&str]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and ");
        match self.cause {
            Cause::Problems if is_audit(program) => Some(AUDIT_ADVICE.to_owned()),
            Cause::Problems if named == [WHITE_SPACE] => Some(WHITE_SPACE_ADVICE.to_owned()),
            Cause::Problems if matches!(program, "tsc" | "rustc") => Some(self.check().map_or_else(
                || COMPILER_ADVICE.to_owned(),
                |check| {
                    format!("have the agent run `{check}` after each change, and fix what it reports before it goes on")
                },
            )),
            Cause::Problems if !named.is_empty() => {
                let check = self.check().unwrap_or_else(|| program.to_owned());
                let most = named.get(..named.len().min(2)).unwrap_or_default();
                let verb = if most.len() == 1 { "is" } else { "are" };
                Some(format!(
                    "have the agent run `{check}` after each change, and say in its instructions how code satisfies {}, which \
                     {verb} broken most often",
                    quoted(most)
                ))
            }
            Cause::OptionRefused if let Some(advice) = plugins::advice(program, &named) => Some(advice),
            Cause::OtherShell if self.latest().is_some_and(|failure| !failure.line.contains("external command")) => {
                in_powershell(&named)
            }
            Cause::OptionRefused | Cause::Subcommand if !program.is_empty() => Some(format!(
                "look at what `{} --help` lists, and say in the agent's instructions what serves instead of {}",
                program,
                if named.is_empty() { "it".to_owned() } else { quoted(named.get(..named.len().min(2)).unwrap_or_default()) }
            )),
            Cause::Forbidden if self.is_of_settings() => Some(format!(
                "allow {} in `permissions` of `.claude/settings.json` or `.claude/settings.local.json`, or say in the agent's \
                 instructions what to use instead",
                if named.is_empty() { "it".to_owned() } else { quoted(&self.refused_alone()) }
            )),
            Cause::Module if let [name] = named[..] && let Some(successor) = removed::module(name) => {
                Some(successor.to_owned())
            }
            Cause::DeadShell if self.follows_removal => Some(
                "start the agent's shell again; tell the agent to leave a folder before it removes it: the last command \
                 that worked removed one"
                    .to_owned(),
            ),
            Cause::Shell if self.latest().is_some_and(|failure| has_entities(&failure.input)) => Some(
                "have the agent write `<`, `>` and `&` as they are: the command has `&lt;`, `&gt;` or `&amp;` in their place"
                    .to_owned(),
            ),
            Cause::Shell if is_of_powershell(program) && !self.calls_powershell() => Some(
                "say in the agent's instructions that its shell is PowerShell: the command is not written for it".to_owned(),
            ),
            Cause::Shell if is_of_powershell(program) && self.latest().is_some_and(|failure| is_expanded(&failure.input)) => Some(
                "have the agent put the command for PowerShell into single quotes: within double quotes the outer shell replaces \
                 `$_` and other variables"
                    .to_owned(),
            ),
            Cause::Shell if is_of_powershell(program) => Some(
                "tell the agent to write a script into a `.ps1` file and to run that with `-File`: quotes inside `-Command` are \
                 read twice"
                    .to_owned(),
            ),
            Cause::Shell if self.is_pattern() => Some(
                "tell the agent to end a pattern that may match nothing with `(N)`, or to use `find`: zsh then runs the \
                 command all the same"
                    .to_owned(),
            ),
            Cause::Access if self.latest().is_some_and(|failure| failure.line.contains("docker.sock")) => {
                Some("let the agent's user use Docker (the group `docker`), or tell the agent that it has none here".to_owned())
            }
            Cause::Access if self.is_about_what_runs() => Some(format!(
                "make it executable (`chmod +x {}`), or have the agent start it with its interpreter",
                named.get(..1).unwrap_or_default().concat()
            )),
            Cause::Access if self.latest().is_some_and(|failure| is_for_root(&failure.line)) => {
                Some("let the agent run it as root, or install the package for it".to_owned())
            }
            Cause::Terminal if program == "sudo" => Some(
                "allow the agent's user to run these commands with `sudo` without a password, or run them yourself in a \
                 terminal"
                    .to_owned(),
            ),
            Cause::Terminal if self.latest().is_some_and(|failure| failure.line.contains("not a TTY")) => {
                Some("tell the agent to leave out `-t` (`docker exec -i`): its shell has no terminal".to_owned())
            }
            Cause::Terminal if self.latest().is_some_and(|failure| failure.line.contains("assword")) => Some(format!(
                "say in the agent's instructions where it finds the password, and how `{program}` takes it on its command line"
            )),
            Cause::Timeout if self.latest().is_some_and(|failure| follows(&failure.input)) => Some(
                "tell the agent to ask for the lines that are there instead of following the log: without `-f`, and \
                 `pm2 logs` with `--nostream`"
                    .to_owned(),
            ),
            Cause::Timeout if program == "sleep" => {
                Some("tell the agent to wait for a shorter time at once, or to wait in the background".to_owned())
            }
            Cause::Timeout if !named.is_empty() => Some(format!(
                "allow it more than {}, or tell the agent to run a smaller part, or to run it in the background and look at \
                 its output",
                named.get(..1).unwrap_or_default().concat()
            )),
            // The program is a dependency of the project, which a script of its package manager starts.
            Cause::Path if self.latest().is_some_and(|failure| changes_folder(&failure.line)) => Some(
                "run first what makes this folder, such as a configure step: a makefile or a script changes into it".to_owned(),
            ),
            Cause::Path if let Some(advice) = of_environment(&named) => Some(advice),
            Cause::Path if self.is_guessed() => Some(LOOK_FIRST.to_owned()),
            Cause::Program if matches!(program.split(' ').next(), Some("npm" | "pnpm" | "yarn" | "bun")) => {
                let manager = program.split(' ').next().unwrap_or_default();
                Some(format!(
                    "install the project's dependencies first (`{manager} install`): its scripts expect this program there"
                ))
            }
            Cause::Module | Cause::Program if named == ["pip"] && self.lacks_module_pip() => Some(
                "make the environment with pip (`python -m ensurepip` adds it), or have the agent install with `uv pip`, which \
                 needs none in there"
                    .to_owned(),
            ),
            Cause::Program if let Some(name) = self.lacked_as_module() => {
                Some(format!("install `{name}` in the environment that the agent works in: Python does not find it as a module either"))
            }
            Cause::Program => instead_of::advice(&named),
            Cause::Module if !named.is_empty() && named.iter().all(|name| name.contains(".so")) => {
                Some("install the system's package that has this library (Debian: `apt-file search NAME`)".to_owned())
            }
            Cause::Module if program.starts_with("go ") && named.len() == 1 => Some(format!(
                "fetch it with `go get {}`, or correct the import: no module of go.mod has this package",
                named.concat()
            )),
            Cause::PushRejected if self.frequent_lines().iter().any(|(line, _)| is_protected(line)) => Some(
                "tell the agent to push to a branch of its own and to make a pull request: this branch takes no direct push"
                    .to_owned(),
            ),
            Cause::Module if !named.is_empty() && named.iter().all(|name| is_of_project(name)) => Some(format!(
                "correct the import, or the folder in which the code runs: {} is the path of a file, and no package",
                quoted(named.get(..1).unwrap_or_default())
            )),
            Cause::Tests if let Some(test) = self.test_of_sessions() => Some(format!(
                "run `{test}` on a clean checkout before the agent starts: it fails in {} sessions, and if it fails there, too, \
                 it or its environment needs repair",
                self.sessions_with(test)
            )),
            Cause::Tests if self.shared_error().is_some() => Some(match &self.place {
                Some((path, line)) => {
                    format!("repair this error first, starting at {path}:{line}, and run the tests again")
                }
                None => "repair this error first, and run the tests again".to_owned(),
            }),
            Cause::Path if named.len() == 1 && self.sessions() > 1 => Some(format!(
                "look for what names {} to the agent, such as its instructions, a skill or a note, and correct it there",
                quoted(&named)
            )),
            Cause::Path if !named.is_empty() && named.iter().all(|path| path.rsplit('/').next().is_some_and(|name| name.starts_with('-'))) => {
                Some(format!(
                    "look at the options of the program: it takes {} for the name of a file",
                    quoted(named.get(..1).unwrap_or_default())
                ))
            }
            Cause::Path if named.iter().all(|path| path.starts_with(r"C:\tmp\")) && !named.is_empty() => Some(
                "tell the agent to use a folder of the project: `/tmp` of Git Bash is not the `C:\\tmp` in which programs of \
                 Windows look"
                    .to_owned(),
            ),
            Cause::Path if self.is_about_what_runs() => Some(format!(
                "say in the agent's instructions how this is built and started here: there is no {} in the folder where the shell \
                 looked",
                quoted(named.get(..1).unwrap_or_default())
            )),
            Cause::Parameters if !named.is_empty() && !program.is_empty() => {
                let shown = named.get(..named.len().min(3)).unwrap_or_default();
                Some(format!("say in the agent's instructions how `{program}` takes {}", quoted(shown)))
            }
            Cause::Silent
                if !self.says_something() && self.latest().is_some_and(|failure| redirected(&failure.input).is_some()) =>
            {
                self.latest().and_then(|failure| redirected(&failure.input)).map(|file| {
                    format!("have the agent print the end of `{file}` when this fails: what it prints goes there")
                })
            }
            Cause::Silent
                if !self.says_something() && self.latest().is_some_and(|failure| hides_messages(&failure.input)) =>
            {
                Some("have the agent let it print its messages: the command sends them to `/dev/null`".to_owned())
            }
            Cause::Silent if !self.says_something() => self.cut_off(&["grep"]),
            Cause::Error
                if self.latest().is_some_and(|failure| is_summary(&failure.line))
                    && let Some(advice) = self.cut_off(&["tail", "head", "grep"]) =>
            {
                Some(advice)
            }
            Cause::Error | Cause::Silent
                if let Some(limit) = self.latest().and_then(|failure| limit(&failure.line)) =>
            {
                Some(format!("say in the agent's instructions that this text may have {limit} characters at most"))
            }
            Cause::Login => named.first().and_then(|provider| login(provider)).map(str::to_owned),
            Cause::ModelConnection => named.first().and_then(|provider| start(provider)).map(str::to_owned),
            Cause::Network if self.has_outage() => Some(OUTAGE_ADVICE.to_owned()),
            Cause::Network if named.is_empty() || !named.iter().any(|host| is_local(host)) => Some(REMOTE_ADVICE.to_owned()),
            _ => None,
        }
    }

    /// Whether a session did not reach two servers on other machines, one after the other.
    fn has_outage(&self) -> bool {
        let host = |member: &'_ Member| member.names.first().filter(|host| !is_local(host)).cloned();
        self.members.windows(2).any(|pair| {
            let hosts = (host(&pair[0]), host(&pair[1]));
            pair[0].session == pair[1].session && matches!(hosts, (Some(one), Some(other)) if one != other)
        })
    }

    /// What to do if the newest command shows only what one of these filters lets through.
    fn cut_off(&self, filters: &[&str]) -> Option<String> {
        let input = &self.latest()?.input;
        let filter = filters.iter().find(|filter| input.contains(&format!("| {filter} ")))?;
        Some(format!("have the agent keep more of the output: the command shows only what `{filter}` lets through"))
    }

    /// A missing program that Python did not find as a module either.
    fn lacked_as_module(&self) -> Option<&str> {
        let member = self.members.iter().find(|member| member.line.contains("No module named "))?;
        member.names.first().map(String::as_str).filter(|name| *name != "pip")
    }

    /// Whether the newest command starts PowerShell itself.
    fn calls_powershell(&self) -> bool {
        let calls = |input: &str| ["powershell", "pwsh"].iter().any(|name| input.contains(name));
        self.latest().is_some_and(|failure| calls(&failure.input))
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

    /// Whether a Python says that it has no pip.
    fn lacks_module_pip(&self) -> bool {
        self.members.iter().any(|member| member.line.contains("No module named pip"))
    }

    /// Whether the agent expects files that are not there, again and again.
    fn is_guessed(&self) -> bool {
        let mut sessions: Vec<u32> = Vec::new();
        for member in &self.members {
            if !sessions.contains(&member.session) {
                sessions.push(member.session);
            }
        }
        sessions.len() >= GUESSING_SESSIONS && self.has_unlike_paths()
    }

    /// The test that fails in the most sessions, if there are several.
    fn test_of_sessions(&self) -> Option<&str> {
        let names = self.frequent_names();
        let most = names.into_iter().rev().max_by_key(|name| self.sessions_with(name))?;
        (self.sessions_with(most) > 1).then_some(most)
    }

    /// The command that runs the check, as the newest failed call had it.
    fn check(&self) -> Option<String> {
        let input = &self.latest()?.input;
        crate::command::shell::steps(input).iter().rfind(|step| step.checks() || step.tests()).map(Step::name)
    }

    /// Whether the path that does not exist is that of the program itself.
    fn is_about_what_runs(&self) -> bool {
        let names = self.frequent_names();
        let runs = |name: &str| {
            self.latest().is_some_and(|failure| {
                let words: Vec<&str> = failure.input.split_whitespace().collect();
                let is_first =
                    |at: usize| at == 0 || matches!(words.get(at - 1), Some(&("&&" | ";" | "bash" | "sh" | "sudo")));
                words.iter().enumerate().any(|(at, word)| *word == name && is_first(at))
            })
        };
        let is_said_by_shell = self.latest().is_some_and(|failure| {
            let shell = failure.line.split(": ").next().unwrap_or_default();
            matches!(shell.rsplit('/').next(), Some("bash" | "sh" | "zsh" | "dash")) && !failure.line.contains("cd: ")
        });
        names.len() == 1 && names.first().is_some_and(|name| is_said_by_shell && name.starts_with('.') || runs(name))
    }
}

/// Whether a program audits dependencies.
pub(super) fn is_audit(program: &str) -> bool {
    steps(program).iter().any(audits::is_audit)
}

/// What helps if programs are missing in an environment of Python: `.venv/bin/pytest`.
fn of_environment(paths: &[&str]) -> Option<String> {
    let of_path = |path: &'_ str| {
        let mut parts = path.rsplit(['/', '\\']);
        let (program, folder, environment) = (parts.next()?, parts.next()?, parts.next()?);
        let is_environment = matches!(folder, "bin" | "Scripts") && environment.contains("env") && !program.is_empty();
        is_environment.then(|| (program.to_owned(), environment.to_owned()))
    };
    let (program, environment) = of_path(paths.first()?)?;
    // A long path is shown without its folders.
    let is_same = |path: &&str| path.rsplit(['/', '\\']).next() == Some(program.as_str()) && path.contains("bin");
    if !paths.iter().all(is_same) {
        return None;
    }
    Some(if program.starts_with("python") {
        format!(
            "make the environment `{environment}` before the agent starts, or have it make it first: there is no Python in it"
        )
    } else {
        format!(
            "install `{program}` in the environment `{environment}` before it is used, and wait until that has ended"
        )
    })
}

/// Whether a command has the entities of HTML where the shell expects the characters.
fn has_entities(input: &str) -> bool {
    ["&gt;", "&lt;", "&amp;"].iter().any(|entity| input.contains(entity))
}

/// Whether a command passes a variable of PowerShell through the double quotes of another shell.
fn is_expanded(input: &str) -> bool {
    input.split_once("-Command \"").is_some_and(|(_, command)| command.contains('$'))
}

/// Whether a command shows a log and waits for more.
fn follows(input: &str) -> bool {
    const FOLLOWS: [&str; 5] = ["tail -f", "logs -f", "logs --follow", "journalctl -f", "pm2 logs"];
    FOLLOWS.iter().any(|words| input.contains(words)) && !input.contains("--nostream")
}

/// Whether a line says that only root may do this.
fn is_for_root(line: &str) -> bool {
    ["are you root", "superuser privilege", "as root", "must be root"].iter().any(|words| line.contains(words))
}

/// The file to which a command writes what it prints.
fn redirected(input: &str) -> Option<&str> {
    let (_, rest) = input.split_once(" > ")?;
    rest.split_whitespace().next().filter(|file| !file.starts_with("/dev/") && !file.starts_with('&'))
}

/// Whether a command sends its messages to `/dev/null`: `>/dev/null` alone does so with what it prints, not with its messages.
fn hides_messages(input: &str) -> bool {
    let input = input.replace("> /dev/null", ">/dev/null");
    ["2>/dev/null", "&>/dev/null", ">/dev/null 2>&1", ">&/dev/null"].iter().any(|words| input.contains(words))
}

/// Whether a remote says that a branch or its rules take no such push.
fn is_protected(line: &str) -> bool {
    ["rotected branch", "hook declined", "rule violations", "GH006", "GH013"].iter().any(|words| line.contains(words))
}

/// Whether a module's name is the path of a file of the project.
fn is_of_project(module: &str) -> bool {
    ["./", "../", "@/", "~/", "#/", "src/", "/"].iter().any(|start| module.starts_with(start))
}
