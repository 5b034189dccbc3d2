//! The gate's verdict, and a diff.

use std::fmt::Write as _;

use gephost_core::gate::{Decision, Severity, Verdict, Violation};

use super::style::{bad, bold, dim, good, note, printable};

/// The verdict, layer by layer.
pub(crate) fn verdict(verdict: &Verdict) -> String {
    let mut text = String::new();
    let word = match verdict.decision() {
        Decision::Pass => good("pass"),
        Decision::Reject => bad("reject"),
    };
    let layers: Vec<String> = verdict
        .layers()
        .iter()
        .map(|layer| {
            let name = layer.layer;
            match (layer.ran, layer.passed) {
                (false, _) => dim(format!("{name} not run")),
                (true, true) => format!("{name} {}", good("ok")),
                (true, false) => format!("{name} {}", bad("no")),
            }
        })
        .collect();
    let _ = writeln!(text, "{}  {word}  {}", bold("Gate      "), layers.join(", "));
    let radius = verdict.blast_radius();
    let _ = writeln!(
        text,
        "            {} {}, {} {}, risk {} of 100",
        radius.files,
        plural(radius.files, "file"),
        radius.lines,
        plural(radius.lines, "line"),
        verdict.risk().score
    );
    for violation in verdict.violations() {
        let _ = write!(text, "{}", self::violation(violation));
    }
    text
}

fn violation(violation: &Violation) -> String {
    let word = match violation.severity {
        Severity::Reject => bad("reject"),
        Severity::Flag => note("flag"),
    };
    let mut text = format!("  {word} {}  {}\n", dim(&violation.rule), printable(&violation.to_string()));
    if !violation.hint.is_empty() {
        let _ = writeln!(text, "         {}", dim(printable(&violation.hint)));
    }
    text
}

/// A diff, coloured.
pub(crate) fn diff(diff: &str) -> String {
    let mut text = String::new();
    for line in diff.lines() {
        let line = printable(line);
        let line = match line.bytes().next() {
            Some(b'+') => good(&line),
            Some(b'-') => bad(&line),
            Some(b'@') => note(&line),
            Some(b' ') => line,
            _ => bold(&line),
        };
        let _ = writeln!(text, "  {line}");
    }
    text
}

/// A noun in the form that its number needs.
pub(crate) fn plural(count: u64, noun: &str) -> String {
    if count == 1 { noun.to_owned() } else { format!("{noun}s") }
}
