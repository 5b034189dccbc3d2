//! `gephost observe` for the project's own logs: what is new goes into the run store.

use gephost_app::Project;
use gephost_app::observe::note_unreadable;
use gephost_core::observe::Format;
use gephost_runner::ingest::{IngestError, Ingested, Options, ingest};
use gephost_runner::observe::LogPaths;
use gephost_runner::run_store::{Removed, RunStore, first_day};

use super::page::{LogTotal, MoreLogs, ObservePage, StoredPart};
use super::spelled::spelled;
use crate::args::ObserveArguments;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::Output;
use crate::progress;

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
    let ingested = progress::during(output.quiet(), |meter| {
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
