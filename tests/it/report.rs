//! `gephost status` and `gephost report`: what is going on, what came of it, and whether it did any good.

use std::fs;

use gephost_tests::environment::TestEnv;
use gephost_tests::project::TestProject;
use serde_json::{Value, json};

use crate::scene::{logged, published, quickstart, validated_by};

const UNITTEST: &str = "\"python3 -m unittest discover -s tests\"";
/// The quickstart's failure, as another machine says it.
const FAILURE: &str = "Traceback (most recent call last):\nImportError: cannot import name 'Mapping' from 'collections' \
                       (/opt/python/lib/collections/__init__.py)";

/// A session of Claude Code with so many calls of one day, of which so many fail as the quickstart does.
fn session(name: &str, day: &str, calls: usize, failures: usize) -> String {
    let mut text = String::new();
    for number in 0..calls {
        let id = format!("toolu_{name}{number}");
        let at = format!("{day}T{:02}:{:02}:00.000Z", number / 60, number % 60);
        let failed = number < failures;
        let content = if failed { FAILURE } else { "ok" };
        let asked = json!({ "type": "tool_use", "id": id, "name": "Bash", "input": { "command": "python3 -m stock" } });
        let answered = json!({ "type": "tool_result", "tool_use_id": id, "content": content, "is_error": failed });
        for (kind, role, part, uuid) in
            [("assistant", "assistant", asked, format!("{id}-a")), ("user", "user", answered, format!("{id}-b"))]
        {
            let line = json!({
                "type": kind, "sessionId": name, "uuid": uuid, "timestamp": at, "version": "2.1.0",
                "message": { "role": role, "content": [part] },
            });
            text.push_str(&format!("{line}\n"));
        }
    }
    text
}

/// The quickstart with a published repair; gives the branch. `before` calls of a day before that, some failing.
fn repaired(env: &TestEnv) -> (TestProject, String) {
    let config = format!("{}[autopilot]\ncycle_delay_s = 0\n", validated_by(UNITTEST));
    let project = quickstart(env, Some(&config));
    project.write("logs/before.jsonl", &session("before", "2026-02-01", 100, 30));
    project.commit_all(env);
    let ran = env.run(project.root(), &["run", "--apply"]).expect_code(0);
    assert!(!ran.stdout.contains("Evaluation"), "nothing can be told yet: {}", ran.stdout);
    let branch = published(env, &project)[0].clone();
    (project, branch)
}

fn evaluation(env: &TestEnv, project: &TestProject) -> Value {
    let (document, code) = env.json(project.root(), &["report"]);
    assert_eq!(code, 0, "{document}");
    document["evaluations"][0].clone()
}

#[test]
fn a_published_change_is_judged_by_what_happens_after_it() {
    if !crate::scene::python() {
        return;
    }
    for (failures, effect) in [(0, "improved"), (30, "unchanged"), (90, "worse")] {
        let env = TestEnv::new();
        let (project, branch) = repaired(&env);
        assert_eq!(evaluation(&env, &project)["effect"], "not_in_use");
        project.git(&env, &["merge", "-q", "--ff-only", &branch]);
        let found = evaluation(&env, &project);
        assert_eq!((&found["effect"], &found["minimum_calls"]), (&"not_enough".into(), &20.into()), "{found}");
        assert_eq!(logged(&env, &project, "evaluated"), 0);

        project.write("logs/after.jsonl", &session("after", "2199-01-01", 100, failures));
        let found = evaluation(&env, &project);
        assert_eq!(found["effect"], effect, "{found}");
        assert_eq!(found["after"], json!({ "calls": 100, "failures": failures }), "{found}");
        assert!(found["before"]["failures"].as_u64().unwrap() > 30, "the quickstart's own count too: {found}");
        // Said once, however often it is asked for.
        let ran = env.run(project.root(), &["report"]).expect_code(0);
        assert_eq!(ran.stdout.contains("gephost rollback gep-"), effect == "worse", "{}", ran.stdout);
        assert_eq!(logged(&env, &project, "evaluated"), 1);
        let (status, _) = env.json(project.root(), &["status"]);
        assert_eq!(status["branches"][0]["effect"], effect, "{status}");
        let (document, code) = env.json(project.root(), &["autopilot", "--apply"]);
        let stopped = document["stopped"]["code"] == "worse";
        assert_eq!((stopped, code == 1), (effect == "worse", effect == "worse"), "{document}");
        env.run(project.root(), &["log", "verify"]).expect_code(0);
    }
}

