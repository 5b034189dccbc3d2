//! The audit of one gene call: what it asked of the host, what the host decided, and what it handed over.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::digest::{Digest, Hasher};
use crate::gene::Capability;

/// The most entries that an audit keeps. What comes after is counted, and still part of [`AuditLog::trail`].
pub const MAX_ENTRIES: usize = 20_000;
/// The longest target that is kept, in bytes.
pub const MAX_TARGET: usize = 512;

/// What the host did with a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// Answered.
    Granted,
    /// The capability was not granted.
    Denied,
    /// Something is there, and the gene may not see it. The gene was told that nothing is there.
    Refused,
    /// Nothing is there.
    NotFound,
    /// The request itself was wrong.
    Invalid,
    /// The host could not do it.
    Failed,
}

impl Decision {
    /// The word on disk and for a person.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Granted => "granted",
            Self::Denied => "denied",
            Self::Refused => "refused",
            Self::NotFound => "not-found",
            Self::Invalid => "invalid",
            Self::Failed => "failed",
        }
    }
}

/// One request of a gene.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditEntry {
    /// Number within the call, from 0. Requests that were not kept have a number too.
    pub seq: u64,
    /// The capability that it needs.
    pub capability: Capability,
    /// The function, as in `wit/`, for example `read` or `cursor.next`.
    pub function: Cow<'static, str>,
    /// What it was about: a path as the gene spelled it, a pattern, a range of events. Clipped at [`MAX_TARGET`].
    pub target: String,
    /// What the host did.
    pub decision: Decision,
    /// Why, for the operator: the rule that denied. The gene was not told. Not part of [`AuditLog::trail`], since the
    /// rules are the operator's and not the call's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Bytes handed over.
    pub bytes: u64,
    /// What was handed over, where something was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Digest>,
    /// Microseconds that the host took. Measured, so no part of what two runs have in common.
    pub micros: u64,
}

impl AuditEntry {
    /// Whether two runs asked the same and got the same.
    pub fn is_same_as(&self, other: &Self) -> bool {
        let of = |entry: &Self| (entry.capability, entry.decision, entry.bytes, entry.result);
        of(self) == of(other) && self.function == other.function && self.target == other.target
    }

    /// Takes in what two runs have in common.
    pub fn hash_into(&self, trail: &mut Hasher) {
        for text in [self.capability.as_str(), &self.function, &self.target, self.decision.as_str()] {
            trail.field(text.as_bytes());
        }
        trail.number(self.bytes);
        match &self.result {
            Some(digest) => trail.field(digest.as_bytes()),
            None => trail.field(b""),
        }
    }
}

/// All requests of one call, in order.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct AuditLog {
    /// The first [`MAX_ENTRIES`].
    pub entries: Vec<AuditEntry>,
    /// How many more there were, by decision.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub omitted: BTreeMap<Decision, u64>,
    /// The digest of all of them, kept or not, without what was measured.
    pub trail: Digest,
}

impl Default for AuditLog {
    fn default() -> Self {
        Self { entries: Vec::new(), omitted: BTreeMap::new(), trail: Hasher::default().digest() }
    }
}

impl AuditLog {
    /// How many requests there were.
    pub fn len(&self) -> u64 {
        self.entries.len() as u64 + self.omitted.values().sum::<u64>()
    }

    /// Whether the gene asked for nothing.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Says which rule hid what the gene did not find: `rule_of` gives it for a target, for the operator's eyes. Such
    /// an entry becomes [`Decision::Refused`].
    pub fn explain(&mut self, rule_of: impl Fn(&str) -> Option<String>) {
        let hidden = |entry: &&mut AuditEntry| {
            entry.capability == Capability::Workspace
                && matches!(entry.decision, Decision::NotFound | Decision::Refused)
        };
        for entry in self.entries.iter_mut().filter(hidden) {
            if let Some(rule) = rule_of(&entry.target) {
                entry.decision = Decision::Refused;
                entry.rule = Some(rule);
            }
        }
    }
}
