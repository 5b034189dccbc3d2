//! The end of a cycle: a dry run says what would be done; with both locks open the best candidates are applied, until
//! one holds.

use std::fmt::Write as _;
use std::sync::atomic::Ordering;
use std::time::Instant;

use gephost_app::{Project, kill_switch};
use gephost_core::command::ValidationCommand;
use gephost_core::config::Config;
use gephost_core::diagnosis::Finding;
use gephost_core::digest::sha256_hex;
use gephost_core::evaluate::{Evaluation, TestChanges};
use gephost_core::event_log::{Contents, EntryBody, Fate, FindingRef, GateVerdict};
use gephost_core::gate::{Approved, ApprovedChange, BlobState, Decision};
use gephost_core::proposal::{GateStatus, Status};
use gephost_core::redact::clip;
use gephost_core::validation::{CommandRun, Level, RunResult};
use gephost_runner::cycle::publish::{Candidate, Ended, Intent, Publisher, PublishingError, Subject, Tools};
use gephost_runner::cycle::{Diagnosed, Judged, Landed, Proposed};
use gephost_runner::journal::Journal;
use gephost_runner::validate::{Chosen, Launcher, choose};
use gephost_runner::worktree::{self, PublishError, RefError};
use serde_json::{Value, json};

use super::cycle::{Cycle, exit_of};
use crate::args::RunArguments;
use crate::context::launcher;
use crate::environment::Environment;
use crate::error::{Failure, io};
use crate::exit_code::Exit;
use crate::output::Output;
use crate::render;
use crate::render::style::{bad, bold, dim, good, printable};
use crate::render::verdict::plural;

/// The most names of tests of one kind that a person is shown.
const SHOWN_TESTS: usize = 5;
/// The most lines that a person is shown of what a failing command wrote, the last ones; the report has more.
const SHOWN_LINES: usize = 3;
/// The most characters of such a line.
const SHOWN_COLUMNS: usize = 160;

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

/// What the person asked for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Wish<'a> {
    /// Really do it.
    pub(super) apply: bool,
    /// Move the checked-out branch too.
    pub(super) land: bool,
    /// Why, in the operator's words.
    pub(super) why: Option<&'a str>,
}

impl<'a> Wish<'a> {
    /// Of `run` and `autopilot`.
    pub(super) fn of(arguments: &'a RunArguments) -> Self {
        Self { apply: arguments.apply, land: arguments.land, why: arguments.why.as_deref() }
    }
}

/// With what an apply is made, once the locks are open.
pub(super) struct Applying<'a> {
    /// With the project's lock.
    pub(super) journal: Journal,
    /// Who approved it, where it had to wait for a person.
    pub(super) approver: Option<&'a str>,
    /// What the person asked for.
    pub(super) wish: Wish<'a>,
    /// When it is to be over, where that is bounded.
    pub(super) until: Option<Instant>,
}

