//! A gene outside gephost's own tree. It writes the most important finding into `docs/known-failures.md`, where the agent
//! reads it in its next session.

use gephost_gene::{Change, Diagnosis, FileContent, Gene, GeneError, HostError, Proposal, RiskLevel, workspace};

const NOTES: &str = "docs/known-failures.md";

struct NoteTheFailure;

impl Gene for NoteTheFailure {
    fn propose(diagnosis: Diagnosis) -> Result<Vec<Proposal>, GeneError> {
        let Some(finding) = diagnosis.findings.first() else { return Ok(Vec::new()) };
        let notes = match workspace::read_text(NOTES) {
            Ok(text) => text,
            Err(HostError::NotFound) => "# Known failures\n".to_owned(),
            Err(error) => return Err(error.into()),
        };
        let note = format!("\n- {}: {}\n", finding.title, finding.direction);
        if notes.contains(note.trim()) {
            return Ok(Vec::new());
        }
        Ok(vec![Proposal {
            title: "Write down the most important failure for the agent".to_owned(),
            objective: format!("the agent reads about this failure before it happens again: {}", finding.title),
            evidence: finding.evidence.iter().map(|evidence| evidence.line.clone()).collect(),
            finding: finding.id.clone(),
            risk_level: RiskLevel::Low,
            changes: vec![Change::NewContent(FileContent {
                path: NOTES.to_owned(),
                content: (notes + &note).into_bytes(),
            })],
            tests_to_run: Vec::new(),
            rollback_plan: format!("delete the line from {NOTES}"),
        }])
    }
}

gephost_gene::gene!(NoteTheFailure, world: strategy, manifest: "gene.json");
