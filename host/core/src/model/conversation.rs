//! A conversation with a model: a question, at most one retry, and the outcome. One transition function serves both a
//! run and a replay.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::answer::{Answer, AnswerError, Hypothesis, read};
use super::{AskFailure, Budget, Fence, Limits, Material, Reply, Request, Spent, prompt};
use crate::proposal::{Proposal, ProposalDocument, RiskLevel, Status};

/// How many times the model is asked again after an answer that cannot be used.
const MAX_REPEATS: usize = 1;

/// Why a conversation yields no proposal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum NoOpKind {
    /// The server could not be reached, or did not answer in time.
    Network,
    /// The server rejected the credentials.
    Unauthenticated,
    /// The server answered with another error.
    Refused,
    /// The answer was empty, twice.
    Empty,
    /// The answer could not be used, twice.
    Invalid,
    /// The model answered that it knows no repair.
    Declined,
    /// The limit of tokens or money was reached.
    Budget,
}

impl NoOpKind {
    /// The category as documents and genes read it.
    pub const fn code(self) -> &'static str {
        match self {
            Self::Network => "network",
            Self::Unauthenticated => "unauthenticated",
            Self::Refused => "refused",
            Self::Empty => "empty",
            Self::Invalid => "invalid",
            Self::Declined => "declined",
            Self::Budget => "budget",
        }
    }

    /// The category of a failure to ask.
    pub(super) fn of(failure: &AskFailure) -> Self {
        match failure {
            AskFailure::Network { .. } => Self::Network,
            AskFailure::Status { status: 401 | 403, .. } => Self::Unauthenticated,
            AskFailure::Status { .. } => Self::Refused,
            AskFailure::Foreign { .. } | AskFailure::TooLarge { .. } => Self::Invalid,
        }
    }
}

/// A conversation that yields no proposal, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct NoOp {
    /// The category of the reason.
    pub kind: NoOpKind,
    /// The reason, for people.
    pub reason: String,
    /// The findings, one line each.
    pub summary: String,
}

impl NoOp {
    /// The result as a proposal that changes nothing (seed 004, section 8).
    pub fn proposal(&self, author: &str, created_at: &str) -> Proposal {
        let proposal = Proposal {
            id: String::new(),
            title: format!("no change: {}", self.reason),
            objective: self.summary.clone(),
            evidence: Vec::new(),
            risk_level: RiskLevel::Low,
            files_touched: Some(Vec::new()),
            changes: Vec::new(),
            tests_to_run: Vec::new(),
            rollback_plan: "nothing is changed".to_owned(),
            gene: Some(author.to_owned()),
            diagnosis_ref: None,
            agent: None,
            created_at: Some(created_at.to_owned()),
        };
        proposal.with_content_id()
    }
}

/// How a conversation ended.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// At least one proposal.
    Answer(Answer),
    /// No proposal. The model's view of the findings is kept if it gave one.
    NoOp(NoOp, Option<Answer>),
}

impl Outcome {
    /// The outcome as a document. Equal outcomes give equal documents.
    pub fn document(&self, author: &str, created_at: &str) -> OutcomeDocument {
        let (answer, no_op) = match self {
            Self::Answer(answer) => (Some(answer), None),
            Self::NoOp(no_op, answer) => (answer.as_ref(), Some(no_op)),
        };
        let written = |proposal: &Proposal| -> Value {
            serde_json::from_str(&proposal.to_json(&Status::default())).unwrap_or_default()
        };
        OutcomeDocument {
            summary: answer.map(|answer| answer.summary.clone()),
            findings: answer.map(|answer| answer.hypotheses.clone()),
            proposals: answer.map(|answer| answer.proposals.iter().map(written).collect()),
            no_op: no_op.map(|no_op| NoOpDocument {
                kind: no_op.kind,
                reason: no_op.reason.clone(),
                proposal: written(&no_op.proposal(author, created_at)),
            }),
        }
    }
}

/// The outcome of a conversation as a document.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct OutcomeDocument {
    /// The model's view of the failures; null if it gave none.
    pub summary: Option<String>,
    /// Its view of single findings.
    pub findings: Option<Vec<Hypothesis>>,
    /// Its proposals, best first.
    #[schemars(with = "Option<Vec<ProposalDocument<'static>>>")]
    pub proposals: Option<Vec<Value>>,
    /// Why there is no proposal; null if there is one.
    pub no_op: Option<NoOpDocument>,
}

/// Why a conversation yields no proposal.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct NoOpDocument {
    /// The category of the reason.
    pub kind: NoOpKind,
    /// The reason, for people.
    pub reason: String,
    /// The result as a proposal that changes nothing.
    #[schemars(with = "ProposalDocument<'static>")]
    pub proposal: Value,
}

