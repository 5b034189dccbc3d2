//! Several genes in one project: an id stands for one of them, a file may be pinned, one that fails costs only its own, and
//! pages say which one proposed.

use std::fs;

use gephost_core::recording::Digest;
use gephost_tests::environment::{Ran, TestEnv};
use gephost_tests::project::TestProject;
use serde_json::{Value, json};

use crate::guests::{self, Proposes};
use crate::scene::quickstart;

const HEURISTIC: &str = "gene_gephost_tool_failures";

/// The config of the quickstart, with more lines for `[genes]`.
fn config(genes: &str) -> String {
    format!("[policy]\nallow = [\"inventory/\"]\n[observe]\nlogs = [\"logs/\"]\n[genes]\n{genes}")
}

/// The quickstart with these genes as files, of which the config says this.
fn project(env: &TestEnv, genes: &str, files: &[(&str, Vec<u8>)]) -> TestProject {
    let project = quickstart(env, Some(&config(genes)));
    for (name, bytes) in files {
        fs::write(project.root().join(name), bytes).unwrap();
    }
    project
}

/// A strategy with this id, which proposes a new file that the policy of the quickstart allows.
fn strategy(id: &str) -> Vec<u8> {
    Proposes { id, path: "inventory/new.py", content: "X = 1\n", finding: "", validation: &[] }.component()
}

fn heuristic(name: &str, id: &str) -> Vec<u8> {
    let text = fs::read_to_string(gephost_tests::repository().join(format!("tests/guests/{name}.wat"))).unwrap();
    guests::heuristic_that_asks_for(&["run-log"], &text, id)
}

/// The error of a command, which is one of usage.
fn refused(env: &TestEnv, project: &TestProject, arguments: &[&str]) -> Value {
    let (document, code) = env.json(project.root(), arguments);
    assert_eq!(code, 2, "{document}");
    document["error"].clone()
}

fn called(document: &Value) -> Vec<&str> {
    document["calls"].as_array().unwrap().iter().map(|call| call["gene"].as_str().unwrap()).collect()
}

#[test]
fn an_id_that_two_genes_claim_is_an_error_that_names_both() {
    let env = TestEnv::new();
    let files = [("a.wasm", strategy(HEURISTIC)), ("b.wasm", strategy("mine")), ("c.wasm", heuristic("calm", "mine"))];
    let project = project(&env, "", &files);
    for (genes, arguments, named) in [
        ("files = [\"a.wasm\"]\n", &["run"][..], ["a.wasm", "the bundled gene"]),
        ("", &["run", "--gene", "a.wasm"], ["a.wasm", "the bundled gene"]),
        ("files = [\"b.wasm\", \"c.wasm\"]\n", &["diagnose"], ["b.wasm", "c.wasm"]),
        ("files = [\"b.wasm\"]\n", &["select", "--gene", "c.wasm"], ["b.wasm", "c.wasm"]),
    ] {
        project.write("gephost.toml", &config(genes));
        let error = refused(&env, &project, arguments);
        assert_eq!(error["code"], "gene_id", "{error}");
        let message = error["message"].as_str().unwrap();
        assert!(named.iter().all(|name| message.contains(name)), "{message}");
        // The list says why neither runs.
        let list = env.run(project.root(), &["gene", "list"]).expect_code(0).stdout;
        assert_eq!(list.contains("two genes have the id"), arguments.len() == 1, "{list}");
    }
    project.write("gephost.toml", &config("bundled = false\nfiles = [\"a.wasm\"]\n"));
    env.run(project.root(), &["gene", "inspect", "a.wasm"]).expect_code(0);
    let ran = env.run(project.root(), &["run", "--json"]).expect_code(0);
    assert!(ran.stderr.contains("no gene diagnoses"), "a strategy with the id of the heuristic: {}", ran.stderr);
}

#[test]
fn a_file_that_has_the_id_of_an_added_gene_is_refused_and_the_same_bytes_are_one_gene() {
    let env = TestEnv::new();
    let project = project(&env, "", &[("one.wasm", heuristic("calm", "calm"))]);
    env.run(project.root(), &["gene", "add", "one.wasm"]).expect_code(0);
    fs::copy(project.root().join("one.wasm"), project.root().join("copy.wasm")).unwrap();
    project.write("gephost.toml", &config("files = [\"one.wasm\", \"copy.wasm\"]\n"));
    let (document, code) = env.json(project.root(), &["run", "--gene", "copy.wasm"]);
    assert_eq!((code, called(&document).iter().filter(|gene| **gene == "calm").count()), (0, 1), "{document}");
    fs::write(project.root().join("copy.wasm"), heuristic("log_lines", "calm")).unwrap();
    project.write("gephost.toml", &config("files = [\"copy.wasm\"]\n"));
    let message = refused(&env, &project, &["run"])["message"].to_string();
    assert!(message.contains("copy.wasm") && message.contains("gephost.lock"), "{message}");
}

