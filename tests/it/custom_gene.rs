//! `examples/genes/rust`, built with plain cargo, as an author would who has only the SDK.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use gephost_tests::environment::TestEnv;
use gephost_tests::{repository, skipped};

use crate::scene::{published, quickstart};

const ALLOWS_DOCS: &str = "[policy]\nallow = [\"docs/\"]\n[observe]\nlogs = [\"logs/\"]\n";

/// The component; if the wasm target is missing, `None` and a line that says that a test is skipped.
pub(crate) fn component() -> Option<&'static Path> {
    static BUILT: OnceLock<Option<PathBuf>> = OnceLock::new();
    let built = BUILT.get_or_init(|| crate::dist::target_is_there().then(build)).as_deref();
    if built.is_none() {
        skipped("the target wasm32-wasip2 is not installed (`rustup target add wasm32-wasip2`)");
    }
    built
}

fn build() -> PathBuf {
    let target = repository().join("target/note-the-failure");
    let built = Command::new(env!("CARGO"))
        .args(["build", "--release", "--locked", "--quiet", "--target", "wasm32-wasip2", "--manifest-path"])
        .arg(repository().join("examples/genes/rust/Cargo.toml"))
        .env("CARGO_TARGET_DIR", &target)
        .env_remove("CARGO_ENCODED_RUSTFLAGS")
        .env_remove("RUSTFLAGS")
        .status()
        .unwrap();
    assert!(built.success(), "examples/genes/rust does not build");
    target.join("wasm32-wasip2/release/note_the_failure.wasm")
}

#[test]
fn inspect_describes_it() {
    let Some(component) = component() else { return };
    let env = TestEnv::new();
    let ran = env.run(env.home(), &["gene", "inspect", component.to_str().unwrap()]).expect_code(0);
    assert!(ran.stdout.contains("gene_example_note_the_failure"), "{}", ran.stdout);
}

#[test]
fn its_proposal_passes_the_gate_if_docs_may_change() {
    if !crate::scene::python() {
        return;
    }
    let Some(component) = component() else { return };
    let env = TestEnv::new();
    let project = quickstart(&env, Some(ALLOWS_DOCS));
    let before = project.fingerprint();
    let (document, code) = env.json(project.root(), &["run", "--gene", component.to_str().unwrap()]);
    assert_eq!(code, 0, "{document}");
    assert_eq!(document["selection"]["selected"], "gene_example_note_the_failure");
    let diff = document["candidates"][0]["diff"].as_str().unwrap();
    assert!(diff.contains("+++ b/docs/known-failures.md") && diff.contains("+- `unittest`: ImportError: "), "{diff}");
    assert_eq!(project.fingerprint(), before);
}

#[test]
fn a_refusal_says_which_line_of_the_policy_would_allow_it() {
    let Some(component) = component() else { return };
    let env = TestEnv::new();
    let project = quickstart(&env, None);
    let before = project.fingerprint();
    for command in [vec!["run"], vec!["run", "--apply"]] {
        let command = [&command[..], &["--gene", component.to_str().unwrap()]].concat();
        let ran = env.run(project.root(), &command).expect_code(3);
        assert!(ran.stdout.contains("docs/known-failures.md"), "{}", ran.stdout);
        assert!(ran.stdout.contains("add \"/docs/known-failures.md\" to `[policy] allow`"), "{}", ran.stdout);
    }
    assert_eq!(project.fingerprint(), before);
    assert!(published(&env, &project).is_empty());
}
