//! Repairs of published packages, which are fetched from their registries: the failing command is recorded, gephost repairs
//! the failure, and the command succeeds on the branch. Without a network or the necessary tools these tests are skipped.

mod cargo;
mod node;
mod python;

use std::fs;
use std::path::PathBuf;
use std::process::Command;

use gephost_tests::environment::TestEnv;
use gephost_tests::project::TestProject;
use gephost_tests::skipped;

use crate::scene::{on_branch, published};

const CONFIG: &str = "[policy]\nallow = [\"**\"]\n[apply]\nenabled = true\n";

/// The files that a registry's client downloaded into a folder.
struct Fetched {
    folder: tempfile::TempDir,
}

impl Fetched {
    /// Runs a registry's client in a new folder. If it downloads no archive, prints why.
    fn by(command: &mut Command) -> Option<Self> {
        let fetched = Self { folder: tempfile::tempdir().unwrap() };
        let home = fetched.folder.path().join("home");
        fs::create_dir(&home).unwrap();
        let program = command.get_program().to_owned();
        let output = command.current_dir(fetched.folder.path()).env("npm_config_cache", home.join("npm")).output();
        if fetched.archive().is_none() {
            let said =
                output.map_or_else(|error| error.to_string(), |it| String::from_utf8_lossy(&it.stderr).into_owned());
            skipped(&format!("offline: {} fetched nothing: {}", program.display(), said.trim()));
            return None;
        }
        Some(fetched)
    }

    fn archive(&self) -> Option<PathBuf> {
        let files = fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().path());
        let is_archive =
            |path: &PathBuf| path.extension().is_some_and(|end| ["gz", "tgz", "zip"].map(Some).contains(&end.to_str()));
        files.into_iter().find(is_archive)
    }

    /// A repository with the files of the archive.
    fn project(&self, env: &TestEnv, files: &[(&str, &str)]) -> TestProject {
        let project = TestProject::without_git(files);
        let archive = self.archive().unwrap();
        let unpacked = if archive.extension().is_some_and(|end| end == "zip") {
            let inner = self.folder.path().join("unpacked");
            let mut unzip = env.command("python3", project.root());
            let unzipped = unzip.args(["-m", "zipfile", "-e"]).args([&archive, &inner]).status().unwrap().success();
            let top = fs::read_dir(&inner).unwrap().next().unwrap().unwrap().path();
            let copied = env.command("cp", project.root()).arg("-a").arg(top.join(".")).arg(project.root()).status();
            unzipped && copied.unwrap().success()
        } else {
            let arguments = ["-x", "-z", "--strip-components", "1", "--no-same-owner", "-f"];
            env.command("tar", project.root()).args(arguments).arg(&archive).status().unwrap().success()
        };
        assert!(unpacked, "{} cannot be unpacked", archive.display());
        project.git(env, &["init", "-q", "-b", "main"]);
        project.commit_all(env);
        project
    }
}

/// Repairs a package as it was published.
fn repair(fetched: &Fetched, command: &[&str], reason: &str) {
    repair_with(fetched, &[], command, reason);
}

/// Repairs a package with these additional files.
fn repair_with(fetched: &Fetched, files: &[(&str, &str)], command: &[&str], reason: &str) {
    let env = TestEnv::new();
    let project = fetched.project(&env, &[&[("gephost.toml", CONFIG)], files].concat());
    settle(&env, &project, command, 1, reason);
}

/// Records the command that fails with this exit code, lets gephost repair the project, and runs the command again.
fn settle(env: &TestEnv, project: &TestProject, command: &[&str], fails_with: i32, reason: &str) {
    let recorded = env.run(project.root(), &[&["record", "--"][..], command].concat()).expect_code(fails_with);
    assert!(recorded.stderr.contains(reason), "{}", recorded.stderr);
    let before = project.fingerprint();
    let (document, code) = env.json(project.root(), &["run", "--apply"]);
    assert_eq!(code, 0, "{document}");
    let tried = document["applied"]["tried"].as_array().unwrap();
    assert!(tried.iter().any(|trial| trial["decision"] == "fixed"), "{document}");
    assert_eq!(project.fingerprint(), before);
    let branch = &published(env, project)[0];
    on_branch(env, project, "main", command).expect_code(fails_with);
    on_branch(env, project, branch, command).expect_code(0);
}
