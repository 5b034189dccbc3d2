//! Text-only genes of the assets folder: they are selected and explained like genes with components, and carried out only
//! if a grant lets them ask the model.

use std::fs;

use gephost_core::digest;
use gephost_tests::environment::TestEnv;
use gephost_tests::gene_store;
use gephost_tests::project::TestProject;
use gephost_tests::scripted::Say;
use serde_json::{Value, json};

use super::genes::{CHECK, OPEN, Scene, VALUE, gene, right, unanswered};
use crate::scene::quickstart;

const GRANT: &str = "[genes]\ngrant = [\"run-log\", \"workspace\", \"completion\"]\n";

fn list(genes: &[Value]) -> String {
    json!({ "version": 1, "genes": genes }).to_string()
}

/// A scene whose assets folder has this gene.
fn scene(config: &str, genes: &[Value], script: impl IntoIterator<Item = Say>) -> Option<Scene> {
    let text = list(genes);
    let files = [("app/value.py", VALUE), ("check.py", CHECK), ("assets/gep/genes.json", text.as_str())];
    Scene::with(&files, config, "", script)
}

/// The row of a ranked gene.
fn ranked<'a>(document: &'a Value, id: &str) -> Option<&'a Value> {
    document["ranked"].as_array().unwrap().iter().find(|row| row["gene"] == id)
}

#[test]
fn a_gene_of_the_folder_is_selected_explained_and_needs_a_model() {
    let Some(scene) = scene(OPEN, &[gene()], [Say::completion(&right())]) else { return };
    let (document, code) = scene.env.json(scene.project.root(), &["select"]);
    let row = ranked(&document, "gene_value_is_two").unwrap_or_else(|| panic!("{document:#}"));
    assert_eq!((code, &row["category"], &row["is_received"]), (0, &json!("repair"), &json!(false)), "{row:#}");
    assert!(row["score"].as_f64().unwrap() >= 1.0, "{row:#}");
    let text = scene.env.run(scene.project.root(), &["select", "--explain"]).expect_code(0).stdout;
    assert!(text.contains("gene_value_is_two = ("), "{text}");
    // In the repository, a gene is foreign: only a grant lets it ask the model.
    let (document, code) = scene.env.json(scene.project.root(), &["run"]);
    let row = unanswered(&document);
    assert_eq!((code, &row["needs_model"]), (0, &json!(true)), "{document:#}");
    assert!(row["said"][0].as_str().unwrap().contains("`completion` is not granted"), "{row:#}");
    assert!(scene.server.asked().is_empty());
    // With a grant it is carried out, and the gene of the grant is no stranger.
    let own = "[genes.grants.gene_value_is_two]\ncapabilities = [\"run-log\", \"workspace\", \"completion\"]\n";
    scene.project.write("gephost.toml", &format!("{OPEN}{own}"));
    let ran = scene.env.run(scene.project.root(), &["run", "--json"]).expect_code(0);
    let document: Value = serde_json::from_str(&ran.stdout).unwrap();
    assert_eq!(document["candidates"][0]["proposal"]["gene"], "gene_value_is_two", "{document:#}");
    assert!(!ran.stderr.contains("no gene here has that id"), "{}", ran.stderr);
    assert_eq!(scene.server.asked().len(), 1);
}

#[test]
fn many_genes_that_need_a_model_are_reported_once() {
    let copies: Vec<Value> = (0..20)
        .map(|number| {
            let mut copy = gene();
            copy["id"] = if number == 0 { copy["id"].clone() } else { json!(format!("gene_value_zz{number}")) };
            copy
        })
        .collect();
    let Some(scene) = scene(OPEN, &copies, []) else { return };
    let (document, _) = scene.env.json(scene.project.root(), &["run"]);
    let needs = |row: &&Value| row["needs_model"] == true;
    assert_eq!(document["unanswered"]["asked"].as_array().unwrap().iter().filter(needs).count(), 1, "{document:#}");
    let of_folder = |row: &&Value| row["gene"].as_str().unwrap().starts_with("gene_value");
    assert_eq!(document["selection"]["ranked"].as_array().unwrap().iter().filter(of_folder).count(), 8);
}

#[test]
fn a_received_gene_is_ranked_last_and_asked_only_by_name() {
    let Some(scene) = scene(&format!("{OPEN}{GRANT}"), &[], [Say::completion(&right())]) else { return };
    let mut document = gene().as_object().unwrap().clone();
    digest::seal(&mut document).unwrap();
    let file = scene.env.home().join("theirs.json");
    fs::write(&file, Value::Object(document).to_string()).unwrap();
    scene.env.run(scene.project.root(), &["asset", "import", file.to_str().unwrap()]).expect_code(0);
    let (document, _) = scene.env.json(scene.project.root(), &["select"]);
    let row = document["ranked"].as_array().unwrap().last().unwrap();
    assert_eq!((&row["gene"], &row["is_received"]), (&json!("gene_value_is_two"), &json!(true)), "{document:#}");
    assert_ne!(document["selected"], "gene_value_is_two");
    let says =
        |line: &Value| line.as_str().unwrap().starts_with("received from elsewhere, asked only by name (`--gene");
    assert!(document["reason"].as_array().unwrap().iter().any(says), "{document:#}");
    let text = scene.env.run(scene.project.root(), &["select", "--explain"]).expect_code(0).stdout;
    assert!(text.contains("received from elsewhere, asked only by name"), "{text}");
    let (document, code) = scene.env.json(scene.project.root(), &["run"]);
    assert_eq!((code, document["candidates"].as_array().unwrap().len()), (0, 0), "{document:#}");
    assert!(scene.server.asked().is_empty(), "nobody named it");
    let (document, code) = scene.env.json(scene.project.root(), &["run", "--gene", "gene_value_is_two"]);
    assert_eq!((code, document["candidates"].as_array().unwrap().len()), (0, 1), "{document:#}");
    assert_eq!(scene.server.asked().len(), 1);
}

