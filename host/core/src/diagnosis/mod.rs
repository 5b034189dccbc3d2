//! Findings of the heuristic genes, their order, and which of them count.

mod bundled;
mod measure;
mod reference;
mod scope;
mod thresholds;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

pub use bundled::{heuristic_id, thresholds};
pub use measure::measure;
pub use reference::FindingRef;
pub use scope::Scope;
pub use thresholds::{AT_LEAST, DiagnoseTable};

/// The severity of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Worth knowing.
    Info,
    /// A nuisance.
    Low,
    /// Costs time.
    Medium,
    /// Stops work.
    High,
    /// Stops all work.
    Critical,
}

/// One event that a finding rests on.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Evidence {
    /// Number of the event within the observation, from 0.
    pub event: u64,
    /// One line for a person.
    pub line: String,
}

/// One failure pattern.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Finding {
    /// Stable name within the diagnosis.
    pub id: String,
    /// Id of the gene that found it.
    pub gene: String,
    /// The kind of pattern.
    pub kind: String,
    /// One line for a person.
    pub title: String,
    /// Its severity.
    pub severity: Severity,
    /// From 0 to 1.
    pub confidence: f64,
    /// Root-cause hypothesis.
    pub hypothesis: String,
    /// The events that it rests on.
    pub evidence: Vec<Evidence>,
    /// What to do about it; empty if the gene has no advice.
    pub direction: String,
    /// The signals that it raises.
    pub signals: Vec<String>,
    /// How often it was seen.
    pub occurrences: u32,
    /// The numbers of all events that it explains, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<u64>,
    /// What varies between its failures.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facets: Vec<Facet>,
    /// Errors without a finding of their own, because this one explains them; the most frequent first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub absorbed: Vec<Absorbed>,
    /// Whether the failures were meant to happen.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_expected: bool,
    /// What it covers of the observation, as the host counted.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<Scope>,
}

/// Something that varies between the failures of one finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Facet {
    /// What the values are, in the plural.
    pub name: String,
    /// The most frequent values, the first one most often.
    pub values: Vec<String>,
    /// How many different values there are.
    pub distinct: u32,
}

/// An error that another finding explains.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Absorbed {
    /// One line for a person.
    pub title: String,
    /// How often it was seen.
    pub occurrences: u32,
}

/// All findings, most important first, and the signals of the observation.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize, JsonSchema)]
pub struct Diagnosis {
    /// Most important first.
    pub findings: Vec<Finding>,
    /// Names of the signals.
    pub signals: Vec<String>,
}

impl Finding {
    /// The priority, from 0 to 100: `100 × share × confidence × recency`.
    ///
    /// `share` is the mean of the shares of all failures and of all sessions that it explains (of failures only, if there is
    /// one session), or its share of all tokens if that is larger; a tenth of the sessions' share if it is about no failure. `recency` falls from 1 to 0.4,
    /// by half for each week between its newest event and the newest of all. 0 if the host has not measured it.
    pub fn priority(&self) -> f64 {
        self.scope.as_ref().map_or(0.0, |scope| scope.priority)
    }

    /// How many failures it explains; 0 if it is no cause of any.
    pub fn failures(&self) -> u64 {
        self.scope.as_ref().map_or(0, |scope| scope.failures)
    }

    /// Whether the log shows nothing that can be done about it: it has no advice, and is only worth knowing or about at most
    /// two failures of one session; or it is [settled](Self::is_settled). In a list it takes no place of a finding that can be
    /// acted on.
    pub fn asks_for_nothing(&self) -> bool {
        let is_rare = self.scope.as_ref().is_some_and(|scope| scope.failures <= 2 && scope.sessions <= 1);
        self.is_settled() || self.direction.is_empty() && (self.severity == Severity::Info || is_rare)
    }

    /// Whether it is about one failure that is only worth knowing, because the agent corrected it itself.
    pub fn is_settled(&self) -> bool {
        let is_single = self.scope.as_ref().is_some_and(|scope| scope.failures == 1);
        is_single && self.severity == Severity::Info && !self.direction.is_empty() && !self.is_expected
    }

