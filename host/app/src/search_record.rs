//! What a search came to, as it is reported.

use schemars::JsonSchema;
use serde::Serialize;

/// What a search came to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct SearchRecord {
    /// How many edits the gene listed.
    pub edits: usize,
    /// How many of them the gate, or the rule about changes that only silence, refused.
    pub refused: usize,
    /// The first reason for that.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub refusal: Option<String>,
    /// How many were tried.
    pub tried: usize,
    /// The title of the one that holds and is proposed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub holds: Option<String>,
    /// Edits of different kinds or lines that hold, at most five of them: the commands do not tell which is right, so none
    /// is proposed.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ambiguous: Vec<String>,
    /// Why nothing was tried, or why the search ended before all were.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    /// Milliseconds of wall time of the trials.
    pub wall_ms: u64,
}

impl SearchRecord {
    /// Nothing was tried, for this reason.
    pub(crate) fn nothing(reason: &str) -> Self {
        Self {
            edits: 0,
            refused: 0,
            refusal: None,
            tried: 0,
            holds: None,
            ambiguous: Vec::new(),
            reason: Some(reason.to_owned()),
            wall_ms: 0,
        }
    }

    /// The search in a line, for the operator.
    pub fn line(&self) -> String {
        let seconds = self.wall_ms.div_ceil(1000);
        if !self.ambiguous.is_empty() {
            let titles = self.ambiguous.join("; ");
            return format!(
                "several edits pass, and the command does not tell which is right, so none is proposed: {titles}"
            );
        }
        match (&self.holds, &self.reason) {
            (Some(_), _) => format!("tried {} of {} edits in {seconds} s; one passes", self.tried, self.edits),
            (None, Some(reason)) if self.edits == 0 => format!("no edit was tried: {reason}"),
            (None, Some(reason)) => {
                format!("tried {} of {} edits in {seconds} s; none passes ({reason})", self.tried, self.edits)
            }
            (None, None) => format!("tried {} of {} edits in {seconds} s; none passes", self.tried, self.edits),
        }
    }
}
