//! Lines that stand in the outputs of calls that worked, too: what a shell says when it starts, banners, warnings, and
//! messages about a lock that was free again soon. Such a line explains no failure.
//!
//! A line with the words of an error that stands in a call that worked for certain explains no failure of the project either, if
//! the failure has another error. Such calls end with the exit code of the program that printed the line, and show no texts of
//! others.
//!
//! Memory is bounded: one count for each of [`SLOTS`] hashes, for the newest session and for the first calls of the log, and
//! [`MAX_HARMLESS`] hashes of the whole log.

use gephost_gene::run_log::FailureKind as K;

use crate::by_number::Numbers;
use crate::call::Call;
use crate::command::shell::{FILTERS, Step, steps};
use crate::output::cause_line::{Weight, cause_line, is_summary, weight_of};
use crate::output::sentences;
use crate::output::vocabulary::{Words, phrases};

/// Hashes of lines that are counted at a time; a line that was seen once gives way to another one.
const SLOTS: usize = 1024;
/// Lines of calls that worked for certain, which have the words of an error.
const MAX_HARMLESS: usize = 4096;
/// Lines at the start and at the end of an output that are counted, and the longest one.
const HEAD: usize = 12;
const TAIL: usize = 2;
const MAX_LINE_BYTES: usize = 300;
/// Calls of a session after which only every eighth is counted.
const ENOUGH: u32 = 24;
/// Calls of a session that show better what is usual in it than the first calls of the log.
const SURE: u32 = 8;
/// The fewest first calls of a tool that show what is usual in its outputs.
const LEAST_FIRST: u32 = 4;

/// What says that a program goes on, in the outputs of calls that did not run into a limit.
const PATIENT: [&str; 2] = ["Blocking waiting for file lock on", "LF will be replaced by CRLF"];

/// What test runners and builds print at the end of a run that passed.
static PASSED: Words = Words::of(&[
    " 0 failed",
    " 0 failures",
    " 0 errors",
    "test result: ok",
    "BUILD SUCCE",
    "Build complete!",
    "All checks passed",
    "no issues found",
]);

/// Words of an error, of which a call that worked may print some all the same.
static SUSPECT: Words = Words::of(&[
    "rror:",
    "rror ",
    "RROR",
    "ailed",
    "annot ",
    "an't ",
    "ouldn't ",
    "ould not ",
    "nable to",
    "ot found",
    "enied",
    "efused",
    "not permitted",
    "nvalid ",
    "o such ",
    "issing ",
    "xception",
]);
/// Programs that show what others printed, beside filters.
const SHOWS: [&str; 7] = ["gh", "docker", "kubectl", "journalctl", "strings", "Get-Content", "type"];

/// How many outputs had a line, by the hash of the line.
#[derive(Debug, Default)]
struct Counts(Vec<(u64, u32)>);

/// What calls that worked print.
#[derive(Debug, Default)]
pub(crate) struct Usual {
    session: u32,
    /// Calls of the session that worked and printed something, and those of them that were counted.
    calls: u32,
    counted: u32,
    lines: Counts,
    /// The same of the first calls of the log, by the tool.
    first: Counts,
    first_calls: Vec<u32>,
    /// The lines above the statement of a run that it passed, by the tool, of the whole log.
    passed: Counts,
    /// Lines of the whole log that stand in calls that worked for certain.
    harmless: Numbers,
}

impl Counts {
    /// Counts the lines of an output, each once. `seed` tells apart whose they are.
    fn add(&mut self, output: &str, seed: u64) {
        self.add_lines(output.lines().take(HEAD).chain(output.lines().rev().take(TAIL)), seed);
    }

    fn add_lines<'l>(&mut self, lines: impl Iterator<Item = &'l str>, seed: u64) {
        self.0.resize(SLOTS, (0, 0));
        let mut keys: Vec<u64> = Vec::new();
        for line in lines {
            keys.extend(key(line, seed).filter(|key| !keys.contains(key)));
        }
        for key in keys {
            let slot = &mut self.0[slot(key)];
            if slot.0 == key {
                slot.1 = slot.1.saturating_add(1);
            } else if slot.1 <= 1 {
                *slot = (key, 1);
            }
        }
    }

    fn of(&self, line: &str, seed: u64) -> u32 {
        let found = key(line, seed).and_then(|key| self.0.get(slot(key)).filter(|slot| slot.0 == key));
        found.map_or(0, |slot| slot.1)
    }
}

/// What tells apart the lines of one tool from those of others, and from those of a session.
fn seed(tool: u32) -> u64 {
    u64::from(tool) + 1
}

fn slot(key: u64) -> usize {
    usize::try_from((key >> 40) % SLOTS as u64).unwrap_or_default()
}

