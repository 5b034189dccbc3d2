//! What stands in the store after each thing that can happen to a log between two readings.

use std::fs::{self, OpenOptions};
use std::io::Write;

use gephost_core::run_event::{LOG_MAX_CHARS, from_disk_line};
use tempfile::TempDir;

use jiff::Timestamp;

use super::*;
use crate::observe::Meter;

/// A Claude Code line: a call, or what came back.
fn line(session: &str, number: u32, body: &str) -> String {
    let kind = if body.contains("tool_result") { "user" } else { "assistant" };
    format!(
        r#"{{"parentUuid":null,"sessionId":"{session}","type":"{kind}","uuid":"{session}-{number}","timestamp":"2026-01-0{}T00:00:{:02}Z","message":{{"content":[{body}]}}}}"#,
        1 + number / 60,
        number % 60
    ) + "\n"
}

fn call(session: &str, number: u32) -> String {
    line(
        session,
        number,
        &format!(r#"{{"type":"tool_use","id":"t{number}","name":"Bash","input":{{"command":"make {number}"}}}}"#),
    )
}

fn result(session: &str, number: u32, of: u32) -> String {
    line(session, number, &format!(r#"{{"type":"tool_result","tool_use_id":"t{of}","content":"out {number}"}}"#))
}

/// Six calls with their results, over two days.
fn log(session: &str) -> String {
    (0..6).map(|n| call(session, n * 20) + &result(session, n * 20 + 7, n * 20)).collect()
}

fn options(now: Timestamp) -> Options<'static> {
    Options { format: None, now, log_max_chars: LOG_MAX_CHARS, first_day: None, absent_is_empty: false, meter: None }
}

struct Scene {
    folder: TempDir,
}

impl Scene {
    fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir(folder.path().join("logs")).unwrap();
        fs::create_dir(folder.path().join("state")).unwrap();
        Self { folder }
    }

    fn state(&self) -> Place {
        Place::own(self.folder.path()).join("state")
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join("logs").join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    fn append(&self, name: &str, text: &str) {
        OpenOptions::new().append(true).open(self.path(name)).unwrap().write_all(text.as_bytes()).unwrap();
    }

    fn ingest_from(&self, first_day: Option<&str>) -> Ingested {
        let now = "2026-02-01T00:00:00Z".parse().unwrap();
        let options = Options { first_day, ..options(now) };
        ingest(&self.state(), &LogPaths::anywhere(vec![self.folder.path().join("logs")]), &options, Redactor::default())
            .unwrap()
    }

    fn ingest(&self) -> Ingested {
        self.ingest_from(None)
    }

    /// Every line of the store, sorted.
    fn stored(&self) -> Vec<String> {
        let files = RunStore::new(&self.state()).files().unwrap();
        let mut lines: Vec<String> = files
            .iter()
            .flat_map(|file| fs::read_to_string(file.path()).unwrap().lines().map(str::to_owned).collect::<Vec<_>>())
            .collect();
        lines.sort();
        lines
    }

    /// What the store holds of a log that was there from the beginning.
    fn of_whole(logs: &[(&str, &str)]) -> Vec<String> {
        let scene = Self::new();
        for (name, text) in logs {
            scene.write(name, text);
        }
        scene.ingest();
        scene.stored()
    }
}

#[test]
fn what_did_not_change_is_not_opened() {
    let scene = Scene::new();
    scene.write("a.jsonl", &log("s"));
    scene.write("b.txt.log", "no format at all\n");
    assert_eq!((scene.ingest().stored, scene.stored().len()), (12, 12));
    let again = scene.ingest();
    assert_eq!((again.stored, again.unchanged, again.read.len()), (0, 2, 0));
    assert_eq!(again.unchanged_summary.events.tool_end, 6);
}

#[test]
fn a_log_that_grows_by_any_piece_ends_as_one_that_was_there_at_once() {
    let text = log("s");
    let whole = Scene::of_whole(&[("a.jsonl", &text)]);
    for step in [1, 97, 333, 1000] {
        let scene = Scene::new();
        scene.write("a.jsonl", "");
        for piece in text.as_bytes().chunks(step * text.len() / 1000 + 1) {
            scene.append("a.jsonl", std::str::from_utf8(piece).unwrap());
            scene.ingest();
        }
        assert_eq!(scene.stored(), whole, "by {step} thousandths");
        let again = scene.ingest();
        assert_eq!((again.unchanged, again.unchanged_summary.outcomes.success), (1, 6));
    }
}

#[test]
fn only_what_is_new_is_read() {
    let scene = Scene::new();
    scene.write("a.jsonl", &log("s"));
    scene.ingest();
    // What was read is broken in its middle, where no hash looks: reading it again would show.
    let mut text = log("s").into_bytes();
    text.splice(0..0, log("earlier").bytes());
    scene.write("b.jsonl", &String::from_utf8(text.repeat(3)).unwrap());
    scene.ingest();
    let entries = fs::read_to_string(scene.folder.path().join("state/sources.jsonl")).unwrap();
    assert!(entries.lines().all(|line| line.contains("\"mark\":{\"offset\":")), "{entries}");
    let middle = 6000;
    let file = OpenOptions::new().write(true).open(scene.path("b.jsonl")).unwrap();
    std::os::unix::fs::FileExt::write_all_at(&file, &[b'x'; 200], middle).unwrap();
    scene.append("b.jsonl", &call("s", 200));
    let grown = scene.ingest();
    assert_eq!((grown.stored, grown.read[0].skipped), (1, 24 * 2), "the duplicates of the first reading, and no more");
}

#[test]
fn rewritten_cut_replaced_and_renamed_logs_double_and_lose_nothing() {
    let text = log("s");
    let whole = Scene::of_whole(&[("a.jsonl", &text)]);
    let changes: [fn(&Scene, &str); 5] = [
        |scene, text| scene.write("a.jsonl", &format!("{}{text}", line("s", 0, r#"{"type":"thinking"}"#))),
        |scene, text| scene.write("a.jsonl", &text[..text.len() / 2]),
        |scene, text| {
            scene.write("new", text);
            fs::rename(scene.path("new"), scene.path("a.jsonl")).unwrap();
        },
        |scene, _| fs::rename(scene.path("a.jsonl"), scene.path("b.jsonl")).unwrap(),
        |scene, _| fs::remove_file(scene.path("a.jsonl")).unwrap(),
    ];
    for (number, change) in changes.into_iter().enumerate() {
        let scene = Scene::new();
        scene.write("a.jsonl", &text);
        scene.ingest();
        change(&scene, &text);
        scene.ingest();
        assert_eq!(scene.stored(), whole, "change {number}");
    }
}

#[test]
fn another_log_in_the_place_of_one_is_read_whole() {
    let scene = Scene::new();
    scene.write("a.jsonl", &log("s"));
    scene.ingest();
    scene.write("a.jsonl", &(log("t") + &log("u")));
    assert_eq!((scene.ingest().stored, scene.stored().len()), (24, 36));
}

#[test]
fn one_session_in_five_logs_counts_once_whenever_they_come() {
    let scene = Scene::new();
    for name in ["a.jsonl", "b.jsonl", "c.jsonl"] {
        scene.write(name, &log("s"));
    }
    scene.ingest();
    scene.write("d.jsonl", &log("s"));
    scene.ingest();
    scene.write("e.jsonl", &(log("s") + &call("s", 150)));
    assert_eq!(scene.ingest().stored, 1);
    assert_eq!(scene.stored().len(), 13);
}

#[test]
fn a_nanobot_log_that_is_written_anew_at_each_message_counts_each_once() {
    let scene = Scene::new();
    let message =
        |n: u32| format!("{{\"role\":\"user\",\"content\":\"hello {n}\",\"timestamp\":\"2026-01-01T00:00:{n:02}\"}}\n");
    for count in 1..6 {
        let head = format!("{{\"_type\":\"metadata\",\"key\":\"telegram:1\",\"updated_at\":\"{count}\"}}\n");
        scene.write("a.jsonl", &(head + &(0..count).map(message).collect::<String>()));
        assert_eq!(scene.ingest().stored, 1, "message {count}");
    }
}

#[test]
fn events_without_a_time_are_stored_once_whichever_day_it_is() {
    let said =
        |text: &str| format!("{{\"event_type\":\"inbound_msg\",\"session_key\":\"s\",\"preview\":\"{text}\"}}\n");
    let text = [said("a"), said("a"), said("b"), said("b")].concat();
    let scene = Scene::new();
    scene.write("a.jsonl", &text);
    assert_eq!(scene.ingest().stored, 4, "two that read the same are two");
    fs::remove_file(scene.folder.path().join("state/sources.jsonl")).unwrap();
    let options = options("2026-03-01T00:00:00Z".parse().unwrap());
    let again = ingest(
        &scene.state(),
        &LogPaths::anywhere(vec![scene.folder.path().join("logs")]),
        &options,
        Redactor::default(),
    );
    assert_eq!((again.unwrap().stored, scene.stored().len()), (0, 4));
}

#[test]
fn a_crash_between_the_events_and_the_index_loses_and_doubles_nothing() {
    let text = log("s");
    let whole = Scene::of_whole(&[("a.jsonl", &text)]);
    let scene = Scene::new();
    scene.write("a.jsonl", &text[..text.len() / 2]);
    scene.ingest();
    let index = scene.folder.path().join("state/sources.jsonl");
    let before = fs::read(&index).unwrap();
    scene.write("a.jsonl", &text);
    scene.ingest();
    // The index as it was before the second reading, with half of a line behind it; then none at all.
    fs::write(&index, [&before, &before[..40]].concat()).unwrap();
    scene.ingest();
    assert_eq!(scene.stored(), whole);
    fs::remove_file(&index).unwrap();
    scene.ingest();
    assert_eq!(scene.stored(), whole);
}

#[test]
fn a_batch_that_was_cut_anywhere_is_completed() {
    let text = log("s");
    let whole = Scene::of_whole(&[("a.jsonl", &text)]);
    let scene = Scene::new();
    scene.write("a.jsonl", &text);
    scene.ingest();
    let day = RunStore::new(&scene.state()).files().unwrap().remove(0).path();
    let complete = fs::read(&day).unwrap();
    for cut in (0..complete.len()).step_by(89) {
        fs::write(&day, &complete[..cut]).unwrap();
        fs::remove_file(scene.folder.path().join("state/sources.jsonl")).unwrap();
        scene.ingest();
        let mut events = scene.stored();
        events.retain(|line| from_disk_line(line, 0).is_ok());
        assert_eq!(events, whole, "cut at {cut}");
    }
}

#[test]
fn sessions_named_by_an_attacker_stay_inside() {
    let scene = Scene::new();
    let names = ["../../../tmp/x", "/etc/passwd", "..", "a/../../b", ".", "CON", "\\u0000", "s\\u202e", "~root", "-rf"];
    for (number, name) in names.iter().enumerate() {
        scene.write(&format!("{number}.jsonl"), &log(name));
    }
    scene.ingest();
    let store = RunStore::new(&scene.state());
    assert_eq!(fs::read_dir(store.root().path()).unwrap().count(), names.len(), "one folder each");
    let mut outside: Vec<_> =
        fs::read_dir(scene.folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    outside.sort();
    assert_eq!(outside, ["logs", "state"]);
    assert!(store.files().unwrap().iter().all(|file| file.path().starts_with(store.root().path())));
}

#[test]
fn what_retention_would_remove_is_not_stored_again() {
    let scene = Scene::new();
    scene.write("a.jsonl", &log("s"));
    scene.ingest();
    let store = RunStore::new(&scene.state());
    fs::write(store.root().path().join("s/notes.jsonl"), "mine").unwrap();
    let removed = store.remove_before("20260102").unwrap();
    assert_eq!(removed.iter().map(|file| (&*file.session, &*file.day)).collect::<Vec<_>>(), [("s", "20260101")]);
    fs::remove_file(store.root().path().join("s/notes.jsonl")).unwrap();
    fs::remove_file(scene.folder.path().join("state/sources.jsonl")).unwrap();
    assert_eq!(scene.ingest_from(Some("20260102")).stored, 0);
    let left = scene.stored().len();
    assert!(left > 0 && left < 12, "{left}");
    assert_eq!(store.remove_before("20260601").unwrap().len(), 1);
    assert_eq!(fs::read_dir(store.root().path()).unwrap().count(), 0, "an empty session's folder goes too");
}

#[test]
fn an_index_full_of_old_entries_is_written_anew() {
    let scene = Scene::new();
    for number in 0..1100 {
        scene.write("gone.jsonl", &"x\n".repeat(number % 7 + 1));
        scene.ingest();
    }
    let lines = fs::read_to_string(scene.folder.path().join("state/sources.jsonl")).unwrap().lines().count();
    assert!(lines < 1010, "{lines}");
}

#[test]
fn what_is_not_there_has_nothing_new_where_that_is_said_and_the_store_is_no_log() {
    let scene = Scene::new();
    scene.write("a.jsonl", "{\"event_type\":\"inbound_msg\",\"session_key\":\"s\",\"preview\":\"a\"}\n");
    let meter = Meter::default();
    let now = "2026-03-01T00:00:00Z".parse().unwrap();
    let options = Options { absent_is_empty: true, meter: Some(&meter), ..options(now) };
    let by_link = scene.folder.path().join("logs/link");
    std::os::unix::fs::symlink(scene.folder.path(), &by_link).unwrap();
    let paths = LogPaths::anywhere(vec![
        scene.folder.path().join("nothing.jsonl"),
        scene.folder.path().to_path_buf(),
        by_link.join("state"),
    ]);
    let state = scene.state();
    for stored in [1, 0] {
        let ingested = ingest(&state, &paths, &options, Redactor::default()).unwrap();
        assert_eq!((ingested.stored, ingested.read.len() as u64), (stored, stored));
    }
    let (read, all) = meter.state();
    assert!(read == all && all > 0, "{read} of {all}: what is unchanged counts as read");
    let strict = Options { absent_is_empty: false, ..options };
    assert!(matches!(ingest(&state, &paths, &strict, Redactor::default()), Err(IngestError::Observe(_))));
}

#[test]
fn what_is_too_much_to_be_listed_is_told_in_sum() {
    let scene = Scene::new();
    let line = "{\"event_type\":\"inbound_msg\",\"session_key\":\"s\",\"preview\":\"a\"}\n";
    for number in 0..MAX_LISTED + 3 {
        scene.write(&format!("{number:06}.jsonl"), line);
    }
    let first = scene.ingest();
    assert_eq!((first.read.len(), first.more, first.more_summary.events.inbound_msg), (MAX_LISTED, 3, 3));
    let again = scene.ingest();
    assert_eq!((again.read.len(), again.more, again.unchanged), (0, 0, MAX_LISTED as u64 + 3));
}
