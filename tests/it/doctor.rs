//! `gephost doctor`: what it says of a sound installation, of configs that could be tighter, and that it leaves no trace.

use std::fs;

use gephost_tests::environment::TestEnv;
use gephost_tests::project::TestProject;
use gephost_tests::repository;
use serde_json::Value;

use crate::guests;

fn check<'a>(document: &'a Value, id: &str) -> &'a Value {
    let found = document["checks"].as_array().unwrap().iter().find(|check| check["id"] == id);
    found.unwrap_or_else(|| panic!("no check {id}: {document:#}"))
}

/// The components that the doctor runs are what `tests/guests` builds. `GEPHOST_BLESS=1` writes them instead.
#[test]
fn the_doctors_guests_are_what_their_texts_build() {
    for name in ["endless_loop", "memory_growth", "ask_denied", "log_flood", "call_storm", "ask_completion"] {
        let path = repository().join(format!("host/runner/src/doctor/{name}.wasm"));
        let built = guests::heuristic(name);
        if std::env::var_os("GEPHOST_BLESS").is_some() {
            fs::write(&path, &built).unwrap();
        }
        assert!(
            fs::read(&path).unwrap() == built,
            "{name}: run this test with GEPHOST_BLESS=1 and commit the component"
        );
    }
}

#[test]
fn every_enforcement_is_tried_and_holds() {
    let env = TestEnv::new();
    let project = TestProject::new(&env, &[("gephost.toml", "[policy]\nallow = [\"prompts/\"]\n")]);
    let before = project.fingerprint();
    let (document, code) = env.json(project.root(), &["doctor"]);
    assert_eq!((code, &document["schema"]), (0, &"gephost.doctor/1".into()), "{document:#}");
    let whole = check(&document, "kernel")["status"] == "ok";
    // What validation commands cannot do depends on the level: `validation/matrix.rs`.
    let of_validation = |check: &&Value| check["id"].as_str().unwrap().starts_with("validation.");
    for check in document["checks"].as_array().unwrap().iter().filter(|check| !of_validation(check)) {
        let fine = check["status"] == "ok" || (!whole && check["status"] != "error");
        assert!(fine, "{check:#}");
        assert!(!check["tried"].as_str().unwrap().is_empty() && !check["result"].as_str().unwrap().is_empty());
    }
    for id in [
        "worker",
        "budget.wall",
        "budget.fuel",
        "budget.memory",
        "budget.output",
        "budget.host-calls",
        "policy.denied-file",
        "grant.completion",
        "component.size",
        "compile.time",
        "cache.poison",
    ] {
        assert_eq!(check(&document, id)["status"], "ok", "{id}");
    }
    assert_eq!(project.fingerprint(), before);
    assert!(!env.state_of(project.root()).exists(), "a check-up makes no folder");
    assert!(check(&document, "runs")["result"].as_str().unwrap().starts_with("none yet"));
}

#[test]
fn each_check_has_a_name_of_its_own() {
    let env = TestEnv::new();
    let project = TestProject::new(&env, &[("a", "b")]);
    let (document, _) = env.json(project.root(), &["doctor"]);
    let ids: Vec<&str> =
        document["checks"].as_array().unwrap().iter().map(|check| check["id"].as_str().unwrap()).collect();
    let distinct: std::collections::BTreeSet<&str> = ids.iter().copied().collect();
    assert_eq!(distinct.len(), ids.len(), "{ids:?}");
}

#[test]
fn a_config_is_judged() {
    let env = TestEnv::new();
    let loose = "[policy]\nallow = [\"src/\"]\n[apply]\nenabled = true\n[genes]\nisolation = \"thread\"\n";
    let cases: [(&str, &[(&str, &str)]); 5] = [
        ("", &[("policy.allow", "warn")]),
        ("[apply]\nenabled = false\n", &[("policy.allow", "warn"), ("apply.enabled", "ok")]),
        (loose, &[("policy.allow", "ok"), ("apply.enabled", "warn"), ("genes.isolation", "warn")]),
        ("[genes]\nisolation = \"vm\"\n", &[("config", "error")]),
        ("[polcy]\n", &[("config", "error")]),
    ];
    for (config, expected) in cases {
        let project = TestProject::new(&env, &[("gephost.toml", config)]);
        let (document, code) = env.json(project.root(), &["doctor"]);
        for (id, status) in expected {
            assert_eq!(check(&document, id)["status"], *status, "{config}");
        }
        let is_wrong = expected.iter().any(|(_, status)| *status == "error");
        assert_eq!(code, i32::from(is_wrong), "{config}: {document:#}");
    }
}

/// However long the words for an attempt are.
#[test]
fn what_was_refused_stands_below_its_level() {
    let env = TestEnv::new();
    let project = TestProject::new(&env, &[("a", "b")]);
    let text = env.run(project.root(), &["doctor"]).expect_code(0).stdout;
    let mut lines = text.lines().skip_while(|line| *line != "Validation commands").skip(1);
    let levels = lines.next().unwrap();
    let columns: Vec<usize> = levels.match_indices('L').map(|(column, _)| column).collect();
    let attempts: Vec<&str> = lines.take_while(|line| !line.is_empty()).collect();
    assert!(attempts.len() > 20 && !columns.is_empty(), "{text}");
    for (attempt, column) in attempts.iter().flat_map(|attempt| columns.iter().map(move |column| (attempt, *column))) {
        let (before, cell) = attempt.split_at(column);
        assert!(before.ends_with("  "), "{attempt}");
        assert!(["refused", "open"].iter().any(|word| cell.starts_with(word)), "{attempt}");
    }
}

#[test]
fn it_says_what_to_do_next() {
    let env = TestEnv::new();
    let project = TestProject::new(&env, &[("a", "b")]);
    let text = env.run(project.root(), &["doctor"]).expect_code(0).stdout;
    for words in ["status", "evolve", "gephost run", "refused", "it may not: `[apply] enabled` is not set"] {
        assert!(text.contains(words), "{words}: {text}");
    }
}
