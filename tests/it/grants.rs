//! `[genes.grants."id"]`: what it takes from a gene, and how gephost reports that.

use gephost_tests::environment::TestEnv;
use gephost_tests::project::TestProject;
use serde_json::Value;

use crate::scene::quickstart;

const REPAIR: &str = "gene_gep_repair_from_errors";

/// The quickstart with these lines added to its config.
fn granted(env: &TestEnv, lines: &str) -> TestProject {
    let own = std::fs::read_to_string(gephost_tests::repository().join("examples/quickstart/gephost.toml")).unwrap();
    quickstart(env, Some(&format!("{own}\n{lines}\n")))
}

fn table(lines: &str) -> String {
    format!("[genes.grants.\"{REPAIR}\"]\n{lines}")
}

/// The rules and hints of all violations of the first candidate.
fn findings(document: &Value) -> Vec<(String, String)> {
    let layers = document["candidates"][0]["verdict"]["layers"].as_array().unwrap();
    let all = layers.iter().flat_map(|layer| layer["findings"].as_array().unwrap());
    let text = |finding: &Value, key: &str| finding[key].as_str().unwrap_or_default().to_owned();
    all.map(|finding| (text(finding, "rule"), text(finding, "hint"))).collect()
}

#[test]
fn a_gene_may_change_only_what_its_write_grant_covers() {
    let env = TestEnv::new();
    for (lines, code) in [
        ("write = []", 3),
        ("write = [\"docs/\"]", 3),
        ("write = [\"inventory/\"]", 0),
        ("write = [\"/inventory/*.py\"]", 0),
        ("", 0),
    ] {
        let project = granted(&env, &table(lines));
        let (document, ended) = env.json(project.root(), &["run"]);
        assert_eq!(ended, code, "{lines}: {document}");
        let refused = findings(&document).into_iter().find(|(rule, _)| rule == "path-not-granted");
        assert_eq!(refused.is_some(), code == 3, "{lines}: {document}");
        if let Some((_, hint)) = refused {
            let names =
                format!("add \"/inventory/store.py\" to `write` in `[genes.grants.\"{REPAIR}\"]` of gephost.toml");
            assert!(hint.contains(&names), "{hint}");
        }
    }
}

#[test]
fn a_saved_proposal_is_judged_by_the_current_grant_of_its_gene() {
    let env = TestEnv::new();
    let project = granted(&env, "");
    let (document, _) = env.json(project.root(), &["run"]);
    let id = document["candidates"][0]["proposal"]["id"].as_str().unwrap();
    let file = env.state_of(project.root()).join(format!("proposals/{id}.json"));
    let file = file.to_str().unwrap();
    let config = std::fs::read_to_string(project.root().join("gephost.toml")).unwrap();
    project.write("gephost.toml", &format!("{config}\n{}\n", table("write = []")));
    for command in ["gate", "apply"] {
        let ran = env.run(project.root(), &[command, file]).expect_code(3);
        assert!(ran.stdout.contains("not granted"), "{}", ran.stdout);
    }
}

#[test]
fn a_gene_sees_only_what_its_read_grant_covers() {
    let env = TestEnv::new();
    for (lines, proposes) in [
        ("read = []", false),
        ("read = [\"docs/\"]", false),
        ("capabilities = [\"run-log\"]", false),
        ("capabilities = []", false),
        ("read = [\"*.py\"]", true),
    ] {
        let project = granted(&env, &table(lines));
        let (document, _) = env.json(project.root(), &["run"]);
        let candidates = document["candidates"].as_array().map_or(0, Vec::len);
        assert_eq!(candidates > 0, proposes, "{lines}: {document}");
    }
}

#[test]
fn a_gene_has_the_limits_of_its_grant() {
    let env = TestEnv::new();
    let project = granted(&env, &table("limits = { fuel = 1000 }"));
    let ran = env.run(project.root(), &["run"]).expect_code(0);
    assert!(ran.stderr.contains(REPAIR) && ran.stderr.contains("fuel"), "{}", ran.stderr);
    let project = granted(&env, &format!("[budgets]\nfuel = 1000\n{}", table("limits = { fuel = 20000000000 }")));
    // The general budget ends the heuristics; the strategy has limits of its own.
    let ran = env.run(project.root(), &["diagnose"]);
    assert!(ran.stderr.contains("fuel") && !ran.stderr.contains(REPAIR), "{}", ran.stderr);
}

#[test]
fn a_grant_for_an_unknown_gene_is_a_warning_and_an_invalid_one_an_error() {
    let env = TestEnv::new();
    let project = granted(&env, "[genes.grants.gene_typo]\nwrite = []");
    let ran = env.run(project.root(), &["run"]).expect_code(0);
    assert!(ran.stderr.contains("\"gene_typo\"") && ran.stderr.contains(REPAIR), "{}", ran.stderr);
    for (lines, says) in [
        (table("reed = []"), "unknown field `reed`"),
        (table("write = [\"!x\"]"), "has the pattern \"!x\""),
        (table("limits = { wall_ms = 0 }"), "`limits.wall_ms`"),
        ("[genes.grants.\"Not An Id\"]".to_owned(), "names \"Not An Id\""),
    ] {
        let project = granted(&env, &lines);
        let ran = env.run(project.root(), &["run"]).expect_code(2);
        assert!(ran.stderr.contains(says) && ran.stdout.is_empty(), "{}", ran.stderr);
    }
}
