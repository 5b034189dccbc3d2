//! What earlier cycles left, as the stages of a cycle and the genes receive it: from the assets, with titles from the
//! log.

use std::collections::{BTreeMap, BTreeSet};
use std::io::ErrorKind;

use gephost_core::capsule::Capsule;
use gephost_core::compatibility::Surroundings;
use gephost_core::event_log::{Cycle, Fate, State};
use gephost_core::evolution_event::{EvolutionEvent, TAKEN_BACK};
use gephost_core::gate::GeneHistory;
use gephost_core::impact::failed_since;
use gephost_core::lineage::{Node, lineage};
use gephost_core::run_event::RunEvent;
use gephost_core::select::{
    Earlier, Refused, Remembered, Reuse, Role, Tried, Vouched, Wrong, refused, remembered, reuses, vouched, wrongs,
};
use gephost_runner::registry::{Events, RegistryError};
use gephost_runner::sandbox::{Attempt, AttemptOutcome};

use crate::error::AppError;
use crate::project::Project;
use crate::sink::Note;

/// What earlier cycles left in the assets folder.
#[derive(Debug, Default)]
pub struct Past {
    /// The capsules of the genes that take part, and those that events name.
    pub capsules: Vec<Capsule>,
    /// The newest events, oldest first.
    pub events: Vec<EvolutionEvent>,
    /// The events before them.
    pub earlier: Earlier,
    /// The newest events as genes are told them.
    pub attempts: Vec<Attempt>,
    /// The proposals that were never validated, because they were refused, oldest first.
    pub refused: Vec<Refused>,
    /// The repairs that turned out to be false, oldest first.
    pub wrong: Vec<Wrong>,
    /// What this user's log has of each capsule, by its id.
    pub vouched: BTreeMap<String, Vouched>,
}

impl Past {
    /// The capsules that fit these signals, best first, and what each serves for on this machine.
    pub(crate) fn reusable(&self, signals: &[String]) -> Vec<Reuse> {
        let here = Surroundings {
            platform: Some(std::env::consts::OS.to_owned()),
            arch: Some(std::env::consts::ARCH.to_owned()),
            ..Surroundings::default()
        };
        reuses(&self.capsules, &self.vouched, signals, &here)
    }

    /// What the events say of genes whose candidates were validated.
    pub(crate) fn tried(&self) -> impl Iterator<Item = Tried> {
        self.earlier.tried(&self.events)
    }

    /// The trailing successes of each capsule that has some.
    pub(crate) fn streaks(&self) -> BTreeMap<String, u64> {
        self.earlier.streaks(&self.events)
    }

    /// What a gene's earlier tries came to.
    pub fn gene_history(&self, gene: Option<&str>) -> GeneHistory {
        let count = |times: u64| u32::try_from(times).unwrap_or(u32::MAX);
        let earlier = self.earlier.tries.tried().filter(|tried| Some(tried.gene.as_str()) == gene);
        let own = self.attempts.iter().filter(|attempt| Some(attempt.gene.as_str()) == gene);
        let own = own.map(|attempt| (1, attempt.outcome == AttemptOutcome::Success));
        own.chain(earlier.map(|tried| (count(tried.times), tried.success))).fold(
            GeneHistory::default(),
            |sum, (times, success)| GeneHistory {
                tries: sum.tries.saturating_add(times),
                successes: sum.successes.saturating_add(if success { times } else { 0 }),
            },
        )
    }

    /// The title of the change that a capsule is of; its summary if the log has none.
    pub(crate) fn title_of<'a>(&'a self, capsule: &'a Capsule) -> &'a str {
        let attempts = self.events.iter().zip(&self.attempts).rev();
        let mut own = attempts.filter(|(event, _)| event.capsule_id.as_deref() == Some(&capsule.id));
        let title = own.next().map(|(_, attempt)| attempt.title.as_str()).filter(|title| !title.is_empty());
        let summary = || capsule.summary.as_deref().and_then(|summary| summary.lines().next());
        title.or_else(summary).unwrap_or("an earlier change")
    }

