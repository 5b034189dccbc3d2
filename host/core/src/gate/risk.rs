//! The layer `risk`: a score for how much could go wrong, with its addends. It is computed from the change and the
//! gene's history; the proposal's own claim of its risk does not count.
//!
//! The score is the sum of these addends, at most 100:
//!
//! | addend | points | at most |
//! |---|---|---|
//! | `lines` | 1 for each 20 changed lines | 20 |
//! | `files` | 2 for each file after the first | 15 |
//! | `code` | 10 for code, 5 for tests only | 10 |
//! | `deletions` | 5 for each deleted file | 15 |
//! | `executables` | 10 for each file that becomes executable | 20 |
//! | `flags` | 8 for each other violation that is only flagged | 32 |
//! | `weakened` | 35 if a test is weakened and only flagged, however often | 35 |
//! | `person` | 31 if a flagged violation is for a person to judge | 31 |
//! | `rejections` | 25 for each violation that rejects | 75 |
//! | `validation` | 10 if no command validates it: neither a recorded one, nor the operator's, nor its own | 10 |
//! | `history` | 20 × (failures + 1) / (tries + 2) | 20 |
//!
//! What must stay true: more of any addend never lowers the score, and a successful try never raises it.

use super::layer::Layer;
use super::measured::{GeneHistory, Risk, RiskPart};
use super::resolve::Resolved;
use super::review::Review;
use super::{ApprovedChange, FileMode, Severity, Violation, patterns};

pub(super) const LAYER: Layer =
    Layer { name: "risk", purpose: "The computed risk is within the policy's bound.", check };

/// The addend for tests that are weakened.
pub(super) const WEAKENED: &str = "weakened";

/// Computes the risk from everything found and measured, and compares it with the bound.
fn check(review: &mut Review<'_>) -> Option<Vec<Violation>> {
    let risk = score(review, review.resolved.as_ref()?);
    let violations = over_bound(&risk, review.policy.table().max_risk);
    review.measured.risk = risk;
    Some(violations)
}

fn score(review: &Review<'_>, resolved: &Resolved) -> Risk {
    let changes = &resolved.changes;
    let (violations, radius) = (&review.found, review.measured.blast_radius);
    let flags = violations.iter().filter(|violation| violation.severity == Severity::Flag).count();
    let rejections = violations.len() - flags;
    let weakening = review.measured.weakening;
    let parts = [
        part("lines", radius.lines.div_ceil(20), 20, format!("changed lines: {}", radius.lines)),
        part("files", radius.files.saturating_sub(1) * 2, 15, format!("files: {}", radius.files)),
        code(changes),
        counted("deletions", 5, 15, changes.iter().filter(|change| change.after.is_none()).count(), "deleted files"),
        counted(
            "executables",
            10,
            20,
            changes.iter().filter(|change| becomes_executable(change)).count(),
            "files made executable",
        ),
        counted("flags", 8, 32, flags.saturating_sub(weakening), "flagged violations"),
        weakened(weakening > 0),
        for_a_person(violations),
        counted("rejections", 25, 75, rejections, "rejecting violations"),
        unvalidated(review),
        history_part(review.history),
    ];
    let parts: Vec<RiskPart> = parts.into_iter().filter(|part| part.points > 0).collect();
    let sum: u64 = parts.iter().map(|part| u64::from(part.points)).sum();
    Risk { score: points(sum, 100), parts }
}

/// A weakened test is more than autopilot applies by default, so that a person looks at it.
fn weakened(weakens: bool) -> RiskPart {
    part(WEAKENED, if weakens { 35 } else { 0 }, 35, "a test checks less, or may not run".to_owned())
}

/// The violation for a score above the policy's bound.
fn over_bound(risk: &Risk, max_risk: u8) -> Vec<Violation> {
    if risk.score <= max_risk {
        return Vec::new();
    }
    let mut parts: Vec<String> = risk.parts.iter().map(|part| format!("{} {}", part.name, part.points)).collect();
    parts.sort_unstable();
    let message = format!("the computed risk {} is above `max_risk` {max_risk} ({})", risk.score, parts.join(", "));
    vec![Violation::reject("max-risk", message, "make the change smaller or simpler")]
}

fn points(sum: u64, cap: u8) -> u8 {
    u8::try_from(sum).unwrap_or(u8::MAX).min(cap)
}

fn part(name: &'static str, sum: u64, cap: u8, why: String) -> RiskPart {
    RiskPart { name, points: points(sum, cap), why }
}

fn counted(name: &'static str, each: u64, cap: u8, count: usize, what: &str) -> RiskPart {
    part(name, each.saturating_mul(count as u64), cap, format!("{what}: {count}"))
}

/// Code is riskier than prose, and code outside of tests riskier than tests.
fn code(changes: &[ApprovedChange]) -> RiskPart {
    let code: Vec<_> = changes.iter().filter(|change| patterns::is_code(change)).collect();
    let product = code.iter().any(|change| !patterns::is_test_file(change));
    let (sum, why) = match (code.is_empty(), product) {
        (true, _) => (0, "prose and data only"),
        (false, false) => (5, "tests only"),
        (false, true) => (10, "code"),
    };
    part("code", sum, 10, why.to_owned())
}

/// One point more than autopilot applies by default.
fn for_a_person(violations: &[Violation]) -> RiskPart {
    let flagged = violations.iter().filter(|violation| violation.severity == Severity::Flag);
    let asks = flagged.into_iter().any(|violation| patterns::asks_a_person(&violation.rule));
    let why = "a flagged violation is for a person to judge".to_owned();
    part("person", if asks { 31 } else { 0 }, 31, why)
}

fn becomes_executable(change: &ApprovedChange) -> bool {
    let is = |state: &super::BlobState| state.mode == FileMode::Executable;
    change.after.as_ref().is_some_and(is) && !change.before.as_ref().is_some_and(is)
}

fn unvalidated(review: &Review<'_>) -> RiskPart {
    let parsed = review.parsed;
    let names_none = parsed.proposal().tests_to_run.is_empty() && review.policy.commands().is_empty();
    let none = names_none && !parsed.is_recorded();
    part("validation", if none { 10 } else { 0 }, 10, "no command validates it".to_owned())
}

/// Laplace-smoothed failures: 10 points for an unknown gene, up to 20 for one that always failed.
fn history_part(history: GeneHistory) -> RiskPart {
    let tries = u64::from(history.tries);
    let failures = tries.saturating_sub(u64::from(history.successes));
    let why = format!("{} of {tries} earlier tries succeeded", history.successes.min(history.tries));
    part("history", 20 * (failures + 1) / (tries + 2), 20, why)
}
