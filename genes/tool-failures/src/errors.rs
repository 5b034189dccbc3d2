//! The findings about failures: one for each cause, and `rare_errors` for the errors that have none of their own.

use gephost_gene::Severity;

use crate::analysis::Analysis;
use crate::base::Base;
use crate::cause::{About, Cause, Key};
use crate::cause_line::{Weight, is_thrown};
use crate::causes::{Group, Member, of_cause};
use crate::directions::Around;
use crate::expected::Expected;
use crate::failure_kind::signal;
use crate::groups::{Failure, Groups};
use crate::names::file;
use crate::order::{self, sort_by};
use crate::own::Own;
use crate::report::{Facet, Report, clipped, confidence, first};
use crate::silence::Silence;
use crate::thresholds::Thresholds;
use crate::wording::MAX_ABSORBED;

/// Most causes that were seen more than once and have a finding each.
pub(crate) const MAX_REPEATED: usize = 32;
/// Most errors that occurred once and have a finding each.
pub(crate) const MAX_SINGLE: usize = 8;
/// Up to so many findings, every error that occurred once has one of its own.
const FEW: usize = 5;
/// Most entries of evidence that the contract takes.
const MAX_RARE_EVIDENCE: usize = 32;
/// Different exceptions of scripts for one use that have one finding together.
const SEVERAL: usize = 3;
/// Most characters of an input as evidence.
const INPUT_CHARS: usize = 160;
/// Lines of a group that become signals.
const MAX_LINES: usize = 8;
/// Most names that a finding has.
const MAX_NAMES: usize = 256;
/// Nothing shows that single errors have a cause in common.
const RARE_CONFIDENCE: f64 = 0.05;

/// A group with its key.
type Keyed = (u64, Group);

/// The causes that were seen more than once, the newest unresolved errors that occurred once, and one finding for the
/// rest. If there are more than [`FEW`], and a cause was seen more than once, an error that occurred once has a finding only
/// if something is known to help.
pub(crate) fn reports(analysis: &Analysis, thresholds: &Thresholds) -> Vec<Report> {
    let groups = analysis.groups();
    let all = analysis.causes().groups().map(|(key, group)| (key, group.clone())).collect();
    let all = with_base(with_dead_shells(all, analysis.silence()), analysis.base());
    let all = with_own(all, analysis.own());
    let mut all = with_scratch(groups, with_missing(with_the_nameless(all)));
    let around = analysis.around();
    for (_, group) in &mut all {
        group.with_sudo = around.mended.with_sudo(&group.events());
    }
    let (repeated, single): (Vec<_>, Vec<_>) = all.into_iter().partition(|(_, group)| group.failures > 1);
    let report = |(key, group): &Keyed| self::report(groups, around, *key, group, thresholds);
    let mut reports = first(repeated.iter().map(report).collect(), MAX_REPEATED);
    let (mut resolved, mut unresolved): (Vec<_>, Vec<_>) =
        single.into_iter().partition(|(_, group)| is_resolved(groups, group));
    let newest = |group: &Group| group.latest().map(|failure| failure.event);
    sort_by(&mut unresolved, |(_, a), (_, b)| {
        let rank = |group: &Group| (helps(group, around), group.cause.about().severity, group.weight, newest(group));
        rank(a).cmp(&rank(b))
    });
    let recurs = reports.iter().any(|report| report.severity > Severity::Info);
    let has_room = reports.len() + unresolved.len() + resolved.len() <= FEW;
    let helped = |all: &[Keyed]| all.iter().filter(|(_, group)| helps(group, around)).count();
    let few = if recurs && !has_room { helped(&unresolved) } else { MAX_SINGLE };
    let named = unresolved.split_off(unresolved.len().saturating_sub(few.min(MAX_SINGLE)));
    reports.extend(named.iter().map(report));
    reports.extend(rare_report(&unresolved));
    sort_by(&mut resolved, |(_, a), (_, b)| (helps(a, around), newest(a)).cmp(&(helps(b, around), newest(b))));
    // If nothing else fails, these are what there is to know.
    let few = if has_room || reports.is_empty() { FEW } else { 0 };
    let few = few.max(helped(&resolved)).min(MAX_SINGLE);
    let shown = resolved.split_off(resolved.len().saturating_sub(few));
    reports.extend(shown.iter().map(report));
    reports.extend(resolved_report(&resolved));
    for (expected, groups) in analysis.expected() {
        reports.push(expected_report(*expected, groups.groups().map(|(_, group)| group)));
    }
    reports
}

/// Whether something is known to help against an error that occurred once.
fn helps(group: &Group, around: Around<'_>) -> bool {
    let is_vague = group.cause == Cause::Silent && !group.says_something();
    let is_of_scratch = group.cause == Cause::Error && group.is_of_scratch();
    // What was to be stopped had ended.
    let is_vague = is_vague || matches!(group.program(), "kill" | "pkill" | "killall");
    !is_vague && !is_of_scratch && !group.direction(around).is_empty()
}

