//! The findings about failures: one for each cause, and `rare_errors` for the errors that have none of their own.

use gephost_gene::Severity;
use gephost_gene::run_log::Difference;

use crate::analysis::{Analysis, Around};
use crate::cause::{About, Cause};
use crate::causes::classify::INLINE_SCRIPT;
use crate::causes::expected::Expected;
use crate::causes::{Group, Member};
use crate::failure_kind::signal;
use crate::findings::directions::LOOK_FIRST;
use crate::findings::keyed::Keyed;
use crate::findings::regroup;
use crate::findings::several::{self, Known, NOTHING};
use crate::findings::wording::MAX_ABSORBED;
use crate::measures::groups::{Failure, MAX_EVIDENCE};
use crate::order::{self, sort_by};
use crate::output::cause_line::{Weight, weight_of};
use crate::output::names::file;
use crate::output::remedies::FORMAT;
use crate::report::{Facet, Report, clipped, confidence, first};
use crate::thresholds::Thresholds;
use crate::worked::waiting::Way;

/// Most causes that were seen more than once and have a finding each.
pub(crate) const MAX_REPEATED: usize = 32;
/// Most errors that occurred once and have a finding each.
pub(crate) const MAX_SINGLE: usize = 8;
/// Most entries of evidence that the contract takes.
const MAX_RARE_EVIDENCE: usize = 32;
/// Most characters of an input as evidence.
const INPUT_CHARS: usize = 160;
/// Lines of a group that become signals.
const MAX_LINES: usize = 8;
/// Most names that a finding has.
const MAX_NAMES: usize = 256;
/// Nothing shows that single errors have a cause in common.
const RARE_CONFIDENCE: f64 = 0.05;
/// How certain it is that mistakes in scripts for one use are a pattern.
const OWN_SCRIPT_CERTAINTY: f64 = 0.01;

/// Programs that find nothing and say so by their exit code.
const SEARCHES: [&str; 10] = ["find", "grep", "egrep", "rg", "fd", "ag", "ls", "which", "test", "["];

impl Known {
    /// What decides which errors that occurred once have a finding of their own: first whether something is known to help.
    fn rank(&self) -> (bool, bool, Severity, Weight, Option<(i64, u64)>) {
        let newest = self.group.latest().map(Failure::age);
        let helps = !self.report.direction.is_empty() && !is_beyond_help(&self.group);
        let severity = self.group.cause.about().severity;
        (helps, !self.is_resolved, severity, self.group.weight, newest)
    }
}

/// The causes that were seen more than once, the errors that occurred once and have a finding of their own, and one finding
/// each for the other errors: those whose call worked later, and the rest.
pub(crate) fn reports(analysis: &Analysis, thresholds: &Thresholds) -> Vec<Report> {
    let groups = analysis.groups();
    let around = analysis.around();
    let known = |(key, group): Keyed| {
        let is_resolved = group.is_resolved(groups);
        let is_over = group.events().iter().all(|event| analysis.attempts().is_over(*event));
        let mut report = report(around, key, &group, (is_resolved, is_over), thresholds);
        if group.cause == Cause::ModelConnection && analysis.goes_on_after(&group) {
            "let the agent's client send the request again: the session went on each time"
                .clone_into(&mut report.direction);
        }
        if is_search(&group)
            || group.failures == 1
                && (is_of_stopping(&group)
                    || group.is_probe()
                    || report.direction == FORMAT
                    // The tool itself says what to do about a file that was not read.
                    || group.cause.is_about_edits() && group.cause != Cause::EditUnread)
        {
            report.direction.clear();
        }
        let ended = group.latest().is_some_and(|failure| analysis.attempts().is_over(failure.event));
        let tries = analysis.attempts().of(&report.events).into_iter();
        let took = match analysis.cancelled(&report.events) {
            0 => None,
            1 => Some("one other call was cancelled with these".to_owned()),
            count => Some(format!("{count} other calls were cancelled with these")),
        };
        let values = tries.chain(group.recurring_test(ended)).chain(took).collect::<Vec<_>>();
        report.facets.extend(Some(facet("attempts", values)).filter(|facet| facet.distinct > 0));
        Known { group, report, is_resolved }
    };
    let (repeated, mut single): (Vec<_>, Vec<_>) =
        regroup::causes(analysis).into_iter().map(known).partition(|known| known.group.failures > 1);
    let several: Vec<Report> = several::joined(&mut single)
        .into_iter()
        .map(|(keyed, absorbed)| Report { absorbed, ..known(keyed).report })
        .collect();
    let mut reports = first(repeated.into_iter().map(|known| known.report).chain(several).collect(), MAX_REPEATED);
    sort_by(&mut single, |a, b| b.rank().cmp(&a.rank()));
    let rest = single.split_off(single.len().min(MAX_SINGLE));
    reports.extend(single.into_iter().map(|known| known.report));
    let (resolved, unresolved): (Vec<_>, Vec<_>) = rest.iter().partition(|known| known.is_resolved);
    reports.extend(rare_report(&unresolved));
    reports.extend(resolved_report(&resolved));
    for (expected, groups) in analysis.expected() {
        reports.push(expected_report(*expected, groups.groups().map(|(_, group)| group)));
    }
    reports
}