    /// What genes learn of the past, for these signals, oldest first: the attempts, and after them the capsules that
    /// serve as a reference.
    pub(crate) fn told(&self, signals: &[String]) -> Vec<Attempt> {
        let mut attempts = self.attempts.clone();
        let mut references = Vec::new();
        for reuse in self.reusable(signals).iter().filter(|reuse| reuse.role != Role::None) {
            let reason = format!("a change to refer to: {}, reuse score {:.2}", reuse.capsule, reuse.score);
            let of_capsule = |event: &&EvolutionEvent| {
                event.capsule_id.as_deref() == Some(&reuse.capsule) && event.outcome.is_success()
            };
            let at = self.events.iter().rposition(|event| of_capsule(&event));
            if let Some(attempt) = at.and_then(|at| attempts.get_mut(at)) {
                attempt.reason = format!("{}; {reason}", attempt.reason);
                continue;
            }
            // Its event is not here, as in an assets folder from elsewhere.
            let capsule = self.capsules.iter().find(|capsule| capsule.id == reuse.capsule);
            references.extend(capsule.map(|capsule| Attempt {
                gene: capsule.gene.clone().unwrap_or_default(),
                signals: capsule.trigger.clone(),
                outcome: AttemptOutcome::Success,
                title: capsule.summary.clone().unwrap_or_default(),
                reason,
                at: None,
            }));
        }
        attempts.extend(self.refused.iter().map(|refused| Attempt {
            gene: refused.gene.clone(),
            signals: refused.signals.clone(),
            outcome: AttemptOutcome::Refused,
            title: refused.title.clone(),
            reason: refused.reason.clone(),
            at: Some(refused.at),
        }));
        attempts.sort_by_key(|attempt| attempt.at);
        attempts.extend(references);
        attempts
    }

    /// The capsule of this gene that this very change made here, if this user's log has it as it is.
    pub(crate) fn own_capsule(&self, gene: &str, diff: &str) -> Option<&Capsule> {
        self.capsules.iter().find(|capsule| {
            let is_own = || self.vouched.get(&capsule.id).is_some_and(|known| known.has(capsule));
            capsule.outcome.is_success()
                && capsule.gene.as_deref() == Some(gene)
                && capsule.patch() == Some(diff)
                && is_own()
        })
    }
}

/// The newest evolution events as a tree.
#[derive(Debug)]
pub struct Lineage {
    /// The events, oldest first.
    pub events: Vec<EvolutionEvent>,
    /// The tree that they form.
    pub nodes: Vec<Node>,
    /// How many events before them are left out, since memory is bounded.
    pub earlier: u64,
}

impl Project {
    /// Reads the assets folder. A missing one is an empty past. [`Past::wrong`] needs the events of an observation and stays
    /// empty ([`Project::false_repairs`]).
    pub fn past(&self) -> Result<Past, AppError> {
        self.past_of(|_| true)
    }

    /// The same, but only with the capsules of some genes and those whose events count.
    pub(crate) fn past_of(&self, is_wanted: impl Fn(&str) -> bool) -> Result<Past, AppError> {
        self.read_past(is_wanted).map_err(|error| assets_failed(&error))
    }

    fn read_past(&self, is_wanted: impl Fn(&str) -> bool) -> Result<Past, RegistryError> {
        let Events { newest: events, earlier } = self.registry.recent_events()?;
        let newest = events.iter().filter_map(|event| event.capsule_id.as_deref());
        let named: BTreeSet<&str> = newest.chain(earlier.capsules()).collect();
        let capsules = self.registry.capsules_of(|gene, id| gene.is_some_and(&is_wanted) || named.contains(id))?;
        // Titles only explain. A log that cannot be trusted stops whatever acts on it, and not a diagnosis.
        let state = if events.is_empty() { None } else { self.log_state().ok() };
        let attempts = attempts(&events, &capsules, state.as_deref());
        // A log that cannot be trusted has nothing of any capsule or proposal.
        let entries = self.entries().ok();
        let vouched = entries.as_ref().map(|entries| vouched(entries)).unwrap_or_default();
        let refused = entries.map(|entries| refused(&entries)).unwrap_or_default();
        Ok(Past { capsules, events, earlier, attempts, refused, wrong: Vec::new(), vouched })
    }

    /// The same for a cycle. A folder that cannot be read costs it what earlier cycles left, and not what it finds; nothing is
    /// applied then, and the error says why.
    pub(crate) fn past_of_cycle(&self, is_wanted: impl Fn(&str) -> bool) -> Result<(Past, Option<AppError>), AppError> {
        match self.read_past(is_wanted) {
            Err(error @ RegistryError::Io { .. }) => {
                let error = assets_failed(&error);
                let hint = error.hint.as_deref().unwrap_or_default();
                let text = format!("what earlier cycles left is not known: {error}; {hint}");
                self.environment.sink.note(Note::Warning(&text));
                Ok((Past::default(), Some(error)))
            }
            past => Ok((past.map_err(|error| assets_failed(&error))?, None)),
        }
    }

