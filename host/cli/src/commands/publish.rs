//! The end of a cycle: a dry run says what would be done; with both locks open the best candidates are applied, until
//! one holds.

use std::fmt::Write as _;
use std::fs;

use gephost_core::command::ValidationCommand;
use gephost_core::config::Config;
use gephost_core::diagnosis::Finding;
use gephost_core::event_log::{EntryBody, GateVerdict};
use gephost_core::gate::Decision;
use gephost_core::proposal::{GateStatus, Status};
use gephost_runner::cycle::publish::{Ended, Intent, Publisher, PublishingError};
use gephost_runner::cycle::{Diagnosed, Judged, Proposed};
use gephost_runner::registry::Registry;
use serde_json::{Value, json};

use super::cycle::{Cycle, exit_of};
use super::past;
use crate::context::Folder;
use crate::environment::{self, Environment};
use crate::error::{Failure, io};
use crate::exit_code::Exit;
use crate::output::Output;
use crate::render::style::{bad, bold, dim, good};

/// Whether anything may be applied. Both locks of seed 004 must be open, and the config must not forbid it (seed 003).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Locks {
    /// Nothing is applied.
    DryRun,
    /// `--apply` was said and the config allows it.
    Open,
}

impl Locks {
    pub(super) fn check(config: &Config, apply: bool) -> Result<Self, Failure> {
        if !apply {
            return Ok(Self::DryRun);
        }
        if config.file.dry_run {
            let message = "`dry_run = true` in gephost.toml forbids every apply";
            return Err(
                Failure::new(Exit::Usage, "apply_locked", message).hint("take the key out, or leave `--apply` out")
            );
        }
        if !config.file.apply.enabled {
            let message = "`--apply` is given, but gephost.toml does not enable it";
            let hint = "set `enabled = true` in the table `[apply]` of gephost.toml: both are needed";
            return Err(Failure::new(Exit::Usage, "apply_locked", message).hint(hint));
        }
        Ok(Self::Open)
    }
}

/// How a cycle ended.
pub(super) struct Conclusion {
    pub(super) exit: Exit,
    pub(super) text: String,
    pub(super) document: Value,
}

/// How a candidate is written down.
fn written(judged: &Judged) -> String {
    let gate = if Cycle::passes(judged) { GateStatus::Passed } else { GateStatus::Rejected };
    judged.proposal.to_json(&Status { risk_score: Some(judged.verdict.risk().score), gate, ..Status::default() })
}

/// The same as a value.
pub(super) fn proposal_document(judged: &Judged) -> Value {
    serde_json::from_str(&written(judged)).unwrap_or_default()
}

/// Ends a cycle: records what was proposed, and applies it where the locks are open.
pub(super) fn conclude(
    environment: &Environment,
    output: Output,
    cycle: &mut Cycle,
    diagnosed: &Diagnosed,
    proposed: &Proposed,
    locks: Locks,
) -> Result<Conclusion, Failure> {
    if proposed.candidates.is_empty() {
        let text = if diagnosed.diagnosis.findings.is_empty() {
            "Nothing to do.\n"
        } else {
            "No gene has an answer to this. Nothing was changed.\n"
        };
        return Ok(Conclusion { exit: Exit::Done, text: text.to_owned(), document: Value::Null });
    }
    remember(&cycle.folder, &diagnosed.diagnosis.signals, &proposed.candidates)?;
    match locks {
        Locks::DryRun => Ok(dry_run(cycle, proposed)),
        Locks::Open => apply_candidates(environment, output, cycle, diagnosed, proposed),
    }
}

/// Saves each candidate and says in the log what the gate said of it. Neither is an apply.
pub(super) fn remember(folder: &Folder, signals: &[String], candidates: &[Judged]) -> Result<(), Failure> {
    folder.state.create().map_err(|error| io(folder.state.root(), "create", &error))?;
    let proposals = folder.state.proposals();
    fs::create_dir_all(&proposals).map_err(|error| io(&proposals, "create", &error))?;
    let log = past::log(folder);
    let mut redactor = folder.config.policy.redactor();
    for judged in candidates {
        let proposal = &judged.proposal;
        let passed = judged.verdict.decision() == Decision::Pass;
        if passed {
            let path = proposals.join(format!("{}.json", proposal.id));
            fs::write(&path, written(judged) + "\n").map_err(|error| io(&path, "write", &error))?;
        }
        let entries = [
            EntryBody::Proposed {
                proposal: proposal.id.clone(),
                gene: proposal.gene.clone(),
                title: redactor.redact(&proposal.title).into_owned(),
                signals: signals.iter().map(|signal| redactor.redact(signal).into_owned()).collect(),
            },
            EntryBody::Gated {
                proposal: proposal.id.clone(),
                verdict: if passed { GateVerdict::Pass } else { GateVerdict::Reject },
                reasons: judged.verdict.reasons().map(|finding| finding.message.clone()).collect(),
                risk_score: judged.verdict.risk().score,
                files: judged
                    .verdict
                    .approved()
                    .map(|approved| approved.changes().iter().map(|change| change.path.to_string()).collect())
                    .unwrap_or_default(),
            },
        ];
        for body in &entries {
            log.append(environment::now(), body).map_err(|error| past::log_failed(&error))?;
        }
    }
    Ok(())
}

