//! Logs in, findings out: which groups are named, how they are weighed, and in which order.

use crate::report::{Importance, Report, reports};
use crate::tally::{Call, MAX_EVIDENCE, MAX_GROUPS, Tally};

/// A call by tool, input, and the output of a failure (`None`: it passed).
type Step<'a> = (&'a str, &'a str, Option<&'a str>);

fn tally(steps: &[Step<'_>]) -> Tally {
    let mut tally = Tally::default();
    for (event, (tool, input, failed)) in steps.iter().enumerate() {
        tally.add(&Call {
            event: event as u64,
            tool: (!tool.is_empty()).then_some(*tool),
            failed: failed.is_some(),
            signature: failed.map(|output| output.bytes().fold(1, |sum, byte| sum * 31 % 65_521 + u32::from(byte))),
            kind: failed.filter(|output| output.contains("No module")).map(|_| "missing_module"),
            input,
            output: failed.unwrap_or("fine"),
        });
    }
    tally
}

fn found(steps: &[Step<'_>]) -> Vec<Report> {
    reports(&tally(steps))
}

fn tool<'a>(reports: &'a [Report], id: &str) -> &'a Report {
    reports.iter().find(|report| report.id == id).unwrap_or_else(|| panic!("no {id} in {reports:?}"))
}

#[test]
fn one_failing_call_is_a_finding() {
    let reports = found(&[("Bash", "python3 -c 1", Some("x\nModuleNotFoundError: No module named 'a'\n"))]);
    assert_eq!(reports.len(), 2, "the tool and the error");
    let report = tool(&reports, "tool-failures:Bash");
    assert_eq!(report.title, "Bash failed in 1 of 1 calls");
    assert_eq!(report.importance, Importance::Medium);
    assert_eq!(report.evidence, [(0, "ModuleNotFoundError: No module named 'a'".to_owned())]);
    assert_eq!(report.signals, ["log_error", "errsig:ModuleNotFoundError: No module named 'a'", "missing_module"]);
    let error = reports.iter().find(|report| report.kind == "error_signature").expect("there is one");
    assert_eq!(error.title, "seen once in Bash: ModuleNotFoundError: No module named 'a'");
    let digits = error.id.strip_prefix("error-signature:").expect("the kind is in the id");
    assert!(digits.len() == 8 && digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
}

#[test]
fn no_failure_is_no_finding() {
    assert_eq!(found(&[]), []);
    assert_eq!(found(&[("Bash", "ls", None), ("Read", "a", None)]), []);
}

#[test]
fn an_old_single_failure_of_a_tool_is_left_to_its_error() {
    let reports = found(&[("Bash", "a", Some("ValueError: x")), ("Bash", "b", None)]);
    assert!(reports.iter().all(|report| report.kind == "error_signature"));
}

#[test]
fn a_call_that_passed_later_is_recovered() {
    let failed = [("Bash", "make", Some("error: x")), ("Bash", "make ", None)];
    assert!(found(&failed).iter().all(|report| report.importance == Importance::Info));
    let other = [("Bash", "make", Some("error: x")), ("Bash", "ls", None)];
    assert!(found(&other).iter().all(|report| report.importance > Importance::Info));
    let silent = [("Bash", "", Some("error: x")), ("Bash", "", None)];
    assert!(found(&silent).iter().all(|report| report.importance > Importance::Info), "no input, no identity");
    let again = [("Bash", "make", Some("error: x")), ("Bash", "make", None), ("Bash", "make", Some("error: x"))];
    assert_eq!(tool(&found(&again), "tool-failures:Bash").importance, Importance::High, "it fails again");
}

#[test]
fn importance_follows_recency_rate_and_recurrence() {
    let pass = |count: usize| std::iter::repeat_n(("Bash", "ok", None), count);
    let fail = |count: usize| std::iter::repeat_n(("Bash", "make", Some("error: x")), count);
    let weigh = |steps: Vec<Step<'_>>| tool(&found(&steps), "tool-failures:Bash").importance;
    assert_eq!(weigh(pass(9).chain(fail(1)).collect()), Importance::Medium);
    assert_eq!(weigh(pass(1).chain(fail(2)).collect()), Importance::High);
    assert_eq!(weigh(pass(30).chain(fail(3)).collect()), Importance::High);
    assert_eq!(weigh(fail(2).chain(pass(1)).collect()), Importance::Medium);
    assert_eq!(weigh(fail(2).chain(pass(40)).collect()), Importance::Low);
    let reports = found(&fail(3).collect::<Vec<_>>());
    assert!(reports.iter().all(|report| report.signals.contains(&"recurring_error".to_owned())));
}

#[test]
fn confidence_grows_and_never_reaches_certainty() {
    let sure = |count: usize| {
        let steps: Vec<Step<'_>> = std::iter::repeat_n(("Bash", "make", Some("error: x")), count).collect();
        tool(&found(&steps), "tool-failures:Bash").confidence
    };
    assert!((sure(1) - 0.95 * 2.0 / 3.0).abs() < 1e-9);
    assert!(sure(1) < sure(2) && sure(2) < sure(1000) && sure(1000) < 0.95);
}

#[test]
fn the_most_important_stands_first_and_order_is_stable() {
    let steps = [
        ("Edit", "a", Some("error: a")),
        ("Edit", "a", None),
        ("Bash", "b", Some("error: b")),
        ("Bash", "b", Some("error: b")),
        ("Bash", "b", Some("error: b")),
        ("", "", Some("ApiError: overloaded")),
    ];
    let reports = found(&steps);
    assert!(reports.is_sorted_by(|a, b| a.importance >= b.importance));
    assert_eq!(reports, found(&steps));
    let exception = reports.iter().find(|report| report.title.contains("overloaded")).expect("exceptions are grouped");
    assert_eq!(exception.title, "seen once: ApiError: overloaded");
}

#[test]
fn memory_is_bounded_and_what_is_left_out_is_counted() {
    let names: Vec<String> = (0..MAX_GROUPS + 10).map(|number| format!("tool{number}")).collect();
    let steps: Vec<Step<'_>> = names.iter().map(|name| (name.as_str(), "", Some("error: x"))).collect();
    let tally = tally(&steps);
    assert_eq!(tally.tools().count(), MAX_GROUPS);
    assert_eq!(tally.left_out(), 10);
    assert!(tally.signatures().all(|(_, group)| group.newest.len() <= MAX_EVIDENCE));
}

#[test]
fn ids_and_titles_keep_the_contract_s_bounds() {
    let name = "é".repeat(500);
    let line = format!("Error: {}", "ü".repeat(2000));
    for report in found(&[(&name, "x", Some(&line))]) {
        assert!(report.id.len() <= 200, "{}", report.id.len());
        assert!(report.title.chars().count() <= 200);
        assert!(report.evidence.iter().all(|(_, line)| line.chars().count() <= 500));
        assert!(report.evidence.len() <= 32);
    }
}
