//! Faults of the hub's own: of its database and of its folder. The operator reads what failed. Whoever sent the request only
//! learns that it failed.

use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use jiff::Timestamp;

use crate::clock::Clock;

/// Takes a fault, as one line of text.
pub type Report = Arc<dyn Fn(&str) + Send + Sync>;

/// A line of a part of the hub comes at most this often, so that a full disk does not fill the next one.
const EVERY: Duration = Duration::from_secs(10);
/// Most characters of the text of an error.
const MAX_CHARS: usize = 300;

/// What a fault is a fault of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Database,
    Folder,
}

/// Reports faults, each on one line.
///
/// What must stay true: a line holds the error's own text and nothing of the request, so neither a secret nor an asset.
#[derive(Clone)]
pub(crate) struct Faults {
    report: Report,
    clock: Clock,
    parts: Arc<Mutex<[Told; 2]>>,
}

/// What was reported of a part.
#[derive(Debug, Clone, Copy, Default)]
struct Told {
    last: Option<Timestamp>,
    /// Faults since then.
    untold: u64,
}

impl fmt::Debug for Faults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Faults").finish_non_exhaustive()
    }
}

impl Faults {
    pub(crate) fn new(report: Report, clock: Clock) -> Self {
        Self { report, clock, parts: Arc::default() }
    }

    /// Reports a fault, or counts it if the part was reported a moment ago.
    pub(crate) fn of(&self, part: Part, error: &dyn fmt::Display) {
        let now = (self.clock)();
        let untold = {
            let mut parts = self.parts.lock().unwrap_or_else(PoisonError::into_inner);
            let [database, folder] = &mut *parts;
            let told = match part {
                Part::Database => database,
                Part::Folder => folder,
            };
            // A clock that was set back must not silence the hub.
            if told.last.is_some_and(|last| now.duration_since(last).unsigned_abs() < EVERY) {
                told.untold += 1;
                return;
            }
            told.last = Some(now);
            std::mem::take(&mut told.untold)
        };
        let what = match part {
            Part::Database => "the database",
            Part::Folder => "the folder of components",
        };
        let text: String = one_line(&error.to_string());
        let more = if untold == 0 { String::new() } else { format!(" ({untold} more faults since the last line)") };
        (self.report)(&format!("{now} {what} failed: {text}{more}"));
    }
}

fn one_line(text: &str) -> String {
    let words = text.split(|letter: char| letter.is_control() || letter.is_whitespace());
    let line = words.filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ");
    line.chars().take(MAX_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicI64, Ordering};

    use super::*;

    #[test]
    fn a_fault_is_one_line_and_a_flood_is_counted() {
        let lines = Arc::new(Mutex::new(Vec::new()));
        let (into, now) = (Arc::clone(&lines), Arc::new(AtomicI64::new(0)));
        let reads = Arc::clone(&now);
        let faults = Faults::new(
            Arc::new(move |line| into.lock().expect("lines").push(line.to_owned())),
            Arc::new(move || Timestamp::from_second(reads.load(Ordering::SeqCst)).expect("a time")),
        );
        faults.of(Part::Database, &"disk\nis \u{1b}[31mfull");
        for _ in 0..5 {
            faults.of(Part::Database, &"disk is full");
        }
        faults.of(Part::Folder, &"x".repeat(10_000));
        now.store(10, Ordering::SeqCst);
        faults.of(Part::Database, &"still");
        now.store(-100, Ordering::SeqCst);
        faults.of(Part::Database, &"earlier");
        let lines = lines.lock().expect("lines");
        assert_eq!(lines.len(), 4, "{lines:?}");
        assert_eq!(lines[0], "1970-01-01T00:00:00Z the database failed: disk is [31mfull");
        assert!(lines[1].contains("the folder of components failed: xxx") && lines[1].len() < 400, "{}", lines[1]);
        assert!(lines[2].ends_with("failed: still (5 more faults since the last line)"), "{}", lines[2]);
        assert!(lines[3].ends_with("failed: earlier"), "{}", lines[3]);
    }
}