/// The groups, with the silent failures of shells that run nothing any more in one group.
fn with_dead_shells(mut groups: Vec<Keyed>, silence: &Silence) -> Vec<Keyed> {
    let dead = gather(&mut groups, Cause::Silent, Cause::DeadShell, |member| silence.is_dead(member.event));
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

/// The groups, with the runs that fail without the agent's changes, too, in one group.
fn with_base(mut groups: Vec<Keyed>, base: &Base) -> Vec<Keyed> {
    let mut before: Option<Group> = None;
    for cause in [Cause::Tests, Cause::Problems, Cause::Error] {
        let own = gather(&mut groups, cause, Cause::Before, |member| base.has(member.event));
        before = joined(before, own);
    }
    groups.extend(before.map(|group| (of_cause(Cause::Before), group)));
    groups
}

/// The groups, with the modules that turned out to be the project's own in the group of these.
fn with_own(mut groups: Vec<Keyed>, own: &Own) -> Vec<Keyed> {
    let fits =
        |member: &Member| !member.names.is_empty() && member.names.iter().all(|name| own.has(member.session, name, ""));
    let before = groups.iter().position(|(_, group)| group.cause == Cause::OwnModule).map(|at| groups.remove(at).1);
    let found = joined(before, gather(&mut groups, Cause::Module, Cause::OwnModule, fits));
    groups.extend(found.map(|group| (of_cause(Cause::OwnModule), group)));
    groups
}

/// Takes the failures that fit out of the groups of one cause, into one group of another cause.
fn gather(groups: &mut Vec<Keyed>, from: Cause, to: Cause, fits: impl Fn(&Member) -> bool) -> Option<Group> {
    let mut all: Option<Group> = None;
    for (_, group) in groups.iter_mut().filter(|(_, group)| group.cause == from) {
        all = joined(all, group.split_off(to, &fits));
    }
    groups.retain(|(_, group)| group.failures > 0);
    all
}

fn joined(all: Option<Group>, more: Option<Group>) -> Option<Group> {
    match (all, more) {
        (Some(mut all), Some(more)) => {
            all.absorb(&more);
            Some(all)
        }
        (all, more) => all.or(more),
    }
}

/// The groups, with failures of an unknown tool in the only other group of their cause.
fn with_the_nameless(groups: Vec<Keyed>) -> Vec<Keyed> {
    let is_nameless = |group: &Group| {
        group.cause.about().key == Key::Program && group.members.iter().all(|member| member.tool_is_unknown)
    };
    let (nameless, mut all): (Vec<_>, Vec<_>) = groups.into_iter().partition(|(_, group)| is_nameless(group));
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

/// The groups, with the programs and modules that are missing in one group: one environment lacks them.
fn with_missing(groups: Vec<Keyed>) -> Vec<Keyed> {
    let lacks = |group: &Group| {
        let is_path = |name: &&str| name.starts_with('.') || name.starts_with("@/") || name.starts_with("~/");
        matches!(group.cause, Cause::Program | Cause::Module) && !group.frequent_names().iter().all(is_path)
    };
    let (lacking, mut all): (Vec<_>, Vec<_>) = groups.into_iter().partition(|(_, group)| lacks(group));
    let has = |cause: Cause| lacking.iter().any(|(_, group)| group.cause == cause);
    let is_mixed = has(Cause::Program) && has(Cause::Module);
    let together = lacking.into_iter().fold(None, |all, (_, group)| joined(all, Some(group)));
    if let Some(mut together) = together {
        together.cause = if is_mixed { Cause::Missing } else { together.cause };
        all.push((of_cause(together.cause), together));
    }
    all
}

/// The groups, with the exceptions of scripts that were written for one use in one group, if there are several.
fn with_scratch(known: &Groups, groups: Vec<Keyed>) -> Vec<Keyed> {
    let (mut scratch, mut all): (Vec<_>, Vec<_>) = groups
        .into_iter()
        .partition(|(_, group)| group.cause == Cause::Error && group.is_of_scratch() && !is_resolved(known, group));
    if scratch.len() < SEVERAL {
        all.append(&mut scratch);
    }
    for (_, group) in &mut scratch {
        let line = group.latest().map(|failure| failure.line.clone()).unwrap_or_default();
        let exception = Some(line.split(':').next().unwrap_or_default()).filter(|_| is_thrown(&line));
        for member in &mut group.members {
            member.names = exception.into_iter().map(str::to_owned).collect();
            member.program.clear();
        }
    }
    let together = scratch.into_iter().fold(None, |all, (_, group)| joined(all, Some(group)));
    all.extend(together.map(|group| (of_cause(Cause::Scratch), Group { cause: Cause::Scratch, ..group })));
    all
}

fn is_resolved(groups: &Groups, group: &Group) -> bool {
    group.newest.iter().all(|failure| groups.is_resolved(failure))
}

fn report(groups: &Groups, around: Around<'_>, key: u64, group: &Group, thresholds: &Thresholds) -> Report {
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
    let is_vague = group.cause == Cause::Silent || group.weight <= Weight::Text;
    let title = group.title();
    Report {
        id: format!("{}:{key:016x}", about.kind.replace('_', "-")),
        kind: about.kind,
        severity,
        confidence: confidence(group.failures) * if is_vague { 0.7 } else { 1.0 },
        evidence: group.newest.iter().map(evidence).collect(),
        direction: group.direction(around),
        signals: signals(group, recurring),
        occurrences: group.failures,
        events: group.events(),
        facets: facets(group, &about),
        absorbed: group.absorbed(&title),
        title,
        ..Report::default()
    }
}

fn facets(group: &Group, about: &About) -> Vec<Facet> {
    let name = if about.names.is_empty() { "names" } else { about.names };
    let values: Vec<String> = group.frequent_names().into_iter().map(str::to_owned).collect();
    // What is the same in all failures is in the title.
    let is_in_title = group.cause == Cause::Error && values.len() < 2;
    let values = if is_in_title { group.differing_words() } else { values };
    let names = Some(facet(name, values)).filter(|facet| !is_in_title || facet.distinct > 1);
    let program = group.program();
    let steps = group.frequent_steps();
    // The steps of some of the failures say nothing of the others.
    let is_of_all = steps.iter().map(|(_, count)| count).sum::<u32>() == group.failures;
    let steps = steps.into_iter().map(|(step, _)| step).filter(|step| is_of_all && *step != program);
    let steps = facet("failed steps", steps.map(str::to_owned).collect());
    names.into_iter().chain([steps]).filter(|facet| facet.distinct > 0).collect()
}

fn facet(name: &str, mut values: Vec<String>) -> Facet {
    let distinct = u32::try_from(values.len()).unwrap_or(u32::MAX);
    values.truncate(MAX_NAMES);
    Facet { name: name.to_owned(), values, distinct }
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
    let (name, title) = match expected {
        Expected::Announced => ("announced", "checks that the agent ran to see them fail"),
        Expected::OnBase => ("on-base", "checks that failed while the agent's changes were put aside"),
        Expected::Poll => ("polls", "calls that wait and ask whether something is ready"),
    };
    let group = all.as_ref();
    let failures = group.map_or(0, |group| group.failures);
    Report {
        id: format!("expected:{name}"),
        kind: "expected_failures",
        title: title.to_owned(),
        confidence: confidence(failures),
        evidence: group.map(|group| group.newest.iter().map(evidence).collect()).unwrap_or_default(),
        occurrences: failures,
        events: group.map(Group::events).unwrap_or_default(),
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
    Some(Report { title, ..report })
}

/// One finding for the errors without one of their own.
fn rare_report(rest: &[(u64, Group)]) -> Option<Report> {
    let report = of_single_errors("rare-errors", "rare_errors", rest)?;
    let title = match rest.len() {
        1 => "one other error occurred once".to_owned(),
        count => format!("{count} other errors occurred once each"),
    };
    Some(Report { title, ..report })
}

/// A finding for several errors, with their titles, the newest first.
fn of_single_errors(id: &str, kind: &'static str, rest: &[(u64, Group)]) -> Option<Report> {
    let count = u32::try_from(rest.len()).unwrap_or(u32::MAX);
    let mut newest: Vec<(&Failure, &Group)> =
        rest.iter().filter_map(|(_, group)| group.latest().map(|failure| (failure, group))).collect();
    sort_by(&mut newest, |(a, _), (b, _)| b.event.cmp(&a.event));
    let titles = newest.iter().map(|(_, group)| (group.title(), 1));
    let mut events: Vec<u64> = rest.iter().flat_map(|(_, group)| group.events()).collect();
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
    let others = lines.into_iter().map(|(line, _)| line).filter(|line| !line.is_empty());
    for line in latest.into_iter().chain(others).take(MAX_LINES) {
        let signal = format!("errsig:{line}");
        if !signals.contains(&signal) {
            signals.push(signal);
        }
    }
    if recurring {
        signals.push("recurring_error".to_owned());
    }
    let kinds: &[&str] = match group.cause {
        Cause::Missing => &[Cause::Program.about().kind, Cause::Module.about().kind],
        Cause::Error => &[],
        cause => &[cause.about().kind],
    };
    for signal in kinds.iter().copied().chain(signal(group.kind)) {
        if !signals.iter().any(|known| known == signal) {
            signals.push(signal.to_owned());
        }
    }
    signals
}
