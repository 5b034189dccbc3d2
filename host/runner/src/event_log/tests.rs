//! The log on disk: crashes, damage, and the append that does not read.

use std::fs;
use std::path::Path;

use super::*;

fn note(text: &str) -> EntryBody {
    EntryBody::Note { text: text.to_owned() }
}

fn log(folder: &Path) -> EventLog {
    let root = Place::own(folder);
    EventLog::new(&root.join("state/log.jsonl"), &root.join("heads/head"))
}

fn three(folder: &Path) -> EventLog {
    let log = log(folder);
    for text in ["one", "two", "three"] {
        log.append(Timestamp::UNIX_EPOCH, &note(text)).unwrap();
    }
    log
}

#[test]
fn what_was_appended_reads_back_and_verifies() {
    let folder = tempfile::tempdir().unwrap();
    let log = three(folder.path());
    assert_eq!(log.read_all().unwrap().len(), 3);
    assert_eq!(log.verify().unwrap().fault, None);
}

#[test]
fn a_log_that_was_cut_edited_or_taken_away_is_refused() {
    type Damage = fn(&[&str]) -> Vec<String>;
    let damages: [(&str, Damage); 3] = [
        ("truncated", |lines| lines.iter().take(2).map(ToString::to_string).collect()),
        ("edited", |lines| lines.iter().map(|line| line.replace("two", "2wo")).collect()),
        ("removed", |lines| lines.iter().skip(1).map(ToString::to_string).collect()),
    ];
    for (name, damage) in damages {
        let folder = tempfile::tempdir().unwrap();
        let log = three(folder.path());
        a_tick_later();
        let text = fs::read_to_string(log.log.path()).unwrap();
        let lines = damage(&text.lines().collect::<Vec<_>>());
        fs::write(log.log.path(), lines.join("\n") + "\n").unwrap();
        let fault = log.verify().unwrap().fault.expect(name).to_string();
        assert!(fault.contains(name), "{name}: {fault}");
        assert!(log.append(Timestamp::UNIX_EPOCH, &note("four")).is_err(), "{name}");
    }
    let folder = tempfile::tempdir().unwrap();
    let log = three(folder.path());
    fs::remove_file(log.log.path()).unwrap();
    assert!(log.verify().unwrap().fault.is_some(), "the log is gone and its head remembers it");
}

/// What a log says, as bodies.
fn bodies(log: &EventLog) -> Vec<EntryBody> {
    log.read_all().unwrap().iter().map(|entry| entry.body.clone()).collect()
}

#[test]
fn a_log_that_was_removed_is_reported_until_the_user_accepts_it() {
    let removals: [fn(&Path); 2] = [|log| fs::remove_file(log).unwrap(), |log| fs::write(log, "").unwrap()];
    for remove in removals {
        let folder = tempfile::tempdir().unwrap();
        let log = three(folder.path());
        remove(&log.log.path());
        for _ in 0..2 {
            let refused = log.read_all().unwrap_err();
            assert!(matches!(refused, LogError::Removed { entries: 3, .. }), "{refused}");
            let refused = log.append(Timestamp::UNIX_EPOCH, &note("anew")).unwrap_err();
            assert!(matches!(refused, LogError::Removed { entries: 3, .. }), "{refused}");
        }
        let text = log.accept(Timestamp::UNIX_EPOCH).unwrap().unwrap();
        assert!(text.contains("3 entries") && text.contains("is gone"), "{text}");
        assert_eq!(log.accept(Timestamp::UNIX_EPOCH).unwrap(), None);
        log.append(Timestamp::UNIX_EPOCH, &note("anew")).unwrap();
        assert_eq!(bodies(&log), [EntryBody::Note { text }, note("anew")]);
        assert_eq!(log.verify().unwrap().fault, None);
    }
}

#[test]
fn a_log_that_is_damaged_cannot_be_accepted() {
    let folder = tempfile::tempdir().unwrap();
    let log = three(folder.path());
    let text = fs::read_to_string(log.log.path()).unwrap().replace("two", "2wo");
    fs::write(log.log.path(), text).unwrap();
    assert!(matches!(log.accept(Timestamp::UNIX_EPOCH), Err(LogError::Fault { .. })));
    fs::remove_file(log.head.path()).unwrap();
    assert!(matches!(log.accept(Timestamp::UNIX_EPOCH), Err(LogError::Fault { .. })));
}

