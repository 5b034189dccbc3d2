//! Backtests: genes on the findings of the past, each at the commit of that time.

use std::fs;
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use gephost_tests::environment::{TestEnv, gephost};
use gephost_tests::project::TestProject;
use gephost_tests::repository;
use serde_json::{Value, json};

use crate::scene::{python, quickstart, validated_by};

/// The quickstart as it was on the day before its session, and repaired a week later.
fn repaired(env: &TestEnv) -> TestProject {
    let project = quickstart(env, Some(&validated_by("\"python3 -m unittest discover -s tests\"")));
    commit(env, &project, &["--amend"], "2026-03-01T08:00:00Z");
    let path = project.root().join("inventory/store.py");
    let text = fs::read_to_string(&path).unwrap();
    fs::write(
        &path,
        text.replace(
            "from collections import Mapping, OrderedDict",
            "from collections import OrderedDict\nfrom collections.abc import Mapping",
        ),
    )
    .unwrap();
    commit(env, &project, &["-a"], "2026-03-09T08:00:00Z");
    project
}

fn commit(env: &TestEnv, project: &TestProject, options: &[&str], date: &str) {
    let mut git = env.command("git", project.root());
    git.args(["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "change"])
        .args(options)
        .env("GIT_COMMITTER_DATE", date)
        .env("GIT_AUTHOR_DATE", date);
    assert!(git.status().unwrap().success());
}

fn backtest(env: &TestEnv, project: &TestProject, more: &[&str]) -> Value {
    let arguments = [&["backtest", "--since", "2026-01-01", "--gene", "gene_gep_repair_from_errors"], more].concat();
    let (document, code) = env.json(project.root(), &arguments);
    assert_eq!(code, 0, "{document}");
    document
}

#[test]
fn a_gene_is_tried_at_the_commit_of_the_time_and_nothing_is_left() {
    if !python() {
        return;
    }
    let env = TestEnv::new();
    let project = repaired(&env);
    // Nothing is to be repaired any more.
    let before = project.fingerprint();
    let document = backtest(&env, &project, &["--gene", "gene_gep_agent_guidance"]);
    assert_eq!(document["findings"], 1, "{document}");
    let repair = &document["genes"][0];
    let cell = &repair["cells"][0];
    assert_eq!((&cell["reached"], &cell["base_is_newer"]), (&json!("held"), &json!(false)), "{document}");
    let first = project.git(&env, &["rev-parse", "HEAD~1"]);
    assert_eq!(cell["base"], json!(first.trim()));
    let held = &repair["held"];
    assert_eq!((&held["count"], &held["of"]), (&json!(1), &json!(1)));
    let (low, high) = (held["low"].as_f64().unwrap(), held["high"].as_f64().unwrap());
    assert!((low - 0.2065).abs() < 1e-3 && (high - 1.0).abs() < 1e-9, "{held}");
    assert_eq!(document["genes"][1]["proposed"]["count"], 0, "{document}");
    // No branch, no checkout, no log, no asset, no recording.
    assert_eq!(project.fingerprint(), before);
    assert!(!project.root().join(".gephost").exists());
    let (log, _) = env.json(project.root(), &["log"]);
    assert_eq!(log["entries"], json!([]), "{log}");

    // What is known is not computed again, unless that is asked for, or the gene or the config is another one.
    assert_eq!(backtest(&env, &project, &[])["remembered"], 1);
    assert_eq!(backtest(&env, &project, &["--anew"])["remembered"], 0);
    let config = fs::read_to_string(project.root().join("gephost.toml")).unwrap();
    fs::write(project.root().join("gephost.toml"), config.replace("allow = [\"inventory/\"]", "allow = [\"docs/\"]"))
        .unwrap();
    let document = backtest(&env, &project, &[]);
    assert_eq!((&document["remembered"], &document["genes"][0]["cells"][0]["reached"]), (&json!(0), &json!("refused")));
}

#[test]
fn history_that_begins_later_is_said_and_a_repaired_past_counts_for_nothing() {
    if !python() {
        return;
    }
    let env = TestEnv::new();
    let project = repaired(&env);
    // Only the commit of the repair is left, as in a shallow clone.
    let tree =
        project.git(&env, &["-c", "user.name=a", "-c", "user.email=a@b", "commit-tree", "HEAD^{tree}", "-m", "all"]);
    project.git(&env, &["reset", "-q", "--soft", tree.trim()]);
    let document = backtest(&env, &project, &[]);
    let cell = &document["genes"][0]["cells"][0];
    assert_eq!((&cell["reached"], &cell["base_is_newer"]), (&json!("nothing"), &json!(true)), "{document}");
    let text = env.run(project.root(), &["backtest", "--since", "2026-01-01", "--gene", "gene_gep_repair_from_errors"]);
    assert!(text.stdout.contains("proposed         0 of 1"), "{}", text.stdout);
    assert!(text.stdout.contains("newer than the finding"), "{}", text.stdout);
}

#[test]
fn several_projects_and_several_genes_make_one_table() {
    if !python() {
        return;
    }
    let env = TestEnv::new();
    let (one, other) = (repaired(&env), repaired(&env));
    fs::write(other.root().join("README.md"), "another project\n").unwrap();
    commit(&env, &other, &["-a", "--allow-empty"], "2026-03-10T08:00:00Z");
    let repos = [one.root().to_str().unwrap(), other.root().to_str().unwrap()];
    let document = backtest(&env, &one, &["--repos", repos[0], repos[1]]);
    let cells = document["genes"][0]["cells"].as_array().unwrap();
    let of: Vec<(&str, &str)> =
        cells.iter().map(|cell| (cell["project"].as_str().unwrap(), cell["reached"].as_str().unwrap())).collect();
    assert_eq!(of, [(repos[0], "held"), (repos[1], "held")], "{document}");
}

#[test]
fn what_cannot_be_tried_is_said_before_anything_runs() {
    let env = TestEnv::new();
    let project = quickstart(&env, None);
    let fails = |arguments: &[&str], code: i32, expect: &str| {
        let ran = env.run(project.root(), &[&["backtest"], arguments].concat()).expect_code(code);
        assert!(ran.stderr.contains(expect), "{}", ran.stderr);
    };
    fails(&[], 2, "--gene");
    fails(&["--gene", "gene_gephost_tool_failures"], 2, "only diagnoses");
    fails(&["--gene", "no-such.wasm"], 2, "no-such.wasm");
    fails(&["--gene", "gene_gep_repair_from_errors", "--repos", "no-such-folder"], 2, "no-such-folder");
    fails(&["--gene", "gene_gep_repair_from_errors", "--since", "yesterday-ish"], 2, "yesterday-ish");
    let none = env.run(project.root(), &["backtest", "--gene", "gene_gep_repair_from_errors", "--since", "2030-01-01"]);
    assert!(none.expect_code(0).stdout.contains("No finding since 2030-01-01"));
    fs::create_dir_all(project.root().join(".gephost")).unwrap();
    fs::write(project.root().join(".gephost/STOP"), "").unwrap();
    fails(&["--gene", "gene_gep_repair_from_errors"], 2, "STOP");
}

/// A NATS server on loopback, which ends with the value.
struct Nats {
    process: Child,
    url: String,
    _folder: tempfile::TempDir,
}

impl Nats {
    /// `None`, and a line that says so, where there is no such server.
    fn start() -> Option<Self> {
        let program = repository().join("target/tools/nats-server/bin/nats-server");
        if !program.exists() {
            gephost_tests::skipped("there is no NATS server in target/tools");
            return None;
        }
        let folder = tempfile::tempdir().unwrap();
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        let mut command = Command::new(program);
        command.args(["-js", "-a", "127.0.0.1", "-p", &port.to_string(), "-sd"]).arg(folder.path());
        let process = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let nats = Self { process, url: format!("nats://127.0.0.1:{port}"), _folder: folder };
        let begin = Instant::now();
        while TcpStream::connect(("127.0.0.1", port)).is_err() {
            assert!(begin.elapsed() < Duration::from_secs(20), "no NATS server");
            std::thread::sleep(Duration::from_millis(50));
        }
        Some(nats)
    }
}

impl Drop for Nats {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

#[test]
fn workers_carry_out_a_backtest_of_somebody_else() {
    let Some(nats) = Nats::start().filter(|_| python()) else { return };
    // Each with a home, a state and a clone of its own.
    let (submitter, worker) = (TestEnv::new(), TestEnv::new());
    let project = repaired(&submitter);
    let clone = repaired(&worker);
    let elsewhere = project.git(&submitter, &["rev-parse", "HEAD"]);
    clone.git(&worker, &["fetch", "-q", project.root().to_str().unwrap(), elsewhere.trim()]);
    clone.git(&worker, &["reset", "-q", "--hard", "FETCH_HEAD"]);
    let mut asked = submitter.command(gephost(), project.root());
    asked.args([
        "backtest",
        "--json",
        "--since",
        "2026-01-01",
        "--gene",
        "gene_gep_repair_from_errors",
        "--queue",
        &nats.url,
    ]);
    let asked = asked.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    // The worker starts before there is work, or after; it ends when it has done it.
    let begin = Instant::now();
    let mut done = 0;
    while done == 0 {
        let (document, code) = worker.json(clone.root(), &["worker", "--queue", &nats.url, "--until-empty"]);
        assert_eq!(code, 0, "{document}");
        done = document["done"].as_u64().unwrap();
        assert!(begin.elapsed() < Duration::from_secs(120), "no worker did it");
    }
    let output = asked.wait_with_output().unwrap();
    let document: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(document["genes"][0]["cells"][0]["reached"], json!("held"), "{document}");
    // A worker without the commit gives the cell back, and after the last attempt it is given up with that reason.
    let stranger = quickstart(&worker, Some(&validated_by("")));
    let mut asked = submitter.command(gephost(), project.root());
    asked.args([
        "backtest",
        "--json",
        "--since",
        "2026-01-01",
        "--gene",
        "gene_gep_agent_guidance",
        "--queue",
        &nats.url,
    ]);
    let asked = asked.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut given_back = 0;
    while given_back < 3 {
        let (document, _) = worker.json(stranger.root(), &["worker", "--queue", &nats.url, "--until-empty"]);
        assert_eq!(document["done"], 0, "{document}");
        given_back += document["given_back"].as_u64().unwrap();
        assert!(begin.elapsed() < Duration::from_secs(240), "it is not given up");
    }
    let document: Value = serde_json::from_slice(&asked.wait_with_output().unwrap().stdout).unwrap();
    let cell = &document["genes"][0]["cells"][0];
    assert_eq!(cell["reached"], Value::Null, "{document}");
    assert!(cell["detail"].as_str().unwrap().contains("no clone that was named has the commit"), "{document}");
}

#[test]
fn a_queue_that_cannot_be_reached_is_an_error_without_its_password() {
    let env = TestEnv::new();
    let project = quickstart(&env, None);
    let password = ["pass", "word"].concat();
    for (url, expect) in [
        (format!("nats://me:{password}@127.0.0.1:1"), "queue"),
        (format!("postgres://me:{password}@127.0.0.1:1/x"), "queue"),
        (format!("ftp://me:{password}@127.0.0.1"), "nats://"),
    ] {
        let ran = env.run(project.root(), &["worker", "--queue", &url]).expect_code(1);
        assert!(ran.stderr.contains(expect) && !ran.stderr.contains(&password), "{}", ran.stderr);
    }
    let refused = env.run(project.root(), &["worker", "--offline", "--queue", "nats://127.0.0.1:1"]).expect_code(2);
    assert!(refused.stderr.contains("--offline"), "{}", refused.stderr);
}
