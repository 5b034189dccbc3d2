//! `gephost autopilot`, `approve` and `reject`: cycles up to a risk, and a person's word for what is above it.

use std::fs;
use std::process::{Child, Stdio};
use std::time::Instant;

use gephost_tests::environment::{Ran, TestEnv, gephost};
use gephost_tests::project::TestProject;
use serde_json::Value;

use crate::scene::{MISSING_PROGRAM, log_entries, logged, published, quickstart, validated_by, wait_for_start};

const UNITTEST: &str = "\"python3 -m unittest discover -s tests\"";

/// The quickstart with these lines in `[autopilot]`, and a second failure.
fn scene(env: &TestEnv, commands: &str, autopilot: &str) -> TestProject {
    let config = format!("{}[autopilot]\ncycle_delay_s = 0\n{autopilot}", validated_by(commands));
    let project = quickstart(env, Some(&config));
    project.write("logs/another.jsonl", MISSING_PROGRAM);
    project.commit_all(env);
    project
}

fn outcomes(document: &Value) -> Vec<&str> {
    document["cycles"].as_array().unwrap().iter().map(|cycle| cycle["outcome"].as_str().unwrap()).collect()
}

#[test]
fn each_finding_is_taken_once_and_the_same_change_published_once() {
    if !crate::scene::python() {
        return;
    }
    let env = TestEnv::new();
    let project = scene(&env, UNITTEST, "");
    let before = project.fingerprint();
    let (document, code) = env.json(project.root(), &["autopilot", "--apply"]);
    assert_eq!((code, &document["stopped"]["code"]), (0, &"nothing_left".into()), "{document}");
    assert_eq!(outcomes(&document)[0], "published", "{document}");
    let adds_nothing = |outcome: &&str| matches!(*outcome, "known" | "no_proposal");
    assert!(outcomes(&document)[1..].iter().all(adds_nothing), "{document}");
    assert_eq!(published(&env, &project).len(), 1);
    assert_eq!(project.fingerprint(), before);
    // What it did is in the log, so that another start does nothing again.
    let (document, code) = env.json(project.root(), &["autopilot", "--apply"]);
    assert_eq!((code, outcomes(&document).len()), (0, 0), "{document}");
    assert_eq!(document["passed_over"].as_array().unwrap().len(), 2, "{document}");
    assert_eq!(published(&env, &project).len(), 1);
    assert_eq!(logged(&env, &project, "autopilot_stopped"), 2);
    env.run(project.root(), &["log", "verify"]).expect_code(0);
}

#[test]
fn t33_a_dry_run_says_what_it_would_do_and_applies_nothing() {
    let env = TestEnv::new();
    let project = scene(&env, UNITTEST, "max_cycles = 1\n");
    let before = project.fingerprint();
    let (document, code) = env.json(project.root(), &["autopilot"]);
    assert_eq!((code, &document["dry_run"]), (0, &true.into()), "{document}");
    assert_eq!(document["stopped"]["code"], "max_cycles", "{document}");
    assert_eq!(document["cycles"][0]["candidates"].as_array().unwrap().len(), 1, "{document}");
    assert_eq!(project.fingerprint(), before);
    assert!(published(&env, &project).is_empty());
    for kind in ["apply_intent", "applied", "autopilot_started", "autopilot_took", "queued"] {
        assert_eq!(logged(&env, &project, kind), 0, "{kind}");
    }
    assert_eq!(logged(&env, &project, "proposed"), 1);
}

#[test]
fn t32_without_events_there_is_nothing_to_take() {
    let env = TestEnv::new();
    let project = TestProject::new(&env, &[("gephost.toml", "[apply]\nenabled = true\n")]);
    let (document, code) = env.json(project.root(), &["autopilot", "--apply"]);
    assert_eq!((code, outcomes(&document).len()), (0, 0), "{document}");
    assert_eq!(document["stopped"]["code"], "nothing_left", "{document}");
    assert_eq!(logged(&env, &project, "proposed"), 0);
}

#[test]
fn each_lock_alone_stops_it_and_is_named() {
    let closed = validated_by(UNITTEST).replace("enabled = true", "enabled = false");
    let dry = format!("dry_run = true\n{}", validated_by(UNITTEST));
    for (config, named) in [(closed, "enabled = true"), (dry, "dry_run = true")] {
        let env = TestEnv::new();
        let project = quickstart(&env, Some(&config));
        let ran = env.run(project.root(), &["autopilot", "--apply"]).expect_code(2);
        assert!(ran.stderr.contains(named), "{}", ran.stderr);
        assert_eq!(logged(&env, &project, "autopilot_started"), 0);
    }
}

