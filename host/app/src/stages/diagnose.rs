//! Stage diagnose: asks every heuristic gene, and puts the findings that count into one order.

use gephost_core::diagnosis::{Diagnosis, measure};
use gephost_core::run_event::RunEvent;
use gephost_runner::recording::Taken;

use super::stage::{Diagnosed, Stage};
use crate::gene_call::GeneCall;

impl Stage<'_> {
    /// The findings of all heuristic genes that `[diagnose]` lets count, measured against the events that they are about.
    /// A gene that fails is in the calls; the others still count. A gene that finds nothing in an empty log is not called for
    /// one: starting it would take longer than all the rest of such a run.
    pub fn diagnose(&self, events: &[RunEvent]) -> Diagnosed {
        let mut findings = Vec::new();
        let mut calls = Vec::new();
        for gene in self.genes.iter().filter(|gene| gene.manifest().world.diagnoses()) {
            let terms = self.terms(gene);
            if !gene.has_something_to_diagnose(&terms.inputs) {
                continue;
            }
            let call = gene.diagnose(&terms.inputs, &terms.granted, &terms.budgets);
            let taken = Taken::diagnosis(gene, terms.made(), &call).ok();
            calls.push(GeneCall::new(gene, "diagnose", &call, &terms.budgets, taken));
            findings.extend(call.result.unwrap_or_default());
        }
        measure(&mut findings, events);
        let (findings, left_out) = self.config.file.diagnose.shortlist(findings);
        let mut signals = self.signals.clone();
        signals.extend(findings.iter().flat_map(|finding| finding.signals.iter().cloned()));
        signals.sort();
        signals.dedup();
        Diagnosed { diagnosis: Diagnosis { findings, signals }, left_out, calls }
    }
}
