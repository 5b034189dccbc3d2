//! What worked next: for each failed call, the next similar call of its session that succeeded, and how the two differ.
//!
//! An agent often corrects itself: it runs `python`, which is not installed, and then `python3`. The difference between
//! the two calls is the best advice there is, because it worked here. [`corrections`] finds these pairs in one pass over
//! the calls; `action` reads what a call does, and `difference` compares two of them. A call that ended well without showing
//! that it worked, such as `make || true`, corrects nothing.
//!
//! Memory is bounded: at most [`MAX_OPEN`] failed calls wait in a session, each for at most [`WINDOW`] later calls, and
//! there are at most [`MAX_CORRECTIONS`] pairs.

mod action;
mod difference;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};

use action::Action;
pub use difference::Difference;
use difference::compare;

use crate::outcome::proves_success;

/// Later calls of the session among which the one that worked is looked for.
pub const WINDOW: u32 = 40;
/// Failed calls of a session that wait for one that works. The oldest makes room.
pub const MAX_OPEN: usize = 16;
/// The most pairs.
pub const MAX_CORRECTIONS: usize = 65_536;
/// The most bytes of [`Correction::before`] and [`Correction::after`].
pub const MAX_PART_BYTES: usize = 200;

/// A call that succeeded or failed.
#[derive(Debug, Clone, Copy)]
pub struct Attempt<'a> {
    /// Number of the event that began it. What was already under way when another call failed is no answer to that.
    pub began: u64,
    /// Number of the event that ended it.
    pub event: u64,
    /// Number of its session.
    pub session: u32,
    /// Name of the tool.
    pub tool: &'a str,
    /// The command, or the tool's input as text.
    pub input: &'a str,
    /// What it returned.
    pub output: &'a str,
    /// Whether it succeeded.
    pub worked: bool,
}

/// A failed call, and the next similar call that worked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Correction {
    /// Number of the event that ended the failed call.
    pub failed: u64,
    /// Number of the event that ended the call that worked.
    pub worked: u64,
    /// How they differ.
    pub difference: Difference,
    /// The part of the failed call that differs; empty if nothing stood there.
    pub before: String,
    /// The part that stands in its place.
    pub after: String,
}

/// The corrections, by the number of the failed call. `attempts` come in the order of the log.
pub fn corrections<'a>(attempts: impl IntoIterator<Item = Attempt<'a>>) -> Vec<Correction> {
    let mut sessions: BTreeMap<u32, Session<'a>> = BTreeMap::new();
    let mut found = Vec::new();
    for attempt in attempts {
        if attempt.worked {
            // Most sessions have no failed call that waits, and then the call need not be read.
            let Some(session) = sessions.get_mut(&attempt.session) else { continue };
            session.succeed(&attempt, &mut found);
            if session.open.is_empty() {
                sessions.remove(&attempt.session);
            }
        } else {
            sessions.entry(attempt.session).or_default().fail(attempt);
        }
        if found.len() >= MAX_CORRECTIONS {
            break;
        }
    }
    found.sort_by_key(|correction: &Correction| correction.failed);
    found
}

/// The failed calls of a session for which nothing has worked yet.
#[derive(Default)]
struct Session<'a> {
    open: VecDeque<Open<'a>>,
}

struct Open<'a> {
    attempt: Attempt<'a>,
    action: Action<'a>,
    /// Calls since then.
    age: u32,
    /// Whether its file was read since then.
    was_read: bool,
}

impl<'a> Session<'a> {
    fn fail(&mut self, attempt: Attempt<'a>) {
        self.grow_older();
        if self.open.len() == MAX_OPEN {
            self.open.pop_front();
        }
        self.open.push_back(Open { attempt, action: Action::of(attempt.tool, attempt.input), age: 0, was_read: false });
    }

    fn succeed(&mut self, worked: &Attempt<'a>, found: &mut Vec<Correction>) {
        self.grow_older();
        let action = Action::of(worked.tool, worked.input);
        let mut is_proven = None;
        self.open.retain_mut(|failed| {
            if worked.began < failed.attempt.event {
                return true;
            }
            if failed.action.is_read_by(&action) {
                failed.was_read = true;
                return true;
            }
            let Some(change) = compare(failed.attempt.input, &failed.action, worked.input, &action) else {
                return true;
            };
            if !*is_proven.get_or_insert_with(|| action.is_proven(worked)) {
                return true;
            }
            let difference = match change.difference {
                Difference::Later if failed.age == 1 => Difference::Repeated,
                Difference::Input | Difference::Later if failed.was_read && failed.action.edits() => {
                    Difference::ReadBefore
                }
                difference => difference,
            };
            found.push(Correction {
                failed: failed.attempt.event,
                worked: worked.event,
                difference,
                before: clipped(&change.before),
                after: clipped(&change.after),
            });
            false
        });
    }

    fn grow_older(&mut self) {
        for failed in &mut self.open {
            failed.age += 1;
        }
        while self.open.front().is_some_and(|oldest| oldest.age > WINDOW) {
            self.open.pop_front();
        }
    }
}

impl Action<'_> {
    /// Whether a call of this kind that ended well shows that it worked.
    fn is_proven(&self, call: &Attempt<'_>) -> bool {
        !matches!(self, Self::Run(_)) || proves_success(call.input, call.output)
    }
}

fn clipped(text: &str) -> String {
    text.get(..text.floor_char_boundary(MAX_PART_BYTES)).unwrap_or_default().to_owned()
}
