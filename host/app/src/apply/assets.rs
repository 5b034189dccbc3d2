//! What a cycle leaves in the assets, as other GEP tools read it: the gene, a validation report and a capsule or a failed
//! capsule for each candidate that was validated, and one event.

use gephost_core::capsule::{Capsule, CapsuleDraft};
use gephost_core::evaluate::{Evaluation, confidence};
use gephost_core::event_log::Fate;
use gephost_core::evolution_event::{EventDraft, EvolutionEvent};
use gephost_core::gene::Category;
use gephost_core::select::MAX_PATCH_BYTES;
use gephost_core::validation::{ReportDraft, ValidationReport};
use gephost_runner::journal::AssetDocuments;
use gephost_runner::validate::Chosen;
use jiff::Timestamp;
use serde_json::{Map, json};

use super::applier::Applier;
use super::candidate::{Candidate, Intent, Subject};
use super::failure::ApplyFailure;
use super::ids::Ids;

/// What stands in the place of a gene's id if no gene proposed a change.
const OPERATOR: &str = "operator";

impl Applier<'_> {
    /// What the assets must hold of a cycle. One in which nothing was validated leaves none.
    pub(super) fn assets(
        &self,
        subject: Subject<'_>,
        intents: &[Intent<'_>],
        ids: &Ids,
        candidates: &[Candidate],
    ) -> Result<AssetDocuments, ApplyFailure> {
        let mut assets = AssetDocuments::default();
        let mut foremost = None;
        for (rank, (intent, candidate)) in intents.iter().zip(candidates).enumerate() {
            let Some(evaluation) = &candidate.evaluation else { continue };
            let report = report(intent, ids.report(rank), candidate, evaluation, self.tools.chosen)?;
            assets.reports.push(report.document().clone());
            let published = candidate.tried.fate == Fate::Published;
            // One that held and was outranked was never used: it leaves a report and nothing to learn from. So does a
            // sum that failed: that its first step did not hold is said already.
            let failed = candidate.tried.fate == Fate::Failed && intent.steps.is_empty();
            // A change that is made again has its capsule already.
            if (published || failed) && intent.capsule.is_none() {
                let capsule = self.capsule(subject, intent, ids.capsule(rank), evaluation)?;
                assets.capsules.push(capsule.document().clone());
            }
            if published || failed || candidate.tried.fate == Fate::Extended {
                assets.genes.extend(intent.gene.map(|gene| gene.document().clone()));
            }
            if published || foremost.is_none() {
                foremost = Some((rank, intent, evaluation, report.id));
            }
        }
        let Some((rank, intent, evaluation, report)) = foremost else { return Ok(assets) };
        let event = EvolutionEvent::record(&EventDraft {
            id: ids.event(),
            parent: self.project.registry.last_event()?.map(|event| event.id),
            intent: intent.gene.map_or_else(|| Category::of("repair"), |gene| gene.category.clone()),
            signals: subject.signals.to_vec(),
            genes_used: genes_used(intent),
            blast_radius: intent.approved.blast_radius(),
            outcome: evaluation.outcome,
            capsule_id: Some(intent.capsule.map_or_else(|| ids.capsule(rank), str::to_owned)),
            validation_report_id: Some(report),
            sandbox: Some(self.tools.chosen.level),
            isolation: subject.isolation.map(str::to_owned),
            at: self.project.environment.now(),
            candidates: candidates.iter().map(|candidate| candidate.tried.clone()).collect(),
        })?;
        assets.event = Some(event.document().clone());
        Ok(assets)
    }

    fn capsule(
        &self,
        subject: Subject<'_>,
        intent: &Intent<'_>,
        id: String,
        evaluation: &Evaluation,
    ) -> Result<Capsule, ApplyFailure> {
        let success = evaluation.decision.is_success();
        let radius = intent.approved.blast_radius();
        Ok(Capsule::record(&CapsuleDraft {
            id,
            trigger: subject.signals.to_vec(),
            gene: gene_of(intent),
            summary: self.clean(&format!("{}: {}", intent.proposal.title, intent.proposal.objective)),
            confidence: if success { confidence(radius, 1.0) } else { 0.0 },
            blast_radius: radius,
            diff: self.patch(intent).filter(|_| success),
            outcome: evaluation.outcome,
            success_streak: u64::from(success),
            env_fingerprint: fingerprint(self.project.environment.now()),
            eligible_to_broadcast: false,
            validation_errors: evaluation.errors.iter().map(|line| self.clean(line)).collect(),
        })?)
    }
}

impl Applier<'_> {
    /// The change as a capsule keeps it, to be made again: without one that has secrets, since it would not fit any more
    /// without them.
    fn patch(&self, intent: &Intent<'_>) -> Option<String> {
        let diff = intent.diff;
        (diff.len() <= MAX_PATCH_BYTES && self.clean(diff) == diff).then(|| diff.to_owned())
    }
}

fn report(
    intent: &Intent<'_>,
    id: String,
    candidate: &Candidate,
    evaluation: &Evaluation,
    chosen: &Chosen,
) -> Result<ValidationReport, ApplyFailure> {
    Ok(ValidationReport::record(&ReportDraft {
        id,
        gene_id: intent.gene.map(|gene| gene.id.clone()).unwrap_or_default(),
        commands: &candidate.runs,
        decision: evaluation.decision.as_str(),
        overall_ok: evaluation.decision.is_success(),
        sandbox: chosen.level,
        memory_bound: chosen.memory_bound(),
    })?)
}

/// The genes of all steps, each once.
fn genes_used(intent: &Intent<'_>) -> Vec<String> {
    let mut genes: Vec<String> = Vec::new();
    for gene in intent.steps.iter().map(|step| step.gene.clone().unwrap_or_else(|| OPERATOR.to_owned())) {
        if !genes.contains(&gene) {
            genes.push(gene);
        }
    }
    if genes.is_empty() { vec![gene_of(intent)] } else { genes }
}

/// A change that is made again is that of its capsule's gene, whether the gene is here or not.
fn gene_of(intent: &Intent<'_>) -> String {
    let gene = intent.gene.map(|gene| gene.id.clone());
    gene.or_else(|| intent.capsule.and(intent.proposal.gene.clone())).unwrap_or_else(|| OPERATOR.to_owned())
}

/// What seed 001 wants to know of the machine.
fn fingerprint(at: Timestamp) -> Map<String, serde_json::Value> {
    let uname = rustix::system::uname();
    let mut map = Map::new();
    map.insert("platform".to_owned(), json!(std::env::consts::OS));
    map.insert("arch".to_owned(), json!(std::env::consts::ARCH));
    map.insert("os_release".to_owned(), json!(uname.release().to_string_lossy()));
    map.insert("gephost_version".to_owned(), json!(env!("CARGO_PKG_VERSION")));
    map.insert("cwd".to_owned(), json!("."));
    map.insert("captured_at".to_owned(), json!(at.to_string()));
    map
}
