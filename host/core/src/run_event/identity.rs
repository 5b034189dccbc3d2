//! Recognises events that were read from the same log entry, however often and from whatever file it is read.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::RunEvent;

impl RunEvent {
    /// A hash that is the same for every reading of the same entry: from the log, from a copy of it, and from the run
    /// store.
    ///
    /// The hash leaves out what a reader derives (outcome, kind, duration), because a later version may judge
    /// differently. It also leaves out the numbers of placeholders, which depend on what was read before. The line
    /// number counts only if the event has no time.
    pub fn identity(&self) -> u64 {
        // The standard hasher has fixed keys, so every run computes the same hash.
        let mut hasher = DefaultHasher::new();
        let time = self.timestamp.map(jiff::Timestamp::as_microsecond);
        (&self.session_key, self.event_type, time, &self.call_id).hash(&mut hasher);
        if time.is_none() {
            self.line.hash(&mut hasher);
        }
        if self.call_id.is_none() {
            for text in [&self.input, &self.output] {
                hash_unnumbered(text.as_deref().unwrap_or_default(), &mut hasher);
            }
        }
        hasher.finish()
    }
}

/// Hashes a text without the numbers of its placeholders `[REDACTED:kind:n]`.
fn hash_unnumbered(text: &str, hasher: &mut DefaultHasher) {
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("[REDACTED:") {
        before.hash(hasher);
        let number = after.find(|c: char| c.is_ascii_digit() || c == ']').unwrap_or(after.len());
        let (kind, numbered) = after.split_at(number);
        kind.hash(hasher);
        rest = numbered.trim_start_matches(|c: char| c.is_ascii_digit());
    }
    rest.hash(hasher);
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::run_event::{EventType, LOG_MAX_CHARS, Outcome, RunEvent, from_disk_line, to_disk_line};

    fn event(text: &str) -> RunEvent {
        RunEvent {
            timestamp: "2026-01-01T00:00:00.123456Z".parse().ok(),
            flagged: true,
            output: Some(text.to_owned()),
            line: 3,
            ..RunEvent::bare(Arc::from("s"), EventType::Exception)
        }
    }

    #[test]
    fn what_a_reading_adds_does_not_count() {
        let first = event("key [REDACTED:aws-key:1] x");
        let mut again = event("key [REDACTED:aws-key:12] x");
        again.outcome = Some(Outcome::Failure);
        again.line = 9;
        assert_eq!(first.identity(), again.identity());
        assert_ne!(first.identity(), event("key [REDACTED:email:1] x").identity());
        assert_ne!(first.identity(), event("key [REDACTED:aws-key:1] y").identity());
        let stored = from_disk_line(&to_disk_line(&first, LOG_MAX_CHARS), 77).unwrap();
        assert_eq!(stored.identity(), first.identity());
    }

    #[test]
    fn without_a_time_the_line_counts() {
        let at = |line| RunEvent { timestamp: None, line, ..event("x") };
        assert_ne!(at(1).identity(), at(2).identity());
        let stored = from_disk_line(&to_disk_line(&at(5), LOG_MAX_CHARS), 77).unwrap();
        assert_eq!(stored.identity(), at(5).identity());
    }
}