/// What the caller does next.
#[derive(Debug)]
pub enum Step {
    /// Send this request.
    Ask(Request),
    /// Stop: the conversation has ended.
    Done(Outcome),
}

/// A conversation about some findings.
#[derive(Debug)]
pub struct Conversation {
    ids: Vec<String>,
    summary: String,
    author: String,
    created_at: String,
    budget: Budget,
    request: Request,
    repeats: usize,
    outcome: Option<Outcome>,
}

impl Conversation {
    /// Starts a conversation. Proposals get `author` and `created_at`. `spent` is what earlier conversations of this
    /// process used.
    pub fn new(
        material: &Material,
        fence: &Fence,
        (limits, spent): (Limits, Spent),
        author: &str,
        created_at: &str,
    ) -> Self {
        let budget = Budget::new(limits, spent);
        let line = |finding: &super::Subject| {
            format!("{} ({}, {} times)", finding.title, finding.severity, finding.occurrences)
        };
        Self {
            ids: material.ids().into_iter().map(str::to_owned).collect(),
            summary: material.findings.iter().map(line).collect::<Vec<_>>().join("\n"),
            author: author.to_owned(),
            created_at: created_at.to_owned(),
            request: prompt::first(material, fence, budget.answer_tokens()),
            budget,
            repeats: 0,
            outcome: None,
        }
    }

    /// The next step. If the limits do not allow the next request, the conversation ends without sending it.
    pub fn step(&mut self) -> Step {
        if self.outcome.is_none()
            && let Err(reason) = self.budget.allows(&self.request)
        {
            self.end(NoOpKind::Budget, reason);
        }
        match &self.outcome {
            Some(outcome) => Step::Done(outcome.clone()),
            None => Step::Ask(self.request.clone()),
        }
    }

    /// Takes the result of the last request.
    pub fn answered(&mut self, reply: &Result<Reply, AskFailure>) {
        self.budget.charge(&self.request, reply.as_ref().ok());
        match reply {
            Ok(reply) => self.replied(reply),
            Err(failure) => self.failed(failure),
        }
    }

    /// What this conversation and the earlier ones used.
    pub fn spent(&self) -> Spent {
        self.budget.spent()
    }

    fn replied(&mut self, reply: &Reply) {
        let ids: Vec<&str> = self.ids.iter().map(String::as_str).collect();
        let answer = match reply {
            Reply { cut: true, .. } => Err(AnswerError::Cut),
            Reply { text, .. } => read(text, &ids, &self.author, &self.created_at),
        };
        match answer {
            Ok(answer) if answer.proposals.is_empty() => {
                let reason = "the model knows no change that removes a cause".to_owned();
                self.outcome = Some(Outcome::NoOp(self.no_op(NoOpKind::Declined, reason), Some(answer)));
            }
            Ok(answer) => self.outcome = Some(Outcome::Answer(answer)),
            Err(error) if self.repeats < MAX_REPEATS => {
                self.repeats += 1;
                self.request = prompt::retry(self.request.clone(), &reply.text, &error.to_string());
            }
            Err(error) => {
                let kind = if error == AnswerError::Empty { NoOpKind::Empty } else { NoOpKind::Invalid };
                self.end(kind, format!("{error}, also when asked again"));
            }
        }
    }

    fn failed(&mut self, failure: &AskFailure) {
        self.end(NoOpKind::of(failure), failure.to_string());
    }

    fn end(&mut self, kind: NoOpKind, reason: String) {
        self.outcome = Some(Outcome::NoOp(self.no_op(kind, reason), None));
    }

