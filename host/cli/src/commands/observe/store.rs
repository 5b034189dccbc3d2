//! `gephost observe` for the project's own logs: what is new goes into the run store.

use std::fmt::Write as _;

use gephost_app::Project;
use gephost_app::observe::note_unreadable;
use gephost_core::observe::{EventCounts, FileSummary, Format, OutcomeCounts};
use gephost_runner::ingest::{IngestError, Ingested, Options, ingest};
use gephost_runner::observe::LogPaths;
use gephost_runner::run_store::{Removed, RunStore, first_day};
use schemars::JsonSchema;
use serde::Serialize;

use super::{ObservePage, spelled};
use crate::args::ObserveArguments;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::Output;
use crate::progress;
use crate::render::verdict::plural;

pub(super) fn run(
    folder: &Project,
    output: Output,
    arguments: &ObserveArguments,
    paths: &LogPaths,
    format: Option<&'static Format>,
) -> Result<ObservePage, Failure> {
    let Taken { mut ingested, removed } = take(folder, output, arguments.keep, paths, format, false)?;
    for file in &mut ingested.read {
        file.path = spelled(&file.path, &paths.paths, &arguments.files);
    }
    note_unreadable(&output, &ingested.unreadable);
    Ok(ObservePage {
        files: ingested.read,
        more: Some(MoreLogs { more: ingested.more, more_total: LogTotal::of(&ingested.more_summary) }),
        unreadable: ingested.unreadable,
        stored: Some(StoredPart {
            unchanged: ingested.unchanged,
            unchanged_total: LogTotal::of(&ingested.unchanged_summary),
            stored: ingested.stored,
            removed,
        }),
        calls: None,
    })
}

/// Logs that were read and are too many to list.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct MoreLogs {
    /// Logs that were read beside those in `files`.
    more: u64,
    /// Their numbers.
    more_total: LogTotal,
}

impl MoreLogs {
    pub(super) fn text(&self) -> String {
        if self.more == 0 {
            return String::new();
        }
        let calls = self.more_total.events.tool_start;
        let (logs, noun) = (plural(self.more, "log"), plural(calls, "call"));
        format!("{} more {logs} read, with {calls} tool {noun}\n", self.more)
    }
}

/// What came into the run store, and what left it.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct StoredPart {
    /// Logs that had not changed.
    unchanged: u64,
    /// Their numbers.
    unchanged_total: LogTotal,
    /// Events that are new in the run store.
    stored: u64,
    /// Files of the run store that were removed because of their age.
    removed: Vec<Removed>,
}

/// The numbers of many logs.
#[derive(Debug, Serialize, JsonSchema)]
struct LogTotal {
    /// Events by type.
    events: EventCounts,
    /// Ends that the logs themselves mark as failed, and exceptions.
    flagged: u64,
    /// Tool calls by outcome.
    outcomes: OutcomeCounts,
}

impl LogTotal {
    fn of(summary: &FileSummary) -> Self {
        Self { events: summary.events, flagged: summary.flagged, outcomes: summary.outcomes }
    }
}

impl StoredPart {
    pub(super) fn text(&self) -> String {
        let mut text = String::new();
        if self.unchanged > 0 {
            let _ = writeln!(text, "{} {} unchanged", self.unchanged, plural(self.unchanged, "log"));
        }
        let _ = writeln!(text, "{} new {} stored", self.stored, plural(self.stored, "event"));
        text.push_str(&removed_page(&self.removed));
        text
    }
}

/// What came into the store, and what left it.
pub(super) struct Taken {
    pub(super) ingested: Ingested,
    pub(super) removed: Vec<Removed>,
}

/// Takes what is new in the logs into the store, and what is older than `keep` days, or than the config says, out of it.
pub(super) fn take(
    folder: &Project,
    output: Output,
    keep: Option<u32>,
    paths: &LogPaths,
    format: Option<&'static Format>,
    absent_is_empty: bool,
) -> Result<Taken, Failure> {
    folder.create_state()?;
    let config = &folder.config.file.observe;
    let keep = keep.unwrap_or(config.keep_days);
    let now = folder.environment.now();
    let first = (keep > 0).then(|| first_day(now, keep));
    let (log_max_chars, first_day) = (config.log_max_chars, first.as_deref());
    let ingested = progress::during(output, |meter| {
        let options = Options { format, now, log_max_chars, first_day, absent_is_empty, meter };
        ingest(folder.state.root(), paths, &options, folder.config.policy.redactor())
    });
    let ingested = ingested.map_err(|error| failed(&error))?;
    let removed = match &first {
        Some(first) => RunStore::new(folder.state.root())
            .remove_before(first)
            .map_err(|error| Failure::new(Exit::Failed, "run_store", error.to_string()))?,
        None => Vec::new(),
    };
    Ok(Taken { ingested, removed })
}

fn failed(error: &IngestError) -> Failure {
    match error {
        IngestError::Observe(_) => Failure::new(Exit::Usage, "observe", error.to_string()),
        IngestError::Store(_) | IngestError::Index { .. } => Failure::new(Exit::Failed, "run_store", error.to_string()),
    }
}

pub(super) fn removed_page(removed: &[Removed]) -> String {
    let mut text = String::new();
    for file in removed {
        let _ = writeln!(text, "removed {}/{}.jsonl, {} bytes", file.session, file.day, file.bytes);
    }
    text
}
