//! `gephost observe` on what is not as it should be, and its options.

use std::io::Write as _;
use std::os::unix::fs::FileExt as _;

use gephost_tests::environment::{Ran, TestEnv, gephost};
use gephost_tests::project::TestProject;

fn user(uuid: &str, time: &str, text: &str) -> String {
    format!(
        "{{\"parentUuid\":null,\"sessionId\":\"s\",\"type\":\"user\",\"message\":{{\"role\":\"user\",\"content\":\"{text}\"}},\"uuid\":\"{uuid}\",\"timestamp\":{time}}}\n"
    )
}

#[test]
fn bad_input_is_counted_and_said_in_one_line() {
    let env = TestEnv::new();
    let project = TestProject::without_git(&[]);
    let session = user("u1", "\"2026-01-01T00:00:00Z\"", "one");
    for copy in 1..=5 {
        project.write(&format!("logs/copy{copy}.jsonl"), &session);
    }
    let deep = format!("{}{}", "[".repeat(200_000), "]".repeat(200_000));
    let mut bad = Vec::new();
    bad.extend_from_slice(user("u2", "\"2999-12-31T23:59:59Z\"", "from the future").as_bytes());
    bad.extend_from_slice(user("u3", "null", "without a time").as_bytes());
    bad.extend_from_slice(user("u4", "\"yesterday\"", "with no time at all").as_bytes());
    bad.extend_from_slice(b"\0\0\0\0\n");
    bad.extend_from_slice(b"{\"type\":\"user\",\"uuid\":\"\xff\xfe\"}\n");
    bad.extend_from_slice(
        format!("{{\"type\":\"user\",\"uuid\":\"u5\",\"message\":{{\"content\":{deep}}}}}\n").as_bytes(),
    );
    bad.extend_from_slice(format!("{{\"type\":\"later-kind\",\"x\":{deep}}}\n").as_bytes());
    bad.extend(std::iter::repeat_n(b'x', 17 << 20));
    bad.extend_from_slice(b"\n{\"type\":\"user\",\"message\":{\"cont");
    std::fs::write(project.root().join("logs/bad.jsonl"), bad).unwrap();
    project.write("logs/empty.jsonl", "");
    project.write("logs/other.json", "{\"name\": \"no log\"}\n");
    project.write("logs/cut.json", "{\"sessionId\":\"g\",\"projectHash\":\"p\",\n\"messages\":[{\"id\":\"1\",\"type\":\"user\",\"content\":\"x\"},{\"id\":\"2\",\"ty");

    let (document, code) = env.json(project.root(), &["observe", "logs"]);
    assert_eq!(code, 0);
    let files = document["files"].as_array().unwrap();
    let file = |name: &str| files.iter().find(|file| file["path"].as_str().unwrap().ends_with(name)).unwrap();
    let inbound = |name: &str| file(name)["events"]["inbound_msg"].as_u64().unwrap();
    assert_eq!((1..=5).map(|copy| inbound(&format!("copy{copy}.jsonl"))).sum::<u64>(), 1, "a session counts once");
    assert_eq!(inbound("bad.jsonl"), 3);
    let reasons = &file("bad.jsonl")["skipped_by_reason"];
    assert_eq!(
        reasons.to_string(),
        r#"{"broken_json":2,"cut_last_line":1,"invalid_utf8":1,"overlong":1,"unknown_type":1}"#,
        "one each of what is wrong"
    );
    assert_eq!(
        (file("empty.jsonl")["format"].as_str(), file("other.json")["format"].as_str()),
        (Some("unknown"), Some("unknown"))
    );
    assert_eq!(file("cut.json")["skipped_by_reason"].to_string(), r#"{"cut_document":1}"#);
    assert_eq!(inbound("cut.json"), 1);

    let ran = env.run(project.root(), &["observe", "logs"]);
    let said: Vec<&str> =
        ran.stdout.lines().map(str::trim_start).filter(|line| line.starts_with("skipped: ")).collect();
    assert_eq!(
        said,
        [
            "skipped: 2 broken json, 1 cut document, 1 cut last line, 4 duplicate, 1 invalid utf8, 1 overlong, 1 unknown type, 2 files of an unknown format"
        ]
    );
}

#[test]
fn a_file_of_any_size_is_read_in_constant_memory() {
    let env = TestEnv::new();
    let project = TestProject::without_git(&[]);
    let file = std::fs::File::create(project.root().join("big.jsonl")).unwrap();
    // A hole of 1 GiB, which a crash of the system leaves, and behind it 100 MB of lines.
    const HOLE: u64 = 1 << 30;
    let line = user("u1", "\"2026-01-01T00:00:00Z\"", "one");
    file.write_all_at(line.as_bytes(), 0).unwrap();
    let mut rest = String::from("\n");
    for number in 0..100 {
        rest.push_str(&user(&format!("v{number}"), "\"2026-01-01T00:00:00Z\"", &"word ".repeat(200_000)));
    }
    file.write_all_at(rest.as_bytes(), HOLE).unwrap();
    // The address space is bounded, so the memory is: 250 MB with the program itself, which is mapped whole.
    let mut limited = env.command("sh", project.root());
    limited.args(["-c", "ulimit -v 250000 && exec \"$@\"", "sh"]).arg(gephost()).args([
        "observe",
        "big.jsonl",
        "--json",
    ]);
    let ran = Ran::of(limited.output().unwrap()).expect_code(0);
    let document: serde_json::Value = serde_json::from_str(&ran.stdout).unwrap();
    let file = &document["files"][0];
    assert_eq!((&file["events"]["inbound_msg"], &file["lines"]), (&101.into(), &102.into()), "{file:#}");
    assert_eq!(file["skipped_by_reason"].to_string(), r#"{"overlong":1}"#);
}

#[test]
fn a_log_that_is_being_written_is_read_and_nothing_of_it_is_lost() {
    const LINES: u32 = 4000;
    let env = TestEnv::new();
    let project = TestProject::without_git(&[("gephost.toml", "[observe]\nlogs = [\"log.jsonl\"]\n")]);
    let mut log = std::fs::File::create(project.root().join("log.jsonl")).unwrap();
    let first = user("first", "\"2026-01-01T00:00:00Z\"", "one");
    log.write_all(first.as_bytes()).unwrap();
    let writer = std::thread::spawn(move || {
        for number in 0..LINES {
            let line = user(&format!("u{number}"), "\"2026-01-01T00:00:00Z\"", &format!("said {number}"));
            // In two writes, so that a reader meets half a line.
            let (begin, end) = line.as_bytes().split_at(line.len() / 2);
            log.write_all(begin).unwrap();
            std::thread::yield_now();
            log.write_all(end).unwrap();
        }
    });
    let stored = |document: &serde_json::Value| document["stored"].as_u64().unwrap();
    let mut count = 0;
    loop {
        let last = writer.is_finished();
        let (document, code) = env.json(project.root(), &["observe"]);
        assert_eq!(code, 0, "{document:#}");
        count += stored(&document);
        for file in document["files"].as_array().unwrap() {
            let skipped = &file["skipped_by_reason"];
            assert!(skipped.as_object().unwrap().keys().all(|reason| reason == "cut_last_line"), "{skipped}");
        }
        if last {
            break;
        }
    }
    writer.join().unwrap();
    assert_eq!(count, u64::from(LINES) + 1);
}

#[test]
fn a_format_can_be_said_and_calls_be_listed() {
    let env = TestEnv::new();
    let project = TestProject::without_git(&[]);
    let start = r#"{"parentUuid":null,"sessionId":"s","type":"assistant","uuid":"a","timestamp":"2026-01-01T00:00:00Z","message":{"content":[{"type":"tool_use","id":"t1","name":"Bash","input":{"command":"make | tail"}},{"type":"tool_use","id":"t2","name":"Bash","input":{"command":"sleep 9"}}]}}"#;
    let end = r#"{"parentUuid":"a","sessionId":"s","type":"user","uuid":"b","timestamp":"2026-01-01T00:00:02.5Z","message":{"content":[{"type":"tool_result","tool_use_id":"t1","content":"make: *** [all] Error 2"}]}}"#;
    project.write("a.jsonl", &format!("{start}\n{end}\n"));
    let (document, _) = env.json(project.root(), &["observe", "a.jsonl", "--calls", "--format", "claude-code"]);
    let calls = document["calls"].as_array().unwrap();
    assert_eq!(calls.len(), 2);
    let shown = |index: usize| {
        let call = &calls[index];
        let names = ["path", "call_id", "tool", "outcome", "kind", "flagged", "duration_ms", "line", "start_line"];
        names.map(|name| call[name].to_string()).join(" ")
    };
    assert_eq!(shown(0), r#""a.jsonl" "t2" "Bash" "unfinished" null false null 1 1"#);
    assert_eq!(shown(1), r#""a.jsonl" "t1" "Bash" "failure" "other" false 2500.0 2 1"#);
    assert_eq!(env.run(project.root(), &["observe", "a.jsonl", "--calls"]).stdout.matches("a.jsonl:").count(), 2);

    let ran = env.run(project.root(), &["observe", "a.jsonl", "--format", "nosuch"]);
    ran.expect_code(2);
}
