//! `gephost observe --watch`: what is new in the logs goes into the run store as it is written, until it is interrupted.
//! With `--jsonl` each reading that found something is a line on standard output, until nobody reads them.

use std::collections::BTreeSet;

use std::time::Duration;

use gephost_app::Project;
use gephost_app::observe::note_unreadable;
use gephost_core::observe::{FileSummary, Format};
use gephost_runner::monotonic;
use gephost_runner::observe::{LogPaths, Unreadable};
use gephost_runner::run_store::Removed;
use gephost_runner::watch::{WakeReason, Watch};
use jiff::Timestamp;
use schemars::JsonSchema;
use serde::Serialize;

use super::page::removed_page;
use super::spelled::spelled;
use super::store::{self, Taken};
use crate::args::ObserveArguments;
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::jsonl;
use crate::output::{Output, Report, stream};
use crate::page::{Document, Page};
use crate::render::verdict::plural;

/// The shortest time between two readings.
const PAUSE: Duration = Duration::from_millis(250);
/// How many times as long as a reading took nothing is read after it: watching takes a fifth of a processor at most.
const REST: u32 = 4;
/// Most logs that a line names.
const NAMED: usize = 3;

pub(super) fn run(
    environment: &Environment,
    output: Output,
    folder: &Project,
    arguments: &ObserveArguments,
    paths: &LogPaths,
    format: Option<&'static Format>,
) -> Result<Report, Failure> {
    if paths.paths.is_empty() {
        return Err(Failure::new(Exit::Usage, "observe", "there is nothing to watch")
            .hint("name logs or folders, or set `[observe] logs` in gephost.toml"));
    }
    let failed = |error: std::io::Error| Failure::new(Exit::Failed, "watch", format!("failed to watch: {error}"));
    let mut watch = Watch::new(&paths.paths, &folder.state.root().path()).map_err(failed)?;
    let (mut stored, mut removed, mut readings, mut more) = (0, Vec::new(), 0u64, 0);
    let (mut logs, mut unreadable) = (BTreeSet::new(), BTreeSet::new());
    let mut was_whole = true;
    output.note("watching; interrupt it to end");
    loop {
        let began = monotonic::now();
        let is_whole = watch.watch_folders();
        if was_whole && !is_whole {
            output.note("warning: not every folder can be watched; all are looked at every two seconds instead");
            output.note("hint: raise fs.inotify.max_user_watches");
        }
        was_whole = is_whole;
        let mut change = store::take(
            folder,
            output,
            arguments.keep,
            &LogPaths { within: paths.within.clone(), ..LogPaths::anywhere(watch.paths()) },
            format,
            true,
        )?;
        readings += 1;
        for file in &mut change.ingested.read {
            file.path = spelled(&file.path, &paths.paths, &arguments.files);
        }
        change.ingested.unreadable.retain(|file| unreadable.insert(file.path.clone()));
        note_unreadable(&output, &change.ingested.unreadable);
        if change.ingested.stored > 0 {
            output.note(&line(&change.ingested.read, change.ingested.more, change.ingested.stored));
        }
        if arguments.jsonl
            && !is_nothing(&change)
            && !jsonl::tell(&mut stream(), &Document(ChangePage::of(&change, environment.now())))?
        {
            break;
        }
        stored += change.ingested.stored;
        more += change.ingested.more;
        logs.extend(change.ingested.read.into_iter().map(|file| file.path));
        removed.extend(change.removed);
        let pause = PAUSE.max(began.elapsed().saturating_mul(REST));
        if watch.wait(pause, &environment.interrupted).map_err(failed)? == WakeReason::Stopped {
            break;
        }
    }
    if arguments.jsonl {
        return Ok(Report::printed());
    }
    Ok(Report::of(&WatchPage { readings, logs, more, unreadable, stored, removed }))
}

/// The result of watching logs.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct WatchPage {
    /// How often the logs were read.
    readings: u64,
    /// Logs that changed.
    logs: BTreeSet<String>,
    /// Logs that changed beside those in `logs`, in readings that found too many to list. A log counts once in each reading.
    more: u64,
    /// Logs that could not be read.
    unreadable: BTreeSet<String>,
    /// Events that are new in the run store.
    stored: u64,
    /// Files of the run store that were removed because of their age.
    removed: Vec<Removed>,
}

impl Page for WatchPage {
    const KIND: &'static str = "observe_watch";

    fn text(&self) -> String {
        let (stored, logs) = (self.stored, self.logs.len() as u64 + self.more);
        format!(
            "{stored} new {} stored of {logs} {}\n{}",
            plural(stored, "event"),
            plural(logs, "log"),
            removed_page(&self.removed)
        )
    }
}

/// One reading that found something: a line of `--watch --jsonl`.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ChangePage<'a> {
    /// When (RFC 3339).
    at: String,
    /// Events that are new in the run store.
    stored: u64,
    /// Logs that changed, each with the numbers of all that is in it.
    files: &'a [FileSummary],
    /// Logs that changed beside those in `files`, which has the first ten thousand.
    more: u64,
    /// Logs that could not be read, for the first time.
    unreadable: &'a [Unreadable],
    /// Files of the run store that were removed because of their age.
    removed: &'a [Removed],
}

impl<'a> ChangePage<'a> {
    fn of(Taken { ingested, removed }: &'a Taken, now: Timestamp) -> Self {
        Self {
            at: now.to_string(),
            stored: ingested.stored,
            files: &ingested.read,
            more: ingested.more,
            unreadable: &ingested.unreadable,
            removed,
        }
    }
}

impl Page for ChangePage<'_> {
    const KIND: &'static str = "observe_change";

    fn text(&self) -> String {
        line(self.files, self.more, self.stored)
    }
}

/// What one reading found, in one line. `more` logs changed beside those in `read`.
fn line(read: &[FileSummary], more: u64, stored: u64) -> String {
    let shown = read.iter().take(NAMED).map(|file| file.path.as_str()).collect::<Vec<_>>().join(", ");
    let more = read.len().saturating_sub(NAMED) as u64 + more;
    let rest = if more > 0 { format!(" and {more} more") } else { String::new() };
    format!("{stored} new {} of {shown}{rest}", plural(stored, "event"))
}

/// Whether no log has changed.
fn is_nothing(Taken { ingested, removed }: &Taken) -> bool {
    ingested.read.is_empty() && ingested.unreadable.is_empty() && removed.is_empty()
}

#[cfg(test)]
mod tests {
    use gephost_runner::ingest::Ingested;

    use super::*;

    #[test]
    fn logs_that_are_too_many_to_list_are_counted() {
        let log = |path: &str| FileSummary { path: path.to_owned(), ..FileSummary::default() };
        let of = |names: &[&str], more| {
            let ingested =
                Ingested { read: names.iter().map(|name| log(name)).collect(), more, stored: 2, ..Ingested::default() };
            let taken = Taken { ingested, removed: Vec::new() };
            let page = ChangePage::of(&taken, Timestamp::UNIX_EPOCH);
            (page.more, page.text())
        };
        assert_eq!(of(&["a", "b"], 0), (0, "2 new events of a, b".to_owned()));
        assert_eq!(of(&["a", "b", "c", "d"], 0), (0, "2 new events of a, b, c and 1 more".to_owned()));
        assert_eq!(of(&["a", "b", "c", "d"], 5), (5, "2 new events of a, b, c and 6 more".to_owned()));
    }
}
