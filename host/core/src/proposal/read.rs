//! Reads proposals. An ambiguous document, which states the same thing twice in different ways, is an error.

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;

use super::document::{ChangeDocument, Incoming};
use super::{Change, Proposal, RiskLevel};

/// Longest document, in bytes.
pub const MAX_JSON_BYTES: usize = 64 << 20;
/// Longest id, in bytes.
const MAX_ID_BYTES: usize = 128;

/// Why a document is not a proposal.
#[derive(Debug, thiserror::Error)]
pub enum ProposalError {
    /// Over [`MAX_JSON_BYTES`].
    #[error("the proposal has at least {0} bytes; at most {MAX_JSON_BYTES} are read")]
    TooLarge(usize),
    /// Not text: the first byte that is not.
    #[error("not UTF-8 text: byte {0}")]
    NotUtf8(usize),
    /// JSON that is not an object; serde would accept a list in its place.
    #[error("not a proposal: not a JSON object")]
    NotAnObject,
    /// Not JSON, or a member of the wrong type.
    #[error("not a proposal: {0}")]
    Json(#[from] serde_json::Error),
    /// Two names for one thing, with different values.
    #[error("`{0}` and `{1}` contradict each other; remove one")]
    Conflict(&'static str, &'static str),
    /// An id that cannot be a file name.
    #[error("`id` must be 1 to {MAX_ID_BYTES} letters, digits, `-`, `_` or `.`, and not start with a `.` or `-`")]
    Id,
    /// A change with both forms of content, or with neither.
    #[error("change {0} needs either `content` or `content_base64`")]
    Content(usize),
    /// Content that is not base64.
    #[error("change {0}: `content_base64` is not valid base64 (RFC 4648, with padding)")]
    Base64(usize),
}

impl Proposal {
    /// Reads a document in the shape of seed 003 or 004. Its own gate and apply status are ignored, because only the
    /// gate decides them.
    pub fn from_json(text: &str) -> Result<Self, ProposalError> {
        if text.len() > MAX_JSON_BYTES {
            return Err(ProposalError::TooLarge(text.len()));
        }
        if text.trim_start().starts_with('[') {
            return Err(ProposalError::NotAnObject);
        }
        let read: Incoming = serde_json::from_str(text)?;
        let objective = either(read.objective, read.rationale, ("objective", "rationale"))?.unwrap_or_default();
        let diff = either(read.unified_diff, read.diff, ("unified_diff", "diff"))?.filter(|diff| !diff.is_empty());
        let listed = read.changes.unwrap_or_default();
        if diff.is_some() && !listed.is_empty() {
            return Err(ProposalError::Conflict("unified_diff", "changes"));
        }
        let listed = listed.into_iter().enumerate().map(|(at, change)| live_change(at + 1, change));
        let changes = diff.map(|diff| Ok(Change::UnifiedDiff(diff))).into_iter().chain(listed);
        let proposal = Self {
            id: read.id.unwrap_or_default(),
            title: read.title.unwrap_or_else(|| first_line(&objective)),
            evidence: read.evidence.unwrap_or_default(),
            risk_level: read.risk_level.unwrap_or_else(|| level(read.risk_score)),
            files_touched: either(read.files_touched, read.affected_paths, ("files_touched", "affected_paths"))?,
            changes: changes.collect::<Result<_, _>>()?,
            tests_to_run: read.tests_to_run.unwrap_or_default(),
            rollback_plan: read.rollback_plan.unwrap_or_default(),
            gene: read.gene,
            diagnosis_ref: read.diagnosis_ref,
            agent: read.agent,
            created_at: read.created_at,
            objective,
        };
        proposal.with_id()
    }

    /// Reads a person's input: a JSON document if it begins with a brace or a bracket, else a bare unified diff.
    pub fn read(text: &str) -> Result<Self, ProposalError> {
        if text.trim_start().starts_with(['{', '[']) { Self::from_json(text) } else { Ok(Self::from_diff(text)) }
    }

    /// A bare unified diff as a proposal without claims. The gate checks whether it is a diff.
    pub fn from_diff(text: &str) -> Self {
        let proposal = Self {
            id: String::new(),
            title: "apply a unified diff".to_owned(),
            objective: String::new(),
            evidence: Vec::new(),
            risk_level: RiskLevel::Medium,
            files_touched: None,
            changes: vec![Change::UnifiedDiff(text.to_owned())],
            tests_to_run: Vec::new(),
            rollback_plan: String::new(),
            gene: None,
            diagnosis_ref: None,
            agent: None,
            created_at: None,
        };
        proposal.with_content_id()
    }

    /// Checks the document's own id, or computes one.
    fn with_id(mut self) -> Result<Self, ProposalError> {
        if self.id.is_empty() {
            self.id = self.content_id();
        }
        let plain = |c: char| c.is_ascii_alphanumeric() || "-_.".contains(c);
        let fit = self.id.len() <= MAX_ID_BYTES && !self.id.starts_with(['.', '-']) && self.id.chars().all(plain);
        if fit { Ok(self) } else { Err(ProposalError::Id) }
    }
}

/// One of two names for the same thing; both may be there if they agree.
fn either<T: PartialEq>(
    first: Option<T>,
    second: Option<T>,
    names: (&'static str, &'static str),
) -> Result<Option<T>, ProposalError> {
    match (first, second) {
        (Some(first), Some(second)) if first != second => Err(ProposalError::Conflict(names.0, names.1)),
        (first, second) => Ok(first.or(second)),
    }
}

fn live_change(number: usize, change: ChangeDocument) -> Result<Change, ProposalError> {
    match change {
        ChangeDocument::UnifiedDiff { diff } => Ok(Change::UnifiedDiff(diff)),
        ChangeDocument::Delete { path } => Ok(Change::Delete { path }),
        ChangeDocument::Content { path, content, content_base64 } => {
            let content = match (content, content_base64) {
                (Some(text), None) => text.into_bytes(),
                (None, Some(text)) => BASE64.decode(text).map_err(|_| ProposalError::Base64(number))?,
                _ => return Err(ProposalError::Content(number)),
            };
            Ok(Change::NewContent { path, content })
        }
    }
}

/// The level for a score of seed 003, if the document has only the score.
fn level(score: Option<f64>) -> RiskLevel {
    match score {
        Some(score) if score <= 30.0 => RiskLevel::Low,
        Some(score) if score > 60.0 => RiskLevel::High,
        _ => RiskLevel::Medium,
    }
}

fn first_line(text: &str) -> String {
    text.lines().next().unwrap_or_default().chars().take(120).collect()
}
