//! Attempts in a row: how often a program failed in a session before it worked, and how long that took.
//!
//! Memory is bounded: [`MAX_OPEN`] programs that have not worked since, with [`MAX_EVENTS`] failures each, and [`MAX_DONE`] that
//! have. [`MAX_OVER`] failures are known after which the program worked.

use crate::by_number::Numbers;
use crate::call::Call;
use crate::command::shell::steps;

const MAX_OPEN: usize = 64;
const MAX_EVENTS: usize = 1024;
const MAX_DONE: usize = 256;
const MAX_OVER: usize = 1 << 16;
/// The fewest attempts that are worth telling.
const MIN_ATTEMPTS: usize = 3;

/// Failures of one program in one session.
#[derive(Debug, Default)]
struct Run {
    session: u32,
    program: String,
    /// When the first of them was; `i64::MIN` if the log has no time.
    since: i64,
    events: Vec<u64>,
    /// How long it took until it worked; known then.
    minutes: Option<u64>,
}

/// What is known of attempts.
#[derive(Debug, Default)]
pub(crate) struct Attempts {
    open: Vec<Run>,
    done: Vec<Run>,
    /// Failures after which the program worked in the same session.
    over: Numbers,
}

impl Attempts {
    /// Adds a failure of a program.
    pub(crate) fn fail(&mut self, call: &Call<'_>, program: &str) {
        if program.is_empty() {
            return;
        }
        let is_same = |run: &Run| run.session == call.session && run.program == program;
        let at = self.open.iter().position(is_same).unwrap_or_else(|| {
            if self.open.len() >= MAX_OPEN {
                self.open.remove(0);
            }
            let program = program.to_owned();
            self.open.push(Run { session: call.session, program, since: call.time, ..Run::default() });
            self.open.len() - 1
        });
        if let Some(run) = self.open.get_mut(at).filter(|run| run.events.len() < MAX_EVENTS) {
            run.events.push(call.event);
        }
    }

    /// Adds a command that worked: the attempts of its programs are over.
    pub(crate) fn work(&mut self, call: &Call<'_>) {
        if !self.open.iter().any(|run| run.session == call.session) {
            return;
        }
        for step in steps(call.input) {
            let name = step.name();
            let is_own = |run: &Run| run.session == call.session && run.program == name;
            let Some(at) = self.open.iter().position(is_own) else { continue };
            let run = self.open.remove(at);
            for event in &run.events {
                self.over.insert(*event, MAX_OVER);
            }
            if run.events.len() >= MIN_ATTEMPTS && self.done.len() < MAX_DONE {
                let lasted =
                    Some(call.time).filter(|_| run.since > i64::MIN).and_then(|time| time.checked_sub(run.since));
                let minutes = lasted.and_then(|us| u64::try_from(us / 60_000_000).ok());
                self.done.push(Run { minutes, ..run });
            }
        }
    }

    /// Whether the program that failed worked later in the session.
    pub(crate) fn is_over(&self, event: u64) -> bool {
        self.over.has(event)
    }

    /// The longest attempts of which these events are at least four of five; `events` are ascending.
    pub(crate) fn of(&self, events: &[u64]) -> Option<String> {
        let own = |run: &&Run| {
            let known = run.events.iter().filter(|event| events.binary_search(event).is_ok()).count();
            known >= MIN_ATTEMPTS && known * 5 >= run.events.len() * 4
        };
        let run = self.done.iter().filter(own).max_by_key(|run| run.events.len())?;
        let count = run.events.len();
        Some(match run.minutes {
            Some(minutes) if minutes > 1 => format!("{count} in a row, {minutes} minutes until it worked"),
            _ => format!("{count} in a row until it worked"),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: i64 = 60_000_000;

    fn call(event: u64, input: &str) -> Call<'_> {
        Call { event, time: i64::try_from(event).unwrap() * 4 * MINUTE, input, ..Call::FAILED }
    }

    #[test]
    fn attempts_are_over_when_the_program_works() {
        let mut attempts = Attempts::default();
        for event in [0, 1, 3] {
            attempts.fail(&call(event, "cargo test"), "cargo test");
        }
        attempts.work(&call(4, "cargo build"));
        assert_eq!(attempts.of(&[0, 1, 3]), None, "another program");
        attempts.work(&Call { session: 5, ..call(4, "cargo test") });
        assert_eq!(attempts.of(&[0, 1, 3]), None, "another session");
        assert!(!attempts.is_over(3));
        attempts.work(&call(5, "cd a && cargo test -q"));
        assert_eq!(attempts.of(&[0, 1, 3]).as_deref(), Some("3 in a row, 20 minutes until it worked"));
        assert!(attempts.is_over(3) && !attempts.is_over(2));
        assert_eq!(attempts.of(&[0, 1]), None, "the others have another cause");
        attempts.work(&call(6, "cargo test"));
        attempts.fail(&call(7, "cargo test"), "cargo test");
        attempts.work(&call(8, "cargo test"));
        assert_eq!(attempts.of(&[7]), None, "one is no row");
    }
}