/// Whether advice is worth little, because it is about a script for one use.
fn is_beyond_help(group: &Group) -> bool {
    group.cause == Cause::Error && group.is_of_scratch()
}

/// Whether the agent corrected a failure itself that says nothing of the next session: an edit of a stale text, a test that its
/// next edit made pass, a guess at a path or an option. What the machine or the environment lacks will be missing again.
fn is_of_the_moment(group: &Group, around: Around<'_>, direction: &str, is_over: bool) -> bool {
    let passes = group.cause.is_about_edits()
        || matches!(
            group.cause,
            Cause::TooLarge
                | Cause::Tests
                | Cause::Problems
                | Cause::Unparsed
                | Cause::Path
                | Cause::GitName
                | Cause::NoTests
                | Cause::Shell
                | Cause::Subcommand
                | Cause::OptionRefused
                | Cause::Argument
                | Cause::Parameters
                | Cause::Exists
                | Cause::NothingToCommit
                | Cause::Uncommitted
                | Cause::Locked
                | Cause::Timeout
                | Cause::Error
                | Cause::Silent
        );
    let is_of_environment = direction.contains(" environment") || direction.starts_with("set `");
    let is_corrected = |event: &u64| {
        around.corrections.get(*event).is_some_and(|next| next.difference != Difference::Later)
            || around.next.of(*event, Way::Edit).is_some()
    };
    let needs_nothing = direction.starts_with(NOTHING);
    let corrected = passes && !is_of_environment && (is_over || group.events().iter().all(is_corrected));
    group.failures == 1 && (needs_nothing || corrected)
}

/// Whether a search found nothing and said so by its exit code alone.
fn is_search(group: &Group) -> bool {
    group.cause == Cause::Silent && !group.says_something() && SEARCHES.contains(&group.program())
}

/// Whether tests failed that have no error in common, and about which nothing is known but that an edit made them pass: the work
/// itself.
fn is_ordinary(group: &Group, direction: &str) -> bool {
    const EDITED: [&str; 2] = ["the agent edited ", "after the last of these, the agent edited "];
    let is_work = direction.is_empty() || EDITED.iter().any(|words| direction.starts_with(words));
    let recurs = group.recurring_test(true).is_some();
    group.cause == Cause::Tests && is_work && !recurs && group.shared_error().is_none()
}

/// Whether a program could not be stopped, which had ended before.
fn is_of_stopping(group: &Group) -> bool {
    matches!(group.program(), "kill" | "pkill" | "killall")
}

