//! Checkpoints of the log: a signed statement of its length and its Merkle root, which others can keep
//! (C2SP `tlog-checkpoint`), and proofs against them.
//!
//! A checkpoint commits to every entry before it. Whoever keeps one can tell later whether the log was only continued.
//! It says nothing about entries that came after it, nor whether what an entry says is true.
//!
//! The origin of a log is made of the hash of its first entry, so it names one log and neither a host nor a folder.

mod continuity;
mod merkle;
mod note;
mod proof;
mod tree_head;

pub use continuity::Continuity;
pub use merkle::{Hash, Tree, verify_consistency, verify_inclusion};
pub use note::{MAX_NOTE_BYTES, NoteError, NoteKey, NoteSigner, Signed, SignedNote};
pub use proof::{Checked, EntryProof, GrowthProof, MAX_PROOF_BYTES, Proof, ProofError};
pub use tree_head::{Checkpoint, CheckpointError};

/// How many hexadecimal digits of the first entry's hash an origin has.
const ORIGIN_DIGITS: usize = 32;

/// The origin of the log whose first line has this hash, in hexadecimal.
pub fn origin_of(first_line: &str) -> String {
    let digits: String = first_line.chars().take(ORIGIN_DIGITS).collect();
    format!("gephost-log/{digits}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_names_the_log_and_nothing_else() {
        let hash = crate::digest::sha256_hex(b"line");
        let origin = origin_of(&hash);
        assert_eq!(origin.len(), "gephost-log/".len() + ORIGIN_DIGITS);
        assert!(hash.starts_with(origin.trim_start_matches("gephost-log/")));
        assert!(NoteSigner::new(&origin, &[0; 32]).is_ok());
    }
}
