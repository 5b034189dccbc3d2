//! A proposal that somebody brings: gated on the base of now, applied with real processes, and bound to what it was made for.

use gephost_app::apply::{ApplyOptions, SavedApply, SavedEnding};
use gephost_app::rollback::RollbackOptions;
use gephost_app::{ErrorKind, Project};
use gephost_core::event_log::{EntryBody, Fate};
use gephost_core::proposal::Proposal;

use crate::apply::with_program;
use crate::history::content_proposal;
use crate::scene::{Scene, apply, failed, refusal};

const CONFIG: &str = "[policy]\nallow = [\"sums.py\", \"tests/\"]\n[validation]\nreruns = 0\ncommands = [\"python3 -m unittest discover -s tests\"]\n[apply]\nenabled = true\n";
const WRONG: &str = "def add(a, b):\n    return a - b\n";
const RIGHT: &str = "def add(a, b):\n    return a + b\n";
const TEST: &str = "import unittest\nfrom sums import add\n\nclass Add(unittest.TestCase):\n    def test_add(self):\n        self.assertEqual(add(1, 2), 3)\n";

fn scene(config: &str) -> Scene {
    Scene::new(&[("gephost.toml", config), ("sums.py", WRONG), ("tests/test_sums.py", TEST), ("other.txt", "o\n")])
}

fn diff(from: &str, to: &str) -> Proposal {
    Proposal::from_diff(&format!("--- a/sums.py\n+++ b/sums.py\n@@ -1,2 +1,2 @@\n def add(a, b):\n-{from}\n+{to}\n"))
}

fn repair() -> Proposal {
    diff("    return a - b", "    return a + b")
}

fn bring(project: &Project, proposal: Proposal) -> SavedApply {
    project.apply(proposal, &ApplyOptions::default()).expect("a verdict")
}

#[test]
fn what_is_brought_is_judged_and_nothing_is_remembered_of_a_look() {
    let scene = scene(CONFIG);
    let project = scene.project();
    let look = bring(&project, repair());
    assert!(matches!(look.ending, SavedEnding::DryRun) && look.judged.passes());
    assert!(look.judged.saved().contains(&look.judged.proposal.id) && look.judged.capsule.is_none());
    for (proposal, why) in [
        (content_proposal("other.txt", "new\n"), "a path that is not allowed"),
        (content_proposal("gephost.toml", "[policy]\nallow = [\"\"]\n"), "the config itself"),
        (content_proposal("../outside", "x\n"), "a path outside"),
        (content_proposal(".git/config", "x\n"), "git's own folder"),
        (diff("    return a * b", "    return a + b"), "a diff of another file"),
        (Proposal::from_diff("no diff"), "no diff"),
        (Proposal::from_diff(""), "nothing"),
    ] {
        let look = bring(&project, proposal);
        assert!(matches!(look.ending, SavedEnding::Refused) && !look.judged.passes(), "{why}");
        assert!(look.judged.verdict.reasons().next().is_some(), "{why}");
    }
    assert_eq!(scene.kinds(), Vec::<String>::new());
    assert!(!project.proposal_file(&look.judged.proposal.id).exists());
}

#[test]
fn the_locks_are_looked_at_before_the_proposal() {
    let scene = scene(&CONFIG.replace("enabled = true", "enabled = false"));
    for proposal in [repair(), Proposal::from_diff("no diff")] {
        assert_eq!(refusal(scene.project().apply(proposal, &apply())), (ErrorKind::Usage, "apply_locked"));
    }
    assert_eq!(scene.kinds(), Vec::<String>::new());
}

#[test]
fn what_the_gate_refuses_is_not_applied_with_every_lock_open() {
    let scene = scene(CONFIG);
    let refused = scene.project().apply(content_proposal("other.txt", "new\n"), &apply()).expect("a verdict");
    assert!(matches!(refused.ending, SavedEnding::Refused));
    assert_eq!((scene.kinds(), scene.published()), (Vec::<String>::new(), Vec::<String>::new()));
}

