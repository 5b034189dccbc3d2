//! The Merkle tree of RFC 6962, section 2.1, over the lines of a log.
//!
//! A leaf is one line without its line end. The tree keeps 32 bytes for each entry. Roots and proofs are made here, and
//! proofs are checked by the crate `ct-merkle`, so that two implementations have to agree.

use ct_merkle::{ConsistencyProof, InclusionProof, RootHash};
use sha2::{Digest as _, Sha256};

/// A SHA-256.
pub type Hash = [u8; 32];

/// The largest tree whose proofs are checked. `ct-merkle` calculates with node numbers of twice the size.
const MAX_SIZE: u64 = 1 << 53;

/// The leaf hashes of a log, oldest first.
#[derive(Debug, Clone, Default)]
pub struct Tree {
    leaves: Vec<Hash>,
}

impl Tree {
    /// Adds an entry: its line without the line end.
    pub fn push(&mut self, line: &[u8]) {
        self.leaves.push(Sha256::new_with_prefix([0]).chain_update(line).finalize().into());
    }

    /// How many entries it has.
    pub fn size(&self) -> u64 {
        self.leaves.len() as u64
    }

    /// The root hash. The one of an empty tree is the hash of nothing.
    pub fn root(&self) -> Hash {
        root_of(&self.leaves)
    }

    /// The hashes beside the way from an entry to the root, from the leaf up (`PATH` of the RFC). `None` if there is no
    /// such entry.
    pub fn prove_inclusion(&self, seq: u64) -> Option<Vec<Hash>> {
        let seq = usize::try_from(seq).ok().filter(|seq| *seq < self.leaves.len())?;
        let mut proof = Vec::new();
        path(seq, &self.leaves, &mut proof);
        Some(proof)
    }

    /// The hashes which show that the tree of the first `earlier` entries is a beginning of this one (`PROOF` of the
    /// RFC). `None` if there are fewer entries. Any tree continues the empty one, so that proof is empty.
    pub fn prove_consistency(&self, earlier: u64) -> Option<Vec<Hash>> {
        let earlier = usize::try_from(earlier).ok().filter(|earlier| *earlier <= self.leaves.len())?;
        let mut proof = Vec::new();
        if earlier > 0 {
            subproof(earlier, &self.leaves, true, &mut proof);
        }
        Some(proof)
    }
}

/// Whether a line is entry `seq` of the tree of `size` entries with this root.
pub fn verify_inclusion(line: &[u8], seq: u64, size: u64, root: &Hash, proof: &[Hash]) -> bool {
    if seq >= size || size > MAX_SIZE {
        return false;
    }
    let Ok(proof) = InclusionProof::<Sha256>::try_from_bytes(proof.concat()) else { return false };
    root_hash(root, size).verify_inclusion(&line, seq, &proof).is_ok()
}

/// Whether the tree of `size` entries with `root` continues the one of `earlier_size` entries with `earlier_root`.
pub fn verify_consistency(earlier_size: u64, earlier_root: &Hash, size: u64, root: &Hash, proof: &[Hash]) -> bool {
    if earlier_size > size || size > MAX_SIZE {
        return false;
    }
    if earlier_size == 0 {
        return proof.is_empty() && *earlier_root == root_of(&[]);
    }
    let Ok(proof) = ConsistencyProof::<Sha256>::try_from_bytes(proof.concat()) else { return false };
    root_hash(root, size).verify_consistency(&root_hash(earlier_root, earlier_size), &proof).is_ok()
}

fn root_hash(root: &Hash, size: u64) -> RootHash<Sha256> {
    RootHash::new((*root).into(), size)
}

/// `MTH` of the RFC.
fn root_of(leaves: &[Hash]) -> Hash {
    match leaves {
        [] => Sha256::digest([]).into(),
        [leaf] => *leaf,
        _ => {
            let (left, right) = halves(leaves);
            let (left, right) = (root_of(left), root_of(right));
            Sha256::new_with_prefix([1]).chain_update(left).chain_update(right).finalize().into()
        }
    }
}

/// Two or more leaves: as many on the left as the largest power of two that leaves some for the right.
fn halves(leaves: &[Hash]) -> (&[Hash], &[Hash]) {
    leaves.split_at(leaves.len().div_ceil(2).next_power_of_two())
}

fn path(seq: usize, leaves: &[Hash], proof: &mut Vec<Hash>) {
    if leaves.len() < 2 {
        return;
    }
    let (left, right) = halves(leaves);
    if seq < left.len() {
        path(seq, left, proof);
        proof.push(root_of(right));
    } else {
        path(seq - left.len(), right, proof);
        proof.push(root_of(left));
    }
}

