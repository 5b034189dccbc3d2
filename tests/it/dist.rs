//! The components in `genes/dist` are byte for byte what the sources in `genes/` build, and all of them are embedded.
//!
//! The component that stands for the contract is checked in the same way. `GEPHOST_BLESS=1` writes these files instead.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use gephost_runner::bundled::BUNDLED;
use gephost_runner::sandbox::{Budgets, Inputs, Sandbox, inspect};
use gephost_tests::components::encode;
use gephost_tests::{repository, skipped};
use wit_parser::{LiftLowerAbi, ManglingAndAbi, Resolve};

use crate::sandbox::{granted, inputs};

#[test]
fn bundled_components_are_what_their_sources_build() {
    if !target_is_there() {
        skipped("the target wasm32-wasip2 is not installed (`rustup target add wasm32-wasip2`)");
        return;
    }
    let dist = repository().join("genes/dist");
    if std::env::var_os("GEPHOST_BLESS").is_some() {
        build_genes(&dist);
    }
    let built = tempfile::tempdir().unwrap();
    build_genes(built.path());
    let (built, committed) = (components(built.path()), components(&dist));
    assert_eq!(committed.keys().collect::<Vec<_>>(), built.keys().collect::<Vec<_>>(), "the crates below genes/");
    for (name, bytes) in &built {
        assert!(
            committed[name] == *bytes,
            "genes/dist/{name} is not what its source builds: run `genes/build` and commit the component"
        );
    }
}

#[test]
fn every_component_of_dist_is_embedded_under_its_own_id() {
    let committed = components(&repository().join("genes/dist"));
    for (name, bytes) in &committed {
        assert!(BUNDLED.iter().any(|gene| gene.bytes == bytes), "{name} is not in host/runner/src/bundled.rs");
    }
    assert_eq!(BUNDLED.len(), committed.len());
    for gene in BUNDLED {
        assert_eq!(inspect(gene.bytes).unwrap().manifest.id(), gene.id);
    }
}

/// So the host does not call them for such a log.
#[test]
fn bundled_genes_that_need_events_find_nothing_without_them() {
    let sandbox = Sandbox::new(None).unwrap();
    let without_events = Inputs { run_log: Arc::default(), ..inputs() };
    for bundled in BUNDLED.iter().filter(|bundled| bundled.needs_events) {
        let gene = sandbox.load(bundled.bytes).unwrap();
        let call = gene.diagnose(&without_events, &granted(), &Budgets::default());
        assert_eq!(call.result.unwrap(), [], "{}", bundled.id);
        let gene = sandbox.load_when_called(bundled).unwrap();
        assert!(!gene.has_something_to_diagnose(&without_events) && gene.has_something_to_diagnose(&inputs()));
    }
}

fn build_genes(folder: &Path) {
    let status = Command::new(repository().join("genes/build")).arg(folder).status().unwrap();
    assert!(status.success(), "genes/build fails");
}

/// The components in a folder, by their file names.
fn components(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| (path.file_name().unwrap().to_str().unwrap().to_owned(), fs::read(&path).unwrap())).collect()
}

/// The component that the host compares genes with is made from `wit/v0.1.2`. `GEPHOST_BLESS=1` writes it instead.
#[test]
fn the_reference_component_is_made_from_wit() {
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_path(repository().join("wit/v0.1.2")).unwrap();
    let world = resolve.select_world(&[package], Some("gene")).unwrap();
    let abi = ManglingAndAbi::Legacy(LiftLowerAbi::Sync);
    let built = encode(wit_component::dummy_module(&resolve, world, abi), &resolve, world);
    let path = repository().join("host/runner/src/sandbox/contract/v0.1.2.wasm");
    if std::env::var_os("GEPHOST_BLESS").is_some() {
        fs::write(&path, &built).unwrap();
    }
    assert!(fs::read(&path).unwrap() == built, "run this test with GEPHOST_BLESS=1 and commit the component");
}

/// Whether this machine can build genes.
pub(crate) fn target_is_there() -> bool {
    let sysroot = Command::new("rustc").args(["--print", "sysroot"]).current_dir(repository()).output().unwrap();
    let sysroot = String::from_utf8(sysroot.stdout).unwrap();
    Path::new(sysroot.trim()).join("lib/rustlib/wasm32-wasip2/lib").is_dir()
}
