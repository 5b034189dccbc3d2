//! Proposals that were never validated, as genes learn of them: the gate refused them, or a person declined them. No
//! asset tells of them, only the log.

use std::collections::BTreeMap;

use jiff::Timestamp;

use crate::event_log::{Entry, EntryBody, GateVerdict};

/// The most proposals, the newest. A gene is handed at most 100 attempts of all kinds.
const MAX_REFUSED: usize = 200;

/// A proposal that was refused.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Refused {
    /// Id of the gene that proposed it.
    pub gene: String,
    /// Title of the proposal.
    pub title: String,
    /// The signals of the cycle.
    pub signals: Vec<String>,
    /// The first reason.
    pub reason: String,
    /// When it was refused.
    pub at: Timestamp,
}

/// The proposals of genes whose last word in the log is a refusal, oldest first.
pub fn refused(entries: &[Entry]) -> Vec<Refused> {
    let mut proposed: BTreeMap<&str, (&str, &str, &[String])> = BTreeMap::new();
    let mut last: BTreeMap<&str, Option<Refused>> = BTreeMap::new();
    for entry in entries {
        let of = |proposal: &str, reason: String| {
            let (gene, title, signals) = proposed.get(proposal)?;
            let (gene, title, signals) = ((*gene).to_owned(), (*title).to_owned(), signals.to_vec());
            Some(Refused { gene, title, signals, reason, at: entry.at })
        };
        match &entry.body {
            EntryBody::Proposed { proposal, gene: Some(gene), title, signals, .. } => {
                proposed.insert(proposal, (gene, title, signals));
            }
            EntryBody::Gated { proposal, verdict, reasons, .. } => {
                let reason = || reasons.first().cloned().unwrap_or_else(|| "the gate refused it".to_owned());
                let is_refused = *verdict == GateVerdict::Reject;
                last.insert(proposal, if is_refused { of(proposal, reason()) } else { None });
            }
            EntryBody::Declined { proposal, why, .. } => {
                let why = if why.is_empty() { String::new() } else { format!(": {why}") };
                last.insert(proposal, of(proposal, format!("declined by a person{why}")));
            }
            _ => {}
        }
    }
    let mut all: Vec<Refused> = last.into_values().flatten().collect();
    all.sort_by_key(|refused| refused.at);
    all.drain(..all.len().saturating_sub(MAX_REFUSED));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log(bodies: Vec<EntryBody>) -> Vec<Entry> {
        let entry = |(seq, body)| Entry {
            seq,
            prev: String::new(),
            at: Timestamp::from_second(i64::try_from(seq).unwrap()).unwrap(),
            body,
        };
        (0..).zip(bodies).map(entry).collect()
    }

    fn proposed(proposal: &str, gene: Option<&str>) -> EntryBody {
        EntryBody::Proposed {
            proposal: proposal.to_owned(),
            gene: gene.map(str::to_owned),
            title: format!("title of {proposal}"),
            signals: vec!["log_error".to_owned()],
            isolation: None,
            calls: Vec::new(),
            dry_run: false,
        }
    }

    fn gated(proposal: &str, reasons: &[&str]) -> EntryBody {
        EntryBody::Gated {
            proposal: proposal.to_owned(),
            verdict: if reasons.is_empty() { GateVerdict::Pass } else { GateVerdict::Reject },
            reasons: reasons.iter().map(|reason| (*reason).to_owned()).collect(),
            risk_score: 0,
            files: Vec::new(),
            contents: Vec::new(),
        }
    }

    #[test]
    fn the_last_word_on_a_proposal_counts_and_the_first_reason() {
        let declined =
            EntryBody::Declined { proposal: "p3".to_owned(), approver: "ada".to_owned(), why: "not now".to_owned() };
        let entries = log(vec![
            proposed("p1", Some("g")),
            gated("p1", &["path not allowed", "too large"]),
            proposed("p2", Some("g")),
            gated("p2", &["path not allowed"]),
            proposed("p2", Some("g")),
            gated("p2", &[]),
            proposed("p3", Some("g")),
            gated("p3", &[]),
            declined,
            proposed("of a person", None),
            gated("of a person", &["no"]),
        ]);
        let found = refused(&entries);
        let told: Vec<_> = found.iter().map(|one| (one.title.as_str(), one.reason.as_str())).collect();
        let expected = [("title of p1", "path not allowed"), ("title of p3", "declined by a person: not now")];
        assert_eq!(told, expected);
        assert_eq!((found[0].gene.as_str(), found[0].signals.as_slice()), ("g", &["log_error".to_owned()][..]));
    }

    #[test]
    fn only_the_newest_are_told() {
        let number = |n: usize| [proposed(&format!("p{n:04}"), Some("g")), gated(&format!("p{n:04}"), &["no"])];
        let found = refused(&log((0..300).flat_map(number).collect()));
        assert_eq!(found.len(), MAX_REFUSED);
        assert_eq!(found.last().unwrap().title, "title of p0299");
    }
}
