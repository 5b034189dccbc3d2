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

use gephost_tests::author_tools::{LANGUAGES, author};
use gephost_tests::environment::TestEnv;
use gephost_tests::skipped;

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
