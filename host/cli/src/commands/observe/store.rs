//! `gephost observe` for the project's own logs: what is new goes into the run store.

use std::fmt::Write as _;

use gephost_app::Project;
use gephost_app::observe::note_unreadable;
use gephost_core::observe::{FileSummary, Format};
use gephost_runner::ingest::{IngestError, Ingested, Options, ingest};
use gephost_runner::observe::LogPaths;
use gephost_runner::run_store::{Removed, RunStore, first_day};
use serde_json::{Value, json};

use super::{page, spelled};
use crate::args::ObserveArguments;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::{Output, Report};
use crate::progress;
use crate::render::verdict::plural;

pub(super) fn run(
    folder: &Project,
    output: Output,
    arguments: &ObserveArguments,
    paths: &LogPaths,
    format: Option<&'static Format>,
) -> Result<Report, Failure> {
    let Taken { mut ingested, removed } = take(folder, output, arguments.keep, paths, format, false)?;
    for file in &mut ingested.read {
        file.path = spelled(&file.path, &paths.paths, &arguments.files);
    }
    note_unreadable(&output, &ingested.unreadable);
    let document = json!({
        "schema": "gephost.observe/1",
        "files": ingested.read,
        "more": ingested.more,
        "more_total": total(&ingested.more_summary),
        "unreadable": ingested.unreadable,
        "unchanged": ingested.unchanged,
        "unchanged_total": total(&ingested.unchanged_summary),
        "stored": ingested.stored,
        "removed": removed,
    });
    let mut text = page(&ingested.read);
    if ingested.more > 0 {
        let calls = ingested.more_summary.events.tool_start;
        let _ = writeln!(
            text,
            "{} more {} read, with {calls} tool {}",
            ingested.more,
            plural(ingested.more, "log"),
            plural(calls, "call")
        );
    }
    if ingested.unchanged > 0 {
        let _ = writeln!(text, "{} {} unchanged", ingested.unchanged, plural(ingested.unchanged, "log"));
    }
    let _ = writeln!(text, "{} new {} stored", ingested.stored, plural(ingested.stored, "event"));
    text.push_str(&removed_page(&removed));
    Ok(Report { exit: Exit::Done, document, text })
}

/// The numbers of many logs.
fn total(summary: &FileSummary) -> Value {
    json!({ "events": summary.events, "flagged": summary.flagged, "outcomes": summary.outcomes })
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
