//! What the contract says to genes, and what a person is shown, whatever a gene or a log contains.

use std::fs;

use gephost_core::text::is_unseen;
use gephost_tests::environment::{Ran, TestEnv};
use gephost_tests::project::TestProject;
use serde_json::{Value, json};

use crate::guests::Proposes;
use crate::scene::{published, quickstart, value_config, value_project};

const GENE: &str = "gene.wasm";
const UNITTEST: &[&str] = &["record", "--", "python3", "-m", "unittest"];

/// A gene that gives `app/value.py` this content.
fn value<'a>(content: &'a str, validation: &'a [&'a str]) -> Proposes<'a> {
    Proposes { id: "value", path: "app/value.py", content, finding: "", validation }
}

fn put(project: &TestProject, gene: &Proposes<'_>) {
    fs::write(project.root().join(GENE), gene.component()).unwrap();
}

fn run(env: &TestEnv, project: &TestProject, more: &[&str]) -> (Value, i32) {
    env.json(project.root(), &[&["run", "--gene", GENE], more].concat())
}

#[test]
fn the_commands_of_a_genes_manifest_are_checked_and_run() {
    let env = TestEnv::new();
    let Some(project) = value_project(&env, "") else { return };
    env.run(project.root(), UNITTEST).expect_code(1);
    // One that the grammar does not know is refused by the gate.
    for command in ["sh -c 'true'", "python3 -c 'x'", "curl example.org", "python3 -m unittest; true"] {
        put(&project, &value("VALUE = 2\n", &[command]));
        let (document, code) = run(&env, &project, &["--apply"]);
        assert_eq!(code, 3, "{command}: {document}");
    }
    // One that fails keeps the change from being published.
    put(&project, &value("VALUE = 2\n", &["python3 -m unittest absent"]));
    let (document, code) = run(&env, &project, &["--apply"]);
    assert_eq!(code, 5, "{document}");
    assert!(published(&env, &project).is_empty());

    put(&project, &value("VALUE = 2\n", &["python3 -m compileall -q app"]));
    let (document, code) = run(&env, &project, &["--apply"]);
    assert_eq!(code, 0, "{document}");
    let commands = document["applied"]["tried"][0]["commands"].to_string();
    assert!(commands.contains("compileall") && commands.contains("unittest"), "{commands}");
    assert_eq!(document["candidates"][0]["proposal"]["tests_to_run"], json!(["python3 -m compileall -q app"]));
    assert_eq!(published(&env, &project).len(), 1);
}

#[test]
fn a_recorded_command_that_passes_on_the_base_proves_nothing() {
    let env = TestEnv::new();
    let Some(project) = value_project(&env, "") else { return };
    env.run(project.root(), UNITTEST).expect_code(1);
    // Somebody repaired it in the meantime.
    project.write("app/value.py", "VALUE = 2\n");
    project.commit_all(&env);
    put(&project, &value("VALUE = 2  # no repair\n", &[]));
    let (document, code) = run(&env, &project, &["--apply"]);
    assert_eq!((code, &document["applied"]["tried"][0]["decision"]), (5, &json!("not_reproduced")), "{document}");
    assert!(document.to_string().contains("nothing shows that the change repairs it"), "{document}");
    // Nor does it if the saved proposal is applied, which runs the recorded command too.
    let config = value_config("").replace("commands = [\"python3 -m unittest\"]", "commands = []");
    project.write("gephost.toml", &config);
    project.commit_all(&env);
    let dry = env.run(project.root(), &["run", "--gene", GENE]).expect_code(0);
    let file = dry.stdout.lines().map(str::trim).find(|line| line.ends_with(".json")).unwrap().to_owned();
    let (document, code) = env.json(project.root(), &["apply", &file, "--apply"]);
    assert_eq!((code, &document["applied"]["decision"]), (5, &json!("not_reproduced")), "{document}");
    assert!(document.to_string().contains("python3 -m unittest"), "{document}");
    assert!(published(&env, &project).is_empty());
}

