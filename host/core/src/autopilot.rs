//! What autopilot does next: which finding it takes, which candidates it may try, and when it stops.
//!
//! What must stay true:
//!
//! * a session takes each finding once, and takes it again later only if its evidence or the base is newer;
//! * autopilot does not try a change that was published, taken back, declined, is waiting or failed on this base;
//! * a change that would undo an earlier one ends the session.
//!
//! Every decision rests on the log alone, so that a restart decides the same.

use jiff::Timestamp;

use crate::diagnosis::Finding;
use crate::event_log::{Contents, CycleOutcome, ProposalState, State, Take};

/// How often autopilot takes a finding, over all sessions, before it leaves it to a person.
pub const MAX_TAKES: u64 = 3;

/// Why a finding is not taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Passed {
    /// This session already took it.
    InSession,
    /// An earlier attempt ended, and neither the base nor the finding's evidence is newer.
    NothingNew,
    /// It was taken [`MAX_TAKES`] times and is still there.
    TooOften,
}

impl Passed {
    /// For a person.
    pub fn reason(self) -> &'static str {
        match self {
            Self::InSession => "this session already took it",
            Self::NothingNew => "an earlier session took it, and neither the base nor its evidence is newer",
            Self::TooOften => "it was taken three times and is still there; a person should look at it",
        }
    }
}

/// Whether autopilot may take a finding now. `evidence` is the time of its newest evidence, if that has one.
pub fn may_take(state: &State, finding: &Finding, base: &str, evidence: Option<Timestamp>) -> Result<(), Passed> {
    let Some(take) = state.autopilot().take(&finding.gene, &finding.id) else { return Ok(()) };
    if state.autopilot().session().is_some() && take.in_session > 0 {
        return Err(Passed::InSession);
    }
    if take.times >= MAX_TAKES {
        return Err(Passed::TooOften);
    }
    let was_cut = take.outcome == Some(CycleOutcome::OutOfBudget);
    if take.base_commit == base && !was_cut && !is_newer(take, evidence) {
        return Err(Passed::NothingNew);
    }
    Ok(())
}

fn is_newer(take: &Take, evidence: Option<Timestamp>) -> bool {
    let before = take.evidence_until.as_ref().and_then(|text| text.parse::<Timestamp>().ok());
    evidence > before
}

/// Why a proposal is not tried again.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Known {
    /// It is published on this branch.
    Published(String),
    /// A person declined it: who, and why.
    Declined(String),
    /// It was published, and a person rolled it back: why.
    TakenBack(String),
    /// It awaits approval.
    Waits,
    /// Its validation failed on this base.
    Failed,
}

impl Known {
    /// For a person.
    pub fn reason(&self) -> String {
        match self {
            Self::Published(branch) => format!("it is already published on the branch {branch}"),
            Self::Declined(why) => format!("a person declined it ({why})"),
            Self::TakenBack(why) => format!("a person rolled it back ({why})"),
            Self::Waits => "it awaits approval".to_owned(),
            Self::Failed => "its validation failed on this base".to_owned(),
        }
    }
}

/// Whether this proposal, or another one with the same change, was handled before. Several findings can lead to the
/// same change, each time under another id.
pub fn known(state: &State, id: &str, contents: &[Contents], base: &str) -> Option<Known> {
    let same = |(other, proposal): &(&str, &ProposalState)| {
        *other == id || (!contents.is_empty() && proposal.contents == contents)
    };
    state.proposals().filter(same).find_map(|(other, proposal)| dealt_with(state, other, proposal, base))
}

fn dealt_with(state: &State, id: &str, proposal: &ProposalState, base: &str) -> Option<Known> {
    if state.queue().get(id).is_some() {
        return Some(Known::Waits);
    }
    if let Some(why) = state.queue().declined(id) {
        return Some(Known::Declined(why.to_owned()));
    }
    if let Some(applied) = proposal.applied.last() {
        return Some(Known::Published(applied.branch.clone()));
    }
    if let Some(why) = &proposal.taken_back {
        return Some(Known::TakenBack(why.clone()));
    }
    (proposal.failed_on.as_deref() == Some(base)).then_some(Known::Failed)
}

