//! `gephost gene inspect`: it describes a component without running or compiling it.

use std::fs;

use gephost_tests::components::append_section;
use gephost_tests::environment::TestEnv;
use gephost_tests::project::TestProject;
use serde_json::{Value, json};

use crate::guests;

const REPAIR: &str = "gene_gep_repair_from_errors";

fn inspect(env: &TestEnv, project: &TestProject, gene: &str) -> Value {
    let (document, code) = env.json(project.root(), &["gene", "inspect", gene]);
    assert_eq!((code, &document["schema"]), (0, &"gephost.gene/1".into()), "{document:#}");
    document["gene"].clone()
}

fn file(env: &TestEnv, bytes: &[u8]) -> String {
    let path = env.home().join("gene.wasm");
    fs::write(&path, bytes).unwrap();
    path.to_str().unwrap().to_owned()
}

#[test]
fn a_gene_is_described_without_being_compiled() {
    let env = TestEnv::cold();
    let project = TestProject::without_git(&[]);
    let gene = inspect(&env, &project, REPAIR);
    assert_eq!((&gene["id"], &gene["world"]), (&REPAIR.into(), &"strategy".into()));
    assert_eq!(
        gene["signature"],
        json!({ "state": "verified", "by": ["gephost"], "reason": null, "unchecked_section": false })
    );
    assert_eq!(gene["producers"]["language"], "Rust");
    assert!(gene["producers"]["evidence"].to_string().contains("wit-bindgen-rust"), "{gene:#}");
    assert!(gene["exports"] == json!(["gephost:gene/proposals@0.1.2"]));
    assert!(gene["imports"].to_string().contains("gephost:gene/run-log@0.1.2"));
    let parts = &gene["parts"];
    assert!(parts["functions"].as_u64() > Some(100) && parts["code_bytes"].as_u64() > Some(10_000), "{parts:#}");
    assert_eq!(gene["budgets"].as_array().unwrap().len(), 9);
    for id in ["digest", "asset_id"] {
        assert!(gene[id].as_str().unwrap().starts_with("sha256:"));
    }
    // Compiled code would be here.
    assert!(!env.home().join(".cache/gephost").exists());
    assert!(!project.root().join(".gephost").exists());
}

/// The asset id is the one that `asset id` computes for the manifest.
#[test]
fn the_asset_id_is_that_of_the_manifest() {
    let env = TestEnv::new();
    let project = TestProject::without_git(&[]);
    let gene = inspect(&env, &project, REPAIR);
    project.write("gene.json", &gene["manifest"].to_string());
    let ran = env.run(project.root(), &["asset", "id", "gene.json"]).expect_code(0);
    assert!(ran.stdout.contains(gene["asset_id"].as_str().unwrap()), "{}", ran.stdout);
}

#[test]
fn requested_capabilities_are_compared_with_the_grants_of_the_project() {
    let env = TestEnv::new();
    let config = "[genes]\ngrant = [\"run-log\"]\n[genes.grants.\"calm\"]\ncapabilities = [\"workspace\"]\nread = [\"src/\"]\n\
                  limits = { wall_ms = 1234 }\n";
    let project = TestProject::without_git(&[("gephost.toml", config)]);
    let repair = inspect(&env, &project, REPAIR);
    let of = |gene: &Value, name: &str| {
        let grants = gene["grants"].as_array().unwrap();
        grants.iter().find(|grant| grant["capability"] == name).cloned().unwrap_or(Value::Null)
    };
    assert_eq!((&of(&repair, "run-log")["has"], &of(&repair, "workspace")["has"]), (&true.into(), &false.into()));
    let hint = of(&repair, "workspace")["hint"].as_str().unwrap().to_owned();
    assert_eq!(hint, "to grant it, add \"workspace\" to `grant` of `[genes]` in gephost.toml");
    assert_eq!(of(&repair, "completion"), Value::Null, "neither asked for nor imported");
    // This gene requests everything and imports nothing.
    let path = file(&env, &guests::heuristic("calm"));
    let calm = inspect(&env, &project, &path);
    assert_eq!(calm["reads"], json!(["src/"]));
    assert!(
        calm["budgets"].as_array().unwrap().contains(&json!({ "budget": "wall", "counts": "us", "limit": 1_234_000 }))
    );
    assert_eq!(of(&calm, "workspace")["hint"], "the component imports nothing that it opens");
    let asks_nothing = fs::read_to_string(gephost_tests::repository().join("tests/guests/ask_completion.wat")).unwrap();
    let path = file(&env, &guests::heuristic_that_asks_for(&[], &asks_nothing, "calm"));
    let grant = of(&inspect(&env, &project, &path), "completion");
    assert_eq!((&grant["asked"], &grant["imported"]), (&false.into(), &true.into()));
    let text = env.run(project.root(), &["gene", "inspect", &path]).expect_code(0).stdout;
    assert!(text.contains("completion imported and not asked for, so always denied"), "{text}");
}

