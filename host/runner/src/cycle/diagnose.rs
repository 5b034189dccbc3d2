//! Stage diagnose: asks every heuristic gene, and puts the findings that count into one order.

use gephost_core::diagnosis::Diagnosis;

use super::{Diagnosed, GeneCall, Stage};
use crate::recording::Taken;
use crate::sandbox::{Budgets, Call, CallError, Gene};

impl Stage<'_> {
    /// The findings of all heuristic genes that `[diagnose]` lets count. A gene that fails is in the calls; the others
    /// still count.
    pub fn diagnose(&self) -> Diagnosed {
        let mut findings = Vec::new();
        let mut calls = Vec::new();
        for gene in self.genes.iter().filter(|gene| gene.manifest().world.diagnoses()) {
            let terms = self.terms(gene);
            let call = gene.diagnose(&terms.inputs, &terms.granted, &terms.budgets);
            let taken = Taken::diagnosis(gene, terms.made(), &call).ok();
            calls.push(GeneCall::of(gene, "diagnose", &call, &terms.budgets, taken));
            findings.extend(call.result.unwrap_or_default());
        }
        let (findings, left_out) = self.config.file.diagnose.shortlist(findings);
        let mut signals = self.signals.clone();
        signals.extend(findings.iter().flat_map(|finding| finding.signals.iter().cloned()));
        signals.sort();
        signals.dedup();
        Diagnosed { diagnosis: Diagnosis { findings, signals }, left_out, calls }
    }
}

impl GeneCall {
    pub(super) fn of<T>(
        gene: &Gene,
        function: &'static str,
        call: &Call<T>,
        budgets: &Budgets,
        taken: Option<Taken>,
    ) -> Self {
        let failure = call.result.as_ref().err().cloned();
        Self {
            gene: gene.id().to_owned(),
            function,
            error: failure.as_ref().map(ToString::to_string),
            code: failure.as_ref().map(CallError::code),
            usage: call.usage,
            headroom: call.usage.headroom(budgets),
            isolation: call.ran_in.to_string(),
            log: call.log.clone(),
            recording: None,
            audit: call.audit.clone(),
            taken,
            failure,
        }
    }
}
