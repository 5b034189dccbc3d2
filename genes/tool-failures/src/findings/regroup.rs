//! Groups of failures that are joined or parted once the whole log is known: what belongs together or not is seen only then.
//!
//! A group is one kind of error at one kind of object.

use gephost_gene::run_log::Difference;

use crate::analysis::{Analysis, Around};
use crate::call::hash;
use crate::cause::{Cause, Key};
use crate::causes::base::Base;
use crate::causes::own::Own;
use crate::causes::silence::Silence;
use crate::causes::{Group, Member, is_local, of_cause};
use crate::command::shell::runs_others;
use crate::findings::facts::without_allowed;
use crate::findings::faults::with_faults;
use crate::findings::keyed::{Keyed, gather, join_as, join_by, parted, together};
use crate::findings::outside::with_environments;
use crate::findings::parents::with_parents;
use crate::findings::path_front::with_fronts;
use crate::findings::statuses::with_statuses;
use crate::order;
use crate::output::bare_name::hash_beside_names;
use crate::output::cause_line::{gives_up, is_summary};
use crate::output::line::normal_hash;
use crate::output::names::test_of;
use crate::output::value::valued;

/// Failing test runs of one program beyond which they are not parted.
const MAX_RUNS: usize = 128;
/// Files of failing tests beyond which the runs are not parted by them: what fails in many files has one cause.
const MAX_FILES: usize = 3;

/// Paths that have nothing in common and are one finding all the same, because there are so many.
const MIN_UNLIKE: usize = 4;

/// Mistakes in scripts of the agent's own that are one finding; it also takes a fifth of all failures.
const MIN_MISTAKES: usize = 3;

/// All groups of failures, in their final form.
pub(crate) fn causes(analysis: &Analysis) -> Vec<Keyed> {
    let all = analysis.causes().groups().map(|(key, group)| (key, group.clone())).collect();
    let all = with_patterns(with_base(with_dead_shells(all, analysis.silence()), analysis.base()));
    let all = with_given_up(with_outages(all));
    let all = with_wrong_names(with_missing(with_the_nameless(with_own(all, analysis.own()))));
    let all = with_paths(with_fronts(all, analysis.around().fronts), analysis.around());
    let all = with_sentences(with_lines(with_limits(with_tests(with_formats(all)))));
    let all = with_scratch(with_names(with_values(with_variables(all))));
    let all = without_allowed(all, analysis.around().machine);
    let all = with_environments(with_statuses(all, analysis.around()), analysis.around());
    with_parents(with_misuse(with_one_cure(with_faults(all), analysis.around())), analysis.around())
}

/// The groups, with calls that say only that all attempts failed in the group of those of the same program that say why.
fn with_given_up(groups: Vec<Keyed>) -> Vec<Keyed> {
    const REASONS: [Cause; 6] =
        [Cause::Credits, Cause::RateLimit, Cause::Overload, Cause::Network, Cause::Reset, Cause::Login];
    let is_given_up =
        |group: &Group| group.cause == Cause::Error && group.members.iter().all(|member| gives_up(&member.line));
    let (given_up, mut groups) = parted(groups, &is_given_up);
    for (key, group) in given_up {
        let program = group.program().to_owned();
        let is_same = |member: &Member| !program.is_empty() && member.program == program;
        let says_why = |(_, known): &&mut Keyed| REASONS.contains(&known.cause) && known.members.iter().any(is_same);
        match groups.iter_mut().find(says_why) {
            Some((_, known)) => known.absorb(&group),
            None => groups.push((key, group)),
        }
    }
    groups
}

/// The groups, with the silent failures of shells that run nothing any more in one group.
fn with_dead_shells(mut groups: Vec<Keyed>, silence: &Silence) -> Vec<Keyed> {
    let dead = gather(&mut groups, Cause::Silent, Cause::DeadShell, &|member| silence.is_dead(member.event));
    if let Some(mut dead) = dead {
        for member in &mut dead.members {
            member.program.clear();
            member.names.clear();
        }
        if let Some(newest) = dead.members.last_mut() {
            newest.names = silence.infallible().map(str::to_owned).collect();
        }
        dead.follows_removal = silence.follows_removal;
        groups.push((of_cause(Cause::DeadShell), dead));
    }
    groups
}

