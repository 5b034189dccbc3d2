//! What before and after say together.

use super::*;

fn ran(exit: i32, tests: Option<(u64, u64, u64)>) -> RunResult {
    let tests = tests.map(|(passed, failed, skipped)| TestCounts { passed, failed, skipped });
    RunResult { exit: Some(exit), tests, ..RunResult::default() }
}

fn slow() -> RunResult {
    RunResult { timed_out: true, ..RunResult::default() }
}

fn command(before: Option<RunResult>, after: RunResult) -> CommandRun {
    CommandRun { text: "pytest -q".to_owned(), before, after }
}

fn check(runs: &[CommandRun], expect: Decision) {
    let evaluation = evaluate(runs);
    assert_eq!(evaluation.decision, expect, "{runs:?}");
    assert_eq!(evaluation.outcome.is_success(), expect.is_success());
    assert_eq!(evaluation.errors.is_empty(), expect.is_success(), "{:?}", evaluation.errors);
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
        (Some(ran(1, counted(3, 2))), ran(1, counted(4, 1)), Decision::StillFailing),
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
    // With the change: that it passes in the end is not enough.
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
    assert_eq!(error(Some(ran(0, None)), ran(2, None)), "`pytest -q`: exit code 2, passed on the base");
    assert_eq!(error(None, slow()), "`pytest -q`: ran out of time");
    assert_eq!(error(None, ran(5, Some((0, 0, 0)))), "`pytest -q`: found no tests (exit code 5)");
    let fewer = error(Some(ran(1, Some((4, 1, 0)))), ran(0, Some((4, 0, 1))));
    assert_eq!(fewer, "`pytest -q`: 4 tests ran, 5 on the base");
}
