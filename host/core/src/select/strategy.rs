//! How much each category of genes counts in a selection.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::gene::Category;

/// What the operator wants more of. The names are those of other tools that implement the protocol. They state shares of
/// cycles; a weight here is the share under a strategy divided by the share under `balanced`.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Strategy {
    /// Every category counts the same.
    #[default]
    Balanced,
    /// New things first.
    Innovate,
    /// Repairs and improvements first.
    Harden,
    /// Repairs alone. Genes of other categories are left out.
    RepairOnly,
}

impl Strategy {
    /// Every strategy.
    pub const ALL: [Self; 4] = [Self::Balanced, Self::Innovate, Self::Harden, Self::RepairOnly];

    /// The name in the config and on the command line.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Balanced => "balanced",
            Self::Innovate => "innovate",
            Self::Harden => "harden",
            Self::RepairOnly => "repair-only",
        }
    }

    /// What the score of a gene of this category is multiplied by; `None` if such genes are left out. A category of a later
    /// schema counts as `innovate`.
    pub fn weight(self, category: &Category) -> Option<f64> {
        let row = match self {
            Self::Balanced => [Some(1.0), Some(1.0), Some(1.0)],
            Self::Innovate => [Some(0.25), Some(0.5), Some(1.6)],
            Self::Harden => [Some(2.0), Some(1.33), Some(0.4)],
            Self::RepairOnly => [Some(1.0), None, None],
        };
        let [repair, optimize, innovate] = row;
        match category {
            Category::Repair => repair,
            Category::Optimize => optimize,
            Category::Innovate | Category::Other(_) => innovate,
        }
    }

    /// The line that a selection gives as a reason; `None` for the default.
    pub(super) fn line(self) -> Option<String> {
        match self {
            Self::Balanced => None,
            Self::RepairOnly => Some("strategy: repair-only; genes that optimize or innovate are left out".to_owned()),
            Self::Innovate | Self::Harden => Some(format!("strategy: {self}")),
        }
    }
}

impl fmt::Display for Strategy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}
