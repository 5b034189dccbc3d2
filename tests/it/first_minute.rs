//! What a new user meets first: a repository without a config, in which agents have worked.

use std::fs;
use std::path::Path;

use gephost_tests::environment::TestEnv;
use gephost_tests::project::TestProject;
use serde_json::{Value, json};

/// A session of Claude Code in which a command fails, in a folder of this project's or another one.
fn claude(cwd: &Path, command: &str) -> String {
    let line = |n: u32, kind: &str, message: Value| {
        json!({
            "type": kind, "uuid": format!("{command}-{n}"), "sessionId": command, "cwd": cwd,
            "timestamp": format!("2026-01-02T03:04:{n:02}Z"), "message": message,
        })
        .to_string()
    };
    let call = |n: u32| {
        json!({ "role": "assistant", "content": [{ "type": "tool_use", "id": format!("t{n}"), "name": "Bash",
        "input": { "command": command } }] })
    };
    let result = |n: u32| {
        json!({ "role": "user", "content": [{ "type": "tool_result", "tool_use_id": format!("t{n}"),
        "is_error": true, "content": "Exit code 1\nModuleNotFoundError: No module named 'yaml'" }] })
    };
    let mut text = line(0, "user", json!({ "role": "user", "content": "go on" })) + "\n";
    for n in 1..4 {
        text += &(line(2 * n, "assistant", call(n)) + "\n" + &line(2 * n + 1, "user", result(n)) + "\n");
    }
    text
}

fn codex(cwd: &Path) -> String {
    let meta =
        json!({ "timestamp": "2026-01-02T03:04:05Z", "type": "session_meta", "payload": { "id": "c1", "cwd": cwd } });
    let said = json!({ "timestamp": "2026-01-02T03:04:06Z", "type": "event_msg",
        "payload": { "type": "user_message", "message": "hello" } });
    format!("{meta}\n{said}\n")
}

