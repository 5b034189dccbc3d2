//! Whether a log continues that of an earlier checkpoint.

use super::merkle::{Hash, Tree, verify_consistency};
use super::tree_head::Checkpoint;

/// How a log relates to an earlier checkpoint.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Continuity {
    /// The log begins with the entries of the checkpoint.
    Continues {
        /// How many entries came after.
        added: u64,
        /// The proof, which was checked.
        proof: Vec<Hash>,
    },
    /// An entry that the checkpoint covers is another one now.
    Rewritten,
    /// The log has fewer entries than the checkpoint.
    Shorter,
    /// The first entry is another one: another log, or one that was written anew from its first entry on.
    OtherLog,
}

impl Continuity {
    /// Compares a log with a checkpoint. The proof is made and checked, as somebody else would check it.
    pub fn of(checkpoint: &Checkpoint, origin: &str, tree: &Tree) -> Self {
        if checkpoint.origin != origin {
            return Self::OtherLog;
        }
        let Some(proof) = tree.prove_consistency(checkpoint.size) else { return Self::Shorter };
        if verify_consistency(checkpoint.size, &checkpoint.root, tree.size(), &tree.root(), &proof) {
            Self::Continues { added: tree.size() - checkpoint.size, proof }
        } else {
            Self::Rewritten
        }
    }

    /// The name in documents.
    pub fn as_str(&self) -> &'static str {
        match self {
            Self::Continues { .. } => "continues",
            Self::Rewritten => "rewritten",
            Self::Shorter => "shorter",
            Self::OtherLog => "other_log",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(lines: &[&str]) -> Tree {
        let mut tree = Tree::default();
        for line in lines {
            tree.push(line.as_bytes());
        }
        tree
    }

    #[test]
    fn a_log_continues_was_rewritten_is_shorter_or_is_another_one() {
        let lines = ["a", "b", "c", "d", "e", "f", "g"];
        for size in 0..=lines.len() {
            let kept = Checkpoint::of("o", &tree(&lines[..size]));
            for now in 0..=lines.len() {
                let found = Continuity::of(&kept, "o", &tree(&lines[..now]));
                let expect = if now < size { "shorter" } else { "continues" };
                assert_eq!(found.as_str(), expect, "{size} then {now}");
            }
            for edited in 0..lines.len() {
                let mut lines = lines;
                lines[edited] = "x";
                let found = Continuity::of(&kept, "o", &tree(&lines));
                assert_eq!(found.as_str(), if edited < size { "rewritten" } else { "continues" }, "{size}, {edited}");
            }
            assert_eq!(Continuity::of(&kept, "p", &tree(&lines)), Continuity::OtherLog);
        }
    }
}
