//! What an agent does again although it cannot help: the same failing call with nothing changed in between, an edit that
//! is made, undone and made again, edits that change nothing.
//!
//! Memory is bounded: [`SESSIONS`] sessions at a time, [`MAX_WATCHED`] calls of each, [`MAX_FOUND`] of what was found.

use std::collections::{BTreeMap, VecDeque};

use crate::call::{Call, hash};
use crate::findings::titled;
use crate::report::{Importance, Report, clipped, confidence, first_line, seen_times};
use crate::thresholds::Thresholds;

/// From so many failures of a call on, with nothing changed in between, a loop is told.
const LOOP: u32 = 2;
/// The same edit made so often, with others in between, goes to and fro.
const PING_PONG: u32 = 2;
/// Sessions that are known at a time. Those that run side by side have numbers close to each other, so each has its place
/// by its number, and gives it up to a later one.
const SESSIONS: usize = 1024;
const MAX_WATCHED: usize = 32;
const MAX_FOUND: usize = 512;
const MAX_EVENTS: usize = 8;
const MAX_EDITS: usize = 32;
const WHAT_CHARS: usize = 100;

#[derive(Debug, Default)]
pub(crate) struct Habits {
    sessions: Vec<Session>,
    found: BTreeMap<(Habit, u64), Found>,
    tools: BTreeMap<u32, Nature>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Habit {
    Loop,
    PingPong,
    NoOp,
}

/// What a tool does to the project, by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Nature {
    Edits,
    Reads,
    /// Shells, and all that is not known.
    Anything,
}

#[derive(Debug, Default)]
struct Session {
    number: u32,
    /// Failures of a call since something may have changed, by the call.
    failures: Vec<(u64, u32)>,
    /// The newest edits that worked, newest last, and how often each was made.
    edits: VecDeque<(u64, u32)>,
    /// Whether the newest thing that ended was an exception.
    exception: bool,
}

#[derive(Debug, Default)]
struct Found {
    what: String,
    /// The longest loop, the times an edit was made, or the edits without effect.
    count: u32,
    newest: VecDeque<u64>,
}

impl Habits {
    /// Whether this is an exception right after one of the same session: the harness tries again, and that is one
    /// incident. An agent that was stopped is none.
    pub(crate) fn is_retry(&mut self, call: &Call<'_>) -> bool {
        let before = std::mem::replace(&mut self.session(call.session).exception, call.exception);
        call.exception && (before || call.output.starts_with("turn aborted"))
    }

    /// Takes one call in; calls of a session come oldest first. How often it failed by now with nothing changed.
    pub(crate) fn add(&mut self, call: &Call<'_>) -> u32 {
        let Some(number) = call.tool else { return 0 };
        let nature = *self.tools.entry(number).or_insert_with(|| nature(call.name));
        let session = self.session(call.session);
        if !call.failed && nature != Nature::Edits {
            if !session.failures.is_empty() && may_change(nature, call.input) {
                session.failures.clear();
            }
            return 0;
        }
        let Some(identity) = call.identity() else { return 0 };
        if !call.failed {
            session.failures.clear();
            if let Some(count) = session.edited(identity) {
                self.find(Habit::PingPong, identity, call, count);
            }
            return 0;
        }
        let count = session.failed_again(identity, may_change(nature, call.input) && nature != Nature::Edits);
        if count >= LOOP {
            self.find(Habit::Loop, identity, call, count);
        }
        if nature == Nature::Edits && changes_nothing(call.output) {
            let key = hash(0, call.name.as_bytes());
            let before = self.found.get(&(Habit::NoOp, key)).map_or(0, |found| found.count);
            self.find(Habit::NoOp, key, call, before.saturating_add(1));
        }
        count
    }

    fn session(&mut self, number: u32) -> &mut Session {
        let at = number as usize % SESSIONS;
        if self.sessions.len() <= at {
            self.sessions.resize_with(at + 1, Session::default);
        }
        let session = &mut self.sessions[at];
        if session.number != number {
            *session = Session { number, ..Session::default() };
        }
        session
    }

    fn find(&mut self, habit: Habit, key: u64, call: &Call<'_>, count: u32) {
        if self.found.len() >= MAX_FOUND && !self.found.contains_key(&(habit, key)) {
            return;
        }
        let found = self.found.entry((habit, key)).or_default();
        if found.what.is_empty() {
            found.what = match habit {
                Habit::NoOp => call.name.to_owned(),
                Habit::Loop | Habit::PingPong => clipped(&first_line(call.input), WHAT_CHARS),
            };
        }
        found.count = found.count.max(count);
        if found.newest.len() == MAX_EVENTS {
            found.newest.pop_front();
        }
        found.newest.push_back(call.event);
    }

    pub(crate) fn reports(&self, thresholds: &Thresholds) -> impl Iterator<Item = Report> {
        self.found.iter().map(|((habit, key), found)| match habit {
            Habit::Loop => found.looped(*key, thresholds.long_loop),
            Habit::PingPong => found.to_and_fro(*key),
            Habit::NoOp => found.without_effect(),
        })
    }
}

