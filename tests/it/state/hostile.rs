//! Entries of state and cache, each as a tracked folder, a link, a pipe or another user's, under each command: nothing
//! outside is read, written or removed, and nothing waits.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::fs::{chown, symlink};
use std::path::{Path, PathBuf};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use gephost_tests::environment::{Ran, TestEnv, gephost};
use gephost_tests::project::TestProject;
use rustix::fs::{CWD, RenameFlags};

use crate::scene::{published, value_project};

const COMMANDS: [&[&str]; 8] = [
    &["run"],
    &["apply", "change.diff", "--apply"],
    &["observe", "--store", "session.jsonl"],
    &["record", "--", "true"],
    &["status"],
    &["log"],
    &["replay", "--list"],
    &["undo"],
];
const LOG: &str = "{\"event_type\":\"inbound_msg\",\"session_key\":\"s\",\"preview\":\"a\"}\n";
/// No command takes longer here, unless it waits for a pipe.
const LONGEST: Duration = Duration::from_secs(60);

/// A folder that must stay as it is, with names in it that gephost would remove in its own folders.
struct Outside(tempfile::TempDir);

impl Outside {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        for file in
            ["work-plans/plan.txt", "work-1-old/lock", "s/20200101.jsonl", "blobs/b", "rec_0123456789abcdef.json"]
        {
            let path = folder.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "theirs").unwrap();
        }
        Self(folder)
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        let mut waiting = vec![self.path().to_owned()];
        while let Some(folder) = waiting.pop() {
            for entry in fs::read_dir(folder).unwrap().flatten() {
                if entry.file_type().unwrap().is_dir() {
                    waiting.push(entry.path());
                } else {
                    files.insert(entry.path(), fs::read(entry.path()).unwrap());
                }
            }
        }
        files
    }
}

/// Runs a command that must end by itself, whatever it finds.
fn ends(env: &TestEnv, project: &TestProject, command: &[&str], context: &str) -> Ran {
    let mut program = env.command(gephost(), project.root());
    let child = program.args(command).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let ran = Ran::of(within(child, LONGEST, context).wait_with_output().unwrap());
    assert!(![-1, 70, 101].contains(&ran.code), "{context}: {ran:?}");
    assert!(ran.code == 0 || !ran.stderr.trim().is_empty() || !ran.stdout.trim().is_empty(), "{context}: {ran:?}");
    ran
}

