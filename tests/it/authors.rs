//! What a gene's author does: `gephost gene new`, `wit`, `build`, `pack`, `check` and `test`.

mod alone;
mod begin;
mod bindings;
mod building;
mod checking;
mod examples;
mod faults;
mod interpreted;
mod languages;
mod manifests;
mod native;
mod packing;
mod testing;
mod types;

use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use gephost_tests::author_tools::{LANGUAGES, author};
use gephost_tests::environment::TestEnv;
use gephost_tests::{repository, skipped};

/// A new project in a language, in a folder that is removed at the end; `None` if the language cannot be built here.
fn project(env: &TestEnv, language: &str) -> Option<(tempfile::TempDir, PathBuf)> {
    let known = LANGUAGES.iter().find(|known| known.word == language).unwrap();
    if let Some(why) = known.missing() {
        skipped(&format!("genes in {language}: {why}"));
        return None;
    }
    let place = tempfile::tempdir().unwrap();
    author(env, place.path(), &["gene", "new", "fix-python", "--lang", language]).expect_code(0);
    let project = place.path().join("fix-python");
    Some((place, project))
}

/// The same, with the interpreter that the first such project in Python built: building one takes ten seconds.
fn project_with_interpreter(env: &TestEnv, language: &str) -> Option<(tempfile::TempDir, PathBuf)> {
    static FIRST: LazyLock<PathBuf> = LazyLock::new(|| {
        let (env, place) = (TestEnv::lasting(), repository().join("target/languages/interpreter"));
        let _ = std::fs::remove_dir_all(&place);
        std::fs::create_dir_all(&place).unwrap();
        author(&env, &place, &["gene", "new", "first", "--lang", "python"]).expect_code(0);
        author(&env, &place, &["gene", "build", "first"]).expect_code(0);
        place.join("first")
    });
    let (place, folder) = project(env, language)?;
    if language == "python" {
        std::fs::create_dir_all(folder.join("build/python")).unwrap();
        for file in ["build/python/interpreter.py", "build/interpreter.wasm", "build/interpreter.txt"] {
            std::fs::copy(FIRST.join(file), folder.join(file)).unwrap();
        }
    }
    Some((place, folder))
}

/// A project in the language that builds fastest here, built.
fn built(env: &TestEnv) -> Option<(tempfile::TempDir, PathBuf)> {
    let (place, folder) = project(env, "assemblyscript")?;
    author(env, &folder, &["gene", "build"]).expect_code(0);
    Some((place, folder))
}

/// The names in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