impl<'a> Applying<'a> {
    /// Takes the project's lock where both locks of the seeds are open. For a dry run, only settles what was left.
    pub(super) fn begin(folder: &Project, wish: Wish<'a>, command: &str) -> Result<Option<Self>, Failure> {
        let locks = Locks::check(&folder.config, wish.apply)?;
        let project = folder.repository()?;
        match locks {
            Locks::DryRun => Ok(folder.settle_left(&project).map(|()| None)?),
            Locks::Open => {
                let journal = folder.begin(&project, command)?;
                Ok(Some(Self { journal, approver: None, wish, until: None }))
            }
        }
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
    applying: Option<&Applying<'_>>,
) -> Result<Conclusion, Failure> {
    if proposed.candidates.is_empty() {
        let text = if diagnosed.diagnosis.findings.is_empty() {
            "Nothing to do.\n".to_owned()
        } else {
            // With `-v` what the genes said stands above already.
            let said = if output.verbose() { String::new() } else { render::cycle::said(&proposed.calls) };
            format!("There is no answer to this. Nothing was changed.\n{said}")
        };
        return Ok(Conclusion { exit: Exit::Done, text, document: Value::Null });
    }
    remember(&cycle.folder, &diagnosed.diagnosis.signals, &proposed.candidates, proposed.isolation())?;
    match applying {
        None => Ok(dry_run(cycle, proposed)),
        Some(applying) => apply_candidates(environment, output, cycle, diagnosed, proposed, applying),
    }
}

/// Saves each candidate and says in the log what the gate said of it. Neither is an apply.
pub(super) fn remember(
    folder: &Project,
    signals: &[String],
    candidates: &[Judged],
    isolation: Option<&str>,
) -> Result<(), Failure> {
    folder.create_state()?;
    let proposals = folder.state.proposals();
    proposals.create().map_err(|error| io(&proposals.path(), "create", &error))?;
    let mut redactor = folder.config.policy.redactor();
    let state = folder.log_state()?;
    let mut entries = Vec::with_capacity(2 * candidates.len());
    for judged in candidates {
        let proposal = &judged.proposal;
        if state.proposal(&proposal.id).is_some_and(|known| known.in_flight.is_some()) {
            // Another gephost applies it at this moment; a dry run beside that has nothing to add.
            continue;
        }
        let passed = judged.verdict.decision() == Decision::Pass;
        if passed {
            let file = proposals.join(format!("{}.json", proposal.id));
            let text = written(judged) + "\n";
            file.write(text.as_bytes()).map_err(|error| io(&file.path(), "write", &error))?;
        }
        let approved = judged.verdict.approved();
        entries.extend([
            EntryBody::Proposed {
                proposal: proposal.id.clone(),
                gene: proposal.gene.clone(),
                title: redactor.redact(&proposal.title).into_owned(),
                signals: signals.iter().map(|signal| redactor.redact(signal).into_owned()).collect(),
                isolation: isolation.map(str::to_owned),
            },
            EntryBody::Gated {
                proposal: proposal.id.clone(),
                verdict: if passed { GateVerdict::Pass } else { GateVerdict::Reject },
                reasons: judged.verdict.reasons().map(ToString::to_string).collect(),
                risk_score: judged.verdict.risk().score,
                files: approved.map(files).unwrap_or_default(),
                contents: approved.map(contents).unwrap_or_default(),
            },
        ]);
    }
    Ok(folder.append_all(&entries)?)
}

/// Under what the gene of a proposal ran that the log knows.
pub(super) fn isolation_of(folder: &Project, id: &str) -> Result<Option<String>, Failure> {
    Ok(folder.entries()?.into_iter().rev().find_map(|entry| match entry.body {
        EntryBody::Proposed { proposal, isolation, .. } if proposal == id => isolation,
        _ => None,
    }))
}

fn files(approved: &Approved) -> Vec<String> {
    approved.changes().iter().map(|change| change.path.to_string()).collect()
}

/// What a change has in its files, by half a hash each: enough to see that it takes an earlier one back.
pub(super) fn contents(approved: &Approved) -> Vec<Contents> {
    let digest = |state: &BlobState| {
        let mut hash = sha256_hex(&state.content);
        hash.truncate(32);
        hash
    };
    let change = |change: &ApprovedChange| Contents {
        path: change.path.to_string(),
        before: change.before.as_ref().map(digest),
        after: change.after.as_ref().map(digest),
    };
    approved.changes().iter().map(change).collect()
}

/// A finding for the log, redacted.
pub(super) fn reference(folder: &Project, finding: &Finding) -> FindingRef {
    let mut redactor = folder.config.policy.redactor();
    FindingRef {
        gene: finding.gene.clone(),
        id: finding.id.clone(),
        title: redactor.redact(&finding.title).into_owned(),
        signals: finding.signals.iter().map(|signal| redactor.redact(signal).into_owned()).collect(),
    }
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

/// Tries the candidates that passed, finding by finding, until one holds.
fn apply_candidates(
    environment: &Environment,
    output: Output,
    cycle: &mut Cycle,
    diagnosed: &Diagnosed,
    proposed: &Proposed,
    applying: &Applying<'_>,
) -> Result<Conclusion, Failure> {
    let passed: Vec<&Judged> = proposed.candidates.iter().filter(|judged| Cycle::passes(judged)).collect();
    if passed.is_empty() {
        let text = format!("\n{} Nothing was changed.\n", bad("The gate refused every candidate."));
        return Ok(Conclusion { exit: Exit::Refused, text, document: Value::Null });
    }
    let mut text = String::new();
    let mut tried = Vec::new();
    for candidates in by_finding(&passed) {
        for judged in &candidates {
            output.note(&format!("validating: {}", printable(&judged.proposal.title)));
        }
        let ended = try_candidates(environment, cycle, diagnosed, &candidates, applying)?;
        text.push_str(&page(&candidates, &ended));
        tried.extend(documents(&ended));
        if ended.published.is_some() {
            let document = json!({ "ok": true, "tried": tried });
            return Ok(Conclusion { exit: exit_of_ended(&ended), text, document });
        }
    }
    let _ = writeln!(text, "{} Nothing was published; your checkout is as it was.", bad("No candidate held."));
    Ok(Conclusion { exit: Exit::Invalid, text, document: json!({ "ok": false, "tried": tried }) })
}

/// Candidates for the same finding, in their order; findings in the order of their best candidates.
pub(super) fn by_finding<'a>(candidates: &[&'a Judged]) -> Vec<Vec<&'a Judged>> {
    let mut groups: Vec<Vec<&Judged>> = Vec::new();
    for judged in candidates.iter().copied() {
        let answers = |group: &&mut Vec<&Judged>| {
            group.first().is_some_and(|first| first.proposal.diagnosis_ref == judged.proposal.diagnosis_ref)
        };
        match groups.iter_mut().find(answers) {
            Some(group) => group.push(judged),
            None => groups.push(vec![judged]),
        }
    }
    groups
}

