//! What a model said about the findings.

use std::fmt::Write as _;

use gephost_app::consult::Consulted;
use gephost_app::stages::Proposed;
use gephost_core::model::{NoOpKind, OutcomeDocument};
use schemars::JsonSchema;
use serde::Serialize;

use super::style::{bold, dim, printable};
use super::verdict::plural;
use crate::exit_code::Exit;

/// How the command ends if there is no candidate: a model that has nothing useful to say is no failure, one that could
/// not be asked is.
pub(crate) fn exit(consulted: &Consulted) -> Option<Exit> {
    consulted.no_op().map(|no_op| exit_of(no_op.kind))
}

/// The same for text-only genes, of which the last one counts.
pub(crate) fn exit_of_texts(proposed: &Proposed) -> Option<Exit> {
    let last = proposed.texts.iter().rev().find_map(|text| text.no_op);
    last.filter(|_| proposed.candidates.is_empty()).map(exit_of)
}

fn exit_of(kind: NoOpKind) -> Exit {
    match kind {
        NoOpKind::Empty | NoOpKind::Invalid | NoOpKind::Declined => Exit::Done,
        NoOpKind::Unauthenticated => Exit::Unauthenticated,
        NoOpKind::Network | NoOpKind::Refused => Exit::Failed,
        NoOpKind::Budget => Exit::Budget,
    }
}

/// What a model said, and what that cost.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ModelDocument<'a> {
    #[serde(flatten)]
    outcome: OutcomeDocument,
    /// `model:` and the model's name.
    name: &'a str,
    /// Name of the recording, if one is kept.
    exchange: Option<&'a str>,
    spent: SpentRow,
}

/// What a model has cost in this process.
#[derive(Debug, Serialize, JsonSchema)]
struct SpentRow {
    /// Requests that were sent.
    requests: u64,
    /// Tokens of the prompts.
    tokens_in: u64,
    /// Tokens of the answers.
    tokens_out: u64,
    /// Billionths of a US dollar.
    nano_dollars: u64,
}

/// The document of what a model said.
pub(crate) fn document(consulted: &Consulted) -> ModelDocument<'_> {
    let spent = &consulted.spent;
    ModelDocument {
        outcome: consulted.outcome.document(&consulted.author, &consulted.created_at),
        name: &consulted.author,
        exchange: consulted.exchange.as_deref(),
        spent: SpentRow {
            requests: spent.requests,
            tokens_in: spent.tokens_in,
            tokens_out: spent.tokens_out,
            nano_dollars: spent.cost,
        },
    }
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
        "{} {}, {} tokens sent, {} answered; recorded as {}",
        spent.requests,
        plural(spent.requests, "request"),
        spent.tokens_in,
        spent.tokens_out,
        consulted.exchange.as_deref().unwrap_or("nothing")
    );
    let _ = writeln!(text, "            {}", dim(used));
    text
}