/// Bytes of the fourth line without its end.
const LINE: usize = 159;

fn failed_apply() -> EntryBody {
    EntryBody::ApplyFailed { proposal: "unknown".to_owned(), reason: "x".to_owned() }
}

/// A log of three entries and the line of a fourth, whose append stopped when `kept` bytes of it were written.
fn crashed(folder: &Path, kept: usize) -> EventLog {
    let log = three(folder);
    let (old, head) = (fs::read(log.log.path()).unwrap(), log.read_head().unwrap().unwrap().head);
    log.append(Timestamp::UNIX_EPOCH, &note("four")).unwrap();
    let next = log.read_head().unwrap().map(|file| file.head);
    let whole = fs::read(log.log.path()).unwrap();
    assert_eq!(whole.len() - old.len(), LINE + 1);
    fs::write(log.log.path(), &whole[..old.len() + kept]).unwrap();
    log.write_head(&HeadFile { head, next, then: Vec::new(), mark: None, last: None, first: None }).unwrap();
    log
}

#[test]
fn a_crash_within_an_append_loses_nothing_that_was_acknowledged() {
    // A crash before the first byte, within the line, before its end, and after it.
    for (kept, stands) in [(0, 3), (1, 3), (100, 3), (LINE, 3), (LINE + 1, 4)] {
        let folder = tempfile::tempdir().unwrap();
        let log = crashed(folder.path(), kept);
        let found = log.verify().unwrap();
        assert_eq!((found.fault, found.head.entries), (None, stands), "{kept}");
        log.append(Timestamp::UNIX_EPOCH, &note("five")).unwrap();
        assert_eq!(log.verify().unwrap().fault, None, "{kept}");
        assert_eq!(log.read_all().unwrap().len() as u64, stands + 1, "{kept}");
    }
}

#[test]
fn a_line_that_the_head_does_not_announce_never_counts() {
    let folder = tempfile::tempdir().unwrap();
    let log = three(folder.path());
    let head = log.read_head().unwrap().unwrap().head;
    let (forged, _) = event_log::append(&head, Timestamp::UNIX_EPOCH, &note("forged")).unwrap();
    let whole = fs::read_to_string(log.log.path()).unwrap();
    fs::write(log.log.path(), format!("{whole}{forged}\n")).unwrap();
    assert_eq!(log.verify().unwrap().fault, Some(Fault::Extra { seq: 3 }));
    // Nor does it where another line was announced, or behind the announced one.
    let log = crashed(&folder.path().join("second"), 0);
    fs::write(log.log.path(), format!("{whole}{forged}\n")).unwrap();
    assert!(log.append(Timestamp::UNIX_EPOCH, &note("five")).is_err());
    let log = crashed(&folder.path().join("third"), LINE + 1);
    let announced = fs::read_to_string(log.log.path()).unwrap();
    fs::write(log.log.path(), format!("{announced}{forged}\n")).unwrap();
    assert!(log.append(Timestamp::UNIX_EPOCH, &note("five")).is_err());
}

#[test]
fn entries_without_a_head_count_only_once_the_user_accepts_them() {
    let folder = tempfile::tempdir().unwrap();
    let log = three(folder.path());
    fs::remove_file(log.head.path()).unwrap();
    assert!(matches!(log.verify(), Err(LogError::NoHead { .. })));
    assert!(matches!(log.read_all(), Err(LogError::NoHead { .. })));
    assert!(matches!(log.append(Timestamp::UNIX_EPOCH, &note("four")), Err(LogError::NoHead { .. })));
    let text = log.accept(Timestamp::UNIX_EPOCH).unwrap().unwrap();
    assert!(text.contains("was missing: its 3 entries"), "{text}");
    log.append(Timestamp::UNIX_EPOCH, &note("four")).unwrap();
    assert_eq!(log.verify().unwrap().fault, None);
    assert_eq!(bodies(&log)[3..], [EntryBody::Note { text }, note("four")]);
}

