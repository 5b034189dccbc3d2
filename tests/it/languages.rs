//! The same gene in C, Go, Python and Rust. It uses the file functions of its language, and all four give the same patch.

use gephost_tests::environment::TestEnv;
use gephost_tests::project::TestProject;
use gephost_tests::toolchains::{Language, tidy};
use gephost_tests::{repository, skipped};

const CONFIG: &str = "[policy]\nallow = [\"/CHANGES.md\", \"/attic/\", \"/docs/\", \"/notes/\", \"/obsolete.txt\", \
                      \"/src/\"]\n[observe]\nlogs = [\"logs/\"]\n";

const FILES: &[(&str, &str)] = &[
    (".env", "NAME=value\n"),
    ("CHANGES.md", "- begun\n"),
    ("attic/a.txt", "a\n"),
    ("attic/deep/b.txt", "bb\n"),
    ("docs/größe.md", "ß\n"),
    ("docs/old.md", "# Notes\n\nOne.\n"),
    ("empty.txt", ""),
    ("gephost.toml", CONFIG),
    ("obsolete.txt", "gone\n"),
    ("src/app.txt", "colour = red\nborder = dark red\nsize = 3\n"),
];

/// The expected result. `.env` and `gephost.toml` are missing because the policy hides them.
const PATCH: &str = "\
diff --git a/CHANGES.md b/CHANGES.md
--- a/CHANGES.md
+++ b/CHANGES.md
@@ -1 +1,2 @@
 - begun
+- tidied
diff --git a/attic/a.txt b/attic/a.txt
deleted file mode 100644
--- a/attic/a.txt
+++ /dev/null
@@ -1 +0,0 @@
-a
diff --git a/attic/deep/b.txt b/attic/deep/b.txt
deleted file mode 100644
--- a/attic/deep/b.txt
+++ /dev/null
@@ -1 +0,0 @@
-bb
diff --git a/docs/new.md b/docs/new.md
new file mode 100644
--- /dev/null
+++ b/docs/new.md
@@ -0,0 +1,3 @@
+# Notes
+
+One.
diff --git a/docs/old.md b/docs/old.md
deleted file mode 100644
--- a/docs/old.md
+++ /dev/null
@@ -1,3 +0,0 @@
-# Notes
-
-One.
diff --git a/notes/tidy/report.txt b/notes/tidy/report.txt
new file mode 100644
--- /dev/null
+++ b/notes/tidy/report.txt
@@ -0,0 +1,22 @@
+before:
+CHANGES.md 8
+attic/a.txt 2
+attic/deep/b.txt 3
+docs/größe.md 3
+docs/old.md 14
+empty.txt 0
+logs/session.jsonl @LOG@
+obsolete.txt 5
+src/app.txt 40
+after:
+CHANGES.md 17
+docs/größe.md 3
+docs/new.md 14
+empty.txt 0
+logs/session.jsonl @LOG@
+src/app.txt 44
+refused:
+/workspace/.env: not there
+/etc/passwd: not there
+/workspace/../etc/passwd: refused
+writing /workspace/.env: refused
diff --git a/obsolete.txt b/obsolete.txt
deleted file mode 100644
--- a/obsolete.txt
+++ /dev/null
@@ -1 +0,0 @@
-gone
diff --git a/src/app.txt b/src/app.txt
--- a/src/app.txt
+++ b/src/app.txt
@@ -1,3 +1,3 @@
-colour = red
-border = dark red
+colour = green
+border = dark green
 size = 3
";

/// A session with a failure, so that a strategy gene runs.
fn session() -> String {
    std::fs::read_to_string(repository().join("examples/quickstart/logs/session.jsonl")).unwrap()
}

fn project(env: &TestEnv) -> TestProject {
    let session = session();
    TestProject::new(env, &[FILES, &[("logs/session.jsonl", session.as_str())]].concat())
}

fn expected() -> String {
    PATCH.replace("@LOG@", &session().len().to_string())
}

/// The built genes. For each one that cannot be built it prints why.
fn built() -> impl Iterator<Item = (Language, String)> {
    Language::ALL.into_iter().filter_map(|language| match tidy(language) {
        Ok(path) => Some((language, path.into_os_string().into_string().unwrap())),
        Err(missing) => {
            skipped(&format!("the gene in {}: {missing}", language.name()));
            None
        }
    })
}

#[test]
fn every_language_gives_the_same_patch() {
    let env = TestEnv::lasting();
    let project = project(&env);
    let before = project.fingerprint();
    for (language, gene) in built() {
        let (document, code) = env.json(project.root(), &["propose", "--gene", &gene]);
        assert_eq!(code, 0, "{}: {document}", language.name());
        let candidates = document["candidates"].as_array().unwrap();
        assert_eq!(candidates.len(), 1, "{}: {document}", language.name());
        assert_eq!(candidates[0]["diff"].as_str().unwrap(), expected(), "{}", language.name());
        assert_eq!(candidates[0]["proposal"]["title"], "Tidy the workspace");
        assert_eq!(project.fingerprint(), before, "{}", language.name());
    }
}

#[test]
fn the_applied_patch_gives_the_files_that_the_gene_saw() {
    let env = TestEnv::new();
    let project = project(&env);
    let patch = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(patch.path(), expected()).unwrap();
    project.git(&env, &["apply", "--index", patch.path().to_str().unwrap()]);
    let names = project.git(&env, &["-c", "core.quotePath=false", "ls-files"]);
    let sized = names.lines().filter(|name| !matches!(*name, ".env" | "gephost.toml" | "notes/tidy/report.txt"));
    let walk: String =
        sized.map(|name| format!("{name} {}\n", project.root().join(name).metadata().unwrap().len())).collect();
    let report = std::fs::read_to_string(project.root().join("notes/tidy/report.txt")).unwrap();
    assert!(report.contains(&format!("after:\n{walk}refused:\n")), "{report}\n{walk}");
}

#[test]
fn inspect_names_the_language_of_each() {
    let env = TestEnv::lasting();
    for (language, gene) in built() {
        let ran = env.run(env.home(), &["gene", "inspect", &gene]).expect_code(0);
        let id = format!("gene_test_tidy_{}", language.name());
        assert!(ran.stdout.contains(&id), "{}", ran.stdout);
    }
}
