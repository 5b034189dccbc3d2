//! The figures of the log, and the story of one cycle.

use gephost_app::ErrorKind;
use gephost_app::cycle::CycleOptions;
use gephost_app::rollback::RollbackOptions;
use gephost_core::event_log::{EntryBody, Fate, GateVerdict, Tried};
use gephost_core::impact::Effect;

use crate::history::{append, cycle_ended, cycle_started, gated, intent, proposed, validated};
use crate::scene::{Scene, failed, refusal};
use crate::trust::one_event;

fn scene() -> Scene {
    let config = "[observe]\nlogs = [\"logs/\"]\n";
    Scene::new(&[("gephost.toml", config), ("logs/a.jsonl", one_event()), ("a.txt", "a\n"), ("b.txt", "b\n")])
}

#[test]
fn an_empty_log_gives_figures_of_nothing() {
    for scene in [scene(), Scene::without_git(&[])] {
        let report = scene.project().report().expect("a report");
        assert_eq!((report.tally, report.impacts.len()), (gephost_core::event_log::Tally::default(), 0));
    }
}

#[test]
fn every_entry_counts_once_where_it_belongs() {
    let scene = scene();
    let project = scene.project();
    let first = scene.publish(&project, "first", "a.txt", "new\n");
    append(
        &project,
        &[
            proposed("gep-2", "refused"),
            gated("gep-2", GateVerdict::Reject, 95, ("b.txt", "b\n", "c\n")),
            proposed("gep-3", "does not hold"),
            gated("gep-3", GateVerdict::Pass, 42, ("b.txt", "b\n", "d\n")),
            cycle_started("evt_3", &["gep-3"]),
            intent("gep-3", &scene.head(), "evo/third"),
            validated("gep-3", false),
            EntryBody::ApplyFailed { proposal: "gep-3".to_owned(), reason: "validation: unchanged".to_owned() },
            cycle_ended("evt_3", None, vec![Tried::new("gep-3", Fate::Failed, "unchanged")]),
        ],
    );
    let tally = project.report().expect("a report").tally;
    assert_eq!((tally.proposed, tally.passed, tally.rejected), (3, 2, 1));
    assert_eq!((tally.attempted, tally.succeeded, tally.failed, tally.rolled_back), (2, 1, 1, 0));
    assert_eq!((tally.risk_histogram[1], tally.risk_histogram[4], tally.risk_histogram[9]), (1, 1, 1));
    assert_eq!((tally.files.get("a.txt"), tally.files.get("b.txt")), (Some(&1), Some(&2)));
    project.rollback(&first.branch, &RollbackOptions::default()).expect("taken back");
    let tally = project.report().expect("a report").tally;
    assert_eq!((tally.succeeded, tally.rolled_back), (1, 1), "what happened, happened");
}

#[test]
fn a_story_is_found_by_cycle_proposal_and_branch() {
    let scene = scene();
    let project = scene.project();
    let change = scene.publish(&project, "first", "a.txt", "new\n");
    for id in [&change.event, &change.proposal, &change.branch] {
        let story = project.story(id).expect(id);
        assert_eq!(story.cycle.id, change.event, "{id}");
        let [candidate] = story.candidates.as_slice() else { panic!("{:?}", story.candidates) };
        assert_eq!((candidate.title.as_str(), candidate.risk_score), ("title of first", Some(10)));
        assert_eq!((candidate.gene.as_deref(), candidate.fate), (Some("gene_test"), Some(Fate::Published)));
        assert_eq!(
            (candidate.branch.as_ref(), candidate.files.as_slice()),
            (Some(&change.branch), &["a.txt".to_owned()][..])
        );
        assert_eq!((candidate.reason.as_str(), candidate.report.is_none()), ("improved", true));
    }
    for id in ["", "first", "evt_", &change.commit, "gep-"] {
        let error = failed(project.story(id));
        assert_eq!((error.kind, error.code, error.hint.is_some()), (ErrorKind::Usage, "unknown_id", true), "{id}");
    }
}

#[test]
fn of_several_cycles_with_a_proposal_the_newest_is_told() {
    let scene = scene();
    let project = scene.project();
    let one = |cycle: &str, risk: u8| {
        append(
            &project,
            &[
                proposed("gep-x", "tried twice"),
                gated("gep-x", GateVerdict::Pass, risk, ("a.txt", "a\n", "b\n")),
                cycle_started(cycle, &["gep-x"]),
                intent("gep-x", &scene.head(), "evo/x"),
                validated("gep-x", false),
                EntryBody::ApplyFailed { proposal: "gep-x".to_owned(), reason: cycle.to_owned() },
                cycle_ended(cycle, None, vec![Tried::new("gep-x", Fate::Failed, cycle)]),
            ],
        );
    };
    one("evt_1", 20);
    one("evt_2", 60);
    let story = project.story("gep-x").expect("a story");
    assert_eq!((story.cycle.id.as_str(), story.candidates[0].risk_score), ("evt_2", Some(60)));
    // The first one is still told with what was known then.
    let story = project.story("evt_1").expect("a story");
    assert_eq!((story.candidates[0].reason.as_str(), story.candidates[0].risk_score), ("evt_1", Some(20)));
}

