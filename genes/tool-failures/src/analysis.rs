//! Everything that is collected from the log, in one pass.

use gephost_gene::run_log::{Correction, Difference, Used};

use crate::by_number::ByNumber;
use crate::call::Call;
use crate::cause::Cause;
use crate::causes::base::Base;
use crate::causes::classify::{Classified, INLINE_SCRIPT, classify};
use crate::causes::expected::{Expectations, Expected};
use crate::causes::ordered::Ordered;
use crate::causes::own::Own;
use crate::causes::removal::Removals;
use crate::causes::scratch::{innermost, is_of_one_use, is_of_package, runs};
use crate::causes::silence::Silence;
use crate::causes::told::Told;
use crate::causes::unasked::Unasked;
use crate::causes::watching::Watching;
use crate::causes::written::Written;
use crate::causes::{Causes, Group};
use crate::command::paths::{base, is_absolute};
use crate::measures::cancelled::Cancelled;
use crate::measures::cost::Cost;
use crate::measures::failure_place::Places;
use crate::measures::groups::Groups;
use crate::measures::loops::Loops;
use crate::measures::unfinished::Unfinished;
use crate::output::cause_line::Weight;
use crate::output::named::{missing_in, speaker};
use crate::output::names;
use crate::output::places;
use crate::output::printed::without_printed;
use crate::output::usual::Usual;
use crate::output::wrapped::joined;
use crate::thresholds::Thresholds;
use crate::worked::act::Worked;
use crate::worked::attempts::Attempts;
use crate::worked::forgotten::Forgotten;
use crate::worked::fronts::Fronts;
use crate::worked::later::Later;
use crate::worked::machine::Machine;
use crate::worked::next::{self, Next};

/// Sessions that are known to be outside of any repository.
const MAX_SESSIONS: usize = 64;

/// Sessions whose newest call is known.
const MAX_ENDS: usize = 1 << 16;

/// What the rest of the log says of the failures.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Around<'a> {
    /// What worked next, by the number of the failed call.
    pub(crate) corrections: &'a ByNumber<Correction>,
    pub(crate) written: &'a Written,
    pub(crate) next: &'a Next,
    pub(crate) unasked: &'a Unasked,
    pub(crate) fronts: &'a Fronts,
    pub(crate) ordered: &'a Ordered,
    pub(crate) told: &'a Told,
    pub(crate) own: &'a Own,
    pub(crate) machine: &'a Machine,
    pub(crate) forgotten: &'a Forgotten,
}

/// What is known after some calls.
#[derive(Debug, Default)]
pub(crate) struct Analysis {
    groups: Groups,
    causes: Causes,
    /// Failures that were meant to happen, by the reason.
    expected: Vec<(Expected, Causes)>,
    expectations: Expectations,
    loops: Loops,
    places: Places,
    cost: Cost,
    /// What worked next, by the number of the failed call.
    corrections: ByNumber<Correction>,
    /// The failed calls for which a call worked next, by the number of that one.
    corrected: ByNumber<Vec<u64>>,
    /// Failed calls whose correction is that of a later failure of the same kind, by the number of that one.
    again: ByNumber<Vec<u64>>,
    next: Next,
    fronts: Fronts,
    usual: Usual,
    written: Written,
    own: Own,
    ordered: Ordered,
    told: Told,
    machine: Machine,
    forgotten: Forgotten,
    removals: Removals,
    unasked: Unasked,
    base: Base,
    attempts: Attempts,
    silence: Silence,
    unfinished: Unfinished,
    watching: Watching,
    /// The newest failure, if the next call may show what it says.
    later: Option<Later>,
    /// The newest call of each session, by the session's number: its time and its event.
    newest: Vec<Option<(i64, u64)>>,
    cancelled: Cancelled,
    /// Sessions whose newest command of git was outside of any repository.
    outside: Vec<u32>,
    thresholds: Thresholds,
}

