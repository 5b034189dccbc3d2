//! A guest that uses files only through `std::fs`. It runs the operations in `script.txt`, one on each line, and logs their
//! results. Without a script it does the same as the guests in all other languages (`index`), which the test compares byte
//! for byte.

mod index;
mod script;

use gephost_gene::{Diagnosis, Finding, Gene, GeneError, Proposal, RiskLevel, log};

struct StdFs;

impl Gene for StdFs {
    fn diagnose() -> Result<Vec<Finding>, GeneError> {
        work()?;
        Ok(Vec::new())
    }

    fn propose(_diagnosis: Diagnosis) -> Result<Vec<Proposal>, GeneError> {
        Ok((0..work()?).map(proposal).collect())
    }
}

gephost_gene::gene!(StdFs, world: gene, manifest: "gene.json");

/// Does the work, and returns how many proposals to make.
fn work() -> Result<usize, GeneError> {
    match std::fs::read_to_string("/workspace/script.txt") {
        Ok(text) => Ok(script::run(&text)),
        Err(_) => index::write().map(|()| 1).map_err(|error| {
            log::error(&error.to_string());
            GeneError { code: "io".to_owned(), message: error.to_string() }
        }),
    }
}

/// A proposal without a list of changes: the written files are its changes.
fn proposal(number: usize) -> Proposal {
    Proposal {
        title: format!("files written by the guest, {number}"),
        objective: "an index of the workspace".to_owned(),
        evidence: Vec::new(),
        finding: String::new(),
        risk_level: RiskLevel::Low,
        changes: Vec::new(),
        tests_to_run: Vec::new(),
        rollback_plan: "revert the commit".to_owned(),
    }
}
