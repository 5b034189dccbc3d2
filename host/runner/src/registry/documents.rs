//! Assets as the documents that are written.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Assets as documents.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AssetDocuments {
    /// Genes that were used.
    pub genes: Vec<Map<String, Value>>,
    /// Capsules, failed ones too.
    pub capsules: Vec<Map<String, Value>>,
    /// Validation reports.
    pub reports: Vec<Map<String, Value>>,
    /// The evolution event; absent where nothing was validated.
    pub event: Option<Map<String, Value>>,
}
