//! One run of a gene on one fixture: what it found, proposed, was refused and logged.
//!
//! A fixture is a folder with `workspace/`, the logs of an agent in `log.jsonl` (or `logs/`), and the `gephost.toml` of the
//! test. The run has a state, a user's config and a clock of its own, so it gives the same answer for every author.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use gephost_core::config::MAX_CONFIG_BYTES;
use gephost_core::gene::World;
use gephost_core::observe::UNKNOWN_FORMAT;
use gephost_core::recording::{AuditEntry, Decision};
use gephost_runner::sandbox::{Headroom, HostCalls, LogLine};
use gephost_runner::worktree::{FixtureFile, commit_fixture};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::folder::{Folder, temporary, write_whole};
use crate::cycle::{CycleOptions, Findings, Proposals};
use crate::environment::Environment;
use crate::error::AppError;
use crate::gene_call::GeneCall;
use crate::observe::LogOptions;
use crate::project::Project;
use crate::sink::{Note, Sink};

/// What a gene must answer, as a golden file holds it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Answer {
    /// The gene's own findings, if it diagnoses; else what it was asked about.
    pub findings: Vec<AnsweredFinding>,
    /// Its candidates, best first.
    pub candidates: Vec<AnsweredCandidate>,
    /// What it asked of the host and did not get, in order.
    pub refused: Vec<String>,
    /// What it logged, in order: the level, then the message.
    pub log: Vec<String>,
    /// Why the call failed; `None` if the gene answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// A finding, as golden files hold it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnsweredFinding {
    /// The id that the gene gave it.
    pub id: String,
    /// Its title.
    pub title: String,
}

/// A candidate, and the gate's verdict on it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct AnsweredCandidate {
    /// Its title.
    pub title: String,
    /// Id of the finding that it is for.
    pub finding: Option<String>,
    /// `pass`, or why the gate refuses it.
    pub verdict: Vec<String>,
    /// The change, one line of the diff each.
    pub diff: Vec<String>,
}

/// A run.
#[derive(Debug)]
pub(super) struct Run {
    /// What the gene answered.
    pub(super) answer: Answer,
    /// Where it was when a budget ran out, if that is known.
    pub(super) stopped_at: Option<String>,
    /// What its calls used of their budgets, the fullest first.
    pub(super) headroom: Vec<Headroom>,
    /// What it asked of the host, in order.
    pub(super) requests: Vec<AuditEntry>,
    /// Its calls to the host, as many as were wanted.
    pub(super) host_calls: HostCalls,
}

/// The config of a scene.
const CONFIG: &str = "gephost.toml";

/// The time in every fixture: 2026-01-01, midnight.
fn fixture_time() -> Timestamp {
    Timestamp::from_second(1_767_225_600).unwrap_or(Timestamp::UNIX_EPOCH)
}

/// What a run is made on.
#[derive(Debug)]
pub(super) struct Scene {
    /// What it is called in messages.
    pub(super) name: PathBuf,
    /// The files of the repository.
    pub(super) files: Vec<FixtureFile>,
    /// The logs of an agent.
    pub(super) logs: Vec<PathBuf>,
    /// The config, in place of one among the files.
    pub(super) config: Option<Vec<u8>>,
}

impl Scene {
    /// The scene in the folder of a fixture.
    pub(super) fn of(fixture: &Folder) -> Result<Self, AppError> {
        let has_config = fixture.has(CONFIG);
        Ok(Self {
            name: fixture.path().to_owned(),
            logs: logs(fixture)?,
            files: if fixture.has_folder("workspace") { fixture.tree("workspace")? } else { Vec::new() },
            config: has_config.then(|| fixture.read(CONFIG, MAX_CONFIG_BYTES)).transpose()?,
        })
    }
}

/// Runs a gene, a component file, on a scene. `traced_calls` of its calls to the host are kept.
pub(super) fn run(
    environment: &Environment,
    gene: &Path,
    id: &str,
    world: World,
    scene: &Scene,
    traced_calls: u32,
) -> Result<Run, AppError> {
    let place = temporary()?;
    let root = Folder::open(place.path())?;
    root.create_folder("project")?;
    let project = root.join("project");
    let mut files = scene.files.clone();
    if let Some(content) = &scene.config {
        files.retain(|file| file.path != CONFIG);
        files.push(FixtureFile { path: CONFIG.to_owned(), content: content.clone(), is_executable: false });
    }
    for file in &files {
        let path = project.join(&file.path);
        write_whole(&path, &file.content).map_err(|error| AppError::io(&path, "write", &error))?;
    }
    commit_fixture(&project, &files).map_err(|error| {
        let message = format!("{}: failed to commit the workspace: {}", scene.name.display(), error.message());
        AppError::usage("fixture", message)
    })?;
    let sink = Arc::new(Steps { sink: Arc::clone(&environment.sink), failed: Mutex::default() });
    let inside = inside(environment, root.path(), &project, Arc::clone(&sink) as Arc<dyn Sink>);
    // The author wrote the config of the scene.
    let trust = format!("[trust]\nfolders = [{:?}]\n", root.path().display().to_string());
    write_whole(&inside.user_config, trust.as_bytes())
        .map_err(|error| AppError::io(&inside.user_config, "write", &error))?;
    let options = CycleOptions {
        genes: vec![gene.display().to_string()],
        logs: LogOptions { logs: scene.logs.clone(), ..LogOptions::default() },
        traced_calls,
        ..CycleOptions::default()
    };
    // The author knows the files by where they are in the scene.
    let within = |error: AppError| {
        let message = error.message.replace(&format!("{}/", project.display()), "");
        AppError { message, ..error }
    };
    match Project::open_quietly(&inside).and_then(|opened| opened.propose(&options)) {
        Ok(proposals) => known(&proposals.findings).map(|()| answered(&proposals, id, world)),
        // That the gene failed is its answer, with what it wrote before.
        Err(error) => {
            sink.failed_call(id).map(|call| of_calls(&[&call], Answer::default())).ok_or_else(|| within(error))
        }
    }
}

