//! `gephost observe --watch`, while an agent writes, rotates, makes and renames its logs; and the bar of a long reading.

use std::fs::{self, OpenOptions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use gephost_tests::environment::{Ran, TestEnv, gephost};
use gephost_tests::is_installed;
use gephost_tests::project::TestProject;
use gephost_tests::schema::check;
use rustix::process::{Pid, Signal, kill_process};
use serde_json::Value;

/// A program that watches, interrupted in the end.
struct Watching(Child);

impl Watching {
    fn start(env: &TestEnv, project: &TestProject, arguments: &[&str]) -> Self {
        let mut command = env.command(gephost(), project.root());
        command.args(["--json", "observe", "--watch"]).args(arguments);
        Self(command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap())
    }

    fn interrupt(self) -> (Value, Ran) {
        kill_process(Pid::from_child(&self.0), Signal::INT).unwrap();
        let ran = Ran::of(self.0.wait_with_output().unwrap());
        let document = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}{}", ran.stdout, ran.stderr));
        check("observe_watch", &document);
        (document, ran)
    }
}

fn message(uuid: &str) -> String {
    format!(
        "{{\"parentUuid\":null,\"sessionId\":\"s\",\"type\":\"user\",\"message\":{{\"role\":\"user\",\"content\":\"{uuid}\"}},\"uuid\":\"{uuid}\",\"timestamp\":\"2026-01-01T00:00:00Z\"}}\n"
    )
}

fn append(path: &Path, text: &str) {
    OpenOptions::new().create(true).append(true).open(path).unwrap().write_all(text.as_bytes()).unwrap();
}