    fn recent_events(&self) -> Result<Events, AppError> {
        self.registry.recent_events().map_err(|error| assets_failed(&error))
    }

    /// What selection remembers of genes, from the events of the assets folder.
    pub fn memory(&self) -> Result<Vec<Remembered>, AppError> {
        let Events { newest, earlier } = self.recent_events()?;
        let tried: Vec<Tried> = earlier.tried(&newest).collect();
        Ok(remembered(&tried, self.environment.now()))
    }

    /// The newest events of the assets folder as a tree.
    pub fn lineage(&self) -> Result<Lineage, AppError> {
        let Events { newest: events, earlier } = self.recent_events()?;
        let ids: BTreeSet<&str> = events.iter().map(|event| event.id.as_str()).collect();
        let parents = events.iter().filter_map(|event| event.parent.as_deref());
        let absent: BTreeSet<&str> = parents.filter(|parent| !ids.contains(parent)).collect();
        let mut left_out = BTreeSet::new();
        if earlier.events > 0 && !absent.is_empty() {
            let find = &mut |event: EvolutionEvent| {
                if absent.contains(event.id.as_str()) {
                    left_out.insert(event.id);
                }
            };
            self.registry.each_event(find).map_err(|error| assets_failed(&error))?;
        }
        let nodes = lineage(&events, &left_out);
        Ok(Lineage { nodes, events, earlier: earlier.events })
    }

    /// The repairs that turned out to be false, by the log and by what failed since in these events. A log that cannot be
    /// trusted tells of none.
    pub(crate) fn false_repairs(&self, observed: &[RunEvent]) -> Vec<Wrong> {
        let Ok(entries) = self.entries() else { return Vec::new() };
        wrongs(&entries, |finding, since| failed_since(observed, finding, since))
    }
}

/// An error of the assets folder, with what to do about it.
pub(crate) fn assets_failed(error: &RegistryError) -> AppError {
    let hint = match error {
        RegistryError::Io { source, path, .. } if source.kind() == ErrorKind::PermissionDenied => readable(path),
        _ => "the assets folder holds genes.json, capsules.json, failed_capsules.json and events.jsonl".to_owned(),
    };
    AppError::failed("assets", error).hint(hint)
}

/// How to make a path of the project readable again. If `.gephost` is on the way, it is what nobody can enter.
fn readable(path: &str) -> String {
    let own = path.find("/.gephost/").and_then(|at| path.get(..at + "/.gephost".len()));
    let folder = own.or_else(|| Some(path.rsplit_once('/')?.0)).unwrap_or(path);
    format!("if it is yours: chmod -R u+rwX {folder}; if not: sudo chown -R \"$USER\" {folder}")
}

/// Events as genes are told them. Capsules and cycles are looked up, since there may be very many of both.
fn attempts(events: &[EvolutionEvent], capsules: &[Capsule], state: Option<&State>) -> Vec<Attempt> {
    // Of one id, the first capsule and the newest cycle count.
    let summaries = capsules.iter().rev().map(|capsule| (capsule.id.as_str(), capsule.summary.as_deref())).collect();
    let cycles = state.map(|state| state.cycles().iter().map(|cycle| (cycle.id.as_str(), cycle)).collect());
    let known = Known { summaries, cycles: cycles.unwrap_or_default(), state };
    events.iter().map(|event| attempt(event, &known)).collect()
}

/// What is known of the changes that events are about, by id.
struct Known<'a> {
    summaries: BTreeMap<&'a str, Option<&'a str>>,
    cycles: BTreeMap<&'a str, &'a Cycle>,
    state: Option<&'a State>,
}

