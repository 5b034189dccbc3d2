//! Proposals that wait for approval.

use std::fmt::Write as _;

use gephost_core::event_log::State;
use serde_json::{Value, json};

use super::style::{bold, dim, printable};

/// What waits, for a program.
pub(crate) fn documents(state: &State) -> Vec<Value> {
    let waiting = state.queue().waiting().map(|(id, waiting)| {
        json!({
            "proposal": id,
            "title": state.proposal(id).map(|proposal| proposal.title.clone()),
            "risk_score": waiting.risk_score,
            "max_risk": waiting.max_risk,
            "finding": waiting.finding,
        })
    });
    waiting.collect()
}

/// What waits, for a person; nothing where nothing does.
pub(crate) fn page(state: &State) -> String {
    let mut text = String::new();
    for (id, waiting) in state.queue().waiting() {
        let title = state.proposal(id).map(|proposal| proposal.title.as_str()).unwrap_or_default();
        let risk = format!("risk {} of 100, over {}", waiting.risk_score, waiting.max_risk);
        let _ = writeln!(text, "{}  {id}  {}  {}", bold("Waits     "), printable(title), dim(risk));
        let _ = writeln!(text, "  look:     gephost approve {id}");
        let _ = writeln!(text, "  approve:  gephost approve {id} --apply");
        let _ = writeln!(text, "  reject:   gephost reject {id} --why TEXT");
    }
    text
}