#[test]
fn a_saved_proposal_is_validated_with_the_recorded_command() {
    let env = TestEnv::new();
    let Some(project) = value_project(&env, "") else { return };
    project.write("gephost.toml", &value_config("").replace("commands = [\"python3 -m unittest\"]", "commands = []"));
    project.commit_all(&env);
    env.run(project.root(), UNITTEST).expect_code(1);
    put(&project, &value("VALUE = 2\n", &[]));
    let dry = env.run(project.root(), &["run", "--gene", GENE]).expect_code(0);
    let file = dry.stdout.lines().map(str::trim).find(|line| line.ends_with(".json")).unwrap();
    let (document, code) = env.json(project.root(), &["apply", file, "--apply"]);
    assert_eq!((code, &document["applied"]["decision"]), (0, &json!("fixed")), "{document}");
}

#[test]
fn a_proposal_for_a_finding_that_does_not_exist_is_refused() {
    let env = TestEnv::new();
    let project = quickstart(&env, None);
    let gene = Proposes { finding: "made-up", path: "inventory/new.py", ..value("X = 1\n", &[]) };
    put(&project, &gene);
    let (document, code) = env.json(project.root(), &["propose", "--gene", GENE]);
    assert_eq!((code, &document["error"]["code"]), (1, &json!("gene_answer")), "{document}");
    let message = document["error"]["message"].as_str().unwrap();
    assert!(message.contains("is for the finding `made-up`, and it was asked about no such finding"), "{message}");
}

#[test]
fn a_proposal_document_has_the_calls_and_their_digests() {
    let env = TestEnv::new();
    let project = quickstart(&env, None);
    put(&project, &Proposes { path: "inventory/new.py", ..value("X = 1\n", &[]) });
    let (document, code) = env.json(project.root(), &["propose", "--gene", GENE]);
    assert_eq!(code, 0, "{document}");
    let functions: Vec<_> = document["calls"].as_array().unwrap().iter().map(|call| call["function"].clone()).collect();
    assert_eq!(functions, ["diagnose", "propose"], "{document}");
    assert!(document["calls"][1]["digest"].as_str().unwrap().starts_with("sha256:"), "{document}");
}

#[test]
fn a_gene_is_looked_for_where_the_user_stands_and_hints_repeat_it() {
    let env = TestEnv::new();
    let project = quickstart(&env, None);
    let folder = project.root().join("inventory");
    fs::write(folder.join(GENE), Proposes { path: "inventory/new.py", ..value("X = 1\n", &[]) }.component()).unwrap();
    let log = "../logs/session.jsonl";
    let typed = format!("--gene {GENE} --log {log}");
    let ran = env.run(&folder, &["run", "--gene", GENE, "--log", log]).expect_code(0);
    assert!(ran.stdout.contains(&format!("gephost run --apply {typed}")), "{}", ran.stdout);
    let hint = ran.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(hint.contains(&format!("`gephost diagnose 1 {typed}`")), "{}", ran.stdout);
    // The command that the hint names does what it says.
    env.run(&folder, &["diagnose", "1", "--gene", GENE, "--log", log]).expect_code(0);
    let positional = env.run(&folder, &["diagnose", log]).expect_code(0);
    let hint = positional.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(hint.contains(&format!("`gephost diagnose 1 --log {log}`")), "{}", positional.stdout);
    env.run(project.root(), &["run", "--gene", GENE]).expect_code(2);
    env.run(project.root(), &["-C", "inventory", "run", "--gene", GENE]).expect_code(0);
}

/// Every kind of character that acts on a terminal or hides: controls of C0 and C1, of direction, without width, tags.
const UNSEEN: &str = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\u{85}\u{202e}\u{2066}\u{200b}\u{200d}\u{2060}\u{feff}\u{ad}\u{2028}\u{e0041}\u{e0101}";

