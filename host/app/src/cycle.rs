//! One cycle over a project, from the logs to the gate's verdict. Beside recordings of gene calls, nothing is changed.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::rc::Rc;
use std::sync::Arc;

use gephost_core::config::Reads;
use gephost_core::diagnosis::Finding;
use gephost_core::event_log::EntryBody;
use gephost_core::observe::FileSummary;
use gephost_core::proposal::Proposal;
use gephost_core::run_event::RunEvent;
use gephost_core::select::{Selection, Strategy};
use gephost_core::signal::{history_signals, signals};
use gephost_runner::observe::Observation;
use gephost_runner::sandbox::{CallError, Completions, RunLog};
use gephost_runner::worktree::{self, BaseTree, Head};
use jiff::Timestamp;

use crate::consult::Consulted;
use crate::consultant::Consultant;
use crate::error::{AppError, ErrorKind};
use crate::evidence::{self, DayCount, EventDetail, Evidenced, evidenced};
use crate::gene_call::GeneCall;
use crate::genes::{Genes, VouchedGene};
use crate::observe::{LogOptions, Reading};
use crate::past::Past;
use crate::project::{Project, base_at, head};
use crate::sink::Note;
use crate::stages::{Clue, Diagnosed, Judged, ProposeError, Proposed, Search, Source, Stage, adopt, gate, selection};
use crate::traces::{self, Audit};

/// What a cycle reads and runs.
#[derive(Debug, Clone, Default)]
pub struct CycleOptions {
    /// Component files, or ids of bundled genes, beside the genes of the config.
    pub genes: Vec<String>,
    /// Which logs are read, and how much of them.
    pub logs: LogOptions,
    /// Whether the model of the user's config diagnoses and proposes, and not the strategy genes.
    pub model: bool,
    /// How categories of genes count; `None` leaves it to the config.
    pub strategy: Option<Strategy>,
    /// A file that takes every request of every gene, one JSON object a line.
    pub audit: Option<PathBuf>,
    /// The number of the finding to show whole, from 1.
    pub finding: Option<usize>,
    /// Whether to count the calls of each day.
    pub days: bool,
    /// Calls of each gene to the host that are kept for its author.
    pub traced_calls: u32,
    /// How many genes propose side by side; without it, one after another until one has candidates.
    pub tournament: Option<NonZeroUsize>,
}

/// What a cycle found.
#[derive(Debug)]
pub struct Findings {
    /// Where `HEAD` is; `None` outside a git repository.
    pub head: Option<Head>,
    /// What reading the logs came to.
    pub reading: Reading,
    /// The logs that were read.
    pub files: Vec<FileSummary>,
    /// The findings, and the calls of the genes that found them.
    pub diagnosed: Diagnosed,
    /// What the model said, if one was asked.
    pub consulted: Option<Consulted>,
    /// Where each finding was seen, in their order.
    pub evidenced: Vec<Evidenced>,
    /// The events of the finding that was asked for by its number, the newest first.
    pub details: Vec<EventDetail>,
    /// The calls of each day, if they were asked for.
    pub days: Vec<DayCount>,
    /// Who vouches for each gene that came as a file.
    pub vouched: Vec<VouchedGene>,
}

/// What a cycle proposes.
#[derive(Debug)]
pub struct Proposals {
    /// The findings that the proposals answer.
    pub findings: Findings,
    /// Who was asked, and the gated candidates.
    pub proposed: Proposed,
    /// Where to begin, if there are findings and nothing is proposed.
    pub clue: Option<Clue>,
}

