//! A model's answer: its schema, and a strict parser for it.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::repair::repaired_objects;
use crate::patch;
use crate::proposal::{Change, Proposal, RiskLevel};

/// Longest answer that is read, in bytes.
pub const MAX_ANSWER_BYTES: usize = 1 << 20;
/// Most proposals in an answer.
const MAX_PROPOSALS: usize = 3;
/// Most lines of evidence, and most test commands, in a proposal.
const MAX_LINES: usize = 20;
/// Longest text other than a diff, in bytes.
const MAX_TEXT_BYTES: usize = 8 << 10;

/// A valid answer.
#[derive(Debug, Clone, PartialEq)]
pub struct Answer {
    /// The cause of the failures, in the model's words.
    pub summary: String,
    /// The model's view of findings that it was shown.
    pub hypotheses: Vec<Hypothesis>,
    /// Proposals for the gate, best first; empty if the model knows no repair.
    pub proposals: Vec<Proposal>,
}

/// A model's view of one finding.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hypothesis {
    /// Id of the finding.
    pub id: String,
    /// Why it happens.
    pub hypothesis: String,
    /// Where to look for a repair.
    pub direction: String,
}

/// Why an answer cannot be used. These texts are sent to the model and recorded in exchanges, and a replay compares
/// them.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum AnswerError {
    /// It is empty or white space.
    #[error("the answer is empty")]
    Empty,
    /// It ends at the token limit.
    #[error("the answer was cut at the limit of tokens")]
    Cut,
    /// It is not a JSON object of the schema, even after repair.
    #[error("it is not one JSON object of the schema: {0}")]
    Json(String),
    /// It has the schema but not the requested content.
    #[error("{0}")]
    Content(String),
}

/// The answer as the model wrote it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawAnswer {
    summary: String,
    #[serde(default)]
    findings: Vec<Hypothesis>,
    proposals: Vec<RawProposal>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawProposal {
    finding: String,
    title: String,
    objective: String,
    #[serde(default)]
    evidence: Vec<String>,
    #[serde(default = "default_risk")]
    risk_level: RiskLevel,
    unified_diff: String,
    #[serde(default)]
    tests_to_run: Vec<String>,
    #[serde(default)]
    rollback_plan: String,
}

fn default_risk() -> RiskLevel {
    RiskLevel::Medium
}

/// The JSON Schema of an answer. Every member is required, because APIs that enforce a schema demand it.
pub fn schema() -> Value {
    let text = || json!({ "type": "string" });
    let texts = || json!({ "type": "array", "items": { "type": "string" } });
    let object = |properties: Value| {
        let required: Vec<&String> = properties.as_object().into_iter().flat_map(|members| members.keys()).collect();
        json!({ "type": "object", "required": required, "properties": properties, "additionalProperties": false })
    };
    object(json!({
        "summary": text(),
        "findings": {
            "type": "array",
            "items": object(json!({ "id": text(), "hypothesis": text(), "direction": text() })),
        },
        "proposals": {
            "type": "array",
            "items": object(json!({
                "finding": text(),
                "title": text(),
                "objective": text(),
                "evidence": texts(),
                "risk_level": { "type": "string", "enum": ["low", "medium", "high"] },
                "unified_diff": text(),
                "tests_to_run": texts(),
                "rollback_plan": text(),
            })),
        },
    }))
}

