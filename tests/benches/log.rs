//! `cargo bench -p gephost-tests --bench log`: what it costs to verify a log of a million entries, to make its Merkle
//! tree, to prove that it continues a checkpoint, and to append to it.
//!
//! Times are wall times on a warm cache, each the median of some rounds. The log is on disk, in a folder of its own.

use std::fs;
use std::hint::black_box;
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use gephost_core::checkpoint::{Checkpoint, Continuity, Tree, verify_inclusion};
use gephost_core::command::RecordedRun;
use gephost_core::event_log::{self, EntryBody, Head, Verifier};
use gephost_runner::event_log::EventLog;
use gephost_runner::place::Place;
use gephost_tests::measure::median;
use jiff::Timestamp;

const ENTRIES: u64 = 1_000_000;
const ROUNDS: usize = 5;

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let bytes = write_log(folder.path());
    println!("{ENTRIES} entries, {} MB", bytes / 1_000_000);
    let root = Place::own(folder.path());
    let open = || EventLog::new(&root.join("log.jsonl"), &root.join("head.json"));

    report("verify", || assert_eq!(open().verify().unwrap().fault, None));
    report("verify and make the tree", || drop(black_box(open().tree(None).unwrap())));
    let (whole, half) = (open().tree(Some(ENTRIES / 3)).unwrap(), first_half(folder.path()));
    let checkpoint = Checkpoint::of("log", &half);
    report("prove and check that it continues a checkpoint of half of it", || {
        let found = Continuity::of(&checkpoint, "log", &whole.tree);
        assert!(matches!(found, Continuity::Continues { added, .. } if added == ENTRIES / 2));
    });
    let (line, top) = (whole.line.unwrap(), whole.tree.root());
    report("prove and check that it has an entry", || {
        let proof = whole.tree.prove_inclusion(ENTRIES / 3).unwrap();
        assert!(verify_inclusion(line.as_bytes(), ENTRIES / 3, ENTRIES, &top, &proof));
    });
    report("verify by reading every entry, as for a log that is damaged", || {
        let text = fs::read(folder.path().join("log.jsonl")).unwrap();
        let mut verifier = Verifier::new(None);
        text.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).for_each(|line| drop(verifier.line(line)));
        assert_eq!(verifier.finish().fault, None);
    });
    // The first append of a process that finds a head without a mark reads the log; the ones after it do not.
    let note = EntryBody::Note { text: "one more".to_owned() };
    open().append(Timestamp::now(), &note).unwrap();
    report("append a note", || open().append(Timestamp::now(), &note).unwrap());
}

fn report(what: &str, mut work: impl FnMut()) {
    let time: Duration = median(ROUNDS, || {
        let start = Instant::now();
        work();
        start.elapsed()
    });
    println!("{what}: {:.3} s", time.as_secs_f64());
}

/// Entries as `gephost record` writes them, and the head. Returns the size in bytes.
fn write_log(folder: &Path) -> u64 {
    let mut out = BufWriter::new(fs::File::create(folder.join("log.jsonl")).unwrap());
    let mut head = Head::empty();
    for number in 0..ENTRIES {
        let at = Timestamp::from_millisecond(1_770_000_000_000 + i64::try_from(number).unwrap()).unwrap();
        let body = EntryBody::Recorded {
            session: "record-20260101".to_owned(),
            events: 2,
            call_id: Some(format!("record-{number:016}")),
            argv: Some(vec!["python3".to_owned(), "-m".to_owned(), "unittest".to_owned()]),
            run: None::<RecordedRun>,
        };
        let (line, next) = event_log::append(&head, at, &body).unwrap();
        head = next;
        writeln!(out, "{line}").unwrap();
    }
    out.flush().unwrap();
    let head_file = format!("{{\"head\":{},\"next\":null}}", serde_json::to_string(&head).unwrap());
    fs::write(folder.join("head.json"), head_file).unwrap();
    fs::metadata(folder.join("log.jsonl")).unwrap().len()
}

fn first_half(folder: &Path) -> Tree {
    let text = fs::read(folder.join("log.jsonl")).unwrap();
    let mut tree = Tree::default();
    let half = usize::try_from(ENTRIES / 2).unwrap();
    text.split(|byte| *byte == b'\n').take(half).for_each(|line| tree.push(line));
    tree
}
