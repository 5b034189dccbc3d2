//! Decides which capsules serve again (seed 001, "Reuse Scoring"; GEP.md section 5): the patch of one is applied again, or one
//! is shown to genes as a reference.
//!
//! What must stay true: a capsule comes from files that anybody can write, so what it says of itself is believed only as far as
//! this user's log has its asset id. Streaks come from the log, never from the capsule or from events beside it. A patch that
//! is applied again goes through gate and validation like any other.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::Serialize;

use super::memory::{MIN_SIMILARITY, similarity};
use crate::capsule::Capsule;
use crate::compatibility::{Compatibility, Surroundings, compatibility};
use crate::contest::Fate;
use crate::diagnosis::{Finding, FindingRef};
use crate::digest::{self, Verification};
use crate::evaluate::streak_weight;
use crate::event_log::{Entry, EntryBody};
use crate::signal::normal_signal;

/// A capsule of at least this score is a reference.
pub const REFERENCE_FROM: f64 = 0.72;

/// The patch of a capsule of at least this score is applied again.
pub const DIRECT_FROM: f64 = 0.85;

/// The reputation, from 0 to 100, of who made a capsule that this user's log does not have.
pub const UNKNOWN_REPUTATION: f64 = 50.0;

/// The reputation of this user: what gephost itself validated here.
const OWN_REPUTATION: f64 = 100.0;

/// Most capsules that are listed although they serve for nothing.
const MAX_USELESS: usize = 100;

/// Most bytes of a patch that a capsule keeps.
pub const MAX_PATCH_BYTES: usize = 64 << 10;

/// Confidence × streak (1 to 5) × reputation / 100.
pub fn reuse_score(confidence: f64, streak: u64, reputation: f64) -> f64 {
    confidence * streak_weight(streak) * reputation / 100.0
}

/// What this user's log has of a capsule.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Vouched {
    /// Applications in a row that were published and not taken back.
    pub streak: u64,
    /// The asset id that it was stored with, if it was made here.
    pub asset_id: Option<String>,
    /// Whether its last application failed, or was taken back.
    pub failed_last: bool,
    /// The finding that its change was made for.
    pub finding: Option<FindingRef>,
}

/// What the log has of each capsule, by its id.
pub fn vouched(entries: &[Entry]) -> BTreeMap<String, Vouched> {
    let mut capsules: BTreeMap<String, Vouched> = BTreeMap::new();
    let mut of_proposal: BTreeMap<&str, &str> = BTreeMap::new();
    let mut of_cycle: Option<&FindingRef> = None;
    for entry in entries {
        match &entry.body {
            EntryBody::CycleStarted { finding, .. } => of_cycle = finding.as_ref(),
            EntryBody::Applied { proposal, capsule, capsule_asset, reused, .. } => {
                let Some(id) = reused.as_ref().or(capsule.as_ref()) else { continue };
                let known = capsules.entry(id.clone()).or_default();
                known.streak += 1;
                known.failed_last = false;
                if reused.is_none() {
                    known.finding = of_cycle.cloned();
                }
                if capsule_asset.is_some() {
                    known.asset_id.clone_from(capsule_asset);
                }
                of_proposal.insert(proposal, id);
            }
            EntryBody::RolledBack { proposal, .. } => {
                if let Some(known) = of_proposal.get(proposal.as_str()).and_then(|id| capsules.get_mut(*id)) {
                    known.fail();
                }
            }
            EntryBody::CycleEnded { candidates, .. } => {
                let failed = candidates.iter().filter(|tried| tried.fate == Fate::Failed);
                for id in failed.filter_map(|tried| tried.capsule.as_ref()) {
                    capsules.entry(id.clone()).or_default().fail();
                }
            }
            _ => {}
        }
    }
    capsules
}

impl Vouched {
    /// Whether a capsule is the one that was stored here: its asset id verifies and is the one of the log.
    pub fn has(&self, capsule: &Capsule) -> bool {
        let stated = capsule.document().get("asset_id").and_then(serde_json::Value::as_str);
        self.asset_id.is_some() && self.asset_id.as_deref() == stated && verifies(capsule)
    }

    /// The streak of a capsule with this id. What was earned by a capsule that was stored here is not for another one with the
    /// same id.
    fn streak_of(&self, is_own: bool) -> u64 {
        if self.asset_id.is_some() && !is_own { 0 } else { self.streak }
    }

    fn fail(&mut self) {
        self.streak = 0;
        self.failed_last = true;
    }
}

