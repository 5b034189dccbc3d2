//! The same for a program.

use gephost_app::apply::{Candidate, Ended};
use gephost_app::land::Landed;
use gephost_core::blast_radius::BlastRadius;
use gephost_core::contest::Step;
use gephost_core::evaluate::{TestChanges, error_line};
use gephost_core::event_log::Fate;
use gephost_core::validation::{CommandRun, Level, RunResult, TestCounts};
use schemars::JsonSchema;
use serde::Serialize;

/// What became of one candidate.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AppliedRow<'a> {
    /// Id of the proposal.
    proposal: &'a str,
    /// Id of the gene that proposed it; null for a proposal that a person brought.
    gene: Option<&'a str>,
    fate: Fate,
    /// Why, as one line.
    reason: &'a str,
    /// The steps that it is the sum of, in order; empty for a change of one step.
    steps: &'a [Step],
    /// Why no further step was built on it, if another failure shows after it.
    no_further: Option<&'a str>,
    /// How far the whole change reaches.
    blast_radius: BlastRadius,
    /// The computed risk of the whole change, 0 to 100.
    risk_score: u8,
    /// How far the validation commands were confined.
    sandbox: Level,
    /// The verdict on the validation commands; null if they did not come to an end.
    decision: Option<&'static str>,
    /// Whether it was published.
    success: bool,
    /// The published branch.
    branch: Option<&'a str>,
    /// Full hexadecimal id of its commit.
    commit: Option<&'a str>,
    /// The branch that was moved forward to it.
    landed_into: Option<&'a str>,
    /// Why none was moved, if one should have been.
    not_landed: Option<&'a str>,
    /// The validation commands.
    commands: Vec<CommandRow<'a>>,
    /// What speaks against the change.
    errors: &'a [String],
    /// Id of the validation report.
    validation_report: Option<&'a str>,
    /// Id of the cycle and of its evolution event.
    event: &'a str,
}

/// A validation command.
#[derive(Debug, Serialize, JsonSchema)]
struct CommandRow<'a> {
    /// As it was written.
    command: &'a str,
    /// On the base; null if it was not run there.
    before: Option<EndRow>,
    /// With the change.
    after: EndRow,
    /// What the change did to tests, by name.
    tests: TestChanges,
}

/// How a run of a command ended.
#[derive(Debug, Serialize, JsonSchema)]
struct EndRow {
    /// The exit code; null if it did not exit by itself.
    exit: Option<i32>,
    /// Whether the time limit ended it.
    timed_out: bool,
    /// The tests that it counted.
    tests: Option<TestCounts>,
    /// The exit codes of further runs.
    reruns: Vec<Option<i32>>,
    /// The line that names the error; null if it passed or printed nothing.
    error: Option<String>,
}

impl EndRow {
    fn of(result: &RunResult) -> Self {
        Self {
            exit: result.exit,
            timed_out: result.timed_out,
            tests: result.tests,
            reruns: result.reruns.iter().map(|rerun| rerun.exit).collect(),
            error: (!result.passed()).then(|| error_line(result)).flatten(),
        }
    }
}

impl<'a> CommandRow<'a> {
    fn of(run: &'a CommandRun) -> Self {
        Self {
            command: &run.text,
            before: run.before.as_ref().map(EndRow::of),
            after: EndRow::of(&run.after),
            tests: TestChanges::of(run),
        }
    }
}

/// The documents of a cycle's candidates, best-ranked first.
pub(crate) fn documents(ended: &Ended) -> Vec<AppliedRow<'_>> {
    ended.candidates.iter().map(|candidate| document(ended, candidate)).collect()
}

fn document<'a>(ended: &'a Ended, candidate: &'a Candidate) -> AppliedRow<'a> {
    let published = ended.published.as_ref().filter(|_| candidate.tried.fate == Fate::Published);
    let landed = published.and(ended.landed.as_ref());
    AppliedRow {
        proposal: &candidate.tried.proposal,
        gene: candidate.tried.gene.as_deref(),
        fate: candidate.tried.fate,
        reason: &candidate.tried.reason,
        steps: &candidate.tried.steps,
        no_further: candidate.tried.no_further.as_deref(),
        blast_radius: candidate.blast_radius,
        risk_score: candidate.risk_score,
        sandbox: ended.sandbox,
        decision: candidate.evaluation.as_ref().map(|evaluation| evaluation.decision.as_str()),
        success: published.is_some(),
        branch: published.map(|published| published.branch.as_str()),
        commit: published.map(|published| published.commit.as_str()),
        landed_into: landed.and_then(Landed::branch),
        not_landed: landed.and_then(Landed::refusal),
        commands: candidate.runs.iter().map(CommandRow::of).collect(),
        errors: candidate.evaluation.as_ref().map(|evaluation| evaluation.errors.as_slice()).unwrap_or_default(),
        validation_report: candidate.report.as_deref(),
        event: &ended.cycle,
    }
}

impl AppliedRow<'_> {
    /// Whether it was published.
    pub(crate) fn is_success(&self) -> bool {
        self.success
    }
}

/// The document of a cycle with one candidate.
pub(crate) fn document_of_one(ended: &Ended) -> Option<AppliedRow<'_>> {
    ended.candidates.first().map(|candidate| document(ended, candidate))
}
