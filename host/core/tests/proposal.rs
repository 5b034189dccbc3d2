//! The JSON form of proposals: both seeds' names, what is refused, and the way there and back.

use gephost_core::proposal::{Change, GateStatus, Proposal, ProposalError, RiskLevel, Status};
use proptest::prelude::*;

const OF_003: &str = r#"{
  "id": "gep-001", "created_at": "2025-01-15T10:30:00Z", "agent": "my-agent", "diagnosis_ref": "diag-1",
  "rationale": "Retry logic missing\nmore", "risk_score": 28, "affected_paths": ["src/a.txt"],
  "diff": "--- a/src/a.txt\n+++ b/src/a.txt\n@@ -1 +1,2 @@\n+x\n y\n", "rollback_plan": "git revert",
  "gate_status": "passed", "apply_status": "applied", "something": {"else": [1]}
}"#;

#[test]
fn the_names_of_seed_003_are_read() {
    let proposal = Proposal::from_json(OF_003).unwrap();
    assert_eq!(proposal.id, "gep-001");
    assert_eq!(proposal.title, "Retry logic missing");
    assert_eq!(proposal.objective, "Retry logic missing\nmore");
    assert_eq!(proposal.risk_level, RiskLevel::Low);
    assert_eq!(proposal.files_touched.as_deref(), Some(&["src/a.txt".to_owned()][..]));
    assert!(matches!(proposal.changes.as_slice(), [Change::UnifiedDiff(diff)] if diff.starts_with("--- a/src")));
    assert_eq!(proposal.agent.as_deref(), Some("my-agent"));
}

#[test]
fn a_document_cannot_claim_to_have_passed() {
    let saved = Proposal::from_json(OF_003).unwrap().to_json(&Status::default());
    assert!(saved.contains(r#""gate_status": "pending""#), "{saved}");
    let status = Status { risk_score: Some(12), gate: GateStatus::Passed, ..Status::default() };
    let saved = Proposal::from_json(OF_003).unwrap().to_json(&status);
    assert!(saved.contains(r#""gate_status": "passed""#) && saved.contains(r#""risk_score": 12"#), "{saved}");
}

#[test]
fn the_names_of_seed_004_are_written_and_read_back() {
    let text = r#"{"title":"t","objective":"o","evidence":["e"],"risk_level":"high","files_touched":[],
        "unified_diff":"d","tests_to_run":["pytest tests"],"rollback_plan":"r"}"#;
    let proposal = Proposal::from_json(text).unwrap();
    assert_eq!(proposal.files_touched, Some(vec![]));
    let saved = proposal.to_json(&Status::default());
    for name in ["\"unified_diff\"", "\"files_touched\"", "\"tests_to_run\"", "\"apply_status\": \"not_applied\""] {
        assert!(saved.contains(name), "{saved}");
    }
    assert_eq!(Proposal::from_json(&saved).unwrap(), proposal);
}

#[test]
fn ids_are_the_content_and_fit_for_file_names() {
    let one = Proposal::from_diff("x");
    assert_eq!(one.id, Proposal::from_diff("x").id);
    assert_ne!(one.id, Proposal::from_diff("y").id);
    assert_eq!((one.id.len(), one.id.starts_with("gep-")), (20, true));
    for id in ["../x", "a/b", ".hidden", "-rf", "a b", "é", "a\\n"] {
        assert!(matches!(Proposal::from_json(&format!(r#"{{"id":"{id}"}}"#)), Err(ProposalError::Id)), "{id}");
    }
    assert!(matches!(Proposal::from_json(&format!(r#"{{"id":"{}"}}"#, "a".repeat(129))), Err(ProposalError::Id)));
}

#[test]
fn what_could_be_read_in_two_ways_is_refused() {
    let refused = |text: &str| Proposal::from_json(text).unwrap_err().to_string();
    assert!(refused(r#"{"unified_diff":"a","diff":"b"}"#).contains("contradict each other"));
    assert!(refused(r#"{"objective":"a","rationale":"b"}"#).contains("contradict each other"));
    assert!(refused(r#"{"files_touched":["a"],"affected_paths":[]}"#).contains("contradict each other"));
    assert!(refused(r#"{"diff":"a","changes":[{"kind":"delete","path":"x"}]}"#).contains("contradict each other"));
    assert!(refused(r#"{"unified_diff":"a","unified_diff":"b"}"#).contains("duplicate field"));
    assert!(refused(r#"{"changes":[{"kind":"content","path":"x"}]}"#).contains("change 1"));
    assert!(
        refused(r#"{"changes":[{"kind":"content","path":"x","content":"","content_base64":""}]}"#).contains("change 1")
    );
    assert!(refused(r#"{"changes":[{"kind":"content","path":"x","content_base64":"%"}]}"#).contains("base64"));
    assert!(refused(r#"{"changes":[{"kind":"shell","run":"x"}]}"#).contains("unknown variant"));
    assert!(refused(r#"{"files_touched":"a"}"#).contains("invalid type"));
    assert!(refused("[]").contains("not a proposal") && refused("").contains("not a proposal"));
    assert!(Proposal::from_json(r#"{"unified_diff":"a","diff":"a"}"#).is_ok());
    assert!(Proposal::from_json("{}").unwrap().changes.is_empty());
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        "[^\\x00]{1,20}".prop_map(Change::UnifiedDiff),
        (any::<String>(), proptest::collection::vec(any::<u8>(), 0..20))
            .prop_map(|(path, content)| Change::NewContent { path, content }),
        any::<String>().prop_map(|path| Change::Delete { path }),
    ]
}

proptest! {
    #[test]
    fn every_proposal_comes_back(
        changes in proptest::collection::vec(change(), 0..4),
        files_touched in proptest::option::of(proptest::collection::vec(any::<String>(), 0..3)),
        title in any::<String>(),
        gene in proptest::option::of(any::<String>()),
    ) {
        let mut proposal = Proposal { changes, files_touched, title, gene, ..Proposal::from_diff("") };
        proposal.id = proposal.content_id();
        let read = Proposal::from_json(&proposal.to_json(&Status::default())).unwrap();
        prop_assert_eq!(read.content_id(), proposal.id.clone());
        prop_assert_eq!(read, proposal);
    }
}
