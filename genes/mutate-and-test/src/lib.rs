//! The bundled strategy gene that searches: it lists small edits of the lines that a failing test executes, and the host
//! tries them one by one.
//!
//! It is for a failing test whose output does not say what to change. The host hands it which lines the test executes; the
//! gene reads those files from the workspace and has no other effect. [`lexer`] reads Python and JavaScript, [`edits`]
//! lists the edits by [`template`], [`plan`] orders them. All of these are pure and tested without a host.
//!
//! The test is the only judge, so the edits are such that satisfy a test by chance least: none returns a constant, none
//! compares with a value of the test, none takes out a check.

mod collect;
mod diff;
mod edit;
mod edits;
mod file;
mod lexer;
mod plan;
mod source;
mod template;
#[cfg(test)]
mod tests;

use gephost_gene::workspace::{self, Reader};
use gephost_gene::{Change, Diagnosis, Gene, GeneError, HostError, Proposal, RiskLevel, coverage, log};

use lexer::Language;
use plan::{Draft, Suspect};

struct MutateAndTest;

impl Gene for MutateAndTest {
    fn propose(diagnosis: Diagnosis) -> Result<Vec<Proposal>, GeneError> {
        let measured = match coverage::lines() {
            Ok(measured) => measured,
            // Nothing was measured, and the host says why.
            Err(HostError::Failed(_)) => return Ok(Vec::new()),
            Err(error) => return Err(error.into()),
        };
        let finding = diagnosis.findings.first().map(|finding| finding.id.clone()).unwrap_or_default();
        let suspects = measured.lines.into_iter().map(|line| Suspect {
            path: line.path,
            line: usize::try_from(line.line).unwrap_or(usize::MAX),
            failed: line.failed,
            passed: line.passed,
        });
        let suspects: Vec<Suspect> = suspects.collect();
        let lines = suspects.len();
        let mut reader = Reader::default();
        let drafts = plan::drafts(suspects, measured.failed, |path| source(path, &mut reader));
        if drafts.is_empty() {
            log::info(&match lines {
                0 => "the failing test executes no line of this project".to_owned(),
                lines => format!("it knows no small edit for the {lines} lines that the failing test executes"),
            });
        }
        Ok(drafts.into_iter().map(|draft| proposal(draft, &finding, (measured.failed, measured.passed))).collect())
    }
}

fn read(path: &str) -> Option<Vec<u8>> {
    workspace::read(&[path.to_owned()]).pop()?.ok()
}

/// A file that may be edited. The log says why another one is left alone.
fn source(path: &str, reader: &mut Reader) -> Option<(String, Language)> {
    if reader.is_marked(path) {
        log::info(&format!("{path} is left alone: .gitattributes says that no person wrote it"));
        return None;
    }
    match source::accept(path, read(path)?) {
        Ok(source) => Some(source),
        Err(reason) => {
            log::info(&format!("{path} is left alone: {reason}"));
            None
        }
    }
}

fn proposal(draft: Draft, finding: &str, (failing, passing): (u32, u32)) -> Proposal {
    let name = draft.template.name();
    let (path, line) = (&draft.path, draft.line);
    let mut title: String = format!("{name} in {path}, line {line}");
    if let Some(first) = title.get_mut(..1) {
        first.make_ascii_uppercase();
    }
    let change = format!("`{}` becomes `{}`", clipped(&draft.before), clipped(&draft.after));
    Proposal {
        title: title.chars().take(200).collect(),
        objective: format!(
            "{change}, so that the failing test passes. The edit was found by trying, not from a message"
        ),
        evidence: vec![
            format!(
                "{path}:{line} is executed by {} of {failing} failing tests and {} of {passing} passing ones",
                draft.failed, draft.passed
            ),
            change,
        ],
        finding: finding.to_owned(),
        risk_level: RiskLevel::Medium,
        changes: vec![Change::UnifiedDiff(draft.diff)],
        tests_to_run: Vec::new(),
        rollback_plan: "revert the commit; the change touches only the lines shown and needs no migration".to_owned(),
    }
}

fn clipped(text: &str) -> String {
    text.chars().take(160).collect()
}

gephost_gene::gene!(MutateAndTest, world: strategy, manifest: "gene.json");
