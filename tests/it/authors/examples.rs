//! `examples/genes`: the same gene in every language passes the same fixtures, with the same patch.

use std::fs;
use std::path::Path;

use gephost_tests::author_tools::{LANGUAGES, author};
use gephost_tests::environment::TestEnv;
use gephost_tests::project::TestProject;
use gephost_tests::repository;
use serde_json::Value;

use super::{names, project_with_interpreter};

const CONFIG: &str = "[policy]\nallow = [\"/docs/\"]\n[observe]\nlogs = [\"logs/\"]\n";

/// What every gene must propose for a project without notes.
const FIRST_NOTE: &str = "\
diff --git a/docs/known-failures.md b/docs/known-failures.md
new file mode 100644
--- /dev/null
+++ b/docs/known-failures.md
@@ -0,0 +1,3 @@
+# Known failures
+
+- @TITLE@: @DIRECTION@
";

/// Puts an example into a new project, as the README of the examples says.
fn put(language: &str, folder: &Path) {
    let examples = repository().join("examples/genes");
    let readme = fs::read_to_string(folder.join("README.md")).unwrap();
    let source = readme.split("Edit `").nth(1).unwrap().split('`').next().unwrap();
    fs::copy(examples.join(language).join(source), folder.join(source)).unwrap();
    fs::copy(examples.join("gene.json"), folder.join("gene.json")).unwrap();
    fs::remove_dir_all(folder.join("fixtures")).unwrap();
    copy_all(&examples.join("fixtures"), &folder.join("fixtures"));
}

fn copy_all(from: &Path, to: &Path) {
    fs::create_dir(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_all(&entry.path(), &to)
        } else {
            drop(fs::copy(entry.path(), to))
        }
    }
}

#[test]
fn every_language_has_an_example_and_passes_its_fixtures() {
    let mut expected: Vec<&str> = LANGUAGES.iter().map(|language| language.word).collect();
    expected.extend(["README.md", "fixtures", "gene.json"]);
    expected.sort_unstable();
    assert_eq!(names(&repository().join("examples/genes")), expected);
    let env = TestEnv::lasting();
    let log = fs::read_to_string(repository().join("examples/genes/fixtures/new-note/log.jsonl")).unwrap();
    let without = TestProject::new(&env, &[("gephost.toml", CONFIG), ("logs/session.jsonl", &log)]);
    for language in LANGUAGES {
        let Some((_place, folder)) = project_with_interpreter(&env, language.word) else { continue };
        put(language.word, &folder);
        author(&env, &folder, &["gene", "build"]).expect_code(0);
        for command in ["test", "check"] {
            let ran = author(&env, &folder, &["gene", command]);
            assert_eq!(ran.code, 0, "{}, gene {command}: {}{}", language.word, ran.stdout, ran.stderr);
        }
        let gene = folder.join("build/gene.wasm");
        let (answer, code) = env.json(without.root(), &["propose", "--gene", gene.to_str().unwrap()]);
        assert_eq!(code, 0, "{}: {answer:#}", language.word);
        let (diagnosis, _) = env.json(without.root(), &["diagnose"]);
        let text = |member: &str| diagnosis["findings"][0][member].as_str().unwrap().to_owned();
        let expected = FIRST_NOTE.replace("@TITLE@", &text("title")).replace("@DIRECTION@", &text("direction"));
        assert_eq!(answer["candidates"][0]["diff"], expected, "{}", language.word);
    }
}

#[test]
fn the_golden_files_say_what_the_readme_says() {
    let read = |path: &str| fs::read_to_string(repository().join("examples/genes/fixtures").join(path)).unwrap();
    let answer = |fixture: &str| -> Value { serde_json::from_str(&read(&format!("{fixture}/expected.json"))).unwrap() };
    let noted = answer("new-note")["candidates"][0]["diff"].to_string();
    assert!(noted.contains("\"+- the module `tabulate` is missing"), "{noted}");
    assert_eq!(answer("already-noted")["candidates"], Value::Array(Vec::new()));
    let finding = &answer("already-noted")["findings"][0]["title"];
    let noted = read("already-noted/workspace/docs/known-failures.md");
    assert!(noted.contains(finding.as_str().unwrap()), "the fixture is about another finding: {noted}");
}
