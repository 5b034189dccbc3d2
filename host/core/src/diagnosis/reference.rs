//! A finding as the log and published changes name it.

use serde::{Deserialize, Serialize};

/// A finding, as the log keeps it: enough to know it again and to count what it counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct FindingRef {
    /// Id of the gene that found it.
    pub gene: String,
    /// Its id within that gene's diagnosis.
    pub id: String,
    /// One line for a person.
    pub title: String,
    /// The signals that it raised.
    pub signals: Vec<String>,
}
