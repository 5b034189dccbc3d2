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

/// The causes of parts.
const PARTS: [Cause; 7] = [
    Cause::Program,
    Cause::Module,
    Cause::OwnModule,
    Cause::Unwrapped,
    Cause::NotActive,
    Cause::Network,
    Cause::Access,
];

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
    let Some(own) = explained(&all, part) else { return all };
    let is_own = |member: &Member| own.binary_search(&member.event).is_ok();
    let parts = directions(&all, around, &is_own);
    let mut whole: Option<Group> = None;
    for from in PARTS {
        let mut own = gather(&mut all, from, cause, &is_own);
        for member in own.iter_mut().filter(|_| from == Cause::Unwrapped).flat_map(|group| &mut group.members) {
            member.names = member.program.split(' ').next().map(str::to_owned).into_iter().collect();
        }
        whole = together(whole, own);
    }
    all.extend(whole.map(|mut group| {
        group.members.iter_mut().for_each(|member| member.program.clear());
        group.parts = parts;
        (of_cause(cause), group)
    }));
    all
}

/// The failures that the cause above explains, ascending; `None` if the log does not show that it is one cause.
fn explained(all: &[Keyed], part: &dyn Fn(Cause, &Member) -> Option<Cause>) -> Option<Vec<u64>> {
    let members = all.iter().flat_map(|(_, group)| group.members.iter().map(|member| (group.cause, member)));
    let parts = members.filter_map(|(cause, member)| Some((member, part(cause, member)?)));
    let parts: Vec<(&Member, Cause)> = parts.take(MAX_FAILURES).collect();
    let is_linked = |member: &Member| {
        let of_session = || parts.iter().filter(|(other, _)| other.session == member.session);
        let has = |fits: &dyn Fn(Cause) -> bool| of_session().any(|(_, part)| fits(*part));
        has(&is_sign) && of_session().any(|(_, part)| of_session().any(|(_, other)| other != part))
    };
    let linked: Vec<&Member> = parts.iter().map(|(member, _)| *member).filter(|member| is_linked(member)).collect();
    let is_same = |member: &Member| {
        let is_named = |name: &String| linked.iter().any(|other| other.names.contains(name));
        !member.names.is_empty() && member.names.iter().all(is_named)
    };
    let is_own = |(member, part): &&(&Member, Cause)| *part == Cause::Program || is_linked(member) || is_same(member);
    let own: Vec<&(&Member, Cause)> = parts.iter().filter(is_own).collect();
    let is_enough = own.len() >= MIN_FAILURES || own.iter().any(|(_, part)| is_cured(*part));
    let mut events: Vec<u64> = own.iter().map(|(member, _)| member.event).collect();
    order::sort(&mut events);
    (!linked.is_empty() && is_enough).then_some(events)
}

/// Whether a part shows the cause above, and not only a symptom that other causes have, too.
fn is_sign(part: Cause) -> bool {
    is_cured(part) || matches!(part, Cause::Program | Cause::Network)
}

/// What is known to help against the parts: first what makes all of them work, then what helps most often.
fn directions(all: &[Keyed], around: Around<'_>, is_own: &dyn Fn(&Member) -> bool) -> Vec<String> {
    let mut known: Vec<(bool, u32, String)> = Vec::new();
    for (_, group) in all.iter().filter(|(_, group)| group.members.iter().any(is_own)) {
        let direction = group.direction(around);
        let is_general = direction.is_empty() || direction == group.cause.about().advice;
        let is_known = known.iter().any(|(.., other)| other.split(": ").next() == direction.split(": ").next());
        if !is_general && !is_known && group.cause != Cause::Network {
            known.push((is_cured(group.cause), group.failures, direction));
        }
    }
    order::sort_by(&mut known, |a, b| b.0.cmp(&a.0).then(b.1.cmp(&a.1)).then_with(|| a.2.cmp(&b.2)));
    // Another program is no remedy beside that which makes all of them work.
    if known.first().is_some_and(|(is_cured, ..)| *is_cured) {
        known.retain(|(is_cured, _, direction)| *is_cured || direction.contains("install"));
    }
    known.into_iter().map(|(.., direction)| direction).take(MAX_PARTS).collect()
}

impl Group {
    /// What helps against a cause above several others: in general, and what worked against its parts.
    pub(super) fn of_parts(&self) -> Option<String> {
        if !matches!(self.cause, Cause::Python | Cause::Confined) {
            return None;
        }
        // What is known of the parts says more than what helps in general.
        let general = Some(self.cause.about().advice).filter(|_| self.parts.len() < MAX_PARTS);
        Some(general.into_iter().chain(self.parts.iter().map(String::as_str)).collect::<Vec<_>>().join("; "))
    }
}
