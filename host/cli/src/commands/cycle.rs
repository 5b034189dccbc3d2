//! `gephost run`, `diagnose`, `select` and `propose`: the stages of a cycle, as far as each goes.

use std::sync::Arc;

use gephost_core::gate::Decision;
use gephost_core::run_event::RunEvent;
use gephost_core::signal::signals;
use gephost_runner::cycle::{Diagnosed, GeneCall, Past, Proposed, Stage};
use gephost_runner::observe::Observation;
use gephost_runner::sandbox::{CallError, RunLog};
use gephost_runner::worktree::{BaseTree, Head, Project};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::publish::{self, Locks};
use super::{observe, past};
use crate::args::{CycleArguments, RunArguments};
use crate::context::{Folder, Genes, genes, sandbox};
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::{Output, Report};
use crate::render;

/// Everything that the stages need, read once.
pub(super) struct Cycle {
    pub(super) folder: Folder,
    pub(super) project: Project,
    pub(super) head: Head,
    pub(super) observation: Observation,
    pub(super) past: Past,
    genes: Genes,
    base: Arc<BaseTree>,
}

impl Cycle {
    fn prepare(environment: &Environment, output: Output, arguments: &CycleArguments) -> Result<Self, Failure> {
        let folder = Folder::open(environment)?;
        let project = folder.project()?;
        let head = head(&project)?;
        let base = base_at(&project, &head)?;
        let sandbox = sandbox(environment)?;
        let genes = genes(environment, &folder, &sandbox, &arguments.gene)?;
        let since = arguments.since.as_deref();
        let observation = observe::read(environment, &folder, &arguments.log, since, arguments.max_events)?;
        observe::note_unreadable(output, &observation);
        let past = past::read(&folder)?;
        Ok(Self { folder, project, head, observation, past, genes, base: Arc::new(base) })
    }

    fn stage(&self) -> Stage<'_> {
        let events = &self.observation.events;
        let names = signals(events).into_iter().map(|signal| signal.name).collect();
        let now = newest(events);
        Stage::new(
            &self.folder.config,
            &self.genes.genes,
            Arc::clone(&self.base),
            RunLog::new(events),
            names,
            &self.past,
            now,
        )
    }

    /// Fails the command for a gene that failed, where it was asked for by name or was the one selected; tells of the
    /// others.
    fn check(&self, output: Output, calls: &[GeneCall], selected: bool) -> Result<(), Failure> {
        for call in calls {
            let Some(failure) = &call.failure else { continue };
            let message = format!("gene {}: {failure}", call.gene);
            if selected || self.genes.named.contains(&call.gene) {
                return Err(gene_failed(failure, message));
            }
            output.note(&format!("warning: {message}"));
        }
        Ok(())
    }

    fn header(&self) -> String {
        let branch = self.head.branch.as_deref().unwrap_or("detached HEAD");
        let commit = self.head.commit.get(..12).unwrap_or(&self.head.commit);
        format!(
            "{}  {}  {}\n",
            render::style::bold("Project   "),
            self.folder.root.display(),
            render::style::dim(format!("{branch} {commit}"))
        )
    }
}

fn gene_failed(failure: &CallError, message: String) -> Failure {
    match failure {
        CallError::Budget { .. } => Failure::new(Exit::Budget, "gene_budget", message)
            .hint("budgets are in the table `[budgets]` of gephost.toml; `-v` shows what a call used"),
        _ => Failure::new(Exit::Failed, "gene_failed", message)
            .hint("`-v` shows what the gene wrote; report it to the gene's author"),
    }
}

pub(super) fn head(project: &Project) -> Result<Head, Failure> {
    project.head().map_err(|error| Failure::new(Exit::Usage, "repository", error.to_string()))
}

fn base_at(project: &Project, head: &Head) -> Result<BaseTree, Failure> {
    project.base(&head.commit).map_err(|error| Failure::new(Exit::Failed, "repository", error.to_string()))
}

/// The tree that everything is judged against: that of `HEAD`.
pub(super) fn base(project: &Project) -> Result<BaseTree, Failure> {
    base_at(project, &head(project)?)
}

/// The time of the newest event: where genes' clocks start. The Unix epoch where no event has a time.
fn newest(events: &[RunEvent]) -> Timestamp {
    events.iter().filter_map(|event| event.timestamp).max().unwrap_or(Timestamp::UNIX_EPOCH)
}

pub(super) fn diagnose(
    environment: &Environment,
    output: Output,
    arguments: &CycleArguments,
) -> Result<Report, Failure> {
    let cycle = Cycle::prepare(environment, output, arguments)?;
    let diagnosed = cycle.stage().diagnose();
    cycle.check(output, &diagnosed.calls, false)?;
    let mut text = cycle.header();
    text.push_str(&render::cycle::observed(&cycle.observation.files));
    text.push_str(&render::cycle::findings(&diagnosed));
    if output.verbose() {
        text.push_str(&render::cycle::calls(&diagnosed.calls));
    }
    let document = json!({
        "schema": "gephost.diagnosis/1",
        "findings": diagnosed.diagnosis.findings,
        "signals": diagnosed.diagnosis.signals,
        "calls": diagnosed.calls,
    });
    Ok(Report { exit: Exit::Done, document, text })
}

