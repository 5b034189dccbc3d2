//! A gene in Python: the interpreter is built and compiled once, and an edit changes data only.

use std::fs;
use std::path::Path;

use gephost_tests::author_tools::author;
use gephost_tests::environment::TestEnv;
use serde_json::Value;

use super::{project, project_with_interpreter};

fn build(env: &TestEnv, folder: &Path) -> Value {
    let built = author(env, folder, &["gene", "build", "--json"]).expect_code(0);
    serde_json::from_str(&built.stdout).unwrap()
}

/// The log of the only fixture, after the golden file was written anew.
fn log(env: &TestEnv, folder: &Path) -> Vec<String> {
    author(env, folder, &["gene", "test", "--bless"]).expect_code(0);
    let answer: Value =
        serde_json::from_slice(&fs::read(folder.join("fixtures/first/expected.json")).unwrap()).unwrap();
    serde_json::from_value(answer["log"].clone()).unwrap()
}

/// The compiled components in the user's cache.
fn compiled(env: &TestEnv) -> usize {
    fs::read_dir(env.home().join(".cache/gephost/components")).unwrap().count()
}

fn edit(file: &Path, old: &str, new: &str) {
    let text = fs::read_to_string(file).unwrap();
    assert!(text.contains(old), "{text}");
    fs::write(file, text.replacen(old, new, 1)).unwrap();
}

#[test]
fn an_edit_compiles_nothing_and_counts_at_once() {
    let env = TestEnv::new();
    let Some((_place, folder)) = project_with_interpreter(&env, "python") else { return };
    let first = build(&env, &folder);
    assert_eq!(log(&env, &folder), ["info scripts that call python: 1"]);
    let inspected = author(&env, &folder, &["gene", "inspect", "build/gene.wasm"]).expect_code(0);
    assert!(inspected.stdout.contains("bytes, which the gene reads as its standard input"), "{}", inspected.stdout);
    let (interpreter, components) = (fs::read(folder.join("build/interpreter.wasm")).unwrap(), compiled(&env));

    edit(&folder.join("gene.py"), "scripts that call", "programs that call");
    fs::create_dir(folder.join("words")).unwrap();
    fs::write(folder.join("words/__init__.py"), "").unwrap();
    fs::write(folder.join("words/more.py"), "import json\n\nTEXT = json.dumps(['more'])\n").unwrap();
    edit(&folder.join("gene.py"), "import gephost\n", "import gephost\nfrom words.more import TEXT\n");
    edit(&folder.join("gene.py"), "        log.info(", "        log.info(TEXT)\n        log.info(");
    let second = build(&env, &folder);
    assert_ne!(first["gene"]["digest"], second["gene"]["digest"]);
    assert_eq!(log(&env, &folder), ["info [\"more\"]", "info programs that call python: 1"]);
    assert_eq!(fs::read(folder.join("build/interpreter.wasm")).unwrap(), interpreter);
    assert_eq!(compiled(&env), components, "the edit was compiled");

    // The manifest is no code either.
    edit(&folder.join("gene.json"), "\"summary\": \"", "\"summary\": \"Well: ");
    assert_ne!(build(&env, &folder)["gene"]["digest"], second["gene"]["digest"]);
    author(&env, &folder, &["gene", "test"]).expect_code(0);
    assert_eq!(compiled(&env), components);
}

#[test]
fn a_module_that_is_imported_for_the_first_time_is_frozen_and_one_that_is_not_named_is_explained() {
    let env = TestEnv::lasting();
    let Some((_place, folder)) = project_with_interpreter(&env, "python") else { return };
    let file = folder.join("gene.py");
    edit(&file, "        log.info(", "        log.info(str(len(zipfile.__name__)))\n        log.info(");
    edit(&file, "import re\n", "import re\nimport zipfile\n");
    build(&env, &folder);
    assert_eq!(log(&env, &folder), ["info 7", "info scripts that call python: 1"]);

    edit(&file, "import zipfile\n", "import importlib\n");
    edit(&file, "zipfile.__name__", "importlib.import_module('wave').__name__");
    build(&env, &folder);
    let ran = author(&env, &folder, &["gene", "test"]).expect_code(1);
    assert!(ran.stdout.contains("No module named 'wave'; Write `import wave` as a statement"), "{}", ran.stdout);
}

#[test]
fn a_file_of_the_workspace_is_no_module_of_the_gene() {
    let env = TestEnv::lasting();
    let Some((_place, folder)) = project_with_interpreter(&env, "python") else { return };
    // The folders in which the interpreter was when it was frozen, and the working directory.
    for place in ["", "python", "python/lib/python3.14", "bundled", "world"] {
        let place = folder.join("fixtures/first/workspace").join(place);
        fs::create_dir_all(&place).unwrap();
        fs::write(place.join("planted.py"), "WORD = 'planted'\n").unwrap();
    }
    let planted = "        log.info(__import__(\"planted\").WORD)\n        log.info(";
    edit(&folder.join("gene.py"), "        log.info(", planted);
    build(&env, &folder);
    let ran = author(&env, &folder, &["gene", "test"]).expect_code(1);
    assert!(ran.stdout.contains("ModuleNotFoundError: No module named 'planted'"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("info planted"), "{}", ran.stdout);
    // A traceback shows the line of the gene, not that of a file of the same name.
    fs::write(folder.join("fixtures/first/workspace/gene.py"), "another line\n".repeat(99)).unwrap();
    let ran = author(&env, &folder, &["gene", "test"]).expect_code(1);
    assert!(ran.stdout.contains("__import__") && !ran.stdout.contains("another line"), "{}", ran.stdout);
    // A module that is named and that nobody has.
    edit(&folder.join("gene.py"), "__import__(\"planted\").WORD", "str(absent)");
    edit(&folder.join("gene.py"), "import re\n", "import re\nimport absent\n");
    build(&env, &folder);
    let ran = author(&env, &folder, &["gene", "test"]).expect_code(1);
    assert!(ran.stdout.contains("`absent` is neither in the standard library nor in the project"), "{}", ran.stdout);
}

#[test]
fn sources_that_cannot_be_data_are_refused_before_any_tool_runs() {
    let env = TestEnv::new();
    let Some((_place, folder)) = project(&env, "python") else { return };
    fs::write(folder.join("latin.py"), b"x = '\xe9'\n").unwrap();
    let refused = author(&env, &folder, &["gene", "build"]).expect_code(2);
    assert!(refused.stderr.contains("latin.py: the source is not UTF-8"), "{}", refused.stderr);
    fs::remove_file(folder.join("latin.py")).unwrap();
    fs::write(folder.join("large.py"), vec![b'#'; (16 << 20) + 1]).unwrap();
    let refused = author(&env, &folder, &["gene", "build"]);
    assert!(refused.code != 0 && refused.stderr.contains("large.py"), "{}", refused.stderr);
    assert!(!folder.join("build/interpreter.wasm").exists());
}
