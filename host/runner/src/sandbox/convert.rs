//! Converts between the contract's types and core's. A gene's answer is checked and bounded here, before any other code
//! reads it.

use std::collections::BTreeMap;

use gephost_core::diagnosis::{Diagnosis, Evidence, Finding, Severity};
use gephost_core::proposal::{Change, Proposal, RiskLevel};
use serde::{Deserialize, Serialize};

use super::bindings::gephost::gene::explanation::{self as wit_explanation, Explanation, Facet};
use super::bindings::gephost::gene::types as wit;
use super::printable::{MAX_LINE, printable};

/// Most findings or proposals in an answer.
pub(super) const MAX_ITEMS: usize = 1000;
/// Most evidence entries of a finding, and most signals, commands and changes in an answer.
pub(super) const MAX_EVIDENCE: usize = 32;
pub(super) const MAX_SIGNALS: usize = 100;
/// The most facets of a finding, values of a facet that are kept, and absorbed errors that are kept.
pub(super) const MAX_FACETS: usize = 8;
pub(super) const MAX_FACET_VALUES: usize = 16;
pub(super) const MAX_ABSORBED: usize = 50;
pub(super) const MAX_COMMANDS: usize = 20;
pub(super) const MAX_CHANGES: usize = 1000;
/// Longest texts, in characters.
pub(super) const MAX_ID: usize = 200;
pub(super) const MAX_TITLE: usize = 200;
/// Of these, [`printable`] keeps no more.
pub(super) const MAX_TEXT: usize = MAX_LINE;
pub(super) const MAX_EVIDENCE_LINE: usize = 500;

/// Why an answer cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, thiserror::Error)]
#[error("the gene's answer is refused: {0}")]
pub struct InvalidAnswer(String);

fn refuse<T>(what: impl Into<String>) -> Result<T, InvalidAnswer> {
    Err(InvalidAnswer(what.into()))
}

/// The findings of one gene, in its order, with what it said of them. `events` is the length of the run log that it saw.
pub(super) fn findings(
    gene: &str,
    answer: Vec<wit::Finding>,
    explanations: Vec<Explanation>,
    events: u64,
) -> Result<Vec<Finding>, InvalidAnswer> {
    if answer.len() > MAX_ITEMS {
        return refuse(format!("{} findings, but the limit is {MAX_ITEMS}", answer.len()));
    }
    let mut explained: BTreeMap<String, Explanation> =
        explanations.into_iter().map(|item| (item.finding.clone(), item)).collect();
    let finding = |item: wit::Finding| {
        let explanation = explained.remove(&item.id);
        let finding = self::finding(gene, item, events)?;
        match explanation {
            Some(explanation) => self::explained(finding, explanation, events),
            None => Ok(finding),
        }
    };
    answer.into_iter().map(finding).collect()
}

/// A finding with what its gene said of it.
fn explained(finding: Finding, said: Explanation, events: u64) -> Result<Finding, InvalidAnswer> {
    if let Some(stray) = said.events.iter().find(|event| **event >= events) {
        return refuse(format!("finding `{}` explains event {stray}, and the run log has {events}", finding.id));
    }
    if !said.events.is_sorted_by(|a, b| a < b) {
        return refuse(format!("the events that finding `{}` explains are not ascending", finding.id));
    }
    if said.facets.len() > MAX_FACETS {
        return refuse(format!(
            "finding `{}` has {} facets, and the limit is {MAX_FACETS}",
            finding.id,
            said.facets.len()
        ));
    }
    let clip_line = |text: &String| clip(text, MAX_TITLE);
    let facet = |facet: &Facet| gephost_core::diagnosis::Facet {
        name: clip_line(&facet.name),
        values: facet.values.iter().take(MAX_FACET_VALUES).map(clip_line).collect(),
        distinct: facet.distinct.max(facet.values.len().try_into().unwrap_or(u32::MAX)),
    };
    let absorbed = |absorbed: &wit_explanation::Absorbed| gephost_core::diagnosis::Absorbed {
        title: clip_line(&absorbed.title),
        occurrences: absorbed.occurrences,
    };
    Ok(Finding {
        facets: said.facets.iter().map(facet).collect(),
        absorbed: said.absorbed.iter().take(MAX_ABSORBED).map(absorbed).collect(),
        is_expected: said.expected,
        events: said.events,
        ..finding
    })
}

