//! Proposals that wait: looked at, rejected, and refused when they are not what was queued.

use gephost_app::apply::ApplyOptions;
use gephost_app::cycle::CycleOptions;
use gephost_app::{ErrorKind, Project};
use gephost_core::event_log::EntryBody;

use crate::history::queue_content;
use crate::scene::{Scene, apply, failed, refusal};

/// A project with one waiting proposal, as autopilot leaves it. Gives the proposal's id.
fn queued(scene: &Scene) -> (Project, String) {
    let project = scene.project();
    let ran = project.run(&CycleOptions::default(), &ApplyOptions::default()).expect("a dry run");
    let id = ran.proposals.proposed.passed().expect("a candidate").proposal.id.clone();
    let body =
        EntryBody::Queued { proposal: id.clone(), risk_score: 40, max_risk: 30, finding: None, calls: Vec::new() };
    project.append(&body).expect("an entry");
    (project, id)
}

#[test]
fn a_waiting_proposal_is_judged_on_the_base_of_now() {
    let scene = Scene::quickstart(&[]);
    let (project, id) = queued(&scene);
    let looked = project.approve(&id[..12], None, &ApplyOptions::default()).expect("a look");
    assert_eq!(looked.proposal, id);
    assert!(looked.judged.passes() && looked.applied.is_none() && looked.approver.is_none());
    assert_eq!(project.log_state().expect("a state").queue().waiting().len(), 1, "it still waits");
}

#[test]
fn an_approval_covers_only_what_was_queued() {
    let scene = Scene::quickstart(&[]);
    let (project, id) = queued(&scene);
    let look = |project: &Project| {
        project.approve(&id, None, &ApplyOptions::default()).map(|approval| approval.judged.passes())
    };
    let file = project.proposal_file(&id);
    let saved = std::fs::read_to_string(&file).expect("the proposal");
    std::fs::write(&file, saved.replacen("\"title\"", "\"title\":\"other\",\"was\"", 1)).expect("a file");
    assert_eq!(look(&project).expect_err("changed").code, "proposal");
    std::fs::remove_file(&file).expect("removed");
    assert_eq!(look(&project).expect_err("missing").kind, ErrorKind::Usage);
    std::fs::write(&file, saved).expect("a file");
    assert!(look(&project).expect("as it was"));
    // The files that it changes are not those of then.
    let changed = project.log_state().expect("a state").proposal(&id).expect("known").contents[0].path.clone();
    let text = std::fs::read_to_string(scene.root().join(&changed)).expect("a file");
    scene.write(&changed, &format!("{text}\n# somebody was here\n"));
    scene.commit();
    let refused = look(&project);
    assert!(refused.as_ref().is_ok_and(|passes| !passes) || refused.is_err_and(|error| error.code == "stale_base"));
}

#[test]
fn a_rejected_proposal_waits_no_more() {
    let scene = Scene::quickstart(&[]);
    let (project, id) = queued(&scene);
    assert_eq!(project.reject(&id, None, " \n").expect_err("no reason").code, "usage");
    assert_eq!(project.reject(&id, Some("a\nb\u{7}"), "no").expect_err("no name").code, "usage");
    let rejected = project.reject(&id, Some("the boss"), "not  this\nway").expect("a rejection");
    assert_eq!((rejected.approver.as_str(), rejected.why.as_str()), ("the boss", "not this way"));
    let again = project.reject(&id, None, "no").expect_err("it waits no more");
    assert_eq!((again.kind, again.code), (ErrorKind::Usage, "not_waiting"));
    assert!(again.message.contains("the boss: not this way"), "{}", again.message);
    assert_eq!(scene.kinds().last().map(String::as_str), Some("declined"));
}

#[test]
fn only_what_waits_can_be_approved() {
    let scene = Scene::quickstart(&[]);
    let (project, _) = queued(&scene);
    for asked in ["", "unknown", "zzz"] {
        let refused = project.approve(asked, None, &ApplyOptions::default()).expect_err(asked);
        assert_eq!((refused.code, refused.hint.is_some()), ("not_waiting", true), "{asked}");
    }
}

/// A project with one file, whose queue is filled without a gene.
fn small() -> Scene {
    let config = "[policy]\nallow = [\"a.txt\", \"b.txt\"]\n[apply]\nenabled = true\n";
    Scene::new(&[("gephost.toml", config), ("a.txt", "a\n"), ("b.txt", "b\n")])
}

#[test]
fn a_look_at_what_waits_writes_nothing_and_names_nobody() {
    let scene = small();
    let project = scene.project();
    let id = queue_content(&project, ("a.txt", "a\n", "new\n"), 40);
    let before = scene.kinds();
    let look = project.approve(&id, Some("the boss"), &ApplyOptions::default()).expect("a look");
    assert!(look.judged.passes() && look.approver.is_none() && look.applied.is_none());
    assert_eq!(scene.kinds(), before);
}

#[test]
fn an_id_is_found_by_its_beginning_if_that_is_the_only_one() {
    let scene = small();
    let project = scene.project();
    let ids = [
        queue_content(&project, ("a.txt", "a\n", "new\n"), 40),
        queue_content(&project, ("b.txt", "b\n", "new\n"), 50),
    ];
    for id in &ids {
        assert_eq!(project.approve(&id[..12], None, &ApplyOptions::default()).expect("a look").proposal, *id);
    }
    let error = failed(project.approve("gep-", None, &ApplyOptions::default()));
    assert!(error.code == "not_waiting" && error.message.contains("more than one"), "{error}");
    project.reject(&ids[0], None, "no").expect("rejected");
    assert_eq!(project.reject("gep-", None, "no").expect("the only one left").proposal, ids[1]);
    assert_eq!(failed(project.reject("gep-", None, "no")).code, "not_waiting");
}