fn subproof(earlier: usize, leaves: &[Hash], is_known: bool, proof: &mut Vec<Hash>) {
    if earlier == leaves.len() {
        if !is_known {
            proof.push(root_of(leaves));
        }
        return;
    }
    let (left, right) = halves(leaves);
    if earlier <= left.len() {
        subproof(earlier, left, is_known, proof);
        proof.push(root_of(right));
    } else {
        subproof(earlier - left.len(), right, false, proof);
        proof.push(root_of(left));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::digest::hex;

    /// Leaves and roots of the reference implementation of Certificate Transparency.
    const LEAVES: [&[u8]; 8] = [
        b"",
        b"\x00",
        b"\x10",
        b"\x20\x21",
        b"\x30\x31",
        b"\x40\x41\x42\x43",
        b"\x50\x51\x52\x53\x54\x55\x56\x57",
        b"\x60\x61\x62\x63\x64\x65\x66\x67\x68\x69\x6a\x6b\x6c\x6d\x6e\x6f",
    ];
    const ROOTS: [&str; 9] = [
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
        "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
        "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
        "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    ];

    fn tree(size: usize) -> Tree {
        let mut tree = Tree::default();
        LEAVES.iter().cycle().take(size).for_each(|leaf| tree.push(leaf));
        tree
    }

    fn shown(proof: &[Hash]) -> Vec<String> {
        proof.iter().map(|hash| hex(hash)).collect()
    }

    #[test]
    fn roots_and_proofs_are_those_of_the_reference_vectors() {
        for (size, root) in ROOTS.iter().enumerate() {
            assert_eq!(hex(&tree(size).root()), *root, "{size}");
        }
        let inclusion = [
            "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
            "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
            "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
        ];
        assert_eq!(shown(&tree(8).prove_inclusion(0).unwrap()), inclusion);
        let consistency = [
            "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
            "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
            "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        ];
        assert_eq!(shown(&tree(8).prove_consistency(6).unwrap()), consistency);
    }

    #[test]
    fn ours_are_the_roots_and_proofs_of_ct_merkle() {
        use ct_merkle::mem_backed_tree::MemoryBackedTree;
        let mut theirs = MemoryBackedTree::<Sha256, &[u8]>::new();
        for size in 1..70 {
            theirs.push(LEAVES[(size - 1) % 8]);
            let ours = tree(size);
            assert_eq!(theirs.root().as_bytes().as_slice(), ours.root());
            for earlier in 1..=size {
                let proof = theirs.prove_consistency(size - earlier);
                assert_eq!(
                    proof.as_bytes(),
                    ours.prove_consistency(earlier as u64).unwrap().concat(),
                    "{earlier} of {size}"
                );
                let proof = theirs.prove_inclusion(earlier - 1);
                assert_eq!(
                    proof.as_bytes(),
                    ours.prove_inclusion(earlier as u64 - 1).unwrap().concat(),
                    "{earlier} of {size}"
                );
            }
        }
    }

    #[test]
    fn every_proof_verifies_and_no_other_one_does() {
        for entries in 1..=20 {
            let whole = tree(entries);
            let size = whole.size();
            let root = whole.root();
            for (seq, line) in LEAVES.iter().cycle().take(entries).enumerate() {
                let seq = seq as u64;
                let proof = whole.prove_inclusion(seq).unwrap();
                assert!(verify_inclusion(line, seq, size, &root, &proof), "{seq} of {size}");
                assert!(!verify_inclusion(b"another", seq, size, &root, &proof));
                assert!(!verify_inclusion(line, seq, size, &[7; 32], &proof));
                assert!(!verify_inclusion(line, size, size, &root, &proof));
                assert!(!verify_inclusion(line, seq, size, &root, &[proof.clone(), vec![[0; 32]]].concat()));
            }
            assert_eq!(whole.prove_inclusion(size), None);
            for earlier in 0..=entries {
                let before = tree(earlier).root();
                let earlier = earlier as u64;
                let proof = whole.prove_consistency(earlier).unwrap();
                assert!(verify_consistency(earlier, &before, size, &root, &proof), "{earlier} of {size}");
                assert!(!verify_consistency(earlier, &[7; 32], size, &root, &proof), "{earlier} of {size}");
                assert!(earlier == 0 || !verify_consistency(earlier, &before, size, &[7; 32], &proof));
                assert!(!verify_consistency(earlier, &before, size, &root, &[proof, vec![[0; 32]]].concat()));
            }
            assert_eq!(whole.prove_consistency(size + 1), None);
        }
    }

    #[test]
    fn sizes_that_nobody_has_are_refused_without_a_panic() {
        for size in [0, 1, MAX_SIZE, MAX_SIZE + 1, u64::MAX / 2, u64::MAX / 2 + 2, u64::MAX - 1, u64::MAX] {
            for other in [0, 1, size.saturating_sub(1), size, u64::MAX] {
                assert!(!verify_inclusion(b"x", other, size, &[0; 32], &[[0; 32]; 3]));
                assert!(!verify_consistency(other, &[0; 32], size, &[1; 32], &[[0; 32]; 3]));
            }
        }
    }
}
