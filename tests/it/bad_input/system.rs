//! A system that refuses: a full disk, a file system that cannot be written, a permission that is taken away half-way, and
//! a clock that goes back.

use std::fs;
use std::process::Command;

use gephost_tests::environment::{Ran, TestEnv, gephost};
use gephost_tests::project::TestProject;

use crate::scene::{log_entries, logged, published, value_project};

/// Runs a script in a mount namespace of its own, in the project's folder; `None` where none can be had.
pub(crate) fn mounted(env: &TestEnv, project: &TestProject, script: &str) -> Option<Ran> {
    let may = Command::new("unshare").args(["-m", "mount", "-t", "tmpfs", "none", "/mnt"]).output();
    if !may.is_ok_and(|ran| ran.status.success()) {
        gephost_tests::skipped("no mount namespace can be had");
        return None;
    }
    let mut command = env.command("unshare", project.root());
    command.args(["-m", "sh", "-c", script, "sh"]).arg(gephost()).arg(project.root());
    Some(Ran::of(command.output().unwrap()))
}

/// Checks that an apply failed with these words and that the next one, when the cause is mended, works.
fn failed_and_mended(env: &TestEnv, project: &TestProject, ran: &Ran, said: &str) {
    assert_eq!(ran.code, 1, "{ran:?}");
    assert!(ran.stderr.contains(said) && ran.stderr.contains("error: "), "{ran:?}");
    assert!(published(env, project).is_empty());
    env.run(project.root(), &["apply", "change.diff", "--apply"]).expect_code(0);
    env.run(project.root(), &["log", "verify"]).expect_code(0);
    assert_eq!(
        logged(env, project, "apply_intent"),
        logged(env, project, "applied") + logged(env, project, "apply_failed")
    );
}

#[test]
fn a_full_disk_is_told_and_nothing_is_lost() {
    let env = TestEnv::new();
    let Some(project) = value_project(&env, "") else { return };
    env.run(project.root(), &["apply", "change.diff", "--apply"]).expect_code(0);
    env.run(project.root(), &["undo"]).expect_code(0);
    let before = project.fingerprint();
    let state = env.home().join(".local/state/gephost");
    let script = "cp -a STATE /tmp/state-$$ && mount -t tmpfs -o size=128k none STATE && cp -a /tmp/state-$$/. STATE/ && \
                  rm -rf /tmp/state-$$ && (cat /dev/zero > STATE/filler 2>/dev/null; \"$1\" apply change.diff --apply)";
    let script = script.replace("STATE", state.to_str().unwrap());
    let Some(ran) = mounted(&env, &project, &script) else { return };
    assert_eq!(project.fingerprint(), before);
    failed_and_mended(&env, &project, &ran, "No space left on device");
}

#[test]
fn a_file_system_that_cannot_be_written_is_told_and_nothing_is_lost() {
    let env = TestEnv::new();
    let Some(project) = value_project(&env, "") else { return };
    let before = project.fingerprint();
    let script = "mount --bind \"$2\" \"$2\" && mount -o remount,ro,bind \"$2\" && cd \"$2\" && \"$1\" apply change.diff --apply";
    let Some(ran) = mounted(&env, &project, script) else { return };
    assert_eq!(project.fingerprint(), before);
    failed_and_mended(&env, &project, &ran, "Read-only file system");
    // Only `.git` cannot be written: everything before is done, and undone again.
    let env = TestEnv::new();
    let Some(project) = value_project(&env, "") else { return };
    let before = project.fingerprint();
    let script = "mount --bind \"$2/.git\" \"$2/.git\" && mount -o remount,ro,bind \"$2/.git\" && \"$1\" apply change.diff --apply";
    let Some(ran) = mounted(&env, &project, script) else { return };
    assert_eq!(project.fingerprint(), before);
    failed_and_mended(&env, &project, &ran, "Read-only file system");
}

#[test]
fn a_permission_that_is_taken_away_half_way_is_told_and_nothing_is_lost() {
    if !gephost_tests::is_installed("strace") {
        return;
    }
    // The lock of the branch, and the objects.
    for (call, at) in [("linkat", 1), ("link", 1), ("rename", 1), ("renameat", 6)] {
        let env = TestEnv::new();
        let Some(project) = value_project(&env, "") else { return };
        // So that what is made once for a user and a project is there.
        env.run(project.root(), &["record", "--", "true"]).expect_code(0);
        let before = project.fingerprint();
        let inject = format!("inject=?{call}:error=EACCES:when={at}+");
        let mut command = env.command("strace", project.root());
        command.args(["-o", "/dev/null", "-e", &format!("trace=?{call}"), "-e", &inject]).arg(gephost());
        let ran = Ran::of(command.args(["apply", "change.diff", "--apply"]).output().unwrap());
        if ran.code == 0 {
            // This machine's library makes another call of the same meaning.
            continue;
        }
        let theirs: Vec<_> = before.iter().filter(|(path, _)| !path.starts_with(".git")).collect();
        let after = project.fingerprint();
        assert!(theirs.iter().all(|(path, bytes)| after.get(*path) == Some(*bytes)), "{call}");
        failed_and_mended(&env, &project, &ran, "Permission denied");
    }
}

/// A library that sets the clock a day back for the program that it is loaded into.
const YESTERDAY: &str = "#define _GNU_SOURCE\n#include <time.h>\n#include <unistd.h>\n#include <sys/syscall.h>\n\
                         int clock_gettime(clockid_t clock, struct timespec *time) {\n\
                         int failed = syscall(SYS_clock_gettime, clock, time);\n\
                         if (clock == CLOCK_REALTIME) time->tv_sec -= 86400;\n\
                         return failed;\n}\n";

#[test]
fn a_clock_that_goes_back_is_told_once_and_the_log_and_its_ids_stay_in_order() {
    let env = TestEnv::new();
    let Some(project) = value_project(&env, "") else { return };
    let (source, library) = (env.home().join("clock.c"), env.home().join("clock.so"));
    fs::write(&source, YESTERDAY).unwrap();
    let built = Command::new("cc").args(["-shared", "-fPIC", "-o"]).arg(&library).arg(&source).status();
    if !built.is_ok_and(|status| status.success()) {
        return gephost_tests::skipped("no C compiler makes a library");
    }
    let applies = ["apply", "change.diff", "--apply"];
    env.run(project.root(), &applies).expect_code(0);
    for arguments in [applies.as_slice(), &applies, &["undo"]] {
        let mut command = env.command(gephost(), project.root());
        Ran::of(command.args(arguments).env("LD_PRELOAD", &library).output().unwrap()).expect_code(0);
    }
    env.run(project.root(), &["log", "verify"]).expect_code(0);
    let (log, code) = env.json(project.root(), &["log"]);
    assert_eq!(code, 0, "{log}");
    let times: Vec<_> = log["entries"].as_array().unwrap().iter().map(|entry| entry["at"].to_string()).collect();
    assert!(times.len() > 12 && times.is_sorted(), "{times:?}");
    let entries = log_entries(&env, &project);
    let told = entries.iter().filter(|entry| entry["text"].as_str().is_some_and(|text| text.contains("went back")));
    assert_eq!(told.count(), 1, "{entries:?}");
    let events: Vec<_> =
        entries.iter().filter(|entry| entry["kind"] == "applied").map(|entry| entry["event"].to_string()).collect();
    assert!(events.len() == 3 && events.is_sorted_by(|one, next| one < next), "{events:?}");
    assert_eq!(published(&env, &project).len(), 2, "the undone one is gone");
}