#[test]
fn the_page_shows_every_part() {
    let env = TestEnv::new();
    let project = TestProject::without_git(&[]);
    let text = env.run(project.root(), &["gene", "inspect", REPAIR]).expect_code(0).stdout;
    for words in [
        "Gene        gene_gep_repair_from_errors  repair, world strategy",
        "Digest      sha256:",
        "Asset id    sha256:",
        "Signature   verified by gephost",
        "Made with   Rust  ",
        "Asks for    run-log    granted here",
        "Budgets     30,000 ms, 100,000,000,000 fuel, 256 MiB of memory",
        "Imports     gephost:gene/explanation@0.1.2",
        "Exports     gephost:gene/proposals@0.1.2",
        "Parts       ",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 130), "{text}");
}

/// The manifest of a gene declares its settings. The page shows them with the values of the project.
#[test]
fn declared_settings_are_shown_and_checked() {
    let env = TestEnv::new();
    let config = |text: &str| TestProject::without_git(&[("gephost.toml", text)]);
    let set = "[diagnose.thresholds]\nslow_ms = 5\n[genes.settings.\"gene_gephost_tool_failures\"]\nlong_loop = 9\n";
    let project = config(set);
    let gene = inspect(&env, &project, "gene_gephost_tool_failures");
    let of = |name: &str| {
        let settings = gene["settings"].as_array().unwrap();
        settings.iter().find(|setting| setting["name"] == name).cloned().unwrap()
    };
    assert_eq!((&of("slow_ms")["value"], &of("slow_ms")["default"]), (&json!(5.0), &json!(60_000.0)));
    assert_eq!((&of("long_loop")["value"], &of("high_rate")["value"]), (&json!(9.0), &json!(0.5)));
    assert_eq!((&of("high_rate")["min"], &of("high_rate")["unit"]), (&json!(0.0), &json!("share of calls")));
    let text = env.run(project.root(), &["gene", "inspect", "gene_gephost_tool_failures"]).expect_code(0).stdout;
    for words in [
        "Settings    recurring            3 failures  1 to 1000000\n",
        "slow_ms              5 (default 60000) milliseconds",
    ] {
        assert!(text.contains(words), "{words}: {text}");
    }
    assert!(text.lines().all(|line| line.chars().count() <= 130), "{text}");

    // The table in its manifest also applies to a component file.
    let table = json!([{ "name": "depth", "default": 2, "max": 4, "description": "How deep it looks" }]);
    let path = file(&env, &guests::that_declares("calm", &table));
    assert_eq!(inspect(&env, &config(""), &path)["settings"][0]["value"], 2.0);
    let project = config("[genes.settings.\"calm\"]\ndepth = 5\n");
    for command in [&["gene", "inspect", &path][..], &["diagnose", "--gene", &path]] {
        let refused = env.run(project.root(), command).expect_code(2);
        let expected = "`genes.settings.\"calm\".depth` is 5: it must be at most 4";
        assert!(refused.stderr.contains(expected), "{}", refused.stderr);
    }
}

#[test]
fn a_component_with_an_unchecked_signature_counts_as_unsigned() {
    let env = TestEnv::new();
    let project = TestProject::without_git(&[]);
    let mut component = guests::heuristic("calm");
    append_section(&mut component, "signature", b"trust me");
    let path = file(&env, &component);
    let gene = inspect(&env, &project, &path);
    assert_eq!(gene["signature"], json!({ "state": "unsigned", "by": [], "reason": null, "unchecked_section": true }));
    let text = env.run(project.root(), &["gene", "inspect", &path]).expect_code(0).stdout;
    assert!(text.contains("unsigned; it has a section for signatures, which this gephost does not check"), "{text}");
}

/// The section that toolchains write is shown clipped and without control characters. Nothing depends on it.
#[test]
fn a_forged_producers_section_is_shown_without_control_characters() {
    let env = TestEnv::new();
    let project = TestProject::without_git(&[]);
    for (data, language) in [
        (&b"\x01\x0cprocessed-by\x01\x06\x1b[2Jgo\x01\n"[..], Value::Null),
        (b"\x01\x08language\x01\x02Go\x041.27", "Go".into()),
        (b"\xff\xff\xff\xff\x0f", Value::Null),
        (b"", Value::Null),
    ] {
        let mut component = guests::heuristic("calm");
        append_section(&mut component, "producers", data);
        let path = file(&env, &component);
        assert_eq!(inspect(&env, &project, &path)["producers"]["language"], language);
        let text = env.run(project.root(), &["gene", "inspect", &path]).expect_code(0).stdout;
        assert!(!text.chars().any(|c| c.is_control() && c != '\n'), "{text:?}");
    }
}
