//! The faults of flow F1 to F16 that systems of this kind were found with, and the failure table of seed 004 section 8.
//!
//! | case | also at |
//! |---|---|
//! | F1, F2 over every state of a repository | `worktree/fingerprint.rs` |
//! | F6 every title | `worktree/branch_name.rs` |
//! | F8 the base of each | `worktree/publish.rs` |
//! | F11, F16 in the log's figures | `core/event_log/tally.rs` |
//! | F15 trailers | `worktree/message.rs` |
//! | F16 in autopilot | `autopilot::f16_a_failed_validation_is_not_applied_and_stops_it_where_the_config_says_so` |
//! | section 8, what a model answers is no JSON, or nothing | `model/answers.rs`, `seed_004_row_…` |

use std::fs;
use std::os::unix::fs::PermissionsExt;

use gephost_tests::environment::{Ran, TestEnv, gephost, make_program};
use gephost_tests::project::TestProject;
use serde_json::{Value, json};

use crate::scene::{log_entries, logged, published, quickstart, value_config, value_project};

const DIFF: &str = "--- a/app/value.py\n+++ b/app/value.py\n@@ -1 +1 @@\n-VALUE = 1\n+VALUE = 2\n";
/// Breaks the test, and brings a file.
const WRONG: &str = "--- a/app/value.py\n+++ b/app/value.py\n@@ -1 +1 @@\n-VALUE = 1\n+VALUE = 3\n--- /dev/null\n+++ b/app/new.py\n@@ -0,0 +1 @@\n+NEW = 1\n";

/// Writes a proposal with the diff and these members.
fn propose(project: &TestProject, members: Value) {
    let mut proposal = json!({ "title": "Repair", "objective": "o", "risk_level": "low", "unified_diff": DIFF });
    for (name, value) in members.as_object().unwrap() {
        proposal[name] = value.clone();
    }
    project.write("proposal.json", &proposal.to_string());
}

fn apply(env: &TestEnv, project: &TestProject, file: &str) -> (Value, i32) {
    env.json(project.root(), &["apply", file, "--apply"])
}

/// Applies a file that must not be applied, and checks that everything is as it was.
fn comes_to_nothing(env: &TestEnv, project: &TestProject, file: &str, code: i32) -> Value {
    let before = (project.fingerprint(), published(env, project));
    let (document, found) = apply(env, project, file);
    assert_eq!(found, code, "{document}");
    assert_eq!((project.fingerprint(), published(env, project)), before);
    assert_eq!(logged(env, project, "applied"), 0);
    document
}

#[test]
fn f01_tests_that_fail_leave_tree_index_head_and_branches_as_they_were() {
    let env = TestEnv::new();
    let Some(project) = value_project(&env, "") else { return };
    project.write("wrong.diff", WRONG);
    let document = comes_to_nothing(&env, &project, "wrong.diff", 5);
    assert_eq!(document["applied"]["success"], false, "{document}");
    assert_eq!(logged(&env, &project, "apply_failed"), 1);
}

#[test]
fn f02_a_dirty_tree_stays_and_only_gated_paths_are_committed() {
    let env = TestEnv::new();
    let Some(project) = value_project(&env, "") else { return };
    for (path, text) in [("app/value.py", "half an edit"), ("untracked.txt", "mine\n"), (".env.local", "PORT=1\n")] {
        project.write(path, text);
    }
    let before = project.fingerprint();
    assert_eq!(apply(&env, &project, "change.diff").1, 0);
    assert_eq!(project.fingerprint(), before);
    let branch = &published(&env, &project)[0];
    assert_eq!(project.git(&env, &["diff", "--name-only", "main", branch]), "app/value.py\n");
}

#[test]
fn f03_without_a_repository_nothing_is_applied() {
    let env = TestEnv::new();
    let config = value_config("");
    let project = TestProject::without_git(&[("gephost.toml", &config), ("app/value.py", "VALUE = 1\n"), ("d", DIFF)]);
    let before = project.fingerprint();
    let ran = env.run(project.root(), &["apply", "d", "--apply"]).expect_code(2);
    assert!(ran.stderr.contains("not in a git repository"), "{}", ran.stderr);
    assert_eq!(project.fingerprint(), before);
}

#[test]
fn f04_no_command_applies_what_the_config_forbids() {
    let env = TestEnv::new();
    let Some(project) = value_project(&env, "") else { return };
    let open = value_config("");
    for (config, named) in
        [(format!("dry_run = true\n{open}"), "dry_run"), (open.replace("enabled = true", "enabled = false"), "enabled")]
    {
        project.write("gephost.toml", &config);
        let before = project.fingerprint();
        for command in [vec!["apply", "change.diff", "--apply"], vec!["autopilot", "--apply"], vec!["run", "--apply"]] {
            let ran = env.run(project.root(), &command).expect_code(2);
            assert!(ran.stderr.contains(named), "{command:?}: {}", ran.stderr);
        }
        assert_eq!(project.fingerprint(), before);
    }
}