fn attempt(event: &EvolutionEvent, known: &Known<'_>) -> Attempt {
    let success = event.outcome.is_success();
    let in_log = in_log(event, known);
    let (title, reason) = in_log.map(|(title, reason)| (Some(title), reason)).unwrap_or_default();
    // What its capsule says of the change is all that is known of an event from elsewhere.
    let summary = || known.summaries.get(event.capsule_id.as_deref()?).copied().flatten().map(str::to_owned);
    let title = title.or_else(summary);
    let usual = match (success, event.id.ends_with(TAKEN_BACK)) {
        (true, _) => "validated and published",
        (false, true) => "taken back by a person",
        (false, false) => "validation failed",
    };
    Attempt {
        gene: event.genes_used.first().cloned().unwrap_or_default(),
        signals: event.signals.clone(),
        outcome: if success { AttemptOutcome::Success } else { AttemptOutcome::Failure },
        title: title.unwrap_or_default(),
        reason: reason.map_or_else(|| usual.to_owned(), |reason| format!("{usual}: {reason}")),
        at: event.at,
    }
}

/// The title of the proposal that an event of this project is about, and why it ended as it did. An event has the id of its
/// cycle, and the one that takes its change back is its child.
fn in_log(event: &EvolutionEvent, known: &Known<'_>) -> Option<(String, Option<String>)> {
    let is_taken_back = event.id.ends_with(TAKEN_BACK);
    let of = if is_taken_back { event.parent.as_deref()? } else { &event.id };
    let cycle = known.cycles.get(of)?;
    let id = foremost(cycle)?;
    let proposal = known.state?.proposal(id)?;
    let failed = || {
        let tried = cycle.tried.iter().flatten().find(|tried| tried.proposal == id && tried.fate == Fate::Failed);
        tried.map(|tried| tried.reason.clone())
    };
    let reason = if is_taken_back { proposal.taken_back.clone() } else { failed() };
    Some((proposal.title.clone(), reason.filter(|reason| !reason.is_empty())))
}

/// The candidate that was published, else the best-ranked one that was validated.
fn foremost(cycle: &Cycle) -> Option<&str> {
    let failed = || cycle.tried.iter().flatten().find(|tried| tried.fate == Fate::Failed);
    cycle.winner.as_deref().or_else(|| failed().map(|tried| tried.proposal.as_str()))
}

#[cfg(test)]
mod tests {
    use gephost_core::event_log::{EntryBody, Tried};
    use jiff::Timestamp;

    use super::*;