impl Project {
    /// Observes, and says what goes wrong. Needs no commit of a git repository: without one, genes read the folder's files.
    pub fn diagnose(&self, options: &CycleOptions) -> Result<Findings, AppError> {
        let consultant = self.consultant(options)?;
        let repository = if self.has_commits() { Some(Repository::open(self)?) } else { None };
        let cycle = Cycle::read(self, options, repository, consultant)?;
        let stage = cycle.stage();
        let mut diagnosed = cycle.diagnosed(&stage)?;
        let consulted = cycle.consult(&stage, &mut diagnosed)?;
        let details = match options.finding.map(|number| numbered(&diagnosed, number)).transpose()? {
            Some(finding) => evidence::details(finding, &cycle.observation, stage.inputs.run_log.corrections()),
            None => Vec::new(),
        };
        let days = if options.days { evidence::days(&cycle.observation) } else { Vec::new() };
        Ok(Findings { details, days, ..cycle.findings(diagnosed, consulted) })
    }

    /// Diagnoses, and says which gene would be asked.
    pub fn select(&self, options: &CycleOptions) -> Result<(Findings, Selection), AppError> {
        let cycle = Cycle::open(self, options, self.consultant(options)?)?;
        let stage = cycle.stage();
        let diagnosed = cycle.diagnosed(&stage)?;
        let selection = if let Some(consultant) = &cycle.consultant {
            selection(&consultant.author, "`--diagnose model`: it would be asked")
        } else {
            cycle.note_folder();
            stage.select(&diagnosed, &cycle.observation.events)
        };
        Ok((cycle.findings(diagnosed, None), selection))
    }

    /// Selects, and gates what the gene or the model proposes.
    pub fn propose(&self, options: &CycleOptions) -> Result<Proposals, AppError> {
        let cycle = Cycle::open(self, options, self.consultant(options)?)?;
        let (diagnosed, proposed, consulted) = cycle.up_to_gate(None)?;
        let clue = cycle.clue(&diagnosed, &proposed)?;
        Ok(Proposals { findings: cycle.findings(diagnosed, consulted), proposed, clue })
    }

    /// The model, if these options ask for one.
    pub(crate) fn consultant(&self, options: &CycleOptions) -> Result<Option<Arc<Consultant>>, AppError> {
        options.model.then(|| self.model.consultant()).transpose()
    }
}

/// Everything that the stages need, read once.
pub(crate) struct Cycle<'p> {
    project: &'p Project,
    repository: Option<Repository>,
    pub(crate) observation: Observation,
    reading: Reading,
    past: Rc<Past>,
    /// Why nobody knows what earlier cycles left. Nothing is applied then.
    pub(crate) past_failed: Option<AppError>,
    genes: Rc<Genes>,
    source: Source,
    audit: Option<Rc<Audit>>,
    consultant: Option<Arc<Consultant>>,
    /// How many genes propose side by side.
    at_once: NonZeroUsize,
    strategy: Strategy,
    traced_calls: u32,
}

/// The repository, and the commit that everything is judged against.
pub(crate) struct Repository {
    pub(crate) git: worktree::Project,
    pub(crate) head: Head,
    pub(crate) base: Arc<BaseTree>,
}

impl Repository {
    fn open(project: &Project) -> Result<Self, AppError> {
        let git = project.repository()?;
        let head = head(&git)?;
        let base = Arc::new(base_at(&git, &head)?);
        Ok(Self { git, head, base })
    }
}

impl<'p> Cycle<'p> {
    /// Reads everything that the stages need, in a git repository.
    pub(crate) fn open(
        project: &'p Project,
        options: &CycleOptions,
        consultant: Option<Arc<Consultant>>,
    ) -> Result<Self, AppError> {
        let repository = Repository::open(project)?;
        Self::read(project, options, Some(repository), consultant)
    }

