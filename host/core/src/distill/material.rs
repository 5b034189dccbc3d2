//! What goes into distilling.

use crate::capsule::Capsule;
use crate::command::CommandRules;
use crate::evolution_event::EvolutionEvent;
use crate::gene::Gene;
use crate::validation::ValidationReport;

/// The assets that a draft is distilled from. Each function hands over all of one kind, one at a time, in any order.
pub trait Source {
    /// Why assets cannot be read.
    type Error;

    /// Capsules, also those that do not count and those from elsewhere.
    fn capsules(&self, each: &mut dyn FnMut(Capsule)) -> Result<(), Self::Error>;

    /// Genes, also those from elsewhere.
    fn genes(&self, each: &mut dyn FnMut(Gene)) -> Result<(), Self::Error>;

    /// Events.
    fn events(&self, each: &mut dyn FnMut(EvolutionEvent)) -> Result<(), Self::Error>;

    /// Validation reports.
    fn reports(&self, each: &mut dyn FnMut(ValidationReport)) -> Result<(), Self::Error>;
}

/// What is asked for.
pub struct Request<'a> {
    /// How many capsules the draft rests on at least; from 2.
    pub min_capsules: usize,
    /// Whether capsules count that came from elsewhere.
    pub with_external: bool,
    /// Only capsules that one of these signals triggered; empty for all.
    pub signals: &'a [String],
    /// Which commands may validate a change.
    pub rules: &'a CommandRules,
    /// Takes secrets out of a text.
    pub redact: &'a dyn Fn(&str) -> String,
}
