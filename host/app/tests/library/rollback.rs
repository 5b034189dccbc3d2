//! Taking published changes back: how a change is named, which way it goes, and what of it is left.

use gephost_app::rollback::{RollbackOptions, Undone, Way};
use gephost_app::{ErrorKind, Project};
use gephost_core::event_log::EntryBody;

use crate::history::{Change, append, proposed};
use crate::scene::{Scene, failed, refusal};

const FILES: &[(&str, &str)] = &[("a.txt", "one\ntwo\nthree\n"), ("b.txt", "b\n"), ("gephost.toml", "")];

fn dry() -> RollbackOptions {
    RollbackOptions { dry_run: true, ..RollbackOptions::default() }
}

fn because(why: &str) -> RollbackOptions {
    RollbackOptions { why: Some(why.to_owned()), ..RollbackOptions::default() }
}

/// A project with one published change of `a.txt`.
fn published() -> (Scene, Project, Change) {
    let scene = Scene::new(FILES);
    let project = scene.project();
    let change = scene.publish(&project, "first", "a.txt", "one\n2\nthree\n");
    (scene, project, change)
}

fn way(project: &Project, change: &Change) -> Way {
    project.rollback(&change.branch, &dry()).expect("a way back").taken.way
}

/// The reasons of the rollbacks that the log has.
fn reasons(project: &Project) -> Vec<String> {
    let entries = project.entries().expect("a log");
    let reasons = entries.iter().filter_map(|entry| match &entry.body {
        EntryBody::RolledBack { reason, .. } => Some(reason.clone()),
        _ => None,
    });
    reasons.collect()
}

#[test]
fn a_change_is_named_by_branch_commit_event_or_the_beginning_of_its_proposal() {
    let (scene, project, change) = published();
    let second = scene.publish(&project, "second", "b.txt", "other\n");
    for id in [&change.branch, &change.commit, &change.event, &change.proposal, &change.proposal[..5]] {
        let report = project.rollback(id, &dry()).expect(id);
        assert_eq!((&report.proposal, &report.applied.commit), (&change.proposal, &change.commit), "{id}");
        assert!(report.dry_run && report.taken.reverted.is_none() && report.taken.landed.is_none());
    }
    for id in ["", "evo/", "first", "evt_", &change.commit[..10]] {
        let error = failed(project.rollback(id, &dry()));
        assert_eq!((error.kind, error.code), (ErrorKind::Usage, "not_applied"), "{id}");
        let hint = error.hint.expect("a hint");
        assert!(hint.contains(&change.branch) && hint.contains(&second.branch), "{hint}");
    }
}

#[test]
fn a_whole_id_is_not_the_beginning_of_another_one() {
    let (scene, project, change) = published();
    let longer = scene.publish(&project, "first-again", "b.txt", "other\n");
    let error = failed(project.rollback("gep-fir", &dry()));
    assert_eq!((error.kind, error.code), (ErrorKind::Usage, "ambiguous"));
    assert!(error.message.contains("2 changes"), "{}", error.message);
    let hint = error.hint.expect("a hint");
    assert!(hint.contains(&change.branch) && hint.contains(&longer.branch), "{hint}");
    // The first id is the beginning of the second one.
    assert_eq!(project.rollback(&change.proposal, &dry()).expect("the first").applied.branch, change.branch);
    assert_eq!(project.rollback(&longer.proposal, &dry()).expect("the second").applied.branch, longer.branch);
}

#[test]
fn a_dry_run_changes_neither_the_repository_nor_the_log() {
    let (scene, project, change) = published();
    let before = scene.kinds();
    assert_eq!(way(&project, &change), Way::Drop);
    assert!(matches!(project.undo(&dry()).expect("an undo"), Undone::TakenBack(report) if report.dry_run));
    assert_eq!((scene.kinds(), scene.published()), (before, vec![change.branch]));
}

#[test]
fn the_way_follows_from_where_the_branch_is() {
    let (scene, project, change) = published();
    assert_eq!(way(&project, &change), Way::Drop);
    scene.remove_branch(&change.branch);
    assert_eq!(way(&project, &change), Way::Forget);
    // It is in what is checked out, with and without its branch.
    scene.merge(&change.commit);
    assert_eq!(way(&project, &change), Way::Revert);
    scene.set_branch(&change.branch, &change.commit);
    assert_eq!(way(&project, &change), Way::Revert);
}

