//! Whether a capsule's change really comes out of its gene: the recorded call is run again in the sandbox, and what it
//! proposes must be the capsule's change and pass the gate. Claims are cheap, replays are not.

use std::collections::BTreeMap;

use gephost_core::capsule::Capsule;
use gephost_core::config::Config;
use gephost_core::gate::{Base, BaseEntry, BlobState, FileMode, GeneHistory, ParsedChange, review};
use gephost_core::policy::Policy;
use gephost_runner::recording::{self, Blobs, Recording, ReplayError, Store};
use gephost_runner::sandbox::Sandbox;

use crate::error::AppError;
use crate::project::Project;

/// What the commit of a replayed base is called: the recording knows files, and no commit.
const REPLAYED: &str = "replay";
/// What a replayed change may touch: the policy of the repository that it was made for is not known.
const POLICY: &str = "[policy]\nallow = [\"**\"]\n";
/// Most recordings that are searched for the one that a capsule came from.
const MAX_SEARCHED: usize = 500;

/// What a replay came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Replay {
    /// The same call gave the capsule's change, and it passed the gate.
    Confirmed,
    /// It did not.
    Refuted(String),
    /// It could not be run again.
    Impossible(String),
}

/// Runs the recording of a capsule again. `component` is the digest that its gene states.
pub fn replay(sandbox: &Sandbox, recording: &[u8], component: &str, gene: &str, capsule: &Capsule) -> Replay {
    let (recording, blobs) = match recording::unpack(recording) {
        Ok(unpacked) => unpacked,
        Err(error) => return Replay::Impossible(error.to_string()),
    };
    let stated = recording.component.to_string();
    if stated != component {
        return Replay::Refuted(format!("the recording is of the component {stated}, and the gene has {component}"));
    }
    if recording.gene != gene {
        return Replay::Refuted(format!("the recording is of the gene {:?}, and not of {gene:?}", recording.gene));
    }
    // What is claimed is compared before anything runs: it costs nothing.
    match gives(&recording, blobs.as_ref(), capsule) {
        Ok(Some(reason)) => return Replay::Refuted(reason),
        Ok(None) => {}
        Err(error) => return Replay::Impossible(error.to_string()),
    }
    match recording::replay(sandbox, &recording, &blobs, None) {
        Ok(replayed) if replayed.differences.is_empty() => Replay::Confirmed,
        Ok(replayed) => {
            let first = replayed.differences.first().map(ToString::to_string).unwrap_or_default();
            Replay::Refuted(format!("the second run differs from the recorded one: {first}"))
        }
        Err(error) => Replay::Impossible(error.to_string()),
    }
}

/// Why the recorded answer does not give the capsule's change through the gate; `None` if it does.
fn gives(recording: &Recording, blobs: &dyn Blobs, capsule: &Capsule) -> Result<Option<String>, ReplayError> {
    let Some(patch) = capsule.patch() else { return Ok(Some("the capsule has no `diff` to compare".to_owned())) };
    let mut refused = None;
    for proposal in recording::proposals(recording, blobs)? {
        let parsed = ParsedChange::read(proposal);
        let base = base_of(&parsed, recording, blobs)?;
        let verdict = review(&parsed, &base, &policy(), GeneHistory::default());
        if verdict.diff() != patch {
            continue;
        }
        if verdict.approved().is_some() {
            return Ok(None);
        }
        let reasons: Vec<String> = verdict.reasons().map(|violation| violation.message.clone()).collect();
        refused = Some(format!("the gate refuses the change: {}", reasons.join("; ")));
    }
    Ok(Some(refused.unwrap_or_else(|| "no candidate of the recorded call is the capsule's change".to_owned())))
}

/// The files that a change needs, as the recorded call knew them.
fn base_of(parsed: &ParsedChange, recording: &Recording, blobs: &dyn Blobs) -> Result<Base, ReplayError> {
    let mut entries = BTreeMap::new();
    for path in parsed.base_paths() {
        if let Some(content) = recording::content(recording, blobs, &path)? {
            entries.insert(path, BaseEntry::Blob(BlobState { mode: FileMode::Regular, content }));
        }
    }
    Ok(Base { commit: REPLAYED.to_owned(), entries, case_collisions: Vec::new(), unsearched: 0 })
}

/// The policy of a replay.
fn policy() -> Policy {
    Config::from_toml(POLICY).expect("a constant that a test reads").policy
}

impl Project {
    /// The recording that a capsule's change came from, packed for others, if it is kept here and is of this component: one of
    /// an earlier build would refute the capsule.
    pub(super) fn recording_of(
        &self,
        gene: &str,
        component: &str,
        capsule: &Capsule,
    ) -> Result<Option<Vec<u8>>, AppError> {
        let failed = |error: &dyn std::fmt::Display| AppError::failed("recording", error);
        let store = Store::new(&self.state.recordings());
        let listed = store.list().map_err(|error| failed(&error))?;
        let of_gene = listed.into_iter().filter(|listed| {
            listed.recording.as_ref().is_ok_and(|recording| {
                let is_same = recording.gene == gene && recording.component.to_string() == component;
                is_same && recording.left_out.is_none()
            })
        });
        for listed in of_gene.take(MAX_SEARCHED) {
            // One that cannot be read gives nothing.
            let Ok((recording, blobs)) = store.read(&listed.id) else { continue };
            if matches!(gives(&recording, blobs.as_ref(), capsule), Ok(None)) {
                let packed = recording::pack(&recording, blobs.as_ref());
                return packed.map(Some).map_err(|error| failed(&error));
            }
        }
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_policy_of_a_replay_is_read() {
        assert!(!policy().denies(&gephost_core::path::RepoPath::new("src/a.py").expect("a path")));
        assert!(policy().denies(&gephost_core::path::RepoPath::new(".env").expect("a path")));
    }

    #[test]
    fn bytes_that_are_no_recording_confirm_nothing() {
        let sandbox = Sandbox::new(None).expect("a sandbox");
        let capsule = Capsule::from_json(br#"{"type":"Capsule","id":"c","outcome":{"status":"success"}}"#);
        let replayed = replay(&sandbox, b"no recording", "sha256:00", "gene_x", &capsule.expect("a capsule"));
        assert!(matches!(replayed, Replay::Impossible(_)), "{replayed:?}");
    }
}
