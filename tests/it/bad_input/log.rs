//! Logs with something wrong in them: read as far as they can be, and counted.

use std::fs;

use gephost_tests::environment::TestEnv;

use super::{expect_refusal, file, quickstart_logs};

/// Observes one file and gives its summary.
fn observe(env: &TestEnv, name: &str, bytes: &[u8]) -> serde_json::Value {
    let path = file(env, name, bytes);
    let (document, code) = env.json(env.home(), &["observe", path.to_str().unwrap()]);
    assert_eq!(code, 0, "{document}");
    document["files"][0].clone()
}

#[test]
fn broken_lines_are_counted_and_hide_nothing() {
    let env = TestEnv::new();
    for path in quickstart_logs() {
        let clean = fs::read(&path).unwrap();
        let expected = observe(&env, "clean.jsonl", &clean);
        assert_eq!(expected["skipped"], 0, "{expected}");
        let mut broken = Vec::new();
        for (position, line) in clean.split_inclusive(|&byte| byte == b'\n').enumerate() {
            broken.extend_from_slice(line);
            match position {
                0 => broken.extend_from_slice(b"{\"type\":\n"),
                1 => broken.extend_from_slice(b"\xff\xfe not utf-8\n"),
                2 => broken.extend_from_slice(b"{\"type\":\"of-another-time\",\"uuid\":\"9\"}\n"),
                _ => {}
            }
        }
        broken.extend_from_slice(b"{\"type\":\"assistant\",\"mess");
        let found = observe(&env, "broken.jsonl", &broken);
        assert_eq!(found["events"], expected["events"]);
        assert_eq!(found["outcomes"], expected["outcomes"]);
        assert_eq!(found["format"], expected["format"]);
        assert_eq!(found["skipped"], 4, "{found}");
        let reasons = &found["skipped_by_reason"];
        for reason in ["broken_json", "cut_last_line", "invalid_utf8", "unknown_type"] {
            assert_eq!(reasons[reason], 1, "{reason}: {found}");
        }
    }
}

#[test]
fn a_huge_line_is_skipped_and_what_follows_is_read() {
    let env = TestEnv::new();
    let path = quickstart_logs().remove(0);
    let clean = fs::read(&path).unwrap();
    let expected = observe(&env, "clean.jsonl", &clean);
    let first_end = clean.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    let mut huge = clean[..first_end].to_vec();
    huge.extend(std::iter::repeat_n(b'[', 80 << 20));
    huge.push(b'\n');
    huge.extend_from_slice(&clean[first_end..]);
    let found = observe(&env, "huge.jsonl", &huge);
    assert_eq!(found["events"], expected["events"]);
    assert_eq!(found["skipped"], 1, "{found}");
}

#[test]
fn logs_with_nothing_in_them_are_no_failure() {
    let env = TestEnv::new();
    for bytes in [&b""[..], b"\n\n\n", b"\0\0\0\0", b"hello\n", b"{}", b"[]\n", b"null\n", b"\xef\xbb\xbf\n"] {
        let found = observe(&env, "odd.jsonl", bytes);
        let events: u64 = found["events"].as_object().unwrap().values().map(|count| count.as_u64().unwrap()).sum();
        assert_eq!(events, 0, "{found}");
    }
    let ran = env.run(env.home(), &["observe", "nowhere.jsonl"]);
    expect_refusal(&ran, 2, "nowhere.jsonl");
}

#[test]
fn deep_nesting_is_a_broken_line() {
    let env = TestEnv::new();
    let deep = format!("{}{}\n", "{\"type\":".repeat(100_000), "}".repeat(100_000));
    let found = observe(&env, "deep.jsonl", deep.as_bytes());
    assert_eq!(found["events"]["tool_end"], 0, "{found}");
}
