//! `gephost hook`: an agent is neither stopped nor kept waiting, and what it did is in the run store.

use std::fs;
use std::io::Write as _;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

use gephost_tests::environment::{Ran, TestEnv, gephost};
use gephost_tests::project::TestProject;
use serde_json::json;

fn hook(env: &TestEnv, directory: &Path, arguments: &[&str], said: &[u8]) -> Ran {
    let mut command = env.command(gephost(), directory);
    command.arg("hook").args(arguments).stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(said).unwrap();
    Ran::of(child.wait_with_output().unwrap())
}

fn line(uuid: &str, text: &str) -> String {
    format!(
        "{{\"parentUuid\":null,\"sessionId\":\"s\",\"type\":\"user\",\"message\":{{\"role\":\"user\",\"content\":\"{text}\"}},\"uuid\":\"{uuid}\",\"timestamp\":\"2026-01-01T00:00:00Z\"}}\n"
    )
}

/// How many events the store has, once it has this many; what it has after a while, where they do not come.
fn stored(env: &TestEnv, project: &TestProject, wanted: usize) -> usize {
    let began = Instant::now();
    let folder = env.state_of(project.root()).join("runs/s");
    loop {
        let files = fs::read_dir(&folder).into_iter().flatten().flatten();
        let lines = files.map(|file| fs::read_to_string(file.path()).unwrap().lines().count()).sum();
        if lines == wanted || began.elapsed() > Duration::from_secs(30) {
            return lines;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn what_is_new_in_the_transcript_is_kept_and_nothing_is_said() {
    let env = TestEnv::new();
    let project = TestProject::new(&env, &[("gephost.toml", ""), ("src/a.txt", "a\n")]);
    let transcript = env.home().join("s.jsonl");
    fs::write(&transcript, line("u1", "one")).unwrap();
    let said = |event: &str| {
        let said = json!({ "session_id": "s", "transcript_path": transcript, "cwd": project.root().join("src"), "hook_event_name": event, "tool_response": { "stdout": "x".repeat(1 << 20) } });
        said.to_string().into_bytes()
    };
    let before = project.fingerprint();
    let elsewhere = env.home();
    let silent = |ran: Ran| assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""));
    silent(hook(&env, elsewhere, &["PostToolUse"], &said("PostToolUse")));
    assert!(!env.state_of(project.root()).exists(), "nothing has come to its end yet");
    silent(hook(&env, elsewhere, &["Stop"], &said("Stop")));
    assert_eq!(stored(&env, &project, 1), 1);
    fs::write(&transcript, [line("u1", "one"), line("u2", "two")].concat()).unwrap();
    silent(hook(&env, elsewhere, &["SessionEnd", "--strict"], &said("SessionEnd")));
    assert_eq!(stored(&env, &project, 2), 2, "only what is new is added");
    assert_eq!(project.fingerprint(), before);
}

#[test]
fn a_subagents_transcript_is_kept_beside_its_parents() {
    let env = TestEnv::new();
    let project = TestProject::new(&env, &[("gephost.toml", "")]);
    fs::write(env.home().join("parent.jsonl"), line("u1", "one")).unwrap();
    fs::write(env.home().join("child.jsonl"), line("u2", "two")).unwrap();
    let said = |child: &str| {
        json!({ "transcript_path": "~/parent.jsonl", "agent_transcript_path": child, "cwd": project.root() })
            .to_string()
    };
    hook(&env, env.home(), &["SubagentStop", "--strict"], said("~/nothing.jsonl").as_bytes()).expect_code(2);
    assert_eq!(stored(&env, &project, 1), 1, "the one that is there is read");
    hook(&env, env.home(), &["SubagentStop", "--strict"], said("~/child.jsonl").as_bytes()).expect_code(0);
    assert_eq!(stored(&env, &project, 2), 2);
}

#[test]
fn an_agent_goes_on_whatever_is_wrong() {
    let env = TestEnv::new();
    let project = TestProject::new(&env, &[("gephost.toml", "")]);
    let broken = TestProject::new(&env, &[("gephost.toml", "[policy]\nnonsense = 1\n")]);
    let foreign = TestProject::new(&env, &[("a.txt", "a\n")]);
    let transcript = env.home().join("t.jsonl");
    fs::write(&transcript, line("u1", "one")).unwrap();
    let good = json!({ "transcript_path": transcript }).to_string();
    let missing = json!({ "transcript_path": "/nowhere/s.jsonl" }).to_string();
    let deep = "[".repeat(1 << 20);
    for (folder, event, said, strict) in [
        (&project, "Stop", "", 0),
        (&project, "Stop", "{}", 0),
        (&project, "Stop", "{\"transcript_path\":null}", 0),
        (&foreign, "Stop", good.as_str(), 0),
        (&broken, "Stop", good.as_str(), 2),
        (&project, "Stop", missing.as_str(), 2),
        (&project, "Stop", "not json", 2),
        (&project, "Stop", "{\"transcript_path\":7}", 2),
        (&project, "Stop", deep.as_str(), 2),
        (&project, "NoSuchEvent", good.as_str(), 2),
    ] {
        let ran = hook(&env, folder.root(), &[event], said.as_bytes()).expect_code(0);
        assert_eq!(
            (ran.stdout.as_str(), ran.stderr.is_empty()),
            ("", strict == 0),
            "{event} {said:.40}: {}",
            ran.stderr
        );
        hook(&env, folder.root(), &[event, "--strict"], said.as_bytes()).expect_code(strict);
    }
    assert!(!env.state_of(foreign.root()).exists(), "nobody set gephost up here");
}