    fn no_op(&self, kind: NoOpKind, reason: String) -> NoOp {
        NoOp { kind, reason, summary: self.summary.clone() }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Subject;
    use super::*;

    const LIMITS: Limits =
        Limits { answer_tokens: 1000, max_tokens: 50_000, price_in: 0, price_out: 0, max_cost: None };
    const DECLINED: &str = r#"{"summary":"s","findings":[],"proposals":[]}"#;
    const GIVEN: &str = r#"{"summary":"s","findings":[],"proposals":[{"finding":"f1","title":"t","objective":"o",
        "unified_diff":"--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n"}]}"#;

    fn conversation(limits: Limits) -> Conversation {
        let subject = Subject {
            id: "f1".to_owned(),
            kind: String::new(),
            title: "make fails".to_owned(),
            severity: "high".to_owned(),
            occurrences: 3,
            hypothesis: String::new(),
            direction: String::new(),
            evidence: Vec::new(),
        };
        let material = Material { findings: vec![subject], excerpts: Vec::new(), may_change: Vec::new() };
        Conversation::new(&material, &Fence::new(1), (limits, Spent::default()), "model:m", "1970-01-01T00:00:00Z")
    }

    #[expect(clippy::unnecessary_wraps, reason = "it is used in lists next to failures")]
    fn reply(text: &str) -> Result<Reply, AskFailure> {
        Ok(Reply { text: text.to_owned(), cut: false, tokens_in: Some(10), tokens_out: Some(10) })
    }

    /// Gives these replies in turn. Returns the outcome and the number of requests.
    fn run(limits: Limits, replies: &[Result<Reply, AskFailure>]) -> (Outcome, usize) {
        let mut conversation = conversation(limits);
        for (asked, reply) in replies.iter().enumerate() {
            match conversation.step() {
                Step::Ask(_) => conversation.answered(reply),
                Step::Done(outcome) => return (outcome, asked),
            }
        }
        match conversation.step() {
            Step::Done(outcome) => (outcome, replies.len()),
            Step::Ask(_) => panic!("it asks again"),
        }
    }

    fn kind(outcome: &Outcome) -> Option<NoOpKind> {
        match outcome {
            Outcome::NoOp(no_op, _) => Some(no_op.kind),
            Outcome::Answer(_) => None,
        }
    }

    #[test]
    fn each_reason_for_no_proposal_has_its_kind() {
        let network = || Err(AskFailure::Network { reason: "refused".to_owned() });
        let status = |status| Err(AskFailure::Status { status, reason: String::new() });
        let cut = Ok(Reply { text: GIVEN.to_owned(), cut: true, tokens_in: None, tokens_out: None });
        for (replies, expected, asked) in [
            (vec![reply(GIVEN)], None, 1),
            (vec![reply("nonsense"), reply(GIVEN)], None, 2),
            (vec![reply(""), reply(GIVEN)], None, 2),
            (vec![cut.clone(), cut], Some(NoOpKind::Invalid), 2),
            (vec![reply(""), reply(" \n")], Some(NoOpKind::Empty), 2),
            (vec![reply("nonsense"), reply("")], Some(NoOpKind::Empty), 2),
            (vec![reply(""), reply("nonsense")], Some(NoOpKind::Invalid), 2),
            (vec![reply(DECLINED)], Some(NoOpKind::Declined), 1),
            (vec![network(), reply(GIVEN)], Some(NoOpKind::Network), 1),
            (vec![reply("nonsense"), network()], Some(NoOpKind::Network), 2),
            (vec![status(401)], Some(NoOpKind::Unauthenticated), 1),
            (vec![status(500)], Some(NoOpKind::Refused), 1),
            (vec![Err(AskFailure::TooLarge { limit: 1 })], Some(NoOpKind::Invalid), 1),
            (vec![Err(AskFailure::Foreign { reason: String::new() })], Some(NoOpKind::Invalid), 1),
        ] {
            let (outcome, times) = run(LIMITS, &replies);
            assert_eq!((kind(&outcome), times), (expected, asked), "{replies:?}: {outcome:?}");
        }
    }

    #[test]
    fn a_request_over_the_limits_is_not_sent() {
        let little = Limits { max_tokens: 1100, ..LIMITS };
        let (outcome, asked) = run(little, &[reply(GIVEN)]);
        assert_eq!((kind(&outcome), asked), (Some(NoOpKind::Budget), 0));
        // The first request fits the limits, the second does not.
        let mut conversation = conversation(Limits { max_tokens: 2500, ..LIMITS });
        let Step::Ask(_) = conversation.step() else { panic!("the first request is allowed") };
        conversation.answered(&Ok(Reply {
            text: "x".to_owned(),
            cut: false,
            tokens_in: Some(1000),
            tokens_out: Some(1000),
        }));
        let Step::Done(outcome) = conversation.step() else { panic!("the second is not") };
        assert_eq!(kind(&outcome), Some(NoOpKind::Budget));
        assert_eq!(conversation.spent().requests, 1);
    }

    #[test]
    fn a_no_op_is_a_proposal_that_keeps_the_diagnosis_and_changes_nothing() {
        let (outcome, _) = run(LIMITS, &[reply(DECLINED)]);
        let Outcome::NoOp(no_op, Some(_)) = outcome else { panic!("{outcome:?}") };
        let proposal = no_op.proposal("model:m", "1970-01-01T00:00:00Z");
        assert!(proposal.changes.is_empty());
        assert_eq!(proposal.objective, "make fails (high, 3 times)");
    }
}
