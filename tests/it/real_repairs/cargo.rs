//! Packages of the crate registry that a newer Rust does not compile, repaired in the project that requires them. The
//! policy must allow changes of requirements; otherwise the gate refuses the repair.

use std::process::Command;

use gephost_tests::environment::TestEnv;
use gephost_tests::project::TestProject;
use gephost_tests::{is_installed, skipped};

use super::settle;
use crate::scene::published;

const COMMAND: [&str; 3] = ["cargo", "test", "--offline"];
const CONFIG: &str = "[policy]\nallow = [\"**\"]\nnew_dependencies = \"flag\"\n[apply]\nenabled = \
                      true\n[validation]\ncaches = [\"cargo\"]\n";
const PARSES: &str = "#[test]\nfn parses() {\n    let parsed = time::format_description::parse(\"[year]\");\n    \
                      assert!(parsed.is_ok());\n}\n";

/// A project whose packages have been fetched: those that it requires now, and those that it will require.
fn project(env: &TestEnv, config: &str, dependencies: [&str; 2], source: &str, locked: &[&str]) -> Option<TestProject> {
    if !is_installed("cargo") {
        return None;
    }
    let manifest = |dependency: &str| {
        let package =
            "[package]\nname = \"asks\"\nversion = \"0.1.0\"\nedition = \"2021\"\n[workspace]\n[dependencies]\n";
        format!("{package}{dependency}\n")
    };
    let [before, after] = dependencies.map(manifest);
    let project =
        TestProject::without_git(&[("gephost.toml", config), (".gitignore", "target\n"), ("src/lib.rs", source)]);
    for (manifest, held) in [(after, &[][..]), (before, locked)] {
        project.write("Cargo.toml", &manifest);
        let _ = std::fs::remove_file(project.root().join("Cargo.lock"));
        for arguments in [&["generate-lockfile", "-q"][..], held, &["fetch", "-q"]] {
            if arguments.is_empty() {
                continue;
            }
            // With the person's own settings: which registry, by what way.
            let ran = Command::new("cargo").args(arguments).current_dir(project.root()).output().unwrap();
            if !ran.status.success() {
                skipped(&format!("offline: cargo fetched nothing: {}", String::from_utf8_lossy(&ran.stderr).trim()));
                return None;
            }
        }
    }
    project.git(env, &["init", "-q", "-b", "main"]);
    project.commit_all(env);
    Some(project)
}

#[test]
fn the_requirement_of_time_0_3_30_is_raised() {
    let env = TestEnv::with_toolchains();
    let dependency = |version: &str| format!("time = {{ version = \"{version}\", features = [\"parsing\"] }}");
    let dependencies = [&*dependency("=0.3.30"), &dependency("=0.3.35")];
    if let Some(project) = project(&env, CONFIG, dependencies, PARSES, &[]) {
        settle(&env, &project, &COMMAND, 101, "E0282");
        let branch = &published(&env, &project)[0];
        assert_eq!(project.git(&env, &["diff", "--name-only", "main", branch]), "Cargo.toml\n");
        assert!(project.git(&env, &["show", &format!("{branch}:Cargo.toml")]).contains("\"=0.3.35\""));
    }
}

#[test]
fn the_requirement_of_rustc_serialize_0_3_24_is_raised() {
    const ENCODES: &str = "#[test]\nfn encodes() {\n    assert_eq!(rustc_serialize::json::encode(&1).unwrap(), \
                           \"1\");\n}\n";
    let env = TestEnv::with_toolchains();
    let dependencies = ["rustc-serialize = \"0.3.24\"", "rustc-serialize = \"0.3.25\""];
    let held = ["update", "-q", "rustc-serialize", "--precise", "0.3.24"];
    if let Some(project) = project(&env, CONFIG, dependencies, ENCODES, &held) {
        settle(&env, &project, &COMMAND, 101, "E0310");
    }
}

/// Only another package requires `time`, so its version is in the lock file alone.
#[test]
fn time_0_3_30_is_removed_from_the_lock_file() {
    const COOKIE: &str = "cookie = \"=0.18.1\"";
    let source = "#[test]\nfn reads() {\n    assert_eq!(cookie::Cookie::parse(\"a=b\").unwrap().value(), \"b\");\n}\n";
    let env = TestEnv::with_toolchains();
    let held = ["update", "-q", "time", "--precise", "0.3.30"];
    if let Some(project) = project(&env, CONFIG, [COOKIE, COOKIE], source, &held) {
        settle(&env, &project, &COMMAND, 101, "E0282");
        let branch = &published(&env, &project)[0];
        assert_eq!(project.git(&env, &["diff", "--name-only", "main", branch]), "Cargo.lock\n");
    }
}

#[test]
fn no_requirement_changes_unless_the_policy_allows_it() {
    let env = TestEnv::with_toolchains();
    let dependencies = ["rustc-serialize = \"=0.3.24\"", "rustc-serialize = \"=0.3.25\""];
    let config = CONFIG.replace("new_dependencies = \"flag\"\n", "");
    if let Some(project) = project(&env, &config, dependencies, "", &[]) {
        let record = [&["record", "--"][..], &COMMAND].concat();
        env.run(project.root(), &record).expect_code(101);
        let before = project.fingerprint();
        let (document, code) = env.json(project.root(), &["run", "--apply"]);
        assert_eq!(code, 3, "{document}");
        assert!(document.to_string().contains("new-dependency"), "{document}");
        assert_eq!(project.fingerprint(), before);
        assert!(published(&env, &project).is_empty());
    }
}
