//! How an audit is encoded between host and worker. The form on disk omits absent members. The binary encoding has no
//! member names, so it cannot do that.

use std::collections::BTreeMap;

use gephost_core::gene::Capability;
use gephost_core::recording::{AuditEntry, AuditLog, Decision, Digest, MAX_ENTRIES};
use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The log, with its entries in order.
#[derive(Serialize, Deserialize)]
struct Log {
    entries: Vec<Entry>,
    omitted: BTreeMap<Decision, u64>,
    trail: Digest,
}

/// An entry without its number and its rule. The position is the number, and only the host knows the rule.
#[derive(Serialize, Deserialize)]
struct Entry {
    capability: Capability,
    function: String,
    target: String,
    decision: Decision,
    bytes: u64,
    result: Option<Digest>,
    micros: u64,
}

pub(in crate::sandbox) fn serialize<S: Serializer>(log: &AuditLog, serializer: S) -> Result<S::Ok, S::Error> {
    let entry = |entry: &AuditEntry| Entry {
        capability: entry.capability,
        function: entry.function.clone().into_owned(),
        target: entry.target.clone(),
        decision: entry.decision,
        bytes: entry.bytes,
        result: entry.result,
        micros: entry.micros,
    };
    let entries = log.entries.iter().map(entry).collect();
    Log { entries, omitted: log.omitted.clone(), trail: log.trail }.serialize(serializer)
}

pub(in crate::sandbox) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<AuditLog, D::Error> {
    let log = Log::deserialize(deserializer)?;
    if log.entries.len() > MAX_ENTRIES {
        return Err(D::Error::custom(format!("an audit of more than {MAX_ENTRIES} entries")));
    }
    let entry = |(seq, entry): (u64, Entry)| AuditEntry {
        seq,
        capability: entry.capability,
        function: entry.function.into(),
        target: entry.target,
        decision: entry.decision,
        rule: None,
        bytes: entry.bytes,
        result: entry.result,
        micros: entry.micros,
    };
    let entries = (0..).zip(log.entries).map(entry).collect();
    Ok(AuditLog { entries, omitted: log.omitted, trail: log.trail })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    struct Carried(#[serde(with = "super")] AuditLog, u64);

    fn entry(seq: u64, result: Option<Digest>) -> AuditEntry {
        AuditEntry {
            seq,
            capability: Capability::Workspace,
            function: "read".into(),
            target: "a.txt".to_owned(),
            decision: Decision::Granted,
            rule: None,
            bytes: 4,
            result,
            micros: 3,
        }
    }

    #[test]
    fn an_audit_arrives_whole_whatever_is_missing_in_it() {
        let entries = vec![entry(0, None), entry(1, Some(Digest::of(b"text")))];
        for omitted in [BTreeMap::new(), BTreeMap::from([(Decision::Denied, 7)])] {
            let log = AuditLog { entries: entries.clone(), omitted, trail: Digest::of(b"trail") };
            // What follows it is found where it is.
            let carried = Carried(log, 42);
            let bytes = postcard::to_allocvec(&carried).unwrap();
            assert_eq!(postcard::from_bytes::<Carried>(&bytes).unwrap(), carried);
        }
    }

    #[test]
    fn an_audit_beyond_its_bound_is_refused() {
        let entries = (0..=MAX_ENTRIES as u64).map(|seq| entry(seq, None)).collect();
        let carried = Carried(AuditLog { entries, ..AuditLog::default() }, 0);
        let bytes = postcard::to_allocvec(&carried).unwrap();
        assert!(postcard::from_bytes::<Carried>(&bytes).is_err());
    }
}
