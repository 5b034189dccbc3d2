//! False repairs, and the findings that a gene is therefore not asked about.
//!
//! A repair was false if its change was taken back, if its finding failed again after the change was in use, or if its
//! validation broke what passed before. A gene with [`WRONG_AT_MOST`] false repairs of a finding is asked about it again
//! only with new evidence: a call that failed after the last of them, with an error that the finding did not show before.
//! A change that was taken back so often is not proposed again, whatever finding leads to it.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use crate::diagnosis::{Finding, FindingRef};
use crate::evaluate::Decision;
use crate::event_log::{Contents, Entry, EntryBody};
use crate::impact::Effect;
use crate::run_event::RunEvent;
use crate::signal::{error_signature, normal_signal};

/// After so many false repairs of a finding, a gene is not asked about it.
pub const WRONG_AT_MOST: usize = 2;

/// How a repair turned out to be false.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// A person took the published change back.
    TakenBack,
    /// The finding failed again after the change was in use.
    FailedAgain,
    /// In validation, something failed that passed before.
    MadeWorse,
}

impl fmt::Display for How {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::TakenBack => "taken back",
            Self::FailedAgain => "failed again",
            Self::MadeWorse => "made worse",
        })
    }
}

/// A false repair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrong {
    /// Id of the gene that proposed it.
    pub gene: String,
    /// The finding that it was for.
    pub finding: FindingRef,
    /// How it was false.
    pub how: How,
    /// When that was known.
    pub at: Timestamp,
    /// The contents of the change's files before and after; empty if the log does not have them.
    pub contents: Vec<Contents>,
}

/// A finding that a gene is not asked about.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct NotAsked {
    /// Id of the gene.
    pub gene: String,
    /// Id of the finding.
    pub finding: String,
    /// The finding's title.
    pub title: String,
    /// The false repairs, oldest first.
    pub wrong: Vec<WrongRow>,
}

/// One false repair.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct WrongRow {
    /// How it was false.
    pub how: How,
    /// When that was known (RFC 3339).
    pub at: String,
}

impl NotAsked {
    /// What happens, why, and what to do, in one line.
    pub fn line(&self) -> String {
        let rows = self.wrong.iter().map(|row| format!("{} {}", row.how, row.at.get(..10).unwrap_or(&row.at)));
        format!(
            "not asked: {} was wrong {} times ({}) about {:?}; another error there or `--gene {}` asks it again",
            self.gene,
            self.wrong.len(),
            rows.collect::<Vec<_>>().join(", "),
            self.title,
            self.gene
        )
    }
}

/// The false repairs that a log tells of, oldest first. `failed_since` returns when a finding first failed after a time.
/// A published change counts once, whatever became known of it.
pub fn wrongs(entries: &[Entry], failed_since: impl Fn(&FindingRef, Timestamp) -> Option<Timestamp>) -> Vec<Wrong> {
    let mut genes: BTreeMap<&str, &str> = BTreeMap::new();
    let mut gated: BTreeMap<&str, &[Contents]> = BTreeMap::new();
    let mut finding: Option<FindingRef> = None;
    // The findings of the published changes, by proposal; and how those turned out to be false, by branch and the number of
    // the entry that published it: a name is free again once its branch is dropped.
    let mut published: BTreeMap<&str, FindingRef> = BTreeMap::new();
    let mut published_at: BTreeMap<&str, u64> = BTreeMap::new();
    let mut false_branches: BTreeMap<(&str, Option<u64>), Wrong> = BTreeMap::new();
    let mut made_worse: Vec<Wrong> = Vec::new();
    let mut worse_in_cycle: BTreeSet<String> = BTreeSet::new();
    for entry in entries {
        let at = entry.at;
        if let EntryBody::Proposed { proposal, gene: Some(gene), .. } = &entry.body {
            genes.insert(proposal, gene);
        }
        if let EntryBody::Gated { proposal, contents, .. } = &entry.body {
            gated.insert(proposal, contents);
        }
        let wrong = |proposal: &str, finding: &FindingRef, how, at| {
            let gene = (*genes.get(proposal)?).to_owned();
            let contents = gated.get(proposal).map(|contents| contents.to_vec()).unwrap_or_default();
            Some(Wrong { gene, finding: finding.clone(), how, at, contents })
        };
        if let EntryBody::Applied { branch, .. } = &entry.body {
            published_at.insert(branch, entry.seq);
        }
        let publication = |branch| (branch, published_at.get(branch).copied());
        match &entry.body {
            EntryBody::CycleStarted { finding: of, .. } => {
                finding.clone_from(of);
                worse_in_cycle.clear();
            }
            EntryBody::ValidationFinished { proposal, decision, .. } if decision == Decision::NewlyFailing.as_str() => {
                let known = finding.as_ref().and_then(|finding| wrong(proposal, finding, How::MadeWorse, at));
                made_worse.extend(known.filter(|wrong| worse_in_cycle.insert(wrong.gene.clone())));
            }
            EntryBody::CycleEnded { winner: Some(winner), .. } => {
                if let Some(finding) = &finding {
                    published.insert(winner, finding.clone());
                }
            }
            EntryBody::Landed { proposal, branch, .. } => {
                if let Some(finding) = published.get(proposal.as_str())
                    && let Some(failed) = failed_since(finding, at)
                    && let Some(wrong) = wrong(proposal, finding, How::FailedAgain, failed)
                {
                    false_branches.insert(publication(branch.as_str()), wrong);
                }
            }
            EntryBody::Evaluated { proposal, branch, impact } if impact.effect == Effect::Worse => {
                if let Some(finding) = published.get(proposal.as_str())
                    && let Some(wrong) = wrong(proposal, finding, How::FailedAgain, at)
                {
                    false_branches.entry(publication(branch.as_str())).or_insert(wrong);
                }
            }
            EntryBody::RolledBack { proposal, branch, .. } => {
                if let Some(finding) = published.get(proposal.as_str())
                    && let Some(wrong) = wrong(proposal, finding, How::TakenBack, at)
                {
                    false_branches.insert(publication(branch.as_str()), wrong);
                }
            }
            _ => {}
        }
    }
    let mut all: Vec<Wrong> = made_worse.into_iter().chain(false_branches.into_values()).collect();
    all.sort_by_key(|wrong| wrong.at);
    all
}