/// The finding of a group, and whether the same calls worked later, and whether the same programs did.
fn report(
    around: Around<'_>,
    key: u64,
    group: &Group,
    (is_resolved, is_over): (bool, bool),
    thresholds: &Thresholds,
) -> Report {
    let about = group.cause.about();
    let direction = group.direction(around);
    let recurring = f64::from(group.failures) >= thresholds.recurring;
    let is_ordinary = is_ordinary(group, &direction);
    // Nothing shows that unlike paths have a cause in common.
    let is_unlike =
        group.cause == Cause::Path && (direction.is_empty() || direction == LOOK_FIRST) && group.has_unlike_names();
    let severity = match about.severity {
        // The environment lacks this again the next time.
        _ if (is_resolved || is_over) && group.is_cured(around) => Severity::Low,
        // One complaint that was corrected says nothing of the next one.
        severity if group.cause == Cause::Misuse => severity,
        // That each of them was corrected says nothing of the next one.
        _ if group.cause == Cause::Several => {
            if direction.is_empty() {
                Severity::Low
            } else {
                Severity::Medium
            }
        }
        _ if is_resolved
            || is_search(group)
            || group.only_asks(around)
            || is_of_the_moment(group, around, &direction, is_over) =>
        {
            Severity::Info
        }
        // Tests that fail while code is written, until the next edit.
        _ if is_ordinary => Severity::Low,
        // Nothing shows what to do, but it happens again and again.
        Severity::Info if group.cause == Cause::Silent && group.failures > 1 && !group.is_cut() => Severity::Low,
        Severity::Low if recurring => Severity::Medium,
        Severity::Medium if recurring => Severity::High,
        severity => severity,
    };
    let is_vague = group.cause == Cause::Silent || group.weight <= Weight::Text;
    let certainty = match (is_unlike, is_vague) {
        _ if is_search(group) => OWN_SCRIPT_CERTAINTY,
        // Nothing can be done about a script that is gone: what can be changed comes first.
        _ if group.is_of_mistakes() => OWN_SCRIPT_CERTAINTY,
        // A cause that is seen again says more, and what has an advice comes before what has none.
        _ if group.cause == Cause::Several && direction.is_empty() => 0.2,
        _ if group.cause == Cause::Several => 0.35,
        // Their reasons may be as many as they are.
        _ if is_ordinary || group.is_cut() => 0.2,
        (true, _) if direction.is_empty() => 0.2,
        (true, _) => 0.4,
        (false, true) => 0.7,
        (false, false) => 1.0,
    };
    let title = group.title();
    Report {
        id: format!("{}:{key:016x}", about.kind.replace('_', "-")),
        kind: about.kind,
        severity,
        confidence: confidence(group.failures) * certainty,
        evidence: rests_on(group),
        direction,
        signals: signals(group, recurring),
        occurrences: group.failures,
        events: group.events(),
        facets: facets(group, about),
        absorbed: group.absorbed(&title),
        title,
        ..Report::default()
    }
}

fn facets(group: &Group, about: &About) -> Vec<Facet> {
    // The names of unlike failures are names of unlike things.
    if group.cause == Cause::Several {
        return Vec::new();
    }
    let name = if about.names.is_empty() { "names" } else { about.names };
    // A script in a command has no name.
    let names = group.frequent_names().into_iter().filter(|name| *name != INLINE_SCRIPT);
    let values: Vec<String> = names.map(str::to_owned).collect();
    // What is the same in all failures is in the title.
    let is_in_title = group.cause == Cause::Error && (values.len() < 2 || group.several_wordings().is_some());
    let values = match is_in_title {
        // Words of several messages are no names.
        true if group.several_wordings().is_some() => Vec::new(),
        true => group.differing_words(),
        false => values,
    };
    let names = Some(facet(name, values)).filter(|facet| !is_in_title || facet.distinct > 1);
    let program = group.program();
    let steps = group.frequent_steps();
    // The steps of some of the failures say nothing of the others.
    let is_of_all = steps.iter().map(|(_, count)| count).sum::<u32>() == group.failures;
    let steps = steps.into_iter().map(|(step, _)| step).filter(|step| is_of_all && *step != program);
    let steps = facet("failed steps", steps.map(str::to_owned).collect());
    let places = facet("other systems", group.frequent_places().into_iter().map(str::to_owned).collect());
    names.into_iter().chain([steps, places]).filter(|facet| facet.distinct > 0).collect()
}

fn facet(name: &str, mut values: Vec<String>) -> Facet {
    let distinct = u32::try_from(values.len()).unwrap_or(u32::MAX);
    values.truncate(MAX_NAMES);
    Facet { name: name.to_owned(), values, distinct }
}