#[test]
fn what_is_too_risky_waits_and_a_person_lets_it_pass() {
    if !crate::scene::python() {
        return;
    }
    let env = TestEnv::new();
    let project = scene(&env, UNITTEST, "max_risk = 5\n");
    let before = project.fingerprint();
    let (document, code) = env.json(project.root(), &["autopilot", "--apply"]);
    assert_eq!((code, &document["stopped"]["code"]), (8, &"waits_for_approval".into()), "{document}");
    assert_eq!(outcomes(&document), ["waits"], "{document}");
    let id = document["waiting"][0]["proposal"].as_str().unwrap().to_owned();
    assert!(document["waiting"][0]["risk_score"].as_u64().unwrap() > 5, "{document}");
    assert!(published(&env, &project).is_empty());
    // It stays where it is until a person says something.
    let (document, code) = env.json(project.root(), &["autopilot", "--apply"]);
    assert_eq!((code, outcomes(&document).len()), (8, 0), "{document}");
    let (listed, code) = env.json(project.root(), &["approve", "--list"]);
    assert_eq!((code, &listed["waiting"][0]["proposal"]), (0, &id.as_str().into()), "{listed}");
    // Looking approves nothing.
    env.run(project.root(), &["approve", &id]).expect_code(0);
    assert_eq!((logged(&env, &project, "approved"), published(&env, &project).len()), (0, 0));

    let (document, code) = env.json(project.root(), &["approve", &id[..8], "--apply", "--by", "Ada\nLovelace"]);
    assert_eq!((code, &document["approver"]), (0, &"Ada Lovelace".into()), "{document}");
    let branch = &published(&env, &project)[0];
    let message = project.git(&env, &["log", "-1", "--format=%B", branch]);
    assert!(
        message.lines().any(|line| line.starts_with("Gephost-Appro") && line.ends_with(": Ada Lovelace")),
        "{message}"
    );
    assert_eq!(project.fingerprint(), before);
    let entries = log_entries(&env, &project);
    let kinds: Vec<&str> = entries.iter().map(|entry| entry["kind"].as_str().unwrap()).collect();
    let at = |kind: &str| kinds.iter().rposition(|known| *known == kind).unwrap_or_else(|| panic!("no {kind}"));
    assert!(at("queued") < at("approved") && at("approved") < at("apply_intent"), "{kinds:?}");
    assert_eq!(entries[at("apply_intent")]["approver"], "Ada Lovelace");
    let (document, code) = env.json(project.root(), &["approve", &id, "--apply"]);
    assert_eq!((code, &document["error"]["code"]), (2, &"not_waiting".into()), "{document}");
    env.run(project.root(), &["autopilot", "--apply"]).expect_code(0);
    assert_eq!(published(&env, &project).len(), 1);
}

/// A project with one proposal that waits; gives its id.
fn waiting(env: &TestEnv) -> (TestProject, String) {
    let project = scene(env, UNITTEST, "max_risk = 5\n");
    let (document, code) = env.json(project.root(), &["autopilot", "--apply"]);
    assert_eq!(code, 8, "{document}");
    let id = document["waiting"][0]["proposal"].as_str().unwrap().to_owned();
    (project, id)
}

#[test]
fn what_a_person_rejects_is_not_tried_again() {
    let env = TestEnv::new();
    let (project, id) = waiting(&env);
    env.run(project.root(), &["reject", &id]).expect_code(2);
    env.run(project.root(), &["reject", &id, "--why", " "]).expect_code(2);
    env.run(project.root(), &["reject", "gep-unknown", "--why", "x"]).expect_code(2);
    let secret = ["ghp_", "0123456789abcdefghij0123456789abcdef"].concat();
    let why = format!("not now, and not with {secret}");
    env.run(project.root(), &["reject", &id, "--why", &why, "--by", "Ada"]).expect_code(0);
    let log = fs::read_to_string(env.state_of(project.root()).join("log.jsonl")).unwrap();
    assert!(log.contains("not now") && log.contains("\"Ada\"") && !log.contains(&secret));
    let (document, code) = env.json(project.root(), &["autopilot", "--apply"]);
    assert_eq!(code, 0, "{document}");
    // Other findings give the same change: it stays rejected.
    assert!(outcomes(&document).iter().all(|outcome| *outcome == "known"), "{document}");
    assert!(published(&env, &project).is_empty());
    env.run(project.root(), &["approve", &id, "--apply"]).expect_code(2);
}

