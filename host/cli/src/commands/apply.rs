//! `gephost apply`: a saved proposal, gated again against the base of now, validated and published.

use gephost_app::Project;
use gephost_app::apply::{ApplyOptions, Ended, SavedApply, SavedEnding};
use gephost_core::gate::Verdict;
use schemars::JsonSchema;
use serde::Serialize;

use super::cycle::exit_of_ended;
use super::gate::read_proposal;
use crate::args::ApplyArguments;
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::Report;
use crate::page::Page;
use crate::render;
use crate::render::applied::AppliedRow;

pub(super) fn run(environment: &Environment, arguments: &ApplyArguments) -> Result<Report, Failure> {
    let project = Project::open_for(environment, arguments.apply)?;
    let proposal = read_proposal(environment, &arguments.file)?.map_err(|error| {
        Failure::new(Exit::Usage, "proposal", format!("{}: {error}", arguments.file.display()))
            .hint("a proposal is a JSON object with `unified_diff` or `changes`, or a bare unified diff")
    })?;
    let options = ApplyOptions { apply: arguments.apply, land: arguments.land, why: arguments.why.clone() };
    let saved = project.apply(proposal, &options)?;
    Ok(Report::of(&ApplyPage::of(&saved)))
}

/// A saved proposal, judged and perhaps applied.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ApplyPage<'a> {
    /// Whether it passed the gate and, if it was applied, was published.
    ok: bool,
    #[serde(flatten)]
    judged: JudgedPart<'a>,
    #[serde(skip)]
    saved: &'a SavedApply,
}

/// A change, judged and perhaps applied.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct JudgedPart<'a> {
    /// The gate's verdict on the base of now.
    verdict: &'a Verdict,
    /// The change as a diff.
    diff: &'a str,
    /// What became of it; null if it was not applied.
    applied: Option<AppliedRow<'a>>,
}

impl<'a> JudgedPart<'a> {
    pub(super) fn of(verdict: &'a Verdict, ended: Option<&'a Ended>) -> Self {
        Self { verdict, diff: verdict.diff(), applied: ended.and_then(render::applied::document_of_one) }
    }
}

impl<'a> ApplyPage<'a> {
    fn of(saved: &'a SavedApply) -> Self {
        let ended = match &saved.ending {
            SavedEnding::Applied(ended) => Some(ended),
            SavedEnding::Refused | SavedEnding::DryRun => None,
        };
        let judged = JudgedPart::of(&saved.judged.verdict, ended);
        let ok = exit(&saved.ending) == Exit::Done || judged.applied.as_ref().is_some_and(AppliedRow::is_success);
        Self { ok, judged, saved }
    }
}

fn exit(ending: &SavedEnding) -> Exit {
    match ending {
        SavedEnding::Refused => Exit::Refused,
        SavedEnding::DryRun => Exit::Done,
        SavedEnding::Applied(ended) => exit_of_ended(ended),
    }
}

impl Page for ApplyPage<'_> {
    const KIND: &'static str = "apply";

    fn text(&self) -> String {
        let mut text = render::cycle::candidate(&self.saved.judged, None);
        match &self.saved.ending {
            SavedEnding::Refused => text.push_str("\nRejected by the gate. Nothing was changed.\n"),
            SavedEnding::DryRun => {
                text.push_str("\nDry run. Nothing was changed. To apply it: the same command with --apply\n");
            }
            SavedEnding::Applied(ended) => text.push_str(&render::applied::page_of_one(ended)),
        }
        text
    }

    fn exit(&self) -> Exit {
        exit(&self.saved.ending)
    }
}