fn within(mut child: Child, time: Duration, context: &str) -> Child {
    let began = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if began.elapsed() > time {
            child.kill().unwrap();
            panic!("{context}: it waits");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    child
}

fn pipe(at: &Path) {
    rustix::fs::mknodat(rustix::fs::CWD, at, rustix::fs::FileType::Fifo, 0o600.into(), 0).unwrap();
}

#[test]
fn links_and_pipes_that_a_repository_brings_lead_nowhere() {
    let outside = Outside::new();
    let before = outside.files();
    let names = ["", "runs", "work", "gep", "journal", "log.jsonl", "gep/genes.json"];
    let env = TestEnv::new();
    for name in names {
        for kind in ["link", "pipe"] {
            let Some(project) = value_project(&env, "") else { return };
            project.write("session.jsonl", LOG);
            let entry = project.root().join(".gephost").join(name);
            fs::create_dir_all(entry.parent().unwrap()).unwrap();
            if kind == "link" {
                symlink(outside.path(), project.root().join(".gephost").join(name).components().as_path()).unwrap();
                project.git(&env, &["add", "-f", ".gephost"]);
                project.git(&env, &["commit", "-q", "-m", "hostile"]);
            } else {
                pipe(entry.components().as_path());
            }
            for command in COMMANDS {
                let context = format!("{kind} .gephost/{name}, {command:?}");
                ends(&env, &project, command, &context);
                assert_eq!(outside.files(), before, "{context}");
            }
        }
    }
}

#[test]
fn a_tracked_link_to_ones_documents_removes_none_of_them() {
    let (env, outside) = (TestEnv::new(), Outside::new());
    let Some(project) = value_project(&env, "") else { return };
    fs::create_dir(project.root().join(".gephost")).unwrap();
    symlink(outside.path(), project.root().join(".gephost/work")).unwrap();
    project.git(&env, &["add", "-f", ".gephost"]);
    project.git(&env, &["commit", "-q", "-m", "hostile"]);
    let before = outside.files();
    env.run(project.root(), &["apply", "change.diff", "--apply"]).expect_code(0);
    assert_eq!(published(&env, &project).len(), 1);
    assert_eq!(outside.files(), before);
}

#[test]
fn links_pipes_and_other_users_entries_in_the_users_folders_stop_it_with_a_line() {
    let outside = Outside::new();
    let before = outside.files();
    let is_root = rustix::process::geteuid().is_root();
    for (name, is_folder) in [
        ("", true),
        ("runs", true),
        ("recordings", true),
        ("proposals", true),
        ("journal", true),
        ("log.jsonl", false),
        ("head.json", false),
        ("lock", false),
        ("project.json", false),
        ("sources.jsonl", false),
        ("cache", true),
    ] {
        for kind in ["link", "pipe", "owner"] {
            if kind == "owner" && !is_root {
                continue; // Only root can give files away.
            }
            let env = TestEnv::new();
            let Some(project) = value_project(&env, "") else { return };
            project.write("session.jsonl", LOG);
            env.run(project.root(), &["record", "--", "true"]).expect_code(0);
            env.run(project.root(), &["observe", "--store", "session.jsonl"]).expect_code(0);
            let entry = if name == "cache" {
                env.work_of(project.root())
            } else {
                env.state_of(project.root()).join(name).components().as_path().to_owned()
            };
            fs::create_dir_all(entry.parent().unwrap()).unwrap();
            let aside = env.home().join("aside");
            match kind {
                "owner" => {
                    if !entry.exists() {
                        if is_folder { fs::create_dir(&entry).unwrap() } else { fs::write(&entry, "{}").unwrap() }
                    }
                    chown(&entry, Some(12_345), None).unwrap();
                }
                _ => {
                    drop(fs::rename(&entry, &aside));
                    let target =
                        if is_folder { outside.path().to_owned() } else { outside.path().join("work-plans/plan.txt") };
                    if kind == "link" { symlink(target, &entry).unwrap() } else { pipe(&entry) }
                }
            }
            let mut refused = 0;
            for command in COMMANDS {
                let context = format!("{kind} {name}, {command:?}");
                let ran = ends(&env, &project, command, &context);
                refused += u32::from(ran.code != 0);
                assert_eq!(outside.files(), before, "{context}");
            }
            assert!(refused > 0, "{kind} {name}: no command needs it, so nothing was tested");
        }
    }
}

#[test]
fn links_that_appear_during_a_run_lead_nowhere() {
    let (env, outside) = (TestEnv::new(), Outside::new());
    let before = outside.files();
    let Some(project) = value_project(&env, "") else { return };
    env.run(project.root(), &["record", "--", "true"]).expect_code(0);
    let (state, work) = (env.state_of(project.root()), env.work_of(project.root()));
    let link = env.home().join("link");
    for folder in [state.join("journal"), state.join("runs"), work, state] {
        fs::create_dir_all(&folder).unwrap();
        symlink(outside.path(), &link).unwrap();
        // In one step, so that the name is always there: as the folder, or as a link.
        let swap = || rustix::fs::renameat_with(CWD, &link, CWD, &folder, RenameFlags::EXCHANGE).unwrap();
        let mut command = env.command(gephost(), project.root());
        command.args(["apply", "change.diff", "--apply"]).stdout(Stdio::null()).stderr(Stdio::null());
        let mut child = command.spawn().unwrap();
        while child.try_wait().unwrap().is_none() {
            swap();
            swap();
        }
        fs::remove_file(&link).unwrap();
        let code = child.wait().unwrap().code().unwrap_or(-1);
        assert!(![-1, 70, 101].contains(&code), "{}: {code}", folder.display());
        assert_eq!(outside.files(), before, "{}", folder.display());
        env.run(project.root(), &["undo"]);
    }
    env.run(project.root(), &["log", "verify"]).expect_code(0);
}