/// The finding that a proposal answers.
pub(super) fn finding_of<'a>(diagnosed: &'a Diagnosed, judged: &Judged) -> Option<&'a Finding> {
    match diagnosed.diagnosis.findings.as_slice() {
        // Nothing else was asked about.
        [only] => Some(only),
        findings => {
            let id = judged.proposal.diagnosis_ref.as_deref()?;
            findings.iter().find(|finding| finding.id == id)
        }
    }
}

/// Tries candidates for one finding side by side.
pub(super) fn try_candidates(
    environment: &Environment,
    cycle: &Cycle,
    diagnosed: &Diagnosed,
    candidates: &[&Judged],
    applying: &Applying<'_>,
) -> Result<Ended, Failure> {
    let finding = candidates.first().and_then(|judged| finding_of(diagnosed, judged));
    let recorded = recorded_commands(&cycle.folder, &calls_of(cycle, finding))?;
    let finding = finding.map(|finding| reference(&cycle.folder, finding));
    let attempts: Vec<Attempt<'_>> = candidates
        .iter()
        .map(|judged| Attempt { judged, gene: cycle.gene_asset(judged.proposal.gene.as_deref()) })
        .collect();
    // The log has it since the candidates were remembered.
    let isolation = candidates.first().map(|judged| isolation_of(&cycle.folder, &judged.proposal.id)).transpose()?;
    let isolation = isolation.flatten();
    let subject =
        Subject { finding: finding.as_ref(), signals: &diagnosed.diagnosis.signals, isolation: isolation.as_deref() };
    let project = &cycle.repository()?.project;
    publish_approved(environment, &cycle.folder, project, &attempts, &recorded, subject, applying)
}

/// A judged proposal, with the gene that made it.
pub(super) struct Attempt<'a> {
    pub(super) judged: &'a Judged,
    pub(super) gene: Option<&'a gephost_core::gene::Gene>,
}