impl Analysis {
    /// The state before the first call.
    pub(crate) fn new(thresholds: Thresholds, corrections: Vec<Correction>) -> Self {
        let mut all = Self { thresholds, ..Self::default() };
        for correction in corrections {
            if differs(&correction) {
                match all.corrected.get_mut(correction.worked) {
                    Some(failed) => failed.push(correction.failed),
                    None => all.corrected.insert(correction.worked, vec![correction.failed]),
                }
            }
            all.corrections.insert(correction.failed, correction);
        }
        all
    }

    /// Adds one of the first calls of the log that worked, before all others.
    pub(crate) fn begin(&mut self, tool: u32, output: &str) {
        self.usual.begin(tool, output);
    }

    /// Adds what requests to a model used; it must come before the call that the requests led to.
    pub(crate) fn add_usage(&mut self, used: &Used) {
        self.cost.add_usage(used, &self.thresholds);
    }

    /// Adds a message of the user; it must come before the calls that it orders.
    pub(crate) fn add_order(&mut self, session: u32, text: &str) {
        self.ordered.add(session, text);
        self.told.add(text);
    }

    /// Adds a message of the agent; it must come before the call that it announces.
    pub(crate) fn add_message(&mut self, session: u32, text: &str) {
        self.expectations.add_message(session, text);
    }

    /// Adds a call that did not end.
    pub(crate) fn add_unfinished(&mut self, call: &Call<'_>) {
        if self.loops.runs_commands(call) {
            self.unfinished.add(call);
            self.watching.hang(call);
        }
    }

    /// Adds a call that was cancelled because another one failed.
    pub(crate) fn add_cancelled(&mut self, call: &Call<'_>) {
        self.cancelled.add(call.session, call.event);
    }

    /// How many calls were cancelled because of these failures.
    pub(crate) fn cancelled(&self, events: &[u64]) -> u32 {
        self.cancelled.because_of(events)
    }

    /// Adds one call; calls must come oldest first.
    pub(crate) fn add(&mut self, call: &Call<'_>) {
        self.catch_up(Some(call));
        if call.failed {
            let mut rests = <[String; 2]>::default();
            let call = self.usual.without(call, &mut rests);
            let whole = joined(call.output);
            let output = without_printed(whole.as_deref().unwrap_or(call.output));
            self.add_call(&Call { output: &output, ..call });
        } else {
            self.add_call(call);
        }
    }

    /// Adds the failure that waited for the next call.
    fn catch_up(&mut self, next: Option<&Call<'_>>) {
        if let Some(later) = self.later.take() {
            self.fail(&later.call(next), later.expected);
        }
    }

    /// Whether the sessions of all failures of a group went on after them.
    pub(crate) fn goes_on_after(&self, group: &Group) -> bool {
        let newest = |session: u32| self.newest.get(session as usize).copied().flatten().map(|(_, event)| event);
        group.members.iter().all(|member| newest(member.session).is_some_and(|event| event > member.event))
    }

    fn add_call(&mut self, call: &Call<'_>) {
        if call.failed {
            self.cancelled.fail(call.session, call.event);
        }
        let session = call.session as usize;
        if session < MAX_ENDS {
            self.newest.resize(self.newest.len().max(session + 1), None);
            self.newest[session] = self.newest[session].max(Some((call.time, call.event)));
        }
        if self.loops.is_retry(call) {
            return;
        }
        let failures = self.loops.add(call);
        self.cost.add(call, failures, &self.thresholds);
        let expected = self.expectations.add(call);
        let runs_commands = self.loops.runs_commands(call);
        self.written.see(call, runs_commands);
        if runs_commands {
            self.removals.see(call);
        }
        self.unasked.see(call);
        if !call.failed {
            self.own.see(call);
            self.told.see(call);
            self.fronts.see(call);
            let worked = Worked::of(call, runs_commands);
            for failed in self.next.work(&worked, runs_commands) {
                self.forget(failed);
            }
            self.machine.work(&worked);
            if runs_commands {
                self.forgotten.see(call);
                self.usual.work(call);
                self.attempts.work(call);
                self.unfinished.work(call);
                self.watching.work(call);
                self.silence.speak(call);
                for failed in self.corrected.remove(call.event).into_iter().flatten() {
                    let correction = self.corrections.get(failed);
                    // What did something else, or has another reason, says nothing about the failure.
                    if correction.is_some_and(|correction| !self.next.credits(correction, &worked)) {
                        self.forget(failed);
                    }
                }
                if !self.outside.is_empty() && call.input.contains("git ") {
                    self.outside.retain(|session| *session != call.session);
                }
            }
            self.groups.add(call, "", &self.thresholds);
            return;
        }
        self.later = if runs_commands { Later::of(call, expected) } else { None };
        if self.later.is_none() {
            self.fail(call, expected);
        }
    }

