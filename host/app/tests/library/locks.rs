//! One process at a time changes a project; what an earlier one left is settled first; and the kill switch is one file.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;
use std::sync::atomic::Ordering;

use gephost_app::apply::ApplyOptions;
use gephost_app::cycle::CycleOptions;
use gephost_app::rollback::RollbackOptions;
use gephost_app::{ErrorKind, KillSwitch, Project, StopSign, remove_state};
use gephost_core::event_log::GateVerdict;

use crate::history::{append, content_proposal, gated, intent, proposed, queue_content};
use crate::scene::{Scene, apply, failed, refusal};

const LOCKED: (ErrorKind, &str) = (ErrorKind::Conflict, "locked");
const KILLED: (ErrorKind, &str) = (ErrorKind::Usage, "kill_switch");

fn scene() -> Scene {
    let config = "[policy]\nallow = [\"a.txt\"]\n[validation]\ncommands = [\"true\"]\n[apply]\nenabled = true\n";
    let config = config.replace("\"true\"", "\"python3 -m unittest\"");
    Scene::new(&[("gephost.toml", &config), ("a.txt", "a\n")])
}

/// Every call that changes the project, and how it was refused.
fn refusals(project: &Project, queued: &str) -> Vec<(ErrorKind, &'static str)> {
    let cycle = CycleOptions::default();
    vec![
        refusal(project.run(&cycle, &apply())),
        refusal(project.autopilot(&cycle, &apply())),
        refusal(project.apply(content_proposal("a.txt", "new\n"), &apply())),
        refusal(project.approve(queued, None, &apply())),
    ]
}

#[test]
fn while_one_process_changes_a_project_no_other_does() {
    let scene = scene();
    let project = scene.project();
    let queued = queue_content(&project, ("a.txt", "a\n", "b\n"), 40);
    let held = project.begin(&project.repository().expect("a repository"), "a long apply").expect("the lock");
    let other = scene.project();
    assert!(refusals(&other, &queued).iter().all(|refused| *refused == LOCKED));
    assert_eq!(refusal(other.undo(&RollbackOptions::default())), LOCKED);
    let error = failed(other.begin(&other.repository().expect("a repository"), "mine"));
    assert!(error.message.contains("a long apply") && error.hint.is_some(), "{error:?}");
    let holder = other.status().expect("a status").at_work.expect("somebody");
    assert_eq!((holder.command.as_str(), holder.pid), ("a long apply", std::process::id()));
    // Whoever only looks is not kept out.
    assert!(other.apply(content_proposal("a.txt", "new\n"), &ApplyOptions::default()).is_ok());
    assert!(other.approve(&queued, None, &ApplyOptions::default()).is_ok());
    assert!(other.undo(&RollbackOptions { dry_run: true, ..RollbackOptions::default() }).is_ok());
    drop(held);
    assert!(other.status().expect("a status").at_work.is_none());
    assert!(other.begin(&other.repository().expect("a repository"), "mine").is_ok());
}

#[test]
fn the_lock_of_one_project_is_none_of_another() {
    let (one, other) = (scene(), scene());
    let (first, second) = (one.project(), other.project());
    let _held = first.begin(&first.repository().expect("a repository"), "an apply").expect("the lock");
    assert!(second.status().expect("a status").at_work.is_none());
    assert!(second.begin(&second.repository().expect("a repository"), "another").is_ok());
}

#[test]
fn a_state_in_which_somebody_works_is_not_removed() {
    let scene = scene().of_another_user();
    let project = scene.project();
    append(&project, &[proposed("gep-x", "a title")]);
    let held = project.begin(&project.repository().expect("a repository"), "an apply").expect("the lock");
    assert_eq!(refusal(remove_state(&scene.environment, project.state.id())), LOCKED);
    drop(held);
    remove_state(&scene.environment, project.state.id()).expect("removed");
    assert_eq!(scene.kinds(), Vec::<String>::new());
}