/// Waits until the store holds exactly these messages.
fn expect_stored(env: &TestEnv, project: &TestProject, wanted: &[&str]) {
    let (began, folder) = (Instant::now(), env.state_of(project.root()).join("runs/s"));
    loop {
        let files = fs::read_dir(&folder).into_iter().flatten().flatten();
        let text: String = files.map(|file| fs::read_to_string(file.path()).unwrap()).collect();
        let holds = |uuid: &&str| text.contains(&format!("\"{uuid}\""));
        if wanted.iter().all(holds) && text.lines().count() == wanted.len() {
            return;
        }
        assert!(began.elapsed() < Duration::from_secs(20), "not {wanted:?}:\n{text}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn what_is_written_rotated_made_and_renamed_is_kept_until_the_interrupt() {
    let env = TestEnv::new();
    let project = TestProject::new(&env, &[("gephost.toml", "[observe]\nlogs = [\"logs/\"]\n")]);
    let logs = project.root().join("logs");
    let watching = Watching::start(&env, &project, &[]);
    // A folder that is not there yet.
    fs::create_dir_all(&logs).unwrap();
    append(&logs.join("a.jsonl"), &message("one"));
    expect_stored(&env, &project, &["one"]);
    // A line that is written in two parts.
    let (begin, end) = (message("two"), message("two").split_off(20));
    append(&logs.join("a.jsonl"), &begin[..20]);
    std::thread::sleep(Duration::from_millis(600));
    expect_stored(&env, &project, &["one"]);
    append(&logs.join("a.jsonl"), &end);
    expect_stored(&env, &project, &["one", "two"]);
    // Rotated, with a last line that is written at the same moment under the old name.
    fs::rename(logs.join("a.jsonl"), logs.join("a.jsonl.1")).unwrap();
    append(&logs.join("a.jsonl.1"), &message("three"));
    append(&logs.join("a.jsonl"), &message("four"));
    expect_stored(&env, &project, &["one", "two", "three", "four"]);
    // A new folder with a log that was there before the folder was.
    fs::create_dir(project.root().join("made")).unwrap();
    append(&project.root().join("made/b.jsonl"), &message("five"));
    fs::rename(project.root().join("made"), logs.join("made")).unwrap();
    append(&logs.join("made/b.jsonl"), &message("six"));
    let all = ["one", "two", "three", "four", "five", "six"];
    expect_stored(&env, &project, &all);
    // Cut to nothing, and removed.
    fs::write(logs.join("a.jsonl"), "").unwrap();
    fs::remove_dir_all(logs.join("made")).unwrap();
    std::thread::sleep(Duration::from_millis(600));
    let (document, ran) = watching.interrupt();
    assert_eq!((ran.code, document["stored"].as_u64()), (0, Some(6)), "{}", ran.stderr);
    assert!(ran.stderr.contains("1 new event of "), "{}", ran.stderr);
    expect_stored(&env, &project, &all);
}

#[test]
fn a_quiet_watch_does_nothing_and_what_cannot_be_is_refused() {
    let env = TestEnv::new();
    let project = TestProject::without_git(&[]);
    env.run(project.root(), &["observe", "--watch"]).expect_code(2);
    env.run(project.root(), &["observe", "--watch", "--calls", "a.jsonl"]).expect_code(2);
    append(&project.root().join("a.jsonl"), &message("one"));
    // The state folder lies in what is watched.
    let watching = Watching::start(&env, &project, &["-q", "."]);
    expect_stored(&env, &project, &["one"]);
    std::thread::sleep(Duration::from_secs(3));
    let (document, ran) = watching.interrupt();
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let readings = document["readings"].as_u64().unwrap();
    assert!(readings <= 3, "{readings} readings of what did not change");
}

/// What a command prints to a terminal, both streams.
fn at_a_terminal(env: &TestEnv, directory: &Path, line: &str) -> String {
    let mut command = env.command("script", directory);
    command.env("TERM", "xterm").args(["-qec", line, "/dev/null"]).stdin(Stdio::null());
    Ran::of(command.output().unwrap()).expect_code(0).stdout
}

#[test]
fn a_stream_has_a_line_for_each_change_as_it_happens_and_ends_with_its_reader() {
    let env = TestEnv::new();
    let project = TestProject::without_git(&[]);
    let log = project.root().join("a.jsonl");
    append(&log, &message("one"));
    let mut command = env.command(gephost(), project.root());
    command.args(["observe", "--watch", "--jsonl", "a.jsonl"]);
    let mut watching = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn().unwrap();
    let mut lines = BufReader::new(watching.stdout.take().unwrap()).lines();
    for (at, uuid) in ["one", "two", "three"].into_iter().enumerate() {
        if at > 0 {
            append(&log, &message(uuid));
        }
        // The line comes while the program goes on.
        let change: Value = serde_json::from_str(&lines.next().unwrap().unwrap()).unwrap();
        check("observe_change", &change);
        assert_eq!((&change["schema"], &change["stored"]), (&"gephost.observe_change/1".into(), &1.into()), "{change}");
        let files = change["files"].as_array().unwrap();
        assert_eq!((files.len(), &files[0]["path"]), (1, &"a.jsonl".into()), "{change}");
        assert_eq!(files[0]["events"]["inbound_msg"], at + 1, "{change}");
    }
    drop(lines);
    append(&log, &message("four"));
    assert_eq!(watching.wait().unwrap().code(), Some(0), "nobody reads any more");
    expect_stored(&env, &project, &["one", "two", "three", "four"]);
    env.run(project.root(), &["observe", "--jsonl", "a.jsonl"]).expect_code(2);
}

#[test]
fn a_long_reading_has_a_bar_at_a_terminal_and_nowhere_else() {
    // The one makes a reading long, the other a terminal.
    if !["strace", "script"].into_iter().all(is_installed) {
        return;
    }
    let env = TestEnv::new();
    let project = TestProject::without_git(&[]);
    let lines: String = (0..40_000).map(|number| message(&number.to_string())).collect();
    project.write("a.jsonl", &lines);
    let slow = "strace -o /dev/null -P a.jsonl -e trace=read -e inject=read:delay_enter=50000";
    let program = format!("{slow} {}", gephost().display());
    let shown = at_a_terminal(&env, project.root(), &format!("{program} observe a.jsonl"));
    assert!(shown.contains("reading logs [") && shown.contains("40000 lines"), "{shown}");
    let bare = at_a_terminal(&env, project.root(), &format!("NO_COLOR=1 {program} observe --json a.jsonl"));
    assert!(bare.contains("reading logs [") && !bare.contains("\x1b[3"), "no colors: {bare}");
    for quiet in [format!("{program} -q observe a.jsonl"), format!("{program} observe a.jsonl 2>/dev/null")] {
        let shown = at_a_terminal(&env, project.root(), &quiet);
        assert!(!shown.contains("reading logs ["), "{quiet}: {shown}");
    }
    let piped = env.run(project.root(), &["observe", "a.jsonl"]).expect_code(0);
    assert_eq!(piped.stderr, "");
}
