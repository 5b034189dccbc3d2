//! The import `explanation`: a gene names all events that a finding explains. It reads nothing, so it needs no grant.
//! What it says is part of its answer, and is checked with it (`convert`).

use super::bindings::gephost::gene::explanation::{Explanation, Host};
use super::state::GeneState;

/// The most explanations of one call: as many as findings.
const MAX_EXPLANATIONS: usize = 1000;

impl Host for GeneState {
    fn explain(&mut self, explanation: Explanation) -> wasmtime::Result<()> {
        self.meter.host_call()?;
        let values = explanation.facets.iter().flat_map(|facet| facet.values.iter().chain([&facet.name]));
        let titles = explanation.absorbed.iter().map(|absorbed| &absorbed.title);
        let texts = values.chain(titles).chain([&explanation.finding]).map(|text| text.len() + 8).sum::<usize>();
        self.meter.take((texts + explanation.events.len() * 8) as u64)?;
        // The last one of an id counts.
        self.explanations.retain(|other| other.finding != explanation.finding);
        if self.explanations.len() < MAX_EXPLANATIONS {
            self.explanations.push(explanation);
        }
        Ok(())
    }
}