/// The texts of notes of one length, so that the lines are of one length too.
fn numbered(count: usize) -> Vec<EntryBody> {
    (0..count).map(|number| note(&format!("{number:04}"))).collect()
}

#[test]
fn entries_that_are_appended_together_share_their_syncs_and_keep_their_order() {
    let folder = tempfile::tempdir().unwrap();
    let log = three(folder.path());
    log.append_all(Timestamp::UNIX_EPOCH, &[]).unwrap();
    assert_eq!(log.read_all().unwrap().len(), 3);
    // More than one head announces.
    let bodies = numbered(2 * MAX_ANNOUNCED + 1);
    log.append_all(Timestamp::UNIX_EPOCH, &bodies).unwrap();
    let entries = log.read_all().unwrap();
    let bodies_read: Vec<_> = entries.iter().skip(3).map(|entry| entry.body.clone()).collect();
    assert_eq!(bodies_read, bodies);
    assert!(entries.is_sorted_by(|one, other| one.at < other.at), "an id made of a time is made once");
    assert_eq!(log.verify().unwrap().fault, None);
    assert!(is_known(&log), "the next report is appended without reading");
    let head = log.read_head().unwrap().unwrap();
    assert_eq!((head.next, head.then), (None, Vec::new()));
}

#[test]
fn the_largest_announcement_can_be_read_back() {
    let folder = tempfile::tempdir().unwrap();
    let log = three(folder.path());
    let longest = Head { entries: u64::MAX, hash: "f".repeat(64) };
    let last = LastTime { at: Timestamp::MAX.to_string(), behind: false };
    let then = vec![longest.clone(); MAX_ANNOUNCED - 1];
    log.write_head(&HeadFile {
        head: longest.clone(),
        next: Some(longest.clone()),
        then,
        mark: None,
        last: Some(last),
        first: Some(longest.hash),
    })
    .unwrap();
    assert_eq!(log.read_head().unwrap().unwrap().then.len(), MAX_ANNOUNCED - 1);
}

#[test]
fn a_crash_within_an_append_of_several_keeps_the_whole_lines() {
    let folder = tempfile::tempdir().unwrap();
    let log = three(folder.path());
    let (old, head) = (fs::read(log.log.path()).unwrap(), log.read_head().unwrap().unwrap().head);
    let mut heads: Vec<Head> = Vec::new();
    let mut whole = old.clone();
    for body in numbered(3) {
        let (line, next) = event_log::append(heads.last().unwrap_or(&head), Timestamp::UNIX_EPOCH, &body).unwrap();
        whole.extend(format!("{line}\n").bytes());
        heads.push(next);
    }
    let announced =
        HeadFile { head, next: Some(heads[0].clone()), then: heads[1..].to_vec(), mark: None, last: None, first: None };
    for kept in old.len()..=whole.len() {
        fs::write(log.log.path(), &whole[..kept]).unwrap();
        log.write_head(&announced).unwrap();
        let lines = memchr::memchr_iter(b'\n', &whole[old.len()..kept]).count();
        let found = log.verify().unwrap();
        assert_eq!((found.fault, found.head.entries), (None, 3 + lines as u64), "{kept}");
        if kept % 40 == 0 || kept == whole.len() {
            log.append(Timestamp::UNIX_EPOCH, &note("five")).unwrap();
            assert_eq!(log.verify().unwrap().fault, None, "{kept}");
            assert_eq!(log.read_all().unwrap().len(), 4 + lines, "{kept}");
        }
    }
    // A line that was not announced does not count behind one that was.
    let (forged, _) = event_log::append(&heads[1], Timestamp::UNIX_EPOCH, &note("forged")).unwrap();
    let end = whole.len() - (whole.len() - old.len()) / 3;
    fs::write(log.log.path(), [&whole[..end], forged.as_bytes(), b"\n"].concat()).unwrap();
    log.write_head(&announced).unwrap();
    assert!(log.verify().unwrap().fault.is_some());
}

