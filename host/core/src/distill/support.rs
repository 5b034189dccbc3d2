//! A capsule that supports a draft, and what the assets say of it.

use super::gather::Gathered;
use super::words::{asset_id, is_external};
use crate::capsule::Capsule;
use crate::evolution_event::EvolutionEvent;
use crate::gene::Gene;
use crate::validation::ValidationReport;

/// A capsule that supports the draft, with what is known of it.
pub(super) struct Support<'a> {
    pub(super) capsule: &'a Capsule,
    /// Whether somebody else made it.
    pub(super) is_external: bool,
    /// The gene that it names, if that is known.
    pub(super) gene: Option<&'a Gene>,
    /// Whether somebody else made that.
    pub(super) has_external_gene: bool,
    /// The successful cycles that name the capsule.
    pub(super) events: Vec<&'a EvolutionEvent>,
    /// The reports that they name.
    pub(super) reports: Vec<&'a ValidationReport>,
}

/// What is known of a capsule: its gene, the events that name it, and their reports. Of several genes with one id, the user's
/// own counts, then the smallest asset id.
pub(super) fn known<'a>(capsule: &'a Capsule, gathered: &'a Gathered) -> Support<'a> {
    let is_named = |gene: &&Gene| {
        let named = capsule.gene.as_deref();
        named == Some(&gene.id) || named == Some(asset_id(gene.document()))
    };
    let genes = gathered.genes.iter().filter(is_named);
    let gene = genes.min_by_key(|gene| (is_external(gene.document()), asset_id(gene.document())));
    let is_of = |event: &&EvolutionEvent| event.capsule_id.as_deref() == Some(&capsule.id);
    let events: Vec<_> = gathered.events.iter().filter(is_of).collect();
    let is_reported =
        |report: &&ValidationReport| events.iter().any(|it| it.validation_report_id.as_deref() == Some(&report.id));
    let reports = gathered.reports.iter().filter(is_reported).collect();
    let has_external_gene = gene.is_some_and(|gene| is_external(gene.document()));
    let is_external = is_external(capsule.document());
    Support { capsule, is_external, gene, has_external_gene, events, reports }
}
