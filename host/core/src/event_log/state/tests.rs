//! The ways that a proposal may go, and those that it may not.

use super::*;
use crate::gate::BlastRadius;

/// An entry of proposal `p` by a short name.
pub(in crate::event_log) fn entry(name: &str) -> EntryBody {
    let proposal = "p".to_owned();
    let text = |text: &str| text.to_owned();
    match name {
        "proposed" | "dry" => EntryBody::Proposed {
            proposal,
            gene: Some(text("g")),
            title: text("t"),
            signals: vec![],
            isolation: None,
            calls: Vec::new(),
            dry_run: name == "dry",
        },
        "pass" | "reject" => EntryBody::Gated {
            proposal,
            verdict: if name == "pass" { GateVerdict::Pass } else { GateVerdict::Reject },
            reasons: vec![],
            risk_score: 28,
            files: vec![text("docs/a.md")],
            contents: vec![],
        },
        "intent" => EntryBody::ApplyIntent {
            proposal,
            operator: text("me@here"),
            agent: None,
            why: None,
            files: vec![text("docs/a.md")],
            base_commit: text("b0"),
            branch: text("evo/1"),
            approver: None,
        },
        "holds" | "breaks" => EntryBody::ValidationFinished {
            proposal,
            report: text("vr_1"),
            decision: text("fixed"),
            success: name == "holds",
            sandbox: None,
        },
        "applied" | "applied-elsewhere" => EntryBody::Applied {
            proposal,
            branch: text(if name == "applied" { "evo/1" } else { "main" }),
            commit: text("c1"),
            blast_radius: BlastRadius { files: 1, lines: 2 },
            event: Some(text("evt_1")),
            capsule: None,
            capsule_asset: None,
            reused: None,
            gene_added: None,
        },
        "land" => EntryBody::LandIntent {
            proposal,
            branch: text("evo/1"),
            into: text("main"),
            from: text("b0"),
            to: text("c1"),
        },
        "land-failed" => EntryBody::LandFailed { proposal, branch: text("evo/1"), reason: text("an edit") },
        "landed" => {
            EntryBody::Landed { proposal, branch: text("evo/1"), into: text("main"), from: text("b0"), to: text("c1") }
        }
        "undo" => EntryBody::RollbackIntent {
            proposal,
            branch: text("evo/1"),
            operator: text("me@here"),
            agent: None,
            reason: text("asked"),
            revert_branch: None,
            land_into: None,
        },
        "undo-failed" => EntryBody::RollbackFailed { proposal, branch: text("evo/1"), reason: text("checked out") },
        "failed" => EntryBody::ApplyFailed { proposal, reason: text("tests") },
        "rolled-back" => EntryBody::RolledBack {
            proposal,
            branch: text("evo/1"),
            reason: text("asked"),
            revert_branch: None,
            revert_commit: None,
            landed_into: None,
        },
        "queued" => EntryBody::Queued { proposal, risk_score: 40, max_risk: 30, finding: None, calls: Vec::new() },
        "approved" => EntryBody::Approved { proposal, approver: text("boss") },
        "declined" => EntryBody::Declined { proposal, approver: text("boss"), why: text("no") },
        "evaluated" => EntryBody::Evaluated {
            proposal,
            branch: text("evo/1"),
            impact: crate::impact::compare(crate::impact::Window::default(), crate::impact::Window::default()),
        },
        "note" => EntryBody::Note { text: text("n") },
        other => panic!("no entry {other}"),
    }
}

fn replay(names: &str) -> Result<State, String> {
    let mut state = State::default();
    for name in names.split_whitespace() {
        state.apply(&entry(name)).map_err(|illegal| illegal.problem.to_owned())?;
    }
    Ok(state)
}

#[test]
fn the_ways_that_a_proposal_may_go() {
    for names in [
        "proposed pass intent holds applied rolled-back",
        "proposed pass intent breaks failed",
        "proposed pass intent failed",
        "proposed reject proposed pass intent holds failed intent holds applied",
        "proposed pass intent holds applied proposed pass intent holds applied rolled-back rolled-back",
        "note proposed note reject note",
        "proposed pass intent holds applied land landed undo undo-failed undo rolled-back",
        "proposed pass intent holds applied land land-failed undo rolled-back proposed pass intent holds applied",
        "proposed pass intent holds applied land land-failed land landed",
        "proposed pass intent holds applied evaluated evaluated land landed evaluated",
        "proposed pass queued approved intent holds applied",
        "proposed pass queued proposed pass approved intent breaks failed",
        "proposed pass queued declined proposed pass queued declined",
    ] {
        assert!(replay(names).is_ok(), "{names}: {:?}", replay(names));
    }
}