    /// Adds a failure.
    fn fail(&mut self, call: &Call<'_>, expected: Option<Expected>) {
        let places = places::of(call);
        let mut failure = classify(call, self.loops.runs_commands(call), &places);
        let key = next::key(&failure, call.input);
        failure.is_of_scratch = self.is_of_scratch(call, &failure);
        // What exists in the folder above or below was asked for in the wrong folder.
        if failure.cause == Cause::Path
            && !names_absolute(failure.line)
            && let Some(correction) = self.corrections.get(call.event)
            && is_of_another_folder(correction)
        {
            failure.cause = Cause::Folder;
            failure.names = names::shown(&correction.before).into_iter().collect();
        }
        // What worked next in another folder, and was not found in this one.
        if is_bound_to_a_folder(failure.cause)
            && !(failure.cause == Cause::Path && names_absolute(failure.line))
            && let Some(correction) = self.corrections.get(call.event)
            && correction.difference == Difference::Directory
            && !correction.after.is_empty()
        {
            failure.cause = Cause::Folder;
            failure.names = names::shown(failure.step.as_ref().unwrap_or(&failure.program)).into_iter().collect();
        }
        if !matches!(failure.cause, Cause::Tests | Cause::Problems | Cause::Timeout)
            && !failure.is_refused_install
            && let Some((cause, wrapper)) = self.corrections.get(call.event).and_then(wrapper)
            // No environment has the files that are missing.
            && !failure.cause.is_about_paths()
        {
            failure.cause = cause;
            failure.names = names::shown(wrapper).into_iter().collect();
        }
        if self.corrections.get(call.event).is_some_and(is_escalated) {
            failure.cause = Cause::Escalated;
            failure.names = names::shown(&failure.program).into_iter().collect();
        }
        // The message does not say what was denied: the call does.
        if failure.cause == Cause::Access && failure.names.is_empty() {
            let denied = denied(call.input).or_else(|| speaker(failure.line));
            failure.names = denied.and_then(names::shown).into_iter().collect();
        }
        if failure.cause == Cause::Module
            && failure.names.iter().all(|name| self.own.has(call.session, name, call.output))
        {
            failure.cause = Cause::OwnModule;
        }
        // The package is the project's own, and has no such module.
        let is_misnamed =
            |name: &String| self.own.has_package(call.session, name) && call.input.contains(name.as_str());
        if failure.cause == Cause::Module && failure.names.iter().all(is_misnamed) {
            failure.cause = Cause::WrongModule;
        }
        self.watching.explain(call, &mut failure);
        self.look_around(call, &mut failure);
        if failure.cause == Cause::Denied {
            self.unasked.refuse(call);
        }
        if let Some(removed) = self.removals.missed(call) {
            failure.cause = Cause::Removed;
            failure.names = names::shown(removed).into_iter().collect();
        }
        let missing = || missing_in(failure.line).or_else(|| names::file(call.input));
        let missing = if failure.cause == Cause::Path { missing().unwrap_or_default() } else { "" };
        if !missing.is_empty() {
            self.written.miss(call, missing);
            self.fronts.miss(call.event, missing);
            self.ordered.miss(call, missing);
        }
        self.machine.fail(call, &failure);
        self.forgotten.fail(call, &failure);
        if self.loops.runs_commands(call) {
            self.forgotten.see(call);
        }
        if !failure.cause.is_about_paths() && failure.cause != Cause::Program {
            self.next.find_paths(call);
            self.fronts.see(call);
        }
        for event in self.next.fail(call, &failure, key, missing) {
            self.disprove(event, call.event);
        }
        let says_nothing = failure.cause == Cause::Silent && failure.weight <= Weight::Footer;
        let identity = self.groups.add(call, if says_nothing { "" } else { failure.line }, &self.thresholds);
        self.base.add(call, &failure, expected == Some(Expected::OnBase));
        if let Some(reason) = expected {
            if !self.expected.iter().any(|(known, _)| *known == reason) {
                self.expected.push((reason, Causes::default()));
            }
            if let Some((_, causes)) = self.expected.iter_mut().find(|(known, _)| *known == reason) {
                causes.add(call, &failure, identity);
            }
            return;
        }
        if self.loops.runs_commands(call) {
            self.attempts.fail(call, &failure.program);
        }
        if !failure.is_of_scratch {
            self.places.add(call, &places);
        }
        self.causes.add(call, &failure, identity);
    }

