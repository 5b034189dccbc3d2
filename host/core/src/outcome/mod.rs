//! How a tool call ended, judged from the call and its result together (`LOG-FORMATS`, "What counts as a failure").
//!
//! The error flag alone is wrong both ways. A third of real failures have no flag (output piped to `tail`, `|| true`),
//! and a fifth of the flagged calls were rejected by the user or failed because of another call. The same lint errors
//! are a failure if the linter prints them and a success if `cat` does, so the command determines what the text can
//! prove.

mod answer;
mod complaints;
mod ended;
mod evidence;
mod install;
mod kind;
mod limit;
mod listed;
mod marks;
mod own_errors;
mod powershell;
mod refusal;
mod refused;
mod regardless;
pub(crate) mod shell;
mod shell_errors;
mod stopped;
mod verdict;

pub(crate) use evidence::was_not_run;
pub use kind::failure_kind;
pub(crate) use shell::logs;

use crate::escapes::without_escapes;
use crate::run_event::{FailureKind, Outcome};
use evidence::Evidence;
use shell::{Command, End, Role, Section};

/// Most bytes of an output that are judged: its head and tail.
const MAX_JUDGED_BYTES: usize = 256 * 1024;

/// A call that has returned, as its log format reports it.
#[derive(Debug, Clone, Copy, Default)]
pub struct Call<'a> {
    /// Name of the tool.
    pub tool: &'a str,
    /// The command line, for tools that run one.
    pub command: Option<&'a str>,
    /// Text of the result.
    pub output: &'a str,
    /// The format's own error flag.
    pub flagged: bool,
    /// The exit code, if the format records it separately.
    pub exit_code: Option<i64>,
    /// Whether the format never records exit codes, so that only the output can show a failure.
    pub no_exit_codes: bool,
    /// How the call ended, if the format says so.
    pub ending: Ending,
}

/// How a call ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Ending {
    /// It returned.
    #[default]
    Returned,
    /// It is still running. The output is what it had printed so far.
    Running,
    /// The user stopped it.
    Stopped,
}

/// How a call ended, and what kind of failure it was.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Judgement {
    /// How it ended.
    pub outcome: Outcome,
    /// The kind of failure; only set for failures.
    pub kind: Option<FailureKind>,
}

impl Judgement {
    fn of(outcome: Outcome) -> Self {
        Self { outcome, kind: None }
    }

    fn failure(kind: FailureKind) -> Self {
        Self { outcome: Outcome::Failure, kind: Some(kind) }
    }
}

/// Judges a call. Linear in the length of its texts.
pub fn judge(call: &Call<'_>) -> Judgement {
    let output = crate::text::clip_middle(call.output, MAX_JUDGED_BYTES);
    let output = if output.contains('\u{1b}') { without_escapes(&output).into() } else { output };
    let (text, has_tags) = without_error_tags(&output);
    let text = &*shell_errors::without_noise(text);
    // A command can print the tags of a log that it shows.
    let is_tagged = has_tags && (call.command.is_none() || call.no_exit_codes);
    if let Some(outcome) = harness_outcome(call, is_tagged, text) {
        return Judgement::of(outcome);
    }
    if evidence::is_refused_call(text) || call.flagged && evidence::was_not_run(text) {
        return Judgement::failure(FailureKind::Other);
    }
    let exit_code = call.exit_code.or_else(|| leading_exit_code(text));
    let was_refused = || call.no_exit_codes && call.command.is_some_and(|line| was_refused(line, text));
    // A program's own failure has its code in front.
    let was_forbidden = || call.flagged && (has_tags || refusal::is_of_the_rules(text));
    let did_not_run = exit_code.is_none() && (is_tagged || was_refused() || was_forbidden());
    if did_not_run {
        return Judgement::failure(failure_kind(None, text));
    }
    match call.command {
        Some(line) => judge_command(&Command::read(line), line, text, exit_code, call),
        None => judge_tool(call, text, exit_code),
    }
}

