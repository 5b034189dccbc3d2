use gephost_core::checkpoint::{
    Checkpoint, EntryProof, GrowthProof, MAX_NOTE_BYTES, MAX_PROOF_BYTES, NoteKey, NoteSigner, Proof, Signed,
    SignedNote, Tree,
};

const ORIGIN: &str = "gephost-log/1";
/// The entries of the log. Its key signs checkpoints of it and nothing else.
const LINES: [&str; 7] = ["{\"seq\":0}", "b", "c", "d", "e", "f", "g"];

fn signer() -> NoteSigner {
    NoteSigner::new(ORIGIN, &[1; 32]).expect("a name")
}

fn tree(size: usize) -> Tree {
    let mut tree = Tree::default();
    LINES.iter().take(size).for_each(|line| tree.push(line.as_bytes()));
    tree
}

fn note(size: usize) -> String {
    signer().sign(&Checkpoint::of(ORIGIN, &tree(size)).text()).expect("a text")
}

/// A sound document of each kind: a note, a key, a proof of each entry, and a proof of each growth.
pub(crate) fn sound() -> Vec<Vec<u8>> {
    let document = |schema: &str, proof: serde_json::Result<serde_json::Value>| {
        let mut document = proof.expect("a proof is JSON");
        document["schema"] = schema.into();
        document.to_string().into_bytes()
    };
    let whole = tree(LINES.len());
    let mut all = vec![note(LINES.len()).into_bytes(), signer().verifier().to_string().into_bytes()];
    for (seq, line) in LINES.iter().enumerate() {
        let proof = EntryProof::of(&whole, seq as u64, line, &note(LINES.len())).expect("an entry");
        all.push(document("gephost.log-proof/1", serde_json::to_value(proof)));
        let hashes = whole.prove_consistency(seq as u64).expect("a shorter log");
        let proof = GrowthProof::of(&note(seq), &hashes, &note(LINES.len()));
        all.push(document("gephost.log-growth/1", serde_json::to_value(proof)));
    }
    all
}

/// One of the sound documents, damaged as the choices say: bytes replaced, inserted or removed, a part repeated, or an end
/// cut off.
pub(crate) fn damaged(sound: &[Vec<u8>], choices: &[u8]) -> Vec<u8> {
    let Some((which, edits)) = choices.split_first() else { return Vec::new() };
    let mut bytes = sound.get(usize::from(*which) % sound.len().max(1)).cloned().unwrap_or_default();
    for edit in edits.chunks_exact(4) {
        let [how, high, low, byte] = *edit else { continue };
        let at = usize::from(u16::from_be_bytes([high, low])) % (bytes.len() + 1);
        match how % 5 {
            0 => bytes.insert(at, byte),
            1 => bytes.truncate(at),
            2 => {
                let part = bytes.get(at..bytes.len().min(at + usize::from(byte))).unwrap_or_default().to_vec();
                bytes.splice(at..at, part);
            }
            3 if at < bytes.len() => drop(bytes.remove(at)),
            _ => bytes.iter_mut().skip(at).take(1).for_each(|there| *there = byte),
        }
    }
    bytes
}

/// Reads any bytes as a note, a key and a proof. What is one reads back as the same. A signature holds only over the text that
/// was signed, and a proof only of what is in the log.
pub(crate) fn check_checkpoint(bytes: &[u8]) {
    check_note(bytes);
    if let Ok(key) = std::str::from_utf8(bytes).map_err(drop).and_then(|text| NoteKey::read(text).map_err(drop)) {
        assert_eq!(NoteKey::read(&key.to_string()), Ok(key));
    }
    check_proof(bytes);
}

fn check_note(bytes: &[u8]) {
    match SignedNote::read(bytes) {
        Ok(note) => {
            assert!(bytes.len() <= MAX_NOTE_BYTES && note.text.ends_with('\n'));
            if note.signed_by(&signer().verifier()) == Signed::Yes {
                let was_signed = |size| note.text == Checkpoint::of(ORIGIN, &tree(size)).text();
                assert!((0..=LINES.len()).any(was_signed), "{:?}", note.text);
            }
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    if let Ok((checkpoint, _)) = Checkpoint::read_note(bytes) {
        assert_eq!(Checkpoint::read(&checkpoint.text()), Ok(checkpoint));
    }
}

fn check_proof(bytes: &[u8]) {
    let proof = match Proof::read(bytes) {
        Ok(proof) => proof,
        Err(error) => return assert!(!error.to_string().is_empty()),
    };
    assert!(bytes.len() <= MAX_PROOF_BYTES);
    assert!(proof.check(|_| None).fault.is_some(), "nobody vouches for it");
    let checked = proof.check(|origin| (origin == ORIGIN).then(|| signer().verifier()));
    if let Some(fault) = checked.fault {
        return assert!(!fault.is_empty());
    }
    assert_eq!(checked.origin, ORIGIN);
    match &proof {
        Proof::Entry(entry) => {
            let at = usize::try_from(entry.seq).expect("a number of an entry");
            assert_eq!(LINES.get(at), Some(&entry.entry.as_str()));
            assert!(entry.seq < checked.size);
        }
        Proof::Growth(growth) => {
            let (earlier, _) = Checkpoint::read_note(growth.earlier.as_bytes()).expect("it was checked");
            assert!(earlier.size <= checked.size);
        }
    }
}
