//! Proposals that wait: looked at, rejected, and refused when they are not what was queued.

use gephost_app::apply::ApplyOptions;
use gephost_app::cycle::CycleOptions;
use gephost_app::{ErrorKind, Project};
use gephost_core::event_log::EntryBody;

use crate::scene::Scene;

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
