//! Wrong calls of one program, of which one call in the end does what all of them were to do.

use gephost_gene::run_log::{Correction, Difference, FailureKind};

use crate::analysis::Analysis;
use crate::call::Call;
use crate::findings::reports;
use crate::report::Report;
use crate::thresholds::Thresholds;

const UNKNOWN: &str =
    "Unknown command \"hook\" for \"pay\". Did you mean \"hook_points\"?\nIf not, see \"pay --help\".";
const EVENTS: &str =
    "{\n  \"error\": {\n    \"message\": \"Invalid events[0]: must be one of a.made, a.gone\",\n  }\n}";
const EXPANDED: &str = "{\n  \"error\": {\n    \"message\": \"This property cannot be expanded (checkout).\",\n  }\n}";
/// Attempts at the same.
const ATTEMPTS: [(&str, &str); 3] = [
    ("pay hook points create \\\n  --url=a", UNKNOWN),
    ("pay hook_points create \\\n  --url=a --events b", EVENTS),
    ("pay hook_points create \\\n  --url=a", EXPANDED),
];
const WORKED: &str = "pay hook_points create \\\n  -d url=a";

/// The findings about these calls, and one that worked. What was different in it is told of each.
fn found(calls: &[(&str, &str)], worked: &str, difference: Difference) -> Vec<Report> {
    let after = worked.rsplit("  ").next().unwrap_or_default();
    let made = |(failed, (input, _)): (u64, &(&str, &str))| Correction {
        failed,
        worked: calls.len() as u64,
        difference,
        before: input.rsplit("  ").next().unwrap_or_default().to_owned(),
        after: after.to_owned(),
    };
    let mut analysis = Analysis::new(Thresholds::default(), (0..).zip(calls).map(made).collect());
    for (event, (input, output)) in (0..).zip(calls.iter().chain(&[(worked, "")])) {
        let failed = !output.is_empty();
        let kind = if failed { FailureKind::ExitNonzero } else { FailureKind::None };
        analysis.add(&Call { event, tool: Some(0), name: "Bash", failed, kind, input, output, ..Call::FAILED });
    }
    analysis.finish(Vec::new());
    reports(&analysis)
}

#[test]
fn attempts_at_one_call_are_one_finding_that_tells_it() {
    let reports = found(&ATTEMPTS, WORKED, Difference::Options);
    assert_eq!(reports.len(), 1, "{reports:#?}");
    let report = &reports[0];
    assert_eq!((report.kind, report.events.as_slice()), ("called_wrongly", [0, 1, 2].as_slice()));
    assert_eq!(report.title, "`pay` is called in wrong ways");
    assert!(report.direction.contains("Did you mean \"hook_points\"?"), "{}", report.direction);
    assert!(
        report.direction.ends_with("use `-d url=a` instead of `--url=a`: that worked next"),
        "{}",
        report.direction
    );
}

#[test]
fn other_words_of_the_call_that_worked_are_told() {
    let said = found(&ATTEMPTS, WORKED, Difference::Input).remove(0).direction;
    assert!(said.ends_with("use `-d url=a` instead of `--url=a`: that worked next"), "{said}");
    let script = "pay hook_points create \\\n  'a\nb'";
    let said = found(&ATTEMPTS, script, Difference::Input).remove(0).direction;
    assert!(!said.contains("worked next"), "a text of several lines is none of the advice: {said}");
}

#[test]
fn errors_without_a_complaint_or_a_common_cure_stay_apart() {
    let is_joined = |calls: &[(&str, &str)], difference| {
        let reports = found(calls, WORKED, difference);
        reports.iter().any(|report| report.kind == "called_wrongly")
    };
    assert!(is_joined(&ATTEMPTS, Difference::Subcommand));
    assert!(!is_joined(&ATTEMPTS, Difference::Repeated), "the same call worked, so it was not wrong");
    assert!(!is_joined(&ATTEMPTS, Difference::Directory), "what was wrong was the folder");
    assert!(!is_joined(&ATTEMPTS[1..], Difference::Options), "nothing says that the call was wrong");
    assert!(!is_joined(&[ATTEMPTS[0], ("other create --url=a", EXPANDED)], Difference::Options), "two programs");
}