/// Removes the tags that Claude Code puts around its own errors. Also returns whether the whole text was in them.
pub(crate) fn without_error_tags(output: &str) -> (&str, bool) {
    let text = output.trim();
    let Some(inner) = text.strip_prefix("<tool_use_error>") else { return (text, false) };
    inner.strip_suffix("</tool_use_error>").map_or((inner, false), |inner| (inner, true))
}

/// Whether what runs the commands says that it did not run this one. A command that shows a file may show these words, but
/// several lines are no such command.
fn was_refused(line: &str, text: &str) -> bool {
    refusal::is_of_the_harness(text) && (line.trim().contains('\n') || !Command::read(line).shows_a_file())
}

/// The outcome that the harness states in its own words: rejected, a consequence of another failure, or still running.
fn harness_outcome(call: &Call<'_>, is_tagged: bool, text: &str) -> Option<Outcome> {
    // A stream that breaks off is asked for again, and its calls are dropped.
    const CASCADES: [&str; 4] = [
        "Sibling tool call errored",
        "Cancelled: parallel tool call",
        "Streaming fallback - tool execution discarded",
        "Cancelled because a sibling",
    ];
    const WITHOUT_RESULT: &str = "[Tool result missing due to internal error]";
    let text = text.strip_prefix("Error: ").unwrap_or(text);
    if call.ending == Ending::Stopped || stopped::is_told_anyway(text) {
        return Some(Outcome::Rejected);
    }
    // Without flags the words count if nothing else is said.
    if call.flagged || is_tagged || call.no_exit_codes && stopped::is_all(text) {
        if stopped::is_told(text) {
            return Some(Outcome::Rejected);
        }
        if CASCADES.iter().any(|start| text.starts_with(start)) {
            return Some(Outcome::Cascade);
        }
    }
    let moved = || {
        evidence::contains(text, "Command did not complete within its ")
            && evidence::contains(text, " and was moved to the background")
    };
    let goes_on = call.ending == Ending::Running || !call.flagged && moved() || text == WITHOUT_RESULT;
    goes_on.then_some(Outcome::Unfinished)
}

/// The number in `Exit code N` at the start of a result.
fn leading_exit_code(text: &str) -> Option<i64> {
    let rest = text.strip_prefix("Error: ").unwrap_or(text).strip_prefix("Exit code")?;
    rest.trim_start_matches([':', ' ']).split(|c: char| !(c.is_ascii_digit() || c == '-')).next()?.parse().ok()
}

/// Judges a tool that runs no command: by its flag or code, or because the result is only an error.
fn judge_tool(call: &Call<'_>, text: &str, exit_code: Option<i64>) -> Judgement {
    let marked = call.flagged || exit_code.is_some_and(|code| code != 0);
    if marked
        || exit_code != Some(0) && refusal::is_error_message(call.tool, text)
        || evidence::is_past_the_end(text)
        || evidence::is_error_body(text)
        || evidence::is_failed_task(call.tool, text)
    {
        Judgement::failure(failure_kind(None, text))
    } else {
        Judgement::of(Outcome::Success)
    }
}

/// Whether a command line that is judged a success shows that its steps worked, by its exit code or by its output.
/// `cmd || true` and `cmd | head` end with 0 whatever `cmd` did. What worked next never rests on such a call.
pub(crate) fn proves_success(line: &str, output: &str) -> bool {
    let printed = evidence::without_code_line(output);
    // What goes on in the background has not ended.
    !printed.starts_with("Command running in background with ID: ")
        && Command::read(line).is_proven(line, printed, |text| evidence::assess(text, false) == Evidence::Passed)
}

/// Whether a step of a command line runs a program.
pub(crate) fn runs_program(line: &str, program: &str) -> bool {
    Command::read(line).runs(program)
}

/// Whether a command line shows a file or a log, so that what it prints may be the file's.
pub(crate) fn shows_a_file(line: &str) -> bool {
    Command::read(line).shows_a_file()
}

