//! The events that `codex exec --json` prints, one a line, as openai/codex `codex-rs/exec/src/exec_events.rs` defines them:
//! of the thread, of a turn, and of an item when it starts, changes and is completed. There are no times.
//!
//! A command, a call of an MCP server and a change of files are items that are calls. What an item calls an error is a
//! notice of the program itself, after which the turn goes on; only a turn that failed is an exception.

use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::observe::content::{Message, Text, lenient};
use crate::observe::input::{read_input, script_of};
use crate::observe::reported::{End, Origin, Start};
use crate::observe::usage::TokenCounts;
use crate::observe::{Format, LineResult, LogReader, Opened, Recognise, SkipReason, Transcript, parse, peek};
use crate::outcome::Ending;

pub(in crate::observe) const FORMAT: Format = Format {
    name: "codex-exec",
    recognise: Recognise::Line(recognises),
    open: |_| Opened::Lines(Box::<Exec>::default()),
};

/// Types of lines, and the member that comes with each.
const RECOGNISED: [(&[u8], &str); 6] = [
    (b"thread.started", "thread_id"),
    (b"item.started", "item"),
    (b"item.updated", "item"),
    (b"item.completed", "item"),
    (b"turn.completed", "usage"),
    (b"turn.failed", "error"),
];

fn recognises(line: &[u8]) -> bool {
    let Some(kind) = peek::string_field(line, "type") else { return false };
    RECOGNISED.iter().any(|(name, member)| *name == kind && peek::value_field(line, member).is_some())
}

/// Most changes of files under way that are remembered.
const MAX_CHANGES: usize = 1024;

#[derive(Default)]
struct Exec {
    thread: Arc<str>,
    /// Changes of files that have begun. Older versions tell only that one is over.
    changes: HashSet<String>,
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, rename = "type", default)]
    kind: Text<'a>,
    #[serde(borrow, default)]
    thread_id: Text<'a>,
    #[serde(borrow, default)]
    usage: Option<&'a RawValue>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    error: Option<Message<'a>>,
    #[serde(borrow, default)]
    item: Option<Item<'a>>,
}

#[derive(Deserialize)]
struct Item<'a> {
    #[serde(borrow, default)]
    id: Text<'a>,
    #[serde(borrow, rename = "type", alias = "item_type", default)]
    kind: Text<'a>,
    #[serde(borrow, default)]
    text: Text<'a>,
    #[serde(borrow, default)]
    status: Text<'a>,
    #[serde(borrow, default)]
    command: Text<'a>,
    #[serde(borrow, default)]
    aggregated_output: Text<'a>,
    #[serde(default)]
    exit_code: Option<i64>,
    #[serde(borrow, default)]
    tool: Text<'a>,
    #[serde(borrow, default)]
    arguments: Option<&'a RawValue>,
    #[serde(borrow, default)]
    changes: Option<&'a RawValue>,
    #[serde(borrow, default)]
    result: Text<'a>,
    #[serde(borrow, default, deserialize_with = "lenient")]
    error: Option<Message<'a>>,
}

impl LogReader for Exec {
    fn read(&mut self, _: usize, bytes: &[u8], out: &mut Transcript<'_>) -> LineResult {
        match peek::string_field(bytes, "type") {
            Some(b"thread.started" | b"turn.completed" | b"turn.failed" | b"item.started" | b"item.completed") => {
                LineResult::of(parse::<Line<'_>>(bytes).and_then(|line| self.take(&line, out)))
            }
            // The message of an error is that of the turn which fails of it, or says that the program tries again.
            Some(b"turn.started" | b"item.updated" | b"error" | b"thread.resumed" | b"token_count") => {
                crate::observe::without_event(bytes)
            }
            _ => crate::observe::unknown(bytes),
        }
    }
}

impl Exec {
    fn take(&mut self, line: &Line<'_>, out: &mut Transcript<'_>) -> Result<(), SkipReason> {
        let origin = Origin { time: None, session: self.thread.clone() };
        match &*line.kind.0 {
            "thread.started" => self.thread = out.session(&line.thread_id.0),
            "turn.completed" => {
                out.usage_for_newest(&origin, TokenCounts::read(line.usage).usage_including_cache(), "");
            }
            "turn.failed" => out.exception(&origin, line.error.as_ref().map_or("", |error| &error.message.0)),
            kind => {
                let item = line.item.as_ref().ok_or(SkipReason::UnknownType)?;
                self.report(item, kind == "item.started", &origin, out);
            }
        }
        Ok(())
    }

    fn report(&mut self, item: &Item<'_>, starts: bool, origin: &Origin, out: &mut Transcript<'_>) {
        let (tool, input, is_command) = match &*item.kind.0 {
            "agent_message" | "assistant_message" if !starts => return out.message(origin, false, None, &item.text.0),
            "command_execution" => ("shell", unwrapped(&item.command.0), true),
            "mcp_tool_call" => {
                let read = read_input(item.arguments.map_or("", RawValue::get));
                (&*item.tool.0, read.text, read.is_command)
            }
            "file_change" => ("apply_patch", Cow::Borrowed(item.changes.map_or("", RawValue::get)), false),
            _ => return,
        };
        let call_id = Some(&*item.id.0).filter(|id| !id.is_empty());
        let is_change = item.kind.0 == "file_change";
        if starts && is_change && self.changes.len() < MAX_CHANGES {
            self.changes.insert(item.id.0.clone().into_owned());
        }
        if starts || is_change && !self.changes.remove(&*item.id.0) {
            out.start(origin, &Start { call_id, tool, input, is_command });
        }
        if starts {
            return;
        }
        let output = match &item.error {
            Some(error) => Cow::Borrowed(&*error.message.0),
            None if is_command => Cow::Borrowed(&*item.aggregated_output.0),
            None => Cow::Borrowed(&*item.result.0),
        };
        let ending = match &*item.status.0 {
            "declined" => Ending::Stopped,
            "in_progress" => Ending::Running,
            _ => Ending::Returned,
        };
        // Of a command, the code says it.
        let flagged = item.error.is_some() || item.status.0 == "failed" && item.exit_code.is_none();
        let (tool, exit_code) = (Some(tool), item.exit_code);
        out.end(origin, &End { call_id, tool, output, flagged, exit_code, ending, ..End::default() });
    }
}

/// The script of `bash -lc 'SCRIPT'`, as Codex shows the command that it runs.
fn unwrapped(command: &str) -> Cow<'_, str> {
    let words = shlex::split(command).unwrap_or_default();
    script_of(&words).map_or(Cow::Borrowed(command), |script| Cow::Owned(script.clone()))
}
