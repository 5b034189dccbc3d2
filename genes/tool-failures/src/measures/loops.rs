//! The findings `loop` and `edit_ping_pong`: repeated attempts that cannot succeed. These are the same failing call with
//! nothing changed in between, and an edit that is made, undone and made again.
//!
//! Memory is bounded: [`SESSIONS`] sessions at a time, [`MAX_CALLS`] failing calls in each, [`MAX_FOUND`] patterns.

use gephost_gene::Severity;

use crate::by_number::ByNumber;
use crate::call::{Call, hash};
use crate::order::push_newest;
use crate::report::{Report, clipped, confidence, first_line, times, titled};
use crate::thresholds::Thresholds;

/// Failures of a call, with nothing changed in between, that make a loop.
const MIN_LOOP: u32 = 2;
/// How often the same edit must have been made, with others in between.
const MIN_PING_PONG: u32 = 2;
/// Sessions that are tracked at a time. A session's number decides its slot. Sessions that run at the same time have close
/// numbers, so they seldom share one; the later one takes it.
const SESSIONS: usize = 1024;
/// Failing calls that are tracked in a session.
const MAX_CALLS: usize = 32;
/// Edits that are tracked in a session.
const MAX_EDITS: usize = 32;
/// Patterns that are kept.
const MAX_FOUND: usize = 512;
/// Events that a pattern keeps as evidence.
const MAX_EVENTS: usize = 8;
/// Most characters of a call's input in a title.
const INPUT_CHARS: usize = 100;

pub(crate) const LOOP_DIRECTION: &str =
    "tell the agent to read the error, or to change something, before it repeats a call";

/// The patterns that were found, and what is needed to find more.
#[derive(Debug, Default)]
pub(crate) struct Loops {
    sessions: Vec<Session>,
    /// By the identity of the call.
    repetitions: ByNumber<Found>,
    ping_pongs: ByNumber<Found>,
    /// What each tool does, by the position of its name.
    effects: ByNumber<Effect>,
}

#[derive(Debug, Clone, Copy)]
enum Pattern {
    Loop,
    PingPong,
}

/// What a tool does to the project, judged by its name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Effect {
    Edits,
    Reads,
    /// A shell, or a tool that is not known.
    Any,
}

#[derive(Debug, Default)]
struct Session {
    number: u32,
    /// Calls by their identity, and how often each failed since something may have changed.
    failures: Vec<(u64, u32)>,
    /// The newest successful edits, newest last, and how often each was made.
    edits: Vec<(u64, u32)>,
    /// The kind of the newest event, if it was an exception.
    exception: Option<u64>,
}

#[derive(Debug, Default)]
struct Found {
    /// The call's input, or the tool's name.
    what: String,
    /// The length of the longest loop, how often the edit was made, or the number of edits without effect.
    count: u32,
    newest: Vec<u64>,
}

impl Loops {
    /// Whether this is an exception directly after one of the same kind in the same session: the harness tried again, so
    /// both are one incident. Stopping an agent is not an incident either.
    pub(crate) fn is_retry(&mut self, call: &Call<'_>) -> bool {
        let kind = call.output.split([':', '\n']).next().unwrap_or_default();
        let kind = call.exception.then(|| hash(0, kind.as_bytes()));
        let before = std::mem::replace(&mut self.session(call.session).exception, kind);
        call.exception && (before == kind || call.output.starts_with("turn aborted"))
    }

    /// Adds one call; the calls of a session must come oldest first. Returns how often it has failed so far with nothing
    /// changed.
    pub(crate) fn add(&mut self, call: &Call<'_>) -> u32 {
        let Some(number) = call.tool else { return 0 };
        let effect = *self.effects.get_or_insert(number.into(), || effect(call.name));
        let session = self.session(call.session);
        if !call.failed && effect != Effect::Edits {
            if !session.failures.is_empty() && may_change(effect, call.input) {
                session.failures.clear();
            }
            return 0;
        }
        // Of a call that the log cuts, nobody knows whether it is the same.
        let Some(identity) = call.identity().filter(|_| !call.input.trim_end().ends_with('…')) else { return 0 };
        if !call.failed {
            session.failures.clear();
            if let Some(count) = session.add_edit(identity) {
                self.find(Pattern::PingPong, identity, call, count);
            }
            return 0;
        }
        let count = session.add_failure(identity, may_change(effect, call.input) && effect != Effect::Edits);
        // A repeated edit that does not match is told with its cause.
        if count >= MIN_LOOP && effect != Effect::Edits {
            self.find(Pattern::Loop, identity, call, count);
        }
        count
    }

