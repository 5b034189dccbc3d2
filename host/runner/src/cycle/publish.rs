//! Stage apply: an approved change becomes a commit, is validated in work copies, and is published as a branch, or
//! nothing of it stays.
//!
//! Order, and what is true when it stops in between (invariant 5): the intent is in the log and synced before the first
//! object is written; a commit that nothing names is no change; the branch is one compare-and-swap; the outcome follows.
//! A next start finds an intent without an outcome, looks whether the branch is there, and says which it was.

use std::ffi::OsString;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use gephost_core::capsule::{Capsule, CapsuleDraft};
use gephost_core::command::ValidationCommand;
use gephost_core::config::Config;
use gephost_core::digest::AssetError;
use gephost_core::evaluate::{Evaluation, confidence, count_tests, evaluate};
use gephost_core::event_log::EntryBody;
use gephost_core::evolution_event::{EventDraft, EvolutionEvent};
use gephost_core::gate::Approved;
use gephost_core::gene::{Category, Gene as GeneAsset};
use gephost_core::proposal::Proposal;
use gephost_core::redact::Redactor;
use gephost_core::validation::{CommandRun, ReportDraft, RunResult, ValidationReport};
use jiff::Timestamp;
use serde_json::{Map, json};

use crate::event_log::{EventLog, LogError};
use crate::registry::{Registry, RegistryError};
use crate::state::StateFolder;
use crate::validate::{self, CaptureLimit, CommandResult, End, Limits, Validator};
use crate::worktree::{
    ApplyError, CommitMessage, Committed, Identity, IdentityError, Project, PublishError, Published, WorkCopyError,
    WorkFolder, apply, branch_name, publish,
};

/// What a command may write to one file, in bytes.
const MAX_FILE_BYTES: u64 = 1 << 30;
/// What is kept of each output stream of a command, in bytes, from its beginning and its end.
const KEPT_OUTPUT: CaptureLimit = CaptureLimit { head: 256 << 10, tail: 256 << 10 };

/// What publishing works with. Every authority it has is here.
pub struct Publisher<'a> {
    /// The repository.
    pub project: &'a Project,
    /// The operator's config. Its locks have been looked at.
    pub config: &'a Config,
    /// Where work copies and the log lie.
    pub state: &'a StateFolder,
    /// The log.
    pub log: &'a EventLog,
    /// The assets.
    pub registry: &'a Registry,
    /// Who wants it: the person's name.
    pub operator: &'a str,
    /// The search path of validation commands.
    pub path: OsString,
    /// Set when the person interrupts.
    pub interrupted: &'a AtomicBool,
    /// The clock.
    pub clock: fn() -> Timestamp,
}

/// What is published, beside the approved change itself.
pub struct Intent<'a> {
    /// The proposal that was approved.
    pub proposal: &'a Proposal,
    /// The change.
    pub approved: &'a Approved,
    /// The commands that shall hold: the operator's, then the proposal's.
    pub commands: &'a [ValidationCommand],
    /// The gene that proposed it, as an asset; absent for a proposal that a person brought.
    pub gene: Option<&'a GeneAsset>,
    /// Signals that it answers.
    pub signals: &'a [String],
}

/// What became of it.
#[derive(Debug)]
pub struct Ended {
    /// What the commands showed.
    pub evaluation: Evaluation,
    /// The runs.
    pub runs: Vec<CommandRun>,
    /// The branch, where the change held.
    pub published: Option<Published>,
    /// Id of the validation report.
    pub report: String,
    /// Id of the evolution event.
    pub event: String,
}