    /// Forgets what worked in place of a failed call that failed again in the same way, unless the same worked again.
    fn disprove(&mut self, failed: u64, again: u64) {
        let made = |event: u64| self.corrections.get(event).map(|made| (made.difference, made.after.as_str()));
        if made(failed) == made(again) {
            match self.again.get_mut(again) {
                Some(known) => known.push(failed),
                None => self.again.insert(again, vec![failed]),
            }
        } else {
            self.forget(failed);
        }
    }

    /// Forgets what worked in place of a failed call, and of those before it that rest on the same.
    fn forget(&mut self, failed: u64) {
        let mut wrong = vec![failed];
        while let Some(event) = wrong.pop() {
            if let Some(correction) = self.corrections.get_mut(event) {
                correction.difference = Difference::Later;
            }
            wrong.extend(self.again.remove(event).into_iter().flatten());
        }
    }

    /// Whether a failure was raised in a script for one use, or in one that the agent wrote in this session and the call runs.
    fn is_of_scratch(&self, call: &Call<'_>, failure: &Classified<'_>) -> bool {
        let is_own = |path: &str| {
            !call.exception && is_of_one_use(path, call.input)
                || self.written.has(call.session, path) && runs(call.input, base(path))
        };
        let is_inline = failure.cause == Cause::Unparsed && failure.names.iter().all(|name| name == INLINE_SCRIPT);
        is_inline
            || matches!(failure.cause, Cause::Error | Cause::Unparsed)
                && !is_of_package(call.output, failure.line)
                && innermost(call.output).is_some_and(is_own)
    }

    /// What the calls before say of a failure.
    fn look_around(&mut self, call: &Call<'_>, failure: &mut Classified<'_>) {
        let is_outside = self.outside.contains(&call.session);
        if failure.cause == Cause::Outside && !is_outside && self.outside.len() < MAX_SESSIONS {
            self.outside.push(call.session);
        }
        // The shell is outside of the repository, in which these paths are.
        if failure.cause == Cause::Path
            && is_outside
            && failure.names.iter().all(|name| !name.starts_with('\u{2026}') && !is_absolute(name))
        {
            failure.cause = Cause::Folder;
            failure.names = names::shown(failure.step.as_ref().unwrap_or(&failure.program)).into_iter().collect();
        }
        if !call.exception && self.loops.runs_commands(call) {
            let says_nothing = failure.cause == Cause::Silent && failure.weight <= Weight::Footer;
            if says_nothing { self.silence.fail(call) } else { self.silence.speak(call) }
        }
    }

    /// Completes the analysis at the end of the log. `sessions` are the names of the sessions, by their numbers.
    pub(crate) fn finish(&mut self, sessions: Vec<String>) {
        self.catch_up(None);
        self.cost.finish(sessions, &self.thresholds);
        self.silence.finish();
    }

    /// How many calls and causes exceeded the limits.
    pub(crate) fn left_out(&self) -> u64 {
        self.groups.left_out() + self.causes.left_out()
    }

    pub(crate) fn thresholds(&self) -> &Thresholds {
        &self.thresholds
    }

    pub(crate) fn cost(&self) -> &Cost {
        &self.cost
    }

    pub(crate) fn groups(&self) -> &Groups {
        &self.groups
    }

    pub(crate) fn causes(&self) -> &Causes {
        &self.causes
    }

    pub(crate) fn expected(&self) -> &[(Expected, Causes)] {
        &self.expected
    }

