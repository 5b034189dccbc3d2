//! Whether a further step may be built on a change: it fixed one failure, broke nothing, and another failure shows.

use std::collections::{BTreeMap, BTreeSet};

use super::{Decision, evaluate};
use crate::signal::{cause_lines, error_signature, normalise_signature};
use crate::text::without_controls;
use crate::validation::{CommandRun, RunResult, TestCounts};

/// Most characters of a line that names a failure.
const MAX_LINE_CHARS: usize = 260;

/// The line that names the failure which shows after a change, if a further step may be built on the change. `runs` are
/// those on the base and on the change. `earlier` are those of the step before it, if there was one.
///
/// A step may be built on a change if the commands fail as on the base but less, or name another cause or the same one at
/// another place, or name the same causes fewer times, and if no test fails that passed on the base or after the earlier step, and no fewer tests run. A
/// command that ran out of time, that exceeded a limit, or that passes when it is run again is nothing to build on.
pub fn next_failure(runs: &[CommandRun], earlier: Option<&[CommandRun]>) -> Option<String> {
    let since: Vec<CommandRun> = runs.iter().map(|run| since(run, earlier)).collect();
    let failing = || since.iter().filter(|run| !run.after.passed());
    let is_whole = failing().all(|run| is_whole(&run.after));
    let new = failing().find_map(new_cause);
    let is_shorter = |runs: &[CommandRun]| runs.iter().any(runs_fewer_tests);
    let goes_on = |runs: &[CommandRun]| match evaluate(runs).decision {
        Decision::Improved => true,
        Decision::StillFailing => new.is_some() || runs.iter().any(has_fewer_causes),
        _ => false,
    };
    if !is_whole || is_shorter(runs) || is_shorter(&since) || !goes_on(runs) || !goes_on(&since) {
        return None;
    }
    let line = new.or_else(|| failing().find_map(|run| first_cause(&run.after)))?;
    Some(without_controls(&line).chars().take(MAX_LINE_CHARS).collect())
}

/// The same run, with the end of the earlier step in the place of the base.
fn since(run: &CommandRun, earlier: Option<&[CommandRun]>) -> CommandRun {
    let known = earlier.into_iter().flatten().find(|known| known.text == run.text);
    let before = known.map(|known| known.after.clone()).or_else(|| run.before.clone());
    CommandRun { before, ..run.clone() }
}

fn is_whole(result: &RunResult) -> bool {
    result.exit.is_some() && result.over.is_none() && !result.reruns.iter().any(RunResult::passed)
}

fn runs_fewer_tests(run: &CommandRun) -> bool {
    let executed = |result: &RunResult| result.tests.map_or(0, TestCounts::executed);
    run.before.as_ref().is_some_and(|before| executed(&run.after) < executed(before))
}

/// The first line that names a cause which was not there before, or that Python shows at another place than before.
fn new_cause(run: &CommandRun) -> Option<String> {
    let before = run.before.as_ref()?;
    let known: BTreeSet<String> = causes(before).map(normalise_signature).collect();
    let new = causes(&run.after).find(|line| !known.contains(&normalise_signature(line)));
    new.or_else(|| moved_cause(&before.stderr, &run.after.stderr)).map(str::to_owned)
}

/// The cause of a traceback of Python, if it is at another place than before: in another file, or at another line with
/// another text. A line that only moved, or that was only edited, is the same place.
fn moved_cause<'a>(before: &str, after: &'a str) -> Option<&'a str> {
    let (before, _) = last_place(before)?;
    let (after, cause) = last_place(after)?;
    let is_other = before.file != after.file || before.line != after.line && before.code != after.code;
    is_other.then_some(cause)
}

/// A place that Python shows: `File "folder/file", line 3` and the code of that line below it.
struct Place<'a> {
    file: &'a str,
    line: &'a str,
    code: &'a str,
}

/// The innermost place of the last traceback, and the line that names its cause. `None` unless the place shows its code.
fn last_place(text: &str) -> Option<(Place<'_>, &str)> {
    let mut found = None;
    let mut place = None;
    let mut lines = text.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some((path, rest)) =
            line.trim_start().strip_prefix("File \"").and_then(|rest| rest.split_once("\", line "))
        {
            let code = lines.peek().map(|code| code.trim()).filter(|code| !code.is_empty());
            let number = rest.split(',').next().unwrap_or(rest);
            let file = path.rsplit('/').next().unwrap_or(path);
            place = code.map(|code| Place { file, line: number, code });
        } else if !line.starts_with(' ') && cause_lines(line).next().is_some() {
            found = place.take().map(|place| (place, line)).or(found);
        }
    }
    found
}