#[test]
fn a_cycle_that_did_not_end_has_candidates_without_a_fate() {
    let scene = scene();
    let project = scene.project();
    append(
        &project,
        &[
            proposed("gep-x", "cut short"),
            gated("gep-x", GateVerdict::Pass, 20, ("a.txt", "a\n", "b\n")),
            cycle_started("evt_1", &["gep-x", "gep-never-seen"]),
        ],
    );
    let story = project.story("evt_1").expect("a story");
    assert_eq!(story.candidates.len(), 2);
    assert!(story.candidates.iter().all(|candidate| candidate.fate.is_none() && candidate.branch.is_none()));
    assert_eq!((story.candidates[0].title.as_str(), story.candidates[1].title.as_str()), ("cut short", ""));
    assert_eq!(story.impacts.len(), 0);
}

#[test]
fn a_change_that_nobody_uses_is_not_judged_by_what_happens() {
    let scene = scene();
    let project = scene.project();
    let change = scene.publish(&project, "first", "a.txt", "new\n");
    let effect = || {
        let impacts = project.report().expect("a report").impacts;
        assert_eq!((impacts.len(), &impacts[0].branch), (1, &change.branch));
        assert_eq!(impacts[0].finding.id, "f1");
        impacts[0].impact.effect
    };
    assert_eq!(effect(), Effect::NotInUse);
    scene.merge(&change.commit);
    assert_ne!(effect(), Effect::NotInUse);
    project.rollback(&change.branch, &RollbackOptions::default()).expect("taken back");
    assert_eq!(project.report().expect("a report").impacts.len(), 0, "it does not stand any more");
}

#[test]
fn a_log_that_was_edited_gives_no_report_and_no_story() {
    let scene = scene();
    let change = scene.publish(&scene.project(), "first", "a.txt", "new\n");
    let log = scene.project().state.log().path();
    let text = std::fs::read_to_string(&log).expect("the log");
    std::fs::write(&log, text.replacen("title of first", "another title!", 1)).expect("a log");
    let broken = (ErrorKind::Failed, "log");
    assert_eq!(refusal(scene.project().report()), broken);
    assert_eq!(refusal(scene.project().story(&change.event)), broken);
    assert_eq!(refusal(scene.project().status()), broken);
    assert_eq!(refusal(scene.project().append(&proposed("gep-x", "x"))), broken);
    let verification = scene.project().verify_log().expect("a verdict");
    assert!(verification.fault.is_some() && verification.head.entries < 8, "{verification:?}");
    // What does not rest on the log goes on.
    assert!(scene.project().diagnose(&CycleOptions::default()).is_ok());
    assert!(scene.project().past().is_ok_and(|past| past.refused.is_empty() && past.vouched.is_empty()));
}

#[test]
fn a_log_that_was_removed_counts_for_nothing_until_the_user_accepts_it() {
    let scene = scene();
    scene.publish(&scene.project(), "first", "a.txt", "new\n");
    std::fs::remove_file(scene.project().state.log().path()).expect("removed");
    let error = failed(scene.project().entries());
    assert_eq!((error.kind, error.code), (ErrorKind::Failed, "log"));
    assert!(error.message.contains("was removed") && error.hint.is_some_and(|hint| hint.contains("log accept")));
    assert!(scene.project().accept_log().expect("accepted").is_some());
    let entries = scene.project().entries().expect("a log");
    assert_eq!(entries.len(), 1, "it begins with a note of what is missing");
    assert_eq!(scene.project().accept_log().expect("nothing to accept"), None);
}

#[test]
fn an_entry_that_does_not_follow_is_refused_and_the_log_stays_as_it_was() {
    let scene = scene();
    let project = scene.project();
    let before = [
        vec![intent("gep-unknown", "base", "evo/x")],
        vec![proposed("gep-x", "x"), intent("gep-x", "base", "evo/x")],
        vec![gated("gep-y", GateVerdict::Pass, 1, ("a.txt", "a", "b"))],
        vec![proposed("gep-x", "x"), validated("gep-x", true)],
        vec![crate::history::queued("gep-x", 10)],
        vec![EntryBody::Approved { proposal: "gep-x".to_owned(), approver: "a".to_owned() }],
        vec![EntryBody::Declined { proposal: "gep-x".to_owned(), approver: "a".to_owned(), why: "b".to_owned() }],
        vec![cycle_ended("evt_1", None, Vec::new())],
    ];
    for entries in before {
        let result = entries.iter().try_for_each(|entry| project.append(entry));
        assert_eq!(refusal(result), (ErrorKind::Failed, "log"), "{entries:?}");
    }
    // Several at once are refused as a whole.
    let lines = scene.kinds().len();
    assert!(project.append_all(&[proposed("gep-z", "z"), intent("gep-z", "base", "evo/z")]).is_err());
    assert_eq!(scene.kinds().len(), lines);
    assert!(scene.project().verify_log().expect("a verdict").fault.is_none());
}
