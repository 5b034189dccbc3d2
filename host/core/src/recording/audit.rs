//! The audit of one gene call: its requests to the host, the host's decisions, and the data that it returned.

use std::borrow::Cow;
use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::digest::{Digest, Hasher};
use crate::gene::Capability;

/// The most entries that an audit stores. Later ones are counted and are still part of [`AuditLog::trail`].
pub const MAX_ENTRIES: usize = 20_000;
/// The longest stored target, in bytes.
pub const MAX_TARGET: usize = 512;

/// The host's decision on a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum Decision {
    /// Answered.
    Granted,
    /// The capability was not granted.
    Denied,
    /// The gene may not see what is there. The host answered that nothing is there.
    Refused,
    /// Nothing is there.
    NotFound,
    /// The request itself was wrong.
    Invalid,
    /// The host failed.
    Failed,
}

impl Decision {
    /// The name on disk and in pages.
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
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct AuditEntry {
    /// Number within the call, from 0. Requests that are not stored have a number too.
    pub seq: u64,
    /// The capability that it needs.
    pub capability: Capability,
    /// The function, as in `wit/`, for example `read` or `cursor.next`.
    pub function: Cow<'static, str>,
    /// The target: a path as the gene spelled it, a pattern, or a range of events. Clipped at [`MAX_TARGET`].
    pub target: String,
    /// The host's decision.
    pub decision: Decision,
    /// The rule that denied it, for the operator only. It is not part of [`AuditLog::trail`], because the rules belong
    /// to the operator and not to the call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rule: Option<String>,
    /// Returned bytes.
    pub bytes: u64,
    /// The digest of the returned data, if there was any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub result: Option<Digest>,
    /// Microseconds that the host took. Measured, so two equal runs may differ in it.
    pub micros: u64,
}

impl AuditEntry {
    /// Whether request and response are equal in two runs.
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
    /// The number of later ones, by decision.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub omitted: BTreeMap<Decision, u64>,
    /// The digest of all of them, stored or not, without measurements.
    pub trail: Digest,
}

impl Default for AuditLog {
    fn default() -> Self {
        Self { entries: Vec::new(), omitted: BTreeMap::new(), trail: Hasher::default().digest() }
    }
}

impl AuditLog {
    /// The number of requests.
    pub fn len(&self) -> u64 {
        self.entries.len() as u64 + self.omitted.values().sum::<u64>()
    }

    /// Whether the gene made no request.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Adds for the operator the rule that hid what the gene did not find; `rule_of` returns it for a target. Such an
    /// entry becomes [`Decision::Refused`].
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