impl Usual {
    /// Adds one of the first calls of the log that worked, before any other call.
    pub(crate) fn begin(&mut self, tool: u32, output: &str) {
        let at = tool as usize;
        if at >= SLOTS || output.trim().is_empty() {
            return;
        }
        self.first_calls.resize(self.first_calls.len().max(at + 1), 0);
        self.first_calls[at] += 1;
        self.first.add(output, seed(tool));
        self.pass(tool, output);
    }

    /// Adds the lines of a run that says that it passed. A line with a number of results says what another run does not.
    fn pass(&mut self, tool: u32, output: &str) {
        let Some(end) = PASSED.last_in(output) else { return };
        let above = output.get(..end).and_then(|text| text.rsplit_once('\n')).map_or("", |(above, _)| above);
        let counts = |line: &str| line.contains("passed") || line.contains(" 0 ") || line.trim().starts_with("0 ");
        self.passed.add_lines(above.lines().filter(|line| !counts(line)).take(HEAD), seed(tool));
    }

    /// Adds a command that worked.
    pub(crate) fn work(&mut self, call: &Call<'_>) {
        if self.session != call.session {
            (self.session, self.calls, self.counted) = (call.session, 0, 0);
            self.lines.0.clear();
        }
        if call.output.trim().is_empty() {
            return;
        }
        if let Some(tool) = call.tool {
            self.pass(tool, call.output);
        }
        self.calls = self.calls.saturating_add(1);
        if self.calls <= ENOUGH || self.calls.is_multiple_of(8) {
            self.counted += 1;
            self.lines.add(call.output, 0);
            self.add_harmless(call);
        }
    }

    /// Adds the lines with the words of an error, if the call worked for certain.
    fn add_harmless(&mut self, call: &Call<'_>) {
        if hides(call.input) {
            return;
        }
        let lines = call.output.lines().take(HEAD).chain(call.output.lines().rev().take(TAIL));
        let mut suspect = lines.filter(|line| line.len() <= MAX_LINE_BYTES && SUSPECT.are_in(line)).peekable();
        if suspect.peek().is_some() && shows_own(call.input) {
            suspect.for_each(|line| self.harmless.insert(key_beside_files(line), MAX_HARMLESS));
        }
    }

    /// A failed call without the lines that calls print which worked for certain, if another line says what failed.
    fn without_harmless<'a>(&self, call: &Call<'a>, into: &'a mut String) -> Call<'a> {
        let is_harmless = |line: &str| {
            line.len() <= MAX_LINE_BYTES && SUSPECT.are_in(line) && self.harmless.has(key_beside_files(line))
        };
        let (mut head, mut tail) = (call.output.lines().take(2 * HEAD), call.output.lines().rev().take(2 * HEAD));
        if self.harmless.len() == 0 || !head.any(is_harmless) && !tail.any(is_harmless) {
            return *call;
        }
        for line in call.output.lines().filter(|line| !is_harmless(line)) {
            into.push_str(line);
            into.push('\n');
        }
        let (line, weight) = cause_line(into, call.kind);
        let is_said =
            weight >= Weight::Error && !is_summary(line) || into.lines().any(|line| sentences::find(line).is_some());
        if is_said { Call { output: into, kind: kind_of(call.kind, into), ..*call } } else { *call }
    }

    /// A failed call without the lines that are printed anyhow; `into` takes the rests of the output.
    pub(crate) fn without<'a>(&self, call: &Call<'a>, into: &'a mut [String; 2]) -> Call<'a> {
        let [usual, harmless] = into;
        self.without_harmless(&self.without_usual(call, usual), harmless)
    }

    fn without_usual<'a>(&self, call: &Call<'a>, into: &'a mut String) -> Call<'a> {
        let is_of_session = call.session == self.session;
        let tool = call.tool.unwrap_or(u32::MAX);
        let first_calls = self.first_calls.get(tool as usize).copied().unwrap_or_default();
        let is_usual = |line: &str| {
            let count = if is_of_session { self.lines.of(line, 0) } else { 0 };
            let of_most = count * 2 > self.counted && count > 0;
            let of_first =
                || first_calls >= LEAST_FIRST && self.first.of(line, seed(tool)).saturating_mul(2) > first_calls;
            // One call may print anything, a known message is usual if all of few print it.
            (of_most || self.counted < SURE && of_first()) && (count != 1 || sentences::find(line).is_some())
                || call.kind != K::Timeout && PATIENT.iter().any(|words| line.contains(words))
                || count >= 2 && says_little(line)
                || self.passed.of(line, seed(tool)) > 0
        };
        if !call.output.lines().any(is_usual) {
            return *call;
        }
        let mut says_more = false;
        for line in call.output.lines().filter(|line| !is_usual(line)) {
            says_more |= !line.trim().is_empty() && !line.starts_with("Exit code");
            into.push_str(line);
            into.push('\n');
        }
        // What says nothing else is explained by it all the same.
        if says_more { Call { output: into, kind: kind_of(call.kind, into), ..*call } } else { *call }
    }
}