/// The groups, with the patterns of file names that match no file apart from what a shell could not read.
fn with_patterns(mut groups: Vec<Keyed>) -> Vec<Keyed> {
    let patterns = gather(&mut groups, Cause::Shell, Cause::Shell, &Member::is_pattern);
    groups.extend(patterns.map(|group| (hash(of_cause(Cause::Shell), b"patterns"), group)));
    groups
}

/// The groups, with the runs that fail without the agent's changes, too, in one group.
fn with_base(mut groups: Vec<Keyed>, base: &Base) -> Vec<Keyed> {
    let mut before: Option<Group> = None;
    for cause in [Cause::Tests, Cause::Problems, Cause::Error] {
        let own = gather(&mut groups, cause, Cause::Before, &|member| base.has(member.event));
        before = together(before, own);
    }
    groups.extend(before.map(|group| (of_cause(Cause::Before), group)));
    groups
}

/// The groups, with the modules that turned out to be the project's own in the group of these.
fn with_own(mut groups: Vec<Keyed>, own: &Own) -> Vec<Keyed> {
    let fits =
        |member: &Member| !member.names.is_empty() && member.names.iter().all(|name| own.has(member.session, name, ""));
    let before = groups.iter().position(|(_, group)| group.cause == Cause::OwnModule).map(|at| groups.remove(at).1);
    let found = together(before, gather(&mut groups, Cause::Module, Cause::OwnModule, &fits));
    groups.extend(found.map(|group| (of_cause(Cause::OwnModule), group)));
    groups
}

/// The groups, with the modules that other commands name and that are none among these, and with the modules among the missing
/// programs whose names they have: `python -m pytest` does not find what `pytest` did not find.
fn with_wrong_names(mut groups: Vec<Keyed>) -> Vec<Keyed> {
    for to in [Cause::WrongModule, Cause::Program] {
        let Some(at) = groups.iter().position(|(_, group)| group.cause == to) else { continue };
        let (key, mut known) = groups.remove(at);
        let names: Vec<String> = known.frequent_names().into_iter().take(MAX_RUNS).map(str::to_owned).collect();
        let is_known = |name: &String| names.contains(name);
        let more = gather(&mut groups, Cause::Module, to, &|member| {
            !member.names.is_empty() && member.names.iter().all(is_known)
        });
        if let Some(more) = more {
            known.absorb(&more);
        }
        groups.push((key, known));
    }
    groups
}

/// The groups, with the complaints about how one program is called in one group, if they are of several groups.
fn with_misuse(all: Vec<Keyed>) -> Vec<Keyed> {
    join_as(all, Some(Cause::Misuse), &|group| misused(group).map(|program| hash(0, program.as_bytes())))
}

/// The groups, with other errors of a program in the group of a complaint about how it is called, if one call worked in place of
/// all these calls: they were attempts at it.
fn with_one_cure(mut all: Vec<Keyed>, around: Around<'_>) -> Vec<Keyed> {
    let cured = |group: &Group| Some((cure(group, around)?, hash(0, head_of(group.program()).as_bytes())));
    let known: Vec<_> =
        all.iter().filter(|(_, group)| misused(group).is_some()).filter_map(|(_, group)| cured(group)).collect();
    let is_attempt = |group: &Group| cured(group).filter(|cured| known.contains(cured));
    for (_, group) in all.iter_mut().filter(|(_, group)| misused(group).is_none() && is_attempt(group).is_some()) {
        // They name no argument.
        group.members.iter_mut().for_each(|member| member.names.clear());
    }
    join_as(all, Some(Cause::Misuse), &|group| {
        is_attempt(group).map(|(call, program)| hash(program, &call.to_le_bytes()))
    })
}

