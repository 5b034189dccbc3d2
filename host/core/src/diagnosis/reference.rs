//! A reference to a finding, for the log and for published changes.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// A reference to a finding: enough to recognise it and to count its failures again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct FindingRef {
    /// Id of the gene that found it.
    pub gene: String,
    /// Its id within that gene's diagnosis.
    pub id: String,
    /// One line for people.
    pub title: String,
    /// The signals that it raised.
    pub signals: Vec<String>,
}
