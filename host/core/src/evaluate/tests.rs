//! Tests of what the runs before and after a change show together.

use super::*;
use crate::command::RecordedRun;
use crate::validation::{NamedTests, TestState};

fn ran(exit: i32, tests: Option<(u64, u64, u64)>) -> RunResult {
    let tests = tests.map(|(passed, failed, skipped)| TestCounts { passed, failed, skipped });
    RunResult { exit: Some(exit), tests, ..RunResult::default() }
}

fn slow() -> RunResult {
    RunResult { timed_out: true, ..RunResult::default() }
}

fn command(before: Option<RunResult>, after: RunResult) -> CommandRun {
    CommandRun { text: "pytest -q".to_owned(), before, after, weakened: Vec::new(), recorded: None }
}

fn check(runs: &[CommandRun], expect: Decision) {
    let evaluation = evaluate(runs);
    assert_eq!(evaluation.decision, expect, "{runs:?}");
    assert_eq!(evaluation.outcome.is_success(), expect.is_success());
    assert_eq!(evaluation.errors.is_empty(), expect.is_success(), "{:?}", evaluation.errors);
}

#[test]
fn a_recorded_command_that_passes_on_the_base_proves_nothing() {
    let recorded =
        |exit_code| Some(RecordedRun { exit_code, error: None, folder: None, environment: None, timeout_s: None });
    let counted = Some((5, 0, 0));
    let run = |exit_code, before| CommandRun { recorded: recorded(exit_code), ..command(before, ran(0, counted)) };
    check(&[run(1, Some(ran(0, counted)))], Decision::NotReproduced);
    check(&[run(1, Some(ran(0, None)))], Decision::NotReproduced);
    let others = command(Some(ran(0, counted)), ran(0, counted));
    check(&[others.clone(), run(1, Some(ran(0, counted)))], Decision::NotReproduced);
    // It failed here too, or another command shows a repair, or the recorded run passed as well.
    check(&[run(1, Some(ran(1, Some((4, 1, 0)))))], Decision::Fixed);
    check(&[command(Some(ran(1, None)), ran(0, None)), run(1, Some(ran(0, counted)))], Decision::Fixed);
    check(&[run(0, Some(ran(0, counted)))], Decision::Unchanged);
    let errors = evaluate(&[others, run(3, Some(ran(0, counted)))]).errors;
    assert_eq!(errors.len(), 1);
    assert!(errors[0].starts_with("`pytest -q` ended with 3 when it was recorded, and passes here"), "{errors:?}");
}