/// Reads an answer about the findings with these ids. `author` and `created_at` are set on its proposals.
pub(super) fn read(text: &str, ids: &[&str], author: &str, created_at: &str) -> Result<Answer, AnswerError> {
    if text.trim().is_empty() {
        return Err(AnswerError::Empty);
    }
    let written = parse(text)?;
    let known = |id: &str| {
        let is_known = ids.contains(&id);
        let problem = || AnswerError::Content(format!("there is no finding {id:?}; there are {ids:?}"));
        is_known.then_some(()).ok_or_else(problem)
    };
    for finding in &written.findings {
        known(&finding.id)?;
        bounded("findings", [&finding.hypothesis, &finding.direction])?;
    }
    bounded("summary", [&written.summary])?;
    if written.proposals.len() > MAX_PROPOSALS {
        let problem = format!("`proposals` has {} entries; at most {MAX_PROPOSALS} are read", written.proposals.len());
        return Err(AnswerError::Content(problem));
    }
    let subject = written.proposals.first().map(|first| first.finding.clone());
    let proposals = written.proposals.into_iter().map(|proposal| {
        known(&proposal.finding)?;
        if subject.as_ref() != Some(&proposal.finding) {
            return Err(AnswerError::Content("`proposals` must all be for one finding".to_owned()));
        }
        to_proposal(proposal, author, created_at)
    });
    let proposals = proposals.collect::<Result<_, _>>()?;
    Ok(Answer { summary: written.summary, hypotheses: written.findings, proposals })
}

/// Parses the text as it is. If that fails, tries repaired versions of it.
fn parse(text: &str) -> Result<RawAnswer, AnswerError> {
    let error = match serde_json::from_str::<RawAnswer>(text) {
        Ok(written) => return Ok(written),
        Err(error) => error,
    };
    let mut repaired = repaired_objects(text).map(|object| serde_json::from_str::<RawAnswer>(&object)).peekable();
    // The error of the repaired text is more useful than an error about the prose around it.
    let message =
        repaired.peek().and_then(|first| first.as_ref().err()).map_or_else(|| error.to_string(), ToString::to_string);
    repaired.find_map(Result::ok).ok_or(AnswerError::Json(message))
}

fn to_proposal(written: RawProposal, author: &str, created_at: &str) -> Result<Proposal, AnswerError> {
    let texts = [&written.title, &written.objective, &written.rollback_plan];
    bounded("a proposal", texts.into_iter().chain(&written.evidence).chain(&written.tests_to_run))?;
    if written.evidence.len().max(written.tests_to_run.len()) > MAX_LINES {
        return Err(AnswerError::Content(format!("a proposal has more than {MAX_LINES} lines of evidence or tests")));
    }
    let mut diff = written.unified_diff;
    if !diff.ends_with('\n') {
        // Models leave out the final line feed, which a diff needs.
        diff.push('\n');
    }
    patch::parse(&diff, &patch::Limits::default())
        .map_err(|error| AnswerError::Content(format!("`unified_diff` of {:?}: {error}", written.title)))?;
    let proposal = Proposal {
        id: String::new(),
        title: written.title.split_whitespace().collect::<Vec<_>>().join(" "),
        objective: written.objective,
        evidence: written.evidence,
        risk_level: written.risk_level,
        files_touched: None,
        changes: vec![Change::UnifiedDiff(diff)],
        tests_to_run: written.tests_to_run,
        rollback_plan: written.rollback_plan,
        gene: Some(author.to_owned()),
        diagnosis_ref: Some(written.finding),
        agent: None,
        created_at: Some(created_at.to_owned()),
    };
    Ok(proposal.with_content_id())
}