#[test]
fn approval_is_judged_on_the_base_of_now_and_holds_for_what_was_queued_only() {
    let env = TestEnv::new();
    let (project, id) = waiting(&env);
    let saved = env.state_of(project.root()).join(format!("proposals/{id}.json"));
    let text = fs::read_to_string(&saved).unwrap();
    fs::write(&saved, text.replacen("Mapping", "Zapping", 1)).unwrap();
    let (document, code) = env.json(project.root(), &["approve", &id, "--apply"]);
    assert_eq!((code, &document["error"]["code"]), (2, &"proposal".into()), "{document}");
    fs::write(&saved, &text).unwrap();
    // The base moved: the proposal's whole new content would take that back.
    project.write("inventory/store.py", "STORE = 1\n");
    project.commit_all(&env);
    for command in [vec!["approve", &id], vec!["approve", &id, "--apply"]] {
        let (document, code) = env.json(project.root(), &command);
        assert_eq!((code, &document["error"]["code"]), (6, &"stale_base".into()), "{document}");
    }
    // The policy of now counts, and not that of then.
    project.git(&env, &["reset", "-q", "--hard", "HEAD^"]);
    let config = fs::read_to_string(project.root().join("gephost.toml")).unwrap();
    project.write("gephost.toml", &config.replace("allow = [\"inventory/\"]", "allow = [\"docs/\"]"));
    let (document, code) = env.json(project.root(), &["approve", &id, "--apply"]);
    assert_eq!((code, document["applied"].is_null()), (3, true), "{document}");
    assert!(published(&env, &project).is_empty());
    assert_eq!(logged(&env, &project, "approved"), 0);
    // Every lock holds for a person too.
    project.write("gephost.toml", &config.replace("enabled = true", "enabled = false"));
    let ran = env.run(project.root(), &["approve", &id, "--apply"]).expect_code(2);
    assert!(ran.stderr.contains("enabled = true"), "{}", ran.stderr);
}

#[test]
fn f16_a_failed_validation_is_not_applied_and_stops_it_where_the_config_says_so() {
    if !crate::scene::python() {
        return;
    }
    for (stops, code, stopped) in [(true, 5, "stop_on_failure"), (false, 0, "nothing_left")] {
        let env = TestEnv::new();
        let commands = format!("{UNITTEST}, \"python3 -m unittest absent\"");
        let project = scene(&env, &commands, &format!("stop_on_failure = {stops}\n"));
        let (document, ended) = env.json(project.root(), &["autopilot", "--apply"]);
        assert_eq!((ended, &document["stopped"]["code"]), (code, &stopped.into()), "{document}");
        assert_eq!(outcomes(&document)[0], "failed", "{document}");
        assert_eq!(logged(&env, &project, "applied"), 0);
        assert!(published(&env, &project).is_empty());
        assert_eq!(logged(&env, &project, "validation_finished"), 1, "the same change is not tried twice on one base");
    }
}

#[test]
fn the_wall_time_ends_a_session_that_waits_for_its_next_cycle() {
    if !crate::scene::python() {
        return;
    }
    let env = TestEnv::new();
    let config = format!("{}[autopilot]\n", validated_by("\"python3 -m unittest absent\""));
    let hour = "cycle_delay_s = 3600\nmax_wall_s = 60\nstop_on_failure = false\n";
    let project = quickstart(&env, Some(&format!("{config}{hour}")));
    let began = Instant::now();
    let (document, code) = env.json(project.root(), &["autopilot", "--apply"]);
    assert_eq!((code, &document["stopped"]["code"]), (7, &"max_wall_s".into()), "{document}");
    assert_eq!(outcomes(&document), ["failed"], "{document}");
    assert!((1..600).contains(&began.elapsed().as_secs()), "{:?}", began.elapsed());
    assert_eq!(logged(&env, &project, "autopilot_stopped"), 1);
}

