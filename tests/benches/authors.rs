//! `cargo bench -p gephost-tests --bench authors`: the loop of a gene's author, in each language.
//!
//! A new project of `gephost gene new` is built and tested by the program itself, with an empty compile cache. Then a text
//! of the source is changed, and built and tested again: the least of three, on the clock. Compiling and loading are by the
//! compile cache. Aim: edit to result under 2 s in every language.

use std::fs;
use std::path::Path;

use gephost_tests::author_tools::{LANGUAGES, author};
use gephost_tests::environment::TestEnv;
use gephost_tests::loads::Loads;
use gephost_tests::measure::{millis, time};

/// What every template logs, and what edits make of it: never what was built before, which is in the compile cache.
const TEXT: &str = "scripts that call python:";
const EDITS: [&str; 3] = ["scripts which call python:", "scripts calling python:", "calls of python:"];

fn main() {
    println!(
        "{:<15} {:>9} {:>9} {:>12} {:>8} {:>11} {:>8}   aim: no edit over 2000 ms",
        "", "build ms", "test ms", "edit to result", "KiB", "compile ms", "load ms"
    );
    for language in LANGUAGES {
        match language.missing() {
            None => print_row(language.word),
            Some(missing) => gephost_tests::skipped(&format!("{}: {missing}", language.word)),
        }
    }
}

fn print_row(language: &str) {
    let (env, place) = (TestEnv::new(), tempfile::tempdir().unwrap());
    author(&env, place.path(), &["gene", "new", "bench", "--lang", language]).expect_code(0);
    let folder = place.path().join("bench");
    let run = |command: &str, code: i32| time(|| author(&env, &folder, &["gene", command]).expect_code(code)).0;
    let (build, test) = (run("build", 0), run("test", 0));
    let source = folder.join(source(language));
    let mut text = TEXT;
    let edits = EDITS.map(|next| {
        edit(&source, text, next);
        text = next;
        run("build", 0) + run("test", 1)
    });
    let edit = edits.into_iter().min().unwrap_or_default();
    let component = fs::read(folder.join("build/gene.wasm")).unwrap();
    let Loads { compile, load, .. } = Loads::of(&component);
    println!(
        "{language:<15} {:>9.0} {:>9.0} {:>14.0} {:>8} {:>11.0} {:>8.2}",
        millis(build),
        millis(test),
        millis(edit),
        component.len() >> 10,
        millis(compile),
        millis(load)
    );
}

/// The file with the text.
fn source(language: &str) -> &'static str {
    match language {
        "rust" => "src/lib.rs",
        "python" => "gene.py",
        "js" => "gene.js",
        "go" => "gene/gene.go",
        "c" => "gene.c",
        "cpp" => "gene.cpp",
        "zig" => "gene.zig",
        _ => "gene.ts",
    }
}

fn edit(file: &Path, old: &str, new: &str) {
    let text = fs::read_to_string(file).unwrap();
    assert!(text.contains(old), "{}: {old}", file.display());
    fs::write(file, text.replacen(old, new, 1)).unwrap();
}