/// Refuses logs of which nothing can be read: what a gene answers to them says nothing about the gene.
fn known(findings: &Findings) -> Result<(), AppError> {
    let is_unknown = findings.reading.events == 0 && findings.files.iter().all(|file| file.format == UNKNOWN_FORMAT);
    let Some(first) = findings.files.first().filter(|_| is_unknown) else { return Ok(()) };
    let message = format!("{} is no log of an agent that gephost can read", first.path);
    Err(AppError::usage("fixture", message)
        .hint(format!("see what gephost reads of it: gephost observe {}", first.path)))
}

/// Passes on which step takes a while, and keeps the calls that failed. What else a run notes is in its answer.
#[derive(Debug)]
struct Steps {
    sink: Arc<dyn Sink>,
    failed: Mutex<Vec<GeneCall>>,
}

impl Steps {
    /// The first call of a gene that failed.
    fn failed_call(&self, id: &str) -> Option<GeneCall> {
        let failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
        failed.iter().find(|call| call.gene == id).cloned()
    }
}

impl Sink for Steps {
    fn note(&self, note: Note<'_>) {
        match note {
            Note::Step(_) => self.sink.note(note),
            Note::GeneFailed(call) => {
                self.failed.lock().unwrap_or_else(PoisonError::into_inner).push(call.clone());
            }
            Note::Warning(_) | Note::Info(_) => {}
        }
    }
}

/// The author's environment with nothing of the author's own state.
fn inside(environment: &Environment, root: &Path, project: &Path, sink: Arc<dyn Sink>) -> Environment {
    Environment {
        directory: project.to_owned(),
        state: root.join("state"),
        user_config: root.join("config.toml"),
        config_home: root.join("config"),
        data_home: root.join("data"),
        offline: true,
        assets: None,
        clock: fixture_time,
        sink,
        ..environment.clone()
    }
}

fn logs(fixture: &Folder) -> Result<Vec<PathBuf>, AppError> {
    if fixture.has("log.jsonl") {
        return Ok(vec![fixture.join("log.jsonl")]);
    }
    if fixture.has_folder("logs") {
        return Ok(vec![fixture.join("logs")]);
    }
    let message = format!("{} has no log: neither log.jsonl nor logs/", fixture.path().display());
    Err(AppError::usage("fixture", message).hint("put the log of an agent there"))
}

fn answered(proposals: &Proposals, id: &str, world: World) -> Run {
    let (findings, proposed) = (&proposals.findings, &proposals.proposed);
    let calls: Vec<&GeneCall> =
        findings.diagnosed.calls.iter().chain(&proposed.calls).filter(|call| call.gene == id).collect();
    let is_own = |gene: &str| !world.diagnoses() || gene == id;
    let answer = Answer {
        findings: findings
            .diagnosed
            .diagnosis
            .findings
            .iter()
            .filter(|finding| is_own(&finding.gene))
            .map(|finding| AnsweredFinding { id: finding.id.clone(), title: finding.title.clone() })
            .collect(),
        candidates: proposed
            .candidates
            .iter()
            .map(|judged| AnsweredCandidate {
                title: judged.proposal.title.clone(),
                finding: judged.proposal.diagnosis_ref.clone(),
                verdict: verdict(judged),
                diff: judged.verdict.diff().lines().map(str::to_owned).collect(),
            })
            .collect(),
        ..Answer::default()
    };
    of_calls(&calls, answer)
}

/// The run of these calls, with what the answer has of the host's side.
fn of_calls(calls: &[&GeneCall], answer: Answer) -> Run {
    let answer = Answer {
        refused: calls.iter().flat_map(|call| refused(call)).collect(),
        log: calls.iter().flat_map(|call| call.log.iter().map(log_line)).collect(),
        error: calls.iter().find_map(|call| call.failure.as_ref().map(ToString::to_string)),
        ..answer
    };
    let mut headroom: Vec<Headroom> = calls.iter().flat_map(|call| call.headroom.iter().copied()).collect();
    headroom.sort_by(|a, b| b.share().total_cmp(&a.share()));
    let requests = calls.iter().flat_map(|call| call.audit.entries.iter().cloned()).collect();
    let host_calls = HostCalls {
        calls: calls.iter().flat_map(|call| call.host_calls.calls.iter().cloned()).collect(),
        omitted: calls.iter().map(|call| call.host_calls.omitted).sum(),
    };
    let stopped_at = calls.iter().find_map(|call| call.failure.as_ref()?.stopped_at());
    Run { answer, stopped_at, headroom, requests, host_calls }
}

fn verdict(judged: &crate::stages::Judged) -> Vec<String> {
    let reasons: Vec<String> = judged.verdict.reasons().map(ToString::to_string).collect();
    if reasons.is_empty() { vec!["pass".to_owned()] } else { reasons }
}

fn refused(call: &GeneCall) -> impl Iterator<Item = String> {
    let entries = call.audit.entries.iter().filter(|entry| entry.decision != Decision::Granted);
    entries
        .map(|entry| format!("{} {} {}: {}", entry.capability, entry.function, entry.target, entry.decision.as_str()))
}

fn log_line(line: &LogLine) -> String {
    format!("{} {}", line.level.as_str(), line.message)
}
