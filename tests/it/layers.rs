//! Repairs of several layers: one failure is fixed, the next one shows, and a further step builds on the first. Only the
//! whole repair is published, as one change, and only if the command passes.

use std::fs;
use std::process::Stdio;

use gephost_tests::environment::{TestEnv, gephost};
use gephost_tests::project::TestProject;
use gephost_tests::scripted::{Say, Scripted};
use serde_json::{Value, json};

use crate::scene::{log_entries, logged, on_branch, published, python, wait_for_start};

/// Names that Python removed, one behind the other: `Mapping` in one file, then `clock` and `getargspec` in another.
const LAYERED: [(&str, &str); 3] = [
    ("pkg/__init__.py", "from .table import Table\nfrom .call import arity\n"),
    ("pkg/table.py", "from collections import Mapping\n\n\nclass Table(dict, Mapping):\n    pass\n"),
    (
        "pkg/call.py",
        "import inspect\nimport time\n\nSTARTED = time.clock()\n\n\ndef arity(function):\n    return \
         len(inspect.getargspec(function).args)\n",
    ),
];

/// The same with two layers, in two files.
const TWO_LAYERS: [(&str, &str); 3] = [
    LAYERED[0],
    LAYERED[1],
    ("pkg/call.py", "import time\n\nSTARTED = time.clock()\n\n\ndef arity(f):\n    return 2\n"),
];

const COMMAND: [&str; 4] = ["python3", "-B", "-c", "import pkg; assert pkg.arity(lambda a, b: a) == 2"];

const OPEN: &str = "[policy]\nallow = [\"**\"]\n[apply]\nenabled = true\n";

/// A project with these files and this config, in which the command failed once.
fn failed_once(env: &TestEnv, files: &[(&str, &str)], config: &str, command: &[&str]) -> TestProject {
    let project = TestProject::new(env, &[files, &[("gephost.toml", config)]].concat());
    env.run(project.root(), &[&["record", "--"][..], command].concat()).expect_code(1);
    project
}

/// The candidates that were tried.
fn tried(document: &Value) -> &[Value] {
    document["applied"]["tried"].as_array().unwrap_or_else(|| panic!("{document}"))
}

fn fates(document: &Value) -> Vec<&str> {
    tried(document).iter().map(|candidate| candidate["fate"].as_str().unwrap()).collect()
}

/// What ended a repair that did not hold.
fn no_further(document: &Value) -> Vec<&str> {
    tried(document).iter().filter_map(|candidate| candidate["no_further"].as_str()).collect()
}

/// The last entry of a kind.
fn last<'e>(entries: &'e [Value], kind: &str) -> &'e Value {
    entries.iter().rfind(|entry| entry["kind"] == kind).unwrap_or_else(|| panic!("no {kind}"))
}

#[test]
fn three_layers_in_two_files_are_published_as_one_change() {
    if !python() {
        return;
    }
    let env = TestEnv::new();
    let project = failed_once(&env, &LAYERED, OPEN, &COMMAND);
    let before = project.fingerprint();
    let (document, code) = env.json(project.root(), &["run", "--apply"]);
    assert_eq!(code, 0, "{document}");
    assert_eq!(fates(&document), ["extended", "extended", "published"], "{document}");
    assert_eq!(project.fingerprint(), before);

    let whole = &tried(&document)[2];
    let steps = whole["steps"].as_array().unwrap();
    let failures: Vec<&str> = steps.iter().map(|step| step["then_fails"].as_str().unwrap_or("passes")).collect();
    assert_eq!(steps.len(), 3, "{whole}");
    assert!(failures[0].contains("'time' has no attribute 'clock'"), "{failures:?}");
    assert!(failures[1].contains("'inspect' has no attribute 'getargspec'"), "{failures:?}");
    assert_eq!(failures[2], "passes");
    assert_eq!(whole["blast_radius"]["files"], 2, "{whole}");

    // One branch, one commit on the base, and the command passes there.
    let branches = published(&env, &project);
    let [branch] = branches.as_slice() else { panic!("{branches:?}") };
    assert_eq!(project.git(&env, &["rev-list", "--count", &format!("main..{branch}")]).trim(), "1");
    on_branch(&env, &project, "main", &COMMAND).expect_code(1);
    on_branch(&env, &project, branch, &COMMAND).expect_code(0);
    let call = project.git(&env, &["show", &format!("{branch}:pkg/call.py")]);
    assert!(call.contains("time.perf_counter()") && call.contains("inspect.getfullargspec("), "{call}");

    // The log and the assets have one cycle and one event, with its steps.
    let count = |kind| logged(&env, &project, kind);
    assert_eq!(["cycle_started", "cycle_continued", "cycle_ended", "applied"].map(count), [1, 2, 1, 1]);
    let events = fs::read_to_string(project.root().join(".gephost/gep/events.jsonl")).unwrap();
    assert_eq!(events.lines().count(), 1);
    let event: Value = serde_json::from_str(events.lines().next().unwrap()).unwrap();
    assert_eq!(event["outcome"]["status"], "success");
    assert_eq!(event["meta"]["candidates"][2]["steps"].as_array().unwrap().len(), 3, "{event}");
    let capsules = fs::read_to_string(project.root().join(".gephost/gep/capsules.json")).unwrap();
    let capsules: Value = serde_json::from_str(&capsules).unwrap();
    assert_eq!(capsules["capsules"].as_array().unwrap().len(), 1, "a step has no capsule: {capsules}");
    env.run(project.root(), &["log", "verify"]).expect_code(0);

    // Each call of a gene runs again as it ran.
    let recordings: Vec<&str> =
        steps.iter().flat_map(|step| step["recordings"].as_array().unwrap()).map(|id| id.as_str().unwrap()).collect();
    assert_eq!(recordings.len(), 6, "{whole}");
    for recording in recordings {
        env.run(project.root(), &["replay", recording]).expect_code(0);
    }

    // What a person reads.
    let story = env.run(project.root(), &["report", event["id"].as_str().unwrap()]).expect_code(0).stdout;
    for line in ["1. Use collections.abc.Mapping", "now fails with: AttributeError: module 'time'", "passes", "risk 23"]
    {
        assert!(story.contains(line), "{line}: {story}");
    }
    let figures = env.run(project.root(), &["report"]).expect_code(0).stdout;
    assert!(figures.contains("100.0 % of the attempts"), "{figures}");
    env.run(project.root(), &["status"]).expect_code(0);
}

