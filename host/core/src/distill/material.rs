//! What goes into distilling.

use crate::capsule::Capsule;
use crate::command::CommandRules;
use crate::evolution_event::EvolutionEvent;
use crate::gene::Gene;
use crate::validation::ValidationReport;

/// What a draft is distilled from.
#[derive(Debug, Clone, Copy)]
pub struct Material<'a> {
    /// Capsules, also those that do not count.
    pub capsules: &'a [Capsule],
    /// Genes that capsules name.
    pub genes: &'a [Gene],
    /// Events, which name capsules.
    pub events: &'a [EvolutionEvent],
    /// Validation reports, which events name.
    pub reports: &'a [ValidationReport],
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