/// Whether the log of a command that goes on in the background, as far as it is shown, says that the command failed: an
/// exception ended it, `make` gave up, the shell did not find it, or a summary of a test, linter or build says so.
pub(crate) fn log_shows_failure(command: &str, text: &str) -> bool {
    let text = text.trim();
    ended::ends_with_a_trace(text)
        || ended::names_a_failed_recipe(text)
        || shell_errors::is_only_shell_errors(text)
        || Command::read(command).runs_check() && evidence::assess(text, false) == Evidence::Failed
}

/// Whether a command line shows a file or a log, and does nothing else.
pub(crate) fn only_shows_files(line: &str) -> bool {
    let command = Command::read(line);
    command.shows_a_file() && command.only_reads()
}

fn judge_command(command: &Command, line: &str, text: &str, exit_code: Option<i64>, call: &Call<'_>) -> Judgement {
    let code = exit_code.unwrap_or(i64::from(call.flagged));
    let failed = if call.flagged || code != 0 {
        if was_broken_off(line, text, code) {
            return Judgement::of(Outcome::Unfinished);
        }
        let is_look = matches!(exit_code, Some(1 | 2)) && looks_in_vain(command, line, text);
        let stops_nothing = || command.finds_nothing_to_stop(line, evidence::without_code_line(text));
        !is_look && !is_no_failure(command, text, code) && !stops_nothing()
    } else {
        limit::is_told(text, command.shows_a_file()) || hides_failure(command, line, text, call.no_exit_codes)
    };
    if !failed {
        return Judgement::of(Outcome::Success);
    }
    Judgement::failure(match exit_code.filter(|code| *code != 0) {
        Some(code) => kind::of_command(line, code, text),
        // If no exit code is known, the command line cannot help to classify the failure.
        None => failure_kind(None, text),
    })
}

/// Whether the last step looked for what may be missing, and nothing else went wrong.
fn looks_in_vain(command: &Command, line: &str, text: &str) -> bool {
    let printed = evidence::without_code_line(text);
    let shell_failed =
        shell_errors::is_only_shell_errors(printed) || shell_errors::says_that_the_shell_stopped(printed);
    command.looks_in_vain(line, printed) && !evidence::is_timeout(text) && !shell_failed
}

/// Whether the agent ended the command: it pressed Ctrl-C, or sent a signal (143) that no time limit and no `kill` of the same
/// line explains.
fn was_broken_off(line: &str, text: &str, code: i64) -> bool {
    const EXPLAIN: [&str; 7] = ["fuser", "gtimeout", "kill", "killall", "pkill", "taskkill", "timeout"];
    let is_explained = || line.split(|c: char| !c.is_ascii_alphanumeric()).any(|word| EXPLAIN.contains(&word));
    was_interrupted(text, code)
        || code == 143
            && !evidence::is_timeout(text)
            && !is_explained()
            && failure_kind(None, text) != FailureKind::TestFailure
}

/// Whether the agent pressed Ctrl-C. Tests that had failed by then are a result.
fn was_interrupted(text: &str, code: i64) -> bool {
    (code == 130 || evidence::is_interrupted(text)) && failure_kind(None, text) != FailureKind::TestFailure
}

/// Whether a package manager says that a package is not there.
fn says_no(printed: &str) -> bool {
    printed.is_empty() || printed.contains("(empty)") || printed.starts_with("WARNING: Package(s) not found: ")
}

