//! A session of autopilot as a dry run.

use gephost_app::apply::ApplyOptions;
use gephost_app::autopilot::{AutopilotReport, CycleReport, SessionEvent, Stop};
use gephost_app::cycle::CycleOptions;
use gephost_core::event_log::CycleOutcome;

use crate::scene::Scene;

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
