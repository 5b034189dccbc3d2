//! What a gene asked of the host and what it got, for a person.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use gephost_app::gene_call::GeneCall;
use gephost_core::recording::{AuditEntry, Decision};
use schemars::JsonSchema;
use serde::Serialize;

use super::style::{bad, bold, dim, printable};
use super::verdict::plural;

/// The most requests that are shown of one call.
const SHOWN: usize = 100;

/// One call: what it was refused first, since that is what one looks for, then what it got.
pub(crate) fn call(call: &GeneCall) -> String {
    let audit = &call.audit;
    let recording = call.recording.as_deref().unwrap_or("not recorded");
    let mut text = format!(
        "{}  {} {}  {}\n",
        bold("Asked for "),
        call.gene,
        call.function,
        dim(format!("{} {}, {recording}", audit.len(), plural(audit.len(), "request")))
    );
    let (granted, refused): (Vec<_>, Vec<_>) =
        audit.entries.iter().partition(|entry| entry.decision == Decision::Granted);
    for entry in refused.iter().chain(&granted).take(SHOWN) {
        text.push_str(&request(entry));
    }
    let more = audit.len().saturating_sub(SHOWN.min(audit.entries.len()) as u64);
    if more > 0 {
        let _ = writeln!(
            text,
            "  {}",
            dim(format!("and {more} more: `--json` and `--audit FILE` have them{}", counts(&audit.omitted)))
        );
    }
    text
}

/// What one call asked of the host.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct CallAudit<'a> {
    /// The gene's id.
    gene: &'a str,
    /// `diagnose` or `propose`.
    function: &'a str,
    /// Name of the recording, if one is kept.
    recording: Option<&'a str>,
    /// The requests, in order.
    requests: &'a [AuditEntry],
    /// Number of requests beside those, by decision.
    omitted: &'a BTreeMap<Decision, u64>,
}

/// The document of what a call asked.
pub(crate) fn document(call: &GeneCall) -> CallAudit<'_> {
    CallAudit {
        gene: &call.gene,
        function: call.function,
        recording: call.recording.as_deref(),
        requests: &call.audit.entries,
        omitted: &call.audit.omitted,
    }
}

/// One request, on a line.
fn request(entry: &AuditEntry) -> String {
    let word = entry.decision.as_str();
    let word = if entry.decision == Decision::Granted { format!("{word:<9}") } else { bad(format!("{word:<9}")) };
    let mut text = format!("  {word} {}.{} {}", entry.capability, entry.function, printable(&entry.target));
    if entry.bytes > 0 {
        let _ = write!(text, "  {}", dim(format!("{} bytes", entry.bytes)));
    }
    if let Some(rule) = &entry.rule {
        let _ = write!(text, "\n            {}", dim(printable(rule)));
    }
    text.push('\n');
    text
}

fn counts(omitted: &BTreeMap<Decision, u64>) -> String {
    if omitted.is_empty() {
        return String::new();
    }
    let counts: Vec<String> =
        omitted.iter().map(|(decision, count)| format!("{count} {}", decision.as_str())).collect();
    format!("; too many to keep: {}", counts.join(", "))
}
