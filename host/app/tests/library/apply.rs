//! Applying: validated with real processes, published as a branch, and taken back. `examples/embed` is the program that
//! gephost starts for that, as a program that embeds it can be.

use gephost_app::Program;
use gephost_app::apply::{ApplyOptions, SavedEnding};
use gephost_app::cycle::CycleOptions;
use gephost_app::rollback::{RollbackOptions, Undone, Way};
use gephost_app::run::RunEnding;
use gephost_core::event_log::{EntryBody, Fate};
use gephost_core::proposal::Proposal;

use crate::scene::{Scene, apply, embed};

const CONFIG: &str = "[policy]\nallow = [\"value\"]\n[validation]\nreruns = 0\n[apply]\nenabled = true\n";

/// The quickstart, with a program that starts validation commands. `None` without python3.
fn quickstart(replaced: &[(&str, &str)]) -> Option<Scene> {
    with_program(Scene::quickstart(replaced))
}

pub(crate) fn with_program(mut scene: Scene) -> Option<Scene> {
    scene.environment.machine.path = "/usr/local/bin:/usr/bin:/bin".into();
    scene.environment.program = Some(Program { path: embed().to_owned(), file: Some(embed().to_owned()) });
    let python = ["/usr/local/bin/python3", "/usr/bin/python3", "/bin/python3"];
    python.iter().any(|path| std::path::Path::new(path).exists()).then_some(scene)
}

#[test]
fn the_best_candidate_that_holds_is_published_and_can_be_taken_back() {
    let Some(scene) = quickstart(&[]) else { return };
    let project = scene.project();
    let ran = project.run(&CycleOptions::default(), &apply()).expect("a run");
    let ended = ran.ending.published().unwrap_or_else(|| panic!("{:?}", ran.ending));
    let published = ended.published.as_ref().expect("a branch");
    assert_eq!(scene.published(), std::slice::from_ref(&published.branch));
    let winner = ended.foremost().expect("a winner");
    assert_eq!((winner.tried.fate, winner.evaluation.is_some()), (Fate::Published, true));
    assert!(scene.notes().iter().any(|note| note == &format!("step: validating: {}", winner.title)));
    let story = project.story(&published.branch).expect("a story");
    assert_eq!(story.cycle.id, ended.cycle);
    assert_eq!(story.candidates[0].branch.as_ref(), Some(&published.branch));
    assert!(story.candidates[0].report.is_some() && story.candidates[0].risk_score.is_some());
    assert_eq!(project.status().expect("a status").state.standing().len(), 1);
    let dry = RollbackOptions { dry_run: true, ..RollbackOptions::default() };
    let would = project.rollback(&published.branch, &dry).expect("a rollback");
    assert_eq!((would.dry_run, would.taken.way), (true, Way::Drop));
    assert_eq!(scene.published().len(), 1);
    let Undone::TakenBack(taken) = project.undo(&RollbackOptions::default()).expect("an undo") else {
        panic!("nothing")
    };
    assert_eq!((taken.dry_run, taken.taken.way), (false, Way::Drop));
    assert_eq!(scene.published(), Vec::<String>::new());
    let Undone::Nothing(Some(last)) = project.undo(&RollbackOptions::default()).expect("an undo") else {
        panic!("more")
    };
    assert_eq!(last.branch, published.branch);
}

#[test]
fn a_later_cycle_is_told_the_title_of_what_was_tried() {
    let Some(scene) = quickstart(&[]) else { return };
    let ran = scene.project().run(&CycleOptions::default(), &apply()).expect("a run");
    let title = ran.ending.published().and_then(|ended| ended.foremost()).expect("a winner").title.clone();
    let past = scene.project().past().expect("a past");
    assert_eq!(past.attempts.iter().map(|attempt| attempt.title.as_str()).collect::<Vec<_>>(), [title]);
}

