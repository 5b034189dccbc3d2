//! Repairs of published packages, fetched from their registries: the failing command is recorded, and passes on the
//! branch. Without a network or the package's tools these tests say that they were skipped.

use std::fs;
use std::path::Path;
use std::process::Command;

use gephost_tests::environment::TestEnv;
use gephost_tests::project::TestProject;
use gephost_tests::skipped;

use crate::scene::{on_branch, published};

const CONFIG: &str = "[policy]\nallow = [\"**\"]\n[apply]\nenabled = true\n";

#[test]
fn frozendict_1_2_can_be_imported_again() {
    let fetched = tempfile::tempdir().unwrap();
    let mut pip = Command::new("python3");
    pip.args(["-m", "pip", "download", "-q", "--no-deps", "--no-binary", ":all:"]).args([
        "--disable-pip-version-check",
        "--retries",
        "1",
        "--timeout",
        "20",
        "frozendict==1.2",
    ]);
    if !fetch(&mut pip, fetched.path()) {
        return;
    }
    repair(fetched.path(), &["python3", "-B", "-c", "import frozendict"], "collections");
}

#[test]
fn temp_0_5_can_be_required_again() {
    let fetched = tempfile::tempdir().unwrap();
    let runs = |program: &str| Command::new(program).arg("--version").output().is_ok();
    if !runs("node") {
        skipped("node is not installed");
        return;
    }
    let mut npm = Command::new("npm");
    npm.args(["pack", "--silent", "--fetch-retries=1", "--fetch-timeout=20000", "temp@0.5.0"]);
    if !fetch(&mut npm, fetched.path()) {
        return;
    }
    repair(fetched.path(), &["node", "-e", "require('./lib/temp')"], "tmpDir");
}

/// Runs a registry's client in a folder. Whether it left an archive; says so where it did not.
fn fetch(command: &mut Command, folder: &Path) -> bool {
    let home = folder.join("home");
    fs::create_dir(&home).unwrap();
    let program = command.get_program().to_owned();
    let output = command.current_dir(folder).env("npm_config_cache", home.join("npm")).output();
    let archive = archive(folder);
    if archive.is_none() {
        let said = output.map_or_else(|error| error.to_string(), |it| String::from_utf8_lossy(&it.stderr).into_owned());
        skipped(&format!("offline: {} fetched nothing: {}", program.display(), said.trim()));
    }
    archive.is_some()
}

fn archive(folder: &Path) -> Option<std::path::PathBuf> {
    let files = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    files.into_iter().find(|path| path.extension().is_some_and(|extension| extension == "gz" || extension == "tgz"))
}

/// Records the failing command in the unpacked archive, lets gephost repair it, and runs the command again.
fn repair(fetched: &Path, command: &[&str], reason: &str) {
    let env = TestEnv::new();
    let project = TestProject::without_git(&[("gephost.toml", CONFIG)]);
    let archive = archive(fetched).unwrap();
    let unpacked = env
        .command("tar", project.root())
        .args(["-x", "-z", "--strip-components", "1", "--no-same-owner", "-f"])
        .arg(&archive)
        .status()
        .unwrap();
    assert!(unpacked.success(), "{} cannot be unpacked", archive.display());
    project.git(&env, &["init", "-q", "-b", "main"]);
    project.commit_all(&env);

    let recorded = env.run(project.root(), &[&["record", "--"][..], command].concat()).expect_code(1);
    assert!(recorded.stderr.contains(reason), "{}", recorded.stderr);
    let before = project.fingerprint();
    let (document, code) = env.json(project.root(), &["run", "--apply"]);
    assert_eq!(code, 0, "{document}");
    assert_eq!(document["applied"]["tried"][0]["decision"], "fixed", "{document}");
    assert_eq!(project.fingerprint(), before);
    let branch = &published(&env, &project)[0];
    on_branch(&env, &project, "main", command).expect_code(1);
    on_branch(&env, &project, branch, command).expect_code(0);
}
