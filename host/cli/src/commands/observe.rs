//! `gephost observe`: what is in the logs, file by file.

use std::fmt::Write as _;
use std::path::PathBuf;

use gephost_core::observe::FileSummary;
use gephost_core::redact::Redactor;
use gephost_runner::observe::{self, Limits, Observation};
use jiff::Timestamp;
use serde_json::json;

use crate::args::ObserveArguments;
use crate::context::Folder;
use crate::environment::{self, Environment};
use crate::error::Failure;
use crate::exit_code::Exit;
use crate::output::{Output, Report};
use crate::render::cycle;

/// The most bytes of text that the events of one cycle hold; the newest are kept.
const MAX_TEXT_BYTES: usize = 128 << 20;

pub(super) fn run(environment: &Environment, output: Output, arguments: &ObserveArguments) -> Result<Report, Failure> {
    let folder = Folder::open(environment)?;
    let observation = if arguments.files.is_empty() {
        read(environment, &folder, &[], arguments.since.as_deref(), None)?
    } else {
        let files: Vec<PathBuf> = arguments.files.iter().map(|file| environment.resolve(file)).collect();
        // Only the summaries are wanted.
        let limits = Limits { since: since(arguments.since.as_deref())?, max_events: 0, max_text_bytes: 0 };
        named(&files, &arguments.files, limits, folder.config.policy.redactor())?
    };
    note_unreadable(output, &observation);
    let files = &observation.files;
    let document = json!({ "schema": "gephost.observe/1", "files": files, "unreadable": observation.unreadable });
    Ok(Report { exit: Exit::Done, document, text: page(files) })
}

/// Reads files, and names them in the summary as the person did.
fn named(full: &[PathBuf], spelled: &[PathBuf], limits: Limits, redactor: Redactor) -> Result<Observation, Failure> {
    let mut observation = observe::observe(full, None, limits, redactor).map_err(|error| refused(&error))?;
    for file in &mut observation.files {
        for (full, spelled) in full.iter().zip(spelled) {
            if let Ok(rest) = PathBuf::from(&file.path).strip_prefix(full) {
                let name = if rest.as_os_str().is_empty() { spelled.clone() } else { spelled.join(rest) };
                file.path = name.display().to_string();
                break;
            }
        }
    }
    Ok(observation)
}

/// Tells the person of logs that could not be read.
pub(super) fn note_unreadable(output: Output, observation: &Observation) {
    for file in &observation.unreadable {
        output.note(&format!("warning: {} cannot be read: {}", file.path, file.reason));
    }
}

fn refused(error: &observe::ObserveError) -> Failure {
    Failure::new(Exit::Usage, "observe", error.to_string())
}

/// Reads the logs of a cycle: those that the person named, or those of the config and of `gephost record`.
pub(super) fn read(
    environment: &Environment,
    folder: &Folder,
    logs: &[PathBuf],
    since_text: Option<&str>,
    max_events: Option<usize>,
) -> Result<Observation, Failure> {
    let mut paths: Vec<PathBuf> = logs.iter().map(|log| environment.resolve(log)).collect();
    if paths.is_empty() {
        paths.extend(folder.config.file.observe.logs.iter().map(|log| folder.root.join(log)));
        let runs = folder.state.runs();
        if runs.is_dir() {
            paths.push(runs);
        }
    }
    let limits = Limits {
        since: since(since_text)?,
        max_events: max_events.unwrap_or(folder.config.file.observe.max_events),
        max_text_bytes: MAX_TEXT_BYTES,
    };
    observe::observe(&paths, None, limits, folder.config.policy.redactor()).map_err(|error| refused(&error))
}

/// `--since`: a time, or a span back from now; a bare number is hours (seed 004).
fn since(text: Option<&str>) -> Result<Option<Timestamp>, Failure> {
    let Some(text) = text else { return Ok(None) };
    let wrong = || {
        Failure::new(Exit::Usage, "since", format!("`--since {text}` is neither a time nor a span"))
            .hint("for example `--since 24h`, `--since 7d`, `--since 24` (hours) or `--since 2026-01-31T08:00:00Z`")
    };
    if let Ok(time) = text.parse::<Timestamp>() {
        return Ok(Some(time));
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
    let now = environment::now();
    // A span that reaches back before all time means everything.
    Ok(Some(now.checked_sub(jiff::SignedDuration::from_secs(span)).unwrap_or(Timestamp::MIN)))
}

fn page(files: &[FileSummary]) -> String {
    let mut text = String::new();
    for file in files {
        let events = &file.events;
        let outcomes = &file.outcomes;
        let _ = writeln!(text, "{}", file.path);
        let _ = writeln!(text, "  {}, {} lines, {} skipped", file.format, file.lines, file.skipped);
        for (reason, count) in &file.skipped_by_reason {
            let _ = writeln!(
                text,
                "    {count} {}",
                serde_json::to_value(reason)
                    .ok()
                    .and_then(|v| v.as_str().map(|s| s.replace('_', " ")))
                    .unwrap_or_default()
            );
        }
        let _ = writeln!(
            text,
            "  events: {} in, {} out, {} tool starts, {} tool ends, {} exceptions",
            events.inbound_msg, events.outbound_msg, events.tool_start, events.tool_end, events.exception
        );
        let _ = writeln!(
            text,
            "  calls: {} success, {} failure, {} rejected, {} cascade, {} unfinished; the log itself flags {}",
            outcomes.success, outcomes.failure, outcomes.rejected, outcomes.cascade, outcomes.unfinished, file.flagged
        );
    }
    text.push_str(&cycle::observed(files));
    text
}
