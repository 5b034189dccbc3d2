//! The bundled strategist: it carries out a gene that is only text, by asking the operator's model.
//!
//! The host hands the text-only gene over as the setting `gene`. [`carried`] reads it, [`instructions`] and [`material`] make
//! the request, and [`answer`] turns the model's answer into candidates. All of these are pure and tested without a host.
//!
//! What must stay true: text of logs and files is never part of the instructions; and what the model did not see whole, it
//! does not replace as a whole.

mod answer;
mod carried;
mod files;
mod instructions;
mod material;

use std::collections::{BTreeMap, BTreeSet};

use gephost_gene::run_log::{self, EventKind, Filter};
use gephost_gene::settings::{self, Value};
use gephost_gene::{
    Change, Diagnosis, FileContent, Gene, GeneError, HostError, Proposal, RiskLevel, completion, log, workspace,
};

use answer::{Draft, Edit, Read};
use carried::Carried;
use files::Tree;
use material::Subject;

/// Most tokens of an answer. The operator's own limit may be lower.
const ANSWER_TOKENS: u32 = 8192;
/// Most findings that the model is shown, and most events of which it is shown the output.
const MAX_FINDINGS: usize = 8;
const MAX_OUTPUTS: usize = 8;
/// Most names at the root that are listed.
const MAX_NAMES: usize = 100;

struct Strategist;

impl Gene for Strategist {
    fn propose(diagnosis: Diagnosis) -> Result<Vec<Proposal>, GeneError> {
        let carried = handed_over()?;
        let subjects = subjects(&diagnosis)?;
        let mut tree = Workspace;
        let texts = carried.texts().chain(subjects.iter().flat_map(Subject::texts));
        let shown = files::shown(texts, &mut tree);
        let material = material::text(&subjects, &shown, &root()?);
        let said = completion::object(&instructions::text(&carried), &material, instructions::SCHEMA, ANSWER_TOKENS)?;
        let ids: Vec<&str> = subjects.iter().map(|subject| subject.id.as_str()).collect();
        match answer::read(&said, &ids, &carried, &shown, &mut tree) {
            Ok(Read { reason, drafts, problems }) => {
                for problem in &problems {
                    log::info(problem);
                }
                match problems.into_iter().next() {
                    Some(problem) if drafts.is_empty() => Err(unusable(problem)),
                    None if drafts.is_empty() => {
                        log::info(&format!("the model proposes nothing: {reason}"));
                        Ok(Vec::new())
                    }
                    _ => Ok(drafts.into_iter().map(proposal).collect()),
                }
            }
            Err(problem) => Err(unusable(problem)),
        }
    }
}

fn unusable(problem: String) -> GeneError {
    GeneError { code: "unusable_answer".to_owned(), message: problem }
}

/// The text-only gene that the host hands over.
fn handed_over() -> Result<Carried, GeneError> {
    let given = settings::all().into_iter().find(|setting| setting.name == "gene");
    let missing = || GeneError {
        code: "no_gene".to_owned(),
        message: "there is no text-only gene to carry out: name its JSON file, as in `gephost run --gene FILE.json`"
            .to_owned(),
    };
    let Some(Value::Text(text)) = given.map(|setting| setting.value) else { return Err(missing()) };
    Carried::read(&text).ok_or_else(missing)
}

/// The first findings, with the ends of the outputs that they rest on.
fn subjects(diagnosis: &Diagnosis) -> Result<Vec<Subject>, HostError> {
    let findings = || diagnosis.findings.iter().take(MAX_FINDINGS);
    let wanted: BTreeSet<u64> =
        findings().filter_map(|finding| Some(finding.evidence.first()?.event)).take(MAX_OUTPUTS).collect();
    let mut outputs: BTreeMap<u64, String> = BTreeMap::new();
    let filter = Filter { kinds: vec![EventKind::ToolEnd, EventKind::Exception], ..run_log::everything() };
    run_log::for_each(&filter, |event| {
        if wanted.contains(&event.index) {
            outputs.insert(event.index, event.output.to_owned());
        }
    })?;
    let subject = |finding: &gephost_gene::Finding| Subject {
        id: finding.id.clone(),
        title: finding.title.clone(),
        hypothesis: finding.hypothesis.clone(),
        direction: finding.direction.clone(),
        occurrences: finding.occurrences,
        evidence: finding.evidence.iter().map(|evidence| evidence.line.clone()).collect(),
        output: finding.evidence.first().and_then(|evidence| outputs.get(&evidence.event)).cloned().unwrap_or_default(),
    };
    Ok(findings().map(subject).collect())
}

/// The names at the workspace's root.
fn root() -> Result<Vec<String>, HostError> {
    let entries = workspace::list_directory(".")?;
    Ok(entries.into_iter().take(MAX_NAMES).map(|entry| entry.path).collect())
}

/// The files that this gene may see.
struct Workspace;

impl Tree for Workspace {
    fn read(&mut self, paths: &[String]) -> Vec<Option<Vec<u8>>> {
        workspace::read(paths).into_iter().map(Result::ok).collect()
    }

    fn find(&mut self, name: &str) -> Vec<String> {
        let found = workspace::glob(&format!("**/{name}"), 2).unwrap_or_default();
        found.into_iter().map(|entry| entry.path).collect()
    }
}

fn proposal(draft: Draft) -> Proposal {
    let change = |edit: Edit| match edit {
        Edit::Content(path, text) => Change::NewContent(FileContent { path, content: text.into_bytes() }),
        Edit::Diff(diff) => Change::UnifiedDiff(diff),
        Edit::Delete(path) => Change::Delete(path),
    };
    Proposal {
        title: draft.title,
        objective: draft.objective,
        evidence: draft.evidence,
        finding: draft.finding,
        risk_level: match draft.risk.as_str() {
            "low" => RiskLevel::Low,
            "high" => RiskLevel::High,
            _ => RiskLevel::Medium,
        },
        changes: draft.edits.into_iter().map(change).collect(),
        tests_to_run: draft.tests,
        rollback_plan: "revert the commit".to_owned(),
    }
}

gephost_gene::gene!(Strategist, world: strategy, manifest: "gene.json");
