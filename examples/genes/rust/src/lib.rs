//! Notes the most important failure in docs/known-failures.md, where the agent reads it in its next session.

use std::fs;
use std::io::{Error, ErrorKind};

use gephost_gene::{Diagnosis, Gene, GeneError, Proposal, log, workspace};

const NOTES: &str = "docs/known-failures.md";

struct NoteTheFailure;

impl Gene for NoteTheFailure {
    fn propose(diagnosis: Diagnosis) -> Result<Vec<Proposal>, GeneError> {
        let Some(finding) = diagnosis.findings.first() else { return Ok(Vec::new()) };
        let file = workspace::root().join(NOTES);
        let notes = match fs::read_to_string(&file) {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                fs::create_dir_all(workspace::root().join("docs")).map_err(failed)?;
                "# Known failures\n".to_owned()
            }
            read => read.map_err(failed)?,
        };
        let note = format!("\n- {}: {}\n", finding.title, finding.direction);
        if notes.contains(&note) {
            return Ok(Vec::new());
        }
        fs::write(&file, notes + &note).map_err(failed)?;
        log::info(&format!("noted: {}", finding.id));
        let objective = "The agent reads about the failure before it happens again";
        Ok(vec![Proposal::new(finding, "Write down the most important failure", objective)])
    }
}

fn failed(error: Error) -> GeneError {
    GeneError { code: "failed".to_owned(), message: format!("{NOTES}: {error}") }
}

gephost_gene::gene!(NoteTheFailure, world: strategy, manifest: "gene.json");

#[cfg(test)]
mod tests {
    use gephost_gene::Change;
    use gephost_gene::testing::{Host, diagnosis, finding};

    use super::*;

    #[test]
    fn a_failure_is_noted_once() {
        let failure = || diagnosis(vec![finding("tests fail", &["test_failure"])]);
        let expected = "# Known failures\n\n- tests fail: \n";
        let ran = Host::new().propose::<NoteTheFailure>(failure());
        assert_eq!(ran.answer.unwrap().len(), 1);
        assert_eq!(ran.written, [Change::new_content(NOTES, expected)]);
        let ran = Host::new().file(NOTES, expected).propose::<NoteTheFailure>(failure());
        assert_eq!((ran.answer.unwrap().len(), ran.written.len()), (0, 0));
    }
}
