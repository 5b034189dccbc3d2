//! Findings, for a person: a list, and one of them whole.

use std::fmt::Write as _;

use gephost_app::evidence::{EventDetail, Evidenced, Place, WorkedNext};
use gephost_core::correction::Difference;
use gephost_core::diagnosis::{Facet, Finding, Scope, Severity};
use gephost_core::text::clip;
use schemars::JsonSchema;
use serde::Serialize;

use super::excerpt::{Shown, excerpt};
use super::style::{bad, bold, dim, grouped, note, printable};
use super::verdict::plural;
use super::wrap::{width, wrapped};

/// The findings that are shown if nothing else is asked for.
pub(crate) const SHOWN: usize = 5;
/// So many failures are few: of these, one finding is shown even if nothing recurs.
const FEW: u64 = 3;
/// The most places of a finding in a list.
const SHOWN_PLACES: usize = 3;
/// The most absorbed errors and names of a finding in a list.
const SHOWN_ABSORBED: usize = 3;
const SHOWN_NAMES: usize = 6;
/// The most lines of a call's input and output in a finding that is shown whole.
const SHOWN_LINES: usize = 12;
/// The most characters of such a line.
const SHOWN_CHARS: usize = 400;
/// The fewest characters of a call that are worth showing beside its place.
const LEAST_TEXT: usize = 16;
/// The column at which the text of a finding begins.
const INDENT: usize = 5;
/// The column after the word before a line: `Cause`, `Do`.
const LABEL: usize = 8;

/// A finding with its priority and with where it was seen.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RankedFinding<'a> {
    #[serde(flatten)]
    pub(crate) finding: &'a Finding,
    /// From 0 to 100, highest first.
    pub(crate) priority: f64,
    /// Where it was seen.
    #[serde(flatten)]
    pub(crate) evidenced: &'a Evidenced,
}

/// The findings, each with its priority and places.
pub(crate) fn ranked<'a>(findings: &'a [Finding], evidenced: &'a [Evidenced]) -> Vec<RankedFinding<'a>> {
    let ranked = |(finding, evidenced): (&'a Finding, &'a Evidenced)| RankedFinding {
        finding,
        priority: (finding.priority() * 100.0).round() / 100.0,
        evidenced,
    };
    findings.iter().zip(evidenced).map(ranked).collect()
}

