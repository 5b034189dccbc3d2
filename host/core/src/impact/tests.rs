//! The statistic against known values, and which failures count.

use super::*;

fn window(failures: u64, calls: u64) -> Window {
    Window { calls, failures }
}

#[test]
fn p_values_are_those_of_fishers_exact_test() {
    // Fisher's own tea table, and others computed with exact fractions of binomial coefficients.
    for (before, after, expect) in [
        (window(3, 4), window(1, 4), 0.485_714),
        (window(1, 10), window(11, 14), 0.002_759),
        (window(10, 100), window(1, 100), 0.009_658),
        (window(5, 50), window(5, 50), 1.0),
        (window(0, 30), window(0, 30), 1.0),
        (window(30, 30), window(30, 30), 1.0),
        (window(0, 0), window(3, 30), 1.0),
    ] {
        for (one, other) in [(before, after), (after, before)] {
            let p = compare(one, other).p_value();
            assert!((p - expect).abs() < 2e-6, "{one:?} {other:?}: {p}");
        }
    }
}

#[test]
fn noise_is_no_difference_and_little_is_not_enough() {
    for (before, after, expect) in [
        (window(10, 100), window(1, 100), Effect::Improved),
        (window(1, 100), window(10, 100), Effect::Worse),
        (window(5, 100), window(8, 100), Effect::Unchanged),
        (window(8, 100), window(5, 100), Effect::Unchanged),
        (window(50, 100), window(0, 19), Effect::NotEnough),
        (window(19, 19), window(0, 500), Effect::NotEnough),
        (window(20, 20), window(0, 20), Effect::Improved),
        (window(0, 0), window(0, 0), Effect::NotEnough),
        (window(0, 50), window(0, 50), Effect::Unchanged),
        (window(0, 50_000), window(200, 50_000), Effect::Worse),
    ] {
        assert_eq!(compare(before, after).effect, expect, "{before:?} {after:?}");
    }
    assert_eq!(window(3, 12).per_hundred().to_string(), "25");
    assert_eq!(window(0, 0).per_hundred().to_string(), "0");
}

#[test]
fn two_like_windows_are_seldom_told_apart() {
    // All pairs of likely draws from the same rate of one in ten: how often a difference is seen must stay near ALPHA.
    let likelihood = |failures: u64| {
        let logs = LogFactorials::up_to(40);
        #[expect(clippy::cast_precision_loss, reason = "small numbers")]
        let log = logs.choose(40, failures) + failures as f64 * 0.1_f64.ln() + (40 - failures) as f64 * 0.9_f64.ln();
        log.exp()
    };
    let mut wrong = 0.0;
    for one in 0..=40 {
        for other in 0..=40 {
            if compare(window(one, 40), window(other, 40)).effect != Effect::Unchanged {
                wrong += likelihood(one) * likelihood(other);
            }
        }
    }
    assert!(wrong <= ALPHA, "{wrong}");
}

fn finding(signals: &[&str]) -> FindingRef {
    FindingRef {
        gene: "g".to_owned(),
        id: "f".to_owned(),
        title: String::new(),
        signals: signals.iter().map(ToString::to_string).collect(),
    }
}

fn event(second: i64, outcome: Outcome, output: &str) -> RunEvent {
    RunEvent {
        timestamp: Timestamp::from_second(second).ok(),
        tool_name: Some("Bash".into()),
        outcome: Some(outcome),
        flagged: outcome == Outcome::Failure,
        output: Some(output.to_owned()),
        line: 1,
        ..RunEvent::bare("s".into(), EventType::ToolEnd)
    }
}

/// How many of these failures are the finding's.
fn count(signals: &[&str], outputs: &[&str]) -> u64 {
    let events: Vec<RunEvent> = outputs.iter().map(|output| event(1, Outcome::Failure, output)).collect();
    let applied = Timestamp::from_second(100).expect("a time");
    impact(&events, &finding(signals), applied).before.failures
}

#[test]
fn the_same_error_counts_wherever_it_stands_and_another_does_not() {
    let signal = "errsig:ImportError: cannot import name 'Mapping' from 'collections' (/usr/lib/python3.11/x.py)";
    let all = ["log_error", signal, "missing_module"];
    let other_machine = "Traceback\nERROR: test_store\nE   ImportError: cannot import name 'Mapping' from \
                         'collections' (/opt/py/3.12/x.py)\n\n1 failed";
    assert_eq!(count(&all, &[other_machine]), 1);
    assert_eq!(count(&all, &["ImportError: cannot import name 'Sequence' from 'collections' (/x.py)"]), 0);
    assert_eq!(count(&all, &["ModuleNotFoundError: No module named 'x'", ""]), 0);
    assert_eq!(count(&["errsig:exit 12"], &["exit 99", "exit code 12"]), 1, "numbers are all the same");
    // A line of digits and paths only has no word to look for.
    assert_eq!(count(&["errsig:12 /a/b"], &["99 /c/d"]), 1);
}

#[test]
fn without_an_error_line_the_other_signals_count_and_without_those_any_failure() {
    let timeout = "error: the command timed out";
    assert_eq!(count(&["log_error", "timeout"], &[timeout, "error: no such file"]), 1);
    assert_eq!(count(&["log_error"], &[timeout, "error: no such file"]), 2);
    assert_eq!(count(&[], &["x"]), 1);
}

#[test]
fn windows_are_cut_at_the_apply_and_count_calls_that_ended() {
    let mut events = vec![
        event(1, Outcome::Failure, "boom"),
        event(2, Outcome::Success, ""),
        event(10, Outcome::Failure, "boom"),
        event(11, Outcome::Success, ""),
        event(12, Outcome::Success, ""),
        event(13, Outcome::Rejected, "boom"),
        event(14, Outcome::Cascade, "boom"),
        event(15, Outcome::Unfinished, "boom"),
    ];
    let mut timeless = event(0, Outcome::Failure, "boom");
    timeless.timestamp = None;
    events.push(timeless);
    let found = impact(&events, &finding(&["errsig:boom"]), Timestamp::from_second(10).expect("a time"));
    assert_eq!((found.before, found.after), (window(1, 2), window(1, 3)));
    assert_eq!(found.effect, Effect::NotEnough);
}