fn finding(gene: &str, item: wit::Finding, events: u64) -> Result<Finding, InvalidAnswer> {
    let id = identifier(&item.id, "finding.id")?;
    if !(0.0..=1.0).contains(&item.confidence) {
        return refuse(format!("confidence {} of finding `{id}` is not within 0 and 1", item.confidence));
    }
    if item.evidence.len() > MAX_EVIDENCE || item.signals.len() > MAX_SIGNALS {
        return refuse(format!(
            "finding `{id}` has more than {MAX_EVIDENCE} evidence entries or {MAX_SIGNALS} signals"
        ));
    }
    if let Some(stray) = item.evidence.iter().find(|evidence| evidence.event >= events) {
        return refuse(format!("finding `{id}` refers to event {}, but the run log has {events} events", stray.event));
    }
    let evidence = item
        .evidence
        .iter()
        .map(|evidence| Evidence { event: evidence.event, line: clip(&evidence.line, MAX_EVIDENCE_LINE) });
    Ok(Finding {
        gene: gene.to_owned(),
        kind: clip(&item.kind, MAX_ID),
        title: line(&item.title, MAX_TITLE, "finding.title")?,
        severity: severity(item.severity),
        confidence: item.confidence,
        hypothesis: clip(&item.hypothesis, MAX_TEXT),
        evidence: evidence.collect(),
        direction: clip(&item.direction, MAX_TEXT),
        signals: item.signals.iter().map(|signal| clip(signal, MAX_EVIDENCE_LINE)).collect(),
        occurrences: item.occurrences,
        events: evidence_events(&item.evidence),
        facets: Vec::new(),
        absorbed: Vec::new(),
        is_expected: false,
        scope: None,
        id,
    })
}

/// The events of the evidence, ascending: what a finding explains if its gene says nothing of it.
fn evidence_events(evidence: &[wit::Evidence]) -> Vec<u64> {
    let mut events: Vec<u64> = evidence.iter().map(|evidence| evidence.event).collect();
    events.sort_unstable();
    events.dedup();
    events
}

/// Adds the files that a gene wrote through `wasi:filesystem` to the proposal that they belong to. That is the only
/// proposal, after its own changes. Of several proposals, it is the only one without changes.
pub(super) fn with_written(
    mut answer: Vec<wit::Proposal>,
    written: Vec<wit::Change>,
) -> Result<Vec<wit::Proposal>, InvalidAnswer> {
    if written.is_empty() {
        return Ok(answer);
    }
    let count = answer.len();
    let mut candidates: Vec<_> = answer.iter_mut().filter(|item| count == 1 || item.changes.is_empty()).collect();
    let [proposal] = candidates.as_mut_slice() else {
        return refuse(format!(
            "it wrote files and answered {count} proposals, {} of them without changes: leave `changes` empty in the one \
             that the files belong to",
            candidates.len()
        ));
    };
    proposal.changes.extend(written);
    Ok(answer)
}

/// The files that a gene wrote through `wasi:filesystem`, in the form of an answer.
pub(super) fn written(changes: Vec<Change>) -> Vec<wit::Change> {
    let change = |change| match change {
        Change::UnifiedDiff(diff) => wit::Change::UnifiedDiff(diff),
        Change::NewContent { path, content } => wit::Change::NewContent(wit::FileContent { path, content }),
        Change::Delete { path } => wit::Change::Delete(path),
    };
    changes.into_iter().map(change).collect()
}

/// The candidates of one gene, best first. `asked` are the findings that it was asked about.
pub(super) fn proposals(
    gene: &str,
    created_at: &str,
    answer: Vec<wit::Proposal>,
    asked: &[Finding],
) -> Result<Vec<Proposal>, InvalidAnswer> {
    if answer.len() > MAX_ITEMS {
        return refuse(format!("{} proposals, but the limit is {MAX_ITEMS}", answer.len()));
    }
    answer.into_iter().map(|item| proposal(gene, created_at, item, asked)).collect()
}

/// The finding that a proposal is for. Without a name it is the only one that there is.
fn finding_of(title: &str, named: &str, asked: &[Finding]) -> Result<String, InvalidAnswer> {
    let named = clip(named, MAX_ID);
    match asked {
        [only] if named.is_empty() => Ok(only.id.clone()),
        [] if named.is_empty() => Ok(named),
        _ if asked.iter().any(|finding| finding.id == named) => Ok(named),
        _ => refuse(format!(
            "proposal `{title}` is for the finding `{named}`, and it was asked about no such finding: `finding` must be the \
             id of one of the findings in the diagnosis"
        )),
    }
}

