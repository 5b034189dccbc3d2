//! Proposals that await approval.

use std::fmt::Write as _;

use gephost_core::diagnosis::FindingRef;
use gephost_core::event_log::State;
use schemars::JsonSchema;
use serde::Serialize;

use super::style::{bold, dim, printable};

/// A proposal that awaits approval.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WaitingRow<'a> {
    /// Its id.
    proposal: &'a str,
    /// Its title.
    title: Option<&'a str>,
    /// The computed risk, 0 to 100.
    risk_score: u8,
    /// The highest risk that autopilot applies.
    max_risk: u8,
    /// The finding to fix.
    finding: Option<&'a FindingRef>,
}

/// Every proposal that awaits approval.
pub(crate) fn rows(state: &State) -> Vec<WaitingRow<'_>> {
    let waiting = state.queue().waiting().map(|(id, waiting)| WaitingRow {
        proposal: id,
        title: state.proposal(id).map(|proposal| proposal.title.as_str()),
        risk_score: waiting.risk_score,
        max_risk: waiting.max_risk,
        finding: waiting.finding.as_ref(),
    });
    waiting.collect()
}

/// The same as text; empty if nothing waits.
pub(crate) fn page(rows: &[WaitingRow<'_>]) -> String {
    let mut text = String::new();
    for WaitingRow { proposal: id, title, risk_score, max_risk, .. } in rows {
        let risk = format!("risk {risk_score} of 100, above {max_risk}");
        let _ = writeln!(text, "{}  {id}  {}  {}", bold("Waits     "), printable(title.unwrap_or_default()), dim(risk));
        let _ = writeln!(text, "  look:     gephost approve {id}");
        let _ = writeln!(text, "  approve:  gephost approve {id} --apply");
        let _ = writeln!(text, "  reject:   gephost reject {id} --why TEXT");
    }
    text
}
