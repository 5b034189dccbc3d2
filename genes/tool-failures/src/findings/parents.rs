//! Causes above several findings: an environment without Python or the packages of the project, and a sandbox that refuses what
//! commands need. Each explains failures of several kinds that one session has, and nothing else.

use crate::analysis::Around;
use crate::cause::Cause;
use crate::causes::{Group, Member, of_cause};
use crate::findings::keyed::{Keyed, gather, together};
use crate::order;

/// The fewest failures that have a cause above them, if no call shows what makes them work.
const MIN_FAILURES: usize = 3;
/// Failures that are looked at.
const MAX_FAILURES: usize = 512;
/// Advices of parts that the advice of the whole names.
const MAX_PARTS: usize = 2;

/// Programs that a Python environment brings, beside Python itself.
const OF_PYTHON: [&str; 17] = [
    "py", "pip", "pip3", "pytest", "ipython", "tox", "nox", "coverage", "mypy", "black", "flake8", "pylint", "alembic",
    "uvicorn", "gunicorn", "celery", "flask",
];

/// The groups, with the causes above them in place of those that they explain.
pub(crate) fn with_parents(all: Vec<Keyed>, around: Around<'_>) -> Vec<Keyed> {
    let all = joined(all, around, Cause::Python, &part_of_python);
    joined(all, around, Cause::Confined, &|cause, member| part_of_sandbox(cause, member, around))
}

/// Which part of a missing Python environment a failure shows.
fn part_of_python(cause: Cause, member: &Member) -> Option<Cause> {
    let runs_python =
        member.line.contains("No module named ") || is_of_python(member.program.split(' ').next().unwrap_or_default());
    let is_part = match cause {
        Cause::Program => !member.names.is_empty() && member.names.iter().all(|name| is_of_python(name)),
        Cause::Module | Cause::OwnModule => runs_python,
        Cause::Unwrapped => member.names.iter().any(|name| name.contains("activate")),
        Cause::NotActive => member.names.iter().all(|name| is_of_python(name)),
        _ => false,
    };
    is_part.then_some(cause)
}

fn is_of_python(program: &str) -> bool {
    OF_PYTHON.contains(&program) || program.strip_prefix("python").is_some_and(|rest| rest.bytes().all(is_of_version))
}

fn is_of_version(byte: u8) -> bool {
    byte.is_ascii_digit() || byte == b'.'
}

/// Which part of a sandbox a failure shows: the system forbade connections in its session, so that a folder that is denied there
/// is denied by the sandbox, too.
fn part_of_sandbox(cause: Cause, member: &Member, around: Around<'_>) -> Option<Cause> {
    let is_part = matches!(cause, Cause::Network | Cause::Access) && around.machine.is_cut_off(member.session);
    is_part.then_some(cause)
}

/// Whether a part shows by a later call what makes all of them work.
fn is_cured(part: Cause) -> bool {
    matches!(part, Cause::Unwrapped | Cause::NotActive)
}

/// The groups, with the failures in one group that show several parts of one cause, if a session has two of these parts.
fn joined(
    mut all: Vec<Keyed>,
    around: Around<'_>,
    cause: Cause,
    part: &dyn Fn(Cause, &Member) -> Option<Cause>,
) -> Vec<Keyed> {
    let members = all.iter().flat_map(|(_, group)| group.members.iter().map(|member| (group.cause, member)));
    let parts = members.filter_map(|(cause, member)| Some((member.session, part(cause, member)?, member.event)));
    let parts: Vec<(u32, Cause, u64)> = parts.take(MAX_FAILURES).collect();
    let linked = |session: u32| {
        let first = parts.iter().find(|(known, ..)| *known == session).map(|(_, part, _)| *part);
        parts.iter().any(|(known, part, _)| *known == session && Some(*part) != first)
    };
    let own: Vec<&(u32, Cause, u64)> =
        parts.iter().filter(|(session, part, _)| *part == Cause::Program || linked(*session)).collect();
    let is_enough = own.len() >= MIN_FAILURES || own.iter().any(|(_, part, _)| is_cured(*part));
    if !is_enough || !own.iter().any(|(session, ..)| linked(*session)) {
        return all;
    }
    let is_own = |member: &Member| own.iter().any(|(.., event)| *event == member.event);
    let mut directions: Vec<(bool, u32, String)> = Vec::new();
    for (_, group) in all.iter().filter(|(_, group)| group.members.iter().any(is_own)) {
        let direction = group.direction(around);
        if direction.contains("worked") {
            directions.push((is_cured(group.cause), group.failures, direction));
        }
    }
    // What makes all of them work says more than what helped against one.
    order::sort_by(&mut directions, |a, b| b.0.cmp(&a.0).then(b.1.cmp(&a.1)).then_with(|| a.2.cmp(&b.2)));
    let most = if directions.first().is_some_and(|(is_cured, ..)| *is_cured) { 1 } else { MAX_PARTS };
    let mut whole: Option<Group> = None;
    for from in [
        Cause::Program,
        Cause::Module,
        Cause::OwnModule,
        Cause::Unwrapped,
        Cause::NotActive,
        Cause::Network,
        Cause::Access,
    ] {
        let mut own = gather(&mut all, from, cause, &is_own);
        for member in own.iter_mut().filter(|_| from == Cause::Unwrapped).flat_map(|group| &mut group.members) {
            member.names = vec![member.program.clone()];
        }
        whole = together(whole, own);
    }
    all.extend(whole.map(|mut group| {
        group.members.iter_mut().for_each(|member| member.program.clear());
        group.parts = directions.into_iter().map(|(.., direction)| direction).take(most).collect();
        (of_cause(cause), group)
    }));
    all
}

impl Group {
    /// What helps against a cause above several others: in general, and what worked against its parts.
    pub(super) fn of_parts(&self) -> Option<String> {
        if !matches!(self.cause, Cause::Python | Cause::Confined) {
            return None;
        }
        let general = Some(self.cause.about().advice);
        Some(general.into_iter().chain(self.parts.iter().map(String::as_str)).collect::<Vec<_>>().join("; "))
    }
}
