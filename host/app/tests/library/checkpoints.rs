//! What others can check of the log: checkpoints, and proofs against them.

use gephost_app::checkpoints::check_proof;
use gephost_app::{ErrorKind, Project};
use gephost_core::checkpoint::{Continuity, Signed};
use gephost_core::event_log::EntryBody;
use serde_json::Value;

use crate::history::append;
use crate::scene::{Scene, failed, refusal};

/// A project with so many entries, of a user with a key of its own.
fn scene(entries: usize) -> Scene {
    let scene = Scene::new(&[("a.txt", "a\n")]).of_another_user();
    add(&scene.project(), 0, entries);
    scene
}

fn add(project: &Project, from: usize, to: usize) {
    for number in from..to {
        append(project, &[EntryBody::Note { text: format!("entry {number}") }]);
    }
}

/// The document of a proof, as a file has it.
fn document(schema: &str, proof: impl serde::Serialize) -> Vec<u8> {
    let mut document = serde_json::to_value(proof).expect("JSON");
    document["schema"] = schema.into();
    serde_json::to_vec(&document).expect("JSON")
}

#[test]
fn a_log_without_an_entry_has_nothing_to_prove() {
    let scene = scene(0);
    let project = scene.project();
    let empty = (ErrorKind::Usage, "empty_log");
    assert_eq!(refusal(project.make_checkpoint()), empty);
    assert_eq!(refusal(project.prove_entry(0)), empty);
    assert!(!scene.environment.state.exists(), "no key is made for nothing");
}

#[test]
fn a_log_that_grew_continues_its_checkpoint() {
    let scene = scene(3);
    let made = scene.project().make_checkpoint().expect("a checkpoint");
    assert_eq!(made.checkpoint.size, 3);
    let compare = |key: Option<&str>| {
        let compared = scene.project().compare_checkpoint(made.note.as_bytes(), key).expect("a comparison");
        let added = match compared.continuity {
            Continuity::Continues { added, .. } => Some(added),
            _ => None,
        };
        (compared.signed, added)
    };
    assert_eq!(compare(None), (Signed::Yes, Some(0)));
    add(&scene.project(), 3, 5);
    assert_eq!(compare(Some(&made.key)), (Signed::Yes, Some(2)));
    // The key of somebody else says nothing of it.
    let other = crate::checkpoints::scene(1);
    let stranger = other.project().make_checkpoint().expect("a checkpoint").key;
    assert_eq!(compare(Some(&stranger)), (Signed::No, Some(2)));
    assert_eq!(refusal(scene.project().compare_checkpoint(made.note.as_bytes(), Some("no key"))).1, "no_key");
}

#[test]
fn another_log_and_a_shorter_one_do_not_continue_a_checkpoint() {
    let (scene, other) = (scene(3), crate::checkpoints::scene(0));
    add(&other.project(), 10, 14);
    let note = other.project().make_checkpoint().expect("a checkpoint").note;
    let compared = scene.project().compare_checkpoint(note.as_bytes(), None).expect("a comparison");
    assert_eq!((compared.continuity, compared.signed), (Continuity::OtherLog, Signed::No));
    let empty = crate::checkpoints::scene(0);
    let compared = empty.project().compare_checkpoint(note.as_bytes(), None).expect("a comparison");
    assert_eq!(compared.continuity, Continuity::Shorter);
    assert_eq!(refusal(scene.project().prove_growth(note.as_bytes())), (ErrorKind::Failed, "no_continuation"));
}

#[test]
fn what_is_no_checkpoint_is_refused() {
    let scene = scene(2);
    let note = scene.project().make_checkpoint().expect("a checkpoint").note;
    let whole = note.as_bytes();
    for cut in [0, 1, whole.len() / 2, whole.len() - 2] {
        let error = failed(scene.project().compare_checkpoint(&whole[..cut], None));
        assert_eq!((error.kind, error.code), (ErrorKind::Usage, "no_checkpoint"), "{cut}");
    }
    // An edit of what is signed is a forgery, or no checkpoint at all.
    let edited = note.replacen("\n2\n", "\n1\n", 1);
    assert_ne!(edited, note);
    let compared = scene.project().compare_checkpoint(edited.as_bytes(), None).expect("a comparison");
    assert_eq!(compared.signed, Signed::Forged);
}

#[test]
fn every_entry_is_proven_without_the_log_and_no_other_entry_is() {
    let scene = scene(5);
    let project = scene.project();
    for seq in 0..5 {
        let proof = project.prove_entry(seq).expect("a proof");
        assert!(proof.entry.contains(&format!("entry {seq}")), "{}", proof.entry);
        let document = document("gephost.log-proof/1", &proof);
        let (_, checked) = check_proof(&scene.environment, &document, None).expect("a check");
        assert_eq!((checked.fault, checked.size), (None, 5), "{seq}");
        let text = String::from_utf8(document).expect("UTF-8");
        let forged = text.replacen(&format!("entry {seq}"), "entry 9", 1);
        let (_, checked) = check_proof(&scene.environment, forged.as_bytes(), None).expect("a check");
        assert!(checked.fault.is_some(), "{seq}");
    }
    let error = failed(project.prove_entry(5));
    assert_eq!((error.kind, error.code), (ErrorKind::Usage, "no_such_entry"));
    assert!(error.message.contains("its last one is 4"), "{error}");
}

#[test]
fn a_proof_counts_by_the_key_of_who_checks_it() {
    let (scene, other) = (scene(2), scene(2));
    let made = scene.project().make_checkpoint().expect("a checkpoint");
    let proof = document("gephost.log-proof/1", scene.project().prove_entry(1).expect("a proof"));
    let fault = |environment, key: Option<&str>| check_proof(environment, &proof, key).expect("a check").1.fault;
    assert_eq!(fault(&scene.environment, None), None);
    assert!(fault(&other.environment, None).is_some(), "another user does not know the key");
    assert_eq!(fault(&other.environment, Some(&made.key)), None);
    assert_eq!(refusal(check_proof(&scene.environment, b"{}", None)), (ErrorKind::Usage, "no_proof"));
    assert_eq!(refusal(check_proof(&scene.environment, &proof, Some("x"))), (ErrorKind::Usage, "no_key"));
}

#[test]
fn growth_is_proven_from_one_checkpoint_to_the_next() {
    let scene = scene(2);
    let earlier = scene.project().make_checkpoint().expect("a checkpoint").note;
    add(&scene.project(), 2, 7);
    let proof = scene.project().prove_growth(earlier.as_bytes()).expect("a proof");
    let text = document("gephost.log-growth/1", &proof);
    let (_, checked) = check_proof(&scene.environment, &text, None).expect("a check");
    assert_eq!((checked.fault, checked.size), (None, 7));
    let mut forged: Value = serde_json::from_slice(&text).expect("JSON");
    forged["hashes"].as_array_mut().expect("hashes").pop();
    let forged = serde_json::to_vec(&forged).expect("JSON");
    assert!(check_proof(&scene.environment, &forged, None).expect("a check").1.fault.is_some());
}

#[test]
fn a_log_that_is_not_sound_is_not_vouched_for() {
    let scene = scene(3);
    let log = scene.project().state.log().path();
    let text = std::fs::read_to_string(&log).expect("the log");
    std::fs::write(&log, text.replacen("entry 1", "entry 7", 1)).expect("a log");
    for refused in [refusal(scene.project().make_checkpoint()), refusal(scene.project().prove_entry(0))] {
        assert_eq!(refused, (ErrorKind::Failed, "log"));
    }
}
