//! What a new user meets in a project that is not as usual: without a commit, of several parts, moved, or with a folder that
//! nobody can read.

use std::fs;
use std::os::unix::fs::symlink;

use gephost_tests::environment::TestEnv;
use gephost_tests::project::TestProject;
use serde_json::json;

use crate::scene::quickstart;

#[test]
fn init_works_before_the_first_commit_and_the_next_step_is_named() {
    let env = TestEnv::new();
    let files = [
        ("src/a.py", "import yaml\n"),
        ("tests/test_a.py", ""),
        ("venv/lib/b.py", ""),
        ("node_modules/c/index.js", ""),
    ];
    let project = TestProject::without_git(&files);
    project.git(&env, &["init", "-q"]);
    let (document, code) = env.json(project.root(), &["init", "--yes"]);
    assert_eq!((code, &document["written"]), (0, &json!(true)), "{document}");
    assert_eq!(document["allow"], json!(["/src/", "/tests/"]), "what was fetched is not the project's own: {document}");
    assert_eq!(document["environments"], json!(["venv", "node_modules"]), "{document}");
    let refused = env.run(project.root(), &["run"]).expect_code(2).stderr;
    assert!(refused.contains("has no commit yet") && refused.contains("git add . && git commit"), "{refused}");
    let status = env.run(project.root(), &["status"]).expect_code(0).stdout;
    assert!(status.contains("git add . && git commit"), "{status}");
    project.commit_all(&env);
    env.run(project.root(), &["run"]).expect_code(0);
}

#[test]
fn init_names_the_tests_of_every_part() {
    let env = TestEnv::new();
    let package = "{\"scripts\":{\"test\":\"vitest\"}}";
    let project = TestProject::new(
        &env,
        &[
            ("package.json", "{\"private\":true,\"workspaces\":[\"packages/*\"]}"),
            ("packages/web/package.json", package),
            ("packages/web/a.ts", ""),
            ("site/package.json", package),
            ("core/Cargo.toml", ""),
            ("core/src/lib.rs", ""),
        ],
    );
    let (document, code) = env.json(project.root(), &["init"]);
    assert_eq!(code, 0, "{document}");
    let commands = ["cargo test --manifest-path core/Cargo.toml", "npm test --workspace=packages/web"];
    assert_eq!(document["commands"], json!(commands), "{document}");
    assert_eq!(document["to_record"], json!(["cd site && gephost record -- npm test"]), "{document}");
    let shown = env.run(project.root(), &["init", "--yes"]).expect_code(0).stdout;
    assert!(shown.contains("# cd site && gephost record -- npm test\n"), "{shown}");
    env.run(project.root(), &["policy", "check"]).expect_code(0);
}

#[test]
fn a_moved_clone_is_told_how_to_go_on() {
    let env = TestEnv::new();
    let outer = TestProject::without_git(&[]);
    let (old, new) = (outer.root().join("old"), outer.root().join("new"));
    fs::create_dir(&old).unwrap();
    outer.git(&env, &["init", "-q", "old"]);
    env.run(&old, &["record", "--", "true"]).expect_code(0);
    let is_told = |name: &str| {
        let folder = outer.root().join(name);
        let said = env.run(&folder, &["diagnose"]).expect_code(0).stderr;
        let status = env.run(&folder, &["status"]).expect_code(0).stdout;
        let [said, status] = [said, status].map(|text| text.contains("gephost state adopt"));
        assert_eq!(said, status, "{name}");
        said
    };
    assert!(!is_told("old"));
    fs::rename(&old, &new).unwrap();
    assert!(is_told("new"));
    // It has a state of its own now, which stands in the way.
    env.run(&new, &["record", "--", "true"]).expect_code(0);
    let status = env.run(&new, &["status"]).expect_code(0).stdout;
    let next = status.lines().find(|line| line.contains("gephost state adopt")).unwrap_or_else(|| panic!("{status}"));
    let commands: Vec<Vec<&str>> =
        next.split(" && ").map(|command| command.split_whitespace().skip(1).collect()).collect();
    assert_eq!(commands.len(), 2, "{next}");
    for command in commands {
        env.run(&new, &command).expect_code(0);
    }
    assert!(!is_told("new"));
    assert_eq!(env.json(&new, &["log"]).0["entries"].as_array().unwrap().len(), 1);
}

/// A folder that cannot be entered, in a way that holds for root too.
#[test]
fn an_assets_folder_that_cannot_be_read_costs_no_finding_and_stops_every_apply() {
    let env = TestEnv::new();
    let project = quickstart(&env, None);
    fs::create_dir_all(project.root().join(".gephost")).unwrap();
    symlink("gep", project.root().join(".gephost/gep")).unwrap();
    for command in ["diagnose", "run"] {
        let ran = env.run(project.root(), &[command]).expect_code(0);
        assert!(ran.stdout.contains("3 failed"), "{command}: {}", ran.stdout);
        let warning =
            ran.stderr.lines().find(|line| line.starts_with("warning: what earlier cycles left is not known"));
        assert!(warning.is_some_and(|line| line.contains(".gephost/gep")), "{command}: {}", ran.stderr);
    }
    let refused = env.run(project.root(), &["run", "--apply"]);
    assert!(refused.code != 0 && refused.stderr.contains(".gephost/gep"), "{}", refused.stderr);
    assert!(crate::scene::published(&env, &project).is_empty());
}

#[test]
fn the_error_in_the_middle_of_a_long_output_is_shown() {
    let env = TestEnv::new();
    let lines = |name: &str| (0..20).map(|n| format!("{name} {n}\n")).collect::<String>();
    let output = format!("{}AssertionError: expected -1 to be 3\n{}", lines("before"), lines("after"));
    let event = json!({
        "timestamp": "2026-01-01T10:00:00Z", "session_key": "s", "event_type": "tool_end", "tool_name": "Bash",
        "duration_ms": 1.0, "success": false, "error": output, "preview": null, "input": "npm test",
    });
    let project = TestProject::new(&env, &[("a.jsonl", format!("{event}\n").as_str())]);
    let shown = env.run(project.root(), &["observe", "--event", "0", "a.jsonl"]).expect_code(0).stdout;
    assert!(shown.contains("> AssertionError: expected -1 to be 3"), "{shown}");
    assert!(shown.contains("lines left out …") && !shown.contains("> before 12"), "{shown}");
}