/// The same log, files and proposals each time, although the work copies have other names.
#[test]
fn the_steps_are_the_same_in_every_run() {
    if !python() {
        return;
    }
    let ids = || {
        let env = TestEnv::new();
        let project = failed_once(&env, &TWO_LAYERS, OPEN, &COMMAND);
        let (document, code) = env.json(project.root(), &["run", "--apply"]);
        assert_eq!(code, 0, "{document}");
        let steps = tried(&document)[1]["steps"].as_array().unwrap().clone();
        steps.iter().map(|step| step["proposal"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    let first = ids();
    assert_eq!((first.len(), &first), (2, &ids()));
}

/// A test that fails again under the same name, for the next reason.
#[test]
fn a_test_that_fails_for_another_reason_is_a_further_layer() {
    if !python() {
        return;
    }
    let env = TestEnv::new();
    let test = "import unittest\n\n\nclass Check(unittest.TestCase):\n    def test_arity(self):\n        import pkg\n        \
                self.assertEqual(pkg.arity(lambda a, b: a), 2)\n";
    let files = [&LAYERED[..], &[("test_pkg.py", test)]].concat();
    let command = ["python3", "-B", "-m", "unittest", "test_pkg"];
    let project = failed_once(&env, &files, OPEN, &command);
    let (document, code) = env.json(project.root(), &["run", "--apply"]);
    assert_eq!((code, fates(&document)), (0, vec!["extended", "extended", "published"]), "{document}");
    on_branch(&env, &project, &published(&env, &project)[0], &command).expect_code(0);
}

#[test]
fn a_chain_that_is_longer_than_its_bounds_publishes_nothing_and_says_so() {
    if !python() {
        return;
    }
    for (bound, validations, reason) in [
        ("max_depth = 1", 1, None),
        ("max_depth = 2", 2, Some("`[layers] max_depth` is 2")),
        ("max_validations = 1", 2, Some("`[layers] max_validations` is 1")),
    ] {
        let env = TestEnv::new();
        let project = failed_once(&env, &LAYERED, &format!("{OPEN}[layers]\n{bound}\n"), &COMMAND);
        let before = project.fingerprint();
        let (document, code) = env.json(project.root(), &["run", "--apply"]);
        assert_eq!((code, no_further(&document)), (5, reason.into_iter().collect()), "{bound}: {document}");
        assert_eq!(fates(&document), vec!["failed"; validations], "{bound}: {document}");
        assert_eq!(logged(&env, &project, "validation_finished"), validations, "{bound}");
        assert_eq!(project.fingerprint(), before);
        assert!(published(&env, &project).is_empty());
        env.run(project.root(), &["log", "verify"]).expect_code(0);
    }
}

#[test]
fn what_no_gene_can_answer_ends_the_chain() {
    if !python() {
        return;
    }
    let env = TestEnv::new();
    let mut files = LAYERED;
    files[2].1 = "raise RuntimeError('the tide is out')\n";
    let project = failed_once(&env, &files, OPEN, &COMMAND);
    let (document, code) = env.json(project.root(), &["run", "--apply"]);
    assert_eq!((code, no_further(&document)), (5, vec!["nothing is proposed for it"]), "{document}");
    assert_eq!(fates(&document), ["failed"]);
    let text = env.run(project.root(), &["run", "--apply"]).expect_code(5).stdout;
    assert!(text.contains("No further  nothing is proposed for it"), "{text}");
}

#[test]
fn the_gate_judges_each_step_and_their_sum() {
    if !python() {
        return;
    }
    for (policy, reason) in [
        ("allow = [\"pkg/table.py\"]", "the gate refuses the step: "),
        ("allow = [\"**\"]\nmax_files = 1", "the gate refuses the sum of the steps: "),
        ("allow = [\"**\"]\nmax_risk = 22", "the gate refuses the sum of the steps: "),
        ("allow = [\"**\"]\nmax_patch_lines = 14", "the gate refuses the sum of the steps: "),
    ] {
        let env = TestEnv::new();
        let config = format!("[policy]\n{policy}\n[apply]\nenabled = true\n");
        let project = failed_once(&env, &TWO_LAYERS, &config, &COMMAND);
        let (document, code) = env.json(project.root(), &["run", "--apply"]);
        assert_eq!((code, fates(&document)), (5, vec!["failed"]), "{policy}: {document}");
        assert!(no_further(&document)[0].starts_with(reason), "{policy}: {document}");
        assert_eq!(last(&log_entries(&env, &project), "gated")["verdict"], "reject", "{policy}");
        assert!(published(&env, &project).is_empty());
    }
}

/// The command itself sets the kill switch when the second layer shows.
#[test]
fn the_kill_switch_stops_a_repair_between_two_steps() {
    if !python() {
        return;
    }
    let env = TestEnv::new();
    let check = "import os, sys\ntry:\n    import pkg\nexcept AttributeError:\n    stop = open(sys.argv[1]).read()\n    \
                 os.makedirs(os.path.dirname(stop), exist_ok=True)\n    open(stop, 'w').close()\n    raise\n";
    let config = format!("{OPEN}[validation]\nsandbox = \"L0\"\n");
    let files = [&LAYERED[..], &[("check.py", check), ("gephost.toml", &config)]].concat();
    let project = TestProject::new(&env, &files);
    let stop = project.root().join(".gephost/STOP");
    // Not in the command itself: there, paths of the project lead to the work copy.
    let place = env.home().join("stop.txt");
    fs::write(&place, stop.to_str().unwrap()).unwrap();
    let command = ["record", "--", "python3", "-B", "check.py", place.to_str().unwrap()];
    env.run(project.root(), &command).expect_code(1);
    assert!(!stop.exists(), "the first layer does not set it");
    let (document, code) = env.json(project.root(), &["run", "--apply"]);
    assert_eq!((code, &document["error"]["code"]), (2, &"kill_switch".into()), "{document}");
    assert!(stop.exists());
    assert_eq!(logged(&env, &project, "cycle_continued"), 0, "no step began");
    assert_eq!(logged(&env, &project, "cycle_ended"), 1);
    assert!(published(&env, &project).is_empty());
    fs::remove_file(stop).unwrap();
    env.run(project.root(), &["log", "verify"]).expect_code(0);
    assert_eq!(env.json(project.root(), &["status"]).1, 0);
}

/// gephost is killed while the third step is validated: the next start ends the cycle, and nothing is left.
#[test]
fn a_repair_that_is_killed_between_its_steps_is_ended_by_the_next_start() {
    if !python() {
        return;
    }
    let env = TestEnv::new();
    let check = "import time\nimport pkg\nif pkg.arity(lambda a, b: a) == 2:\n    open('started', 'w').close()\n    \
                 time.sleep(600)\n";
    let command = ["python3", "-B", "check.py"];
    let project = failed_once(&env, &[&LAYERED[..], &[("check.py", check)]].concat(), OPEN, &command);
    let before = project.fingerprint();
    let mut running = env
        .command(gephost(), project.root())
        .args(["run", "--apply"])
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_for_start(&env, &project);
    running.kill().unwrap();
    running.wait().unwrap();
    assert_eq!((logged(&env, &project, "cycle_continued"), logged(&env, &project, "cycle_ended")), (2, 0));
    let (_, code) = env.json(project.root(), &["undo", "--dry-run"]);
    assert_ne!(code, 70, "it does not panic");
    let entries = log_entries(&env, &project);
    let ended = last(&entries, "cycle_ended")["candidates"].as_array().unwrap();
    assert_eq!(ended.iter().map(|tried| tried["fate"].as_str().unwrap()).collect::<Vec<_>>(), ["stopped"; 3]);
    env.run(project.root(), &["log", "verify"]).expect_code(0);
    assert_eq!(project.fingerprint(), before);
    assert!(published(&env, &project).is_empty());
}

#[test]
fn autopilot_goes_on_too_within_its_risk() {
    if !python() {
        return;
    }
    let env = TestEnv::new();
    let config = |risk: u8| format!("{OPEN}[autopilot]\nmax_risk = {risk}\ncycle_delay_s = 0\n");
    let project = failed_once(&env, &LAYERED, &config(40), &COMMAND);
    let (document, code) = env.json(project.root(), &["autopilot", "--apply"]);
    assert_eq!((code, &document["cycles"][0]["outcome"]), (0, &"published".into()), "{document}");
    on_branch(&env, &project, &published(&env, &project)[0], &COMMAND).expect_code(0);

    // The first step has risk 21, the sum of both 23.
    let env = TestEnv::new();
    let project = failed_once(&env, &TWO_LAYERS, &config(21), &COMMAND);
    let (document, code) = env.json(project.root(), &["autopilot", "--apply"]);
    assert_eq!(document["cycles"][0]["outcome"], "waits", "{code}: {document}");
    assert!(published(&env, &project).is_empty());
    let entries = log_entries(&env, &project);
    let queued = last(&entries, "queued");
    assert_eq!((&queued["risk_score"], &queued["max_risk"]), (&23.into(), &21.into()));
    let waiting = queued["proposal"].as_str().unwrap();
    env.run(project.root(), &["approve", waiting, "--apply"]).expect_code(0);
    on_branch(&env, &project, &published(&env, &project)[0], &COMMAND).expect_code(0);
}

/// Each step is asked of the model again, with the failure that shows then.
#[test]
fn a_model_goes_on_too() {
    if !python() {
        return;
    }
    let first = "--- a/pkg/table.py\n+++ b/pkg/table.py\n@@ -1,3 +1,3 @@\n-from collections import Mapping\n+from \
                 collections.abc import Mapping\n \n \n";
    let second = "--- a/pkg/call.py\n+++ b/pkg/call.py\n@@ -2,4 +2,4 @@\n \n-STARTED = time.clock()\n+STARTED = \
                  time.perf_counter()\n \n \n";
    let fixed = [
        TWO_LAYERS[0],
        ("pkg/table.py", "from collections.abc import Mapping\n\n\nclass Table(dict, Mapping):\n    pass\n"),
        TWO_LAYERS[2],
    ];
    let script = [(&TWO_LAYERS, first), (&fixed, second)].map(|(files, diff)| Say::completion(&answer(files, diff)));
    let server = Scripted::new(script);
    let env = TestEnv::new();
    let table = format!("[model]\napi = \"openai\"\nendpoint = \"{}/v1\"\nname = \"m\"\n", server.address);
    env.write_config(&format!("{}{table}", gephost_tests::environment::trusting()));
    let project = failed_once(&env, &TWO_LAYERS, OPEN, &COMMAND);
    let (document, code) = env.json(project.root(), &["run", "--apply", "--diagnose", "model"]);
    assert_eq!((code, fates(&document)), (0, vec!["extended", "published"]), "{document}");
    let asked = server.asked();
    assert_eq!(asked.len(), 2);
    assert!(asked[1].prompt().contains("has no attribute 'clock'"), "{}", asked[1].prompt());
    assert!(!asked[1].prompt().contains("cannot import name 'Mapping'"), "{}", asked[1].prompt());
    on_branch(&env, &project, &published(&env, &project)[0], &COMMAND).expect_code(0);
}

/// What a model says of the failure that the command has with these files.
fn answer(files: &[(&str, &str)], diff: &str) -> String {
    let env = TestEnv::new();
    let project = failed_once(&env, files, OPEN, &COMMAND);
    let (document, _) = env.json(project.root(), &["diagnose"]);
    let finding = &document["findings"][0]["id"];
    json!({
        "summary": "a name has moved",
        "findings": [{ "id": finding, "hypothesis": "the name was removed", "direction": "pkg" }],
        "proposals": [{
            "finding": finding, "title": "use the name that is there", "objective": "the command works again",
            "evidence": ["Error"], "risk_level": "low", "unified_diff": diff, "tests_to_run": [],
            "rollback_plan": "revert",
        }],
    })
    .to_string()
}

/// A dry run validates nothing, so it has no steps and says nothing of them.
#[test]
fn a_dry_run_has_no_steps() {
    if !python() {
        return;
    }
    let env = TestEnv::new();
    let project = failed_once(&env, &LAYERED, OPEN, &COMMAND);
    let text = env.run(project.root(), &["run"]).expect_code(0).stdout;
    assert!(!text.to_lowercase().contains("step") && !text.contains("No further"), "{text}");
    assert_eq!(logged(&env, &project, "cycle_started"), 0);
}