#[test]
fn one_command_before_and_after() {
    let counted = |passed, failed| Some((passed, failed, 0));
    let table = [
        (Some(ran(1, counted(4, 1))), ran(0, counted(5, 0)), Decision::Fixed),
        (Some(ran(1, None)), ran(0, None), Decision::Fixed),
        (Some(slow()), ran(0, None), Decision::Fixed),
        (Some(ran(1, None)), ran(0, counted(3, 0)), Decision::Fixed),
        (Some(ran(0, counted(5, 0))), ran(0, counted(5, 0)), Decision::Unchanged),
        (None, ran(0, counted(5, 0)), Decision::Unchanged),
        (Some(ran(1, counted(4, 1))), ran(1, counted(4, 1)), Decision::StillFailing),
        (Some(ran(1, counted(3, 2))), ran(1, counted(4, 1)), Decision::Improved),
        (Some(ran(1, counted(3, 2))), ran(1, counted(2, 1)), Decision::StillFailing),
        (Some(ran(1, None)), ran(1, counted(4, 1)), Decision::Improved),
        (Some(ran(0, counted(5, 0))), ran(0, counted(4, 1)), Decision::NewlyFailing),
        (Some(ran(0, counted(4, 1))), ran(0, counted(5, 0)), Decision::Fixed),
        (Some(ran(1, counted(4, 1))), ran(0, counted(4, 1)), Decision::StillFailing),
        (Some(ran(1, counted(4, 1))), ran(1, counted(5, 0)), Decision::Improved),
        (None, ran(1, None), Decision::StillFailing),
        (Some(ran(1, None)), ran(2, counted(0, 1)), Decision::StillFailing),
        (Some(ran(0, counted(5, 0))), ran(1, counted(4, 1)), Decision::NewlyFailing),
        (Some(ran(0, None)), ran(101, None), Decision::NewlyFailing),
        (Some(ran(1, counted(4, 1))), ran(0, counted(4, 0)), Decision::FewerTests),
        (Some(ran(1, counted(4, 1))), ran(0, Some((4, 0, 1))), Decision::FewerTests),
        (Some(ran(1, counted(4, 1))), ran(0, None), Decision::FewerTests),
        (Some(ran(0, counted(5, 0))), ran(5, counted(0, 0)), Decision::FewerTests),
        (None, ran(5, counted(0, 0)), Decision::NoTests),
        (Some(ran(5, counted(0, 0))), ran(5, counted(0, 0)), Decision::NoTests),
        (Some(ran(0, None)), ran(0, None), Decision::NoTests),
        (None, ran(0, counted(0, 0)), Decision::NoTests),
        (None, ran(0, Some((0, 0, 7))), Decision::NoTests),
        (Some(ran(5, counted(0, 0))), ran(0, None), Decision::NoTests),
        (Some(RunResult::default()), RunResult::default(), Decision::NothingExecuted),
        (Some(ran(1, None)), slow(), Decision::TimedOut),
        (Some(ran(0, None)), slow(), Decision::TimedOut),
    ];
    for (before, after, expect) in table {
        check(&[command(before, after)], expect);
    }
    check(&[], Decision::NothingExecuted);
}

#[test]
fn a_flaky_command_proves_nothing() {
    let (counted, failed) = (|| ran(0, Some((5, 0, 0))), || ran(1, Some((4, 1, 0))));
    let again = |first: RunResult, reruns: Vec<RunResult>| RunResult { reruns, ..first };
    let on_base = |reruns| command(Some(again(failed(), reruns)), counted());
    check(&[on_base(vec![failed(), failed()])], Decision::Fixed);
    check(&[on_base(vec![failed(), counted()])], Decision::Unchanged);
    let mute = command(Some(again(ran(1, None), vec![ran(0, None)])), ran(0, None));
    check(&[mute], Decision::NoTests);
    // With the change, one failed attempt counts even if a later one passes.
    check(&[command(Some(failed()), again(failed(), vec![counted()]))], Decision::StillFailing);
    check(&[command(Some(counted()), again(failed(), vec![counted()]))], Decision::NewlyFailing);
}

#[test]
fn all_commands_must_pass() {
    let fixed = || command(Some(ran(1, None)), ran(0, None));
    let green = || command(Some(ran(0, Some((2, 0, 0)))), ran(0, Some((2, 0, 0))));
    check(&[fixed(), green()], Decision::Fixed);
    check(&[fixed(), command(Some(ran(0, None)), ran(1, None))], Decision::NewlyFailing);
    check(&[fixed(), command(Some(ran(1, None)), ran(1, None))], Decision::StillFailing);
    check(&[fixed(), command(None, RunResult::default())], Decision::StillFailing);
    check(&[fixed(), command(None, slow())], Decision::TimedOut);
    check(&[fixed(), command(None, ran(5, Some((0, 0, 0))))], Decision::NoTests);
}

#[test]
fn tests_of_one_command_do_not_make_up_for_those_of_another() {
    let lost = command(Some(ran(0, Some((5, 0, 0)))), ran(0, Some((1, 0, 0))));
    let won = command(Some(ran(0, Some((1, 0, 0)))), ran(0, Some((9, 0, 0))));
    check(&[lost, won], Decision::FewerTests);
}

