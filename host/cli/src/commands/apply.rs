//! `gephost apply`: a saved proposal, gated again against the base of now, validated and published.

use gephost_app::Project;
use gephost_app::apply::{ApplyOptions, SavedEnding};
use serde_json::{Value, json};

use super::cycle::exit_of_ended;
use super::gate::read_proposal;
use crate::args::ApplyArguments;
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::Report;
use crate::render;

pub(super) fn run(environment: &Environment, arguments: &ApplyArguments) -> Result<Report, Failure> {
    let project = Project::open(environment)?;
    let proposal = read_proposal(environment, &arguments.file)?.map_err(|error| {
        Failure::new(Exit::Usage, "proposal", format!("{}: {error}", arguments.file.display()))
            .hint("a proposal is a JSON object with `unified_diff` or `changes`, or a bare unified diff")
    })?;
    let options = ApplyOptions { apply: arguments.apply, land: arguments.land, why: arguments.why.clone() };
    let saved = project.apply(proposal, &options)?;
    let mut text = render::cycle::candidate(&saved.judged);
    let mut applied = Value::Null;
    let exit = match &saved.ending {
        SavedEnding::Refused => {
            text.push_str("\nRejected by the gate. Nothing was changed.\n");
            Exit::Refused
        }
        SavedEnding::DryRun => {
            text.push_str("\nDry run. Nothing was changed. To apply it: the same command with --apply\n");
            Exit::Done
        }
        SavedEnding::Applied(ended) => {
            text.push_str(&render::applied::page_of_one(ended));
            applied = render::applied::document_of_one(ended);
            exit_of_ended(ended)
        }
    };
    let document = json!({
        "schema": "gephost.apply/1",
        "ok": exit == Exit::Done || applied["success"] == true,
        "verdict": saved.judged.verdict,
        "diff": saved.judged.verdict.diff(),
        "applied": applied,
    });
    Ok(Report { exit, document, text })
}
