//! Notes, keys and proofs of the log's checkpoints, damaged in many ways: the fuzz target `checkpoint`, from fixed seeds.

#[path = "../../../tests/fuzz/checks/checkpoint.rs"]
mod checks;

use checks::{check_checkpoint, damaged, sound};

#[test]
fn whatever_is_cut_off_nothing_false_holds() {
    for document in sound() {
        for end in 0..=document.len() {
            check_checkpoint(&document[..end]);
        }
    }
}

#[test]
fn whatever_is_damaged_nothing_false_holds() {
    let sound = sound();
    let mut state = 0x9e37_79b9_7f4a_7c15_u64;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for _ in 0..5_000 {
        let edits = next() % 4;
        let choices: Vec<u8> = (0..=edits * 4).map(|_| next().to_le_bytes()[3]).collect();
        check_checkpoint(&damaged(&sound, &choices));
    }
}

#[test]
fn every_byte_of_a_sound_proof_counts_or_means_the_same() {
    for document in sound() {
        for at in 0..document.len() {
            for byte in [b'0', b'A', b'"', b'\\', b'\n', 0xff] {
                let mut other = document.clone();
                other[at] = byte;
                check_checkpoint(&other);
            }
        }
    }
}