/// Whether every line that names a cause is there at most as often as before, and one of them less often: a compiler
/// reports each of its errors with the same words. What reports no cause at all any more is no progress.
fn has_fewer_causes(run: &CommandRun) -> bool {
    let Some(before) = &run.before else { return false };
    let (before, after) = (counted(before), counted(&run.after));
    let times = |line: &String| before.get(line).copied().unwrap_or_default();
    let is_no_more = after.iter().all(|(line, count)| *count <= times(line));
    !after.is_empty() && is_no_more && after.values().sum::<usize>() < before.values().sum()
}

/// How often each cause is named.
fn counted(result: &RunResult) -> BTreeMap<String, usize> {
    let mut counts = BTreeMap::new();
    for line in causes(result) {
        *counts.entry(normalise_signature(line)).or_default() += 1;
    }
    counts
}

fn causes(result: &RunResult) -> impl Iterator<Item = &str> {
    // Node ends at a deprecated call if it is told to, and then names no error.
    let is_thrown = result.stderr.contains("throw warning;");
    let warnings = result.stderr.lines().filter(move |line| is_thrown && line.starts_with("DeprecationWarning: "));
    cause_lines(&result.stderr).chain(cause_lines(&result.stdout)).chain(warnings)
}

/// The first line that names a cause or, if none does, that reports a failure.
fn first_cause(result: &RunResult) -> Option<String> {
    let line = |text: &str| error_signature(text).map(|line| line.trim_start_matches("errsig:").to_owned());
    causes(result).next().map(str::to_owned).or_else(|| line(&result.stderr)).or_else(|| line(&result.stdout))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::validation::NamedTests;
    use crate::validation::TestState::{self, Failed, Passed};

    fn fails(stderr: &str) -> RunResult {
        RunResult { exit: Some(1), stderr: stderr.to_owned(), ..RunResult::default() }
    }

    fn passes() -> RunResult {
        RunResult { exit: Some(0), ..RunResult::default() }
    }

    fn run(before: RunResult, after: RunResult) -> CommandRun {
        CommandRun { text: "check".to_owned(), before: Some(before), after, weakened: Vec::new(), recorded: None }
    }

    fn shown(before: &RunResult, after: &RunResult) -> Option<String> {
        next_failure(&[run(before.clone(), after.clone())], None)
    }

    const FIRST: &str = "Traceback (most recent call last):\n  File \"/a/1/x.py\", line 1\nImportError: no Mapping\n";
    const SECOND: &str = "Traceback (most recent call last):\n  File \"/b/2/x.py\", line 9\nAttributeError: no clock\n";

    #[test]
    fn another_failure_can_be_built_on_and_the_same_one_cannot() {
        assert_eq!(shown(&fails(FIRST), &fails(SECOND)).as_deref(), Some("AttributeError: no clock"));
        // Another line number, folder and address are the same failure.
        assert_eq!(shown(&fails(FIRST), &fails(&FIRST.replace("line 1", "line 2").replace("/a/1", "/b/2"))), None);
        assert_eq!(shown(&fails("TypeError: <A at 0x7f1>\n"), &fails("TypeError: <A at 0x7f2>\n")), None);
        assert_eq!(shown(&fails(FIRST), &passes()), None, "there is nothing left to fix");
        assert_eq!(shown(&passes(), &fails(SECOND)), None, "it broke what passed");
        assert_eq!(shown(&fails(FIRST), &fails("")), None, "nothing says what fails");
    }

    #[test]
    fn the_same_error_at_another_place_can_be_built_on() {
        let at = |path: &str, line: u32, code: &str| {
            let outer = "Traceback (most recent call last):\n  File \"<string>\", line 1, in <module>\n";
            fails(&format!("{outer}  File \"{path}\", line {line}\n    {code}\n    ^^^\nTypeError: no float\n"))
        };
        let base = at("/a/x.py", 3, "a * b");
        assert_eq!(shown(&base, &at("/b/x.py", 9, "c * d")).as_deref(), Some("TypeError: no float"));
        assert_eq!(shown(&base, &at("/b/y.py", 3, "a * b")).as_deref(), Some("TypeError: no float"));
        assert_eq!(shown(&base, &at("/b/x.py", 4, "a * b")), None, "the line only moved");
        assert_eq!(shown(&base, &at("/b/x.py", 3, "a * (b)")), None, "the line was only edited");
        assert_eq!(shown(&base, &at("/b/x.py", 9, "")), None, "it does not show which line that is");
    }

    #[test]
    fn fewer_errors_of_one_kind_can_be_built_on() {
        let lint = |lines: &[u32]| {
            let errors: Vec<_> =
                lines.iter().map(|line| format!("error: use of `try!`\n --> src/lib.rs:{line}:5\n\n")).collect();
            let sum = format!("error: could not compile `x` due to {} previous errors\n", lines.len());
            fails(&(errors.concat() + &sum))
        };
        assert_eq!(shown(&lint(&[3, 9, 20]), &lint(&[9, 20])).as_deref(), Some("error: use of `try!`"));
        assert_eq!(shown(&lint(&[3, 9]), &lint(&[4, 10])), None, "they only moved");
        assert_eq!(shown(&lint(&[3]), &lint(&[3, 9])), None, "there are more");
        let (both, other) = ("error: a\nerror: b\nerror: b\n", "error: a\nerror: a\n");
        assert_eq!(shown(&fails(both), &fails(other)), None, "one kind is gone, and another came again");
        assert_eq!(shown(&lint(&[3, 9]), &fails("aborted\n")), None, "nothing says what fails");
    }

    #[test]
    fn a_deprecation_that_node_throws_is_a_failure_of_its_own() {
        let thrown = |what: &str| {
            fails(&format!(
                "        throw warning;\n        ^\n\nDeprecationWarning: {what}\n    at x.js:1:1\n\nNode.js v20.20.2\n"
            ))
        };
        assert_eq!(shown(&thrown("a is old"), &thrown("b is old")).as_deref(), Some("DeprecationWarning: b is old"));
        assert_eq!(shown(&thrown("a is old"), &thrown("a is old")), None);
        let only_warned = "DeprecationWarning: b is old\n";
        assert_eq!(shown(&fails(FIRST), &fails(&(FIRST.to_owned() + only_warned))), None, "it only warns");
    }

    #[test]
    fn a_run_without_an_end_of_its_own_cannot_be_built_on() {
        let ends: [fn(RunResult) -> RunResult; 4] = [
            |run| RunResult { exit: None, timed_out: true, ..run },
            |run| RunResult { exit: None, ..run },
            |run| RunResult { over: Some(crate::validation::Excess::Memory), ..run },
            |run| RunResult { reruns: vec![passes()], ..run },
        ];
        for end in ends {
            assert_eq!(shown(&fails(FIRST), &end(fails(SECOND))), None, "{:?}", end(fails(SECOND)));
        }
    }

    #[test]
    fn the_step_before_counts_too() {
        let base_and = |after: &str| run(fails(FIRST), fails(after));
        let (second, third) = (base_and(SECOND), base_and("NameError: third\n"));
        let earlier = [second.clone()];
        assert_eq!(next_failure(&[third], Some(&earlier)).as_deref(), Some("NameError: third"));
        assert_eq!(next_failure(&[second], Some(&earlier)), None, "the second step changed nothing");
        // A command that the step before did not run is compared with the base.
        let other = CommandRun { text: "other".to_owned(), ..base_and(SECOND) };
        assert!(next_failure(&[other], Some(&earlier)).is_some());
    }

    #[test]
    fn what_breaks_a_test_is_never_built_on() {
        let with = |tests: [(&str, TestState); 2], stderr: &str| {
            let mut names = NamedTests::default();
            for (name, state) in tests {
                names.note(name, state);
            }
            let failed = tests.iter().filter(|(_, state)| *state == Failed).count() as u64;
            RunResult { tests: Some(TestCounts { passed: 2 - failed, failed, skipped: 0 }), names, ..fails(stderr) }
        };
        let base = with([("a", Failed), ("b", Passed)], "ERROR: a\nKeyError: 'x'\n");
        let deeper = with([("a", Failed), ("b", Passed)], "ERROR: a\nKeyError: 'y'\n");
        assert_eq!(shown(&base, &deeper).as_deref(), Some("KeyError: 'y'"));
        let broken = with([("a", Passed), ("b", Failed)], "ERROR: b\nKeyError: 'y'\n");
        assert_eq!(shown(&base, &broken), None);
        // The first step fixed `a`; a second one that breaks it again leads nowhere.
        let both = with([("a", Failed), ("b", Failed)], "ERROR: a\nERROR: b\nKeyError: 'x'\n");
        let one = with([("a", Passed), ("b", Failed)], "ERROR: b\nKeyError: 'y'\n");
        let other = with([("a", Failed), ("b", Passed)], "ERROR: a\nKeyError: 'z'\n");
        let earlier = [run(both.clone(), one)];
        assert_eq!(next_failure(&[run(both.clone(), other)], Some(&earlier)), None);
        // What no longer runs cannot be seen to pass.
        assert_eq!(shown(&both, &fails("SyntaxError: invalid syntax\n")), None);
    }
}