#[test]
fn t22_t24_a_report_counts_and_tells_the_story_of_a_cycle() {
    if !crate::scene::python() {
        return;
    }
    let env = TestEnv::new();
    let failing = validated_by(&format!("{UNITTEST}, \"python3 -m unittest absent\""));
    let project = quickstart(&env, Some(&failing));
    let ran = env.run(project.root(), &["run", "--apply"]).expect_code(5);
    assert!(ran.stdout.contains("| FAILED (errors=1)"), "how the failing command ended: {}", ran.stdout);
    project.write("gephost.toml", &validated_by(UNITTEST));
    env.run(project.root(), &["run", "--apply"]).expect_code(0);
    let (document, code) = env.json(project.root(), &["report"]);
    assert_eq!(code, 0, "{document}");
    let counts = &document["counts"];
    let figures = ["proposed", "passed", "attempted", "succeeded", "failed", "rolled_back"].map(|key| &counts[key]);
    assert_eq!(figures, [2, 2, 2, 1, 1, 0].map(|count| json!(count)).each_ref(), "{document}");
    assert_eq!(document["success_percent"], 50.0);
    assert_eq!(document["top_files"][0], json!({ "file": "inventory/store.py", "count": 2 }));
    let risks = document["risk_histogram"].as_array().unwrap();
    assert_eq!(risks.iter().filter_map(Value::as_u64).sum::<u64>(), 2, "{document}");

    let branch = published(&env, &project)[0].clone();
    let (by_branch, code) = env.json(project.root(), &["report", &branch]);
    assert_eq!(code, 0, "{by_branch}");
    let candidate = &by_branch["candidates"][0];
    assert_eq!(
        (&candidate["fate"], &candidate["branch"]),
        (&"published".into(), &branch.as_str().into()),
        "{by_branch}"
    );
    assert_eq!(candidate["validation_report"]["decision"], "fixed", "{by_branch}");
    let cycle = by_branch["cycle"]["cycle"].as_str().unwrap();
    assert_eq!(env.json(project.root(), &["report", cycle]).0, by_branch);
    let told = env.run(project.root(), &["report", &branch]).expect_code(0).stdout;
    for part in [
        "Finding",
        "by gene_gep_repair_from_errors",
        "risk",
        "published: fixed",
        "before exit 1",
        "after exit 0, 2 passed",
        &branch,
    ] {
        assert!(told.contains(part), "{part} is not in:\n{told}");
    }
    // The newest cycle with a proposal is the one that held.
    let id = candidate["proposal"].as_str().unwrap();
    let (newest, _) = env.json(project.root(), &["report", id]);
    assert_eq!(newest["candidates"][0]["fate"], "published", "{newest}");
    let (document, code) = env.json(project.root(), &["report", "evt_0"]);
    assert_eq!((code, &document["error"]["code"]), (2, &"unknown_id".into()), "{document}");
}

#[test]
fn t23_without_events_everything_is_nought_and_nothing_is_made() {
    let env = TestEnv::new();
    let project = TestProject::new(&env, &[("a.txt", "a\n")]);
    let (document, code) = env.json(project.root(), &["report"]);
    assert_eq!((code, &document["success_percent"], &document["counts"]["proposed"]), (0, &0.0.into(), &0.into()));
    let (status, code) = env.json(project.root(), &["status"]);
    assert_eq!((code, &status["last_cycle"], &status["may_apply"]), (0, &Value::Null, &false.into()), "{status}");
    assert!(!project.root().join(".gephost").exists() && !env.state_of(project.root()).exists());
    // Outside of any repository too.
    let folder = TestProject::without_git(&[("a.txt", "a\n")]);
    let (status, code) = env.json(folder.root(), &["status"]);
    assert_eq!((code, &status["head"]), (0, &Value::Null), "{status}");
    assert_eq!(fs::read_dir(folder.root()).unwrap().count(), 1);
}

#[test]
fn status_shows_locks_the_kill_switch_the_last_cycle_and_what_waits() {
    if !crate::scene::python() {
        return;
    }
    let env = TestEnv::new();
    let project = quickstart(&env, Some(&format!("{}[autopilot]\nmax_risk = 5\n", validated_by(UNITTEST))));
    env.run(project.root(), &["run", "--apply"]).expect_code(0);
    let (status, _) = env.json(project.root(), &["status"]);
    assert_eq!((&status["may_apply"], &status["kill_switch"]), (&true.into(), &false.into()), "{status}");
    assert_eq!(status["last_cycle"]["winner"], status["branches"][0]["proposal"], "{status}");
    assert_eq!(status["branches"][0]["branch"], published(&env, &project)[0].as_str());
    project.write(".gephost/STOP", "");
    let (status, _) = env.json(project.root(), &["status"]);
    assert_eq!((&status["may_apply"], &status["kill_switch"]), (&false.into(), &true.into()), "{status}");
    let told = env.run(project.root(), &["status"]).expect_code(0).stdout;
    assert!(told.contains("stopped by") && told.contains("STOP") && told.contains("published gep-"), "{told}");
    assert!(told.lines().count() <= 24, "one screen:\n{told}");
}
