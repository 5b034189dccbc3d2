//! Keeps the newest of all events read, within [`Limits`].

use gephost_core::run_event::{Outcome, RunEvent};
use jiff::Timestamp;

use super::limits::Limits;

struct Entry {
    file: usize,
    sequence: u64,
    /// The event's time, or that of the previous event in its file.
    time: Option<Timestamp>,
    event: RunEvent,
}

/// The newest events within the limits. They are pruned when the limits are exceeded by a quarter, so that each event
/// is moved only a few times.
pub(super) struct RetainedEvents {
    entries: Vec<Entry>,
    limits: Limits,
    text_bytes: usize,
    left_out: u64,
    last: (usize, Option<Timestamp>),
}

impl RetainedEvents {
    pub(super) fn new(limits: Limits) -> Self {
        Self { entries: Vec::new(), limits, text_bytes: 0, left_out: 0, last: (0, None) }
    }

    pub(super) fn add(&mut self, file: usize, sequence: u64, event: RunEvent) {
        if self.limits.since.is_some_and(|since| event.timestamp.is_some_and(|time| time < since)) {
            return;
        }
        let before = if self.last.0 == file { self.last.1 } else { None };
        let time = event.timestamp.or(before);
        self.last = (file, time);
        self.text_bytes += text_bytes(&event);
        self.entries.push(Entry { file, sequence, time, event });
        let many = self.entries.len() > plus_a_quarter(self.limits.max_events).saturating_add(1024);
        if many || self.text_bytes > plus_a_quarter(self.limits.max_text_bytes) {
            self.prune();
        }
    }

    /// The events, in the order of files and lines; and for each file that has some, the position of its first event.
    pub(super) fn into_events(self) -> (Vec<RunEvent>, Vec<(usize, usize)>) {
        let mut starts: Vec<(usize, usize)> = Vec::new();
        for (position, entry) in self.entries.iter().enumerate() {
            if starts.last().is_none_or(|(_, file)| *file != entry.file) {
                starts.push((position, entry.file));
            }
        }
        (self.entries.into_iter().map(|entry| entry.event).collect(), starts)
    }

    /// Drops the oldest events beyond the limits. Returns how many have been dropped in total.
    pub(super) fn prune(&mut self) -> u64 {
        let over = self.entries.len() > self.limits.max_events || self.text_bytes > self.limits.max_text_bytes;
        if !over {
            return self.left_out;
        }
        // The entries are in the order of files and lines, so of two with the same time the later one is newer.
        let mut newest: Vec<_> = self.entries.iter().enumerate().map(|(at, entry)| (entry.time, at)).collect();
        newest.sort_unstable_by(|one, other| other.cmp(one));
        let (mut stays, mut kept) = (vec![false; self.entries.len()], 0);
        for (_, at) in newest.into_iter().take(self.limits.max_events) {
            let (Some(entry), Some(stays)) = (self.entries.get(at), stays.get_mut(at)) else { continue };
            let with = kept + text_bytes(&entry.event);
            if with > self.limits.max_text_bytes {
                break;
            }
            (kept, *stays) = (with, true);
        }
        let before = self.entries.len();
        let mut stays = stays.into_iter();
        self.entries.retain(|_| stays.next() == Some(true));
        self.text_bytes = kept;
        self.left_out += (before - self.entries.len()) as u64;
        self.left_out
    }

    /// Marks the starts of one file that have no end. `sequences` are sorted.
    pub(super) fn set_unfinished(&mut self, file: usize, sequences: &[u64]) {
        for entry in self.entries.iter_mut().rev().take_while(|entry| entry.file == file) {
            if sequences.binary_search(&entry.sequence).is_ok() {
                entry.event.outcome = Some(Outcome::Unfinished);
            }
        }
    }
}

fn plus_a_quarter(number: usize) -> usize {
    number.saturating_add(number / 4)
}

pub(super) fn text_bytes(event: &RunEvent) -> usize {
    event.input.as_ref().map_or(0, String::len) + event.output.as_ref().map_or(0, String::len)
}