fn proposal(gene: &str, created_at: &str, item: wit::Proposal, asked: &[Finding]) -> Result<Proposal, InvalidAnswer> {
    let title = line(&item.title, MAX_TITLE, "proposal.title")?;
    if item.changes.is_empty() {
        return refuse(format!("proposal `{title}` has no changes, and the gene wrote no files"));
    }
    if item.changes.len() > MAX_CHANGES || item.tests_to_run.len() > MAX_COMMANDS {
        return refuse(format!("proposal `{title}` has more than {MAX_CHANGES} changes or {MAX_COMMANDS} commands"));
    }
    let finding = finding_of(&title, &item.finding, asked)?;
    let proposal = Proposal {
        id: String::new(),
        title,
        objective: clip(&item.objective, MAX_TEXT),
        evidence: item.evidence.iter().take(MAX_EVIDENCE).map(|text| clip(text, MAX_EVIDENCE_LINE)).collect(),
        risk_level: match item.risk_level {
            wit::RiskLevel::Low => RiskLevel::Low,
            wit::RiskLevel::Medium => RiskLevel::Medium,
            wit::RiskLevel::High => RiskLevel::High,
        },
        files_touched: None,
        changes: item.changes.into_iter().map(change).collect(),
        tests_to_run: item.tests_to_run,
        rollback_plan: clip(&item.rollback_plan, MAX_TEXT),
        gene: Some(gene.to_owned()),
        diagnosis_ref: Some(finding),
        agent: None,
        created_at: Some(created_at.to_owned()),
    };
    Ok(proposal.with_content_id())
}

fn change(change: wit::Change) -> Change {
    match change {
        wit::Change::UnifiedDiff(diff) => Change::UnifiedDiff(diff),
        wit::Change::NewContent(file) => Change::NewContent { path: file.path, content: file.content },
        wit::Change::Delete(path) => Change::Delete { path },
    }
}

/// The diagnosis, as a strategy gene sees it.
pub(super) fn diagnosis(diagnosis: &Diagnosis) -> wit::Diagnosis {
    let findings = diagnosis.findings.iter().map(|finding| wit::Finding {
        id: finding.id.clone(),
        kind: finding.kind.clone(),
        title: finding.title.clone(),
        severity: match finding.severity {
            Severity::Info => wit::Severity::Info,
            Severity::Low => wit::Severity::Low,
            Severity::Medium => wit::Severity::Medium,
            Severity::High => wit::Severity::High,
            Severity::Critical => wit::Severity::Critical,
        },
        confidence: finding.confidence,
        hypothesis: finding.hypothesis.clone(),
        evidence: finding
            .evidence
            .iter()
            .map(|evidence| wit::Evidence { event: evidence.event, line: evidence.line.clone() })
            .collect(),
        direction: finding.direction.clone(),
        signals: finding.signals.clone(),
        occurrences: finding.occurrences,
    });
    wit::Diagnosis { findings: findings.collect(), signals: diagnosis.signals.clone() }
}

/// What the findings of a diagnosis explain, as a strategy gene may ask for it.
pub(super) fn explanations(diagnosis: &Diagnosis) -> Vec<Explanation> {
    let facet = |facet: &gephost_core::diagnosis::Facet| Facet {
        name: facet.name.clone(),
        values: facet.values.clone(),
        distinct: facet.distinct,
    };
    let absorbed = |absorbed: &gephost_core::diagnosis::Absorbed| wit_explanation::Absorbed {
        title: absorbed.title.clone(),
        occurrences: absorbed.occurrences,
    };
    let explanation = |finding: &Finding| Explanation {
        finding: finding.id.clone(),
        events: finding.events.clone(),
        facets: finding.facets.iter().map(facet).collect(),
        absorbed: finding.absorbed.iter().map(absorbed).collect(),
        expected: finding.is_expected,
    };
    diagnosis.findings.iter().map(explanation).collect()
}

fn severity(severity: wit::Severity) -> Severity {
    match severity {
        wit::Severity::Info => Severity::Info,
        wit::Severity::Low => Severity::Low,
        wit::Severity::Medium => Severity::Medium,
        wit::Severity::High => Severity::High,
        wit::Severity::Critical => Severity::Critical,
    }
}

/// A name: not empty, one line, bounded.
fn identifier(text: &str, field: &str) -> Result<String, InvalidAnswer> {
    if text.is_empty() || text.chars().count() > MAX_ID || text.chars().any(char::is_control) {
        return refuse(format!("{field} is empty, longer than {MAX_ID} characters, or has control characters"));
    }
    Ok(printable(text))
}

/// A title: not empty, made one line, clipped.
fn line(text: &str, limit: usize, field: &str) -> Result<String, InvalidAnswer> {
    let text = clip(text, limit);
    if text.trim().is_empty() { refuse(format!("{field} is empty")) } else { Ok(text) }
}

fn clip(text: &str, limit: usize) -> String {
    printable(text).chars().take(limit).collect()
}
