//! Features of dependencies. Cargo unites those that the packages of one command ask for; where a test asks for more than
//! the program, everything that depends on that crate is built twice.

use std::collections::BTreeSet;
use std::process::Command;

use gephost_tests::repository;

/// The crates that `cargo` builds for these arguments, each with its features.
fn crates(arguments: &[&str]) -> BTreeSet<String> {
    let mut cargo = Command::new(env!("CARGO"));
    cargo.args(["tree", "--locked", "--prefix", "none", "--no-dedupe", "--format", "{p} {f}"]).args(arguments);
    let output = cargo.current_dir(repository()).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn the_program_and_the_tests_share_one_build() {
    let program = crates(&["--package", "gephost", "--edges", "normal"]);
    let tests = crates(&["--workspace", "--edges", "normal,dev"]);
    assert!(program.iter().any(|one| one.starts_with("wasmtime v")), "{program:?}");
    let twice: Vec<_> = program.difference(&tests).collect();
    assert!(twice.is_empty(), "name the features that the tests ask for in host/cli/Cargo.toml: {twice:?}");
}
