//! What `gephost replay` prints.

use std::fmt::Write as _;

use gephost_core::recording::{Difference, Digest};
use gephost_runner::exchange::Exchange;
use gephost_runner::recording::{Recording, Told};
use gephost_runner::sandbox::{CallError, LogLine};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::exit_code::Exit;
use crate::page::Page;
use crate::render::style::{bad, bold, dim, good, note, printable};
use crate::render::verdict::plural;

/// Whether a recorded call, or a conversation with a model, has the same result again.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ReplayPage {
    /// The recorded gene call, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) recording: Option<RecordingRow>,
    /// The conversation, if it is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) exchange: Option<ExchangeRow>,
    /// Whether nothing differs.
    pub(super) same: bool,
    /// What differs in a gene call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) differences: Option<Vec<Difference>>,
    /// The differences, one line each.
    pub(super) told: Vec<String>,
    /// What may explain a difference of a gene call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) notes: Option<Vec<String>>,
    /// The outcome of a conversation.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) outcome: Option<Value>,
    /// What the gene answered this time, and what it wrote.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) call: Option<ToldRow>,
    #[serde(skip)]
    pub(super) requests: u64,
    #[serde(skip)]
    pub(super) is_verbose: bool,
}

/// What a gene answered, and what it wrote.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ToldRow {
    /// The answer; none if the call failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) answer: Option<Value>,
    /// Why it failed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) failure: Option<String>,
    /// Where it was when a budget ran out, if that is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) stopped_at: Option<String>,
    /// The functions of a trap or of a budget that ran out, innermost first; empty if they are an interpreter's.
    pub(super) backtrace: Vec<String>,
    /// What it logged and printed, in its order.
    pub(super) log: Vec<LogLine>,
}

impl ToldRow {
    pub(super) fn of(told: Told) -> Self {
        let failure = told.failure.as_ref().map(ToString::to_string);
        let stopped_at = told.failure.as_ref().and_then(CallError::stopped_at);
        let backtrace = told.failure.as_ref().map_or_else(Vec::new, |failure| failure.backtrace().to_vec());
        Self { answer: told.answer, failure, stopped_at, backtrace, log: told.log }
    }

    fn text(&self) -> String {
        let mut text = String::new();
        for line in &self.log {
            let _ = writeln!(text, "  {} {}", dim(line.level.as_str()), printable(&line.message));
        }
        if let Some(failure) = &self.failure {
            let _ = writeln!(text, "  {} {}", bad("failed"), printable(failure));
        }
        if let Some(place) = &self.stopped_at {
            let _ = writeln!(text, "  {}", printable(place));
        }
        for frame in &self.backtrace {
            let _ = writeln!(text, "    {} {}", dim("at"), printable(frame));
        }
        if let Some(answer) = &self.answer {
            let _ = writeln!(text, "  {}", bold("answer"));
            for line in serde_json::to_string_pretty(answer).unwrap_or_default().lines() {
                let _ = writeln!(text, "  {}", printable(line));
            }
        }
        text
    }
}

impl Page for ReplayPage {
    const KIND: &'static str = "replay";

    fn text(&self) -> String {
        let header = self.recording.as_ref().map(RecordingRow::text);
        let mut text = header.or_else(|| self.exchange.as_ref().map(ExchangeRow::text)).unwrap_or_default();
        for line in self.notes.iter().flatten() {
            let _ = writeln!(text, "  {} {line}", note("note"));
        }
        if self.same {
            let requests = format!("{} {}", self.requests, plural(self.requests, "request"));
            let rest =
                if self.exchange.is_some() { ", and the outcome" } else { ", the outcome, the log and every count" };
            let _ = writeln!(text, "  {}: {requests}{rest}", good("the same"));
        }
        for line in &self.told {
            let _ = writeln!(text, "  {} {}", bad("differs"), printable(line));
        }
        if let (true, Some(call)) = (self.is_verbose, &self.call) {
            text.push_str(&call.text());
        }
        text
    }

    fn exit(&self) -> Exit {
        if self.same { Exit::Done } else { Exit::Failed }
    }
}

/// A conversation with a model.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct ExchangeRow {
    /// Its name.
    pub(super) id: String,
    /// `model:` and the model's name.
    pub(super) model: String,
    /// Requests that were sent.
    pub(super) requests: u64,
    /// When it was recorded (RFC 3339).
    pub(super) at: String,
    /// Which gephost asked.
    pub(super) gephost: String,
    /// Why there is no proposal, if there is none.
    #[serde(skip)]
    pub(super) no_op: Option<String>,
}

