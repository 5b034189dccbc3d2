//! A call as a document and the blobs that it names. Costs hashing, and copies nothing large: what was read is shared.

use std::collections::BTreeMap;

use gephost_core::diagnosis::{Diagnosis, Finding};
use gephost_core::gene::{Capability, Settings};
use gephost_core::proposal::{Proposal, Status};
use gephost_core::recording::{Blob, CallResult, Digest};
use serde::Serialize;

use super::document::{Function, Limits, Measured, RecordedTurn, Recording};
use super::listing::{Asked, Known, Listing, names};
use crate::sandbox::{Budgets, Call, CallError, Gene, Granted, Inputs, Turn, Usage, Workspace};

/// The most bytes of one recording's blobs; beyond it the files are left out and the recording says so.
const MAX_TAKEN_BYTES: usize = 256 << 20;
/// What runs the machine code: the version that the workspace's manifest pins.
pub(super) const ENGINE: &str = "wasmtime 48.0.8";

/// A recording that is not written yet.
#[derive(Debug, Clone)]
pub struct Taken {
    pub(super) recording: Recording,
    pub(super) blobs: BTreeMap<Digest, Blob>,
}

/// What a call was made with.
#[derive(Debug, Clone, Copy)]
pub struct Terms<'a> {
    /// What the gene was given.
    pub inputs: &'a Inputs,
    /// What it was granted.
    pub granted: &'a Granted,
    /// What it might use.
    pub budgets: &'a Budgets,
}

impl Taken {
    /// A call of `diagnose`.
    pub fn diagnosis(gene: &Gene, terms: Terms<'_>, call: &Call<Vec<Finding>>) -> serde_json::Result<Self> {
        let answer = answer(&call.result, serde_json::to_vec)?;
        Self::new(gene, Function::Diagnose, terms, None, answer, call)
    }

    /// A call of `propose`.
    pub fn proposals(
        gene: &Gene,
        terms: Terms<'_>,
        question: &Diagnosis,
        call: &Call<Vec<Proposal>>,
    ) -> serde_json::Result<Self> {
        let answer = answer(&call.result, |proposals| Ok(written(proposals)))?;
        Self::new(gene, Function::Propose, terms, Some(question), answer, call)
    }

    /// The document.
    pub fn recording(&self) -> &Recording {
        &self.recording
    }

    fn new<T>(
        gene: &Gene,
        function: Function,
        terms: Terms<'_>,
        question: Option<&Diagnosis>,
        answer: Vec<u8>,
        call: &Call<T>,
    ) -> serde_json::Result<Self> {
        let mut blobs = Gathered::default();
        let component = blobs.add(gene.component().clone());
        let run_log = blobs.add(terms.inputs.run_log.written()?);
        let history = blobs.json(&terms.inputs.history)?;
        let coverage =
            terms.granted.has(Capability::Coverage).then(|| blobs.json(&terms.inputs.coverage)).transpose()?;
        let question = question.map(|diagnosis| blobs.json(diagnosis)).transpose()?;
        let result = result_of(call, &answer)?;
        blobs.add(answer.into());
        let turn = |turn: &Turn| {
            Ok(RecordedTurn { asked: turn.asked, sent: blobs.json(&turn.sent)?, answer: blobs.json(&turn.answer)? })
        };
        let turns = call.turns.iter().map(turn).collect::<serde_json::Result<_>>()?;
        let listing = blobs.listing(&terms.inputs.workspace)?;
        let workspace = blobs.json(&listing)?;
        let recording = Recording {
            schema: Recording::schema(),
            gephost: env!("CARGO_PKG_VERSION").to_owned(),
            engine: ENGINE.to_owned(),
            gene: gene.id().to_owned(),
            function,
            component,
            granted: terms.granted.clone(),
            budgets: Limits::of(terms.budgets),
            seed: terms.inputs.seed,
            settings: Settings::clone(&terms.inputs.settings),
            now: terms.inputs.now.to_string(),
            run_log,
            history,
            coverage,
            workspace,
            question,
            turns,
            result,
            left_out: blobs.left_out,
            measured: Measured { at: String::new(), wall_us: call.usage.wall_us },
        };
        Ok(Self { recording, blobs: blobs.blobs })
    }
}