/// The earlier published change that these contents would undo in some file, which would be a loop.
pub fn undoes<'a>(state: &'a State, id: &str, contents: &'a [Contents]) -> Option<(&'a str, &'a str)> {
    let published = state.proposals().filter(|(other, proposal)| *other != id && was_published(proposal));
    published.flat_map(|(other, proposal)| proposal.contents.iter().map(move |earlier| (other, earlier))).find_map(
        |(other, earlier)| {
            let undone = contents
                .iter()
                .find(|now| now.path == earlier.path && now.before == earlier.after && now.after == earlier.before);
            undone.map(|now| (other, now.path.as_str()))
        },
    )
}

fn was_published(proposal: &ProposalState) -> bool {
    !proposal.applied.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::blast_radius::BlastRadius;
    use crate::diagnosis::Severity;
    use crate::event_log::{EntryBody, FindingRef, GateVerdict};

    fn finding() -> Finding {
        Finding {
            id: "f".to_owned(),
            gene: "g".to_owned(),
            kind: String::new(),
            title: String::new(),
            severity: Severity::High,
            confidence: 1.0,
            hypothesis: String::new(),
            evidence: Vec::new(),
            direction: String::new(),
            signals: Vec::new(),
            occurrences: 1,
            events: Vec::new(),
            facets: Vec::new(),
            absorbed: Vec::new(),
            is_expected: false,
            scope: None,
        }
    }

    fn at(second: i64) -> Option<Timestamp> {
        Timestamp::from_second(second).ok()
    }

    fn start() -> EntryBody {
        EntryBody::AutopilotStarted { operator: "me".to_owned(), max_cycles: 5, max_risk: 30, resumed: false }
    }

    fn took(base: &str, evidence: Option<Timestamp>) -> EntryBody {
        EntryBody::AutopilotTook {
            finding: reference(),
            base_commit: base.to_owned(),
            evidence_until: evidence.map(|time| time.to_string()),
        }
    }

    fn reference() -> FindingRef {
        FindingRef { gene: "g".to_owned(), id: "f".to_owned(), title: String::new(), signals: Vec::new() }
    }

    fn left() -> EntryBody {
        left_as(CycleOutcome::Failed)
    }

    fn left_as(outcome: CycleOutcome) -> EntryBody {
        EntryBody::AutopilotLeft { finding: reference(), outcome, reason: String::new() }
    }

    fn stop() -> EntryBody {
        EntryBody::AutopilotStopped { reason: String::new(), cycles: 1 }
    }

    fn state(entries: &[EntryBody]) -> State {
        let mut state = State::default();
        for entry in entries {
            state.apply(entry).unwrap_or_else(|illegal| panic!("{illegal}"));
        }
        state
    }

    #[test]
    fn a_finding_comes_again_only_with_something_new() {
        let check = |entries: &[EntryBody], base: &str, evidence, expect| {
            assert_eq!(may_take(&state(entries), &finding(), base, evidence), expect, "{entries:?}");
        };
        let once = [start(), took("b1", at(10)), left(), stop()];
        check(&[start()], "b1", at(10), Ok(()));
        check(&once[..3], "b2", at(99), Err(Passed::InSession));
        check(&once[..2], "b2", at(99), Err(Passed::InSession));
        check(&once, "b1", at(10), Err(Passed::NothingNew));
        // Where a budget was used up, it was not tried to its end.
        let cut = [start(), took("b1", at(10)), left_as(CycleOutcome::OutOfBudget), stop()];
        check(&cut, "b1", at(10), Ok(()));
        check(&cut[..3], "b1", at(10), Err(Passed::InSession));
        check(&[cut.clone(), cut.clone(), cut].concat(), "b1", at(10), Err(Passed::TooOften));
        check(&once, "b1", None, Err(Passed::NothingNew));
        check(&once, "b1", at(11), Ok(()));
        check(&once, "b2", at(10), Ok(()));
        let thrice = [once.clone(), once.clone(), once].concat();
        check(&thrice, "b9", at(99), Err(Passed::TooOften));
    }

    fn contents(before: &str, after: &str) -> Contents {
        let some = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        Contents { path: "a".to_owned(), before: some(before), after: some(after) }
    }

    /// Entries of a proposal that goes from one content to another, as far as a state of it.
    fn proposal(id: &str, change: Contents, until: &str) -> Vec<EntryBody> {
        let proposal = || id.to_owned();
        let mut entries = vec![
            EntryBody::Proposed {
                proposal: proposal(),
                gene: None,
                title: String::new(),
                signals: Vec::new(),
                isolation: None,
                calls: Vec::new(),
                dry_run: false,
            },
            EntryBody::Gated {
                proposal: proposal(),
                verdict: GateVerdict::Pass,
                reasons: Vec::new(),
                risk_score: 1,
                files: Vec::new(),
                contents: vec![change],
            },
        ];
        if matches!(until, "waits" | "declined") {
            entries.push(EntryBody::Queued {
                proposal: proposal(),
                risk_score: 40,
                max_risk: 30,
                finding: None,
                calls: Vec::new(),
            });
        }
        if until == "declined" {
            let (approver, why) = ("boss".to_owned(), "no".to_owned());
            entries.push(EntryBody::Declined { proposal: proposal(), approver, why });
        }
        if matches!(until, "published" | "taken back" | "failed") {
            let text = |text: &str| text.to_owned();
            entries.push(EntryBody::ApplyIntent {
                proposal: proposal(),
                operator: text("me"),
                agent: None,
                why: None,
                base_commit: text("b1"),
                branch: text("evo/1"),
                approver: None,
                files: Vec::new(),
            });
            entries.push(EntryBody::ValidationFinished {
                proposal: proposal(),
                report: text("vr"),
                decision: text("x"),
                success: until != "failed",
                sandbox: None,
            });
            entries.push(if until == "failed" {
                EntryBody::ApplyFailed { proposal: proposal(), reason: text("tests") }
            } else {
                EntryBody::Applied {
                    proposal: proposal(),
                    branch: text("evo/1"),
                    commit: text("c"),
                    blast_radius: BlastRadius::default(),
                    event: None,
                    capsule: None,
                    capsule_asset: None,
                    reused: None,
                    gene_added: None,
                }
            });
            if until == "taken back" {
                let (operator, reason, branch) = (text("me"), text("asked"), text("evo/1"));
                entries.push(EntryBody::RollbackIntent {
                    proposal: proposal(),
                    branch: branch.clone(),
                    operator,
                    agent: None,
                    reason: reason.clone(),
                    revert_branch: None,
                    land_into: None,
                });
                entries.push(EntryBody::RolledBack {
                    proposal: proposal(),
                    branch,
                    reason,
                    revert_branch: None,
                    revert_commit: None,
                    landed_into: None,
                });
            }
        }
        entries
    }

    #[test]
    fn what_was_dealt_with_is_not_tried_again() {
        let check = |until: &str, base: &str, expect: Option<Known>| {
            let state = state(&proposal("p", contents("1", "2"), until));
            assert_eq!(known(&state, "p", &[], base), expect, "{until}");
            assert_eq!(known(&state, "q", &[contents("1", "2")], base), expect, "{until}: the same change");
            assert_eq!(known(&state, "q", &[contents("1", "3")], base), None, "{until}: another change");
            assert_eq!(known(&state, "q", &[], base), None);
        };
        check("gated", "b1", None);
        check("waits", "b1", Some(Known::Waits));
        check("declined", "b2", Some(Known::Declined("boss: no".to_owned())));
        check("published", "b2", Some(Known::Published("evo/1".to_owned())));
        check("taken back", "b2", Some(Known::TakenBack("asked".to_owned())));
        check("failed", "b1", Some(Known::Failed));
        check("failed", "b2", None);
        assert_eq!(known(&State::default(), "p", &[], "b1"), None);
    }

    #[test]
    fn a_change_that_takes_an_earlier_one_back_is_a_loop() {
        let published = state(&proposal("p", contents("1", "2"), "published"));
        let back = [contents("2", "1")];
        assert_eq!(undoes(&published, "q", &back), Some(("p", "a")));
        assert_eq!(undoes(&published, "q", &[contents("2", "3")]), None);
        assert_eq!(undoes(&published, "q", &[contents("1", "2")]), None);
        assert_eq!(undoes(&state(&proposal("p", contents("1", "2"), "failed")), "q", &back), None);
        // A file that was made, and would be deleted.
        let made = state(&proposal("p", contents("", "2"), "published"));
        let deleted = [contents("2", "")];
        assert_eq!(undoes(&made, "q", &deleted), Some(("p", "a")));
    }
}