#[test]
fn an_approval_is_bound_to_the_files_as_they_were_queued() {
    let scene = small();
    let project = scene.project();
    let id = queue_content(&project, ("a.txt", "a\n", "new\n"), 40);
    // Another file may change.
    scene.write("b.txt", "other\n");
    scene.commit();
    assert!(project.approve(&id, None, &ApplyOptions::default()).is_ok());
    scene.write("a.txt", "somebody worked here\n");
    scene.commit();
    for options in [ApplyOptions::default(), apply()] {
        let error = failed(project.approve(&id, None, &options));
        assert_eq!((error.kind, error.code), (ErrorKind::Conflict, "stale_base"));
        assert!(error.message.contains("a.txt") && error.hint.is_some_and(|hint| hint.contains("gephost reject")));
    }
    assert!(scene.kinds().iter().all(|kind| kind != "approved"));
    // As it was, it is what was queued.
    scene.write("a.txt", "a\n");
    scene.commit();
    assert!(project.approve(&id, None, &ApplyOptions::default()).is_ok());
}

#[test]
fn an_approval_is_bound_to_the_saved_bytes() {
    let scene = small();
    let project = scene.project();
    let id = queue_content(&project, ("a.txt", "a\n", "new\n"), 40);
    let file = project.proposal_file(&id);
    let saved = std::fs::read_to_string(&file).expect("a file");
    let outside = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(outside.path(), &saved).expect("a file");
    let tampers: [(&str, &dyn Fn()); 6] = [
        ("another content", &|| std::fs::write(&file, saved.replace("new", "bad")).expect("a file")),
        ("another path", &|| std::fs::write(&file, saved.replace("a.txt", "b.txt")).expect("a file")),
        ("no JSON", &|| std::fs::write(&file, "{").expect("a file")),
        ("no text", &|| std::fs::write(&file, [0xff]).expect("a file")),
        ("a missing file", &|| std::fs::remove_file(&file).expect("removed")),
        ("a link to the same bytes", &|| {
            std::os::unix::fs::symlink(outside.path(), &file).expect("a link");
        }),
    ];
    for (name, tamper) in tampers {
        tamper();
        let error = failed(project.approve(&id, None, &apply()));
        assert_eq!((error.kind, error.code), (ErrorKind::Usage, "proposal"), "{name}");
        assert!(error.hint.is_some_and(|hint| hint.contains("gephost reject")), "{name}");
    }
    std::fs::remove_file(&file).expect("removed");
    std::fs::write(&file, &saved).expect("a file");
    assert!(project.approve(&id, None, &ApplyOptions::default()).is_ok());
    assert!(scene.kinds().iter().all(|kind| kind != "approved"));
}

#[test]
fn a_policy_that_was_narrowed_since_refuses_what_waits() {
    let scene = small();
    let id = queue_content(&scene.project(), ("a.txt", "a\n", "new\n"), 40);
    scene.write("gephost.toml", "[policy]\nallow = [\"b.txt\"]\n[apply]\nenabled = true\n");
    let looked = scene.project().approve(&id, None, &apply()).expect("a verdict");
    assert!(!looked.judged.passes() && looked.applied.is_none());
    assert_eq!(scene.published(), Vec::<String>::new());
    assert_eq!(scene.project().log_state().expect("a state").queue().waiting().len(), 1);
}

#[test]
fn a_name_is_one_line_of_bounded_length() {
    let scene = small();
    let project = scene.project();
    let id = queue_content(&project, ("a.txt", "a\n", "new\n"), 40);
    let long = "n".repeat(201);
    for name in ["", " \t\n", "a\u{1b}[0m", long.as_str()] {
        let usage = (ErrorKind::Usage, "usage");
        assert_eq!(refusal(project.approve(&id, Some(name), &ApplyOptions::default())), usage, "{name:?}");
        assert_eq!(refusal(project.reject(&id, Some(name), "no")), usage, "{name:?}");
    }
    let rejected = project.reject(&id, Some("  the \n boss "), "no").expect("rejected");
    assert_eq!(rejected.approver, "the boss");
}

#[test]
fn a_rejection_is_by_the_operator_if_nobody_is_named_and_says_no_secret() {
    let scene = small();
    let project = scene.project();
    let id = queue_content(&project, ("a.txt", "a\n", "new\n"), 40);
    let secret = format!("ghp_{}", "aB3dE6gH9jK2mN5pQ8sT1vW4xY7zC0fR2uL6");
    let rejected = project.reject(&id, None, &format!("it has {secret} in it")).expect("rejected");
    assert_eq!(rejected.approver, "embedded");
    let log = std::fs::read_to_string(project.state.log().path()).expect("the log");
    assert!(!rejected.why.contains(&secret) && !log.contains(&secret));
    // Every later word on it is told who said no.
    let error = failed(project.approve(&id, None, &ApplyOptions::default()));
    assert!(error.message.contains("was rejected (embedded: "), "{error}");
}

#[test]
fn what_was_rejected_may_be_queued_and_approved_again() {
    let scene = small();
    let project = scene.project();
    let id = queue_content(&project, ("a.txt", "a\n", "new\n"), 40);
    project.reject(&id, None, "not now").expect("rejected");
    assert_eq!(queue_content(&project, ("a.txt", "a\n", "new\n"), 40), id);
    assert!(project.approve(&id, None, &ApplyOptions::default()).is_ok());
}
