//! Proofs as documents, which are checked without the log.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::merkle::{Hash, Tree, verify_consistency, verify_inclusion};
use super::note::{NoteKey, Signed, SignedNote};
use super::tree_head::Checkpoint;
use crate::digest::{self, StrictError};
use crate::event_log::MAX_LINE_BYTES;

/// The largest proof that is read, in bytes: a line, escaped, and two checkpoints.
pub const MAX_PROOF_BYTES: usize = 8 * MAX_LINE_BYTES;
/// The most hashes of a proof: two for each level of the largest tree.
const MAX_HASHES: usize = 128;

/// Proof that a checkpoint covers an entry.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct EntryProof {
    /// The entry's number, from 0.
    pub seq: u64,
    /// The entry's line in the log, without its line end.
    pub entry: String,
    /// The hashes beside the way from the entry to the root, from the entry up, in base64 (RFC 6962, 2.1.1).
    pub hashes: Vec<String>,
    /// The checkpoint: a signed note.
    pub checkpoint: String,
}

/// Proof that the log of a later checkpoint begins with the log of an earlier one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct GrowthProof {
    /// The earlier checkpoint: a signed note.
    pub earlier: String,
    /// The hashes of the proof, in base64 (RFC 6962, 2.1.2).
    pub hashes: Vec<String>,
    /// The later checkpoint: a signed note.
    pub checkpoint: String,
}

/// Either proof.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Proof {
    /// That an entry is in the log.
    Entry(EntryProof),
    /// That the log only grew.
    Growth(GrowthProof),
}

/// Why a proof cannot be made or read.
#[derive(Debug, thiserror::Error)]
pub enum ProofError {
    /// It is not the JSON it should be.
    #[error(transparent)]
    Json(#[from] StrictError),
    /// A member is missing or is something else.
    #[error("it is not a proof: {0}")]
    Member(#[from] serde_json::Error),
    /// It is another document.
    #[error("its schema is {0:?}: expected `gephost.log-proof/1` or `gephost.log-growth/1`")]
    Schema(String),
}

/// What checking a proof found.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Checked {
    /// The log of the checkpoint; empty if the checkpoint cannot be read.
    pub origin: String,
    /// How many entries the checkpoint covers.
    pub size: u64,
    /// Why the proof does not hold; `None` if it holds.
    pub fault: Option<String>,
}

impl EntryProof {
    /// Of entry `seq`, whose line is `line`, in a tree whose checkpoint is `checkpoint`. `None` if there is no such
    /// entry.
    pub fn of(tree: &Tree, seq: u64, line: &str, checkpoint: &str) -> Option<Self> {
        let hashes = encode(&tree.prove_inclusion(seq)?);
        Some(Self { seq, entry: line.to_owned(), hashes, checkpoint: checkpoint.to_owned() })
    }
}

impl GrowthProof {
    /// Of hashes that prove it.
    pub fn of(earlier: &str, hashes: &[Hash], checkpoint: &str) -> Self {
        Self { earlier: earlier.to_owned(), hashes: encode(hashes), checkpoint: checkpoint.to_owned() }
    }
}

impl Proof {
    /// Reads the document of a proof.
    pub fn read(bytes: &[u8]) -> Result<Self, ProofError> {
        let mut members = digest::read_object(bytes, MAX_PROOF_BYTES)?;
        let schema = members.shift_remove("schema").unwrap_or_default();
        let document = serde_json::Value::Object(members);
        match schema.as_str() {
            Some("gephost.log-proof/1") => Ok(Self::Entry(serde_json::from_value(document)?)),
            Some("gephost.log-growth/1") => Ok(Self::Growth(serde_json::from_value(document)?)),
            _ => Err(ProofError::Schema(schema.as_str().map_or_else(|| schema.to_string(), str::to_owned))),
        }
    }