/// The findings that a gene is not asked about, by gene. `events` are those of the observation. A gene in `asked_for` is
/// asked whatever happened.
pub fn not_asked(wrong: &[Wrong], findings: &[Finding], events: &[RunEvent], asked_for: &[String]) -> Vec<NotAsked> {
    let genes: BTreeSet<&str> = wrong.iter().map(|wrong| wrong.gene.as_str()).collect();
    let mut list = Vec::new();
    for gene in genes.into_iter().filter(|gene| !asked_for.iter().any(|asked| asked == gene)) {
        for finding in findings {
            let is_own = |wrong: &&Wrong| {
                wrong.gene == gene && wrong.finding.id == finding.id && wrong.finding.gene == finding.gene
            };
            let own: Vec<&Wrong> = wrong.iter().filter(is_own).collect();
            let Some(newest) = own.last().filter(|_| own.len() >= WRONG_AT_MOST) else { continue };
            if has_new_evidence(finding, events, newest.at) {
                continue;
            }
            let row = |wrong: &&Wrong| WrongRow { how: wrong.how, at: wrong.at.to_string() };
            list.push(NotAsked {
                gene: gene.to_owned(),
                finding: finding.id.clone(),
                title: finding.title.clone(),
                wrong: own.iter().map(row).collect(),
            });
        }
    }
    list
}

/// When people took a change with these contents back, oldest first.
pub fn taken_back<'w>(wrong: &'w [Wrong], contents: &'w [Contents]) -> impl Iterator<Item = Timestamp> {
    let is_same =
        move |wrong: &&Wrong| wrong.how == How::TakenBack && !contents.is_empty() && wrong.contents == contents;
    wrong.iter().filter(is_same).map(|wrong| wrong.at)
}

