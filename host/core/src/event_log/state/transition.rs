//! Entries that are not allowed in the log's current state.

/// An entry that is not allowed in the log's current state.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("entry `{kind}` of {proposal:?} is not allowed here: {problem}")]
pub struct IllegalTransition {
    /// The kind of the entry that was refused, such as `applied`.
    pub kind: &'static str,
    /// Id of the proposal, or of the cycle.
    pub proposal: String,
    /// Why it does not follow from the entries before it.
    pub problem: &'static str,
}

pub(super) fn illegal(kind: &'static str, proposal: &str, problem: &'static str) -> IllegalTransition {
    IllegalTransition { kind, proposal: proposal.to_owned(), problem }
}

pub(super) fn check(holds: bool, kind: &'static str, id: &str, problem: &'static str) -> Result<(), IllegalTransition> {
    if holds { Ok(()) } else { Err(illegal(kind, id, problem)) }
}
