//! Causes above several findings: a server of this machine that is down, functions of a shell that are not loaded, an environment
//! without Python or the packages of the project, and a sandbox that refuses what commands need. Each takes only failures that show
//! it themselves, or that one session has beside such.

use crate::analysis::Around;
use crate::by_number::ByNumber;
use crate::cause::Cause;
use crate::causes::refine::is_of_function;
use crate::causes::{Group, Member, of_cause};
use crate::findings::keyed::{Keyed, gather, together};
use crate::order;
use crate::output::host::{host, is_local};
use crate::output::sentences;

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
    let all = joined(with_functions(with_services(all)), around, Cause::Python, &part_of_python);
    joined(all, around, Cause::Confined, &|cause, member| part_of_sandbox(cause, member, around))
}

/// The groups, with names among the functions of a shell that are written as these, if the log shows that functions are missing.
fn with_functions(mut all: Vec<Keyed>) -> Vec<Keyed> {
    if !all.iter().any(|(_, group)| group.cause == Cause::Function) {
        return all;
    }
    let is_function =
        |member: &Member| !member.names.is_empty() && member.names.iter().all(|name| is_of_function(name));
    if let Some(more) = gather(&mut all, Cause::Program, Cause::Function, &is_function)
        && let Some((_, group)) = all.iter_mut().find(|(_, group)| group.cause == Cause::Function)
    {
        group.absorb(&more);
    }
    all
}

/// The groups, with tests and errors that say that a server of this machine does not answer among the calls that say so of it.
fn with_services(mut all: Vec<Keyed>) -> Vec<Keyed> {
    let is_of_service = |group: &Group| {
        let names = if group.cause == Cause::Network { group.frequent_names() } else { Vec::new() };
        !names.is_empty() && names.iter().all(|name| is_local(name))
    };
    let Some(at) = all.iter().position(|(_, group)| is_of_service(group)) else { return all };
    let (key, mut service) = all.swap_remove(at);
    let names: Vec<String> = service.frequent_names().into_iter().map(str::to_owned).collect();
    let asks = |member: &Member| {
        // Few lines name a server: these are looked at.
        if !names.iter().any(|name| member.line.contains(name.as_str())) {
            return false;
        }
        let found = sentences::find(&member.line).filter(|found| found.cause == Cause::Network);
        found.and_then(|_| host(&member.line)).is_some_and(|host| names.iter().any(|name| name == host))
    };
    for from in [Cause::Tests, Cause::Error, Cause::Problems] {
        let Some(mut more) = gather(&mut all, from, Cause::Network, &asks) else { continue };
        for member in &mut more.members {
            member.names = host(&member.line).map(str::to_owned).into_iter().collect();
        }
        service.absorb(&more);
    }
    all.push((key, service));
    all
}

/// Which part of a missing Python environment a failure shows.
fn part_of_python(cause: Cause, member: &Member) -> Option<Cause> {
    let runs_python =
        member.line.contains("No module named ") || is_of_python(member.program.split(' ').next().unwrap_or_default());
    let is_part = match cause {
        Cause::Program | Cause::NotActive => {
            !member.names.is_empty() && member.names.iter().all(|name| is_of_python(name))
        }
        Cause::Module | Cause::OwnModule => runs_python,
        Cause::Unwrapped => runs_python && member.names.iter().any(|name| name.contains("activate")),
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
    let parts = directions(&all, around, cause, &is_own);
    let mut whole: Option<Group> = None;
    for from in PARTS {
        let mut own = gather(&mut all, from, cause, &is_own);
        for member in own.iter_mut().filter(|_| from == Cause::Unwrapped).flat_map(|group| &mut group.members) {
            member.names = member.program.split(' ').next().map(str::to_owned).into_iter().collect();
        }
        whole = together(whole, own);
    }
    // The same packages are missing for the same reason, whatever says so.
    let names: Vec<String> = whole.iter().flat_map(Group::frequent_names).map(str::to_owned).collect();
    let is_same = |member: &Member| !member.names.is_empty() && member.names.iter().all(|name| names.contains(name));
    if cause == Cause::Python {
        whole = together(whole, gather(&mut all, Cause::Module, cause, &is_same));
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
    // The parts that each session has, one bit for each.
    let mut sessions: ByNumber<u128> = ByNumber::default();
    for (member, part) in &parts {
        *sessions.get_or_insert(u64::from(member.session), || 0) |= bit(*part);
    }
    let signs = PARTS.into_iter().filter(|part| is_sign(*part)).fold(0, |signs, part| signs | bit(part));
    let is_linked = |member: &Member| {
        let own = sessions.get(u64::from(member.session)).copied().unwrap_or_default();
        own & signs != 0 && own.count_ones() > 1
    };
    let is_own = |(member, part): &&(&Member, Cause)| *part == Cause::Program || is_linked(member);
    let own: Vec<&(&Member, Cause)> = parts.iter().filter(is_own).collect();
    let is_enough = own.len() >= MIN_FAILURES || own.iter().any(|(_, part)| is_cured(*part));
    let mut events: Vec<u64> = own.iter().map(|(member, _)| member.event).collect();
    order::sort(&mut events);
    (is_enough && parts.iter().any(|(member, _)| is_linked(member))).then_some(events)
}

fn bit(part: Cause) -> u128 {
    1 << part as u32
}

/// Whether a part shows the cause above, and not only a symptom that other causes have, too.
fn is_sign(part: Cause) -> bool {
    is_cured(part) || matches!(part, Cause::Program | Cause::Network)
}

/// Whether an advice rests on what worked, or on what one setting is for.
fn is_proven(direction: &str) -> bool {
    direction.contains("worked") || direction.starts_with("set `")
}

/// What is known to help against the parts: first what makes all of them work, then what helps most often.
fn directions(all: &[Keyed], around: Around<'_>, cause: Cause, is_own: &dyn Fn(&Member) -> bool) -> Vec<String> {
    let mut known: Vec<(bool, u32, String)> = Vec::new();
    let mut lacking = 0;
    for (_, group) in all.iter().filter(|(_, group)| group.members.iter().any(is_own)) {
        let direction = group.direction(around);
        let is_general = direction.is_empty() || direction == group.cause.about().advice;
        let is_known = known.iter().any(|(.., other)| other.split(": ").next() == direction.split(": ").next());
        if is_general || group.cause == Cause::Network {
            lacking += 1;
        } else if !is_known {
            known.push((is_cured(group.cause), group.failures, direction));
        }
    }
    order::sort_by(&mut known, |a, b| b.0.cmp(&a.0).then(b.1.cmp(&a.1)).then_with(|| a.2.cmp(&b.2)));
    // Another program is no remedy beside that which makes all of them work.
    if known.first().is_some_and(|(is_cured, ..)| *is_cured) {
        known.retain(|(is_cured, _, direction)| *is_cured || direction.contains("install"));
    }
    let most = known.into_iter().map(|(.., direction)| direction).take(MAX_PARTS);
    // What helps in general says more of parts against which nothing is known to help.
    let (are_all, general) = (lacking == 0, cause.about().advice.to_owned());
    if are_all { most.collect() } else { std::iter::once(general).chain(most.filter(|part| is_proven(part))).collect() }
}

impl Group {
    /// What helps against a cause above several others.
    pub(super) fn of_parts(&self) -> Option<String> {
        if !matches!(self.cause, Cause::Python | Cause::Confined) {
            return None;
        }
        Some(self.parts.join("; "))
    }
}
