//! Files that are no gene for this host: refused before anything runs.

use std::fs::File;
use std::io::Write as _;
use std::path::Path;

use gephost_tests::components::{append_section, manifest};
use gephost_tests::environment::TestEnv;

use super::{expect_refusal, file, project, refuses};
use crate::guests;

/// Both ways to name a component file: `gene inspect` and `run --gene`.
#[track_caller]
fn refuses_gene(path: &Path, says: &str) {
    let env = TestEnv::new();
    let project = project(&env);
    let path = path.to_str().unwrap();
    refuses(&env, &project, &["gene", "inspect", path], 2, says);
    refuses(&env, &project, &["run", "--gene", path], 2, says);
}

#[track_caller]
fn refuses_bytes(bytes: &[u8], says: &str) {
    let env = TestEnv::new();
    refuses_gene(&file(&env, "gene.wasm", bytes), says);
}

/// A component with these items, and a manifest.
fn component(items: &str, manifest: &str) -> Vec<u8> {
    let mut bytes = wat::parse_str(format!("(component {items})")).unwrap();
    append_section(&mut bytes, "gephost:gene", manifest.as_bytes());
    bytes
}

fn heuristic_manifest() -> String {
    manifest("test_gene", "heuristic", &["run-log"])
}

/// What makes a component look like a heuristic before it is compiled.
const DIAGNOSIS: &str = "(instance $d) (export \"gephost:gene/diagnosis@0.1.0\" (instance $d))";

#[test]
fn a_file_that_is_no_component_is_refused() {
    refuses_bytes(b"", "not a WebAssembly component");
    refuses_bytes(b"\0as", "not a WebAssembly component");
    refuses_bytes(b"#!/bin/sh\necho no\n", "not a WebAssembly component");
    refuses_bytes(b"\0asm", "truncated or damaged at byte");
    refuses_bytes(b"\0asm\xff\xff\xff\xff", "damaged");
    refuses_bytes(&wat::parse_str("(module)").unwrap(), "core WebAssembly module");
    let preview1 = "(module (import \"wasi_snapshot_preview1\" \"fd_write\" (func)))";
    refuses_bytes(&wat::parse_str(preview1).unwrap(), "`wasi_snapshot_preview1`, which is WASI 0.1");
    let emscripten = "(module (import \"env\" \"abort\" (func)))";
    refuses_bytes(&wat::parse_str(emscripten).unwrap(), "it imports `env`");
}

#[test]
fn a_truncated_component_is_refused_wherever_it_is_cut() {
    let env = TestEnv::new();
    let project = project(&env);
    let whole = guests::heuristic("calm");
    // Cut at a section's end, or before its manifest, it is a smaller component: still no gene.
    for part in [1, 5, 9] {
        let cut = file(&env, "cut.wasm", &whole[..whole.len() * part / 10]);
        let ran = env.run(project.root(), &["run", "--gene", cut.to_str().unwrap()]);
        expect_refusal(&ran, 2, "gene ");
    }
    refuses_bytes(&whole[..whole.len() - 1], "truncated or damaged");
}

#[test]
fn a_damaged_component_is_refused_without_a_crash() {
    let env = TestEnv::new();
    let project = project(&env);
    let whole = guests::heuristic("calm");
    for position in (8..whole.len()).step_by(whole.len() / 24) {
        let mut damaged = whole.clone();
        damaged[position] ^= 0x55;
        let path = file(&env, "damaged.wasm", &damaged);
        let ran = env.run(project.root(), &["gene", "inspect", path.to_str().unwrap()]);
        // A flipped bit in a name or a body may leave a component that can be inspected; nothing may be a bug.
        if ran.code == 0 {
            continue;
        }
        expect_refusal(&ran, 2, "gene ");
    }
}

#[test]
fn a_file_of_200_megabytes_is_refused() {
    let env = TestEnv::new();
    let path = env.home().join("large.wasm");
    let mut large = File::create(&path).unwrap();
    large.write_all(b"\0asm\x0d\0\x01\0").unwrap();
    large.set_len(200 << 20).unwrap();
    refuses_gene(&path, "more than 67108864 bytes");
}

#[test]
fn a_path_that_is_no_file_is_refused() {
    let env = TestEnv::new();
    refuses_gene(&env.home().join("nowhere.wasm"), "nowhere.wasm");
    refuses_gene(env.home(), "directory");
    let file = file(&env, "file", b"");
    refuses_gene(&file.join("below"), "below");
}

