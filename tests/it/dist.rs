//! The components in `genes/dist` are what the sources in `genes/` build, byte for byte.
//!
//! The contract that the host compares components with is checked likewise. `GEPHOST_BLESS=1` writes them instead.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use gephost_tests::components::encode;
use gephost_tests::{repository, skipped};
use wit_parser::{LiftLowerAbi, ManglingAndAbi, Resolve};

const GENES: &[(&str, &str)] = &[("tool-failures", "tool_failures"), ("repair-from-errors", "repair_from_errors")];

#[test]
fn bundled_components_are_what_their_sources_build() {
    if !target_is_there() {
        skipped("the target wasm32-wasip2 is not installed (`rustup target add wasm32-wasip2`)");
        return;
    }
    let target = repository().join("target/genes");
    for (package, file) in GENES {
        let built = build(package, file, &target);
        let dist = repository().join(format!("genes/dist/{file}.wasm"));
        if std::env::var_os("GEPHOST_BLESS").is_some() {
            fs::write(&dist, &built).unwrap();
        }
        let committed = fs::read(&dist).unwrap();
        assert!(
            committed == built,
            "genes/dist/{file}.wasm ({} bytes) is not what genes/{package} builds ({} bytes): run this test with \
             GEPHOST_BLESS=1 and commit the component",
            committed.len(),
            built.len()
        );
    }
}

/// What the host compares components with is `wit/v0.1.1` itself. `GEPHOST_BLESS=1` writes it instead.
#[test]
fn the_contract_that_components_are_compared_with_is_wit() {
    let mut resolve = Resolve::default();
    let (package, _) = resolve.push_path(repository().join("wit/v0.1.1")).unwrap();
    let world = resolve.select_world(&[package], Some("gene")).unwrap();
    let abi = ManglingAndAbi::Legacy(LiftLowerAbi::Sync);
    let built = encode(wit_component::dummy_module(&resolve, world, abi), &resolve, world);
    let path = repository().join("host/runner/src/sandbox/contract/v0.1.1.wasm");
    if std::env::var_os("GEPHOST_BLESS").is_some() {
        fs::write(&path, &built).unwrap();
    }
    assert!(fs::read(&path).unwrap() == built, "run this test with GEPHOST_BLESS=1 and commit the component");
}

/// Whether genes can be built here.
pub(crate) fn target_is_there() -> bool {
    let sysroot = Command::new("rustc").args(["--print", "sysroot"]).current_dir(repository()).output().unwrap();
    let sysroot = String::from_utf8(sysroot.stdout).unwrap();
    Path::new(sysroot.trim()).join("lib/rustlib/wasm32-wasip2/lib").is_dir()
}

/// Builds one gene by the recipe of genes/README.md.
pub(crate) fn build(package: &str, file: &str, target: &Path) -> Vec<u8> {
    let cargo_home = std::env::var_os("CARGO_HOME")
        .map_or_else(|| PathBuf::from(std::env::var_os("HOME").unwrap()).join(".cargo"), PathBuf::from);
    let flags = format!(
        "--remap-path-prefix={}=/gephost --remap-path-prefix={}=/cargo",
        repository().display(),
        cargo_home.display()
    );
    let status = Command::new(env!("CARGO"))
        .args(["rustc", "--locked", "--quiet", "--profile", "gene", "--target", "wasm32-wasip2", "-p", package])
        .args(["--crate-type", "cdylib"])
        .env("CARGO_TARGET_DIR", target)
        .env("RUSTFLAGS", flags)
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("RUSTC_WRAPPER")
        .current_dir(repository())
        .status()
        .unwrap();
    assert!(status.success(), "genes/{package} does not build");
    fs::read(target.join(format!("wasm32-wasip2/gene/{file}.wasm"))).unwrap()
}