#[test]
fn a_base_that_could_not_be_run_is_no_failure_that_was_mended() {
    let run = command(Some(RunResult::default()), ran(0, None));
    assert_eq!(evaluate(&[run]).decision, Decision::NoTests);
}

#[test]
fn errors_say_which_command_and_why() {
    let error = |before, after| evaluate(&[command(before, after)]).errors.join("; ");
    assert_eq!(error(None, ran(1, Some((4, 1, 0)))), "`pytest -q`: exit code 1, 1 of 5 tests failed");
    assert_eq!(error(Some(ran(0, None)), ran(2, None)), "`pytest -q`: exit code 2, but passed on the base");
    assert_eq!(error(None, slow()), "`pytest -q`: exceeded its time limit");
    assert_eq!(error(None, ran(5, Some((0, 0, 0)))), "`pytest -q`: found no tests (exit code 5)");
    let fewer = error(Some(ran(1, Some((4, 1, 0)))), ran(0, Some((4, 0, 1))));
    assert_eq!(fewer, "`pytest -q`: 4 tests ran, but 5 on the base");
}

/// A run that names tests: `+a` passed, `-a` failed, `~a` was skipped. A final `…` means that the others of ten tests
/// passed unnamed.
fn named(exit: i32, tests: &str) -> RunResult {
    let mut names = NamedTests::default();
    for word in tests.split_whitespace().filter(|word| *word != "…") {
        let (mark, name) = word.split_at(1);
        let state = match mark {
            "+" => TestState::Passed,
            "-" => TestState::Failed,
            _ => TestState::Skipped,
        };
        names.note(name, state);
    }
    names.set_complete(!tests.ends_with('…'));
    let mut counts = tally::counted(&names);
    counts.passed += if tests.ends_with('…') { 10 - counts.executed() } else { 0 };
    RunResult { exit: Some(exit), tests: Some(counts), names, ..RunResult::default() }
}

#[test]
fn tests_are_compared_by_name() {
    let table = [
        ("-a +b", "+a +b", Decision::Fixed),
        ("-a +b", "-a +b", Decision::StillFailing),
        ("-a -b", "+a -b", Decision::Improved),
        ("-a +b", "+a -b", Decision::NewlyFailing),
        // The failing test was removed or renamed. As many tests run, but the failure is not fixed.
        ("-a +b", "+c +b", Decision::FewerTests),
        ("-a +b", "~a +b +c", Decision::FewerTests),
        // A passing test was renamed.
        ("-a +b", "+a +c", Decision::Fixed),
        // A file that could not be loaded stands for the tests in it.
        ("-t.py", "+t.py::a +t.py::b", Decision::Fixed),
        ("-t.py", "+t.py::a -t.py::b", Decision::Improved),
        ("-t.py +o.py::x", "+t.py::a -o.py::x", Decision::NewlyFailing),
        // Only failures are named.
        ("-a …", "…", Decision::Fixed),
        ("-a …", "-b …", Decision::NewlyFailing),
        ("-t …", "-t.b …", Decision::Improved),
    ];
    for (before, after, expect) in table {
        let code = |tests: &str| i32::from(tests.contains('-'));
        check(&[command(Some(named(code(before), before)), named(code(after), after))], expect);
    }
}