/// The call that worked next, if it is the same one for all failures, and was another call than these.
fn cure(group: &Group, around: Around<'_>) -> Option<u64> {
    let is_of_call = matches!(group.cause, Cause::Subcommand | Cause::OptionRefused | Cause::Argument | Cause::Error);
    // In place of a subcommand that does not exist, any call may be the right one.
    let is_complaint = misused(group).is_some();
    let worked = |member: &Member| {
        let next = around.corrections.get(member.event)?;
        let is_other = matches!(next.difference, Difference::Options | Difference::Subcommand | Difference::Input)
            || is_complaint && next.difference == Difference::Later;
        is_other.then_some(next.worked)
    };
    let one = worked(group.members.first().filter(|_| is_of_call && !group.program().is_empty())?)?;
    group.members.iter().all(|member| worked(member) == Some(one)).then_some(one)
}

/// The program that several subcommands have in common. Several scripts have none.
fn head_of(program: &str) -> &str {
    program.split(' ').next().filter(|head| !runs_others(head)).unwrap_or(program)
}

/// The program whose call failures are complaints about.
fn misused(group: &Group) -> Option<&str> {
    let is_of_call = match group.cause {
        Cause::Misuse => true,
        Cause::Subcommand | Cause::OptionRefused | Cause::Argument => !group.is_probe(),
        Cause::Error => group.members.iter().all(Member::says_how_it_is_called),
        _ => false,
    };
    Some(head_of(group.program())).filter(|program| is_of_call && !program.is_empty())
}

/// The groups, with files that a formatter would change among the problems of the check that ran it: `make check` stops at the
/// first of them.
fn with_formats(mut all: Vec<Keyed>) -> Vec<Keyed> {
    let head = |group: &Group| hash(0, group.program().split(' ').next().unwrap_or_default().as_bytes());
    let mut formats: Vec<u64> = Vec::new();
    for (_, group) in all.iter_mut().filter(|(_, group)| group.is_of_format()) {
        for member in &mut group.members {
            member.name_by_step();
            member.names = vec!["formatting".to_owned()];
        }
        if !group.program().is_empty() {
            formats.push(head(group));
        }
    }
    let is_of_check = |group: &Group| group.cause == Cause::Problems || group.is_of_format();
    join_as(all, Some(Cause::Problems), &|group| {
        Some(head(group)).filter(|name| formats.contains(name) && is_of_check(group))
    })
}

/// The groups, with failures of an unknown tool in the only other group of their cause.
fn with_the_nameless(groups: Vec<Keyed>) -> Vec<Keyed> {
    let is_nameless = |group: &Group| {
        group.cause.about().key == Key::Program && group.members.iter().all(|member| member.tool_is_unknown)
    };
    let (nameless, mut all) = parted(groups, &is_nameless);
    for (key, mut group) in nameless {
        let mut same = all.iter_mut().filter(|(_, other)| other.cause == group.cause);
        match (same.next(), same.next()) {
            (Some((_, only)), None) => {
                let program = only.program().to_owned();
                group.members.iter_mut().for_each(|member| member.program.clone_from(&program));
                only.absorb(&group);
            }
            _ => all.push((key, group)),
        }
    }
    all
}

/// The groups, with the programs that are missing in one group, and the modules in another: one environment lacks them.
fn with_missing(mut all: Vec<Keyed>) -> Vec<Keyed> {
    let is_path = |name: &&str| name.starts_with('.') || name.starts_with("@/") || name.starts_with("~/");
    for cause in [Cause::Program, Cause::Module] {
        let lacks = |group: &Group| group.cause == cause && !group.frequent_names().iter().all(is_path);
        let (lacking, rest) = parted(all, &lacks);
        let together = lacking.into_iter().fold(None, |all, (_, group)| together(all, Some(group)));
        all = rest;
        all.extend(together.map(|group| (of_cause(cause), group)));
    }
    all
}

