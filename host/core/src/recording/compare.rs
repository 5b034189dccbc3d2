//! The differences between two runs of the same call.

use std::collections::BTreeMap;
use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::audit::{AuditEntry, AuditLog};
use super::digest::Digest;

/// The most requests that are listed one by one. After its first difference a gene may take another path, so later
/// differences say little.
const MAX_CALLS: usize = 10;

/// The result of a call, without measurements: a second run must have the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CallResult {
    /// The requests to the host.
    pub audit: AuditLog,
    /// `answered`, or the kind of the error.
    pub outcome: String,
    /// The answer or the error, as written.
    pub answer: Digest,
    /// The gene's log lines.
    pub log: Digest,
    /// Fuel and other counts that do not depend on the machine, by name.
    pub used: BTreeMap<String, u64>,
}

/// One difference.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum Difference {
    /// A request differs, is missing, or is new.
    Request {
        /// Its number.
        seq: u64,
        /// As it was; `None` where there was none.
        recorded: Option<Box<AuditEntry>>,
        /// As it is.
        now: Option<Box<AuditEntry>>,
    },
    /// So many more requests differ.
    MoreRequests {
        /// How many.
        count: u64,
    },
    /// The requests beyond the stored ones differ.
    Trail {
        /// How many there were.
        recorded: u64,
        /// How many there are.
        now: u64,
    },
    /// The answer or the error differs.
    Answer {
        /// As it was.
        recorded: String,
        /// As it is.
        now: String,
    },
    /// The gene's log lines differ.
    Log,
    /// A count differs.
    Used {
        /// Which.
        what: String,
        /// As it was.
        recorded: u64,
        /// As it is.
        now: u64,
    },
}

/// Every difference, in the order requests, answer, log, counts. Empty if the runs are the same.
pub fn compare(recorded: &CallResult, now: &CallResult) -> Vec<Difference> {
    let mut differences = requests(&recorded.audit, &now.audit);
    if (&recorded.outcome, recorded.answer) != (&now.outcome, now.answer) {
        let said = |result: &CallResult| format!("{} {}", result.outcome, result.answer);
        differences.push(Difference::Answer { recorded: said(recorded), now: said(now) });
    }
    if recorded.log != now.log {
        differences.push(Difference::Log);
    }
    let names: std::collections::BTreeSet<&String> = recorded.used.keys().chain(now.used.keys()).collect();
    for what in names {
        let of = |result: &CallResult| result.used.get(what).copied().unwrap_or_default();
        if of(recorded) != of(now) {
            differences.push(Difference::Used { what: what.clone(), recorded: of(recorded), now: of(now) });
        }
    }
    differences
}

fn requests(recorded: &AuditLog, now: &AuditLog) -> Vec<Difference> {
    let longest = recorded.entries.len().max(now.entries.len());
    let differs = |&at: &usize| match (recorded.entries.get(at), now.entries.get(at)) {
        (Some(before), Some(after)) => !before.is_same_as(after),
        (before, after) => before.is_some() || after.is_some(),
    };
    let positions: Vec<usize> = (0..longest).filter(differs).collect();
    let request = |&at: &usize| Difference::Request {
        seq: at as u64,
        recorded: recorded.entries.get(at).cloned().map(Box::new),
        now: now.entries.get(at).cloned().map(Box::new),
    };
    let mut differences: Vec<Difference> = positions.iter().take(MAX_CALLS).map(request).collect();
    if positions.len() > MAX_CALLS {
        differences.push(Difference::MoreRequests { count: (positions.len() - MAX_CALLS) as u64 });
    }
    if positions.is_empty() && recorded.trail != now.trail {
        differences.push(Difference::Trail { recorded: recorded.len(), now: now.len() });
    }
    differences
}

impl fmt::Display for Difference {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Request { seq, recorded, now } => request(f, *seq, recorded.as_deref(), now.as_deref()),
            Self::MoreRequests { count } => write!(f, "{count} more requests differ"),
            Self::Trail { recorded, now } => {
                write!(f, "requests beyond those that are kept differ: recorded {recorded} in all, now {now}")
            }
            Self::Answer { recorded, now } => write!(f, "the outcome: recorded {recorded}, now {now}"),
            Self::Log => f.write_str("the lines that the gene wrote"),
            Self::Used { what, recorded, now } => write!(f, "{what}: recorded {recorded}, now {now}"),
        }
    }
}

