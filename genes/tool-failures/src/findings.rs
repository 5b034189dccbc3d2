//! All findings, in order, and how many of each kind there may be.

use crate::analysis::Analysis;
use crate::report::{Report, first};
use crate::{errors, failure_rate};

/// Most findings of each kind but those about failures, which have limits of their own.
pub(crate) const MAX_OF_KIND: usize = 8;

/// All findings: the most severe first, then the most frequent, then the newest, then by id.
pub(crate) fn reports(analysis: &Analysis) -> Vec<Report> {
    let (groups, thresholds) = (analysis.groups(), analysis.thresholds());
    let mut reports = errors::reports(analysis, thresholds);
    reports.extend(first(failure_rate::reports(analysis, thresholds), MAX_OF_KIND));
    let of_tools = groups.tools().iter().flat_map(|tool| tool.latency.reports(&tool.name, thresholds));
    reports.extend(first_of_each_kind(of_tools.collect()));
    // Loops and edits to and fro share one limit.
    reports.extend(first(analysis.loops().reports(thresholds).collect(), MAX_OF_KIND));
    reports.extend(first(analysis.places().reports().collect(), MAX_OF_KIND));
    reports.extend(first_of_each_kind(analysis.cost().reports(thresholds)));
    first(reports, usize::MAX)
}

fn first_of_each_kind(mut reports: Vec<Report>) -> Vec<Report> {
    reports.sort_by(|a, b| a.kind.cmp(b.kind));
    reports.chunk_by(|a, b| a.kind == b.kind).flat_map(|of_kind| first(of_kind.to_vec(), MAX_OF_KIND)).collect()
}