    /// Whether the tool's input is a command line, judged by the tool's name. It must have been added.
    pub(crate) fn runs_commands(&self, call: &Call<'_>) -> bool {
        call.tool.is_some_and(|number| self.effects.get(number.into()).is_none_or(|effect| *effect == Effect::Any))
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

    fn find(&mut self, pattern: Pattern, key: u64, call: &Call<'_>, count: u32) {
        let is_full = self.repetitions.len() + self.ping_pongs.len() >= MAX_FOUND;
        let patterns = match pattern {
            Pattern::Loop => &mut self.repetitions,
            Pattern::PingPong => &mut self.ping_pongs,
        };
        if is_full && !patterns.has(key) {
            return;
        }
        let found = patterns.get_or_insert(key, Found::default);
        if found.what.is_empty() {
            found.what = clipped(&first_line(call.input), INPUT_CHARS);
        }
        found.count = found.count.max(count);
        push_newest(&mut found.newest, call.event, MAX_EVENTS);
    }

    pub(crate) fn reports(&self, thresholds: &Thresholds) -> impl Iterator<Item = Report> {
        let loops = self.repetitions.iter().map(|(key, found)| found.loop_report(*key, thresholds.long_loop));
        loops.chain(self.ping_pongs.iter().map(|(key, found)| found.ping_pong_report(*key)))
    }
}

impl Session {
    /// Adds a successful edit. Returns how often it was made, if that is often enough to report.
    fn add_edit(&mut self, identity: u64) -> Option<u32> {
        // The same edit twice in a row undoes nothing: an insertion may be wanted twice.
        if self.edits.last().is_some_and(|(newest, _)| *newest == identity) {
            return None;
        }
        let known = self.edits.iter().position(|(known, _)| *known == identity);
        let count = known.map(|at| self.edits.remove(at)).map_or(1, |(_, count)| count.saturating_add(1));
        push_newest(&mut self.edits, (identity, count), MAX_EDITS);
        (count >= MIN_PING_PONG).then_some(count)
    }

    /// Adds a failure. Returns how often the call has failed with nothing changed. If the call itself may have changed
    /// something, the counts of the other calls start again.
    fn add_failure(&mut self, identity: u64, may_change: bool) -> u32 {
        if may_change {
            self.failures.retain(|(other, _)| *other == identity);
        }
        if let Some((_, count)) = self.failures.iter_mut().find(|(other, _)| *other == identity) {
            *count = count.saturating_add(1);
            return *count;
        }
        if self.failures.len() == MAX_CALLS {
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
            severity: Severity::Low,
            // The repetition is a fact; that it is a mistake is a guess.
            confidence: confidence(self.count) * 0.5,
            evidence: self.newest.iter().rev().map(|event| (*event, self.what.clone())).collect(),
            occurrences: self.count,
            ..Report::default()
        }
    }

    fn loop_report(&self, key: u64, long: f64) -> Report {
        let title = titled(&self.what, &format!("failed {} with nothing changed in between", times(self.count)));
        Report {
            severity: if f64::from(self.count) >= long { Severity::Medium } else { Severity::Low },
            direction: LOOP_DIRECTION.to_owned(),
            signals: vec!["log_error".to_owned(), "repair_loop_detected".to_owned()],
            ..self.report(format!("loop:{key:016x}"), "loop", title)
        }
    }

    fn ping_pong_report(&self, key: u64) -> Report {
        let title =
            titled(&self.what, &format!("the same edit was made {}, with other edits in between", times(self.count)));
        Report {
            direction: "say in the agent's instructions which version is wanted".to_owned(),
            signals: vec!["repair_loop_detected".to_owned()],
            ..self.report(format!("edit-ping-pong:{key:016x}"), "edit_ping_pong", title)
        }
    }
}

fn effect(tool: &str) -> Effect {
    let tool = tool.to_ascii_lowercase();
    let has = |words: &[&str]| words.iter().any(|word| tool.contains(word));
    if has(&["edit", "write", "patch", "replace"]) {
        Effect::Edits
    } else if has(&["read", "view", "grep", "glob", "search", "list", "find", "fetch", "think", "todo", "plan"])
        || tool == "ls"
    {
        Effect::Reads
    } else {
        Effect::Any
    }
}

/// Whether a call may have changed the result of a later call.
fn may_change(effect: Effect, input: &str) -> bool {
    const READ_ONLY: [&str; 20] = [
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
    match effect {
        Effect::Edits => true,
        Effect::Reads => false,
        Effect::Any => {
            let is_read_only = |command: &str| {
                let rest = READ_ONLY.iter().find_map(|program| {
                    command.strip_prefix(program).filter(|rest| rest.is_empty() || rest.starts_with(' '))
                });
                rest.is_some()
            };
            let command = input.trim();
            !is_read_only(command)
                || command.contains(['>', '&', ';', '`', '\n'])
                || command.contains("$(")
                || command.contains("-exec")
        }
    }
}