/// Applies the best of the approved proposals of a project.
pub(super) fn publish_approved(
    environment: &Environment,
    folder: &Project,
    project: &worktree::Project,
    attempts: &[Attempt<'_>],
    recorded: &[ValidationCommand],
    subject: Subject<'_>,
    applying: &Applying<'_>,
) -> Result<Ended, Failure> {
    let launcher = launcher(environment)?;
    let chosen = confinement(folder, &launcher)?;
    let tools = Tools { machine: &environment.machine, checkout: &folder.root, launcher: &launcher, chosen: &chosen };
    let publisher = Publisher {
        project,
        config: &folder.config,
        state: &folder.state,
        log: &folder.log,
        registry: &folder.registry,
        journal: &applying.journal,
        operator: &environment.operator,
        approver: applying.approver,
        land: applying.wish.land,
        why: applying.wish.why,
        signing_environment: &environment.signing,
        tools,
        interrupted: &environment.interrupted,
        until: applying.until,
        clock: environment.clock,
    };
    let mut ready = Vec::new();
    for attempt in attempts {
        let Some(change) = attempt.judged.verdict.approved() else {
            return Err(Failure::new(Exit::Refused, "refused", "rejected by the gate"));
        };
        ready.push((attempt, change, commands(folder, recorded, change.commands())));
    }
    let intents: Vec<Intent<'_>> = ready
        .iter()
        .map(|(attempt, approved, commands)| Intent {
            proposal: &attempt.judged.proposal,
            approved,
            commands,
            gene: attempt.gene,
        })
        .collect();
    publisher.publish(subject, &intents).map_err(|error| failure(&error))
}

/// How far validation commands are confined: what the config wants, as far as this machine has it.
fn confinement(folder: &Project, launcher: &Launcher) -> Result<Chosen, Failure> {
    let table = &folder.config.file.validation;
    choose(table.sandbox, table.network, launcher).map_err(|error| {
        Failure::new(Exit::Usage, "sandbox", error.to_string())
            .hint("`gephost doctor` says what works on this machine; nothing was changed")
    })
}

/// The operator's commands first, then the recorded ones, then the proposal's; each once.
fn commands(folder: &Project, recorded: &[ValidationCommand], own: &[ValidationCommand]) -> Vec<ValidationCommand> {
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
        PublishingError::KillSwitch { .. } => (Exit::Usage, "kill_switch"),
        PublishingError::OutOfTime => (Exit::Budget, "max_wall_s"),
        PublishingError::Identity(_) => (Exit::Usage, "config"),
        PublishingError::Publish(PublishError::BaseMoved { .. }) => (Exit::Conflict, "base_moved"),
        PublishingError::Land(_) => (Exit::Failed, "land"),
        PublishingError::Publish(
            PublishError::InTheWay { .. }
            | PublishError::Taken { .. }
            | PublishError::Ref { source: RefError::Locked { .. }, .. },
        ) => (Exit::Conflict, "publish"),
        PublishingError::Settled { error, .. } | PublishingError::Unsettled { error, .. } => {
            let inner = failure(error);
            (inner.exit, inner.code)
        }
        _ => (Exit::Failed, "apply"),
    };
    let failure = Failure::new(exit, code, error.to_string());
    match error {
        PublishingError::KillSwitch { .. } => failure.hint("remove the file to let gephost apply again"),
        _ => failure,
    }
}

/// The calls that a finding rests on.
pub(super) fn calls_of(cycle: &Cycle, finding: Option<&Finding>) -> Vec<String> {
    let evidence = finding.map(|finding| finding.evidence.as_slice()).unwrap_or_default();
    let events =
        evidence.iter().filter_map(|evidence| cycle.observation.events.get(usize::try_from(evidence.event).ok()?));
    events.filter_map(|event| event.call_id.as_deref().map(str::to_owned)).collect()
}