impl Session {
    /// Notes an edit that worked. How often it was made, where that is to and fro and news.
    fn edited(&mut self, identity: u64) -> Option<u32> {
        // The same edit twice in a row is no undoing: an insertion can be wanted twice.
        if self.edits.back().is_some_and(|(newest, _)| *newest == identity) {
            return None;
        }
        let known = self.edits.iter().position(|(known, _)| *known == identity);
        let count = known.and_then(|at| self.edits.remove(at)).map_or(1, |(_, count)| count.saturating_add(1));
        if self.edits.len() == MAX_EDITS {
            self.edits.pop_front();
        }
        self.edits.push_back((identity, count));
        (count >= PING_PONG).then_some(count)
    }

    /// How often this call failed with nothing changed. What it may have changed itself spoils the count of the others.
    fn failed_again(&mut self, identity: u64, may_change: bool) -> u32 {
        if may_change {
            self.failures.retain(|(other, _)| *other == identity);
        }
        if let Some((_, count)) = self.failures.iter_mut().find(|(other, _)| *other == identity) {
            *count = count.saturating_add(1);
            return *count;
        }
        if self.failures.len() == MAX_WATCHED {
            self.failures.remove(0);
        }
        self.failures.push((identity, 1));
        1
    }
}

impl Found {
    fn report(&self, id: String, kind: &'static str, title: String) -> Report {
        Report {
            id,
            kind,
            title,
            importance: Importance::Low,
            // That it happened is counted; that it is a fault is guessed.
            confidence: confidence(self.count) * 0.8,
            evidence: self.newest.iter().rev().map(|event| (*event, self.what.clone())).collect(),
            occurrences: self.count,
            ..Report::default()
        }
    }

    fn looped(&self, key: u64, long: u32) -> Report {
        let title = titled(&self.what, &format!("failed {} with nothing changed in between", seen_times(self.count)));
        Report {
            importance: if self.count >= long { Importance::Medium } else { Importance::Low },
            hypothesis: "the agent repeats a failing call in the hope that it passes".to_owned(),
            direction: "tell the agent to change something, or to read the error, before it repeats a call".to_owned(),
            signals: vec!["log_error".to_owned(), "repair_loop_detected".to_owned()],
            ..self.report(format!("loop:{key:016x}"), "loop", title)
        }
    }

    fn to_and_fro(&self, key: u64) -> Report {
        let title =
            titled(&self.what, &format!("the same edit was made {}, with others in between", seen_times(self.count)));
        Report {
            hypothesis: "two goals contradict each other, and each edit serves one of them".to_owned(),
            direction: "say in the instructions which of the forms is wanted".to_owned(),
            signals: vec!["repair_loop_detected".to_owned()],
            ..self.report(format!("edit-ping-pong:{key:016x}"), "edit_ping_pong", title)
        }
    }

    fn without_effect(&self) -> Report {
        let tool = clipped(&self.what, 40);
        let title = format!("{tool} was asked {} for an edit that changes nothing", seen_times(self.count));
        Report {
            hypothesis: "the agent works from an older state of the file, or repeats an edit that it has made"
                .to_owned(),
            direction: "read the file again before an edit".to_owned(),
            signals: vec!["log_error".to_owned(), "edit_mismatch".to_owned()],
            ..self.report(format!("no-op-edits:{:016x}", hash(0, self.what.as_bytes())), "no_op_edits", title)
        }
    }
}

fn nature(tool: &str) -> Nature {
    let tool = tool.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| tool.contains(word));
    if has(&["edit", "write", "patch", "replace"]) {
        Nature::Edits
    } else if has(&["read", "view", "grep", "glob", "search", "list", "find", "fetch", "think", "todo", "plan"])
        || tool == "ls"
    {
        Nature::Reads
    } else {
        Nature::Anything
    }
}

/// Whether a call may have changed what a call after it meets.
fn may_change(nature: Nature, input: &str) -> bool {
    const LOOKS: [&str; 20] = [
        "ls",
        "cat",
        "head",
        "tail",
        "grep",
        "rg",
        "find",
        "pwd",
        "echo",
        "which",
        "wc",
        "nl",
        "stat",
        "file",
        "tree",
        "du",
        "git status",
        "git diff",
        "git log",
        "git show",
    ];
    match nature {
        Nature::Edits => true,
        Nature::Reads => false,
        Nature::Anything => {
            let looks = |command: &str| {
                LOOKS
                    .iter()
                    .any(|look| command.strip_prefix(look).is_some_and(|rest| rest.is_empty() || rest.starts_with(' ')))
            };
            let command = input.trim();
            !looks(command)
                || command.contains(['>', '&', ';', '`', '\n'])
                || command.contains("$(")
                || command.contains("-exec")
        }
    }
}

/// What harnesses say where old and new text are the same.
fn changes_nothing(output: &str) -> bool {
    ["No changes to make", "o changes to apply", "are identical", "exactly the same", "no changes were made"]
        .iter()
        .any(|words| output.contains(words))
}
