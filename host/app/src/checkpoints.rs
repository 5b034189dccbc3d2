//! Checkpoints of the log for others to keep, and proofs against them.

use gephost_core::checkpoint::{
    Checked, Checkpoint, Continuity, EntryProof, GrowthProof, NoteKey, NoteSigner, Proof, Signed, SignedNote, origin_of,
};
use gephost_runner::event_log::WholeTree;
use gephost_runner::user_key::{KeyFile, UserKey};

use crate::environment::Environment;
use crate::error::{AppError, ErrorKind};
use crate::project::{Project, log_failed};

/// A checkpoint that was made.
#[derive(Debug)]
pub struct MadeCheckpoint {
    /// What it states.
    pub checkpoint: Checkpoint,
    /// The checkpoint with its signature: what others keep.
    pub note: String,
    /// The key that others check it with: `NAME+HASH+BASE64`.
    pub key: String,
}

/// A log beside a checkpoint of it.
#[derive(Debug)]
pub struct Compared {
    /// What the checkpoint states.
    pub checkpoint: Checkpoint,
    /// Whether its signature is by the key that was named, or else by this user's.
    pub signed: Signed,
    /// How the log continues it.
    pub continuity: Continuity,
}

/// The log as a tree, with its name and the key that signs for it.
struct Signable {
    whole: WholeTree,
    origin: String,
    signer: NoteSigner,
}

impl Signable {
    fn note(&self) -> Result<String, AppError> {
        let text = Checkpoint::of(&self.origin, &self.whole.tree).text();
        self.signer.sign(&text).map_err(|error| AppError::failed("checkpoint", error))
    }
}

impl Project {
    /// Makes a checkpoint of the log as it is now, signed with this user's key, which is made at first use. Refused for a
    /// log that is not sound or has no entry.
    pub fn make_checkpoint(&self) -> Result<MadeCheckpoint, AppError> {
        let found = self.signable(None)?;
        let checkpoint = Checkpoint::of(&found.origin, &found.whole.tree);
        Ok(MadeCheckpoint { checkpoint, note: found.note()?, key: found.signer.verifier().to_string() })
    }

    /// Compares the log, which must be sound, with a checkpoint.
    pub fn compare_checkpoint(&self, note: &[u8], key: Option<&str>) -> Result<Compared, AppError> {
        let (checkpoint, note) = read_checkpoint(note)?;
        let signed = match key_for(&self.environment, key)?(&checkpoint.origin) {
            Some(key) => note.signed_by(&key),
            None => Signed::No,
        };
        let whole = self.whole_log(None)?;
        let continuity = match &whole.first {
            Some(first) => Continuity::of(&checkpoint, &origin_of(first), &whole.tree),
            None => Continuity::Shorter,
        };
        Ok(Compared { checkpoint, signed, continuity })
    }

    /// Proves that entry `seq` is in the log, against a checkpoint of now.
    pub fn prove_entry(&self, seq: u64) -> Result<EntryProof, AppError> {
        let found = self.signable(Some(seq))?;
        let line = found.whole.line.as_deref();
        let proof = line.and_then(|line| EntryProof::of(&found.whole.tree, seq, line, "")).ok_or_else(|| {
            let last = found.whole.tree.size().saturating_sub(1);
            let message = format!("the log has no entry {seq}: its last one is {last}");
            AppError::usage("no_such_entry", message).hint("`gephost log` shows the entries")
        })?;
        Ok(EntryProof { checkpoint: found.note()?, ..proof })
    }

    /// Proves that the log continues that of an earlier checkpoint, against a checkpoint of now.
    pub fn prove_growth(&self, earlier: &[u8]) -> Result<GrowthProof, AppError> {
        let (checkpoint, _) = read_checkpoint(earlier)?;
        let found = self.signable(None)?;
        let Continuity::Continues { proof, .. } = Continuity::of(&checkpoint, &found.origin, &found.whole.tree) else {
            let message = "the log does not continue that of the checkpoint, so there is no proof that it does";
            return Err(AppError::new(ErrorKind::Failed, "no_continuation", message)
                .hint("`gephost log verify --checkpoint FILE` shows why"));
        };
        Ok(GrowthProof::of(&String::from_utf8_lossy(earlier), &proof, &found.note()?))
    }

    fn signable(&self, wanted: Option<u64>) -> Result<Signable, AppError> {
        let whole = self.whole_log(wanted)?;
        let Some(first) = &whole.first else {
            return Err(AppError::usage(
                "empty_log",
                "the log has no entry, so there is nothing to make a checkpoint of",
            ));
        };
        let origin = origin_of(first);
        let key =
            UserKey::open(&self.environment.user_folders().state, KeyFile::Log).map_err(|error| key_failed(&error))?;
        let signer = key.note_signer(&origin).map_err(|error| AppError::failed("checkpoint", error))?;
        Ok(Signable { whole, origin, signer })
    }

    fn whole_log(&self, wanted: Option<u64>) -> Result<WholeTree, AppError> {
        self.log.tree(wanted).map_err(|error| log_failed(&error))
    }
}

/// Checks a proof without any log, with a key that is named, or else with this user's.
pub fn check_proof(
    environment: &Environment,
    document: &[u8],
    key: Option<&str>,
) -> Result<(Proof, Checked), AppError> {
    let proof = Proof::read(document).map_err(|error| AppError::usage("no_proof", error.to_string()))?;
    let checked = proof.check(key_for(environment, key)?);
    Ok((proof, checked))
}

/// Which key vouches for the log of an origin: the named one for every log, or this user's under the log's name.
fn key_for(environment: &Environment, key: Option<&str>) -> Result<impl Fn(&str) -> Option<NoteKey> + use<>, AppError> {
    let named = key.map(NoteKey::read).transpose();
    let named = named.map_err(|error| AppError::usage("no_key", error.to_string()))?;
    let own = match &named {
        Some(_) => None,
        None => UserKey::find(&environment.user_folders().state, KeyFile::Log).map_err(|error| key_failed(&error))?,
    };
    Ok(move |origin: &str| match &named {
        Some(named) => Some(named.clone()),
        None => Some(own.as_ref()?.note_signer(origin).ok()?.verifier()),
    })
}

fn read_checkpoint(note: &[u8]) -> Result<(Checkpoint, SignedNote), AppError> {
    Checkpoint::read_note(note).map_err(|error| AppError::usage("no_checkpoint", error.to_string()))
}

fn key_failed(error: &std::io::Error) -> AppError {
    AppError::failed("log_key", format!("failed to read the key of the log: {error}"))
}
