//! Distils a gene from capsules: changes that held for the same signals become the draft of a text-only gene, which a person
//! reviews.
//!
//! What must stay true: the draft does not depend on the order of its material; it passes the reader of text-only genes, and
//! its asset id verifies; every text of an asset is clipped, has no control characters, and is quoted as data. Text of an
//! external candidate is marked. Nothing is invented: what the assets do not have in common is left out.
//!
//! Callers pass a function that redacts texts (invariant 12).

mod draft;
mod group;
mod material;
mod signals;
mod steps;
mod support;
mod words;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::capsule::Capsule;
use crate::digest::{self, Verification};

use group::groups;
pub use material::{Material, Request};
pub use words::is_external;

/// How many capsules a draft rests on at least, if nothing else is asked for.
pub const MIN_CAPSULES: usize = 3;

/// What was looked at.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct LookedAt {
    /// All capsules.
    pub capsules: u64,
    /// Those that count.
    pub counted: u64,
    /// Those of changes that failed.
    pub failed: u64,
    /// Those whose asset id does not verify.
    pub unverified: u64,
    /// External candidates, which were not asked for.
    pub external: u64,
    /// Those that no signal, or none of the asked ones, triggered.
    pub without_signal: u64,
    /// Those that were there before under the same id.
    pub repeated: u64,
}

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
pub fn distill(material: Material<'_>, request: &Request<'_>) -> Distilled {
    let mut looked_at = LookedAt::default();
    let counted = counted(material.capsules, request, &mut looked_at);
    let (mut rows, mut draft) = (Vec::new(), None);
    for group in groups(&counted) {
        let found = draft::of(&group, &counted, material, request);
        let refused = found.as_ref().err().cloned();
        let row = GroupRow { signals: group.shared.clone(), capsules: group.capsules.len() as u64, refused };
        rows.push(row);
        draft = draft.or(found.ok());
    }
    Distilled { looked_at, groups: rows, draft }
}

/// The capsules that count, each id once, by id.
fn counted<'a>(capsules: &'a [Capsule], request: &Request<'_>, looked_at: &mut LookedAt) -> Vec<&'a Capsule> {
    let mut kept: BTreeMap<(&str, bool, &str), &Capsule> = BTreeMap::new();
    for capsule in capsules {
        looked_at.capsules += 1;
        let is_asked = |signal: &String| request.signals.is_empty() || request.signals.contains(signal);
        let reason = if !capsule.outcome.is_success() {
            &mut looked_at.failed
        } else if !matches!(digest::verify_members(capsule.document()), Ok(Verification::Match)) {
            &mut looked_at.unverified
        } else if is_external(capsule.document()) && !request.with_external {
            &mut looked_at.external
        } else if !capsule.trigger.iter().any(is_asked) {
            &mut looked_at.without_signal
        } else {
            let document = capsule.document();
            kept.entry((&capsule.id, is_external(document), words::asset_id(document))).or_insert(capsule);
            continue;
        };
        *reason += 1;
    }
    // Of one id, the user's own counts, then the smallest asset id, so that the order of files does not matter.
    let mut counted: Vec<&Capsule> = Vec::new();
    for ((id, ..), capsule) in kept {
        if counted.last().is_none_or(|last| last.id != id) {
            counted.push(capsule);
        }
    }
    looked_at.counted = counted.len() as u64;
    let others = looked_at.failed + looked_at.unverified + looked_at.external + looked_at.without_signal;
    looked_at.repeated = looked_at.capsules - looked_at.counted - others;
    counted
}

#[cfg(test)]
mod tests;
