//! The person interrupts a validation: the process ends with 130, and nothing of the attempt stays. Somebody kills it: what it
//! ran ends too.

use std::fs;
use std::process::Stdio;
use std::time::{Duration, Instant};

use gephost_tests::environment::{Ran, TestEnv, gephost};

use crate::scene::{logged, published, quickstart, validated_by};
use crate::validation::running;

#[test]
fn an_interrupt_during_validation_leaves_nothing() {
    if !crate::scene::python() {
        return;
    }
    for signal in ["-INT", "-TERM"] {
        let env = TestEnv::new();
        let project = quickstart(&env, Some(&validated_by("\"python3 -m unittest slow_to_be_interrupted\"")));
        project.write("slow_to_be_interrupted.py", "import time\ntime.sleep(60)\n");
        project.commit_all(&env);
        let before = project.fingerprint();
        let child = env
            .command(gephost(), project.root())
            .args(["run", "--apply"])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let began = Instant::now();
        while running("slow_to_be_interrupted") == 0 {
            assert!(began.elapsed() < Duration::from_secs(60), "validation never started");
            std::thread::sleep(Duration::from_millis(20));
        }
        let sent = env.command("kill", project.root()).args([signal, &child.id().to_string()]).status().unwrap();
        assert!(sent.success());
        let ran = Ran::of(child.wait_with_output().unwrap()).expect_code(130);
        assert!(began.elapsed() < Duration::from_secs(50), "it waited for the command");
        assert!(ran.stderr.contains("interrupted"), "{}", ran.stderr);
        assert_eq!(project.fingerprint(), before);
        assert!(published(&env, &project).is_empty());
        let work = fs::read_dir(env.work_of(project.root())).unwrap();
        assert!(work.flatten().all(|entry| !entry.path().is_dir()), "a work copy is left");
        assert_eq!(logged(&env, &project, "apply_failed"), 1);
        env.run(project.root(), &["log", "verify"]).expect_code(0);
    }
}

#[test]
fn a_validation_ends_with_a_gephost_that_is_killed_at_every_level() {
    if !crate::scene::python() {
        return;
    }
    for level in ["L0", "L1", "L2"] {
        let env = TestEnv::new();
        let config = validated_by("\"python3 -m unittest slow_to_be_killed\"");
        let project = quickstart(&env, Some(&config.replace("[apply]", &format!("sandbox = \"{level}\"\n[apply]"))));
        project.write("slow_to_be_killed.py", "import time\ntime.sleep(60)\n");
        project.commit_all(&env);
        let mut command = env.command(gephost(), project.root());
        let mut child = command.args(["run", "--apply"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        let began = Instant::now();
        while running("slow_to_be_killed") == 0 {
            assert!(began.elapsed() < Duration::from_secs(60), "{level}: validation never started");
            std::thread::sleep(Duration::from_millis(20));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        let began = Instant::now();
        while running("slow_to_be_killed") > 0 {
            assert!(began.elapsed() < Duration::from_secs(30), "{level}: the command outlives gephost");
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}