/// Whether a command hides the exit code of one of its programs: in a pipe, a list or several lines.
fn hides(input: &str) -> bool {
    input.contains(['|', ';', '\n'])
}

/// Whether no program of a command shows texts of others.
fn shows_own(input: &str) -> bool {
    // Only some commands of git show what files say.
    let shows_files = |step: &Step<'_>| {
        step.program == "git"
            && matches!(step.task(), "log" | "show" | "diff" | "grep" | "blame" | "cat-file" | "stash")
    };
    let shows = |step: &Step<'_>| FILTERS.contains(&step.program) || SHOWS.contains(&step.program) || shows_files(step);
    let steps = steps(input);
    !steps.is_empty() && !steps.iter().any(shows)
}

/// The hash of a line without its numbers and without the last names of its paths, of which some are new each time.
fn key_beside_files(line: &str) -> u64 {
    let words = line.split_whitespace().map(|word| {
        let end = word.rfind(['/', '\\']).map_or(word.len(), |at| at + 1);
        word.get(..end).unwrap_or(word)
    });
    let bytes = words.flat_map(|word| word.bytes().chain([b' '])).filter(|byte| !byte.is_ascii_digit());
    bytes.fold(FNV, mix)
}

/// Whether a line is no error of its own, though it has words of one.
fn says_little(line: &str) -> bool {
    weight_of(line) == Weight::Trouble || weight_of(line) < Weight::Trouble && sentences::find(line).is_some()
}

/// The kind of failure that the rest of an output shows, if the host's was that of a line that was left out.
fn kind_of(kind: K, output: &str) -> K {
    let words = phrases(kind);
    if words.is_empty() || output.lines().any(|line| words.are_in(line)) { kind } else { kind_of_text(output) }
}

/// The kind of failure that an output shows.
pub(crate) fn kind_of_text(output: &str) -> K {
    let has = |words: &[&str]| words.iter().any(|word| output.contains(word));
    if has(&["test result: FAILED", "--- FAIL", "FAILED (", " failed,"]) {
        K::TestFailure
    } else if has(&["Traceback (most recent call last)"]) {
        K::Traceback
    } else if has(&["error[E", "could not compile", ": error TS", ": error: "]) {
        K::CompileLint
    } else {
        K::ExitNonzero
    }
}

/// The hash of a line without its numbers.
fn key(line: &str, seed: u64) -> Option<u64> {
    let line = line.trim();
    let bytes = line.bytes().filter(|byte| !byte.is_ascii_digit());
    (4..=MAX_LINE_BYTES).contains(&line.len()).then(|| bytes.fold(FNV ^ seed, mix))
}

const FNV: u64 = 0xcbf2_9ce4_8422_2325;

