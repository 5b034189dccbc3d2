//! Whatever the gate passes, `git apply` does exactly that: the diff as it came, and the diff that was shown.
//!
//! The bytes are choices: a tree, changes to it, the way a tool writes them, and damage to the text. The same generator
//! and the same oracle run from fixed seeds in `host/core/tests/against_git`.

#![no_main]

#[path = "../../../host/core/tests/against_git/choices.rs"]
#[expect(dead_code, reason = "the fuzzer brings its own bytes")]
mod choices;
#[path = "../../../host/core/tests/against_git/mutate.rs"]
mod mutate;
#[path = "../../../host/core/tests/against_git/oracle.rs"]
mod oracle;
#[path = "../../../host/core/tests/against_git/scene.rs"]
mod scene;
#[path = "../../../host/core/tests/against_git/style.rs"]
mod style;

use std::sync::LazyLock;

use choices::Choices;
use gephost_core::policy::Policy;
use libfuzzer_sys::fuzz_target;
use oracle::{Git, approved_tree, judge, open_policy};
use tempfile::TempDir;

static FOLDER: LazyLock<TempDir> = LazyLock::new(|| TempDir::with_prefix("gate_vs_git").expect("a scratch folder"));
static POLICY: LazyLock<Policy> = LazyLock::new(open_policy);

fuzz_target!(|bytes: &[u8]| {
    let mut choices = Choices::new(bytes);
    let tree = scene::tree(&mut choices);
    let diff = mutate::mutate(scene::diff(&tree, &mut choices), &mut choices);
    let verdict = judge(&diff, &tree, &POLICY);
    if let Some(expected) = approved_tree(&verdict, &tree) {
        let git = Git::new(FOLDER.path().to_owned());
        assert_eq!(git.apply(&diff, &tree).as_ref(), Ok(&expected), "{diff}\n{tree:?}");
        assert_eq!(git.apply(verdict.diff(), &tree), Ok(expected), "{}\n{tree:?}", verdict.diff());
    }
});
