//! Failures of one program that have different reasons: together they are one finding, so that the program is seen that stands
//! behind most of a log.

use gephost_gene::Severity;

use crate::call::hash;
use crate::cause::Cause;
use crate::causes::program::SHOWING;
use crate::causes::{Group, counted, of_cause};
use crate::command::shell::{FILTERS, INTERPRETERS};
use crate::findings::keyed::{self, Keyed};
use crate::findings::wording::{NAME_CHARS, shortened};
use crate::output::names::test_of;
use crate::report::Report;

/// The fewest failures that are joined. Two may have nothing in common.
const MIN_FAILURES: u32 = 3;
/// Programs that do something else in each call, beside those that run scripts and show files.
const UNLIKE: [&str; 9] = ["git", "ssh", "curl", "wget", "docker", "kubectl", "wsl", "rm", "cp"];

/// How an advice begins that says why nothing has to be done.
pub(crate) const NOTHING: &str = "nothing needs to be done";

/// A group with what is known of it.
pub(crate) struct Known {
    pub(crate) group: Group,
    pub(crate) report: Report,
    pub(crate) is_resolved: bool,
}

impl Known {
    /// The program that it may be joined by: one that does the same work in each call, if nothing else is known to help.
    fn program(&self) -> Option<&str> {
        let (group, program) = (&self.group, self.group.program());
        let is_of_program = matches!(
            group.cause,
            Cause::Error
                | Cause::Tests
                | Cause::Problems
                | Cause::NoTests
                | Cause::Subcommand
                | Cause::OptionRefused
                | Cause::Argument
        ) || group.cause.is_about_edits();
        let names: [&[&str]; 4] = [&UNLIKE, &INTERPRETERS, &FILTERS, &SHOWING];
        let head = program.split(' ').next().unwrap_or_default();
        let is_one = !program.is_empty() && !names.iter().any(|names| names.contains(&head));
        let direction = &self.report.direction;
        let helps = !direction.is_empty() && (self.report.severity > Severity::Info || direction.starts_with(NOTHING));
        Some(program).filter(|_| is_of_program && is_one && !helps && !group.is_of_scratch() && !group.is_probe())
    }
}

impl Group {
    /// The test that failed in most runs, if it did so in several, and whether the tests pass by now. In each run a test counts
    /// once, whatever of its subtests failed.
    pub(crate) fn recurring_test(&self, passes_by_now: bool) -> Option<String> {
        let program = Some(self.program()).filter(|program| self.cause == Cause::Tests && !program.is_empty())?;
        let mut tests: Vec<&str> = Vec::new();
        for member in &self.members {
            let start = tests.len();
            for test in member.names.iter().map(|name| test_of(name)) {
                if !tests.get(start..).is_some_and(|own| own.contains(&test)) {
                    tests.push(test);
                }
            }
        }
        let (test, runs) = *counted(tests.into_iter()).first().filter(|(_, runs)| *runs > 1)?;
        let now = if passes_by_now { "worked later" } else { "did not work again" };
        Some(format!(
            "`{}` failed in {runs} of {} failing runs, and `{program}` {now} in the session of the last one",
            shortened(test, NAME_CHARS),
            self.failures
        ))
    }
}

impl Known {
    /// The first word of that program, or the server of an agent's tool: what several of its tasks have in common.
    fn head(&self) -> Option<&str> {
        if let Some(server) = server(self.group.program()) {
            return Some(server).filter(|_| self.report.direction.is_empty() && !self.group.cause.is_about_edits());
        }
        self.program()?.split(' ').next()
    }
}

/// The server of a tool: `mcp__a` of `mcp__a__b`.
fn server(tool: &str) -> Option<&str> {
    let name = tool.strip_prefix("mcp__")?.split("__").next()?;
    tool.get(.."mcp__".len() + name.len())
}

/// Takes the failures out of those that occurred once each which are of one program, if there are enough: joined, with the
/// titles that they had.
pub(crate) fn joined(single: &mut Vec<Known>) -> Vec<(Keyed, Vec<(String, u32)>)> {
    // Those of one program first, then those of all its tasks.
    let mut all = joined_by(single, Known::program);
    all.extend(joined_by(single, Known::head));
    all
}

/// The same, of those with one name.
fn joined_by(single: &mut Vec<Known>, name: fn(&Known) -> Option<&str>) -> Vec<(Keyed, Vec<(String, u32)>)> {
    let programs = counted(single.iter().filter_map(name)).into_iter();
    let programs = programs.take_while(|(_, count)| *count >= MIN_FAILURES);
    let programs: Vec<String> = programs.map(|(program, _)| program.to_owned()).collect();
    let join = |program: String| {
        let (mut parts, rest): (Vec<_>, Vec<_>) =
            single.drain(..).partition(|known| name(known) == Some(program.as_str()));
        *single = rest;
        if server(&program).is_some() {
            let members = parts.iter_mut().flat_map(|part| &mut part.group.members);
            members.for_each(|member| member.program.clone_from(&program));
        }
        let titles = parts.iter().map(|part| (part.report.title.clone(), 1)).collect();
        let together = parts.into_iter().fold(None, |all, part| keyed::together(all, Some(part.group)))?;
        let key = hash(of_cause(Cause::Several), program.as_bytes());
        Some(((key, Group { cause: Cause::Several, ..together }), titles))
    };
    programs.into_iter().filter_map(join).collect()
}