#[test]
fn what_does_not_hold_is_not_published() {
    let fails = "python3 -m unittest absent_test_module";
    let Some(scene) = quickstart(&[("python3 -m unittest discover -s tests", fails)]) else { return };
    let ran = scene.project().run(&CycleOptions::default(), &apply()).expect("a run");
    let RunEnding::Applied(tried) = &ran.ending else { panic!("{:?}", ran.ending) };
    assert!(ran.ending.published().is_none());
    assert!(tried.iter().flat_map(|ended| &ended.candidates).all(|candidate| candidate.tried.fate != Fate::Published));
    assert_eq!(scene.published(), Vec::<String>::new());
}

#[test]
fn an_approved_proposal_is_applied_in_the_approvers_name() {
    let Some(scene) = quickstart(&[]) else { return };
    let project = scene.project();
    let ran = project.run(&CycleOptions::default(), &ApplyOptions::default()).expect("a dry run");
    let id = ran.proposals.proposed.passed().expect("a candidate").proposal.id.clone();
    let body =
        EntryBody::Queued { proposal: id.clone(), risk_score: 40, max_risk: 30, finding: None, calls: Vec::new() };
    project.append(&body).expect("an entry");
    let approval = project.approve(&id, Some("the boss"), &apply()).expect("an approval");
    assert_eq!(approval.approver.as_deref(), Some("the boss"));
    assert!(approval.applied.is_some_and(|ended| ended.published.is_some()));
    assert_eq!(project.status().expect("a status").state.queue().waiting().len(), 0);
    let entries = project.entries().expect("a log");
    let by_the_boss = |body: &EntryBody| matches!(body, EntryBody::ApplyIntent { approver: Some(approver), .. } if approver == "the boss");
    assert!(entries.iter().any(|entry| by_the_boss(&entry.body)));
}

#[test]
fn a_whole_content_for_another_state_of_its_file_is_refused() {
    let scene = Scene::new(&[("gephost.toml", CONFIG), ("value", "1\n")]);
    let project = scene.project();
    let text = r#"{"title":"t","objective":"o","changes":[{"kind":"content","path":"value","content":"2\n"}]}"#;
    let brought = || Proposal::read(text).expect("a proposal");
    let SavedEnding::DryRun = project.apply(brought(), &ApplyOptions::default()).expect("a verdict").ending else {
        panic!("it does not pass")
    };
    let entries = [
        EntryBody::Proposed {
            proposal: brought().id,
            gene: None,
            title: String::new(),
            signals: Vec::new(),
            isolation: None,
            calls: Vec::new(),
            dry_run: false,
        },
        EntryBody::Gated {
            proposal: brought().id,
            verdict: gephost_core::event_log::GateVerdict::Pass,
            reasons: Vec::new(),
            risk_score: 1,
            files: vec!["value".to_owned()],
            contents: vec![gephost_core::event_log::Contents {
                path: "value".to_owned(),
                before: Some("0".repeat(32)),
                after: None,
            }],
        },
    ];
    for body in &entries {
        project.append(body).expect("an entry");
    }
    let refused = project.apply(brought(), &ApplyOptions::default()).expect_err("another state");
    assert_eq!(refused.code, "stale_base");
}

#[test]
fn a_session_of_autopilot_applies_and_reads_the_log_once() {
    let Some(scene) = quickstart(&[("[apply]", "[autopilot]\nmax_risk = 100\ncycle_delay_s = 0\n[apply]")]) else {
        return;
    };
    let earlier = scene.project();
    for number in 0..3 {
        earlier.append(&EntryBody::Note { text: format!("entry {number}") }).expect("an entry");
    }
    let project = scene.project();
    let report = project.autopilot(&CycleOptions::default(), &apply()).expect("a session");
    assert!(!report.dry_run && !scene.published().is_empty(), "{report:?}");
    assert_eq!(project.log.reads(), 1);
    let kinds = scene.kinds();
    assert!(kinds.len() > 10 && kinds.contains(&"autopilot_stopped".to_owned()), "{kinds:?}");
}

#[test]
fn a_program_that_embeds_gephost_runs_a_dry_cycle() {
    let scene = Scene::quickstart(&[]);
    let said = scene.run_embed();
    assert!(said.contains("finding") && said.contains("Nothing was changed"), "{said}");
    assert_eq!(scene.published(), Vec::<String>::new());
}