/// Whether an exit code other than 0 reports a result instead of a failure.
fn is_no_failure(command: &Command, text: &str, code: i64) -> bool {
    let printed = evidence::without_code_line(text);
    if code == 8 && evidence::only_waits_for_checks(command.last_words(), printed) {
        return true;
    }
    let role = command.last_role();
    // Results were found, and some places may not be read.
    let reads = matches!(role, Some(Role::Show | Role::Search)) && command.only_reads();
    if reads && code <= 2 && own_errors::is_only_denied_in_part(command.last_words(), printed) {
        return true;
    }
    // `xargs` gives 123 for what is 1 without it, and `systemctl` 3 and 4 for what does not run and what is not there.
    let is_one = code == 1
        || (code == 128 && own_errors::asks_git_for_a_name(command.last_words()))
        || (code == 123 && role == Some(Role::Search))
        || ((code == 3 || code == 4) && role == Some(Role::Question) && command.runs("systemctl"));
    // `test -f a && sed -n 1p a`: the answer is no.
    let is_answer = code == 1
        && (printed.is_empty() && command.asks_before_it_reads() || command.asks_for_a_package() && says_no(printed));
    if is_answer || command.prints_a_status(printed) {
        return true;
    }
    if !is_one || evidence::is_timeout(text) || shell_errors::says_that_the_shell_stopped(printed) {
        return false;
    }
    match role {
        Some(Role::Search) => {
            !evidence::shows_an_error(printed)
                && !own_errors::could_not_open_a_place(command.last_words(), printed)
                && command.earlier_steps_are_quiet(printed)
        }
        // `test`, `command -v`, `ps`, a key that is not set: the answer is no.
        Some(Role::Question) => {
            printed.is_empty()
                || command.only_asks() && !evidence::says_that_git_stopped(printed)
                || !evidence::shows_an_error(printed)
                || own_errors::is_answer_no(command.last_words(), printed)
        }
        Some(Role::Compare) => {
            !evidence::shows_an_error(printed) || printed.starts_with("diff ") || printed.starts_with("---")
        }
        _ => false,
    }
}

/// Whether a command that exited with code 0 ran a step that failed.
fn hides_failure(command: &Command, line: &str, text: &str, no_exit_codes: bool) -> bool {
    if command.prints_yes_or_no() || command.only_asks() || command.expects_a_failure() {
        return false;
    }
    let printed = &*command.without_answers(ended::without_closed_pipe(evidence::without_code_line(text)));
    shell_errors::is_only_shell_errors(printed) && !command.may_miss_what_it_asks()
        || powershell::is_only_an_error(printed) && !command.spells(printed.trim())
        || evidence::ends_with_a_timeout(printed)
        || (!printed.is_empty()
            && !line.replace("2>&1", "").contains('>')
            && command.shows_its_commit(printed.lines().count())
            && evidence::has_no_commit_line(printed)
            // A code of 0 that is known says that the commit was made, however a wrapper words it.
            && (no_exit_codes || command.loses_any_code() || evidence::shows_an_error(printed)))
        || command.sections(printed).iter().any(|section| {
            !section.tries_arguments(command) && section_failed(section, line, no_exit_codes)
                || answer::is_only_an_error(&section.command, line, section.output)
        })
}

fn section_failed(section: &Section<'_>, line: &str, no_exit_codes: bool) -> bool {
    let (command, text) = (&section.command, section.output);
    let is_cut = shell::is_cut(line);
    let lost = match &section.end {
        End::SaidFailed => return true,
        End::Code { code, of, .. } if *code != 0 => {
            return !was_interrupted(text, *code) && !is_no_failure(of, text, *code);
        }
        End::Code { others_lost, .. } => *others_lost,
        End::Lost => true,
        // The log does not have the end of a line that is cut.
        End::Open => no_exit_codes || is_cut || command.hides_codes(),
    };
    if command.runs_only_a_script()
        && evidence::says_only_errors(text, |said| command.spells(said) || command.prints(line, said))
    {
        return true;
    }
    let lost_elsewhere = (lost || command.loses_any_code()) && command.runs_elsewhere();
    if lost_elsewhere && own_errors::is_error_of_a_wrapper(text) {
        return true;
    }
    if command.changes_directory_in_vain() && shell_errors::is_error_of_cd(text) {
        return true;
    }
    if says_of_itself(command, text) || complaints::are_of_a_step(command, lost, line, text) {
        return true;
    }
    let shell_failed = || {
        is_cut && shell_errors::ends_with_a_shell_error(text)
            || (lost || command.loses_any_code()) && shell_failed(command, line, text)
    };
    if command.only_reads() {
        !command.says_that_it_is_missing(line, text) && (reading_failed(command, text, lost) || shell_failed())
    } else {
        running_failed(command, line, text, lost)
            || shell_failed() && evidence::assess(text, command.commits()) != Evidence::Passed
    }
}