    fn read(
        project: &'p Project,
        options: &CycleOptions,
        repository: Option<Repository>,
        consultant: Option<Arc<Consultant>>,
    ) -> Result<Self, AppError> {
        let sandbox = project.sandbox()?;
        let genes = project.genes(&sandbox, &options.genes)?;
        for stranger in &genes.strangers {
            project.environment.sink.note(Note::Warning(stranger));
        }
        if !genes.all.iter().any(|gene| gene.manifest().world.diagnoses()) {
            let text = "no gene diagnoses: `[genes] bundled` is false, and no file of `[genes] files` has a heuristic";
            project.environment.sink.note(Note::Warning(text));
        }
        let observation = project.observe(&options.logs)?;
        let reading = Reading::of(&observation, &options.logs);
        // Capsules of the assets folder's own genes are in its index.
        let (past, past_failed) = project.past_of_cycle(|gene| genes.has(gene))?;
        let past = Rc::new(Past { wrong: project.false_repairs(&observation.events), ..past });
        let source = project.source(repository.as_ref().map(|known| (&known.git, &known.base)), &genes)?;
        let audit = options.audit.as_ref().map(|path| Audit::create(project, path)).transpose()?.map(Rc::new);
        let genes = Rc::new(genes);
        let at_once = options.tournament.unwrap_or(NonZeroUsize::MIN);
        let strategy = options.strategy.unwrap_or(project.config.file.select.strategy);
        Ok(Self {
            project,
            repository,
            observation,
            reading,
            past,
            past_failed,
            genes,
            source,
            audit,
            consultant,
            at_once,
            strategy,
            traced_calls: options.traced_calls,
        })
    }

    /// A cycle over what shows after a change of this one: these events, and the files of the change's commit. Genes and
    /// model are the same, and so are the model's limits.
    pub(crate) fn after(&self, events: Vec<RunEvent>, commit: &str) -> Result<Self, AppError> {
        let Repository { git, head, .. } = self.repository()?;
        let base = Arc::new(git.base(commit).map_err(|error| AppError::failed("repository", error))?);
        let head = Head { commit: commit.to_owned(), ..head.clone() };
        let newest = Some(newest(&events));
        let observation = Observation { events, newest, ..Observation::default() };
        Ok(Self {
            project: self.project,
            source: Source::commit(&base),
            repository: Some(Repository { git: git.clone(), head, base }),
            reading: Reading::of(&observation, &LogOptions::default()),
            observation,
            past: Rc::clone(&self.past),
            past_failed: self.past_failed.clone(),
            genes: Rc::clone(&self.genes),
            audit: self.audit.clone(),
            consultant: self.consultant.clone(),
            at_once: self.at_once,
            strategy: self.strategy,
            traced_calls: self.traced_calls,
        })
    }

    /// A cycle of the past: these events, at this commit, with nothing that happened since.
    pub(crate) fn at(
        project: &'p Project,
        genes: Rc<Genes>,
        events: Vec<RunEvent>,
        commit: &str,
    ) -> Result<Self, AppError> {
        let git = project.repository()?;
        let base = Arc::new(git.base(commit).map_err(|error| AppError::failed("repository", error))?);
        let newest = Some(newest(&events));
        let observation = Observation { events, newest, ..Observation::default() };
        Ok(Self {
            project,
            source: Source::commit(&base),
            repository: Some(Repository { git, head: Head { commit: commit.to_owned(), branch: None }, base }),
            reading: Reading::of(&observation, &LogOptions::default()),
            observation,
            past: Rc::default(),
            past_failed: None,
            genes,
            audit: None,
            consultant: None,
            at_once: NonZeroUsize::MIN,
            strategy: project.config.file.select.strategy,
            traced_calls: 0,
        })
    }