#[test]
fn a_repair_is_published_and_its_commit_says_who_and_why() {
    let Some(scene) = with_program(scene(CONFIG)) else { return };
    let project = scene.project();
    let SavedEnding::Applied(ended) = project.apply(repair(), &apply()).expect("a run").ending else {
        panic!("it was not tried")
    };
    let published = ended.published.as_ref().expect("a branch");
    assert_eq!(scene.content_in(&published.branch, "sums.py"), RIGHT);
    assert_eq!(scene.content_in("HEAD", "sums.py"), WRONG);
    let message = scene.message_of(&published.branch);
    for line in [
        "Gephost-Proposal: ",
        &format!("Gephost-Event: {}", ended.cycle),
        "Gephost-Test: python3 -m unittest discover -s tests",
        "Gephost-Operator: embedded",
        "Gephost-Approver: embedded",
    ] {
        assert!(message.contains(line), "{line}: {message}");
    }
    let entries = project.entries().expect("a log");
    let why = entries.iter().find_map(|entry| match &entry.body {
        EntryBody::ApplyIntent { why, approver, files, .. } => Some((why.clone(), approver.clone(), files.clone())),
        _ => None,
    });
    assert_eq!(why, Some((Some("a test".to_owned()), None, vec!["sums.py".to_owned()])));
    // The assets have it, under the name that stands for a person.
    assert_eq!(
        project.memory().expect("a memory").iter().map(|gene| gene.gene.as_str()).collect::<Vec<_>>(),
        ["operator"]
    );
    let lineage = project.lineage().expect("a lineage");
    assert_eq!((lineage.events.len(), lineage.earlier, &lineage.events[0].id), (1, 0, &ended.cycle));
    let capsules = project.registry.capsules().expect("capsules");
    assert!(capsules.len() == 1 && capsules[0].outcome.is_success());
    // Taken back, the capsule is gone and the event stays with one that says so.
    project.rollback(&published.branch, &RollbackOptions::default()).expect("taken back");
    assert_eq!(project.registry.capsules().expect("capsules").len(), 0);
    let lineage = project.lineage().expect("a lineage");
    assert!(lineage.events.len() == 2 && !lineage.events[1].outcome.is_success(), "{:?}", lineage.events);
    assert_eq!(lineage.events[1].parent.as_ref(), Some(&ended.cycle));
}

#[test]
fn what_repairs_nothing_is_logged_and_leaves_no_branch() {
    let Some(scene) = with_program(scene(CONFIG)) else { return };
    let project = scene.project();
    let proposal = diff("    return a - b", "    return b - a");
    let id = proposal.id.clone();
    let SavedEnding::Applied(ended) = project.apply(proposal, &apply()).expect("a run").ending else {
        panic!("it was not tried")
    };
    assert!(ended.published.is_none() && ended.candidates[0].tried.fate == Fate::Failed, "{ended:?}");
    assert_eq!(scene.published(), Vec::<String>::new());
    let state = project.log_state().expect("a state");
    let known = state.proposal(&id).expect("known");
    assert_eq!((known.failed_on.as_ref(), known.in_flight.is_none()), (Some(&scene.head()), true));
    assert!(project.registry.capsules().expect("capsules").is_empty(), "nothing is reused of what failed");
    let story = project.story(&id).expect("a story");
    assert!(story.candidates[0].report.is_some() && story.candidates[0].branch.is_none());
}

#[test]
fn a_repair_lands_only_if_it_is_asked_to() {
    let Some(scene) = with_program(scene(CONFIG)) else { return };
    let options = ApplyOptions { land: true, ..apply() };
    let SavedEnding::Applied(ended) = scene.project().apply(repair(), &options).expect("a run").ending else {
        panic!("it was not tried")
    };
    let published = ended.published.expect("a branch");
    assert_eq!(ended.landed.as_ref().and_then(|landed| landed.branch()), Some("main"));
    assert_eq!((scene.head(), scene.content_in("HEAD", "sums.py")), (published.commit.clone(), RIGHT.to_owned()));
    let state = scene.project().log_state().expect("a state");
    assert_eq!(state.standing()[0].1.landed.as_deref(), Some("main"));
}

#[test]
fn a_config_that_names_nobody_as_author_publishes_nothing() {
    let Some(scene) = with_program(scene(&format!("{CONFIG}author_name = \"<>\"\n"))) else { return };
    let error = failed(scene.project().apply(repair(), &apply()));
    assert_eq!((error.kind, error.code), (ErrorKind::Usage, "config"), "{error}");
    assert_eq!(scene.published(), Vec::<String>::new());
    let state = scene.project().log_state().expect("a state");
    assert_eq!(state.unfinished().count(), 0, "no intent is left open");
}

#[test]
fn with_no_command_nothing_shows_that_a_change_repairs_anything() {
    let config = CONFIG.replace("commands = [\"python3 -m unittest discover -s tests\"]\n", "");
    let Some(scene) = with_program(scene(&config)) else { return };
    let result = scene.project().apply(repair(), &apply()).expect("a verdict");
    let published = matches!(&result.ending, SavedEnding::Applied(ended) if ended.published.is_some());
    assert!(!published && scene.published().is_empty(), "{:?}", result.ending);
}