    /// Checks it. `key_of` returns the key that vouches for the log of an origin.
    pub fn check(&self, key_of: impl Fn(&str) -> Option<NoteKey>) -> Checked {
        let checkpoint = match self {
            Self::Entry(proof) => &proof.checkpoint,
            Self::Growth(proof) => &proof.checkpoint,
        };
        let read = match Checkpoint::read_note(checkpoint.as_bytes()) {
            Ok(read) => read,
            Err(error) => {
                let fault = Some(format!("its checkpoint cannot be read: {error}"));
                return Checked { origin: String::new(), size: 0, fault };
            }
        };
        let fault = unsigned(&read, &key_of).or_else(|| self.fault(&read.0, &key_of));
        Checked { origin: read.0.origin, size: read.0.size, fault }
    }

    fn fault(&self, checkpoint: &Checkpoint, key_of: &impl Fn(&str) -> Option<NoteKey>) -> Option<String> {
        let text = |holds: bool, fault: &str| if holds { None } else { Some(fault.to_owned()) };
        let (Self::Entry(EntryProof { hashes, .. }) | Self::Growth(GrowthProof { hashes, .. })) = self;
        let Some(hashes) = decode(hashes) else { return text(false, "its hashes are not SHA-256 in base64") };
        match self {
            Self::Entry(proof) => {
                let line = proof.entry.as_bytes();
                let holds = verify_inclusion(line, proof.seq, checkpoint.size, &checkpoint.root, &hashes);
                text(holds, "the entry is not in the log of the checkpoint")
            }
            Self::Growth(proof) => {
                let earlier = match Checkpoint::read_note(proof.earlier.as_bytes()) {
                    Ok(earlier) => earlier,
                    Err(error) => return Some(format!("its earlier checkpoint cannot be read: {error}")),
                };
                if let Some(fault) = unsigned(&earlier, key_of) {
                    return Some(format!("its earlier checkpoint: {fault}"));
                }
                let earlier = earlier.0;
                if earlier.origin != checkpoint.origin {
                    return text(false, "its checkpoints are of two logs");
                }
                let (size, root) = (earlier.size, &earlier.root);
                let holds = verify_consistency(size, root, checkpoint.size, &checkpoint.root, &hashes);
                text(holds, "the later log does not begin with the earlier one")
            }
        }
    }
}

/// Why nobody whom we know vouches for a checkpoint.
fn unsigned(read: &(Checkpoint, SignedNote), key_of: &impl Fn(&str) -> Option<NoteKey>) -> Option<String> {
    let (checkpoint, note) = read;
    let Some(key) = key_of(&checkpoint.origin) else {
        return Some("no key is known to check its signature with".to_owned());
    };
    match note.signed_by(&key) {
        Signed::Yes => None,
        Signed::Forged => Some(format!("its signature is not by the key {key}")),
        Signed::No => Some(format!("it has no signature by the key {key}")),
    }
}

fn encode(hashes: &[Hash]) -> Vec<String> {
    hashes.iter().map(|hash| STANDARD.encode(hash)).collect()
}

fn decode(hashes: &[String]) -> Option<Vec<Hash>> {
    if hashes.len() > MAX_HASHES {
        return None;
    }
    hashes.iter().map(|hash| Hash::try_from(STANDARD.decode(hash).ok()?).ok()).collect()
}

#[cfg(test)]
mod tests {
    use super::super::note::NoteSigner;
    use super::*;

    const LINES: [&str; 7] = ["a", "b", "c", "d", "e", "f", "g"];

    fn tree(size: usize) -> Tree {
        let mut tree = Tree::default();
        LINES[..size].iter().for_each(|line| tree.push(line.as_bytes()));
        tree
    }

    fn signer() -> NoteSigner {
        NoteSigner::new("gephost-log/1", &[1; 32]).unwrap()
    }

    fn note(size: usize) -> String {
        signer().sign(&Checkpoint::of("gephost-log/1", &tree(size)).text()).unwrap()
    }

    fn known(origin: &str) -> Option<NoteKey> {
        (origin == "gephost-log/1").then(|| signer().verifier())
    }

    fn entry(seq: usize) -> EntryProof {
        EntryProof::of(&tree(7), seq as u64, LINES[seq], &note(7)).unwrap()
    }

    fn growth(from: usize) -> GrowthProof {
        GrowthProof::of(&note(from), &tree(7).prove_consistency(from as u64).unwrap(), &note(7))
    }

