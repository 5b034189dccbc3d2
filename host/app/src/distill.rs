//! Distils the draft of a gene from the assets folder.

use gephost_core::capsule::Capsule;
use gephost_core::distill::{Distilled, Request, Source, distill};
use gephost_core::evolution_event::EvolutionEvent;
use gephost_core::gene::Gene;
use gephost_core::validation::ValidationReport;
use gephost_runner::registry::{Registry, RegistryError};

use crate::error::AppError;
use crate::past::assets_failed;
use crate::project::Project;

impl Project {
    /// Distils a draft from at least `min_capsules` successful capsules that similar signals triggered. `with_external`
    /// lets external candidates count, whose texts are marked. `signals` narrows it to capsules that one of them
    /// triggered. Writes nothing.
    pub fn distill(&self, min_capsules: usize, with_external: bool, signals: &[String]) -> Result<Distilled, AppError> {
        let policy = &self.config.policy;
        let request = Request {
            min_capsules,
            with_external,
            signals,
            rules: policy.command_rules(),
            redact: &|text| policy.redact(text),
        };
        distill(&Stored(&self.registry), &request).map_err(|error| assets_failed(&error))
    }
}

/// The assets of a folder.
struct Stored<'a>(&'a Registry);

impl Source for Stored<'_> {
    type Error = RegistryError;

    fn capsules(&self, each: &mut dyn FnMut(Capsule)) -> Result<(), RegistryError> {
        self.0.each_capsule(each)
    }

    fn genes(&self, each: &mut dyn FnMut(Gene)) -> Result<(), RegistryError> {
        self.0.each_gene(each)
    }

    fn events(&self, each: &mut dyn FnMut(EvolutionEvent)) -> Result<(), RegistryError> {
        self.0.each_event(each)
    }

    fn reports(&self, each: &mut dyn FnMut(ValidationReport)) -> Result<(), RegistryError> {
        self.0.each_report(each)
    }
}