    fn event(capsule: &str) -> EvolutionEvent {
        let text = format!(
            r#"{{"type":"EvolutionEvent","schema_version":"1.5.0","id":"evt_1","parent":null,"intent":"repair",
            "signals":["log_error"],"genes_used":["g"],"blast_radius":{{"files":1,"lines":2}},
            "outcome":{{"status":"success","score":0.9}},"capsule_id":"{capsule}"}}"#
        );
        EvolutionEvent::from_json(text.as_bytes()).expect("an event")
    }

    fn capsule() -> Capsule {
        let text = r#"{"type":"Capsule","schema_version":"1.5.0","id":"c","trigger":["log_error"],"gene":"g",
            "summary":"from elsewhere","confidence":0.5,"blast_radius":{"files":1,"lines":2},
            "outcome":{"status":"success","score":0.9}}"#;
        Capsule::from_json(text.as_bytes()).expect("a capsule")
    }

    fn attempt(event: &EvolutionEvent, capsules: &[Capsule], state: Option<&State>) -> Attempt {
        attempts(std::slice::from_ref(event), capsules, state).remove(0)
    }

    /// A log with one cycle of two candidates, of which the second one is published, or none.
    fn log(winner: Option<&str>, fates: [Fate; 2]) -> State {
        let ids = ["p1", "p2"];
        let tried = ids.iter().zip(fates).map(|(id, fate)| Tried::new(id, fate, ""));
        let proposed = ids.iter().map(|id| EntryBody::Proposed {
            proposal: (*id).to_owned(),
            gene: Some("g".to_owned()),
            title: format!("title of {id}"),
            signals: Vec::new(),
            isolation: None,
            calls: Vec::new(),
            dry_run: false,
        });
        let mut bodies: Vec<EntryBody> = proposed.collect();
        bodies.push(EntryBody::CycleStarted {
            cycle: "evt_1".to_owned(),
            base_commit: "b".to_owned(),
            finding: None,
            candidates: ids.map(str::to_owned).to_vec(),
        });
        bodies.push(EntryBody::CycleEnded {
            cycle: "evt_1".to_owned(),
            winner: winner.map(str::to_owned),
            candidates: tried.collect(),
        });
        let mut state = State::default();
        for body in &bodies {
            state.apply(body).expect("a legal entry");
        }
        state
    }

    #[test]
    fn an_attempt_has_the_title_of_its_proposal() {
        let title = |state: Option<&State>, capsule_id: &str| attempt(&event(capsule_id), &[capsule()], state).title;
        let published = log(Some("p2"), [Fate::Failed, Fate::Published]);
        assert_eq!(title(Some(&published), "c"), "title of p2");
        let failed = log(None, [Fate::Broken, Fate::Failed]);
        assert_eq!(title(Some(&failed), "c"), "title of p2");
        // An event from elsewhere: this log has no such cycle.
        assert_eq!(title(Some(&State::default()), "c"), "from elsewhere");
        assert_eq!(title(None, "c"), "from elsewhere");
        assert_eq!(title(None, "unknown"), "");
    }

    #[test]
    fn eight_times_the_events_and_capsules_take_about_eight_times_as_long() {
        let fastest = |count: usize| {
            let named = |number: usize| {
                let mut capsule = capsule();
                capsule.id = format!("c{number}");
                capsule
            };
            let capsules: Vec<Capsule> = (0..count).map(named).collect();
            let events: Vec<EvolutionEvent> = (0..count).rev().map(|number| event(&format!("c{number}"))).collect();
            let once = || {
                let began = gephost_runner::monotonic::now();
                let told = attempts(&events, &capsules, None);
                let took = began.elapsed();
                assert!(told.len() == count && told.iter().all(|attempt| attempt.title == "from elsewhere"));
                took
            };
            std::iter::repeat_with(once).take(5).min().expect("five")
        };
        let (few, many) = (fastest(2_000), fastest(16_000));
        // Looking through all capsules for each event would take 64 times as long.
        assert!(many < few * 30, "{few:?} {many:?}");
    }

    #[test]
    fn earlier_tries_count_in_a_gene_s_history() {
        let mut past = Past { events: vec![event("c")], ..Past::default() };
        past.attempts = attempts(&past.events, &[], None);
        past.earlier.add(&[event("c"), event("d")]);
        let history = past.gene_history(Some("g"));
        assert_eq!((history.tries, history.successes), (3, 3));
        assert_eq!(past.gene_history(Some("other")).tries, 0);
        assert_eq!((past.tried().map(|tried| tried.times).sum::<u64>(), past.streaks().get("c")), (3, Some(&2)));
    }

    #[test]
    fn a_change_that_a_person_took_back_says_so_under_its_title() {
        let mut state = log(Some("p2"), [Fate::Failed, Fate::Published]);
        let text = r#"{"type":"EvolutionEvent","schema_version":"1.5.0","id":"evt_2_rollback","parent":"evt_1",
            "intent":"repair","signals":["log_error"],"genes_used":["g"],"blast_radius":{"files":1,"lines":2},
            "outcome":{"status":"failed","score":0.0},"capsule_id":"c"}"#;
        let taken_back = EvolutionEvent::from_json(text.as_bytes()).expect("an event");
        let told = attempt(&taken_back, &[capsule()], Some(&state));
        assert_eq!((told.title.as_str(), told.reason.as_str()), ("title of p2", "taken back by a person"));
        assert_eq!(told.outcome, AttemptOutcome::Failure);
        assert_eq!(attempt(&taken_back, &[capsule()], None).reason, "taken back by a person");
        state = log(None, [Fate::Broken, Fate::Failed]);
        let failed = attempt(&event("c"), &[capsule()], Some(&state));
        assert_eq!(failed.title, "title of p2");
    }

    #[test]
    fn refusals_are_told_among_the_attempts_by_their_time() {
        let at = |second| Timestamp::from_second(second).expect("a time");
        let attempt = |title: &str, second| Attempt {
            title: title.to_owned(),
            at: Some(at(second)),
            ..attempt(&event("c"), &[], None)
        };
        let refused = Refused {
            gene: "g".to_owned(),
            title: "refused".to_owned(),
            signals: vec!["log_error".to_owned()],
            reason: "path not allowed".to_owned(),
            at: at(2),
        };
        let past = Past {
            attempts: vec![attempt("first", 1), attempt("third", 3)],
            refused: vec![refused],
            ..Past::default()
        };
        let told = past.told(&[]);
        assert_eq!(
            told.iter().map(|attempt| attempt.title.as_str()).collect::<Vec<_>>(),
            ["first", "refused", "third"]
        );
        assert_eq!((told[1].outcome, told[1].reason.as_str()), (AttemptOutcome::Refused, "path not allowed"));
    }
}