    fn read_back(schema: &str, proof: &impl Serialize) -> Proof {
        let mut document = serde_json::to_value(proof).unwrap();
        document["schema"] = schema.into();
        Proof::read(document.to_string().as_bytes()).unwrap()
    }

    #[test]
    fn proofs_hold_when_they_are_read_back() {
        for at in 0..7 {
            let proof = read_back("gephost.log-proof/1", &entry(at));
            let checked = proof.check(known);
            assert_eq!(checked, Checked { origin: "gephost-log/1".to_owned(), size: 7, fault: None }, "{at}");
            let proof = read_back("gephost.log-growth/1", &growth(at));
            assert_eq!(proof.check(known).fault, None, "{at}");
        }
    }

    #[test]
    fn what_was_changed_does_not_hold() {
        let fault = |proof: Proof| proof.check(known).fault.expect("a fault");
        let sound = entry(3);
        for proof in [
            EntryProof { entry: "x".to_owned(), ..sound.clone() },
            EntryProof { seq: 2, ..sound.clone() },
            EntryProof { seq: u64::MAX, ..sound.clone() },
            EntryProof { hashes: Vec::new(), ..sound.clone() },
            EntryProof { hashes: entry(2).hashes, ..sound.clone() },
            EntryProof { checkpoint: note(6), ..sound.clone() },
        ] {
            assert_eq!(fault(Proof::Entry(proof)), "the entry is not in the log of the checkpoint");
        }
        let hashes = vec!["AAAA".to_owned()];
        assert!(fault(Proof::Entry(EntryProof { hashes, ..sound.clone() })).contains("base64"));
        let many = vec![STANDARD.encode([0; 32]); MAX_HASHES + 1];
        assert!(fault(Proof::Entry(EntryProof { hashes: many, ..sound.clone() })).contains("base64"));
        let checkpoint = "no note".to_owned();
        assert!(fault(Proof::Entry(EntryProof { checkpoint, ..sound.clone() })).contains("not a signed note"));
        let checkpoint = sound.checkpoint.replace("\n7\n", "\n8\n");
        assert!(fault(Proof::Entry(EntryProof { checkpoint, ..sound })).contains("its signature is not by"));

        let sound = growth(4);
        let other = GrowthProof { earlier: note(5), ..sound.clone() };
        assert_eq!(fault(Proof::Growth(other)), "the later log does not begin with the earlier one");
        let swapped = GrowthProof { earlier: note(7), checkpoint: note(4), ..sound.clone() };
        assert_eq!(fault(Proof::Growth(swapped)), "the later log does not begin with the earlier one");
        let forged = GrowthProof { earlier: sound.earlier.replace("\n4\n", "\n3\n"), ..sound };
        assert!(fault(Proof::Growth(forged)).starts_with("its earlier checkpoint: its signature is not by"));
    }

    #[test]
    fn a_signature_that_nobody_vouches_for_proves_nothing() {
        let proof = Proof::Entry(entry(0));
        assert_eq!(proof.check(|_| None).fault.unwrap(), "no key is known to check its signature with");
        let stranger = NoteSigner::new("gephost-log/1", &[2; 32]).unwrap().verifier();
        assert!(proof.check(|_| Some(stranger.clone())).fault.unwrap().starts_with("it has no signature by the key"));
    }

    #[test]
    fn what_is_no_proof_is_refused() {
        for (text, expect) in [
            ("[]", "must be"),
            ("{}", "its schema is \"null\""),
            ("{\"schema\":\"gephost.log/1\"}", "its schema is \"gephost.log/1\""),
            ("{\"schema\":\"gephost.log-proof/1\"}", "missing field"),
            ("{\"schema\":\"gephost.log-proof/1\",\"seq\":-1}", "it is not a proof"),
            ("{\"seq\":1,\"seq\":2}", "duplicate key"),
        ] {
            let error = Proof::read(text.as_bytes()).unwrap_err().to_string();
            assert!(error.contains(expect) || expect == "must be", "{text}: {error}");
        }
    }
}