#[test]
fn an_illegal_entry_writes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let log = three(folder.path());
    let before = (fs::read(log.log.path()).unwrap(), fs::read(log.head.path()).unwrap());
    assert!(matches!(log.append(Timestamp::UNIX_EPOCH, &failed_apply()), Err(LogError::Illegal(_))));
    let together = [note("four"), failed_apply()];
    assert!(
        matches!(log.append_all(Timestamp::UNIX_EPOCH, &together), Err(LogError::Illegal(_))),
        "nor does its company"
    );
    assert_eq!(before, (fs::read(log.log.path()).unwrap(), fs::read(log.head.path()).unwrap()));
}

#[test]
fn reading_makes_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let log = log(folder.path());
    assert_eq!((log.read_all().unwrap().len(), log.verify().unwrap().fault), (0, None));
    assert_eq!(log.accept(Timestamp::UNIX_EPOCH).unwrap(), None);
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
}

#[test]
fn appends_and_reads_at_once_keep_one_chain() {
    let folder = tempfile::tempdir().unwrap();
    let log = log(folder.path());
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..10 {
                    log.append(Timestamp::UNIX_EPOCH, &note("x")).unwrap();
                    assert_eq!(log.verify().unwrap().fault, None);
                }
            });
        }
    });
    assert_eq!(log.read_all().unwrap().len(), 30);
}

/// Whether a report can be appended without reading the log, by whoever comes next.
fn is_known(log: &EventLog) -> bool {
    let file = durable::open_to_append(&log.log, Access::Private).unwrap();
    log.as_we_left_it(&file, None, &[note("next")]).unwrap().is_some()
}

/// Until the clock that files are stamped with has moved on.
fn a_tick_later() {
    std::thread::sleep(std::time::Duration::from_millis(30));
}

