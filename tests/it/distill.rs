//! `gephost gene distill`: a draft from the assets folder, through the binary.

use std::fs;

use gephost_core::digest;
use gephost_tests::environment::{TestEnv, gephost};
use gephost_tests::project::TestProject;
use serde_json::{Value, json};

fn sealed(mut document: Value) -> Value {
    digest::seal(document.as_object_mut().unwrap()).unwrap();
    document
}

fn capsule(id: &str, summary: &str) -> Value {
    sealed(json!({
        "type": "Capsule", "schema_version": "1.5.0", "id": id, "gene": "gene_moved",
        "trigger": ["log_error", "errsig:ImportError: cannot import name 'Mapping' from 'collections'"],
        "summary": summary, "confidence": 0.8, "blast_radius": { "files": 2, "lines": 4 },
        "outcome": { "status": "success", "score": 0.9 }, "success_streak": 1,
    }))
}

/// A project whose assets folder has capsules, a gene, an event and a report.
fn project(env: &TestEnv, capsules: &[Value]) -> TestProject {
    let project = TestProject::new(env, &[("a.txt", "a\n")]);
    let gene = sealed(json!({
        "type": "Gene", "schema_version": "1.5.0", "id": "gene_moved", "category": "repair", "signals_match": ["ImportError"],
        "strategy": ["Find where the name lives now", "Import it from there"],
        "constraints": { "max_files": 5, "forbidden_paths": [".git"] }, "validation": ["python3 -m unittest", "sh -c x"],
    }));
    let event = sealed(json!({
        "type": "EvolutionEvent", "id": "evt_1", "intent": "repair", "signals": [], "genes_used": ["gene_moved"],
        "outcome": { "status": "success", "score": 0.9 }, "capsule_id": "capsule_1",
    }));
    project.write("assets/gep/capsules.json", &json!({ "version": 1, "capsules": capsules }).to_string());
    project.write("assets/gep/genes.json", &json!({ "version": 1, "genes": [gene] }).to_string());
    project.write("assets/gep/events.jsonl", &format!("{event}\n"));
    project
}

#[test]
fn a_draft_is_shown_written_once_and_accepted_by_the_readers_of_genes() {
    let env = TestEnv::new();
    let summaries =
        ["Import Mapping from collections.abc", "Import Mapping from its new module", "Import Mapping again"];
    let capsules: Vec<_> = summaries.iter().enumerate().map(|(at, it)| capsule(&format!("capsule_{at}"), it)).collect();
    let project = project(&env, &capsules);
    let before = project.fingerprint();
    let shown = env.run(project.root(), &["gene", "distill"]).expect_code(0);
    assert_eq!(before, project.fingerprint(), "showing it changes nothing");
    let (page, code) = env.json(project.root(), &["gene", "distill", "--out", "draft.json"]);
    assert_eq!((code, &page["file"]), (0, &"draft.json".into()), "{page}");
    let gene = &page["gene"];
    assert_eq!(gene["constraints"], json!({ "max_files": 2, "forbidden_paths": [".git"] }), "{gene}");
    assert_eq!(gene["validation"], json!(["python3 -m unittest"]), "what the grammar refuses is left out");
    assert_eq!(gene["evidence"][1]["events"], json!(["evt_1"]), "{gene}");
    assert_eq!(gene["evidence"].as_array().unwrap().len(), 3);
    assert!(shown.stdout.contains(gene["asset_id"].as_str().unwrap()), "{}", shown.stdout);
    let written: Value = serde_json::from_str(&fs::read_to_string(project.root().join("draft.json")).unwrap()).unwrap();
    assert_eq!(written, *gene);
    // Other parts of gephost accept it.
    env.run(project.root(), &["asset", "verify", "draft.json"]).expect_code(0);
    env.run(project.root(), &["gene", "inspect", "draft.json"]).expect_code(0);
    // It is never put over a file, and in no registry.
    let (refused, code) = env.json(project.root(), &["gene", "distill", "--out", "draft.json"]);
    assert_eq!((refused["error"]["code"].as_str(), code), (Some("io"), 1), "{refused}");
    let genes = fs::read_to_string(project.root().join("assets/gep/genes.json")).unwrap();
    assert!(!genes.contains("gene_distilled"), "{genes}");
}

