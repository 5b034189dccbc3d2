//! Distils the draft of a gene from the assets folder.

use gephost_core::distill::{Distilled, Material, Request, distill};

use crate::error::AppError;
use crate::past::assets_failed;
use crate::project::Project;

impl Project {
    /// Distils a draft from at least `min_capsules` successful capsules that similar signals triggered. `with_external`
    /// lets external candidates count, whose texts are marked. `signals` narrows it to capsules that one of them
    /// triggered. Writes nothing.
    pub fn distill(&self, min_capsules: usize, with_external: bool, signals: &[String]) -> Result<Distilled, AppError> {
        let failed = |error| assets_failed(&error);
        let (mut genes, mut capsules) =
            (self.registry.genes().map_err(failed)?, self.registry.capsules().map_err(failed)?);
        let (external_genes, external_capsules) = self.registry.external().map_err(failed)?;
        genes.extend(external_genes);
        capsules.extend(external_capsules);
        let events = self.registry.events().map_err(failed)?;
        let reports = self.registry.reports().map_err(failed)?;
        let policy = &self.config.policy;
        let request = Request {
            min_capsules,
            with_external,
            signals,
            rules: policy.command_rules(),
            redact: &|text| policy.redact(text),
        };
        Ok(distill(Material { capsules: &capsules, genes: &genes, events: &events, reports: &reports }, &request))
    }
}
