//! What became of a cycle's candidates: validation by validation, then the branch.

mod rows;

use std::fmt::Write as _;

use gephost_app::apply::{Candidate, Ended};
use gephost_app::land::Landed;
use gephost_core::blast_radius::BlastRadius;
use gephost_core::evaluate::{Decision, Evaluation, TestChanges, error_line};
use gephost_core::redact::clip;
use gephost_core::validation::{CommandRun, Level, RunResult};

pub(crate) use rows::{AppliedRow, document_of_one, documents};

use super::steps;
use super::style::{bad, bold, dim, good, printable};
use super::verdict::plural;

/// The most names of tests of one kind that are shown.
const SHOWN_TESTS: usize = 5;
/// The most lines that are shown of what a failing command wrote, the last ones; the report has more.
const SHOWN_LINES: usize = 3;
/// The most characters of such a line.
const SHOWN_COLUMNS: usize = 160;

/// What became of a cycle's candidates, for a person.
pub(crate) fn page(ended: &Ended) -> String {
    let mut text = String::new();
    for candidate in &ended.candidates {
        if ended.candidates.len() > 1 {
            let tried = &candidate.tried;
            let title = printable(&candidate.title);
            let _ = writeln!(
                text,
                "{}  {title}  {}: {}",
                bold("Candidate "),
                tried.fate.as_str(),
                dim(printable(&tried.reason))
            );
        }
        if !candidate.tried.steps.is_empty() {
            let holds = candidate.evaluation.as_ref().is_some_and(|evaluation| evaluation.decision.is_success());
            text.push_str(&steps::page(&candidate.tried.steps, holds));
            let _ = writeln!(text, "{}  {}", bold("Sum       "), size(candidate));
        }
        if let Some(evaluation) = &candidate.evaluation {
            text.push_str(&validation(evaluation, &candidate.runs, ended.sandbox));
        }
        text.push_str(&steps::no_further(candidate.tried.no_further.as_deref()));
    }
    if let Some(published) = &ended.published {
        let _ = writeln!(text, "{}  {}  {}", bold("Published "), good(&published.branch), dim(&published.commit));
        let _ = writeln!(text, "  look:  git diff HEAD...{}", published.branch);
        let landed = ended.landed.as_ref().and_then(Landed::branch);
        let undo = if landed.is_some() { " --land" } else { "" };
        if let Some(into) = landed {
            let _ = writeln!(text, "{}  {} has moved forward to it", bold("Landed    "), good(printable(into)));
        } else {
            let _ = writeln!(text, "  keep:  git merge --ff-only {}", published.branch);
        }
        if let Some(reason) = ended.landed.as_ref().and_then(Landed::refusal) {
            let _ = writeln!(text, "{}  {}", bad("Not landed"), printable(reason));
        }
        let _ = writeln!(text, "  undo:  gephost rollback {}{undo}", published.branch);
    }
    text
}

/// How large and how risky the sum of all steps is.
fn size(candidate: &Candidate) -> String {
    let BlastRadius { files, lines } = candidate.blast_radius;
    let (of_files, of_lines) = (plural(files, "file"), plural(lines, "line"));
    format!("{files} {of_files}, {lines} {of_lines}, risk {} of 100", candidate.risk_score)
}

/// What the user can do with a branch that stands.
pub(crate) fn branch_lines(branch: &str) -> String {
    format!(
        "  look:  git diff HEAD...{branch}\n  keep:  git merge --ff-only {branch}\n  undo:  gephost rollback {branch}\n"
    )
}

