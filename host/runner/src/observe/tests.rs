//! Tests of `observe` on files in a temporary folder.

use std::fs;
use std::path::Path;

use gephost_core::observe::MAX_PIECE_BYTES;
use gephost_core::run_event::Outcome;

use super::*;

fn event(time: u32, text: &str) -> String {
    format!(
        "{{\"timestamp\":\"2026-01-01T00:00:{:02}.{:06}+00:00\",\"session_key\":\"s\",\"event_type\":\"inbound_msg\",\"preview\":\"{text}\"}}\n",
        time / 1_000_000,
        time % 1_000_000
    )
}

fn write(folder: &Path, name: &str, text: &[u8]) -> PathBuf {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path
}

fn read(paths: &[PathBuf], limits: Limits) -> Observation {
    observe(&LogPaths::anywhere(paths.to_vec()), None, None, limits, Redactor::default(), None).unwrap()
}

fn texts(observation: &Observation) -> Vec<&str> {
    observation.events.iter().map(|event| event.input.as_deref().unwrap()).collect()
}

#[test]
fn folders_and_patterns_are_read_in_the_order_of_names() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "b/2.jsonl", event(1, "two").as_bytes());
    write(folder.path(), "a/1.jsonl", event(9, "one").as_bytes());
    write(folder.path(), "a/notes.txt", b"not a log\nat all");
    let all = read(&[folder.path().to_path_buf()], Limits::default());
    assert_eq!(texts(&all), ["one", "two"]);
    let pattern = folder.path().join("**/*.jsonl");
    assert_eq!(texts(&read(&[pattern, folder.path().join("a/1.jsonl")], Limits::default())), ["one", "two"]);
    let named = read(&[folder.path().join("a/notes.txt")], Limits::default());
    assert_eq!((named.files[0].format, named.files[0].lines), ("unknown", 1));
}

#[test]
fn texts_in_a_folder_are_logs_if_they_start_like_a_session() {
    let folder = tempfile::tempdir().unwrap();
    let chat = b"\n# aider chat started at 2026-01-01 00:00:00\n\n#### hello\n";
    write(folder.path(), "old/history-1.md", chat);
    write(folder.path(), "history.txt", chat);
    let doc = [&b"# Notes\n"[..], &vec![b'x'; 8 * 1024], b"\n", chat].concat();
    write(folder.path(), "docs/late.md", &doc);
    write(folder.path(), "docs/test-output.txt", b"=== RUN   TestA\n--- FAIL: TestA (0.00s)\nFAIL\n");
    let read = read(&[folder.path().to_path_buf()], Limits::default());
    let formats: Vec<_> = read.files.iter().map(|file| file.format).collect();
    assert_eq!((formats.as_slice(), read.unreadable.len()), (&["aider", "aider"][..], 0));
}

#[test]
fn a_folder_without_a_log_that_was_named_says_so() {
    let folder = tempfile::tempdir().unwrap();
    let seen = |paths| observe(&paths, None, None, Limits::default(), Redactor::default(), None).unwrap().unreadable;
    let named = || seen(LogPaths::named(vec![folder.path().to_path_buf()]));
    assert_eq!(named().len(), 0, "nothing is there");
    write(folder.path(), "notes.md", b"# Notes\n");
    let unreadable = named();
    assert!(matches!(unreadable.as_slice(), [one] if one.path == folder.path().to_string_lossy()), "{unreadable:?}");
    assert_eq!(seen(LogPaths::anywhere(vec![folder.path().to_path_buf()])).len(), 0, "of a config");
    write(folder.path(), "a.jsonl", event(1, "one").as_bytes());
    assert_eq!(named().len(), 0);
}

#[test]
fn what_is_not_there_is_named() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["no.jsonl", "*.jsonl", "[.jsonl"] {
        let error = observe(
            &LogPaths::anywhere(vec![folder.path().join(name)]),
            None,
            None,
            Limits::default(),
            Redactor::default(),
            None,
        )
        .unwrap_err();
        assert!(error.to_string().contains(name), "{error}");
    }
}

#[test]
fn the_same_session_in_two_files_counts_once() {
    let folder = tempfile::tempdir().unwrap();
    let log = event(1, "x");
    write(folder.path(), "a.jsonl", log.as_bytes());
    write(folder.path(), "b.jsonl", format!("{log}{}", event(2, "y")).as_bytes());
    let found = read(&[folder.path().to_path_buf()], Limits::default());
    assert_eq!(texts(&found), ["x", "y"]);
    assert_eq!(found.files[1].skipped, 1);
}

#[test]
fn long_lines_are_skipped_and_a_cut_one_is_told() {
    let folder = tempfile::tempdir().unwrap();
    let mut log = event(1, "x").into_bytes();
    log.extend(std::iter::repeat_n(b'a', MAX_PIECE_BYTES + 1));
    log.extend_from_slice(format!("\n{}", event(2, &"y".repeat(BUFFER_BYTES))).as_bytes());
    log.extend_from_slice(b"{\"event_type\":\"inb");
    let path = write(folder.path(), "a.jsonl", &log);
    let found = read(&[path], Limits::default());
    assert_eq!(found.events.len(), 2);
    assert_eq!((found.files[0].lines, found.files[0].skipped), (3, 2));
    let reasons = serde_json::to_string(&found.files[0].skipped_by_reason).unwrap();
    assert_eq!(reasons, r#"{"cut_last_line":1,"overlong":1}"#);
}

#[test]
fn the_newest_are_kept_over_all_files() {
    let folder = tempfile::tempdir().unwrap();
    let new: String = (0..3000).map(|n| event(5_000_000 + n, "new")).collect();
    let old: String = (0..3000).map(|n| event(n, "old")).collect();
    write(folder.path(), "a.jsonl", new.as_bytes());
    write(folder.path(), "b.jsonl", old.as_bytes());
    let limits = Limits { max_events: 3001, ..Limits::default() };
    let found = read(&[folder.path().to_path_buf()], limits);
    assert_eq!(found.left_out, 2999);
    assert_eq!(texts(&found)[2999..], ["new", "old"]);
    let few = read(&[folder.path().to_path_buf()], Limits { max_text_bytes: 30, ..Limits::default() });
    assert_eq!(texts(&few), ["new"; 10]);
    let since = "2026-01-01T00:00:05.002990Z".parse().ok();
    assert_eq!(read(&[folder.path().to_path_buf()], Limits { since, ..Limits::default() }).events.len(), 10);
}

#[test]
fn starts_without_an_end_are_unfinished() {
    let folder = tempfile::tempdir().unwrap();
    let start = |id: &str| {
        format!("{{\"event_type\":\"tool_start\",\"session_key\":\"s\",\"tool_name\":\"x\",\"call_id\":\"{id}\"}}\n")
    };
    let end = start("b").replace("tool_start", "tool_end").replace('}', ",\"success\":true}");
    let path = write(folder.path(), "a.jsonl", format!("{}{}{end}", start("a"), start("b")).as_bytes());
    let outcomes: Vec<_> = read(&[path], Limits::default()).events.iter().map(|event| event.outcome).collect();
    assert_eq!(outcomes, [Some(Outcome::Unfinished), None, Some(Outcome::Success)]);
}
