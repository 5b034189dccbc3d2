//! The import `explanation`: a heuristic gene names all events that a finding explains, and a strategy gene asks for them.
//! It opens nothing beside the diagnosis, so it needs no grant. What a gene says is part of its answer, and is checked with
//! it (`convert`).

use super::bindings::gephost::gene::explanation::{Explanation, Host};
use super::state::GeneState;

/// The most explanations of one call: as many as findings.
pub(super) const MAX_EXPLANATIONS: usize = 1000;

impl Host for GeneState {
    fn explain(&mut self, explanation: Explanation) -> wasmtime::Result<()> {
        self.meter.host_call()?;
        self.meter.take(bytes(&explanation))?;
        // The last one of an id counts.
        self.explanations.retain(|other| other.finding != explanation.finding);
        if self.explanations.len() < MAX_EXPLANATIONS {
            self.explanations.push(explanation);
        }
        Ok(())
    }

    fn explained(&mut self, finding: String) -> wasmtime::Result<Option<Explanation>> {
        self.meter.host_call()?;
        let found = self.explained.iter().find(|explanation| explanation.finding == finding).cloned();
        self.meter.hand_over(found.as_ref().map_or(0, bytes))?;
        Ok(found)
    }
}

/// The bytes that an explanation counts as.
fn bytes(explanation: &Explanation) -> u64 {
    let values = explanation.facets.iter().flat_map(|facet| facet.values.iter().chain([&facet.name]));
    let titles = explanation.absorbed.iter().map(|absorbed| &absorbed.title);
    let texts = values.chain(titles).chain([&explanation.finding]).map(|text| text.len() + 8).sum::<usize>();
    (texts + explanation.events.len() * 8) as u64
}