/// Whether the one program that acts says that it failed, though it ends with code 0.
fn says_of_itself(command: &Command, text: &str) -> bool {
    let words = command.only_action().filter(|_| !command.is_excused() && !command.shows_a_file());
    words.is_some_and(|words| {
        regardless::says_so(words, text)
            || !command.only_asks_for_help() && verdict::is_failure(words, text)
            || complaints::are_of_a_script(command, text) && evidence::assess(text, false) != Evidence::Passed
    })
}

/// Whether the shell could not read the line, or could not do a step of it, whose code is lost and which is not expected to fail.
fn shell_failed(command: &Command, line: &str, text: &str) -> bool {
    let names = |name: &str| (line.contains(name) || shell::is_cut(line)) && !command.expects_to_miss(name);
    shell_errors::names_a_step(text, names) || !command.shows_a_file() && shell_errors::could_not_read_the_line(text)
}

/// Whether programs that only show something could not.
fn reading_failed(command: &Command, text: &str, lost: bool) -> bool {
    let readers: Vec<&[String]> = command.readers_with_lost_code(lost).collect();
    !readers.is_empty()
        && (readers.iter().any(|words| own_errors::is_own_error(words, text))
            || refused::names_a_word(text, |word| command.has_word(word))
            || own_errors::complaints_if_only(&command.programs(), text).is_some_and(|said| said >= command.places()))
}

fn running_failed(command: &Command, line: &str, text: &str, lost: bool) -> bool {
    let lists =
        |words: &[String]| listed::lists_what_is_wrong(words, text) || lost && listed::lists_places(words, text);
    if command.filtered().is_some_and(lists) || (command.counts_errors() && listed::is_a_count(text)) {
        return true;
    }
    let commits = command.commits();
    if lost && commits && !command.shows_status() && evidence::shows_no_commit(text, command.is_only_git()) {
        return true;
    }
    if command.hides_a_code_of_git() && !command.shows_a_file() && evidence::says_that_git_stopped(text) {
        return true;
    }
    if !lost && !command.runs_check() || command.shows_texts() && !evidence::begins_with_an_error(text) {
        return false;
    }
    if lost && !command.shows_a_file() && (was_ended(command, text) || was_refused_by_a_parser(command, line, text)) {
        return true;
    }
    let installed = || command.only_action().is_some_and(|words| install::succeeded(words, text));
    let text = &*command.without_own_words(line, text);
    match evidence::assess(text, commits) {
        Evidence::Refused | Evidence::ErrorLines if lost && installed() => false,
        Evidence::Failed | Evidence::Counts if command.only_asks_for_help() => false,
        Evidence::Failed => command.runs_check() || lost,
        Evidence::Refused => lost,
        Evidence::ErrorLines => lost && (command.runs_check() || !command.is_excused()) && !command.shows_a_file(),
        Evidence::Counts => lost && !command.is_excused() && !command.shows_a_file() && command.runs_check(),
        // A reporter of tests puts the place of the last failure below the summary.
        Evidence::None => lost && command.runs_check() && command.shows_the_end() && ended::ends_with_a_frame(text),
        Evidence::Passed => false,
    }
}

/// Whether a program says that it does not understand how it was called, whatever the line expects of it.
fn was_refused_by_a_parser(command: &Command, line: &str, text: &str) -> bool {
    !command.only_asks_for_help() && refused::says_so(text, |said| line.contains(said), |word| command.has_word(word))
}

/// Whether a program says that an exception ended it, whatever the line expects of it, or how it is called, though it was
/// not asked for that.
fn was_ended(command: &Command, text: &str) -> bool {
    let shows_usage = || !command.is_excused() && command.is_told_what_to_do() && ended::begins_with_usage(text);
    ended::ends_with_a_trace(text) || shows_usage()
}

#[cfg(test)]
mod not_run;
#[cfg(test)]
mod of_themselves;
#[cfg(test)]
mod piped;
#[cfg(test)]
mod piped_tools;
#[cfg(test)]
mod tests;