fn dry_run(cycle: &Cycle, proposed: &Proposed) -> Conclusion {
    let mut text = String::new();
    match proposed.passed() {
        Some(judged) => {
            let file = cycle.folder.state.proposals().join(format!("{}.json", judged.proposal.id));
            let _ = writeln!(text, "\n{} Nothing was changed. The proposal is saved as", bold("Dry run."));
            let _ = writeln!(text, "  {}", file.display());
            let enabled = cycle.folder.config.file.apply.enabled;
            let lock = if enabled { "" } else { " (and `enabled = true` in `[apply]` of gephost.toml)" };
            let _ = writeln!(text, "To validate it and publish a branch: gephost run --apply{lock}");
        }
        None => {
            let _ = writeln!(text, "\n{} The gate refused every candidate. Nothing was changed.", bold("Dry run."));
        }
    }
    Conclusion { exit: exit_of(proposed), text, document: Value::Null }
}

fn apply_candidates(
    environment: &Environment,
    output: Output,
    cycle: &mut Cycle,
    diagnosed: &Diagnosed,
    proposed: &Proposed,
) -> Result<Conclusion, Failure> {
    let passed: Vec<&Judged> = proposed.candidates.iter().filter(|judged| Cycle::passes(judged)).collect();
    if passed.is_empty() {
        let text = format!("\n{} Nothing was changed.\n", bad("The gate refused every candidate."));
        return Ok(Conclusion { exit: Exit::Refused, text, document: Value::Null });
    }
    let mut text = String::new();
    let mut tried = Vec::new();
    for judged in passed {
        let finding = judged.proposal.diagnosis_ref.as_deref();
        let finding = diagnosed.diagnosis.findings.iter().find(|candidate| Some(candidate.id.as_str()) == finding);
        let recorded = recorded_commands(cycle, finding)?;
        output.note(&format!("validating: {}", judged.proposal.title));
        let ended = apply_one(environment, cycle, judged, &recorded, &diagnosed.diagnosis.signals)?;
        text.push_str(&page(&ended));
        tried.push(document(judged, &ended));
        if ended.published.is_some() {
            return Ok(Conclusion { exit: Exit::Done, text, document: json!({ "ok": true, "tried": tried }) });
        }
    }
    let _ = writeln!(text, "{} Nothing was published; your checkout is as it was.", bad("No candidate held."));
    Ok(Conclusion { exit: Exit::Invalid, text, document: json!({ "ok": false, "tried": tried }) })
}

/// Applies one approved proposal.
pub(super) fn apply_one(
    environment: &Environment,
    cycle: &Cycle,
    judged: &Judged,
    recorded: &[ValidationCommand],
    signals: &[String],
) -> Result<Ended, Failure> {
    let gene = cycle.gene_asset(judged.proposal.gene.as_deref());
    publish_approved(environment, &cycle.folder, &cycle.repository()?.project, judged, recorded, signals, gene)
}

/// Applies one approved proposal of a project.
pub(super) fn publish_approved(
    environment: &Environment,
    folder: &Folder,
    project: &gephost_runner::worktree::Project,
    judged: &Judged,
    recorded: &[ValidationCommand],
    signals: &[String],
    gene: Option<&gephost_core::gene::Gene>,
) -> Result<Ended, Failure> {
    let Some(approved) = judged.verdict.approved() else {
        return Err(Failure::new(Exit::Refused, "refused", "rejected by the gate"));
    };
    let log = past::log(folder);
    let registry = Registry::new(folder.state.assets());
    let mut publisher = Publisher {
        project,
        config: &folder.config,
        state: &folder.state,
        log: &log,
        registry: &registry,
        operator: &environment.operator,
        path: environment.path.clone(),
        interrupted: &environment.interrupted,
        clock: environment::now,
    };
    let commands = commands(folder, recorded, approved.commands());
    let intent = Intent { proposal: &judged.proposal, approved, commands: &commands, gene, signals };
    publisher.publish(&intent).map_err(|error| failure(&error))
}

