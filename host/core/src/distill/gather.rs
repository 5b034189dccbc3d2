//! Gathers what a draft may rest on, in bounded memory: of all assets, only those that count and are named.

use std::collections::BTreeSet;

use serde_json::{Map, Value};

use super::kept::Kept;
use super::looked_at::LookedAt;
use super::material::{Request, Source};
use super::words::{asset_id, is_external};
use crate::capsule::Capsule;
use crate::digest::{self, Verification};
use crate::evolution_event::EvolutionEvent;
use crate::gene::Gene;
use crate::validation::ValidationReport;

/// What was gathered. All of it verifies.
pub(super) struct Gathered {
    /// The capsules that count, each id once, by id.
    pub(super) capsules: Vec<Capsule>,
    /// The genes that they name. Those from elsewhere are here only if they were asked for.
    pub(super) genes: Vec<Gene>,
    /// The successful cycles that name one of the capsules.
    pub(super) events: Vec<EvolutionEvent>,
    /// The reports of these cycles whose commands all succeeded.
    pub(super) reports: Vec<ValidationReport>,
}

pub(super) fn gather<S: Source>(
    source: &S,
    request: &Request<'_>,
    looked_at: &mut LookedAt,
) -> Result<Gathered, S::Error> {
    let capsules = counted(source, request, looked_at)?;
    let names: BTreeSet<&str> = capsules.iter().filter_map(|capsule| capsule.gene.as_deref()).collect();
    let mut genes = Kept::new(Gene::document);
    source.genes(&mut |gene| {
        let document = gene.document();
        let is_named = names.contains(gene.id.as_str()) || names.contains(asset_id(document));
        if is_named && (request.with_external || !is_external(document)) && is_verified(document) {
            genes.add(gene);
        }
    })?;
    let ids: BTreeSet<&str> = capsules.iter().map(|capsule| capsule.id.as_str()).collect();
    let mut events = Kept::new(EvolutionEvent::document);
    source.events(&mut |event| {
        let is_of = event.capsule_id.as_deref().is_some_and(|capsule| ids.contains(capsule));
        if is_of && event.outcome.is_success() && is_verified(event.document()) {
            events.add(event);
        }
    })?;
    looked_at.left_out_others = genes.dropped + events.dropped;
    let events = events.into_assets();
    let wanted: BTreeSet<&str> = events.iter().filter_map(|event| event.validation_report_id.as_deref()).collect();
    let mut reports = Kept::new(ValidationReport::document);
    source.reports(&mut |report| {
        if report.overall_ok && wanted.contains(report.id.as_str()) && is_verified(report.document()) {
            reports.add(report);
        }
    })?;
    looked_at.left_out_others += reports.dropped;
    let (genes, reports) = (genes.into_assets(), reports.into_assets());
    Ok(Gathered { capsules, genes, events, reports })
}

/// The capsules that count, each id once, by id.
fn counted<S: Source>(source: &S, request: &Request<'_>, looked_at: &mut LookedAt) -> Result<Vec<Capsule>, S::Error> {
    let is_asked = |signal: &String| request.signals.is_empty() || request.signals.contains(signal);
    let mut kept = Kept::new(Capsule::document);
    source.capsules(&mut |capsule| {
        looked_at.capsules += 1;
        if !capsule.outcome.is_success() {
            looked_at.failed += 1;
        } else if !is_verified(capsule.document()) {
            looked_at.unverified += 1;
        } else if is_external(capsule.document()) && !request.with_external {
            looked_at.external += 1;
        } else if !capsule.trigger.iter().any(is_asked) {
            looked_at.without_signal += 1;
        } else {
            kept.add(capsule);
        }
    })?;
    looked_at.left_out = kept.dropped;
    // Of one id, the user's own counts, then the smallest asset id, so that the order of files does not matter.
    let mut counted = kept.into_assets();
    counted.sort_by(|one, other| one.id.cmp(&other.id));
    counted.dedup_by(|later, first| later.id == first.id);
    looked_at.counted = counted.len() as u64;
    let others = looked_at.failed + looked_at.unverified + looked_at.external + looked_at.without_signal;
    looked_at.repeated = looked_at.capsules - looked_at.counted - looked_at.left_out - others;
    Ok(counted)
}

fn is_verified(document: &Map<String, Value>) -> bool {
    matches!(digest::verify_members(document), Ok(Verification::Match))
}