/// What shows a group: the newest failure, then the newest of each other session, those with other errors first, and then the
/// rest of the newest. Of failures that are not among the newest, it is the line that is known.
fn rests_on(group: &Group) -> Vec<(u64, String)> {
    let member = |failure: &Failure| group.members.iter().find(|member| member.event == failure.event);
    let mut all: Vec<&Member> = group.newest.iter().filter_map(member).chain(group.members.iter().rev()).collect();
    all.reverse();
    let mut shown: Vec<&Member> = Vec::new();
    for _ in 0..MAX_EVIDENCE {
        let is_left = |member: &&&Member| shown.iter().all(|known| known.event != member.event);
        let differs = |member: &&&Member| {
            let of_session = shown.iter().all(|known| known.session != member.session);
            (of_session, shown.iter().all(|known| known.line != member.line))
        };
        let next = all.iter().filter(is_left).max_by_key(differs).copied();
        shown.extend(next);
    }
    let text = |member: &Member| {
        let newest = group.newest.iter().find(|failure| failure.event == member.event);
        newest.map_or_else(|| (member.event, clipped(&member.line, INPUT_CHARS)), evidence)
    };
    if shown.is_empty() { group.newest.iter().map(evidence).collect() } else { shown.into_iter().map(text).collect() }
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
        evidence: group.map(rests_on).unwrap_or_default(),
        occurrences: failures,
        events: group.map(Group::events).unwrap_or_default(),
        is_expected: true,
        ..Report::default()
    }
}

/// One finding for the errors that occurred once, and whose call succeeded when it was made again.
fn resolved_report(resolved: &[&Known]) -> Option<Report> {
    let report = of_single_errors("resolved-errors", "resolved_errors", resolved)?;
    let title = match resolved.len() {
        1 => "one error occurred once, and the same call worked later".to_owned(),
        count => format!("{count} errors occurred once each, and the same calls worked later"),
    };
    Some(Report { title, ..report })
}

/// One finding for the errors without one of their own.
fn rare_report(rest: &[&Known]) -> Option<Report> {
    let report = of_single_errors("rare-errors", "rare_errors", rest)?;
    let title = match rest.len() {
        1 => "one other error occurred once".to_owned(),
        count => format!("{count} other errors occurred once each"),
    };
    Some(Report { title, ..report })
}

/// A finding for several errors, with their titles, the newest first.
fn of_single_errors(id: &str, kind: &'static str, rest: &[&Known]) -> Option<Report> {
    let count = u32::try_from(rest.len()).unwrap_or(u32::MAX);
    let mut newest: Vec<(&Failure, &Group)> =
        rest.iter().filter_map(|known| Some((known.group.latest()?, &known.group))).collect();
    sort_by(&mut newest, |(a, _), (b, _)| b.age().cmp(&a.age()));
    let titles = newest.iter().map(|(_, group)| (group.title(), 1));
    let mut events: Vec<u64> = rest.iter().flat_map(|known| known.group.events()).collect();
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

/// Whether a line does more than open or close an output.
fn says_something(line: &str) -> bool {
    weight_of(line) > Weight::Footer
}

/// The signals of a group: `errsig:` with its most frequent lines, `recurring_error`, and those of the kind.
fn signals(group: &Group, recurring: bool) -> Vec<String> {
    let mut signals = vec!["log_error".to_owned()];
    let latest = group.latest().map(|failure| failure.line.clone()).filter(|line| !line.is_empty());
    let lines = group.frequent_lines();
    let others = lines.into_iter().map(|(line, _)| line).filter(|line| !line.is_empty());
    let mut lines: Vec<String> = latest.into_iter().chain(others).collect();
    if lines.iter().any(|line| says_something(line)) {
        lines.retain(|line| says_something(line));
    }
    for line in lines.into_iter().take(MAX_LINES) {
        let signal = format!("errsig:{line}");
        if !signals.contains(&signal) {
            signals.push(signal);
        }
    }
    if recurring {
        signals.push("recurring_error".to_owned());
    }
    let kinds: &[&str] = match group.cause {
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
