//! `gephost run`, `diagnose`, `select` and `propose`: the stages of a cycle, as far as each goes.

use std::rc::Rc;
use std::sync::Arc;

use gephost_app::Project;
use gephost_app::genes::Genes;
use gephost_app::observe::LogOptions;
use gephost_core::config::Reads;
use gephost_core::gate::Decision;
use gephost_core::run_event::RunEvent;
use gephost_core::signal::{history_signals, signals};
use gephost_runner::cycle::{Diagnosed, GeneCall, Past, Proposed, Source, Stage, adopt, selection};
use gephost_runner::observe::Observation;
use gephost_runner::sandbox::{CallError, RunLog};
use gephost_runner::worktree::{self, BaseTree, GitError, Head};
use jiff::Timestamp;
use serde_json::{Value, json};

use super::consult::{Consultant, Consulted};
use super::publish::{self, Applying, Wish};
use super::traces::Traces;
use super::{evaluation, observe};
use crate::args::{CycleArguments, RunArguments};
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::{Output, Report};
use crate::render;

/// Everything that the stages need, read once.
pub(super) struct Cycle {
    pub(super) folder: Project,
    repository: Option<Repository>,
    pub(super) observation: Observation,
    pub(super) past: Past,
    genes: Genes,
    source: Source,
    traces: Traces,
    consultant: Option<Rc<Consultant>>,
}

/// The repository, and the commit that everything is judged against.
pub(super) struct Repository {
    pub(super) project: worktree::Project,
    pub(super) head: Head,
    base: Arc<BaseTree>,
}

impl Repository {
    fn open(folder: &Project) -> Result<Self, Failure> {
        let project = folder.repository()?;
        let head = gephost_app::head(&project)?;
        let base = Arc::new(gephost_app::base_at(&project, &head)?);
        Ok(Self { project, head, base })
    }
}

impl Cycle {
    pub(super) fn prepare(
        environment: &Environment,
        output: Output,
        arguments: &CycleArguments,
        consultant: Option<Rc<Consultant>>,
    ) -> Result<Self, Failure> {
        let folder = Project::open(environment)?;
        let repository = Repository::open(&folder)?;
        Self::read(environment, output, arguments, (folder, Some(repository)), consultant)
    }

    /// The same for a stage that needs no repository: outside any, genes read the folder's files.
    fn prepare_anywhere(
        environment: &Environment,
        output: Output,
        arguments: &CycleArguments,
        consultant: Option<Rc<Consultant>>,
    ) -> Result<Self, Failure> {
        let folder = Project::open(environment)?;
        let repository = if folder.is_in_repository() { Some(Repository::open(&folder)?) } else { None };
        Self::read(environment, output, arguments, (folder, repository), consultant)
    }

    fn read(
        environment: &Environment,
        output: Output,
        arguments: &CycleArguments,
        (folder, repository): (Project, Option<Repository>),
        consultant: Option<Rc<Consultant>>,
    ) -> Result<Self, Failure> {
        let sandbox = folder.sandbox()?;
        let genes = folder.genes(&sandbox, &arguments.gene)?;
        for stranger in &genes.strangers {
            output.note(&format!("warning: {stranger}"));
        }
        let since = observe::since(environment, arguments.since.as_deref())?;
        let options = LogOptions { logs: arguments.log.clone(), since, max_events: arguments.max_events };
        let observation = folder.observe(&options)?;
        let past = folder.past()?;
        let source = folder.source(repository.as_ref().map(|there| (&there.project, &there.base)), &genes)?;
        let traces = Traces::new(environment, arguments)?;
        Ok(Self { folder, repository, observation, past, genes, source, traces, consultant })
    }

    /// The repository, which every stage after the diagnosis needs.
    pub(super) fn repository(&self) -> Result<&Repository, Failure> {
        self.repository.as_ref().ok_or_else(|| {
            let message = format!("{} is not in a git repository", self.folder.root.display());
            Failure::new(Exit::Usage, "repository", message)
        })
    }

