//! Builds a component from sources: one recipe for each language.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::bindings;
use super::workplace::{Workplace, run};
use crate::repository;

/// C. The module uses WASI 0.1 through wasi-libc, which zig builds from source once.
pub(super) fn c(place: &Workplace) -> Vec<u8> {
    bindings::write(wit_bindgen_c::Opts::default().build(), &place.scratch);
    copy_sources(place);
    let mut zig = Command::new(place.tool.join("ziglang/zig"));
    zig.args(["cc", "--target=wasm32-wasi", "-mexec-model=reactor", "-std=c11", "-Wall", "-Werror", "-Os", "-s"])
        .args(["-o", "core.wasm", "gene.c", "strategy.c", "strategy_component_type.o"])
        .env("ZIG_GLOBAL_CACHE_DIR", place.keep.join("zig"))
        .env("ZIG_LOCAL_CACHE_DIR", place.keep.join("zig"))
        .current_dir(&place.scratch);
    run(&mut zig);
    bindings::adapted(&fs::read(place.scratch.join("core.wasm")).unwrap())
}

/// Go. The crate of the generator contains the package that the bindings import, so no module proxy is asked.
pub(super) fn go(place: &Workplace) -> Vec<u8> {
    bindings::write(wit_bindgen_go::Opts::default().build(), &place.scratch);
    copy_sources(place);
    fs::create_dir(place.scratch.join("export_gephost_gene_proposals")).unwrap_or_default();
    fs::rename(place.scratch.join("gene.go"), place.scratch.join("export_gephost_gene_proposals/gene.go")).unwrap();
    let module = fs::read_to_string(place.scratch.join("go.mod")).unwrap();
    let replaced = format!("{module}\nreplace go.bytecodealliance.org/pkg => {}\n", go_package().display());
    fs::write(place.scratch.join("go.mod"), replaced).unwrap();
    let root = place.tool.join("go");
    let mut go = Command::new(root.join("bin/go"));
    go.args(["build", "-trimpath", "-buildmode=c-shared", "-ldflags=-checklinkname=0 -s -w", "-o", "core.wasm", "."])
        .env("GOROOT", &root)
        .envs([("GOOS", "wasip1"), ("GOARCH", "wasm"), ("GOPROXY", "off"), ("GOFLAGS", "-mod=mod")])
        .envs([("GOTOOLCHAIN", "local"), ("GOWORK", "off"), ("GOENV", "off")])
        .env("GOCACHE", place.keep.join("go"))
        .env("GOPATH", place.keep.join("gopath"))
        .current_dir(&place.scratch);
    run(&mut go);
    bindings::adapted(&bindings::with_types(fs::read(place.scratch.join("core.wasm")).unwrap()))
}

/// Python. componentize-py has its own bindings, libraries and encoder.
pub(super) fn python(place: &Workplace) -> Vec<u8> {
    copy_sources(place);
    let mut python = Command::new("python3");
    python
        .arg(place.tool.join("bin/componentize-py"))
        .arg("-d")
        .arg(repository().join("wit/v0.1"))
        .args(["-w", "gephost:gene/strategy", "componentize", "gene", "-o", "python.wasm"])
        .env("PYTHONPATH", &place.tool)
        .current_dir(&place.scratch);
    run(&mut python);
    fs::read(place.scratch.join("python.wasm")).unwrap()
}

fn copy_sources(place: &Workplace) {
    for entry in fs::read_dir(&place.sources).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), place.scratch.join(entry.file_name())).unwrap();
    }
}

/// The folder of the Go package in the crate of the generator, wherever cargo keeps it.
fn go_package() -> PathBuf {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["metadata", "--format-version", "1", "--locked"]).current_dir(repository());
    let metadata: serde_json::Value = serde_json::from_str(&run(&mut cargo)).unwrap();
    let mut packages = metadata["packages"].as_array().unwrap().iter();
    let crate_ = packages.find(|package| package["name"] == "wit-bindgen-go").expect("this crate depends on it");
    Path::new(crate_["manifest_path"].as_str().unwrap()).parent().unwrap().join("src/pkg")
}
