//! A session of autopilot as a dry run.

use gephost_app::ErrorKind;
use gephost_app::apply::ApplyOptions;
use gephost_app::autopilot::{AutopilotReport, CycleReport, SessionEvent, Stop};
use gephost_app::cycle::CycleOptions;
use gephost_core::event_log::{CycleOutcome, EntryBody};

use crate::history::{append, queue_content};
use crate::scene::{Scene, apply, failed, refusal};

fn session(scene: &Scene) -> AutopilotReport {
    scene.project().autopilot(&CycleOptions::default(), &ApplyOptions::default()).expect("a session")
}

fn cycles(report: &AutopilotReport) -> Vec<&CycleReport> {
    let events = report.events.iter().filter_map(|event| match event {
        SessionEvent::Cycle(cycle) => Some(cycle.as_ref()),
        SessionEvent::Worse(_) => None,
    });
    events.collect()
}

#[test]
fn a_dry_session_says_what_it_would_do_and_logs_only_the_verdicts() {
    let scene = Scene::quickstart(&[]);
    let report = session(&scene);
    assert!(report.dry_run);
    assert_eq!(report.stop, Stop::NothingLeft);
    let cycles = cycles(&report);
    assert!(cycles.iter().any(|cycle| cycle.outcome == CycleOutcome::Published), "{cycles:?}");
    let published = cycles.iter().find(|cycle| cycle.outcome == CycleOutcome::Published).expect("one");
    assert!(published.reason.starts_with("dry run: ") && published.applied.is_none());
    assert!(!published.candidates.is_empty());
    let steps = scene.notes().iter().filter(|note| note.starts_with("step: cycle ")).count();
    assert_eq!(steps, cycles.len());
    assert!(scene.kinds().iter().all(|kind| ["proposed", "gated"].contains(&kind.as_str())), "{:?}", scene.kinds());
}

#[test]
fn a_candidate_above_the_risk_would_wait() {
    let scene = Scene::quickstart(&[("[apply]", "[autopilot]\nmax_risk = 0\n[apply]")]);
    let report = session(&scene);
    let waits = cycles(&report).iter().filter(|cycle| cycle.outcome == CycleOutcome::Waits).count();
    assert!(waits > 0, "{report:?}");
    assert_eq!(report.state.queue().waiting().len(), 0, "a dry run queues nothing");
}

#[test]
fn a_session_ends_after_so_many_cycles() {
    let scene = Scene::quickstart(&[("[apply]", "[autopilot]\nmax_cycles = 1\n[apply]")]);
    let report = session(&scene);
    assert_eq!((report.stop, cycles(&report).len()), (Stop::MaxCycles, 1));
}

const READY: &str = "[policy]\nallow = [\"a.txt\"]\n[autopilot]\ncycle_delay_s = 0\n[apply]\nenabled = true\n[observe]\nlogs = [\"logs/\"]\n";

/// A project without a failure in its logs.
fn quiet() -> Scene {
    Scene::new(&[("gephost.toml", READY), ("a.txt", "a\n"), ("logs/keep.txt", "no log\n")])
}

#[test]
fn a_session_with_nothing_to_do_is_logged_from_its_begin_to_its_end() {
    let scene = quiet();
    let report = scene.project().autopilot(&CycleOptions::default(), &apply()).expect("a session");
    assert_eq!((report.stop, report.events.len(), report.dry_run), (Stop::NothingLeft, 0, false));
    assert_eq!(scene.kinds(), ["autopilot_started", "autopilot_stopped"]);
    assert!(report.state.autopilot().session().is_none(), "it is over");
}

#[test]
fn a_session_that_was_cut_short_is_gone_on_with() {
    let scene = quiet();
    let started = EntryBody::AutopilotStarted { operator: "o".to_owned(), max_cycles: 5, max_risk: 30, resumed: false };
    scene.project().append(&started).expect("an entry");
    scene.project().autopilot(&CycleOptions::default(), &apply()).expect("a session");
    assert!(scene.noted("the last session was broken off"), "{:?}", scene.notes());
    let entries = scene.project().entries().expect("a log");
    let resumed: Vec<bool> = entries
        .iter()
        .filter_map(|entry| match &entry.body {
            EntryBody::AutopilotStarted { resumed, .. } => Some(*resumed),
            _ => None,
        })
        .collect();
    assert_eq!(resumed, [false, true]);
    // The one after it begins anew.
    let notes = scene.notes().len();
    scene.project().autopilot(&CycleOptions::default(), &apply()).expect("a session");
    assert_eq!(scene.notes().len(), notes);
}

