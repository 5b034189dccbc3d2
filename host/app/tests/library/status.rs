//! What is going on, and what is missing before an apply can work.

use gephost_app::Project;
use gephost_core::event_log::{EntryBody, GateVerdict};

use crate::history::{append, gated, intent, proposed, queue_content};
use crate::scene::Scene;

const READY: &str =
    "[policy]\nallow = [\"a.txt\"]\n[validation]\ncommands = [\"python3 -m unittest\"]\n[apply]\nenabled = true\n";

/// What is missing: the beginning of each command or edit that would bring it.
fn missing(project: &Project) -> Vec<String> {
    project.status().expect("a status").missing.into_iter().map(|missing| missing.next).collect()
}

#[test]
fn each_thing_that_is_missing_is_named_with_what_to_do_in_the_order_of_doing_it() {
    let scene = Scene::without_git(&[("a.txt", "a\n")]);
    assert_eq!(missing(&scene.project()), ["git init", "gephost init", "gephost record -- COMMAND"]);
    scene.init_git();
    assert_eq!(missing(&scene.project()), ["git add . && git commit", "gephost init", "gephost record -- COMMAND"]);
    scene.commit();
    assert_eq!(missing(&scene.project()), ["gephost init", "gephost record -- COMMAND"]);
    for (config, expected) in [
        ("dry_run = true\n", vec!["name paths", "take the key out", "set `enabled = true`", "gephost record"]),
        ("[policy]\nallow = [\"a.txt\"]\n", vec!["set `enabled = true`", "gephost record"]),
        ("[policy]\nallow = [\"a.txt\"]\n[apply]\nenabled = true\n", vec!["gephost record"]),
        (READY, vec![]),
    ] {
        scene.write("gephost.toml", config);
        let found = missing(&scene.project());
        assert_eq!(found.len(), expected.len(), "{config}: {found:?}");
        assert!(found.iter().zip(&expected).all(|(found, begin)| found.starts_with(begin)), "{config}: {found:?}");
    }
    scene.write(".gephost/STOP", "");
    let found = missing(&scene.project());
    assert!(found.len() == 1 && found[0].starts_with("rm ") && found[0].ends_with("STOP"), "{found:?}");
}

#[test]
fn a_recorded_command_that_can_run_again_validates_as_one_of_the_config_does() {
    let scene = Scene::new(&[("gephost.toml", "[policy]\nallow = [\"a.txt\"]\n[apply]\nenabled = true\n")]);
    let project = scene.project();
    let recorded = |argv: Option<Vec<String>>| EntryBody::Recorded {
        session: "s".to_owned(),
        events: 2,
        call_id: Some("c".to_owned()),
        argv,
        run: None,
    };
    // Something in its words was redacted, so that it cannot.
    append(&project, &[recorded(None)]);
    assert_eq!(missing(&project), ["gephost record -- COMMAND"]);
    append(&project, &[recorded(Some(vec!["make".to_owned(), "test".to_owned()]))]);
    assert_eq!(missing(&project), Vec::<String>::new());
}

#[test]
fn an_apply_is_possible_only_with_every_lock_open() {
    for (config, expected) in [
        (READY.to_owned(), true),
        (format!("dry_run = true\n{READY}"), false),
        (READY.replace("enabled = true", "enabled = false"), false),
        (String::new(), false),
    ] {
        let scene = Scene::new(&[("gephost.toml", &config), ("a.txt", "a\n")]);
        let status = scene.project().status().expect("a status");
        assert_eq!(status.may_apply(), expected, "{config}");
        scene.write(".gephost/STOP", "");
        let status = scene.project().status().expect("a status");
        assert!(!status.may_apply() && status.kill_switch.is_some(), "{config}");
    }
}

#[test]
fn what_waits_what_stands_and_what_was_begun_is_shown() {
    let scene = Scene::new(&[("gephost.toml", READY), ("a.txt", "a\n"), ("b.txt", "b\n")]);
    let project = scene.project();
    let empty = project.status().expect("a status");
    assert!(empty.state.standing().is_empty() && empty.left.is_empty() && empty.at_work.is_none());
    assert_eq!(empty.head.map(|head| (head.commit, head.branch)), Some((scene.head(), Some("main".to_owned()))));
    let waiting = queue_content(&project, ("a.txt", "a\n", "b\n"), 55);
    let change = scene.publish(&project, "first", "b.txt", "new\n");
    append(
        &project,
        &[
            proposed("gep-open", "still open"),
            gated("gep-open", GateVerdict::Pass, 5, ("a.txt", "a\n", "c\n")),
            intent("gep-open", &scene.head(), "evo/open"),
        ],
    );
    let state = project.status().expect("a status").state;
    let queue: Vec<(&str, u8)> = state.queue().waiting().map(|(id, waiting)| (id, waiting.risk_score)).collect();
    assert_eq!(queue, [(waiting.as_str(), 55)]);
    assert_eq!(state.standing().iter().map(|(id, _)| *id).collect::<Vec<_>>(), [change.proposal.as_str()]);
    assert_eq!(state.unfinished().map(|(id, _)| id).collect::<Vec<_>>(), ["gep-open"]);
}

#[test]
fn a_status_writes_nothing_and_settles_nothing() {
    let scene = Scene::new(&[("gephost.toml", READY), ("a.txt", "a\n")]);
    let project = scene.project();
    append(
        &project,
        &[
            proposed("gep-open", "still open"),
            gated("gep-open", GateVerdict::Pass, 5, ("a.txt", "a\n", "c\n")),
            intent("gep-open", &scene.head(), "evo/open"),
        ],
    );
    let before = std::fs::read(project.state.log().path()).expect("the log");
    for _ in 0..2 {
        assert_eq!(scene.project().status().expect("a status").state.unfinished().count(), 1);
    }
    assert_eq!(std::fs::read(project.state.log().path()).expect("the log"), before);
    assert!(!scene.project().state.lock().path().exists(), "nobody took the lock");
}
