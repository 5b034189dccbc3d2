//! What findings claim is true of the log. Each claim is counted again from the calls, in another way than the gene does it.

use std::collections::{BTreeMap, BTreeSet};

use gephost_gene::run_log::{Correction, Difference, FailureKind};

use crate::analysis::Analysis;
use crate::call::Call;
use crate::findings::reports;
use crate::report::Report;
use crate::thresholds::Thresholds;

/// Calls that fail: input, output and kind. `{s}` is the number of the session.
const FAILURES: [(&str, &str, FailureKind); 15] = [
    ("cat src/a{s}.rs", "cat: src/a{s}.rs: No such file or directory", FailureKind::FileNotFound),
    ("bash ci/test.sh", "bash: ci/test.sh: No such file or directory", FailureKind::FileNotFound),
    ("cp a b/c", "cp: cannot create regular file 'b/c': No such file or directory", FailureKind::FileNotFound),
    ("python a.py", "ModuleNotFoundError: No module named 'yaml'", FailureKind::MissingModule),
    ("column a", "bash: line 1: column: command not found", FailureKind::MissingCommand),
    ("work {s}", "error: no lease for queue 'q{s}'", FailureKind::ExitNonzero),
    ("make one", "src/1.rs:3: error: one thing is wrong here", FailureKind::ExitNonzero),
    ("make two", "src/2.rs:1: error: another thing is odd here", FailureKind::ExitNonzero),
    ("make other", "Exit code 2", FailureKind::ExitNonzero),
    (
        "sleep 30 && cat a{s}",
        "error: Blocked: sleep 30 followed by: cat a{s}. Wait until it is there.",
        FailureKind::Other,
    ),
    ("pytest -x", "= FAILURES =\nE   AssertionError: no\nFAILED t/a.py::test_a", FailureKind::TestFailure),
    (
        "pytest -x t/b.py",
        "= FAILURES =\nE   db.exc.OperationalError: no\nFAILED t/b.py::test_b",
        FailureKind::TestFailure,
    ),
    ("rg 'f(' a", "rg: regex parse error:\n  (?:f()", FailureKind::ExitNonzero),
    ("npm run x", "Command timed out after 2m 0.0s", FailureKind::Timeout),
    ("./odd{s}", "OddError{s}: x", FailureKind::Traceback),
];
/// Kinds of findings that are about something else than why calls failed.
const NO_CAUSES: [&str; 7] =
    ["loop", "edit_ping_pong", "failure_place", "tool_failure_rate", "failure_trend", "latency", "latency_regression"];

/// An option with which calls work.
const OPTION: &str = "--keep";

#[derive(Debug, Clone)]
struct Made {
    session: u32,
    tool: &'static str,
    time: i64,
    input: String,
    /// The output of a failure.
    failed: Option<(String, FailureKind)>,
}

/// A pseudo-random sequence, so that a failure can be seen again.
fn random(seed: u64) -> impl FnMut(usize) -> usize {
    let mut state = seed.wrapping_mul(2) + 1;
    move |bound| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % bound
    }
}

/// Sessions of calls at different times. Now and then a failed call is made again and works.
fn sessions(seed: u64) -> Vec<Vec<Made>> {
    let mut random = random(seed);
    let count = 1 + u32::try_from(random(4)).unwrap();
    let mut clock = 0;
    let session = |session: u32| {
        let mut calls = Vec::new();
        for _ in 0..=random(12) {
            clock += 1;
            let (input, output, kind) = FAILURES[random(FAILURES.len())];
            let filled = |text: &str| text.replace("{s}", &session.to_string());
            let made = |tool, input: String, failed| Made { session, tool, time: clock, input, failed };
            let call = |input, failed| made("Bash", input, failed);
            let edit = |file| made("Edit", format!("{{\"file_path\": \"src/{file}.rs\"}}"), None);
            match random(7) {
                0 => calls.push(call(format!("ls {clock}"), None)),
                1 => {
                    calls.push(call(filled(input), Some((filled(output), kind))));
                    if random(2) == 0 {
                        calls.push(edit(random(3)));
                    }
                    calls.push(call(filled(input), None));
                }
                2 => calls.push(call("pip install yaml".to_owned(), None)),
                4 => {
                    calls.push(call(filled(input), Some((filled(output), kind))));
                    match random(5) {
                        0 => calls.push(edit(random(3))),
                        1 => calls.push(call("git commit -m x".to_owned(), None)),
                        2 => calls.push(call("sed -i s/a/b/ src/2.rs".to_owned(), None)),
                        _ => {}
                    }
                    calls.push(call(format!("{} {OPTION}", filled(input)), None));
                }
                3 => calls.push(edit(random(3))),
                _ => calls.push(call(filled(input), Some((filled(output), kind)))),
            }
        }
        calls
    };
    (0..count).map(session).collect()
}

