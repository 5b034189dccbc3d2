//! The findings about failures: one for each cause, one for each program that fails in many ways, and `rare_errors` for
//! the errors that have none of their own.

use std::collections::BTreeMap;
use std::path::Path;

use gephost_gene::Severity;
use gephost_gene::run_log::FailureKind;

use crate::advice::{Corrections, proof};
use crate::analysis::Analysis;
use crate::cause::{About, Cause, Key, WHITE_SPACE};
use crate::cause_line::{Weight, is_summary, is_thrown};
use crate::causes::{Group, is_local};
use crate::classify::INLINE_SCRIPT;
use crate::expected::Expected;
use crate::failure_kind::{hypothesis, signal};
use crate::groups::{Failure, Groups};
use crate::hints::hint;
use crate::line::{message, readable, without_names};
use crate::mended::Mended;
use crate::names::file;
use crate::order::{self, by_count, sort_by};
use crate::report::{Facet, Report, TITLE_CHARS, clipped, confidence, first};
use crate::shell::Step;
use crate::silence::Silence;
use crate::thresholds::Thresholds;

/// Most causes that were seen more than once and have a finding each.
pub(crate) const MAX_REPEATED: usize = 32;
/// Most errors that occurred once and have a finding each.
pub(crate) const MAX_SINGLE: usize = 8;
/// Up to so many findings, errors that occurred once and were resolved have a finding each.
const FEW: usize = 5;
/// Most entries of evidence that the contract takes.
const MAX_RARE_EVIDENCE: usize = 32;
/// Failures from which on a missing program has a finding of its own.
const RARE: u32 = 2;
/// Different errors of one program that have one finding together, and the failures that they must be.
const SEVERAL: usize = 3;
const SEVERAL_FAILURES: u32 = 4;
/// Most characters of an input as evidence.
const INPUT_CHARS: usize = 160;
/// Names in a title, and most characters of one.
const TITLE_NAMES: usize = 3;
const NAME_CHARS: usize = 48;
/// What helps against errors of a compiler, whose codes are no rules of the project.
const COMPILER_ADVICE: &str =
    "have the agent compile after each change, and fix what the compiler reports before it goes on";
/// What helps if the tool that edits refuses what does not parse.
const EDIT_ADVICE: &str =
    "tell the agent to look at the lines around the edit first, and to keep their indentation and brackets";
/// What helps if a server on another machine cannot be reached.
const REMOTE_ADVICE: &str =
    "try again later; if it fails each time, check the name of the server, the proxy and the network of this machine";
/// What helps against what `git diff --check` reports.
const WHITE_SPACE_ADVICE: &str = "have the agent remove the white space at the ends of lines and files before it commits, or exclude files that a \
     program writes from the check (`.gitattributes`: `-whitespace`)";
/// Lines of a group that become signals and absorbed errors.
const MAX_LINES: usize = 8;
const MAX_ABSORBED: usize = 50;
/// Nothing shows that single errors have a cause in common.
const RARE_CONFIDENCE: f64 = 0.05;

/// The causes that were seen more than once, the newest unresolved errors that occurred once, and one finding for the
/// rest.
pub(crate) fn reports(analysis: &Analysis, thresholds: &Thresholds) -> Vec<Report> {
    let groups = analysis.groups();
    let all = analysis.causes().groups().map(|(key, group)| (key, group.clone())).collect();
    let all = with_the_nameless(with_dead_shells(all, analysis.silence()));
    let mut all = with_programs(with_scratch(groups, with_environment(all)));
    for (_, group) in &mut all {
        group.with_sudo = analysis.mended().with_sudo(&group.events);
    }
    let (repeated, single): (Vec<_>, Vec<_>) = all.into_iter().partition(|(_, group)| group.failures > 1);
    let report = |key: u64, group: &Group| self::report(groups, analysis.mended(), key, group, thresholds);
    let mut reports = first(repeated.iter().map(|(key, group)| report(*key, group)).collect(), MAX_REPEATED);
    let (mut resolved, mut unresolved): (Vec<_>, Vec<_>) =
        single.into_iter().partition(|(_, group)| is_resolved(groups, group));
    let newest = |group: &Group| group.latest().map(|failure| failure.event);
    sort_by(&mut unresolved, |(_, a), (_, b)| {
        let rank = |group: &Group| (group.cause.about().severity, group.weight, newest(group));
        rank(a).cmp(&rank(b))
    });
    let named = unresolved.split_off(unresolved.len().saturating_sub(MAX_SINGLE));
    reports.extend(named.iter().map(|(key, group)| report(*key, group)));
    reports.extend(rare_report(&unresolved));
    // If little else fails, these are what there is to know.
    sort_by(&mut resolved, |(_, a), (_, b)| newest(a).cmp(&newest(b)));
    let room = FEW.saturating_sub(reports.len()).min(resolved.len());
    let shown = resolved.split_off(resolved.len() - room);
    reports.extend(shown.iter().map(|(key, group)| report(*key, group)));
    reports.extend(resolved_report(&resolved));
    for (expected, groups) in analysis.expected() {
        reports.push(expected_report(*expected, groups.groups().map(|(_, group)| group)));
    }
    reports
}