/// The commands that the person recorded as these calls, as the log has them.
pub(super) fn recorded_commands(folder: &Project, calls: &[String]) -> Result<Vec<ValidationCommand>, Failure> {
    if calls.is_empty() {
        return Ok(Vec::new());
    }
    let mut commands = Vec::new();
    for entry in folder.entries()?.iter().rev() {
        let EntryBody::Recorded { call_id: Some(call), argv: Some(argv), .. } = &entry.body else { continue };
        if !calls.contains(call) {
            continue;
        }
        let command = ValidationCommand::from_operator(argv.clone());
        commands.extend(
            command.filter(|command| commands.iter().all(|known: &ValidationCommand| known.argv() != command.argv())),
        );
    }
    Ok(commands)
}

/// Fails where somebody wants it all to stop.
pub(super) fn check_stops(environment: &Environment, folder: &Project) -> Result<(), Failure> {
    if environment.interrupted.load(Ordering::Relaxed) {
        return Err(failure(&PublishingError::Interrupted));
    }
    match kill_switch(&folder.state) {
        None => Ok(()),
        Some(path) => Err(failure(&PublishingError::KillSwitch { path })),
    }
}

/// What became of a cycle's candidates, for a person.
pub(super) fn page(candidates: &[&Judged], ended: &Ended) -> String {
    let mut text = String::new();
    for (judged, candidate) in candidates.iter().zip(&ended.candidates) {
        if candidates.len() > 1 {
            let tried = &candidate.tried;
            let title = printable(&judged.proposal.title);
            let _ = writeln!(
                text,
                "{}  {title}  {}: {}",
                bold("Candidate "),
                tried.fate.as_str(),
                dim(printable(&tried.reason))
            );
        }
        if let Some(evaluation) = &candidate.evaluation {
            text.push_str(&validation(evaluation, &candidate.runs, ended.sandbox));
        }
    }
    if let Some(published) = &ended.published {
        let _ = writeln!(text, "{}  {}  {}", bold("Published "), good(&published.branch), dim(&published.commit));
        let _ = writeln!(text, "  look:  git diff HEAD...{}", published.branch);
        let landed = ended.landed.as_ref().and_then(Landed::into);
        let undo = if landed.is_some() { " --land" } else { "" };
        if let Some(into) = landed {
            let _ = writeln!(text, "{}  {} has moved forward to it", bold("Landed    "), good(printable(into)));
        } else {
            let _ = writeln!(text, "  keep:  git merge --ff-only {}", published.branch);
        }
        if let Some(reason) = ended.landed.as_ref().and_then(Landed::refusal) {
            let _ = writeln!(text, "{}  {}", bad("Not landed"), printable(reason));
        }
        let _ = writeln!(text, "  undo:  gephost rollback {}{undo}", published.branch);
    }
    text
}

/// How a command ends for what became of a cycle: what was to land and did not is a conflict.
pub(super) fn exit_of_ended(ended: &Ended) -> Exit {
    match (&ended.published, &ended.landed) {
        (None, _) => Exit::Invalid,
        (Some(_), Some(Landed::Not { .. })) => Exit::Conflict,
        (Some(_), _) => Exit::Done,
    }
}

fn validation(evaluation: &Evaluation, runs: &[CommandRun], sandbox: Level) -> String {
    let confined = dim(format!("(sandbox {sandbox})"));
    let mut text = format!("{}  {} {confined}\n", bold("Validation"), evaluation.decision);
    for run in runs {
        let word = |result: &RunResult| match (result.exit, result.timed_out) {
            (Some(0), false) if result.has_failed_tests() => bad("exits 0 with failing tests"),
            (Some(0), false) => good("passes"),
            (Some(code), false) => bad(format!("exits {code}")),
            (_, true) => bad("runs out of time"),
            (None, false) => bad("does not start"),
        };
        let before = run.before.as_ref().map_or_else(|| dim("not run"), word);
        let tests = run.after.tests.map(|tests| counted(tests.executed())).unwrap_or_default();
        let _ = writeln!(text, "            {}: before {before}, after {}{tests}", run.text, word(&run.after));
        text.push_str(&named_tests(&TestChanges::of(run)));
        text.push_str(&last_words(&run.after));
    }
    for error in &evaluation.errors {
        let _ = writeln!(text, "            {}", bad(error));
    }
    if runs.is_empty() {
        let hint =
            "no command was run: name some in `commands` of `[validation]`, or `gephost record` the one that fails";
        let _ = writeln!(text, "            {}", dim(hint));
    }
    text
}