/// What worked next, as the host would say it: the same call, or the same one with an option, later.
fn corrections(calls: &[Made]) -> Vec<Correction> {
    let numbered = || (0_u64..).zip(calls);
    let next = |number: u64, call: &Made| {
        let is_same = |later: &Made| later.input.strip_suffix(OPTION).unwrap_or(&later.input).trim_end() == call.input;
        numbered().find(|(other, later)| {
            *other > number && later.session == call.session && later.failed.is_none() && is_same(later)
        })
    };
    let failed = numbered().filter(|(_, call)| call.failed.is_some());
    failed
        .filter_map(|(number, call)| next(number, call).map(|(worked, later)| (number, worked, later)))
        .map(|(failed, worked, later)| {
            let has_option = later.input.ends_with(OPTION);
            Correction {
                failed,
                worked,
                difference: if has_option { Difference::Options } else { Difference::Later },
                before: String::new(),
                after: if has_option { OPTION.to_owned() } else { String::new() },
            }
        })
        .collect()
}

fn found(calls: &[Made]) -> Vec<Report> {
    let mut analysis = Analysis::new(Thresholds::default(), corrections(calls));
    for (event, call) in (0_u64..).zip(calls) {
        let (output, kind) = call.failed.as_ref().map_or(("fine", FailureKind::None), |(output, kind)| (output, *kind));
        analysis.add(&Call {
            event,
            time: call.time,
            session: call.session,
            tool: Some(u32::from(call.tool == "Edit")),
            name: call.tool,
            failed: call.failed.is_some(),
            kind,
            input: &call.input,
            output,
            ..Call::FAILED
        });
    }
    analysis.finish(Vec::new());
    reports(&analysis)
}

/// The findings that say why calls failed.
fn causes(reports: &[Report]) -> impl Iterator<Item = &Report> {
    reports.iter().filter(|report| !NO_CAUSES.contains(&report.kind))
}

#[test]
fn every_failure_is_in_one_finding_and_every_count_is_right() {
    for seed in 0..100 {
        let calls: Vec<Made> = sessions(seed).concat();
        let reports = found(&calls);
        let mut told: BTreeMap<u64, &str> = BTreeMap::new();
        for report in causes(&reports) {
            assert_eq!(report.events.len(), report.occurrences as usize, "seed {seed}: {report:#?}");
            for event in &report.events {
                let other = told.insert(*event, &report.title);
                assert_eq!(other, None, "seed {seed}: event {event} is also in {}", report.title);
            }
        }
        let failed: BTreeSet<u64> =
            (0..).zip(&calls).filter(|(_, call)| call.failed.is_some()).map(|(at, _)| at).collect();
        assert_eq!(told.keys().copied().collect::<BTreeSet<_>>(), failed, "seed {seed}");
    }
}

#[test]
fn the_first_evidence_is_the_newest_and_its_line_stands_in_an_output() {
    for seed in 0..100 {
        let mut sessions = sessions(seed);
        // The files of sessions are read in an order that is not that of time.
        sessions.reverse();
        let calls: Vec<Made> = sessions.concat();
        let call = |event: u64| &calls[usize::try_from(event).unwrap()];
        for report in causes(&found(&calls)) {
            let newest = report.events.iter().max_by_key(|event| (call(**event).time, **event));
            assert_eq!(report.evidence.first().map(|(event, _)| event), newest, "seed {seed}: {report:#?}");
            let outputs = || report.events.iter().filter_map(|event| call(*event).failed.as_ref());
            for line in report.signals.iter().filter_map(|signal| signal.strip_prefix("errsig:")) {
                // Of lines that differ, a signal has what they have in common.
                let parts = || line.split('…').map(str::trim).filter(|part| !part.is_empty());
                let says = |output: &str| {
                    parts().all(|part| output.split_whitespace().collect::<Vec<_>>().join(" ").contains(part))
                };
                assert!(outputs().any(|(output, _)| says(output)), "seed {seed}: {line}");
            }
        }
    }
}