/// What a command printed, in text and as JSON, has none of them.
fn assert_seen(env: &TestEnv, project: &TestProject, arguments: &[&str]) -> String {
    let mut texts = String::new();
    for more in [&[][..], &["--json"], &["-v"]] {
        let Ran { stdout, stderr, .. } = env.run(project.root(), &[arguments, more].concat());
        for text in [&stdout, &stderr] {
            let raw = text.chars().find(|c| *c != '\n' && *c != '\t' && is_unseen(*c));
            assert_eq!(raw, None, "{arguments:?} {more:?}: {text:?}");
        }
        texts.push_str(&stdout);
        texts.push_str(&stderr);
    }
    texts
}

#[test]
fn nothing_that_acts_on_a_terminal_or_hides_is_printed_raw() {
    let env = TestEnv::new();
    let project = quickstart(&env, None);
    let line = |second: u32| {
        json!({
            "timestamp": format!("2026-02-18T10:00:{second:02}Z"), "session_key": format!("s{UNSEEN}"), "event_type": "tool_end",
            "tool_name": format!("Ba{UNSEEN}sh"), "duration_ms": 1.0, "success": false, "preview": null,
            "error": format!("error: cannot open {UNSEEN}x.py"), "input": format!("open {UNSEEN}x.py"),
        })
    };
    let lines: String = (0..5).map(|second| format!("{}\n", line(second))).collect();
    project.write("logs/unseen.jsonl", &lines);
    let content = format!("X = 1  # {UNSEEN}\n");
    put(&project, &Proposes { path: "inventory/new.py", ..value(&content, &[]) });
    let diff = format!("--- a/inventory/parse.py\n+++ b/inventory/parse.py\n@@ -1 +1 @@\n-a{UNSEEN}\n+b{UNSEEN}\n");
    project.write("change.diff", &diff);
    let found = assert_seen(&env, &project, &["diagnose"]);
    assert!(found.contains("cannot open"), "{found}");
    let proposed = assert_seen(&env, &project, &["run", "--gene", GENE]);
    assert!(proposed.contains("+X = 1  # \u{fffd}"), "the diff is shown: {proposed}");
    for arguments in [
        &["diagnose", "1"][..],
        &["observe"],
        &["observe", "logs/unseen.jsonl"],
        &["gate", "change.diff"],
        &["apply", "change.diff"],
        &["log", "show"],
        &["status"],
        &["run", "--gene", &format!("no-such{}gene", UNSEEN.replace('\0', ""))],
        &["diagnose", &format!("--no-such{UNSEEN}")],
        &["policy", "explain", &format!("a{UNSEEN}b")],
    ] {
        assert_seen(&env, &project, arguments);
    }
}

#[test]
fn long_words_are_shortened_in_messages() {
    let env = TestEnv::new();
    let project = quickstart(&env, None);
    let long = "x".repeat(250);
    for arguments in [&["run", "--gene", &long][..], &["diagnose", &format!("--{long}")], &["apply", &long]] {
        let ran = env.run(project.root(), arguments).expect_code(2);
        let longest = ran.stderr.split_whitespace().map(|word| word.chars().count()).max();
        assert!(longest <= Some(160) && ran.stderr.contains('…'), "{}", ran.stderr);
    }
}

#[test]
fn a_gene_does_not_see_the_files_in_which_secrets_are_kept() {
    let env = TestEnv::new();
    let project = quickstart(&env, None);
    for (path, allowed) in [
        (".env.local", false),
        ("inventory/.npmrc", false),
        ("inventory/id_ed25519", false),
        ("inventory/id_map.py", true),
    ] {
        project.write(path, "x\n");
        let (document, _) = env.json(project.root(), &["policy", "explain", path]);
        assert_eq!(document.to_string().contains("built"), !allowed, "{path}: {document}");
    }
}