impl ExchangeRow {
    pub(super) fn of(id: String, exchange: &Exchange) -> Self {
        Self {
            id,
            model: exchange.author.clone(),
            requests: exchange.requests() as u64,
            at: exchange.at.clone(),
            gephost: exchange.gephost.clone(),
            no_op: exchange.outcome["no_op"]["reason"].as_str().map(str::to_owned),
        }
    }

    fn text(&self) -> String {
        format!(
            "{}  {}: {}  {}\n",
            bold(&self.id),
            printable(&self.model),
            printable(self.no_op.as_deref().unwrap_or("proposals")),
            dim(format!("{} {}, {}", self.requests, plural(self.requests, "request"), printable(&self.at)))
        )
    }
}

/// A recording that was written into one file.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct ExportPage {
    /// Its name.
    pub(super) recording: String,
    /// The file.
    pub(super) file: String,
    /// Its length.
    pub(super) bytes: usize,
    /// The file as the user spelled it.
    #[serde(skip)]
    pub(super) named: String,
}

impl Page for ExportPage {
    const KIND: &'static str = "export";

    fn text(&self) -> String {
        let Self { recording, bytes, named, .. } = self;
        format!("{recording} is in {named}, {bytes} bytes; `gephost replay {named}` runs it anywhere\n")
    }
}

/// Everything that was recorded.
#[derive(Debug, Serialize, JsonSchema)]
pub(crate) struct RecordingsPage {
    /// Gene calls.
    pub(super) recordings: Vec<Entry<RecordingRow>>,
    /// Conversations with a model.
    pub(super) exchanges: Vec<Entry<ExchangeRow>>,
}

/// Something that was recorded.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(untagged)]
pub(super) enum Entry<T> {
    /// It can be read.
    Readable(T),
    /// It cannot.
    Unreadable(Unreadable),
}

/// Something that was recorded and cannot be read.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct Unreadable {
    /// Its name.
    pub(super) id: String,
    /// Why.
    pub(super) unreadable: String,
}

impl Unreadable {
    fn text(&self) -> String {
        format!("{}  {} {}\n", bold(&self.id), bad("unreadable"), printable(&self.unreadable))
    }
}

impl Page for RecordingsPage {
    const KIND: &'static str = "recordings";

    fn text(&self) -> String {
        if self.recordings.is_empty() && self.exchanges.is_empty() {
            return "no recordings: `gephost run` keeps one of every gene call\n".to_owned();
        }
        let recordings = self.recordings.iter().map(|entry| match entry {
            Entry::Readable(recording) => recording.text(),
            Entry::Unreadable(unreadable) => unreadable.text(),
        });
        let exchanges = self.exchanges.iter().map(|entry| match entry {
            Entry::Readable(exchange) => exchange.text(),
            Entry::Unreadable(unreadable) => unreadable.text(),
        });
        recordings.chain(exchanges).collect()
    }
}

/// A recorded gene call.
#[derive(Debug, Serialize, JsonSchema)]
pub(super) struct RecordingRow {
    /// Its name.
    pub(super) id: String,
    /// The gene's id.
    pub(super) gene: String,
    /// What it was asked: `diagnose` or `propose`.
    pub(super) function: String,
    /// Digest of the component.
    pub(super) component: Digest,
    /// `answered`, or the kind of the error.
    pub(super) outcome: String,
    /// Requests to the host.
    pub(super) requests: u64,
    /// When it was recorded first (RFC 3339).
    pub(super) at: String,
    /// Which gephost ran it.
    pub(super) gephost: String,
    /// Which engine.
    pub(super) engine: String,
    /// Whether it can be run again.
    pub(super) replayable: bool,
}

impl RecordingRow {
    pub(super) fn of(id: String, recording: &Recording) -> Self {
        Self {
            id,
            gene: recording.gene.clone(),
            function: recording.function.to_string(),
            component: recording.component,
            outcome: recording.result.outcome.clone(),
            requests: recording.result.audit.len(),
            at: recording.measured.at.clone(),
            gephost: recording.gephost.clone(),
            engine: recording.engine.clone(),
            replayable: recording.left_out.is_none(),
        }
    }

    fn text(&self) -> String {
        format!(
            "{}  {} {}: {}  {}\n",
            bold(&self.id),
            printable(&self.gene),
            self.function,
            printable(&self.outcome),
            dim(format!("{} {}, {}", self.requests, plural(self.requests, "request"), printable(&self.at)))
        )
    }
}
