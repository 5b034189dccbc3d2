//! Reads the logs that are named, or those of the project.

use gephost_app::Project;
use gephost_app::observe::{note_unreadable, observe_failed};
use gephost_core::observe::{FORMATS, Format, by_name};
use gephost_runner::observe::{self, LogItem};
use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;

use super::calls::Calls;
use super::page::ObservePage;
use super::spelled::spelled;
use super::{store, watch};
use crate::args::ObserveArguments;
use crate::environment::Environment;
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::{Output, Report};
use crate::progress;

/// What reading logs came to.
pub(super) enum ReadLogs {
    Page(Box<ObservePage>),
    /// Of watching them.
    Report(Report),
}

/// Reads the logs that are named, or those of the project, and says what is in them.
pub(super) fn read_logs(
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
    let mut observation = progress::during(output.quiet(), |meter| {
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
        Failure::new(Exit::Usage, "format", format!("`--format {name}` is not a format that gephost reads"))
            .hint(format!("one of {}", known.join(", ")))
    })
}

/// `--since`: a time, or a span back from now; a bare number is hours (seed 004).
pub(in crate::commands) fn since(environment: &Environment, text: Option<&str>) -> Result<Option<Timestamp>, Failure> {
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