/// The groups, with the silent failures of shells that run nothing any more in one group.
fn with_dead_shells(mut groups: Vec<(u64, Group)>, silence: &Silence) -> Vec<(u64, Group)> {
    let mut dead: Option<Group> = None;
    for (_, group) in groups.iter_mut().filter(|(_, group)| group.cause == Cause::Silent) {
        let own = group.split_off(Cause::DeadShell, |event| silence.is_dead(event));
        match (&mut dead, own) {
            (Some(dead), Some(own)) => dead.absorb(&own),
            (None, own) => dead = own,
            (Some(_), None) => {}
        }
    }
    groups.retain(|(_, group)| group.failures > 0);
    if let Some(mut dead) = dead {
        dead.program.clear();
        silence.infallible().for_each(|command| dead.add_name(command, 1));
        dead.follows_removal = silence.follows_removal;
        groups.push((Cause::DeadShell as u64, dead));
    }
    groups
}

/// The groups, with failures of an unknown program in the only other group of their cause.
fn with_the_nameless(groups: Vec<(u64, Group)>) -> Vec<(u64, Group)> {
    let is_nameless = |group: &Group| group.cause.about().key == Key::Program && group.program.is_empty();
    let (nameless, mut all): (Vec<_>, Vec<_>) = groups.into_iter().partition(|(_, group)| is_nameless(group));
    for (key, group) in nameless {
        let mut same = all.iter_mut().filter(|(_, other)| other.cause == group.cause);
        match (same.next(), same.next()) {
            (Some((_, only)), None) => only.absorb(&group),
            _ => all.push((key, group)),
        }
    }
    all
}

/// The groups, with the modules that are missing in one group, and the programs as well, but for those that are missed often.
fn with_environment(groups: Vec<(u64, Group)>) -> Vec<(u64, Group)> {
    let is_rare =
        |group: &Group| group.cause == Cause::Module || group.cause == Cause::Program && group.failures < RARE;
    let (rare, mut all): (Vec<_>, Vec<_>) = groups.into_iter().partition(|(_, group)| is_rare(group));
    for cause in [Cause::Program, Cause::Module] {
        let mut own = rare.iter().filter(|(_, group)| group.cause == cause);
        let Some((key, first)) = own.next() else { continue };
        let mut together = first.clone();
        for (_, group) in own {
            if together.program != group.program {
                together.program.clear();
            }
            together.absorb(group);
        }
        all.push((*key, together));
    }
    all
}

/// The groups, with the exceptions of scripts that were written for one use in one group, if there are several.
fn with_scratch(known: &Groups, groups: Vec<(u64, Group)>) -> Vec<(u64, Group)> {
    let (scratch, mut all): (Vec<_>, Vec<_>) = groups.into_iter().partition(|(_, group)| {
        group.cause == Cause::Error && group.scratch == group.failures && !is_resolved(known, group)
    });
    if scratch.len() < SEVERAL {
        all.extend(scratch);
        return all;
    }
    let mut together: Option<Group> = None;
    for (_, mut group) in scratch {
        let line = group.latest().map(|failure| failure.line.clone()).unwrap_or_default();
        group.names.clear();
        group.distinct = 0;
        if is_thrown(&line) {
            group.add_name(line.split(':').next().unwrap_or_default(), group.failures);
        }
        match &mut together {
            None => together = Some(group),
            Some(together) => together.absorb(&group),
        }
    }
    if let Some(mut together) = together {
        together.cause = Cause::Scratch;
        together.place = None;
        together.corrections = Corrections::default();
        together.program.clear();
        all.push((Cause::Scratch as u64, together));
    }
    all
}