/// The operator's commands first, then the recorded ones, then the proposal's; each once.
fn commands(folder: &Folder, recorded: &[ValidationCommand], own: &[ValidationCommand]) -> Vec<ValidationCommand> {
    let mut commands: Vec<ValidationCommand> = Vec::new();
    for command in folder.config.policy.commands().iter().chain(recorded).chain(own) {
        if commands.iter().all(|known| known.argv() != command.argv()) {
            commands.push(command.clone());
        }
    }
    commands
}

fn failure(error: &PublishingError) -> Failure {
    let (exit, code) = match error {
        PublishingError::Interrupted => (Exit::Interrupted, "interrupted"),
        PublishingError::Identity(_) => (Exit::Usage, "config"),
        PublishingError::Publish(_) => (Exit::Conflict, "publish"),
        _ => (Exit::Failed, "apply"),
    };
    Failure::new(exit, code, error.to_string())
}

/// The commands that the person recorded and that this finding rests on, as the log has them.
fn recorded_commands(cycle: &Cycle, finding: Option<&Finding>) -> Result<Vec<ValidationCommand>, Failure> {
    let Some(finding) = finding else { return Ok(Vec::new()) };
    let events = finding
        .evidence
        .iter()
        .filter_map(|evidence| cycle.observation.events.get(usize::try_from(evidence.event).ok()?));
    let calls: Vec<_> = events.filter_map(|event| event.call_id.as_deref()).collect();
    let mut commands = Vec::new();
    for entry in past::entries(&cycle.folder)?.iter().rev() {
        let EntryBody::Recorded { call_id: Some(call), argv: Some(argv), .. } = &entry.body else { continue };
        if !calls.contains(&call.as_str()) {
            continue;
        }
        let command = ValidationCommand::from_operator(argv.clone());
        commands.extend(
            command.filter(|command| commands.iter().all(|known: &ValidationCommand| known.argv() != command.argv())),
        );
    }
    Ok(commands)
}

/// What became of one apply, for a person.
pub(super) fn page(ended: &Ended) -> String {
    let mut text = format!("{}  {}\n", bold("Validation"), ended.evaluation.decision);
    for run in &ended.runs {
        let word = |result: &gephost_core::validation::RunResult| match (result.exit, result.timed_out) {
            (Some(0), false) => good("passes"),
            (Some(code), false) => bad(format!("exits {code}")),
            (_, true) => bad("runs out of time"),
            (None, false) => bad("does not start"),
        };
        let before = run.before.as_ref().map_or_else(|| dim("not run"), word);
        let tests = run.after.tests.map(|tests| format!(", {} tests", tests.executed())).unwrap_or_default();
        let _ = writeln!(text, "            {}: before {before}, after {}{tests}", run.text, word(&run.after));
    }
    for error in &ended.evaluation.errors {
        let _ = writeln!(text, "            {}", bad(error));
    }
    if ended.runs.is_empty() {
        let hint =
            "no command was run: name some in `commands` of `[validation]`, or `gephost record` the one that fails";
        let _ = writeln!(text, "            {}", dim(hint));
    }
    if let Some(published) = &ended.published {
        let _ = writeln!(text, "{}  {}  {}", bold("Published "), good(&published.branch), dim(&published.commit));
        let _ = writeln!(text, "  look:  git diff HEAD...{}", published.branch);
        let _ = writeln!(text, "  keep:  git merge --ff-only {}", published.branch);
        let _ = writeln!(text, "  undo:  git branch -D {}", published.branch);
    }
    text
}

/// The same for a program.
pub(super) fn document(judged: &Judged, ended: &Ended) -> Value {
    let runs: Vec<Value> = ended
        .runs
        .iter()
        .map(|run| {
            json!({
                "command": run.text,
                "before": run.before.as_ref().map(|result| json!({ "exit": result.exit, "timed_out": result.timed_out })),
                "after": { "exit": run.after.exit, "timed_out": run.after.timed_out },
            })
        })
        .collect();
    json!({
        "proposal": judged.proposal.id,
        "decision": ended.evaluation.decision.as_str(),
        "success": ended.published.is_some(),
        "branch": ended.published.as_ref().map(|published| published.branch.clone()),
        "commit": ended.published.as_ref().map(|published| published.commit.clone()),
        "commands": runs,
        "errors": ended.evaluation.errors,
        "validation_report": ended.report,
        "event": ended.event,
    })
}