/// The finding that a capsule's change answers: the one that it was made for, else the first one of those that share most
/// signals with that one, or with the capsule's trigger if this user's log has none. If those name errors, only errors count.
pub fn answered_by<'f>(
    findings: &'f [Finding],
    capsule: &Capsule,
    made_for: Option<&FindingRef>,
) -> Option<&'f Finding> {
    let is_it = |finding: &&Finding| made_for.is_some_and(|made| made.gene == finding.gene && made.id == finding.id);
    if let Some(finding) = findings.iter().find(is_it) {
        return Some(finding);
    }
    let signals = made_for.map_or(&capsule.trigger, |made| &made.signals);
    let wanted: BTreeSet<String> = signals.iter().map(|signal| normal_signal(signal)).collect();
    let names_errors = wanted.iter().any(|signal| is_error(signal));
    let shared = |finding: &Finding| {
        let counts = |signal: &String| wanted.contains(signal) && (!names_errors || is_error(signal));
        finding.signals.iter().map(|signal| normal_signal(signal)).filter(counts).count()
    };
    let best = findings.iter().rev().map(|finding| (shared(finding), finding)).max_by_key(|(shared, _)| *shared);
    best.filter(|(shared, _)| *shared > 0).map(|(_, finding)| finding)
}

/// What a capsule serves for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    /// Its patch is a candidate before those of genes.
    Direct,
    /// Genes learn of it.
    Reference,
    /// Nothing.
    None,
}

/// A capsule whose trigger is similar to the signals, and what it serves for.
#[derive(Debug, Clone, PartialEq, Serialize, JsonSchema)]
pub struct Reuse {
    /// Id of the capsule.
    pub capsule: String,
    /// Id of its gene.
    pub gene: Option<String>,
    /// What it serves for.
    pub role: Role,
    /// Confidence × streak (1 to 5) × reputation / 100.
    pub score: f64,
    /// Applications in a row that held here, by the log.
    pub streak: u64,
    /// Whether this user's log has it with this asset id.
    pub is_own: bool,
    /// Similarity of its trigger and the signals, from 0 to 1 (Jaccard, normalised).
    pub similarity: f64,
    /// Why it serves for no more, or what it rests on.
    pub reason: String,
}

/// The capsules whose trigger is similar to these signals, best first. Equal scores are ordered by id. Of those that serve for
/// nothing, only some are listed.
pub fn reuses(
    capsules: &[Capsule],
    vouched: &BTreeMap<String, Vouched>,
    signals: &[String],
    here: &Surroundings,
) -> Vec<Reuse> {
    let raised: BTreeSet<String> = signals.iter().map(|signal| normal_signal(signal)).collect();
    let mut found: Vec<Reuse> = Vec::new();
    for capsule in capsules.iter().filter(|capsule| capsule.outcome.is_success()) {
        let trigger: BTreeSet<String> = capsule.trigger.iter().map(|signal| normal_signal(signal)).collect();
        let similarity = similarity(&borrowed(&raised), &borrowed(&trigger));
        if !is_same_trouble(&trigger, &raised) || similarity < MIN_SIMILARITY {
            continue;
        }
        let known = vouched.get(&capsule.id).cloned().unwrap_or_default();
        let (verifies, is_own) = (verifies(capsule), known.has(capsule));
        let reputation = if is_own { OWN_REPUTATION } else { UNKNOWN_REPUTATION };
        let streak = known.streak_of(is_own);
        let score = reuse_score(capsule.confidence, streak, reputation);
        let (role, reason) = role(capsule, &known, verifies, is_own, score, here);
        let gene = capsule.gene.clone();
        found.push(Reuse { capsule: capsule.id.clone(), gene, role, score, streak, is_own, similarity, reason });
    }
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then_with(|| a.capsule.cmp(&b.capsule)));
    let mut useless = 0;
    found.retain(|row| {
        useless += usize::from(row.role == Role::None);
        row.role != Role::None || useless <= MAX_USELESS
    });
    found
}

/// Whether the asset id that a capsule states is that of its content.
fn verifies(capsule: &Capsule) -> bool {
    matches!(digest::verify_members(capsule.document()), Ok(Verification::Match))
}

/// Whether a trigger names no error at all, or one that is raised.
fn is_same_trouble(trigger: &BTreeSet<String>, raised: &BTreeSet<String>) -> bool {
    let mut errors = trigger.iter().filter(|signal| is_error(signal)).peekable();
    errors.peek().is_none() || errors.any(|error| raised.contains(error))
}

