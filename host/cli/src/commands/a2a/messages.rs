//! `gephost a2a report|decision|revoke`: messages about one asset.

use std::fmt::Write as _;

use gephost_app::a2a::{Decided, Verdict};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::node;
use crate::args::{Decision, DecisionArguments, ReportAssetArguments, RevokeArguments};
use crate::environment::Environment;
use crate::error::Failure;
use crate::output::Report;
use crate::page::Page;
use crate::render::style::{bold, printable};

pub(super) fn report(environment: &Environment, arguments: &ReportAssetArguments) -> Result<Report, Failure> {
    let held = arguments.held && !arguments.failed;
    let decided = node::of(environment, &arguments.hub)?.report(&arguments.asset, held, arguments.note.as_deref())?;
    Ok(Report::of(&MessagePage::of(if held { "reported that it held" } else { "reported that it failed" }, decided)))
}

pub(super) fn decision(environment: &Environment, arguments: &DecisionArguments) -> Result<Report, Failure> {
    let (verdict, done) = match arguments.decision {
        Decision::Accept => (Verdict::Accept, "accepted"),
        Decision::Reject => (Verdict::Reject, "rejected"),
        Decision::Quarantine => (Verdict::Quarantine, "quarantined"),
    };
    let decided = node::of(environment, &arguments.hub)?.decide(&arguments.asset, verdict, &arguments.why)?;
    Ok(Report::of(&MessagePage::of(done, decided)))
}

pub(super) fn revoke(environment: &Environment, arguments: &RevokeArguments) -> Result<Report, Failure> {
    let decided = node::of(environment, &arguments.hub)?.revoke(&arguments.asset, &arguments.why)?;
    Ok(Report::of(&MessagePage::of("revoked for good", decided)))
}

/// What a hub did with a message about an asset.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct MessagePage {
    /// The hub.
    hub: String,
    /// The asset.
    asset_id: String,
    /// What was done, in words.
    done: &'static str,
    /// The asset's state at the hub, if the answer says so.
    state: Option<String>,
    /// The hub's whole answer.
    answer: Value,
}

impl MessagePage {
    fn of(done: &'static str, decided: Decided) -> Self {
        let Decided { hub, asset, state, answer } = decided;
        Self { hub, asset_id: asset, done, state, answer }
    }
}

impl Page for MessagePage {
    const KIND: &'static str = "a2a-message";

    fn text(&self) -> String {
        let mut text = format!("{} at {}:\n  {}\n", bold(self.done), self.hub, self.asset_id);
        if let Some(state) = &self.state {
            let _ = writeln!(text, "  now {}", printable(state));
        }
        text
    }
}
