//! The run store by the program: what `gephost observe` keeps, and what a kill leaves of it.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Instant;

use gephost_tests::environment::{TestEnv, gephost};
use gephost_tests::project::TestProject;

const CONFIG: &str = "[observe]\nlogs = [\"logs/\"]\n";

/// A session of `calls` calls of which every third fails, on days from the first of January on.
fn session(name: &str, calls: usize) -> String {
    let mut log = String::new();
    for number in 0..calls {
        let time = format!("2026-01-{:02}T{:02}:{:02}", 1 + number / 1000 % 28, number / 60 % 24, number % 60);
        let failed = number % 3 == 0;
        let output = if failed { "Exit code 2\\nmake: *** [all] Error 2" } else { "done" };
        log.push_str(&format!(
            "{{\"parentUuid\":null,\"sessionId\":\"{name}\",\"type\":\"assistant\",\"uuid\":\"{name}-a{number}\",\"timestamp\":\"{time}:00Z\",\"message\":{{\"content\":[{{\"type\":\"tool_use\",\"id\":\"t{number}\",\"name\":\"Bash\",\"input\":{{\"command\":\"make {number}\"}}}}]}}}}\n{{\"parentUuid\":null,\"sessionId\":\"{name}\",\"type\":\"user\",\"uuid\":\"{name}-u{number}\",\"timestamp\":\"{time}:30Z\",\"message\":{{\"content\":[{{\"type\":\"tool_result\",\"tool_use_id\":\"t{number}\",\"is_error\":{failed},\"content\":\"{output}\"}}]}}}}\n"
        ));
    }
    log
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() { files(&path, found) } else { found.push(path) }
    }
}

/// Every whole line of the store.
fn stored(env: &TestEnv, project: &TestProject) -> Vec<String> {
    let mut found = Vec::new();
    files(&env.state_of(project.root()).join("runs"), &mut found);
    let whole = |text: String| {
        text.lines()
            .filter(|line| serde_json::from_str::<serde_json::Value>(line).is_ok())
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let mut lines: Vec<String> = found.iter().flat_map(|file| whole(fs::read_to_string(file).unwrap())).collect();
    lines.sort();
    lines
}

#[test]
fn a_second_run_reads_only_what_is_new_and_the_diagnosis_counts_nothing_twice() {
    let env = TestEnv::new();
    let project = TestProject::without_git(&[]);
    project.write("gephost.toml", CONFIG);
    project.write("logs/a.jsonl", &session("a", 30));
    project.write("logs/b.jsonl", &session("b", 30));
    let (first, _) = env.json(project.root(), &["observe"]);
    assert_eq!((first["stored"].as_u64(), first["unchanged"].as_u64()), (Some(120), Some(0)));
    let diagnosis = |project: &TestProject| {
        let (document, code) = env.json(project.root(), &["diagnose"]);
        assert_eq!(code, 0);
        let findings = document["findings"].as_array().unwrap().clone();
        let told = |finding: &serde_json::Value| {
            let scope = &finding["scope"];
            format!("{}: {} times in {} sessions", finding["title"], scope["failures"], scope["sessions"])
        };
        findings.iter().map(told).collect::<Vec<_>>()
    };
    let before = diagnosis(&project);
    assert!(before.iter().any(|finding| finding.contains("20 times in 2 sessions")), "{before:?}");

    project.write("logs/b.jsonl", &session("b", 33));
    let (second, _) = env.json(project.root(), &["observe"]);
    assert_eq!((second["stored"].as_u64(), second["unchanged"].as_u64()), (Some(6), Some(1)));
    assert_eq!(second["files"][0]["outcomes"]["failure"], 11, "numbers are of the whole log");

    // A log that is deleted, as agents do after a month, stays known.
    let with_logs = diagnosis(&project);
    fs::remove_file(project.root().join("logs/a.jsonl")).unwrap();
    assert_eq!(diagnosis(&project), with_logs);
    assert!(with_logs.iter().any(|finding| finding.contains("21 times in 2 sessions")), "{with_logs:?}");
}

#[test]
fn a_named_log_is_only_looked_at_unless_it_is_to_be_stored() {
    let env = TestEnv::new();
    let project = TestProject::without_git(&[]);
    project.write("a.jsonl", &session("a", 3));
    env.run(project.root(), &["observe", "a.jsonl"]).expect_code(0);
    assert!(!env.state_of(project.root()).exists());
    let ran = env.run(project.root(), &["observe", "--store", "a.jsonl"]).expect_code(0);
    assert!(ran.stdout.contains("6 new events stored"), "{}", ran.stdout);
    env.run(project.root(), &["observe", "--store", "--calls", "a.jsonl"]).expect_code(2);
}

#[test]
fn old_days_are_removed_and_named() {
    let env = TestEnv::new();
    let project = TestProject::without_git(&[]);
    project.write("gephost.toml", CONFIG);
    project.write("logs/a.jsonl", &session("a", 3));
    env.run(project.root(), &["observe"]).expect_code(0);
    let ran = env.run(project.root(), &["observe", "--keep", "2"]).expect_code(0);
    assert!(ran.stdout.contains("removed a/20260101.jsonl, "), "{}", ran.stdout);
    assert!(stored(&env, &project).is_empty());
    project.write("gephost.toml", &format!("{CONFIG}keep_days = 3\n"));
    project.write("logs/a.jsonl", &session("a", 4));
    let (document, _) = env.json(project.root(), &["observe"]);
    assert_eq!((document["stored"].as_u64(), document["removed"].to_string()), (Some(0), "[]".to_owned()));
}

#[test]
fn a_kill_at_any_time_loses_and_doubles_nothing() {
    let env = TestEnv::new();
    let logs: Vec<(String, String)> =
        (0..12).map(|n| (format!("logs/{n}.jsonl"), session(&format!("s{n}"), 1200))).collect();
    let make = || {
        let project = TestProject::without_git(&[]);
        project.write("gephost.toml", CONFIG);
        for (name, text) in &logs {
            project.write(name, text);
        }
        project
    };
    let clean = make();
    // Built before the clock runs.
    gephost();
    let begun = Instant::now();
    env.run(clean.root(), &["observe"]).expect_code(0);
    let whole = begun.elapsed();
    let expected = stored(&env, &clean);
    assert_eq!(expected.len(), expected.iter().collect::<BTreeSet<_>>().len());

    let project = make();
    let mut killed = 0;
    for point in 1..=24u32 {
        let mut child = env
            .command(gephost(), project.root())
            .args(["observe", "-q"])
            .stdout(std::process::Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(whole * (point % 8 + 1) / 9);
        killed += u32::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
        // Reads from the beginning again, beside what was stored; or into an empty store; or goes on.
        match point % 4 {
            0 => {}
            1 => fs::remove_dir_all(env.state_of(project.root())).unwrap(),
            _ => drop(fs::remove_file(env.state_of(project.root()).join("sources.jsonl"))),
        }
    }
    assert!(killed >= 6, "only {killed} runs were killed while they ran");
    env.run(project.root(), &["observe"]).expect_code(0);
    assert!(stored(&env, &project) == expected, "{} lines, not {}", stored(&env, &project).len(), expected.len());
}