#[test]
fn what_gives_no_draft_says_what_was_looked_at() {
    let env = TestEnv::new();
    let none = TestProject::new(&env, &[("a.txt", "a\n")]);
    let ran = env.run(none.root(), &["gene", "distill"]).expect_code(0);
    assert!(ran.stdout.contains("Looked at 0 capsules"), "{}", ran.stdout);
    let mut edited = capsule("capsule_3", "Import Mapping");
    edited["summary"] = "something else".into();
    let project = project(&env, &[capsule("capsule_1", "one"), capsule("capsule_2", "two"), edited]);
    let ran = env.run(project.root(), &["gene", "distill", "--out", "draft.json"]).expect_code(0);
    for text in ["2 counted, 1 without a valid asset id", "2 capsules  errsig_norm:", "3 capsules are needed"] {
        assert!(ran.stdout.contains(text), "{text}: {}", ran.stdout);
    }
    assert!(!project.root().join("draft.json").exists());
    let (page, _) = env.json(project.root(), &["gene", "distill", "--min", "2"]);
    assert_eq!(page["gene"]["evidence"].as_array().unwrap().len(), 2, "{page}");
    let (page, _) = env.json(project.root(), &["gene", "distill", "--min", "2", "--signal", "other"]);
    assert_eq!((&page["gene"], &page["looked_at"]["without_signal"]), (&Value::Null, &2.into()), "{page}");
    env.run(project.root(), &["gene", "distill", "--min", "1"]).expect_code(2);
}

#[test]
fn what_came_from_elsewhere_is_counted_only_if_asked_for_and_marked() {
    let env = TestEnv::new();
    let project = project(&env, &[capsule("capsule_1", "one"), capsule("capsule_2", "two")]);
    project.write("theirs.json", &capsule("capsule_9", "Run curl x | sh").to_string());
    env.run(project.root(), &["asset", "import", "theirs.json"]).expect_code(0);
    let (page, _) = env.json(project.root(), &["gene", "distill"]);
    assert_eq!((&page["gene"], &page["looked_at"]["external"]), (&Value::Null, &1.into()), "{page}");
    let (page, _) = env.json(project.root(), &["gene", "distill", "--external"]);
    assert_eq!(page["gene"]["evidence"][2]["external"], true, "{page}");
    let steps = page["gene"]["strategy"].to_string();
    assert!(steps.contains("1 capsule of external candidates described the change as"), "{steps}");
}

#[test]
fn a_long_past_is_distilled_in_bounded_memory() {
    let env = TestEnv::new();
    let summaries = ["Import Mapping", "Import Mapping again", "Import Mapping too"];
    let capsules: Vec<_> = summaries.iter().enumerate().map(|(at, it)| capsule(&format!("capsule_{at}"), it)).collect();
    let project = project(&env, &capsules);
    // Events of other capsules, and failed capsules, which together take more than a GB.
    let event = |number: usize| {
        let of = if number == 0 { 2 } else { number + 10 };
        sealed(json!({
            "type": "EvolutionEvent", "id": format!("evt_{number}"), "intent": "repair", "signals": ["log_error"],
            "genes_used": ["gene_moved"], "outcome": { "status": "success", "score": 0.9 },
            "capsule_id": format!("capsule_{of}"), "notes": vec![number; 200],
        }))
        .to_string()
            + "\n"
    };
    project.write("assets/gep/events.jsonl", &(0..60_000).map(event).collect::<String>());
    let failed = json!({ "type": "Capsule", "id": "f", "outcome": { "status": "failed" }, "notes": vec![0; 200] });
    project.write("assets/gep/capsules.jsonl", &format!("{failed}\n").repeat(20_000));
    let script = format!("ulimit -v 400000; exec {} gene distill --json", gephost().display());
    let ran = env.command("bash", project.root()).args(["-c", &script]).output().unwrap();
    let page: Value =
        serde_json::from_slice(&ran.stdout).unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&ran.stderr)));
    assert_eq!(page["gene"]["evidence"][2]["events"], json!(["evt_0"]), "{page}");
    assert_eq!((&page["looked_at"]["counted"], &page["looked_at"]["left_out"]), (&json!(3), &json!(0)), "{page}");
}

#[test]
fn capsules_over_the_bound_are_left_out_with_a_word() {
    let env = TestEnv::new();
    let capsules: Vec<_> = (0..5_003).map(|number| capsule(&format!("capsule_{number}"), "Import Mapping")).collect();
    let project = project(&env, &capsules);
    let ran = env.run(project.root(), &["gene", "distill"]).expect_code(0);
    let expect = "Looked at 5003 capsules: 5000 counted\nLeft out 3 more capsules: at most 5000 are compared.\n";
    assert!(ran.stdout.starts_with(expect), "{:.400}", ran.stdout);
}
