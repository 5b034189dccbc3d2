//! A cycle as a dry run, and as far as each stage goes.

use gephost_app::ErrorKind;
use gephost_app::apply::ApplyOptions;
use gephost_app::cycle::CycleOptions;
use gephost_app::run::RunEnding;

use crate::scene::{Scene, apply, refusal};

#[test]
fn a_dry_run_saves_a_proposal_and_changes_nothing() {
    let scene = Scene::quickstart(&[]);
    let project = scene.project();
    let ran = project.run(&CycleOptions::default(), &ApplyOptions::default()).expect("a dry run");
    let findings = &ran.proposals.findings;
    assert_eq!(findings.head.as_ref().and_then(|head| head.branch.as_deref()), Some("main"));
    assert_eq!(findings.files.len(), 1);
    assert!(!findings.diagnosed.diagnosis.findings.is_empty());
    let RunEnding::DryRun(Some(file)) = &ran.ending else { panic!("{:?}", ran.ending) };
    let saved = std::fs::read_to_string(file).expect("the proposal");
    let best = ran.proposals.proposed.passed().expect("a candidate that passes");
    assert_eq!(saved.trim_end(), best.saved());
    assert_eq!(file, &project.proposal_file(&best.proposal.id));
    assert!(ran.ending.published().is_none() && ran.impacts.is_empty());
    assert_eq!(scene.published(), Vec::<String>::new());
    assert_eq!(scene.kinds(), ["proposed", "gated"]);
    // Each call of a gene can be run again.
    let calls = findings.diagnosed.calls.iter().chain(&ran.proposals.proposed.calls);
    assert!(calls.clone().count() >= 2 && calls.clone().all(|call| call.recording.is_some()));
    assert_eq!(scene.notes(), Vec::<String>::new());
}

#[test]
fn the_same_logs_give_the_same_proposal() {
    let proposed = || {
        let scene = Scene::quickstart(&[]);
        let proposals = scene.project().propose(&CycleOptions::default()).expect("proposals");
        assert_eq!(scene.kinds(), Vec::<String>::new(), "a stage alone logs nothing");
        proposals.proposed.candidates.iter().map(|judged| judged.proposal.id.clone()).collect::<Vec<_>>()
    };
    let first = proposed();
    assert!(!first.is_empty());
    assert_eq!(first, proposed());
}

#[test]
fn a_diagnosis_needs_no_repository_and_a_selection_does() {
    let log =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/quickstart/logs/session.jsonl"));
    let log = log.expect("the quickstart's log");
    let scene =
        Scene::without_git(&[("gephost.toml", "[observe]\nlogs = [\"logs/\"]\n"), ("logs/session.jsonl", &log)]);
    let found = scene.project().diagnose(&CycleOptions::default()).expect("findings");
    assert!(found.head.is_none() && !found.diagnosed.diagnosis.findings.is_empty());
    let refused = scene.project().select(&CycleOptions::default()).expect_err("no repository");
    assert_eq!(refused.code, "repository");
    let scene = Scene::quickstart(&[]);
    let (_, selection) = scene.project().select(&CycleOptions::default()).expect("a selection");
    assert!(selection.selected.is_some());
}

#[test]
fn what_the_gate_refuses_is_logged_and_not_saved() {
    let scene = Scene::quickstart(&[("\"inventory/\", \"tests/\"", "\"docs/\"")]);
    let project = scene.project();
    let ran = project.run(&CycleOptions::default(), &ApplyOptions::default()).expect("a dry run");
    assert!(matches!(ran.ending, RunEnding::Refused), "{:?}", ran.ending);
    let refused = &ran.proposals.proposed.candidates;
    assert!(!refused.is_empty() && refused.iter().all(|judged| !judged.passes()));
    assert!(refused.iter().all(|judged| !project.proposal_file(&judged.proposal.id).exists()));
    assert!(scene.kinds().contains(&"gated".to_owned()));
}

#[test]
fn without_logs_there_is_nothing_to_do() {
    let scene = Scene::new(&[("a.txt", "a\n")]);
    let ran = scene.project().run(&CycleOptions::default(), &ApplyOptions::default()).expect("a dry run");
    assert!(matches!(ran.ending, RunEnding::NoCandidate), "{:?}", ran.ending);
    assert_eq!(scene.kinds(), Vec::<String>::new());
}

#[test]
fn what_explains_a_result_is_noted() {
    let scene = Scene::quickstart(&[("[apply]", "[genes.grants.\"gene_unknown\"]\ncapabilities = []\n[apply]")]);
    scene.write("inventory/store.py", "edited = True\n");
    scene.project().run(&CycleOptions::default(), &ApplyOptions::default()).expect("a dry run");
    let notes = scene.notes();
    let has = |what: &str| notes.iter().any(|note| note.contains(what));
    assert!(has("warning: `[genes.grants]` has \"gene_unknown\""), "{notes:?}");
    assert!(has("info: the checkout has uncommitted changes"), "{notes:?}");
}

#[test]
fn an_audit_has_every_request_of_every_gene() {
    let scene = Scene::quickstart(&[]);
    let file = scene.root().join("audit.jsonl");
    let options = CycleOptions { audit: Some(file.clone()), ..CycleOptions::default() };
    let found = scene.project().diagnose(&options).expect("findings");
    let requests: usize = found.diagnosed.calls.iter().map(|call| call.audit.entries.len()).sum();
    let lines = std::fs::read_to_string(file).expect("the audit");
    assert_eq!(lines.lines().count(), requests);
    assert!(requests > 0 && lines.lines().all(|line| line.contains("\"call\":\"diagnose\"")));
}

#[test]
fn an_assets_folder_that_cannot_be_read_costs_no_finding_and_nothing_is_applied() {
    let scene = Scene::quickstart(&[]);
    // A folder in the place of the file: not even root can read it.
    std::fs::create_dir_all(scene.root().join(".gephost/gep/events.jsonl")).expect("a folder");
    let ran = scene.project().run(&CycleOptions::default(), &ApplyOptions::default()).expect("a dry run");
    assert!(matches!(ran.ending, RunEnding::DryRun(_)), "{:?}", ran.ending);
    let warned =
        |note: &String| note.starts_with("warning: what earlier cycles left is not known") && note.contains(".gephost");
    assert!(scene.notes().iter().any(warned), "{:?}", scene.notes());
    let applied = scene.project().run(&CycleOptions::default(), &apply());
    assert_eq!(refusal(applied), (ErrorKind::Failed, "assets"));
    assert_eq!(scene.published(), Vec::<String>::new());
}
