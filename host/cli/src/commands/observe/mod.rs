//! `gephost observe`: what is in the logs, file by file, and call by call with `--calls`.

mod calls;
mod discover;
mod otlp;
mod store;
mod watch;

pub(crate) use discover::DiscoverPage;
pub(crate) use otlp::ReceivedPage;
pub(crate) use watch::{ChangePage, WatchPage};

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use gephost_app::Project;
use gephost_app::observe::{note_unreadable, observe_failed};
use gephost_core::observe::{FORMATS, FileSummary, Format, UNKNOWN_FORMAT, by_name};
use gephost_core::run_event::Usage;
use gephost_runner::observe::{self, LogItem, Unreadable};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use schemars::JsonSchema;
use serde::Serialize;

use super::own_sessions;
use crate::args::ObserveArguments;
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::{Output, Report};
use crate::page::Page;
use crate::progress;
use crate::render::cycle;
use crate::render::verdict::plural;
use calls::{Call, Calls};
use store::{MoreLogs, StoredPart};

pub(super) fn run(environment: &Environment, output: Output, arguments: &ObserveArguments) -> Result<Report, Failure> {
    let folder = Project::open(environment)?;
    if let Some(address) = &arguments.otlp {
        return otlp::run(environment, output, &folder, address, arguments.beyond_loopback);
    }
    if arguments.discover {
        return discover::run(environment, output, &folder, arguments);
    }
    if !arguments.watch {
        own_sessions::settle(output, &folder, &arguments.files, arguments.yes, "gephost observe --yes");
    }
    match read_logs(environment, output, &folder, arguments)? {
        ReadLogs::Page(page) => Ok(Report::of(&*page)),
        ReadLogs::Report(report) => Ok(report),
    }
}

/// What is in logs.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ObservePage {
    /// The logs that were read, in the order of their names.
    files: Vec<FileSummary>,
    /// If the run store was filled, the logs beside those in `files`.
    #[serde(flatten)]
    more: Option<MoreLogs>,
    /// Logs that could not be read.
    unreadable: Vec<Unreadable>,
    /// If the run store was filled, what came into it.
    #[serde(flatten)]
    stored: Option<StoredPart>,
    /// Every tool call, with `--calls`.
    #[serde(skip_serializing_if = "Option::is_none")]
    calls: Option<Vec<Call>>,
}

impl Page for ObservePage {
    const KIND: &'static str = "observe";

    fn text(&self) -> String {
        let mut text = page(&self.files);
        text.push_str(&self.calls.as_deref().map(calls::page).unwrap_or_default());
        text.push_str(&self.more.as_ref().map(MoreLogs::text).unwrap_or_default());
        text.push_str(&self.stored.as_ref().map(StoredPart::text).unwrap_or_default());
        text
    }
}

/// What reading logs came to.
enum ReadLogs {
    Page(Box<ObservePage>),
    /// Of watching them.
    Report(Report),
}

/// Reads the logs that are named, or those of the project, and says what is in them.
fn read_logs(
    environment: &Environment,
    output: Output,
    folder: &Project,
    arguments: &ObserveArguments,
) -> Result<ReadLogs, Failure> {
    let format = arguments.format.as_deref().map(format).transpose()?;
    let since = since(environment, arguments.since.as_deref())?;
    let (paths, runs) = folder.logs(&arguments.files)?;
    if arguments.watch {
        return watch::run(environment, output, folder, arguments, &paths, format).map(ReadLogs::Report);
    }
    let asked = arguments.store || arguments.keep.is_some();
    let looks = !arguments.files.is_empty() || arguments.calls || paths.paths.is_empty();
    if asked || (!looks && can_store(folder, output)) {
        return Ok(ReadLogs::Page(Box::new(store::run(folder, output, arguments, &paths, format)?)));
    }
    let mut calls = Calls::default();
    let redactor = folder.config.policy.redactor();
    let mut take = |seen: LogItem<'_>| {
        if arguments.calls {
            calls.take(seen, since);
        }
    };
    let mut observation = progress::during(output, |meter| {
        observe::observe_each(&paths, runs.as_ref(), format, redactor, meter, &mut take)
    })
    .map_err(|error| observe_failed(&error))?;
    let spelled = |path: &str| spelled(path, &paths.paths, &arguments.files);
    for file in &mut observation.files {
        file.path = spelled(&file.path);
    }
    note_unreadable(&output, &observation.unreadable);
    Ok(ReadLogs::Page(Box::new(ObservePage {
        files: observation.files,
        more: None,
        unreadable: observation.unreadable,
        stored: None,
        calls: arguments.calls.then(|| calls.listed(&spelled)),
    })))
}

/// Whether there is a run store to fill. If it cannot be made, the logs are still looked at.
fn can_store(folder: &Project, output: Output) -> bool {
    let created = folder.create_state();
    if let Err(error) = &created {
        output.note(&format!("warning: nothing is stored: {error}"));
    }
    created.is_ok()
}

/// The format of this name.
fn format(name: &str) -> Result<&'static Format, Failure> {
    by_name(name).ok_or_else(|| {
        let known: Vec<&str> = FORMATS.iter().map(|format| format.name).collect();
        Failure::new(Exit::Usage, "format", format!("`--format {name}` is no format that gephost reads"))
            .hint(format!("one of {}", known.join(", ")))
    })
}

