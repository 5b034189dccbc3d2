//! nanobot sessions (HKUDS/nanobot `nanobot/session/manager.py`): a metadata line, then messages in `OpenAI`'s shape.
//!
//! The file is written anew as a whole at each save, so a message counts once by its content. Times are local and have
//! no zone. There is no flag: a tool's failure is the text `Error: …`.

use std::sync::Arc;

use serde::Deserialize;

use super::content::{Few, Text, loose};
use super::openai::ToolCall;
use super::time::read_time;
use super::transcript::{End, Place};
use super::{Format, Is, LineResult, LogReader, Opened, SkipReason, Transcript, parse, peek};

pub(super) const FORMAT: Format =
    Format { name: "nanobot", is: Is::Line(is), open: |_| Opened::Lines(Box::<Nanobot>::default()) };

fn is(line: &[u8]) -> bool {
    let has = |name| peek::value_field(line, name).is_some();
    let message = || has("role") && has("content") && has("timestamp") && !has("type") && !has("id");
    matches!(peek::string_field(line, "_type"), Some(b"metadata" | b"provider_state")) || message()
}

#[derive(Default)]
struct Nanobot {
    session: Arc<str>,
    /// The part of the key before `:`, which says where messages come from.
    channel: Option<String>,
}

#[derive(Deserialize)]
struct Line<'a> {
    #[serde(borrow, default, rename = "_type")]
    kind: Option<Text<'a>>,
    #[serde(borrow, default)]
    key: Text<'a>,
    #[serde(borrow, default)]
    role: Text<'a>,
    #[serde(borrow, default)]
    content: Text<'a>,
    #[serde(borrow, default)]
    timestamp: Text<'a>,
    #[serde(borrow, default)]
    tool_call_id: Text<'a>,
    #[serde(borrow, default, deserialize_with = "loose")]
    tool_calls: Option<Few<ToolCall<'a>>>,
}

impl LogReader for Nanobot {
    fn read(&mut self, _: usize, bytes: &[u8], out: &mut Transcript<'_>) -> LineResult {
        LineResult::of(self.take(bytes, out))
    }
}

impl Nanobot {
    fn take(&mut self, bytes: &[u8], out: &mut Transcript<'_>) -> Result<(), SkipReason> {
        let line: Line<'_> = parse(bytes)?;
        if let Some(kind) = &line.kind {
            if kind.0 == "metadata" {
                self.session = out.session(&line.key.0);
                self.channel = line.key.0.split_once(':').map(|(channel, _)| channel.to_owned());
            }
            return Ok(());
        }
        let known =
            !line.timestamp.0.is_empty() && !out.shared.first_time(&[b"nanobot", self.session.as_bytes(), bytes]);
        if known {
            return Err(SkipReason::Duplicate);
        }
        let place = Place { time: read_time(&line.timestamp.0), session: self.session.clone() };
        match &*line.role.0 {
            "user" => out.message(&place, true, self.channel.as_deref(), &line.content.0),
            "assistant" => {
                if !line.content.0.trim().is_empty() {
                    out.message(&place, false, None, &line.content.0);
                }
                for call in line.tool_calls.iter().flat_map(|calls| calls.iter()) {
                    call.start(&place, out);
                }
            }
            "tool" => {
                let output = &line.content.0;
                let end = End {
                    call_id: Some(&line.tool_call_id.0),
                    output: output.clone(),
                    noted_failure: output.starts_with("Error: ") || output.starts_with("Error executing "),
                    told_code: told_code(output),
                    ..End::default()
                };
                out.end(&place, &end);
            }
            "system" => {}
            _ => return Err(SkipReason::UnknownType),
        }
        Ok(())
    }
}

/// The code of the last line `Exit code: N` that the shell tool adds.
fn told_code(output: &str) -> Option<i64> {
    output.trim_end().rsplit('\n').next()?.strip_prefix("Exit code: ")?.trim().parse().ok()
}