    /// Whether it is no cause, but stands for several errors that occurred once each.
    pub fn is_collection(&self) -> bool {
        let is_once = self.absorbed.iter().all(|error| error.occurrences == 1);
        self.severity == Severity::Info && self.absorbed.len() > 1 && is_once
    }

    /// Whether it names no event that it rests on.
    pub fn is_unfounded(&self) -> bool {
        self.events.is_empty() && self.evidence.is_empty()
    }
}

/// Orders findings by [`Finding::priority`], rounded, highest first, then by severity, occurrences, gene and id. Those that
/// [ask for nothing](Finding::asks_for_nothing) come after all others, those with advice first, unless one explains the most failures; then failures that
/// were meant to happen, and findings without any evidence last of all.
pub fn prioritise(findings: &mut [Finding]) {
    let causes = findings.iter().filter(|finding| !finding.is_expected && !finding.is_collection());
    let most = causes.map(Finding::failures).max().unwrap_or_default().max(2);
    let steps_back =
        |finding: &Finding| finding.asks_for_nothing() && (finding.is_collection() || finding.failures() < most);
    findings.sort_by(|a, b| {
        a.is_unfounded()
            .cmp(&b.is_unfounded())
            .then(a.is_expected.cmp(&b.is_expected))
            .then(steps_back(a).cmp(&steps_back(b)))
            .then_with(|| (steps_back(a) && a.direction.is_empty()).cmp(&(steps_back(b) && b.direction.is_empty())))
            .then(b.priority().round().total_cmp(&a.priority().round()))
            .then(b.severity.cmp(&a.severity))
            .then(b.occurrences.cmp(&a.occurrences))
            .then_with(|| (&a.gene, &a.id).cmp(&(&b.gene, &b.id)))
    });
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use jiff::Timestamp;

    use super::*;
    use crate::run_event::{EventType, Outcome, RunEvent};

    pub(super) fn finding(id: &str, severity: Severity, confidence: f64, occurrences: u32) -> Finding {
        Finding {
            id: id.to_owned(),
            gene: String::new(),
            kind: String::new(),
            title: String::new(),
            severity,
            confidence,
            hypothesis: String::new(),
            evidence: Vec::new(),
            direction: String::new(),
            signals: Vec::new(),
            occurrences,
            events: Vec::new(),
            facets: Vec::new(),
            absorbed: Vec::new(),
            is_expected: false,
            scope: None,
        }
    }

    fn explaining(id: &str, confidence: f64, events: &[u64]) -> Finding {
        let direction = "do it".to_owned();
        Finding { events: events.to_vec(), direction, ..finding(id, Severity::Medium, confidence, 1) }
    }

    /// Ends of calls: session, hours since the epoch, whether it failed.
    fn observation(calls: &[(&str, i64, bool)]) -> Vec<RunEvent> {
        let event = |(session, hours, failed): &(&str, i64, bool)| RunEvent {
            timestamp: Timestamp::from_second(hours * 3600).ok(),
            outcome: Some(if *failed { Outcome::Failure } else { Outcome::Success }),
            ..RunEvent::bare(Arc::from(*session), EventType::ToolEnd)
        };
        calls.iter().map(event).collect()
    }

    fn order(mut findings: Vec<Finding>, events: &[RunEvent]) -> Vec<String> {
        measure(&mut findings, events);
        prioritise(&mut findings);
        findings.into_iter().map(|finding| finding.id).collect()
    }

    #[test]
    fn the_host_counts_what_a_finding_explains() {
        let events = observation(&[("a", 0, true), ("a", 1, false), ("b", 2, true), ("b", 3, true), ("c", 4, false)]);
        let mut findings = [explaining("x", 1.0, &[0, 2])];
        measure(&mut findings, &events);
        let scope = findings[0].scope.as_ref().unwrap();
        assert_eq!((scope.failures, scope.failures_total, scope.sessions, scope.sessions_total), (2, 3, 2, 3));
        assert_eq!(scope.first.as_deref(), Some("1970-01-01T00:00:00Z"));
        assert_eq!(scope.last.as_deref(), Some("1970-01-01T02:00:00Z"));
        assert!((60.0..67.0).contains(&scope.priority), "two thirds of both, two hours old: {}", scope.priority);
    }

    #[test]
    fn a_finding_that_is_mostly_about_calls_that_worked_explains_no_failure() {
        let events = observation(&[("a", 0, true), ("a", 1, false), ("b", 2, false), ("b", 3, true)]);
        let mut findings = [explaining("slow", 1.0, &[0, 1, 2]), explaining("cause", 1.0, &[0, 3])];
        measure(&mut findings, &events);
        let failures = |at: usize| findings[at].scope.as_ref().unwrap().failures;
        assert_eq!((failures(0), failures(1)), (0, 2));
        prioritise(&mut findings);
        assert_eq!(findings[0].id, "cause");
    }

    #[test]
    fn share_recency_and_confidence_decide() {
        let week = 24 * 7;
        let events = observation(&[("a", 0, true), ("a", 0, true), ("a", 8 * week, true), ("b", 8 * week, true)]);
        let all = vec![explaining("old", 0.9, &[0, 1]), explaining("new", 0.9, &[2, 3]), explaining("one", 0.9, &[3])];
        assert_eq!(order(all, &events), ["new", "one", "old"]);
        let unsure = vec![explaining("unsure", 0.3, &[2, 3]), explaining("sure", 0.9, &[3])];
        assert_eq!(order(unsure, &events), ["sure", "unsure"]);
        let meant = || Finding { is_expected: true, ..explaining("meant", 1.0, &[2, 3]) };
        assert_eq!(order(vec![meant(), explaining("real", 0.1, &[0])], &events), ["real", "meant"]);
        let claimed = finding("claimed", Severity::Critical, 1.0, u32::MAX);
        let faint = explaining("faint", 0.001, &[0]);
        assert_eq!(order(vec![claimed, meant(), faint], &events), ["faint", "meant", "claimed"], "it names no event");
    }

    #[test]
    fn failures_that_were_meant_to_happen_are_none() {
        let events = observation(&[("a", 0, true), ("a", 0, true)]);
        let mut findings =
            [Finding { is_expected: true, ..explaining("meant", 1.0, &[0]) }, explaining("real", 1.0, &[1])];
        measure(&mut findings, &events);
        assert_eq!(findings[1].scope.as_ref().unwrap().failures_total, 1);
    }

    #[test]
    fn what_asks_for_nothing_comes_last_unless_it_explains_most() {
        let events = observation(&[("a", 0, true), ("a", 1, true), ("a", 2, true), ("a", 3, true), ("a", 4, true)]);
        let silent = |id: &str, own: &[u64]| Finding { direction: String::new(), ..explaining(id, 0.9, own) };
        let helped = explaining("helped", 0.1, &[0]);
        let known = |id: &str| Finding { severity: Severity::Info, ..silent(id, &[1, 2, 3]) };
        assert_eq!(order(vec![silent("once", &[4]), helped.clone()], &events), ["helped", "once"]);
        let thrice = || silent("thrice", &[1, 2, 3]);
        assert_eq!(
            order(vec![silent("twice", &[3, 4]), thrice(), helped.clone()], &events),
            ["thrice", "helped", "twice"]
        );
        assert_eq!(order(vec![helped.clone(), known("most")], &events), ["most", "helped"]);
        let one = Absorbed { title: "x".to_owned(), occurrences: 1 };
        let rest = Finding { severity: Severity::Info, absorbed: vec![one.clone(), one], ..silent("rest", &[1, 2, 3]) };
        assert_eq!(order(vec![rest, helped], &events), ["helped", "rest"], "a collection is no cause");
        assert_eq!(order(vec![silent("a", &[4]), silent("b", &[3, 4])], &events), ["b", "a"]);
    }

    #[test]
    fn what_the_agent_corrected_itself_comes_after_what_can_be_acted_on() {
        let events = observation(&[("a", 0, true), ("a", 1, true), ("b", 2, true)]);
        let of = |id: &str, severity, own: &[u64]| Finding { severity, ..explaining(id, 0.9, own) };
        let (settled, open) = (of("settled", Severity::Info, &[2]), of("open", Severity::Low, &[0]));
        assert_eq!(order(vec![settled.clone(), open.clone()], &events), ["open", "settled"]);
        assert_eq!(order(vec![of("twice", Severity::Info, &[1, 2]), open], &events), ["twice", "open"]);
        let unhelped = Finding { direction: String::new(), ..of("unhelped", Severity::High, &[1]) };
        assert_eq!(order(vec![unhelped, settled.clone()], &events), ["settled", "unhelped"], "advice comes first");
        let scope = |mut finding: Finding| {
            measure(std::slice::from_mut(&mut finding), &events);
            finding.is_settled()
        };
        assert!(scope(settled.clone()));
        assert!(!scope(Finding { direction: String::new(), ..settled.clone() }), "nothing is known to help");
        assert!(!scope(Finding { is_expected: true, ..settled }), "it was meant to happen");
    }

    #[test]
    fn the_order_does_not_depend_on_the_order_of_the_findings() {
        let events = observation(&[("a", 0, true), ("a", 1, true), ("b", 2, true)]);
        let findings = vec![explaining("x", 0.9, &[0]), explaining("y", 0.9, &[0]), explaining("z", 0.9, &[1, 2])];
        let backwards = findings.iter().rev().cloned().collect();
        assert_eq!(order(findings, &events), ["z", "x", "y"]);
        assert_eq!(order(backwards, &events), ["z", "x", "y"]);
    }

    /// A pseudo-random sequence, so that a failure can be seen again.
    fn random(seed: u64) -> impl FnMut(usize) -> usize {
        let mut state = seed.wrapping_mul(2) + 1;
        move |bound| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            usize::try_from(state >> 33).unwrap() % bound
        }
    }

    /// Sessions with failures of three causes, each a list of the causes in order.
    fn sessions(random: &mut impl FnMut(usize) -> usize) -> Vec<Vec<usize>> {
        (0..2 + random(6)).map(|_| (0..=random(6)).map(|_| random(3)).collect()).collect()
    }

    /// The causes in the order of their findings, with their priorities.
    fn ranking(sessions: &[Vec<usize>]) -> Vec<(usize, f64)> {
        let calls = sessions.iter().enumerate().flat_map(|(at, causes)| causes.iter().map(move |cause| (at, *cause)));
        let calls: Vec<(usize, usize)> = calls.collect();
        let names: Vec<String> = (0..sessions.len()).map(|at| format!("s{at}")).collect();
        let events = observation(&calls.iter().map(|(at, _)| (names[*at].as_str(), 0, true)).collect::<Vec<_>>());
        let of = |cause: usize| {
            let own: Vec<u64> =
                (0..).zip(&calls).filter(|(_, call)| call.1 == cause).map(|(number, _)| number).collect();
            explaining(&cause.to_string(), 0.9, &own)
        };
        let mut findings: Vec<Finding> = (0..3).map(of).collect();
        measure(&mut findings, &events);
        prioritise(&mut findings);
        findings.iter().map(|finding| (finding.id.parse().unwrap(), finding.priority())).collect()
    }

    #[test]
    fn the_order_of_the_sessions_does_not_matter() {
        for seed in 0..500 {
            let mut random = random(seed);
            let sessions = sessions(&mut random);
            let mut shuffled = sessions.clone();
            for at in (1..shuffled.len()).rev() {
                shuffled.swap(at, random(at + 1));
            }
            assert_eq!(ranking(&sessions), ranking(&shuffled), "seed {seed}");
        }
    }

    /// A session that is split counts as two, so a finding in both halves gains a little; no more than half a session's
    /// share.
    #[test]
    fn splitting_a_session_changes_only_close_ranks() {
        for seed in 0..500 {
            let mut random = random(seed);
            let sessions = sessions(&mut random);
            let at = random(sessions.len());
            let mut split = sessions.clone();
            let half = split[at].len() / 2;
            let rest = split[at].split_off(half);
            split.push(rest);
            split.retain(|session| !session.is_empty());
            let close = 90.0 / f64::from(u32::try_from(sessions.len()).unwrap());
            let (before, after) = (ranking(&sessions), ranking(&split));
            for pair in before.windows(2).filter(|pair| pair[0].1 - pair[1].1 > close) {
                let rank = |cause: usize| after.iter().position(|(other, _)| *other == cause);
                assert!(rank(pair[0].0) < rank(pair[1].0), "seed {seed}: {before:?} {after:?}");
            }
        }
    }
}