#[test]
fn f05_ids_are_whole_where_the_text_around_them_is_redacted() {
    let env = TestEnv::new();
    let Some(project) = value_project(&env, "") else { return };
    let secret = format!("ghp_{}", "a1B2c3D4e5".repeat(4).get(..36).unwrap());
    let why = format!("the token {secret} is in the way");
    let (document, code) = env.json(project.root(), &["apply", "change.diff", "--apply", "--why", &why]);
    assert_eq!(code, 0, "{document}");
    let event = document["applied"]["event"].as_str().unwrap();
    assert!(event.starts_with("evt_") && event[4..].bytes().all(|byte| byte.is_ascii_digit()), "{event}");
    let entries = log_entries(&env, &project);
    let applied = entries.iter().find(|entry| entry["kind"] == "applied").unwrap();
    assert_eq!((&applied["event"], &applied["proposal"]), (&event.into(), &document["applied"]["proposal"]));
    let events = fs::read_to_string(project.root().join(".gephost/gep/events.jsonl")).unwrap();
    assert!(events.contains(event), "{events}");
    for text in [events, fs::read_to_string(env.state_of(project.root()).join("log.jsonl")).unwrap()] {
        assert!(!text.contains(&secret));
    }
}

#[test]
fn f06_a_title_that_no_branch_may_have_gives_a_branch_and_an_end_in_the_log() {
    let env = TestEnv::new();
    let Some(project) = value_project(&env, "") else { return };
    propose(&project, json!({ "title": "fix: tool~retry ^:? a..b [x] \\ @{ .lock\nand more.lock" }));
    let (document, code) = apply(&env, &project, "proposal.json");
    assert_eq!(code, 0, "{document}");
    let branch = document["applied"]["branch"].as_str().unwrap();
    project.git(&env, &["check-ref-format", "--branch", branch]);
    assert_eq!((logged(&env, &project, "applied"), logged(&env, &project, "cycle_ended")), (1, 1));
}

#[test]
fn f07_a_commit_hook_that_fails_is_never_asked() {
    let env = TestEnv::new();
    let Some(project) = value_project(&env, "") else { return };
    for hook in ["pre-commit", "commit-msg", "reference-transaction", "post-commit"] {
        let path = project.root().join(".git/hooks").join(hook);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, "#!/bin/sh\ntouch \"$(dirname \"$0\")/ran\"\nexit 1\n").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    }
    assert_eq!(apply(&env, &project, "change.diff").1, 0);
    assert!(!project.root().join(".git/hooks/ran").exists());
}

#[test]
fn f08_two_applies_in_a_row_start_from_the_same_base() {
    let env = TestEnv::new();
    let Some(project) = value_project(&env, "") else { return };
    let main = project.git(&env, &["rev-parse", "main"]);
    for _ in 0..2 {
        assert_eq!(apply(&env, &project, "change.diff").1, 0);
    }
    let branches = published(&env, &project);
    assert_eq!(branches.len(), 2);
    for branch in branches {
        assert_eq!(project.git(&env, &["rev-parse", &format!("{branch}^")]), main);
    }
}

#[test]
fn f09_exactly_the_listed_commands_run_and_only_those_that_may() {
    let env = TestEnv::new();
    let Some(project) = value_project(&env, "") else { return };
    propose(&project, json!({ "tests_to_run": ["python3 -m unittest test_value"] }));
    let (document, code) = apply(&env, &project, "proposal.json");
    assert_eq!(code, 0, "{document}");
    let commands = document["applied"]["commands"].as_array().unwrap();
    let commands: Vec<_> = commands.iter().map(|run| run["command"].as_str().unwrap()).collect();
    assert_eq!(commands, ["python3 -m unittest", "python3 -m unittest test_value"]);
    env.run(project.root(), &["undo"]).expect_code(0);
    propose(&project, json!({ "tests_to_run": ["false"] }));
    let (document, code) = apply(&env, &project, "proposal.json");
    assert_eq!(code, 3, "{document}");
    assert!(document["verdict"].to_string().contains("false"), "{document}");
    assert!(published(&env, &project).is_empty());
}

#[test]
fn f10_a_repository_without_tests_has_a_verdict_of_its_own() {
    let env = TestEnv::new();
    let Some(project) = value_project(&env, "") else { return };
    project.git(&env, &["rm", "-q", "test_value.py"]);
    project.commit_all(&env);
    let document = comes_to_nothing(&env, &project, "change.diff", 5);
    assert_eq!(document["applied"]["decision"], "no_tests", "{document}");
}