#[test]
fn what_others_depend_on_is_left_alone() {
    let conflict = (ErrorKind::Conflict, "depended_on");
    let (scene, project, change) = published();
    let base = scene.head();
    let ask = || refusal(project.rollback(&change.branch, &RollbackOptions::default()));
    // It is part of a branch that is not checked out.
    scene.set_branch("other", &change.commit);
    assert_eq!(ask(), conflict);
    scene.remove_branch("other");
    // It is checked out itself.
    scene.check_out(&change.branch);
    assert_eq!(ask(), conflict);
    scene.check_out("main");
    // Somebody committed on it.
    scene.set_branch(&change.branch, &scene.commit_on(&change.commit, "b.txt", "more\n"));
    assert_eq!(ask(), conflict);
    assert_eq!((scene.head(), scene.published()), (base, vec![change.branch.clone()]));
    // None of that stands in the way any more.
    scene.set_branch(&change.branch, &change.commit);
    let taken = project.rollback(&change.branch, &RollbackOptions::default()).expect("taken back");
    assert_eq!((taken.taken.way, scene.published()), (Way::Drop, Vec::new()));
}

#[test]
fn intent_and_outcome_are_logged_and_the_change_stands_no_more() {
    let (scene, project, change) = published();
    let report = project.rollback(&change.proposal, &because("  it broke\n the build ")).expect("taken back");
    assert!(!report.dry_run);
    let kinds = scene.kinds();
    assert_eq!(kinds[kinds.len() - 2..], ["rollback_intent", "rolled_back"]);
    assert_eq!(reasons(&project), ["it broke the build"]);
    let state = project.log_state().expect("a state");
    assert!(state.standing().is_empty());
    let known = state.proposal(&change.proposal).expect("known");
    assert_eq!(known.taken_back.as_deref(), Some("it broke the build"));
    assert_eq!(refusal(project.rollback(&change.branch, &dry())), (ErrorKind::Usage, "not_applied"));
}

#[test]
fn the_reason_is_logged_without_secrets() {
    let (scene, project, change) = published();
    let secret = format!("ghp_{}", "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zC0fR2uL6");
    project.rollback(&change.branch, &because(&format!("it printed {secret}"))).expect("taken back");
    let log = std::fs::read_to_string(project.state.log().path()).expect("the log");
    assert!(!log.contains(&secret) && log.contains("it printed "), "{log}");
    // What says nothing is no reason.
    let (_scene, project, change) = published();
    assert_eq!(refusal(project.rollback(&change.branch, &because(" \n"))), (ErrorKind::Usage, "usage"));
    assert_eq!(reasons(&project), Vec::<String>::new());
    drop(scene);
}

#[test]
fn undo_takes_the_newest_change_first_and_never_an_undo() {
    let (scene, project, first) = published();
    let second = scene.publish(&project, "second", "b.txt", "other\n");
    for expected in [&second, &first] {
        let Undone::TakenBack(report) = project.undo(&RollbackOptions::default()).expect("an undo") else {
            panic!("nothing is left")
        };
        assert_eq!(report.proposal, expected.proposal);
    }
    let Undone::Nothing(Some(last)) = project.undo(&RollbackOptions::default()).expect("an undo") else {
        panic!("an undo was undone")
    };
    assert_eq!((last.proposal, last.branch, last.waits), (first.proposal, first.branch, None));
    assert_eq!(reasons(&project), ["asked for", "asked for"]);
}

#[test]
fn a_landed_change_is_undone_by_a_commit_on_a_branch_of_its_own() {
    let (scene, project, change) = published();
    scene.merge(&change.commit);
    let report = project.rollback(&change.branch, &because("it was wrong")).expect("a revert");
    assert_eq!(report.taken.way, Way::Revert);
    let reverted = report.taken.reverted.expect("a branch");
    assert_eq!(scene.content_in(&reverted.branch, "a.txt"), "one\ntwo\nthree\n");
    assert_eq!(scene.head(), change.commit, "the checkout stays where it is");
    let message = scene.message_of(&reverted.branch);
    assert!(message.contains(&format!("This reverts commit {}", change.commit)), "{message}");
    assert!(message.contains("it was wrong") && message.contains("title of first"), "{message}");
    let status = project.status().expect("a status");
    assert_eq!(status.reverts.len(), 1);
    assert_eq!((&status.reverts[0].branch, &status.reverts[0].undoes), (&reverted.branch, &change.branch));
    let Undone::Nothing(Some(last)) = project.undo(&dry()).expect("an undo") else { panic!("it still stands") };
    assert_eq!(last.waits.map(|waits| waits.commit), Some(reverted.commit.clone()));
    // Once it is merged, nothing waits.
    scene.merge(&reverted.commit);
    assert_eq!(project.status().expect("a status").reverts, Vec::new());
}