fn is_error(signal: &str) -> bool {
    signal.starts_with("errsig")
}

fn borrowed(signals: &BTreeSet<String>) -> BTreeSet<&str> {
    signals.iter().map(String::as_str).collect()
}

fn role(
    capsule: &Capsule,
    known: &Vouched,
    verifies: bool,
    is_own: bool,
    score: f64,
    here: &Surroundings,
) -> (Role, String) {
    let nothing = |reason: String| (Role::None, reason);
    if !verifies {
        return nothing("its asset id is missing or does not verify".to_owned());
    }
    if known.failed_last {
        return nothing("its last application here failed or was taken back".to_owned());
    }
    if let Compatibility::Different(why) = compatibility(capsule.fingerprint(), here) {
        return nothing(why);
    }
    let whose = if is_own { "made here" } else { "not in this user's log" };
    if score < REFERENCE_FROM {
        return nothing(format!("{whose}; score {score:.2} is below {REFERENCE_FROM}"));
    }
    if score < DIRECT_FROM {
        return (Role::Reference, format!("{whose}; score {score:.2} is below {DIRECT_FROM}"));
    }
    match capsule.patch() {
        Some(_) => (Role::Direct, whose.to_owned()),
        None => (Role::Reference, format!("{whose}; it has no patch")),
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;
    use crate::blast_radius::BlastRadius;
    use crate::contest::Tried;

    fn capsule(id: &str, change: impl FnOnce(&mut Value)) -> Capsule {
        let mut value = json!({
            "type": "Capsule", "id": id, "gene": "g", "trigger": ["log_error", "errsig:boom at /a/b.py"],
            "confidence": 0.85, "outcome": { "status": "success", "score": 0.9 }, "diff": "--- a/x\n+++ b/x\n",
            "env_fingerprint": { "platform": "linux", "arch": "x64" },
        });
        change(&mut value);
        let Value::Object(mut members) = value else { unreachable!() };
        digest::seal(&mut members).expect("an id");
        Capsule::read(members).expect("a capsule")
    }

    fn asset_id(capsule: &Capsule) -> String {
        capsule.document()["asset_id"].as_str().expect("an id").to_owned()
    }

    fn entries(bodies: Vec<EntryBody>) -> Vec<Entry> {
        let entry = |(seq, body)| Entry { seq, prev: String::new(), at: Timestamp::UNIX_EPOCH, body };
        (0..).zip(bodies).map(entry).collect()
    }

    fn applied(proposal: &str, made: Option<&Capsule>, reused: Option<&str>) -> EntryBody {
        EntryBody::Applied {
            proposal: proposal.to_owned(),
            branch: "evo/1".to_owned(),
            commit: "c".to_owned(),
            blast_radius: BlastRadius { files: 1, lines: 1 },
            event: None,
            capsule: made.map(|capsule| capsule.id.clone()),
            capsule_asset: made.map(asset_id),
            reused: reused.map(str::to_owned),
            gene_added: None,
        }
    }

    fn rolled_back(proposal: &str) -> EntryBody {
        let text = format!(r#"{{"kind":"rolled_back","proposal":"{proposal}","branch":"evo/1","reason":"r"}}"#);
        serde_json::from_str(&text).expect("an entry")
    }

    fn failed(capsule: &str) -> EntryBody {
        let tried = Tried { capsule: Some(capsule.to_owned()), ..Tried::new("p", Fate::Failed, "") };
        EntryBody::CycleEnded { cycle: "e".to_owned(), winner: None, candidates: vec![tried] }
    }

    fn here() -> Surroundings {
        Surroundings { platform: Some("linux".to_owned()), arch: Some("x86_64".to_owned()), ..Surroundings::default() }
    }

    fn only(capsule: &Capsule, log: Vec<EntryBody>, signals: &[&str]) -> Option<(Role, u64, String)> {
        let signals: Vec<String> = signals.iter().map(|signal| (*signal).to_owned()).collect();
        let here = here();
        let found = reuses(std::slice::from_ref(capsule), &vouched(&entries(log)), &signals, &here);
        found.into_iter().next().map(|reuse| (reuse.role, reuse.streak, reuse.reason))
    }

    const RAISED: &[&str] = &["log_error", "errsig:boom at /other/b.py"];

    #[test]
    fn the_score_is_that_of_the_protocol() {
        for (confidence, streak, reputation, expect) in
            [(0.85, 3, 80.0, 2.04), (0.85, 0, UNKNOWN_REPUTATION, 0.425), (0.9, 9, 100.0, 4.5)]
        {
            assert!((reuse_score(confidence, streak, reputation) - expect).abs() < 1e-9);
        }
    }

    #[test]
    fn a_capsule_of_this_user_serves_again_until_it_fails() {
        let own = capsule("c", |_| {});
        let role = |log: Vec<EntryBody>| only(&own, log, RAISED).map(|(role, streak, _)| (role, streak));
        let made = || applied("p", Some(&own), None);
        assert_eq!(role(vec![made()]), Some((Role::Direct, 1)));
        assert_eq!(role(vec![made(), applied("q", None, Some("c"))]), Some((Role::Direct, 2)));
        assert_eq!(role(vec![made(), applied("q", None, Some("c")), rolled_back("q")]), Some((Role::None, 0)));
        assert_eq!(role(vec![made(), failed("c")]), Some((Role::None, 0)));
        assert_eq!(role(vec![made(), failed("c"), applied("r", None, Some("c"))]), Some((Role::Direct, 1)));
        assert_eq!(role(vec![made(), failed("another")]), Some((Role::Direct, 1)));
    }

    fn found(gene: &str, id: &str, signals: &[&str]) -> Finding {
        serde_json::from_value(json!({
            "id": id, "gene": gene, "kind": "error", "title": id, "severity": "high", "confidence": 1.0, "hypothesis": "",
            "evidence": [], "direction": "", "signals": signals, "occurrences": 1,
        }))
        .expect("a finding")
    }

    #[test]
    fn a_change_answers_the_finding_that_it_was_made_for() {
        // A trigger has the signals of all findings that there were, and the first one has most of them.
        let all = ["log_error", "recurring_error", "errsig:boom at /a/b.py", "errsig:other"];
        let own = capsule("c", |value| value["trigger"] = json!(all));
        let findings = [
            found("h", "f1", &["log_error", "recurring_error", "errsig:other"]),
            found("h", "f2", &["errsig:boom at /x/b.py"]),
            found("i", "f2", &["log_error"]),
        ];
        let made_for = |gene: &str, id: &str, signals: &[&str]| FindingRef {
            gene: gene.to_owned(),
            id: id.to_owned(),
            title: String::new(),
            signals: signals.iter().map(|signal| (*signal).to_owned()).collect(),
        };
        let answered = |made: Option<FindingRef>| {
            answered_by(&findings, &own, made.as_ref()).map(|finding| (finding.gene.as_str(), finding.id.as_str()))
        };
        assert_eq!(answered(Some(made_for("h", "f2", &[]))), Some(("h", "f2")));
        assert_eq!(answered(Some(made_for("i", "f2", &[]))), Some(("i", "f2")), "ids are of one gene");
        // That one is not there any more, but the same error is.
        assert_eq!(answered(Some(made_for("h", "f9", &["log_error", "errsig:boom at /c/b.py"]))), Some(("h", "f2")));
        // Another error with the same general signals is another trouble.
        assert_eq!(answered(Some(made_for("h", "f9", &["log_error", "errsig:gone"]))), None);
        assert_eq!(answered(Some(made_for("h", "f9", &["recurring_error"]))), Some(("h", "f1")));
        // Of a capsule from elsewhere only the trigger is known.
        assert_eq!(answered(None), Some(("h", "f1")));
        assert_eq!(answered_by(&[], &own, None), None);
    }

    #[test]
    fn the_log_has_the_finding_that_a_capsule_was_made_for() {
        let own = capsule("c", |_| {});
        let started = |id: &str| EntryBody::CycleStarted {
            cycle: "e".to_owned(),
            base_commit: "b".to_owned(),
            finding: Some(FindingRef {
                gene: "h".to_owned(),
                id: id.to_owned(),
                title: String::new(),
                signals: Vec::new(),
            }),
            candidates: Vec::new(),
        };
        let log = [started("f1"), applied("p", Some(&own), None), started("f2"), applied("q", None, Some("c"))];
        let known = vouched(&entries(log.to_vec()));
        assert_eq!(known["c"].finding.as_ref().map(|finding| finding.id.as_str()), Some("f1"), "where it was made");
    }

    #[test]
    fn those_that_serve_for_nothing_are_listed_up_to_a_bound() {
        let own = capsule("own", |_| {});
        let strangers = (0..MAX_USELESS + 5).map(|number| capsule(&format!("c{number:03}"), |_| {}));
        let capsules: Vec<Capsule> = strangers.chain([own.clone()]).collect();
        let log = vouched(&entries(vec![applied("p", Some(&own), None)]));
        let signals: Vec<String> = RAISED.iter().map(|signal| (*signal).to_owned()).collect();
        let found = reuses(&capsules, &log, &signals, &here());
        assert_eq!((found.len(), found[0].role, found[1].role), (MAX_USELESS + 1, Role::Direct, Role::None));
        let last = format!("c{:03}", MAX_USELESS - 1);
        assert_eq!((found[1].capsule.as_str(), found[MAX_USELESS].capsule.as_str()), ("c000", last.as_str()));
    }

    #[test]
    fn what_the_log_does_not_have_is_not_believed() {
        let own = capsule("c", |_| {});
        // The id of an own capsule on other content, which verifies.
        let forged = capsule("c", |value| value["diff"] = json!("--- a/evil\n+++ b/evil\n"));
        let log = || vec![applied("p", Some(&own), None)];
        let (role, _, reason) = only(&forged, log(), RAISED).expect("similar");
        assert_eq!((role, reason.as_str()), (Role::None, "not in this user's log; score 0.42 is below 0.72"));
        // Nor does it take over the streak of the one that was stored here.
        let often = vec![applied("p", Some(&own), None), applied("q", None, Some("c")), applied("r", None, Some("c"))];
        let (role, streak, _) = only(&forged, often, RAISED).expect("similar");
        assert_eq!((role, streak), (Role::None, 0));
        // Nor is its own count of successes.
        let proud = capsule("d", |value| value["success_streak"] = json!(5));
        assert_eq!(only(&proud, log(), RAISED).expect("similar").0, Role::None);
        let mut broken = own.document().clone();
        broken.insert("confidence".to_owned(), json!(1.0));
        let broken = Capsule::read(broken).expect("a capsule");
        let (role, _, reason) = only(&broken, log(), RAISED).expect("similar");
        assert_eq!((role, reason.contains("does not verify")), (Role::None, true));
    }

    #[test]
    fn environment_patch_and_trouble_must_fit() {
        let check = |change: &dyn Fn(&mut Value), expect: Role, why: &str| {
            let own = capsule("c", change);
            let (role, _, reason) = only(&own, vec![applied("p", Some(&own), None)], RAISED).expect("similar");
            assert_eq!(role, expect, "{reason}");
            assert!(reason.contains(why), "{reason}");
        };
        check(&|_| {}, Role::Direct, "made here");
        check(
            &|value| value["env_fingerprint"]["platform"] = json!("darwin"),
            Role::None,
            "held on the platform macos",
        );
        check(
            &|value| value["env_fingerprint"]["arch"] = json!("arm64"),
            Role::None,
            "held on the architecture aarch64",
        );
        check(&|value| value["env_fingerprint"] = json!({}), Role::Direct, "made here");
        check(&|value| value["env_fingerprint"] = json!("?"), Role::Direct, "made here");
        check(&|value| value["diff"] = json!(""), Role::Reference, "no patch");
        check(&|value| value["diff"] = json!(7), Role::Reference, "no patch");
        check(&|value| value["confidence"] = json!(0.8), Role::Reference, "below 0.85");
        check(&|value| value["confidence"] = json!(0.5), Role::None, "below 0.72");
        let own = capsule("c", |_| {});
        let log = || vec![applied("p", Some(&own), None)];
        assert_eq!(only(&own, log(), &["log_error", "errsig:another thing"]), None);
        assert_eq!(only(&own, log(), &[]), None);
        let failed = capsule("f", |value| value["outcome"]["status"] = json!("failed"));
        assert_eq!(only(&failed, vec![applied("p", Some(&failed), None)], RAISED), None);
    }

    proptest! {
        #[test]
        fn the_order_of_capsules_does_not_matter(order in Just((0..6_u32).collect::<Vec<_>>()).prop_shuffle()) {
            let make = |number: &u32| capsule(&format!("c{number}"), |value| value["confidence"] = json!(f64::from(number / 2) / 4.0));
            let here = here();
            let signals: Vec<String> = RAISED.iter().map(|signal| (*signal).to_owned()).collect();
            let of = |order: &[u32]| reuses(&order.iter().map(make).collect::<Vec<_>>(), &BTreeMap::new(), &signals, &here);
            prop_assert_eq!(of(&order), of(&[0, 1, 2, 3, 4, 5]));
        }
    }
}