/// Blobs on their way into a recording.
#[derive(Debug, Default)]
struct Gathered {
    blobs: BTreeMap<Digest, Blob>,
    bytes: usize,
    left_out: Option<String>,
}

impl Gathered {
    fn add(&mut self, blob: Blob) -> Digest {
        let digest = blob.digest();
        self.bytes = self.bytes.saturating_add(blob.bytes().len());
        if self.bytes <= MAX_TAKEN_BYTES {
            self.blobs.insert(digest, blob);
        } else {
            let limit = MAX_TAKEN_BYTES >> 20;
            self.left_out = Some(format!("the call was given more than {limit} MiB, which is too much to keep"));
        }
        digest
    }

    fn json(&mut self, value: &impl Serialize) -> serde_json::Result<Digest> {
        Ok(self.add(serde_json::to_vec(value)?.into()))
    }

    /// Every name that the gene could see, and what it and those before it in the run asked for.
    fn listing(&mut self, workspace: &Workspace) -> serde_json::Result<Listing> {
        let names = self.add(workspace.written_names(names)?);
        let mut asked = BTreeMap::new();
        for (path, witnessed) in workspace.witnessed() {
            let file = Asked {
                size: witnessed.size.map(Known::from),
                content: witnessed.content.map(|content| content.map(|bytes| self.add(bytes)).into()),
                target: witnessed.target.map(Known::from),
            };
            asked.insert(path.as_str().to_owned(), file);
        }
        let refused = workspace.refused().iter().map(|path| path.as_str().to_owned()).collect();
        Ok(Listing { names, asked, refused })
    }
}

/// The answer or the error, as written.
pub(super) fn answer<T>(
    result: &Result<T, CallError>,
    write: impl FnOnce(&T) -> serde_json::Result<Vec<u8>>,
) -> serde_json::Result<Vec<u8>> {
    match result {
        Ok(answer) => write(answer),
        Err(error) => serde_json::to_vec(error),
    }
}

/// Proposals as they are saved, one after the other.
pub(super) fn written(proposals: &[Proposal]) -> Vec<u8> {
    let texts: Vec<String> = proposals.iter().map(|proposal| proposal.to_json(&Status::default())).collect();
    format!("[{}]", texts.join(",\n")).into_bytes()
}

/// The result of a call, as far as a second run must have the same.
pub(super) fn result_of<T>(call: &Call<T>, answer: &[u8]) -> serde_json::Result<CallResult> {
    Ok(CallResult {
        audit: call.audit.clone(),
        outcome: outcome(&call.result).to_owned(),
        answer: Digest::of(answer),
        log: Digest::of(&serde_json::to_vec(&call.log)?),
        used: used(&call.usage),
    })
}

fn outcome<T>(result: &Result<T, CallError>) -> &'static str {
    match result {
        Ok(_) => "answered",
        Err(CallError::Budget { .. }) => "budget",
        Err(CallError::Trap { .. }) => "trap",
        Err(CallError::GaveUp { .. }) => "gave_up",
        Err(CallError::Stopped { .. }) => "stopped",
        Err(CallError::Worker { .. }) => "worker",
        Err(CallError::Invalid { .. }) => "invalid",
        Err(CallError::NotExported { .. }) => "not_exported",
    }
}

/// The counts that do not depend on the machine.
fn used(usage: &Usage) -> BTreeMap<String, u64> {
    let counts = [
        ("fuel", usage.fuel),
        ("memory", usage.memory),
        ("table_elements", usage.table_elements),
        ("output", usage.output),
        ("log_lines", usage.log_lines),
        ("host_calls", usage.host_calls),
        ("host_bytes", usage.host_bytes),
        ("handles", usage.handles),
    ];
    counts.map(|(name, count)| (name.to_owned(), count)).into()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_engine_is_the_one_that_the_manifest_pins() {
        let manifest = include_str!("../../../../Cargo.toml");
        let version = super::ENGINE.rsplit(' ').next().unwrap();
        assert!(manifest.contains(&format!("wasmtime = {{ version = \"={version}\"")), "{version}");
    }
}