#[test]
fn while_a_proposal_waits_no_session_takes_anything() {
    let scene = quiet();
    queue_content(&scene.project(), ("a.txt", "a\n", "new\n"), 40);
    let report = scene.project().autopilot(&CycleOptions::default(), &apply()).expect("a session");
    assert_eq!((report.stop, report.events.len()), (Stop::Waits, 0));
    assert_eq!(report.state.queue().waiting().len(), 1);
    assert!(scene.kinds().iter().all(|kind| kind != "autopilot_took"));
    // A dry session looks on, since it would take nothing anyway.
    let report = scene.project().autopilot(&CycleOptions::default(), &ApplyOptions::default()).expect("a session");
    assert_eq!(report.stop, Stop::NothingLeft);
}

#[test]
fn a_session_that_fails_says_so_in_the_log() {
    let scene = quiet();
    let project = scene.project();
    let options = CycleOptions { genes: vec!["none.wasm".to_owned()], ..CycleOptions::default() };
    let error = failed(project.autopilot(&options, &apply()));
    assert_eq!((error.kind, error.code), (ErrorKind::Usage, "io"));
    let entries = project.entries().expect("a log");
    let Some(EntryBody::AutopilotStopped { reason, cycles }) = entries.last().map(|entry| &entry.body) else {
        panic!("{:?}", scene.kinds())
    };
    assert!(reason.contains("none.wasm") && *cycles == 0, "{reason}");
    assert!(project.log_state().expect("a state").autopilot().session().is_none());
}

#[test]
fn a_session_without_a_repository_or_with_a_model_that_is_not_there_does_not_begin() {
    let scene = quiet();
    let options = CycleOptions { model: true, ..CycleOptions::default() };
    assert_eq!(refusal(scene.project().autopilot(&options, &apply())), (ErrorKind::Usage, "no_model"));
    assert_eq!(scene.kinds(), Vec::<String>::new());
    let scene = Scene::without_git(&[("gephost.toml", READY)]);
    let refused = refusal(scene.project().autopilot(&CycleOptions::default(), &apply()));
    assert_eq!(refused, (ErrorKind::Usage, "repository"));
}

#[test]
fn a_finding_that_an_earlier_session_took_is_passed_over_until_something_is_new() {
    let scene = Scene::quickstart(&[("[apply]", "[autopilot]\nmax_cycles = 1\n[apply]")]);
    let project = scene.project();
    let found = project.diagnose(&CycleOptions::default()).expect("findings");
    let first = &found.diagnosed.diagnosis.findings[0];
    let newest = "2099-01-01T00:00:00Z".to_owned();
    let reference = gephost_core::event_log::FindingRef {
        gene: first.gene.clone(),
        id: first.id.clone(),
        title: first.title.clone(),
        signals: first.signals.clone(),
    };
    let took = |base: String| {
        append(
            &project,
            &[
                EntryBody::AutopilotStarted { operator: "o".to_owned(), max_cycles: 5, max_risk: 30, resumed: false },
                EntryBody::AutopilotTook {
                    finding: reference.clone(),
                    base_commit: base,
                    evidence_until: Some(newest.clone()),
                },
                EntryBody::AutopilotLeft {
                    finding: reference.clone(),
                    outcome: CycleOutcome::NoProposal,
                    reason: "nothing".to_owned(),
                },
                EntryBody::AutopilotStopped { reason: "done".to_owned(), cycles: 1 },
            ],
        );
    };
    took(scene.head());
    let report = session(&scene);
    assert!(report.passed_over.iter().any(|passed| passed.finding == first.id), "{:?}", report.passed_over);
    assert!(cycles(&report).iter().all(|cycle| cycle.finding.id != first.id));
    // Another base is something new.
    scene.write("inventory/new.py", "new = True\n");
    scene.commit();
    let report = session(&scene);
    assert!(cycles(&report).iter().any(|cycle| cycle.finding.id == first.id), "{report:?}");
}
