//! Distils a gene from capsules: changes that held for the same signals become the draft of a text-only gene, which a person
//! reviews.
//!
//! What must stay true: the draft does not depend on the order of its material; it passes the reader of text-only genes, and
//! its asset id verifies; every text of an asset is clipped, has no control characters, and is quoted as data. Text of an
//! external candidate is marked. Nothing is invented: what the assets do not have in common is left out. Memory is bounded,
//! however many assets there are, and what does not fit is counted.
//!
//! Callers pass a function that redacts texts (invariant 12).

mod draft;
mod gather;
mod group;
mod kept;
mod looked_at;
mod material;
mod signals;
mod steps;
mod support;
mod words;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::capsule::Capsule;

use gather::gather;
use group::groups;
pub use kept::MAX_ASSETS;
pub use looked_at::LookedAt;
pub use material::{Request, Source};
pub use words::is_external;

/// How many capsules a draft rests on at least, if nothing else is asked for.
pub const MIN_CAPSULES: usize = 3;

/// Capsules that similar signals triggered.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct GroupRow {
    /// The signals that they share and that are specific enough to select a gene.
    pub signals: Vec<String>,
    /// How many capsules.
    pub capsules: u64,
    /// Why no gene can be distilled from them; null if one can.
    pub refused: Option<String>,
}

/// What distilling came to.
#[derive(Debug, Clone, PartialEq)]
pub struct Distilled {
    /// What was looked at.
    pub looked_at: LookedAt,
    /// The groups that were found, the largest first. The draft is of the first one that is not refused.
    pub groups: Vec<GroupRow>,
    /// The draft: a Gene with its asset id. `None` if no group gives one.
    pub draft: Option<Map<String, Value>>,
}

/// Distils the draft of one gene.
pub fn distill<S: Source>(source: &S, request: &Request<'_>) -> Result<Distilled, S::Error> {
    let mut looked_at = LookedAt::default();
    let gathered = gather(source, request, &mut looked_at)?;
    let counted: Vec<&Capsule> = gathered.capsules.iter().collect();
    let (mut rows, mut draft) = (Vec::new(), None);
    for group in groups(&counted) {
        let found = draft::of(&group, &gathered, request);
        let refused = found.as_ref().err().cloned();
        let row = GroupRow { signals: group.shared.clone(), capsules: group.capsules.len() as u64, refused };
        rows.push(row);
        draft = draft.or(found.ok());
    }
    Ok(Distilled { looked_at, groups: rows, draft })
}

#[cfg(test)]
mod tests;
