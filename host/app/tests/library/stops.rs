//! The locks of an apply, the kill switch and the interrupt.

use std::sync::atomic::Ordering;

use gephost_app::ErrorKind;
use gephost_app::apply::ApplyOptions;
use gephost_app::cycle::CycleOptions;

use crate::scene::{Scene, apply, refusal};

#[test]
fn both_locks_are_needed() {
    let locked = (ErrorKind::Usage, "apply_locked");
    for (from, to) in [("enabled = true", "enabled = false"), ("[policy]", "dry_run = true\n[policy]")] {
        let scene = Scene::quickstart(&[(from, to)]);
        assert_eq!(refusal(scene.project().run(&CycleOptions::default(), &apply())), locked, "{to}");
        assert_eq!(refusal(scene.project().autopilot(&CycleOptions::default(), &apply())), locked, "{to}");
        assert_eq!(scene.kinds(), Vec::<String>::new(), "{to}");
    }
}

#[test]
fn the_kill_switch_stops_what_applies_and_nothing_else() {
    let scene = Scene::quickstart(&[]);
    let on = (ErrorKind::Usage, "kill_switch");
    let project = scene.project();
    assert!(project.status().expect("a status").may_apply());
    project.create_state().expect("a state folder");
    scene.write(".gephost/STOP", "");
    assert_eq!(refusal(project.run(&CycleOptions::default(), &apply())), on);
    assert_eq!(refusal(project.autopilot(&CycleOptions::default(), &ApplyOptions::default())), on);
    let status = project.status().expect("a status");
    assert!(!status.may_apply() && status.kill_switch.is_some());
    assert!(project.run(&CycleOptions::default(), &ApplyOptions::default()).is_ok(), "a dry run changes nothing");
    assert_eq!(scene.published(), Vec::<String>::new());
}

#[test]
fn an_interrupt_ends_it_with_its_own_kind() {
    let scene = Scene::quickstart(&[]);
    let project = scene.project();
    scene.environment.interrupted.store(true, Ordering::Relaxed);
    let refused = refusal(project.autopilot(&CycleOptions::default(), &ApplyOptions::default()));
    assert_eq!(refused, (ErrorKind::Interrupted, "interrupted"));
}

#[test]
fn without_a_program_nothing_is_validated_and_so_nothing_is_published() {
    let scene = Scene::quickstart(&[]);
    assert_eq!(refusal(scene.project().run(&CycleOptions::default(), &apply())), (ErrorKind::Usage, "sandbox"));
    assert_eq!(scene.published(), Vec::<String>::new());
}
