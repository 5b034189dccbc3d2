//! `gephost a2a validate`: a capsule of a hub, run again.

use std::fmt::Write as _;

use gephost_app::Project;
use gephost_app::a2a::Replay;
use schemars::JsonSchema;
use serde::Serialize;

use super::node;
use crate::args::ValidateArguments;
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::Report;
use crate::page::Page;
use crate::render::style::{bad, good, note, printable};

pub(super) fn run(environment: &Environment, arguments: &ValidateArguments) -> Result<Report, Failure> {
    let project = Project::open(environment)?;
    let mut node = node::of(environment, &arguments.hub)?;
    let validated = project.validate_at_hub(&mut node, &arguments.asset, !arguments.no_report)?;
    let (result, reason) = match validated.replay {
        Replay::Confirmed => (ReplayResult::Confirmed, None),
        Replay::Refuted(reason) => (ReplayResult::Refuted, Some(reason)),
        Replay::Impossible(reason) => (ReplayResult::Impossible, Some(reason)),
    };
    let state = validated.reported.as_ref().and_then(|reported| reported.state.clone());
    let reported = validated.reported.is_some();
    Ok(Report::of(&ValidatePage { asset_id: validated.asset, result, reason, reported, state }))
}

/// A capsule that was run again.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ValidatePage {
    /// The capsule.
    asset_id: String,
    /// What the run came to.
    result: ReplayResult,
    /// Why it is not confirmed.
    reason: Option<String>,
    /// Whether the hub was told.
    reported: bool,
    /// The capsule's state at the hub, if the answer says so.
    state: Option<String>,
}

/// What a replay came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
enum ReplayResult {
    /// The same call gave the capsule's change, and it passed the gate.
    Confirmed,
    /// It did not.
    Refuted,
    /// It could not be run again.
    Impossible,
}

impl Page for ValidatePage {
    const KIND: &'static str = "a2a-validate";

    fn text(&self) -> String {
        let word = match self.result {
            ReplayResult::Confirmed => good("confirmed: the gene gives this change again, and the gate passes it"),
            ReplayResult::Refuted => bad("refuted"),
            ReplayResult::Impossible => note("cannot be run again here"),
        };
        let mut text = format!("{}\n  {word}\n", self.asset_id);
        if let Some(reason) = &self.reason {
            let _ = writeln!(text, "  {}", printable(reason));
        }
        match (self.reported, &self.state) {
            (true, Some(state)) => {
                let _ = writeln!(text, "  reported; at the hub it is {}", printable(state));
            }
            (true, None) => text.push_str("  reported\n"),
            (false, _) => text.push_str("  not reported\n"),
        }
        text
    }

    fn exit(&self) -> Exit {
        if self.result == ReplayResult::Confirmed { Exit::Done } else { Exit::Failed }
    }
}