/// The groups, with those of one program that has several errors in one group.
fn with_programs(groups: Vec<(u64, Group)>) -> Vec<(u64, Group)> {
    let mut by_program: BTreeMap<String, Vec<(u64, Group)>> = BTreeMap::new();
    let (errors, mut all): (Vec<_>, Vec<_>) =
        groups.into_iter().partition(|(_, group)| group.cause == Cause::Error && group.is_of_one_program());
    for (key, group) in errors {
        by_program.entry(group.program.clone()).or_default().push((key, group));
    }
    for (_, errors) in by_program {
        let failures = errors.iter().map(|(_, group)| group.failures).fold(0, u32::saturating_add);
        // An error that makes up half of them has a finding of its own.
        let stands_out = |group: &Group| group.failures > 2 && group.failures.saturating_mul(2) >= failures;
        let (own, errors): (Vec<_>, Vec<_>) = errors.into_iter().partition(|(_, group)| stands_out(group));
        all.extend(own);
        let failures = errors.iter().map(|(_, group)| group.failures).fold(0, u32::saturating_add);
        let mut rest = errors.into_iter();
        if rest.len() < SEVERAL || failures < SEVERAL_FAILURES {
            all.extend(rest);
            continue;
        }
        let Some((key, mut several)) = rest.next() else { continue };
        several.cause = Cause::Several;
        for (_, group) in rest {
            several.absorb(&group);
        }
        all.push((key, several));
    }
    all
}

impl Group {
    /// Whether the errors of its program have something to do with each other. Interpreters run anything, and a program
    /// with subcommands does many things.
    fn is_of_one_program(&self) -> bool {
        let runs_anything = matches!(
            self.program.as_str(),
            "python"
                | "python3"
                | "node"
                | "bash"
                | "sh"
                | "zsh"
                | "ruby"
                | "perl"
                | "php"
                | "cat"
                | "ls"
                | "grep"
                | "rg"
                | "git"
                | "docker"
                | "kubectl"
                | "gh"
                | "npm"
                | "pnpm"
                | "yarn"
                | "bun"
                | "make"
                | "go"
                | "cargo"
        );
        !self.program.is_empty() && !runs_anything && self.weight > Weight::Footer
    }

    /// The names for a title: `a`, `b`, `c` and 2 more.
    fn named(&self) -> String {
        let names = self.frequent_names();
        let short = |name: &&str| format!("`{}`", clipped(name, NAME_CHARS));
        let shown: Vec<String> = names.iter().take(TITLE_NAMES).map(short).collect();
        let more = (self.distinct as usize).saturating_sub(shown.len());
        match more {
            0 => shown.join(", "),
            more => format!("{} and {more} more", shown.join(", ")),
        }
    }

    fn title(&self, about: &About) -> String {
        let line = self.latest().map_or("", |failure| failure.line.as_str());
        let title = match self.cause {
            // The runner says only that a step failed.
            Cause::Error
                if (self.weight < Weight::Trouble || is_summary(line))
                    && self.steps.len() == 1
                    && !self.program.is_empty() =>
            {
                let step = self.steps.keys().next().map_or("", String::as_str);
                format!("`{}` fails in the step `{step}`", self.program)
            }
            Cause::Error => {
                // A line with changing names is not that of one of them.
                let line = message(line);
                let shown = if self.distinct > 1 { without_names(line) } else { line.to_owned() };
                let line = readable(&shown);
                if self.program.is_empty() { line } else { format!("`{}`: {line}", self.program) }
            }
            Cause::Module if self.program.is_empty() && self.distinct > 0 => {
                let (what, are) = if self.distinct == 1 { ("the module", "is") } else { ("modules", "are") };
                format!("{what} {} {are} missing", self.named())
            }
            Cause::Several if self.lines.len() > 1 => {
                let most = self.frequent_lines().first().map(|(line, _)| readable(line)).unwrap_or_default();
                format!("`{}` fails with {} different messages, such as: {most}", self.program, self.lines.len())
            }
            Cause::Tests if self.shared_error().is_some() && !self.program.is_empty() => {
                format!(
                    "most failing tests of `{}` say: {}",
                    self.program,
                    readable(self.shared_error().unwrap_or_default())
                )
            }
            Cause::Shell if self.is_pattern() => {
                format!("zsh stops at a pattern that matches no file: {}", self.named())
            }
            Cause::Silent if self.says_something() => {
                format!("`{}` fails and says: {}", self.program, readable(line))
            }
            _ => {
                let (one, many) = about.title.split_once('|').unwrap_or((about.title, about.title));
                let form = if self.distinct == 1 { one } else { many };
                let form = if self.distinct == 0 {
                    form.split_once(": {n}").map_or(form, |(before, _)| before).replace(" {n}", "")
                } else {
                    form.replace("{n}", &self.named())
                };
                match self.program.as_str() {
                    "" => form.replace("`{p}`", if self.cause == Cause::Parameters { "a tool" } else { "the agent" }),
                    program => form.replace("{p}", program),
                }
            }
        };
        clipped(&title, TITLE_CHARS)
    }