fn bounded<'t>(what: &str, texts: impl IntoIterator<Item = &'t String>) -> Result<(), AnswerError> {
    let long = texts.into_iter().map(String::len).find(|length| *length > MAX_TEXT_BYTES);
    match long {
        Some(length) => {
            Err(AnswerError::Content(format!("a text of {what} has {length} bytes; at most {MAX_TEXT_BYTES} are read")))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const DIFF: &str = "--- a/x.py\n+++ b/x.py\n@@ -1 +1 @@\n-import a\n+import b\n";

    fn proposal() -> Value {
        json!({
            "finding": "f1", "title": "use b", "objective": "it imports", "evidence": ["a is gone"],
            "risk_level": "low", "unified_diff": DIFF, "tests_to_run": ["pytest"], "rollback_plan": "revert",
        })
    }

    fn answer(proposals: Value) -> Value {
        json!({
            "summary": "a is gone",
            "findings": [{ "id": "f1", "hypothesis": "renamed", "direction": "x.py" }],
            "proposals": proposals,
        })
    }

    fn read(text: &str) -> Result<Answer, AnswerError> {
        super::read(text, &["f1", "f2"], "model:m", "2026-01-01T00:00:00Z")
    }

    fn problem(value: &Value) -> String {
        read(&value.to_string()).unwrap_err().to_string()
    }

    #[test]
    fn an_answer_becomes_candidates_that_claim_nothing_for_the_gate() {
        let read = read(&answer(json!([proposal()])).to_string()).unwrap();
        let [only] = read.proposals.as_slice() else { panic!("one proposal") };
        assert_eq!(only.changes, [Change::UnifiedDiff(DIFF.to_owned())]);
        assert_eq!((only.gene.as_deref(), only.diagnosis_ref.as_deref()), (Some("model:m"), Some("f1")));
        assert_eq!(only.id, only.content_id());
        assert_eq!(read.hypotheses.len(), 1);
    }

    #[test]
    fn a_diff_keeps_its_last_line_feed_through_every_repair() {
        let raw = answer(json!([proposal()])).to_string().replace("\\n", "\n");
        let without = answer(json!([proposal()])).to_string().replace("+import b\\n", "+import b");
        for text in [format!("Here:\n```json\n{raw},\n```"), raw, without] {
            let read = read(&text).unwrap_or_else(|error| panic!("{error}: {text}"));
            assert_eq!(read.proposals[0].changes, [Change::UnifiedDiff(DIFF.to_owned())], "{text}");
        }
    }

    #[test]
    fn what_is_not_of_the_schema_is_said_in_words_that_help() {
        assert_eq!(read(" \n\t").unwrap_err(), AnswerError::Empty);
        assert!(problem(&json!([])).contains("not one JSON object of the schema"));
        assert!(problem(&json!({ "summary": "s" })).contains("missing field `proposals`"));
        let mut extra = answer(json!([]));
        extra["apply"] = true.into();
        assert!(problem(&extra).contains("unknown field `apply`"), "{}", problem(&extra));
        let mut wrong = proposal();
        wrong["finding"] = "f9".into();
        assert_eq!(problem(&answer(json!([wrong]))), "there is no finding \"f9\"; there are [\"f1\", \"f2\"]");
        let mut wrong = proposal();
        wrong["unified_diff"] = "change a to b".into();
        assert!(problem(&answer(json!([wrong]))).contains("this is not a unified diff"));
        let mut wrong = proposal();
        wrong["objective"] = "x".repeat(MAX_TEXT_BYTES + 1).into();
        assert!(problem(&answer(json!([wrong]))).contains("has 8193 bytes"));
        let mut other = proposal();
        other["finding"] = "f2".into();
        assert_eq!(problem(&answer(json!([proposal(), other]))), "`proposals` must all be for one finding");
        let many = vec![proposal(); MAX_PROPOSALS + 1];
        assert!(problem(&answer(json!(many))).contains("`proposals` has 4 entries"));
    }

    #[test]
    fn the_schema_names_what_the_reader_reads() {
        let schema = schema();
        let full = answer(json!([proposal()]));
        let names = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
        assert_eq!(names(&schema["properties"]), names(&full));
        assert_eq!(names(&schema["properties"]["proposals"]["items"]["properties"]), names(&proposal()));
        for name in names(&proposal()) {
            let mut less = proposal();
            less.as_object_mut().unwrap().remove(&name);
            let optional = ["evidence", "risk_level", "tests_to_run", "rollback_plan"].contains(&name.as_str());
            assert_eq!(read(&answer(json!([less])).to_string()).is_ok(), optional, "{name}");
        }
    }
}
