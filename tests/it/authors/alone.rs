//! `gephost gene run` and `gephost gene test --watch`.

use std::fs;
use std::io::{BufRead as _, BufReader};
use std::process::Stdio;

use gephost_tests::author_tools::{author, author_command};
use gephost_tests::environment::TestEnv;
use serde_json::Value;

use super::{built, project};

#[test]
fn a_gene_runs_where_there_is_no_project() {
    let env = TestEnv::new();
    let Some((place, folder)) = built(&env) else { return };
    let fixture = folder.join("fixtures/first");
    let (log, workspace, config) = (fixture.join("log.jsonl"), fixture.join("workspace"), fixture.join("gephost.toml"));
    // A repository's own folder is none of its files.
    fs::create_dir(workspace.join(".git")).unwrap();
    fs::write(workspace.join(".git/config"), "[core]\n").unwrap();
    let gene = folder.join("build/gene.wasm");
    let arguments = |more: &[&str]| {
        let words = ["gene", "run", gene.to_str().unwrap(), "--log", log.to_str().unwrap()];
        let scene = ["--workspace", workspace.to_str().unwrap(), "--config", config.to_str().unwrap()];
        let words: Vec<&str> = words.into_iter().chain(scene).collect();
        author(&env, place.path(), &[words, more.to_vec()].concat())
    };
    let ran = arguments(&[]).expect_code(0);
    assert!(ran.stdout.contains("candidate Call python3 in shell scripts: passes the gate"), "{}", ran.stdout);
    assert!(ran.stdout.contains("+python3 -m compileall") && !ran.stdout.contains("granted"), "{}", ran.stdout);
    let traced = arguments(&["--trace"]).expect_code(0);
    assert!(traced.stdout.contains("granted   workspace.glob **/*.sh  "), "{}", traced.stdout);
    assert!(traced.stdout.contains("granted   workspace.read scripts/check.sh  "), "{}", traced.stdout);
    assert!(traced.stdout.contains(" µs\n"), "{}", traced.stdout);

    let page: Value = serde_json::from_str(&arguments(&["--trace", "--json"]).expect_code(0).stdout).unwrap();
    let read = page["requests"].as_array().unwrap().iter().find(|request| request["function"] == "read").unwrap();
    let size = fs::metadata(workspace.join("scripts/check.sh")).unwrap().len();
    assert_eq!(read["bytes"], size, "{page:#}");

    // Without a folder there are no files, and nothing to change.
    let bare = author(&env, place.path(), &["gene", "run", gene.to_str().unwrap(), "--log", log.to_str().unwrap()]);
    assert!(
        bare.code == 0 && bare.stdout.contains("finding ") && !bare.stdout.contains("candidate"),
        "{}",
        bare.stdout
    );
    assert!(!place.path().join(".gephost").exists());
}

#[test]
fn what_cannot_be_run_is_told_in_a_line() {
    let env = TestEnv::new();
    let Some((place, folder)) = built(&env) else { return };
    let gene = folder.join("build/gene.wasm");
    let run = |words: &[&str]| author(&env, place.path(), &[&["gene", "run", gene.to_str().unwrap()], words].concat());
    assert!(run(&[]).expect_code(2).stderr.contains("--log"));
    let named = folder.to_str().unwrap();
    for words in [&["run", named, "--log", "x"][..], &["inspect", named], &["sign", named]] {
        let ran = author(&env, place.path(), &[&["gene"], words].concat()).expect_code(2);
        assert!(
            ran.stderr.contains("the gene of a project is ") && ran.stderr.contains("build/gene.wasm"),
            "{}",
            ran.stderr
        );
    }
    assert!(run(&["--log", "absent.jsonl"]).expect_code(2).stderr.contains("absent.jsonl"));
    let log = folder.join("fixtures/first/log.jsonl");
    let nowhere = run(&["--log", log.to_str().unwrap(), "--workspace", "absent"]);
    assert!(nowhere.code != 0 && nowhere.stderr.contains("absent"), "{}", nowhere.stderr);
}

#[test]
fn a_watched_project_is_built_and_tested_again_after_a_save() {
    let env = TestEnv::new();
    let Some((_place, folder)) = project(&env, "assemblyscript") else { return };
    let mut command = author_command(&env, &folder, &["gene", "test", "--watch"]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines().map(Result::unwrap);
    assert!(lines.any(|line| line.contains("ok gene_fix_python: 1 of 1 passed")));
    let file = folder.join("gene.ts");
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("Call python3 in", "Use python3 in")).unwrap();
    assert!(lines.any(|line| line.contains("+      \"title\": \"Use python3 in shell scripts\"")));
    fs::write(&file, text).unwrap();
    assert!(lines.any(|line| line.contains("ok gene_fix_python: 1 of 1 passed")));
    let id = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(id, rustix::process::Signal::INT).unwrap();
    let ended = child.wait().unwrap();
    assert_eq!(ended.code(), Some(0), "{ended:?}");
}