    /// What to do: what worked next, what the failing tool suggests, what helps in general, or the place to look at.
    fn direction(&self, about: &About) -> String {
        let suggested = || {
            let fits = !matches!(
                self.cause,
                Cause::Tests | Cause::Path | Cause::Access | Cause::Timeout | Cause::Serves | Cause::Terminal
            ) && !self.cause.is_about_edits();
            // What one of several failures suggests says nothing of the others.
            self.suggestion
                .as_ref()
                .filter(|(_, count)| fits && count.saturating_mul(2) >= self.failures)
                .map(|(text, _)| format!("the tool itself suggests: {}", clipped(text, 160)))
        };
        let is_code = matches!(
            self.kind,
            FailureKind::Traceback | FailureKind::CompileLint | FailureKind::MissingModule | FailureKind::TestFailure
        );
        let place = self.place.as_ref().filter(|_| is_code || self.cause == Cause::Tests);
        let helps = !about.advice.is_empty() && !self.only_looks();
        let general = || self.specific().or_else(|| helps.then(|| about.advice.to_owned()));
        let is_of_code = matches!(self.cause, Cause::Error | Cause::Tests);
        let known = {
            let is_typescript = place
                .is_some_and(|(path, _)| Path::new(path).extension().is_some_and(|end| end == "ts" || end == "tsx"));
            // An output that says nothing of a known kind may still be known by its line.
            let may_be_known = is_of_code
                || self.says_something()
                || self.cause == Cause::Login
                || (self.cause == Cause::Problems && self.failures == 1);
            let hint = self.latest().filter(|_| may_be_known).and_then(|failure| hint(&failure.line, is_typescript));
            hint.map(|hint| place.map_or_else(|| hint.to_owned(), |(path, line)| format!("{hint}; see {path}:{line}")))
        };
        // The cure of a known error is not that the next call ran in another folder.
        let worked = match &known {
            Some(_) => self.corrections.without_folders().advice(self.cause, self.failures),
            None => self.corrections.advice(self.cause, self.failures),
        };
        let look = || {
            let (path, line) = place.filter(|_| is_of_code)?;
            Some(format!("look at {path}:{line}, which the newest of these failures names"))
        };
        worked.or(known).or_else(suggested).or_else(general).or_else(look).unwrap_or_default()
    }