/// What somebody does to the log, by its path.
type Damage = (&'static str, fn(&Path));

#[test]
fn an_append_reads_the_log_only_where_it_is_not_as_it_was_left() {
    let damages: [Damage; 5] = [
        ("an edit of the same length", |path| {
            let text = fs::read_to_string(path).unwrap();
            fs::write(path, text.replace("two", "2wo")).unwrap();
        }),
        ("an edit that is taken back", |path| {
            let text = fs::read(path).unwrap();
            fs::write(path, b"").unwrap();
            fs::write(path, text).unwrap();
        }),
        ("a file in its place", |path| {
            let copy = path.with_extension("copy");
            fs::copy(path, &copy).unwrap();
            fs::rename(copy, path).unwrap();
        }),
        ("other times", |path| {
            let file = fs::File::options().append(true).open(path).unwrap();
            file.set_modified(std::time::SystemTime::UNIX_EPOCH).unwrap();
        }),
        ("a longer one", |path| {
            let text = fs::read_to_string(path).unwrap();
            fs::write(path, format!("{text}x")).unwrap();
        }),
    ];
    for (what, damage) in damages {
        let folder = tempfile::tempdir().unwrap();
        let log = three(folder.path());
        assert!(is_known(&log), "{what}");
        a_tick_later();
        damage(&log.log.path());
        assert!(!is_known(&log), "{what}");
    }
}

#[test]
fn a_process_reads_the_log_once_and_again_only_if_another_one_wrote() {
    let folder = tempfile::tempdir().unwrap();
    three(folder.path());
    let (log, other) = (log(folder.path()), log(folder.path()));
    let clone = log.clone();
    for round in 0..3 {
        clone.append(Timestamp::UNIX_EPOCH, &note("more")).unwrap();
        assert_eq!(log.read_all().unwrap().len(), 4 + round);
        assert_eq!(log.state().unwrap(), clone.state().unwrap());
    }
    assert_eq!(log.reads(), 1);
    assert_eq!(*log.read_all().unwrap(), *other.read_all().unwrap(), "what is remembered is what is written");
    a_tick_later();
    other.append(Timestamp::UNIX_EPOCH, &note("by another")).unwrap();
    assert_eq!(log.read_all().unwrap().len(), 7);
    assert_eq!(clone.read_all().unwrap().len(), 7);
    assert_eq!(log.reads(), 2);
    a_tick_later();
    let edited = fs::read_to_string(log.log.path()).unwrap().replace("by another", "by nobody!");
    fs::write(log.log.path(), edited).unwrap();
    assert!(matches!(log.read_all(), Err(LogError::Fault { .. })), "an edit is found out");
}

#[test]
fn only_a_report_is_appended_without_a_memory() {
    let folder = tempfile::tempdir().unwrap();
    let log = three(folder.path());
    let file = || durable::open_to_append(&log.log, Access::Private).unwrap();
    let judged = |known| log.as_we_left_it(&file(), known, &[failed_apply()]);
    assert!(judged(None).unwrap().is_none(), "only the whole log can tell");
    let found = log.read_head().unwrap().unwrap();
    let known = log.known().unwrap().unwrap();
    assert!(matches!(judged(Some(known.clone())), Err(LogError::Illegal(_))));
    assert!(judged(Some(Known { head: Head::empty(), ..known })).unwrap().is_none(), "a memory of another log");
    log.write_head(&HeadFile { mark: None, ..found.clone() }).unwrap();
    assert!(!is_known(&log), "a head of an earlier gephost");
    log.append(Timestamp::UNIX_EPOCH, &note("four")).unwrap();
    assert!(is_known(&log), "the append left its mark again");
    log.write_head(&HeadFile { next: Some(found.head.clone()), ..found }).unwrap();
    assert!(!is_known(&log), "an append is in progress");
}

#[test]
fn two_handles_and_two_processes_keep_one_state() {
    let folder = tempfile::tempdir().unwrap();
    let (one, other) = (log(folder.path()), log(folder.path()));
    let proposed = || EntryBody::Proposed {
        proposal: "p".to_owned(),
        gene: None,
        title: "t".to_owned(),
        signals: Vec::new(),
        isolation: None,
        calls: Vec::new(),
        dry_run: false,
    };
    for log in [&one, &other, &one, &one, &other] {
        log.append(Timestamp::UNIX_EPOCH, &proposed()).unwrap();
        assert!(matches!(log.append(Timestamp::UNIX_EPOCH, &failed_apply()), Err(LogError::Illegal(_))));
    }
    assert_eq!(one.read_all().unwrap().len(), 5);
    assert_eq!(other.verify().unwrap().fault, None);
}

#[test]
fn a_clock_that_goes_back_leaves_the_log_in_order_and_is_told_once() {
    let folder = tempfile::tempdir().unwrap();
    let at = |second| Timestamp::from_second(second).unwrap();
    for (second, text) in [(100, "one"), (40, "two"), (50, "three"), (200, "four"), (150, "five")] {
        // A handle each, as separate runs have.
        let log = log(folder.path());
        assert!(log.after_last(at(second)).unwrap() >= at(second));
        log.append(at(second), &note(text)).unwrap();
    }
    let log = log(folder.path());
    let entries = log.read_all().unwrap();
    let times: Vec<_> = entries.iter().map(|entry| entry.at.as_millisecond()).collect();
    assert_eq!(times, [100_000, 100_001, 100_002, 100_003, 200_000, 200_001, 200_002]);
    let told =
        |entry: &&Entry| matches!(&entry.body, EntryBody::Note { text } if text.starts_with("the clock went back"));
    assert_eq!(entries.iter().filter(told).count(), 2);
    assert_eq!(log.verify().unwrap().fault, None);
    assert_eq!(log.after_last(at(1)).unwrap().as_millisecond(), 200_003, "an id that is new");
    assert_eq!(log.after_last(at(300)).unwrap(), at(300));
}

#[test]
fn a_clock_that_stands_or_was_read_before_anothers_append_gives_new_times_without_a_word() {
    let folder = tempfile::tempdir().unwrap();
    let at = |second| Timestamp::from_second(second).unwrap();
    for second in [100, 100, 99, 100] {
        let next = log(folder.path()).after_last(at(second)).unwrap();
        log(folder.path()).append(at(second), &note("n")).unwrap();
        let entries = log(folder.path()).read_all().unwrap();
        assert_eq!(entries.last().unwrap().at, next);
    }
    let times: Vec<_> = log(folder.path()).read_all().unwrap().iter().map(|entry| entry.at.as_millisecond()).collect();
    assert_eq!(times, [100_000, 100_001, 100_002, 100_003]);
}

#[test]
fn the_tree_is_of_every_line_also_after_a_crash() {
    let folder = tempfile::tempdir().unwrap();
    assert_eq!(log(folder.path()).tree(None).unwrap().tree.size(), 0);
    for (name, whole) in
        [("three", three(&folder.path().join("a"))), ("crash", crashed(&folder.path().join("b"), LINE + 1))]
    {
        let text = fs::read_to_string(whole.log.path()).unwrap();
        let mut expect = Tree::default();
        text.lines().for_each(|line| expect.push(line.as_bytes()));
        let found = whole.tree(Some(1)).unwrap();
        assert_eq!((found.tree.size(), found.tree.root()), (expect.size(), expect.root()), "{name}");
        assert_eq!(found.line.as_deref(), text.lines().nth(1), "{name}");
        assert_eq!(found.first, text.lines().next().map(|line| sha256_hex(line.as_bytes())), "{name}");
        assert_eq!(whole.tree(Some(9)).unwrap().line, None, "{name}");
        a_tick_later();
        fs::write(whole.log.path(), text.replace("two", "2wo")).unwrap();
        assert!(matches!(whole.tree(None), Err(LogError::Fault { .. })), "{name}");
    }
}

#[test]
fn each_damage_has_its_name_and_a_foreign_head_too() {
    type Damage = fn(&mut Vec<String>);
    let damages: [(&str, Damage); 6] = [
        ("entry 1 was edited", |lines| lines[1] = lines[1].replace("two", "2wo")),
        ("the entries were reordered from 0 on", |lines| lines.swap(0, 1)),
        ("entry 2 is a copy of entry 1: it was duplicated", |lines| lines.insert(2, lines[1].clone())),
        ("entry 1 was removed", |lines| drop(lines.remove(1))),
        ("the log ends after 2 entries, and its head says 3: it was truncated", |lines| lines.truncate(2)),
        ("the log ends after 0 entries, and its head says 3: it was truncated", Vec::clear),
    ];
    let folder = tempfile::tempdir().unwrap();
    for (place, (expect, damage)) in damages.into_iter().enumerate() {
        let log = three(&folder.path().join(place.to_string()));
        let text = fs::read_to_string(log.log.path()).unwrap();
        let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
        damage(&mut lines);
        lines.push(String::new());
        fs::write(log.log.path(), lines.join("\n")).unwrap();
        let found = log.verify().unwrap();
        assert_eq!(found.fault.map(|fault| fault.to_string()).as_deref(), Some(expect));
    }
    let log = three(&folder.path().join("ours"));
    let text = fs::read_to_string(log.log.path()).unwrap();
    fs::write(log.log.path(), text.clone() + "{\"at\":").unwrap();
    let torn = log.verify().unwrap();
    assert_eq!((torn.fault, torn.torn_bytes), (None, 6), "a torn tail is no fault");
    fs::write(log.log.path(), text).unwrap();
    let other = self::log(&folder.path().join("other"));
    for text in ["1", "2", "3", "4"] {
        other.append(Timestamp::UNIX_EPOCH, &note(text)).unwrap();
    }
    fs::copy(other.head.path(), log.head.path()).unwrap();
    assert_eq!(log.verify().unwrap().fault, Some(Fault::ForeignHead { found: 3, stated: 4 }));
    assert!(matches!(log.read_all(), Err(LogError::Fault { fault: Fault::ForeignHead { .. }, .. })));
}

#[test]
fn a_head_of_an_earlier_gephost_learns_which_log_it_is_of() {
    let folder = tempfile::tempdir().unwrap();
    let log = three(folder.path());
    let found = log.read_head().unwrap().unwrap();
    assert!(found.first.is_some());
    log.write_head(&HeadFile { first: None, mark: None, ..found.clone() }).unwrap();
    assert_eq!(log.verify().unwrap().fault, None);
    self::log(folder.path()).append(Timestamp::UNIX_EPOCH, &note("four")).unwrap();
    assert_eq!(log.read_head().unwrap().unwrap().first, found.first);
}
