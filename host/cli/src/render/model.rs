//! What a model said about the findings.

use std::fmt::Write as _;

use gephost_app::consult::Consulted;
use gephost_core::model::NoOpKind;
use serde_json::{Value, json};

use super::style::{bold, dim, printable};
use crate::exit_code::Exit;

/// How the command ends if there is no candidate: a model that has nothing useful to say is no failure, one that could
/// not be asked is.
pub(crate) fn exit(consulted: &Consulted) -> Option<Exit> {
    consulted.no_op().map(|no_op| match no_op.kind {
        NoOpKind::Empty | NoOpKind::Invalid | NoOpKind::Declined => Exit::Done,
        NoOpKind::Unauthenticated => Exit::Unauthenticated,
        NoOpKind::Network | NoOpKind::Refused => Exit::Failed,
        NoOpKind::Budget => Exit::Budget,
    })
}

/// For `--json`.
pub(crate) fn document(consulted: &Consulted) -> Value {
    let mut document = consulted.outcome.document(&consulted.author, &consulted.created_at);
    document["name"] = consulted.author.as_str().into();
    document["exchange"] = consulted.exchange.as_deref().into();
    document["spent"] = json!({
        "requests": consulted.spent.requests,
        "tokens_in": consulted.spent.tokens_in,
        "tokens_out": consulted.spent.tokens_out,
        "nano_dollars": consulted.spent.cost,
    });
    document
}

/// For a person.
pub(crate) fn page(consulted: &Consulted) -> String {
    let spent = &consulted.spent;
    let mut text = format!("{}  {}\n", bold("Model     "), printable(&consulted.author));
    if let Some(answer) = consulted.answer() {
        let _ = writeln!(text, "            {}", printable(&answer.summary));
    }
    if let Some(no_op) = consulted.no_op() {
        let _ = writeln!(text, "            no proposal: {}", printable(&no_op.reason));
    }
    let used = format!(
        "{} requests, {} tokens sent, {} answered; recorded as {}",
        spent.requests,
        spent.tokens_in,
        spent.tokens_out,
        consulted.exchange.as_deref().unwrap_or("nothing")
    );
    let _ = writeln!(text, "            {}", dim(used));
    text
}