    pub(super) fn stage(&self) -> Stage<'_> {
        let events = &self.observation.events;
        let mut names: Vec<String> = signals(events).into_iter().map(|signal| signal.name).collect();
        names.extend(history_signals(&self.past.events, &names).into_iter().map(|signal| signal.name));
        let now = newest(events);
        Stage::new(
            &self.folder.config,
            &self.genes.all,
            self.source.clone(),
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
            let after = render::cycle::used(&call.usage);
            let message = format!("gene {}: `{}` {failure}, after {after}", call.gene, call.function);
            if output.verbose() {
                output.note(&render::cycle::failed(call, failure));
            }
            if selected || self.genes.named.contains(&call.gene) {
                return Err(gene_failed(failure, message, call));
            }
            output.note(&format!("warning: {message}"));
        }
        Ok(())
    }

    fn header(&self) -> String {
        let state = match &self.repository {
            Some(Repository { head, .. }) => {
                let branch = head.branch.as_deref().unwrap_or("detached HEAD");
                format!("{branch} {}", head.commit.get(..12).unwrap_or(&head.commit))
            }
            None => "in no git repository: genes read the files as they are".to_owned(),
        };
        let root = self.folder.root.display();
        format!("{}  {root}  {}\n", render::style::bold("Project   "), render::style::dim(state))
    }
}

fn gene_failed(failure: &CallError, message: String, call: &GeneCall) -> Failure {
    let recording = call.recording.as_deref();
    let again = recording.map(|id| format!("; `gephost replay {id}` runs the call again")).unwrap_or_default();
    let mut detail = serde_json::to_value(call).unwrap_or_default();
    detail["failure"] = serde_json::to_value(failure).unwrap_or_default();
    let failure = match failure {
        CallError::Budget { budget, .. } => Failure::new(Exit::Budget, budget.code(), message)
            .hint(format!("budgets are in the table `[budgets]` of gephost.toml{again}")),
        _ => Failure::new(Exit::Failed, failure.code(), message)
            .hint(format!("report it to the gene's author, with the backtrace and the log that `-v` shows{again}")),
    };
    failure.detail(detail)
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
    let consultant = Consultant::of(environment, &Project::open(environment)?, arguments)?;
    let cycle = Cycle::prepare_anywhere(environment, output, arguments, consultant.map(Rc::new))?;
    let stage = cycle.stage();
    let mut diagnosed = cycle.diagnosed(output, &stage)?;
    let consulted = cycle.consult(environment, output, &stage, &mut diagnosed)?;
    let mut text = cycle.header();
    text.push_str(&render::cycle::observed(&cycle.observation.files));
    text.push_str(&render::cycle::findings(&diagnosed));
    text.push_str(&consulted.as_ref().map(Consulted::page).unwrap_or_default());
    text.push_str(&cycle.traces.page(&diagnosed.calls));
    if output.verbose() {
        text.push_str(&render::cycle::calls(&diagnosed.calls));
    }
    let mut document = json!({
        "schema": "gephost.diagnosis/1",
        "findings": render::cycle::ranked(&diagnosed.diagnosis.findings),
        "below_thresholds": diagnosed.left_out,
        "signals": diagnosed.diagnosis.signals,
        "calls": diagnosed.calls,
        "model": consulted.as_ref().map(Consulted::document),
    });
    cycle.traces.document(&mut document, &diagnosed.calls);
    let exit = consulted.as_ref().and_then(Consulted::exit).unwrap_or(Exit::Done);
    Ok(Report { exit, document, text })
}

pub(super) fn select(environment: &Environment, output: Output, arguments: &CycleArguments) -> Result<Report, Failure> {
    let consultant = Consultant::of(environment, &Project::open(environment)?, arguments)?;
    let cycle = Cycle::prepare(environment, output, arguments, consultant.map(Rc::new))?;
    let stage = cycle.stage();
    let diagnosed = cycle.diagnosed(output, &stage)?;
    let selection = match &cycle.consultant {
        Some(consultant) => selection(&consultant.author, "`--diagnose model`: it would be asked"),
        None => stage.select(&diagnosed),
    };
    let mut text = cycle.header();
    text.push_str(&render::cycle::findings(&diagnosed));
    text.push_str(&render::cycle::selection(&selection));
    text.push_str(&cycle.traces.page(&diagnosed.calls));
    let mut document = serde_json::to_value(&selection).unwrap_or_default();
    if let Some(members) = document.as_object_mut() {
        members.insert("schema".to_owned(), "gephost.selection/1".into());
    }
    cycle.traces.document(&mut document, &diagnosed.calls);
    Ok(Report { exit: Exit::Done, document, text })
}