#[test]
fn the_wall_time_ends_a_cycle_that_runs_over() {
    if !crate::scene::python() {
        return;
    }
    let env = TestEnv::new();
    let project = scene(&env, UNITTEST, "max_wall_s = 25\n");
    project.write("tests/test_slow.py", "import time\ntime.sleep(600)\n");
    project.commit_all(&env);
    let before = project.fingerprint();
    let began = Instant::now();
    let (document, code) = env.json(project.root(), &["autopilot", "--apply"]);
    assert_eq!((code, &document["stopped"]["code"]), (7, &"max_wall_s".into()), "{document}");
    assert_eq!(outcomes(&document), ["out_of_budget"], "{document}");
    assert!((25..600).contains(&began.elapsed().as_secs()), "{:?}", began.elapsed());
    assert_eq!(project.fingerprint(), before);
    assert!(published(&env, &project).is_empty());
    let entries = log_entries(&env, &project);
    let last = |kind: &str| entries.iter().rfind(|entry| entry["kind"] == kind).unwrap_or_else(|| panic!("no {kind}"));
    assert_eq!(last("cycle_ended")["candidates"][0]["fate"], "stopped");
    assert_eq!(last("autopilot_left")["outcome"], "out_of_budget");
    for kind in ["apply_failed", "autopilot_left", "autopilot_stopped"] {
        let reason = last(kind)["reason"].as_str().unwrap();
        assert!(reason.contains("`[autopilot] max_wall_s` is over"), "{kind}: {reason}");
    }
    env.run(project.root(), &["log", "verify"]).expect_code(0);
    // It was not tried to its end, so another session takes it again, with nothing new about it.
    let (document, _) = env.json(project.root(), &["autopilot"]);
    assert_eq!(outcomes(&document)[0], "published", "{document}");
}

#[test]
fn the_wall_time_ends_a_gene_that_runs_over() {
    let env = TestEnv::new();
    let limits = "max_wall_s = 3\n[budgets]\nwall_ms = 600000\nfuel = 1000000000000000\n";
    let project = scene(&env, UNITTEST, limits);
    let gene = env.home().join("gene.wasm");
    fs::write(&gene, crate::guests::heuristic("endless_loop")).unwrap();
    let began = Instant::now();
    let (document, code) = env.json(project.root(), &["autopilot", "--gene", gene.to_str().unwrap()]);
    assert_eq!((code, &document["stopped"]["code"]), (7, &"max_wall_s".into()), "{document}");
    assert!((3..300).contains(&began.elapsed().as_secs()), "{:?}", began.elapsed());
}

#[test]
fn a_change_that_a_person_took_back_is_not_made_again() {
    if !crate::scene::python() {
        return;
    }
    let env = TestEnv::new();
    let project = scene(&env, UNITTEST, "");
    env.run(project.root(), &["run", "--apply"]).expect_code(0);
    env.run(project.root(), &["undo", "--why", "not like this"]).expect_code(0);
    let (document, code) = env.json(project.root(), &["autopilot", "--apply"]);
    assert_eq!((code, outcomes(&document)[0]), (0, "known"), "{document}");
    let reason = document["cycles"][0]["reason"].as_str().unwrap();
    assert!(reason.contains("a person rolled it back (not like this)"), "{reason}");
    assert!(published(&env, &project).is_empty());
    // Whoever wants it after all applies it.
    env.run(project.root(), &["run", "--apply"]).expect_code(0);
    assert_eq!(published(&env, &project).len(), 1);
}

#[test]
fn a_change_that_was_merged_and_taken_back_by_hand_is_not_made_again() {
    if !crate::scene::python() {
        return;
    }
    let env = TestEnv::new();
    let project = scene(&env, UNITTEST, "");
    env.run(project.root(), &["autopilot", "--apply"]).expect_code(0);
    let branch = published(&env, &project)[0].clone();
    project.git(&env, &["merge", "-q", "--ff-only", &branch]);
    project.git(&env, &["revert", "--no-edit", "HEAD"]);
    // The base is another one, so the findings are taken again; the change is the one that stands on the branch.
    let (document, code) = env.json(project.root(), &["autopilot", "--apply"]);
    assert_eq!(code, 0, "{document}");
    assert!(!outcomes(&document).is_empty(), "{document}");
    assert!(outcomes(&document).iter().all(|outcome| *outcome == "known"), "{document}");
    assert_eq!(published(&env, &project).len(), 1);
}

#[test]
fn the_kill_switch_stops_every_apply_before_it_begins() {
    let env = TestEnv::new();
    let (project, id) = waiting(&env);
    project.write(".gephost/STOP", "");
    let entries = log_entries(&env, &project).len();
    for command in [vec!["autopilot", "--apply"], vec!["approve", &id, "--apply"]] {
        let ran = env.run(project.root(), &command).expect_code(2);
        assert!(ran.stderr.contains("STOP") && ran.stderr.contains("remove the file"), "{}", ran.stderr);
    }
    assert_eq!(log_entries(&env, &project).len(), entries);
    env.run(project.root(), &["run", "--apply"]).expect_code(2);
    assert_eq!(logged(&env, &project, "apply_intent"), 0);
    assert!(published(&env, &project).is_empty());
}

