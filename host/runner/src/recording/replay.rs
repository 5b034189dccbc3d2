//! Running a recorded call again, from the recording only.
//!
//! The component of a foreign recording is as little trusted as any: it passes the same checks and runs in the same
//! sandbox. What it asks for is answered from the recording; the present repository has no part in it.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use gephost_core::diagnosis::Diagnosis;
use gephost_core::model::{Question, Unanswered};
use gephost_core::path::RepoPath;
use gephost_core::recording::{Blob, CallResult, Difference, Digest, compare};
use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::document::{Function, RecordedTurn, Recording, RecordingError};
use super::listing::{Asked, Checked, Known, Listing};
use super::taken::{ENGINE, answer, result_of, written};
use super::{BlobError, Blobs};
use crate::sandbox::{
    Attempt, Call, CallError, Completed, Completions, ContentError, Coverage, Files, Gene, Inputs, LoadError, LogLine,
    ReadFailure, RunLog, Sandbox, Turn, Workspace, question_digest,
};

/// The result of a second run.
#[derive(Debug)]
pub struct Replayed {
    /// Where it differs from the first; empty where it does not.
    pub differences: Vec<Difference>,
    /// What the reader should know of the two hosts, which may explain a difference.
    pub notes: Vec<String>,
    /// The result of the call.
    pub result: CallResult,
    /// What the gene answered or why it failed, and what it wrote.
    pub told: Told,
}

/// What a call told, as far as only its digest is kept.
#[derive(Debug)]
pub struct Told {
    /// The answer as JSON; none if it failed.
    pub answer: Option<Value>,
    /// Why it failed.
    pub failure: Option<CallError>,
    /// What it logged and printed.
    pub log: Vec<LogLine>,
}