#[test]
fn with_land_the_checked_out_branch_moves_if_nothing_is_in_the_way() {
    let land = RollbackOptions { land: true, ..RollbackOptions::default() };
    let (scene, project, change) = published();
    scene.merge(&change.commit);
    let taken = project.rollback(&change.branch, &land).expect("a revert").taken;
    assert_eq!(taken.landed.as_ref().and_then(|landed| landed.branch()), Some("main"));
    assert_eq!(Some(scene.head()), taken.reverted.map(|reverted| reverted.commit));
    assert_eq!(std::fs::read_to_string(scene.root().join("a.txt")).expect("a file"), "one\ntwo\nthree\n");
    assert_eq!(project.status().expect("a status").reverts, Vec::new());
    // An edit of the user in the same file stays, and so does the branch.
    let (scene, project, change) = published();
    scene.merge(&change.commit);
    scene.write("a.txt", "mine\n");
    let taken = project.rollback(&change.branch, &land).expect("a revert").taken;
    let landed = taken.landed.expect("it was asked for");
    assert!(landed.branch().is_none() && landed.refusal().is_some_and(|reason| reason.contains("a.txt")), "{landed:?}");
    assert_eq!(scene.head(), change.commit);
    assert_eq!(std::fs::read_to_string(scene.root().join("a.txt")).expect("a file"), "mine\n");
}

#[test]
fn what_was_edited_since_it_landed_is_not_undone_blindly() {
    let (scene, project, change) = published();
    scene.merge(&scene.commit_on(&change.commit, "a.txt", "one\n22\nthree\n"));
    let before = (scene.head(), scene.kinds());
    let error = failed(project.rollback(&change.branch, &RollbackOptions::default()));
    assert_eq!((error.kind, error.code), (ErrorKind::Conflict, "depended_on"));
    assert!(error.message.contains(&change.branch), "{}", error.message);
    assert_eq!((scene.head(), scene.kinds()), before);
    assert_eq!(project.log_state().expect("a state").standing().len(), 1);
}

#[test]
fn a_config_that_forbids_changes_forbids_this_one_too() {
    let scene = Scene::new(&[("gephost.toml", "dry_run = true\n"), ("a.txt", "a\n")]);
    let project = scene.project();
    let change = scene.publish(&project, "first", "a.txt", "new\n");
    assert_eq!(refusal(project.undo(&RollbackOptions::default())), (ErrorKind::Usage, "apply_locked"));
    let refused = failed(project.rollback(&change.branch, &RollbackOptions::default()));
    assert!(refused.hint.is_some_and(|hint| hint.contains("--dry-run")));
    assert_eq!(way(&project, &change), Way::Drop, "a look is allowed");
    assert_eq!(scene.published(), [change.branch]);
}

#[test]
fn neither_lock_nor_kill_switch_of_an_apply_keeps_a_change_from_being_taken_back() {
    let (scene, project, change) = published();
    scene.write(".gephost/STOP", "");
    assert!(!project.status().expect("a status").may_apply());
    let taken = project.rollback(&change.branch, &RollbackOptions::default()).expect("taken back");
    assert_eq!((taken.taken.way, scene.published()), (Way::Drop, Vec::new()));
}

#[test]
fn what_was_only_proposed_cannot_be_taken_back() {
    let scene = Scene::new(FILES);
    let project = scene.project();
    append(&project, &[proposed("gep-x", "never applied")]);
    assert_eq!(refusal(project.rollback("gep-x", &dry())), (ErrorKind::Usage, "not_applied"));
    assert!(matches!(project.undo(&dry()), Ok(Undone::Nothing(None))));
}