/// The first findings of a list. `left_out` are below the thresholds of `[diagnose]`. `command` completes a command that a
/// hint names.
pub(crate) fn list(
    findings: &[RankedFinding<'_>],
    shown: usize,
    left_out: usize,
    command: &dyn Fn(&str) -> String,
) -> String {
    let below = match left_out {
        0 => String::new(),
        count => format!(", and {count} below the thresholds of `[diagnose]`"),
    };
    if findings.is_empty() {
        return format!("{}  none: nothing fails again and again{below}\n", bold("Findings  "));
    }
    let mut text = format!("{}  {}{}{}\n", bold("Findings  "), findings.len(), dim(total(findings)), dim(below));
    let width = width();
    // They come last, and are shown if there is nothing else or if more than usual is asked for.
    let is_aside = |ranked: &&RankedFinding<'_>| ranked.finding.asks_for_nothing();
    let aside = findings.iter().rev().take_while(is_aside).count();
    // If there is nothing else, the one that explains most is shown, unless it happened once, as many others did.
    let real = findings.iter().filter(|ranked| !ranked.finding.is_expected);
    let is_many = real.map(|ranked| ranked.finding.failures()).sum::<u64>() > FEW;
    let is_single = is_many && findings.first().is_some_and(|ranked| ranked.finding.failures() == 1);
    let aside = match shown > SHOWN {
        true => 0,
        false if is_single => aside,
        false => aside.min(findings.len() - 1),
    };
    let (cards, aside) = findings.split_at(findings.len() - aside);
    for (number, finding) in cards.iter().take(shown).enumerate() {
        let _ = write!(text, "\n{}", one(number + 1, finding, width));
    }
    let more = cards.len().saturating_sub(shown);
    // With many logs, a command would fill the screen.
    let named = |name: &str| match command(name) {
        whole if whole.chars().count() <= width.saturating_mul(2) => format!("`{whole}`"),
        _ => format!("`{name}` with the same options"),
    };
    let all = || named("gephost diagnose --all");
    let more = Some(format!("{more} more")).filter(|_| more > 0);
    let left: Vec<String> = more.into_iter().chain(left_aside(aside)).collect();
    let rest = match &left[..] {
        [] => String::new(),
        [one] => format!("{one}: {}; ", all()),
        [first @ .., last] => format!("{}, and {last}: {}; ", first.join(", "), all()),
    };
    let which = if findings.len() == 1 { "this one" } else { "one of them" };
    let hint = format!("{rest}{which} in full, with its calls: {}", named("gephost diagnose 1"));
    let _ = writeln!(text, "\n  {}", dim(wrapped(&printable(&hint), 2, 2, width)));
    text
}

/// `2 failures that the agent corrected itself`, `4 failures that occurred once each, without advice` and `1 finding about no
/// failure`: those that are not shown and were not meant to happen.
fn left_aside(aside: &[RankedFinding<'_>]) -> Vec<String> {
    let settled = aside.iter().filter(|ranked| ranked.finding.is_settled()).count() as u64;
    let corrected = format!("{} {} that the agent corrected itself", grouped(settled), plural(settled, "failure"));
    // What is slow, for example.
    let silent = aside.iter().filter(|ranked| !ranked.finding.is_expected && ranked.finding.failures() == 0).count();
    let silent = Some(format!("{silent} {} about no failure", plural(silent as u64, "finding"))).filter(|_| silent > 0);
    Some(corrected).filter(|_| settled > 0).into_iter().chain(without_advice(aside)).chain(silent).collect()
}

fn without_advice(aside: &[RankedFinding<'_>]) -> Option<String> {
    let is_real = |finding: &&Finding| !finding.is_expected && !finding.is_settled();
    let real = || aside.iter().map(|ranked| ranked.finding).filter(is_real);
    let count: u64 = real().map(Finding::failures).sum();
    let is_once = |finding: &Finding| finding.failures() <= 1 || finding.is_collection();
    let once = match count {
        0 => return None,
        1 => " that occurred once",
        _ if real().all(is_once) => " that occurred once each",
        _ => "",
    };
    let failures = plural(count, "failure");
    Some(format!("{} {failures}{once}, without advice", grouped(count)))
}

/// ` for 29 failures, and 17 that were meant to happen`: what the shares of the findings are shares of.
pub(crate) fn total(findings: &[RankedFinding<'_>]) -> String {
    let scopes = || findings.iter().filter_map(|ranked| ranked.finding.scope.as_ref());
    let failures = scopes().map(|scope| scope.failures_total).max().unwrap_or_default();
    let meant = findings.iter().filter(|ranked| ranked.finding.is_expected);
    let meant: u64 = meant.filter_map(|ranked| ranked.finding.scope.as_ref()).map(|scope| scope.failures).sum();
    match (failures, meant) {
        (0, _) => String::new(),
        (failures, 0) => format!(" for {} {}", grouped(failures), plural(failures, "failure")),
        (failures, meant) => {
            format!(
                " for {} {}, and {} that were meant to happen",
                grouped(failures),
                plural(failures, "failure"),
                grouped(meant)
            )
        }
    }
}

fn one(number: usize, ranked: &RankedFinding<'_>, width: usize) -> String {
    let finding = ranked.finding;
    let severity = format!("{:?}", finding.severity).to_lowercase();
    let severity = if finding.severity >= Severity::High { bad(severity) } else { note(severity) };
    let title = wrapped(&printable(&finding.title), INDENT, INDENT, width);
    let mut text = format!("{number:>3}. {}\n", bold(title));
    let numbers = numbers(ranked);
    let _ = writeln!(text, "     {severity}; {}", wrapped(&numbers, INDENT + 8, INDENT, width));
    let mut line = |label: &str, content: &str| {
        if !content.is_empty() {
            let content = wrapped(&printable(content), INDENT + LABEL, INDENT + LABEL, width);
            let _ = writeln!(text, "     {} {content}", dim(format!("{label:<7}")));
        }
    };
    line("Cause", &finding.hypothesis);
    line("Do", advice(finding));
    for (label, names) in names(finding) {
        line(label, &names);
    }
    line("Errors", &absorbed(finding));
    for place in ranked.evidenced.places.iter().take(SHOWN_PLACES) {
        let _ = writeln!(text, "     {}", dim(shown_place(place, width.saturating_sub(INDENT))));
    }
    text
}

/// What to do, or that nothing is known to help.
pub(crate) fn advice(finding: &Finding) -> &str {
    match finding.direction.as_str() {
        "" if finding.is_expected => "",
        "" => "no advice: see its calls",
        direction => direction,
    }
}

/// `9 failures (10 % of all) in 3 of 15 sessions, 2026-01-12 to 2026-02-03, claude-code`.
pub(crate) fn numbers(ranked: &RankedFinding<'_>) -> String {
    let finding = ranked.finding;
    let Some(scope) = &finding.scope else { return format!("seen {} times", finding.occurrences) };
    let mut parts = Vec::new();
    parts.push(match scope.failures {
        0 => format!("seen {} {}", finding.occurrences, plural(u64::from(finding.occurrences), "time")),
        // Those that were meant to happen are not among all failures.
        count if finding.is_expected => format!("{} {}", grouped(count), plural(count, "failure")),
        count => {
            format!("{} {} ({} of all)", grouped(count), plural(count, "failure"), share(count, scope.failures_total))
        }
    });
    if scope.sessions_total > 1
        && let Some(first) = parts.first_mut()
    {
        let _ = write!(first, " in {} of {} sessions", grouped(scope.sessions), grouped(scope.sessions_total));
    }
    parts.extend(dates(scope));
    if !ranked.evidenced.agents.is_empty() {
        parts.push(ranked.evidenced.agents.join(", "));
    }
    parts.extend(scope.tokens.map(|tokens| format!("{} tokens", grouped(tokens))));
    parts.join(", ")
}

/// From when to when, by day.
fn dates(scope: &Scope) -> Option<String> {
    let day = |time: &Option<String>| time.as_deref().and_then(|time| time.get(..10)).map(str::to_owned);
    let (first, last) = (day(&scope.first)?, day(&scope.last)?);
    Some(if first == last { first } else { format!("{first} to {last}") })
}

fn share(part: u64, whole: u64) -> String {
    let tenths = part.saturating_mul(1000) / whole.max(1);
    match tenths {
        0..10 => format!("{}.{} %", tenths / 10, tenths % 10),
        _ => format!("{} %", (tenths + 5) / 10),
    }
}

/// What varies, unless the title has all of it, each with its label.
fn names(finding: &Finding) -> Vec<(&'static str, String)> {
    let parts = finding.facets.iter().filter_map(|facet| {
        let are_in_title = facet.values.iter().all(|value| finding.title.contains(value.as_str()));
        if are_in_title && facet.distinct as usize <= facet.values.len() {
            return None;
        }
        let shown: Vec<&str> = facet.values.iter().take(SHOWN_NAMES).map(String::as_str).collect();
        let more = (facet.distinct as usize).saturating_sub(shown.len());
        let more = if more > 0 { format!(" and {more} more") } else { String::new() };
        let label = match facet.name.as_str() {
            "places" => "Places",
            "failed steps" => "Steps",
            // How often it was tried needs no count before it.
            "attempts" => return Some(("Tries", shown.join(", "))),
            "other systems" => return Some(("Where", format!("on {}{more}", shown.join(", ")))),
            _ => "Names",
        };
        Some((label, format!("{}: {}{more}", facet_head(facet), shown.join(", "))))
    });
    parts.collect()
}

/// What the values of a facet are, with how many there are: `3 places`. How often something was tried needs no count.
pub(crate) fn facet_head(facet: &Facet) -> String {
    match (facet.name.as_str(), facet.distinct) {
        ("attempts", _) => "Tries".to_owned(),
        // A facet is named in the plural.
        (name, 1) => format!("1 {}", name.trim_end_matches('s')),
        (name, distinct) => format!("{distinct} {name}"),
    }
}

/// The errors that the finding stands for.
fn absorbed(finding: &Finding) -> String {
    let shown = finding.absorbed.iter().take(SHOWN_ABSORBED);
    let shown: Vec<String> = shown.map(|error| format!("“{}” ({})", error.title, error.occurrences)).collect();
    if shown.is_empty() {
        return String::new();
    }
    let more = finding.absorbed.len().saturating_sub(shown.len());
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{}{more}", shown.join(", "))
}

/// A place that an editor can open, and as much of the call as there is room for.
fn shown_place(place: &Place, room: usize) -> String {
    let at = printable(&place.at());
    let rest = room.saturating_sub(at.chars().count() + 2);
    if rest < LEAST_TEXT { at } else { format!("{at}  {}", clip(&printable(&place.text), rest)) }
}

/// One finding whole: everything that is known of it, and all its events.
pub(crate) fn whole(number: usize, ranked: &RankedFinding<'_>, details: &[EventDetail]) -> String {
    let width = width();
    // Its events follow, so its places need not be listed.
    let agents = Evidenced { agents: ranked.evidenced.agents.clone(), places: Vec::new() };
    let mut text = one(number, &RankedFinding { evidenced: &agents, ..*ranked }, width);
    let finding = ranked.finding;
    if finding.absorbed.len() > SHOWN_ABSORBED {
        let _ = writeln!(text, "\n  {}", bold("The errors that it covers"));
        for error in &finding.absorbed {
            let title = wrapped(&printable(&error.title), 9, 9, width);
            let _ = writeln!(text, "  {:>5}  {title}", error.occurrences);
        }
    }
    let _ = writeln!(
        text,
        "\n  {}",
        bold(format!("Its events, the newest first ({} of {})", details.len(), finding.events.len()))
    );
    for detail in details {
        let _ = write!(text, "\n{}", event(detail));
    }
    text
}

/// One event with its texts.
pub(crate) fn event(detail: &EventDetail) -> String {
    let time = detail.time.as_deref().unwrap_or("no time");
    let tool = detail.tool.as_deref().unwrap_or("no tool");
    let outcome = detail.outcome.map(|outcome| format!(", {outcome:?}").to_lowercase()).unwrap_or_default();
    let place = format!("{}:{}", printable(&detail.file), detail.line);
    let mut text = format!("  {} {place}\n", bold(format!("#{}", detail.event)));
    let _ = writeln!(
        text,
        "     {}",
        dim(format!("{time}, {}{outcome}, session {}", printable(tool), printable(&detail.session)))
    );
    for (mark, part) in [("$", &detail.input), (">", &detail.output)] {
        let Some(part) = part else { continue };
        // The end of a long output says most.
        let (head, tail) =
            if mark == ">" { (SHOWN_LINES / 3, SHOWN_LINES - SHOWN_LINES / 3) } else { (SHOWN_LINES, 0) };
        for shown in excerpt(part, head, tail) {
            let line = match shown {
                Shown::Line(line) => clip(&printable(line), SHOWN_CHARS).into_owned(),
                Shown::LeftOut(count) => dim(format!("… {count} {} left out …", plural(count as u64, "line"))),
            };
            let _ = writeln!(text, "     {mark} {line}");
        }
    }
    if let Some(next) = &detail.worked_next {
        let input = next.input.as_deref().and_then(|input| input.lines().next()).unwrap_or_default();
        let (event, how, input) = (next.event, how_other(next), printable(input));
        let _ = writeln!(text, "     {} #{event}, {how}: {}", bold("worked next"), clip(&input, 200));
    }
    text
}

/// How the call that worked next differs from the one that failed.
fn how_other(next: &WorkedNext) -> String {
    let changed = match (next.before.as_str(), next.after.as_str()) {
        ("", "") => None,
        ("", after) => Some(format!("with `{}`", printable(after))),
        (before, "") => Some(format!("without `{}`", printable(before))),
        (before, after) => Some(format!("with `{}` instead of `{}`", printable(after), printable(before))),
    };
    let how = match (next.difference, changed) {
        (Difference::Repeated, _) => "the same call at once",
        (Difference::Later, _) => "the same call later",
        (Difference::ReadBefore, _) => "after the file was read",
        (Difference::Whitespace, _) => "with other white space",
        (_, Some(changed)) => return changed,
        (Difference::Program, None) => "with another program",
        (Difference::Directory, None) => "in another folder",
        (Difference::Subcommand, None) => "with another subcommand or script",
        (Difference::TimeLimit, None) => "with another time limit",
        (Difference::Options, None) => "with other options",
        (Difference::Path, None) => "with another path",
        (Difference::Input, None) => "with another input",
    };
    how.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(is_expected: bool) -> Finding {
        let scope = serde_json::json!({
            "failures": 17, "failures_total": 29, "sessions": 1, "sessions_total": 1, "first": null, "last": null,
            "tokens": null, "priority": 1.0,
        });
        serde_json::from_value(serde_json::json!({
            "id": "f1", "gene": "gene_test", "kind": "error", "title": "a", "severity": "info", "confidence": 1.0,
            "hypothesis": "", "evidence": [], "direction": "", "signals": [], "occurrences": 17,
            "is_expected": is_expected, "scope": scope,
        }))
        .expect("a finding")
    }

    #[test]
    fn a_command_that_would_fill_the_screen_is_named_without_its_options() {
        let hint = |logs: usize| {
            let finding = found(false);
            let evidenced = Evidenced::default();
            let ranked = [RankedFinding { finding: &finding, priority: 1.0, evidenced: &evidenced }];
            let listed = list(&ranked, 1, 0, &|name| format!("{name}{}", " --log a.jsonl".repeat(logs)));
            listed.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        assert!(hint(1).contains("with its calls: `gephost diagnose 1 --log a.jsonl`"), "{}", hint(1));
        assert!(hint(1000).contains("with its calls: `gephost diagnose 1` with the same options"), "{}", hint(1000));
    }

    #[test]
    fn what_was_different_in_the_call_that_worked_is_told_in_words() {
        let how = |difference, before: &str, after: &str| {
            how_other(&WorkedNext {
                event: 1,
                difference,
                before: before.to_owned(),
                after: after.to_owned(),
                input: None,
            })
        };
        assert_eq!(how(Difference::Input, "", "./a"), "with `./a`");
        assert_eq!(how(Difference::Options, "-x", ""), "without `-x`");
        assert_eq!(how(Difference::Path, "a.rs", "b.rs"), "with `b.rs` instead of `a.rs`");
        assert_eq!(how(Difference::Directory, "", ""), "in another folder");
        assert_eq!(how(Difference::Later, "", ""), "the same call later");
    }

    #[test]
    fn what_asks_for_nothing_takes_no_place_of_what_can_be_acted_on() {
        let finding = |failures: u64, direction: &str| {
            let mut finding = found(false);
            direction.clone_into(&mut finding.direction);
            finding.severity = Severity::Low;
            if let Some(scope) = &mut finding.scope {
                scope.failures = failures;
            }
            finding
        };
        let shown = |findings: &[Finding], shown: usize| {
            let evidenced = Evidenced::default();
            let ranked: Vec<_> = (findings.iter())
                .map(|finding| RankedFinding { finding, priority: 1.0, evidenced: &evidenced })
                .collect();
            let listed = list(&ranked, shown, 0, &str::to_owned);
            listed.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        let (helped, once) = (finding(3, "do it"), finding(1, ""));
        let findings = [helped.clone(), once.clone(), once.clone()];
        let text = shown(&findings, SHOWN);
        assert!(text.contains("2 failures that occurred once each, without advice: "), "{text}");
        assert!(!text.contains("no advice"), "{text}");
        assert!(shown(&findings, usize::MAX).contains("no advice"), "all are shown if all are asked for");
        assert!(shown(&[finding(2, ""), once.clone()], SHOWN).contains("no advice"), "there is nothing else");
        let text = shown(&vec![once.clone(); 4], SHOWN);
        assert!(text.contains("4 failures that occurred once each, without") && !text.contains("no advice"), "{text}");
        let text = shown(&vec![once.clone(); 3], SHOWN);
        assert!(text.contains("2 failures that occurred once each, without") && text.contains("no advice"), "{text}");
        assert!(shown(&[helped.clone(), once], SHOWN).contains("1 failure that occurred once, without"));
        assert!(!shown(std::slice::from_ref(&helped), SHOWN).contains("without advice"));
        let text = shown(&[helped.clone(), finding(0, ""), Finding { is_expected: true, ..finding(0, "") }], SHOWN);
        assert!(text.contains("1 finding about no failure: "), "{text}");
        let settled = Finding { severity: Severity::Info, ..finding(1, "read it again") };
        let text = shown(&[helped.clone(), settled.clone(), settled.clone()], SHOWN);
        assert!(text.contains("2 failures that the agent corrected itself: "), "{text}");
        assert!(!text.contains("read it again"), "{text}");
        let text = shown(&[helped, settled.clone(), finding(1, "")], SHOWN);
        assert!(text.contains("1 failure that the agent corrected itself, and 1 failure that occurred once"), "{text}");
        let text = shown(&vec![settled.clone(); 4], SHOWN);
        assert!(text.contains("4 failures that the agent corrected") && !text.contains("read it again"), "{text}");
        let text = shown(&vec![settled; 2], SHOWN);
        assert!(text.contains("1 failure that the agent corrected") && text.contains("read it again"), "{text}");
    }

    #[test]
    fn failures_that_were_meant_to_happen_have_no_share_of_those_that_were_not() {
        let shown = |is_expected: bool| {
            let (finding, evidenced) = (found(is_expected), Evidenced::default());
            numbers(&RankedFinding { finding: &finding, priority: 1.0, evidenced: &evidenced })
        };
        assert_eq!(shown(false), "17 failures (59 % of all)");
        assert_eq!(shown(true), "17 failures");
    }
}
