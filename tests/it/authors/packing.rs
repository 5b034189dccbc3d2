//! `gephost gene pack`.

use std::fs;
use std::path::Path;

use gephost_tests::components::{append_section, component, manifest};
use gephost_tests::environment::TestEnv;
use serde_json::Value;

const STRATEGY: &str = r#"(module
    (memory (export "memory") 1)
    (global $next (mut i32) (i32.const 1024))
    (func (export "cabi_realloc") (param i32 i32 i32 i32) (result i32)
        (global.get $next) (global.set $next (i32.add (global.get $next) (local.get 3))))
    (func (export "gephost:gene/proposals@0.1.2#propose") (param i32 i32 i32 i32) (result i32) (i32.const 0)))"#;

fn write(folder: &Path, name: &str, bytes: &[u8]) {
    fs::write(folder.join(name), bytes).unwrap();
}

#[test]
fn a_core_module_and_a_manifest_become_a_gene_that_loads_and_runs() {
    let env = TestEnv::new();
    let place = tempfile::tempdir().unwrap();
    write(place.path(), "core.wasm", &wat::parse_str(STRATEGY).unwrap());
    write(place.path(), "gene.json", manifest("gene_x", "strategy", &[]).as_bytes());
    let (packed, code) = env.json(place.path(), &["gene", "pack", "core.wasm", "--manifest", "gene.json"]);
    assert_eq!((code, &packed["gene"]["file"]), (0, &"core.gene.wasm".into()), "{packed:#}");
    let (gene, code) = env.json(place.path(), &["gene", "inspect", "core.gene.wasm"]);
    assert_eq!((code, &gene["gene"]["id"]), (0, &"gene_x".into()));
    let project = gephost_tests::project::TestProject::new(&env, &[("a", "a\n")]);
    let gene = place.path().join("core.gene.wasm");
    let (document, code) = env.json(project.root(), &["propose", "--gene", gene.to_str().unwrap()]);
    assert_eq!(code, 0, "{document:#}");
}

#[test]
fn a_component_passes_through_and_its_manifest_is_replaced() {
    let env = TestEnv::new();
    let place = tempfile::tempdir().unwrap();
    let old = component("strategy", &manifest("gene_old", "strategy", &[]), &STRATEGY.replace("0.1.2", "0.1.0"));
    write(place.path(), "old.wasm", &old);
    write(place.path(), "gene.json", manifest("gene_new", "strategy", &[]).as_bytes());
    env.run(place.path(), &["gene", "pack", "old.wasm", "--output", "new.wasm"]).expect_code(0);
    let (gene, code) = env.json(place.path(), &["gene", "inspect", "new.wasm"]);
    assert_eq!((code, &gene["gene"]["id"]), (0, &"gene_new".into()));
    assert_eq!(fs::read(place.path().join("old.wasm")).unwrap(), old);
}

#[test]
fn packing_is_the_same_each_time_and_does_not_grow() {
    let env = TestEnv::new();
    let place = tempfile::tempdir().unwrap();
    write(place.path(), "core.wasm", &wat::parse_str(STRATEGY).unwrap());
    write(place.path(), "gene.json", manifest("gene_x", "strategy", &[]).as_bytes());
    for (from, to) in [("core.wasm", "a.wasm"), ("core.wasm", "b.wasm"), ("a.wasm", "c.wasm")] {
        env.run(place.path(), &["gene", "pack", from, "--output", to]).expect_code(0);
    }
    let read = |name: &str| fs::read(place.path().join(name)).unwrap();
    assert!(read("a.wasm") == read("b.wasm") && read("a.wasm") == read("c.wasm"));
}

#[test]
fn what_cannot_be_a_gene_is_refused_and_nothing_is_written() {
    let env = TestEnv::new();
    let place = tempfile::tempdir().unwrap();
    let good = manifest("gene_x", "strategy", &[]);
    let module = wat::parse_str(STRATEGY).unwrap();
    let with_env =
        wat::parse_str(STRATEGY.replacen("(module", "(module (import \"env\" \"console.log\" (func (param i32)))", 1))
            .unwrap();
    for (binary, manifest, expected) in [
        (b"text".to_vec(), good.clone(), "neither a WebAssembly module nor a component"),
        (module[..30].to_vec(), good.clone(), "truncated or damaged"),
        (wat::parse_str("(module)").unwrap(), good.clone(), "does not fit the world `strategy`"),
        (with_env, good.clone(), "in AssemblyScript, `info` of the SDK stands for `console.log`"),
        (module.clone(), manifest("gene_x", "heuristic", &[]), "does not fit the world `heuristic`"),
        (module.clone(), good.replace("\"constraints\"", "\"constraint\""), "did you mean `constraints`?"),
        (module.clone(), good.replace("gene_x", ".."), "gene id \"..\" is refused"),
        (module.clone(), good.replace("gene_x", "-rf"), "gene id \"-rf\" is refused"),
        (module.clone(), good.replace("\"validation\":[]", "\"validation\":[\"sh -c x\"]"), "`validation[0]`"),
        (module.clone(), good.replace("log_error", "/(/"), "`signals_match[0]`"),
        (module, "{".to_owned(), "the gene manifest is refused"),
    ] {
        write(place.path(), "core.wasm", &binary);
        write(place.path(), "gene.json", manifest.as_bytes());
        let ran = env.run(place.path(), &["gene", "pack", "core.wasm"]).expect_code(2);
        assert!(ran.stderr.contains(expected), "{expected}: {}", ran.stderr);
        assert!(!place.path().join("core.gene.wasm").exists(), "{expected}");
    }
}

#[test]
fn a_file_of_100_mb_is_refused_by_its_size() {
    let env = TestEnv::new();
    let place = tempfile::tempdir().unwrap();
    let file = fs::File::create(place.path().join("large.wasm")).unwrap();
    file.set_len(100 << 20).unwrap();
    write(place.path(), "gene.json", manifest("gene_x", "strategy", &[]).as_bytes());
    let ran = env.run(place.path(), &["gene", "pack", "large.wasm"]).expect_code(2);
    assert!(ran.stderr.contains("limit"), "{}", ran.stderr);
}

#[test]
fn a_component_with_two_manifests_does_not_load_until_it_is_packed() {
    let env = TestEnv::new();
    let place = tempfile::tempdir().unwrap();
    let text = manifest("gene_x", "strategy", &[]);
    let mut twice = component("strategy", &text, &STRATEGY.replace("0.1.2", "0.1.0"));
    append_section(&mut twice, "gephost:gene", text.as_bytes());
    write(place.path(), "twice.wasm", &twice);
    write(place.path(), "gene.json", text.as_bytes());
    let ran = env.run(place.path(), &["gene", "inspect", "twice.wasm"]).expect_code(2);
    assert!(ran.stderr.contains("two custom sections `gephost:gene`"), "{}", ran.stderr);
    env.run(place.path(), &["gene", "pack", "twice.wasm", "--output", "once.wasm"]).expect_code(0);
    let (gene, _): (Value, i32) = env.json(place.path(), &["gene", "inspect", "once.wasm"]);
    assert_eq!(gene["gene"]["id"], "gene_x");
}