#[test]
fn f11_a_dry_run_is_never_counted_as_an_apply() {
    let env = TestEnv::new();
    let Some(project) = value_project(&env, "") else { return };
    for _ in 0..3 {
        env.run(project.root(), &["apply", "change.diff"]).expect_code(0);
    }
    for kind in ["apply_intent", "applied", "apply_failed", "cycle_started"] {
        assert_eq!(logged(&env, &project, kind), 0, "{kind}");
    }
}

/// A log of one session with as many failures, at this time.
fn session(project: &TestProject, name: &str, day: &str, calls: usize) {
    let line = |kind: &str, at: usize, rest: &str| {
        format!(
            "{{\"timestamp\":\"{day}T00:00:{at:02}Z\",\"session_key\":\"{name}\",\"event_type\":\"{kind}\",\"channel\":\"cli\"{rest}}}\n"
        )
    };
    let text: String = (0..calls)
        .map(|at| {
            line("tool_start", at, ",\"tool_name\":\"exec\"")
                + &line(
                    "tool_end",
                    at,
                    ",\"tool_name\":\"exec\",\"success\":false,\"error\":\"no such file\",\"duration_ms\":1.0",
                )
        })
        .collect();
    project.write(&format!("runs/{name}/{}.jsonl", day.replace('-', "")), &text);
}

/// The most calls that one finding over those logs counts.
fn occurrences(env: &TestEnv, project: &TestProject, options: &[&str]) -> u64 {
    let mut command = vec!["diagnose", "--log", "runs"];
    command.extend(options);
    let (document, code) = env.json(project.root(), &command);
    assert_eq!(code, 0, "{document}");
    let findings = document["findings"].as_array().unwrap();
    findings.iter().map(|finding| finding["occurrences"].as_u64().unwrap()).max().unwrap_or(0)
}

#[test]
fn f12_events_of_years_ago_are_not_of_the_last_hour() {
    let env = TestEnv::new();
    let Some(project) = value_project(&env, "") else { return };
    session(&project, "old", "2019-01-02", 4);
    let (all, last) = (occurrences(&env, &project, &[]), occurrences(&env, &project, &["--since", "1"]));
    assert!(all > 0 && last == 0, "{all} failures, and {last} in the last hour");
}

#[test]
fn f13_the_most_events_is_over_all_sessions() {
    let env = TestEnv::new();
    let Some(project) = value_project(&env, "") else { return };
    session(&project, "one", "2025-01-02", 10);
    session(&project, "two", "2025-01-03", 10);
    let (all, ten) = (occurrences(&env, &project, &[]), occurrences(&env, &project, &["--max-events", "10"]));
    assert!(all > 5 && (1..=5).contains(&ten), "{all} failed calls; ten events are five, and {ten} are counted");
}

#[test]
fn f14_a_risk_that_a_proposal_says_of_itself_is_not_believed() {
    let env = TestEnv::new();
    let Some(project) = value_project(&env, "") else { return };
    let diff = "--- /dev/null\n+++ b/.env\n@@ -0,0 +1 @@\n+A=1\n";
    propose(&project, json!({ "unified_diff": diff, "files_touched": [], "risk_level": "low" }));
    let document = comes_to_nothing(&env, &project, "proposal.json", 3);
    assert!(document["verdict"].to_string().contains(".env"), "{document}");
    assert!(document["verdict"]["risk_score"].as_u64().unwrap() > 30, "{document}");
}

#[test]
fn f15_a_newline_in_the_title_starts_no_trailer() {
    let env = TestEnv::new();
    let Some(project) = value_project(&env, "") else { return };
    propose(&project, json!({ "title": "Repair\n\nGephost-Approver: somebody else\nSigned-off-by: x" }));
    let (document, code) = apply(&env, &project, "proposal.json");
    assert_eq!(code, 0, "{document}");
    let branch = document["applied"]["branch"].as_str().unwrap();
    let approver = project.git(&env, &["log", "-1", "--format=%(trailers:key=Gephost-Approver,valueonly)", branch]);
    assert!(approver.starts_with("tester@") && approver.trim().lines().count() == 1, "{approver}");
    assert_eq!(project.git(&env, &["log", "-1", "--format=%(trailers:key=Signed-off-by)", branch]).trim(), "");
    assert_eq!(project.git(&env, &["log", "-1", "--format=%s", branch]).lines().count(), 1);
}

#[test]
fn f16_an_apply_that_failed_says_so_everywhere() {
    let env = TestEnv::new();
    let Some(project) = value_project(&env, "") else { return };
    project.write("wrong.diff", WRONG);
    let document = comes_to_nothing(&env, &project, "wrong.diff", 5);
    assert_eq!((&document["ok"], &document["applied"]["branch"]), (&false.into(), &Value::Null), "{document}");
    let (report, code) = env.json(project.root(), &["report"]);
    assert_eq!(code, 0);
    assert!(report.to_string().contains("\"succeeded\":0"), "{report}");
}

