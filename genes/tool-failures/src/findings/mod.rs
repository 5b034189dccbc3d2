//! All findings, in order, and how many of each kind there may be.

pub(crate) mod advice;
pub(crate) mod agreed;
mod decided;
pub(crate) mod directions;
pub(crate) mod errors;
mod facts;
pub(crate) mod failure_rate;
pub(crate) mod faults;
pub(crate) mod instead_of;
pub(crate) mod keyed;
pub(crate) mod lists;
mod of_cause;
pub(crate) mod outside;
pub(crate) mod packages;
mod parameters;
pub(crate) mod parents;
mod path_front;
pub(crate) mod plugins;
pub(crate) mod regroup;
pub(crate) mod several;
pub(crate) mod statuses;
mod surroundings;
mod time_limits;
mod unreached;
pub(crate) mod wording;
mod worked_next;

use crate::analysis::Analysis;
use crate::causes::counted;
use crate::order::sort_by;
use crate::report::{Facet, Report, first, times};

/// Most findings of each kind but those about failures, which have limits of their own.
pub(crate) const MAX_OF_KIND: usize = 8;

/// All findings: the most severe first, then the most frequent, then the newest, then by id.
pub(crate) fn reports(analysis: &Analysis) -> Vec<Report> {
    let (groups, thresholds) = (analysis.groups(), analysis.thresholds());
    let mut reports = errors::reports(analysis, thresholds);
    analysis.unfinished().add_to(&mut reports);
    let causes = Causes::of(&reports);
    // One call is part of one finding: how often a tool fails says nothing more if its failures have findings.
    let rates = failure_rate::reports(analysis, thresholds).into_iter().filter(|report| !causes.explain_most(report));
    reports.extend(first(rates.collect(), MAX_OF_KIND));
    let of_tools = groups.tools().iter().flat_map(|tool| tool.latency.reports(&tool.name, thresholds));
    let of_tools = of_tools.filter(|report| report.kind != "failure_trend" || !causes.explain_most(report));
    reports.extend(first_of_each_kind(of_tools.collect()));
    // Loops and edits to and fro share one limit. A loop says more about a cause that has a finding of its own.
    // That a refused call is made again is part of the refusal.
    let is_refused =
        |report: &Report| causes.that_explains(report).is_some_and(|id| id.starts_with("approval-needed:"));
    let loops = analysis.loops().reports(thresholds).filter(|report| !is_refused(report)).map(|report| {
        if causes.one_explains(&report) { Report { confidence: report.confidence * 0.4, ..report } } else { report }
    });
    reports.extend(first(loops.collect(), MAX_OF_KIND));
    let (explained, places): (Vec<_>, Vec<_>) = analysis.places().reports().partition(|report| causes.explain(report));
    causes.add_places(&mut reports, &explained);
    reports.extend(first(places, MAX_OF_KIND));
    let mut costs = first_of_each_kind(analysis.cost().reports(thresholds));
    for cost in costs.iter_mut().filter(|cost| cost.kind == "cost_failures") {
        let id = causes.of_most(cost, |most, _, all| most as usize * 2 > all);
        if let Some(cause) = reports.iter().find(|report| Some(report.id.as_str()) == id) {
            cost.direction =
                ["most of the largest of these stretches end with this: ", &cause.title, "; mend that first"].concat();
        }
    }
    reports.extend(costs);
    first(reports, usize::MAX)
}

/// Most places that a finding shows.
const MAX_PLACES: usize = 8;

/// Which findings about failures explain which events.
struct Causes {
    /// The events with the ids of their findings, by the event.
    named: Vec<(u64, String)>,
    /// Failures that were meant to happen.
    expected: Vec<u64>,
}

impl Causes {
    fn of(reports: &[Report]) -> Self {
        let named = |report: &&Report| !report.is_expected && !matches!(report.kind, "rare_errors" | "resolved_errors");
        let events = reports
            .iter()
            .filter(named)
            .flat_map(|report| report.events.iter().map(|event| (*event, report.id.clone())));
        let expected =
            reports.iter().filter(|report| report.is_expected).flat_map(|report| report.events.iter().copied());
        let mut named: Vec<(u64, String)> = events.collect();
        sort_by(&mut named, |a, b| a.0.cmp(&b.0));
        Self { named, expected: expected.collect() }
    }

    fn id_of(&self, event: u64) -> Option<&str> {
        let at = self.named.binary_search_by(|(known, _)| known.cmp(&event)).ok()?;
        self.named.get(at).map(|(_, id)| id.as_str())
    }

    /// The finding that explains at least four of five events in the evidence of another one.
    fn that_explains(&self, report: &Report) -> Option<&str> {
        self.of_most(report, |most, _, all| most as usize * 5 >= all * 4)
    }

    /// Whether findings explain at least four of five failures that pointed at a place: one finding, or each its own.
    fn explain(&self, place: &Report) -> bool {
        let all_are_known = place.occurrences as usize <= place.evidence.len();
        self.one_explains(place)
            || all_are_known && self.of_most(place, |_, known, all| known as usize * 5 >= all * 4).is_some()
    }

    /// The finding with most events of another one's evidence, if enough of these are explained: by it, by any finding, of all.
    fn of_most(&self, report: &Report, enough: impl Fn(u32, u32, usize) -> bool) -> Option<&str> {
        let counted = counted(report.evidence.iter().filter_map(|(event, _)| self.id_of(*event)));
        let known = counted.iter().map(|(_, count)| *count).sum();
        let (id, most) = counted.first()?;
        enough(*most, known, report.evidence.len()).then_some(*id)
    }

    /// Whether most events of a finding, or of its evidence if it names no others, are in other findings.
    fn explain_most(&self, report: &Report) -> bool {
        let evidence = report.evidence.iter().map(|(event, _)| event);
        let events: Vec<&u64> =
            if report.events.is_empty() { evidence.collect() } else { report.events.iter().collect() };
        let known =
            events.iter().filter(|event| self.id_of(***event).is_some() || self.expected.contains(event)).count();
        known * 2 > events.len()
    }

    fn one_explains(&self, report: &Report) -> bool {
        self.that_explains(report).is_some()
    }

    /// Adds the places that failures point at to the findings that explain these failures.
    fn add_places(&self, reports: &mut [Report], places: &[Report]) {
        let mut places: Vec<&Report> = places.iter().collect();
        sort_by(&mut places, |a, b| b.occurrences.cmp(&a.occurrences).then_with(|| a.id.cmp(&b.id)));
        for report in reports {
            let explains_all =
                |place: &Report| self.of_most(place, |most, _, all| most as usize == all) == Some(&report.id);
            let own = places.iter().filter(|place| explains_all(place));
            let shown =
                own.map(|place| format!("{} ({})", place.id.trim_start_matches("place:"), times(place.occurrences)));
            let values: Vec<String> = shown.collect();
            if !values.is_empty() {
                let distinct = u32::try_from(values.len()).unwrap_or(u32::MAX);
                let values = values.into_iter().take(MAX_PLACES).collect();
                report.facets.push(Facet { name: "places".to_owned(), values, distinct });
            }
        }
    }
}

fn first_of_each_kind(mut reports: Vec<Report>) -> Vec<Report> {
    sort_by(&mut reports, |a, b| a.kind.cmp(b.kind));
    reports.chunk_by(|a, b| a.kind == b.kind).flat_map(|of_kind| first(of_kind.to_vec(), MAX_OF_KIND)).collect()
}