#[test]
fn the_ways_that_it_may_not() {
    let table = [
        ("pass", "it was never proposed"),
        ("intent", "it was never proposed"),
        ("proposed intent", "it has not passed the gate"),
        ("proposed reject intent", "it has not passed the gate"),
        ("proposed pass proposed intent", "it has not passed the gate"),
        ("proposed pass applied", "no intent to apply it is open"),
        ("proposed pass holds", "no intent to apply it is open"),
        ("proposed pass failed", "no intent to apply it is open"),
        ("proposed pass intent applied", "no validation has succeeded"),
        ("proposed pass intent breaks applied", "no validation has succeeded"),
        ("proposed pass intent breaks holds", "it was already validated"),
        ("proposed pass intent holds applied-elsewhere", "the intent names another branch"),
        ("proposed pass intent holds applied applied", "no intent to apply it is open"),
        ("proposed pass intent holds applied failed", "no intent to apply it is open"),
        ("proposed pass evaluated", "it has no published branch of this name"),
        ("proposed pass intent holds applied rolled-back evaluated", "it has no published branch of this name"),
        ("queued", "it was never proposed"),
        ("proposed reject queued", "it has not passed the gate"),
        ("proposed pass intent queued", "it is being applied"),
        ("proposed pass approved", "it is not awaiting approval"),
        ("proposed pass declined", "it is not awaiting approval"),
        ("proposed pass queued declined approved", "it is not awaiting approval"),
        ("proposed pass queued approved intent approved", "it is not awaiting approval"),
        ("proposed pass intent intent", "it is already being applied"),
        ("proposed pass intent proposed", "it is being applied"),
        ("proposed pass intent reject", "it is being applied"),
        ("proposed pass land", "it has no published branch of this name"),
        ("proposed pass landed", "it has no published branch of this name"),
        ("proposed pass intent holds applied landed", "no intent to land it is open"),
        ("proposed pass intent holds applied land land", "it is already being landed"),
        ("proposed pass intent holds applied land landed land-failed", "no intent to land it is open"),
        ("proposed pass intent holds applied land undo", "it is being landed"),
        ("proposed pass intent holds applied undo land", "it is being rolled back"),
        ("proposed pass intent holds undo", "it has no published branch of this name"),
        ("proposed pass intent holds applied undo undo", "it is already being rolled back"),
        ("proposed pass intent holds applied undo-failed", "no intent to roll it back is open"),
        ("proposed pass intent holds applied undo rolled-back landed", "it has no published branch of this name"),
        ("proposed pass rolled-back", "it has no published branch of this name"),
        ("proposed pass intent holds applied rolled-back rolled-back", "it has no published branch of this name"),
    ];
    for (names, problem) in table {
        assert_eq!(replay(names), Err(problem.to_owned()), "{names}");
    }
}

#[test]
fn an_illegal_entry_leaves_the_state_as_it_was() {
    let mut state = replay("proposed pass intent holds").expect("a state");
    let before = state.clone();
    for name in ["applied-elsewhere", "intent", "proposed", "pass", "holds", "rolled-back"] {
        assert!(state.apply(&entry(name)).is_err(), "{name}");
        assert_eq!(state, before, "{name}");
    }
}

#[test]
fn an_open_intent_is_seen_after_a_crash() {
    let state = replay("proposed pass intent holds").expect("a state");
    let open: Vec<_> = state.unfinished().collect();
    let expect = InFlight { base_commit: "b0".into(), branch: "evo/1".into(), validated: Some(true) };
    assert_eq!(open, [("p", &expect)]);
    assert_eq!(replay("proposed pass intent failed").expect("a state").unfinished().count(), 0);
}

#[test]
fn what_stands_is_told_oldest_first() {
    let state = replay("proposed pass intent holds applied land landed").expect("a state");
    let standing = state.standing();
    assert_eq!(standing.len(), 1);
    let (proposal, applied) = standing[0];
    assert_eq!((proposal, applied.branch.as_str(), applied.landed.as_deref()), ("p", "evo/1", Some("main")));
    assert_eq!(applied.assets.event.as_deref(), Some("evt_1"));
    let gone = replay("proposed pass intent holds applied undo rolled-back").expect("a state");
    assert!(gone.standing().is_empty());
    let again = replay("proposed pass intent holds applied rolled-back intent holds applied");
    assert_eq!(again.expect("a state").standing()[0].1.order, 1);
}

#[test]
fn a_report_may_follow_anything_and_changes_nothing() {
    for names in ["", "proposed", "proposed pass intent", "proposed pass intent holds applied undo"] {
        let mut state = replay(names).expect("a state");
        let before = state.clone();
        let note = EntryBody::Note { text: "x".into() };
        let observed = EntryBody::Observed { files: 1, events: 2, signals: Vec::new() };
        for body in [note, observed] {
            assert!(body.is_report());
            state.apply(&body).expect("a report");
            assert_eq!(state, before);
        }
    }
    assert!(!entry("proposed").is_report() && !entry("applied").is_report());
}