    /// What helps against this cause in this program, if more can be said than in general.
    fn specific(&self) -> Option<String> {
        let named = self.frequent_names();
        let quoted = |names: &[&str]| names.iter().map(|name| format!("`{name}`")).collect::<Vec<_>>().join(" and ");
        match self.cause {
            Cause::Problems if named == [WHITE_SPACE] => Some(WHITE_SPACE_ADVICE.to_owned()),
            Cause::Problems if matches!(self.program.as_str(), "tsc" | "rustc") => Some(self.check().map_or_else(
                || COMPILER_ADVICE.to_owned(),
                |check| {
                    format!("have the agent run `{check}` after each change, and fix what it reports before it goes on")
                },
            )),
            // The tool that edits refuses what does not parse.
            Cause::Problems if self.check().is_none() && self.program == "edit" => Some(EDIT_ADVICE.to_owned()),
            Cause::Problems if !named.is_empty() => {
                let check = self.check().unwrap_or_else(|| self.program.clone());
                let most = named.get(..named.len().min(2)).unwrap_or_default();
                let verb = if most.len() == 1 { "is" } else { "are" };
                Some(format!(
                    "have the agent run `{check}` after each change, and say in its instructions how code satisfies {}, which \
                     {verb} broken most often",
                    quoted(most)
                ))
            }
            Cause::OptionRefused | Cause::Subcommand if !self.program.is_empty() => Some(format!(
                "look at what `{} --help` lists, and say in the agent's instructions what serves instead of {}",
                self.program,
                if named.is_empty() { "it".to_owned() } else { quoted(named.get(..named.len().min(2)).unwrap_or_default()) }
            )),
            Cause::DeadShell if self.follows_removal => Some(
                "start the agent's shell again; tell the agent to leave a folder before it removes it: the last command \
                 that worked removed one"
                    .to_owned(),
            ),
            Cause::Shell if self.is_pattern() => Some(
                "tell the agent to end a pattern that may match nothing with `(N)`, or to use `find`: zsh then runs the \
                 command all the same"
                    .to_owned(),
            ),
            Cause::Access if self.with_sudo.saturating_mul(2) >= self.failures && self.with_sudo > 0 => {
                Some(format!("let the agent run this with `sudo`: {}", proof(self.with_sudo, self.failures)))
            }
            Cause::Access if self.latest().is_some_and(|failure| failure.line.contains("docker.sock")) => {
                Some("let the agent's user use Docker (the group `docker`), or tell the agent that it has none here".to_owned())
            }
            Cause::Access if self.is_about_what_runs() => Some(format!(
                "make it executable (`chmod +x {}`), or have the agent start it with its interpreter",
                named.get(..1).unwrap_or_default().concat()
            )),
            Cause::Access if self.latest().is_some_and(|failure| is_for_root(&failure.line)) => {
                Some("let the agent run it with `sudo`, or install the package for it".to_owned())
            }
            Cause::Terminal if self.program == "sudo" => Some(
                "allow the agent's user to run these commands with `sudo` without a password, or run them yourself in a \
                 terminal"
                    .to_owned(),
            ),
            Cause::Terminal if self.latest().is_some_and(|failure| failure.line.contains("assword")) => Some(format!(
                "say in the agent's instructions where it finds the password, and how `{}` takes it on its command line",
                self.program
            )),
            Cause::Timeout if self.latest().is_some_and(|failure| follows(&failure.input)) => Some(
                "tell the agent to ask for the lines that are there instead of following the log: without `-f`, and \
                 `pm2 logs` with `--nostream`"
                    .to_owned(),
            ),
            Cause::Timeout if !named.is_empty() => Some(format!(
                "allow it more than {}, or tell the agent to run a smaller part, or to run it in the background and look at \
                 its output",
                named.get(..1).unwrap_or_default().concat()
            )),
            // The program is a dependency of the project, which a script of its package manager starts.
            Cause::Program if matches!(self.program.split(' ').next(), Some("npm" | "pnpm" | "yarn" | "bun")) => {
                let manager = self.program.split(' ').next().unwrap_or_default();
                Some(format!(
                    "install the project's dependencies first (`{manager} install`): its scripts expect this program there"
                ))
            }
            Cause::Module if !named.is_empty() && named.iter().all(|name| name.contains(".so")) => {
                Some("install the system's package that has this library (Debian: `apt-file search NAME`)".to_owned())
            }
            Cause::Module
                if named.iter().all(|name| {
                    name.contains('.') && self.newest.iter().any(|failure| failure.input.contains(name))
                }) =>
            {
                Some(format!(
                    "correct the name in the command: there is no module {}, neither in the project nor in the environment",
                    quoted(named.get(..1).unwrap_or_default())
                ))
            }
            Cause::Unparsed if named.iter().all(|name| *name == INLINE_SCRIPT) => Some(
                "tell the agent to write a script that has quotes into a file first, and to run that: an inline one passes \
                 through the shell"
                    .to_owned(),
            ),
            Cause::Module if self.program.starts_with("go ") && named.len() == 1 => Some(format!(
                "fetch it with `go get {}`, or correct the import: no module of go.mod has this package",
                named.concat()
            )),
            Cause::PushRejected if self.lines.values().any(|(line, _)| is_protected(line)) => Some(
                "tell the agent to push to a branch of its own and to make a pull request: this branch takes no direct push"
                    .to_owned(),
            ),
            Cause::Module if !named.is_empty() && named.iter().all(|name| is_of_project(name)) => Some(format!(
                "make the file or correct the import: {} is no package, but a file of the project",
                quoted(named.get(..1).unwrap_or_default())
            )),
            Cause::Tests if self.shared_error().is_some() => Some(match &self.place {
                Some((path, line)) => {
                    format!("repair this error first, starting at {path}:{line}, and run the tests again")
                }
                None => "repair this error first, and run the tests again".to_owned(),
            }),
            Cause::Path if self.is_about_what_runs() => Some(format!(
                "say in the agent's instructions how this is started here: there is no {} in the folder where it looked",
                quoted(named.get(..1).unwrap_or_default())
            )),
            Cause::Path if !self.only_looks() && named.first().is_some_and(|path| !path.starts_with(['/', '~'])) => {
                self.search()
            }
            Cause::Parameters if !named.is_empty() && !self.program.is_empty() => {
                let shown = named.get(..named.len().min(3)).unwrap_or_default();
                Some(format!("say in the agent's instructions how `{}` takes {}", self.program, quoted(shown)))
            }
            Cause::Silent
                if !self.says_something() && self.latest().is_some_and(|failure| redirected(&failure.input).is_some()) =>
            {
                self.latest().and_then(|failure| redirected(&failure.input)).map(|file| {
                    format!("have the agent print the end of `{file}` when this fails: its messages go there")
                })
            }
            Cause::Silent if self.latest().is_some_and(|failure| failure.input.contains("/dev/null")) => {
                Some("have the agent let it print its messages: the command sends them to `/dev/null`".to_owned())
            }
            Cause::Network if named.is_empty() => Some(REMOTE_ADVICE.to_owned()),
            Cause::Network if !named.iter().any(|host| is_local(host)) => Some(REMOTE_ADVICE.to_owned()),
            _ => None,
        }
    }