#[test]
fn a_pinned_file_runs_only_as_it_was_pinned() {
    let env = TestEnv::new();
    let bytes = heuristic("calm", "calm");
    let digest = Digest::of(&bytes);
    let entry = format!("files = [{{ path = \"calm.wasm\", sha256 = \"{}\" }}]\n", digest.hex());
    let project = project(&env, &entry, &[("calm.wasm", bytes)]);
    let (document, code) = env.json(project.root(), &["run"]);
    assert_eq!(code, 0, "{document}");
    let call = document["calls"].as_array().unwrap().iter().find(|call| call["gene"] == "calm").unwrap();
    assert_eq!(call["digest"], json!(digest.to_string()));
    assert_eq!(document["genes"][0]["digest"], json!(digest.to_string()));
    let text = env.run(project.root(), &["run"]).expect_code(0).stdout;
    assert!(text.contains(&format!("Gene file calm (sha256:{})", digest.short())), "{text}");

    let other = heuristic("log_lines", "calm");
    fs::write(project.root().join("calm.wasm"), &other).unwrap();
    let error = refused(&env, &project, &["run"]);
    let message = error["message"].as_str().unwrap();
    assert_eq!(error["code"], "gene_digest", "{error}");
    assert!(message.contains(&digest.hex()) && message.contains(&Digest::of(&other).hex()), "{message}");
    let (list, _) = env.json(project.root(), &["gene", "list"]);
    let row = list["genes"].as_array().unwrap().iter().find(|row| row["id"] == "calm").unwrap();
    assert!(row["order"].is_null() && row["why_not"].as_str().unwrap().contains(&digest.hex()), "{row}");
}

#[test]
fn files_add_to_the_bundled_genes_and_the_list_is_what_runs() {
    let env = TestEnv::new();
    let files = [("s.wasm", strategy("aa_strategy")), ("h.wasm", heuristic("calm", "zz_calm"))];
    let listed = |project: &TestProject| -> Vec<(String, Option<u64>)> {
        let (list, _) = env.json(project.root(), &["gene", "list"]);
        let row = |row: &Value| (row["id"].as_str().unwrap().to_owned(), row["order"].as_u64());
        list["genes"].as_array().unwrap().iter().map(row).collect()
    };
    let project = project(&env, "files = [\"h.wasm\", \"s.wasm\"]\n", &files);
    let (document, _) = env.json(project.root(), &["run"]);
    assert_eq!(&called(&document)[..2], [HEURISTIC, "zz_calm"], "{document}");
    let ranked = document["selection"]["ranked"].to_string();
    assert!(ranked.contains("aa_strategy") && ranked.contains("gene_gep_repair_from_errors"), "{ranked}");
    let list = listed(&project);
    assert_eq!(list[0], (HEURISTIC.to_owned(), Some(1)));
    let last: Vec<_> = list[list.len() - 2..].to_vec();
    assert_eq!(last, [("zz_calm".to_owned(), Some(6)), ("aa_strategy".to_owned(), Some(7))], "in the config's order");
    assert!(list.contains(&("gene_gep_strategist".to_owned(), None)), "{list:?}");

    project.write("gephost.toml", &config("bundled = false\nfiles = [\"s.wasm\", \"h.wasm\"]\n"));
    let (document, code) = env.json(project.root(), &["run"]);
    assert_eq!((code, called(&document)), (0, vec!["zz_calm"]), "{document}");
    let running: Vec<_> = listed(&project).into_iter().filter(|(_, order)| order.is_some()).collect();
    assert_eq!(running, [("aa_strategy".to_owned(), Some(1)), ("zz_calm".to_owned(), Some(2))]);
    let text = env.run(project.root(), &["gene", "list"]).expect_code(0).stdout;
    assert!(text.contains("does not run: `[genes] bundled` is false"), "{text}");
}