#[test]
fn an_intent_without_an_outcome_is_settled_by_the_next_process_that_changes_something() {
    let scene = scene();
    let project = scene.project();
    let change = ("a.txt", "a\n", "b\n");
    append(
        &project,
        &[
            proposed("gep-cut", "cut short"),
            gated("gep-cut", GateVerdict::Pass, 5, change),
            intent("gep-cut", &scene.head(), "evo/cut"),
        ],
    );
    assert_eq!(project.log_state().expect("a state").unfinished().count(), 1);
    let later = scene.project();
    let journal = later.begin(&later.repository().expect("a repository"), "the next one").expect("the lock");
    assert_eq!(later.log_state().expect("a state").unfinished().count(), 0);
    assert_eq!(scene.kinds().last().map(String::as_str), Some("apply_failed"));
    assert!(scene.noted("an earlier gephost was cut short"), "{:?}", scene.notes());
    drop(journal);
    // It is settled once.
    let noted = scene.notes().len();
    drop(later.begin(&later.repository().expect("a repository"), "one more").expect("the lock"));
    assert_eq!(scene.notes().len(), noted);
}

/// Puts the kill switch of a project on.
type Put = fn(&Path);

/// Ways to do that, by the name that the test fails with.
fn switches() -> [(&'static str, Put); 4] {
    [
        ("a file", |root| fs::write(folder(root).join("STOP"), "").expect("a file")),
        ("a folder", |root| fs::create_dir(folder(root).join("STOP")).expect("a folder")),
        ("a link that leads nowhere", |root| symlink("nowhere", folder(root).join("STOP")).expect("a link")),
        ("a name that cannot be looked at", |root| fs::write(root.join(".gephost"), "").expect("a file")),
    ]
}

fn folder(root: &Path) -> std::path::PathBuf {
    let folder = root.join(".gephost");
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

#[test]
fn whatever_is_there_in_place_of_the_kill_switch_stops_every_apply() {
    for (name, put) in switches() {
        let scene = scene();
        let project = scene.project();
        let queued = queue_content(&project, ("a.txt", "a\n", "b\n"), 40);
        put(scene.root());
        let refused = refusals(&project, &queued);
        assert!(refused.iter().all(|refused| *refused == KILLED), "{name}: {refused:?}");
        let error = failed(project.run(&CycleOptions::default(), &apply()));
        assert!(error.message.contains("STOP") && error.hint.is_some(), "{name}: {error:?}");
        assert!(project.status().expect("a status").missing.iter().any(|missing| missing.next.contains("STOP")));
        assert!(project.kill_switch().is_some_and(|switch| switch.path.ends_with(".gephost/STOP")), "{name}");
        // Nothing began: neither lock nor log say that there was an apply.
        assert!(scene.kinds().iter().all(|kind| kind != "apply_intent"), "{name}");
    }
}

#[test]
fn the_kill_switch_of_one_project_does_not_stop_another() {
    let (one, other) = (scene(), scene());
    one.write(".gephost/STOP", "");
    let (one, other) = (one.project(), other.project());
    assert_eq!((one.kill_switch().is_some(), other.kill_switch().is_some()), (true, false));
    assert!(other.status().expect("a status").may_apply());
}

#[test]
fn a_removed_kill_switch_stops_nothing_any_more() {
    let scene = scene();
    let project = scene.project();
    scene.write(".gephost/STOP", "");
    assert_eq!(refusal(project.run(&CycleOptions::default(), &apply())), KILLED);
    fs::remove_file(scene.root().join(".gephost/STOP")).expect("removed");
    assert!(project.kill_switch().is_none() && project.status().expect("a status").may_apply());
}

#[test]
fn an_interrupt_counts_before_the_kill_switch() {
    let scene = scene();
    scene.write(".gephost/STOP", "");
    scene.environment.interrupted.store(true, Ordering::Relaxed);
    let refused = failed(scene.project().run(&CycleOptions::default(), &apply()));
    assert_eq!((refused.kind, refused.code, refused.hint), (ErrorKind::Interrupted, "interrupted", None));
}

#[test]
fn each_reason_to_stop_says_that_nothing_was_published() {
    let path = Path::new("/p/.gephost/STOP").to_owned();
    for (sign, words) in [
        (StopSign::Interrupted, "interrupted"),
        (StopSign::KillSwitch(KillSwitch { path: path.clone(), unseen: None }), "/p/.gephost/STOP exists"),
        (
            StopSign::KillSwitch(KillSwitch { path, unseen: Some("no answer".to_owned()) }),
            "/p/.gephost/STOP cannot be looked at: no answer",
        ),
        (StopSign::OutOfTime, "max_wall_s"),
    ] {
        let error = gephost_app::AppError::from(sign.clone());
        assert!(error.message.contains(words) && error.message.ends_with("nothing was published"), "{error}");
        assert_eq!(error.hint.is_some(), matches!(sign, StopSign::KillSwitch(_)), "{error}");
    }
}
