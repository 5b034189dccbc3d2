//! The reasons for which a policy stops the host. Each error names the key and what to write instead.

use super::phase::Phase;
use crate::command::{CommandError, CommandRulesError};
use crate::pattern::PatternError;

/// Why a policy cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PolicyError {
    /// A pattern is refused.
    #[error("`{key}` has the pattern {pattern:?}: {reason}")]
    Pattern {
        /// Which list.
        key: &'static str,
        /// As written.
        pattern: String,
        /// Why.
        reason: PatternError,
    },
    /// A key asks for something that this version cannot enforce.
    #[error("this version cannot enforce `{key} = {value}`; {remedy}")]
    CannotEnforce {
        /// Which key.
        key: &'static str,
        /// What it was set to.
        value: String,
        /// What to write.
        remedy: &'static str,
    },
    /// `[policy.phases]` without a phase.
    #[error("`[policy.phases]` has no effect without `phase` in `[policy]`; set `phase`, or remove the tables")]
    PhasesWithoutPhase,
    /// A phase that opens no path.
    #[error(
        "`phase = \"{phase}\"` needs `[policy.phases.{phase}] allow`, the patterns of the paths that may change in this phase"
    )]
    PhaseWithoutPaths {
        /// The phase in force.
        phase: Phase,
    },
    /// A number out of its range.
    #[error("`{key} = {value}` is out of range; write {range}")]
    Range {
        /// Which key.
        key: &'static str,
        /// What it was set to.
        value: u64,
        /// What it may be.
        range: &'static str,
    },
    /// A program that has no rules.
    #[error("`[validation] programs`: {0}")]
    Program(#[from] CommandRulesError),
    /// A validation command that the grammar refuses.
    #[error("`[validation] commands` has {command:?}: {reason}")]
    Command {
        /// As written.
        command: String,
        /// Why.
        reason: CommandError,
    },
}