/// A file's path as the person spelled it.
fn spelled(path: &str, full: &[PathBuf], spelled: &[PathBuf]) -> String {
    let named = full.iter().zip(spelled).find_map(|(full, spelled)| {
        let rest = Path::new(path).strip_prefix(full).ok()?;
        Some(if rest.as_os_str().is_empty() { spelled.clone() } else { spelled.join(rest) })
    });
    named.map_or_else(|| path.to_owned(), |path| path.display().to_string())
}

/// `--since`: a time, or a span back from now; a bare number is hours (seed 004).
pub(super) fn since(environment: &Environment, text: Option<&str>) -> Result<Option<Timestamp>, Failure> {
    let Some(text) = text else { return Ok(None) };
    let wrong = || {
        Failure::new(Exit::Usage, "since", format!("`--since {text}` is neither a day, a time nor a span"))
            .hint("for example `--since 7d`, `--since 12h`, `--since 2026-01-31` or `--since 2026-01-31T08:00:00Z`")
    };
    if let Ok(time) = text.parse::<Timestamp>() {
        return Ok(Some(time));
    }
    // A day begins at midnight of UTC, as the times in logs do. Without a hyphen it would be a number of hours.
    if let Some(day) = text.contains('-').then(|| text.parse::<DateTime>().ok()).flatten() {
        return day.to_zoned(TimeZone::UTC).map(|day| Some(day.timestamp())).map_err(|_| wrong());
    }
    let (number, unit) = text.split_at(text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len()));
    let number: i64 = number.parse().map_err(|_| wrong())?;
    let seconds = match unit {
        "s" => 1,
        "m" | "min" => 60,
        "" | "h" => 3600,
        "d" => 86_400,
        "w" => 604_800,
        _ => return Err(wrong()),
    };
    let span = number.checked_mul(seconds).ok_or_else(wrong)?;
    let now = environment.now();
    // A span that reaches back before all time means everything.
    Ok(Some(now.checked_sub(jiff::SignedDuration::from_secs(span)).unwrap_or(Timestamp::MIN)))
}

fn page(files: &[FileSummary]) -> String {
    listed(files) + &cycle::observed(files) + &skipped(files)
}

fn listed(files: &[FileSummary]) -> String {
    let mut text = String::new();
    for file in files {
        let events = &file.events;
        let outcomes = &file.outcomes;
        let _ = writeln!(text, "{}", file.path);
        let _ = writeln!(
            text,
            "  {}, {} {}, {} skipped",
            file.format,
            file.lines,
            plural(file.lines, "line"),
            file.skipped
        );
        if file.format == UNKNOWN_FORMAT {
            continue;
        }
        let _ = writeln!(
            text,
            "  events: {} in, {} out, {} tool {}, {} tool {}, {} {}",
            events.inbound_msg,
            events.outbound_msg,
            events.tool_start,
            plural(events.tool_start, "start"),
            events.tool_end,
            plural(events.tool_end, "end"),
            events.exception,
            plural(events.exception, "exception")
        );
        let _ = writeln!(
            text,
            "  calls: {} success, {} failure, {} rejected, {} cascade, {} unfinished; the log itself flags {}",
            outcomes.success, outcomes.failure, outcomes.rejected, outcomes.cascade, outcomes.unfinished, file.flagged
        );
        text.push_str(&tokens(&file.usage));
    }
    text
}

/// One line that says what the requests to models used; nothing where the log does not tell.
fn tokens(usage: &Usage) -> String {
    let parts = [
        ("in", usage.input_tokens),
        ("out", usage.output_tokens),
        ("read from a cache", usage.cache_read_tokens),
        ("put into a cache", usage.cache_write_tokens),
    ];
    if usage.is_nothing() {
        return String::new();
    }
    let told: Vec<String> =
        parts.into_iter().filter_map(|(what, number)| Some(format!("{} {what}", number?))).collect();
    let cost = usage.cost_nano_usd.map(|nano| format!("; {}.{:04} USD", nano / 1_000_000_000, nano / 100_000 % 10_000));
    format!("  tokens: {}{}\n", told.join(", "), cost.unwrap_or_default())
}

/// One line that says what was skipped, and why; nothing where nothing was.
fn skipped(files: &[FileSummary]) -> String {
    let mut by_reason: BTreeMap<String, u64> = BTreeMap::new();
    for (reason, count) in files.iter().flat_map(|file| &file.skipped_by_reason) {
        let name = serde_json::to_value(reason).ok().and_then(|name| name.as_str().map(|name| name.replace('_', " ")));
        *by_reason.entry(name.unwrap_or_default()).or_default() += count;
    }
    let unknown = files.iter().filter(|file| file.format == UNKNOWN_FORMAT).count();
    let mut parts: Vec<String> = by_reason.into_iter().map(|(reason, count)| format!("{count} {reason}")).collect();
    if unknown > 0 {
        parts.push(format!("{unknown} {} of an unknown format", if unknown == 1 { "file" } else { "files" }));
    }
    if parts.is_empty() { String::new() } else { format!("skipped: {}\n", parts.join(", ")) }
}