fn mix(hash: u64, byte: u8) -> u64 {
    (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn worked(output: &str) -> Call<'_> {
        Call { failed: false, output, ..Call::FAILED }
    }

    fn rest(usual: &Usual, session: u32, output: &str) -> String {
        let mut into = <[String; 2]>::default();
        let call = Call { session, output, ..Call::FAILED };
        usual.without(&call, &mut into).output.trim_end().to_owned()
    }

    #[test]
    fn a_message_of_calls_that_worked_explains_nothing() {
        let usual_line = "/opt/x/shellenv.sh: line 18: /bin/ps: Operation not permitted";
        let mut usual = Usual::default();
        let both = format!("{usual_line}\nfine");
        usual.work(&worked(&both));
        let failed = format!("{usual_line}\nboom");
        assert_eq!(rest(&usual, 0, usual_line), usual_line, "nothing else is said");
        assert_eq!(rest(&usual, 0, &failed), "boom");
        assert_eq!(rest(&usual, 1, &failed), failed, "of another session");
        for _ in 0..4 {
            usual.work(&worked("fine"));
        }
        assert_eq!(rest(&usual, 0, &failed), failed, "most calls do not print it");
    }

    #[test]
    fn a_warning_that_two_calls_printed_is_no_cause_but_an_error_of_theirs_is() {
        let mut usual = Usual::default();
        let wait = "    Blocking waiting for file lock on package cache";
        let error = "error[E0507]: cannot move out of `a`";
        for at in 0..20 {
            let output = if at % 8 == 0 {
                format!("{wait}\n{error}\nFinished in {at}s")
            } else {
                format!("row {}", "x".repeat(at + 4))
            };
            usual.work(&worked(&output));
        }
        let failed = format!("{wait}\n{error}\nerror: could not compile");
        assert_eq!(rest(&usual, 0, &failed), format!("{error}\nerror: could not compile"));
        let once = format!("{wait}\nboom");
        assert_eq!(rest(&Usual::default(), 0, &once), "boom", "it waits, and goes on");
        let own = "warning: unused\nfailed to read a.toml";
        assert_eq!(rest(&usual, 0, own), own, "no call that worked says so");
    }

    #[test]
    fn an_error_of_a_call_that_worked_for_certain_is_no_cause_in_any_session() {
        let error = "TypeError: a is undefined";
        for (noise, again) in [
            (
                "x: error: couldn't create cache file '/tmp/db-8QcWa7sf'",
                "x: error: couldn't create cache file '/tmp/db-Zb'",
            ),
            ("Cannot set property. It is not supported here.", "Cannot set property. It is not supported here."),
            ("ERROR: could not read /etc/a.conf", "ERROR: could not read /etc/a.conf"),
            ("error: invalid value 3 for cache", "error: invalid value 17 for cache"),
            ("Failed to load plugin a: Permission denied", "Failed to load plugin a: Permission denied"),
            ("cat: /opt/b: No such file or directory", "cat: /opt/b: No such file or directory"),
        ] {
            let failed = format!("{again}\n{error}\n");
            let output = format!("{noise}\nfine");
            let rest_after = |input: &str, failed: &str| {
                let mut usual = Usual::default();
                usual.work(&Call { input, ..worked(&output) });
                usual.work(&worked("fine"));
                usual.work(&worked("fine"));
                rest(&usual, 7, failed)
            };
            assert_eq!(rest_after("make test", &failed), error, "{noise}");
            assert_eq!(rest_after("make test", again), again, "nothing else is said");
            let vague = format!("{again}\n12 files");
            assert_eq!(rest_after("make test", &vague), vague, "what else is said is no error");
            for input in ["make test | tail", "make test; ls", "cat build.log", "git log", "make test || true", ""] {
                assert_eq!(rest_after(input, &failed), failed.trim_end(), "{input}");
            }
        }
    }

    #[test]
    fn what_the_first_calls_print_is_known_before_them() {
        let noise = "f:27: command not found: _encode";
        let mut usual = Usual::default();
        for _ in 0..5 {
            usual.begin(0, &format!("{noise}\nfine"));
            usual.begin(1, "12 lines");
        }
        let failed = format!("{noise}\n{noise}\nerror: failed to parse manifest");
        assert_eq!(rest(&usual, 3, &failed), "error: failed to parse manifest");
        let call = Call { tool: Some(1), output: &failed, ..Call::FAILED };
        assert_eq!(usual.without(&call, &mut Default::default()).output, failed, "another tool does not print it");
    }

    #[test]
    fn a_line_above_a_statement_of_success_is_no_cause() {
        let noise = "    xcrun: error: unable to lookup item 'A' from command line tools";
        let retry = "[16:41:40.021] part failed (1); retrying once";
        let count = "Tests: 3 passed, 0 failed";
        let error = "/a/main.swift:1414:27: error: cannot force unwrap";
        let failed = format!("{noise}\n{error}\nTests: 1 passed, 2 failed");
        let call = Call { tool: Some(1), output: &failed, ..Call::FAILED };
        let output = |usual: &Usual| usual.without(&call, &mut Default::default()).output.trim_end().to_owned();
        let mut usual = Usual::default();
        usual.begin(1, &format!("{noise}\n{retry}\n{count}\n{count}\n1147 passed, 0 failed"));
        assert_eq!(output(&usual), format!("{error}\nTests: 1 passed, 2 failed"));
        let mut usual = Usual::default();
        usual.begin(1, &format!("{noise}\n{error}\n1147 passed, 10 failed"));
        assert_eq!(output(&usual), failed, "nothing says that the run passed");
        let mut usual = Usual::default();
        usual.begin(1, &format!("1147 passed, 0 failed\n{noise}"));
        assert_eq!(output(&usual), failed, "it comes behind that");
        let mut usual = Usual::default();
        usual.begin(2, &format!("{noise}\n1147 passed, 0 failed"));
        assert_eq!(output(&usual), failed, "another tool prints it");
    }

    #[test]
    fn the_kind_is_that_of_the_rest() {
        for (kind, rest, expected) in [
            (K::MissingCommand, "error[E0507]: cannot move", K::CompileLint),
            (K::MissingCommand, "test result: FAILED. 1 passed", K::TestFailure),
            (K::MissingCommand, "bash: jq: command not found", K::MissingCommand),
            (K::Network, "boom", K::ExitNonzero),
            (K::TestFailure, "boom", K::TestFailure),
        ] {
            assert_eq!(kind_of(kind, rest), expected, "{rest}");
        }
    }
}