#[test]
fn a_component_that_is_no_gene_is_refused() {
    refuses_bytes(&component("", &heuristic_manifest()), "exports nothing");
    refuses_bytes(
        &component("(instance $d) (export \"wasi:cli/run@0.2.0\" (instance $d))", "{}"),
        "wasi:cli/run@0.2.0",
    );
    refuses_bytes(
        &component("(instance $d) (export \"wasi:cli/run@0.2.0\" (instance $d))", "{}"),
        "it is a command with a `main`",
    );
    let mut bare = wat::parse_str(format!("(component {DIAGNOSIS})")).unwrap();
    refuses_bytes(&bare, "no custom section `gephost:gene`");
    append_section(&mut bare, "gephost:gene", b"not JSON");
    refuses_bytes(&bare, "manifest");
}

#[test]
fn a_manifest_that_cannot_be_used_is_refused() {
    let strategy = manifest("test_gene", "strategy", &[]);
    refuses_bytes(&component(DIAGNOSIS, &strategy), "the manifest says world `strategy`");
    refuses_bytes(&component(DIAGNOSIS, &manifest("test_gene", "heuristics", &[])), "unknown world");
    refuses_bytes(&component(DIAGNOSIS, &manifest("test_gene", "heuristic", &["network"])), "unknown capability");
    refuses_bytes(&component(DIAGNOSIS, &manifest("../escape", "heuristic", &[])), "gene id");
    refuses_bytes(&component(DIAGNOSIS, &manifest("", "heuristic", &[])), "gene id");
    refuses_bytes(&component(DIAGNOSIS, "{}"), "manifest");
    refuses_bytes(&component(DIAGNOSIS, "[1]"), "manifest");
    refuses_bytes(&component(DIAGNOSIS, &heuristic_manifest().replacen('{', "{\"id\":\"twice\",", 1)), "manifest");
    let long = format!("{{\"id\":\"{}\"}}", "a".repeat(70_000));
    refuses_bytes(&component(DIAGNOSIS, &long), "manifest");
}

#[test]
fn an_import_that_genes_do_not_get_is_refused() {
    let import = |name: &str| component(&format!("(import \"{name}\" (instance)) {DIAGNOSIS}"), &heuristic_manifest());
    refuses_bytes(&import("gephost:gene/run-log@0.2.0"), "this host has 0.1: upgrade gephost");
    refuses_bytes(&import("wasi:http/outgoing-handler@0.2.0"), "a gene has no network");
    refuses_bytes(&import("wasi:io/streams@0.3.0"), "this host has WASI 0.2");
    refuses_bytes(&import("wasi:cli/stdout@0.3.0"), "it is WASI 0.3");
    refuses_bytes(&import("wasi:clocks/timezone@0.2.4"), "time zones are an unstable part");
    refuses_bytes(&import("acme:tools/hammer@1.0.0"), "acme:tools/hammer");
    let future = "(instance $d) (export \"gephost:gene/diagnosis@0.2.0\" (instance $d))";
    refuses_bytes(&component(future, &heuristic_manifest()), "this host has 0.1: upgrade gephost");
}

#[test]
fn an_asynchronous_component_is_refused() {
    let waits = format!("(core func $set (canon waitable-set.new)) {DIAGNOSIS}");
    refuses_bytes(&component(&waits, &heuristic_manifest()), "the component is asynchronous (a task, stream");
    let lifted = format!(
        "(core module $m (func (export \"f\") (result i32) (i32.const 0))) (core instance $i (instantiate $m)) \
         (type $t (func async)) (func $f (type $t) (canon lift (core func $i \"f\") async)) {DIAGNOSIS}"
    );
    refuses_bytes(&component(&lifted, &heuristic_manifest()), "the component is asynchronous (a");
}

#[test]
fn an_interface_of_the_wrong_shape_is_refused_by_run() {
    let env = TestEnv::new();
    let project = project(&env);
    let path = file(&env, "hollow.wasm", &component(DIAGNOSIS, &heuristic_manifest()));
    refuses(&env, &project, &["run", "--gene", path.to_str().unwrap()], 2, "does not fit the contract");
    refuses(
        &env,
        &project,
        &["run", "--gene", path.to_str().unwrap()],
        2,
        "the export `gephost:gene/diagnosis` lacks the function `diagnose`",
    );
}

#[test]
fn a_name_in_a_component_cannot_reach_the_terminal() {
    // The name is part of a section whose length stays the same.
    let mut bytes = component("(instance $d) (export \"aaa-bbb-ccc\" (instance $d))", &heuristic_manifest());
    let at = bytes.windows(11).position(|name| name == b"aaa-bbb-ccc").unwrap();
    bytes[at..at + 5].copy_from_slice(b"\x1b[2J\n");
    refuses_bytes(&bytes, "exports");
}