#[test]
fn section_8_what_the_gate_rejects_is_not_applied_and_the_reasons_are_told_and_kept() {
    let env = TestEnv::new();
    let Some(project) = value_project(&env, "") else { return };
    let diff = "--- a/test_value.py\n+++ b/test_value.py\n@@ -1 +1,2 @@\n import unittest\n+# more\n";
    propose(&project, json!({ "unified_diff": diff }));
    let document = comes_to_nothing(&env, &project, "proposal.json", 3);
    assert!(document["verdict"].to_string().contains("test_value.py"), "{document}");
    let quickstart = quickstart(
        &env,
        Some("[policy]\nallow = [\"docs/\"]\n[observe]\nlogs = [\"logs/\"]\n[apply]\nenabled = true\n"),
    );
    let before = quickstart.fingerprint();
    env.run(quickstart.root(), &["run", "--apply"]).expect_code(3);
    assert_eq!(quickstart.fingerprint(), before);
    let entries = log_entries(&env, &quickstart);
    let gated = entries.iter().find(|entry| entry["kind"] == "gated").unwrap();
    assert_eq!(gated["verdict"], "reject", "{gated}");
    assert!(!gated["reasons"].as_array().unwrap().is_empty(), "{gated}");
}

#[test]
fn section_8_a_patch_that_does_not_fit_modifies_no_file_and_the_error_says_where() {
    let env = TestEnv::new();
    let Some(project) = value_project(&env, "") else { return };
    project.write("stale.diff", &DIFF.replace("VALUE = 1", "VALUE = 7"));
    let document = comes_to_nothing(&env, &project, "stale.diff", 3);
    assert!(document["verdict"].to_string().contains("app/value.py"), "{document}");
}

#[test]
fn section_8_tests_that_fail_after_the_apply_leave_no_branch() {
    let env = TestEnv::new();
    let Some(project) = value_project(&env, "") else { return };
    project.write("wrong.diff", WRONG);
    comes_to_nothing(&env, &project, "wrong.diff", 5);
    assert!(!project.root().join(".git/refs/heads/evo").exists());
}

#[test]
fn section_8_a_machine_without_the_git_program_lacks_nothing() {
    let env = TestEnv::new();
    let Some(project) = value_project(&env, "") else { return };
    let programs = env.home().join("programs");
    fs::create_dir(&programs).unwrap();
    make_program(&programs.join("git"), b"#!/bin/sh\ntouch \"$0.was-asked\"\nexit 127\n");
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let mut command = env.command(gephost(), project.root());
    let output = command.args(["apply", "change.diff", "--apply", "--land"]).env("PATH", path).output().unwrap();
    Ran::of(output).expect_code(0);
    assert_eq!(published(&env, &project).len(), 1);
    assert!(!programs.join("git.was-asked").exists());
}

#[test]
fn a_whole_content_that_was_proposed_for_another_base_is_a_conflict_and_a_diff_that_fits_is_not() {
    let env = TestEnv::new();
    let Some(project) = value_project(&env, "") else { return };
    let whole = json!([{ "kind": "content", "path": "app/value.py", "content": "VALUE = 2\n" }]);
    propose(&project, json!({ "unified_diff": Value::Null, "changes": whole }));
    let text = fs::read_to_string(project.root().join("proposal.json")).unwrap().replace("\"unified_diff\":null,", "");
    project.write("proposal.json", &text);
    assert_eq!(apply(&env, &project, "proposal.json").1, 0);
    env.run(project.root(), &["undo"]).expect_code(0);
    project.write("app/value.py", "VALUE = 1\nLATER = 'work'\n");
    project.commit_all(&env);
    let before = (project.fingerprint(), logged(&env, &project, "applied"));
    for command in [vec!["apply", "proposal.json"], vec!["apply", "proposal.json", "--apply"]] {
        let (document, code) = env.json(project.root(), &command);
        assert_eq!((code, &document["error"]["code"]), (6, &"stale_base".into()), "{document}");
        assert!(document["error"]["message"].as_str().unwrap().contains("app/value.py"), "{document}");
    }
    assert_eq!((project.fingerprint(), logged(&env, &project, "applied")), before);
    project.write(
        "fits.diff",
        "--- a/app/value.py\n+++ b/app/value.py\n@@ -1,2 +1,2 @@\n-VALUE = 1\n+VALUE = 2\n LATER = 'work'\n",
    );
    assert_eq!(apply(&env, &project, "fits.diff").1, 0);
}