#[test]
fn a_test_that_was_made_milder_is_not_fixed() {
    type Row<'a> = ((&'a str, &'a str), &'a [Option<&'a str>], Decision);
    let milder = |names: &[Option<&str>]| -> Vec<WeakenedTest> {
        let test = |name: Option<&str>| WeakenedTest {
            path: "t.py".to_owned(),
            name: name.map(str::to_owned),
            why: "it has no check left".to_owned(),
        };
        names.iter().copied().map(test).collect()
    };
    let one = ("-t.py::a +t.py::b", "+t.py::a +t.py::b");
    let table: [Row<'_>; 10] = [
        (one, &[], Decision::Fixed),
        (one, &[Some("a")], Decision::WeakenedTests),
        (one, &[None], Decision::WeakenedTests),
        // It passed before.
        (one, &[Some("b")], Decision::Fixed),
        (("+t.py::a", "+t.py::a"), &[Some("a")], Decision::Unchanged),
        // The other one shows the repair, unless it may be weakened as well.
        (("-t.py::a -t.py::b", "+t.py::a +t.py::b"), &[Some("a")], Decision::Fixed),
        (("-t.py::a -t.py::b", "+t.py::a +t.py::b"), &[Some("a"), Some("b")], Decision::WeakenedTests),
        (("-t.py::a -t.py::b", "+t.py::a +t.py::b"), &[None], Decision::WeakenedTests),
        // A file that could not be loaded: any of its tests may be why.
        (("-t.py", "+t.py::a +t.py::b"), &[None], Decision::WeakenedTests),
        (("-t.py::a -t.py::b", "+t.py::a -t.py::b"), &[Some("a")], Decision::StillFailing),
    ];
    for ((before, after), weakened, expect) in table {
        let code = |tests: &str| i32::from(tests.contains('-'));
        let run = command(Some(named(code(before), before)), named(code(after), after));
        let run = CommandRun { weakened: milder(weakened), ..run };
        check(std::slice::from_ref(&run), expect);
        let is_told = TestChanges::of(&run).fixed.iter().all(|name| !run.weakened.iter().any(|test| test.is(name)));
        assert!(is_told, "{run:?}");
    }
    // Without names, any failure could have been that of the test.
    let run = command(Some(ran(1, Some((4, 1, 0)))), ran(0, Some((5, 0, 0))));
    check(&[CommandRun { weakened: milder(&[Some("a")]), ..run }], Decision::WeakenedTests);
}

#[test]
fn what_fails_only_now_and_then_is_told_by_name() {
    let again = |first: RunResult, reruns: Vec<RunResult>| RunResult { reruns, ..first };
    let base = |reruns| again(named(1, "-a -b +c"), reruns);
    let run = command(Some(base(vec![named(1, "-a +b +c")])), named(0, "+a +b +c"));
    let changes = TestChanges::of(&run);
    assert_eq!((&*changes.fixed, &*changes.flaky), (&["a".to_owned()][..], &["b".to_owned()][..]));
    check(&[run], Decision::Fixed);
    // A different test fails each time, so nothing was shown to be fixed.
    let run = command(Some(again(named(1, "-a +b"), vec![named(1, "+a -b")])), named(0, "+a +b"));
    assert_eq!(TestChanges::of(&run).flaky, ["a", "b"]);
    check(&[run], Decision::Unchanged);
    // With the change.
    let run = command(Some(named(1, "-a +b")), again(named(1, "+a -b"), vec![named(0, "+a +b")]));
    assert_eq!(TestChanges::of(&run).flaky, ["b"]);
    check(&[run], Decision::NewlyFailing);
}

#[test]
fn another_failure_is_no_repair() {
    let crash = |stderr: &str| RunResult { stderr: stderr.to_owned(), ..ran(1, None) };
    let (one, other) = ("ImportError: cannot import name 'Mapping'", "ImportError: cannot import name 'Set'");
    check(&[command(Some(crash(one)), crash(other))], Decision::Improved);
    check(&[command(Some(crash(one)), crash(one))], Decision::StillFailing);
    let evaluation = evaluate(&[command(Some(named(1, "-t.py")), named(1, "+t.py::a -t.py::b"))]);
    assert!(evaluation.errors.iter().any(|line| line.ends_with("now fails instead: t.py::b")), "{evaluation:?}");
}

#[test]
fn lists_of_names_are_bounded() {
    let many = |mark: &str| (0..200).map(|n| format!("{mark}t{n}")).collect::<Vec<_>>().join(" ");
    let changes = TestChanges::of(&command(Some(named(1, &many("-"))), named(0, &many("+"))));
    assert_eq!((changes.fixed.len(), changes.left_out), (MAX_TOLD, 150));
}