    /// The project.
    pub(crate) fn project(&self) -> &'p Project {
        self.project
    }

    /// The time from which genes' clocks start.
    pub(crate) fn now(&self) -> Timestamp {
        newest(&self.observation.events)
    }

    /// The repository, which every stage after the diagnosis needs.
    pub(crate) fn repository(&self) -> Result<&Repository, AppError> {
        self.repository.as_ref().ok_or_else(|| {
            let message = format!("{} is not in a git repository", self.project.root.display());
            AppError::usage("repository", message)
        })
    }

    /// What the stages work with.
    pub(crate) fn stage(&self) -> Stage<'_> {
        let events = &self.observation.events;
        let mut names: Vec<String> = signals(events).into_iter().map(|signal| signal.name).collect();
        names.extend(history_signals(&self.past.events, &names).into_iter().map(|signal| signal.name));
        Stage::new(
            &self.project.config,
            &self.genes.all,
            self.source.clone(),
            RunLog::new(events),
            names,
            &self.past,
            newest(events),
        )
        .with_recorded(self.project.recorded_events(events))
        .with_texts(self.genes.texts.as_ref())
        .by(self.strategy)
        .asking(Arc::clone(&self.project.model) as Arc<dyn Completions>)
        .asked_for(&self.genes.asked)
        .tracing(self.traced_calls)
    }

    /// The diagnosis. What genes did is kept before anything is made of it: a call that failed is the one to look at.
    pub(crate) fn diagnosed(&self, stage: &Stage<'_>) -> Result<Diagnosed, AppError> {
        let mut diagnosed = stage.diagnose(&self.observation.events);
        traces::keep(self.project, self.audit.as_deref(), &mut diagnosed.calls)?;
        self.stopped()?;
        self.check(&diagnosed.calls, true)?;
        Ok(diagnosed)
    }

    /// What the model says of a diagnosis, if it is to be asked and there is something to ask about.
    fn consult(&self, stage: &Stage<'_>, diagnosed: &mut Diagnosed) -> Result<Option<Consulted>, AppError> {
        let Some(consultant) = self.consultant.as_ref().filter(|_| !diagnosed.diagnosis.findings.is_empty()) else {
            return Ok(None);
        };
        let base = self.repository.as_ref().map(|repository| repository.base.as_ref());
        let events = &self.observation.events;
        let material = stage.material(base, &diagnosed.diagnosis, events);
        let consulted = consultant.consult(self.project, material, newest(events).to_string())?;
        adopt(&mut diagnosed.diagnosis, consulted.answer().map_or(&[], |answer| &answer.hypotheses));
        Ok(Some(consulted))
    }

    /// What the selected gene, or the model, proposes for a diagnosis, gated.
    pub(crate) fn proposed(
        &self,
        stage: &Stage<'_>,
        diagnosed: &mut Diagnosed,
        search: Option<&dyn Search>,
    ) -> Result<(Proposed, Option<Consulted>), AppError> {
        let base = &self.repository()?.base;
        if let Some(consultant) = &self.consultant {
            let consulted = self.consult(stage, diagnosed)?;
            let reason =
                consulted.as_ref().map_or_else(|| "there is nothing to ask about".to_owned(), Consulted::reason);
            let answer = consulted.as_ref().and_then(Consulted::answer);
            let proposals = answer.map_or_else(Vec::new, |answer| answer.proposals.clone());
            let proposed = stage
                .judge_answer(base, &diagnosed.diagnosis, &consultant.author, &reason, proposals)
                .map_err(|error| AppError::failed("repository", error))?;
            return Ok((proposed, consulted));
        }
        self.note_folder();
        let selection = stage.select(diagnosed, &self.observation.events);
        let proposed = stage.propose(base, diagnosed, selection, search, self.at_once);
        let mut proposed = proposed.map_err(|error| match error {
            ProposeError::Search(error) => error,
            other => AppError::failed("repository", other),
        })?;
        traces::keep(self.project, self.audit.as_deref(), &mut proposed.calls)?;
        self.stopped()?;
        let nobody_else = proposed.candidates.is_empty() && proposed.texts.is_empty() && proposed.unasked.is_none();
        self.check(&proposed.calls, nobody_else)?;
        self.note_no_ops(&proposed)?;
        Ok((proposed, None))
    }

    /// Says what of the assets folder is not selected, because it cannot be read or is damaged.
    fn note_folder(&self) {
        let Some(folder) = self.genes.texts.as_ref().and_then(|texts| texts.folder.as_ref()) else { return };
        let text = match folder.left_out() {
            Ok(0) => return,
            Ok(1) => "1 entry of the assets folder is left out of the selection: it is damaged or too large".to_owned(),
            Ok(count) => {
                format!(
                    "{count} entries of the assets folder are left out of the selection: they are damaged or too large"
                )
            }
            Err(error) => format!("the genes of the assets folder are not selected: {error}"),
        };
        self.project.environment.sink.note(Note::Warning(&text));
    }

    /// Logs of each text-only gene for which the model was asked in vain why.
    fn note_no_ops(&self, proposed: &Proposed) -> Result<(), AppError> {
        for text in &proposed.texts {
            let Some(no_op) = text.no_op else { continue };
            let model = self.project.model.consultant()?.author.clone();
            let reason = self.project.config.policy.redact(&format!("{}: {}", text.gene, text.reason));
            self.project.append(&EntryBody::ModelNoOp { model, no_op, reason, exchange: None })?;
        }
        Ok(())
    }

    /// All stages up to the verdict.
    pub(crate) fn up_to_gate(
        &self,
        search: Option<&dyn Search>,
    ) -> Result<(Diagnosed, Proposed, Option<Consulted>), AppError> {
        let stage = self.stage();
        let mut diagnosed = self.diagnosed(&stage)?;
        let (mut proposed, consulted) = self.proposed(&stage, &mut diagnosed, search)?;
        self.note_search(&proposed);
        if stage.recorded.is_empty() && self.project.config.policy.commands().is_empty() {
            // Without a command there is nothing to search with, so `--apply` would not ask it either.
            proposed.unasked = None;
        }
        Ok((diagnosed, proposed, consulted))
    }

    /// Says what a search came to.
    fn note_search(&self, proposed: &Proposed) {
        for call in &proposed.calls {
            if let Some(record) = &call.search {
                let text = format!("{}: {}", call.gene, record.line());
                self.project.environment.sink.note(Note::Info(&text));
            }
        }
    }

    /// Where to begin, if there are findings and nothing is proposed.
    pub(crate) fn clue(&self, diagnosed: &Diagnosed, proposed: &Proposed) -> Result<Option<Clue>, AppError> {
        if !proposed.candidates.is_empty() || diagnosed.diagnosis.findings.is_empty() {
            return Ok(None);
        }
        let (base, policy) = (&self.repository()?.base, &self.project.config.policy);
        Ok(Some(Clue::of(base, policy, &diagnosed.diagnosis, &self.observation.events)))
    }

    /// The typed result of the first half of a cycle.
    pub(crate) fn findings(&self, diagnosed: Diagnosed, consulted: Option<Consulted>) -> Findings {
        let head = self.repository.as_ref().map(|repository| repository.head.clone());
        let evidenced = evidenced(&diagnosed.diagnosis.findings, &self.observation);
        let (files, reading) = (self.observation.files.clone(), self.reading.clone());
        Findings {
            head,
            reading,
            files,
            diagnosed,
            consulted,
            evidenced,
            details: Vec::new(),
            days: Vec::new(),
            vouched: self.genes.vouched.clone(),
        }
    }

    /// Ends the cycle if it was interrupted, or its time was over, while a gene waited for a model.
    fn stopped(&self) -> Result<(), AppError> {
        self.project.model.take_stopped().map_or(Ok(()), Err)
    }

    /// Tells of each gene that failed. The others go on, so this fails only if there are no others: if every call failed,
    /// and `is_all` says that nobody else was asked. Then the first failure counts.
    fn check(&self, calls: &[GeneCall], is_all: bool) -> Result<(), AppError> {
        let sink = &self.project.environment.sink;
        let mut end = None;
        let nothing_is_left = is_all && calls.iter().all(|call| call.failure.is_some());
        for call in calls {
            let Some(failure) = &call.failure else { continue };
            let message = format!("gene {}: `{}` {failure}, after {}", call.gene, call.function, call.used());
            sink.note(Note::GeneFailed(call));
            if nothing_is_left && end.is_none() {
                end = Some(gene_failed(failure, message, call));
            } else {
                sink.note(Note::Warning(&message));
            }
        }
        end.map_or(Ok(()), Err)
    }

    /// Notes which commit counts if the checkout holds something else.
    pub(crate) fn note_checkout(&self) -> Result<(), AppError> {
        let state = self.repository()?.git.state().map_err(|error| AppError::failed("repository", error))?;
        let works = match self.project.config.file.genes.reads {
            Reads::Commit => "gephost works from the commit of HEAD and leaves",
            Reads::Checkout => "genes read them, proposals are judged against the commit of HEAD, and gephost leaves",
        };
        let text = match &state.operation {
            Some(operation) => {
                format!("{operation} is in progress; gephost works from the commit of HEAD and leaves it alone")
            }
            None if state.dirty => format!("the checkout has uncommitted changes; {works} them alone"),
            None => return Ok(()),
        };
        self.project.environment.sink.note(Note::Info(&text));
        Ok(())
    }

    /// The gate's verdict on a sum of several steps, against the commit of this cycle: by the policy, narrowed to what the
    /// gene may change if one gene proposed every step. `calls` are the recorded calls whose commands validate it.
    pub(crate) fn judge_sum(&self, sum: Proposal, calls: Vec<String>) -> Result<Judged, AppError> {
        let config = &self.project.config;
        let gene = self.gene_asset(sum.gene.as_deref());
        let narrowed = gene.as_ref().map(|gene| config.grants.of(&gene.id).narrow(&config.policy, &gene.constraints));
        let narrowed = narrowed.transpose().map_err(|error| AppError::usage("gene_refused", error.to_string()))?;
        let history = self.past.gene_history(sum.gene.as_deref());
        let (base, policy) = (&self.repository()?.base, narrowed.as_ref().unwrap_or(&config.policy));
        let verdict = gate(sum.clone(), base, policy, history, !calls.is_empty())
            .map_err(|error| AppError::failed("repository", error))?;
        Ok(Judged { proposal: sum, verdict, calls, worth: None, capsule: None })
    }

    /// The gene with this id, as an asset.
    pub(crate) fn gene_asset(&self, id: Option<&str>) -> Option<gephost_core::gene::Gene> {
        self.genes.asset(id?)
    }
}