/// The groups, with the paths that do not exist in one group for each file or folder that they name. The largest keeps the key;
/// many different ones stay together. If no advice helps against all of these, those that a later call finds are apart.
fn with_paths(all: Vec<Keyed>, around: Around<'_>) -> Vec<Keyed> {
    let is_of_paths = |group: &Group| group.cause == Cause::Path && (2..=MAX_RUNS).contains(&group.members.len());
    let (of_paths, mut all) = parted(all, &is_of_paths);
    for (key, mut group) in of_paths {
        let mut parts: Vec<Keyed> = Vec::new();
        while let Some(first) = group.members.iter().find(|member| !member.names.is_empty()) {
            let own = closure(first, &group.members, &Member::is_near);
            let names = group.members.iter().filter(|member| own.contains(&member.event));
            let name = names.filter_map(|member| member.names.first()).min().cloned().unwrap_or_default();
            let part = group.split_off(Cause::Path, &|member| own.contains(&member.event));
            parts.extend(part.map(|part| (hash(key, name.as_bytes()), part)));
        }
        let (mut parts, single) = parted(parts, &|part| part.failures > 1);
        if single.len() < MIN_UNLIKE {
            parts.extend(single);
        } else {
            let all = single.iter().fold(group.clone(), |mut all, (_, part)| {
                all.absorb(part);
                all
            });
            // Where one of them is says nothing of the others, and helps if nothing else is known.
            let is_helped = !all.direction(around).is_empty();
            let (found, unlike) = parted(single, &|part| !is_helped && part.is_found(around));
            parts.extend(found);
            for (_, part) in &unlike {
                group.absorb(part);
            }
        }
        if group.failures > 0 {
            parts.push((hash(key, b""), group));
        }
        order::sort_by(&mut parts, |a, b| b.1.failures.cmp(&a.1.failures).then(a.0.cmp(&b.0)));
        if let Some((largest, _)) = parts.first_mut() {
            *largest = key;
        }
        all.extend(parts);
    }
    all
}

/// The groups, with the runs of one program in one group each that fail in the same tests or with errors of one class. The
/// largest keeps the key, and the runs of which neither is known. If no class is known, runs of tests in few files are parted by
/// these.
fn with_tests(all: Vec<Keyed>) -> Vec<Keyed> {
    let (of_tests, mut all) =
        parted(all, &|group| group.cause == Cause::Tests && (2..=MAX_RUNS).contains(&group.members.len()));
    for (key, mut group) in of_tests {
        let is_told = |member: &&Member| !member.class.is_empty() || !member.names.is_empty();
        let mut parts: Vec<Group> = Vec::new();
        while let Some(first) = group.members.iter().find(is_told) {
            let own = alike(first, &group.members);
            parts.extend(group.split_off(Cause::Tests, &|member| own.contains(&member.event)));
        }
        let is_of_class = |part: &Group| part.members.iter().any(|member| !member.class.is_empty());
        if parts.iter().filter(|part| !is_of_class(part)).count() > MAX_FILES {
            let (known, unknown): (Vec<_>, Vec<_>) = parts.into_iter().partition(is_of_class);
            for part in &unknown {
                group.absorb(part);
            }
            parts = known;
        }
        // The part's name does not depend on the order of its runs.
        let name = |part: &Group| {
            let told = |member: &Member| {
                let root = member.names.iter().map(|name| root(name)).min().unwrap_or_default().to_owned();
                if member.class.is_empty() { root } else { member.class.clone() }
            };
            part.members.iter().map(told).filter(|name| !name.is_empty()).min().unwrap_or_default()
        };
        order::sort_by(&mut parts, |a, b| b.failures.cmp(&a.failures).then_with(|| name(a).cmp(&name(b))));
        let mut parts = parts.into_iter();
        let rest = Some(group).filter(|group| group.failures > 0);
        all.extend(together(parts.next(), rest).map(|largest| (key, largest)));
        all.extend(parts.map(|part| (hash(key, name(&part).as_bytes()), part)));
    }
    all
}

/// What a test belongs to: the file `a.py` of `a.py::test_b`, the suite of `suite > test`, the test of a subtest.
fn root(test: &str) -> &str {
    let suite = [" > ", " \u{203a} "].iter().find_map(|mark| test.rsplit_once(mark)).map(|(suite, _)| suite);
    suite.unwrap_or_else(|| test_of(test.split("::").next().unwrap_or(test)))
}