/// Why a recording cannot be run again.
#[derive(Debug, thiserror::Error)]
pub enum ReplayError {
    /// Something was too large to keep.
    #[error("it was kept without its files and cannot be run again: {0}")]
    LeftOut(String),
    /// Bytes that it names.
    #[error(transparent)]
    Blob(#[from] BlobError),
    /// Its own text.
    #[error(transparent)]
    Recording(#[from] RecordingError),
    /// Its component.
    #[error("its component does not load in this gephost: {0}")]
    Load(#[from] LoadError),
    /// The result cannot be written down.
    #[error("its outcome cannot be written: {0}")]
    Outcome(#[from] serde_json::Error),
}

/// Runs a recorded call again and says where it differs. With `other`, another component gets the same question.
pub fn replay(
    sandbox: &Sandbox,
    recording: &Recording,
    blobs: &Arc<dyn Blobs>,
    other: Option<Blob>,
) -> Result<Replayed, ReplayError> {
    if let Some(reason) = &recording.left_out {
        return Err(ReplayError::LeftOut(reason.clone()));
    }
    let is_other = other.is_some();
    let component = match other {
        Some(component) => component,
        None => Blob::known(blobs.get(&recording.component)?, recording.component),
    };
    let gene = sandbox.load_shared(component)?;
    let inputs = inputs(recording, blobs)?;
    let (result, told) = run(&gene, recording, &inputs, blobs)?;
    let mut notes = notes(recording);
    if is_other {
        notes.push("another component: it finds only the files that the recorded call read".to_owned());
    }
    Ok(Replayed { differences: compare(&recording.result, &result), notes, result, told })
}

fn run(
    gene: &Gene,
    recording: &Recording,
    inputs: &Inputs,
    blobs: &Arc<dyn Blobs>,
) -> Result<(CallResult, Told), ReplayError> {
    let (granted, budgets) = (&recording.granted, recording.budgets.budgets());
    Ok(match (recording.function, &recording.question) {
        (Function::Diagnose, _) => {
            let call = gene.diagnose(inputs, granted, &budgets);
            let answer = answer(&call.result, serde_json::to_vec)?;
            (result_of(&call, &answer)?, told(call, &answer)?)
        }
        (Function::Propose, Some(question)) => {
            let diagnosis: Diagnosis = json(blobs.as_ref(), question)?;
            let call = gene.propose(&diagnosis, inputs, granted, &budgets);
            let answer = answer(&call.result, |proposals| Ok(written(proposals)))?;
            (result_of(&call, &answer)?, told(call, &answer)?)
        }
        (Function::Propose, None) => {
            return Err(RecordingError::Malformed("a call of `propose` without its diagnosis".to_owned()).into());
        }
    })
}

fn told<T>(call: Call<T>, answer: &[u8]) -> serde_json::Result<Told> {
    let answered = call.result.is_ok().then(|| serde_json::from_slice(answer)).transpose()?;
    Ok(Told { answer: answered, failure: call.result.err(), log: call.log })
}

fn inputs(recording: &Recording, blobs: &Arc<dyn Blobs>) -> Result<Inputs, ReplayError> {
    let malformed = |text: String| RecordingError::Malformed(text);
    let run_log = RunLog::from_json(&blobs.get(&recording.run_log)?).map_err(malformed)?;
    let history: Vec<Attempt> = json(blobs.as_ref(), &recording.history)?;
    let coverage: Option<Coverage> = recording.coverage.map(|digest| json(blobs.as_ref(), &digest)).transpose()?;
    let now: Timestamp = recording.now.parse().map_err(|error: jiff::Error| malformed(error.to_string()))?;
    let listing = Listing::from_json(&blobs.get(&recording.workspace)?)?;
    let names = blobs.get(&listing.names)?;
    let Checked { files, asked, refused } = listing.checked(&names)?;
    let recorded = Arc::new(RecordedFiles { asked, blobs: Arc::clone(blobs) });
    Ok(Inputs {
        run_log: Arc::new(run_log),
        workspace: Arc::new(Workspace::new(recorded, files, move |path| !refused.contains(path))),
        history: history.into(),
        coverage: Arc::new(coverage.unwrap_or_default()),
        now,
        seed: recording.seed,
        settings: Arc::new(recording.settings.clone()),
        carried: Arc::default(),
        completions: Arc::new(RecordedAnswers::of(recording, blobs.as_ref())?),
    })
}

fn json<T: DeserializeOwned>(blobs: &dyn Blobs, digest: &Digest) -> Result<T, ReplayError> {
    let bytes = blobs.get(digest)?;
    let value = serde_json::from_slice(&bytes);
    Ok(value.map_err(|error| RecordingError::Malformed(error.to_string()))?)
}

/// What may explain a difference.
fn notes(recording: &Recording) -> Vec<String> {
    let mut notes = Vec::new();
    let this = env!("CARGO_PKG_VERSION");
    if recording.gephost != this {
        notes.push(format!("recorded by gephost {}, and this is {this}", recording.gephost));
    }
    if recording.engine != ENGINE {
        notes.push(format!("recorded with {}, and this is {ENGINE}", recording.engine));
    }
    if recording.result.outcome == "worker" {
        notes.push("the call's worker process failed: why it did is not in the recording".to_owned());
    }
    if recording.result.outcome == "budget" {
        notes.push("the call ended at a budget: wall time depends on the machine".to_owned());
    }
    notes
}

/// The answers of a recording, in order. Nobody else is asked.
#[derive(Debug)]
struct RecordedAnswers {
    turns: Vec<Turn>,
    next: AtomicUsize,
}

impl RecordedAnswers {
    fn of(recording: &Recording, blobs: &dyn Blobs) -> Result<Self, ReplayError> {
        let turn = |turn: &RecordedTurn| {
            Ok(Turn { asked: turn.asked, sent: json(blobs, &turn.sent)?, answer: json(blobs, &turn.answer)? })
        };
        let turns = recording.turns.iter().map(turn).collect::<Result<_, ReplayError>>()?;
        Ok(Self { turns, next: AtomicUsize::new(0) })
    }
}

impl Completions for RecordedAnswers {
    fn complete(&self, question: &Question) -> Completed {
        let turn = self.turns.get(self.next.fetch_add(1, Ordering::Relaxed));
        let answer = match turn.filter(|turn| turn.asked == question_digest(question)) {
            Some(turn) => turn.answer.clone(),
            None => Err(Unanswered::nobody("not in the recording: the recorded call did not ask this here")),
        };
        Completed { sent: question.clone(), answer }
    }
}

/// The files of a recording. One that was never read is not in it.
#[derive(Debug)]
struct RecordedFiles {
    asked: BTreeMap<RepoPath, Asked>,
    blobs: Arc<dyn Blobs>,
}

impl RecordedFiles {
    fn known<T>(&self, path: &RepoPath, part: impl Fn(&Asked) -> Option<Known<T>>) -> Result<T, ReadFailure> {
        let never_asked =
            || ReadFailure::Failed("not in the recording: the recorded call never asked for it".to_owned());
        self.asked.get(path).and_then(part).ok_or_else(never_asked)?.into()
    }
}

impl Files for RecordedFiles {
    fn size(&self, path: &RepoPath) -> Result<u64, ReadFailure> {
        self.known(path, |file| file.size.clone())
    }

    fn read(&self, path: &RepoPath) -> Result<Arc<[u8]>, ReadFailure> {
        let digest = self.known(path, |file| file.content.clone())?;
        self.blobs.get(&digest).map_err(|error| ReadFailure::Failed(error.to_string()))
    }

    /// Of a file that was too large to be read, the recording has the size only.
    fn read_at_most(&self, path: &RepoPath, most: u64) -> Result<Arc<[u8]>, ContentError> {
        match self.asked.get(path) {
            Some(Asked { content: None, size: Some(Known::Is(size)), .. }) if *size > most => {
                Err(ContentError::TooLarge(*size))
            }
            _ => self.read(path).map_err(ContentError::Source),
        }
    }

    fn link_target(&self, path: &RepoPath) -> Result<String, ReadFailure> {
        self.known(path, |file| file.target.clone())
    }
}
