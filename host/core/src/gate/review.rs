//! The input of every layer: one proposal with its change, resolved against the base.

use super::measured::{GeneHistory, Measured};
use super::resolve::{Resolved, resolve};
use super::violation::Violation;
use super::{Base, ParsedChange};
use crate::command::{CommandError, MAX_COMMANDS, ValidationCommand};
use crate::policy::Policy;

/// One review. Every layer reads it; `found` and `measured` grow from layer to layer.
#[derive(Debug)]
pub(super) struct Review<'a> {
    pub(super) parsed: &'a ParsedChange,
    pub(super) base: &'a Base,
    pub(super) policy: &'a Policy,
    pub(super) history: GeneHistory,
    /// The change against the base; `None` if a part of it cannot be read.
    pub(super) resolved: Option<Resolved>,
    /// The proposal's own validation commands, each read or refused, in order.
    pub(super) commands: Vec<Result<ValidationCommand, CommandError>>,
    /// What the layers before this one found.
    pub(super) found: Vec<Violation>,
    pub(super) measured: Measured,
}

impl<'a> Review<'a> {
    /// Resolves the change and reads the commands.
    pub(super) fn new(parsed: &'a ParsedChange, base: &'a Base, policy: &'a Policy, history: GeneHistory) -> Self {
        let parts = parsed.parts();
        let resolved = parts.iter().all(Result::is_ok).then(|| resolve(parts.iter().flatten(), base));
        let commands = parsed.proposal().tests_to_run.iter().take(MAX_COMMANDS);
        let commands = commands.map(|text| ValidationCommand::parse(text, policy.command_rules())).collect();
        let (found, measured) = (Vec::new(), Measured::default());
        Self { parsed, base, policy, history, resolved, commands, found, measured }
    }
}