fn validation(evaluation: &Evaluation, runs: &[CommandRun], sandbox: Level) -> String {
    let confined = dim(format!("(sandbox {sandbox})"));
    let mut text = format!("{}  {} {confined}\n", bold("Validation"), evaluation.decision);
    for run in runs {
        let word = |result: &RunResult| match (result.exit, result.timed_out) {
            (Some(0), false) if result.has_failed_tests() => bad("exits 0 with failing tests"),
            (Some(0), false) => good("passes"),
            (Some(code), false) => bad(format!("exits {code}")),
            (_, true) => bad("runs out of time"),
            (None, false) => bad("does not start"),
        };
        let before = run.before.as_ref().map_or_else(|| dim("not run"), word);
        let tests = run.after.tests.map(|tests| counted(tests.executed())).unwrap_or_default();
        let _ = writeln!(text, "            {}: before {before}, after {}{tests}", run.text, word(&run.after));
        text.push_str(&named_tests(&TestChanges::of(run)));
        text.push_str(&last_lines(&run.after));
        text.push_str(&now(run));
    }
    for error in &evaluation.errors {
        let _ = writeln!(text, "            {}", bad(error));
    }
    if let Some(hint) = next_step(evaluation.decision, runs) {
        let _ = writeln!(text, "            {}", dim(hint));
    }
    text
}

/// What to do if nothing is known of a change.
fn next_step(decision: Decision, runs: &[CommandRun]) -> Option<&'static str> {
    if runs.is_empty() {
        return Some(
            "no command was run: name some in `commands` of `[validation]`, or `gephost record` the one that fails",
        );
    }
    (decision == Decision::CannotRun)
        .then_some("to go on: install what the command misses, or name another one in `commands` of `[validation]`")
}

/// How the output of a command that failed ends.
fn last_lines(result: &RunResult) -> String {
    if result.passed() {
        return String::new();
    }
    let says_something = |line: &&str| !line.trim().is_empty();
    let stream = if result.stderr.trim().is_empty() { &result.stdout } else { &result.stderr };
    let mut lines: Vec<&str> = stream.lines().rev().filter(says_something).take(SHOWN_LINES).collect();
    lines.reverse();
    let mut text = String::new();
    for line in lines {
        let line = clip(line, SHOWN_COLUMNS);
        let _ = writeln!(text, "              {}", dim(format!("| {}", printable(&line))));
    }
    text
}

/// The failure that shows with the change, beside the one before it if that was another.
fn now(run: &CommandRun) -> String {
    let failed = |result: &RunResult| (!result.passed()).then(|| error_line(result)).flatten();
    let Some(after) = failed(&run.after) else { return String::new() };
    let before = run.before.as_ref().and_then(failed).filter(|before| *before != after);
    let mut text = String::new();
    for (when, line) in before.iter().map(|line| ("before: ", line)).chain([("now:    ", &after)]) {
        let _ = writeln!(text, "              {when}{}", printable(&clip(line, SHOWN_COLUMNS)));
    }
    text
}

fn counted(tests: u64) -> String {
    format!(", {tests} {}", plural(tests, "test"))
}

/// What the change did to tests, by name.
fn named_tests(changes: &TestChanges) -> String {
    let mut text = String::new();
    let lists = [
        ("fixed", &changes.fixed),
        ("passes, but checks less than before", &changes.weakened),
        ("still failing", &changes.still_failing),
        ("newly failing", &changes.newly_failing),
        ("fails, and did not run before", &changes.appeared),
        ("not run any more", &changes.gone),
        ("flaky: failed once, and passed when run again", &changes.flaky),
    ];
    for (what, names) in lists.into_iter().filter(|(_, names)| !names.is_empty()) {
        let shown = names.iter().take(SHOWN_TESTS).map(|name| printable(name)).collect::<Vec<_>>().join(", ");
        let more = names.len().saturating_sub(SHOWN_TESTS);
        let more = if more == 0 { String::new() } else { format!(" and {more} more") };
        let _ = writeln!(text, "              {what}: {shown}{}", dim(more));
    }
    text
}

/// What became of a cycle with one candidate, for a person.
pub(crate) fn page_of_one(ended: &Ended) -> String {
    let mut text = page(ended);
    if ended.published.is_none() {
        text.push_str("Nothing was published; your checkout is as it was.\n");
    }
    text
}