#[test]
fn a_gene_that_fails_costs_only_its_own_answer() {
    let env = TestEnv::new();
    let files = [("trap.wasm", heuristic("trap", "trap")), ("loop.wasm", heuristic("endless_loop", "loop"))];
    let files = [&files[..], &[("calm.wasm", heuristic("calm", "calm"))]].concat();
    let both = "files = [\"trap.wasm\", \"loop.wasm\"]\n[budgets]\nwall_ms = 300\n";
    let project = project(&env, both, &files);
    for command in ["diagnose", "run", "propose"] {
        let ran = env.run(project.root(), &[command, "--json"]).expect_code(0);
        let document: Value = serde_json::from_str(&ran.stdout).unwrap();
        assert!(ran.stderr.contains("gene trap: `diagnose` trapped"), "{command}: {}", ran.stderr);
        assert!(ran.stderr.contains("gene loop: `diagnose` used up its wall"), "{command}: {}", ran.stderr);
        let codes: Vec<_> =
            document["calls"].as_array().unwrap().iter().filter_map(|call| call["code"].as_str()).collect();
        assert_eq!(codes, ["gene_trapped", "gene_budget_wall"], "{command}: {document}");
    }
    // A gene that was named is no exception, as long as another one answers.
    env.run(project.root(), &["diagnose", "--gene", "trap.wasm"]).expect_code(0);
    for (genes, code) in [
        ("\"trap.wasm\"", 1),
        ("\"loop.wasm\"", 7),
        ("\"trap.wasm\", \"loop.wasm\"", 1),
        ("\"loop.wasm\", \"trap.wasm\"", 7),
        ("\"trap.wasm\", \"calm.wasm\"", 0),
    ] {
        let genes = format!("bundled = false\nfiles = [{genes}]\n[budgets]\nwall_ms = 300\n");
        project.write("gephost.toml", &config(&genes));
        env.run(project.root(), &["diagnose"]).expect_code(code);
    }
}

#[test]
fn each_gene_has_a_share_of_the_findings_whatever_the_others_report() {
    let env = TestEnv::new();
    let small = guests::finding("a small thing", 13, "0.5", 0);
    let project = project(&env, "files = [\"small.wasm\"]\n[diagnose]\nmax_findings = 2\n", &[("small.wasm", small)]);
    let failure = |second: usize, command: &str, error: &str| {
        format!(
            "{{\"timestamp\":\"2026-02-18T10:00:{second:02}Z\",\"session_key\":\"many\",\"event_type\":\"tool_end\",\
             \"tool_name\":\"Bash\",\"duration_ms\":1.0,\"success\":false,\"error\":\"{error}\",\"preview\":null,\
             \"input\":\"{command}\"}}\n"
        )
    };
    let errors = [
        "ledger: the journal is closed",
        "packer: no free slot is left",
        "mixer: two inputs have one name",
        "sorter: the index is older than the data",
        "sender: the peer refused the greeting",
    ];
    let log: String = (0..25)
        .map(|n| (n, errors[n % errors.len()]))
        .map(|(n, error)| failure(n, &format!("{} x", error.split(':').next().unwrap()), error))
        .collect();
    project.write("logs/many.jsonl", &log);
    let (document, code) = env.json(project.root(), &["diagnose"]);
    assert_eq!(code, 0, "{document:#}");
    let genes: Vec<&str> =
        document["findings"].as_array().unwrap().iter().map(|finding| finding["gene"].as_str().unwrap()).collect();
    assert_eq!(genes, [HEURISTIC, "finding"], "one each, though the first gene has more: {document:#}");
    assert!(document["below_thresholds"].as_u64().unwrap() >= 3, "{document:#}");
}

#[test]
fn the_page_names_the_gene_whose_proposal_it_shows_and_those_that_failed() {
    let env = TestEnv::new();
    let refused = Proposes { id: "aa_refused", path: "elsewhere.py", content: "X = 1\n", finding: "", validation: &[] };
    let trap = guests::strategy("propose_trap");
    let files = [("r.wasm", refused.component()), ("z.wasm", strategy("zz_good")), ("t.wasm", trap)];
    let project = project(&env, "", &files);
    let run = |more: &[&str]| -> Ran {
        let genes = ["run", "--gene", "r.wasm", "--gene", "z.wasm", "--gene", "t.wasm"];
        env.run(project.root(), &[&genes, more].concat()).expect_code(0)
    };
    let side_by_side = run(&["--candidates", "3"]);
    let digest = Digest::of(&strategy("zz_good")).short();
    let gene = side_by_side.stdout.lines().find(|line| line.starts_with("Gene ")).unwrap().to_owned();
    assert!(gene.contains("zz_good") && gene.contains(&digest), "{}", side_by_side.stdout);
    assert!(side_by_side.stdout.contains("Proposal    zz_good"), "{}", side_by_side.stdout);
    assert!(side_by_side.stdout.contains("propose_trap failed: it trapped"), "{}", side_by_side.stdout);
    assert!(side_by_side.stdout.contains("others that propose too: aa_refused"), "{}", side_by_side.stdout);
    // One after another, the one that fails is passed over.
    let alone = env.run(project.root(), &["run", "--gene", "t.wasm", "--gene", "z.wasm"]).expect_code(0);
    assert!(alone.stdout.contains("Proposal    zz_good"), "{}", alone.stdout);
    assert!(alone.stdout.contains("propose_trap failed: it trapped"), "{}", alone.stdout);
    // A saved proposal says whose it is.
    let file = alone.stdout.lines().map(str::trim).find(|line| line.ends_with(".json")).unwrap();
    let shown = env.run(project.root(), &["apply", file]).expect_code(0).stdout;
    assert!(shown.contains("by zz_good"), "{shown}");
}