/// The events of the runs that share a test, the class of an error, or (if no class is known of one of them) the file of a test
/// with this one, or with others that do.
fn alike(first: &Member, all: &[Member]) -> Vec<u64> {
    closure(first, all, &|known, member| {
        let are_of_classes = !member.class.is_empty() && !known.class.is_empty();
        let is_same = |a: &str, b: &str| if are_of_classes { test_of(a) == test_of(b) } else { root(a) == root(b) };
        let is_of_class = are_of_classes && member.class == known.class;
        is_of_class || member.names.iter().any(|name| known.names.iter().any(|other| is_same(name, other)))
    })
}

/// The events of the members that belong to this one, or to others that do.
fn closure(first: &Member, all: &[Member], belongs: &dyn Fn(&Member, &Member) -> bool) -> Vec<u64> {
    let mut own = vec![first];
    let mut at = 0;
    while let Some(known) = own.get(at).copied() {
        for member in all {
            if belongs(known, member) && !own.iter().any(|other| other.event == member.event) {
                own.push(member);
            }
        }
        at += 1;
    }
    own.iter().map(|member| member.event).collect()
}

/// The groups, with the calls of all programs that ran into a time limit in one group, which keeps the key of the largest.
fn with_limits(all: Vec<Keyed>) -> Vec<Keyed> {
    join_by(all, &|group| (group.cause == Cause::Timeout).then_some(0))
}

/// The groups, with the connections that broke among the servers that cannot be reached, if both were seen of one server, or in one
/// session and of other machines: one network has both faults.
fn with_outages(mut all: Vec<Keyed>) -> Vec<Keyed> {
    let is_remote = |member: &Member| !member.names.first().is_some_and(|host| is_local(host));
    let (mut hosts, mut sessions): (Vec<String>, Vec<u32>) = (Vec::new(), Vec::new());
    let lost = all.iter().filter(|(_, group)| group.cause == Cause::Network).flat_map(|(_, group)| &group.members);
    for member in lost.take(MAX_RUNS) {
        hosts.extend(member.names.first().cloned());
        sessions.extend(Some(member.session).filter(|_| is_remote(member)));
    }
    for remote in [true, false] {
        let is_own = |group: &Group| {
            group.cause == Cause::Network && group.members.iter().all(|member| is_remote(member) == remote)
        };
        let Some(at) = all.iter().position(|(_, group)| is_own(group)) else { continue };
        let (key, mut own) = all.swap_remove(at);
        let belongs = |member: &Member| {
            let is_known = member.names.first().is_some_and(|host| hosts.contains(host));
            is_remote(member) == remote && (is_known || remote && sessions.contains(&member.session))
        };
        if let Some(broken) = gather(&mut all, Cause::Reset, Cause::Network, &belongs) {
            own.absorb(&broken);
        }
        all.push((key, own));
    }
    all
}

/// The groups, with the names that are no modules in one group, whatever program takes them for some. It keeps the key of the
/// largest.
fn with_names(all: Vec<Keyed>) -> Vec<Keyed> {
    join_by(all, &|group| (group.cause == Cause::WrongModule).then_some(0))
}

/// The groups, with the same message in one group, whether a program says `Error: ` before it or not.
fn with_lines(mut all: Vec<Keyed>) -> Vec<Keyed> {
    fn first(group: &Group) -> Option<&str> {
        group.members.first().filter(|_| group.cause == Cause::Error).map(|first| first.line.as_str())
    }
    let bare: Vec<u64> = all.iter().filter_map(|(_, group)| first(group)).map(normal_hash).collect();
    let is_told = |line: &str| line.contains(' ') && !is_summary(line) && bare.contains(&normal_hash(line));
    let message = |line: &str| {
        ["Error: ", "error: ", "ERROR: "].iter().find_map(|word| line.strip_prefix(word)).map(str::to_owned)
    };
    for (_, group) in &mut all {
        if first(group).and_then(message).is_some_and(|message| is_told(&message)) {
            for member in &mut group.members {
                member.line = message(&member.line).unwrap_or_default();
            }
        }
    }
    join_by(all, &|group| first(group).filter(|line| is_told(line)).map(normal_hash))
}