#[test]
fn the_order_of_the_sessions_changes_no_finding() {
    for seed in 0..100 {
        let sessions = sessions(seed);
        let told = |sessions: &[Vec<Made>]| {
            let calls = sessions.concat();
            let mut told: Vec<(String, String, u32)> = causes(&found(&calls))
                .map(|report| (report.id.clone(), report.title.clone(), report.occurrences))
                .collect();
            told.sort();
            told
        };
        let backwards: Vec<Vec<Made>> = sessions.iter().rev().cloned().collect();
        assert_eq!(told(&sessions), told(&backwards), "seed {seed}");
    }
}

/// Whether the failure of this number comes again later in its session.
fn comes_again(calls: &[Made], number: u64) -> bool {
    let at = usize::try_from(number).unwrap();
    let failed = &calls[at];
    let output = |call: &Made| call.failed.as_ref().map(|(output, _)| output.clone());
    calls[at + 1..].iter().any(|call| call.session == failed.session && output(call) == output(failed))
}

/// Whether a call changes something.
fn changes(call: &Made) -> bool {
    call.failed.is_none()
        && (call.tool == "Edit" || ["install", "git commit", "sed -i"].iter().any(|words| call.input.contains(words)))
}

#[test]
fn what_worked_later_is_said_only_if_the_failure_does_not_come_again() {
    let mut said = [0; 3];
    for seed in 0..400 {
        let calls: Vec<Made> = sessions(seed).concat();
        for report in causes(&found(&calls)) {
            let call = |event: &u64| &calls[usize::try_from(*event).unwrap()];
            // The calls of the session after a failure.
            let after = |event: &u64| {
                let at = usize::try_from(*event).unwrap();
                calls[at + 1..].iter().filter(|other| other.session == call(event).session).collect::<Vec<_>>()
            };
            let holds = |fits: &dyn Fn(&Made, &[&Made]) -> bool| {
                let event = |event: &u64| fits(call(event), &after(event)) && !comes_again(&calls, *event);
                report.events.iter().any(event)
            };
            if report.direction.contains("`pip install yaml`") {
                said[0] += 1;
                let installs = |_: &Made, later: &[&Made]| later.iter().any(|other| other.input == "pip install yaml");
                assert!(holds(&installs), "seed {seed}: {report:#?}");
            }
            if report.direction.contains("the agent edited") {
                said[1] += 1;
                let file = report.direction.split('`').find(|part| part.starts_with("src/")).unwrap();
                // Between the two there are edits only, of this file, which the error names unless it is that of tests.
                let edited = |failed: &Made, later: &[&Made]| {
                    let names = failed.failed.as_ref().is_some_and(|(output, _)| output.contains(file));
                    let works = later.iter().position(|other| other.input == failed.input && other.failed.is_none());
                    let mut between = later[..works.unwrap_or(0)].iter().filter(|other| changes(other)).peekable();
                    (names || report.kind == "failing_tests")
                        && between.peek().is_some()
                        && between.all(|other| other.tool == "Edit" && other.input.contains(file))
                };
                assert!(holds(&edited), "seed {seed}: {report:#?}");
            }
            if report.direction.contains(&format!("add `{OPTION}`")) {
                said[2] += 1;
                // Nothing that was changed in between explains the success better than the option.
                let alone = |failed: &Made, later: &[&Made]| {
                    let with_option = format!("{} {OPTION}", failed.input);
                    let works = later.iter().position(|other| other.input == with_option);
                    works.is_some_and(|at| !later[..at].iter().any(|other| changes(other)))
                };
                assert!(holds(&alone), "seed {seed}: {report:#?}");
            }
        }
    }
    assert!(said.iter().all(|count| *count > 4), "{said:?}");
}

#[test]
fn places_are_of_different_sessions_and_errors() {
    let mut analysis = Analysis::default();
    // The newest ten failures are of one session, and say the same.
    for (event, (session, path)) in (0..).zip([(0, "a"), (1, "b"), (1, "c")].into_iter().chain([(2, "d"); 10])) {
        let output = format!("cat: /w/{path}/x.rs: No such file or directory");
        let input = format!("cat /w/{path}/x.rs");
        analysis.add(&Call {
            event,
            session,
            input: &input,
            output: &output,
            kind: FailureKind::FileNotFound,
            ..Call::FAILED
        });
    }
    analysis.finish(Vec::new());
    let all = reports(&analysis);
    let paths =
        all.iter().find(|report| report.kind == "missing_path" && report.occurrences == 13).expect("one finding");
    let events: Vec<u64> = paths.evidence.iter().map(|(event, _)| *event).collect();
    assert_eq!(events.get(..4), Some(&[12, 2, 0, 1][..]), "the newest, other sessions, then another error: {events:?}");
    assert_eq!(events.len(), 8);
}