/// Whether the finding shows an error after this time that it did not show before. Times, numbers and paths do not make
/// another error.
fn has_new_evidence(finding: &Finding, events: &[RunEvent], since: Timestamp) -> bool {
    let evidence = finding.evidence.iter().map(|evidence| evidence.event);
    let of_finding: BTreeSet<u64> = finding.events.iter().copied().chain(evidence).collect();
    let at = |number: u64| usize::try_from(number).ok().and_then(|at| events.get(at));
    let (mut known, mut new) = (BTreeSet::new(), BTreeSet::new());
    for event in of_finding.into_iter().filter_map(at) {
        let error = error_signature(event.output.as_deref().unwrap_or_default());
        let error = error.map(|error| normal_signal(&error));
        let is_new = event.timestamp.is_some_and(|time| time > since);
        if is_new {
            new.insert(error)
        } else {
            known.insert(error)
        };
    }
    new.iter().any(|error| error.is_some() && !known.contains(error))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blast_radius::BlastRadius;
    use crate::diagnosis::Severity;
    use crate::event_log::GateVerdict;
    use crate::impact::{Impact, Window};
    use crate::run_event::{EventType, Outcome};

    fn at(second: i64) -> Timestamp {
        Timestamp::from_second(second).expect("a time")
    }

    fn finding() -> FindingRef {
        FindingRef { gene: "h".to_owned(), id: "f".to_owned(), title: "t".to_owned(), signals: Vec::new() }
    }

    /// The entries of one cycle: a proposal of the gene `g`, its validation with this decision, and what came after.
    fn cycle(proposal: &str, decision: &str, more: Vec<EntryBody>) -> Vec<EntryBody> {
        let published = decision == "fixed";
        let mut bodies = vec![
            EntryBody::Proposed {
                proposal: proposal.to_owned(),
                gene: Some("g".to_owned()),
                title: String::new(),
                signals: Vec::new(),
                isolation: None,
                calls: Vec::new(),
                dry_run: false,
            },
            EntryBody::CycleStarted {
                cycle: format!("cycle of {proposal}"),
                base_commit: "b".to_owned(),
                finding: Some(finding()),
                candidates: vec![proposal.to_owned()],
            },
            EntryBody::ValidationFinished {
                proposal: proposal.to_owned(),
                report: "r".to_owned(),
                decision: decision.to_owned(),
                success: published,
                sandbox: None,
            },
            EntryBody::CycleEnded {
                cycle: format!("cycle of {proposal}"),
                winner: published.then(|| proposal.to_owned()),
                candidates: Vec::new(),
            },
        ];
        bodies.extend(more);
        bodies
    }

    fn landed(proposal: &str) -> EntryBody {
        EntryBody::Landed {
            proposal: proposal.to_owned(),
            branch: format!("evo/{proposal}"),
            into: "main".to_owned(),
            from: "a".to_owned(),
            to: "b".to_owned(),
        }
    }

    fn rolled_back(proposal: &str) -> EntryBody {
        EntryBody::RolledBack {
            proposal: proposal.to_owned(),
            branch: format!("evo/{proposal}"),
            reason: "wrong".to_owned(),
            revert_branch: None,
            revert_commit: None,
            landed_into: None,
        }
    }

    fn evaluated(proposal: &str, effect: Effect) -> EntryBody {
        let (before, after) = (Window::default(), Window::default());
        let impact = Impact { effect, before, after, p_millionths: 0 };
        EntryBody::Evaluated { proposal: proposal.to_owned(), branch: format!("evo/{proposal}"), impact }
    }

    /// How the repairs of these entries were false. Entries are one second apart, and a landed change fails again.
    fn hows(bodies: Vec<EntryBody>, fails_again: bool) -> Vec<How> {
        let second = |number: u64| i64::try_from(number).expect("a few entries");
        let entry = |(number, body)| Entry { seq: number, prev: String::new(), at: at(second(number)), body };
        let entries: Vec<Entry> = (0_u64..).zip(bodies).map(entry).collect();
        let all = wrongs(&entries, |_, since| fails_again.then_some(since));
        assert!(all.iter().all(|wrong| wrong.gene == "g" && wrong.finding == finding()));
        all.into_iter().map(|wrong| wrong.how).collect()
    }

    fn applied() -> EntryBody {
        EntryBody::Applied {
            proposal: "p".to_owned(),
            branch: "evo/p".to_owned(),
            commit: "c".to_owned(),
            blast_radius: BlastRadius { files: 1, lines: 1 },
            event: None,
            capsule: None,
            capsule_asset: None,
            reused: None,
            gene_added: None,
        }
    }

    /// The name of a branch has the second in which it was made. A quick cycle, taken back at once, leaves it free for the
    /// next one.
    #[test]
    fn two_publications_under_one_name_are_two() {
        let once = cycle("p", "fixed", vec![applied(), landed("p"), rolled_back("p")]);
        assert_eq!(hows([once.clone(), once].concat(), false), [How::TakenBack, How::TakenBack]);
    }

    fn contents(after: &str) -> Vec<Contents> {
        vec![Contents { path: "a.py".to_owned(), before: Some("1".to_owned()), after: Some(after.to_owned()) }]
    }

    #[test]
    fn a_change_is_recognised_whatever_it_was_for() {
        let gated = |proposal: &str, after: &str| EntryBody::Gated {
            proposal: proposal.to_owned(),
            verdict: GateVerdict::Pass,
            reasons: Vec::new(),
            risk_score: 1,
            files: Vec::new(),
            contents: contents(after),
        };
        let published = |proposal: &str, after: &str, second: Vec<EntryBody>| {
            let mut bodies = cycle(proposal, "fixed", second);
            bodies.insert(1, gated(proposal, after));
            bodies
        };
        let bodies = [
            published("p", "2", vec![rolled_back("p")]),
            published("q", "2", vec![rolled_back("q")]),
            published("r", "2", vec![landed("r")]),
            published("s", "3", vec![rolled_back("s")]),
            // Of a log that has no contents.
            cycle("t", "fixed", vec![rolled_back("t")]),
        ];
        let entry = |(seq, body)| Entry { seq, prev: String::new(), at: at(1), body };
        let entries: Vec<Entry> = (0_u64..).zip(bodies.concat()).map(entry).collect();
        let all = wrongs(&entries, |_, since| Some(since));
        let times = |after: &str| taken_back(&all, &contents(after)).count();
        assert_eq!((times("2"), times("3"), times("4")), (2, 1, 0));
        assert_eq!(taken_back(&all, &[]).count(), 0, "no contents are no change");
    }

    #[test]
    fn a_repair_is_false_once_whatever_shows_it() {
        let applied = applied();
        assert!(hows(cycle("p", "fixed", vec![applied.clone(), landed("p")]), false).is_empty());
        assert_eq!(hows(cycle("p", "fixed", vec![applied, landed("p")]), true), [How::FailedAgain]);
        assert_eq!(hows(cycle("p", "fixed", vec![rolled_back("p")]), true), [How::TakenBack]);
        assert_eq!(hows(cycle("p", "fixed", vec![landed("p"), rolled_back("p")]), true), [How::TakenBack]);
        assert_eq!(hows(cycle("p", "newly_failing", Vec::new()), true), [How::MadeWorse]);
        assert!(hows(cycle("p", "still_failing", Vec::new()), true).is_empty());
        assert_eq!(hows(cycle("p", "fixed", vec![evaluated("p", Effect::Worse)]), false), [How::FailedAgain]);
        assert!(hows(cycle("p", "fixed", vec![evaluated("p", Effect::Unchanged)]), false).is_empty());
        let two = [cycle("p", "newly_failing", Vec::new()), cycle("q", "fixed", vec![rolled_back("q")])].concat();
        assert_eq!(hows(two, false), [How::MadeWorse, How::TakenBack]);
    }

    fn failure(second: i64, output: &str) -> RunEvent {
        RunEvent {
            timestamp: Some(at(second)),
            outcome: Some(Outcome::Failure),
            output: Some(output.into()),
            ..RunEvent::bare("s".into(), EventType::ToolEnd)
        }
    }

    #[test]
    fn a_gene_that_was_wrong_twice_is_asked_again_only_about_another_error() {
        let wrong = |second| Wrong {
            gene: "g".to_owned(),
            finding: finding(),
            how: How::TakenBack,
            at: at(second),
            contents: Vec::new(),
        };
        let found = |events: Vec<u64>| Finding {
            id: "f".to_owned(),
            gene: "h".to_owned(),
            kind: String::new(),
            title: String::new(),
            severity: Severity::High,
            confidence: 1.0,
            hypothesis: String::new(),
            evidence: Vec::new(),
            direction: String::new(),
            signals: Vec::new(),
            occurrences: 1,
            events,
            facets: Vec::new(),
            absorbed: Vec::new(),
            is_expected: false,
            scope: None,
        };
        let old = "ImportError: cannot import name 'Mapping'";
        let events = [failure(1, old), failure(30, old), failure(40, "ImportError: cannot import name 'Sized'")];
        let names = |wrong: &[Wrong], events: &[RunEvent], asked: &[String]| {
            let numbers = (0..).take(events.len()).collect();
            let list = not_asked(wrong, &[found(numbers)], events, asked);
            list.into_iter().map(|no| no.gene).collect::<Vec<_>>()
        };
        let twice = [wrong(10), wrong(20)];
        assert!(names(&twice[..1], &events[..2], &[]).is_empty(), "once is not enough");
        assert_eq!(names(&twice, &events[..2], &[]), ["g"], "the same error is no new evidence");
        assert!(names(&twice, &events, &[]).is_empty(), "another error is");
        assert!(names(&twice, &events[..2], &["g".to_owned()]).is_empty(), "who asks for it gets it");
        let last = [wrong(10), wrong(50)];
        assert_eq!(names(&last, &events, &[]), ["g"], "the other error came before the second false repair");
    }
}