    /// Whether it printed a line, which is of no known kind.
    fn says_something(&self) -> bool {
        self.cause == Cause::Silent && self.weight == Weight::Text && self.lines.len() == 1
    }

    /// Whether all of these failures are patterns of file names that match no file.
    fn is_pattern(&self) -> bool {
        self.cause == Cause::Shell && self.lines.values().all(|(line, _)| line.contains("no matches found"))
    }

    /// Whether the commands only ask whether a path is there.
    fn only_looks(&self) -> bool {
        let looks = |program: &str| matches!(program, "ls" | "stat" | "test" | "[" | "file");
        let in_steps = self.steps.values().sum::<u32>() == self.failures;
        let does = |failure: &Failure| {
            let steps = crate::shell::steps(&failure.input);
            !steps.is_empty() && steps.iter().all(|step| looks(step.program))
        };
        self.cause == Cause::Path
            && if in_steps { self.steps.keys().all(|step| looks(step)) } else { self.newest.iter().all(does) }
    }

    /// How to find the file of the only path that does not exist: by its name.
    fn search(&self) -> Option<String> {
        let names = self.frequent_names();
        let path = names.first()?;
        let name = path
            .rsplit('/')
            .next()
            .filter(|name| name.contains('.') && !name.contains(['*', '\'', ' ', '\u{2026}']))?;
        Some(format!(
            "tell the agent to search for a file by its name before it uses a path that nothing has shown: `git ls-files \
             '*{name}'`"
        ))
    }

    /// The command that runs the check, as the newest failed call had it.
    fn check(&self) -> Option<String> {
        let input = &self.latest()?.input;
        crate::shell::steps(input).iter().rfind(|step| step.checks() || step.tests()).map(Step::name)
    }

    /// The error that most failing tests share, if it was that of at least half of the runs.
    fn shared_error(&self) -> Option<&str> {
        let (line, count) = self.frequent_lines().into_iter().next()?;
        let is_of_most = |count: u32| count.saturating_mul(2) >= self.failures;
        (is_thrown(line) && is_of_most(count) && is_of_most(self.shared)).then_some(line)
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
        self.distinct == 1 && names.first().is_some_and(|name| runs(name))
    }