fn write(env: &TestEnv, name: &str, text: &str) {
    let path = env.home().join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

/// A repository without a config. In its home are two sessions of agents that worked in it, and two of others.
fn scene() -> (TestEnv, TestProject) {
    let env = TestEnv::trusting_nothing();
    let project = TestProject::new(&env, &[("app.py", "import yaml\n")]);
    let root = project.root().canonicalize().unwrap();
    write(&env, ".claude/projects/-p/own.jsonl", &claude(&root, "python3 app.py"));
    write(&env, ".claude/projects/-q/other.jsonl", &claude(&root.with_extension("2"), "secret command"));
    write(&env, ".codex/sessions/2026/01/02/rollout-1.jsonl", &codex(&root.join("sub")));
    write(&env, ".codex/sessions/2026/01/02/rollout-2.jsonl", &codex(Path::new("/elsewhere")));
    (env, project)
}

#[test]
fn without_an_answer_nothing_is_read_and_one_line_says_how() {
    let (env, project) = scene();
    for command in ["diagnose", "run", "propose", "select", "autopilot", "observe"] {
        let ran = env.run(project.root(), &[command]).expect_code(0);
        assert!(!ran.stdout.contains("ModuleNotFoundError"), "{command}: {}", ran.stdout);
        let said: Vec<&str> = ran.stderr.lines().filter(|line| line.contains("session files")).collect();
        let next = format!("gephost {command} --yes");
        assert!(
            matches!(&said[..], [line] if line.contains("2 session files of Claude Code and Codex") && line.ends_with(&next)),
            "{}",
            ran.stderr
        );
    }
    let (document, _) = env.json(project.root(), &["diagnose"]);
    assert_eq!(document["observed"]["state"], "no_logs", "{document}");
    assert_eq!(document["observed"]["unread"]["files"], 2, "{document}");
    // Looking leaves nothing behind.
    assert!(!env.state_of(project.root()).join("sessions.json").exists());
}

#[test]
fn after_a_yes_the_sessions_of_this_project_are_read_and_no_others() {
    let (env, project) = scene();
    let ran = env.run(project.root(), &["diagnose", "--yes"]).expect_code(0);
    assert!(ran.stdout.contains("2 logs, 3 tool calls: 3 failed"), "{}", ran.stdout);
    assert!(ran.stdout.contains("yaml"), "{}", ran.stdout);
    assert!(!ran.stdout.contains("secret command"), "{}", ran.stdout);
    // It is remembered.
    let (document, _) = env.json(project.root(), &["diagnose"]);
    let observed = &document["observed"];
    assert_eq!((&observed["state"], &observed["logs"], &observed["unread"]), (&json!("read"), &json!(2), &Value::Null));
    let stored = env.run(project.root(), &["observe"]).expect_code(0).stdout;
    assert!(stored.contains("8 new events stored"), "{stored}");
    // For this project alone.
    let other = TestProject::new(&env, &[("a", "")]);
    let (document, _) = env.json(other.root(), &["diagnose"]);
    assert_eq!((&document["observed"]["state"], &document["observed"]["unread"]), (&json!("no_logs"), &Value::Null));
    // And until it is forgotten.
    env.run(project.root(), &["observe", "--discover", "--forget"]).expect_code(0);
    let (document, _) = env.json(project.root(), &["diagnose"]);
    assert_eq!(document["observed"]["unread"]["files"], 2, "{document}");
}

#[test]
fn logs_of_the_config_or_the_command_line_are_read_instead() {
    let (env, project) = scene();
    project.write("logs/a.jsonl", &claude(project.root(), "make"));
    let ran = env.run(project.root(), &["diagnose", "logs/a.jsonl", "--yes"]).expect_code(0);
    assert!(ran.stdout.contains("1 log,") && !ran.stderr.contains("session file"), "{}{}", ran.stdout, ran.stderr);
    assert!(!env.state_of(project.root()).join("sessions.json").exists(), "a yes about nothing was remembered");
    for arguments in
        [&["diagnose", "logs"][..], &["diagnose", "logs/*.jsonl"], &["run", "--log", "logs/a.jsonl", "logs"]]
    {
        let ran = env.run(project.root(), arguments).expect_code(0);
        assert!(ran.stdout.contains("1 log,"), "{arguments:?}: {}", ran.stdout);
    }
    env.run(project.root(), &["diagnose", "logs/none.jsonl"]).expect_code(2);
    project.write("gephost.toml", "[observe]\nlogs = [\"logs/\"]\n");
    let ran = env.run(project.root(), &["diagnose"]).expect_code(0);
    assert!(ran.stdout.contains("1 log,") && !ran.stderr.contains("session file"), "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn a_repository_cannot_bring_the_answer() {
    let (env, project) = scene();
    let (document, _) = env.json(project.root(), &["status"]);
    let state = document["state"]["id"].as_str().unwrap().to_owned();
    let answer = "{\"v\":1,\"what\":true,\"at\":\"2026-01-01T00:00:00Z\"}";
    for folder in [".gephost", ".gephost/state", &format!(".gephost/projects/{state}")] {
        project.write(&format!("{folder}/sessions.json"), answer);
    }
    let (document, _) = env.json(project.root(), &["diagnose"]);
    assert_eq!(document["observed"]["state"], "no_logs", "{document}");
}

#[test]
fn a_folder_without_git_has_no_sessions_of_its_own() {
    let (env, project) = scene();
    fs::remove_dir_all(project.root().join(".git")).unwrap();
    let (document, _) = env.json(project.root(), &["diagnose", "--yes"]);
    assert_eq!((&document["observed"]["state"], &document["observed"]["unread"]), (&json!("no_logs"), &Value::Null));
}

#[test]
fn known_places_are_listed_once_with_what_is_of_this_project() {
    let (env, project) = scene();
    project.write(".aider.chat.history.md", "# aider chat started at 2026-01-01 00:00:00\n\n#### hello\n");
    let (listed, code) = env.json(project.root(), &["observe", "--discover"]);
    let places = listed["places"].as_array().unwrap();
    let row = |place: &Value| {
        let number = |name: &str| place[name].as_u64().unwrap();
        (place["agent"].as_str().unwrap().to_owned(), number("files"), number("own_files"), number("other_files"))
    };
    let rows: Vec<_> = places.iter().map(row).collect();
    let expected = [("Claude Code", 2, 1, 1), ("Codex", 2, 1, 1), ("aider", 1, 1, 0)];
    assert_eq!(rows, expected.map(|(agent, all, own, other)| (agent.to_owned(), all, own, other)));
    assert_eq!((code, &listed["read"], &listed["consent"]), (0, &Value::Null, &Value::Null));
    let shown = env.run(project.root(), &["observe", "--discover"]).expect_code(0).stdout;
    assert_eq!(shown.matches("Claude Code").count(), 1, "{shown}");
    assert!(
        shown.contains("Next") && shown.contains("gephost diagnose --yes") && !shown.contains("events:"),
        "{shown}"
    );
    let (read, _) = env.json(project.root(), &["observe", "--discover", "--yes"]);
    assert_eq!(read["read"]["files"].as_array().map(Vec::len), Some(3), "{read}");
    assert!(!read.to_string().contains("rollout-2"), "{read}");
    let nothing = TestEnv::new();
    let empty = TestProject::without_git(&[]);
    let ran = nothing.run(empty.root(), &["observe", "--discover"]).expect_code(0);
    assert!(ran.stdout.contains("keeps logs here") && ran.stdout.contains("gephost record"), "{}", ran.stdout);
}

#[test]
fn no_log_is_not_the_same_as_no_failure() {
    let env = TestEnv::new();
    let project = TestProject::new(&env, &[("a", "")]);
    for command in ["diagnose", "run", "propose", "select"] {
        let shown = env.run(project.root(), &[command]).expect_code(0).stdout;
        assert!(shown.contains("not known: no log was read") && !shown.contains("nothing fails"), "{shown}");
        assert!(shown.contains("gephost record -- COMMAND") && !shown.contains("Nothing to do"), "{shown}");
    }
    project.write("a.log", "just words\n");
    let shown = env.run(project.root(), &["diagnose", "a.log"]).expect_code(0).stdout;
    assert!(shown.contains("no log of a format that gephost knows"), "{shown}");
}

#[test]
fn since_takes_days_and_spans_and_says_when_a_period_is_empty() {
    let (env, project) = scene();
    env.run(project.root(), &["diagnose", "--yes"]).expect_code(0);
    let events = |since: &str| {
        let (document, code) = env.json(project.root(), &["diagnose", "--since", since]);
        assert_eq!(code, 0, "{since}: {document}");
        (document["observed"]["state"].as_str().unwrap().to_owned(), document["observed"]["events"].as_u64().unwrap())
    };
    for all in ["2026-01-01", "2026-01-02", "2026-01-02T03:04", "2026-01-02T03:04:00Z", "52000w", "999999d"] {
        assert_eq!(events(all), ("read".to_owned(), 8), "{all}");
    }
    assert_eq!(events("2026-01-02T03:04:06+00:00").1, 3);
    for none in ["2026-01-03", "0", "0s", "2099-01-01"] {
        assert_eq!(events(none), ("nothing_since".to_owned(), 0), "{none}");
    }
    let shown = env.run(project.root(), &["run", "--since", "2026-01-03"]).expect_code(0).stdout;
    assert!(shown.contains("no event since 2026-01-03T00:00:00Z; the newest is of 2026-01-02T03:04:07Z"), "{shown}");
    assert!(shown.contains("Next        gephost diagnose --since 2026-01-02\n"), "{shown}");
    let shown = env.run(project.root(), &["diagnose", "--since", "2026-01-02T03:04:06Z"]).expect_code(0).stdout;
    assert!(shown.contains("what counts: 3 events of "), "{shown}");
    for wrong in ["2026-02-30", "2026-13-01", "yesterday", "7x", "-7d", "", "d", "2026-01", "99999999999999999999d"] {
        let ran = env.run(project.root(), &["diagnose", &format!("--since={wrong}")]).expect_code(2);
        assert!(ran.stderr.contains("--since"), "{wrong}: {}", ran.stderr);
    }
}

#[test]
fn a_worktree_of_the_same_clone_is_the_same_project() {
    let (env, project) = scene();
    project.git(&env, &["worktree", "add", "-q", "tree", "-b", "tree"]);
    let tree = project.root().join("tree").canonicalize().unwrap();
    write(&env, ".claude/projects/-t/tree.jsonl", &claude(&tree, "python3 tree.py"));
    project.git(&env, &["init", "-q", "nested"]);
    write(
        &env,
        ".claude/projects/-n/nested.jsonl",
        &claude(&project.root().canonicalize().unwrap().join("nested"), "x"),
    );
    for folder in [project.root(), &tree] {
        let (document, _) = env.json(folder, &["diagnose"]);
        assert_eq!(document["observed"]["unread"]["files"], 3, "{document}");
    }
}

#[test]
fn hostile_sessions_stop_nothing() {
    let (env, project) = scene();
    let root = project.root().canonicalize().unwrap();
    let folder = ".claude/projects/-h";
    for (name, text) in [
        ("broken.jsonl", "{\"cwd\":\"".to_owned()),
        ("deep.jsonl", "{\"a\":".repeat(100_000)),
        ("parent.jsonl", json!({ "cwd": root.join("../p") }).to_string()),
        ("text.jsonl", json!({ "message": format!("{{\"cwd\":\"{}\"}}", root.display()) }).to_string()),
        ("nul.jsonl", "{\"cwd\":\"\\u0000\"}".to_owned()),
        ("empty.jsonl", String::new()),
    ] {
        write(&env, &format!("{folder}/{name}"), &text);
    }
    let at = |name: &str| env.home().join(folder).join(name);
    std::os::unix::fs::symlink("/dev/zero", at("zero.jsonl")).unwrap();
    std::os::unix::fs::symlink("loop.jsonl", at("loop.jsonl")).unwrap();
    std::os::unix::fs::symlink("..", at("up")).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, at("pipe.jsonl"), rustix::fs::FileType::Fifo, rustix::fs::Mode::RUSR, 0)
        .unwrap();
    let (document, _) = env.json(project.root(), &["diagnose", "--yes"]);
    assert_eq!(document["observed"]["logs"], 2, "{document}");
}

#[test]
fn a_dry_run_that_is_repeated_counts_once() {
    let env = TestEnv::new();
    let project = crate::scene::quickstart(&env, None);
    let counts = |_| {
        env.run(project.root(), &["run"]).expect_code(0);
        env.json(project.root(), &["report"]).0["counts"].clone()
    };
    let first = counts(());
    assert_eq!(counts(()), first);
    assert_eq!(
        (&first["proposed"], &first["passed"], &first["only_dry"]),
        (&json!(0), &json!(0), &json!(1)),
        "{first}"
    );
    let shown = env.run(project.root(), &["report"]).expect_code(0).stdout;
    assert!(shown.contains("1 proposal, not tried yet"), "{shown}");
    // Another finding has a proposal of its own, which counts once too.
    let both = |_| {
        env.run(project.root(), &["autopilot"]).expect_code(0);
        counts(())
    };
    assert_eq!(both(()), both(()));
}

#[test]
fn a_state_folder_that_cannot_be_written_costs_no_finding() {
    let env = TestEnv::new();
    let project = crate::scene::quickstart(&env, None);
    for command in ["diagnose", "run", "observe"] {
        // Nobody can make a folder there, not even root.
        let ran = env.run(project.root(), &[command, "--state", "/proc/none"]).expect_code(0);
        assert!(
            ran.stdout.contains("3 failed") && ran.stderr.contains("warning: "),
            "{command}: {}{}",
            ran.stdout,
            ran.stderr
        );
    }
}

#[test]
fn a_new_config_is_no_change_under_way() {
    let env = TestEnv::new();
    let project = crate::scene::quickstart(&env, None);
    let config = fs::read_to_string(project.root().join("gephost.toml")).unwrap();
    project.git(&env, &["rm", "-q", "gephost.toml"]);
    project.git(&env, &["commit", "-q", "-m", "without"]);
    project.write("gephost.toml", &config);
    let says = |env: &TestEnv| env.run(project.root(), &["run"]).expect_code(0).stderr.contains("uncommitted changes");
    assert!(!says(&env));
    project.write("notes.txt", "new\n");
    assert!(says(&env));
}

#[test]
fn a_command_that_did_its_work_promises_no_repair() {
    let env = TestEnv::new();
    let project = TestProject::new(&env, &[("a", "")]);
    let good = env.run(project.root(), &["record", "--", "true"]).expect_code(0);
    assert!(good.stderr.contains("recorded: exit code 0") && !good.stderr.contains("repair"), "{}", good.stderr);
    let bad = env.run(project.root(), &["record", "--", "false"]).expect_code(1);
    assert!(bad.stderr.contains("to look for a repair: gephost run"), "{}", bad.stderr);
}

#[test]
fn the_kill_switch_refuses_before_a_validation_begins() {
    let env = TestEnv::new();
    let project = crate::scene::quickstart(&env, None);
    project.write(".gephost/STOP", "");
    let ran = env.run(project.root(), &["run", "--apply"]).expect_code(2);
    assert!(ran.stderr.contains("kill switch") && !ran.stderr.contains("validating"), "{}", ran.stderr);
}

/// The project of [`scene`] with more that `init` looks for.
fn python_scene() -> (TestEnv, TestProject) {
    let (env, project) = scene();
    project.write("tests/test_app.py", "import unittest\n");
    project.write(".gitignore", ".venv/\n");
    project.write(".venv/lib/x.py", "");
    project.git(&env, &["add", "-A"]);
    project.git(&env, &["commit", "-q", "-m", "more"]);
    (env, project)
}

#[test]
fn init_shows_what_fits_and_writes_it_after_a_yes() {
    let (env, project) = python_scene();
    let before = project.fingerprint();
    let (document, code) = env.json(project.root(), &["init"]);
    assert_eq!((code, &document["written"]), (0, &json!(false)), "{document}");
    assert_eq!(project.fingerprint(), before, "nobody was asked, and nobody said yes");
    for (member, found) in [
        ("languages", json!(["Python"])),
        ("commands", json!(["python3 -m unittest discover -s tests"])),
        ("allow", json!(["/tests/", "/*.py", "/AGENTS.md", "/CLAUDE.md"])),
        ("environments", json!([".venv"])),
        ("agents", json!(["Claude Code", "Codex"])),
    ] {
        assert_eq!(document[member], found, "{member}");
    }
    let shown = env.run(project.root(), &["init", "--yes"]).expect_code(0).stdout;
    let written = fs::read_to_string(project.root().join("gephost.toml")).unwrap();
    assert!(written.lines().all(|line| shown.contains(line)), "{shown}");
    assert_eq!(document["text"], written);
    env.run(project.root(), &["policy", "check"]).expect_code(0);
    let trust = env.json(project.root(), &["trust"]).0;
    assert_eq!(trust["keys"], json!([]), "a first config waits for no trust: {trust}");
    // It is never overwritten, also not by a link's way.
    let again = env.run(project.root(), &["init", "--yes"]).expect_code(2);
    assert!(again.stderr.contains("already exists"), "{}", again.stderr);
    assert_eq!(fs::read_to_string(project.root().join("gephost.toml")).unwrap(), written);
    // And taken back as long as it is what was written.
    project.write("gephost.toml", &format!("{written}# mine\n"));
    let kept = env.run(project.root(), &["init", "--undo"]).expect_code(2);
    assert!(kept.stderr.contains("was changed since"), "{}", kept.stderr);
    project.write("gephost.toml", &written);
    env.run(project.root(), &["init", "--undo"]).expect_code(0);
    assert_eq!(project.fingerprint(), before);
    env.run(project.root(), &["init", "--undo"]).expect_code(2);
    project.write("gephost.toml", &written);
    let unknown = env.run(project.root(), &["init", "--undo"]).expect_code(2);
    assert!(unknown.stderr.contains("not written by `gephost init`"), "{}", unknown.stderr);
}

#[test]
fn init_follows_no_link_and_works_without_git() {
    let env = TestEnv::new();
    let project = TestProject::without_git(&[("main.go", "package main\n"), ("go.mod", "module m\n")]);
    let target = project.root().join("elsewhere.toml");
    std::os::unix::fs::symlink(&target, project.root().join("gephost.toml")).unwrap();
    env.run(project.root(), &["init", "--yes"]).expect_code(2);
    assert!(!target.exists());
    fs::remove_file(project.root().join("gephost.toml")).unwrap();
    env.run(project.root(), &["init", "--yes"]).expect_code(0);
    let written = fs::read_to_string(project.root().join("gephost.toml")).unwrap();
    assert!(written.contains("commands = [\"go test ./...\"]"), "{written}");
    let empty = TestProject::without_git(&[]);
    env.run(empty.root(), &["init", "--yes"]).expect_code(0);
    env.run(empty.root(), &["policy", "check"]).expect_code(0);
}

#[test]
fn status_says_which_logs_and_what_is_missing() {
    let (env, project) = python_scene();
    let missing = |project: &TestProject| {
        let (document, _) = env.json(project.root(), &["status"]);
        let missing = document["missing"].as_array().unwrap().iter();
        missing.map(|row| row["next"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(missing(&project), ["gephost init", "gephost record -- COMMAND"]);
    let (document, _) = env.json(project.root(), &["status"]);
    let logs = &document["logs"];
    assert_eq!(
        (&logs["session_files"], &logs["consent"], &logs["stored_events"]),
        (&json!(2), &Value::Null, &json!(0))
    );
    let shown = env.run(project.root(), &["status"]).expect_code(0).stdout;
    assert!(
        shown.contains("none are read")
            && shown.contains("Codex, ")
            && shown.contains(": gephost diagnose --yes")
            && shown.contains("nothing may change"),
        "{shown}"
    );
    env.run(project.root(), &["init", "--yes"]).expect_code(0);
    assert_eq!(missing(&project), ["set `enabled = true` in `[apply]` of gephost.toml"]);
    let config = fs::read_to_string(project.root().join("gephost.toml")).unwrap();
    project.write("gephost.toml", &config.replace("enabled = false", "enabled = true"));
    assert_eq!(missing(&project), ["gephost trust"]);
    env.run(project.root(), &["trust"]).expect_code(0);
    assert_eq!(missing(&project), [""; 0]);
    assert_eq!(env.json(project.root(), &["status"]).0["may_apply"], true);
    project.write(".gephost/STOP", "");
    assert!(missing(&project)[0].starts_with("rm "));
    env.run(project.root(), &["observe", "--yes"]).expect_code(0);
    let (document, _) = env.json(project.root(), &["status"]);
    let logs = &document["logs"];
    assert_eq!(
        (&logs["consent"], &logs["stored_sessions"], &logs["stored_events"]),
        (&json!(true), &json!(2), &json!(8))
    );
    assert_eq!((&logs["read_sessions"], &logs["read_events"]), (&json!(2), &json!(8)));
}

#[test]
fn a_repository_without_a_commit_is_told_from_a_folder_without_git() {
    let env = TestEnv::new();
    let log = r#"{"type":"user","sessionId":"s","timestamp":"2026-01-01T00:00:00Z","uuid":"u","message":{"role":"user","content":"hi"}}"#;
    let project = TestProject::without_git(&[("a.py", ""), ("a.jsonl", log)]);
    let shown = |project: &TestProject| {
        [&["status"][..], &["diagnose", "a.jsonl"]].map(|command| env.run(project.root(), command).stdout)
    };
    let all_say = |project: &TestProject, words: &str| {
        for text in shown(project) {
            assert!(text.contains(words), "{words}: {text}");
        }
    };
    all_say(&project, "in no git repository");
    project.git(&env, &["init", "-q"]);
    all_say(&project, "no commit yet");
    project.commit_all(&env);
    assert!(shown(&project).iter().all(|text| !text.contains("no commit yet")), "{:?}", shown(&project));
}

#[test]
fn without_a_proposal_it_says_who_was_asked_where_it_fails_and_what_the_tool_suggests() {
    let env = TestEnv::new();
    let project = TestProject::new(
        &env,
        &[("src/app.py", "\nprint(lenght)\n"), ("gephost.toml", "[observe]\nlogs = [\"a.log\"]\n")],
    );
    let output = "Traceback (most recent call last):\n  File \"src/app.py\", line 2, in <module>\n    print(lenght)\nNameError: name 'lenght' is not defined. Did you mean: 'len'?";
    let mut text = String::new();
    for n in 0..4 {
        let use_ = json!({ "type": "assistant", "uuid": format!("a{n}"), "sessionId": "s", "timestamp": format!("2026-01-02T03:04:0{}Z", 2 * n),
            "message": { "role": "assistant", "content": [{ "type": "tool_use", "id": format!("t{n}"), "name": "Bash", "input": { "command": "python3 src/app.py" } }] } });
        let result = json!({ "type": "user", "uuid": format!("u{n}"), "sessionId": "s", "timestamp": format!("2026-01-02T03:04:0{}Z", 2 * n + 1),
            "message": { "role": "user", "content": [{ "type": "tool_result", "tool_use_id": format!("t{n}"), "is_error": true, "content": output }] } });
        text += &format!("{use_}\n{result}\n");
    }
    project.write("a.log", &text);
    let (document, code) = env.json(project.root(), &["propose"]);
    assert_eq!(code, 0, "{document}");
    if !document["candidates"].as_array().unwrap().is_empty() {
        // A gene that learnt to answer this has nothing to explain.
        assert_eq!(document["unanswered"], Value::Null);
        return;
    }
    let unanswered = &document["unanswered"];
    assert_eq!(unanswered["place"], "src/app.py:2", "{document}");
    assert!(unanswered["suggestion"][0].as_str().unwrap().contains("Did you mean: 'len'?"), "{document}");
    let shown = env.run(project.root(), &["run"]).expect_code(0).stdout;
    for said in ["Asked", "Place       src/app.py:2", "Tool says", "Next", "Nothing was changed."] {
        assert!(shown.contains(said), "{said}: {shown}");
    }
}

#[test]
fn a_repository_without_a_commit_has_a_diagnosis_and_a_status() {
    let env = TestEnv::new();
    let project = TestProject::without_git(&[("app.py", "import yaml\n")]);
    project.git(&env, &["init", "-q"]);
    project.write("a.jsonl", &claude(project.root(), "python3 app.py"));
    let (document, code) = env.json(project.root(), &["diagnose", "a.jsonl"]);
    assert_eq!((code, &document["findings"][0]["kind"]), (0, &json!("missing_module")), "{document}");
    let shown = env.run(project.root(), &["status"]).expect_code(0).stdout;
    assert!(shown.contains("no commit"), "{shown}");
}