fn request(
    f: &mut fmt::Formatter<'_>,
    seq: u64,
    recorded: Option<&AuditEntry>,
    now: Option<&AuditEntry>,
) -> fmt::Result {
    let asked = |entry: &AuditEntry| format!("{}.{} {}", entry.capability, entry.function, entry.target);
    match (recorded, now) {
        (Some(before), Some(after)) if asked(before) == asked(after) => {
            write!(f, "call {seq} {}: recorded {}, now {}", asked(before).trim_end(), got(before), got(after))
        }
        (Some(before), Some(after)) => {
            write!(f, "call {seq}: recorded {}, now {}", asked(before).trim_end(), asked(after).trim_end())
        }
        (Some(before), None) => write!(f, "call {seq} {}: recorded, now not made", asked(before).trim_end()),
        (None, Some(after)) => write!(f, "call {seq} {}: new, not recorded", asked(after).trim_end()),
        (None, None) => write!(f, "call {seq}"),
    }
}

fn got(entry: &AuditEntry) -> String {
    match &entry.result {
        Some(digest) => format!("{digest} ({} bytes)", entry.bytes),
        None => entry.decision.as_str().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::super::audit::Decision;
    use super::*;
    use crate::gene::Capability;

    fn entry(seq: u64, target: &str, content: &[u8]) -> AuditEntry {
        AuditEntry {
            seq,
            capability: Capability::Workspace,
            function: "read".into(),
            target: target.to_owned(),
            decision: Decision::Granted,
            rule: None,
            bytes: content.len() as u64,
            result: Some(Digest::of(content)),
            micros: seq,
        }
    }

    fn result(entries: Vec<AuditEntry>) -> CallResult {
        CallResult {
            audit: AuditLog { entries, ..AuditLog::default() },
            outcome: "answered".to_owned(),
            answer: Digest::of(b"answer"),
            log: Digest::of(b""),
            used: BTreeMap::from([("fuel".to_owned(), 7)]),
        }
    }

    #[test]
    fn what_was_measured_makes_no_difference() {
        let recorded = result(vec![entry(0, "a", b"x")]);
        let mut now = recorded.clone();
        now.audit.entries[0].micros = 99;
        now.audit.entries[0].rule = Some("a rule".to_owned());
        assert_eq!(compare(&recorded, &now), []);
    }

    #[test]
    fn each_difference_is_named() {
        let recorded = result(vec![entry(0, "a", b"x"), entry(1, "b", b"y")]);
        let check = |change: fn(&mut CallResult), expect: &str| {
            let mut now = recorded.clone();
            change(&mut now);
            let texts: Vec<String> = compare(&recorded, &now).iter().map(ToString::to_string).collect();
            assert_eq!(texts.len(), 1, "{texts:?}");
            assert!(texts[0].contains(expect), "{texts:?} has no {expect:?}");
        };
        check(|now| now.audit.entries[1] = entry(1, "b", b"z"), "call 1 workspace.read b: recorded sha256:a1fce4");
        check(|now| now.audit.entries[1].target = "c".to_owned(), "recorded workspace.read b, now workspace.read c");
        check(|now| drop(now.audit.entries.pop()), "call 1 workspace.read b: recorded, now not made");
        check(|now| now.audit.entries.push(entry(2, "d", b"")), "call 2 workspace.read d: new");
        check(|now| now.audit.trail = Digest::of(b"other"), "beyond those that are kept");
        check(|now| now.answer = Digest::of(b"other"), "the outcome: recorded answered");
        check(|now| now.outcome = "trap".to_owned(), "now trap");
        check(|now| now.log = Digest::of(b"line"), "wrote");
        check(|now| now.used = BTreeMap::from([("fuel".to_owned(), 8)]), "fuel: recorded 7, now 8");
    }

    #[test]
    fn a_gene_that_goes_its_own_way_is_told_in_a_few_lines() {
        let recorded = result((0..1000).map(|seq| entry(seq, "a", b"x")).collect());
        let now = result((0..1000).map(|seq| entry(seq, "b", b"x")).collect());
        let differences = compare(&recorded, &now);
        assert_eq!(differences.len(), MAX_CALLS + 1);
        assert_eq!(differences.last(), Some(&Difference::MoreRequests { count: 990 }));
    }
}
