//! The steps of a repair of several layers, for a person.

use std::fmt::Write as _;

use gephost_core::contest::Step;
use gephost_core::redact::clip;

use super::style::{bold, dim, good, printable};

/// The most bytes that are shown of a line which names a failure.
const SHOWN_FAILURE: usize = 160;

/// Each step, with the failure that shows after it; `holds` says whether the last one passes.
pub(crate) fn page(steps: &[Step], holds: bool) -> String {
    let mut text = String::new();
    for (at, step) in steps.iter().enumerate() {
        let label = if at == 0 { bold("Steps     ") } else { " ".repeat(10) };
        let _ = writeln!(text, "{label}  {}. {}", at + 1, printable(&step.title));
        let then = match &step.then_fails {
            Some(failure) => dim(format!("now fails with: {}", printable(&clip(failure, SHOWN_FAILURE)))),
            None if holds => good("passes"),
            None => continue,
        };
        let _ = writeln!(text, "               {then}");
    }
    text
}

/// Why no further step was built on a candidate.
pub(crate) fn no_further(reason: Option<&str>) -> String {
    reason.map(|reason| format!("{}  {}\n", bold("No further"), printable(reason))).unwrap_or_default()
}