/// The groups, with those in one group whose errors are one sentence, if the words of the call are left out of it.
fn with_sentences(all: Vec<Keyed>) -> Vec<Keyed> {
    join_by(all, &|group| {
        group.members.first()?.sentence.filter(|own| group.members.iter().all(|member| member.sentence == Some(*own)))
    })
}

/// The groups, with those in one group whose errors differ in the bare name of a variable, a setting or the like.
fn with_variables(mut all: Vec<Keyed>) -> Vec<Keyed> {
    let hash = |group: &Group| {
        let line = &group.members.first().filter(|_| group.cause == Cause::Error)?.line;
        let hash = hash_beside_names(line).filter(|_| !is_summary(line))?;
        group.members.iter().all(|member| hash_beside_names(&member.line) == Some(hash)).then_some(hash)
    };
    // The errors of such a group are counted as one.
    for (_, group) in &mut all {
        if let Some(hash) = hash(group) {
            group.members.iter_mut().for_each(|member| member.key = hash);
        }
    }
    join_by(all, &hash)
}

/// The groups, with the errors of one program in one group that differ in the value at their end.
fn with_values(mut all: Vec<Keyed>) -> Vec<Keyed> {
    let hash = |group: &Group| {
        let program = group.program();
        let head = |member: &Member| Some(normal_hash(valued(&member.line, program)?.head));
        let first = head(group.members.first().filter(|_| group.cause == Cause::Error)?)?;
        let is_one = group.members.iter().all(|member| head(member) == Some(first));
        is_one.then(|| hash(first, head_of(program).as_bytes()))
    };
    let mut hashes: Vec<u64> = all.iter().filter_map(|(_, group)| hash(group)).collect();
    order::sort(&mut hashes);
    let shared: Vec<u64> = hashes.chunk_by(PartialEq::eq).filter(|same| same.len() > 1).map(|same| same[0]).collect();
    if shared.is_empty() {
        return all;
    }
    let is_shared = |hash: &u64| shared.binary_search(hash).is_ok();
    for (_, group) in &mut all {
        let Some(hash) = hash(group).filter(is_shared) else { continue };
        let program = group.program().to_owned();
        for member in &mut group.members {
            let said = valued(&member.line, &program).map(|valued| valued.said.to_owned());
            member.line = said.unwrap_or_default();
            member.key = hash;
        }
    }
    join_by(all, &|group| hash(group).filter(is_shared))
}

/// The groups, with the mistakes in scripts that the agent wrote itself in one group, if there are many.
fn with_scratch(mut groups: Vec<Keyed>) -> Vec<Keyed> {
    let is_mistake = |member: &Member| member.mistake().is_some();
    let is_own = |group: &Group| matches!(group.cause, Cause::Error | Cause::Unparsed);
    let own = groups.iter().filter(|(_, group)| is_own(group)).flat_map(|(_, group)| &group.members);
    let count = own.filter(|member| is_mistake(member)).count();
    let failures: usize = groups.iter().map(|(_, group)| group.members.len()).sum();
    // A few of them are no pattern.
    if count < MIN_MISTAKES || count * 5 < failures {
        return groups;
    }
    let mut all = None;
    for cause in [Cause::Error, Cause::Unparsed] {
        all = together(all, gather(&mut groups, cause, Cause::Scratch, &is_mistake));
    }
    let mut together = all.into_iter().collect::<Vec<_>>();
    for member in together.iter_mut().flat_map(|group| &mut group.members) {
        member.names = member.mistake().into_iter().map(str::to_owned).collect();
        member.program.clear();
    }
    groups.extend(together.into_iter().map(|group| (of_cause(Cause::Scratch), group)));
    groups
}