    /// The errors that this group stands for, if they have different lines.
    fn absorbed(&self) -> Vec<(String, u32)> {
        let lines = self.frequent_lines();
        let differ = lines.len() > 1 && !self.cause.is_about_edits();
        let shown = |(line, count): &(&str, u32)| (clipped(&readable(line), TITLE_CHARS), *count);
        if differ { lines.iter().take(MAX_ABSORBED).map(shown).collect() } else { Vec::new() }
    }
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

/// Whether a remote says that a branch or its rules take no such push.
fn is_protected(line: &str) -> bool {
    ["rotected branch", "hook declined", "rule violations", "GH006", "GH013"].iter().any(|words| line.contains(words))
}

/// Whether a module's name is the path of a file of the project.
fn is_of_project(module: &str) -> bool {
    ["./", "../", "@/", "~/", "#/", "src/", "/"].iter().any(|start| module.starts_with(start))
}

fn is_resolved(groups: &Groups, group: &Group) -> bool {
    group.newest.iter().all(|failure| groups.is_resolved(failure))
}

/// The advice, with a call of the same program that worked later.
fn with_example(advice: String, group: &Group, mended: &Mended) -> String {
    let may_help = matches!(
        group.cause,
        Cause::Several | Cause::NoTests | Cause::WrongModule | Cause::OptionRefused | Cause::Subcommand | Cause::Script
    );
    let is_other = |example: &&str| group.latest().is_none_or(|failure| failure.input.trim() != *example);
    let Some(example) = mended.example(&group.program).filter(|_| may_help).filter(is_other) else { return advice };
    if advice.is_empty() {
        format!(
            "say in the agent's instructions how `{}` is called here; this worked later: `{example}`",
            group.program
        )
    } else if advice.contains("worked next") {
        advice
    } else {
        format!("{advice}; this worked later: `{example}`")
    }
}

/// The advice, with the files whose edits made the newest failed call work.
fn with_edits(advice: String, group: &Group, mended: &Mended) -> String {
    let is_work = matches!(group.cause, Cause::Tests | Cause::Problems) || group.cause.is_about_edits();
    let files = group.latest().filter(|_| !is_work).map(|failure| mended.files(failure.event)).unwrap_or_default();
    let names = files.iter().map(|file| format!("`{file}`")).collect::<Vec<_>>().join(" and ");
    match (names.is_empty(), advice.is_empty()) {
        (true, _) => advice,
        (false, true) => format!("look at what was changed in {names}: the same call worked after that edit"),
        (false, false) => format!("{advice}; the same call worked after an edit of {names}"),
    }
}

fn report(groups: &Groups, mended: &Mended, key: u64, group: &Group, thresholds: &Thresholds) -> Report {
    let about = group.cause.about();
    let recurring = f64::from(group.failures) >= thresholds.recurring;
    let severity = match about.severity {
        _ if is_resolved(groups, group) || group.only_looks() => Severity::Info,
        // Nothing shows what to do, but it happens again and again.
        Severity::Info if group.cause == Cause::Silent && group.failures > 1 => Severity::Low,
        Severity::Low if recurring => Severity::Medium,
        Severity::Medium if recurring => Severity::High,
        severity => severity,
    };
    let is_vague = matches!(group.cause, Cause::Silent | Cause::Several) || group.weight <= Weight::Text;
    Report {
        id: format!("{}:{key:016x}", about.kind.replace('_', "-")),
        kind: about.kind,
        title: group.title(&about),
        severity,
        confidence: confidence(group.failures) * if is_vague { 0.7 } else { 1.0 },
        hypothesis: match group.cause {
            Cause::Error => hypothesis(group.kind, recurring).to_owned(),
            Cause::Silent if group.says_something() => "what it printed does not say what is wrong".to_owned(),
            Cause::Path if group.only_looks() => "the agent asked whether it is there, and it was not".to_owned(),
            _ => about.hypothesis.to_owned(),
        },
        evidence: group.newest.iter().map(evidence).collect(),
        direction: with_edits(with_example(group.direction(&about), group, mended), group, mended),
        signals: signals(group, recurring),
        occurrences: group.failures,
        events: group.events.clone(),
        facets: facets(group, &about),
        absorbed: group.absorbed(),
        is_expected: false,
    }
}

fn facets(group: &Group, about: &About) -> Vec<Facet> {
    let name = if about.names.is_empty() { "names" } else { about.names };
    let values: Vec<String> = group.frequent_names().into_iter().map(str::to_owned).collect();
    let mut facets = Vec::new();
    // What is the same in all failures is in the title.
    let is_in_title = group.cause == Cause::Error && group.distinct < 2;
    if !values.is_empty() && !is_in_title {
        facets.push(Facet { name: name.to_owned(), values, distinct: group.distinct });
    }
    let steps = group.steps.iter().filter(|(step, _)| **step != group.program);
    let steps = by_count(steps.map(|(step, count)| (step.as_str(), *count)));
    let distinct = u32::try_from(steps.len()).unwrap_or(u32::MAX);
    let values: Vec<String> = steps.into_iter().map(|(step, _)| step.to_owned()).collect();
    if !values.is_empty() {
        facets.push(Facet { name: "failed steps".to_owned(), values, distinct });
    }
    facets
}

/// The input of the call that failed, because the title already has the error.
fn evidence(failure: &Failure) -> (u64, String) {
    // Of the input of an edit, the file says most.
    let file = Some(&failure.input).filter(|input| input.starts_with('{')).and_then(|input| file(input));
    let text = if failure.input.is_empty() { &failure.line } else { file.unwrap_or(&failure.input) };
    (failure.event, clipped(text, INPUT_CHARS))
}

/// One finding for failures that were meant to happen.
fn expected_report<'g>(expected: Expected, groups: impl Iterator<Item = &'g Group>) -> Report {
    let mut all: Option<Group> = None;
    for group in groups {
        match &mut all {
            None => all = Some(group.clone()),
            Some(all) => all.absorb(group),
        }
    }
    let (name, title, hypothesis) = match expected {
        Expected::Announced => (
            "announced",
            "checks that the agent ran to see them fail",
            "the agent said before the call that it must fail",
        ),
        Expected::OnBase => (
            "on-base",
            "checks that failed while the agent's changes were put aside",
            "these errors were there before the agent's changes",
        ),
        Expected::Poll => (
            "polls",
            "calls that wait for something that is not ready yet",
            "the agent asks again until a server or a job is ready",
        ),
    };
    let group = all.as_ref();
    let failures = group.map_or(0, |group| group.failures);
    Report {
        id: format!("expected:{name}"),
        kind: "expected_failures",
        title: title.to_owned(),
        confidence: confidence(failures),
        hypothesis: hypothesis.to_owned(),
        evidence: group.map(|group| group.newest.iter().map(evidence).collect()).unwrap_or_default(),
        occurrences: failures,
        events: group.map(|group| group.events.clone()).unwrap_or_default(),
        is_expected: true,
        ..Report::default()
    }
}

