//! `gephost log`: what gephost intended in this project and what came of it.

pub(crate) mod checkpoint;
pub(crate) mod graph;
pub(crate) mod proof;
pub(crate) mod verify;

use std::borrow::Cow;
use std::fmt::Write as _;

use gephost_app::Project;
use gephost_core::event_log::{Entry, EntryBody};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::args::{LogArguments, LogCommand};
use crate::environment::Environment;
use crate::error::Failure;
use crate::output::Report;
use crate::page::Page;
use crate::render::style::{dim, printable};

/// The most characters of a value on the line of its entry.
const SHOWN_VALUE: usize = 100;

pub(crate) fn run(environment: &Environment, arguments: &LogArguments) -> Result<Report, Failure> {
    if let Some(LogCommand::VerifyProof { file, key }) = &arguments.command {
        return proof::check(environment, file, key.as_deref());
    }
    let folder = Project::open(environment)?;
    match &arguments.command {
        None | Some(LogCommand::Show | LogCommand::VerifyProof { .. }) => {
            Ok(Report::of(&LogPage::of(&folder.entries()?)))
        }
        Some(LogCommand::Verify { checkpoint, key }) => verify::run(&folder, checkpoint.as_deref(), key.as_deref()),
        Some(LogCommand::Checkpoint { out }) => checkpoint::run(&folder, out.as_deref()),
        Some(LogCommand::Prove(arguments)) => proof::run(&folder, arguments),
        Some(LogCommand::Graph { svg }) => graph::run(&folder, *svg),
        Some(LogCommand::Accept) => Ok(Report::of(&AcceptPage { accepted: folder.accept_log()? })),
    }
}

/// Every entry of the log.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct LogPage<'a> {
    /// The entries, oldest first.
    entries: Vec<EntryRow<'a>>,
}

/// An entry of the log.
#[derive(Debug, Serialize, JsonSchema)]
struct EntryRow<'a> {
    /// Its number, from 0.
    seq: u64,
    /// When it was written (RFC 3339).
    at: String,
    /// Hash of the entry before it.
    prev: &'a str,
    /// What happened.
    entry: &'a EntryBody,
}

impl<'a> LogPage<'a> {
    fn of(entries: &'a [Entry]) -> Self {
        let row = |entry: &'a Entry| EntryRow {
            seq: entry.seq,
            at: entry.at.to_string(),
            prev: &entry.prev,
            entry: &entry.body,
        };
        Self { entries: entries.iter().map(row).collect() }
    }
}

impl Page for LogPage<'_> {
    const KIND: &'static str = "log";

    fn text(&self) -> String {
        if self.entries.is_empty() {
            return "The log is empty.\n".to_owned();
        }
        let mut text = String::new();
        for EntryRow { seq, at, entry, .. } in &self.entries {
            let _ = writeln!(text, "{seq:>5}  {}  {}", dim(at), line(entry));
        }
        text
    }
}

/// An entry as one line: its kind, then its other members.
fn line(body: &EntryBody) -> String {
    let Ok(Value::Object(members)) = serde_json::to_value(body) else { return String::new() };
    let kind = members.get("kind").and_then(Value::as_str).unwrap_or_default();
    let rest = members.iter().filter(|(key, _)| *key != "kind").map(|(key, value)| {
        let value = value.as_str().map_or_else(|| value.to_string(), str::to_owned);
        format!("{key}={}", printable(&short(&value)))
    });
    format!("{kind}  {}", rest.collect::<Vec<_>>().join("  "))
}

/// A value of at most [`SHOWN_VALUE`] characters, cut after a word or a member of a list.
fn short(value: &str) -> Cow<'_, str> {
    let Some((end, _)) = value.char_indices().nth(SHOWN_VALUE) else { return value.into() };
    let (start, rest) = value.split_at(end);
    let is_between = rest.starts_with([' ', ',']);
    let end = if is_between { end } else { start.rfind([' ', ',']).unwrap_or(end) };
    format!("{} …", value.get(..end).unwrap_or_default().trim_end()).into()
}

/// What was accepted about a log that is gone, or whose head is.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct AcceptPage {
    /// What is gone; null if there was nothing to accept.
    accepted: Option<String>,
}

impl Page for AcceptPage {
    const KIND: &'static str = "log-accept";

    fn text(&self) -> String {
        match &self.accepted {
            Some(what) => format!("Accepted: {what}.\n"),
            None => "The log and its head are both there, or neither is: there is nothing to accept.\n".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::short;

    #[test]
    fn a_long_value_is_cut_between_words() {
        let words = "word ".repeat(30);
        assert_eq!(short(&words), format!("{} …", "word ".repeat(20).trim_end()));
        assert_eq!(short("short"), "short");
        let list = format!("[{}]", "\"log_error\",".repeat(12));
        assert!(short(&list).ends_with("\"log_error\" …"), "{}", short(&list));
        assert_eq!(short(&"x".repeat(200)), format!("{} …", "x".repeat(100)));
    }
}
