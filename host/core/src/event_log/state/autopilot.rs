//! What autopilot did: its session, and the findings that it took. A restart has only this.

use std::collections::BTreeMap;

use super::super::entry::{CycleOutcome, EntryBody};
use super::transition::{IllegalTransition, check};
use crate::diagnosis::FindingRef;

/// A session, from its start to its end, including resumptions after crashes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Session {
    /// The number of findings that it took.
    pub cycles: u64,
    /// The most findings that it may take.
    pub max_cycles: u64,
}

/// How often a finding was taken, and the outcome of the last time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Take {
    /// The finding.
    pub finding: FindingRef,
    /// How often it was taken, over all sessions.
    pub times: u64,
    /// How often in the current session.
    pub in_session: u64,
    /// The base of the last time.
    pub base_commit: String,
    /// The time of the newest evidence of the last time (RFC 3339).
    pub evidence_until: Option<String>,
    /// The outcome; `None` if a crash ended it.
    pub outcome: Option<CycleOutcome>,
}

/// What autopilot did so far: the open session, and how often each finding was taken.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Autopilot {
    session: Option<Session>,
    stopped: Option<String>,
    /// By gene and id of the finding.
    takes: BTreeMap<(String, String), Take>,
}

impl Autopilot {
    /// The open session: it runs, or a crash interrupted it.
    pub fn session(&self) -> Option<&Session> {
        self.session.as_ref()
    }

    /// Why the last session ended.
    pub fn stopped(&self) -> Option<&str> {
        self.stopped.as_deref()
    }

    /// The attempts at a finding.
    pub fn take(&self, gene: &str, finding: &str) -> Option<&Take> {
        self.takes.get(&(gene.to_owned(), finding.to_owned()))
    }

    pub(super) fn apply(&mut self, body: &EntryBody) -> Result<(), IllegalTransition> {
        match body {
            EntryBody::AutopilotStarted { max_cycles, resumed, .. } => {
                const KIND: &str = "autopilot_started";
                check(!resumed || self.session.is_some(), KIND, "autopilot", "there is no session to resume")?;
                if !resumed {
                    self.session = Some(Session::default());
                    self.takes.values_mut().for_each(|take| take.in_session = 0);
                }
                if let Some(session) = &mut self.session {
                    session.max_cycles = *max_cycles;
                }
            }
            EntryBody::AutopilotTook { finding, base_commit, evidence_until } => {
                let Some(session) = &mut self.session else {
                    return Err(super::transition::illegal("autopilot_took", &finding.id, NO_SESSION));
                };
                session.cycles += 1;
                let known = self.takes.remove(&key(finding));
                let (times, in_session) = known.map_or((0, 0), |take| (take.times, take.in_session));
                let take = Take {
                    finding: finding.clone(),
                    times: times + 1,
                    in_session: in_session + 1,
                    base_commit: base_commit.clone(),
                    evidence_until: evidence_until.clone(),
                    outcome: None,
                };
                self.takes.insert(key(finding), take);
            }
            EntryBody::AutopilotLeft { finding, outcome, .. } => {
                let take = self.takes.get_mut(&key(finding)).filter(|take| take.outcome.is_none());
                let take =
                    take.ok_or_else(|| super::transition::illegal("autopilot_left", &finding.id, "it was not taken"))?;
                take.outcome = Some(*outcome);
            }
            EntryBody::AutopilotStopped { reason, .. } => {
                check(self.session.take().is_some(), "autopilot_stopped", "autopilot", NO_SESSION)?;
                self.stopped = Some(reason.clone());
            }
            _ => {}
        }
        Ok(())
    }
}

const NO_SESSION: &str = "no session is open";

fn key(finding: &FindingRef) -> (String, String) {
    (finding.gene.clone(), finding.id.clone())
}

#[cfg(test)]
mod tests {
    use super::super::State;
    use super::*;

    fn finding() -> FindingRef {
        FindingRef { gene: "g".to_owned(), id: "f".to_owned(), title: String::new(), signals: Vec::new() }
    }

    fn entry(name: &str) -> EntryBody {
        match name {
            "start" | "resume" => EntryBody::AutopilotStarted {
                operator: "me".to_owned(),
                max_cycles: 5,
                max_risk: 30,
                resumed: name == "resume",
            },
            "took" => {
                EntryBody::AutopilotTook { finding: finding(), base_commit: "b".to_owned(), evidence_until: None }
            }
            "left" => {
                EntryBody::AutopilotLeft { finding: finding(), outcome: CycleOutcome::Failed, reason: String::new() }
            }
            _ => EntryBody::AutopilotStopped { reason: "nothing left".to_owned(), cycles: 1 },
        }
    }

    fn replay(names: &str) -> Result<State, &'static str> {
        let mut state = State::default();
        names.split(' ').try_for_each(|name| state.apply(&entry(name))).map_err(|illegal| illegal.problem)?;
        Ok(state)
    }

    #[test]
    fn a_session_counts_over_a_crash_and_a_new_one_begins_at_nought() {
        let count = |names: &str| {
            let state = replay(names).expect(names);
            let take = state.autopilot().take("g", "f").map(|take| (take.times, take.in_session));
            (state.autopilot().session().map(|session| session.cycles), take)
        };
        assert_eq!(count("start took left"), (Some(1), Some((1, 1))));
        assert_eq!(count("start took resume took left"), (Some(2), Some((2, 2))));
        assert_eq!(count("start took left stop"), (None, Some((1, 1))));
        assert_eq!(count("start took left stop start took"), (Some(1), Some((2, 1))));
    }

    #[test]
    fn what_cannot_follow_is_illegal() {
        for (names, problem) in [
            ("took", NO_SESSION),
            ("stop", NO_SESSION),
            ("resume", "there is no session to resume"),
            ("start left", "it was not taken"),
            ("start took left left", "it was not taken"),
            ("start stop took", NO_SESSION),
        ] {
            assert_eq!(replay(names).err(), Some(problem), "{names}");
        }
    }
}