/// How the output of a command that failed ends.
fn last_words(result: &RunResult) -> String {
    if result.passed() {
        return String::new();
    }
    let is_telling = |line: &&str| !line.trim().is_empty();
    let stream = if result.stderr.trim().is_empty() { &result.stdout } else { &result.stderr };
    let mut lines: Vec<&str> = stream.lines().rev().filter(is_telling).take(SHOWN_LINES).collect();
    lines.reverse();
    let mut text = String::new();
    for line in lines {
        let line = clip(line, SHOWN_COLUMNS);
        let _ = writeln!(text, "              {}", dim(format!("| {}", printable(&line))));
    }
    text
}

fn counted(tests: u64) -> String {
    format!(", {tests} {}", plural(tests, "test"))
}

/// What the change did to tests, by name.
fn named_tests(changes: &TestChanges) -> String {
    let mut text = String::new();
    let lists = [
        ("fixed", &changes.fixed),
        ("still failing", &changes.still_failing),
        ("newly failing", &changes.newly_failing),
        ("fails, and did not run before", &changes.appeared),
        ("not run any more", &changes.gone),
        ("flaky: failed once, and passed when run again", &changes.flaky),
    ];
    for (what, names) in lists.into_iter().filter(|(_, names)| !names.is_empty()) {
        let shown = names.iter().take(SHOWN_TESTS).map(|name| printable(name)).collect::<Vec<_>>().join(", ");
        let more = names.len().saturating_sub(SHOWN_TESTS);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        let _ = writeln!(text, "              {what}: {shown}{}", dim(more));
    }
    text
}

/// The same for a program: one object a candidate, best-ranked first.
pub(super) fn documents(ended: &Ended) -> Vec<Value> {
    let document = |candidate: &Candidate| {
        let published = ended.published.as_ref().filter(|_| candidate.tried.fate == Fate::Published);
        let ending = |result: &RunResult| {
            json!({
                "exit": result.exit,
                "timed_out": result.timed_out,
                "tests": result.tests,
                "reruns": result.reruns.iter().map(|rerun| rerun.exit).collect::<Vec<_>>(),
            })
        };
        let run = |run: &CommandRun| {
            json!({
                "command": run.text,
                "before": run.before.as_ref().map(ending),
                "after": ending(&run.after),
                "tests": TestChanges::of(run),
            })
        };
        json!({
            "proposal": candidate.tried.proposal,
            "fate": candidate.tried.fate.as_str(),
            "reason": candidate.tried.reason,
            "sandbox": ended.sandbox,
            "decision": candidate.evaluation.as_ref().map(|evaluation| evaluation.decision.as_str()),
            "success": published.is_some(),
            "branch": published.map(|published| published.branch.clone()),
            "commit": published.map(|published| published.commit.clone()),
            "landed_into": published.and(ended.landed.as_ref()).and_then(Landed::into),
            "not_landed": published.and(ended.landed.as_ref()).and_then(Landed::refusal),
            "commands": candidate.runs.iter().map(run).collect::<Vec<_>>(),
            "errors": candidate.evaluation.as_ref().map(|evaluation| evaluation.errors.clone()).unwrap_or_default(),
            "validation_report": candidate.report,
            "event": ended.cycle,
        })
    };
    ended.candidates.iter().map(document).collect()
}