/// A slow validation, and autopilot at work on it.
fn at_work(env: &TestEnv) -> (TestProject, Child) {
    let project = scene(env, "\"python3 -m unittest slow\"", "");
    project.write("slow.py", "import time\nopen('started', 'w').close()\ntime.sleep(60)\n");
    project.commit_all(env);
    let mut command = env.command(gephost(), project.root());
    let child = command.args(["autopilot", "--apply"]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    wait_for_start(env, &project);
    (project, child)
}

fn signal(env: &TestEnv, name: &str, child: &Child) {
    let id = child.id().to_string();
    assert!(env.command("kill", env.home()).args([name, &id]).status().unwrap().success());
}

fn work_is_left(env: &TestEnv, project: &TestProject) -> bool {
    let work = fs::read_dir(env.work_of(project.root())).unwrap();
    work.flatten().any(|entry| entry.path().is_dir())
}

#[test]
fn an_interrupt_leaves_nothing_and_a_second_gephost_is_told_who_works() {
    if !crate::scene::python() {
        return;
    }
    let env = TestEnv::new();
    let (project, child) = at_work(&env);
    let before = project.fingerprint();
    // A dry run beside it is no harm.
    env.run(project.root(), &["run"]).expect_code(0);
    for command in [["autopilot", "--apply"], ["run", "--apply"]] {
        let ran = env.run(project.root(), &command).expect_code(6);
        let holder = format!("process {} runs `gephost autopilot` since 2", child.id());
        assert!(ran.stderr.contains(&holder), "{}", ran.stderr);
    }
    signal(&env, "-TERM", &child);
    let ran = Ran::of(child.wait_with_output().unwrap()).expect_code(130);
    assert!(ran.stderr.contains("interrupted"), "{}", ran.stderr);
    assert_eq!(project.fingerprint(), before);
    assert!(published(&env, &project).is_empty() && !work_is_left(&env, &project));
    assert_eq!((logged(&env, &project, "apply_failed"), logged(&env, &project, "autopilot_stopped")), (1, 1));
    env.run(project.root(), &["log", "verify"]).expect_code(0);
}

#[test]
fn a_killed_session_goes_on_counting_and_takes_nothing_twice() {
    if !crate::scene::python() {
        return;
    }
    let env = TestEnv::new();
    let (project, child) = at_work(&env);
    signal(&env, "-KILL", &child);
    drop(child.wait_with_output());
    assert_eq!(logged(&env, &project, "autopilot_stopped"), 0);
    let config = fs::read_to_string(project.root().join("gephost.toml")).unwrap();
    project.write(
        "gephost.toml",
        &config
            .replace("unittest slow", "unittest absent")
            .replace("cycle_delay_s = 0", "cycle_delay_s = 0\nmax_cycles = 2\nstop_on_failure = false"),
    );
    let (document, code) = env.json(project.root(), &["autopilot", "--apply"]);
    assert_eq!((code, &document["stopped"]["code"]), (0, &"max_cycles".into()), "{document}");
    assert_eq!(outcomes(&document).len(), 1, "one was counted before: {document}");
    let entries = log_entries(&env, &project);
    let mut took: Vec<&Value> = entries.iter().filter(|entry| entry["kind"] == "autopilot_took").collect();
    took.dedup_by_key(|entry| entry["finding"]["id"].clone());
    assert_eq!(took.len(), 2, "two findings, each once");
    let started: Vec<&Value> = entries.iter().filter(|entry| entry["kind"] == "autopilot_started").collect();
    assert_eq!((&started[0]["resumed"], &started[1]["resumed"]), (&false.into(), &true.into()));
    assert!(!work_is_left(&env, &project), "the next start removes what a kill left");
}

#[test]
fn a_second_interrupt_ends_it_at_once() {
    if !crate::scene::python() {
        return;
    }
    let env = TestEnv::new();
    let (_project, child) = at_work(&env);
    signal(&env, "-INT", &child);
    signal(&env, "-INT", &child);
    Ran::of(child.wait_with_output().unwrap()).expect_code(130);
}