pub(super) fn propose(
    environment: &Environment,
    output: Output,
    arguments: &CycleArguments,
) -> Result<Report, Failure> {
    let consultant = Consultant::of(environment, &Project::open(environment)?, arguments)?;
    let cycle = Cycle::prepare(environment, output, arguments, consultant.map(Rc::new))?;
    let (diagnosed, proposed, consulted) = cycle.up_to_gate(environment, output)?;
    let text = cycle.page(output, &diagnosed, &proposed, consulted.as_ref());
    let mut document = json!({
        "schema": "gephost.proposals/1",
        "selection": proposed.selection,
        "candidates": candidates(&proposed),
        "model": consulted.as_ref().map(Consulted::document),
    });
    cycle.traces.document(&mut document, diagnosed.calls.iter().chain(&proposed.calls));
    let exit = consulted.as_ref().and_then(Consulted::exit).unwrap_or_else(|| exit_of(&proposed));
    Ok(Report { exit, document, text })
}

pub(super) fn run(environment: &Environment, output: Output, arguments: &RunArguments) -> Result<Report, Failure> {
    let folder = Project::open(environment)?;
    let consultant = Consultant::of(environment, &folder, &arguments.cycle)?;
    let applying = Applying::begin(&folder, Wish::of(arguments), "run --apply")?;
    let mut cycle = Cycle::prepare(environment, output, &arguments.cycle, consultant.map(Rc::new))?;
    cycle.note_state(output)?;
    let (diagnosed, proposed, consulted) = cycle.up_to_gate(environment, output)?;
    let mut text = cycle.page(output, &diagnosed, &proposed, consulted.as_ref());
    let head = &cycle.repository()?.head;
    let mut document = json!({
        "schema": "gephost.run/1",
        "project": cycle.folder.root,
        "base": { "commit": head.commit, "branch": head.branch },
        "files": cycle.observation.files,
        "diagnosis": diagnosed.diagnosis,
        "selection": proposed.selection,
        "candidates": candidates(&proposed),
        "calls": diagnosed.calls.iter().chain(&proposed.calls).collect::<Vec<_>>(),
        "model": consulted.as_ref().map(Consulted::document),
        "applied": Value::Null,
    });
    cycle.traces.document(&mut document, diagnosed.calls.iter().chain(&proposed.calls));
    let ended = publish::conclude(environment, output, &mut cycle, &diagnosed, &proposed, applying.as_ref())?;
    text.push_str(&ended.text);
    let measured = evaluation::update(&cycle.folder, &cycle.repository()?.project, &cycle.observation.events)?;
    // Of the others, `gephost report` says why nothing can be told.
    text.push_str(&evaluation::page(measured.iter().filter(|change| change.impact.effect.is_answer())));
    document["evaluations"] = evaluation::documents(&measured).into();
    document["applied"] = ended.document;
    let exit = consulted.as_ref().and_then(Consulted::exit).unwrap_or(ended.exit);
    Ok(Report { exit, document, text })
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
    fn up_to_gate(
        &self,
        environment: &Environment,
        output: Output,
    ) -> Result<(Diagnosed, Proposed, Option<Consulted>), Failure> {
        let stage = self.stage();
        let mut diagnosed = self.diagnosed(output, &stage)?;
        let (proposed, consulted) = self.proposed(environment, output, &stage, &mut diagnosed)?;
        Ok((diagnosed, proposed, consulted))
    }

    /// What the model says of a diagnosis, where the person wants one asked and there is something to ask about.
    fn consult(
        &self,
        environment: &Environment,
        output: Output,
        stage: &Stage<'_>,
        diagnosed: &mut Diagnosed,
    ) -> Result<Option<Consulted>, Failure> {
        let Some(consultant) = self.consultant.as_ref().filter(|_| !diagnosed.diagnosis.findings.is_empty()) else {
            return Ok(None);
        };
        let base = self.repository.as_ref().map(|repository| repository.base.as_ref());
        let events = &self.observation.events;
        let material = stage.material(base, &diagnosed.diagnosis, events);
        let question = (material, newest(events).to_string());
        let consulted = consultant.consult(environment, output, &self.folder, question)?;
        adopt(&mut diagnosed.diagnosis, consulted.answer().map_or(&[], |answer| &answer.hypotheses));
        Ok(Some(consulted))
    }

    /// What the selected gene, or the model, proposes for a diagnosis, gated.
    pub(super) fn proposed(
        &self,
        environment: &Environment,
        output: Output,
        stage: &Stage<'_>,
        diagnosed: &mut Diagnosed,
    ) -> Result<(Proposed, Option<Consulted>), Failure> {
        let failed = |error: &dyn std::fmt::Display| Failure::new(Exit::Failed, "repository", error.to_string());
        let base = &self.repository()?.base;
        if let Some(consultant) = &self.consultant {
            let consulted = self.consult(environment, output, stage, diagnosed)?;
            let reason =
                consulted.as_ref().map_or_else(|| "there is nothing to ask about".to_owned(), Consulted::reason);
            let proposals =
                consulted.as_ref().and_then(Consulted::answer).map_or_else(Vec::new, |a| a.proposals.clone());
            let proposed =
                stage.judge_answer(base, &consultant.author, &reason, proposals).map_err(|error| failed(&error))?;
            return Ok((proposed, consulted));
        }
        let selection = stage.select(diagnosed);
        let mut proposed = stage.propose(base, diagnosed, selection).map_err(|error| failed(&error))?;
        self.traces.keep(&self.folder, output, &mut proposed.calls)?;
        self.check(output, &proposed.calls, true)?;
        Ok((proposed, None))
    }

    /// The diagnosis. What genes did is kept before anything is made of it: a call that failed is the one to look at.
    pub(super) fn diagnosed(&self, output: Output, stage: &Stage<'_>) -> Result<Diagnosed, Failure> {
        let mut diagnosed = stage.diagnose();
        self.traces.keep(&self.folder, output, &mut diagnosed.calls)?;
        self.check(output, &diagnosed.calls, false)?;
        Ok(diagnosed)
    }

    fn page(
        &self,
        output: Output,
        diagnosed: &Diagnosed,
        proposed: &Proposed,
        consulted: Option<&Consulted>,
    ) -> String {
        let mut text = self.header();
        text.push_str(&render::cycle::observed(&self.observation.files));
        text.push_str(&render::cycle::findings(diagnosed));
        match consulted {
            Some(consulted) => text.push_str(&consulted.page()),
            None if diagnosed.diagnosis.findings.is_empty() => {}
            None => text.push_str(&render::cycle::selection(&proposed.selection)),
        }
        let shown = proposed.passed().map_or(proposed.candidates.as_slice(), std::slice::from_ref);
        for judged in shown {
            text.push_str(&render::cycle::candidate(judged));
        }
        text.push_str(&self.traces.page(diagnosed.calls.iter().chain(&proposed.calls)));
        if output.verbose() {
            text.push_str(&render::cycle::calls(&diagnosed.calls));
            text.push_str(&render::cycle::calls(&proposed.calls));
        }
        text
    }

    /// Tells the person which commit counts when the checkout holds something else.
    fn note_state(&self, output: Output) -> Result<(), Failure> {
        let failed = |error: GitError| Failure::new(Exit::Failed, "repository", error.to_string());
        let state = self.repository()?.project.state().map_err(failed)?;
        let works = match self.folder.config.file.genes.reads {
            Reads::Commit => "gephost works from the commit of HEAD and leaves",
            Reads::Checkout => "genes read them, proposals are judged against the commit of HEAD, and gephost leaves",
        };
        if let Some(operation) = &state.operation {
            output.note(&format!(
                "note: {operation} is in progress; gephost works from the commit of HEAD and leaves it alone"
            ));
        } else if state.dirty {
            output.note(&format!("note: the checkout has uncommitted changes; {works} them alone"));
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
        self.genes.all.iter().find(|gene| gene.id() == id).map(|gene| &gene.manifest().gene)
    }
}