/// Why nothing was published, for a reason that is not the change's.
#[derive(Debug, thiserror::Error)]
pub enum PublishingError {
    /// The log cannot be written, so nothing else was.
    #[error(transparent)]
    Log(#[from] LogError),
    /// The assets cannot be written.
    #[error(transparent)]
    Registry(#[from] RegistryError),
    /// An asset cannot be made.
    #[error("failed to make an asset: {0}")]
    Asset(#[from] AssetError),
    /// The commit cannot be made.
    #[error(transparent)]
    Apply(#[from] ApplyError),
    /// The branch cannot be made.
    #[error(transparent)]
    Publish(#[from] PublishError),
    /// A work copy cannot be made.
    #[error(transparent)]
    WorkCopy(#[from] WorkCopyError),
    /// The config names nobody.
    #[error("`apply.author_name` or `apply.author_email`: {0}")]
    Identity(#[from] IdentityError),
    /// The person interrupted.
    #[error("interrupted during validation; nothing was published")]
    Interrupted,
}

impl Publisher<'_> {
    /// Makes the commit, validates it, and publishes it if it holds. Whatever happens, the log says how it ended.
    pub fn publish(&mut self, intent: &Intent<'_>) -> Result<Ended, PublishingError> {
        let at = (self.clock)();
        let branch = branch_name(at, &intent.proposal.title);
        self.append(EntryBody::ApplyIntent {
            proposal: intent.approved.proposal_id().to_owned(),
            operator: self.operator.to_owned(),
            base_commit: intent.approved.base_commit().to_owned(),
            branch: branch.clone(),
        })?;
        let ended = self.carry_out(intent, at, &branch);
        if let Err(error) = &ended {
            self.append(EntryBody::ApplyFailed {
                proposal: intent.approved.proposal_id().to_owned(),
                reason: self.clean(&error.to_string()),
            })?;
        }
        ended
    }

    fn carry_out(&mut self, intent: &Intent<'_>, at: Timestamp, branch: &str) -> Result<Ended, PublishingError> {
        let ids = Ids::new(at);
        let committed = self.commit(intent, at, &ids)?;
        let runs = self.validate(intent, &committed)?;
        let evaluation = evaluate(&runs);
        let report = ValidationReport::record(&ReportDraft {
            id: ids.report.clone(),
            gene_id: intent.gene.map(|gene| gene.id.clone()).unwrap_or_default(),
            commands: &runs,
            decision: evaluation.decision.as_str(),
            overall_ok: evaluation.decision.is_success(),
        })?;
        self.append(EntryBody::ValidationFinished {
            proposal: intent.approved.proposal_id().to_owned(),
            report: report.id.clone(),
            decision: evaluation.decision.as_str().to_owned(),
            success: evaluation.decision.is_success(),
        })?;
        let published = self.finish(intent, &evaluation, &committed, branch)?;
        self.record(intent, &ids, &evaluation, &report)?;
        Ok(Ended { evaluation, runs, published, report: ids.report, event: ids.event })
    }

    fn commit(&self, intent: &Intent<'_>, at: Timestamp, ids: &Ids) -> Result<Committed, PublishingError> {
        let risk = intent.approved.risk_score().to_string();
        let gene = intent.gene.map(|gene| gene.id.as_str()).unwrap_or_default();
        let trailers = [
            ("Gephost-Proposal", intent.approved.proposal_id()),
            ("Gephost-Event", ids.event.as_str()),
            ("Gephost-Gene", gene),
            ("Gephost-Risk", risk.as_str()),
            ("Gephost-Operator", self.operator),
        ];
        let message =
            CommitMessage::new(&self.clean(&intent.proposal.title), &self.clean(&intent.proposal.objective), &trailers);
        let table = &self.config.file.apply;
        let identity = Identity::new(&table.author_name, &table.author_email, at)?;
        Ok(apply(self.project, intent.approved, &message, &identity)?)
    }

    fn validate(&self, intent: &Intent<'_>, committed: &Committed) -> Result<Vec<CommandRun>, PublishingError> {
        if intent.commands.is_empty() {
            return Ok(Vec::new());
        }
        let folder = WorkFolder::open(&self.state.work())?;
        let before = folder.copy(self.project, committed.base())?;
        let after = folder.copy(self.project, committed.commit())?;
        let environment = [
            (OsString::from("PATH"), self.path.clone()),
            (OsString::from("LANG"), OsString::from("C.UTF-8")),
            (OsString::from("PYTHONDONTWRITEBYTECODE"), OsString::from("1")),
            (OsString::from("NO_COLOR"), OsString::from("1")),
        ];
        let time = Duration::from_secs(self.config.policy.timeout_s());
        let limits = Limits { time, output: KEPT_OUTPUT, file_bytes: MAX_FILE_BYTES };
        let validator = Validator { environment: &environment, limits, interrupt: self.interrupted };
        let results = validator.validate(intent.commands, Some(&before), &after);
        if self.interrupted.load(Ordering::Relaxed) {
            return Err(PublishingError::Interrupted);
        }
        let mut redactor = self.config.policy.redactor();
        let pairs = results.into_iter().zip(intent.commands);
        Ok(pairs.map(|(result, command)| command_run(result, command, &mut redactor)).collect())
    }

    /// Publishes what held. What did not hold is a commit that nothing names.
    fn finish(
        &mut self,
        intent: &Intent<'_>,
        evaluation: &Evaluation,
        committed: &Committed,
        branch: &str,
    ) -> Result<Option<Published>, PublishingError> {
        let proposal = intent.approved.proposal_id().to_owned();
        if !evaluation.decision.is_success() {
            let reason = format!("validation: {}", evaluation.decision);
            self.append(EntryBody::ApplyFailed { proposal, reason })?;
            return Ok(None);
        }
        let published = publish(self.project, committed, branch)?;
        self.append(EntryBody::Applied {
            proposal,
            branch: published.branch.clone(),
            commit: published.commit.clone(),
            blast_radius: intent.approved.blast_radius(),
        })?;
        Ok(Some(published))
    }

    /// Writes the assets: the gene, the report's ids, a capsule or a failed capsule, and the event.
    fn record(
        &self,
        intent: &Intent<'_>,
        ids: &Ids,
        evaluation: &Evaluation,
        report: &ValidationReport,
    ) -> Result<(), PublishingError> {
        let success = evaluation.decision.is_success();
        let radius = intent.approved.blast_radius();
        let gene = intent.gene.map_or_else(|| "operator".to_owned(), |gene| gene.id.clone());
        let capsule = Capsule::record(&CapsuleDraft {
            id: ids.capsule.clone(),
            trigger: intent.signals.to_vec(),
            gene: gene.clone(),
            summary: self.clean(&format!("{}: {}", intent.proposal.title, intent.proposal.objective)),
            confidence: if success { confidence(radius, 1.0) } else { 0.0 },
            blast_radius: radius,
            outcome: evaluation.outcome,
            success_streak: u64::from(success),
            env_fingerprint: fingerprint((self.clock)()),
            eligible_to_broadcast: false,
            validation_errors: evaluation.errors.iter().map(|line| self.clean(line)).collect(),
        })?;
        let event = EvolutionEvent::record(&EventDraft {
            id: ids.event.clone(),
            parent: self.registry.events()?.last().map(|event| event.id.clone()),
            intent: intent.gene.map_or_else(|| Category::of("repair"), |gene| gene.category.clone()),
            signals: intent.signals.to_vec(),
            genes_used: vec![gene],
            blast_radius: radius,
            outcome: evaluation.outcome,
            capsule_id: Some(ids.capsule.clone()),
            validation_report_id: Some(report.id.clone()),
            at: (self.clock)(),
        })?;
        if let Some(gene) = intent.gene {
            self.registry.put_gene(gene)?;
        }
        if success {
            self.registry.put_capsule(&capsule)?;
        } else {
            self.registry.put_failed_capsule(&capsule)?;
        }
        self.registry.put_report(report)?;
        self.registry.append_event(&event)?;
        Ok(())
    }

    /// A text for the log and for assets, without secrets.
    fn clean(&self, text: &str) -> String {
        self.config.policy.redactor().redact(text).into_owned()
    }

    fn append(&mut self, body: EntryBody) -> Result<(), LogError> {
        self.log.append((self.clock)(), &body)?;
        Ok(())
    }
}

/// The ids of one apply, from its time in milliseconds as the protocol's tools write them.
struct Ids {
    capsule: String,
    event: String,
    report: String,
}

impl Ids {
    fn new(at: Timestamp) -> Self {
        let at = at.as_millisecond();
        Self { capsule: format!("capsule_{at}"), event: format!("evt_{at}"), report: format!("vr_{at}") }
    }
}

fn command_run(result: CommandResult, command: &ValidationCommand, redactor: &mut Redactor) -> CommandRun {
    let mut judge = |run| run_result(run, command, redactor);
    CommandRun {
        text: result.command,
        before: result.before.map(&mut judge),
        after: result.after.map(&mut judge).unwrap_or_default(),
    }
}

fn run_result(
    run: Result<validate::CommandRun, validate::RunError>,
    command: &ValidationCommand,
    redactor: &mut Redactor,
) -> RunResult {
    match run {
        Ok(run) => {
            let (stdout, stderr) = (run.stdout.text(), run.stderr.text());
            RunResult {
                exit: match run.end {
                    End::Exited(code) => Some(code),
                    End::Signaled(signal) => Some(128 + signal),
                    End::TimedOut | End::Interrupted => None,
                },
                timed_out: run.end == End::TimedOut,
                tests: count_tests(command.argv(), &stdout, &stderr),
                stdout: redactor.redact(&stdout).into_owned(),
                stderr: redactor.redact(&stderr).into_owned(),
                duration_ms: u64::try_from(run.duration.as_millis()).unwrap_or(u64::MAX),
            }
        }
        Err(error) => RunResult { stderr: redactor.redact(&error.to_string()).into_owned(), ..RunResult::default() },
    }
}

/// What seed 001 wants to know of the machine.
fn fingerprint(at: Timestamp) -> Map<String, serde_json::Value> {
    let uname = rustix::system::uname();
    let mut map = Map::new();
    map.insert("platform".to_owned(), json!(std::env::consts::OS));
    map.insert("arch".to_owned(), json!(std::env::consts::ARCH));
    map.insert("os_release".to_owned(), json!(uname.release().to_string_lossy()));
    map.insert("gephost_version".to_owned(), json!(env!("CARGO_PKG_VERSION")));
    map.insert("cwd".to_owned(), json!("."));
    map.insert("captured_at".to_owned(), json!(at.to_string()));
    map
}
