//! Editors and type checkers know the SDKs for Python and JavaScript.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use gephost_tests::author_tools::{author, folder};
use gephost_tests::bless::holds_or_bless;
use gephost_tests::environment::TestEnv;
use gephost_tests::{repository, skipped};

use super::names;

/// A new project in a language; its compiler need not be there.
fn begun(language: &str) -> (tempfile::TempDir, PathBuf) {
    let place = tempfile::tempdir().unwrap();
    author(&TestEnv::new(), place.path(), &["gene", "new", "x", "--lang", language]).expect_code(0);
    let project = place.path().join("x");
    (place, project)
}

fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// A checker accepts the template and the example, and finds the misspelled member of a finding.
fn accepts(project: &Path, source: &str, language: &str, check: impl Fn() -> Output) {
    let example = repository().join("examples/genes").join(language).join(source);
    for gene in [project.join(source), example] {
        let gene = fs::read_to_string(gene).unwrap();
        for (from, to, accepted) in [("", "", true), ("finding.title", "finding.tiitle", false)] {
            assert!(gene.contains(from));
            fs::write(project.join(source), gene.replace(from, if from.is_empty() { "" } else { to })).unwrap();
            let checked = check();
            assert_eq!(checked.status.success(), accepted, "{}", text(&checked));
            assert_eq!(text(&checked).contains("tiitle"), !accepted, "{}", text(&checked));
        }
    }
}

#[test]
fn mypy_knows_the_sdk_for_python_and_what_a_build_generates() {
    let mypy = repository().join("target/tools/mypy");
    if !mypy.is_dir() {
        return skipped("mypy is not installed (`.ci/run`)");
    }
    let (_place, project) = begun("python");
    accepts(&project, "gene.py", "python", || {
        let mut python = Command::new("python3");
        python.args(["-m", "mypy", "--no-incremental", "gene.py", "gephost.py"]).current_dir(&project);
        python.env("PYTHONPATH", &mypy).output().unwrap()
    });
}

#[test]
fn tsc_knows_the_sdk_for_javascript() {
    let Some(typescript) = folder("typescript") else {
        return skipped("typescript is not installed (`tests/guests/languages/install-tools`)");
    };
    let tsc = typescript.join("node_modules/.bin/tsc");
    let (_place, project) = begun("js");
    let check = || {
        let mut tsc = Command::new(&tsc);
        tsc.args(["--project", "jsconfig.json"]).current_dir(&project).output().unwrap()
    };
    accepts(&project, "gene.js", "js", check);
    // Everything that the SDK exports has a type, and the reverse.
    let sdk = repository().join("sdk/js");
    let exported = |file: &str, words: &[&str]| {
        let source = fs::read_to_string(sdk.join(file)).unwrap();
        let name = |line: &str| {
            let rest = words.iter().find_map(|word| line.strip_prefix(word))?;
            Some(rest.split(|c: char| !c.is_ascii_alphanumeric()).next().unwrap().to_owned())
        };
        source.lines().filter_map(name).collect::<Vec<String>>()
    };
    let words = ["export function ", "export const "];
    for module in ["gephost", "fs"] {
        let (code, types) = (exported(&format!("{module}.js"), &words), exported(&format!("{module}.d.ts"), &words));
        let types: Vec<String> = types.into_iter().fold(Vec::new(), |mut names, name| {
            // A function with several types is declared several times.
            names.extend((names.last() != Some(&name)).then_some(name));
            names
        });
        assert_eq!(code, types, "{module}");
        assert!(code.len() > 5);
    }
}

#[test]
fn the_types_for_python_are_those_that_componentize_py_writes() {
    let Some(componentize) = folder("componentize-py") else {
        return skipped("componentize-py is not installed (`tests/guests/languages/install-tools`)");
    };
    let place = tempfile::tempdir().unwrap();
    let written = Command::new(componentize.join("bin/componentize-py"))
        .args(["-d", "wit/v0.1.2/gene.wit", "-w", "gephost:gene/gene", "bindings"])
        .arg(place.path().join("out"))
        .env("PYTHONPATH", &componentize)
        .current_dir(repository())
        .output()
        .unwrap();
    assert!(written.status.success(), "{}", text(&written));
    let mut count = 0;
    for folder in ["", "wit_world", "wit_world/exports", "wit_world/imports"] {
        for name in names(&place.path().join("out").join(folder)) {
            let path = format!("{folder}/{name}");
            let path = path.trim_start_matches('/');
            let is_ours = path == "componentize_py_types.py" || path.starts_with("wit_world/");
            if is_ours && path.ends_with(".py") {
                let source = fs::read_to_string(place.path().join("out").join(path)).unwrap();
                holds_or_bless(&format!("sdk/python/typings/{path}i"), &source);
                count += 1;
            }
        }
    }
    assert!(count > 10, "{count}");
}