    pub(crate) fn silence(&self) -> &Silence {
        &self.silence
    }

    pub(crate) fn unfinished(&self) -> &Unfinished {
        &self.unfinished
    }

    pub(crate) fn own(&self) -> &Own {
        &self.own
    }

    pub(crate) fn attempts(&self) -> &Attempts {
        &self.attempts
    }

    pub(crate) fn base(&self) -> &Base {
        &self.base
    }

    /// What the rest of the log says of failures.
    pub(crate) fn around(&self) -> Around<'_> {
        Around {
            corrections: &self.corrections,
            written: &self.written,
            next: &self.next,
            unasked: &self.unasked,
            fronts: &self.fronts,
            ordered: &self.ordered,
            told: &self.told,
            own: &self.own,
            machine: &self.machine,
            forgotten: &self.forgotten,
        }
    }

    pub(crate) fn loops(&self) -> &Loops {
        &self.loops
    }

    pub(crate) fn places(&self) -> &Places {
        &self.places
    }
}

/// Whether the call that worked next was not the same one.
fn differs(correction: &Correction) -> bool {
    !matches!(correction.difference, Difference::Repeated | Difference::Later | Difference::ReadBefore)
}

/// Whether the same call worked next with a wider permission than that of the agent's sandbox.
fn is_escalated(correction: &Correction) -> bool {
    const PERMISSIONS: [&str; 3] = ["sandbox_permissions", "with_escalated_permissions", "dangerouslyDisableSandbox"];
    PERMISSIONS.iter().any(|name| correction.before.contains(name) || correction.after.contains(name))
}

/// The first file outside of the working folder that a command names: what it most likely may not use.
fn denied(input: &str) -> Option<&str> {
    let is_end =
        |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | ';' | '|' | '&' | '>' | '<' | '(' | ')' | '\\');
    let outside = ["/tmp/", "/etc/", "/var/", "/usr/", "/root/", "/opt/", "/proc/", "/sys/", "/dev/sd"];
    input.split(is_end).find(|word| outside.iter().any(|start| word.starts_with(start)))
}

/// Whether the path that a line does not find is the same in every folder.
fn names_absolute(line: &str) -> bool {
    missing_in(line).is_some_and(is_absolute)
}

/// Whether a failure may be about the folder in which a command ran.
fn is_bound_to_a_folder(cause: Cause) -> bool {
    matches!(cause, Cause::Path | Cause::GitName | Cause::Script | Cause::Module | Cause::NoTests | Cause::Outside)
}

/// What stood in front of a command that failed and not in front of the one that worked next, or the other way round.
fn wrapper(correction: &Correction) -> Option<(Cause, &str)> {
    fn in_front<'a>(long: &'a str, short: &str) -> Option<&'a str> {
        long.strip_suffix(short)?.strip_suffix(' ').filter(|wrapper| !wrapper.is_empty())
    }
    if correction.difference != Difference::Program {
        return None;
    }
    let (before, after) = (correction.before.as_str(), correction.after.as_str());
    let wrapped = in_front(before, after).map(|wrapper| (Cause::Wrapped, wrapper));
    // `python -m` opens no environment, it only looks for modules in the current folder, too.
    let other = || in_front(after, before).filter(|wrapper| !wrapper.ends_with(" -m"));
    wrapped.or_else(|| other().map(|wrapper| (Cause::Unwrapped, wrapper)))
}

/// Whether a call that worked next named the same path, seen from another folder: one path is the end of the other.
fn is_of_another_folder(correction: &Correction) -> bool {
    let (before, after) = (correction.before.trim_start_matches("./"), correction.after.trim_start_matches("./"));
    let is_relative = |path: &str| !path.is_empty() && !is_absolute(path);
    let up = |path: &str| path.trim_start_matches("../").to_owned();
    let ends = |long: &str, short: &str| long.strip_suffix(short).is_some_and(|rest| rest.ends_with('/'));
    correction.difference == Difference::Path
        && is_relative(before)
        && is_relative(after)
        && before != after
        && (ends(before, after) || ends(after, before) || up(before) == up(after))
}
