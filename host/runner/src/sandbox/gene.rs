//! A gene that can be called, and the questions it can be asked.

use std::sync::{Arc, LazyLock, OnceLock};

use gephost_core::diagnosis::{Diagnosis, Finding};
use gephost_core::gene::{Manifest, World};
use gephost_core::proposal::Proposal;
use gephost_core::recording::Blob;

use super::bindings::gephost::gene::types as wit;
use super::budget::Budgets;
use super::cache::CacheOutcome;
use super::call::{Answer, Call, CallError, Question};
use super::completions::{Completions, Witness};
use super::convert;
use super::error::LoadError;
use super::granted::Granted;
use super::host::Loaded;
use super::inputs::Inputs;
use super::printable::printable;
use super::ran_in::RanIn;
use super::worker::InProcess;

/// A gene that can be called, any number of times. Each call gets a fresh instance, and a fresh process if genes run in
/// processes.
pub struct Gene {
    pub(super) prepare: Box<Prepare>,
    pub(super) ready: OnceLock<Ready>,
    pub(super) component: LazyBlob,
    pub(super) manifest: Manifest,
    /// See [`Bundled::needs_events`](crate::bundled::Bundled::needs_events).
    pub(super) needs_events: bool,
}

/// A component's bytes. Those of a bundled gene are part of the program, and are not copied.
pub(super) type LazyBlob = LazyLock<Blob, Box<dyn FnOnce() -> Blob + Send + Sync>>;

/// Compiles (or loads from the cache) and links a component of this world.
pub(super) type Prepare = dyn Fn(&Blob, World) -> Result<Ready, LoadError> + Send + Sync;

/// What a gene is called with.
pub(super) struct Ready {
    pub(super) body: Body,
    /// What the component carries for the gene's standard input.
    pub(super) input: Arc<[u8]>,
    /// Its table of lines, unread; empty if it has none.
    pub(super) lines: Box<[u8]>,
    pub(super) cache: CacheOutcome,
}

/// Where a gene runs.
pub(super) enum Body {
    InThread(Box<Loaded>),
    InProcess(InProcess),
}

impl std::fmt::Debug for Gene {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gene").field("id", &self.id()).field("cache", &self.cache()).finish_non_exhaustive()
    }
}

impl Gene {
    /// The gene's id, from its manifest.
    pub fn id(&self) -> &str {
        &self.manifest.gene.id
    }

    /// Its manifest.
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Whether it has something to diagnose in these inputs, as far as the host knows without asking it.
    pub fn has_something_to_diagnose(&self, inputs: &Inputs) -> bool {
        !self.needs_events || !inputs.run_log.is_empty()
    }

    /// The component's bytes.
    pub fn component(&self) -> &Blob {
        &self.component
    }

    /// Whether its machine code came from the cache; `None` before it was needed.
    pub fn cache(&self) -> Option<CacheOutcome> {
        self.ready.get().map(|ready| ready.cache)
    }

    /// Prepares it for calls, once.
    pub(super) fn ready(&self) -> Result<&Ready, LoadError> {
        if let Some(ready) = self.ready.get() {
            return Ok(ready);
        }
        let ready = (self.prepare)(&self.component, self.manifest.world)?;
        Ok(self.ready.get_or_init(|| ready))
    }
}

impl Gene {
    /// Asks a heuristic gene for findings.
    pub fn diagnose(&self, inputs: &Inputs, granted: &Granted, budgets: &Budgets) -> Call<Vec<Finding>> {
        let events = inputs.run_log.len() as u64;
        self.ask(&Question::Diagnose, inputs, granted, budgets).and_then(|answer| {
            let Answer::Findings { answer, explanations } = answer else {
                return Err(CallError::NotExported { interface: "diagnosis".into() });
            };
            Ok(convert::findings(self.id(), answer.map_err(gave_up)?, explanations, events)?)
        })
    }

    /// Asks a strategy gene for candidates.
    pub fn propose(
        &self,
        diagnosis: &Diagnosis,
        inputs: &Inputs,
        granted: &Granted,
        budgets: &Budgets,
    ) -> Call<Vec<Proposal>> {
        let question =
            Question::Propose { diagnosis: convert::diagnosis(diagnosis), explained: convert::explanations(diagnosis) };
        let created_at = inputs.now.to_string();
        self.ask(&question, inputs, granted, budgets).and_then(|answer| {
            let Answer::Proposals { answer, written } = answer else {
                return Err(CallError::NotExported { interface: "proposals".into() });
            };
            let answer = convert::with_written(answer.map_err(gave_up)?, written)?;
            Ok(convert::proposals(self.id(), &created_at, answer, &diagnosis.findings)?)
        })
    }

    /// The unchecked answer of the gene, from this process or from a worker.
    fn ask(&self, question: &Question, inputs: &Inputs, granted: &Granted, budgets: &Budgets) -> Call<Answer> {
        let ready = match self.ready() {
            Ok(ready) => ready,
            Err(error) => return Call::not_begun(CallError::Worker { reason: error.to_string() }),
        };
        let witness = Arc::new(Witness::new(&inputs.completions));
        let completions = Arc::clone(&witness) as Arc<dyn Completions>;
        let inputs = Inputs { completions, carried: Arc::clone(&ready.input), ..inputs.clone() };
        let call = match &ready.body {
            Body::InThread(loaded) => {
                loaded.ask(question, inputs, granted.clone(), budgets).into_call(RanIn::Thread, budgets, &ready.lines)
            }
            Body::InProcess(gene) => gene.ask(question, &inputs, granted, budgets, &ready.lines),
        };
        Call { turns: witness.take(), ..call }
    }
}

fn gave_up(error: wit::GeneError) -> CallError {
    CallError::GaveUp { code: printable(&error.code), message: printable(&error.message) }
}