/// The finding of this number, from 1.
fn numbered(diagnosed: &Diagnosed, number: usize) -> Result<&Finding, AppError> {
    let findings = &diagnosed.diagnosis.findings;
    let found = number.checked_sub(1).and_then(|at| findings.get(at));
    found.ok_or_else(|| {
        let message = match findings.len() {
            0 => "there are no findings".to_owned(),
            count => format!("there is no finding {number}: they are numbered from 1 to {count}"),
        };
        AppError::usage("no_such_finding", message)
    })
}

fn gene_failed(failure: &CallError, message: String, call: &GeneCall) -> AppError {
    let recording = call.recording.as_deref();
    let again = recording.map(|id| format!("; `gephost replay {id}` runs the call again")).unwrap_or_default();
    let mut detail = serde_json::to_value(call).unwrap_or_default();
    detail["failure"] = serde_json::to_value(failure).unwrap_or_default();
    let error = match failure {
        CallError::Budget { budget, .. } => AppError::new(ErrorKind::Budget, budget.code(), message)
            .hint(format!("budgets are in the table `[budgets]` of gephost.toml{again}")),
        _ => AppError::new(ErrorKind::Failed, failure.code(), message)
            .hint(format!("report it to the gene's author, with the backtrace and the log that `-v` shows{again}")),
    };
    error.detail(detail)
}

/// The time of the newest event: where genes' clocks start. The Unix epoch if no event has a time.
fn newest(events: &[RunEvent]) -> Timestamp {
    events.iter().filter_map(|event| event.timestamp).max().unwrap_or(Timestamp::UNIX_EPOCH)
}
