//! What worked next: for each failed call, the next similar call of its session that succeeded, and how the two differ.
//!
//! An agent often corrects itself: it runs `python`, which is not installed, and then `python3`. The difference between
//! the two calls is the best advice there is, because it worked here. [`corrections`] finds these pairs in one pass over
//! the calls; `action` reads what a call does, and `difference` compares two of them. A call that ended well without showing
//! that it worked, such as `make || true`, corrects nothing.
//!
//! What worked behind an edit or an installation may have worked because of that. Then the pair is left out, unless the very
//! same call worked. A part of the failed call that works by itself corrects nothing either.
//!
//! A correction that is used again and fails in the same way was none. It is withdrawn, and its failed call waits again: of
//! several remedies the last one counts, after which the failure did not return.
//!
//! Memory is bounded: at most [`MAX_OPEN`] failed calls wait in a session, each for at most [`WINDOW`] later calls. At most
//! [`MAX_ANSWERED`] corrections of a session can be withdrawn, and there are at most [`MAX_CORRECTIONS`] pairs.

mod action;
mod difference;
mod kind;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};

use action::Action;
use difference::{Change, compare};
pub use kind::Difference;

use crate::outcome::{failure_kind, proves_success};
use crate::run_event::FailureKind;
use crate::signal::{error_signature, normalise_signature};

/// Later calls of the session among which the one that worked is looked for.
pub const WINDOW: u32 = 40;
/// Failed calls of a session that wait for one that works. The oldest makes room.
pub const MAX_OPEN: usize = 16;
/// Corrected calls of a session that are compared with later failures. The oldest correction then stays.
pub const MAX_ANSWERED: usize = 64;
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
            if let Some(session) = sessions.get_mut(&attempt.session) {
                session.succeed(&attempt, &mut found);
            }
        } else {
            sessions.entry(attempt.session).or_default().fail(attempt, &mut found);
        }
        if found.len() >= MAX_CORRECTIONS {
            break;
        }
    }
    let mut found: Vec<Correction> = found.into_iter().flatten().collect();
    found.sort_by_key(|correction| correction.failed);
    found
}

/// The failed calls of a session.
#[derive(Default)]
struct Session<'a> {
    /// Those for which nothing has worked yet.
    open: VecDeque<Open<'a>>,
    /// Those that are corrected, the oldest correction first.
    answered: VecDeque<Answered<'a>>,
}

struct Open<'a> {
    attempt: Attempt<'a>,
    action: Action<'a>,
    /// Calls since then.
    age: u32,
    /// Whether its file was read since then.
    was_read: bool,
    /// Whether a file was edited or something installed since then.
    has_changed: bool,
}

impl Open<'_> {
    /// Whether the difference is what helped. Behind an edit or an installation nobody knows: only that the same call worked
    /// later is a fact then. No edit brings a program that is missing, or makes the text of another edit match.
    fn is_due_to(&self, difference: Difference) -> bool {
        let is_missing = || failure_kind(None, self.attempt.output) == FailureKind::MissingCommand;
        match difference {
            Difference::Later | Difference::Repeated => true,
            Difference::Program => !self.has_changed || is_missing(),
            _ => !self.has_changed || !matches!(self.action, Action::Run(_)),
        }
    }
}

struct Answered<'a> {
    failed: Open<'a>,
    /// Position among all corrections.
    at: usize,
    /// The input of the call that worked.
    input: &'a str,
}

impl<'a> Session<'a> {
    fn fail(&mut self, attempt: Attempt<'a>, found: &mut [Option<Correction>]) {
        self.grow_older();
        let action = Action::of(attempt.tool, attempt.input);
        self.withdraw(&attempt, &action, found);
        self.wait(Open { attempt, action, age: 0, was_read: false, has_changed: false });
    }

    fn wait(&mut self, failed: Open<'a>) {
        if self.open.len() == MAX_OPEN {
            self.open.pop_front();
        }
        self.open.push_back(failed);
    }

    /// Withdraws the corrections that this call used, if it failed like the calls that they should have corrected.
    fn withdraw(&mut self, again: &Attempt<'a>, action: &Action<'_>, found: &mut [Option<Correction>]) {
        let mut error = None;
        let mut waiting = Vec::new();
        let answered = std::mem::take(&mut self.answered);
        for one in answered {
            let uses = found.get(one.at).and_then(Option::as_ref).is_some_and(|correction| {
                let is_same_call = again.tool == one.failed.attempt.tool && again.input.trim() == one.input.trim();
                is_same_call || action.uses(correction.difference, &correction.after)
            });
            let returned = uses && {
                let error = error.get_or_insert_with(|| normal_error(again.output));
                error.is_some() && *error == normal_error(one.failed.attempt.output)
            };
            if returned {
                if let Some(correction) = found.get_mut(one.at) {
                    *correction = None;
                }
                waiting.push(one.failed);
            } else {
                self.answered.push_back(one);
            }
        }
        for failed in waiting.into_iter().filter(|failed| failed.age <= WINDOW) {
            self.wait(failed);
        }
    }

    fn succeed(&mut self, worked: &Attempt<'a>, found: &mut Vec<Option<Correction>>) {
        self.grow_older();
        // Most calls find no failed one that waits, and then need not be read.
        if self.open.is_empty() {
            return;
        }
        let action = Action::of(worked.tool, worked.input);
        let changes = action.changes_something();
        let mut is_proven = None;
        for mut failed in std::mem::take(&mut self.open) {
            if worked.began >= failed.attempt.event && failed.action.is_read_by(&action) {
                failed.was_read = true;
            } else if worked.began >= failed.attempt.event
                && let Some(change) = compare(failed.attempt.input, &failed.action, worked.input, &action)
                && failed.is_due_to(change.difference)
                && !action.is_part_of(&failed.action)
                && *is_proven.get_or_insert_with(|| action.is_proven(worked))
            {
                found.push(Some(correction(&failed, worked, change)));
                if self.answered.len() == MAX_ANSWERED {
                    self.answered.pop_front();
                }
                self.answered.push_back(Answered { failed, at: found.len() - 1, input: worked.input });
                continue;
            }
            failed.has_changed |= changes;
            self.open.push_back(failed);
        }
    }

    fn grow_older(&mut self) {
        let answered = self.answered.iter_mut().map(|one| &mut one.failed);
        for failed in self.open.iter_mut().chain(answered) {
            failed.age = failed.age.saturating_add(1);
        }
        self.open.retain(|failed| failed.age <= WINDOW);
    }
}

fn correction(failed: &Open<'_>, worked: &Attempt<'_>, change: Change) -> Correction {
    let difference = match change.difference {
        Difference::Later if failed.age == 1 => Difference::Repeated,
        Difference::Input | Difference::Later if failed.was_read && failed.action.edits() => Difference::ReadBefore,
        difference => difference,
    };
    Correction {
        failed: failed.attempt.event,
        worked: worked.event,
        difference,
        before: clipped(&change.before),
        after: clipped(&change.after),
    }
}

/// The error in an output, without what differs between two places where it occurs.
fn normal_error(output: &str) -> Option<String> {
    error_signature(output).map(|error| normalise_signature(&error))
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