#[test]
fn a_gene_of_the_folder_takes_no_other_genes_id() {
    let mut stranger = gene();
    stranger["id"] = json!("gene_gep_repair_from_errors");
    let env = TestEnv::new();
    let project = quickstart(&env, None);
    let before = env.json(project.root(), &["select"]);
    project.write(".gephost/gep/genes.json", &list(&[stranger]));
    assert_eq!(env.json(project.root(), &["select"]), before);
}

#[test]
fn strategies_weigh_categories_and_say_so() {
    let mut innovates = gene();
    (innovates["id"], innovates["category"]) = (json!("gene_value_new"), json!("innovate"));
    let Some(scene) = scene(OPEN, &[gene(), innovates], []) else { return };
    let root = scene.project.root();
    let select = |more: &[&str]| scene.env.json(root, &[&["select"], more].concat()).0;
    let weight = |document: &Value, id: &str| ranked(document, id).map(|row| row["strategy_weight"].clone());
    let balanced = select(&[]);
    assert_eq!(weight(&balanced, "gene_value_new"), Some(json!(1.0)), "{balanced:#}");
    assert_eq!(select(&["--strategy", "balanced"]), balanced);
    let innovate = select(&["--strategy", "innovate"]);
    assert_eq!(weight(&innovate, "gene_value_new"), Some(json!(1.6)));
    assert_eq!(weight(&innovate, "gene_value_is_two"), Some(json!(0.25)));
    let place = |document: &Value, id: &str| {
        document["ranked"].as_array().unwrap().iter().position(|row| row["gene"] == id).unwrap()
    };
    assert!(place(&innovate, "gene_value_new") < place(&innovate, "gene_value_is_two"));
    assert!(place(&balanced, "gene_value_new") > place(&balanced, "gene_value_is_two"));
    let text = scene.env.run(root, &["select", "--explain", "--strategy", "innovate"]).expect_code(0).stdout;
    assert!(text.contains("× 1.6 for innovate") && text.contains("× 0.25 for repair"), "{text}");
    let repairs = select(&["--strategy", "repair-only"]);
    assert!(weight(&repairs, "gene_value_new").is_none() && weight(&repairs, "gene_value_is_two").is_some());
    assert!(repairs["ranked"].as_array().unwrap().iter().all(|row| row["category"] == "repair"), "{repairs:#}");
    let line = json!("strategy: repair-only; genes that optimize or innovate are left out");
    assert!(repairs["reason"].as_array().unwrap().contains(&line), "{repairs:#}");
    scene.project.write("gephost.toml", &format!("{OPEN}[select]\nstrategy = \"repair-only\"\n"));
    assert_eq!(select(&[]), repairs, "the config says the same");
    assert_eq!(select(&["--strategy", "balanced"]), balanced, "the command line goes before it");
    scene.env.run(root, &["select", "--strategy", "bold"]).expect_code(2);
    scene.project.write("gephost.toml", "[select]\nstrategy = \"bold\"\n");
    let ran = scene.env.run(root, &["select"]).expect_code(2);
    assert!(ran.stderr.contains("repair-only"), "{}", ran.stderr);
}

#[test]
fn a_damaged_folder_is_reported_and_stops_nothing() {
    let env = TestEnv::new();
    let project: TestProject = quickstart(&env, None);
    project.write(".gephost/gep/genes.json", &list(&[gene()])[..60]);
    let ran = env.run(project.root(), &["run"]).expect_code(0);
    assert!(ran.stderr.contains("1 entry of the assets folder is left out of the selection"), "{}", ran.stderr);
    let genes = project.root().join(".gephost/gep/genes.json");
    fs::remove_file(&genes).unwrap();
    std::os::unix::fs::symlink("/etc/passwd", &genes).unwrap();
    let ran = env.run(project.root(), &["run"]).expect_code(0);
    assert!(ran.stderr.contains("genes of the assets folder are not selected"), "{}", ran.stderr);
}

#[test]
fn a_large_folder_is_indexed_once_and_two_processes_agree() {
    let env = TestEnv::new();
    let project = quickstart(&env, None);
    let folder = project.root().join(".gephost/gep");
    fs::create_dir_all(&folder).unwrap();
    gene_store::write(&folder, 3000);
    let outputs: Vec<(Value, i32)> = std::thread::scope(|scope| {
        let run = || env.json(project.root(), &["select"]);
        let both: Vec<_> = (0..2).map(|_| scope.spawn(run)).collect();
        both.into_iter().map(|one| one.join().unwrap()).collect()
    });
    assert_eq!(outputs[0], outputs[1]);
    let of_folder = |row: &&Value| row["gene"].as_str().unwrap().starts_with("gene_generated_");
    assert_eq!(outputs[0].0["ranked"].as_array().unwrap().iter().filter(of_folder).count(), 8, "{:#}", outputs[0].0);
    assert_eq!(env.json(project.root(), &["select"]), outputs[0], "from the index");
}
