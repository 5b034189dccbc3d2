//! The JSON form of a proposal, apart from the live type. gephost reads the names of seeds 003 and 004 and its own. It
//! writes the names of seed 004, and those of seed 003 for the rest.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::RiskLevel;

/// A document as read. Unknown members are ignored; a repeated known member is an error.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(super) struct Incoming {
    pub(super) id: Option<String>,
    pub(super) title: Option<String>,
    pub(super) objective: Option<String>,
    pub(super) rationale: Option<String>,
    pub(super) evidence: Option<Vec<String>>,
    pub(super) risk_level: Option<RiskLevel>,
    pub(super) risk_score: Option<f64>,
    pub(super) files_touched: Option<Vec<String>>,
    pub(super) affected_paths: Option<Vec<String>>,
    pub(super) unified_diff: Option<String>,
    pub(super) diff: Option<String>,
    pub(super) changes: Option<Vec<ChangeDocument>>,
    pub(super) tests_to_run: Option<Vec<String>>,
    pub(super) rollback_plan: Option<String>,
    pub(super) gene: Option<String>,
    pub(super) diagnosis_ref: Option<String>,
    pub(super) agent: Option<String>,
    pub(super) created_at: Option<String>,
}

/// One change.
#[derive(Debug, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub(super) enum ChangeDocument {
    UnifiedDiff {
        diff: String,
    },
    Content {
        path: String,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        content: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        content_base64: Option<String>,
    },
    Delete {
        path: String,
    },
}
