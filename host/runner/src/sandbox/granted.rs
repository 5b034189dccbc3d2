//! The capabilities that a gene has.

use gephost_core::gene::{Capability, Manifest};
use gephost_core::grant::Grant;
use serde::{Deserialize, Serialize};

/// The capabilities that a gene has: those that it requested and was granted.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Granted {
    has: Vec<Capability>,
    requested: Vec<Capability>,
    place: String,
}

impl Granted {
    /// The intersection of a request and a grant (invariant 7).
    pub fn new(requested: &[Capability], grant: &[Capability]) -> Self {
        let has = requested.iter().filter(|capability| grant.contains(capability)).copied().collect();
        Self { has, requested: requested.to_vec(), place: "`grant` of `[genes]`".to_owned() }
    }

    /// The intersection of what a gene's manifest requests and what the operator grants that gene.
    pub fn of(manifest: &Manifest, grant: &Grant) -> Self {
        let requested: Vec<_> = manifest.capabilities.iter().copied().collect();
        Self { place: grant.place().to_owned(), ..Self::new(&requested, grant.capabilities()) }
    }

    /// The capabilities, in the order of the request.
    pub fn capabilities(&self) -> &[Capability] {
        &self.has
    }

    /// Whether it has this one.
    pub fn has(&self, capability: Capability) -> bool {
        self.has.contains(&capability)
    }

    /// Why the gene does not have a capability; `None` if it has it.
    pub fn missing(&self, capability: Capability) -> Option<String> {
        (!self.has(capability)).then(|| self.refusal(capability))
    }

    /// Why the gene does not have a capability: which line to add, and where.
    pub(super) fn refusal(&self, capability: Capability) -> String {
        if self.requested.contains(&capability) {
            let place = &self.place;
            format!(
                "capability `{capability}` is not granted: to grant it, add \"{capability}\" to {place} in gephost.toml"
            )
        } else {
            format!("capability `{capability}` is not asked for: add \"{capability}\" to `capabilities` in gene.json")
        }
    }
}