/// One finding for the errors that occurred once, and whose call succeeded when it was made again.
fn resolved_report(resolved: &[(u64, Group)]) -> Option<Report> {
    let report = of_single_errors("resolved-errors", "resolved_errors", resolved)?;
    let title = match resolved.len() {
        1 => "one error occurred once, and the same call worked later".to_owned(),
        count => format!("{count} errors occurred once each, and the same calls worked later"),
    };
    let hypothesis = "the agent corrected what was wrong, or the error went away by itself".to_owned();
    let direction = "nothing needs to be done, unless they come back".to_owned();
    Some(Report { title, hypothesis, direction, ..report })
}

/// One finding for the errors without one of their own.
fn rare_report(rest: &[(u64, Group)]) -> Option<Report> {
    let report = of_single_errors("rare-errors", "rare_errors", rest)?;
    let title = match rest.len() {
        1 => "one other error occurred once".to_owned(),
        count => format!("{count} other errors occurred once each"),
    };
    Some(Report { title, hypothesis: "single mistakes that have no cause in common".to_owned(), ..report })
}

/// A finding for several errors, with their titles, the newest first.
fn of_single_errors(id: &str, kind: &'static str, rest: &[(u64, Group)]) -> Option<Report> {
    let count = u32::try_from(rest.len()).unwrap_or(u32::MAX);
    let mut newest: Vec<(&Failure, &Group)> =
        rest.iter().filter_map(|(_, group)| group.latest().map(|failure| (failure, group))).collect();
    sort_by(&mut newest, |(a, _), (b, _)| b.event.cmp(&a.event));
    let titles = newest.iter().map(|(_, group)| (group.title(&group.cause.about()), 1));
    let mut events: Vec<u64> = rest.iter().flat_map(|(_, group)| group.events.iter().copied()).collect();
    order::sort(&mut events);
    (count > 0).then(|| Report {
        id: id.to_owned(),
        kind,
        severity: Severity::Info,
        confidence: RARE_CONFIDENCE,
        evidence: newest
            .iter()
            .take(MAX_RARE_EVIDENCE)
            .map(|(failure, _)| (failure.event, failure.line.clone()))
            .collect(),
        absorbed: titles.take(MAX_ABSORBED).collect(),
        signals: vec!["log_error".to_owned()],
        occurrences: count,
        events,
        ..Report::default()
    })
}

/// The signals of a group: `errsig:` with its most frequent lines, `recurring_error`, and those of the kind.
fn signals(group: &Group, recurring: bool) -> Vec<String> {
    let mut signals = vec!["log_error".to_owned()];
    let latest = group.latest().map(|failure| failure.line.clone()).filter(|line| !line.is_empty());
    let lines = group.frequent_lines();
    let others = lines.iter().map(|(line, _)| (*line).to_owned()).filter(|line| !line.is_empty());
    for line in latest.into_iter().chain(others).take(MAX_LINES) {
        let signal = format!("errsig:{line}");
        if !signals.contains(&signal) {
            signals.push(signal);
        }
    }
    if recurring {
        signals.push("recurring_error".to_owned());
    }
    let kind = group.cause.about().kind;
    for signal in [Some(kind).filter(|kind| *kind != "error_signature"), signal(group.kind)].into_iter().flatten() {
        if !signals.iter().any(|known| known == signal) {
            signals.push(signal.to_owned());
        }
    }
    signals
}