pub(super) fn select(environment: &Environment, output: Output, arguments: &CycleArguments) -> Result<Report, Failure> {
    let cycle = Cycle::prepare(environment, output, arguments)?;
    let stage = cycle.stage();
    let diagnosed = stage.diagnose();
    cycle.check(output, &diagnosed.calls, false)?;
    let selection = stage.select(&diagnosed);
    let mut text = cycle.header();
    text.push_str(&render::cycle::findings(&diagnosed));
    text.push_str(&render::cycle::selection(&selection));
    let mut document = serde_json::to_value(&selection).unwrap_or_default();
    if let Some(members) = document.as_object_mut() {
        members.insert("schema".to_owned(), "gephost.selection/1".into());
    }
    Ok(Report { exit: Exit::Done, document, text })
}

pub(super) fn propose(
    environment: &Environment,
    output: Output,
    arguments: &CycleArguments,
) -> Result<Report, Failure> {
    let cycle = Cycle::prepare(environment, output, arguments)?;
    let (diagnosed, proposed) = cycle.up_to_gate(output)?;
    let text = cycle.page(output, &diagnosed, &proposed);
    let document = json!({
        "schema": "gephost.proposals/1",
        "selection": proposed.selection,
        "candidates": candidates(&proposed),
    });
    Ok(Report { exit: exit_of(&proposed), document, text })
}

pub(super) fn run(environment: &Environment, output: Output, arguments: &RunArguments) -> Result<Report, Failure> {
    let mut cycle = Cycle::prepare(environment, output, &arguments.cycle)?;
    let locks = Locks::check(&cycle.folder.config, arguments.apply)?;
    cycle.note_state(output)?;
    let (diagnosed, proposed) = cycle.up_to_gate(output)?;
    let mut text = cycle.page(output, &diagnosed, &proposed);
    let mut document = json!({
        "schema": "gephost.run/1",
        "project": cycle.folder.root,
        "base": { "commit": cycle.head.commit, "branch": cycle.head.branch },
        "files": cycle.observation.files,
        "diagnosis": diagnosed.diagnosis,
        "selection": proposed.selection,
        "candidates": candidates(&proposed),
        "calls": diagnosed.calls.iter().chain(&proposed.calls).collect::<Vec<_>>(),
        "applied": Value::Null,
    });
    let ended = publish::conclude(environment, output, &mut cycle, &diagnosed, &proposed, locks)?;
    text.push_str(&ended.text);
    document["applied"] = ended.document;
    Ok(Report { exit: ended.exit, document, text })
}

pub(super) fn exit_of(proposed: &Proposed) -> Exit {
    if proposed.candidates.is_empty() || proposed.passed().is_some() { Exit::Done } else { Exit::Refused }
}

fn candidates(proposed: &Proposed) -> Vec<Value> {
    let document = |judged: &gephost_runner::cycle::Judged| {
        json!({
            "proposal": publish::proposal_document(judged),
            "verdict": judged.verdict,
            "diff": judged.verdict.diff(),
        })
    };
    proposed.candidates.iter().map(document).collect()
}

impl Cycle {
    fn up_to_gate(&self, output: Output) -> Result<(Diagnosed, Proposed), Failure> {
        let stage = self.stage();
        let diagnosed = stage.diagnose();
        self.check(output, &diagnosed.calls, false)?;
        let selection = stage.select(&diagnosed);
        let proposed = stage
            .propose(&diagnosed, selection)
            .map_err(|error| Failure::new(Exit::Failed, "repository", error.to_string()))?;
        self.check(output, &proposed.calls, true)?;
        Ok((diagnosed, proposed))
    }

    fn page(&self, output: Output, diagnosed: &Diagnosed, proposed: &Proposed) -> String {
        let mut text = self.header();
        text.push_str(&render::cycle::observed(&self.observation.files));
        text.push_str(&render::cycle::findings(diagnosed));
        if !diagnosed.diagnosis.findings.is_empty() {
            text.push_str(&render::cycle::selection(&proposed.selection));
        }
        let shown = proposed.passed().map_or(proposed.candidates.as_slice(), std::slice::from_ref);
        for judged in shown {
            text.push_str(&render::cycle::candidate(judged));
        }
        if output.verbose() {
            text.push_str(&render::cycle::calls(&diagnosed.calls));
            text.push_str(&render::cycle::calls(&proposed.calls));
        }
        text
    }

    /// Tells the person which commit counts when the checkout holds something else.
    fn note_state(&self, output: Output) -> Result<(), Failure> {
        let state =
            self.project.state().map_err(|error| Failure::new(Exit::Failed, "repository", error.to_string()))?;
        if let Some(operation) = &state.operation {
            output.note(&format!(
                "note: {operation} is in progress; gephost works from the commit of HEAD and leaves it alone"
            ));
        } else if state.dirty {
            output.note("note: the checkout has uncommitted changes; gephost works from the commit of HEAD and leaves them alone");
        }
        Ok(())
    }

    /// Whether a verdict passed.
    pub(super) fn passes(judged: &gephost_runner::cycle::Judged) -> bool {
        judged.verdict.decision() == Decision::Pass
    }

    /// The gene with this id, as an asset.
    pub(super) fn gene_asset(&self, id: Option<&str>) -> Option<&gephost_core::gene::Gene> {
        let id = id?;
        self.genes.genes.iter().find(|gene| gene.id() == id).map(|gene| &gene.manifest().gene)
    }
}
